package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"membench/eval/compare"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalCompareOptions struct {
	inputs []string

	compare.Options
	gateTexts  []string
	gates      []compare.Gate
	examples   int
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
losses, the difference with an interval (bootstrap, whole conversations drawn), McNemar's
exact test for verdicts or a permutation of signs for other scores, adjusted by Holm
over all pairs (categories apart), and the smallest difference that this many
questions would have shown. Where nothing is shown it prints ~ and no rank.

Where a rule and a model, or two models, graded by one protocol, -p says which:
"NAME by GRADER".

Runs that differ in data set, questions, golds, reader, k, judge or judge's prompt are
not compared: the message names the fields, and --allow names those that may differ.
It exits 3 when the runs were not scored on the same questions (--uneven accepts that).
Where all were graded against corrected golds, too (eval grade --errata), the comparison
with those follows. --examples shows questions that one of two answered better.

--gate is for continuous integration: the first RUN is the baseline, each system of the
others is held against the same system there (or the only one against the only one). It
exits 3 when METRIC, a protocol, got worse by more than MARGIN percentage points (default
0) with support: the paired test shows it at --alpha, adjusted by Holm over all gates,
and the interval over whole conversations lies beyond the margin. A question that the
baseline was scored on and the new run is not fails, too (--uneven accepts that). METRIC
may be retrieve_ms, answer_ms or tokens (of a question): MARGIN is then percent of the
baseline's mean.`,
		Example: `  membench eval compare runs/bm25 runs/mem0 --protocol rule
  membench eval compare a.jsonl b.jsonl -p recorded-judge --allow reader
  membench eval compare main/ this/ --gate rule:2 --gate retrieve_ms:50 --examples 3
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
	addFigureFlags(c, &o.Options.Options, &o.confidence)
	f.StringVarP(&o.Protocol, "protocol", "p", "", "compare the grades of this `protocol` (default: the only one of all runs)")
	f.StringSliceVar(&o.Allow, "allow", nil, "`fields` of the fingerprint that may differ, with commas")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "`level` of the tests")
	f.Float64Var(&o.Power, "power", 0.8, "`power` of the detectable effect")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` skipped, with commas (default: 5 of locomo)")
	f.BoolVar(&o.uneven, "uneven", false, "accept runs that were not scored on the same questions")
	f.StringArrayVar(&o.gateTexts, "gate", nil, "exit 3 when `METRIC[:MARGIN]` got worse than in the first RUN; again for more")
	f.IntVar(&o.examples, "examples", 0, "show `n` questions that each of two runs answered better; with --gate n that were lost")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return c
}

func (o *evalCompareOptions) check() error {
	if o.Alpha <= 0 || o.Alpha >= 1 || o.Power <= 0 || o.Power >= 1 {
		return usagef("--alpha and --power lie between 0 and 1: have %g and %g", o.Alpha, o.Power)
	}
	for _, s := range o.gateTexts {
		g, err := compare.ParseGate(s)
		if err != nil {
			return usageError{err}
		}
		o.gates = append(o.gates, g)
	}
	switch {
	case len(o.gates) > 0 && len(o.inputs) < 2:
		return usagef("--gate wants a baseline and a run to hold against it: give two RUNs")
	case len(o.gates) > 0 && o.Protocol != "":
		return usagef("--gate names the protocol itself: leave out --protocol")
	case o.examples < 0:
		return usagef("--examples is %d, want 0 or more", o.examples)
	case o.examples > 0 && slices.Contains(o.inputs, "-"):
		return usagef("examples need the records a second time, which standard input cannot give: name a file")
	}
	return nil
}

// comparedRun is one RUN of the command line.
type comparedRun struct {
	qa   string
	runs []*compare.Run
}

