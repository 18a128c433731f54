package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"membench/eval/reader"
	"membench/internal/codec"
	"membench/memory"
	"membench/schema"
)

// askDue asks the questions that are due after n sessions and waits for all answers.
func (p *player) askDue(ctx context.Context, had *partial, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	from, to := p.repeats()
	for i := range p.j.c.Questions {
		if p.due[i] != n {
			continue
		}
		var repeats []int
		for rep := from; rep < to; rep++ {
			if !had.has(recordKey{'q', rep, i}) {
				repeats = append(repeats, rep)
			}
		}
		if len(repeats) == 0 {
			continue
		}
		if err := p.question(ctx, &wg, cancel, i, repeats); err != nil {
			cancel(err)
			break
		}
	}
	p.wait(&wg)
	return context.Cause(ctx)
}

// wait waits for answers. While a model gives them, another memory works.
func (p *player) wait(wg *sync.WaitGroup) {
	if p.u.sys.Remote {
		<-p.work
		defer func() { p.work <- struct{}{} }()
	}
	wg.Wait()
}

// question retrieves once and has every repeat answered.
func (p *player) question(ctx context.Context, wg *sync.WaitGroup, stop context.CancelCauseFunc, i int, repeats []int) error {
	var found *shown
	for _, rep := range repeats {
		select {
		case p.calls <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		q := p.j.c.Questions[i]
		rec := q.Record()
		rec.System, rec.Dataset, rec.Source, rec.CaseID, rec.Hits, rec.Given = p.u.name, p.j.c.Dataset, p.j.c.Source, p.j.c.ID, []schema.QAHit{}, &p.given[p.due[i]]
		if rec.Repeat = rep; p.u.caps.Retrieval != memory.RetrievalNone { // no hits can be asked for: retrieval metrics are not applicable
			rec.K = p.u.k
		}
		reads, err := p.find(ctx, q, &rec, &found)
		if err == nil {
			err = p.name(i, &rec)
		}
		if err == nil && reads {
			wg.Add(1)
			p.hands.do(func() {
				defer wg.Done()
				defer func() { <-p.calls }()
				err := p.read(ctx, q, &rec)
				if err == nil {
					err = p.keep(i, &rec)
				}
				if err != nil {
					stop(err)
				}
			})
			continue
		}
		<-p.calls
		if err == nil {
			err = p.keep(i, &rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// find retrieves, once for all repeats, or lets the memory answer itself. It reports whether a reader must answer; an error ends the run.
func (p *player) find(ctx context.Context, q schema.Question, rec *schema.QARecord, found **shown) (reads bool, err error) {
	usage, notes, err := p.reopen(ctx)
	if err != nil {
		return false, err
	}
	defer func() {
		rec.Usage = append(usage, rec.Usage...)
		note(&rec.Extra, notes)
	}()
	answers := false
	if p.m != nil {
		_, answers = memory.As[memory.Answerer](p.m)
	}
	f := *found
	switch {
	case p.dead != nil:
		err, rec.Outcome, rec.Error = p.dead, outcomeOf(p.dead), text("not asked: "+p.dead.Error())
	case answers:
		err = p.selfAnswer(ctx, q, rec)
	case f == nil:
		f = &shown{}
		if err = p.retrieve(ctx, q, rec, f); err == nil { // otherwise every repeat tries
			rec.Usage, *found = f.usage, f // paid once, counted once
		}
	}
	if err != nil {
		if fatal(ctx, err) {
			return false, err
		}
		if rec.Outcome == "" {
			rec.Outcome, rec.Error, rec.ModelOutcome = outcomeOf(err), text(err.Error()), modelOutcome("", err)
		}
		if p.dead == nil && errors.Is(err, memory.ErrGone) {
			p.gone = err
		}
		return false, nil
	}
	if answers {
		return false, nil
	}
	rec.Hits, rec.Repeated, rec.Below, rec.Context, rec.Degraded, rec.RetrieveMS = f.hits, f.repeated, f.below, f.context, f.plainer, f.ms
	note(&rec.Extra, f.notes)
	return true, nil
}

// name names the context of a record and stores it the first time. A memory's questions are asked one at a time, so the order follows the questions.
func (p *player) name(i int, rec *schema.QARecord) error {
	if rec.Context == "" {
		return nil
	}
	rec.ContextID = schema.ContextID(rec.Context)
	if p.shown[rec.ContextID] {
		return nil
	}
	p.shown[rec.ContextID] = true
	return p.u.log.context(p.j.n, i, &schema.ShownContext{System: rec.System, Repeat: p.j.repeat, Dataset: rec.Dataset, CaseID: rec.CaseID, ID: rec.ContextID, Context: rec.Context})
}

func (p *player) keep(i int, rec *schema.QARecord) error {
	rec.Context = "" // it has a name
	p.u.tally.question(rec)
	return p.u.log.question(p.j.n, i, rec)
}

// read answers the question from the retrieved hits. An error ends the run.
func (p *player) read(ctx context.Context, q schema.Question, rec *schema.QARecord) error {
	start := p.now()
	in := reader.Input{Question: q, Speakers: p.j.c.Speakers, Context: rec.Context, Hits: rec.Hits, Sample: rec.Repeat}
	a, err := call(ctx, p.runner, "reading", p.o.Limits.Read, func(ctx context.Context) (reader.Answer, error) { return p.u.sys.Reader.Read(ctx, in) }, nil)
	rec.AnswerMS = p.since(start)
	rec.ModelOutcome = modelOutcome(a.Ended, err)
	if u := a.Usage; u.Calls > 0 {
		rec.Usage = append(slices.Clip(rec.Usage), schema.StepUsage{Step: "read", Model: a.Model, Calls: u.Calls, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens})
	}
	if err != nil {
		if fatal(ctx, err) {
			return err
		}
		rec.Outcome, rec.Error = outcomeOf(err), text(err.Error())
		return nil
	}
	rec.By = a.By
	rec.Answer, rec.Outcome = said(a.Text)
	return nil
}

// note stores remarks about a system's mistakes in a record.
func note(extra *schema.Extra, notes []string) {
	if len(notes) == 0 {
		return
	}
	raw, err := codec.Append(nil, notes, codec.Compact)
	if err != nil { // unreachable: they are texts
		return
	}
	if *extra == nil {
		*extra = schema.Extra{}
	}
	(*extra)["notes"] = raw
}

// text returns s as valid UTF-8, which records require.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
