package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/eval/explain"
	"membench/eval/records"
	"membench/eval/report"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// A GradedRun is a graded run with all that explain looks at.
type GradedRun struct {
	Run                     string // as records.Find takes it
	SessionsFile, CasesFile string // "": the files in the run's folder
	explain.Options
}

// Open finds the graded answers of the run and opens the files in the same folder for Options.
func (r *GradedRun) Open(ctx context.Context, log Log) (qa string, err error) {
	qa, sessions, err := records.Find(r.Run)
	switch {
	case r.Threshold <= 0 || r.Threshold > 1:
		return "", schema.Usagef("--threshold: have %v, want above 0 to 1", r.Threshold)
	case err != nil:
		return "", err
	case qa == "" || strings.HasPrefix(filepath.Base(qa), "pipeline_qa"):
		return "", fmt.Errorf("%s: no graded qa_records.jsonl: run membench eval grade first", r.Run)
	}
	r.SessionsFile = cmp.Or(r.SessionsFile, sessions)
	if info, err := os.Stat(r.Run); r.CasesFile == "" && err == nil && info.IsDir() {
		r.CasesFile = records.In(r.Run, "cases.jsonl")
	}
	if r.SessionsFile == "-" || r.CasesFile == "-" {
		return "", schema.Usagef("sessions and cases are read more than once: give files")
	}
	if r.SessionsFile == "" {
		log.Printf("no session records: what was ingested, stored and overwritten is unknown")
	} else {
		r.Sessions = records.Sessions(ctx, nil, r.SessionsFile)
	}
	if r.CasesFile == "" {
		log.Printf("no cases: turns are known only from the sources that memories name")
	} else {
		r.Cases = records.Cases(nil, r.CasesFile)
	}
	if r.Report == nil {
		r.Report = log.Found
	}
	return qa, nil
}

// ExplainOptions say which run is explained and where its records go.
type ExplainOptions struct {
	GradedRun
	Out      string // file, "-": Stdout; "": the run's own file, which is replaced only when all of it could be read
	Failures string // folder that gets the failed questions as nodes and edges of Graph; "": none
	Strict   bool   // write nothing where the data has errors (schema.ErrFindings)
	Lost     int    // errors in the data, such as in the graph, that were reported before
	Stdin    io.Reader
	Stdout   io.Writer
	Log      Log
}

// Explain gives each failed question of a graded run its attribution, and counts where
// questions were lost.
func Explain(ctx context.Context, o ExplainOptions) ([]explain.Count, error) {
	t := &tally{log: o.Log, errors: o.Lost}
	qa, err := o.Open(ctx, Log{Words: o.Log.Words, Found: t.found})
	switch {
	case err != nil:
		return nil, err
	case qa == "-" && o.Out == "":
		return nil, schema.Usagef("the records come from standard input: name the output with -o")
	case o.Out == "" && qa != jsonl.PlainName(qa):
		return nil, schema.Usagef("%s is compressed and is not replaced: name the output with -o", qa)
	case o.Failures == "":
		return o.explained(ctx, t, qa)
	}
	var counts []explain.Count
	err = explain.WriteFailures(o.Failures, func(f *explain.Failures) (err error) {
		o.Walked = f.Add
		if counts, err = o.explained(ctx, t, qa); err == nil {
			o.Log.Printf("%d failed questions in %s; for %d the graph shows where they broke", f.Failed, o.Failures, f.Broken)
		}
		return err
	})
	return counts, err
}

// ExplainedFile has what the last eval explain counted, beside the records that it explained, for the report.
const ExplainedFile = "explained.json"

