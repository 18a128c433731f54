// Package run asks memory systems the questions of evaluation cases.
//
//	Run    Case × memory.System → SessionRecord, QARecord
//
// A case is played into a memory of its own, session by session. A question is asked when the sessions that it covers are ingested, otherwise after the last
// session. Within a memory everything is serial; memories and readers' calls run in parallel. A system's mistake (an error, a panic, a call that never ends, a
// memory that lost its input) affects only the outcome of its own questions.
//
// Every record is appended to a journal as soon as it is made. At the end, the files of the run are assembled from the journals, in the order data set, system,
// repeat, case, then session or question. A killed run continues with the missing records; its files equal those of an undisturbed run, except for measured
// milliseconds. A memory that cannot be opened again is filled again: with a cassette this costs no call a second time.
//
// Memory holds a few cases for each active memory, with the data of their systems, and 48 bytes per record of a case that was killed halfway. Nothing grows
// with the number of questions.
package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"membench/eval/reader"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/par"
	"membench/memory"
	"membench/schema"
)

// Files of a run that this package writes.
const (
	SessionsFile = "pipeline_sessions.jsonl"
	QAFile       = records.AskedFile
	journalDir   = "journal"
)

// A System is a configured system in a run.
type System struct {
	Name   string // in records, unique in the run; "": its own. One that works by rule ends in -rule
	System memory.System
	Reader reader.Reader // answers from the hits; systems that answer themselves need none
	K      int           // hits a question, 0: Options.K
	Remote bool          // Reader asks a model: while it answers, another memory works
}

// A Set is a data set in a run.
type Set struct {
	Name   string                  // unique in the run; records carry the dataset of their case
	Cases  schema.Seq[schema.Case] // ranged over once for each system
	Digest string                  // of the cases: part of a run's identity
	Size   Size                    // for progress
	Window int                     // turns a batch; 0: Options.Window, below 0: a session whole
}

// A Size is how much there is to ask; 0: unknown.
type Size struct{ Cases, Questions int }

// Limits are the longest times of single calls to a system or a reader; 0: no limit. A call over its limit is cancelled. If it does not return even then, it is
// abandoned, and its memory is not called again.
type Limits struct {
	Ingest   time.Duration // one batch, one end of session
	Retrieve time.Duration // one retrieval, or one answer of a system that answers itself
	Read     time.Duration // one answer of a reader
	Grace    time.Duration // from the cancelling to the leaving behind; 0: 5 s
}

// Options of a run. Dir, Sets and Systems are needed.
type Options struct {
	Dir     string // of the run; other files in it are not touched
	ID      string // names the run in namespaces of services; it is kept in Dir, so a resumed run finds its memories. "": a hash of the configuration
	Sets    []Set
	Systems []System

	K         int  // hits a question; 0: 10
	Depth     int  // every rank down to it is kept (QARecord.Below) where gold is not among the hits and asking deeper costs no model; gold that is not there either is looked for down to rank 1,000; 0: not at all
	Snapshots bool // after every session (default: only after sessions with gold points)
	Undated   bool // contexts are the bare texts of hits, without the time of the turns they come from
	// ContextTokens limits the context shown to a reader, counted by Count; 0: no limit.
	ContextTokens int
	Count         func(string) int // nil: reader.Show's estimate

	Window  int // turns a batch; 0: a session whole
	Overlap int // turns before a batch that are its context

	Repeats  int  // of answering; 0: 1
	Reingest bool // repeats begin with an empty memory

	Shard      Shard // the part of the cases that is asked; its files are joined by Shards
	OnlyFailed bool  // of a finished run: ask those again that ended in an error, over a limit or in a refusal

	Limits   Limits
	Memories int // that work side by side, those that wait for a model's answers aside; 0: 2
	Calls    int // answers of readers under way; 0: 16

	// Now measures; nil: records hold no milliseconds, and two runs are the same bytes.
	Now func() time.Time
	// Found receives faults in the cases; nil drops them.
	Found func(*schema.Finding)
	// Warn receives messages for the user while the run continues, for example about a system that lost turns. It may be called from several goroutines. nil
	// drops them.
	Warn func(format string, args ...any)
	// Watch counts progress; nil: no counting.
	Watch *Watch
	// Begin is called once, when there is something to ask; its error ends the run.
	Begin func(context.Context) error
}

