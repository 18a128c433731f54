// Package extsort sorts byte records that may not fit in memory: they are kept in
// an arena up to a budget, then written to disk as sorted runs and merged.
package extsort

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

// Options of a Sorter.
type Options struct {
	// Compare orders records; records that compare equal may come out in any order.
	Compare func(a, b []byte) int
	// Combine, when set, may fold b into a, its neighbour in sorted order with a <= b.
	// The result takes a's place; ok is false when they must stay two. It is applied
	// before records are written to disk, so that repeated keys do not fill it, and
	// again while merging: it must give the same whichever neighbours meet first.
	Combine func(a, b []byte) (merged []byte, ok bool)
	// Memory is how many bytes of records are held before they go to disk, counting
	// 24 bytes of overhead each; 0 never goes to disk.
	Memory int64
	// Dir is the folder for runs; "" is the system's.
	Dir string
}

const (
	overhead  = 24 // a slice header per record
	chunkSize = 256 << 10
	maxRuns   = 64 // merged in one pass; more are merged into longer runs first
)

// A Sorter takes records and yields them in order. It is not safe for concurrent use.
type Sorter struct {
	o     Options
	recs  [][]byte
	chunk []byte
	held  int64
	n     int
	runs  []*run
}

// New returns an empty Sorter. Close it to remove what it put on disk.
func New(o Options) *Sorter { return &Sorter{o: o} }

// Len is how many records were added.
func (s *Sorter) Len() int { return s.n }

// Spilled reports whether records went to disk.
func (s *Sorter) Spilled() bool { return len(s.runs) > 0 }

// Add copies rec.
func (s *Sorter) Add(rec []byte) error {
	if len(rec) > cap(s.chunk)-len(s.chunk) {
		s.chunk = make([]byte, 0, max(chunkSize, len(rec)))
	}
	at := len(s.chunk)
	s.chunk = append(s.chunk, rec...)
	s.recs = append(s.recs, s.chunk[at:len(s.chunk):len(s.chunk)])
	s.n++
	s.held += int64(len(rec)) + overhead
	if s.o.Memory > 0 && s.held > s.o.Memory {
		return s.spill()
	}
	return nil
}

func (s *Sorter) spill() error {
	r, err := s.writeRun(s.memory())
	if err != nil {
		return err
	}
	s.runs = append(s.runs, r)
	s.recs, s.chunk, s.held = s.recs[:0], nil, 0
	if len(s.runs) < maxRuns {
		return nil
	}
	long, err := s.writeRun(s.combine(s.merge(s.runs, nil)))
	for _, r := range s.runs {
		r.close()
	}
	s.runs = nil
	if err != nil {
		return err
	}
	s.runs = []*run{long}
	return nil
}

// memory yields what is held, sorted and combined.
func (s *Sorter) memory() iter.Seq2[[]byte, error] {
	slices.SortFunc(s.recs, s.o.Compare)
	return s.combine(func(yield func([]byte, error) bool) {
		for _, r := range s.recs {
			if !yield(r, nil) {
				return
			}
		}
	})
}

func (s *Sorter) combine(in iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	if s.o.Combine == nil {
		return in
	}
	return func(yield func([]byte, error) bool) {
		var last []byte
		have := false
		for r, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if have {
				if m, ok := s.o.Combine(last, r); ok {
					last = m
					continue
				}
				if !yield(last, nil) {
					return
				}
			}
			// A record read from disk lives until the next step only.
			last, have = append([]byte(nil), r...), true
		}
		if have {
			yield(last, nil)
		}
	}
}

// Sorted yields every record in order. Bytes are valid until the next step. After
// it no record may be added; it may be ranged over again.
func (s *Sorter) Sorted() iter.Seq2[[]byte, error] {
	if len(s.runs) == 0 {
		return s.memory()
	}
	return s.combine(s.merge(s.runs, s.memory()))
}

