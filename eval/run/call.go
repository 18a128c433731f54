package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"membench/llm"
	"membench/schema"
)

// errLimit is the cause of a context that a limit of the run ended.
var errLimit = errors.New("over the limit of the run")

// A leftError reports that a call never returned: its data must not be used.
type leftError struct {
	what  string
	limit time.Duration
}

func (e *leftError) Error() string {
	return fmt.Sprintf("%s did not end within %v, nor after it was cancelled: abandoned", e.what, e.limit)
}

// A panicError is a panic of foreign code.
type panicError struct {
	what  string
	value any
	at    string // the innermost line that is not the runtime's
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%s panicked: %v%s", e.what, e.value, e.at)
}

func recovered(what string, v any) error {
	at := ""
	lines := strings.Split(string(debug.Stack()), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+3 < len(lines) {
			at, _, _ = strings.Cut(strings.TrimSpace(lines[i+3]), " ")
			if n := strings.LastIndexByte(at, '/'); n >= 0 {
				at = at[n+1:]
			}
			at = " (" + at + ")"
			break
		}
	}
	return &panicError{what, v, at}
}

// call runs f, which is foreign code, and returns whatever f does: after limit and grace at the latest, and with a panic as an error. later runs if an
// abandoned call returns after all.
func call[T any](ctx context.Context, r *runner, what string, limit time.Duration, f func(context.Context) (T, error), later func()) (T, error) {
	if limit <= 0 {
		return guarded(ctx, what, f)
	}
	inner, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	type result struct {
		v   T
		err error
	}
	out := make(chan result, 1)
	r.hands.do(func() {
		v, err := guarded(inner, what, f)
		out <- result{v, err}
	})
	var got result
	select {
	case got = <-out:
	case <-inner.Done():
		t := time.NewTimer(r.o.Limits.Grace)
		defer t.Stop()
		select {
		case got = <-out:
		case <-t.C:
			go func() {
				<-out
				if later != nil {
					later()
				}
			}()
			var none T
			if ctx.Err() != nil {
				return none, context.Cause(ctx)
			}
			return none, &leftError{what, limit}
		}
	}
	if got.err != nil && context.Cause(inner) == errLimit && ctx.Err() == nil {
		got.err = fmt.Errorf("%s: %w, %v: %w", what, errLimit, limit, got.err)
	}
	return got.v, got.err
}

func guarded[T any](ctx context.Context, what string, f func(context.Context) (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = recovered(what, p)
		}
	}()
	return f(ctx)
}

// outcomeOf sorts an error into the outcomes of asking.
func outcomeOf(err error) string {
	var left *leftError
	switch {
	case errors.As(err, &left), errors.Is(err, errLimit), llm.KindOf(err) == llm.KindTimeout, errors.Is(err, context.DeadlineExceeded):
		return schema.OutcomeTimeout
	case llm.KindOf(err) == llm.KindFiltered, llm.KindOf(err) == llm.KindRefused:
		return schema.OutcomeRefused
	}
	return schema.OutcomeError
}

// modelOutcome is how a model's call ended, "" where none did or it is complete.
func modelOutcome(ended llm.Outcome, err error) string {
	switch {
	case err != nil && llm.KindOf(err) == "":
		return ""
	case err != nil:
		return string(llm.OutcomeOf(llm.Response{}, err))
	case ended == llm.Complete:
		return ""
	}
	return string(ended)
}

// fatal reports whether an error ends the run: it would meet every other question too,
// or the run is being stopped.
func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || llm.Fatal(err) && !errors.Is(err, errLimit)
}
