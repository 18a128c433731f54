package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"membench/eval/figure"
	"membench/eval/records"
	"membench/internal/stats"
	"membench/schema"
)

// An answer is the part of a record that the analyses need.
type answer struct {
	conversation string
	category     string
	score        float64
	recall       float64 // of gold evidence; NaN where it does not apply
	cause        string  // according to explain, for failures
	calls        float64
	tokens       float64 // that models read and wrote, and of the context that the reader saw
	ms           float64
}

// answers of one arm on one data set, by question.
type answers map[string]answer

// results of arms.
type results struct {
	arms     []string
	datasets []string
	of       map[[2]string]answers // by arm and data set
}

// read reads the graded records of arms.
func (e *experiment) read(ctx context.Context, arms []arm) (*results, error) {
	r := &results{of: map[[2]string]answers{}}
	names := figure.Names{}
	for _, a := range arms {
		r.arms = append(r.arms, a.name)
		path := filepath.Join(e.runDir(a), records.QAFile)
		for rec, err := range records.QA(ctx, nil, path) {
			err = cmp.Or(err, ctx.Err())
			if f, ok := errors.AsType[*schema.Finding](err); ok {
				e.found(f)
				continue
			}
			if err != nil {
				return nil, err
			}
			q := &rec.V
			x, ok := e.answer(q)
			if !ok {
				continue
			}
			x.conversation, x.category = names.Keep(q.Dataset+" "+q.CaseID), names.Keep(q.Category)
			if !slices.Contains(r.datasets, q.Dataset) {
				r.datasets = append(r.datasets, names.Keep(q.Dataset))
			}
			key := [2]string{a.name, names.Keep(q.Dataset)}
			if r.of[key] == nil {
				r.of[key] = answers{}
			}
			r.of[key][questionKey(q)] = x
		}
	}
	slices.Sort(r.datasets)
	if len(r.datasets) == 0 {
		return nil, fmt.Errorf("no answer was graded by %s: name another measure", e.Design.Measure)
	}
	return r, nil
}

func questionKey(q *schema.QARecord) string {
	return fmt.Sprintf("%s\x00%s\x00%d", q.CaseID, q.QuestionID, q.Repeat)
}

func (e *experiment) found(f *schema.Finding) {
	if e.Report != nil {
		e.Report(f)
	}
}

// answer takes one record down; false where the measure did not score it.
func (e *experiment) answer(q *schema.QARecord) (x answer, ok bool) {
	x.recall = math.NaN()
	for _, g := range q.Grades {
		if g.Score == nil || g.Gold == schema.GoldCorrected {
			continue
		}
		switch schema.ProtocolName(g.Protocol) {
		case e.Design.Measure:
			x.score, ok = *g.Score, true
		case "evidence-recall":
			x.recall = *g.Score
		}
	}
	for _, u := range q.Usage {
		if u.Step != "judge" {
			x.calls += float64(u.Calls)
			x.tokens += float64(u.InputTokens + u.OutputTokens)
		}
	}
	if x.calls == 0 { // by rule: the text that a reader would have to read
		x.tokens = float64(len(q.Context)+3) / 4
	}
	x.ms = q.RetrieveMS + q.AnswerMS
	if q.Attribution != nil {
		x.cause = cmp.Or(q.Attribution.Cause, q.Attribution.Hop)
	}
	return x, ok
}

// categories returns the categories of a data set, in the schema's order.
func (r *results) categories(dataset string) (out []string) {
	have := map[string]bool{}
	for _, a := range r.arms {
		for _, x := range r.of[[2]string{a, dataset}] {
			have[x.category] = true
		}
	}
	for _, c := range schema.Categories() {
		if have[c] {
			out = append(out, c)
		}
	}
	return out
}

// keys are the questions of a map in a fixed order.
func keys(a answers) []string {
	return slices.Sorted(maps.Keys(a))
}

// An estimate is a mean with its interval over conversations.
type estimate struct {
	n            int
	mean, lo, hi float64
	p, adjusted  float64 // of a difference from 0
}

// estimateOf returns the mean over clusters; share reports that the values are in [0,1].
func estimateOf(byConversation map[string]*stats.Cluster, share bool) estimate {
	var list []stats.Cluster
	for _, k := range slices.Sorted(maps.Keys(byConversation)) {
		list = append(list, *byConversation[k])
	}
	c := stats.ClusterMean(list)
	e := estimate{n: c.N, mean: c.Mean, p: math.NaN(), adjusted: math.NaN()}
	in := c.Interval(.95)
	switch {
	case share && len(list) < 2 && c.N > 0:
		in = stats.WilsonOf(min(1, max(0, c.Mean)), float64(c.N), .95)
	case share:
		in = c.ShareInterval(.95)
	}
	e.lo, e.hi = in.Lo, in.Hi
	return e
}

func into(m map[string]*stats.Cluster, conversation string, x float64) {
	if m[conversation] == nil {
		m[conversation] = &stats.Cluster{}
	}
	m[conversation].Add(x)
}

