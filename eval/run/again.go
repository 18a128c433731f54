package run

import (
	"context"
	"errors"
	"fmt"

	"membench/memory"
	"membench/schema"
)

// mostAgain is how often the memory of a case is opened again.
const mostAgain = 20

// reopen opens a memory that went while a question was asked, such as a program that crashed, and fills it with the sessions that it held, so that the other questions of the case are
// asked. It returns what that cost and a note, for the next record. A memory that is then not what it was, by its own listing, is asked nothing more: its answers would be those of
// another. An error ends the run.
func (p *player) reopen(ctx context.Context) (usage []schema.StepUsage, notes []string, err error) {
	why := p.gone
	if p.gone = nil; why == nil || p.dead != nil {
		return nil, nil, nil
	}
	if p.again++; p.again > mostAgain {
		p.dead = fmt.Errorf("not opened again after %d failures: %w", p.again, why)
		return nil, nil, nil
	}
	before := holding{}
	for _, it := range p.last {
		if it.Status != memory.StatusInvalid {
			before[it.ID] = text(it.Text)
		}
	}
	_, shows := memory.List(p.m)
	p.close()
	p.sent, p.words, p.last = nil, 0, nil
	if err := p.fresh(ctx, p.namespace()); err != nil {
		return nil, nil, err
	}
	for i := 0; i < p.held && p.dead == nil; i++ {
		rec, err := p.session(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		usage = append(usage, rec.Usage...)
	}
	if p.dead != nil {
		p.dead = fmt.Errorf("it failed again while it was filled again: %w", p.dead)
	} else if how := before.differs(p.last); shows && p.comparable() && how != "" {
		p.dead = errors.New("filled again it is not what it was (" + how + ")")
	}
	if p.dead != nil {
		p.dead = fmt.Errorf("the memory was opened again after a failure: %w", p.dead)
		return usage, nil, nil
	}
	return usage, []string{fmt.Sprintf("the memory was opened again and filled with %d sessions, since it had failed: %s", p.held, text(why.Error()))}, nil
}
