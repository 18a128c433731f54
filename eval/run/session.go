package run

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// session plays one session and returns its record.
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
			rec.Degraded = append(rec.Degraded, text(d.String()))
		}
		for _, c := range r.Changes {
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
			return fmt.Errorf("ingest check: the system reports turns %d to %d as already stored, but its memory was opened empty", s.Turns[from].TurnID, s.Turns[to-1].TurnID)
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

// batchSize is how many of n turns are ingested at once.
func (p *player) batchSize(n int) int {
	if w := cmp.Or(p.u.set.Window, p.o.Window); w > 0 {
		return w
	}
	return max(1, n)
}

// look records the changes of the session and, if requested, all live memories.
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
	got, err := do(ctx, p, "listing the memory", p.o.Limits.Ingest, func(ctx context.Context) (x seen, err error) {
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
	rec.Delta = got.delta
	if !tells {
		for _, x := range memory.Diff(p.last, got.items, p.u.caps.Colder) {
			rec.Delta = append(rec.Delta, delta(x))
		}
		p.last = got.items
	}
	// Changes that the delta of a whole session shows are not repeated.
	given := slices.Clone(rec.Changes)
	again := func(c schema.MemoryChange) bool { // its id is given to another text
		return slices.ContainsFunc(given, func(o schema.MemoryChange) bool { return o.Op == memory.OpAdd && o.ID == c.ID && o.New != c.New })
	}
	rec.Changes = slices.DeleteFunc(rec.Changes, func(c schema.MemoryChange) bool {
		return c.Op == memory.OpNone || c.Op == memory.OpAdd && (c.New == "" || slices.ContainsFunc(rec.Delta, func(d schema.MemoryDelta) bool { return d.Text == c.New || d.ID == c.ID && !again(c) }))
	})
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
