package main

import (
	"math"
	"sort"

	"membench/eval/judge"
)

// options of training; chosen by leaving one conversation of the six out at a time.
type options struct {
	ridge    float64 // penalty of squared weights (features scaled to unit deviation)
	trees    int
	depth    int
	rate     float64
	minLeaf  float64 // least hessian in a leaf
	lambda   float64
	plantW   float64 // weight of a bare plant
	wrapW    float64 // weight of a wrapped plant
	wrongW   float64 // weight of a real answer that the recorded judge refused
	cols     uint32  // of a hundred features, how many a tree may ask; 0 is all
	iters    int
	logistic bool
}

func defaults() options {
	return options{ridge: 3, trees: 250, depth: 4, rate: .08, minLeaf: 12, lambda: 4, plantW: 4, wrapW: .5, wrongW: 1.25, iters: 25}
}

// dateOdds counts how often an answer with a relation was right; a plant counts as
// wrong. prior answers of the odds without training steady the rare relations.
func dateOdds(rows []row, o options) map[string]float64 {
	const prior, guess = 4, .35
	right, n := map[string]float64{}, map[string]float64{}
	for _, r := range rows {
		if r.relation == "" || r.Wrapped {
			continue
		}
		if r.Plant {
			n[r.relation] += o.plantW
			continue
		}
		n[r.relation]++
		if r.Right {
			right[r.relation]++
		}
	}
	out := map[string]float64{}
	for k, c := range n {
		out[k] = (right[k] + prior*guess) / (c + prior)
	}
	return out
}

// example is one row as the trainer sees it.
type example struct {
	f []float64
	y float64
	w float64
}

func examples(rows []row, o options) (out []example) {
	for _, r := range rows {
		if r.f == nil {
			continue
		}
		e := example{f: r.f, w: 1}
		switch {
		case r.Wrapped:
			e.w = o.wrapW
		case r.Plant:
			e.w = o.plantW
		case r.Right:
			e.y = 1
		default:
			e.w = o.wrongW
		}
		out = append(out, e)
	}
	return out
}

// fit trains a model: a logistic regression by Newton steps, then boosted trees on
// what it leaves.
func fit(ex []example, names []string, o options) *judge.Model {
	n := len(names)
	m := &judge.Model{Features: names, Mean: make([]float64, n), Weights: make([]float64, n)}
	scale := make([]float64, n)
	total, right := 0., 0.
	for _, e := range ex {
		total += e.w
		right += e.w * e.y
		for j, v := range e.f {
			m.Mean[j] += e.w * v
		}
	}
	for j := range m.Mean {
		m.Mean[j] /= total
	}
	for _, e := range ex {
		for j, v := range e.f {
			scale[j] += e.w * (v - m.Mean[j]) * (v - m.Mean[j])
		}
	}
	for j := range scale {
		scale[j] = math.Sqrt(scale[j]/total) + 1e-6
	}
	m.Bias = math.Log(right / (total - right))
	if o.logistic {
		newton(ex, m, scale, o)
	}
	boost(ex, m, o)
	if !o.logistic {
		m.Mean, m.Weights = nil, nil
	}
	return m
}

func newton(ex []example, m *judge.Model, scale []float64, o options) {
	n := len(m.Weights)
	b := make([]float64, n+1) // scaled weights, bias last
	b[n] = m.Bias
	x := make([]float64, n+1)
	for range o.iters {
		g := make([]float64, n+1)
		h := make([][]float64, n+1)
		for i := range h {
			h[i] = make([]float64, n+1)
		}
		for _, e := range ex {
			z := b[n]
			for j, v := range e.f {
				x[j] = (v - m.Mean[j]) / scale[j]
				z += b[j] * x[j]
			}
			x[n] = 1
			p := 1 / (1 + math.Exp(-z))
			r, w := e.w*(e.y-p), e.w*p*(1-p)
			for j, v := range x {
				if v == 0 {
					continue
				}
				g[j] += r * v
				for k := 0; k <= j; k++ {
					h[j][k] += w * v * x[k]
				}
			}
		}
		for j := range n {
			g[j] -= o.ridge * b[j]
			h[j][j] += o.ridge
		}
		h[n][n] += 1e-9
		step := solve(h, g)
		worst := 0.
		for j := range b {
			b[j] += step[j]
			worst = math.Max(worst, math.Abs(step[j]))
		}
		if worst < 1e-6 {
			break
		}
	}
	m.Bias = b[n]
	for j := range n {
		m.Weights[j] = b[j] / scale[j]
	}
}

// solve solves h x = g for a symmetric positive h given by its lower half (Cholesky).
func solve(h [][]float64, g []float64) []float64 {
	n := len(g)
	for j := range n {
		for k := range j {
			h[j][j] -= h[j][k] * h[j][k]
		}
		h[j][j] = math.Sqrt(math.Max(h[j][j], 1e-12))
		for i := j + 1; i < n; i++ {
			for k := range j {
				h[i][j] -= h[i][k] * h[j][k]
			}
			h[i][j] /= h[j][j]
		}
	}
	x := make([]float64, n)
	for i := range n {
		x[i] = g[i]
		for k := range i {
			x[i] -= h[i][k] * x[k]
		}
		x[i] /= h[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= h[k][i] * x[k]
		}
		x[i] /= h[i][i]
	}
	return x
}