// mean is the mean of a value of an arm's answers; category "" is all of them.
func (r *results) mean(arm, dataset, category string, share bool, of func(answer) float64) estimate {
	m := map[string]*stats.Cluster{}
	a := r.of[[2]string{arm, dataset}]
	for _, k := range keys(a) {
		if x := of(a[k]); (category == "" || a[k].category == category) && !math.IsNaN(x) {
			into(m, a[k].conversation, x)
		}
	}
	return estimateOf(m, share)
}

// score is the mean score.
func (r *results) score(arm, dataset, category string) estimate {
	return r.mean(arm, dataset, category, true, func(a answer) float64 { return a.score })
}

// gain is the paired difference of the scores of two arms.
func (r *results) gain(arm, base, dataset, category string) estimate {
	b := r.of[[2]string{base, dataset}]
	if category != "" {
		b = maps.Clone(b)
		maps.DeleteFunc(b, func(_ string, x answer) bool { return x.category != category })
	}
	return difference(r.of[[2]string{arm, dataset}], b)
}

// difference returns the difference between a and b, over their common questions, by the test of eval/compare.
func difference(a, b answers) estimate {
	var d stats.Differences[string]
	for _, k := range keys(a) {
		if y, ok := b[k]; ok {
			d.Add(y.conversation, a[k].score-y.score)
		}
	}
	r, p := d.Test(.95)
	in := r.Interval(.95)
	return estimate{n: d.N, mean: r.Mean, lo: max(-1, in.Lo), hi: min(1, in.Hi), p: p, adjusted: math.NaN()} // scores are in [0,1]
}

// holm adjusts the p-values of a family.
func holm(family []*estimate) {
	var ps []float64
	for _, e := range family {
		if !math.IsNaN(e.p) {
			ps = append(ps, e.p)
		}
	}
	adjusted := stats.Holm(ps)
	for _, e := range family {
		if !math.IsNaN(e.p) {
			e.adjusted, adjusted = adjusted[0], adjusted[1:]
		}
	}
}

// spread is the difference between the best and the worst category of an arm, with a
// bootstrap interval over conversations, or the wider one of two shares.
func (r *results) spread(arm, dataset string, seed uint64) (gap estimate, best, worst string) {
	type cell struct{ sum, n float64 }
	a := r.of[[2]string{arm, dataset}]
	cats := r.categories(dataset)
	var conversations []string
	by := map[string][]cell{}
	for _, k := range keys(a) {
		x := a[k]
		if by[x.conversation] == nil {
			by[x.conversation] = make([]cell, len(cats))
			conversations = append(conversations, x.conversation)
		}
		c := &by[x.conversation][slices.Index(cats, x.category)]
		c.sum, c.n = c.sum+x.score, c.n+1
	}
	gapOf := func(idx []int) (float64, int, int) {
		total := make([]cell, len(cats))
		for _, i := range idx {
			for c, x := range by[conversations[i]] {
				total[c].sum, total[c].n = total[c].sum+x.sum, total[c].n+x.n
			}
		}
		hi, lo := -1, -1
		for c, x := range total {
			if x.n == 0 {
				continue
			}
			if hi < 0 || x.sum/x.n > total[hi].sum/total[hi].n {
				hi = c
			}
			if lo < 0 || x.sum/x.n < total[lo].sum/total[lo].n {
				lo = c
			}
		}
		if hi < 0 {
			return math.NaN(), 0, 0
		}
		return total[hi].sum/total[hi].n - total[lo].sum/total[lo].n, hi, lo
	}
	all := make([]int, len(conversations))
	for i := range all {
		all[i] = i
	}
	g, hi, lo := gapOf(all)
	if len(cats) == 0 || math.IsNaN(g) {
		return estimate{mean: math.NaN(), lo: math.NaN(), hi: math.NaN()}, "", ""
	}
	gap = estimate{n: len(a), mean: g, lo: math.NaN(), hi: math.NaN()}
	if len(all) > 1 {
		in := stats.Bootstrap(len(all), 2000, seed, .95, func(idx []int) float64 { x, _, _ := gapOf(idx); return x })
		// Where the conversations agree, or few questions are all right or all wrong, drawing conversations shows no spread: the interval is at least that of
		// two independent shares.
		shares := shareGap(r.score(arm, dataset, cats[hi]), r.score(arm, dataset, cats[lo]))
		gap.lo, gap.hi = min(in.Lo, shares.Lo), max(in.Hi, shares.Hi)
	}
	return gap, cats[hi], cats[lo]
}

// shareGap is the interval of a difference of two independent shares (Newcombe 1998, method 10, from Wilson's intervals).
func shareGap(a, b estimate) stats.Interval {
	x, y := stats.WilsonOf(a.mean, float64(a.n), .95), stats.WilsonOf(b.mean, float64(b.n), .95)
	gap := a.mean - b.mean
	return stats.Interval{Lo: gap - math.Hypot(a.mean-x.Lo, y.Hi-b.mean), Hi: gap + math.Hypot(x.Hi-a.mean, b.mean-y.Lo)}
}
