package main

import (
	"membench/datasets"
	"membench/datasets/all"
	"membench/schema"
)

// An overlay lays a correction list over answers.
type overlay struct {
	list *datasets.Errata // nil: none was given
	t    *tally
	told int // corrections for another wording
}

// newOverlay reads a list in the form of any data set that has one of its own, or in the
// plain form; "" is no list.
func newOverlay(e *env, t *tally, path string) (*overlay, error) {
	if path == "" {
		return &overlay{t: t}, nil
	}
	var plain datasets.Dataset
	if d, ok := all.Lookup("locomo"); ok {
		plain = d // its reader knows the plain form, too
	}
	list, err := readErrata(e, plain, path)
	return &overlay{list: list, t: t}, err
}

// over fills in the corrections. A correction for another wording is told and left out.
func (o *overlay) over(in schema.Seq[schema.QARecord]) schema.Seq[schema.QARecord] {
	if o.list == nil {
		return in
	}
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		for r, err := range in {
			if err == nil {
				o.list.Record(&r.V, r.Pos, func(f *schema.Finding) { o.told++; o.t.take(f) })
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
