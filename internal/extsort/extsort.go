// Package extsort sorts byte records that may not fit in memory: they are kept in
// an arena up to a budget, then written to disk as sorted runs and merged.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
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
	// Compare orders records; records that compare equal may come out in any order. nil orders
	// them by their bytes, which is faster than a Compare that does so.
	Compare func(a, b []byte) int
	// Combine, when set, may fold b into a, its neighbour in sorted order with a <= b.
	// The result takes a's place; ok is false when they must stay two. It is applied
	// before records are written to disk, so that repeated keys do not fill it, and
	// again while merging: it must give the same whichever neighbours meet first.
	Combine func(a, b []byte) (merged []byte, ok bool)
	// Key, for Cut, is the start of a record that ranges must not part. No key may be
	// the start of another, and Compare is nil.
	Key func(rec []byte) []byte
	// Memory is how many bytes of records are held before they go to disk, counting
	// 24 bytes of overhead each; 0 never goes to disk.
	Memory int64
	// MaxMemory, when greater, is what Memory grows to: it doubles after each roomyRuns runs, so
	// that large inputs do not become more runs than can be merged at once.
	MaxMemory int64
	// Dir is the folder for runs; "" is the system's.
	Dir string
}

const (
	overhead  = 24 // a ref per record
	chunkSize = 256 << 10
	firstSize = 16 << 10 // of the first chunk, then four times as much: most sorters hold little
	maxRuns   = 128      // as many of one level are merged into one run of the next
	roomyRuns = maxRuns / 4
)

// A Sorter takes records and yields them in order. It is not safe for concurrent use,
// but for the ranges of Cut.
type Sorter struct {
	o       Options
	byBytes bool
	chunks  [][]byte // of records; after a spill they are filled again
	used    int      // of chunks
	refs    []ref    // without pointers: there are many, and the collector need not look
	sorted  bool     // refs are
	held    int64
	added   int64 // bytes of all records
	n       int
	spools  []spool // by level of the runs that they hold
	out     *bufio.Writer
	runs    []run
}

// A spool is a file of runs of one level. It has no name where the system allows that, so
// that a killed process leaves nothing behind.
type spool struct {
	file *ScratchFile // nil: there are none
	size int64
}

// A ref is where a record is in the chunks, and its first bytes where records are
// ordered by them: most comparisons then need not look at the records.
type ref struct {
	start         uint64
	chunk, off, n uint32
}

// New returns an empty Sorter. Close it to remove what it put on disk.
func New(o Options) *Sorter {
	s := &Sorter{o: o, byBytes: o.Compare == nil}
	if s.byBytes {
		s.o.Compare = bytes.Compare
	}
	return s
}

// Spilled reports whether records went to disk.
func (s *Sorter) Spilled() bool { return len(s.runs) > 0 }

// Added is how many bytes of records were added.
func (s *Sorter) Added() int64 { return s.added }

// Add copies rec.
func (s *Sorter) Add(rec []byte) error {
	if s.used == 0 || len(rec) > cap(s.chunks[s.used-1])-len(s.chunks[s.used-1]) {
		s.grow(len(rec))
	}
	c := &s.chunks[s.used-1]
	r := ref{0, uint32(s.used - 1), uint32(len(*c)), uint32(len(rec))}
	if s.byBytes && len(rec) >= 8 {
		r.start = binary.BigEndian.Uint64(rec)
	}
	s.refs = append(s.refs, r)
	*c = append(*c, rec...)
	s.n++
	s.sorted = false
	s.added += int64(len(rec))
	s.held += int64(len(rec)) + overhead
	if s.o.Memory > 0 && s.held > s.o.Memory {
		return s.spill()
	}
	return nil
}

