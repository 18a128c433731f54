package cli

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/report"
	"membench/schema"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// printScores prints the result of a run, one line per system: the score of the report's main tables, with its exclusions, and the share of evidence that was
// found.
func printScores(e *env, summaries []schema.Summary) error {
	b, err := report.New(report.Options{}, summaries)
	if err != nil {
		return err
	}
	r, err := b.Report()
	if err != nil {
		return err
	}
	for _, d := range r.Datasets {
		w := newTable(e.text())
		w.AppendHeader(table.Row{d.Name, d.Protocol, "95 % interval", "n", "unscored", "evidence found", "n"})
		var right []table.ColumnConfig
		for i := 2; i <= 7; i++ {
			right = append(right, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
		w.SetColumnConfigs(right)
		for i := range d.Systems {
			s := &d.Systems[i]
			row := table.Row{s.Name()}
			row = append(row, figureCells(d.Main(s), true)...)
			found := slices.IndexFunc(s.Summary.Scores, func(x schema.Score) bool { return strings.HasPrefix(x.Protocol, "evidence-recall@") })
			var recall *schema.Score
			if found >= 0 {
				recall = &s.Summary.Scores[found]
			}
			if recall != nil && !s.Says(recall.Protocol) {
				w.AppendRow(append(row, "n/a", "n/a"))
				continue
			}
			w.AppendRow(append(row, figureCells(recall, false)...))
		}
		w.Render()
		for _, x := range d.Warnings() {
			e.warnf("%s: %s", d.Name, x)
		}
	}
	return nil
}

// figureCells are value, interval, n and unscored; with all false value and n. Unscored answers count as wrong, as in a report's first table.
func figureCells(s *schema.Score, all bool) table.Row {
	value, interval, n, unscored := "–", "–", 0, 0
	if s != nil {
		f := &s.Overall
		n, unscored = f.N, f.Unscored
		if v := report.Shown(f); v != nil {
			value = fmt.Sprintf("%.1f", 100**v)
			if lo, hi := report.ShownInterval(f, .95); n > 0 {
				interval = fmt.Sprintf("%.1f–%.1f", 100*lo, 100*hi)
			}
		}
	}
	if all {
		return table.Row{value, interval, n, unscored}
	}
	return table.Row{value, n}
}
