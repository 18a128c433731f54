package run_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"membench/eval/reader"
	"membench/eval/run"
	"membench/memory"
	"membench/schema"
)

// fragile is a system whose memories are gone after a question with a word.
type fragile struct {
	memory.System
	word   string
	drifts bool // each opening stores other texts
	opened atomic.Int32
}

func (s *fragile) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.System.Open(ctx, ns)
	x := &fragileMemory{Memory: m, s: s}
	if n := s.opened.Add(1); s.drifts {
		x.mark = fmt.Sprint(" ", n)
	}
	return x, err
}

type fragileMemory struct {
	memory.Memory
	s    *fragile
	mark string
	gone error
}

func (m *fragileMemory) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	list, _ := memory.List(m.Memory)
	return func(yield func(memory.Item, error) bool) {
		for it, err := range list(ctx) {
			it.Text += m.mark
			if !yield(it, err) {
				return
			}
		}
	}
}

func (m *fragileMemory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if m.gone != nil {
		return memory.Receipt{}, m.gone
	}
	return m.Memory.Ingest(ctx, b)
}

func (m *fragileMemory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if m.gone == nil && strings.Contains(q.Text, m.s.word) {
		m.gone = fmt.Errorf("segmentation fault: %w", memory.ErrGone)
	}
	if m.gone != nil {
		return memory.Retrieved{}, m.gone
	}
	return m.Memory.Retrieve(ctx, q)
}

// TestOpenedAgain: a memory that is gone after a question is opened again and filled as before; only that question fails. One that is then another memory is
// not asked.
func TestOpenedAgain(t *testing.T) {
	for _, x := range []struct {
		name, word string
		drifts     bool
		failed     string
		opened     int32
	}{
		{"never", "zebra", false, "", 2},
		{"before the last session", "How many", false, "c00-q1 c01-q1", 4},
		{"between questions", "Where did", false, "c00-q2 c01-q2", 4},
		{"every question", "", false, "c00-q1 c00-q2 c00-q3 c01-q1 c01-q2 c01-q3", 6},
		{"another memory", "Where did", true, "c00-q2 c00-q3 c01-q2 c01-q3", 4},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := &fragile{System: system(t, "bm25"), word: x.word, drifts: x.drifts}
			o := of(t, t.TempDir(), cases(2))
			o.Memories, o.Systems = 1, []run.System{{System: s, Reader: reader.Rule()}}
			must(t, o)
			var failed []string
			noted := 0
			for _, q := range qas(t, o.Dir) {
				if q.Outcome == schema.OutcomeError {
					failed = append(failed, q.QuestionID)
				} else if len(q.Hits) == 0 {
					t.Errorf("%s: no hits", q.QuestionID)
				}
				if strings.Contains(fmt.Sprintf("%s", q.Extra), "opened again") {
					noted++
				}
			}
			if have := strings.Join(failed, " "); have != x.failed || s.opened.Load() != x.opened {
				t.Errorf("failed: %q with %d openings, want %q with %d", have, s.opened.Load(), x.failed, x.opened)
			}
			if x.name == "between questions" && noted != 2 {
				t.Errorf("%d records say that the memory was opened again, want 2", noted)
			}
		})
	}
}
