package baseline

import (
	"context"
	"math"
	"slices"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// NGOptions of NGMemory.
type NGOptions struct {
	ModeOptions
	Edge  float64 `json:"edge"`  // minimum cosine of an edge; 0: 0.6, or the hashing embedder's
	Keep  float64 `json:"keep"`  // minimum cosine of a walk's results; 0: 0.4, or the hashing embedder's
	Near  int     `json:"near"`  // edges from this many similar entries
	Nodes int     `json:"nodes"` // shown at most
	ImageOptions
}

// NGMemory is a graph of entries: an edge from each to the next, and from similar older
// ones to each. Questions start at the three nearest and walk three steps.
//
// Faithful: edges lead to newer entries only, one walk's visits bar the next, and an
// entry's score grows with its degree without bound. Fixed: edges lead both ways, each
// entry is met by its shortest way, and the degree counts by its logarithm. Edges have no
// weights: the published ones are never used.
func NGMemory() memory.Spec {
	return modal("NGMemory", "a graph of entries, walked from the nearest (neural graph memory, Mem-Gallery)", NGOptions{Near: 10, Nodes: 10}, func(d memory.Deps, o NGOptions) (memory.System, error) {
		seen, caps, err := o.open(&d)
		gated(&caps, d.Embed)
		edge, keep := gate(o.Edge, d.Embed, 0.6, hashEdge), gate(o.Keep, d.Embed, 0.4, hashNear)
		return native.New(native.Options{Name: "NGMemory", Version: version, Mode: o.Mode, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: caps, New: func(scope string) native.Policy {
			return &ng{list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed}), seen: seen}, faithful: o.Mode == native.Faithful, edge: edge, keep: keep, near: o.Near, nodes: o.Nodes}
		}}), err
	})
}

// web are the edges of entries by position, each from an older entry to a newer.
type web struct{ out, in [][]int }

func (w *web) grow() { w.out, w.in = append(w.out, nil), append(w.in, nil) }

// connect adds an edge where there is none yet.
func (w *web) connect(from, to int) {
	if !slices.Contains(w.in[to], from) {
		w.out[from], w.in[to] = append(w.out[from], to), append(w.in[to], from)
	}
}

func (w *web) degree(i int) int { return len(w.out[i]) + len(w.in[i]) }

// next are the ends of edges, out of i or both ways.
func (w *web) next(i int, both bool) []int {
	if both {
		return slices.Concat(w.out[i], w.in[i])
	}
	return w.out[i]
}

func (w *web) clone() web { return web{out: deep(w.out), in: deep(w.in)} }

type ng struct {
	list
	faithful    bool
	edge, keep  float64
	near, nodes int
	web         web
}

func (p *ng) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	return p.take(ctx, o, r, nil)
}

// take stores an entry with edges from the one before and from the nearest, and with those that more makes.
func (p *ng) take(ctx context.Context, o native.Observation, r *memory.Receipt, more func(n int)) error {
	v, err := p.seen.see(ctx, p.st.Embed(), o, r)
	if err != nil {
		return err
	}
	n := p.st.Len()
	p.web.grow()
	if n > 0 {
		p.web.connect(n-1, n)
	}
	for _, c := range recall.Nearest(p.st, v, p.near, nil) {
		if c.Score >= p.edge {
			p.web.connect(c.Pos, n)
		}
	}
	if more != nil {
		more(n)
	}
	rec := o.Record(o.Kind())
	for _, from := range p.web.in[n] {
		rec.Links = append(rec.Links, p.st.At(from).ID)
	}
	slices.Sort(rec.Links)
	p.st.Add(rec, v, r)
	return nil
}

// seconds between two times; without times the next entry is one second away.
func seconds(from, to string) float64 {
	a, ok := schema.ParseTime(from, nil)
	b, and := schema.ParseTime(to, nil)
	if !ok || !and {
		return 1
	}
	return math.Abs(b.Sub(a).Seconds())
}

// boosted is a cosine with the node's degree: published by a tenth an edge.
func boosted(cos float64, degree int, faithful bool) float64 {
	if faithful {
		return cos * (1 + 0.1*float64(degree))
	}
	return cos * (1 + 0.1*math.Log(1+float64(degree)))
}

func (p *ng) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(_ context.Context, s *recall.State, v []float32) error {
		v = p.seen.asked(v, q)
		cos := p.st.Cosines(nil, v)
		score := func(i int) float64 { return boosted(cos[i], p.web.degree(i), p.faithful) }
		starts := recall.Nearest(p.st, v, walkStarts, s.Eligible)
		for i, c := range starts {
			starts[i].Score = score(c.Pos)
		}
		p.walk(s, starts, func(i int) (float64, bool) { return score(i), cos[i] >= p.keep })
		return nil
	})}.Run(ctx, p.st, q)
}

const walkStarts, walkDepth = 3, 3

// walk lists the best of the starts, whose later scores count, and the worthwhile entries reachable from them: depth first over edges to newer entries, as
// published, or breadth first over edges of both directions.
func (p *ng) walk(s *recall.State, starts []recall.Scored, find func(i int) (float64, bool)) {
	score := map[int]float64{}
	var from []int
	for _, c := range starts {
		from, score[c.Pos] = append(from, c.Pos), c.Score
	}
	visit := func(i int) {
		if x, ok := find(i); ok && s.Eligible(i) {
			if old, known := score[i]; !known || x > old {
				score[i] = x
			}
		}
	}
	next := func(i int) []int { return p.web.next(i, !p.faithful) }
	if seen := map[int]bool{}; p.faithful {
		for _, i := range from {
			recall.DepthFirst(i, walkDepth, next, seen, visit)
		}
	} else {
		recall.BreadthFirst(from, walkDepth, next, func(i, _ int) { visit(i) })
	}
	best := recall.Best(score)
	s.List = best[:min(p.nodes, len(best))]
}

func (p *ng) Clone() native.Policy {
	c := *p
	c.st, c.web = p.st.Clone(), p.web.clone()
	return &c
}
