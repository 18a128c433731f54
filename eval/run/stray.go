package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/memory"
	"membench/schema"
)

// errChanged says that a store is not what the run left.
var errChanged = errors.New("the store was changed")

// stray compares what a memory that was opened again shows with what the session records
// of the first n sessions say that it held. A store that somebody else wrote to since, or that
// lost something, is reported, and not gone on with. Only of systems whose changes are seen
// from listings: others tell them themselves.
func (p *player) stray(n int) error {
	_, tells := memory.As[memory.Deltaer](p.m)
	if _, shows := memory.List(p.m); tells || !shows || p.dead != nil {
		return nil
	}
	held := map[schema.PointID]string{}
	seen := 0
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
		for _, d := range s.Delta {
			if d.Op == memory.DeltaSuppress {
				delete(held, d.ID)
			} else {
				held[d.ID] = cmp.Or(d.Text, held[d.ID])
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errJournalLine) {
		return err
	}
	if seen < n { // somebody took the journal away
		return nil
	}
	changed, added := 0, 0
	for _, it := range p.last {
		if it.Status == memory.StatusInvalid {
			continue
		}
		text, known := held[it.ID]
		delete(held, it.ID)
		switch {
		case !known:
			added++
		case text != it.Text:
			changed++
		}
	}
	if changed+added+len(held) == 0 {
		return nil
	}
	if p.o.Warn != nil {
		p.o.Warn(fmt.Sprintf("%s, case %s: its store was changed since the run stopped: %d memories have another text, %d are gone, %d are new; it is filled again", p.u.name, p.j.c.ID, changed, len(held), added))
	}
	return errChanged
}
