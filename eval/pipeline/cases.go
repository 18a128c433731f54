package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"membench/datasets"
	"membench/eval/records"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// keptSets describes records.CasesFile: one entry for each data set, in the order of the file.
type keptSets []keptSet

type keptSet struct {
	Name      string `json:"name"`
	Digest    string `json:"digest"` // sha256 of its cases
	Cases     int    `json:"cases"`
	Questions int    `json:"questions"`
	// Doubts are what lint warns of in the questions and what changes figures, a sentence each.
	Doubts  []string `json:"doubts,omitempty"`
	Dataset string   `json:"dataset,omitempty"` // as records name it
}

const setsFile = "sets.json"

// keepCases writes the cases of the run, as a step like those after the run, and returns the digests of the data sets' files.
func (p *plan) keepCases(ctx context.Context, t *tally) (kept keptSets, inputs []schema.FileDigest, err error) {
	var paths, keys []string
	for _, s := range p.sets {
		paths = append(paths, s.inputs...)
		keys = append(keys, fmt.Sprintf("%s: %s sample=%d/%d max=%d", s.name, s.key, s.sample, s.seed, s.maxCases))
	}
	if err := build.Apart(p.dir, paths...); err != nil {
		return nil, nil, err
	}
	slices.Sort(paths)
	b := builder(p.dir, p.o.Membench, p.o.Now)
	b.Root = "." // the data sets lie outside of the run
	side := filepath.Join(p.dir, "journal", setsFile)
	m, _, err := b.Do(ctx, build.Step{
		Name: "cases", Version: 1, Options: map[string]any{"sets": keys}, Inputs: slices.Compact(paths), InPlace: true,
		Output: filepath.Join(p.dir, records.CasesFile), Also: []string{side},
		Run: func(ctx context.Context, path string) (build.Result, error) {
			kept, err := p.writeCases(ctx, t, path)
			if err != nil {
				return build.Result{}, err
			}
			return build.Result{}, atomicfile.WriteOr(side, nil, func(w io.Writer) error { return codec.WriteFile(w, kept) })
		},
	})
	if err != nil {
		return nil, nil, err
	}
	err = smallfile.ReadJSON(side, &kept)
	return kept, m.Inputs, err
}

func (p *plan) writeCases(ctx context.Context, t *tally, path string) (kept keptSets, err error) {
	ids := map[[2]string]string{}
	err = atomicfile.WriteOr(path, nil, func(w io.Writer) error {
		z, err := jsonl.Compress(w)
		if err != nil {
			return err
		}
		err = atomicfile.Buffered(z, func(b io.Writer) error {
			for _, s := range p.sets {
				k := keptSet{Name: s.name}
				sum, doubts := sha256.New(), doubts{}
				if _, _, err := jsonl.Write(io.MultiWriter(b, sum), schema.Latest, schema.Observe(s.chosen(ctx, t, &k, ids), func(c *schema.Case) { k.Dataset = c.Dataset; doubts.see(c) })); err != nil {
					return err
				}
				k.Digest, k.Doubts = hex.EncodeToString(sum.Sum(nil)), doubts.lines(k.Questions, s.reader)
				switch {
				case t.errors > 0:
					t.log.Printf("%s has errors: nothing was asked. List them with membench datasets lint %s; to ask what could be read, run membench datasets convert and give its cases", s.name, s.reader)
					return schema.ErrFindings
				case k.Questions == 0:
					return fmt.Errorf("%s: no question to ask", s.name)
				}
				kept = append(kept, k)
			}
			part := p.v.Run.Case != nil || slices.ContainsFunc(p.sets, func(s set) bool { return s.maxCases > 0 }) // what was not read may have it
			if name, have := unknown(p.sets); name != "" && !part {
				return schema.Usagef("exclude %s: no question has this raw category; there are %s", name, strings.Join(have, ", "))
			}
			var sets []evalrun.Set
			for _, k := range kept {
				sets = append(sets, evalrun.Set{Name: k.Name, Digest: k.Digest})
			}
			return evalrun.SameCases(p.dir, sets) // otherwise the cases of the run there would be replaced before it is refused
		})
		if err != nil {
			return err
		}
		return z.Close()
	})
	return kept, err
}