// merge yields the records of the runs, and of mem when not nil, in order.
func (s *Sorter) merge(runs []*run, mem iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var h []*cursor
		defer func() {
			for _, c := range h {
				c.stop()
			}
		}()
		less := func(i, j int) bool { return s.o.Compare(h[i].rec, h[j].rec) < 0 }
		down := func(i int) {
			for {
				k := 2*i + 1
				if k >= len(h) {
					return
				}
				if k+1 < len(h) && less(k+1, k) {
					k++
				}
				if !less(k, i) {
					return
				}
				h[i], h[k] = h[k], h[i]
				i = k
			}
		}
		seqs := make([]iter.Seq2[[]byte, error], 0, len(runs)+1)
		for _, r := range runs {
			seqs = append(seqs, r.records())
		}
		if mem != nil {
			seqs = append(seqs, mem)
		}
		for _, seq := range seqs {
			next, stop := iter.Pull2(seq)
			rec, err, ok := next()
			if !ok {
				stop()
				continue
			}
			h = append(h, &cursor{next, stop, rec})
			if err != nil {
				yield(nil, err)
				return
			}
		}
		for i := len(h)/2 - 1; i >= 0; i-- {
			down(i)
		}
		for len(h) > 0 {
			c := h[0]
			if !yield(c.rec, nil) {
				return
			}
			rec, err, ok := c.next()
			if err != nil {
				yield(nil, err)
				return
			}
			if c.rec = rec; !ok {
				c.stop()
				h[0] = h[len(h)-1]
				h = h[:len(h)-1]
			}
			down(0)
		}
	}
}

type cursor struct {
	next func() ([]byte, error, bool)
	stop func()
	rec  []byte
}

// Close removes the runs.
func (s *Sorter) Close() error {
	var errs []error
	for _, r := range s.runs {
		errs = append(errs, r.close())
	}
	s.runs, s.recs, s.chunk = nil, nil, nil
	return errors.Join(errs...)
}

// A ScratchFile is gone when it is closed, or when the process ends.
type ScratchFile struct {
	*os.File
	name string // "" where it has none
}

// Scratch opens a file in dir, "" being the system's folder, that has no name where
// the system allows that.
func Scratch(dir string) (*ScratchFile, error) {
	if f := nameless(dir); f != nil {
		return &ScratchFile{File: f}, nil
	}
	f, err := os.CreateTemp(dir, ".membench-scratch-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // fails where open files keep their name; Close then removes it
	return &ScratchFile{f, f.Name()}, nil
}

// Close removes the file.
func (f *ScratchFile) Close() error {
	err := f.File.Close()
	if f.name != "" {
		os.Remove(f.name)
	}
	return err
}

// A run is a sorted file of length-prefixed records. The file has no name where the
// system allows that, so that a killed process leaves nothing behind.
type run struct {
	f    *ScratchFile
	size int64
}

func (s *Sorter) writeRun(in iter.Seq2[[]byte, error]) (*run, error) {
	f, err := Scratch(s.o.Dir)
	if err != nil {
		return nil, fmt.Errorf("spilling to disk: %w", err)
	}
	r := &run{f: f}
	w := bufio.NewWriterSize(f, 1<<18)
	var head [binary.MaxVarintLen64]byte
	for rec, err := range in {
		if err != nil {
			r.close()
			return nil, err
		}
		n := binary.PutUvarint(head[:], uint64(len(rec)))
		w.Write(head[:n])
		w.Write(rec)
		r.size += int64(n + len(rec))
	}
	if err := w.Flush(); err != nil {
		r.close()
		return nil, fmt.Errorf("spilling to disk: %w", err)
	}
	return r, nil
}

func (r *run) records() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		br := bufio.NewReaderSize(io.NewSectionReader(r.f, 0, r.size), 1<<16)
		var buf []byte
		for {
			n, err := binary.ReadUvarint(br)
			if err == io.EOF {
				return
			}
			if err == nil {
				buf = slices.Grow(buf[:0], int(n))[:n]
				_, err = io.ReadFull(br, buf)
			}
			if err != nil {
				yield(nil, fmt.Errorf("reading spilled records: %w", err))
				return
			}
			if !yield(buf, nil) {
				return
			}
		}
	}
}

func (r *run) close() error {
	return r.f.Close()
}
