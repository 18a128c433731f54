package graphmem

import (
	"context"
	"math"
	"slices"
	"strings"

	"membench/internal/bm25"
	"membench/internal/tokens"
	"membench/memory/recall"
	"membench/schema"
)

// The parts of the ranking that look at claims and the things that they speak of.

// graphScore adds the weighted parts.
func (v *view) graphScore(ctx context.Context, s *recall.State, w Weights, use []bool, plus func(float64, []float64)) error {
	if w.IsA != 0 {
		plus(w.IsA, v.isA(s))
	}
	if w.Claims == 0 && w.Entities == 0 && w.Walk == 0 && w.PageRank == 0 && w.Outdated == 0 {
		return nil
	}
	n := v.st.Len()
	end, limited := until(s.Query.AsOf)
	valid := make([]bool, len(v.facts))
	for i := range v.facts {
		valid[i], _ = v.holds(&v.facts[i], end, limited)
	}
	if w.Outdated != 0 && !asksHistory(s.Query.Text) {
		x := v.take(n)
		for at, facts := range v.claims {
			if !slices.ContainsFunc(facts, func(f int) bool { return valid[f] }) {
				x[at] = 1
			}
		}
		plus(w.Outdated, x)
	}
	if w.Claims != 0 {
		each := v.claimWords.Dense(v.take(len(v.facts)), s.Query.Text, len(v.facts))
		x := v.take(n)
		for at, facts := range v.claims {
			for _, f := range facts {
				x[at] = max(x[at], each[f])
			}
		}
		z(x, use)
		plus(w.Claims, x)
	}
	if w.Entities == 0 && w.Walk == 0 && w.PageRank == 0 {
		return nil
	}
	g := v.network()
	linked := g.link(v, s.Query.Text)
	if w.Entities != 0 {
		x := v.take(n)
		for _, e := range linked {
			for _, f := range g.factsOf[e] {
				for _, at := range g.turnsOf[f] {
					x[at] = 1
				}
			}
		}
		plus(w.Entities, x)
	}
	if w.Walk == 0 && w.PageRank == 0 {
		return nil
	}
	mean, err := v.meaning(ctx, s, use)
	if err != nil {
		return err
	}
	if w.Walk != 0 {
		x := g.walk(linked, mean, n)
		z(x, use)
		plus(w.Walk, x)
	}
	if w.PageRank != 0 {
		x := g.rankTurns(v, s, linked, mean, use)
		z(x, use)
		plus(w.PageRank, x)
	}
	return nil
}

var historyWords = []string{"used to", "before", "previous", "former", "originally", "at first", "earlier", "history", "change", "以前", "之前", "原来", "曾经", "最初", "过去", "变化"}

// asksHistory reports whether a question is about what held before.
func asksHistory(q string) bool {
	q = strings.ToLower(q)
	return slices.ContainsFunc(historyWords, func(w string) bool { return strings.Contains(q, w) })
}

// isA is min(8, Σ idf of the members that the turn has)/5 for the classes that the
// question names: facts/retrieval.md §2, with the lexicon of
// tokens.Kin, which was not read off any data set.
func (v *view) isA(s *recall.State) []float64 {
	if v.kin == nil {
		v.kin = &bm25.Index{Cut: tokens.Terms}
	}
	n := v.st.Len()
	for i := v.kinned; i < n; i++ {
		v.kin.Set(i, opening(v.st.At(i).Text))
	}
	v.kinned = n
	out, counted := v.take(n), v.take(n)
	for k, t := range tokens.Kin(s.Query.Text) {
		idf, kin := v.kin.IDF(t), float64(k+1)
		v.kin.Each(t, func(doc int) {
			if counted[doc] != kin {
				counted[doc], out[doc] = kin, out[doc]+idf
			}
		})
	}
	for i := range out {
		out[i] = min(8, out[i]) / 5
	}
	return out
}

// A net is turns, claims and the things that claims speak of, for walks. Vertices:
// turns first, then claims, then things.
type net struct {
	things  []schema.NodeID
	thing   map[schema.NodeID]int
	names   [][]string    // terms of a thing's name
	people  []bool        // a speaker: walks do not start there, they reach everything
	factsOf [][]int       // by thing
	endsOf  [][]int       // things, by claim
	turnsOf [][]int       // by claim
	links   []recall.Link // of the vertices: turns, claims, things
	hippo   []recall.Link // HippoRAG's, of turns and things; nil until it is asked for
}