// doubts are the questions that a warning of lint is of, by its message and code, where it changes what is measured: evidence that cannot be found, one question
// counted twice, a history that goes on after the question.
type doubts map[string]int

func (d doubts) see(c *schema.Case) {
	validate.Case(*c, func(f *schema.Finding) {
		if f.Warning && slices.Contains([]string{"DST005", "DST007", "DST012"}, f.Code) {
			d[f.Message+" ("+f.Code+")"]++
		}
	})
}

func (d doubts) lines(all int, reader string) (out []string) {
	for _, what := range slices.Sorted(maps.Keys(d)) {
		out = append(out, schema.Say("%d of %d questions: %s; membench datasets lint %s lists them", d[what], all, what, reader).String())
	}
	return out
}

// doubted are the doubts about a data set of the runs that files of records are of.
func doubted(qa []string, dataset string) (out []string) {
	for _, path := range qa {
		var kept keptSets
		if smallfile.ReadJSON(sideOf(filepath.Dir(path)), &kept) != nil {
			continue // not a run's folder
		}
		for _, k := range kept {
			for _, x := range k.Doubts {
				if k.Dataset == dataset && !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// chosen returns the cases of a set with the questions to ask. Records identify the cases of one data set by id, so ids must be unique: ids collects them.
func (s *set) chosen(ctx context.Context, t *tally, k *keptSet, ids map[[2]string]string) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		fail := func(err error) { yield(schema.Record[schema.Case]{}, err) }
		in := schema.Drop(s.cases(ctx, t.found), t.found)
		if s.sample > 0 {
			drawn, err := datasets.DrawFrom(first(in, s.maxCases), s.sample, s.seed)
			if err != nil {
				fail(err)
				return
			}
			in = drawn.From(s.cases(ctx, nil))
		}
		for r, err := range first(in, s.maxCases) {
			if err != nil {
				fail(err)
				return
			}
			id := [2]string{r.V.Dataset, r.V.ID}
			if had, twice := ids[id]; twice && had == s.name {
				continue // the reader reports it
			} else if twice {
				fail(fmt.Errorf("%s: case %s of %s was already read from %s: give each data set once", s.name, r.V.ID, r.V.Dataset, had))
				return
			}
			ids[id] = s.name
			k.Cases++
			k.Questions += len(r.V.Questions)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// sizeOf counts the questions of a set in a shard.
func sizeOf(cases schema.Seq[schema.Case], shard evalrun.Shard) (n evalrun.Size, err error) {
	for r, err := range cases {
		if err != nil {
			return n, err
		}
		if shard.Has(r.V.ID) {
			n.Cases++
			n.Questions += len(r.V.Questions)
		}
	}
	return n, nil
}

// read reads the i-th set of a run's cases; the lines of those before it are skipped.
func (kept keptSets) read(ctx context.Context, dir string, i int) schema.Seq[schema.Case] {
	path := filepath.Join(dir, records.CasesFile)
	skip := 0
	for _, k := range kept[:i] {
		skip += k.Cases
	}
	return func(yield func(schema.Record[schema.Case], error) bool) {
		var none schema.Record[schema.Case]
		r, err := jsonl.Open(path, nil)
		if err != nil {
			yield(none, err)
			return
		}
		defer r.Close()
		n := 0
		for line, err := range jsonl.Lines(jsonl.UntilDone(ctx, r), path, 0) {
			if n++; n <= skip && err == nil {
				continue
			}
			if n > skip+kept[i].Cases {
				return
			}
			rec := schema.Record[schema.Case]{Pos: line.Pos}
			if err == nil {
				if err = codec.Unmarshal(line.Bytes, &rec.V); err != nil {
					err = fmt.Errorf("%v: the cases of the run were changed: %w", line.Pos, err)
				}
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}
