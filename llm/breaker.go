package llm

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Limits of a Breaker.
const (
	breakAfter   = 20               // attempts that fail in a row
	patience     = 10 * time.Minute // that an endpoint is waited for
	keyPatience  = time.Minute      // that a key is: one may have been changed while the run continues
	firstProbe   = time.Second      // after an endpoint has failed, then twice as long each time
	longestProbe = 30 * time.Second
)

// A Breaker guards an endpoint for all its uses. After 20 attempts that
// failed in a row, or a refused key, no more are made: one of the calls that wait asks a
// neutral question first. If it is answered, the endpoint works and the questions before were
// at fault: all calls continue. If not, it is repeated with growing pauses until it is
// answered. An endpoint that has never answered is not waited for, nor one that is down for
// ten minutes (a refused key: one minute): then every call fails with KindDown or KindKey,
// which ends a run.
type Breaker struct {
	name  string // of the endpoint, for messages
	clock Clock
	tell  func(string) // nil: no notification

	mu      sync.Mutex
	worked  bool
	row     int // failures in a row
	cause   error
	kind    Kind
	since   time.Time // that it is not asked
	refused time.Time // that its key is rejected
	pause   time.Duration
	probing bool
	gone    error         // given up
	change  chan struct{} // closed when the state changes; nil: the way is free
}

// NewBreaker returns a breaker for the endpoint of this name. tell is called when it opens and closes.
func NewBreaker(name string, c Clock, tell func(string)) *Breaker {
	return &Breaker{name: name, clock: c, tell: tell}
}

// Waiting returns why the endpoint is currently not called, or "" if it is.
func (b *Breaker) Waiting() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.change == nil || b.gone != nil || b.pause == 0 {
		return ""
	}
	return fmt.Sprintf("waiting for %s: %v", b.name, b.cause)
}

// Enter waits until an attempt may be made. probe reports that the caller must send a neutral request instead, for which others wait, and call Enter again. The
// error is an *Error without purpose.
func (b *Breaker) Enter(ctx context.Context) (probe bool, err error) {
	for {
		b.mu.Lock()
		change, gone := b.change, b.gone
		if gone == nil && change != nil && !b.probing {
			b.probing = true
			wait := b.pause
			b.pause = min(2*b.pause, longestProbe)
			b.mu.Unlock()
			if err := b.clock.Sleep(ctx, wait); err != nil {
				b.release()
				return false, &Error{Kind: KindCanceled, Err: err}
			}
			return true, nil
		}
		b.mu.Unlock()
		if gone != nil || change == nil {
			return false, gone
		}
		select {
		case <-change:
		case <-ctx.Done():
			return false, &Error{Kind: KindCanceled, Err: ctx.Err()}
		}
	}
}

// release lets another caller probe.
func (b *Breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	b.signal()
}

// signal wakes those who wait. The caller holds the lock.
func (b *Breaker) signal() {
	if b.change != nil && b.gone == nil {
		close(b.change)
		b.change = make(chan struct{})
	}
}

// Left reports that a probe was abandoned by its own caller. It does not change the endpoint's state.
func (b *Breaker) Left(probe bool) {
	if probe {
		b.release()
	}
}

// Done reports the outcome of an attempt; kind "" is an answer. again means that the attempt is to be repeated when the endpoint is back and does not
// count as a failure of its call; an attempt that may have failed because of its own question is not repeated.
func (b *Breaker) Done(probe bool, kind Kind, cause error) (again bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !fault(kind) { // an answer of any content shows that the endpoint works
		b.worked, b.row, b.cause, b.kind = true, 0, nil, ""
		if b.change != nil && b.gone == nil {
			if b.pause > 0 { // it was said that it does not
				b.say("%s answers again after %v: continuing", b.name, b.clock.Now().Sub(b.since).Round(time.Second))
			}
			close(b.change)
			b.change, b.probing = nil, false
		}
		return false, nil
	}
	b.row++
	if kind == KindKey && b.kind != KindKey {
		b.refused = b.clock.Now()
	}
	b.cause, b.kind = cause, kind
	switch {
	case b.gone != nil:
		return false, b.gone
	case b.change == nil && kind != KindKey && b.row < breakAfter:
		return false, nil
	case !b.worked && (probe || kind == KindKey):
		b.change = cmp.Or(b.change, make(chan struct{}))
		return false, b.giveUp("%d attempts failed in a row and none has succeeded, the last: %w", b.row, cause)
	case b.change == nil: // in doubt until a neutral question is asked
		b.change, b.since, b.pause = make(chan struct{}), b.clock.Now(), 0
	case probe:
		b.probing = false
		now := b.clock.Now()
		if b.pause == 0 {
			b.pause = firstProbe
			b.say("%s is paused after %d failures in a row (%v): it is tried again automatically", b.name, b.row, cause)
		}
		if away := now.Sub(b.since); away >= patience || kind == KindKey && now.Sub(b.refused) >= keyPatience {
			return false, b.giveUp("no success for %v, the last: %w", away.Round(time.Second), cause)
		}
		b.signal()
	}
	return kind != KindMalformed && kind != KindEmpty && kind != KindRequest, nil
}

// giveUp ends the endpoint for this run. The caller holds the lock.
func (b *Breaker) giveUp(format string, args ...any) error {
	kind := KindDown
	if b.kind == KindKey {
		kind, format, args = KindKey, "%w", []any{b.cause}
	}
	b.gone = &Error{Kind: kind, Err: fmt.Errorf(format, args...)}
	close(b.change)
	return b.gone
}

func (b *Breaker) say(format string, args ...any) {
	if b.tell != nil {
		b.tell(fmt.Sprintf(format, args...))
	}
}

// fault reports whether a failed attempt speaks against the endpoint, and not against
// the question.
func fault(k Kind) bool {
	switch k {
	case KindNetwork, KindTimeout, KindRate, KindServer, KindMalformed, KindEmpty, KindRequest, KindKey:
		return true
	}
	return false
}
