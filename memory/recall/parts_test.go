package recall

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"membench/internal/tokens"
	"membench/memory"
	"membench/memory/store"
	"membench/schema"
)

// The numbers that the published systems give, to six digits (facts/systems-native.md S6).
func TestPublishedNumbers(t *testing.T) {
	for name, c := range map[string][2]float64{
		"GA recency, 10 hours":              {math.Pow(0.995, 10), 0.951110},
		"NG succession, 10 minutes":         {math.Exp(-600.0 / 3600), 0.846482},
		"AUGUSTUS concept weight":           {ConceptTie(2, 5, 4, 3, 1), 0.707692},
		"AUGUSTUS nothing shared":           {ConceptTie(0, 5, 4, 3, 1), 0},
		"MemoryOS recency, 12 hours":        {Heat(0, 0, 12*time.Hour), 0.606531},
		"MemoryOS heat of four fresh pages": {Heat(0, 4, 0), 5},
		"Mem0 words, raw 8, 3 terms":        {BM25Sigmoid(8, 3), 0.890903},
		"Mem0 words, raw 8, 6 terms":        {BM25Sigmoid(8, 6), 0.645656},
		"Mem0 words, raw 9, 9 terms":        {BM25Sigmoid(9, 9), 0.5},
		"Mem0 words, raw 10, 15 terms":      {BM25Sigmoid(10, 15), 0.5},
		"Mem0 words, raw 12, many terms":    {BM25Sigmoid(12, 40), 0.5},
		"Mem0 entity of one memory":         {EntityBoost(.8, 1), 0.4},
		"Mem0 entity of fifty":              {EntityBoost(.8, 50), 0.117612},
		"Mem0 entity too far":               {EntityBoost(.49, 1), 0},
		"MemU salience":                     {Salience(.7, 3, 15*24*time.Hour), 0.686231},
		"MemU unknown age":                  {Salience(1, 1, -1), math.Ln2 / 2},
		"RRF from 0, constant 1":            {RRFScore(1, 0, 2), 1.333333},
		"RRF from 1, constant 60":           {RRFScore(60, 1, 3), 0.032266},
		"half of the question's concepts":   {Overlap([]string{"tea", "rain"}, []string{"Tea", "snow"}), 0.5},
		"no concepts":                       {Overlap(nil, []string{"tea"}), 0},
	} {
		if math.Abs(c[0]-c[1]) > 6e-7 {
			t.Errorf("%s: have %.6f, want %.6f", name, c[0], c[1])
		}
	}
}

// The walk of HippoRAG's worked example, and what holds of every walk.
func TestPageRank(t *testing.T) {
	a, b, p1, p2 := 0, 1, 2, 3
	links := []Link{{a, p1, 1}, {a, b, 2}, {b, p2, 1}}
	have := PageRank(4, links, []float64{.8, 0, .05, .02}, .5)
	for i, want := range []float64{.598686, .223974, .128517, .048823} {
		if math.Abs(have[i]-want) > 1e-6 {
			t.Errorf("node %d: have %.6f, want %.6f", i, have[i], want)
		}
	}
	for name, c := range map[string]struct {
		links []Link
		reset []float64
		sum   float64
	}{"nothing to start from": {links, []float64{0, 0, 0, 0}, 0}, "no links": {nil, []float64{1, 2, 3, 4}, 1}, "a lonely node": {[]Link{{0, 1, 1}}, []float64{1, 0, 0, 5}, 1}, "negative": {links, []float64{-1, 1, 0, 0}, 1}} {
		sum := 0.0
		for _, v := range PageRank(4, c.links, c.reset, .5) {
			sum += v
		}
		if math.Abs(sum-c.sum) > 1e-9 {
			t.Errorf("%s: adds up to %v, want %v", name, sum, c.sum)
		}
	}
}

// chain is a list of records a, b, c …, linked as told ("ab" links a to b), with times
// in the order of the records.
func chain(t *testing.T, texts string, links ...string) *store.Linear {
	t.Helper()
	l := store.New(store.Options{Scope: "s"})
	for i, name := range strings.Fields(texts) {
		r := store.Record{}
		r.ID, r.Text, r.Time = schema.PointID(name), name, fmt.Sprintf("2026-01-%02d", i+1)
		for _, x := range links {
			if x[:1] == name {
				r.Links = append(r.Links, schema.PointID(x[1:]))
			}
		}
		l.AppendVector(r, []float32{float32(math.Cos(float64(i) / 10)), float32(math.Sin(float64(i) / 10))})
	}
	return l
}

