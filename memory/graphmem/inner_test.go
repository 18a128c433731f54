package graphmem

import (
	"context"
	"fmt"
	"testing"
	"time"

	"membench/graph"
	"membench/graphir"
	"membench/internal/codec"
	"membench/memory"
	"membench/memory/native"
	"membench/schema"
)

// grown is a graph that grows turn by turn, by the stages of the chain.
type grown struct {
	c       *chain
	g       *graph.Local
	events  []schema.Event
	exports []schema.MemoryExport
}

// observed is turn i of a talk of lin, who has the even ones, and bo.
func observed(i int, text string) native.Observation {
	who := []string{"lin", "bo"}[i%2]
	at := time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC).Format(time.RFC3339)
	return native.Observe(memory.Batch{Session: fmt.Sprint("s", i/3), UserID: "lin", AgentID: "bo"},
		schema.Turn{Role: []string{memory.RoleUser, memory.RoleAssistant}[i%2], Name: who, Text: text, Time: at, Sources: []schema.EventRef{{ConvID: "c1", TurnID: i + 1}}})
}

// turn adds a turn and returns what it changed.
func (x *grown) turn(t *testing.T, text string) []schema.Change {
	t.Helper()
	ctx := context.Background()
	s, err := x.c.step(ctx, observed(len(x.events), text))
	if err != nil {
		t.Fatal(err)
	}
	changes, err := puts(ctx, x.g, s.elements)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.g.Apply(ctx, graph.Changes(changes...)); err != nil {
		t.Fatal(err)
	}
	x.events, x.exports = append(x.events, s.event), append(x.exports, s.memories...)
	return changes
}

// The graph that grows turn by turn is what graphir.Build makes of the same records, but
// for lists of occurrences, and for what edges to evidence repeat of their claim.
func TestSameAsBuild(t *testing.T) {
	ctx := context.Background()
	x := &grown{c: newChain("u"), g: graph.NewLocal()}
	for _, text := range []string{"I love oolong tea.", "你最喜欢哪位作家？", "我最喜欢的作家是萧红，我在读《呼兰河传》。", "I no longer like oolong tea.", "I love oolong tea. I love oolong tea.", "我喜欢下雨天。", "I love oolong tea, to be honest.", "Why?", "I love oolong tea."} {
		x.turn(t, text)
	}
	c, g, events, exports := x.c, x.g, x.events, x.exports
	built := graphir.Build(ctx, graphir.Input{Events: stream(events), Exports: stream(exports), Claims: stream(c.merger.All())}, graphir.Options{})
	early := 0
	lists := []string{"point_ids", "conv_ids", "occurrences"}
	for ch, err := range graph.Diff(graph.Sort(built, graph.Compare), g.Elements(), lists...) {
		if err != nil {
			t.Fatal(err)
		}
		fields := graph.Fields(ch.Old, ch.New, lists...)
		if e := ch.New.Edge; e != nil && e.Type == schema.EdgeEvidencedBy && len(graph.Fields(ch.Old, ch.New, append(lists, "confidence", "updated_at")...)) == 0 {
			early++
			continue
		}
		t.Errorf("%s: built %+v, grown %+v: %+v", ch.Op, ch.Old.ID(), ch.New.ID(), fields)
	}
	if early == 0 {
		t.Error("no claim was said again: the test shows nothing")
	}
	if nodes, edges := g.Len(); nodes < 20 || edges < 40 {
		t.Errorf("%d nodes and %d edges: the stages gave nothing", nodes, edges)
	}
}

// A turn ends what an earlier turn stated; what a copy learns stays with the copy.
func TestEndsEarlierTurns(t *testing.T) {
	say := func(c *chain, i int, text string) {
		t.Helper()
		if _, err := c.step(t.Context(), observed(i, text)); err != nil {
			t.Fatal(err)
		}
	}
	status := func(c *chain, claim string) string {
		for _, s := range c.merger.All() {
			if s.Claim != nil && s.Claim.Predicate+" "+schema.NameOf(s.Claim.Object.ID) == claim {
				return s.Claim.Status
			}
		}
		return ""
	}
	c := newChain("u")
	say(c, 0, "I own a Triumph motorbike.")
	twin := c.clone()
	say(twin, 2, "I own a harp.")
	for _, c := range []*chain{c, twin} {
		say(c, 4, "I sold the bike.")
		say(c, 6, "I sold the harp.")
		if have := status(c, "OWNS Triumph motorbike"); have != schema.StatusDeprecated {
			t.Errorf("the bike was sold: its claim is %s", have)
		}
	}
	if have := status(twin, "OWNS harp"); have != schema.StatusDeprecated {
		t.Errorf("the harp was sold: its claim is %s", have)
	}
	if have := status(c, "OWNS harp"); have != "" {
		t.Errorf("only the copy had a harp: its claim is %s", have)
	}
}

// A claim that is said for the hundredth time costs what it did the third time, whether the
// same words say it or others.
func TestSaidAgain(t *testing.T) {
	for _, said := range []struct {
		name     string
		say      func(i int) string
		memories int
	}{
		{"other words", func(i int) string { return fmt.Sprintf("I love oolong tea, cup %d.", i) }, 100},
		{"same words", func(int) string { return "I love oolong tea." }, 1},
	} {
		x := &grown{c: newChain("u"), g: graph.NewLocal()}
		var early, late int
		for i := range 100 {
			n := 0
			for _, c := range x.turn(t, said.say(i)) {
				raw, err := codec.Append(nil, c.New, codec.Compact)
				if err != nil {
					t.Fatal(err)
				}
				n += len(raw)
			}
			x.turn(t, "Tell me more.")
			switch i {
			case 9:
				early = n
			case 99:
				late = n
			}
		}
		edges := 0
		for _, err := range x.g.Neighbors(t.Context(), "claim:PREFERS_TOPIC|daily|user:lin|topic:oolong tea", graph.Out, graph.Filter{Types: []string{schema.EdgeEvidencedBy}}) {
			if err != nil {
				t.Fatal(err)
			}
			edges++
		}
		if edges != said.memories {
			t.Errorf("%s: the claim rests on %d memories, want %d", said.name, edges, said.memories)
		}
		if early == 0 || late > early+early/10 {
			t.Errorf("%s: a claim said for the 100th time writes %d bytes, for the 10th %d", said.name, late, early)
		}
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
