package graphtest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"membench/graph"
	"membench/schema"
)

// A Searchable is a store with every ability of package graph.
type Searchable interface {
	graph.Store
	graph.Searcher
	graph.Vectors
	graph.PathFinder
}

// corpus is a small graph of memories in two languages, people and topics. Its vectors
// are made of the texts' bytes: close for texts that share much.
func corpus() (cs []schema.Change, vectors map[schema.NodeID][]float32) {
	vectors = map[schema.NodeID][]float32{}
	subjects := []string{"Mo", "Lanxi", "小北", "林夏"}
	facts := []string{"likes green tea in the morning", "studies the history of maps", "moved to a house by the river", "经常使用笔记功能来记录小事", "喜欢猫，家里有两只黑猫", "在杭州的数据中心值夜班",
		"runs the `deploy\\u0060 script; DROP everything", "wrote a weekly report (周报) about outages", "has \"quoted\" AND OR NOT + - && || ! ( ) { } [ ] ^ ~ * ? : /", "猫"}
	for i, s := range subjects {
		cs = append(cs, Put(Node("user:"+s, "User", fmt.Sprintf(`{"name":%q,"rank":%d,"active":%t}`, s, i%2, i < 2))))
	}
	for i := range 80 {
		who := subjects[i%len(subjects)]
		text := fmt.Sprintf("%s %s, note %d", who, facts[i%len(facts)], i)
		id := fmt.Sprintf("mem:%03d", i)
		var props schema.ObjectBuilder
		props.String("data", text)
		props.String("name", "memory "+id)
		cs = append(cs, Put(schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{"MemoryItem"}, Props: props.Object()}}))
		cs = append(cs, Put(Edge("OWNS_MEMORY", "user:"+who, id, "")))
		if i > 0 {
			cs = append(cs, Put(Edge("NEXT", fmt.Sprintf("mem:%03d", i-1), id, "")))
		}
		vectors[schema.NodeID(id)] = vectorOf(text)
	}
	return cs, vectors
}

// vectorOf hashes the pairs of bytes of a text into 32 dimensions, length 1.
func vectorOf(text string) []float32 {
	v := make([]float64, 32)
	for i := range len(text) - 1 {
		v[(int(text[i])*31+int(text[i+1]))%len(v)]++
	}
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(x / math.Sqrt(sum))
	}
	return out
}

