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
	Edge  float64 `json:"edge"`  // least cosine of an edge; 0: 0.6, or that of the hashing embedder
	Keep  float64 `json:"keep"`  // least cosine of what a walk collects; 0: 0.4, or that of the hashing embedder
	Near  int     `json:"near"`  // edges from so many similar entries
	Nodes int     `json:"nodes"` // shown at most
	ImageOptions
}

// NGMemory is a graph of entries: an edge from each to the next, and from similar older
// ones to each. Questions start at the three nearest and walk three steps.
//
// Faithful: edges lead to newer entries only, one walk's visits bar the next, and an
// entry's score grows with its degree without bound. Fixed: edges lead both ways, each
// entry is met by its shortest way, and the degree counts by its logarithm. Weights of
// edges are kept and not used in either, as published.
func NGMemory() memory.Spec {
	return modal("NGMemory", "a graph of entries, walked from the nearest (neural graph memory, Mem-Gallery)", NGOptions{Near: 10, Nodes: 10}, func(d memory.Deps, o NGOptions) (memory.System, error) {
		seen, err := o.load()
		if err != nil {
			return nil, err
		}
		d = memory.Deps{Embed: embedder(d)}
		caps := ranked(native.Pair, 1)
		caps.Notes = []string{byCaption}
		gated(&caps, d.Embed)
		edge, keep := gate(o.Edge, d.Embed, 0.6, hashEdge), gate(o.Keep, d.Embed, 0.4, hashNear)
		return native.New(native.Options{Name: "NGMemory", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &ng{o: o, edge: edge, keep: keep, seen: seen, st: store.New(store.Options{Scope: scope, Embed: d.Embed})}
		}}), nil
	})
}

// An edge leads from an older entry to a newer.
type edge struct {
	to     int
	kind   string
	weight float64
}

// web are the edges of entries by position.
type web struct {
	out, in [][]edge
}

func (w *web) grow() { w.out, w.in = append(w.out, nil), append(w.in, nil) }

// connect adds an edge; the first of a pair stands.
func (w *web) connect(from, to int, kind string, weight float64) {
	if !slices.ContainsFunc(w.in[to], func(e edge) bool { return e.to == from }) {
		w.out[from] = append(w.out[from], edge{to, kind, weight})
		w.in[to] = append(w.in[to], edge{from, kind, weight})
	}
}

func (w *web) degree(i int) int { return len(w.out[i]) + len(w.in[i]) }

// next are the ends of edges, out of i or both ways.
func (w *web) next(i int, both bool) (out []int) {
	for _, e := range w.out[i] {
		out = append(out, e.to)
	}
	if both {
		for _, e := range w.in[i] {
			out = append(out, e.to)
		}
	}
	return out
}

func (w *web) clone() web {
	c := web{out: make([][]edge, len(w.out)), in: make([][]edge, len(w.in))}
	for i := range w.out {
		c.out[i], c.in[i] = slices.Clone(w.out[i]), slices.Clone(w.in[i])
	}
	return c
}

type ng struct {
	o          NGOptions
	edge, keep float64
	seen       images
	st         *store.Linear
	web        web
}

func (p *ng) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	v, err := p.seen.see(ctx, p.st.Embed(), o, r)
	if err != nil {
		return err
	}
	p.seen.unseen(o, r)
	near := recall.Nearest(p.st, v, p.o.Near, nil)
	rec := o.Record(o.Kind())
	n := p.st.Len()
	p.web.grow()
	if n > 0 {
		p.web.connect(n-1, n, "temporal_succession", succession(p.st.At(n-1).Time, rec.Time))
	}
	for _, c := range near {
		if c.Score >= p.edge {
			p.web.connect(c.Pos, n, "semantic_similarity", c.Score)
		}
	}
	rec.Links = linksOf(p.st, p.web.in[n])
	p.st.AppendVector(rec, v)
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: p.st.At(n).ID, New: o.Text})
	return nil
}

func linksOf(st *store.Linear, edges []edge) (out []schema.PointID) {
	for _, e := range edges {
		out = append(out, st.At(e.to).ID)
	}
	slices.Sort(out)
	return out
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

// succession is the weight of an edge in time: exp(−hours).
func succession(from, to string) float64 { return math.Exp(-seconds(from, to) / 3600) }

// boosted is a cosine with the node's degree: published by a tenth an edge.
func boosted(cos float64, degree int, faithful bool) float64 {
	if faithful {
		return cos * (1 + 0.1*float64(degree))
	}
	return cos * (1 + 0.1*math.Log(1+float64(degree)))
}

func (p *ng) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	const starts, depth = 3, 3
	faithful := p.o.Mode == native.Faithful
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		if p.st.Len() == 0 {
			return nil
		}
		v, err := s.Vector(ctx, q.Text)
		if err != nil {
			return err
		}
		v = p.seen.asked(v, q)
		cos := p.st.Cosines(nil, v)
		score := map[int]float64{}
		var from []int
		for _, c := range recall.Nearest(p.st, v, starts, s.Eligible) {
			from = append(from, c.Pos)
			score[c.Pos] = boosted(cos[c.Pos], p.web.degree(c.Pos), faithful)
		}
		visit := func(i int) {
			if cos[i] >= p.keep && s.Eligible(i) {
				score[i] = boosted(cos[i], p.web.degree(i), faithful)
			}
		}
		walk(&p.web, from, depth, faithful, visit)
		best := recall.Best(score)
		s.List = best[:min(p.o.Nodes, len(best))]
		return nil
	}}.Run(ctx, p.st, q)
}

// walk visits what can be reached: depth first over edges to newer entries, as published,
// or breadth first over edges of both ways.
func walk(w *web, from []int, depth int, faithful bool, visit func(int)) {
	if !faithful {
		recall.BreadthFirst(from, depth, func(i int) []int { return w.next(i, true) }, func(i, _ int) { visit(i) })
		return
	}
	seen := map[int]bool{}
	for _, i := range from {
		recall.DepthFirst(i, depth, func(i int) []int { return w.next(i, false) }, seen, visit)
	}
}

func (p *ng) Records() []store.Record { return p.st.Records() }

func (p *ng) Clone() native.Policy {
	c := *p
	c.st, c.web = p.st.Clone(), p.web.clone()
	return &c
}
