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

// WriteText writes the comparison for people.
func (r *Report) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s on %s, in percent\n", r.Protocol, r.Dataset)
	for _, x := range r.Runs {
		fmt.Fprintf(w, "  %-40s %8s  Wilson %s  n %d, unscored %d\n", x.Run, figure.Percent(x.Overall.Value), figure.Interval(x.Overall.Lo, x.Overall.Hi), x.Overall.N, x.Overall.Unscored)
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
		line := func(name string, c Cell) {
			fmt.Fprintf(w, "  %-24s %8s %16s %6d %6d %6d %8s %8s %6s  %s\n", name, signed(c.Difference), signedInterval(c.Lo, c.Hi), c.N, c.Wins, c.Losses, probability(c.P), probability(c.Adjusted), figure.Percent(c.Detectable), c.Better)
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

// WriteGates writes what each gate found, in lines that a log shows alone.
func WriteGates(w io.Writer, list []Gated) {
	for _, x := range list {
		c, unit := x.Cell, "points"
		measured := slices.Contains(Measures(), x.Metric)
		verdict := "not worse"
		switch {
		case x.Worse:
			verdict = "WORSE"
		case x.Doubtful:
			verdict = "worse over the questions, not over the cases: not gated"
		case c.Shown && c.Better == x.Run && !measured || c.Shown && c.Better == x.Base && measured:
			verdict = "better"
		}
		value, change, span := figure.Percent(c.A)+" from "+figure.Percent(c.B), signed(c.Difference), signedInterval(c.Lo, c.Hi)
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
func betterOf(c Cell, measured bool) int {
	if measured {
		return c.Losses
	}
	return c.Wins
}

func worseOf(c Cell, measured bool) int { return c.Wins + c.Losses - betterOf(c, measured) }

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