// grow makes room for n bytes in the last chunk.
func (s *Sorter) grow(n int) {
	if s.used == len(s.chunks) {
		s.chunks = append(s.chunks, nil)
	}
	if c := s.chunks[s.used]; n > cap(c) {
		s.chunks[s.used] = make([]byte, 0, max(min(chunkSize, firstSize<<min(2*s.used, 8)), n))
	} else {
		s.chunks[s.used] = c[:0]
	}
	s.used++
}

func (s *Sorter) rec(r ref) []byte {
	return s.chunks[r.chunk][r.off : r.off+r.n : r.off+r.n]
}

// Sort sorts what is held in memory, which the first reading would do otherwise.
func (s *Sorter) Sort() {
	if s.sorted {
		return
	}
	s.sorted = true
	if !s.byBytes {
		slices.SortFunc(s.refs, s.compare)
		return
	}
	s.sortFrom(s.refs, 0)
}

const (
	fewRefs  = 12  // up to this many records are sorted by looking at all of them
	farShare = 512 // and those that share this many bytes
)

// sortFrom sorts records by their bytes that are equal before byte from. They
// mostly share long starts, so eight bytes at a time are looked at, in the refs.
func (s *Sorter) sortFrom(refs []ref, from int) {
	far := len(refs) <= fewRefs || from >= farShare
	for i := 0; i < len(refs) && !far; i++ {
		if far = int(refs[i].n) < from+8; !far && from > 0 {
			refs[i].start = binary.BigEndian.Uint64(s.rec(refs[i])[from:])
		}
	}
	if far {
		slices.SortFunc(refs, func(a, b ref) int { return bytes.Compare(s.rec(a)[from:], s.rec(b)[from:]) })
		return
	}
	slices.SortFunc(refs, func(a, b ref) int { return cmp.Compare(a.start, b.start) })
	for i := 0; i < len(refs); {
		j, start := i+1, refs[i].start
		for j < len(refs) && refs[j].start == start {
			j++
		}
		if j-i > 1 {
			s.sortFrom(refs[i:j], from+8)
			for k := range refs[i:j] {
				refs[i+k].start = start
			}
		}
		i = j
	}
}

func (s *Sorter) compare(a, b ref) int {
	if a.start != b.start && a.start != 0 && b.start != 0 { // 0: a record of less than 8 bytes, or one that Compare orders
		return cmp.Compare(a.start, b.start)
	}
	return s.o.Compare(s.rec(a), s.rec(b))
}

// Join gives all that sorters of the same options hold in memory to the first, so that
// it is merged once and not in each reading of each range.
func Join(sorters []*Sorter) {
	to := sorters[0]
	to.Sort()
	for _, s := range sorters[1:] {
		s.Sort()
		for i := range s.refs {
			s.refs[i].chunk += uint32(to.used)
		}
		to.chunks = append(to.chunks[:to.used], s.chunks[:s.used]...)
		to.used += s.used
		x, y := to.refs, s.refs
		to.refs = make([]ref, 0, len(x)+len(y))
		for len(x) > 0 && len(y) > 0 {
			if to.compare(x[0], y[0]) <= 0 {
				to.refs, x = append(to.refs, x[0]), x[1:]
			} else {
				to.refs, y = append(to.refs, y[0]), y[1:]
			}
		}
		to.refs = append(append(to.refs, x...), y...)
		to.n, s.n = to.n+len(s.refs), s.n-len(s.refs)
		s.refs, s.chunks, s.used = nil, nil, 0
	}
}

func (s *Sorter) spill() error {
	if err := s.writeRun(0, s.memory()); err != nil {
		return err
	}
	s.refs, s.used, s.held = s.refs[:0], 0, 0
	// A chunk that was made for one long record is not kept.
	s.chunks = slices.DeleteFunc(s.chunks, func(c []byte) bool { return cap(c) > chunkSize })
	if len(s.runs)%roomyRuns == 0 {
		s.o.Memory = max(s.o.Memory, min(2*s.o.Memory, s.o.MaxMemory))
	}
	return s.lengthen(0)
}

