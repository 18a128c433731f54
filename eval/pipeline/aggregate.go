package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"membench/eval/aggregate"
	"membench/eval/protocol"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// SummaryFile holds the figures of a run, a line for each system and data set.
const SummaryFile = "summary.jsonl"

// AggregateOptions select the records and settings of figures.
type AggregateOptions struct {
	aggregate.Options
	Inputs []string // as records.Find takes them
	Strict bool     // fail where the data has errors (schema.ErrFindings)
	Graded bool     // this build made the records' grades: they are not made a second time
	Stdin  io.Reader
	Log    Log
	names  records.Names
}

// Aggregate makes figures of graded records. It fails where no record was read.
func Aggregate(ctx context.Context, o AggregateOptions) ([]schema.Summary, error) {
	var err error
	if o.names, err = records.Apart(o.Inputs); err != nil {
		return nil, err
	}
	return summaries(ctx, o, repeats(o.Graded))
}

// repeats makes grades a second time; nil makes none.
func repeats(graded bool) *protocol.Repeats {
	if graded {
		return nil
	}
	return new(protocol.Repeats)
}

func summaries(ctx context.Context, o AggregateOptions, again *protocol.Repeats) ([]schema.Summary, error) {
	t := &tally{log: o.Log}
	a := aggregate.New(o.Options)
	qa, sessions, err := records.FindAll(o.Inputs)
	if err != nil {
		return nil, err
	}
	if err := a.Read(counted(t, again.Over(ctx, o.names.QA(ctx, o.Stdin, qa...))), counted(t, o.names.Sessions(ctx, o.Stdin, sessions...)), t.found); err != nil {
		return nil, err
	}
	for _, m := range again.Missing() {
		a.Miss(m)
	}
	if o.Strict && t.errors > 0 {
		return nil, schema.ErrFindings
	}
	all := a.Summaries()
	if len(all) == 0 && t.errors > 0 {
		return nil, &schema.RejectedError{Step: "eval aggregate", Rejected: t.errors}
	}
	if len(all) == 0 {
		return nil, schema.Brokenf("no record was read: give graded records (membench eval grade)")
	}
	for i := range all {
		all[i].Warnings = append(all[i].Warnings, doubted(qa, all[i].Dataset)...)
	}
	explained, err := kept(qa, o.names)
	for _, c := range explained {
		for i := range all {
			if s := &all[i]; s.System == c.System && s.Dataset == c.Dataset {
				for _, w := range c.Warnings {
					if !slices.Contains(s.Warnings, w) { // both count hits of other conversations
						s.Warnings = append(s.Warnings, w)
					}
				}
			}
		}
	}
	return all, err
}

// WriteSummaries writes SummaryFile and the metrics of the sessions into a folder:
// aggregate_metrics.json, of several systems aggregate_metrics.SYSTEM.json each.
func WriteSummaries(dir string, all []schema.Summary) error {
	for _, s := range all {
		if s.Metrics == nil {
			continue
		}
		name := "aggregate_metrics.json"
		if len(all) > 1 {
			name = "aggregate_metrics." + atomicfile.Name(s.System) + ".json"
		}
		if err := smallfile.WriteJSON(filepath.Join(dir, name), s.Metrics); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(dir, SummaryFile), func(w io.Writer) error {
		_, err := records.Write(w, schema.List(all...))
		return err
	})
}

// Summaries reads the figures of a run's folder.
func Summaries(dir string) (out []schema.Summary, err error) {
	path := filepath.Join(dir, SummaryFile)
	for r, err := range jsonl.Files[schema.Summary]([]string{path}, nil) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no %s: run membench eval aggregate", dir, SummaryFile)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, r.V)
	}
	return out, nil
}
