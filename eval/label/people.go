package label

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"membench/eval/explain"
	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// People are the labels of several people, by answer.
type People struct {
	names  []string // sorted
	labels map[Key][]Label
	people map[string]*Person
}

// A Person is one labeller and the state of the labels.
type Person struct {
	Name    string `json:"name"`
	Labels  int    `json:"labels"`  // that say something
	Blank   int    `json:"blank"`   // that say nothing
	Stale   int    `json:"stale"`   // on another answer than the run now has
	Unknown int    `json:"unknown"` // on an answer that the run does not have
}

// NewPeople takes labels of any number of people.
func NewPeople(labels []Label) *People {
	p := &People{labels: map[Key][]Label{}, people: map[string]*Person{}}
	for _, l := range labels {
		who := p.people[l.By]
		if who == nil {
			who = &Person{Name: l.By}
			p.people[l.By] = who
			p.names = append(p.names, l.By)
		}
		if l.Blank() {
			who.Blank++
			continue
		}
		who.Labels++
		who.Unknown++ // until its answer is met
		p.labels[l.key()] = append(p.labels[l.key()], l)
	}
	slices.Sort(p.names)
	return p
}

// of are the labels of an answer, which is met once.
func (p *People) of(r *schema.QARecord) (out []Label) {
	k := KeyOf(r)
	for _, l := range p.labels[k] {
		who := p.people[l.By]
		who.Unknown--
		if l.Digest != "" && l.Digest != digest(r.Answer) {
			who.Stale++
			continue
		}
		out = append(out, l)
	}
	delete(p.labels, k)
	return out
}

// A field is something that people say of an answer.
type field struct {
	name string
	of   func(*Label) (string, bool)
}

var fields = []field{
	{"verdict", func(l *Label) (string, bool) { return l.Verdict, l.Verdict == Right || l.Verdict == Wrong }},
	{"gold", func(l *Label) (string, bool) {
		if l.GoldWrong == Yes || l.Hop == schema.HopGold {
			return "wrong", true
		}
		return "right", true
	}},
	{"hop", func(l *Label) (string, bool) { h := l.hop(); return h, h != "" }},
	{"cause", (*Label).cause},
}

// Fields names them.
func Fields() (out []string) {
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}

// agreed returns the value of a field on which all labellers agree; ok is false if none gave one, or if they differ.
func (f field) agreed(labels []Label) (what string, ok, disputed bool) {
	for i := range labels {
		x, said := f.of(&labels[i])
		switch {
		case !said:
		case !ok:
			what, ok = x, true
		case x != what:
			return "", false, true
		}
	}
	return what, ok, false
}

// Grade returns the human verdict on the answer of a record, if all its labellers agree, consider the gold right, and it was sampled from all answers: labels
// of failures alone do not show what a judge accepts wrongly. Each record is asked about once.
func (p *People) Grade(r *schema.QARecord) *schema.Grade {
	labels := slices.DeleteFunc(p.of(r), func(l Label) bool { return l.Draw != All })
	verdict, ok, _ := fields[0].agreed(labels)
	if gold, _, disputed := fields[1].agreed(labels); !ok || disputed || gold == "wrong" {
		return nil
	}
	score := 0.
	if verdict == Right {
		score = 1
	}
	return &schema.Grade{Protocol: "label@1", By: "people", Score: &score, Label: verdict, Outcome: schema.GradeScored}
}

// Regrade replaces the grades of records by human verdicts, and returns the number of records with one.
func (p *People) Regrade(records []schema.QARecord) (n int) {
	for i := range records {
		records[i].Grades = nil
		if g := p.Grade(&records[i]); g != nil {
			records[i].Grades = []schema.Grade{*g}
			n++
		}
	}
	return n
}

// An Agreement is how far people, explain and judges say the same.
type Agreement struct {
	People      []Person       `json:"people"`
	Answers     int            `json:"answers"`  // of the run, with a label that counts
	Disputed    map[string]int `json:"disputed"` // answers on which people disagree, by field
	Comparisons []Comparison   `json:"comparisons"`
}

// Comparison measures the agreement of two labellers on the answers that both labelled. "people" are the answers on which all labellers agree.
type Comparison struct {
	Of     string `json:"of"` // verdict | gold | hop | cause
	First  string `json:"first"`
	Second string `json:"second"`
	Kappa
	Apart []Apart `json:"apart"` // where they differ, most frequent first
}

// Kappa is one agreement with its intervals at 95 %.
type Kappa struct {
	N          int      `json:"n"`
	Same       int      `json:"same"`
	Share      *float64 `json:"share"` // Same of N; null of none
	ShareLow   *float64 `json:"share_low"`
	ShareHigh  *float64 `json:"share_high"`
	Kappa      *float64 `json:"kappa"` // Cohen's; null where it is not defined
	KappaLow   *float64 `json:"kappa_low"`
	KappaHigh  *float64 `json:"kappa_high"`
	Prevalence string   `json:"most,omitzero"` // the first one's most frequent label: κ is unreliable if one class dominates
}

// Apart is one disagreement.
type Apart struct {
	First  string `json:"first"` // "" is not a cause
	Second string `json:"second"`
	N      int    `json:"n"`
}

// names of those who are not persons.
const (
	together = "people"
	tool     = "explain"
)

type pairing struct{ of, first, second string }

// Count compares labels with records.
type Count struct {
	people    *People
	threshold float64
	out       Agreement
	judges    []string // as met
	pairs     map[pairing]map[[2]string]int
}

// NewCount counts a judge's score from threshold on as right.
func NewCount(p *People, threshold float64) *Count {
	return &Count{people: p, threshold: threshold, out: Agreement{Disputed: map[string]int{}}, pairs: map[pairing]map[[2]string]int{}}
}

