package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"membench/eval/records"
	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/memory"
	"membench/schema"
	"membench/schema/jsonl"
)

// errChanged reports that a store differs from the run's records.
var errChanged = errors.New("the store was changed")

// A holding is the content of a memory after the recorded sessions: texts, by id.
type holding map[schema.PointID]string

// take adds the changes of a session.
func (h holding) take(s *schema.SessionRecord) {
	for _, d := range s.Delta {
		if d.Op == memory.DeltaSuppress {
			delete(h, d.ID)
		} else {
			h[d.ID] = cmp.Or(d.Text, h[d.ID])
		}
	}
}

// differs describes how a listing differs from h, which it consumes; "" if they are equal.
func (h holding) differs(items []memory.Item) string {
	changed, added := 0, 0
	for _, it := range items {
		if it.Status == memory.StatusInvalid {
			continue
		}
		said, known := h[it.ID]
		delete(h, it.ID)
		switch {
		case !known:
			added++
		case said != text(it.Text):
			changed++
		}
	}
	if changed+added+len(h) == 0 {
		return ""
	}
	return fmt.Sprintf("%d memories have another text, %d are gone, %d are new", changed, len(h), added)
}

// comparable reports whether the recorded changes come from listings, so that their sum equals a listing of the memory. Other systems report their changes
// themselves.
func (p *player) comparable() bool {
	_, tells := memory.As[memory.Deltaer](p.m)
	_, shows := memory.List(p.m)
	return !tells && shows && p.dead == nil
}

// stray compares a reopened memory with the content that the records of the first n sessions describe. A store that someone else wrote to since, or that lost
// something, is reported and not used.
func (p *player) stray(n int) error {
	if !p.comparable() {
		return nil
	}
	held, seen := holding{}, 0
	err := keylog.Read(p.u.log.path, func(_ int, line []byte) error {
		h, rec, err := parseLine(line)
		if err != nil || h.kind != 's' || h.job != p.j.n || h.i >= n {
			return err
		}
		var s schema.SessionRecord
		if err := codec.Unmarshal(rec, &s); err != nil {
			return err
		}
		seen++
		held.take(&s)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errJournalLine) {
		return err
	}
	if seen < n { // someone took the journal away
		return nil
	}
	how := held.differs(p.last)
	if how == "" {
		return nil
	}
	if p.o.Warn != nil {
		p.o.Warn("%s, case %s: its store is not as the last recorded session left it (the run was stopped in the middle, or someone changed it): %s; it is filled again", p.u.name, p.j.c.ID, how)
	}
	return errChanged
}

// lookedAt memories of a system, the first, are compared when a finished run is met again.
const lookedAt = 50

// memoryKey is one filled memory.
type memoryKey struct {
	system, dataset, caseID string
	repeat                  int
}

// strays warns about stores that differ from the finished run: the recorded answers do not belong to them. Stores that cannot be opened or listed are skipped.
func (r *runner) strays(ctx context.Context) error {
	if r.o.Warn == nil {
		return nil
	}
	defer r.hands.rest()
	path := filepath.Join(r.o.Dir, SessionsFile)
	sessions := records.NewCursor(jsonl.Files[schema.SessionRecord]([]string{path}, nil), nil, func(s *schema.SessionRecord) memoryKey {
		return memoryKey{s.System, s.Dataset, s.CaseID, s.Repeat}
	})
	defer sessions.Close()
	for _, u := range r.units {
		a, ok := memory.As[memory.Attacher](u.sys.System)
		if !ok {
			continue
		}
		looked, changed, first := 0, 0, ""
		for rec, err := range u.set.Cases {
			if err != nil || !r.o.Shard.Has(rec.V.ID) {
				continue
			}
			if looked++; looked > lookedAt {
				break
			}
			p := &player{runner: r, u: u, j: job{u: u, c: rec.V}}
			how, err := p.changedStore(ctx, a, sessions)
			if err != nil {
				return err
			}
			if how != "" {
				changed++
				first = cmp.Or(first, "case "+rec.V.ID+": "+how)
			}
		}
		if changed > 0 {
			r.o.Warn("%s on %s: %d of its stores were changed since the run ended (%s): its answers come from the stores as they were then; use another folder to ask the present ones", u.name, u.set.Name, changed, first)
		}
	}
	return nil
}

// changedStore describes how the store of a finished case differs from its records.
func (p *player) changedStore(ctx context.Context, a memory.Attacher, sessions *records.Cursor[schema.SessionRecord, memoryKey]) (string, error) {
	list, err := sessions.Find(memoryKey{p.u.name, p.j.c.Dataset, p.j.c.ID, 0})
	if err != nil {
		return "", err
	}
	held := holding{}
	for i := range list {
		if list[i].Outcome != schema.OutcomeAnswered {
			return "", nil
		}
		held.take(&list[i])
	}
	p.m, err = call(ctx, p.runner, "opening the memory again", p.o.Limits.Ingest, func(ctx context.Context) (memory.Memory, error) { return a.Attach(ctx, p.namespace()) }, nil)
	if err != nil {
		return "", ctx.Err()
	}
	defer p.close()
	if len(list) == 0 || !p.comparable() {
		return "", nil
	}
	if err := p.remember(ctx); err != nil || p.dead != nil {
		return "", ctx.Err()
	}
	return held.differs(p.last), nil
}
