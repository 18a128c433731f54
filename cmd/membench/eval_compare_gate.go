package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/eval/compare"
)

// printGates says what each gate found, worse ones first in words that a log shows alone.
func printGates(w io.Writer, list []compare.Gated) {
	for _, x := range list {
		c, unit := x.Cell, "points"
		measured := slices.Contains(compare.Measures(), x.Metric)
		verdict := "not worse"
		switch {
		case x.Worse:
			verdict = "WORSE"
		case x.Doubtful:
			verdict = "worse over the questions, not over the cases: not gated"
		case c.Shown && c.Better == x.Run && !measured || c.Shown && c.Better == x.Base && measured:
			verdict = "better"
		}
		value, change, span := percent(c.A)+" from "+percent(c.B), signed(c.Difference), signedInterval(c.Lo, c.Hi)
		if measured {
			unit = "of the baseline"
			value, change, span = plain(c.A)+" from "+plain(c.B), relative(c.Difference, c.B), relative(c.Lo, c.B)+" to "+relative(c.Hi, c.B)
		}
		fmt.Fprintf(w, "%s: %s of %s on %s\n", verdict, x.Metric, x.Run, x.Dataset)
		fmt.Fprintf(w, "  %s: %s %s, by case %s; margin %g; n %d (%d better, %d worse), p %s, Holm %s, %s\n", value, change, unit, span, x.Margin, c.N, betterOf(c, measured), worseOf(c, measured), probability(c.P), probability(c.Adjusted), x.Test)
		if x.Lost+x.New > 0 {
			fmt.Fprintf(w, "  ! scored only in the baseline: %d, only in the new run: %d\n", x.Lost, x.New)
		}
		if x.FewCases() {
			fmt.Fprintf(w, "  ! %d cases: the interval by case is too narrow below about ten\n", c.Clusters)
		}
		for _, d := range x.Differ {
			fmt.Fprintf(w, "  ! %s differs, as allowed: %v\n", d.Field, d.Values)
		}
		printExamples(w, x.Examples, x.Run, x.Base)
	}
}

// betterOf counts the questions at which the new run is better.
func betterOf(c compare.Cell, measured bool) int {
	if measured {
		return c.Losses
	}
	return c.Wins
}

func worseOf(c compare.Cell, measured bool) int { return c.Wins + c.Losses - betterOf(c, measured) }

func plain(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", *x)
}

// relative is a difference in percent of a baseline.
func relative(x, of *float64) string {
	if x == nil || of == nil || *of == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.1f %%", 100**x / *of)
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
