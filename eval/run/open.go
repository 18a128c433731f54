package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/memory"
)

// open opens the memory that an earlier start left, if it is still usable, or an empty one. If this fails, the memory is dead from the start.
func (p *player) open(ctx context.Context, had *partial) error {
	if err := p.u.broken(); err != nil {
		p.dead = err
		return nil
	}
	ns := p.namespace()
	if ok, err := p.attach(ctx, ns, had); ok || err != nil {
		return err
	}
	return p.fresh(ctx, ns)
}

// fresh opens an empty memory. If this fails, the memory is dead.
func (p *player) fresh(ctx context.Context, ns memory.Namespace) error {
	m, err := call(ctx, p.runner, "opening the memory", p.o.Limits.Ingest, func(ctx context.Context) (memory.Memory, error) {
		return p.u.sys.System.Open(ctx, ns)
	}, nil)
	if err != nil {
		if fatal(ctx, err) {
			return err
		}
		p.dead = fmt.Errorf("opening the memory: %w", err)
		return nil
	}
	p.m = m
	if _, ok := memory.As[memory.Cloner](m); p.u.caps.Stateful && !ok {
		p.dead = errors.New("asking changes this memory, and it cannot be copied: one question would affect the next")
	}
	return nil
}

func (p *player) namespace() memory.Namespace {
	ns := memory.Namespace{Run: p.ns, Scope: p.j.c.ID}
	if p.j.repeat > 0 {
		ns.Scope += "#" + strconv.Itoa(p.j.repeat)
	}
	return ns
}

// attach opens the memory that an earlier start left. It is used if it holds exactly the recorded sessions: a memory with more sessions would answer earlier
// questions, and report changes, differently.
func (p *player) attach(ctx context.Context, ns memory.Namespace, had *partial) (bool, error) {
	n := had.sessions(p.j.repeat)
	a, ok := memory.As[memory.Attacher](p.u.sys.System)
	if !ok || n == 0 {
		return false, nil
	}
	from, to := p.repeats()
	for i := range p.j.c.Questions {
		for rep := from; rep < to; rep++ {
			if p.due[i] < n && !had.has(recordKey{'q', rep, i}) {
				return false, nil
			}
		}
	}
	m, err := call(ctx, p.runner, "opening the memory again", p.o.Limits.Ingest, func(ctx context.Context) (memory.Memory, error) { return a.Attach(ctx, ns) }, nil)
	if err != nil {
		if fatal(ctx, err) {
			return false, err
		}
		return false, nil // an empty one may do better
	}
	p.m = m
	var sent []string
	words := 0
	for i := range n {
		turns := p.j.c.Sessions[i].Turns
		for k := 0; k < len(turns); k += p.batchSize(len(turns)) {
			sent = append(sent, batchKey(i, k))
		}
		for _, t := range turns {
			if strings.TrimSpace(t.Text) != "" {
				words++
			}
		}
	}
	if k, ok := memory.As[memory.Keyed](m); ok {
		keys, err := do(ctx, p, "reporting what it stored", p.o.Limits.Ingest, k.Keys)
		if err == nil && slices.Equal(keys, sent) {
			if err := p.remember(ctx); err != nil {
				return false, err
			}
			err := p.stray(n)
			if err == nil {
				p.sent, p.words, p.attached, p.started = sent, words, n, true
				return true, nil
			}
			if !errors.Is(err, errChanged) {
				return false, err
			}
			p.last = nil
		}
		if err != nil && fatal(ctx, err) {
			return false, err
		}
	}
	p.close()
	p.dead = nil
	return false, nil
}

// remember lists the memories before a session, for systems that do not report changes.
func (p *player) remember(ctx context.Context) error {
	if _, tells := memory.As[memory.Deltaer](p.m); tells {
		return nil
	}
	list, shows := memory.List(p.m)
	if !shows {
		return nil
	}
	items, err := do(ctx, p, "listing the memory", p.o.Limits.Ingest, func(ctx context.Context) ([]memory.Item, error) { return all(list(ctx)) })
	if err != nil && fatal(ctx, err) {
		return err
	}
	if err != nil {
		p.dead = err
	}
	p.last = items
	return nil
}

func (p *player) close() {
	if p.m == nil {
		return
	}
	var left *leftError
	if errors.As(p.dead, &left) {
		return // someone is still in there; it is closed when they come out
	}
	m := p.m
	p.m = nil
	// The answer to a failed closing would come too late for any record.
	_, _ = call(context.Background(), p.runner, "closing the memory", p.o.Limits.Ingest, func(context.Context) (struct{}, error) { return struct{}{}, m.Close() }, nil)
}
