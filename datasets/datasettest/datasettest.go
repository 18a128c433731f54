// Package datasettest is what the tests of the readers of data sets share.
package datasettest

import (
	"context"
	"errors"
	"testing"

	"membench/datasets"
	"membench/schema"
	"membench/schema/jsonl"
)

// Read returns what a reader, a Dataset's Cases, makes of files: the cases, and the
// findings in the order told, whether yielded for a case or given to o.Report, which
// it replaces. Any other error ends the test.
func Read(t testing.TB, cases func(context.Context, []jsonl.File, datasets.Options) schema.Seq[schema.Case], o datasets.Options, files ...jsonl.File) (out []schema.Case, found []*schema.Finding) {
	t.Helper()
	o.Report = func(f *schema.Finding) { found = append(found, f) }
	for r, err := range cases(context.Background(), files, o) {
		if f, ok := errors.AsType[*schema.Finding](err); ok {
			found = append(found, f)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out, found
}

// Counts is what cases hold.
type Counts struct {
	Cases, Sessions, Turns, Points, Questions int
	Evidence                                  int // turns named as evidence
	Unresolved                                int // evidence ids that name nothing
}

// Count counts cases.
func Count(cases []schema.Case) (n Counts) {
	n.Cases = len(cases)
	for _, c := range cases {
		n.Sessions += len(c.Sessions)
		for _, s := range c.Sessions {
			n.Turns += len(s.Turns)
			n.Points += len(s.Points)
		}
		n.Questions += len(c.Questions)
		for _, q := range c.Questions {
			n.Evidence += len(q.Evidence)
			n.Unresolved += len(q.Unresolved)
		}
	}
	return n
}

// Fuzz reads files of any content: a reader never panics, its evidence lies inside the
// case, and each of its findings has a code and, unless it is about a whole file, a line.
func Fuzz(t testing.TB, cases func(context.Context, []jsonl.File, datasets.Options) schema.Seq[schema.Case], files ...jsonl.File) {
	t.Helper()
	out, found := Read(t, cases, datasets.Options{Workers: 1}, files...)
	for _, c := range out {
		var k datasets.Checker
		k.Check(schema.Pos{}, c, func(x *schema.Finding) {
			if x.Code == "DST005" && !x.Warning {
				t.Errorf("evidence outside the case: %v", x)
			}
		})
	}
	for _, x := range found {
		if x.Code == "" || x.Pos.File == "" {
			t.Errorf("finding without a place: %+v", x)
		}
	}
}
