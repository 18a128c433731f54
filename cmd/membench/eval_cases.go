package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// casesFile holds the cases that a run asks: what explain and report read beside records.
const casesFile = "cases.jsonl.zst"

// keptSets says what is in casesFile and what it was made of.
type keptSets struct {
	Inputs []schema.FileDigest `json:"inputs"`
	Sets   []keptSet           `json:"sets"` // in the order of the file
	Bytes  int64               `json:"bytes"`
}

// keptSet is one data set of a run.
type keptSet struct {
	Name      string `json:"name"`
	Key       string `json:"key"`    // options of reader and sampling
	Digest    string `json:"digest"` // sha256 of its cases
	Cases     int    `json:"cases"`
	Questions int    `json:"questions"`
}

func (s runSpec) keyOf(set runSet) string {
	return fmt.Sprintf("%s sample=%d/%d max=%d", set.key, cmp.Or(set.sample, s.sample), s.seed, cmp.Or(set.maxCases, s.maxCases))
}

// keepCases writes the run's cases, unless they are there already.
func keepCases(ctx context.Context, t *tally, s runSpec) (kept keptSets, inputs []schema.FileDigest, err error) {
	var paths []string
	for _, set := range s.sets {
		paths = append(paths, set.inputs...)
	}
	slices.Sort(paths)
	if inputs, err = build.Digests(".", slices.Compact(paths)); err != nil {
		return kept, nil, err
	}
	mark, path := filepath.Join(s.dir, "journal", "cases.json"), filepath.Join(s.dir, casesFile)
	if readJSONFile(mark, &kept) == nil && slices.Equal(kept.Inputs, inputs) && len(kept.Sets) == len(s.sets) {
		same := true
		for i, set := range s.sets {
			same = same && kept.Sets[i].Name == set.name && kept.Sets[i].Key == s.keyOf(set)
		}
		if info, err := os.Stat(path); same && err == nil && info.Size() == kept.Bytes {
			return kept, inputs, nil
		}
	}
	kept = keptSets{Inputs: inputs}
	ids := map[[2]string]string{}
	err = atomicfile.Write(path, func(w io.Writer) error {
		z, err := jsonl.Compress(w)
		if err != nil {
			return err
		}
		b := bufio.NewWriterSize(z, 1<<16)
		for _, set := range s.sets {
			k := keptSet{Name: set.name, Key: s.keyOf(set)}
			sum := sha256.New()
			if _, _, err := jsonl.Write(io.MultiWriter(b, sum), schema.Latest, s.chosen(ctx, t, set, &k, ids)); err != nil {
				return err
			}
			k.Digest = hex.EncodeToString(sum.Sum(nil))
			switch {
			case t.errors > 0:
				t.e.warnf("%s was not read whole: nothing was asked. See all findings with membench datasets lint; to ask what could be read, convert it (membench datasets convert) and give the cases", set.name)
				return errFindings
			case k.Questions == 0:
				return fmt.Errorf("%s: no question to ask", set.name)
			}
			kept.Sets = append(kept.Sets, k)
		}
		if err := b.Flush(); err != nil {
			return err
		}
		return z.Close()
	})
	if err != nil {
		return kept, nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return kept, nil, err
	}
	kept.Bytes = info.Size()
	return kept, inputs, atomicfile.Write(mark, func(w io.Writer) error { return writeJSON(w, kept) })
}

// chosen are the cases of a set with the questions that are asked. Records tell cases
// of one data set apart by their id, so no two may share one: ids are held.
func (s runSpec) chosen(ctx context.Context, t *tally, set runSet, k *keptSet, ids map[[2]string]string) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		report := func(f *schema.Finding) { t.take(f) }
		fail := func(err error) { yield(schema.Record[schema.Case]{}, err) }
		in := drop(t, set.cases(ctx, report))
		sample, most := cmp.Or(set.sample, s.sample), cmp.Or(set.maxCases, s.maxCases)
		if sample > 0 {
			drawn, err := samplingOf(first(in, most), sample, s.seed)
			if err != nil {
				fail(err)
				return
			}
			in = cutCases(drawn, drop(newTally(t.e.mute(), 0), set.cases(ctx, nil)))
		}
		for r, err := range first(in, most) {
			if err != nil {
				fail(err)
				return
			}
			id := [2]string{r.V.Dataset, r.V.ID}
			if had, twice := ids[id]; twice {
				fail(fmt.Errorf("%s: case %s of %s was already read from %s: give each data set once", set.name, r.V.ID, r.V.Dataset, had))
				return
			}
			ids[id] = set.name
			k.Cases++
			k.Questions += len(r.V.Questions)
			if !yield(r, nil) {
				return
			}
		}
	}
}

// first are at most n records; 0: all.
func first[T any](in schema.Seq[T], n int) schema.Seq[T] {
	if n == 0 {
		return in
	}
	return func(yield func(schema.Record[T], error) bool) {
		left := n
		for r, err := range in {
			if !yield(r, err) {
				return
			}
			if err == nil {
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// caseFile reads a file of cases.
func caseFile(ctx context.Context, path string) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		r, err := jsonl.Open(path, nil)
		if err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		defer r.Close()
		for rec, err := range jsonl.Decode[schema.Case](untilDone{ctx, r}, path) {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// keptCases reads the i-th set of a run's cases; the lines of those before it are
// passed over.
func keptCases(ctx context.Context, dir string, kept keptSets, i int) schema.Seq[schema.Case] {
	path := filepath.Join(dir, casesFile)
	skip := 0
	for _, k := range kept.Sets[:i] {
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
		for line, err := range jsonl.Lines(untilDone{ctx, r}, path, 0) {
			if n++; n <= skip && err == nil {
				continue
			}
			if n > skip+kept.Sets[i].Cases {
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

// readJSONFile reads one small JSON file.
func readJSONFile(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := codec.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}