// keepExplained puts counts beside the records that they are of; without any, none stay there.
func keepExplained(qa string, all []explain.Count) error {
	if filepath.Base(qa) != records.QAFile {
		return nil
	}
	if all == nil {
		if err := os.Remove(filepath.Join(filepath.Dir(qa), ExplainedFile)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return atomicfile.Write(filepath.Join(filepath.Dir(qa), ExplainedFile), func(w io.Writer) error { return codec.WriteFile(w, all) })
}

// explainedOf reads those beside a file of records, with the systems named; nil of a run that was not explained.
func explainedOf(qa string, names records.Names) (all []explain.Count, err error) {
	path := filepath.Join(filepath.Dir(qa), ExplainedFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err = cmp.Or(err, codec.Unmarshal(b, &all)); err != nil {
		return nil, schema.Brokenf("%s: %v: run membench eval explain again", path, err)
	}
	for i := range all {
		all[i].System = names.Of(qa, all[i].Dataset, all[i].System)
	}
	return all, nil
}

// attributed compares the attributions of records with those that eval explain left in their folder.
type attributed struct {
	made  map[string][]explain.Count // by folder
	have  map[ofSystem]explain.Sum
	first map[ofSystem]schema.Pos // record with an attribution
	bad   map[string]bool         // folders with records that were rejected: nothing more is to be said
}

type ofSystem struct{ dir, system, dataset string }

func newAttributed(qa []string, names records.Names) (*attributed, error) {
	a := &attributed{made: map[string][]explain.Count{}, have: map[ofSystem]explain.Sum{}, first: map[ofSystem]schema.Pos{}, bad: map[string]bool{}}
	for _, path := range qa {
		all, err := explainedOf(path, names)
		if err != nil {
			return nil, err
		}
		a.made[filepath.Dir(path)] = all
	}
	return a, nil
}

// kept reads those of several files of records.
func kept(qa []string, names records.Names) (out []explain.Count, err error) {
	for _, path := range qa {
		all, err := explainedOf(path, names)
		if err != nil {
			return nil, err
		}
		out = append(out, all...)
	}
	return out, nil
}

func (a *attributed) over(in schema.Seq[schema.QARecord]) schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		for rec, err := range in {
			dir := filepath.Dir(rec.Pos.File)
			var f *schema.Finding
			switch {
			case !schema.Whole(err):
				if errors.As(err, &f) {
					a.bad[filepath.Dir(f.Pos.File)] = true
				}
			case rec.V.Attribution != nil && filepath.Base(rec.Pos.File) == records.QAFile:
				k := ofSystem{dir, rec.V.System, rec.V.Dataset}
				sum, known := a.have[k]
				if !known {
					a.first[k] = rec.Pos
				}
				sum.Add(&rec.V)
				a.have[k] = sum
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// edited lists findings of the systems whose attributions are others than explain made. Those of records that were explained elsewhere pass.
func (a *attributed) edited() (out []*schema.Finding) {
	for _, dir := range slices.Sorted(maps.Keys(a.made)) {
		if a.bad[dir] {
			continue
		}
		made := map[ofSystem]string{}
		for _, c := range a.made[dir] {
			if c.Attributions != "" { // an earlier build kept none
				made[ofSystem{dir, c.System, c.Dataset}] = c.Attributions
			}
		}
		for k, want := range made {
			if a.have[k].String() != want {
				at := a.first[k]
				at.File = filepath.Join(dir, records.QAFile)
				out = append(out, &schema.Finding{Pos: at, Code: "EVL109", Message: "the attributions of " + k.system + " on " + k.dataset + " are not those that eval explain made",
					Want: "those of " + ExplainedFile, Hint: "explain the run again with membench eval explain"})
			}
		}
	}
	slices.SortFunc(out, func(x, y *schema.Finding) int {
		return cmp.Or(cmp.Compare(x.Pos.File, y.Pos.File), cmp.Compare(x.Pos.Line, y.Pos.Line), cmp.Compare(x.Message, y.Message))
	})
	return out
}

// facts are what explain says of runs, for the report.
func facts(qa []string, names records.Names) (out []report.Fact, err error) {
	all, err := kept(qa, names)
	for _, c := range all {
		for _, f := range c.Facts() {
			out = append(out, report.Fact{System: c.System, Dataset: c.Dataset, Text: f.String()})
		}
	}
	return out, err
}

// explained writes the records and counts them.
func (o ExplainOptions) explained(ctx context.Context, t *tally, qa string) ([]explain.Count, error) {
	o.Survey = &explain.Survey{}
	counts := explain.NewCounts(o.Options)
	out := cmp.Or(o.Out, qa)
	in := schema.Observe(explain.QA(ctx, counted(t, records.QA(ctx, o.Stdin, qa)), o.Options), counts.Add)
	err := writeRecords(t, out, o.Stdout, records.Bare(in, out, qa), o.Strict || o.Out == "", schema.Brokenf("%s: no record was read", qa))
	all := counts.All()
	broke, absent := 0, 0 // failures with a place in the graph, and those whose turn is not in it
	for _, c := range all {
		for _, b := range c.Breaks {
			if broke += b.N; b.Name == schema.BreakTurn {
				absent += b.N
			}
		}
	}
	if absent > 0 && absent == broke {
		o.Log.Printf("the graph has no evidence turn of any of the %d failures: is it the graph of these conversations? Its events need the conv_id of the cases", absent)
	}
	if errors.Is(err, schema.ErrFindings) && !o.Strict && o.Out == "" {
		o.Log.Printf("%s is unchanged: its unreadable lines would be lost; use -o to write the other records elsewhere", qa)
	}
	if err == nil {
		err = keepExplained(out, all)
	}
	return all, err
}
