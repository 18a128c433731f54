package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"membench/schema"
)

// ErrGone is (by errors.Is) a failure after which the memory answers nothing more, such as a program that ended. Opening its namespace again must begin an empty
// memory: a run does so, and fills it with what it held.
var ErrGone = errors.New("the memory is gone")

// ErrNoRetrieval is returned by Retrieve of a system that only answers: retrieval metrics are not applicable to it. It is an errors.ErrUnsupported.
var ErrNoRetrieval = fmt.Errorf("the system answers by itself and returns no hits: %w", errors.ErrUnsupported)

// More optional abilities, of a Memory. A missing one makes its metric not applicable,
// never zero.
type (
	// Snapshotter yields every live record, ordered by id.
	Snapshotter interface {
		Snapshot(ctx context.Context) iter.Seq2[Item, error]
	}
	// Deltaer reports what a session changed, once it has ended: applied in order to the snapshot before the session, its deltas give the snapshot after it.
	Deltaer interface {
		Delta(ctx context.Context, session string) iter.Seq2[Delta, error]
	}
	// Cloner copies the memory. Changes of the copy do not affect the original.
	Cloner interface {
		Clone(ctx context.Context) (Memory, error)
	}
)

// List returns every live record of a memory: from its snapshot, or from its export. ok is false if the memory supports neither.
func List(m Memory) (list func(context.Context) iter.Seq2[Item, error], ok bool) {
	if s, ok := As[Snapshotter](m); ok {
		return s.Snapshot, true
	}
	x, ok := As[Exporter](m)
	if !ok {
		return nil, false
	}
	return func(ctx context.Context) iter.Seq2[Item, error] {
		return func(yield func(Item, error) bool) {
			for r, err := range x.Export(ctx) {
				var it Item
				if err == nil {
					it, err = itemOf(r.V)
				}
				if !yield(it, err) || err != nil {
					return
				}
			}
		}
	}, true
}

// itemOf is an exported line as a record.
func itemOf(m schema.MemoryExport) (Item, error) {
	f, err := m.Fields()
	return Item{ID: m.ID, Text: f.Data, Status: StatusActive, Time: f.CreatedAt, Sources: f.Events}, err
}

// Statuses of an Item.
const (
	StatusActive  = "active"
	StatusInvalid = "invalid" // no longer holds, kept as history
)

// An Item is one record of a snapshot: the recorded form and the members that only the contract has.
type Item = schema.MemoryState

// Operations of a Delta.
const (
	DeltaAdd      = "add"
	DeltaUpdate   = "update"
	DeltaKeep     = "keep"     // unchanged but reinforced or promoted
	DeltaSuppress = "suppress" // gone, or no longer valid
	DeltaArchive  = "archive"  // moved to a colder tier
)

// A Delta is one difference that a session made.
type Delta struct {
	Op   string
	Item Item     // the current item; for suppress the former one
	Old  []string // texts that it replaces (linked_previous)
}

// Kinds of retrieval.
const (
	RetrievalRanked = "ranked" // by the query
	RetrievalBlind  = "blind"  // independent of the query: null, full context, the last turns
	RetrievalNone   = "none"   // Retrieve returns ErrNoRetrieval
)

// Capabilities describes what a system does, for reports, cost estimates and the conformance suite.
type Capabilities struct {
	Unit      string `json:"unit"`      // unit that one ingest step stores: turn | pair | chunk | fact | batch | nothing
	Retrieval string `json:"retrieval"` // ranked | blind | none
	// UsesGold marks a bound, not a memory system: it is given gold evidence.
	UsesGold bool `json:"uses_gold,omitzero"`
	// UsesCategory marks a bound, too: it is given the data set's category of the question.
	UsesCategory bool `json:"uses_category,omitzero"`
	// Stateful marks a system whose published form changes when it is asked; here each
	// question meets a copy, so Retrieve is pure all the same.
	Stateful bool `json:"query_is_stateful,omitzero"`
	// Colder lists the tiers from hot to cold, in systems with tiers.
	Colder []string `json:"tiers,omitempty"`
	// Calls is the ledger that the system keeps to: the conformance suite counts.
	Calls *Calls `json:"calls,omitempty"`
	// ByRule lists the operations that are done by rule here where the published system
	// asks a model. A run with any is named <name>-rule.
	ByRule []string `json:"by_rule,omitempty"`
	// Notes must appear in every table with the system, e.g. the origin of weights.
	Notes []string `json:"notes,omitempty"`
}

// Calls counts model calls. An embedding call counts its texts.
type Calls struct {
	LLMPerUnit      Span `json:"llm_per_unit"`
	LLMPerSession   Span `json:"llm_per_session"`
	LLMPerQuery     Span `json:"llm_per_query"`
	EmbedPerUnit    Span `json:"embeds_per_unit"`
	EmbedPerSession Span `json:"embeds_per_session"`
	EmbedPerQuery   Span `json:"embeds_per_query"`
}

// Span is a range of counts, both included.
type Span struct{ Min, Max int }

// Exactly is the span of one number.
func Exactly(n int) Span { return Span{n, n} }

// A Describer is a System that reports its capabilities.
type Describer interface{ Capabilities() Capabilities }

// CapabilitiesOf returns the capabilities of s. The default is a system that ranks batches.
func CapabilitiesOf(s System) Capabilities {
	if d, ok := As[Describer](s); ok {
		return d.Capabilities()
	}
	return Batches(true)
}

// Batches are the capabilities of a system of which only this is known: it stores batches, and retrieves or only answers.
func Batches(retrieves bool) Capabilities {
	c := Capabilities{Unit: "batch", Retrieval: RetrievalRanked}
	if !retrieves {
		c.Retrieval = RetrievalNone
	}
	return c
}

// Finish ends a session and waits until all of it can be retrieved. Abilities that the system lacks are skipped.
func Finish(ctx context.Context, m Memory, session string) (Receipt, error) {
	var out Receipt
	add := func(r Receipt, err error) error {
		out.Changes = append(out.Changes, r.Changes...)
		out.Degraded = append(out.Degraded, r.Degraded...)
		out.Usage = out.Usage.Add(r.Usage)
		return err
	}
	if e, ok := As[SessionEnder](m); ok {
		if err := add(e.EndSession(ctx, session)); err != nil {
			return out, err
		}
	}
	if s, ok := As[Settler](m); ok {
		if err := add(s.Settle(ctx)); err != nil {
			return out, err
		}
	}
	return out, nil
}
