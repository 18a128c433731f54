package pcm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"membench/graph"
	"membench/memory"
	"membench/memory/memorytest"
	"membench/memory/native"
	"membench/schema"
)

// A failing store loses a write, or the answer to one.
type failing struct {
	*graph.Local
	at, calls int
	lost      bool // the write is done and its answer lost
}

var errDown = errors.New("the server is down")

func (f *failing) Apply(ctx context.Context, changes iter.Seq2[schema.Change, error]) (graph.Applied, error) {
	f.calls++
	if f.calls != f.at {
		return f.Local.Apply(ctx, changes)
	}
	if f.lost {
		if _, err := f.Local.Apply(ctx, changes); err != nil {
			return graph.Applied{}, err
		}
	}
	return graph.Applied{}, errDown
}

func in(st graph.Store) native.Home {
	return func(context.Context, memory.Namespace, bool) (graph.Store, func() error, error) { return st, nil, nil }
}

var said = []string{"I work as a nurse.", "I live in Lyon.", "I work as a nurse, as you know.", "I moved to Ghent.", "I painted the fence green.", "我最喜欢的饮料是普洱茶。", "我最喜欢的饮料变成乌龙茶了。", "I like oolong tea."}

// hear plays turns from..to, two a session; a turn that fails comes once more.
func hear(t *testing.T, m memory.Memory, from, to int) {
	t.Helper()
	ctx := context.Background()
	again := func(what string, do func() error) {
		err := do()
		if errors.Is(err, errDown) {
			err = do()
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	for i := from; i < to; i++ {
		session := fmt.Sprint("s", i/2)
		turn := schema.Turn{Role: "user", Name: "Ana", Text: said[i], Time: fmt.Sprintf("2026-03-%02dT09:00:00Z", 1+i/2*20%28), Sources: []schema.EventRef{{ConvID: "c1", TurnID: i + 1}}}
		again(turn.Text, func() error {
			_, err := m.Ingest(ctx, memory.Batch{Key: fmt.Sprint(i), Session: session, Turns: []schema.Turn{turn}, UserID: "u"})
			return err
		})
		if i%2 == 1 {
			again(session, func() error { _, err := memory.Finish(ctx, m, session); return err })
		}
	}
}

// kept is all that a memory holds and finds.
func kept(t *testing.T, m memory.Memory) string {
	t.Helper()
	var all []string
	for _, it := range items(t, m) {
		all = append(all, fmt.Sprintf("%+v", it))
	}
	for _, q := range []string{"Where do I live?", "What is my work?", "最喜欢喝什么？"} {
		r, err := m.Retrieve(context.Background(), memory.Query{Text: q, K: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			all = append(all, fmt.Sprintf("%+v", h))
		}
	}
	return strings.Join(all, "\n")
}

func opened(t *testing.T, o Options, home native.Home) memory.Memory {
	t.Helper()
	sys, err := NewIn(memory.Deps{}, o, nil, home)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(context.Background(), memory.Namespace{Run: "r", Scope: "u:c1"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A memory in a store is as one in process: always, after a restart at any turn, and
// where a write or the answer to it was lost.
func TestHome(t *testing.T) {
	o := Defaults()
	o.Entities, o.MaxContextTokens, o.EvictionSize = true, 12, 1 // turns leave the working memory
	alone := opened(t, o, nil)
	hear(t, alone, 0, len(said))
	want := kept(t, alone)

	same := func(what string, m memory.Memory) {
		t.Helper()
		if have := kept(t, m); have != want {
			for i, line := range strings.Split(have, "\n") {
				if w := strings.Split(want, "\n"); i >= len(w) || line != w[i] {
					t.Errorf("%s: have %.200s\nwant %.200s", what, line, append(w, "nothing")[min(i, len(w))])
					return
				}
			}
			t.Errorf("%s: something is missing at the end", what)
		}
	}
	whole := opened(t, o, in(graph.NewLocal()))
	hear(t, whole, 0, len(said))
	same("in a store", whole)
	again := o
	again.Keep = true
	for cut := 1; cut < len(said); cut++ {
		st := graph.NewLocal()
		hear(t, opened(t, o, in(st)), 0, cut)
		m := opened(t, again, in(st))
		hear(t, m, max(0, cut-1), len(said)) // the last turn comes again
		same(fmt.Sprintf("restarted after %d turns", cut), m)
	}
	for at := 1; at < len(said)+3; at += 2 {
		for _, lost := range []bool{false, true} {
			st := &failing{Local: graph.NewLocal(), at: at, lost: lost}
			m := opened(t, o, in(st))
			hear(t, m, 0, len(said))
			same(fmt.Sprintf("write %d failed (only its answer: %v)", at, lost), m)
		}
	}
}

// What somebody else changes in the store counts for the next question, and the labels
// say what a person looks for.
func TestHomeOfOthers(t *testing.T) {
	ctx := context.Background()
	st := graph.NewLocal()
	m := opened(t, Defaults(), in(st))
	hear(t, m, 0, 4)
	labels := map[string]int{}
	var lyon schema.Node
	for n, err := range st.Nodes(ctx, graph.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range n.Labels {
			labels[l]++
		}
		if n.Props.Text("content") == "I live in Lyon." {
			lyon = n
		}
	}
	if labels["PcmFact"] == 0 || labels["PcmActive"] == 0 || labels["PcmHigh"] == 0 || labels["PcmState"] != 1 {
		t.Errorf("labels: %v", labels)
	}
	supersedes := 0
	for _, err := range st.Neighbors(ctx, lyon.ID, graph.In, graph.Filter{Types: []string{"SUPERSEDES"}}) {
		if err != nil {
			t.Fatal(err)
		}
		supersedes++
	}
	if supersedes == 0 {
		t.Errorf("nothing supersedes %s", lyon.ID)
	}
	found := func() bool {
		r, err := m.Retrieve(ctx, memory.Query{Text: "Do I live in Lyon?", K: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			if h.ID == schema.PointID(lyon.ID) {
				return true
			}
		}
		return false
	}
	if !found() {
		t.Fatal("Lyon is not found before its weight is taken")
	}
	var err error
	if lyon.Props, err = lyon.Props.With("weight", 0.01); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Apply(ctx, func(yield func(schema.Change, error) bool) {
		yield(schema.Change{Op: schema.OpPut, New: schema.Element{Node: &lyon}}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if found() {
		t.Error("a weight that somebody else lowered does not count")
	}
	// A node that makes no sense is an error that names it.
	if lyon.Props, err = lyon.Props.With("weight", "heavy"); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Apply(ctx, func(yield func(schema.Change, error) bool) {
		yield(schema.Change{Op: schema.OpPut, New: schema.Element{Node: &lyon}}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Retrieve(ctx, memory.Query{Text: "Lyon?", K: 3}); err == nil {
		t.Error("a weight that is no number is taken")
	}
}

// The contract holds over a store in process, which is read again after each write.
func TestHomeContract(t *testing.T) {
	memorytest.RunWith(t, memorytest.Options{Open: func(t *testing.T, d memory.Deps) memory.System {
		sys, err := NewIn(d, Defaults(), nil, func(context.Context, memory.Namespace, bool) (graph.Store, func() error, error) {
			return graph.NewLocal(), nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return sys
	}})
}
