// Package datasets is the contract of benchmark data: how files of a data set become evaluation cases, the catalogue of sets, and their checks.
//
// The hop: files → schema.Case, keyed by case_id, in file order. Readers are in
// the packages below; datasets/all lists them.
package datasets

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"

	"membench/internal/par"
	"membench/schema"
	"membench/schema/jsonl"
)

// A Dataset describes a set and reads its files.
type Dataset struct {
	Info
	// Match reports whether a file of a folder, by its path below it with '/'
	// separators and without .gz or .zst, belongs to the set.
	Match func(name string) bool
	// Cases reads files that belong together. A case that cannot be read is yielded as
	// a *schema.Finding; faults inside a case that is still usable go to Options.Report.
	// nil: the set is listed, and nothing reads it.
	Cases func(ctx context.Context, files []jsonl.File, o Options) schema.Seq[schema.Case]
	// Errata reads a correction list in the form used for this set, in addition to the plain form that ReadErrata parses; nil if there is none.
	Errata func(f jsonl.File) (*Errata, error)
	// Observations reads the recorded output of a model as memories with their turns; nil if a set has no such record.
	Observations func(ctx context.Context, files []jsonl.File, o Options) schema.Seq[schema.MemoryExport]
}

// ReadErrata reads a correction list in the form that is used for the set, or in the
// plain one; "-" is stdin.
func (d Dataset) ReadErrata(path string, stdin io.Reader) (*Errata, error) {
	read := d.Errata
	if read == nil {
		read = ReadErrata
	}
	return read(PathFile(path, stdin))
}

// Options are the options of every reader; the zero value suits most callers.
type Options struct {
	// Grain is "turn" or "session": the unit of gold evidence in a set that has both (LongMemEval). "" is turn.
	Grain string
	// Chunk cuts a long context into the texts that are ingested one by one
	// (MemoryAgentBench); nil is Chunks at 16,000 code points.
	Chunk func(text string) []string
	// Seed selects the random choices of a converter; equal seeds give equal cases.
	Seed uint64
	// Count is how many cases a generator makes; 0 means 4.
	Count int
	// Topics are words of topic, question or answer by which OpsEval's items are chosen;
	// nil is the words of alarms and faults, one empty word takes all.
	Topics []string
	// Errata is laid over the cases; see Errata.
	Errata *Errata
	// Workers is how many values are decoded at once; 0 means one per processor.
	Workers int
	// Max is the longest value of a file in bytes; 0 means MaxValue.
	Max int
	// Lint reports what is worth knowing of a case, too: see Dataset.Read.
	Lint bool
	// Report receives, in file order and from one goroutine, every fault inside a case that is still usable: skipped parts and warnings. nil drops them.
	Report func(*schema.Finding)
}

// Tell passes f to Report.
func (o Options) Tell(f *schema.Finding) {
	if o.Report != nil {
		o.Report(f)
	}
}

// Correct applies the errata to a complete case; pos is the place of the case.
func (o Options) Correct(c *schema.Case, pos schema.Pos) {
	if o.Errata != nil {
		o.Errata.Apply(c, pos, o.Tell)
	}
}

// Read makes cases of the values of files. make runs on several cores and reports
// through the value it was given; cases and findings come in file order. Held at a
// time: a few values of each worker.
func Read(ctx context.Context, files []jsonl.File, o Options, make func(v *Value) (schema.Case, error)) schema.Seq[schema.Case] {
	type made struct {
		schema.Record[schema.Case]
		findings []*schema.Finding
		lost     *schema.Finding // reason why there is no case
	}
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	var free sync.Pool
	values := func(yield func(*Value, error) bool) {
		for v, err := range FileValues(files, o.Max) {
			if err == nil && n > 1 { // the bytes go to another goroutine
				buf, _ := free.Get().(*[]byte)
				if buf == nil {
					buf = new([]byte)
				}
				*buf = append((*buf)[:0], v.Bytes...)
				v.Bytes, v.own = *buf, buf
			}
			if !yield(v, err) {
				return
			}
		}
	}
	work := func(_ context.Context, v *Value) (made, error) {
		c, err := make(v)
		m := made{schema.Record[schema.Case]{Pos: v.Pos, V: c}, v.findings, nil}
		if v.own != nil {
			free.Put(v.own)
		}
		if errors.As(err, &m.lost) { // the case is lost, its findings are not
			err = nil
		}
		return m, err
	}
	return func(yield func(schema.Record[schema.Case], error) bool) {
		for m, err := range par.Map(ctx, n, values, work) {
			if err != nil {
				if !yield(schema.Record[schema.Case]{}, err) {
					return
				}
				continue
			}
			for _, f := range m.findings {
				o.Tell(f)
			}
			if m.lost != nil {
				m.Record, err = schema.Record[schema.Case]{}, m.lost
			} else {
				o.Correct(&m.V, m.Pos)
			}
			if !yield(m.Record, err) {
				return
			}
		}
	}
}

// ReadAs is Read of values that are decoded to a T first.
func ReadAs[T any](ctx context.Context, files []jsonl.File, o Options, make func(v *Value, x T) (schema.Case, error)) schema.Seq[schema.Case] {
	return Read(ctx, files, o, func(v *Value) (schema.Case, error) {
		var x T
		if err := v.Decode(&x); err != nil {
			return schema.Case{}, err
		}
		return make(v, x)
	})
}

// Each hands the values of files to take, one after another: for sets whose case is made
// of several values or files. A value that cannot be read, or that take rejects with a *schema.Finding, is reported to o.Report, and the next one is
// read; any other error ends it.
func Each(ctx context.Context, files []jsonl.File, o Options, take func(v *Value) error) error {
	var finding *schema.Finding
	for v, err := range FileValues(files, o.Max) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = take(v)
			for _, f := range v.findings {
				o.Tell(f)
			}
		}
		switch {
		case errors.As(err, &finding):
			o.Tell(finding)
		case err != nil:
			return err
		}
	}
	return nil
}

// FileValues yields the values of several files.
func FileValues(files []jsonl.File, max int) iter.Seq2[*Value, error] {
	return func(yield func(*Value, error) bool) {
		for _, f := range files {
			ok, err := oneFile(f, max, yield)
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok {
				return
			}
		}
	}
}

func oneFile(f jsonl.File, max int, yield func(*Value, error) bool) (bool, error) {
	r, err := f.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	for v, err := range Values(r, f.Name, max) {
		if !yield(v, err) {
			return false, nil
		}
		if err != nil && !schema.IsFinding(err) {
			return false, nil // the reader's error was reported
		}
	}
	return true, nil
}

// ReadAll returns a small file's bytes: tables and overlays, not data.
func ReadAll(f jsonl.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, want, err := jsonl.All(r, f.Name, MaxValue)
	if err != nil {
		return nil, err
	}
	if want != "" {
		return nil, &schema.Finding{Pos: schema.Pos{File: f.Name}, Code: "JSON003", Message: "the file is too long", Want: want}
	}
	return b, nil
}
