package report

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/schema"
)

// columnsCSV are the columns of the CSV form: one figure per row. Shares are in [0,1], times in milliseconds; a missing number is an empty cell.
var columnsCSV = []string{"dataset", "system", "metric", "by", "group", "of", "n", "unscored", "value", "lo", "hi", "case_lo", "case_hi", "strict"}

// CSV writes every figure of the report as one row. A text cell that a spreadsheet would interpret as a formula begins with an apostrophe.
func (r *Report) CSV(out io.Writer) error {
	c := csv.NewWriter(out)
	rows := [][]string{columnsCSV}
	for i := range r.Datasets {
		d := &r.Datasets[i]
		for j := range d.Systems {
			rows = append(rows, d.csv(&d.Systems[j])...)
		}
	}
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	return c.Error()
}

func (d *Dataset) csv(s *System) (out [][]string) {
	row := func(metric, by, group, of, n, unscored string, values ...*float64) {
		line := []string{safe(d.Name), safe(s.Name()), safe(metric), safe(by), safe(group), safe(of), n, unscored}
		for k := range 6 {
			if k < len(values) && values[k] != nil {
				line = append(line, strconv.FormatFloat(*values[k], 'g', -1, 64))
			} else {
				line = append(line, "")
			}
		}
		out = append(out, line)
	}
	figure := func(metric, by, group, of string, f schema.Figure) {
		row(metric, by, group, of, strconv.Itoa(f.N), strconv.Itoa(f.Unscored), f.Value, f.Lo, f.Hi, f.ClusterLo, f.ClusterHi, f.Strict)
	}
	value := func(metric, by, group, of string, n int, v float64) {
		row(metric, by, group, of, strconv.Itoa(n), "", &v)
	}
	for _, sc := range s.Summary.Scores {
		by := string(sc.By)
		figure(sc.Protocol, by, "overall", "", sc.Overall)
		row(sc.Protocol, by, "macro", "", "", "", sc.Macro)
		for _, c := range sc.Categories {
			figure(sc.Protocol, by, "category", c.Category, c.Figure)
		}
		for _, c := range sc.RawCategories {
			figure(sc.Protocol, by, "label", c.Category, c.Figure)
		}
		if x := sc.Corrected; x != nil {
			figure(sc.Protocol, by, "overall, corrected golds", strings.Join(x.Overlays, " "), x.Overall)
			for _, c := range x.RawCategories {
				figure(sc.Protocol, by, "label, corrected golds", c.Category, c.Figure)
			}
		}
	}
	all := answers(s)
	for _, o := range slices.Sorted(maps.Keys(s.Summary.Outcomes)) {
		value("asked", "", "outcome", o, all, float64(s.Summary.Outcomes[o]))
	}
	for _, u := range s.Summary.Usage {
		value("tokens_in", u.Model, "step", u.Step, u.Calls, float64(u.InputTokens))
		value("tokens_out", u.Model, "step", u.Step, u.Calls, float64(u.OutputTokens))
	}
	if s.Tokens.Questions > 0 {
		by := "usage"
		if s.Tokens.Estimated {
			by = "estimate"
		}
		value("tokens_shown", by, "per question", "", s.Tokens.Questions, s.Tokens.Shown)
	}
	if c := s.Summary.Cost; c != nil {
		for _, x := range c.Steps {
			value("cost", c.Currency, "step", x.Step, all, x.Cost)
		}
	}
	for _, l := range []struct {
		name string
		of   *schema.Spread
	}{{"retrieve_ms", s.Summary.RetrieveMS}, {"answer_ms", s.Summary.AnswerMS}} {
		if l.of != nil {
			n := strconv.Itoa(l.of.N)
			row(l.name, "", "p50", "", n, "", l.of.P50)
			row(l.name, "", "p95", "", n, "", l.of.P95)
			row(l.name, "", "mean", "", n, "", l.of.Mean)
		}
	}
	for _, l := range s.Losses {
		failed := l.Answers - l.Right
		for _, h := range schema.Hops() {
			if l.Hops[h] > 0 {
				value("lost", h, "category", l.Category, failed, float64(l.Hops[h]))
			}
		}
		for _, c := range schema.Causes() {
			if l.Causes[c] > 0 {
				value("cause", c, "category", l.Category, failed, float64(l.Causes[c]))
			}
		}
		if l.Open > 0 {
			value("lost", "unexplained", "category", l.Category, failed, float64(l.Open))
		}
	}
	return out
}

func safe(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
