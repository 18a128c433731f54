// Package par maps over a sequence with bounded concurrency and kept order.
package par

import (
	"context"
	"iter"
	"sync"
	"time"
)

// Map calls f on the values of in with at most n calls in flight and yields the
// results in input order. Errors of in and of f are yielded in their place; the
// consumer decides whether to continue. When the consumer stops, running calls see a
// cancelled context and Map returns after they have ended. When ctx is cancelled, its
// error is yielded last: a stream that was cut off never looks like one that ended.
func Map[A, B any](ctx context.Context, n int, in iter.Seq2[A, error], f func(context.Context, A) (B, error)) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		if n <= 1 {
			for a, err := range in {
				var b B
				if err == nil {
					b, err = f(ctx, a)
				}
				if !yield(b, err) {
					return
				}
				if ctx.Err() != nil {
					var none B
					yield(none, context.Cause(ctx))
					return
				}
			}
			return
		}
		type result struct {
			b   B
			err error
		}
		type job struct {
			a    A
			slot chan<- result
		}
		outer := ctx
		ctx, cancel := context.WithCancel(outer)
		var wg sync.WaitGroup
		cut := false // read only after queue is closed
		defer wg.Wait()
		defer cancel()
		queue := make(chan chan result, n-1) // one more is held by the consumer
		// The n workers stay: a goroutine for each value would grow its stack each time,
		// which costs more than f of a small value.
		jobs := make(chan job, n)
		worker := func() {
			for j := range jobs {
				b, err := f(ctx, j.a)
				j.slot <- result{b, err}
			}
		}
		wg.Go(func() {
			defer close(queue)
			defer close(jobs)
			var slots []chan result // the result of value i goes into slot i mod n, which is empty once i is queued
			i := 0
			for a, err := range in {
				if len(slots) < n {
					slots = append(slots, make(chan result, 1))
					wg.Go(worker)
				}
				slot := slots[i%n]
				i++
				select {
				case queue <- slot:
				case <-ctx.Done():
					cut = true
					return
				}
				if err != nil {
					slot <- result{err: err}
					continue
				}
				jobs <- job{a, slot}
			}
		})
		for slot := range queue {
			r := <-slot
			if !yield(r.b, r.err) {
				return
			}
		}
		if cut {
			var b B
			yield(b, context.Cause(outer))
		}
	}
}

// Sleep waits for d, or until ctx ends; the error is that of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
