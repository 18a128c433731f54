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
		var f *schema.Finding
		if errors.As(err, &f) {
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
