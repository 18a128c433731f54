package published

import (
	"fmt"
	"io"
	"strings"

	"membench/eval/figure"
	"membench/schema"
)

func span(f schema.Figure) string {
	if f.Lo == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f–%.1f", 100**f.Lo, 100**f.Hi)
}

// Verdict describes the result of a check in words.
func Verdict(c Check) string {
	var b strings.Builder
	b.WriteString(c.Verdict)
	if c.By != "" {
		b.WriteString(" by " + c.By)
	}
	if c.Verdict != Reproduced && c.Difference != nil {
		fmt.Fprintf(&b, ", ours − claim %+.2f points", 100**c.Difference)
		if c.Inside {
			b.WriteString(", claim inside our interval")
		} else {
			b.WriteString(", claim outside our interval")
		}
	}
	if c.Verdict == Reproduced || len(c.Denominators) == 0 {
		return b.String()
	}
	var can, cannot []string
	for _, d := range c.Denominators {
		if d.Possible {
			can = append(can, fmt.Sprintf("%d/%d", d.K, d.N))
		} else {
			cannot = append(cannot, fmt.Sprint(d.N))
		}
	}
	if len(can) > 0 {
		b.WriteString("; could be " + strings.Join(can, " or "))
	}
	if len(cannot) > 0 {
		b.WriteString("; no count of " + strings.Join(cannot, " or of "))
		b.WriteString(" gives it")
	}
	return b.String()
}

// part is the part of the answers that a claim is of.
func (c Claim) part() (part string) {
	if c.Category != "" {
		part = ", category " + c.Category
	}
	if c.Label != "" {
		part += ", " + c.Label
	}
	return part
}

// Markdown writes an audit as a section of docs/audit.md: figures only.
func Markdown(w io.Writer, a *Audit) {
	fmt.Fprintf(w, "## %s\n\nData set %s, form `%s`: %d answers, %d findings.\n\n", a.Run, a.Dataset, a.Format, a.Rows, a.Left)
	if a.Known != "" {
		fmt.Fprintf(w, "Recognised by its answers: the public run %s.\n\n", a.Known)
	}
	fmt.Fprintf(w, "| figure, percent | value | Wilson 95 %% | n | unscored | beside the recorded |\n|---|---|---|---|---|---|\n")
	for _, r := range append(append([]Recorded{}, a.Recorded...), a.Sessions...) {
		fmt.Fprintf(w, "| `%s` | %s | %s | %d | %d | recorded |\n", r.Protocol, figure.Percent(r.Overall.Value), span(r.Overall), r.Overall.N, r.Overall.Unscored)
	}
	for _, r := range a.Regrades {
		if r.Overall.N == 0 {
			continue
		}
		var notes []string
		if d := figure.Doubt(r.Overall); d != "" {
			notes = append(notes, "doubtful "+d)
		}
		for _, x := range r.Against {
			switch {
			case x.Reproduces():
				notes = append(notes, fmt.Sprintf("**reproduces `%s` on all %d rows**", x.Recorded, x.N))
			case x.Kappa != nil:
				notes = append(notes, fmt.Sprintf("`%s`: agrees on %d of %d, κ %s", x.Recorded, x.Equal, x.N, figure.Decimal(x.Kappa.K, 3)))
			}
		}
		fmt.Fprintf(w, "| `%s` | %s | %s | %d | %d | %s |\n", r.Protocol, figure.Percent(r.Overall.Value), span(r.Overall), r.Overall.N, r.Overall.Unscored, strings.Join(notes, "; "))
	}
	if v := a.Votes; v != nil {
		fmt.Fprintf(w, "\nVotes: %d each, unanimous on %.2f %% of %d answers, Fleiss κ %s, free-marginal κ %s.\n", v.Raters, 100*v.Unanimous, v.N, figure.Decimal(v.Fleiss, 3), figure.Decimal(v.Randolph, 3))
	}
	for _, r := range a.Recorded {
		if len(r.Categories) > 1 && schema.ProtocolName(r.Protocol) == RecordedJudge {
			var cells []string
			for _, c := range r.Categories {
				cells = append(cells, fmt.Sprintf("%s: %s (%s, n %d)", c.Category, figure.Percent(c.Figure.Value), span(c.Figure), c.Figure.N))
			}
			fmt.Fprintf(w, "\n`%s` by category: %s.\n", r.Protocol, strings.Join(cells, " · "))
		}
	}
	if len(a.Checks) > 0 {
		fmt.Fprintf(w, "\n| published | figure | claim %% (n) | here %% (n) | finding |\n|---|---|---|---|---|\n")
	}
	for _, c := range a.Checks {
		here := "–"
		if c.Ours.Value != nil {
			here = fmt.Sprintf("%s, %s (%d)", figure.Percent(c.Ours.Value), span(c.Ours), c.Ours.N)
		}
		fmt.Fprintf(w, "| %s | %s | %.*f (%d) | %s | %s |\n", c.Source, "`"+c.Protocol+"`"+c.part(), max(c.Decimals-2, 0), 100*c.Value, c.N, here, Verdict(c))
	}
	fmt.Fprintln(w)
}

// WriteText writes an audit for people; Markdown has more of it.
func (a *Audit) WriteText(w io.Writer) {
	fmt.Fprintf(w, "%s (%s, %s): %d answers, %d findings\n", a.Run, a.Dataset, a.Format, a.Rows, a.Left)
	if a.Known != "" {
		fmt.Fprintf(w, "  recognised by its answers: the public run %s\n", a.Known)
	}
	for _, r := range append(a.Recorded, a.Sessions...) {
		fmt.Fprintf(w, "  %-34s %8s  Wilson %s  n %d", r.Protocol, figure.Percent(r.Overall.Value), figure.Interval(r.Overall.Lo, r.Overall.Hi), r.Overall.N)
		if r.Overall.Unscored > 0 {
			fmt.Fprintf(w, ", %d not read", r.Overall.Unscored)
		}
		fmt.Fprintln(w)
	}
	if v := a.Votes; v != nil {
		fmt.Fprintf(w, "  %d votes each: unanimous %s %%, Fleiss κ %s\n", v.Raters, figure.Percent(&v.Unanimous), figure.Decimal(v.Fleiss, 3))
	}
	for _, r := range a.Regrades {
		fmt.Fprintf(w, "  %-34s %8s  Wilson %s  n %d%s\n", r.Protocol, figure.Percent(r.Overall.Value), figure.Interval(r.Overall.Lo, r.Overall.Hi), r.Overall.N, figure.DoubtBeside(r.Overall))
		for _, x := range r.Against {
			if x.Reproduces() {
				fmt.Fprintf(w, "    reproduces %s on all %d rows\n", x.Recorded, x.N)
			} else if x.Kappa != nil {
				fmt.Fprintf(w, "    agrees with %s on %d of %d, κ %s\n", x.Recorded, x.Equal, x.N, figure.Decimal(x.Kappa.K, 3))
			}
		}
	}
	for _, c := range a.Checks {
		fmt.Fprintf(w, "  claim %s: %s %% of %d; here %s (%s) of %d: %s\n    %s\n", c.Protocol+c.part(), figure.Percent(&c.Value), c.N, figure.Percent(c.Ours.Value), figure.Interval(c.Ours.Lo, c.Ours.Hi), c.Ours.N, Verdict(c), c.Source)
	}
}
