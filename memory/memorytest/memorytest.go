// Package memorytest is the test of the memory contract: every system runs it.
package memorytest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/llm"
	"membench/memory"
	essentials "membench/memory/try"
	"membench/schema"
)

// Now is the clock of every batch here.
var Now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Turn makes one turn of conversation c.
func Turn(conv string, n int, role, text string) schema.Turn {
	return schema.Turn{Role: role, Name: role, Text: text, Sources: []schema.EventRef{{ConvID: schema.ConvID(conv), TurnID: n}}}
}

// Batch makes a batch of turns.
func Batch(conv string, turns ...schema.Turn) memory.Batch {
	var meta schema.ObjectBuilder
	meta.String("scene_id", "scene")
	meta.String("character_id", "bot")
	meta.String("conv_id", conv)
	return memory.Batch{Session: conv, Turns: turns, UserID: "u", AgentID: "bot", Metadata: meta.Object(), Now: Now}
}

// Options of the suite.
type Options struct {
	// Open makes a fresh system each time: two calls share nothing. deps is empty but
	// where the suite counts or breaks the models; a system that takes none ignores it.
	Open func(t *testing.T, deps memory.Deps) memory.System
	// Answer gives usable answers of a model, by purpose; nil for a system without one.
	Answer func(llm.Request) (string, error)
	// Within is among how many hits the right one must be; 0 means 1. Systems that mix
	// age or importance into the score, as published, need more.
	Within int
}

// Run checks a system that needs nothing from outside.
func Run(t *testing.T, open func(t *testing.T) memory.System) {
	RunWith(t, Options{Open: func(t *testing.T, _ memory.Deps) memory.System { return open(t) }})
}

