package extsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"sort"
)

// What the sorters hold can be read in parts, by several goroutines at once: Cut
// divides the keys into ranges, and a Range finds its records in each run by the
// run's marks.

// markEvery is how many bytes of records lie between two marks. A range reads up to
// as much too much at both ends of its part of each run.
const markEvery = 8 << 10

// A mark is where a record is in the spool.
type mark struct {
	off int64
	key []byte
}

// mark notes rec, which comes next in r, when the last mark is far.
func (r *run) mark(o *Options, rec []byte) {
	if o.Key == nil {
		return
	}
	if n := len(r.marks); n == 0 || r.end-r.marks[n-1].off >= markEvery {
		r.marks = append(r.marks, mark{r.end, bytes.Clone(o.Key(rec))})
	}
}

// A Range is the records whose keys are at least lo and less than hi; nil is open.
type Range struct {
	sorters []*Sorter
	lo, hi  []byte
	size    int64
}

// Cut divides the records of sorters into ranges of about size bytes, in order. All
// records of one key are in one range, which may be larger for it. The sorters have a
// Key; nothing may be added to them any more. What they Combine is combined in the
// runs on disk, each by itself, and no further.
func Cut(sorters []*Sorter, size int64) []Range {
	type sample struct {
		key  []byte
		size int64
	}
	var all []sample
	runs := int64(0)
	for _, s := range sorters {
		s.Sort()
		for _, r := range s.runs {
			runs++
			for i, m := range r.marks {
				end := r.end
				if i+1 < len(r.marks) {
					end = r.marks[i+1].off
				}
				all = append(all, sample{m.key, end - m.off})
			}
		}
		for i := 0; i < len(s.refs); {
			m := sample{key: s.o.Key(s.rec(s.refs[i]))}
			for ; i < len(s.refs) && m.size < markEvery; i++ {
				m.size += int64(s.refs[i].n)
			}
			all = append(all, m)
		}
	}
	// With many runs a range reads little of each: then larger ranges.
	size = max(size, min(runs*2*markEvery, 8<<20))
	slices.SortFunc(all, func(a, b sample) int { return bytes.Compare(a.key, b.key) })
	out := []Range{{sorters: sorters}}
	for i, m := range all {
		if r := &out[len(out)-1]; r.size >= size && !bytes.Equal(m.key, all[i-1].key) {
			r.hi = m.key
			out = append(out, Range{sorters: sorters, lo: m.key})
		}
		out[len(out)-1].size += m.size
	}
	return out
}

// Size is about how many bytes of records the range has.
func (r Range) Size() int64 { return r.size }

// Start is the key that the range starts with, nil for the first range.
func (r Range) Start() []byte { return r.lo }

// End is the key that the range ends before, nil for the last range.
func (r Range) End() []byte { return r.hi }

// Has reports whether records of a key would be in the range.
func (r Range) Has(key []byte) bool { return r.holds(key) == 0 }

// Split divides the range before a key that lies in it.
func (r Range) Split(key []byte) (before, after Range) {
	before, after = r, r
	before.hi, after.lo = key, key
	return before, after
}

// Before reports whether every key of the range is less than key.
func (r Range) Before(key []byte) bool { return r.hi != nil && bytes.Compare(r.hi, key) <= 0 }

// holds compares a record with the range: -1 before it, 0 in it, 1 after it. Since no
// key is the start of another, the whole record compares as its key does.
func (r Range) holds(rec []byte) int {
	if r.lo != nil && bytes.Compare(rec, r.lo) < 0 {
		return -1
	}
	if r.hi != nil && bytes.Compare(rec, r.hi) >= 0 {
		return 1
	}
	return 0
}

// part is where in the spool the range's records of a run are, with some before and
// after them.
func (r Range) part(u run) (from, end int64) {
	from, end = u.from, u.end
	if r.lo != nil {
		if i := sort.Search(len(u.marks), func(i int) bool { return bytes.Compare(u.marks[i].key, r.lo) >= 0 }); i > 0 {
			from = u.marks[i-1].off // records with the key of mark i may be before it
		}
	}
	if r.hi != nil {
		if i := sort.Search(len(u.marks), func(i int) bool { return bytes.Compare(u.marks[i].key, r.hi) >= 0 }); i < len(u.marks) {
			end = u.marks[i].off
		}
	}
	return from, end
}

// inMemory is which of the sorter's refs are in the range.
func (r Range) inMemory(s *Sorter) (from, to int) {
	at := func(above int) int {
		return sort.Search(len(s.refs), func(i int) bool { return r.holds(s.rec(s.refs[i])) >= above })
	}
	return at(0), at(1)
}

// Sorted yields the records in order. Bytes are valid until the next step.
func (r Range) Sorted() iter.Seq2[[]byte, error] {
	var seqs []iter.Seq2[[]byte, error]
	for _, s := range r.sorters {
		for _, u := range s.runs {
			seqs = append(seqs, r.within(u.records(r.part(u))))
		}
		seqs = append(seqs, s.heldPart(r.inMemory(s)))
	}
	return merge(bytes.Compare, seqs)
}

