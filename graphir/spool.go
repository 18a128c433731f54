package graphir

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// A spool is a file of rows by bucket. A bucket's rows lie in pieces, one for each
// time that its rows were written.
type spool struct {
	f       *os.File
	w       *bufio.Writer
	size    int64
	buckets []bucket
}

type bucket struct {
	pieces []piece
	bytes  int64
	rows   int
}

type piece struct{ off, n int64 }

func newSpool(dir string, buckets int) (*spool, error) {
	f, err := os.CreateTemp(dir, ".membench-rows-*")
	if err != nil {
		return nil, fmt.Errorf("spilling to disk: %w", err)
	}
	os.Remove(f.Name()) // fails where open files keep their name; close then removes it
	return &spool{f: f, w: bufio.NewWriterSize(f, 1<<19), buckets: make([]bucket, buckets)}, nil
}

func (s *spool) close() {
	s.f.Close()
	os.Remove(s.f.Name())
}

// append writes encoded rows of one bucket; flush must follow before they are read.
func (s *spool) append(k int, encoded []byte, rows int) error {
	if len(encoded) == 0 {
		return nil
	}
	if _, err := s.w.Write(encoded); err != nil {
		return fmt.Errorf("spilling to disk: %w", err)
	}
	b := &s.buckets[k]
	n := int64(len(encoded))
	if p := len(b.pieces) - 1; p >= 0 && b.pieces[p].off+b.pieces[p].n == s.size {
		b.pieces[p].n += n
	} else {
		b.pieces = append(b.pieces, piece{s.size, n})
	}
	b.bytes += n
	b.rows += rows
	s.size += n
	return nil
}

func (s *spool) flush() error {
	if err := s.w.Flush(); err != nil {
		return fmt.Errorf("spilling to disk: %w", err)
	}
	return nil
}

func (s *spool) reader(p piece) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(s.f, p.off, p.n), 1<<16)
}

// appendSpooled encodes a row: hash, at, setting, length of the text, text.
func appendSpooled(dst []byte, r *row, text []byte) []byte {
	dst = append(dst, r.hash[:]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.at))
	dst = binary.BigEndian.AppendUint32(dst, r.setting)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(text)))
	return append(dst, text...)
}

const spooledHead = 32

// decodeSpooled reads the row at the start of b and returns its encoded length.
func decodeSpooled(b []byte) (r row, n int) {
	copy(r.hash[:], b)
	r.at = int64(binary.BigEndian.Uint64(b[16:]))
	r.setting = binary.BigEndian.Uint32(b[24:])
	return r, spooledHead + int(binary.BigEndian.Uint32(b[28:]))
}

// readSpooled reads one row; the text is valid until the next call.
func readSpooled(br *bufio.Reader, buf []byte) (r row, text []byte, err error) {
	head, err := br.Peek(spooledHead)
	if err != nil {
		return r, buf, err
	}
	r, n := decodeSpooled(head)
	br.Discard(spooledHead)
	buf = slices.Grow(buf[:0], n-spooledHead)[:n-spooledHead]
	if _, err := io.ReadFull(br, buf); err != nil {
		return r, buf, fmt.Errorf("reading spilled rows: %w", err)
	}
	return r, buf, nil
}

// load reads the rows whose keys lie in [lo,hi] into an empty table.
func (s *spool) load(t *table, lo, hi uint32) error {
	first, last := lo>>subBits, hi>>subBits
	size := int64(0)
	for k := first; k <= last; k++ {
		size += s.buckets[k].bytes
	}
	if int64(cap(t.buf)) < size {
		t.buf = make([]byte, size+size/8)
	}
	buf := t.buf[:size]
	t.chunks = append(t.chunks[:0], buf)
	off := 0
	for k := first; k <= last; k++ {
		for _, p := range s.buckets[k].pieces {
			b := buf[off : off+int(p.n)]
			if _, err := s.f.ReadAt(b, p.off); err != nil {
				return fmt.Errorf("reading spilled rows: %w", err)
			}
			for at := 0; at < len(b); {
				r, n := decodeSpooled(b[at:])
				r.off = uint32(off + at + spooledHead)
				at += n
				if key := r.key(); key >= lo && key <= hi {
					t.rows = append(t.rows, r)
				}
			}
			off += int(p.n)
		}
	}
	return nil
}

