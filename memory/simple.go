package memory

import (
	"context"
	"fmt"
	"slices"

	"membench/schema"
)

// Simple is the smallest interface that can be measured: a system that ingests turns and answers questions, without access to its memories.
type Simple interface {
	Reset(ctx context.Context) error
	Ingest(ctx context.Context, t schema.Turn) error
	Answer(ctx context.Context, question string) (string, error)
}

// FromSimple makes a system of a Simple; each namespace gets one of its own from make.
// Its retrieval metrics are not applicable.
func FromSimple(info Info, make func() Simple) System { return simpleSystem{info, make} }

type simpleSystem struct {
	info Info
	make func() Simple
}

func (s simpleSystem) Info() Info { return s.info }

func (s simpleSystem) Capabilities() Capabilities {
	return Capabilities{Unit: "turn", Retrieval: RetrievalNone}
}

func (s simpleSystem) Open(ctx context.Context, _ Namespace) (Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := s.make()
	if err := m.Reset(ctx); err != nil {
		return nil, fmt.Errorf("reset: %w", err)
	}
	return &simpleMemory{Simple: m, done: map[string]int{}}, nil
}

type simpleMemory struct {
	Simple
	done map[string]int // turns stored, by batch
	keys []string       // of whole batches
}

// Ingest gives the turns over one by one. A batch that failed in the middle continues
// where it stopped when it comes again.
func (m *simpleMemory) Ingest(ctx context.Context, b Batch) (Receipt, error) {
	key := b.ID()
	if slices.Contains(m.keys, key) {
		return Receipt{Skipped: true}, nil
	}
	for _, t := range b.Turns[m.done[key]:] {
		if err := ctx.Err(); err != nil {
			return Receipt{}, err
		}
		if err := m.Simple.Ingest(ctx, t); err != nil {
			return Receipt{}, err
		}
		m.done[key]++
	}
	m.keys = append(m.keys, key)
	return Receipt{}, nil
}

func (m *simpleMemory) Keys(context.Context) ([]string, error) { return slices.Clone(m.keys), nil }

func (m *simpleMemory) Retrieve(context.Context, Query) (Retrieved, error) {
	return Retrieved{}, ErrNoRetrieval
}

func (m *simpleMemory) Answer(ctx context.Context, q Query) (Retrieved, string, error) {
	text, err := m.Simple.Answer(ctx, q.Text)
	return Retrieved{}, text, err
}

func (m *simpleMemory) Close() error { return nil }
