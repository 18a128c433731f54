package par

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"
)

func count(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestMapKeepsOrderAndBound(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		var now, most atomic.Int64
		want := 0
		for v, err := range Map(t.Context(), n, count(50), func(_ context.Context, i int) (int, error) {
			if k := now.Add(1); k > most.Load() {
				most.Store(k)
			}
			time.Sleep(time.Duration((i*7)%3) * time.Millisecond)
			now.Add(-1)
			return i * i, nil
		}) {
			if err != nil || v != want*want {
				t.Fatalf("n=%d: item %d: have %d (%v), want %d", n, want, v, err, want*want)
			}
			want++
		}
		if want != 50 || most.Load() > int64(n) {
			t.Errorf("n=%d: have %d items and %d calls at once", n, want, most.Load())
		}
	}
}

func TestMapPassesErrorsInPlace(t *testing.T) {
	bad := errors.New("bad")
	in := func(yield func(int, error) bool) { _ = yield(0, nil) && yield(0, bad) && yield(2, nil) }
	var got []error
	for _, err := range Map(t.Context(), 2, in, func(_ context.Context, i int) (int, error) {
		if i == 2 {
			return 0, bad
		}
		return i, nil
	}) {
		got = append(got, err)
	}
	if len(got) != 3 || got[0] != nil || got[1] != bad || got[2] != bad {
		t.Errorf("have %v, want nil, bad, bad", got)
	}
}

func TestMapStops(t *testing.T) {
	var started atomic.Int64
	for range Map(t.Context(), 3, count(1000), func(ctx context.Context, i int) (int, error) {
		started.Add(1)
		return i, nil
	}) {
		break
	}
	after := started.Load()
	time.Sleep(5 * time.Millisecond)
	if s := started.Load(); s != after || s > 10 {
		t.Errorf("calls: have %d then %d, want few and no more after the break", after, s)
	}
}

// A cancelled context ends the stream with its error, never as if it were whole.
func TestMapCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for _, err := range Map(ctx, 3, count(1000), func(_ context.Context, i int) (int, error) { return i, nil }) {
		if n++; n == 5 {
			cancel()
		}
		last = err
	}
	if n >= 1000 || !errors.Is(last, context.Canceled) {
		t.Errorf("have %d items and %v last, want few and the context's error", n, last)
	}
}