const bins = 48

// boost adds trees by gradient boosting of the log loss (Friedman 2001, with the
// second-order gain of XGBoost), on quantile bins.
func boost(ex []example, m *judge.Model, o options) {
	if o.trees == 0 {
		return
	}
	n := len(m.Weights)
	cuts := make([][]float64, n)
	code := make([][]uint8, n)
	for j := range n {
		vals := make([]float64, len(ex))
		for i, e := range ex {
			vals[i] = e.f[j]
		}
		sorted := append([]float64(nil), vals...)
		sort.Float64s(sorted)
		for b := 1; b < bins-1; b++ {
			v := sorted[b*len(sorted)/bins]
			if k := len(cuts[j]); v > sorted[0] && (k == 0 || v > cuts[j][k-1]) {
				cuts[j] = append(cuts[j], v)
			}
		}
		// What most rows do not have at all is told from what they have, however rare.
		if k := sort.Search(len(sorted), func(k int) bool { return sorted[k] > sorted[0] }); k < len(sorted) && (len(cuts[j]) == 0 || cuts[j][0] > sorted[k]) {
			cuts[j] = append([]float64{sorted[k]}, cuts[j]...)
		}
		code[j] = make([]uint8, len(ex))
		for i, v := range vals {
			code[j][i] = uint8(sort.Search(len(cuts[j]), func(k int) bool { return cuts[j][k] > v }))
		}
	}
	z := make([]float64, len(ex))
	score := m.Scorer()
	for i, e := range ex {
		p := score(e.f)
		z[i] = math.Log(p / (1 - p))
	}
	g, h, node := make([]float64, len(ex)), make([]float64, len(ex)), make([]int, len(ex))
	for n := range o.trees {
		for i, e := range ex {
			p := 1 / (1 + math.Exp(-z[i]))
			g[i], h[i], node[i] = e.w*(e.y-p), e.w*p*(1-p), 0
		}
		may := make([]bool, len(code))
		for j := range may {
			may[j] = len(cuts[j]) > 0 && (o.cols == 0 || draw32("feature", n, j)%100 < o.cols)
		}
		t := grow(g, h, node, code, cuts, may, o)
		for i := range ex {
			z[i] += t.Value[node[i]]
		}
		m.Trees = append(m.Trees, t)
	}
}

// grow makes one tree of the features that may be asked.
func grow(g, h []float64, node []int, code [][]uint8, cuts [][]float64, may []bool, o options) judge.Tree {
	size := 1<<(o.depth+1) - 1
	t := judge.Tree{Feature: make([]int, size), At: make([]float64, size), Value: make([]float64, size)}
	for i := range t.Feature {
		t.Feature[i] = -1
	}
	type sum struct{ g, h float64 }
	for first, level := 0, 0; level <= o.depth; level++ {
		count := 1 << level
		tot := make([]sum, count)
		for i, k := range node {
			if k >= first {
				tot[k-first].g += g[i]
				tot[k-first].h += h[i]
			}
		}
		for k := range count {
			t.Value[first+k] = o.rate * tot[k].g / (tot[k].h + o.lambda)
		}
		if level == o.depth {
			break
		}
		gain := make([]float64, count)
		feat, bin := make([]int, count), make([]int, count)
		for k := range feat {
			feat[k] = -1
		}
		for j := range code {
			if !may[j] {
				continue
			}
			hist := make([][bins]sum, count)
			for i, k := range node {
				if k >= first {
					s := &hist[k-first][code[j][i]]
					s.g += g[i]
					s.h += h[i]
				}
			}
			for k := range count {
				l := sum{}
				for b := range cuts[j] {
					l.g += hist[k][b].g
					l.h += hist[k][b].h
					r := sum{tot[k].g - l.g, tot[k].h - l.h}
					if l.h < o.minLeaf || r.h < o.minLeaf {
						continue
					}
					v := l.g*l.g/(l.h+o.lambda) + r.g*r.g/(r.h+o.lambda) - tot[k].g*tot[k].g/(tot[k].h+o.lambda)
					if v > gain[k]+1e-9 {
						gain[k], feat[k], bin[k] = v, j, b
					}
				}
			}
		}
		for k := range count {
			if feat[k] >= 0 {
				t.Feature[first+k], t.At[first+k] = feat[k], cuts[feat[k]][bin[k]]
			}
		}
		for i, k := range node {
			if k >= first && feat[k-first] >= 0 {
				if int(code[feat[k-first]][i]) <= bin[k-first] {
					node[i] = 2*k + 1
				} else {
					node[i] = 2*k + 2
				}
			}
		}
		first += count
	}
	return t
}
