package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"membench/eval/records"
	"membench/schema"
)

// failures counts the questions without an answer and the operations of systems that failed at a model: these are asked again.
func (res *Result) failures() int {
	n := res.Outcomes[schema.OutcomeError] + res.Outcomes[schema.OutcomeTimeout] + res.Outcomes[schema.OutcomeRefused]
	for _, u := range res.Units {
		for _, k := range u.Failed {
			n += k
		}
	}
	return n
}

// reopen turns the files of a finished run into journals without the failures, which are then the work that is left. It returns done if nothing failed.
func reopen(ctx context.Context, o Options, units []*unit, dir string, done *finished) (*finished, error) {
	if done.failures() == 0 {
		return done, nil
	}
	if err := removeJournals(dir, len(units)); err != nil {
		return nil, err
	}
	r := reopening{shard: o.Shard}
	for i, name := range []string{SessionsFile, QAFile, records.ContextsFile} {
		f, stop, err := openRecords(filepath.Join(o.Dir, name))
		if err != nil {
			return nil, err
		}
		defer stop()
		r.from[i] = f
	}
	for i, u := range units {
		if err := r.unit(ctx, u, journalPath(dir, i)); err != nil {
			return nil, err
		}
	}
	return nil, os.Remove(filepath.Join(dir, doneFile))
}

// reopening makes the journal of one unit after the other.
type reopening struct {
	shard  Shard
	from   [3]*recordFile // sessions, questions, contexts
	u      *unit
	j      *journal
	failed map[int]bool // by job
	whole  map[int]int  // by job, where its memory is to be filled again: the sessions before that
}

func (r *reopening) unit(ctx context.Context, u *unit, path string) (err error) {
	if r.j, err = openJournal(path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.j.close(true)) }()
	r.u, r.failed, r.whole = u, map[int]bool{}, map[int]int{}
	jobs := 0
	for repeat := range u.repeats {
		if !u.reingest {
			jobs = 0
		}
		for rec, err := range u.set.Cases {
			switch {
			case schema.Whole(err):
			case schema.IsFinding(err):
				continue
			default:
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if r.shard.Has(rec.V.ID) { // otherwise another shard asks it and records that
				if err := r.job(&rec.V, jobs, repeat); err != nil {
					return err
				}
			}
			jobs++
		}
	}
	return nil
}

// job keeps the records of one case and repeat, and ends the job if they are complete.
func (r *reopening) job(c *schema.Case, job, repeat int) error {
	if repeat == 0 || r.u.reingest {
		r.whole[job] = len(c.Sessions)
		for i := range c.Sessions {
			line, rec, err := r.from[0].of(r.u.name, c, repeat)
			if err != nil {
				return err
			}
			if rec.byRule() { // later sessions and the answers depend on it
				r.whole[job] = min(r.whole[job], i)
			}
			if err := r.copy(head{recordKey{'s', repeat, i}, job, rec.Outcome}, line, rec.failed() || i >= r.whole[job]); err != nil {
				return err
			}
		}
	}
	due, named := dues(c), map[string]bool{}
	for i := range c.Questions {
		line, rec, err := r.from[1].of(r.u.name, c, repeat)
		if err != nil {
			return err
		}
		anew := due[i] > r.whole[job]
		named[rec.Context] = named[rec.Context] || !anew
		if err := r.copy(head{recordKey{'q', repeat, i}, job, rec.Outcome}, line, rec.failed() || anew); err != nil {
			return err
		}
	}
	for i := 0; r.from[2].is(r.u.name, c, repeat); i++ {
		line, rec, err := r.from[2].of(r.u.name, c, repeat)
		if err != nil {
			return err
		}
		if err := r.copy(head{recordKey{'c', repeat, i}, job, rec.Context}, line, !named[rec.Context] && r.whole[job] < len(c.Sessions)); err != nil {
			return err
		}
	}
	if r.failed[job] || repeat < r.u.repeats-1 && !r.u.reingest {
		return nil
	}
	delete(r.whole, job)
	return r.j.end(job)
}

// copy takes a record over, or leaves it to be made again.
func (r *reopening) copy(h head, line []byte, again bool) error {
	if again {
		r.failed[h.job] = true
		return nil
	}
	out := append(appendHead(make([]byte, 9, 64+len(line)), h), '\t')
	return r.j.put(append(append(out, line...), '\n'), false)
}