func (o Options) check() error {
	switch {
	case o.Dir == "":
		return errors.New("no folder for the run")
	case len(o.Sets) == 0:
		return errors.New("no data set to ask")
	case len(o.Systems) == 0:
		return errors.New("no system to ask")
	case o.K < 0 || o.Depth < 0 || o.ContextTokens < 0 || o.Repeats < 0 || o.Memories < 0 || o.Calls < 0:
		return errors.New("hits, depth, tokens, repeats, memories and calls must be 0 or more")
	case o.Window < 0 || o.Overlap < 0:
		return fmt.Errorf("a window of %d turns with %d before it: want 0 or more", o.Window, o.Overlap)
	}
	return nil
}

// Result describes the folder of a run, so a resumed run has the same Result as an undisturbed one; only Known differs.
type Result struct {
	Sessions  int                 `json:"sessions"`
	Questions int                 `json:"questions"`
	Outcomes  map[string]int      `json:"outcomes"`
	Known     int                 `json:"known"` // questions that an earlier start of the run had asked
	Units     []Count             `json:"units"` // in order; their Known is 0
	Files     []schema.FileDigest `json:"files"`
}

// A unit is one system on one data set, with its journal.
type unit struct {
	set      *Set
	sys      *System
	name     string // of the system in records
	info     memory.Info
	caps     memory.Capabilities
	k        int
	reingest bool
	repeats  int
	log      *journal
	tally    *tally
	mu       sync.Mutex
	failed   int // openings or ingests in a row that failed
}

// prepare names the units and checks them.
func (o *Options) prepare() ([]*unit, error) {
	var units []*unit
	names, sets := map[string]bool{}, map[string]bool{}
	for i := range o.Sets {
		if o.Sets[i].Name == "" || sets[o.Sets[i].Name] {
			return nil, fmt.Errorf("data set %q: each needs its own name", o.Sets[i].Name)
		}
		sets[o.Sets[i].Name] = true
	}
	for i := range o.Systems {
		s := &o.Systems[i]
		info, caps := s.System.Info(), memory.CapabilitiesOf(s.System)
		name := cmp.Or(s.Name, info.Name)
		if len(caps.ByRule) > 0 && !strings.HasSuffix(name, "-rule") {
			name += "-rule"
		}
		if name == "" || names[name] {
			return nil, fmt.Errorf("system %q is there twice: give each a name of its own", name)
		}
		names[name] = true
		if s.Reader == nil && caps.Retrieval != memory.RetrievalNone {
			return nil, fmt.Errorf("system %s: it has no reader that answers from its hits", name)
		}
		s.Name = name
	}
	for i := range o.Sets {
		for j := range o.Systems {
			s := &o.Systems[j]
			units = append(units, &unit{set: &o.Sets[i], sys: s, name: s.Name, info: s.System.Info(), caps: memory.CapabilitiesOf(s.System),
				k: cmp.Or(s.K, o.K, 10), reingest: o.Reingest && o.Repeats > 1, repeats: max(1, o.Repeats)})
		}
	}
	return units, nil
}

// Run asks every system every question that has no record yet, and writes the files of the run. The failure of a single question is its outcome. Run fails if
// an error would affect every other question as well (a rejected key, a spent budget, a full disk) or if the folder holds another run (*ChangedError). Calling
// Run again continues where it stopped.
func Run(ctx context.Context, o Options) (Result, error) {
	if err := o.check(); err != nil {
		return Result{}, err
	}
	units, err := o.prepare()
	if err != nil {
		return Result{}, err
	}
	dir := filepath.Join(o.Dir, journalDir)
	lock, err := atomicfile.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		return Result{}, err
	}
	defer lock.Close()
	if err := atomicfile.Sweep(o.Dir); err != nil {
		return Result{}, err
	}
	done, id, err := begin(dir, o, units)
	if err != nil {
		return Result{}, err
	}
	if o.OnlyFailed {
		if done == nil {
			return Result{}, fmt.Errorf("%s: the run is not finished: let it finish before you ask failed questions again", o.Dir)
		}
		if done, err = reopen(ctx, o, units, dir, done); err != nil {
			return Result{}, err
		}
	}
	if done != nil && done.whole(o.Dir) {
		done.Known = done.Questions
		o.Watch.finished(done.Result)
		r := newRunner(o, units)
		r.ns = id
		if err := r.strays(ctx); err != nil {
			return Result{}, err
		}
		return done.Result, removeJournals(dir, len(units)) // a killed start may have left some
	}
	if o.Begin != nil {
		if err := o.Begin(ctx); err != nil {
			return Result{}, err
		}
	}
	// A run makes much garbage and keeps little: with this ballast, which uses no page, it is collected every 64 MiB instead of every few.
	ballast := make([]byte, 64<<20)
	defer runtime.KeepAlive(ballast)
	r := newRunner(o, units)
	r.ns = id
	if err := r.ask(ctx, dir); err != nil {
		return Result{}, err
	}
	res, err := r.gather(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	return res, end(dir, units, res)
}