// network makes the net of the view: claim–thing 1, claim–turn 1, NEXT 0.1, each
// divided by ln(2 + degree) of a thing, so that hubs do not drown the rest.
func (v *view) network() *net {
	if v.walked != nil {
		return v.walked
	}
	g := &net{thing: map[schema.NodeID]int{}, endsOf: make([][]int, len(v.facts)), turnsOf: make([][]int, len(v.facts))}
	for i := range v.facts {
		f := &v.facts[i]
		for _, id := range []schema.NodeID{f.Subject, f.Object} {
			if id == "" {
				continue
			}
			e, ok := g.thing[id]
			if !ok {
				e = len(g.things)
				g.thing[id] = e
				prefix, name, _ := strings.Cut(string(id), ":")
				g.things = append(g.things, id)
				g.names = append(g.names, tokens.Snowball(schema.Unescape(name)))
				g.people = append(g.people, prefix == "user" || prefix == "agent" || prefix == "char")
				g.factsOf = append(g.factsOf, nil)
			}
			g.factsOf[e] = append(g.factsOf[e], i)
			g.endsOf[i] = append(g.endsOf[i], e)
		}
		for _, q := range f.Evidence {
			for _, r := range q.Turns {
				if at, ok := v.at[r]; ok && !slices.Contains(g.turnsOf[i], at) {
					g.turnsOf[i] = append(g.turnsOf[i], at)
				}
			}
		}
	}
	n := v.st.Len()
	join := func(a, b int, w float64) { g.links = append(g.links, recall.Link{A: a, B: b, Weight: w}) }
	for i := range v.facts {
		for _, e := range g.endsOf[i] {
			join(n+i, n+len(v.facts)+e, 1/math.Log(2+float64(len(g.factsOf[e]))))
		}
		for _, at := range g.turnsOf[i] {
			join(n+i, at, 1)
		}
	}
	for i, a := range v.after {
		if a >= 0 {
			join(i, int(a), .1)
		}
	}
	v.walked = g
	return g
}

// link finds the things whose whole name stands in the question. Speakers count only
// when nothing else is named.
func (g *net) link(v *view, question string) (out []int) {
	have := map[string]bool{}
	for _, t := range tokens.Snowball(question) {
		have[t] = true
	}
	var people []int
	for e, name := range g.names {
		if len(name) == 0 || slices.ContainsFunc(name, func(t string) bool { return !have[t] }) {
			continue
		}
		if g.people[e] {
			people = append(people, e)
		} else {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return people
	}
	return out
}

// walk scores the turns of claims at most two hops from the linked things by
// 0.5^hop · (1 + z of the cosine), at least 0.
func (g *net) walk(linked []int, mean []float64, n int) []float64 {
	x := make([]float64, n)
	hop := map[int]int{}
	frontier := linked
	for h := 1; h <= 2; h++ {
		var next []int
		for _, e := range frontier {
			if h > 1 && g.people[e] {
				continue
			}
			for _, f := range g.factsOf[e] {
				if hop[f] != 0 {
					continue
				}
				hop[f] = h
				for _, at := range g.turnsOf[f] {
					x[at] = max(x[at], math.Pow(.5, float64(h))*max(0, 1+mean[at]))
				}
				next = append(next, g.endsOf[f]...)
			}
		}
		frontier = next
	}
	return x
}

// rankTurns is PageRank from the linked things (each 1/its claims), the five best
// claims by words (min–max, to their ends) and every turn (0.05 · min–max of its
// meaning): facts/systems-native.md §10.3.
func (g *net) rankTurns(v *view, s *recall.State, linked []int, mean []float64, use []bool) []float64 {
	n, m := v.st.Len(), len(v.facts)
	reset := make([]float64, n+m+len(g.things))
	for _, e := range linked {
		reset[n+m+e] += 1 / float64(max(1, len(g.factsOf[e])))
	}
	words := v.claimWords.Dense(nil, s.Query.Text, m)
	for _, f := range best(words, 5) {
		for _, e := range g.endsOf[f] {
			reset[n+m+e] += words[f] / words[best(words, 1)[0]] / float64(len(g.endsOf[f]))
		}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, x := range mean {
		if use[i] {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	for i, x := range mean {
		if use[i] && hi > lo {
			reset[i] += .05 * (x - lo) / (hi - lo)
		}
	}
	return recall.PageRank(len(reset), g.links, reset, .5)[:n]
}

// best are the positions of the k greatest positive values, greatest first.
func best(x []float64, k int) (out []int) {
	for i, y := range x {
		if y > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch {
		case x[a] > x[b]:
			return -1
		case x[a] < x[b]:
			return 1
		}
		return a - b
	})
	return out[:min(k, len(out))]
}