// RunWith checks a system: the essentials that memory/try tries of any system (what is said is found and
// names its turns, namespaces are apart, opening empties one), then the thirteen points of the reference's S6, but for the
// thirteenth (graph/graphtest holds Neo4j and the graph in process equal) and the
// eleventh, which is each system's own: what its two modes do differently. What a
// system cannot do (memory.As) is not tried; -v names it.
func RunWith(t *testing.T, o Options) {
	open := func(t *testing.T) memory.System { return o.Open(t, memory.Deps{}) }
	within := max(1, o.Within)
	ctx := context.Background()
	ns := memory.Namespace{Run: "run", Scope: "u"}
	start := func(t *testing.T) (memory.System, memory.Memory) {
		t.Helper()
		s := open(t)
		m, err := s.Open(ctx, ns)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		return s, m
	}
	ingest := func(t *testing.T, m memory.Memory, b memory.Batch) memory.Receipt {
		t.Helper()
		r, err := m.Ingest(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(ctx, m, b.Session); err != nil {
			t.Fatal(err)
		}
		return r
	}
	can := abilitiesOf(t, open(t), ns)
	caps := can.caps
	find := func(t *testing.T, m memory.Memory, q string, k int) []memory.Hit {
		t.Helper()
		r, err := m.Retrieve(ctx, memory.Query{Text: q, K: k, UserID: "u", AgentID: "bot"})
		if caps.Retrieval == memory.RetrievalNone {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("a system without retrieval: have error %v, want one that is errors.ErrUnsupported", err)
			}
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(r.Hits); i++ {
			a, b := r.Hits[i-1], r.Hits[i]
			if a.Score < b.Score || a.Score == b.Score && a.ID >= b.ID {
				t.Errorf("%q: hits %d and %d are out of order: (%v %s), (%v %s)", q, i, i+1, a.Score, a.ID, b.Score, b.ID)
			}
		}
		return r.Hits
	}
	talk := Batch("c1",
		Turn("c1", 1, "user", "My favourite colour is green."),
		Turn("c1", 2, "assistant", "我最喜欢的饮料是普洱茶。"),
		Turn("c1", 3, "user", "I keep two tortoises on the balcony."),
		Turn("c1", 4, "user", "𠮷野家的牛丼配 emoji 👩‍👩‍👧 最好吃。"),
	)

	t.Run("essentials", func(t *testing.T) {
		if err := essentials.System(ctx, open(t), "try", func(c schema.Check) {
			if c.State == schema.CheckFail {
				t.Errorf("%s: %s (%s)", c.Name, c.Detail, c.Fix)
			}
		}); err != nil {
			t.Fatal(err)
		}
	})
	// try runs a test of an ability that the system has.
	try := func(has bool, name string, test func(t *testing.T)) {
		t.Helper()
		if has {
			t.Run(name, test)
		} else {
			t.Logf("not tried, the system cannot: %s", name)
		}
	}
	t.Run("empty", func(t *testing.T) {
		_, m := start(t)
		if can.find {
			if h := find(t, m, "anything", 5); len(h) != 0 {
				t.Errorf("a fresh memory answers %v", h)
			}
		}
		ingest(t, m, Batch("c1"))
	})
	try(can.find && caps.Retrieval == memory.RetrievalRanked && !caps.UsesGold, "retrieve", func(t *testing.T) {
		_, m := start(t)
		ingest(t, m, talk)
		for q, turn := range map[string]int{"favourite colour?": 1, "你最喜欢喝什么饮料": 2, "how many tortoises are there": 3, "牛丼": 4} {
			h := find(t, m, q, within)
			want := schema.EventRef{ConvID: "c1", TurnID: turn}
			if !slices.ContainsFunc(h, func(h memory.Hit) bool { return slices.Contains(h.Sources, want) }) {
				t.Errorf("%q: have %v, want a memory of turn %d", q, h, turn)
			}
		}
		for k := 1; k <= 3; k++ {
			if h := find(t, m, "favourite 喜欢 tortoises", k); len(h) > k {
				t.Errorf("k %d: %d hits", k, len(h))
			}
		}
	})
	try(can.find, "retrieve is pure", func(t *testing.T) {
		_, m := start(t)
		ingest(t, m, talk)
		a := fmt.Sprint(find(t, m, "colour", 5))
		before := exported(t, m)
		for range 3 {
			find(t, m, "I love colours and tortoises", 5)
		}
		if b := fmt.Sprint(find(t, m, "colour", 5)); a != b {
			t.Errorf("the same question again: have %s, want %s", b, a)
		}
		if after := exported(t, m); before != after {
			t.Errorf("asking changed the memory: have %s, want %s", after, before)
		}
	})
	t.Run("idempotent batch", func(t *testing.T) {
		_, m := start(t)
		ingest(t, m, talk)
		before := exported(t, m)
		if r := ingest(t, m, talk); !r.Skipped || len(r.Changes) != 0 {
			t.Errorf("a known batch: have %+v, want it skipped", r)
		}
		if after := exported(t, m); before != after {
			t.Errorf("have %s, want %s", after, before)
		}
	})
	try(can.find, "another user", func(t *testing.T) {
		_, m := start(t)
		ingest(t, m, talk)
		r, err := m.Retrieve(ctx, memory.Query{Text: "favourite colour", K: 5, UserID: "someone else"})
		if err != nil && !errors.Is(err, memory.ErrNoRetrieval) || len(r.Hits) != 0 {
			t.Errorf("another user is answered %v (%v)", r.Hits, err)
		}
	})
	try(can.attach && can.find, "attach", func(t *testing.T) {
		s, m := start(t)
		at, _ := memory.As[memory.Attacher](s)
		ingest(t, m, talk)
		want := fmt.Sprint(find(t, m, "tortoises 饮料", 5))
		m.Close()
		again, err := at.Attach(ctx, ns)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if have := fmt.Sprint(find(t, again, "tortoises 饮料", 5)); have != want {
			t.Errorf("have %s, want %s", have, want)
		}
		if r := ingest(t, again, talk); !r.Skipped {
			t.Errorf("a batch stored before is stored again: %+v", r)
		}
	})
	t.Run("same input, same memory", func(t *testing.T) {
		_, a := start(t)
		_, b := start(t)
		ingest(t, a, talk)
		ingest(t, b, talk)
		if x, y := exported(t, a), exported(t, b); x != y {
			t.Errorf("two runs differ: %s and %s", x, y)
		}
	})
	try(can.export, "export", func(t *testing.T) {
		_, m := start(t)
		x, _ := memory.As[memory.Exporter](m)
		ingest(t, m, talk)
		last := schema.PointID("")
		n := 0
		for r, err := range x.Export(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			if r.V.ID <= last {
				t.Errorf("%s after %s: want ascending ids", r.V.ID, last)
			}
			last = r.V.ID
			f, err := r.V.Fields()
			if err != nil || f.Data == "" || f.Hash != schema.Hash(f.Data) || f.UserID != "u" || f.ConvID != "c1" || len(f.Events) == 0 {
				t.Errorf("point %s: payload %+v (%v)", r.V.ID, f, err)
			}
			n++
		}
		if n == 0 && caps.Unit != "nothing" {
			t.Error("nothing exported")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		_, m := start(t)
		dead, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := m.Ingest(dead, talk); err == nil {
			t.Error("no error from a cancelled ingest")
		}
		if r := ingest(t, m, talk); r.Skipped {
			t.Error("a cancelled batch counts as stored")
		}
	})
	t.Run("odd turns", func(t *testing.T) {
		_, m := start(t)
		long := make([]byte, 100<<10)
		for i := range long {
			long[i] = "abc de. "[i%8]
		}
		ingest(t, m, Batch("c9", Turn("c9", 1, "user", ""), Turn("c9", 2, "tool", "{}"), Turn("c9", 3, "assistant", string(long)),
			Turn("c9", 4, "user", "a\x00b \u202e \"quoted\" \\ | : % and more of it"), Turn("c9", 5, "user", "bad \xff bytes in this sentence")))
		exported(t, m)
	})
	s := suite{o, caps, ns}
	try(can.look, "same input, same records", s.reset)
	try(can.look && can.delta, "deltas", s.deltas)
	try(can.look && can.clone, "clone", s.clone)
	try(can.look, "origin session", s.origin)
	try(can.look && caps.Unit != "nothing", "captions", s.captions)
	try(can.look && caps.Unit != "nothing" && caps.Unit != "fact", "text is kept", s.text)
	try(can.look && o.Answer != nil, "broken models", s.broken)
	try(can.look && o.Answer != nil, "one broken purpose", s.alone)
	try(caps.Calls != nil, "ledger", s.ledger)
	try(can.look, "interrupted", s.interrupted)
	try(can.answer, "answer", s.answer)
	if caps.Retrieval == memory.RetrievalNone && !can.answer {
		t.Error("a system without retrieval must answer itself")
	}
}

// abilities are what there is to try of a system beyond ingesting.
type abilities struct {
	caps memory.Capabilities
	// find: Retrieve is there, or is declared not to be, which is tried as well.
	find, attach, export, look, delta, clone, answer bool
}

func abilitiesOf(t *testing.T, s memory.System, ns memory.Namespace) (can abilities) {
	t.Helper()
	ctx := context.Background()
	m, err := s.Open(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	can.caps = memory.CapabilitiesOf(s)
	_, err = m.Retrieve(ctx, memory.Query{Text: "anything", K: 1, UserID: "u", AgentID: "bot"})
	can.find = can.caps.Retrieval == memory.RetrievalNone || !errors.Is(err, errors.ErrUnsupported)
	_, can.attach = memory.As[memory.Attacher](s)
	_, can.export = memory.As[memory.Exporter](m)
	_, can.look = memory.As[memory.Snapshotter](m)
	_, can.delta = memory.As[memory.Deltaer](m)
	_, can.clone = memory.As[memory.Cloner](m)
	_, can.answer = memory.As[memory.Answerer](m)
	return can
}

// exported is the memory's content as text; "" when the system cannot export.
func exported(t *testing.T, m memory.Memory) string {
	t.Helper()
	x, ok := memory.As[memory.Exporter](m)
	if !ok {
		return ""
	}
	var out strings.Builder
	for r, err := range x.Export(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.V.Payload.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s\n", r.V.ID, b)
	}
	return out.String()
}
