package baseline

import (
	"math"
	"testing"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// TestNumericVectors holds the numbers that the reference gives for parts of the systems
// (facts/systems-native.md, S6).
func TestNumericVectors(t *testing.T) {
	fused := recall.Fused(60, []recall.Scored{{Pos: 1}, {Pos: 2}}, []recall.Scored{{Pos: 3}, {Pos: 4}, {Pos: 1}})
	zero := recall.Fused(0, []recall.Scored{{Pos: 1}, {Pos: 2}}, []recall.Scored{{Pos: 3}, {Pos: 4}, {Pos: 1}})
	rank := recall.PageRank(4, []recall.Link{{A: 0, B: 2, Weight: 1}, {A: 0, B: 1, Weight: 2}, {A: 1, B: 3, Weight: 1}}, []float64{.8, 0, .05, .02}, .5)
	for what, c := range map[string]struct{ have, want float64 }{
		"GA recency after 10":                {fades(0.995, 10), 0.951110},
		"GA recency after 100":               {fades(0.995, 100), 0.605770},
		"MemoryOS recency after 12 h":        {recency(12), 0.606531},
		"MemoryOS heat":                      {heat(0, 4, 1), 5},
		"mem0-v2 BM25, 3 terms":              {bm25Sigmoid(8, 3), 0.890903},
		"mem0-v2 BM25, 6 terms":              {bm25Sigmoid(8, 6), 0.645656},
		"mem0-v2 name of one fact":           {nameBoost(.8, 1), 0.4},
		"mem0-v2 name of 50 facts":           {nameBoost(.8, 50), 0.117612},
		"mem0-v2 sum":                        {combine(.6, .5, .4, 2.5), 0.6},
		"MemU salience":                      {salience(.7, 3, 15), 0.686231},
		"RRF 60, ranks 1 and 3":              {fused[0].Score, 0.032266},
		"RRF of Graphiti, ranks 0 and 2":     {zero[0].Score, 1.333333},
		"Neo4j's 0.6 as a cosine":            {graphitiNear, 0.2},
		"HippoRAG walk, A":                   {rank[0], 0.598686},
		"HippoRAG walk, B":                   {rank[1], 0.223974},
		"HippoRAG walk, P1":                  {rank[2], 0.128517},
		"HippoRAG walk, P2":                  {rank[3], 0.048823},
		"NG boost published, degree 20":      {boosted(.5, 20, true), 1.5},
		"NG boost fixed, degree 20":          {boosted(.5, 20, false), .5 * (1 + .1*math.Log(21))},
		"one Jaccard share":                  {op.Share([]string{"a", "b"}, []string{"b", "c"}), 1.0 / 3},
		"joint vector of a text and a image": {float64(joint([]float32{1, 0}, []float32{0, 2})[1]), math.Sqrt2 / 2},
	} {
		if math.Abs(c.have-c.want) > 1e-6 {
			t.Errorf("%s: have %.7f, want %.6f", what, c.have, c.want)
		}
	}
}

// TestWalks: depth first, as published, an entry met first far from the start is not gone
// on from; breadth first each is met by its shortest way.
func TestWalks(t *testing.T) {
	// 0 → 1 → 2 → 3 and 0 → 3 → 4 → 5: in depth 2, depth first meets 3 never by way of 2.
	next := map[int][]int{0: {1, 3}, 1: {3}, 3: {4}, 4: {5}}
	visit := func(depth int, first bool) (out []int) {
		step := func(i int) []int { return next[i] }
		if first {
			recall.DepthFirst(0, depth, step, map[int]bool{}, func(i int) { out = append(out, i) })
		} else {
			recall.BreadthFirst([]int{0}, depth, step, func(i, _ int) { out = append(out, i) })
		}
		return out
	}
	if have := visit(2, true); len(have) != 3 { // 0 1 3: 3 is met at depth 2 and not gone on from
		t.Errorf("depth first: have %v, want 0, 1, 3", have)
	}
	if have := visit(2, false); len(have) != 4 {
		t.Errorf("breadth first: have %v, want 0, 1, 3, 4", have)
	}
}

// TestInvalidate: which of two contradicting facts ends, and when.
func TestInvalidate(t *testing.T) {
	for _, c := range []struct {
		new, old op.Span
		oldEnds  bool
		until    string
		ok       bool
	}{
		{op.Span{From: "2025-03"}, op.Span{From: "2025-01"}, true, "2025-03", true},
		{op.Span{From: "2025-01"}, op.Span{From: "2025-03"}, false, "2025-03", true},
		{op.Span{From: "2025-03"}, op.Span{From: "2025-03"}, false, "", false},
		{op.Span{From: "2025-03"}, op.Span{}, false, "", false},
		{op.Span{From: "2025-03"}, op.Span{From: "2025-01", Until: "2025-02"}, false, "", false},
		{op.Span{From: "2025-01", Until: "2025-02"}, op.Span{From: "2025-02"}, false, "", false},
	} {
		oldEnds, until, ok := op.Invalidate(c.new, c.old)
		if oldEnds != c.oldEnds || until != c.until || ok != c.ok {
			t.Errorf("%+v against %+v: have %t %q %t, want %t %q %t", c.new, c.old, oldEnds, until, ok, c.oldEnds, c.until, c.ok)
		}
	}
}

// TestRepeats: the share of words that two texts have in common.
func TestRepeats(t *testing.T) {
	if !op.Repeats("a b c d e", []string{"x", "a b c d e"}, .8) || op.Repeats("a b c d e", []string{"a b c d f"}, .8) || op.Repeats("", []string{""}, .8) {
		t.Error("the same words are a repeat, four of six are none, and nothing repeats nothing")
	}
}

// TestEdgesKeepTheFirst: two entries are joined once.
func TestEdgesKeepTheFirst(t *testing.T) {
	var w web
	w.grow()
	w.grow()
	w.connect(0, 1)
	w.connect(0, 1)
	if len(w.out[0]) != 1 || len(w.in[1]) != 1 || w.degree(0) != 1 {
		t.Errorf("have %+v", w)
	}
}

// TestMemoryOSHeat: published, a segment is as hot as if it was visited now; fixed, it
// cools down in the dialogue's time.
func TestMemoryOSHeat(t *testing.T) {
	for mode, want := range map[string]float64{"faithful": 5, "fixed": 4 + math.Exp(-1)} {
		p := &mos{o: MOSOptions{ModeOptions: ModeOptions{mode}}, now: "2025-03-02T08:00:00Z"}
		s := &segment{length: 4, visited: "2025-03-01T08:00:00Z"}
		if p.warm(s); math.Abs(s.heat-want) > 1e-9 {
			t.Errorf("%s: heat %v, want %v", mode, s.heat, want)
		}
	}
}

// TestFlawsInside: where a flaw is not seen from outside: the weights of ties and the
// divisors of scores of the two modes.
func TestFlawsInside(t *testing.T) {
	for _, mode := range []string{native.Fixed, native.Faithful} {
		faithful := mode == native.Faithful
		pick := func(fixed, published float64) float64 {
			if faithful {
				return published
			}
			return fixed
		}
		g := &ga{o: GAOptions{ModeOptions: ModeOptions{mode}}, list: list{st: store.New(store.Options{Scope: "s"})}}
		for i := range 6 { // each stands on the one before
			r := store.Record{Item: memory.Item{Text: "x"}}
			if i > 0 {
				r.Links = []schema.PointID{g.st.At(i - 1).ID}
			}
			g.st.AppendVector(r, nil)
		}
		h := &hippo{o: HippoOptions{ModeOptions: ModeOptions{mode}}, list: list{st: store.New(store.Options{Scope: "s"})},
			triples: []hippoFact{{from: 0, to: 1}}, facts: lexicon{of: [][]int{{0}}}, synonyms: []recall.Link{{A: 0, B: 1, Weight: .9}}}
		m := &m2{o: Mem0V2Options{ModeOptions: ModeOptions{mode}}}
		for what, c := range map[string]struct{ have, want float64 }{
			"GA: what insights upon insights stand on":  {float64(len(g.expand([]int{5}))), pick(3, 6)},
			"HippoRAG: a fact and a synonym of one tie": {h.network()[0].Weight, pick(2.9, .9)},
			"mem0-v2: divisor without words and names":  {m.divisor(nil, nil), pick(2.5, 1)},
			"mem0-v2: divisor with words":               {m.divisor(map[int]float64{0: 1}, nil), pick(2.5, 2)},
		} {
			if math.Abs(c.have-c.want) > 1e-6 {
				t.Errorf("%s, %s: have %v, want %v", mode, what, c.have, c.want)
			}
		}
	}
}
