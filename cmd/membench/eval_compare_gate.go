package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/eval/compare"
)

// printGates says what each gate found.
func printGates(w io.Writer, list []compare.Gated) {
	for i := range list {
		x := &list[i]
		change, span := x.Change()
		outcome := string(x.Outcome)
		if x.Outcome == compare.Worse {
			outcome = "WORSE"
		}
		fmt.Fprintf(w, "%s: %s of %s on %s\n", outcome, x.Metric, x.Run, x.Dataset)
		fmt.Fprintf(w, "  %s: %s, interval %s; margin %g; n %d in %d conversations (%d up, %d down); p of a loss beyond the margin %s, Holm %s; %s\n",
			x.Value(), change, span, x.Margin, x.Cell.N, x.Cell.Clusters, x.Cell.Wins, x.Cell.Losses, probability(x.P), probability(x.Adjusted), x.Test)
		for _, n := range x.Notes() {
			fmt.Fprintf(w, "  ! %s\n", n)
		}
		printExamples(w, x.Examples, x.Run, x.Base)
	}
}

func plain(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.3g", *x)
}

// printExamples shows questions that one of a and b answered better, both answers and
// what the grader said of them.
func printExamples(w io.Writer, list []compare.Example, a, b string) {
	for _, x := range list {
		fmt.Fprintf(w, "\n  %s was better: %s, %s\n    question  %s\n    gold      %s\n", x.Better, x.CaseID, x.ID, oneLine(x.Question, 240), oneLine(x.Gold, 240))
		for _, side := range []struct {
			name string
			of   compare.Shown
		}{{a, x.A}, {b, x.B}} {
			more := strings.Join(slices.DeleteFunc([]string{side.of.Label, side.of.Reason, strings.Join(side.of.Facts, "; ")}, func(s string) bool { return s == "" }), ": ")
			if side.of.Hop != "" {
				more += " (lost at " + side.of.Hop + ")"
			}
			fmt.Fprintf(w, "    %s %s  %s\n", side.name, percent(side.of.Score), oneLine(cmp.Or(side.of.Answer, "("+side.of.Outcome+")"), 240))
			if more != "" {
				fmt.Fprintf(w, "      %s\n", oneLine(more, 240))
			}
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(w)
	}
}
