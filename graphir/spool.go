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
	size    int64
	buckets [][]piece
	buf     []byte
}

type piece struct{ off, n int64 }

func newSpool(dir string, buckets int) (*spool, error) {
	f, err := os.CreateTemp(dir, ".membench-rows-*")
	if err != nil {
		return nil, fmt.Errorf("spilling to disk: %w", err)
	}
	os.Remove(f.Name()) // fails where open files keep their name; close then removes it
	return &spool{f: f, buckets: make([][]piece, buckets)}, nil
}

func (s *spool) close() {
	s.f.Close()
	os.Remove(s.f.Name())
}

// append writes encoded rows of one bucket.
func (s *spool) append(bucket int, rows []byte) error {
	if len(rows) == 0 {
		return nil
	}
	if _, err := s.f.Write(rows); err != nil {
		return fmt.Errorf("spilling to disk: %w", err)
	}
	s.buckets[bucket] = append(s.buckets[bucket], piece{s.size, int64(len(rows))})
	s.size += int64(len(rows))
	return nil
}

// bytes is how much a bucket holds.
func (s *spool) bytes(bucket int) (n int64) {
	for _, p := range s.buckets[bucket] {
		n += p.n
	}
	return n
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

// readSpooled reads one row; the text is valid until the next call.
func readSpooled(br *bufio.Reader, buf []byte) (r row, text []byte, err error) {
	buf = slices.Grow(buf[:0], spooledHead)[:spooledHead]
	if _, err := io.ReadFull(br, buf); err != nil {
		return r, buf, err
	}
	copy(r.hash[:], buf)
	r.at = int64(binary.BigEndian.Uint64(buf[16:]))
	r.setting = binary.BigEndian.Uint32(buf[24:])
	n := int(binary.BigEndian.Uint32(buf[28:]))
	buf = slices.Grow(buf[:0], n)[:n]
	if _, err := io.ReadFull(br, buf); err != nil {
		return r, buf, fmt.Errorf("reading spilled rows: %w", err)
	}
	return r, buf, nil
}

// load reads the rows of a bucket whose second hash byte is in [lo, hi].
func (s *spool) load(t *table, bucket, lo, hi int) error {
	var buf []byte
	for _, p := range s.buckets[bucket] {
		br := s.reader(p)
		for {
			r, text, err := readSpooled(br, buf)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			buf = text
			if b := int(r.hash[1]); b >= lo && b <= hi {
				t.add(r, text)
			}
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
		s, err := newSpool(b.o.TempDir, partitions)
		if err != nil {
			return err
		}
		b.spool = s
	}
	var buf []byte
	for i := range b.parts {
		t := &b.parts[i]
		b.sortTable(t)
		buf = buf[:0]
		for j := 0; j < len(t.rows); {
			n := group(t, j)
			if n == 1 {
				r := &t.rows[j]
				var x rowText
				text := t.text(r)
				buf = appendSpooled(buf, r, text[:x.read(text)])
			} else {
				buf = b.combine(buf, t, j, j+n)
			}
			b.remember(t.rows[j].hash)
			j += n
		}
		if err := b.spool.append(i, buf); err != nil {
			return err
		}
		t.reset()
	}
	b.held.Store(0)
	return nil
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
func (b *bulk) combine(dst []byte, t *table, i, j int) []byte {
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
	return dst
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