func at(l *store.Linear, pairs ...any) Stage {
	return func(_ context.Context, s *State) error {
		s.List = nil
		for i := 0; i < len(pairs); i += 2 {
			pos, ok := l.Find(schema.PointID(pairs[i].(string)))
			if !ok {
				return fmt.Errorf("no record %v", pairs[i])
			}
			s.List = append(s.List, Scored{pos, pairs[i+1].(float64)})
		}
		return nil
	}
}

func fixed(v map[string]float64) Signal {
	return Each(func(_ *State, _ int, r *store.Record) float64 { return v[string(r.ID)] })
}

func TestStages(t *testing.T) {
	l := chain(t, "a b c d e f", "ab", "bc", "cd", "ad", "ee")
	start := at(l, "a", .9, "f", .5)
	for _, c := range []struct {
		name string
		q    memory.Query
		p    Pipeline
		want string
	}{
		{"links, two at most", memory.Query{}, Pipeline{start, LinksExpand(2, .5)}, "a .9 f .5 b .45 d .45"},
		{"links, one at most", memory.Query{}, Pipeline{start, LinksExpand(1, .5)}, "a .9 f .5 b .45"},
		{"one hop", memory.Query{}, Pipeline{start, BFSExpand(1, .5)}, "a .9 f .5 b .45 d .45"},
		{"two hops: the better way counts", memory.Query{}, Pipeline{start, BFSExpand(2, .5)}, "a .9 f .5 b .45 d .45 c .225"},
		{"depth first, gated", memory.Query{}, Pipeline{start, DFSExpand(3, .4, fixed(map[string]float64{"a": .1, "b": .6, "c": .3, "d": .8, "f": .2}))}, "d .8 b .6 f .2 a .1"},
		{"depth first, no step", memory.Query{}, Pipeline{start, DFSExpand(0, .4, fixed(map[string]float64{"a": .1, "f": .2}))}, "f .2 a .1"},
		{"a walk stays with what has no links", memory.Query{}, Pipeline{at(l, "e", 1.0), PPRExpand(.5)}, "e 1"},
		{"valid at", memory.Query{AsOf: "2026-01-03"}, Pipeline{at(l, "e", 1.0, "c", .9, "a", .8), ValidAt()}, "c .9 a .8"},
		{"valid at, whenever", memory.Query{}, Pipeline{at(l, "e", 1.0, "a", .8), ValidAt()}, "e 1 a .8"},
		{"the latest of a group, in its first one's place", memory.Query{}, Pipeline{at(l, "b", 1.0, "f", .9, "a", .8), LatestOnly(math.Cos(.15))}, "b 1 f .9"},
		{"the latest comes from below", memory.Query{}, Pipeline{at(l, "a", 1.0, "f", .9, "b", .8), LatestOnly(math.Cos(.15))}, "b 1 f .9"},
		{"near ones go", memory.Query{}, Pipeline{at(l, "a", 1.0, "f", .9, "b", .8), DedupNear(math.Cos(.15))}, "a 1 f .9"},
		{"union", memory.Query{}, Pipeline{OrderedUnion(at(l, "a", .1, "b", .05), at(l, "b", .9, "c", .8))}, "a 1 b .5 c .333333"},
		{"in turn", memory.Query{}, Pipeline{RoundRobin(at(l, "a", .1, "b", .05), at(l, "c", .9, "a", .8, "d", .7))}, "a 1 c .5 b .333333 d .25"},
		{"quota", memory.Query{}, Pipeline{Quota(Share{1, at(l, "a", .1, "b", .05)}, Share{2, at(l, "a", .9, "c", .8, "d", .7, "e", .6)})}, "a 1 c .5 d .333333"},
		{"only some", memory.Query{}, Pipeline{at(l, "a", .9, "b", .8), Only(func(r *store.Record) bool { return r.ID == "b" })}, "b .8"},
		{"masked", memory.Query{}, Pipeline{Rank(IntentMask(func(i int) string { return []string{"home", "work"}[i%2] }, func(*State) map[string]float64 { return map[string]float64{"work": .7} }, .1), nil), TopK(4)}, "b .7 d .7 f .7 a .1"},
	} {
		if c.q.K == 0 {
			c.q.K = 10
		}
		r, err := c.p.Run(context.Background(), l, c.q)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, h := range r.Hits {
			have = append(have, string(h.ID), strings.TrimPrefix(fmt.Sprint(math.Round(h.Score*1e6)/1e6), "0"))
		}
		if s := strings.Join(have, " "); s != c.want {
			t.Errorf("%s: have %s, want %s", c.name, s, c.want)
		}
	}
}

