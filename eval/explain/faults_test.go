package explain_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"membench/memory"
	"membench/schema"
)

// A Fault is one way to lose what a turn says: a wrapper around any memory system that damages
// what it keeps or shows of chosen turns at one known hop, so that explain, which names the hop
// of a failure, can be measured.
//
// A planted system shows its memories (Snapshot) and nothing else: what changed is derived
// from what it shows, as for any foreign system.
type Fault struct {
	Name string
	Hop  string // where it is lost
	Kind string // what happens there, a Fault word of schema; "" where there is no more to say

	alter func(text string, w World) string // the damage to a text; "" keeps nothing
	at    func(*damagedMemory)              // what the wrapper does with it
}

// World is what an alteration may draw on beside the text itself.
type World struct {
	Speaker, Other string // who says the turn, and who else takes part
	Elsewhere      string // what another turn of the conversation says
	Stranger       string // what someone said in another conversation
	ID             string // an identifier of the turn
}

// A Plan says which turns are damaged.
type Plan struct {
	Turns map[schema.EventRef]World
}

// Wrap plants the fault in a system.
func (f Fault) Wrap(sys memory.System, p Plan) memory.System { return &damagedSystem{sys, f, p} }

// Reads reports whether the fault is one of the reader: Wrap changes nothing then, and
// Answer is what the reader says.
func (f Fault) Reads() bool { return f.Hop == schema.HopRead }

// Answer is what a faulty reader says where a right one would answer rightly.
func (f Fault) Answer(question, context, right string) string {
	return f.alter(right, World{Speaker: question, Elsewhere: context})
}

// Context is what a faulty context shows of hits: their texts, damaged where they come
// from a turn of the plan.
func (f Fault) Context(hits []schema.QAHit, p Plan) []string {
	var out []string
	for _, h := range hits {
		text := h.Text
		if w, ok := p.of(h.Sources); ok && (f.Hop == schema.HopContext || f.Hop == schema.HopAlteredContext) {
			if text = f.alter(text, w); text == "" {
				continue
			}
		}
		out = append(out, text)
	}
	return out
}

func (p Plan) of(sources []schema.EventRef) (World, bool) {
	for _, s := range sources {
		if w, ok := p.Turns[s]; ok {
			return w, true
		}
	}
	return World{}, false
}

type damagedSystem struct {
	memory.System
	f Fault
	p Plan
}

func (s *damagedSystem) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.System.Open(ctx, ns)
	if err != nil {
		return nil, err
	}
	out := &damagedMemory{Memory: m, f: s.f, p: s.p, since: map[schema.EventRef]int{}}
	if s.f.at != nil {
		s.f.at(out)
	}
	return out, nil
}

// damagedMemory is a memory with a fault. What it shows is the inner memory's, seen through
// functions that a fault sets.
type damagedMemory struct {
	memory.Memory
	f Fault
	p Plan

	sessions int                     // that have ended
	since    map[schema.EventRef]int // sessions that had ended when a turn came
	ingest   func(schema.Turn, World) (schema.Turn, bool, error)
	receipt  func(memory.Batch) []memory.Change
	item     func(memory.Item, World) (memory.Item, bool)
	hit      func(memory.Hit, World) (memory.Hit, bool)
	order    func([]memory.Hit, func(memory.Hit) bool) []memory.Hit
}

func (m *damagedMemory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	for _, t := range b.Turns {
		for _, ref := range t.Sources {
			m.since[ref] = m.sessions
		}
	}
	var more []memory.Change
	if m.receipt != nil {
		more = m.receipt(b)
	}
	if m.ingest != nil {
		var turns []schema.Turn
		for _, t := range b.Turns {
			if w, ok := m.p.of(t.Sources); ok {
				var keep bool
				var err error
				if t, keep, err = m.ingest(t, w); err != nil {
					return memory.Receipt{}, err
				} else if !keep {
					continue
				}
			}
			turns = append(turns, t)
		}
		b.Turns = turns
	}
	r, err := m.Memory.Ingest(ctx, b)
	r.Changes = append(r.Changes, more...)
	return r, err
}

func (m *damagedMemory) EndSession(ctx context.Context, id string) (memory.Receipt, error) {
	r, err := memory.Finish(ctx, m.Memory, id)
	m.sessions++
	return r, err
}

