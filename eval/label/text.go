package label

import (
	"cmp"
	"fmt"
	"io"

	"membench/eval/figure"
)

// WriteText writes what people read.
func (a Agreement) WriteText(w io.Writer) {
	for _, p := range a.People {
		fmt.Fprintf(w, "%s: %d labels", p.Name, p.Labels)
		for _, x := range []struct {
			n    int
			what string
		}{{p.Blank, "left blank"}, {p.Stale, "on answers that have changed"}, {p.Unknown, "on answers that the run does not have"}} {
			if x.n > 0 {
				fmt.Fprintf(w, ", %d %s", x.n, x.what)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d answers labelled", a.Answers)
	for _, of := range Fields() {
		if n := a.Disputed[of]; n > 0 {
			fmt.Fprintf(w, ", %s disputed %d", of, n)
		}
	}
	fmt.Fprint(w, "\n\n")
	for _, c := range a.Comparisons {
		fmt.Fprintf(w, "%-8s %s and %s: same %s %% (%s) of %d, κ %s (%s)\n", c.Of, c.First, c.Second,
			figure.Percent(c.Share), figure.Interval(c.ShareLow, c.ShareHigh), c.N, decimal(c.Kappa.Kappa), decimals(c.KappaLow, c.KappaHigh))
		for i, d := range c.Apart {
			if i == 5 {
				fmt.Fprintf(w, "           … and %d more pairs: --json has them\n", len(c.Apart)-i)
				break
			}
			fmt.Fprintf(w, "           %d × %s says %s, %s says %s\n", d.N, c.First, cmp.Or(d.First, "none"), c.Second, cmp.Or(d.Second, "none"))
		}
	}
}

func decimal(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *x)
}

func decimals(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f–%.2f", *lo, *hi)
}
