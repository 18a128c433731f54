package published

import (
	"fmt"
	"io"

	"membench/eval/figure"
)

// WriteText writes an audit for people; Markdown has more of it.
func (a *Audit) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s (%s, %s): %d answers, %d findings\n", a.Run, a.Dataset, a.Format, a.Rows, a.Left)
	if a.Known != "" {
		fmt.Fprintf(w, "  recognised by its answers: the public run %s\n", a.Known)
	}
	for _, r := range append(a.Recorded, a.Sessions...) {
		fmt.Fprintf(w, "  %-34s %8s  Wilson %s  n %d\n", r.Protocol, figure.Percent(r.Overall.Value), figure.Interval(r.Overall.Lo, r.Overall.Hi), r.Overall.N)
	}
	if v := a.Votes; v != nil {
		fmt.Fprintf(w, "  %d votes each: unanimous %s %%, Fleiss κ %s\n", v.Raters, figure.Percent(&v.Unanimous), Number(v.Fleiss, 3))
	}
	for _, r := range a.Regrades {
		fmt.Fprintf(w, "  %-34s %8s  Wilson %s  n %d\n", r.Protocol, figure.Percent(r.Overall.Value), figure.Interval(r.Overall.Lo, r.Overall.Hi), r.Overall.N)
		for _, x := range r.Against {
			if x.Reproduces() {
				fmt.Fprintf(w, "    reproduces %s on all %d rows\n", x.Recorded, x.N)
			} else if x.Kappa != nil {
				fmt.Fprintf(w, "    agrees with %s on %d of %d, κ %s\n", x.Recorded, x.Equal, x.N, Number(x.Kappa.K, 3))
			}
		}
	}
	for _, c := range a.Checks {
		what := c.Protocol
		if c.Category != "" {
			what += ", category " + c.Category
		}
		if c.Label != "" {
			what += ", " + c.Label
		}
		fmt.Fprintf(w, "  claim %s: %s %% of %d; here %s (%s) of %d: %s\n    %s\n", what, figure.Percent(&c.Value), c.N, figure.Percent(c.Ours.Value), figure.Interval(c.Ours.Lo, c.Ours.Hi), c.Ours.N, Verdict(c), c.Source)
	}
}
