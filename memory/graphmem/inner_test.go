package graphmem

import (
	"context"
	"fmt"
	"testing"

	"membench/graph"
	"membench/graphir"
	"membench/memory"
	"membench/memory/native"
	"membench/schema"
)

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
		if _, err := g.Apply(ctx, graph.Changes(changes...)); err != nil {
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