// lengthen merges the runs of a level into one of the next when there are maxRuns. Each record
// so is written once a level: if all runs were merged into one again and again, each merge
// would write whatever there is.
func (s *Sorter) lengthen(level int) error {
	of := func(r run) bool { return r.level == level }
	var same []iter.Seq2[[]byte, error]
	for _, r := range s.runs {
		if of(r) {
			same = append(same, r.records(r.from, r.end))
		}
	}
	if len(same) < maxRuns {
		return nil
	}
	if err := s.writeRun(level+1, s.combine(merge(s.o.Compare, same))); err != nil {
		return err
	}
	s.runs = slices.DeleteFunc(s.runs, of)
	old := s.spools[level].file
	s.spools[level] = spool{}
	return errors.Join(old.Close(), s.lengthen(level+1))
}

// memory yields what is held, sorted and combined.
func (s *Sorter) memory() iter.Seq2[[]byte, error] {
	s.Sort()
	return s.combine(s.heldPart(0, len(s.refs)))
}

// heldPart yields the records of refs[from:to].
func (s *Sorter) heldPart(from, to int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, r := range s.refs[from:to] {
			if !yield(s.rec(r), nil) {
				return
			}
		}
	}
}

// disk is the records of each run.
func (s *Sorter) disk() (seqs []iter.Seq2[[]byte, error]) {
	for _, r := range s.runs {
		seqs = append(seqs, r.records(r.from, r.end))
	}
	return seqs
}

func (s *Sorter) combine(in iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	if s.o.Combine == nil {
		return in
	}
	return func(yield func([]byte, error) bool) {
		var last, own []byte
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
			own = append(own[:0], r...)
			last, have = own, true
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
	return s.combine(merge(s.o.Compare, append(s.disk(), s.memory())))
}

// merge yields the records of sorted sequences in order.
func merge(compare func(a, b []byte) int, seqs []iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var h []*cursor
		defer func() {
			for _, c := range h {
				c.stop()
			}
		}()
		less := func(i, j int) bool { return compare(h[i].rec, h[j].rec) < 0 }
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

// Close removes what is on disk.
func (s *Sorter) Close() error {
	var errs []error
	for _, sp := range s.spools {
		if sp.file != nil {
			errs = append(errs, sp.file.Close())
		}
	}
	s.spools, s.out, s.runs, s.refs, s.chunks, s.used = nil, nil, nil, nil, nil, 0
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

// A run is a sorted part of a spool: records, each after its length.
type run struct {
	file      *ScratchFile
	level     int // 0: what was held in memory; else merged of maxRuns runs of the level below
	from, end int64
	marks     []mark
}

// writeRun writes a run of a level, behind those that are there.
func (s *Sorter) writeRun(level int, in iter.Seq2[[]byte, error]) error {
	for len(s.spools) <= level {
		s.spools = append(s.spools, spool{})
	}
	sp := &s.spools[level]
	if sp.file == nil {
		f, err := Scratch(s.o.Dir)
		if err != nil {
			return fmt.Errorf("spilling to disk: %w", err)
		}
		sp.file = f
	}
	r := run{file: sp.file, level: level, from: sp.size, end: sp.size}
	if s.out == nil {
		s.out = bufio.NewWriterSize(nil, 1<<18)
	}
	w := s.out
	w.Reset(sp.file)
	var head [binary.MaxVarintLen64]byte
	for rec, err := range in {
		if err != nil {
			return err
		}
		r.mark(&s.o, rec)
		n := binary.PutUvarint(head[:], uint64(len(rec)))
		w.Write(head[:n])
		w.Write(rec)
		r.end += int64(n + len(rec))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("spilling to disk: %w", err)
	}
	sp.size, s.runs = r.end, append(s.runs, r)
	return nil
}

// records yields the records of a part of the run's spool.
func (r run) records(from, end int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		br := bufio.NewReaderSize(io.NewSectionReader(r.file, from, end-from), 1<<16)
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