func (m *damagedMemory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	r, err := m.Memory.Retrieve(ctx, q)
	if err != nil {
		return r, err
	}
	var hits []memory.Hit
	for _, h := range r.Hits {
		if w, ok := m.p.of(h.Sources); ok {
			if m.item != nil {
				it, keep := m.item(memory.Item{ID: h.ID, Text: h.Text, Sources: h.Sources}, w)
				if !keep {
					continue
				}
				h.Text = it.Text
			}
			if m.hit != nil {
				var keep bool
				if h, keep = m.hit(h, w); !keep {
					continue
				}
			}
		}
		hits = append(hits, h)
	}
	if m.order != nil {
		hits = m.order(hits, func(h memory.Hit) bool { _, ok := m.p.of(h.Sources); return ok })
	}
	r.Hits = hits
	return r, nil
}

// Snapshot shows what the inner memory shows, seen through the fault.
func (m *damagedMemory) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	return func(yield func(memory.Item, error) bool) {
		s, ok := memory.As[memory.Snapshotter](m.Memory)
		if !ok {
			yield(memory.Item{}, errors.ErrUnsupported)
			return
		}
		for it, err := range s.Snapshot(ctx) {
			if w, damaged := m.p.of(it.Sources); err == nil && damaged && m.item != nil {
				var keep bool
				if it, keep = m.item(it, w); !keep {
					continue
				}
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// allFaults lists the faults: every alteration at every place where a text passes, and those
// that are not of a text.
func allFaults() []Fault {
	var out []Fault
	for _, a := range alterations {
		stored := Fault{Name: "stored " + a.name, Hop: schema.HopAlteredStored, Kind: a.kind, alter: a.of}
		stored.at = func(m *damagedMemory) {
			m.item = func(it memory.Item, w World) (memory.Item, bool) { it.Text = a.of(it.Text, w); return it, true }
		}
		found := Fault{Name: "retrieved " + a.name, Hop: schema.HopAlteredRetrieved, Kind: a.kind, alter: a.of}
		found.at = func(m *damagedMemory) {
			m.hit = func(h memory.Hit, w World) (memory.Hit, bool) { h.Text = a.of(h.Text, w); return h, true }
		}
		shown := Fault{Name: "shown " + a.name, Hop: schema.HopAlteredContext, Kind: a.kind, alter: a.of}
		switch a.kind {
		case schema.FaultCut, schema.FaultEmpty, schema.FaultIdentifier, schema.FaultOther: // less than the text: it is not whole in the context
			shown.Hop, shown.Kind = schema.HopContext, ""
		}
		out = append(out, stored, found, shown)
	}
	return append(out, otherFaults...)
}

var otherFaults = []Fault{
	{Name: "turn dropped", Hop: schema.HopStore, Kind: schema.FaultDropped, at: func(m *damagedMemory) {
		m.ingest = func(t schema.Turn, _ World) (schema.Turn, bool, error) { return t, false, nil }
	}},
	{Name: "ingest fails", Hop: schema.HopIngest, Kind: schema.FaultFailed, at: func(m *damagedMemory) {
		m.ingest = func(t schema.Turn, _ World) (schema.Turn, bool, error) {
			return t, false, errors.New("the disk is full")
		}
	}},
	{Name: "overwritten in a later session", Hop: schema.HopOverwrite, Kind: schema.FaultUpdated, at: func(m *damagedMemory) {
		m.item = func(it memory.Item, w World) (memory.Item, bool) {
			if m.late(it) {
				it.Text = w.Stranger
			}
			return it, true
		}
	}},
	{Name: "removed in a later session", Hop: schema.HopOverwrite, Kind: schema.FaultRemoved, at: func(m *damagedMemory) {
		m.item = func(it memory.Item, _ World) (memory.Item, bool) { return it, !m.late(it) }
	}},
	{Name: "overwritten inside the session", Hop: schema.HopOverwrite, Kind: schema.FaultUpdated, at: func(m *damagedMemory) {
		m.item = func(it memory.Item, w World) (memory.Item, bool) { it.Text = w.Stranger; return it, true }
		m.receipt = func(b memory.Batch) (out []memory.Change) {
			for _, t := range b.Turns {
				if w, ok := m.p.of(t.Sources); ok {
					out = append(out, memory.Change{Op: memory.OpUpdate, ID: schema.PointID("inner-" + w.ID), Old: t.Name + ": " + t.Text, New: w.Stranger})
				}
			}
			return out
		}
	}},
	{Name: "stale read", Hop: schema.HopAlteredRetrieved, Kind: schema.FaultOlder, at: func(m *damagedMemory) {
		draft := func(w World) string { return w.Other + ": " + w.Stranger }
		m.item = func(it memory.Item, w World) (memory.Item, bool) {
			if !m.late(it) {
				it.Text = draft(w)
			}
			return it, true
		}
		m.hit = func(h memory.Hit, w World) (memory.Hit, bool) { h.Text = draft(w); return h, true }
	}},
	{Name: "not among the hits", Hop: schema.HopRetrieve, at: func(m *damagedMemory) {
		m.hit = func(h memory.Hit, _ World) (memory.Hit, bool) { return h, false }
	}},
	{Name: "nothing retrieved", Hop: schema.HopRetrieve, Kind: schema.FaultEmpty, at: func(m *damagedMemory) {
		m.order = func(hits []memory.Hit, damaged func(memory.Hit) bool) []memory.Hit {
			if slices.ContainsFunc(hits, damaged) {
				return nil
			}
			return hits
		}
	}},
	{Name: "ranked last", Hop: schema.HopRetrieve, Kind: schema.FaultRank, at: func(m *damagedMemory) { m.order = moveLast }},
	{Name: "displaced by duplicates", Hop: schema.HopRetrieve, Kind: schema.FaultDuplicate, at: displaced(func(others []memory.Hit, _ World) memory.Hit { return others[0] })},
	{Name: "displaced by strangers' memories", Hop: schema.HopRetrieve, Kind: schema.FaultForeign, at: displaced(func(hits []memory.Hit, w World) memory.Hit {
		return memory.Hit{ID: "stranger", Text: w.Stranger}
	})},
	{Name: "displaced by empty hits", Hop: schema.HopRetrieve, Kind: schema.FaultEmpty, at: displaced(func(hits []memory.Hit, w World) memory.Hit { return memory.Hit{ID: "blank"} })},
	{Name: "reader refuses", Hop: schema.HopRead, Kind: schema.FaultRefused, alter: func(string, World) string { return "I don't know." }},
	{Name: "reader echoes the question", Hop: schema.HopRead, Kind: schema.FaultEchoed, alter: func(_ string, w World) string { return w.Speaker }},
	{Name: "reader invents", Hop: schema.HopRead, Kind: schema.FaultInvented, alter: func(string, World) string { return "A purple zeppelin over Antananarivo." }},
	{Name: "reader ignores the evidence", Hop: schema.HopRead, alter: func(right string, w World) string { return sentenceWithout(w.Elsewhere, right) }},
}

// late reports whether a session has ended after the one that an item comes from.
func (m *damagedMemory) late(it memory.Item) bool {
	return len(it.Sources) > 0 && m.sessions >= m.since[it.Sources[0]]+2
}

// moveLast moves damaged hits behind the others.
func moveLast(hits []memory.Hit, damaged func(memory.Hit) bool) []memory.Hit {
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		switch x, y := damaged(a), damaged(b); {
		case x == y:
			return 0
		case x:
			return 1
		}
		return -1
	})
	return hits
}

// displaced puts as many useless hits before the damaged one as there are others.
func displaced(by func([]memory.Hit, World) memory.Hit) func(*damagedMemory) {
	return func(m *damagedMemory) {
		m.order = func(hits []memory.Hit, damaged func(memory.Hit) bool) []memory.Hit {
			i := slices.IndexFunc(hits, damaged)
			if i < 0 {
				return hits
			}
			w, _ := m.p.of(hits[i].Sources)
			filler := by(slices.Concat(hits[i+1:], hits[:i]), w)
			front := slices.Clone(hits[:min(i, 3)])
			if i == 0 {
				front = nil
			}
			for n := range 100 { // each under an id of its own: one id counts once outside the process
				h := filler
				h.ID = schema.PointID(fmt.Sprintf("%s-%d", filler.ID, n))
				front = append(front, h)
			}
			return append(front, hits[i])
		}
	}
}
