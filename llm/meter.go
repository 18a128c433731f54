package llm

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// A Meter counts the calls made under one context, by any caller: the actual calls of a memory system, to compare with those that it declares. Ledgers feed it.
type Meter struct {
	mu   sync.Mutex
	rows map[[2]string]Usage
}

// A Metering counts the calls to one model for one purpose. Usage is the cost of the answers when they were first requested, so a replay counts the same.
type Metering struct {
	Purpose, Model string
	Usage          Usage
}

type meterKey struct{}

// WithMeter gives a context whose calls are counted.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

func meter(ctx context.Context, purpose, model string, u Usage) {
	m, ok := ctx.Value(meterKey{}).(*Meter)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil {
		m.rows = map[[2]string]Usage{}
	}
	k := [2]string{purpose, model}
	m.rows[k] = m.rows[k].Add(u)
}

// Rows lists the counts, by purpose, then model.
func (m *Meter) Rows() []Metering {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Metering
	for k, u := range m.rows {
		out = append(out, Metering{k[0], k[1], u})
	}
	slices.SortFunc(out, func(a, b Metering) int {
		return cmp.Or(cmp.Compare(a.Purpose, b.Purpose), cmp.Compare(a.Model, b.Model))
	})
	return out
}
