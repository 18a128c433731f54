package experiment

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"membench/eval/figure"
	"membench/internal/codec"
	"membench/memory/pcm"
)

// Forms of written analyses.
const (
	Text = "text"
	JSON = "json"
	CSV  = "csv"
)

// A Named is an analysis with the name of its experiment.
type Named struct {
	Name string `json:"experiment"`
	*Analysis
}

// WriteAnalyses writes one analysis, or several with the differences of each to the first.
func WriteAnalyses(w io.Writer, form string, list []Named) error {
	diffs := make([][]Difference, len(list))
	for i := range list[1:] {
		diffs[i+1] = Compare(list[0].Analysis, list[i+1].Analysis)
	}
	switch form {
	case JSON:
		return writeJSON(w, list, diffs)
	case CSV:
		return writeCSV(w, list, diffs)
	}
	for i, a := range list {
		if err := a.text(w); err != nil {
			return err
		}
		if i > 0 {
			if err := textOfDifferences(w, list[0].Name, a.Name, diffs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeJSON(w io.Writer, list []Named, diffs [][]Difference) error {
	var v any = list[0].Analysis
	if len(list) > 1 {
		v = struct {
			Experiments []Named      `json:"experiments"`
			Differences []Difference `json:"f1_differences"`
		}{list, slices.Concat(diffs...)}
	}
	return codec.WriteFile(w, v)
}

func writeCSV(w io.Writer, list []Named, diffs [][]Difference) error {
	t := csv.NewWriter(w)
	head := []string{"experiment", "system", "dataset", "category", "n", "em", "f1", "contains", "numeric"}
	if len(list) > 1 {
		head = append(head, "f1_difference", "low", "high", "p")
	}
	rows := [][]string{head}
	for i, a := range list {
		for _, r := range a.Rows {
			row := []string{plainCell(a.Name), r.System, plainCell(r.Dataset), r.Category, strconv.Itoa(r.N), decimal(r.EM), decimal(r.F1), decimal(r.Contains), decimal(r.Numeric)}
			if len(list) > 1 {
				at := slices.IndexFunc(diffs[i], func(d Difference) bool {
					return d.System == r.System && d.Dataset == r.Dataset && d.Category == r.Category
				})
				if at < 0 {
					row = append(row, "", "", "", "")
				} else {
					d := diffs[i][at]
					row = append(row, decimal(&d.Mean), decimal(d.Lo), decimal(d.Hi), decimal(d.P))
				}
			}
			rows = append(rows, row)
		}
	}
	if err := t.WriteAll(rows); err != nil {
		return err
	}
	return t.Error()
}

func decimal(x *float64) string { return figure.Decimal(x, 4) }

func (a Named) text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%-10s %-12s %-9s %6s %7s %7s %9s %8s\n", a.Name, "system", "data set", "category", "n", "EM", "F1", "contains", "numeric")
	for _, r := range a.Rows {
		fmt.Fprintf(&b, "%-10s %-12s %-9s %6d %7s %7s %9s %8s\n", r.System, r.Dataset, r.Category, r.N, decimal(r.EM), decimal(r.F1), decimal(r.Contains), decimal(r.Numeric))
	}
	if s := a.Surprise; s != nil && s.Turns > 0 {
		fmt.Fprintf(&b, "\nsurprise of %d turns: high %d (%d forced), medium %d, low %d\neffective at", s.Turns, s.Levels[pcm.High], s.Forced, s.Levels[pcm.Medium], s.Levels[pcm.Low])
		for i, p := range Percents {
			fmt.Fprintf(&b, "  %g %%: %.2f", p, s.Effective[i])
		}
		most := max(1, slices.Max(s.Histogram))
		b.WriteByte('\n')
		for i, n := range s.Histogram {
			fmt.Fprintf(&b, "%5.2f %6d %s\n", float64(i)/4, n, strings.Repeat("#", 50*n/most))
		}
	}
	for _, x := range a.Errors {
		fmt.Fprintf(&b, "\n%s %s %s, F1 %.2f\n  question: %s\n  gold:     %s\n  answer:   %s\n", x.Dataset, x.CaseID, x.Category, x.F1, x.Question, x.Gold, x.Answer)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func textOfDifferences(w io.Writer, first, second string, list []Difference) error {
	var b strings.Builder
	fmt.Fprintf(&b, "F1, %s − %s, paired by question, 95 %% interval over conversations, p by Holm\n%-10s %-12s %-9s %6s %8s  %-18s %s\n", second, first, "system", "data set", "category", "n", "F1", "interval", "p")
	for _, d := range list {
		in := "–"
		if d.Lo != nil && d.Hi != nil {
			in = fmt.Sprintf("[%+.4f, %+.4f]", *d.Lo, *d.Hi)
		}
		fmt.Fprintf(&b, "%-10s %-12s %-9s %6d %+8.4f  %-18s %s\n", d.System, d.Dataset, d.Category, d.N, d.Mean, in, decimal(d.P))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
