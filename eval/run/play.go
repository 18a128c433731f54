package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// Owners of every memory: a namespace is one memory, so they only have to be the same
// when it is filled and when it is asked.
const (
	userID  = memory.RoleUser
	agentID = memory.RoleAssistant
)

// player plays one job.
type player struct {
	*runner
	j       job
	u       *unit
	due     []int           // by question: after how many sessions it is asked
	given   []schema.Extent // by number of sessions, from 0
	times   map[schema.EventRef]string
	m       memory.Memory
	dead    error           // why the memory is asked nothing more
	gone    error           // why it must be opened and filled again before it is used
	held    int             // sessions that it was given
	again   int             // how often it was opened again
	shown   map[string]bool // contexts on record, by id
	sent    []string        // keys of the batches given to it
	words   int             // turns given to it that say something
	last    []memory.Item   // memories before the session, for systems without deltas
	started bool
	// attached is how many sessions the memory held when it was opened again.
	attached int
}

// brokenAfter openings or first sessions that failed in a row, the rest of a unit is
// not tried.
const brokenAfter = 5

// play fills a memory with a case and asks its questions. Questions that have a record are skipped. An error ends the run.
func (r *runner) play(ctx context.Context, j job) error {
	p := &player{runner: r, j: j, u: j.u}
	p.schedule()
	had := p.u.log.partial(j.n)
	p.shown = map[string]bool{}
	if had != nil {
		p.shown = had.contexts
	}
	if stop := p.lastNeeded(had); stop > 0 {
		if err := p.fill(ctx, had, stop); err != nil {
			p.close()
			return err
		}
	}
	p.close()
	return p.u.log.end(j.n)
}

// dues returns, by question, the number of sessions after which it is asked: after the last session that it covers, or after all sessions.
func dues(c *schema.Case) []int {
	at := map[string]int{}
	for i, s := range c.Sessions {
		at[s.ID] = i + 1
	}
	due := make([]int, len(c.Questions))
	for i, q := range c.Questions {
		last := 0
		for _, id := range q.Covered {
			last = max(last, at[id])
		}
		due[i] = cmp.Or(last, len(c.Sessions))
	}
	return due
}

// schedule determines when each question is asked.
func (p *player) schedule() {
	c := &p.j.c
	p.due, p.given = dues(c), make([]schema.Extent, len(c.Sessions)+1)
	for i, s := range c.Sessions {
		g := &p.given[i+1]
		*g = p.given[i]
		g.Turns, g.ConvID = g.Turns+len(s.Turns), c.ConvID
		for _, t := range s.Turns {
			if when := cmp.Or(t.Time, s.Time); when != "" {
				g.From, g.To = min(cmp.Or(g.From, when), when), max(g.To, when)
			}
			n := utf8.RuneCountInString(t.Text)
			g.Chars += n
			g.Spoken += n + utf8.RuneCountInString(cmp.Or(t.Name, t.Role)+": ")
		}
	}
	if !p.o.Undated {
		p.times = map[schema.EventRef]string{}
		for _, s := range c.Sessions {
			for _, t := range s.Turns {
				if when := cmp.Or(t.Time, s.Time); when != "" {
					p.times[schema.EventRef{ConvID: c.ConvID, TurnID: t.TurnID}] = when
				}
			}
		}
	}
}

// repeats returns the repeats of the job.
func (p *player) repeats() (from, to int) {
	if p.u.reingest {
		return p.j.repeat, p.j.repeat + 1
	}
	return 0, p.u.repeats
}

// lastNeeded returns how many sessions must be ingested for the missing records.
func (p *player) lastNeeded(had *partial) int {
	need := 0
	for i := range p.j.c.Sessions {
		if !had.has(recordKey{'s', p.j.repeat, i}) {
			need = i + 1
		}
	}
	from, to := p.repeats()
	for i := range p.j.c.Questions {
		for rep := from; rep < to; rep++ {
			if !had.has(recordKey{'q', rep, i}) {
				need = max(need, p.due[i])
				if len(p.j.c.Sessions) == 0 {
					need = 1
				}
			}
		}
	}
	return need
}

func (p *player) fill(ctx context.Context, had *partial, stop int) error {
	c := &p.j.c
	if err := p.open(ctx, had); err != nil {
		return err
	}
	if len(c.Sessions) == 0 {
		return p.askDue(ctx, had, 0)
	}
	for i := range c.Sessions {
		if i >= stop {
			break
		}
		if i < p.attached { // its questions have their records, or are asked below
			p.held = i + 1
			if err := p.askDue(ctx, had, i+1); err != nil {
				return err
			}
			continue
		}
		usage, notes, err := p.reopen(ctx)
		if err != nil {
			return err
		}
		rec, err := p.session(ctx, i)
		if err != nil {
			return err
		}
		rec.Usage = append(usage, rec.Usage...)
		note(&rec.Extra, notes)
		p.held = i + 1
		asked := slices.Contains(p.due, i+1)
		if asked && p.dead == nil {
			err := p.check(ctx)
			if err == nil {
				rec.Lost, err = p.lost(ctx, i+1)
			}
			if err == nil {
				err = p.pure(ctx, i+1)
			}
			if err != nil {
				if fatal(ctx, err) {
					return err
				}
				p.dead = err
				rec.Outcome, rec.Error = outcomeOf(err), text(p.dead.Error())
			}
		}
		if !had.has(recordKey{'s', p.j.repeat, i}) {
			p.u.tally.session(&rec)
			if err := p.u.log.session(p.j.n, p.j.repeat, i, &rec); err != nil {
				return err
			}
		}
		if asked {
			if err := p.askDue(ctx, had, i+1); err != nil {
				return err
			}
		}
	}
	p.u.went(p.dead == nil || p.started || llm.KindOf(p.dead) != "") // failures of a model's endpoint are counted by its Breaker
	return nil
}

// went notes how a case of the unit began.
func (u *unit) went(well bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if well {
		u.failed = 0
	} else {
		u.failed++
	}
}

func (u *unit) broken() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed < brokenAfter {
		return nil
	}
	return fmt.Errorf("not tried: the system failed at the beginning of %d cases in a row", u.failed)
}

// now is the clock; the zero time where nothing is measured.
func (p *player) now() time.Time {
	if p.o.Now == nil {
		return time.Time{}
	}
	return p.o.Now()
}

func (p *player) since(t time.Time) float64 {
	if p.o.Now == nil {
		return 0
	}
	return math.Round(float64(p.o.Now().Sub(t).Microseconds())) / 1000
}

// do is call on the memory: a call that is left behind makes it dead.
func do[T any](ctx context.Context, p *player, what string, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	m := p.m
	v, err := call(ctx, p.runner, what, limit, f, func() {
		guarded(context.Background(), what, func(context.Context) (int, error) { return 0, m.Close() })
	})
	if _, ok := errors.AsType[*leftError](err); ok {
		p.dead = err
	}
	return v, err
}
