package graphmem

import (
	"context"
	"fmt"
	"math"
	"testing"

	"membench/graph"
	"membench/graphir"
	"membench/memory"
	"membench/memory/native"
	"membench/schema"
)

// The golden vector of facts/systems-native.md §10.1.
func TestPageRank(t *testing.T) {
	edges := make([][]edge, 4) // A, B, P1, P2
	for _, e := range []struct {
		a, b int
		w    float64
	}{{0, 2, 1}, {0, 1, 2}, {1, 3, 1}} {
		edges[e.a] = append(edges[e.a], edge{e.b, e.w})
		edges[e.b] = append(edges[e.b], edge{e.a, e.w})
	}
	have := pageRank(edges, []float64{.8, 0, .05, .02}, .5)
	for i, want := range []float64{.598686, .223974, .128517, .048823} {
		if math.Abs(have[i]-want) > 1e-6 {
			t.Errorf("vertex %d: have %.6f, want %.6f", i, have[i], want)
		}
	}
	if r := pageRank(edges, make([]float64, 4), .5); r[0] != 0 {
		t.Errorf("without a reset: have %v, want zeros", r)
	}
}

// The graph that grows turn by turn is what graphir.Build makes of the same records, but
// for the lists of occurrences of people and places.
func TestSameAsBuild(t *testing.T) {
	ctx := context.Background()
	c, g := newChain("u"), graph.NewLocal()
	var events []schema.Event
	var exports []schema.MemoryExport
	for i, text := range []string{"I love oolong tea.", "你最喜欢哪位作家？", "我最喜欢的作家是萧红，我在读《呼兰河传》。", "I no longer like oolong tea.", "I love oolong tea. I love oolong tea.", "我喜欢下雨天。"} {
		who := []string{"lin", "bo"}[i%2]
		at := fmt.Sprintf("2026-03-%02dT09:00:00Z", i+1)
		o := native.Observe(memory.Batch{Session: fmt.Sprint("s", i/3), UserID: "lin", AgentID: "bo"},
			schema.Turn{Role: []string{memory.RoleUser, memory.RoleAssistant}[i%2], Name: who, Text: text, Time: at, Sources: []schema.EventRef{{ConvID: "c1", TurnID: i + 1}}})
		s, err := c.step(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := puts(ctx, g, s.elements)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Apply(ctx, seq(changes)); err != nil {
			t.Fatal(err)
		}
		events, exports = append(events, s.event), append(exports, s.memories...)
	}
	built := graphir.Build(ctx, graphir.Input{Events: stream(events), Exports: stream(exports), Claims: stream(c.merger.All())}, graphir.Options{})
	n := 0
	for ch, err := range graph.Diff(graph.Sort(built, graph.Compare), g.Elements(), "point_ids", "conv_ids", "occurrences") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		t.Errorf("%s: built %+v, grown %+v: %+v", ch.Op, ch.Old.ID(), ch.New.ID(), graph.Fields(ch.Old, ch.New))
	}
	if nodes, edges := g.Len(); nodes < 20 || edges < 40 {
		t.Errorf("%d nodes and %d edges: the stages gave nothing", nodes, edges)
	}
}

func stream[T any](in []T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for _, x := range in {
			if !yield(schema.Record[T]{V: x}, nil) {
				return
			}
		}
	}
}
