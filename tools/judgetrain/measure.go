package main

import (
	"fmt"
	"io"
	"sort"

	"membench/eval/judge"
)

// table is a 2×2 count of a judge against the recorded verdicts.
type table struct{ tp, fp, fn, tn float64 }

func (t *table) add(said, was bool) {
	switch {
	case said && was:
		t.tp++
	case said:
		t.fp++
	case was:
		t.fn++
	default:
		t.tn++
	}
}

func (t table) n() float64         { return t.tp + t.fp + t.fn + t.tn }
func (t table) agreement() float64 { return (t.tp + t.tn) / max(1, t.n()) }
func (t table) balanced() float64 {
	return (t.tp/max(1, t.tp+t.fn) + t.tn/max(1, t.tn+t.fp)) / 2
}
func (t table) kappa() float64 {
	n := max(1, t.n())
	e := ((t.tp+t.fp)*(t.tp+t.fn) + (t.fn+t.tn)*(t.fp+t.tn)) / n / n
	if e == 1 {
		return 0
	}
	return (t.agreement() - e) / (1 - e)
}

// measured are the figures of one judge at one threshold: unweighted means over the
// runs, and the share accepted of each set of plants.
type measured struct {
	agreement, kappa, balanced float64
	perRun                     map[string]table
	perCat                     map[int]table
	accepted                   map[string]float64 // by set of plants
}

// scored is a row with a judge's score.
type scored struct {
	*row
	score float64
}

func measure(rows []scored, threshold float64) measured {
	m := measured{perRun: map[string]table{}, perCat: map[int]table{}, accepted: map[string]float64{}}
	n := map[string]float64{}
	for _, r := range rows {
		yes := r.score >= threshold
		if r.Real {
			t := m.perRun[r.Set]
			t.add(yes, r.Right)
			m.perRun[r.Set] = t
			t = m.perCat[r.Category]
			t.add(yes, r.Right)
			m.perCat[r.Category] = t
			continue
		}
		n[r.Set]++
		if yes {
			m.accepted[r.Set]++
		}
	}
	for s, c := range n {
		m.accepted[s] /= c
	}
	for _, s := range runs {
		t := m.perRun[s]
		m.agreement += t.agreement() / float64(len(runs))
		m.kappa += t.kappa() / float64(len(runs))
		m.balanced += t.balanced() / float64(len(runs))
	}
	return m
}

// capped is the lowest threshold at which at most cap of each bare set of plants is
// accepted, and at most wrapCap of each wrapped one.
func capped(rows []scored, cap, wrapCap float64) float64 {
	by := map[string][]float64{}
	for _, r := range rows {
		if r.Plant {
			by[r.Set] = append(by[r.Set], r.score)
		}
	}
	worst := 0.
	for set, s := range by {
		c := cap
		if len(set) > len("wrong_answers_v1") {
			c = wrapCap
		}
		sort.Sort(sort.Reverse(sort.Float64Slice(s)))
		k := int(c * float64(len(s)))
		worst = max(worst, s[min(k, len(s)-1)]+1e-9)
	}
	return worst
}

// score scores rows by the judge, or what words decide by the weights of m.
func score(rows []row, m *judge.Model) []scored {
	out := make([]scored, len(rows))
	var trained func([]float64) float64
	if m != nil {
		trained = m.Scorer()
	}
	for i := range rows {
		r := &rows[i]
		out[i].row = r
		if r.f != nil && m != nil {
			out[i].score = trained(r.f)
		} else {
			if p, ok := dateScore(m, r); ok {
				out[i].score = p
				continue
			}
			out[i].score = judge.Judge(judge.Question{Text: r.Question}, []string{r.Gold}, r.Answer).Score
		}
	}
	return out
}

func dateScore(m *judge.Model, r *row) (float64, bool) {
	if m == nil {
		return 0, false
	}
	p, ok := m.Dates[r.relation]
	return p, ok
}

func (m measured) print(w io.Writer, name string, threshold float64) {
	fmt.Fprintf(w, "%-26s t=%.3f agreement %.3f κ %.3f balanced %.3f", name, threshold, m.agreement, m.kappa, m.balanced)
	for _, p := range plants {
		fmt.Fprintf(w, " %s %.3f", p[len(p)-2:], m.accepted[p])
		for _, x := range wraps {
			fmt.Fprintf(w, "/%.3f", m.accepted[p+"+"+x])
		}
	}
	fmt.Fprintln(w)
}
