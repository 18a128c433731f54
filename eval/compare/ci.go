package compare

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Words of a gate, for logs, JUnit and Markdown alike.

// Value returns the old and new value of the metric.
func (x *Gated) Value() string {
	if measures[x.Metric] != nil {
		return number(x.Cell.A, "%.4g", 1) + " from " + number(x.Cell.B, "%.4g", 1)
	}
	return number(x.Cell.A, "%.2f", 100) + " from " + number(x.Cell.B, "%.2f", 100)
}

// Change is the difference, in points, or in percent of the baseline's mean, and its
// interval.
func (x *Gated) Change() (change, interval string) {
	scale, unit := 100.0, " points"
	if measures[x.Metric] != nil {
		unit = " %"
		scale = 0
		if x.Cell.B != nil && *x.Cell.B != 0 {
			scale = 100 / *x.Cell.B
		}
	}
	change = number(x.Cell.Difference, "%+.2f", scale) + unit
	if x.Cell.Lo == nil {
		return change, "–"
	}
	return change, number(x.Cell.Lo, "%+.1f", scale) + " to " + number(x.Cell.Hi, "%+.1f", scale)
}

func number(x *float64, format string, scale float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf(format, scale**x)
}

// Notes returns remarks on the outcome.
func (x *Gated) Notes() (out []string) {
	if x.Gone {
		return []string{fmt.Sprintf("the new run has no such system (baseline: %s); --uneven accepts that", x.Base)}
	}
	c := &x.Cell
	if x.Outcome == Inconclusive && c.Detectable != nil {
		if measures[x.Metric] != nil {
			out = append(out, fmt.Sprintf("the data show neither a loss beyond the margin nor its absence; this run can detect a change of %.4g (of a mean of %s)", *c.Detectable, number(c.B, "%.4g", 1)))
		} else {
			out = append(out, fmt.Sprintf("the data show neither a loss beyond the margin nor its absence; this run can detect a change of %.1f points (eval plan says what a smaller one needs)", 100**c.Detectable))
		}
	}
	switch {
	case c.Clusters == 1:
		out = append(out, "one conversation: its questions are tested, which does not generalise to other conversations")
	case c.Few:
		out = append(out, fmt.Sprintf("with only %d conversations, the interval is wide", c.Clusters))
	}
	if x.Lost+x.New > 0 {
		out = append(out, fmt.Sprintf("scored only in the baseline: %d, only in the new run: %d; the figures are of the %d questions scored in both", x.Lost, x.New, c.N))
	}
	for _, d := range x.Differ {
		out = append(out, fmt.Sprintf("%s differs, as allowed: %s", d.Field, d))
	}
	return out
}

// WriteJUnit writes gates as a JUnit report: one test each. Worse, and questions that were
// lost where lostFails, are failures; inconclusive is an error, as nothing was shown.
func WriteJUnit(w io.Writer, list []Gated, lostFails bool) error {
	type problem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type test struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *problem `xml:"failure,omitempty"`
		Error   *problem `xml:"error,omitempty"`
		Out     string   `xml:"system-out"`
	}
	type suite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Cases    []test   `xml:"testcase"`
	}
	s := suite{Name: "membench eval compare", Tests: len(list)}
	for i := range list {
		x := &list[i]
		change, interval := x.Change()
		t := test{Class: x.Dataset + "." + x.Run, Name: fmt.Sprintf("%s, margin %g", x.Metric, x.Margin), Out: strings.Join(append([]string{x.Value() + ", " + change + " (" + interval + ")"}, x.Notes()...), "\n")}
		p := &problem{Message: fmt.Sprintf("%s: %s, %s", x.Outcome, x.Value(), change), Text: t.Out}
		switch {
		case x.Outcome == Worse || lostFails && x.Lost > 0:
			t.Failure = p
			s.Failures++
		case x.Outcome == Inconclusive:
			t.Error = p
			s.Errors++
		}
		s.Cases = append(s.Cases, t)
	}
	b, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	return err
}

// WriteMarkdown writes gates as a summary for a pull request: a table, worst first, and the
// questions that were lost.
func WriteMarkdown(w io.Writer, list []Gated) error {
	var b strings.Builder
	sorted := slices.Clone(list)
	rank := func(o Outcome) int { return slices.Index([]Outcome{Worse, Lost, Inconclusive, NotWorse}, o) }
	slices.SortStableFunc(sorted, func(x, y Gated) int { return rank(x.Outcome) - rank(y.Outcome) })
	b.WriteString("### Memory gates\n\n| outcome | metric | system | data | now, before | change | interval | margin | n | conversations |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range sorted {
		x := &sorted[i]
		change, interval := x.Change()
		outcome := string(x.Outcome)
		if x.Outcome == Worse || x.Outcome == Lost {
			outcome = "**" + outcome + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %g | %d | %d |\n", outcome, cell(x.Metric), cell(x.Run), cell(x.Dataset), x.Value(), change, interval, x.Margin, x.Cell.N, x.Cell.Clusters)
	}
	for i := range sorted {
		x := &sorted[i]
		for _, n := range x.Notes() {
			fmt.Fprintf(&b, "\n- %s of %s: %s", cell(x.Metric), cell(x.Run), cell(n))
		}
	}
	b.WriteString("\n")
	for i := range sorted {
		for _, q := range sorted[i].Examples {
			fmt.Fprintf(&b, "\n<details><summary>%s lost: %s</summary>\n\n- gold: %s\n- %s: %s\n- %s: %s\n\n</details>\n", cell(sorted[i].Metric), cell(q.Question), cell(q.Gold), cell(sorted[i].Run), cell(q.A.Answer), cell(sorted[i].Base), cell(q.B.Answer))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell is text that cannot leave its cell of a Markdown table, nor be read as HTML.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\r", " ", "\n", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`").Replace(s)
}
