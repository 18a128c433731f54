package explain_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/graph"
	"membench/schema"
)

// garden is the graph of one said thing, to be broken at every step: turn, memory,
// claim, entity.
type garden struct {
	*graph.Local
	t *testing.T
}

func (g garden) put(els ...schema.Element) {
	g.t.Helper()
	_, err := g.Apply(context.Background(), func(yield func(schema.Change, error) bool) {
		for _, e := range els {
			if !yield(schema.Change{Op: schema.OpPut, New: e}, nil) {
				return
			}
		}
	})
	if err != nil {
		g.t.Fatal(err)
	}
}

func node(id, label, props string) schema.Element {
	return schema.Element{Node: &schema.Node{ID: schema.NodeID(id), Labels: []string{label}, Props: schema.RawObject([]byte(props))}}
}

func edge(typ, src, dst string) schema.Element {
	return schema.Element{Edge: &schema.Edge{ID: schema.Mint{V: schema.Latest}.Edge(typ, schema.NodeID(src), schema.NodeID(dst)), Type: typ, Src: schema.NodeID(src), Dst: schema.NodeID(dst), Props: schema.RawObject([]byte("{}"))}}
}

const said = "I love oolong tea in the evening."

func (g garden) turn() {
	g.put(node("conv:c", "Conversation", `{}`), node("event:c:1", "Event", `{"content":"`+said+`"}`), node("user:mira", "User", `{"name":"Mira"}`), edge("SPOKE", "user:mira", "event:c:1"), edge("IN_CONV", "event:c:1", "conv:c"))
}

func (g garden) memory(text string) string {
	id := string(schema.Mint{V: schema.Latest}.Memory(text, "", ""))
	g.put(node(id, "MemoryItem", `{"data":"`+text+`"}`), edge("FROM_EVENT", id, "event:c:1"))
	return id
}

func (g garden) claim(subject, object, props, memory string) string {
	id := string(schema.Mint{V: schema.Latest}.Claim("PREFERS_TOPIC", "daily", schema.EntityID(subject), schema.EntityID(object)))
	_, name, _ := strings.Cut(object, ":")
	g.put(node(subject, "User", `{"name":"`+strings.TrimPrefix(subject, "user:")+`"}`), node(object, "Topic", `{"name":"`+name+`"}`), node(id, "Claim", props), edge("ABOUT", id, object), edge("EVIDENCED_BY", id, memory))
	return id
}