// runner is one call of Run.
type runner struct {
	o     Options
	units []*unit
	work  chan struct{} // memories that work
	calls chan struct{} // answers of readers under way
	hands hands
	ns    string // of namespaces
	known int
}

func newRunner(o Options, units []*unit) *runner {
	o.Memories = cmp.Or(o.Memories, 2)
	o.Calls = cmp.Or(o.Calls, 16)
	o.Limits.Grace = cmp.Or(o.Limits.Grace, 5*time.Second)
	return &runner{o: o, units: units, work: make(chan struct{}, o.Memories), calls: make(chan struct{}, o.Calls)}
}

// A job is one case for one system: one memory.
type job struct {
	u      *unit
	n      int // place in the unit, from 0
	repeat int // the first of its repeats; all of the unit's unless it ingests again for each
	c      schema.Case
}

func (r *runner) ask(ctx context.Context, dir string) (err error) {
	defer func() {
		for _, u := range r.units {
			if u.log != nil {
				// Where all went well, the files that are made of it are synced instead.
				err = errors.Join(err, u.log.close(err != nil))
			}
		}
	}()
	defer r.hands.rest()
	for i, u := range r.units {
		if u.log, err = openJournal(journalPath(dir, i)); err != nil {
			return err
		}
		_, again := memory.As[memory.Attacher](u.sys.System)
		u.log.precious = again || u.caps.Calls == nil // it must not fall behind its memory, otherwise the cost of an answer is unknown
		u.tally = r.o.Watch.unit(u, u.log)
		r.known += u.log.questions
	}
	// More than work are started, so that one long case does not hold the others up, and
	// as many more as may wait for a model.
	started := 4 * r.o.Memories
	if slices.ContainsFunc(r.units, func(u *unit) bool { return u.sys.Remote }) {
		started += r.o.Calls
	}
	jobs := par.Map(ctx, started, r.jobs, func(ctx context.Context, j job) (struct{}, error) {
		select {
		case r.work <- struct{}{}:
		case <-ctx.Done():
			return struct{}{}, context.Cause(ctx)
		}
		defer func() { <-r.work }()
		done := make(chan error, 1)
		r.hands.do(func() { done <- r.play(ctx, j) })
		return struct{}{}, <-done
	})
	for _, err := range jobs {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			if r.o.Found != nil {
				r.o.Found(f)
			}
		case err != nil:
			return err
		}
	}
	return nil
}

// jobs yields the unfinished jobs, unit by unit.
func (r *runner) jobs(yield func(job, error) bool) {
	for i, u := range r.units {
		n, rounds := 0, 1
		if u.reingest {
			rounds = u.repeats
		}
		for round := range rounds {
			for rec, err := range u.set.Cases {
				var f *schema.Finding
				isFinding := errors.As(err, &f)
				if isFinding && (i > 0 || round > 0) && !f.Warning {
					continue // reported before
				}
				if err != nil && !(isFinding && f.Warning) {
					if !yield(job{}, err) || !isFinding {
						return
					}
					continue
				}
				j := job{u, n, round, rec.V}
				n++
				if !r.o.Shard.Has(j.c.ID) { // it has no records here
					if !u.log.ended(j.n) {
						if err := u.log.end(j.n); err != nil {
							yield(j, err)
							return
						}
					}
					continue
				}
				if !u.log.ended(j.n) && !yield(j, nil) {
					return
				}
			}
		}
	}
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}
