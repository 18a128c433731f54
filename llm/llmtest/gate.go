package llmtest

import (
	"context"
	"slices"
	"sync"
	"time"

	"membench/llm"
)

// A Gate is a model whose answers take a time of its own: time passes only while N calls
// are under way, or while nobody comes to make more. So a test sees how many calls a
// caller keeps under way, however slow the machine is.
type Gate struct {
	n      int
	answer func(llm.Request) string
	ticks  func(llm.Request) int

	mu    sync.Mutex
	now   int
	due   []waiter // by time
	calls int
	area  int       // calls under way × time
	moved time.Time // when something happened last
}

type waiter struct {
	at   int
	wake chan struct{}
}

// idle is how long nobody comes before time passes with fewer than n calls under way: longer than a
// busy machine keeps a goroutine waiting. Only the last calls, behind which no others come, cost it.
const idle = 150 * time.Millisecond

// NewGate makes a model that wants n calls under way. A call takes as much time as ticks
// says, at least 1.
func NewGate(n int, answer func(llm.Request) string, ticks func(llm.Request) int) *Gate {
	return &Gate{n: n, answer: answer, ticks: ticks}
}

// Model is "scripted".
func (g *Gate) Model() string { return "scripted" }

// Generate answers when the call's time has passed.
func (g *Gate) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	w := waiter{wake: make(chan struct{})}
	g.mu.Lock()
	g.calls++
	w.at = g.now + max(1, g.ticks(r))
	at, _ := slices.BinarySearchFunc(g.due, w.at, func(x waiter, t int) int { return x.at - t })
	g.due = slices.Insert(g.due, at, w)
	g.moved = time.Now()
	if len(g.due) >= g.n {
		g.pass()
	}
	g.mu.Unlock()
	for {
		t := time.NewTimer(idle)
		select {
		case <-w.wake:
			t.Stop()
			return response(r, g.answer(r), false), nil
		case <-t.C:
			g.mu.Lock()
			if time.Since(g.moved) >= idle && len(g.due) > 0 {
				g.pass()
			}
			g.mu.Unlock()
		}
	}
}

// pass lets time pass until a call ends. The caller holds the lock.
func (g *Gate) pass() {
	next := g.due[0]
	g.area += len(g.due) * (next.at - g.now)
	g.now, g.moved = next.at, time.Now()
	for len(g.due) > 0 && g.due[0].at == g.now {
		close(g.due[0].wake)
		g.due = g.due[1:]
	}
}

// Kept is the mean number of calls that were under way, and how many were made.
func (g *Gate) Kept() (mean float64, calls int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == 0 {
		return 0, g.calls
	}
	return float64(g.area) / float64(g.now), g.calls
}
