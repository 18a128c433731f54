package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"membench/eval/compare"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalCompareOptions struct {
	inputs []string

	compare.Options
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
It exits 3 when the runs were not scored on the same questions (--uneven accepts that).`,
		Example: `  membench eval compare runs/bm25 runs/mem0 --protocol rule
  membench eval compare a.jsonl b.jsonl -p recorded-judge --allow reader
  membench eval compare runs/* --protocol locomo-f1 --json | jq '.pairs[] | select(.total.shown)'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			o.Confidence = float64(o.confidence) / 100
			return runEvalCompare(c.Context(), e, o)
		},
	}
	f := c.Flags()
	addFigureFlags(c, &o.Options.Options, &o.confidence)
	f.StringVarP(&o.Protocol, "protocol", "p", "", "compare the grades of this `protocol` (default: the only one of all runs)")
	f.StringSliceVar(&o.Allow, "allow", nil, "`fields` of the fingerprint that may differ, with commas")
	f.Float64Var(&o.Alpha, "alpha", 0.05, "`level` of the tests")
	f.Float64Var(&o.Power, "power", 0.8, "`power` of the detectable effect")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` left out, with commas (default: 5 of locomo)")
	f.BoolVar(&o.uneven, "uneven", false, "accept runs that were not scored on the same questions")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return c
}

func runEvalCompare(ctx context.Context, e *env, o evalCompareOptions) error {
	if o.Alpha <= 0 || o.Alpha >= 1 || o.Power <= 0 || o.Power >= 1 {
		return usagef("--alpha and --power lie between 0 and 1: have %g and %g", o.Alpha, o.Power)
	}
	t := newTally(e, 20)
	var runs []*compare.Run
	for _, path := range o.inputs {
		qa, _, err := runFiles(path)
		if err != nil {
			return err
		}
		if qa == "" {
			return fmt.Errorf("%s: no qa_records.jsonl: only answers are compared", path)
		}
		err = withRecords(ctx, e, qa, func(in schema.Seq[schema.QARecord]) error {
			list, err := compare.Read(in, t.take)
			for _, r := range list {
				if slices.ContainsFunc(runs, func(x *compare.Run) bool { return x.Name == r.Name && x.Dataset == r.Dataset }) {
					r.Name = filepath.ToSlash(path) + ":" + r.Name
				}
				runs = append(runs, r)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	t.summary()
	rep, err := compare.Compare(runs, o.Options)
	if err != nil {
		return err
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
