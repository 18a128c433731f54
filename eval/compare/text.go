package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/internal/textnorm"
)

func signed(x *float64) string { return number(x, "%+.2f", 100) }

func probability(p *float64) string {
	switch {
	case p == nil:
		return "–"
	case *p < 0.0001:
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", *p)
}

// WriteText writes the comparison for people.
func (r *Report) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s on %s, in percent\n", r.Protocol, r.Dataset)
	for _, x := range r.Runs {
		fmt.Fprintf(w, "  %s %8s  by conversation %s  n %d in %d, unscored %d%s\n", textnorm.Pad(x.Run, 40), figure.Percent(x.Overall.Value), figure.Interval(x.Overall.ClusterLo, x.Overall.ClusterHi), x.Overall.N, x.Overall.Clusters, x.Overall.Unscored, figure.DoubtBeside(x.Overall))
	}
	for _, x := range r.Runs {
		if x.ByText > 0 {
			fmt.Fprintf(w, "  ! %d questions of %s were paired by their texts: their ids differ\n", x.ByText, x.Run)
		}
	}
	for _, d := range r.Differ {
		fmt.Fprintf(w, "  ! %s differs, as allowed: %s\n", d.Field, d)
	}
	for _, f := range r.Unknown {
		fmt.Fprintf(w, "  ! %s is unknown in every run and may differ (set it with membench eval import --reader, --judge)\n", f)
	}
	for _, p := range r.Pairs {
		fmt.Fprintf(w, "\n%s − %s, %s\n", p.A, p.B, p.Test)
		fmt.Fprintf(w, "  %-22s %10s %16s %6s %6s %6s %6s %8s %8s %6s  %s\n", "", "difference", "interval", "n", "wins", "losses", "deff", "p", "p Holm", "MDE", "better")
		line := func(name string, c Cell) {
			fmt.Fprintf(w, "  %s %8s %16s %6d %6d %6d %6s %8s %8s %6s  %s\n", textnorm.Pad(name, 24), signed(c.Difference), signedInterval(c.Lo, c.Hi), c.N, c.Wins, c.Losses, number(c.Design, "%.2f", 1), probability(c.P), probability(c.Adjusted), figure.Percent(c.Detectable), c.Better)
		}
		line("all", p.Total)
		for _, c := range p.Categories {
			line(c.Category, c.Cell)
		}
		if p.OnlyA+p.OnlyB > 0 {
			fmt.Fprintf(w, "  ! scored only in %s: %d, only in %s: %d\n", p.A, p.OnlyA, p.B, p.OnlyB)
		}
		if x := p.Corrected; x != nil {
			fmt.Fprintf(w, "  with corrected golds (%s: %d graded again, %d skipped)\n", strings.Join(x.Overlays, ", "), x.Questions, x.LeftOut)
			line("all", x.Total)
			for _, c := range x.Categories {
				line(c.Category, c.Cell)
			}
		}
		printExamples(w, p.Examples, p.A, p.B)
		switch c := p.Total; {
		case c.Clusters == 1:
			fmt.Fprintln(w, "  ! one conversation: its questions are tested, which does not generalise to other conversations")
		case c.Few && c.N > 0:
			fmt.Fprintf(w, "  ! with only %d conversations, the interval is wide\n", c.Clusters)
		}
	}
}

func signedInterval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%+.1f to %+.1f", 100**lo, 100**hi)
}

// WriteGates writes the result of each gate, in lines that are understandable on their own in a log.
func WriteGates(w io.Writer, list []Gated) {
	for i := range list {
		x := &list[i]
		change, span := x.Change()
		outcome := string(x.Outcome)
		if x.Outcome == Worse || x.Outcome == Lost {
			outcome = strings.ToUpper(outcome)
		}
		fmt.Fprintf(w, "%s: %s of %s on %s\n", outcome, x.Metric, x.Run, x.Dataset)
		if !x.Gone {
			fmt.Fprintf(w, "  %s: %s, interval %s; margin %g; n %d in %d conversations (%d up, %d down); p of a loss beyond the margin %s, Holm %s; %s\n",
				x.Value(), change, span, x.Margin, x.Cell.N, x.Cell.Clusters, x.Cell.Wins, x.Cell.Losses, probability(x.P), probability(x.Adjusted), x.Test)
		}
		for _, n := range x.Notes() {
			fmt.Fprintf(w, "  ! %s\n", n)
		}
		printExamples(w, x.Examples, x.Run, x.Base)
	}
}

// printExamples prints questions that one of a and b answered better, both answers and the grader's verdicts.
func printExamples(w io.Writer, list []Example, a, b string) {
	for _, x := range list {
		fmt.Fprintf(w, "\n  %s was better: %s, %s\n    question  %s\n    gold      %s\n", x.Better, x.CaseID, x.ID, textnorm.OneLine(x.Question, 240), textnorm.OneLine(x.Gold, 240))
		for _, side := range []struct {
			name string
			of   Shown
		}{{a, x.A}, {b, x.B}} {
			more := strings.Join(slices.DeleteFunc([]string{side.of.Label, side.of.Reason, strings.Join(side.of.Facts, "; ")}, func(s string) bool { return s == "" }), ": ")
			if side.of.Hop != "" {
				more += " (lost at " + side.of.Hop + ")"
			}
			fmt.Fprintf(w, "    %s %s  %s\n", side.name, figure.Percent(side.of.Score), textnorm.OneLine(cmp.Or(side.of.Answer, "("+side.of.Outcome+")"), 240))
			if more != "" {
				fmt.Fprintf(w, "      %s\n", textnorm.OneLine(more, 240))
			}
		}
	}
	if len(list) > 0 {
		fmt.Fprintln(w)
	}
}
