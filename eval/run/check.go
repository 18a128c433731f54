package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"membench/memory"
)

// check verifies, before a question is asked, that the memory holds the turns that it received.
func (p *player) check(ctx context.Context) error {
	k, keyed := memory.As[memory.Keyed](p.m)
	list, shows := memory.List(p.m)
	verbatim := p.u.caps.Unit == "turn" || p.u.caps.Unit == "pair" || p.u.caps.Unit == "chunk"
	shows = shows && verbatim && p.words > 0
	if !keyed && !shows {
		return nil
	}
	type held struct {
		keys []string
		any  bool
	}
	has, err := do(ctx, p, "reporting what it stored", p.o.Limits.Ingest, func(ctx context.Context) (h held, err error) {
		if keyed {
			if h.keys, err = k.Keys(ctx); err != nil {
				return h, err
			}
		}
		if shows {
			for _, err := range list(ctx) {
				h.any = err == nil
				return h, err
			}
		}
		return h, nil
	})
	switch {
	case err != nil:
		return err
	case keyed && !slices.Equal(has.keys, p.sent):
		return fmt.Errorf("ingest check: the memory has %d of the %d batches that it was given%s", overlap(has.keys, p.sent), len(p.sent), differs(has.keys, p.sent))
	case shows && !has.any: // a system may forget by design, so only an empty memory is proof of a loss
		return fmt.Errorf("ingest check: the memory is empty after %d turns", p.words)
	}
	return nil
}

// pureEvery is the number of cases after which a memory is asked once more, to verify that asking does not change it.
const pureEvery = 64

// pure finds out before questions are asked whether asking changes the memory. It is done
// where looking costs nothing: in memories of this process.
func (p *player) pure(ctx context.Context, n int) error {
	s, ok := memory.As[memory.Snapshotter](p.m)
	c := p.u.caps
	if !ok || p.j.n%pureEvery != 0 || p.u.log.precious || c.Stateful || c.Calls.LLMPerQuery.Max > 0 || c.Retrieval == memory.RetrievalNone {
		return nil
	}
	first := slices.Index(p.due, n)
	changed, err := do(ctx, p, "trying a question", p.o.Limits.Retrieve, func(ctx context.Context) (bool, error) {
		before, err := all(s.Snapshot(ctx))
		if err != nil {
			return false, err
		}
		if _, err := p.m.Retrieve(ctx, p.query(p.j.c.Questions[first])); err != nil {
			return false, nil // that question will say so itself
		}
		after, err := all(s.Snapshot(ctx))
		return len(memory.Diff(before, after, c.Colder)) > 0, err
	})
	if err == nil && changed {
		err = errors.New("asking changes this memory, so one question would affect the next (a system that declares query_is_stateful is asked on copies)")
	}
	return err
}

func overlap(a, b []string) int {
	has := map[string]bool{}
	for _, k := range a {
		has[k] = true
	}
	n := 0
	for _, k := range b {
		if has[k] {
			n++
			has[k] = false
		}
	}
	return n
}

func differs(have, want []string) string {
	for i, k := range want {
		if i >= len(have) || have[i] != k {
			return fmt.Sprintf(", batch %s is missing or not in its place", k)
		}
	}
	return fmt.Sprintf(", and %d that it was not given", len(have)-len(want))
}
