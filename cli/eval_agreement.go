package cli

import (
	"cmp"
	"context"

	"membench/eval/label"
	"membench/eval/records"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalAgreementOptions struct {
	run       string
	labels    []string
	threshold float64
}

func newEvalAgreementCmd(e *env) *cobra.Command {
	var o evalAgreementOptions
	c := verb("agreement RUN [LABELS...]", "Measure the agreement of people, explain and judges",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.run, o.labels = args[0], args[1:]
			if o.threshold <= 0 || o.threshold > 1 {
				return usagef("--threshold: have %v, want above 0 to 1", o.threshold)
			}
			return runEvalAgreement(c.Context(), e, o)
		})
	f := c.Flags()
	addAccept(f, &e.accept)
	f.Float64Var(&o.threshold, "threshold", 0.5, "count a judge's `score` of at least this as right, above 0 to 1")
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

func runEvalAgreement(ctx context.Context, e *env, o evalAgreementOptions) error {
	qa, _, err := records.Find(o.run)
	if err != nil {
		return err
	}
	if len(o.labels) == 0 {
		o.labels = []string{labelsOf(o.run)}
	}
	t := newTally(e, 20)
	labels, err := label.ReadFiles(o.labels, t.found)
	if err != nil {
		return err
	}
	count := label.NewCount(label.NewPeople(labels), o.threshold)
	explained := false
	for r, err := range drop(t, records.QA(ctx, e.in, qa)) {
		if err != nil {
			return err
		}
		explained = explained || r.V.Attribution != nil
		count.Add(&r.V)
	}
	t.summary()
	a := count.Agreement()
	if t.taken == 0 {
		return schema.Brokenf("%s: no record was read", qa)
	}
	t.taken += len(labels)
	if len(a.People) == 0 {
		return schema.Brokenf("no labels in %v: membench eval label makes them", o.labels)
	}
	if !explained {
		e.warnf("the run has no explanations (membench eval explain): labels are not compared with them")
	}
	return cmp.Or(e.show(a, a.WriteText), t.lost())
}
