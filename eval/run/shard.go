package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/memory"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Shard is one of Of parts of a run, counted from 0: the cases whose ids hash to it. The
// zero Shard is the whole run.
type Shard struct{ I, Of int }

// shardKey is the member of a run's configuration that names its part.
const shardKey = "shard"

// ParseShard reads "i/n".
func ParseShard(text string) (Shard, error) {
	i, of, _ := strings.Cut(text, "/")
	a, err := strconv.Atoi(i)
	b, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || a < 0 || b < 1 || a >= b {
		return Shard{}, fmt.Errorf("have the shard %q, want i/n, counted from 0: 0/4, 1/4, 2/4 and 3/4 are four shards", text)
	}
	return Shard{a, b}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.I, s.Of) }

// Has reports whether a case is of the shard. It depends on the id alone, so neither on the
// order of the cases nor on the others.
func (s Shard) Has(caseID string) bool { return s.Of == 0 || s.of(caseID) == s.I }

func (s Shard) of(caseID string) int {
	sum := sha256.Sum256([]byte(caseID))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(s.Of))
}

// Shards are the finished shards of one run, in order.
type Shards struct {
	Dirs  []string
	state state // of the run
	done  []finished
}

// ReadShards reads the folders of shards, in any order. It fails where they are not the whole
// of one run, each once and finished.
func ReadShards(dirs []string) (*Shards, error) {
	all := &Shards{}
	for k, dir := range dirs {
		s, shard, done, err := readShard(dir)
		if err != nil {
			return nil, err
		}
		if k == 0 {
			all.state, all.Dirs, all.done = s, make([]string, shard.Of), make([]finished, shard.Of)
		}
		if shard.Of != len(all.Dirs) {
			return nil, fmt.Errorf("%s is shard %v, and %s is one of %d: want shards of one run", dir, shard, dirs[0], len(all.Dirs))
		}
		if had := all.Dirs[shard.I]; had != "" {
			return nil, fmt.Errorf("shard %v appears twice: %s and %s", shard, had, dir)
		}
		if diffs := differences(all.state.Config, s.Config); len(diffs) > 0 {
			return nil, fmt.Errorf("%s does not match %s: %w", dir, dirs[0], &ChangedError{dirs[0], diffs})
		}
		if k > 0 {
			for i, u := range s.Units {
				all.state.Units[i].Cases += u.Cases
				all.state.Units[i].Questions += u.Questions
			}
		}
		all.Dirs[shard.I], all.done[shard.I] = dir, *done
	}
	var missing []string
	for i, dir := range all.Dirs {
		if dir == "" {
			missing = append(missing, Shard{i, len(all.Dirs)}.String())
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("shards are missing: %s; give all %d folders", strings.Join(missing, ", "), len(all.Dirs))
	}
	all.state.ID = fingerprint(all.state.Config)
	return all, nil
}

// readShard reads one folder; the configuration comes without the shard's number.
func readShard(dir string) (s state, shard Shard, done *finished, err error) {
	journals := filepath.Join(dir, journalDir)
	err = smallfile.ReadJSON(filepath.Join(journals, configFile), &s)
	if errors.Is(err, fs.ErrNotExist) {
		return s, shard, nil, fmt.Errorf("%s: not the folder of a run; give folders of eval run --shard", dir)
	}
	if err != nil {
		return s, shard, nil, err
	}
	text, ok := s.Config[shardKey]
	if !ok {
		return s, shard, nil, fmt.Errorf("%s is a whole run, not a shard of one (eval run --shard i/n)", dir)
	}
	delete(s.Config, shardKey)
	if shard, err = ParseShard(text); err != nil {
		return s, shard, nil, fmt.Errorf("%s: %w", dir, err)
	}
	done = &finished{}
	err = smallfile.ReadJSON(filepath.Join(journals, doneFile), done)
	if errors.Is(err, fs.ErrNotExist) {
		st, _ := Look(dir) // for the numbers only
		n := Sum(st.Units)
		return s, shard, nil, fmt.Errorf("%s: shard %v is not finished, %d of %d questions have an outcome: start it again with the same command", dir, shard, n.Questions, n.Of)
	}
	if err == nil && !done.intact(dir) {
		err = schema.Brokenf("%s: the files of shard %v are not those that it wrote: run it again in an empty folder", dir, shard)
	}
	return s, shard, done, err
}

// Config returns the settings that determine the records of the whole run, by name.
func (s *Shards) Config() map[string]string { return maps.Clone(s.state.Config) }

// Join writes files of records (sessions, questions and, if named, contexts) as the whole run would have written them, taking each system, repeat and case from
// its shard. sets are the run's. It fails if a shard lacks records.
func (s *Shards) Join(ctx context.Context, dir string, sets []Set, sessions, questions string, contexts ...string) (digests []schema.FileDigest, err error) {
	names := append([]string{sessions, questions}, contexts...)
	outs, from := make([]*output, len(names)), make([][]*recordFile, len(names))
	for i, name := range names {
		for _, d := range s.Dirs {
			r, stop, err := openRecords(filepath.Join(d, name))
			if err != nil {
				return nil, err
			}
			defer stop()
			from[i] = append(from[i], r)
		}
		if outs[i], err = newOutput(dir, name); err != nil {
			return nil, err
		}
		defer outs[i].f.Close()
		defer outs[i].back.Close()
	}
	repeats, err := strconv.Atoi(s.state.Config["repeats"])
	if err != nil {
		return nil, fmt.Errorf("%s: repeats: %w", s.Dirs[0], err)
	}
	anew := repeats > 1 && s.state.Config["ingest anew for each repeat"] == "true"
	for _, u := range s.state.Units {
		at := slices.IndexFunc(sets, func(x Set) bool { return x.Name == u.Dataset })
		if at < 0 {
			return nil, fmt.Errorf("%s: no cases of the data set %s", s.Dirs[0], u.Dataset)
		}
		for repeat := range repeats {
			if err := s.joinUnit(ctx, u.System, sets[at].Cases, repeat, repeat == 0 || anew, from, outs); err != nil {
				return nil, fmt.Errorf("joining the records of %s on %s: %w", u.System, u.Dataset, err)
			}
		}
	}
	for i, o := range outs {
		for _, next := range from[i] {
			if line, err, ok := next.next(); next.held || ok || err != nil {
				return nil, schema.Brokenf("%v: more records than the cases have: the files of the run were changed (%w)", line.Pos, err)
			}
		}
		d, err := o.commit()
		if err != nil {
			return nil, err
		}
		digests = append(digests, d)
	}
	return digests, nil
}

func (s *Shards) joinUnit(ctx context.Context, system string, cases schema.Seq[schema.Case], repeat int, filled bool, from [][]*recordFile, outs []*output) error {
	of := Shard{Of: len(s.Dirs)}
	for rec, err := range cases {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		counts := [2]int{0, len(rec.V.Questions)}
		if filled {
			counts[0] = len(rec.V.Sessions)
		}
		shard := of.of(rec.V.ID)
		for i, in := range from {
			for k := 0; i < len(counts) && k < counts[i] || i == len(counts) && in[shard].is(system, &rec.V, repeat); k++ {
				line, _, err := in[shard].of(system, &rec.V, repeat)
				if err == nil {
					err = outs[i].line(line)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Finish makes dir the folder of the finished run, whose files Join wrote. A folder that
// holds another run is rejected before, by Begin.
func (s *Shards) Finish(dir string, files []schema.FileDigest) (Result, error) {
	res := Result{Outcomes: map[string]int{}, Files: files}
	for i, d := range s.done {
		res.Sessions += d.Sessions
		res.Questions += d.Questions
		schema.Tally(res.Outcomes, d.Outcomes)
		if i == 0 {
			res.Units = d.Units
			continue
		}
		for k, c := range d.Units {
			u := &res.Units[k]
			u.Degraded += c.Degraded
			for why, n := range c.Failed {
				if u.Failed == nil {
					u.Failed = map[string]int{}
				}
				u.Failed[why] += n
			}
			u.Sessions, u.Questions, u.Of, u.Usage = u.Sessions+c.Sessions, u.Questions+c.Questions, u.Of+c.Of, addUsage(u.Usage, c.Usage)
			schema.Tally(u.Outcomes, c.Outcomes)
		}
	}
	journals := filepath.Join(dir, journalDir)
	err := smallfile.WriteJSON(filepath.Join(journals, configFile), s.state)
	if err == nil {
		err = smallfile.WriteJSON(filepath.Join(journals, doneFile), finished{res})
	}
	return res, err
}

// Begin takes the folder for the joined run; end finishes it.
func (s *Shards) Begin(dir string) (end func() error, err error) {
	for _, d := range s.Dirs {
		if a, err := os.Stat(d); err == nil {
			if b, err := os.Stat(dir); err == nil && os.SameFile(a, b) {
				return nil, fmt.Errorf("%s is a shard: give the joined run a folder of its own", dir)
			}
		}
	}
	journals := filepath.Join(dir, journalDir)
	lock, err := atomicfile.Lock(filepath.Join(journals, "lock"))
	if err != nil {
		return nil, err
	}
	var have state
	err = smallfile.ReadJSON(filepath.Join(journals, configFile), &have)
	if err == nil {
		if diffs := differences(have.Config, s.state.Config); len(diffs) > 0 {
			err = &ChangedError{dir, diffs}
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = atomicfile.Sweep(dir)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock.Close, nil
}

// A recordFile yields the lines of a file of records.
type recordFile struct {
	next func() (jsonl.Line, error, bool)
	line jsonl.Line
	rec  place
	err  error
	held bool // line, rec and err are of the next line
}

// place holds the parts of a record that joining and reopening need.
type place struct {
	System  string `json:"system"`
	Dataset string `json:"dataset"`
	CaseID  string `json:"case_id"`
	Repeat  int    `json:"repeat"`
	Outcome string `json:"outcome"`
	Context string `json:"context_id"`

	Degraded []memory.Note `json:"degraded"`
}

// failed reports whether there is something to ask again: no answer came, or a model failed
// an operation, whose rule did it.
func (p place) failed() bool {
	return p.Outcome == schema.OutcomeError || p.Outcome == schema.OutcomeTimeout || p.Outcome == schema.OutcomeRefused || p.byRule()
}

func (p place) byRule() bool {
	return slices.ContainsFunc(p.Degraded, func(n memory.Note) bool { return n.Ended != "" })
}

// openRecords opens such a file; one that is not there has none.
func openRecords(path string) (*recordFile, func(), error) {
	f, err := jsonl.Open(path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return &recordFile{next: func() (l jsonl.Line, err error, ok bool) { return l, nil, false }}, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	next, stop := iter.Pull2(jsonl.Lines(f, path, maxJournalLine))
	return &recordFile{next: next}, func() { stop(); f.Close() }, nil
}

// is reports whether the next record is of this memory; there may be none.
func (f *recordFile) is(system string, c *schema.Case, repeat int) bool {
	if !f.held {
		var ok bool
		if f.line, f.err, ok = f.next(); !ok {
			return false
		}
		f.rec = place{}
		if f.held = true; f.err == nil {
			f.err = codec.Unmarshal(f.line.Bytes, &f.rec)
		}
	}
	return f.err == nil && f.rec.System == system && f.rec.Dataset == c.Dataset && f.rec.CaseID == c.ID && f.rec.Repeat == repeat
}

// of is the next record, which must be one of this memory.
func (f *recordFile) of(system string, c *schema.Case, repeat int) ([]byte, place, error) {
	if !f.is(system, c, repeat) {
		return nil, f.rec, schema.Brokenf("%v: want a record of %s, case %s, repeat %d: the files of the run were changed (%w)", f.line.Pos, system, c.ID, repeat, f.err)
	}
	f.held = false
	return f.line.Bytes, f.rec, nil
}