// Mem0 2.x: the nearest by meaning alone are candidates, and the scale changes with what
// the question finds.
func TestMem0Additive(t *testing.T) {
	l := store.New(store.Options{Scope: "s", Words: &store.Words{}})
	for i, text := range []string{"green tea in the morning", "rain on the roof", "black coffee", "tea"} {
		r := store.Record{}
		r.Text = text
		l.AppendVector(r, []float32{1, float32(i)})
	}
	meaning := Each(func(_ *State, i int, _ *store.Record) float64 { return []float64{.6, .5, .05, .3}[i] })
	entity := func(sim float64) Signal {
		return EntityBoosts(func(context.Context, *State) ([]EntityMatch, error) {
			return []EntityMatch{{sim, []int{0}}, {.6, []int{0, 1}}}, nil
		})
	}
	ask := func(stage Stage, q string) string {
		r, err := Pipeline{stage}.Run(context.Background(), l, memory.Query{Text: q, K: 10})
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, h := range r.Hits {
			out += fmt.Sprintf("%s %.4f|", h.Text, h.Score)
		}
		return out
	}
	if have, want := ask(Mem0Additive(meaning, nil, nil, .1), "x"), "green tea in the morning 0.6000|rain on the roof 0.5000|tea 0.3000|"; have != want {
		t.Errorf("meaning alone: have %s, want %s", have, want)
	}
	if have, want := ask(Mem0Additive(meaning, WordSigmoid(), nil, .1), "snow"), "green tea in the morning 0.6000|rain on the roof 0.5000|tea 0.3000|"; have != want {
		t.Errorf("no word shared: have %s, want %s", have, want)
	}
	word := func(text string) float64 { return BM25Sigmoid(rawOf(t, l, "rain", text), len(tokens.Terms("rain"))) }
	if have, want := ask(Mem0Additive(meaning, WordSigmoid(), nil, .1), "rain"), fmt.Sprintf("green tea in the morning 0.3000|rain on the roof %.4f|tea 0.1500|", (.5+word("rain on the roof"))/2); have != want {
		t.Errorf("a word: have %s, want %s", have, want)
	}
	if have, want := ask(Mem0Additive(meaning, nil, entity(.8), .1), "x"), fmt.Sprintf("green tea in the morning %.4f|rain on the roof %.4f|tea 0.2000|", (.6+.4)/1.5, (.5+EntityBoost(.6, 2))/1.5); have != want {
		t.Errorf("an entity: have %s, want %s", have, want)
	}
	if v := (.6 + .5 + .4) / 2.5; math.Abs(v-.6) > 1e-9 {
		t.Errorf("all three: have %v", v)
	}
}

func rawOf(t *testing.T, l *store.Linear, q, text string) float64 {
	t.Helper()
	for i, v := range l.WordScores(nil, q) {
		if l.At(i).Text == text {
			return v
		}
	}
	t.Fatalf("no record %q", text)
	return 0
}

// Cutting keeps whole characters and the budget, whatever the text.
func FuzzHeadTail(f *testing.F) {
	f.Add("Once upon a time, 从前有座山, there was rain.", 5)
	f.Add("", 0)
	f.Fuzz(func(t *testing.T, text string, n int) {
		n = max(0, min(n, 1000))
		have := HeadTail(text, n, .7, " … ")
		if TokensOf(text) <= n {
			if have != text {
				t.Fatalf("a text that fits was cut: %q", have)
			}
			return
		}
		if got := TokensOf(have); got > max(n, TokensOf(" … "))+1 { // a word cut in two counts once more
			t.Fatalf("%d tokens, want at most %d: %q", got, n, have)
		}
		if h := Head(text, n); !strings.HasPrefix(text, h) || TokensOf(h) > n {
			t.Fatalf("%q is no beginning of %q within %d", h, text, n)
		}
	})
}

func TestSections(t *testing.T) {
	if have := Sections(Section{"Profile", "likes tea"}, Section{"Pages", " "}, Section{"Knowledge", "tea is green"}); have != "## Profile\nlikes tea\n\n## Knowledge\ntea is green" {
		t.Errorf("have %q", have)
	}
}
