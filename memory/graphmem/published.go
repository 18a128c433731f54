package graphmem

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"membench/internal/rank"
	"membench/llm"
	"membench/memory"
	"membench/memory/recall"
	"membench/schema"
)

// Rankings of Options.Ranking.
const (
	Sum      = ""         // the weighted sum of parts
	HippoRAG = "hipporag" // as HippoRAG 2 does, by rule: facts/systems-native.md §10.1
	Graphiti = "graphiti" // as Graphiti's search of edges does: §10.2
)

// Settings of the two, as published.
const (
	hippoFacts   = 5   // linking_top_k: facts, and things, that start the walk
	hippoKeep    = .5  // of the best fact's score: instead of a model that filters facts
	hippoPassage = .05 // passage_node_weight
	hippoDamping = .5
	hippoSynonym = .8 // cosine of two names that count as one thing
	hippoNames   = 2000
	graphitiCos  = .2 // its 0.6 on Neo4j's scale (1+cos)/2
)

// factVectors embeds the claims, once each.
func (v *view) factVectors(ctx context.Context, s *recall.State) ([][]float32, error) {
	if v.factVecs == nil {
		v.factVecs = map[string][]float32{}
	}
	texts := make([]string, len(v.facts))
	for i := range v.facts {
		texts[i] = v.facts[i].words()
	}
	return v.vectors(ctx, s, texts)
}

// vectors embeds what was not embedded before.
func (v *view) vectors(ctx context.Context, s *recall.State, texts []string) ([][]float32, error) {
	var want []string
	for _, t := range texts {
		if _, ok := v.factVecs[t]; !ok {
			want = append(want, t)
		}
	}
	if len(want) > 0 {
		out, err := llm.Embed(ctx, v.st.Embed(), want)
		s.Usage = s.Usage.Add(out.Usage)
		if err != nil {
			return nil, err
		}
		if len(out.Vectors) != len(want) {
			return nil, fmt.Errorf("embedding %d claims with %s: have %d vectors", len(want), v.st.Embed().Profile(), len(out.Vectors))
		}
		for i, t := range want {
			v.factVecs[t] = out.Vectors[i]
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = v.factVecs[t]
	}
	return out, nil
}

func cosines(q []float32, all [][]float32) []float64 {
	out := make([]float64, len(all))
	for i, x := range all {
		for j := range x {
			out[i] += float64(q[j]) * float64(x[j])
		}
	}
	return out
}

func minmax(x []float64, use []bool) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, y := range x {
		if use == nil || use[i] {
			lo, hi = min(lo, y), max(hi, y)
		}
	}
	for i := range x {
		if hi > lo {
			x[i] = (x[i] - lo) / (hi - lo)
		} else {
			x[i] = 0
		}
	}
}

// hippo ranks turns (its passages) by PageRank from the facts nearest to the question.
// Without a fact it is dense retrieval. It has no time: nothing is omitted as outdated.
func (v *view) hippo(ctx context.Context, s *recall.State, use []bool) ([]float64, error) {
	q, err := s.Vector(ctx, s.Query.Text)
	if err != nil {
		return nil, err
	}
	dense := v.st.Cosines(nil, q)
	minmax(dense, use)
	if len(v.facts) == 0 {
		return dense, nil
	}
	g := v.network()
	vecs, err := v.factVectors(ctx, s)
	if err != nil {
		return nil, err
	}
	facts := cosines(q, vecs)
	minmax(facts, nil)
	n := v.st.Len()
	things := make([]float64, len(g.things))
	count := make([]float64, len(g.things))
	top := best(facts, hippoFacts)
	for _, f := range top {
		if facts[f] < hippoKeep*facts[top[0]] {
			continue
		}
		for _, e := range g.endsOf[f] {
			chunks := map[int]bool{}
			for _, o := range g.factsOf[e] {
				for _, at := range g.turnsOf[o] {
					chunks[at] = true
				}
			}
			things[e] += facts[f] / float64(max(1, len(chunks)))
			count[e]++
		}
	}
	for e := range things {
		if count[e] > 0 {
			things[e] /= count[e]
		}
	}
	linked := best(things, hippoFacts)
	if len(linked) == 0 {
		return dense, nil
	}
	links, err := v.hippoLinks(ctx, s, g)
	if err != nil {
		return nil, err
	}
	reset := make([]float64, n+len(g.things))
	for i, x := range dense {
		if use[i] {
			reset[i] = hippoPassage * x
		}
	}
	for _, e := range linked {
		reset[n+e] = things[e]
	}
	return recall.PageRank(len(reset), links, reset, hippoDamping)[:n], nil
}

