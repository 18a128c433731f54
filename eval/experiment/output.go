package experiment

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"membench/eval/figure"
	"membench/internal/codec"
)

// A table is written as Markdown, CSV and LaTeX.
type table struct {
	name, title string
	head        []string
	rows        [][]string
	note        string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// A Decision is a decision point of the design, with the result.
type Decision struct {
	Name    string   `json:"name"`
	Dataset string   `json:"dataset"`
	Rule    string   `json:"rule"` // the seed's criterion
	Value   *float64 `json:"value"`
	Lo      *float64 `json:"lo"`
	Hi      *float64 `json:"hi"`
	N       int      `json:"n"`
	Verdict string   `json:"verdict"`
}

// Verdicts of a decision: the interval lies on one side of the criterion, or holds it.
const (
	Met      = "met"
	NotMet   = "not met"
	NotShown = "not shown"
	Unknown  = "not measured"
)

// atLeast judges an estimate against a criterion.
func atLeast(name, dataset, rule string, e estimate, least float64) Decision {
	d := Decision{Name: name, Dataset: dataset, Rule: rule, Value: figure.Defined(e.mean), Lo: figure.Defined(e.lo), Hi: figure.Defined(e.hi), N: e.n, Verdict: NotShown}
	switch {
	case math.IsNaN(e.mean) || e.n == 0:
		d.Verdict = Unknown
	case math.IsNaN(e.lo): // one conversation: nothing is known of others
	case e.lo >= least:
		d.Verdict = Met
	case e.hi < least:
		d.Verdict = NotMet
	}
	return d
}

// output is the folder of one analysis. After an error it does nothing; finish returns it.
type output struct {
	dir       string
	text      strings.Builder
	decisions []Decision
	err       error
}

// fails reports whether err is one, and keeps the first.
func (o *output) fails(err error) bool {
	o.err = cmp.Or(o.err, err)
	return err != nil
}

func (o *output) write(name, data string) {
	if o.err == nil {
		o.err = os.WriteFile(filepath.Join(o.dir, name), []byte(data), 0o666)
	}
}

// heading begins a part of the report.
func (o *output) heading(format string, args ...any) { fmt.Fprintf(&o.text, format+"\n\n", args...) }

// table writes a table in its three forms, and into the report.
func (o *output) table(t *table) {
	var md strings.Builder
	fmt.Fprintf(&md, "**%s**\n\n| %s |\n|%s\n", t.title, strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
	for _, r := range t.rows {
		fmt.Fprintf(&md, "| %s |\n", strings.Join(escaped(r, func(c string) string { return strings.ReplaceAll(c, "|", "\\|") }), " | "))
	}
	if t.note != "" {
		fmt.Fprintf(&md, "\n%s\n", t.note)
	}
	o.text.WriteString(md.String() + "\n")
	o.data(t)
	var tex strings.Builder
	fmt.Fprintf(&tex, "%% %s\n\\begin{tabular}{l%s}\n\\hline\n", latexEscapes.Replace(t.title), strings.Repeat("r", len(t.head)-1))
	for i, r := range append([][]string{t.head}, t.rows...) {
		tex.WriteString(strings.Join(escaped(r, latexEscapes.Replace), " & ") + " \\\\\n")
		if i == 0 {
			tex.WriteString("\\hline\n")
		}
	}
	tex.WriteString("\\hline\n\\end{tabular}\n")
	o.write(t.name+".tex", tex.String())
	o.write(t.name+".md", md.String())
}

// escaped are cells in another notation.
func escaped(cells []string, of func(string) string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = of(c)
	}
	return out
}

// data writes a table only as CSV: the data of a figure.
func (o *output) data(t *table) {
	var c strings.Builder
	w := csv.NewWriter(&c)
	for _, r := range append([][]string{t.head}, t.rows...) {
		o.fails(w.Write(escaped(r, plainCell)))
	}
	w.Flush()
	o.write(t.name+".csv", c.String())
}

// plainCell keeps a spreadsheet from taking text for a formula.
func plainCell(s string) string {
	if s == "" || !strings.ContainsAny(s[:1], "=+-@\t\r") {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "–", "--", "−", "$-$", "κ", `$\kappa$`, "≥", `$\geq$`)

// finish writes the decisions and the report of the folder.
func (o *output) finish() error {
	if len(o.decisions) > 0 {
		t := table{name: "decisions", title: "Decision points", head: []string{"question", "data set", "criterion", "found", "n", "verdict"}}
		for _, d := range o.decisions {
			t.add(d.Name, d.Dataset, d.Rule, interval(d.Value, d.Lo, d.Hi), strconv.Itoa(d.N), d.Verdict)
		}
		o.table(&t)
		text, err := codec.Append(nil, o.decisions, codec.Indented)
		o.fails(err)
		o.write("decisions.json", string(text)+"\n")
	}
	o.write("report.md", o.text.String())
	return o.err
}

// points writes a number of [0,1] in hundredths.
func points(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strconv.FormatFloat(100*x, 'f', 1, 64)
}

// signed is points with a sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + points(x)
	}
	return points(x)
}

func (e estimate) String() string {
	if e.n == 0 {
		return "–"
	}
	if math.IsNaN(e.lo) {
		return points(e.mean)
	}
	return points(e.mean) + " [" + points(e.lo) + ", " + points(e.hi) + "]"
}

// difference writes an estimate of a difference: "~" where it is not shown.
func (e estimate) difference() string {
	if e.n == 0 {
		return "–"
	}
	s := signed(e.mean)
	if !math.IsNaN(e.lo) {
		s += " [" + signed(e.lo) + ", " + signed(e.hi) + "]"
	}
	if !(e.adjusted <= 0.05) {
		s += " ~"
	}
	return s
}

func interval(x, lo, hi *float64) string {
	if x == nil {
		return "–"
	}
	if lo == nil || hi == nil {
		return points(*x)
	}
	return points(*x) + " [" + points(*lo) + ", " + points(*hi) + "]"
}
