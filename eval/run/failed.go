package run

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

	"membench/eval/records"
	"membench/schema"
)

// reopen makes journals of a finished run's files, without what failed: what is left
// to do is then what failed. done is given back where nothing did.
func reopen(ctx context.Context, o Options, units []*unit, dir string, done *finished) (*finished, error) {
	if done.Outcomes[schema.OutcomeError]+done.Outcomes[schema.OutcomeTimeout]+done.Outcomes[schema.OutcomeRefused] == 0 {
		return done, nil
	}
	if err := removeJournals(dir, len(units)); err != nil {
		return nil, err
	}
	var next [3]*recordFile
	for i, name := range []string{SessionsFile, QAFile, records.ContextsFile} {
		r, stop, err := openRecords(filepath.Join(o.Dir, name))
		if err != nil {
			return nil, err
		}
		defer stop()
		next[i] = r
	}
	for i, u := range units {
		if err := reopenUnit(ctx, u, o.Shard, journalPath(dir, i), next); err != nil {
			return nil, err
		}
	}
	return nil, os.Remove(filepath.Join(dir, doneFile))
}

func reopenUnit(ctx context.Context, u *unit, shard Shard, path string, next [3]*recordFile) (err error) {
	j, err := openJournal(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.close(true)) }()
	failed := map[int]bool{}
	copyRecord := func(c *schema.Case, h head, from *recordFile) error {
		line, rec, err := from.of(u.name, c, h.repeat)
		if err != nil {
			return err
		}
		h.outcome = cmp.Or(rec.Outcome, rec.Context)
		if h.outcome == schema.OutcomeError || h.outcome == schema.OutcomeTimeout || h.outcome == schema.OutcomeRefused {
			failed[h.job] = true
			return nil
		}
		out := append(appendHead(make([]byte, 9, 64+len(line)), h), '\t')
		return j.put(append(append(out, line...), '\n'), false)
	}
	jobs := 0
	for repeat := range u.repeats {
		if !u.reingest {
			jobs = 0
		}
		for rec, err := range u.set.Cases {
			var f *schema.Finding
			if errors.As(err, &f) && !f.Warning {
				continue
			}
			if err != nil && f == nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if !shard.Has(rec.V.ID) { // asked elsewhere; whoever plays the cases notes that
				jobs++
				continue
			}
			if repeat == 0 || u.reingest {
				for i := range rec.V.Sessions {
					if err := copyRecord(&rec.V, head{recordKey{'s', repeat, i}, jobs, ""}, next[0]); err != nil {
						return err
					}
				}
			}
			for i := 0; next[2].is(u.name, &rec.V, repeat); i++ {
				if err := copyRecord(&rec.V, head{recordKey{'c', repeat, i}, jobs, ""}, next[2]); err != nil {
					return err
				}
			}
			for i := range rec.V.Questions {
				if err := copyRecord(&rec.V, head{recordKey{'q', repeat, i}, jobs, ""}, next[1]); err != nil {
					return err
				}
			}
			if repeat == u.repeats-1 || u.reingest {
				if !failed[jobs] {
					if err := j.end(jobs); err != nil {
						return err
					}
				}
			}
			jobs++
		}
	}
	return nil
}
