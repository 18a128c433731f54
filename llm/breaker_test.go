package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/llm"
	"membench/llm/llmtest"
)

var errAway = errors.New("connection refused")

// attempts makes n attempts that end with these kinds, one after the other; a probe's
// failure is made again as its caller would.
func attempts(t *testing.T, b *llm.Breaker, kinds ...llm.Kind) (err error) {
	t.Helper()
	for _, k := range kinds {
		probe, e := b.Enter(t.Context())
		if e != nil {
			return e
		}
		if _, err = b.Done(probe, k, errAway); err != nil {
			return err
		}
	}
	return nil
}

func times(n int, k llm.Kind) []llm.Kind {
	out := make([]llm.Kind, n)
	for i := range out {
		out[i] = k
	}
	return out
}

func TestBreaker(t *testing.T) {
	var said []string
	clock := llmtest.NewClock()
	fresh := func() *llm.Breaker {
		said = nil
		return llm.NewBreaker("http://e/v1", clock.Clock(), func(s string) { said = append(said, s) })
	}
	b := fresh()
	if err := attempts(t, b, times(19, llm.KindServer)...); err != nil || len(said) != 0 {
		t.Fatalf("19 failures: have %v, said %q", err, said)
	}
	if err := attempts(t, b, llm.KindServer, llm.KindServer); llm.KindOf(err) != llm.KindDown || !llm.Fatal(err) || !errors.Is(err, errAway) {
		t.Errorf("20 failures, never a success, and a neutral question that fails: have %v, want %s with its cause", err, llm.KindDown)
	}
	if _, err := b.Enter(t.Context()); llm.KindOf(err) != llm.KindDown {
		t.Errorf("after that: have %v", err)
	}
	if err := attempts(t, fresh(), llm.KindKey); llm.KindOf(err) != llm.KindKey {
		t.Errorf("a refused key at the beginning: have %v", err)
	}
	if err := attempts(t, fresh(), times(50, llm.KindFiltered)...); err != nil {
		t.Errorf("an endpoint that refuses questions is there: have %v", err)
	}
	b = fresh()
	if err := attempts(t, b, append(times(19, llm.KindRate), "", llm.KindRate)...); err != nil || b.Waiting() != "" {
		t.Errorf("a success ends a row: have %v, %q", err, b.Waiting())
	}

	// An endpoint that has worked is waited for, and all go on by themselves.
	b = fresh()
	start := clock.Now()
	if err := attempts(t, b, append([]llm.Kind{""}, times(20, llm.KindNetwork)...)...); err != nil {
		t.Fatal(err)
	}
	if len(said) != 0 || b.Waiting() != "" { // the neutral question was not asked yet
		t.Errorf("said %q, waiting %q", said, b.Waiting())
	}
	if err := attempts(t, b, llm.KindNetwork); err != nil {
		t.Fatal(err)
	}
	if len(said) != 1 || !strings.Contains(said[0], "21 failures in a row (connection refused)") || b.Waiting() != "waiting for http://e/v1: connection refused" {
		t.Errorf("said %q, waiting %q", said, b.Waiting())
	}
	if err := attempts(t, b, llm.KindNetwork, llm.KindNetwork, ""); err != nil || b.Waiting() != "" || len(said) != 2 {
		t.Errorf("back after three probes: have %v, %q, said %q", err, b.Waiting(), said)
	}
	if waited := clock.Now().Sub(start); waited != 7*time.Second {
		t.Errorf("probes after 1, 2 and 4 s: waited %v", waited)
	}
	// One that stays away is given up, within bounds.
	start = clock.Now()
	err := attempts(t, b, times(200, llm.KindNetwork)...)
	if waited := clock.Now().Sub(start); llm.KindOf(err) != llm.KindDown || waited < 10*time.Minute || waited > 11*time.Minute {
		t.Errorf("have %v after %v", err, waited)
	}
	// Where the neutral question is answered, what failed is the questions' own, however many.
	b = fresh()
	for range 5 {
		if err := attempts(t, b, append(times(20, llm.KindRequest), "")...); err != nil || len(said) != 0 || b.Waiting() != "" {
			t.Errorf("questions that are refused: have %v, said %q", err, said)
		}
	}
	b = fresh()
	start = clock.Now()
	err = attempts(t, b, append([]llm.Kind{""}, times(99, llm.KindKey)...)...)
	if waited := clock.Now().Sub(start); llm.KindOf(err) != llm.KindKey || waited < time.Minute || waited > 2*time.Minute {
		t.Errorf("a key that was taken away: have %v after %v", err, waited)
	}
}

// TestBreakerHolds: while an endpoint is away, one of many callers probes and the others
// wait; none of them fails.
func TestBreakerHolds(t *testing.T) {
	b := llm.NewBreaker("e", llmtest.NewClock().Clock(), nil)
	if err := attempts(t, b, append([]llm.Kind{""}, times(20, llm.KindServer)...)...); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	probes, inside, left := 0, 0, 15
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for {
				probe, err := b.Enter(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				kind := llm.Kind("")
				if probe {
					probes++
					if inside++; inside > 1 {
						t.Error("two probes at once")
					}
					if left--; left > 0 {
						kind = llm.KindServer
					}
					inside--
				}
				again, err := b.Done(probe, kind, errAway)
				mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if !again {
					return
				}
			}
		})
	}
	wg.Wait()
	if probes != 15 {
		t.Errorf("%d probes, want 15", probes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := attempts(t, b, times(20, llm.KindServer)...); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Enter(ctx); llm.KindOf(err) != llm.KindCanceled {
		t.Errorf("have %v, want the caller's end", err)
	}
	if probe, err := b.Enter(t.Context()); err != nil || !probe {
		t.Errorf("a probe that was given up lets another in: have %v, %v", probe, err)
	}
}
