package cli

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/eval/report"
	"membench/schema"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// printScores prints the result of a run, one line per system: the score of the report's main tables, and the share of evidence that was found, where it is known.
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
		head := table.Row{d.Name, d.Protocol, "95 % interval", "n", "unscored"}
		evidence := slices.ContainsFunc(d.Systems, func(s report.System) bool { return s.EvidenceFound() != nil })
		if evidence {
			head = append(head, "evidence found", "n")
		}
		doubtful := slices.ContainsFunc(d.Systems, func(s report.System) bool { m := d.Main(&s); return m != nil && m.Overall.Doubtful > 0 })
		if doubtful {
			head = append(head, "doubtful")
		}
		w := newTable(e.text())
		w.AppendHeader(head)
		var right []table.ColumnConfig
		for i := range head[1:] {
			right = append(right, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
		w.SetColumnConfigs(right)
		for i := range d.Systems {
			s := &d.Systems[i]
			row := append(table.Row{s.Name()}, figureCells(d.Main(s))...)
			if found := s.EvidenceFound(); found != nil {
				f := figureCells(found)
				row = append(row, f[0], f[2])
			} else if evidence {
				row = append(row, "n/a", "n/a")
			}
			if m := d.Main(s); doubtful && m != nil {
				row = append(row, figure.Doubt(m.Overall))
			}
			w.AppendRow(row)
		}
		w.Render()
		if apart := d.Apart(); len(apart) > 0 {
			e.warnf("%s: label %s is reported separately: this mean is without it, the means by grader are with it", d.Name, strings.Join(apart, ", "))
		}
		for _, x := range d.Warnings() {
			e.say(levelWarning, "warning: %s: %s", d.Name, x)
		}
	}
	return nil
}

// figureCells are value, interval, n and unscored. Unscored answers count as wrong, as in a report's first table.
func figureCells(s *schema.Score) table.Row {
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
	return table.Row{value, interval, n, unscored}
}
