package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"membench/eval/reader"
	"membench/internal/codec"
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
	due     []int // by question: after how many sessions it is asked
	times   map[schema.EventRef]string
	m       memory.Memory
	dead    error           // why the memory is asked nothing more
	shown   map[string]bool // contexts on record, by id
	sent    []string        // keys of the batches given to it
	kept    int             // batches of which the receipts say that something was stored
	words   int             // turns given to it that say something
	last    []memory.Item   // before the session, for systems that tell no deltas
	started bool
	// attached is how many sessions the memory held when it was opened again.
	attached int
}

// brokenAfter openings or first sessions that failed in a row, the rest of a unit is
// not tried.
const brokenAfter = 5

// play fills a memory with a case and asks its questions; what has a record is not
// asked again. An error ends the run.
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

// schedule says for each question after how many sessions it is asked: when the last
// of those that it covers is in, else after all.
func (p *player) schedule() {
	c := &p.j.c
	at := map[string]int{}
	for i, s := range c.Sessions {
		at[s.ID] = i + 1
	}
	p.due = make([]int, len(c.Questions))
	for i, q := range c.Questions {
		p.due[i] = len(c.Sessions)
		last := 0
		for _, id := range q.Covered {
			last = max(last, at[id])
		}
		if last > 0 {
			p.due[i] = last
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

// repeats are those of the job.
func (p *player) repeats() (from, to int) {
	if p.u.reingest {
		return p.j.repeat, p.j.repeat + 1
	}
	return 0, p.u.repeats
}

// lastNeeded is how many sessions must be in for what has no record yet.
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
			if err := p.askDue(ctx, had, i+1); err != nil {
				return err
			}
			continue
		}
		rec, err := p.session(ctx, i)
		if err != nil {
			return err
		}
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
	p.u.went(p.dead == nil || p.started)
	return nil
}

// open makes the memory: the one that an earlier start left, where that can be had as
// it was, else an empty one. Failing, it is dead from the start.
func (p *player) open(ctx context.Context, had *partial) error {
	if err := p.u.broken(); err != nil {
		p.dead = err
		return nil
	}
	ns := p.namespace()
	if ok, err := p.attach(ctx, ns, had); ok || err != nil {
		return err
	}
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
		p.dead = errors.New("asking changes this memory, and it cannot be copied: its questions would disturb each other")
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

// attach opens what an earlier start left of the memory. It is used where it holds
// exactly the sessions that are on record: a memory that is ahead of them would answer
// earlier questions, and tell changes, otherwise.
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
		keys, err := do(ctx, p, "telling what it stored", p.o.Limits.Ingest, k.Keys)
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

// remember takes what there is before a session, for systems that do not tell what it changed.
func (p *player) remember(ctx context.Context) error {
	if _, tells := memory.As[memory.Deltaer](p.m); tells {
		return nil
	}
	list, shows := memory.List(p.m)
	if !shows {
		return nil
	}
	items, err := do(ctx, p, "showing the memory", p.o.Limits.Ingest, func(ctx context.Context) ([]memory.Item, error) { return all(list(ctx)) })
	if err != nil && fatal(ctx, err) {
		return err
	}
	if err != nil {
		p.dead = err
	}
	p.last = items
	return nil
}

// batchSize is how many of n turns are ingested at once.
func (p *player) batchSize(n int) int {
	if w := cmp.Or(p.u.set.Window, p.o.Window); w > 0 {
		return w
	}
	return max(1, n)
}

func (p *player) close() {
	if p.m == nil {
		return
	}
	var left *leftError
	if errors.As(p.dead, &left) {
		return // somebody is still in there; it is closed when they come out
	}
	m := p.m
	p.m = nil
	// The answer to a failed closing would come too late for any record.
	_, _ = call(context.Background(), p.runner, "closing the memory", p.o.Limits.Ingest, func(context.Context) (struct{}, error) { return struct{}{}, m.Close() }, nil)
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
	var left *leftError
	if errors.As(err, &left) {
		p.dead = err
	}
	return v, err
}

// session plays one session and says what it did.
func (p *player) session(ctx context.Context, i int) (schema.SessionRecord, error) {
	s := &p.j.c.Sessions[i]
	rec := schema.SessionRecord{System: p.u.name, Repeat: p.j.repeat, Dataset: p.j.c.Dataset, CaseID: p.j.c.ID, SessionID: s.ID, Index: i, Points: s.Points, Outcome: schema.OutcomeAnswered}
	if p.dead != nil {
		rec.Outcome, rec.Error = outcomeOf(p.dead), text("not ingested: "+p.dead.Error())
		return rec, nil
	}
	start := p.now()
	ctx, meter := llm.WithMeter(ctx)
	var told llm.Usage
	var notes []string
	err := p.ingest(ctx, s, i, &rec, &told)
	rec.IngestMS = p.since(start)
	rec.Usage, notes = usageOf("ingest", meter, told)
	if err == nil {
		p.started = true
		err = p.look(ctx, s, &rec)
	}
	if err != nil {
		if fatal(ctx, err) {
			return rec, err
		}
		p.dead = cmp.Or(p.dead, fmt.Errorf("session %s: %w", s.ID, err))
		rec.Outcome, rec.Error = outcomeOf(err), text(err.Error())
	}
	note(&rec.Extra, notes)
	return rec, nil
}

// ingest sends the turns in batches and ends the session.
func (p *player) ingest(ctx context.Context, s *schema.Session, i int, rec *schema.SessionRecord, told *llm.Usage) error {
	turns := make([]schema.Turn, len(s.Turns))
	for k, t := range s.Turns {
		turns[k] = t.Turn(p.j.c.ConvID)
		turns[k].Time = cmp.Or(t.Time, s.Time)
		if strings.TrimSpace(t.Text) != "" {
			p.words++
		}
	}
	size := p.batchSize(len(turns))
	take := func(r memory.Receipt) {
		*told = told.Add(r.Usage)
		for _, d := range r.Degraded {
			rec.Degraded = append(rec.Degraded, text(d))
		}
		for _, c := range r.Changes {
			if c.Op == memory.OpAdd {
				p.kept++
			}
			rec.Changes = append(rec.Changes, schema.MemoryChange{Op: c.Op, ID: schema.PointID(text(string(c.ID))), Old: text(c.Old), New: text(c.New)})
		}
	}
	for from := 0; from < len(turns); from += size {
		to := min(from+size, len(turns))
		b := memory.Batch{Key: batchKey(i, from), Session: s.ID, Context: turns[max(0, from-p.o.Overlap):from], Turns: turns[from:to], UserID: userID, AgentID: agentID}
		r, err := do(ctx, p, "ingesting", p.o.Limits.Ingest, func(ctx context.Context) (memory.Receipt, error) { return p.m.Ingest(ctx, b) })
		take(r)
		if err != nil {
			return err
		}
		if r.Skipped {
			return fmt.Errorf("ingest check: the system says that it has turns %d to %d already, and its memory was opened empty", s.Turns[from].TurnID, s.Turns[to-1].TurnID)
		}
		rec.Turns += to - from
		p.sent = append(p.sent, b.Key)
	}
	r, err := do(ctx, p, "ending the session", p.o.Limits.Ingest, func(ctx context.Context) (memory.Receipt, error) { return memory.Finish(ctx, p.m, s.ID) })
	take(r)
	return err
}

// batchKey is unique in a memory, also where a data set repeats a session's id.
func batchKey(session, turn int) string {
	return "s" + strconv.Itoa(session) + "." + strconv.Itoa(turn)
}

// look takes what the session changed and, where it is wanted, all that is kept.
func (p *player) look(ctx context.Context, s *schema.Session, rec *schema.SessionRecord) error {
	d, tells := memory.As[memory.Deltaer](p.m)
	list, shows := memory.List(p.m)
	rec.Opaque = !tells && !shows
	keep := shows && (p.o.Snapshots || len(s.Points) > 0)
	if rec.Opaque {
		return nil
	}
	type seen struct {
		delta []schema.MemoryDelta
		items []memory.Item
	}
	got, err := do(ctx, p, "showing the memory", p.o.Limits.Ingest, func(ctx context.Context) (x seen, err error) {
		if tells {
			for one, err := range d.Delta(ctx, s.ID) {
				if err != nil {
					return x, err
				}
				x.delta = append(x.delta, delta(one))
			}
		}
		if keep || !tells {
			x.items, err = all(list(ctx))
		}
		return x, err
	})
	if err != nil {
		return err
	}
	// What a whole session's delta shows need not be said twice.
	rec.Changes = slices.DeleteFunc(rec.Changes, func(c schema.MemoryChange) bool { return c.Op == memory.OpAdd || c.Op == memory.OpNone })
	rec.Delta = got.delta
	if !tells {
		for _, x := range memory.Diff(p.last, got.items, p.u.caps.Colder) {
			rec.Delta = append(rec.Delta, delta(x))
		}
		p.last = got.items
	}
	if keep {
		for _, it := range got.items {
			rec.Snapshot = append(rec.Snapshot, schema.MemoryState{ID: schema.PointID(text(string(it.ID))), Text: text(it.Text), Session: text(it.Session), Status: it.Status, Sources: it.Sources})
		}
	}
	return nil
}

func all[T any](in iter.Seq2[T, error]) (out []T, err error) {
	for x, err := range in {
		if err != nil {
			return out, err
		}
		out = append(out, x)
	}
	return out, nil
}

func delta(x memory.Delta) schema.MemoryDelta {
	d := schema.MemoryDelta{Op: x.Op, ID: schema.PointID(text(string(x.Item.ID))), Text: text(x.Item.Text), Sources: x.Item.Sources}
	for _, old := range x.Old {
		d.Previous = append(d.Previous, text(old))
	}
	return d
}

// check finds out before a question is asked whether the memory has what it was given.
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
	has, err := do(ctx, p, "telling what it stored", p.o.Limits.Ingest, func(ctx context.Context) (h held, err error) {
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

// pureEvery so many cases a memory is asked once for nothing, to see that it stays as it is.
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
		err = errors.New("asking changes this memory: its questions would disturb each other (a system that says so, query_is_stateful, is asked on copies)")
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

// askDue asks what is due after n sessions and waits for all answers.
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
	q := p.j.c.Questions[i]
	base := q.Record()
	base.System, base.Dataset, base.Source, base.CaseID, base.Hits = p.u.name, p.j.c.Dataset, p.j.c.Source, p.j.c.ID, []schema.QAHit{}
	base.K = p.u.k
	answers := false
	if p.m != nil {
		_, answers = memory.As[memory.Answerer](p.m)
	}
	var found *shown
	for n, rep := range repeats {
		select {
		case p.calls <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		rec := base
		rec.Repeat = rep
		err := p.dead
		if err != nil {
			rec.Outcome, rec.Error = outcomeOf(err), text("not asked: "+err.Error())
		} else if answers {
			err = p.selfAnswer(ctx, q, &rec)
		} else if found == nil {
			found = &shown{}
			err = p.retrieve(ctx, q, &rec, found)
		}
		if err != nil || answers {
			<-p.calls
			if err != nil && fatal(ctx, err) {
				return err
			}
			if err != nil && rec.Outcome == "" {
				rec.Outcome, rec.Error, rec.ModelOutcome = outcomeOf(err), text(err.Error()), modelOutcome("", err)
			}
			if found != nil {
				found = nil // every repeat tries
			}
			if err := errors.Join(p.name(i, &rec), p.keep(i, &rec)); err != nil {
				return err
			}
			continue
		}
		f := found
		rec.Hits, rec.Below, rec.Context, rec.RetrieveMS = f.hits, f.below, f.context, f.ms
		note(&rec.Extra, f.notes)
		if n == 0 {
			rec.Usage = f.usage // paid once, counted once
		}
		if err := p.name(i, &rec); err != nil {
			return err
		}
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
	}
	return nil
}

// name gives the context of a record its name, and puts it on record the first time. A
// memory's questions are asked one by one, so the order is that of the questions.
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

// read has the question answered from what was found. An error ends the run.
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
	rec.Answer, rec.By, rec.Outcome = text(a.Text), a.By, schema.OutcomeAnswered
	if strings.TrimSpace(a.Text) == "" {
		rec.Outcome = schema.OutcomeEmpty
	}
	return nil
}

// note keeps words about what a system did wrong beside a record.
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

// text is what may stand in a record.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
