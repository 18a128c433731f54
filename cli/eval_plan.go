package cli

import (
	"context"
	"errors"

	"membench/eval/compare"

	"github.com/spf13/cobra"
)

type evalPlanOptions struct {
	inputs     []string
	protocol   string
	difference float64 // percentage points
	discordant float64 // percent
	spread     float64 // percentage points
	questions  []int
	alpha      float64
	power      float64
}

func newEvalPlanCmd(e *env) *cobra.Command {
	o := evalPlanOptions{}
	c := verb("plan [RUN RUN]", "Compute how many questions and conversations a difference needs",
		cobra.MaximumNArgs(2), func(c *cobra.Command, args []string) error {
			o.inputs = args
			switch {
			case o.difference <= 0 || o.difference > 100:
				return usagef("--difference is %g percentage points: want more than 0, at most 100", o.difference)
			case o.alpha <= 0 || o.alpha >= 1 || o.power <= o.alpha || o.power >= 1:
				return usagef("--alpha and --power must lie between 0 and 1, the power above alpha: have %g and %g", o.alpha, o.power)
			case len(args) == 1:
				return usagef("give two graded RUNs, or none and --discordant")
			case len(args) == 0 && !(o.discordant > 0 && o.discordant <= 100 && o.spread >= 0):
				return usagef("give two graded RUNs to see how answers vary, or --discordant above 0 and at most 100 percent, and --spread of at least 0: have %g and %g", o.discordant, o.spread)
			case len(args) == 0 && o.difference > o.discordant:
				return usagef("a difference of %g points needs at least %g percent of the questions to differ: --discordant is %g", o.difference, o.difference, o.discordant)
			}
			for _, n := range o.questions {
				if n < 1 {
					return usagef("--questions: have %d, want 1 or more", n)
				}
			}
			return runEvalPlan(c.Context(), e, o)
		})
	f := c.Flags()
	addAccept(f, &e.accept)
	f.StringVarP(&o.protocol, "protocol", "p", "", "the `protocol` that will be compared (default: the only one of both runs)")
	f.Float64Var(&o.difference, "difference", 0, "the difference to be found, in percentage `points`")
	f.Float64Var(&o.discordant, "discordant", 0, "`percent` of questions on which two runs differ, where no runs are given")
	f.Float64Var(&o.spread, "spread", 0, "standard deviation of the true difference between conversations, in `points`")
	f.IntSliceVar(&o.questions, "questions", nil, "questions of a conversation, `n,n,…` (default: as in the runs, otherwise 10,20,50,100,200)")
	f.Float64Var(&o.alpha, "alpha", 0.05, "`level` of the test")
	f.Float64Var(&o.power, "power", 0.8, "`power` of the test")
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

func runEvalPlan(ctx context.Context, e *env, o evalPlanOptions) error {
	v, sizes := compare.Verdicts(o.discordant/100, o.spread/100), o.questions
	t := newTally(e, 20)
	if len(o.inputs) > 0 {
		var per float64
		var err error
		v, per, err = compare.Files{Options: compare.Options{Protocol: o.protocol}, Paths: o.inputs, Stdin: e.in, Found: t.found, Counted: t.read}.Variation(ctx)
		t.summary()
		if err != nil {
			return err
		}
		if sizes == nil {
			n := max(1, int(per+.5))
			sizes = []int{max(1, n/4), max(1, n/2), n, 2 * n}
		}
	}
	if sizes == nil {
		sizes = []int{10, 20, 50, 100, 200}
	}
	r := v.Plans(compare.Target{Difference: o.difference / 100, Alpha: o.alpha, Power: o.power}, sizes...)
	return errors.Join(e.show(r, r.WriteText), t.lost())
}