func (c *Count) pair(of, first, second, a, b string) {
	k := pairing{of, first, second}
	if c.pairs[k] == nil {
		c.pairs[k] = map[[2]string]int{}
	}
	c.pairs[k][[2]string{a, b}]++
}

// Add meets a record that has passed explain.
func (c *Count) Add(r *schema.QARecord) {
	labels := c.people.of(r)
	if len(labels) == 0 {
		return
	}
	c.out.Answers++
	slices.SortFunc(labels, func(a, b Label) int { return slices.Index(c.people.names, a.By) - slices.Index(c.people.names, b.By) })
	goldWrong := false
	for _, f := range fields {
		for i := range labels {
			x, ok := f.of(&labels[i])
			if !ok {
				continue
			}
			for j := i + 1; j < len(labels); j++ {
				if y, ok := f.of(&labels[j]); ok {
					c.pair(f.name, labels[i].By, labels[j].By, x, y)
				}
			}
			if said, ok := told(r, f.name); ok && len(c.people.names) > 1 {
				c.pair(f.name, labels[i].By, tool, x, said)
			}
		}
		x, ok, disputed := f.agreed(labels)
		if disputed {
			c.out.Disputed[f.name]++
		}
		goldWrong = goldWrong || f.name == "gold" && x != "right"
		if said, has := told(r, f.name); ok && has {
			c.pair(f.name, together, tool, x, said)
		}
	}
	if verdict, ok, _ := fields[0].agreed(labels); ok && !goldWrong {
		c.judge(r, verdict)
	}
}

// told returns explain's result for a record.
func told(r *schema.QARecord, of string) (string, bool) {
	switch {
	case r.Attribution == nil:
		return "", false
	case of == "hop":
		return r.Attribution.Hop, true
	case of == "cause":
		return r.Attribution.Cause, true
	}
	return "", false
}

// judge compares the judges of a record with the human verdict.
func (c *Count) judge(r *schema.QARecord, verdict string) {
	for i := range r.Grades {
		g := &r.Grades[i]
		if g.Score == nil || g.Gold != "" || !explain.OfAnswer(g) {
			continue
		}
		name := g.Grader()
		if !slices.Contains(c.judges, name) {
			c.judges = append(c.judges, name)
		}
		said := Wrong
		if *g.Score >= c.threshold {
			said = Right
		}
		c.pair("verdict", together, name, verdict, said)
	}
}

// Agreement returns the results of Add: among people, with explain, with the judges.
func (c *Count) Agreement() Agreement {
	out := c.out
	out.Comparisons = []Comparison{}
	for _, name := range c.people.names {
		out.People = append(out.People, *c.people.people[name])
	}
	add := func(of, first, second string) {
		if p := c.pairs[pairing{of, first, second}]; p != nil {
			out.Comparisons = append(out.Comparisons, compared(of, first, second, p))
		}
	}
	names := c.people.names
	for _, f := range fields {
		for i, a := range names {
			for _, b := range names[i+1:] {
				add(f.name, a, b)
			}
		}
	}
	for _, f := range fields {
		for _, a := range append([]string{together}, names...) {
			add(f.name, a, tool)
		}
	}
	for _, j := range c.judges {
		add("verdict", together, j)
	}
	return out
}

func compared(of, first, second string, pairs map[[2]string]int) Comparison {
	var classes []string
	out := Comparison{Of: of, First: first, Second: second, Apart: []Apart{}}
	for p, n := range pairs {
		for _, x := range p {
			if !slices.Contains(classes, x) {
				classes = append(classes, x)
			}
		}
		if p[0] != p[1] {
			out.Apart = append(out.Apart, Apart{p[0], p[1], n})
		}
	}
	slices.Sort(classes)
	slices.SortFunc(out.Apart, func(x, y Apart) int {
		return cmp.Or(y.N-x.N, cmp.Compare(x.First, y.First), cmp.Compare(x.Second, y.Second))
	})
	out.Kappa = kappa(pairs, classes)
	return out
}

func kappa(pairs map[[2]string]int, classes []string) Kappa {
	table := make([][]int, len(classes))
	most := make([]int, len(classes))
	for i := range table {
		table[i] = make([]int, len(classes))
		for j := range table {
			table[i][j] = pairs[[2]string{classes[i], classes[j]}]
			most[i] += table[i][j]
		}
	}
	k := stats.Cohen(table, .95)
	out := Kappa{N: k.N}
	for i := range table {
		out.Same += table[i][i]
	}
	out.Prevalence = classes[slices.Index(most, slices.Max(most))]
	share := float64(out.Same) / float64(k.N)
	w := stats.Wilson(out.Same, k.N, .95)
	out.Share, out.ShareLow, out.ShareHigh = &share, &w.Lo, &w.Hi
	out.Kappa, out.KappaLow, out.KappaHigh = figure.Defined(k.K), figure.Defined(max(k.CI.Lo, -1)), figure.Defined(min(k.CI.Hi, 1))
	return out
}

// WriteText writes the agreement for people.
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
			figure.Percent(c.Share), figure.Interval(c.ShareLow, c.ShareHigh), c.N, figure.Decimal(c.Kappa.Kappa, 2), decimals(c.KappaLow, c.KappaHigh))
		for i, d := range c.Apart {
			if i == 5 {
				fmt.Fprintf(w, "           … and %d more pairs: --json has them\n", len(c.Apart)-i)
				break
			}
			fmt.Fprintf(w, "           %d × %s says %s, %s says %s\n", d.N, c.First, cmp.Or(d.First, "none"), c.Second, cmp.Or(d.Second, "none"))
		}
	}
}

func decimals(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f–%.2f", *lo, *hi)
}