func TestBreaks(t *testing.T) {
	const text = "Mira loves oolong tea"
	for _, x := range []struct {
		want string
		make func(g garden) (at string)
		asOf string
	}{
		{schema.BreakTurn, func(g garden) string { g.put(node("conv:c", "Conversation", `{}`)); return "conv:c" }, ""},
		{schema.BreakTurn, func(g garden) string { return "" }, ""},
		{schema.BreakMemory, func(g garden) string { g.turn(); return "event:c:1" }, ""},
		{schema.BreakMemory, func(g garden) string { g.turn(); g.memory("Mira speaks of the evening"); return "event:c:1" }, ""},
		{schema.BreakClaim, func(g garden) string { g.turn(); return g.memory(text) }, ""},
		{schema.BreakClaim, func(g garden) string { // a claim on something else in the memory
			g.turn()
			m := g.memory("Mira loves oolong tea and jazz")
			g.claim("user:mira", "topic:jazz", `{"status":"active"}`, m)
			return m
		}, ""},
		{schema.BreakEntity, func(g garden) string { // the object was taken for another thing
			g.turn()
			return g.claim("user:mira", "topic:Dragon Well", `{"status":"active"}`, g.memory(text))
		}, ""},
		{schema.BreakEntity, func(g garden) string { // another person is said to love it
			g.turn()
			return g.claim("user:tomas", "topic:oolong tea", `{"status":"active"}`, g.memory(text))
		}, ""},
		{schema.BreakSuperseded, func(g garden) string {
			g.turn()
			m := g.memory(text)
			next := g.claim("user:mira", "topic:coffee", `{"status":"active","valid_at":"2025-06-01T00:00:00Z"}`, m)
			return g.claim("user:mira", "topic:oolong tea", `{"status":"deprecated","superseded_by":"`+next+`","valid_at":"2025-01-01T00:00:00Z"}`, m)
		}, ""},
		{schema.BreakRank, func(g garden) string { // asked of the time when it held
			g.turn()
			m := g.memory(text)
			next := g.claim("user:mira", "topic:coffee", `{"status":"active","valid_at":"2025-06-01T00:00:00Z"}`, m)
			return g.claim("user:mira", "topic:oolong tea", `{"status":"deprecated","superseded_by":"`+next+`","valid_at":"2025-01-01T00:00:00Z"}`, m)
		}, "2025-03"},
		{schema.BreakValidity, func(g garden) string {
			g.turn()
			return g.claim("user:mira", "topic:oolong tea", `{"status":"active","valid_at":"2025-06-01T00:00:00Z"}`, g.memory(text))
		}, "2025-03-01"},
		{schema.BreakRank, func(g garden) string {
			g.turn()
			return g.claim("user:mira", "topic:oolong tea", `{"status":"active","valid_at":"2025-06-01T00:00:00Z"}`, g.memory(text))
		}, ""},
	} {
		g := garden{graph.NewLocal(), t}
		at := x.make(g)
		c := toy(schema.UnitTurn, said, "Nice.")
		var walks []explain.Walk
		a := one(t, schema.QARecord{QuestionID: "q1", Question: "What does Mira drink?", Gold: "oolong tea", Answer: "cocoa", AsOf: x.asOf, K: 5, Evidence: []schema.EventRef{ref(1)}},
			&c, explain.Options{Graph: g, Walked: func(w explain.Walk) error { walks = append(walks, w); return nil }}, session(0, 2))
		if a.Hop != schema.HopStore || a.Break != x.want {
			t.Errorf("have %s, %s: %s; want %s", a.Hop, a.Break, a.Reason, x.want)
			continue
		}
		if len(walks) != 1 || string(walks[0].At) != at || at != "" && !slices.Contains(a.IDs, at) {
			t.Errorf("%s: broke at %q, want %q (ids %q)", x.want, walks[0].At, at, a.IDs)
			continue
		}
		n, edges, err := walks[0].Graph()
		if err != nil || n.ID != "failure:s/d/c/q1/0" || n.Props.Text("break") != x.want {
			t.Errorf("node %+v, %v", n, err)
		}
		for _, e := range edges { // every edge ends in the graph
			if _, ok, _ := g.Node(context.Background(), e.Dst); !ok || e.Src != n.ID {
				t.Errorf("%s: edge %s ends nowhere", x.want, e.ID)
			}
		}
		if want := 0; at == "" && len(edges) != want {
			t.Errorf("%d edges without a place", len(edges))
		}
	}
}

// Questions that the graph cannot say more of have no break, and are nodes all the same.
func TestNoBreak(t *testing.T) {
	g := garden{graph.NewLocal(), t}
	g.turn()
	m := g.memory(said)
	c := toy(schema.UnitTurn, said, "Nice.")
	for want, r := range map[string]schema.QARecord{
		schema.HopRead:   {Question: "What does Mira drink?", Gold: "oolong tea", Answer: "cocoa", K: 5, Evidence: []schema.EventRef{ref(1)}, Hits: []schema.QAHit{hit("p", said, ref(1))}},
		schema.HopJudge:  {Question: "What does Mira drink?", Gold: "oolong tea", Answer: "Oolong tea.", K: 5, Evidence: []schema.EventRef{ref(1)}},
		schema.HopOpaque: {Question: "What?", Gold: "oolong tea", Answer: "cocoa", K: 5},
	} {
		n := 0
		a := one(t, r, &c, explain.Options{Graph: g, Walked: func(w explain.Walk) error {
			n++
			if want == schema.HopRead && fmt.Sprint(w.Path, w.Hits) != fmt.Sprintf("[event:c:1 %s] [%s]", m, m) {
				t.Errorf("path %v, hits %v", w.Path, w.Hits)
			}
			return nil
		}}, session(0, 2, add("p", said, ref(1))))
		if a.Hop != want || a.Break != "" || n != 1 {
			t.Errorf("have %+v and %d walks, want %s", a, n, want)
		}
	}
}