// readCompared reads each RUN. A system that several RUNs have is named with their paths.
func readCompared(ctx context.Context, e *env, o evalCompareOptions) ([]comparedRun, error) {
	t := newTally(e, 20)
	var out []comparedRun
	type place struct {
		path string
		run  *compare.Run
	}
	same := map[string][]place{} // by data set and system
	for _, path := range o.inputs {
		qa, _, err := runFiles(path)
		if err != nil {
			return nil, err
		}
		if qa == "" {
			return nil, fmt.Errorf("%s: no qa_records.jsonl: only answers are compared", path)
		}
		in := comparedRun{qa: qa}
		err = withRecords(ctx, e, qa, func(q schema.Seq[schema.QARecord]) (err error) {
			in.runs, err = compare.Read(q, t.take, compare.MeasuresOf(o.gates)...)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, r := range in.runs {
			key := r.Dataset + "\x00" + r.System
			same[key] = append(same[key], place{filepath.ToSlash(path), r})
		}
		out = append(out, in)
	}
	for _, places := range same {
		for _, x := range places {
			if len(places) > 1 {
				x.run.Name = x.path + ":" + x.run.System
			}
		}
	}
	t.summary()
	return out, nil
}

func runEvalCompare(ctx context.Context, e *env, o evalCompareOptions) error {
	in, err := readCompared(ctx, e, o)
	if err != nil {
		return err
	}
	if len(o.gates) > 0 {
		return runGates(ctx, e, o, in)
	}
	var runs []*compare.Run
	for _, x := range in {
		runs = append(runs, x.runs...)
	}
	rep, err := compare.Compare(runs, o.Options)
	if err != nil {
		return err
	}
	if o.examples > 0 {
		w, err := compare.Examples(rep, runs, o.Options, o.examples)
		if err != nil {
			return err
		}
		if err := readExamples(ctx, e, in, w); err != nil {
			return err
		}
	}
	if o.json {
		err = writeJSON(e.out, rep)
	} else {
		w := bufio.NewWriter(e.out)
		printComparison(w, rep)
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	if rep.Uneven && !o.uneven {
		e.warnf("the runs were not scored on the same questions: see only_a and only_b; --uneven accepts that")
		return errFindings
	}
	return nil
}

// readExamples reads the runs a second time, for texts.
func readExamples(ctx context.Context, e *env, in []comparedRun, wanted ...*compare.Wanted) error {
	for _, w := range wanted {
		for _, x := range in {
			if err := withRecords(ctx, e, x.qa, func(q schema.Seq[schema.QARecord]) error { return w.Read(q, x.runs) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// gateReport is what --json prints with --gate.
type gateReport struct {
	Alpha float64         `json:"alpha"`
	Gates []compare.Gated `json:"gates"`
	Worse bool            `json:"worse"` // the exit code is 3
}

func runGates(ctx context.Context, e *env, o evalCompareOptions, in []comparedRun) error {
	var runs []*compare.Run
	for _, x := range in[1:] {
		runs = append(runs, x.runs...)
	}
	list, err := compare.Hold(in[0].runs, runs, o.gates, o.Options)
	if err != nil {
		return err
	}
	if o.examples > 0 {
		wanted, err := compare.LostExamples(list, in[0].runs, runs, o.examples)
		if err != nil {
			return err
		}
		if err := readExamples(ctx, e, in, wanted...); err != nil {
			return err
		}
	}
	worse, lost := 0, 0
	for _, x := range list {
		if x.Worse {
			worse++
		}
		if x.Lost > 0 {
			lost++
		}
	}
	failed := worse > 0 || lost > 0 && !o.uneven
	if o.json {
		err = writeJSON(e.out, gateReport{o.Alpha, list, failed})
	} else {
		w := bufio.NewWriter(e.out)
		printGates(w, list)
		err = w.Flush()
	}
	if err != nil {
		return err
	}
	if worse > 0 {
		e.warnf("%d of %d gates got worse", worse, len(list))
	}
	if lost > 0 && !o.uneven {
		e.warnf("in %d of %d gates the baseline was scored on questions that the new run was not; --uneven accepts that", lost, len(list))
	}
	if failed {
		return errFindings
	}
	return nil
}

func signed(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%+.2f", 100**x)
}

func probability(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.0001:
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", *p)
}

func printComparison(w io.Writer, r *compare.Report) {
	fmt.Fprintf(w, "%s on %s, in percent\n", r.Protocol, r.Dataset)
	for _, x := range r.Runs {
		fmt.Fprintf(w, "  %-40s %8s  Wilson %s  n %d, unscored %d\n", x.Run, percent(x.Overall.Value), interval(x.Overall.Lo, x.Overall.Hi), x.Overall.N, x.Overall.Unscored)
	}
	for _, d := range r.Differ {
		fmt.Fprintf(w, "  ! %s differs, as allowed: %v\n", d.Field, d.Values)
	}
	for _, f := range r.Unknown {
		fmt.Fprintf(w, "  ! %s is unknown in every run: nobody can say that it was the same (membench eval import --reader, --judge)\n", f)
	}
	for _, p := range r.Pairs {
		fmt.Fprintf(w, "\n%s (A) − %s (B), %s\n", p.A, p.B, p.Test)
		fmt.Fprintf(w, "  %-24s %8s %16s %6s %6s %6s %8s %8s %6s  %s\n", "", "A − B", "interval", "n", "wins", "losses", "p", "p Holm", "MDE", "better")
		line := func(name string, c compare.Cell) {
			fmt.Fprintf(w, "  %-24s %8s %16s %6d %6d %6d %8s %8s %6s  %s\n", name, signed(c.Difference), signedInterval(c.Lo, c.Hi), c.N, c.Wins, c.Losses, probability(c.P), probability(c.Adjusted), percent(c.Detectable), c.Better)
		}
		line("all", p.Total)
		for _, c := range p.Categories {
			line(c.Category, c.Cell)
		}
		if p.OnlyA+p.OnlyB > 0 {
			fmt.Fprintf(w, "  ! scored only in A: %d, only in B: %d\n", p.OnlyA, p.OnlyB)
		}
		if x := p.Corrected; x != nil {
			fmt.Fprintf(w, "  with corrected golds (%s: %d graded again, %d skipped)\n", strings.Join(x.Overlays, ", "), x.Questions, x.LeftOut)
			line("all", x.Total)
			for _, c := range x.Categories {
				line(c.Category, c.Cell)
			}
		}
		printExamples(w, p.Examples, p.A, p.B)
		if c := p.Total; c.Shown && c.Lo != nil && *c.Lo <= 0 && *c.Hi >= 0 {
			fmt.Fprintf(w, "  ! shown over the questions, not over the %d cases: the interval of whole cases holds 0\n", c.Clusters)
		}
	}
}

func signedInterval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%+.1f to %+.1f", 100**lo, 100**hi)
}
