package mem0

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"membench/memory"
	"membench/schema"
)

// items are the live points as a snapshot shows them. In mode keep a contradicted fact
// stays to be found, but no longer holds.
func (m *Memory) items() []memory.Item {
	out := []memory.Item{}
	for _, p := range m.store.points {
		if !p.live {
			continue
		}
		it := memory.Item{ID: p.id, Text: dataOf(p), Kind: "fact", Session: p.session, Status: memory.StatusActive, Time: p.payload.Text("created_at"),
			Sources: slices.Clone(p.events), Attachments: p.pictures, Links: p.links, Meta: p.payload}
		if m.sys.o.Raw {
			it.Kind = "turn"
		}
		if p.superseded {
			it.Status = memory.StatusInvalid
		}
		if u := p.payload.Text("updated_at"); u != "" {
			it.Time = u
		}
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b memory.Item) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Snapshot yields the stored memories.
func (m *Memory) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	return memory.Each(ctx, m.items())
}

// EndSession records the session's delta: the differences, and repeated facts without a change (Mem0's NONE), which are kept.
func (m *Memory) EndSession(ctx context.Context, session string) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	now := m.items()
	delta := memory.Diff(m.last, now, nil)
	for _, c := range m.store.history[m.told:] {
		at, found := slices.BinarySearchFunc(now, c.ID, func(it memory.Item, id schema.PointID) int { return cmp.Compare(it.ID, id) })
		if c.Op == memory.OpNone && found && !slices.ContainsFunc(delta, func(d memory.Delta) bool { return d.Item.ID == c.ID }) {
			delta = append(delta, memory.Delta{Op: memory.DeltaKeep, Item: now[at]})
		}
	}
	m.deltas[session], m.last, m.told = delta, now, len(m.store.history)
	return memory.Receipt{}, nil
}

// Delta yields the changes of a session that ended since the memory was opened or attached: the journal does not record where a session ends.
func (m *Memory) Delta(_ context.Context, session string) iter.Seq2[memory.Delta, error] {
	return memory.Told(m.deltas, session)
}

// Clone copies the memory. The copy is in this process alone: it has no journal and no
// points outside, and embeds again where those were.
func (m *Memory) Clone(ctx context.Context) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o := m.sys.o
	o.Dir, o.Points, o.Wrap = "", nil, nil
	sys := &System{o: o, extract: m.sys.extract, judge: m.sys.judge, held: map[memory.Namespace]*store{}}
	c := &Memory{sys: sys, ns: m.ns, store: m.store.clone(m.sys.o.Points != nil), made: m.made, last: slices.Clone(m.last), told: m.told, deltas: maps.Clone(m.deltas)}
	sys.held[m.ns] = c.store
	return c, nil
}

// clone copies the state; anew makes all vectors again.
func (s *store) clone(anew bool) *store {
	c := newStore()
	*c = store{points: make([]*point, len(s.points)), byID: maps.Clone(s.byID), byText: clones(s.byText), bySlot: clones(s.bySlot), words: s.words.Clone(), vectors: s.vectors.Clone(),
		stale: maps.Clone(s.stale), moved: map[int]bool{}, keys: slices.Clone(s.keys), known: maps.Clone(s.known), names: slices.Clone(s.names),
		history: slices.Clone(s.history), degraded: slices.Clone(s.degraded), usage: s.usage}
	for i, p := range s.points {
		copied := *p
		c.points[i] = &copied
		if anew {
			c.stale[i] = true
		}
	}
	return c
}

func clones(m map[string][]int) map[string][]int {
	out := make(map[string][]int, len(m))
	for k, v := range m {
		out[k] = slices.Clone(v)
	}
	return out
}

// Capabilities describes the system.
func (s *System) Capabilities() memory.Capabilities {
	const many = 1 << 20 // facts of a batch
	c := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerQuery: memory.Exactly(1)},
		Notes: []string{"weights of the ranking set on LoCoMo's conv-26 and the bundled dialogues (docs/adr/0002-embedded-memory.md)"}}
	if s.o.Raw {
		c.Unit = "turn"
	}
	if s.o.Eager || s.o.Points != nil {
		c.Calls.EmbedPerUnit = memory.Span{Max: many}
	} else { // the first question embeds the new points
		c.Calls.EmbedPerQuery.Max = many
	}
	switch {
	case s.o.Raw:
	case s.o.Generator == nil:
		c.ByRule = []string{"facts", "update"}
	default:
		c.Calls.LLMPerUnit = memory.Span{Min: 1, Max: 2} // without facts there is nothing to judge
		c.Calls.EmbedPerUnit = memory.Span{Max: many}    // each fact requests its nearest points
	}
	return c
}

// SpecOptions of the embedded memory as a system under test.
type SpecOptions struct {
	Mode Mode `json:"mode"` // keep | faithful
	Raw  bool `json:"raw"`  // store turns verbatim
}

// Spec is the embedded memory in process, with Mem0's way of keeping facts.
func Spec() memory.Spec {
	return memory.Define("mem0", "facts, added, updated or contradicted one by one (Mem0 1.x, in process)", SpecOptions{Mode: Keep}, func(d memory.Deps, o SpecOptions) (memory.System, error) {
		return Embedded(Options{Mode: o.Mode, Raw: o.Raw, Generator: d.LLM, Prompts: d.Prompts, Embedder: d.Embed, Eager: true})
	})
}