// hippoLinks joins turns and things: a turn with the things of its claims 1, the ends of
// a claim 1 each time they meet, names of nearly one meaning by their cosine.
func (v *view) hippoLinks(ctx context.Context, s *recall.State, g *net) ([]recall.Link, error) {
	if g.links != nil {
		return g.links, nil
	}
	n := v.st.Len()
	links := []recall.Link{}
	join := func(a, b int, w float64) { links = append(links, recall.Link{A: a, B: b, Weight: w}) }
	met := map[[2]int]bool{}
	for i := range v.facts {
		ends := g.endsOf[i]
		if len(ends) == 2 && ends[0] != ends[1] {
			join(n+ends[0], n+ends[1], 1)
		}
		for _, at := range g.turnsOf[i] {
			for _, e := range ends {
				if !met[[2]int{at, e}] {
					met[[2]int{at, e}] = true
					join(at, n+e, 1)
				}
			}
		}
	}
	if len(g.things) <= hippoNames {
		names := make([]string, len(g.things))
		for e, id := range g.things {
			names[e] = schema.Unescape(string(id))
		}
		vecs, err := v.vectors(ctx, s, names)
		if err != nil {
			return nil, err
		}
		for a := range vecs {
			for b, c := range cosines(vecs[a], vecs[:a]) {
				if c >= hippoSynonym && len(names[a]) > 2 && len(names[b]) > 2 {
					join(n+a, n+b, c)
				}
			}
		}
	}
	g.links = links
	return links, nil
}

// graphiti ranks claims (its edges) by the reciprocal ranks of BM25 and cosine, ranks
// from 0 and constant 1, twice as many candidates as asked for from each. Claims that no
// longer hold are not left out; the text says when they held.
func (v *view) graphiti(ctx context.Context, s *recall.State, use []bool) ([]memory.Hit, error) {
	q, err := s.Vector(ctx, s.Query.Text)
	if err != nil || len(v.facts) == 0 {
		return nil, err
	}
	vecs, err := v.factVectors(ctx, s)
	if err != nil {
		return nil, err
	}
	near := cosines(q, vecs)
	for i := range near {
		if near[i] < graphitiCos {
			near[i] = 0
		}
	}
	score := make([]float64, len(v.facts))
	for _, list := range [][]float64{v.claimWords.Dense(nil, s.Query.Text, len(v.facts)), near} {
		for r, f := range best(list, 2*s.Query.K) {
			score[f] += 1 / float64(r+1)
		}
	}
	var all []rank.Scored[memory.Hit]
	for i, x := range score {
		rec := v.claimRecord(&v.facts[i])
		if x == 0 || !slices.ContainsFunc(rec.Sources, func(r schema.EventRef) bool { return use[v.at[r]] }) {
			continue
		}
		all = append(all, rank.Scored[memory.Hit]{ID: string(rec.ID), Score: rank.Round6(x), V: memory.Hit{ID: rec.ID, Text: rec.Text, Sources: rec.Sources, Meta: rec.Meta}})
	}
	var out []memory.Hit
	for _, h := range rank.Top(all, s.Query.K) {
		h.V.Score = h.Score
		out = append(out, h.V)
	}
	return out, nil
}

// A net is what claims speak of, for HippoRAG's walk.
type net struct {
	things  []schema.NodeID
	factsOf [][]int       // by thing
	endsOf  [][]int       // things, by claim
	turnsOf [][]int       // by claim
	links   []recall.Link // of turns and things; nil until they are asked for
}

// network makes the net of the view.
func (v *view) network() *net {
	if v.walked != nil {
		return v.walked
	}
	g := &net{endsOf: make([][]int, len(v.facts)), turnsOf: make([][]int, len(v.facts))}
	thing := map[schema.NodeID]int{}
	for i := range v.facts {
		f := &v.facts[i]
		for _, id := range []schema.NodeID{f.Subject, f.Object} {
			if id == "" {
				continue
			}
			e, ok := thing[id]
			if !ok {
				e = len(g.things)
				thing[id] = e
				g.things, g.factsOf = append(g.things, id), append(g.factsOf, nil)
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
	v.walked = g
	return g
}

// best are the positions of the k greatest positive values, greatest first.
func best(x []float64, k int) (out []int) {
	for i, y := range x {
		if y > 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(x[b], x[a]), a-b) })
	return out[:min(k, len(out))]
}
