package cli

import (
	"context"
	"io"
	"slices"

	"membench/eval/compare"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalCompareOptions struct {
	inputs []string

	compare.Options
	gateTexts []string
	gates     []compare.Gate
	examples  int
	junit     string
	markdown  string
	uneven    bool
}

func newEvalCompareCmd(e *env) *cobra.Command {
	var o evalCompareOptions
	c := verb("compare RUN...", "Compare graded runs question by question", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.inputs = args
		if err := o.check(); err != nil {
			return err
		}
		return runEvalCompare(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	addConfidence(c, &o.Options.Options)
	f.StringVarP(&o.Protocol, "protocol", "p", "", "compare the grades of this `protocol` (default: the only one of all runs)")
	f.StringSliceVar(&o.Allow, "allow", nil, "`fields` of the fingerprint that may differ, with commas")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "`level` of the tests")
	f.Float64Var(&o.Power, "power", 0.8, "`power` of the detectable effect")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` skipped, with commas (default: 5 of locomo)")
	f.BoolVar(&o.uneven, "uneven", false, "accept runs that were not scored on the same questions")
	f.StringArrayVar(&o.gateTexts, "gate", nil, "exit 3 if `METRIC[:MARGIN]` got worse than in the first RUN, 4 if inconclusive; may be repeated")
	f.IntVar(&o.examples, "examples", 0, "show `n` questions that each of two runs answered better; with --gate n that were lost")
	f.StringVar(&o.junit, "junit", "", "with --gate: write the outcomes to this `file` as JUnit XML")
	f.StringVar(&o.markdown, "markdown", "", "with --gate: write the outcomes to this `file` as Markdown")
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

func (o *evalCompareOptions) check() error {
	if o.Alpha <= 0 || o.Alpha >= 1 || o.Power <= 0 || o.Power >= 1 {
		return usagef("--alpha and --power must lie between 0 and 1: have %g and %g", o.Alpha, o.Power)
	}
	for _, s := range o.gateTexts {
		g, err := compare.ParseGate(s)
		if err != nil {
			return &schema.UsageError{Err: err}
		}
		o.gates = append(o.gates, g)
	}
	switch {
	case len(o.gates) > 0 && len(o.inputs) < 2:
		return usagef("--gate compares a run with a baseline: give two RUNs")
	case len(o.gates) > 0 && o.Protocol != "":
		return usagef("--gate names the protocol itself: omit --protocol")
	case len(o.gates) == 0 && o.junit+o.markdown != "":
		return usagef("--junit and --markdown report gates: give --gate")
	case o.examples < 0:
		return usagef("--examples is %d, want 0 or more", o.examples)
	case o.examples > 0 && slices.Contains(o.inputs, "-"):
		return usagef("--examples reads the records twice: give a file, not standard input")
	}
	return nil
}

func runEvalCompare(ctx context.Context, e *env, o evalCompareOptions) error {
	t := newTally(e, 20)
	files := compare.Files{Options: o.Options, Paths: o.inputs, Examples: o.examples, Stdin: e.in, Found: t.found, Counted: t.read}
	if len(o.gates) > 0 {
		return runGates(ctx, e, o, t, files)
	}
	rep, err := files.Compare(ctx)
	if t.summary(); err == nil {
		err = e.show(rep, rep.WriteText)
	}
	if err != nil {
		return err
	}
	if rep.Uneven && !o.uneven {
		e.warnf("the runs were not scored on the same questions: see only_a and only_b; --uneven accepts that")
		return errFindings
	}
	return t.lost()
}

func runGates(ctx context.Context, e *env, o evalCompareOptions, t *tally, files compare.Files) error {
	v, err := files.Hold(ctx, o.gates, o.uneven)
	t.summary()
	if err != nil {
		return err
	}
	err = e.show(v, func(w io.Writer) { compare.WriteGates(w, v.Gates) })
	if err == nil && o.junit != "" {
		err = writeOut(e, o.junit, func(w io.Writer) error { return compare.WriteJUnit(w, v.Gates, !o.uneven) })
	}
	if err == nil && o.markdown != "" {
		err = writeOut(e, o.markdown, func(w io.Writer) error { return compare.WriteMarkdown(w, v.Gates) })
	}
	if err != nil {
		return err
	}
	if v.Worse > 0 {
		e.warnf("%d of %d gates got worse", v.Worse, len(v.Gates))
	}
	if v.Inconclusive > 0 {
		e.warnf("%d of %d gates are inconclusive", v.Inconclusive, len(v.Gates))
	}
	if v.Lost > 0 && !o.uneven {
		e.warnf("in %d of %d gates the baseline was scored on questions that the new run was not; --uneven accepts that", v.Lost, len(v.Gates))
	}
	switch {
	case v.Failed:
		return errFindings
	case t.errors > 0:
		return t.lost()
	case v.Inconclusive > 0:
		return errInconclusive
	}
	return nil
}