// compareRows orders rows by hash, instant, point and export.
func (b *bulk) compareRows(t *table, x, y *row) int {
	if c := bytes.Compare(x.hash[:], y.hash[:]); c != 0 {
		return c
	}
	if c := cmp.Compare(x.at, y.at); c != 0 {
		return c
	}
	var tx, ty rowText
	tx.read(t.text(x))
	ty.read(t.text(y))
	if c := bytes.Compare(tx.point, ty.point); c != 0 {
		return c
	}
	if x.setting != y.setting {
		if c := cmp.Compare(b.settings[x.setting].export.exportedAt, b.settings[y.setting].export.exportedAt); c != 0 {
			return c
		}
	}
	return 0
}

func (b *bulk) sortTable(t *table) {
	slices.SortFunc(t.rows, func(x, y row) int { return b.compareRows(t, &x, &y) })
}

// spill writes all rows to the spool. Of one text in one setting a single row goes
// there, so that a text that is stored a million times does not fill its partition.
func (b *bulk) spill() error {
	b.gate.Lock()
	defer b.gate.Unlock()
	if b.held.Load() <= b.o.Memory {
		return nil // another worker was faster
	}
	if b.spool == nil {
		s, err := newSpool(b.o.TempDir, keyBuckets)
		if err != nil {
			return err
		}
		b.spool = s
	}
	var buf []byte
	for i := range b.parts {
		t := &b.parts[i]
		b.sortTable(t)
		for j := 0; j < len(t.rows); {
			n := group(t, j)
			r := &t.rows[j]
			rows := 1
			if n == 1 {
				var x rowText
				text := t.text(r)
				buf = appendSpooled(buf[:0], r, text[:x.read(text)])
			} else {
				buf, rows = b.combine(buf[:0], t, j, j+n)
			}
			if err := b.spool.append(int(r.key()>>subBits), buf, rows); err != nil {
				return err
			}
			b.remember(r.hash)
			j += n
		}
		t.reset()
	}
	b.held.Store(0)
	return b.spool.flush()
}

// remember keeps a hash that goes to disk, for evidence to look up.
func (b *bulk) remember(h [16]byte) {
	if !b.g.hasClaims {
		return
	}
	list := &b.hashes[h[0]]
	if len(*list) == cap(*list) {
		sortHashes(list)
	}
	*list = append(*list, h)
}

func sortHashes(list *[][16]byte) {
	slices.SortFunc(*list, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	*list = slices.Compact(*list)
}

// group is how many rows from j on have its hash.
func group(t *table, j int) int {
	n := 1
	for j+n < len(t.rows) && t.rows[j+n].hash == t.rows[j].hash {
		n++
	}
	return n
}

// combine appends the rows [i,j) of one text, one for each setting. Rows that only
// their contents tell apart stay.
func (b *bulk) combine(dst []byte, t *table, i, j int) (_ []byte, rows int) {
	type merged struct {
		row    *row
		text   rowText
		points []string
		times  int
		cut    bool
	}
	var out []*merged
	last := map[uint32]*merged{}
	for ; i < j; i++ {
		r := &t.rows[i]
		var x rowText
		x.read(t.text(r))
		m := last[r.setting]
		same := m != nil && bytes.Equal(m.text.data, x.data) &&
			(m.row.at != r.at || !bytes.Equal(m.text.point, x.point) || bytes.Equal(m.text.created, x.created))
		points := x.points
		if points == nil {
			points = []string{string(x.point)}
		}
		if !same {
			m = &merged{r, x, points, x.times, x.cut}
			out = append(out, m)
			last[r.setting] = m
			continue
		}
		m.times += x.times
		m.cut = m.cut || x.cut
		m.points = insert(m.points, points, &m.cut)
	}
	var text []byte
	for _, m := range out {
		x := m.text
		if m.times > 1 {
			x.times, x.points, x.cut = m.times, m.points, m.cut
		}
		text = appendRow(text[:0], &x)
		dst = appendSpooled(dst, m.row, text)
	}
	return dst, len(out)
}

// insert is unite, fast where one new point goes into a list that is full.
func insert(a, b []string, cut *bool) []string {
	if len(b) == 1 {
		i, found := slices.BinarySearch(a, b[0])
		switch {
		case found:
			return a
		case len(a) == maxList:
			*cut = true
			if i == len(a) {
				return a
			}
			a = a[:len(a)-1]
		}
		return slices.Insert(a, i, b[0])
	}
	return unite(a, b, cut)
}
