package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"membench/eval/judge"
	"membench/internal/exttest"
)

var update = flag.Bool("update", false, "write the generated part of docs/quality.md again")

// TestJudgeDocs measures the embedded weights on the two test conversations and holds
// the part of docs/quality.md that shows it.
func TestJudgeDocs(t *testing.T) {
	shared := exttest.Shared(t, "data/locomo_recorded/wrong_answers_v1.jsonl", "data/locomo/locomo8.json")
	rows, err := load(shared, testConvs)
	if err != nil {
		t.Fatal(err)
	}
	part := figures(rows)
	const path = "../../docs/quality.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := []byte("<!-- generated: judge -->\n"), []byte("<!-- end: judge -->")
	i, j := bytes.Index(doc, begin), bytes.Index(doc, end)
	if i < 0 || j < i {
		t.Fatalf("%s has no part %q", path, begin)
	}
	i += len(begin)
	if string(doc[i:j]) == part {
		return
	}
	if !*update {
		t.Fatalf("%s does not show what is measured: go test -C tools ./judgetrain -run Docs -update", path)
	}
	if err := os.WriteFile(path, []byte(string(doc[:i])+part+string(doc[j:])), 0o644); err != nil {
		t.Fatal(err)
	}
}

// figures is the generated part.
func figures(rows []row) string {
	var b strings.Builder
	line := func(name string, s []scored, t float64) {
		m := measure(s, t)
		fmt.Fprintf(&b, "| %s | %.3f | %.3f | %.2f | %.3f |", name, t, m.agreement, m.kappa, m.balanced)
		for _, p := range plants {
			fmt.Fprintf(&b, " %.3f |", m.accepted[p])
		}
		for _, w := range wraps {
			fmt.Fprintf(&b, " %.3f, %.3f |", m.accepted[plants[0]+"+"+w], m.accepted[plants[1]+"+"+w])
		}
		b.WriteByte('\n')
	}
	trained := score(rows, nil)
	f1 := make([]scored, len(rows))
	for i := range rows {
		f1[i] = scored{&rows[i], setF1(rows[i].Gold, rows[i].Answer)}
	}
	b.WriteString("| judge | threshold | agreement | κ | balanced | accepted v1 | v2 | restated v1, v2 | sentences before | after |\n|---|---|---|---|---|---|---|---|---|---|\n")
	line("**rule judge**", trained, judge.Threshold())
	model := map[string][2]int{}
	for _, r := range rows {
		if r.Plant && !r.Wrapped {
			c := model[r.Set]
			c[1]++
			if r.Right {
				c[0]++
			}
			model[r.Set] = c
		}
	}
	fmt.Fprintf(&b, "| gpt-4o-mini (the reference) | | 1 | 1 | 1 | %.3f | %.3f | | | |\n", share(model[plants[0]]), share(model[plants[1]]))
	for t := 1; t <= 9; t++ {
		line("token F1", f1, float64(t)/10)
	}
	b.WriteString("\nThe curve of the rule judge:\n\n| judge | threshold | agreement | κ | balanced | accepted v1 | v2 | restated v1, v2 | sentences before | after |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, t := range []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9} {
		line("rule judge", trained, t)
	}
	b.WriteString("\nAgreement (κ) of the rule judge by run and by category, for each threshold:\n\n| | n | .2 | .35 | own | .65 | .8 | right by the model | right by the rule |\n|---|---|---|---|---|---|---|---|---|\n")
	steps := []float64{.2, .35, judge.Threshold(), .65, .8}
	row := func(name string, get func(measured) table) {
		own := get(measure(trained, steps[2]))
		fmt.Fprintf(&b, "| %s | %.0f |", name, own.n())
		for _, t := range steps {
			x := get(measure(trained, t))
			fmt.Fprintf(&b, " %.3f (%.2f) |", x.agreement(), x.kappa())
		}
		fmt.Fprintf(&b, " %.3f | %.3f |\n", (own.tp+own.fn)/own.n(), (own.tp+own.fp)/own.n())
	}
	for _, r := range runs {
		row(strings.ReplaceAll(r, "_", " "), func(m measured) table { return m.perRun[r] })
	}
	for c := 1; c <= 4; c++ {
		row(fmt.Sprintf("category %d", c), func(m measured) table { return m.perCat[c] })
	}
	plantsByCategory(&b, trained)
	return b.String()
}

// plantsByCategory writes, beside agreement, what share of the plants of each category
// is accepted along the thresholds.
func plantsByCategory(b *strings.Builder, trained []scored) {
	b.WriteString("\nPlants accepted in each category, beside agreement there: agreement; v1, v2; the worst of the six wrapped sets.\n\n| threshold | category 1 | 2 | 3 | 4 |\n|---|---|---|---|---|\n")
	for _, t := range []float64{.2, .3, .4, judge.Threshold(), .6, .7, .8} {
		fmt.Fprintf(b, "| %.3f |", t)
		for c := 1; c <= 4; c++ {
			var in []scored
			for _, r := range trained {
				if r.Category == c {
					in = append(in, r)
				}
			}
			m := measure(in, t)
			worst := 0.
			for _, p := range plants {
				for _, w := range wraps {
					worst = max(worst, m.accepted[p+"+"+w])
				}
			}
			fmt.Fprintf(b, " %.3f; %.3f, %.3f; %.3f |", m.perCat[c].agreement(), m.accepted[plants[0]], m.accepted[plants[1]], worst)
		}
		b.WriteByte('\n')
	}
}

// setF1 is the F1 of sets of lower-case words, the bare measure beside which a judge
// must be worth its trouble.
func setF1(gold, answer string) float64 {
	words := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(strings.NewReplacer(".", " ", ",", " ", "!", " ", "?", " ").Replace(strings.ToLower(s))) {
			m[w] = true
		}
		return m
	}
	g, a := words(gold), words(answer)
	n := 0
	for w := range g {
		if a[w] {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	p, r := float64(n)/float64(len(a)), float64(n)/float64(len(g))
	return 2 * p * r / (p + r)
}

// The trainer learns what there is to learn, and its own figures are right.
func TestFit(t *testing.T) {
	var ex []example
	names := len(judge.FeatureNames())
	for i := range 400 {
		f := make([]float64, names)
		f[0], f[1] = float64(i%20)/20, float64(i%7)/7
		y := 0.
		if f[0] > .5 && f[1] > .3 {
			y = 1
		}
		ex = append(ex, example{f, y, 1})
	}
	o := defaults()
	o.trees = 60
	m := fit(ex, judge.FeatureNames(), o)
	wrong, score := 0, m.Scorer()
	for _, e := range ex {
		if (score(e.f) > .5) != (e.y == 1) {
			wrong++
		}
	}
	if wrong > 4 {
		t.Errorf("trees: %d of %d wrong", wrong, len(ex))
	}
	x := table{tp: 40, fp: 10, fn: 20, tn: 30} // κ by hand: po .7, pe .5
	if a, k := x.agreement(), x.kappa(); a != .7 || k < .3999 || k > .4001 {
		t.Errorf("agreement %v, κ %v, want .7 and .4", a, k)
	}
}
