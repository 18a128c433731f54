package cli

import (
	"bufio"
	"context"
	"io"
	"slices"

	"membench/eval/compare"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalCompareOptions struct {
	accept acceptFlag
	inputs []string

	compare.Options
	gateTexts  []string
	gates      []compare.Gate
	examples   int
	junit      string
	markdown   string
	confidence percentFlag
	uneven     bool
	json       bool
}

func newEvalCompareCmd(e *env) *cobra.Command {
	o := evalCompareOptions{confidence: 95}
	c := &cobra.Command{
		Use:   "compare RUN...",
		Short: "Compare graded runs question by question",
		Long: `Compare graded runs question by question.

A RUN is a folder with qa_records.jsonl, or such a file; a file with several systems
counts as several runs. Each pair is compared over the questions that both were scored on: wins,
losses, and the difference. Where ids differ, questions are paired by their texts, where a
text is one question's only. Questions of one conversation rest on one memory, so verdict,
interval and p come from one t test over conversations, adjusted by Holm over all pairs
(categories apart); beside it the design effect (how much wider this is than with
independent questions) and the smallest difference that the runs would have shown.
Where nothing is shown it prints ~ and no rank. A small number of conversations is
pointed out; with one only, its questions are tested, which does not generalise to others.

Where a rule and a model, or two models, graded by one protocol, -p says which:
"NAME by GRADER".

Runs that differ in data set, questions, golds, reader, k, judge or judge's prompt are
not compared: the message names the fields, and --allow names those that may differ.
It exits 3 when the runs were not scored on the same questions (--uneven accepts that).
Where all were graded against corrected golds, too (eval grade --errata), the comparison
with those follows. --examples shows questions that one of two answered better.

--gate is for continuous integration: the first RUN is the baseline, each system of the
others is compared with the same system there (or the only one with the only one). METRIC
is a protocol, MARGIN percentage points that may be lost (default 0). Each gate has one of
three outcomes, and the command an exit code for each:
  worse         3  the loss is shown to be greater than MARGIN (--alpha, Holm over all gates)
  not worse     0  it is shown to be no greater; or no question was scored differently
  inconclusive  4  neither: more questions or conversations are needed (eval plan)
A question that the baseline was scored on and the new run is not exits with 3, too
(--uneven accepts that). METRIC may be retrieve_ms, answer_ms or tokens (of a question):
MARGIN is then percent of the baseline's mean. --junit and --markdown write the outcomes
for a build server and for a pull request.`,
		Example: `  membench eval compare runs/bm25 runs/mem0 --protocol rule
  membench eval compare a.jsonl b.jsonl -p recorded-judge --allow reader
  membench eval compare main/ this/ --gate rule:2 --gate retrieve_ms:50 --examples 3
  membench eval compare main/ this/ --gate rule:2 --junit gates.xml --markdown "$GITHUB_STEP_SUMMARY"
  membench eval compare runs/* --protocol locomo-f1 --json | jq '.pairs[] | select(.total.shown)'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			o.Confidence = float64(o.confidence) / 100
			if err := o.check(); err != nil {
				return err
			}
			return runEvalCompare(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	addFigureFlags(c, &o.Options.Options, &o.confidence)
	f.StringVarP(&o.Protocol, "protocol", "p", "", "compare the grades of this `protocol` (default: the only one of all runs)")
	f.StringSliceVar(&o.Allow, "allow", nil, "`fields` of the fingerprint that may differ, with commas")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "`level` of the tests")
	f.Float64Var(&o.Power, "power", 0.8, "`power` of the detectable effect")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` skipped, with commas (default: 5 of locomo)")
	f.BoolVar(&o.uneven, "uneven", false, "accept runs that were not scored on the same questions")
	f.StringArrayVar(&o.gateTexts, "gate", nil, "exit 3 when `METRIC[:MARGIN]` got worse than in the first RUN, 4 when that cannot be said; again for more")
	f.IntVar(&o.examples, "examples", 0, "show `n` questions that each of two runs answered better; with --gate n that were lost")
	f.StringVar(&o.junit, "junit", "", "with --gate: write the outcomes to this `file` as JUnit XML")
	f.StringVar(&o.markdown, "markdown", "", "with --gate: write the outcomes to this `file` as Markdown")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
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
	t := o.accept.tally(e)
	files := compare.Files{Options: o.Options, Paths: o.inputs, Examples: o.examples, Stdin: e.in, Found: t.take}
	if len(o.gates) > 0 {
		return runGates(ctx, e, o, t, files)
	}
	rep, err := files.Compare(ctx)
	t.summary()
	switch {
	case err != nil:
		return err
	case o.json:
		err = writeJSON(e.out, rep)
	default:
		w := bufio.NewWriter(e.text())
		rep.WriteText(w)
		err = w.Flush()
	}
	if err == nil && rep.Uneven && !o.uneven {
		e.warnf("the runs were not scored on the same questions: see only_a and only_b; --uneven accepts that")
		err = errFindings
	}
	if err != nil {
		return err
	}
	return t.lost()
}

func runGates(ctx context.Context, e *env, o evalCompareOptions, t *tally, files compare.Files) error {
	v, err := files.Hold(ctx, o.gates, o.uneven)
	t.summary()
	switch {
	case err != nil:
		return err
	case o.json:
		err = writeJSON(e.out, v)
	default:
		w := bufio.NewWriter(e.text())
		compare.WriteGates(w, v.Gates)
		err = w.Flush()
	}
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