func (r Range) within(in iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for rec, err := range in {
			if err == nil {
				if c := r.holds(rec); c < 0 {
					continue
				} else if c > 0 {
					return
				}
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// A Buffer holds the records of a range. It may be used for one range after another.
type Buffer struct {
	data     []byte // of the runs and of what was held in memory
	at, tmp  []place
	ends     []int // of the sorted parts in at
	recs     [][]byte
	skip, to int // bytes that all records share; end of what data holds
}

// A place is where a record is in the data, and eight of its bytes, zeros behind its end, which
// decide most comparisons. It has no pointer: the collector need not look at places.
type place struct {
	start  uint64
	off, n int
}

// Load reads the range into memory and returns its records in order, valid until b is
// used again.
func (r Range) Load(b *Buffer) ([][]byte, error) {
	b.at, b.ends, b.skip, b.to = b.at[:0], b.ends[:0], r.shared(), 0
	need := 0
	for _, s := range r.sorters {
		for _, u := range s.runs {
			from, end := r.part(u)
			need += int(end - from)
		}
		from, to := r.inMemory(s)
		for _, ref := range s.refs[from:to] {
			need += int(ref.n)
		}
	}
	if need > cap(b.data) {
		b.data = make([]byte, need+need/8)
	}
	b.data = b.data[:cap(b.data)]
	for _, s := range r.sorters {
		for _, u := range s.runs {
			if err := b.read(r, u); err != nil {
				return nil, err
			}
		}
		from, to := r.inMemory(s)
		for _, ref := range s.refs[from:to] {
			b.hold(b.to, copy(b.data[b.to:], s.rec(ref)))
			b.to += int(ref.n)
		}
		b.ends = append(b.ends, len(b.at))
	}
	b.merge()
	b.recs = slices.Grow(b.recs[:0], len(b.at))[:len(b.at)]
	for i, p := range b.at {
		b.recs[i] = b.rec(p)
	}
	return b.recs, nil
}

// shared is how many bytes all records of the range have in common, as its ends have them.
func (r Range) shared() int {
	n := 0
	for n < min(len(r.lo), len(r.hi)) && r.lo[n] == r.hi[n] {
		n++
	}
	return n
}

// read adds the range's records of a run.
func (b *Buffer) read(r Range, u run) error {
	from, end := r.part(u)
	part := b.data[b.to:][:end-from]
	if _, err := u.file.ReadAt(part, from); err != nil {
		return fmt.Errorf("reading spilled records: %w", err)
	}
	begun := r.lo == nil
	for off := 0; off < len(part); {
		n, head := binary.Uvarint(part[off:])
		off += head
		rec := part[off : off+int(n)]
		if r.hi != nil && bytes.Compare(rec, r.hi) >= 0 {
			break
		}
		if begun = begun || bytes.Compare(rec, r.lo) >= 0; begun {
			b.hold(b.to+off, len(rec))
		}
		off += len(rec)
	}
	b.to += len(part)
	b.ends = append(b.ends, len(b.at))
	return nil
}

// hold adds the record of n bytes at off in the data.
func (b *Buffer) hold(off, n int) {
	p := place{off: off, n: n}
	if n >= b.skip+8 {
		p.start = binary.BigEndian.Uint64(b.data[off+b.skip:])
	} else {
		var start [8]byte
		copy(start[:], b.rec(p)[b.skip:])
		p.start = binary.BigEndian.Uint64(start[:])
	}
	b.at = append(b.at, p)
}

func (b *Buffer) rec(p place) []byte { return b.data[p.off : p.off+p.n : p.off+p.n] }

func (b *Buffer) less(x, y place) bool {
	if x.start != y.start {
		return x.start < y.start
	}
	return bytes.Compare(b.rec(x), b.rec(y)) < 0
}

// merge merges the sorted parts, neighbour with neighbour, until one is left.
func (b *Buffer) merge() {
	b.tmp = slices.Grow(b.tmp[:0], len(b.at))
	for len(b.ends) > 1 {
		out, ends := b.tmp[:0], b.ends[:0]
		from := 0
		for i := 0; i < len(b.ends); i += 2 {
			mid := b.ends[i]
			end := mid
			if i+1 < len(b.ends) {
				end = b.ends[i+1]
			}
			x, y := b.at[from:mid], b.at[mid:end]
			for len(x) > 0 && len(y) > 0 {
				if b.less(y[0], x[0]) {
					out, y = append(out, y[0]), y[1:]
				} else {
					out, x = append(out, x[0]), x[1:]
				}
			}
			out = append(append(out, x...), y...)
			ends = append(ends, end)
			from = end
		}
		b.at, b.tmp, b.ends = out, b.at, ends
	}
}