var queries = []string{"green tea", "study of maps", "studied maps by the river", "记录小事", "黑猫", "猫", "杭州 值夜班 report", "weekly 周报", "deploy script", `quoted "AND" (NOT) * : \`, "nothing of this", "", "的"}

// RunSearch tests search, vectors and paths of a store against graph.Local, which
// looks at every node: hits have the same scores, structural reads the same order. A
// service may propose fewer candidates; the recall of its answers within the first ten
// is logged, and must be at least 0.95 over all queries.
func RunSearch(t *testing.T, open func(t *testing.T) Searchable) {
	ctx := context.Background()
	cs, vectors := corpus()
	local := graph.NewLocal()
	s := open(t)
	for _, g := range []Searchable{local, s} {
		if _, err := g.Apply(ctx, graph.Changes(cs...)); err != nil {
			t.Fatal(err)
		}
		if err := g.PutVectors(ctx, vectors); err != nil {
			t.Fatal(err)
		}
		if err := g.PutVectors(ctx, map[schema.NodeID][]float32{"mem:nowhere": vectorOf("nowhere")}); err != nil {
			t.Fatal(err)
		}
	}
	filters := []graph.Filter{{}, {Labels: []string{"MemoryItem"}}, {Labels: []string{"User", "La`bel"}}, {Props: map[string]any{"name": "memory mem:004"}}}
	compare := func(t *testing.T, find func(graph.Searcher, int) ([]graph.Hit, error), wanted, found *int) {
		t.Helper()
		for _, k := range []int{0, 1, 10} {
			want, err := find(local, k)
			if err != nil {
				t.Fatal(err)
			}
			have, err := find(s, k)
			if err != nil {
				t.Fatal(err)
			}
			if len(have) > k || !slices.IsSortedFunc(have, func(a, b graph.Hit) int {
				return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Node.ID, b.Node.ID))
			}) {
				t.Errorf("k=%d: have %d hits, not best first or too many: %v", k, len(have), have)
			}
			*wanted += len(want)
			for _, w := range want {
				i := slices.IndexFunc(have, func(h graph.Hit) bool { return h.Node.ID == w.Node.ID })
				if i < 0 {
					continue
				}
				*found++
				if have[i].Score != w.Score {
					t.Errorf("%s: have score %v, want %v", w.Node.ID, have[i].Score, w.Score)
				}
				if !graph.SameElement(schema.Element{Node: &have[i].Node}, schema.Element{Node: &w.Node}) {
					t.Errorf("%s came back different", w.Node.ID)
				}
			}
		}
	}
	t.Run("text", func(t *testing.T) {
		wanted, found := 0, 0
		for _, q := range queries {
			for _, f := range filters {
				compare(t, func(g graph.Searcher, k int) ([]graph.Hit, error) { return g.SearchText(ctx, q, k, f) }, &wanted, &found)
			}
		}
		t.Logf("candidate recall of text: %d of %d", found, wanted)
		if wanted == 0 || float64(found) < 0.95*float64(wanted) {
			t.Errorf("found %d of %d", found, wanted)
		}
	})
	t.Run("vector", func(t *testing.T) {
		wanted, found := 0, 0
		for _, q := range queries[:9] {
			for _, f := range filters {
				compare(t, func(g graph.Searcher, k int) ([]graph.Hit, error) { return g.SearchVector(ctx, vectorOf(q+"  "), k, f) }, &wanted, &found)
			}
		}
		t.Logf("candidate recall of vectors: %d of %d", found, wanted)
		if wanted == 0 || float64(found) < 0.95*float64(wanted) {
			t.Errorf("found %d of %d", found, wanted)
		}
	})
	t.Run("a changed node loses its vector", func(t *testing.T) {
		for _, g := range []Searchable{local, s} {
			if _, err := g.Apply(ctx, graph.Changes(Put(Node("mem:007", "MemoryItem", `{"data":"something else"}`)))); err != nil {
				t.Fatal(err)
			}
			hits, err := g.SearchVector(ctx, vectors["mem:007"], 100, graph.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(hits, func(h graph.Hit) bool { return h.Node.ID == "mem:007" || h.Node.ID == "mem:nowhere" }) || len(hits) < 70 {
				t.Errorf("%T: have %d hits, want all but the changed one", g, len(hits))
			}
			if n, _, err := g.Node(ctx, "mem:006"); err != nil || n.Props.Len() != 2 {
				t.Errorf("%T: a vector is not a property: have %s %v", g, n.Props, err)
			}
		}
	})
	t.Run("properties", func(t *testing.T) {
		for _, tc := range []struct {
			f    graph.Filter
			want string
		}{
			{graph.Filter{Props: map[string]any{"rank": 1}}, "user:Lanxi user:林夏"},
			{graph.Filter{Props: map[string]any{"rank": 1.0, "active": true}}, "user:Lanxi"},
			{graph.Filter{Props: map[string]any{"rank": "1"}}, ""},
			{graph.Filter{Labels: []string{"MemoryItem"}, Props: map[string]any{"rank": 1}}, ""},
			{graph.Filter{Props: map[string]any{"name": "小北"}}, "user:小北"},
			{graph.Filter{Props: map[string]any{"no`such\\u0060": "小北"}}, ""},
		} {
			for _, g := range []Searchable{local, s} {
				var have []string
				for n, err := range g.Nodes(ctx, tc.f) {
					if err != nil {
						t.Fatal(err)
					}
					have = append(have, string(n.ID))
				}
				if strings.Join(have, " ") != tc.want {
					t.Errorf("%T, %v: have %v, want %s", g, tc.f, have, tc.want)
				}
			}
		}
		for _, g := range []Searchable{local, s} {
			for _, err := range g.Nodes(ctx, graph.Filter{Props: map[string]any{"name": []string{"a"}}}) {
				if err == nil {
					t.Errorf("%T: a list in a filter: have no error", g)
				}
			}
			for e, err := range g.Neighbors(ctx, "mem:001", graph.Both, graph.Filter{Props: map[string]any{"rank": 1}}) {
				if err != nil || e.Type != "OWNS_MEMORY" {
					t.Errorf("%T: have %v %v, want the owner's edge only", g, e, err)
				}
			}
		}
	})
	t.Run("paths", func(t *testing.T) {
		walk := func(g graph.PathFinder, from, to schema.NodeID, hops int, f graph.Filter) (out []string) {
			for p, err := range g.Paths(ctx, from, to, hops, f) {
				if err != nil {
					return append(out, "error")
				}
				var ids []string
				for _, e := range p {
					ids = append(ids, string(e.ID))
				}
				out = append(out, strings.Join(ids, " "))
			}
			return out
		}
		for _, tc := range []struct {
			from, to schema.NodeID
			hops     int
			f        graph.Filter
			atLeast  int
		}{
			{"mem:000", "mem:003", 3, graph.Filter{}, 1},
			{"mem:000", "mem:004", 4, graph.Filter{}, 3},
			{"mem:000", "mem:004", 4, graph.Filter{Types: []string{"NEXT"}}, 1},
			{"mem:000", "mem:004", 4, graph.Filter{Labels: []string{"User"}}, 1},
			{"mem:000", "mem:008", 3, graph.Filter{Props: map[string]any{"name": "Mo"}}, 1},
			{"user:Mo", "user:Lanxi", 3, graph.Filter{}, 20},
			{"mem:000", "mem:000", 3, graph.Filter{}, 0},
			{"mem:000", "mem:nowhere", 3, graph.Filter{}, 0},
			{"mem:000", "mem:001", 2, graph.Filter{Labels: []string{""}}, 1},
			{"mem:000", "mem:001", 2, graph.Filter{Types: []string{""}}, 0},
			{"mem:000", "mem:001", 0, graph.Filter{}, 1},
		} {
			want, have := walk(local, tc.from, tc.to, tc.hops, tc.f), walk(s, tc.from, tc.to, tc.hops, tc.f)
			if len(want) < tc.atLeast || !slices.Equal(have, want) {
				t.Errorf("%s to %s, %d edges, %v:\nhave %d %v\nwant %d %v", tc.from, tc.to, tc.hops, tc.f, len(have), have, len(want), want)
			}
		}
		for range s.Paths(ctx, "user:Mo", "user:Lanxi", 3, graph.Filter{}) {
			break
		}
	})
}
