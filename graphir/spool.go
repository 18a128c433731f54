package graphir

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"membench/internal/codec"
	"membench/internal/extsort"
)

// A spool is a file of rows by bucket. A bucket's rows lie in pieces, one for each
// time that its rows were written.
type spool struct {
	f       *extsort.ScratchFile
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
	f, err := extsort.Scratch(dir)
	if err != nil {
		return nil, fmt.Errorf("spilling to disk: %w", err)
	}
	return &spool{f: f, w: bufio.NewWriterSize(f, 1<<19), buckets: make([]bucket, buckets)}, nil
}

func (s *spool) close() { s.f.Close() }

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

// load reads the rows whose keys lie in [lo,hi] from the spool into an empty table.
func (b *bulk) load(t *table, lo, hi uint32) error {
	return t.load(b.spool, int(lo>>subBits), int(hi>>subBits), func(r *row) bool {
		key := r.key()
		return key >= lo && key <= hi && !b.hot[key]
	})
}

// loadSlim reads the rows of a range without their data; they are sorted.
func (b *bulk) loadSlim(t *table, at int) error {
	return t.load(b.slim, at, at, func(*row) bool { return true })
}

// load reads the wanted rows of buckets [first,last] into an empty table.
func (t *table) load(s *spool, first, last int, want func(*row) bool) error {
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
			in := buf[off : off+int(p.n)]
			if _, err := s.f.ReadAt(in, p.off); err != nil {
				return fmt.Errorf("reading spilled rows: %w", err)
			}
			for at := 0; at < len(in); {
				r, n := decodeSpooled(in[at:])
				r.off = uint32(off + at + spooledHead)
				at += n
				if want(&r) {
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
	var x rowText
	for i := range b.parts {
		t := &b.parts[i]
		b.sortTable(t)
		for j := 0; j < len(t.rows); {
			n := group(t, j)
			r := &t.rows[j]
			rows := 1
			if n == 1 {
				text := t.text(r)
				buf = appendSpooled(buf[:0], r, text[:x.read(text)])
			} else if many := b.combine(t, j, j+n); hot(many) {
				b.offload(many)
				j += n
				continue
			} else {
				buf, rows = appendMerged(buf[:0], many), len(many)
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

// A mergedRow is the rows of one text in one setting.
type mergedRow struct {
	row    *row
	text   rowText
	points []string
}

// combine folds the rows [i,j) of one text, one for each setting. Rows that only their
// contents tell apart stay.
func (b *bulk) combine(t *table, i, j int) (out []*mergedRow) {
	last := map[uint32]*mergedRow{}
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
			m = &mergedRow{r, x, points}
			out = append(out, m)
			last[r.setting] = m
			continue
		}
		m.text.times += x.times
		m.text.cut = m.text.cut || x.cut
		m.points = insert(m.points, points, &m.text.cut)
	}
	for _, m := range out {
		if m.text.times > 1 {
			m.text.points = m.points
		}
	}
	return out
}

func appendMerged(dst []byte, rows []*mergedRow) []byte {
	var text []byte
	for _, m := range rows {
		text = appendRow(text[:0], &m.text)
		dst = appendSpooled(dst, m.row, text)
	}
	return dst
}

// hotRows and hotPoints are how much of one text stays together in a task.
const (
	hotRows   = 64
	hotPoints = 4096
)

func hot(rows []*mergedRow) bool {
	points := 0
	for _, m := range rows {
		points += len(m.points)
	}
	return len(rows) > hotRows || points > hotPoints
}

// offload sends the rows of a text that is stored very often to the sorter, which
// holds as much of it as the budget allows.
func (b *bulk) offload(rows []*mergedRow) {
	b.sink.Lock()
	defer b.sink.Unlock()
	b.hot[rows[0].row.key()] = true
	// Of one element a single part goes on: the earliest, with the lists of all.
	parts := map[string]*part{}
	var order []string
	for _, m := range rows {
		o := b.occurrence(m.row, &m.text)
		emit := func(x *part) {
			if m.text.points != nil && x.listed {
				x.points, x.times, x.cut = m.text.points, m.text.times, m.text.cut
			}
			first := parts[x.id]
			switch {
			case first == nil:
				parts[x.id] = x
				order = append(order, x.id)
			case first.ident != x.ident || first.src != x.src || first.dst != x.dst || first.at == x.at && first.order == x.order:
				b.g.add(x)
			case x.listed:
				first.take(x)
			}
		}
		b.p.memoryNode(o, emit)
		b.p.memoryEdges(o, emit)
		if m.row.at == b.settings[m.row.setting].first.Load() {
			b.takeFirst(&firstOf{m.row.setting, m.row.at, m.row.hash, bytes.Clone(m.text.point), bytes.Clone(m.text.created), m.text.pos})
		}
	}
	for _, id := range order {
		b.g.add(parts[id])
	}
}

// offloadHot sends the remaining rows of hot keys after the others: no row then lies
// among the parts of such a text, which can be many.
func (b *bulk) offloadHot() error {
	if b.spool == nil {
		for i := range b.parts {
			t := &b.parts[i]
			for j := 0; j < len(t.rows); {
				n := group(t, j)
				if n > hotRows && hot(b.combine(t, j, j+n)) {
					b.hot[t.rows[j].key()] = true
				}
				j += n
			}
			b.offloadKeys(t)
			t.rows = slices.DeleteFunc(t.rows, func(r row) bool { return b.hot[r.key()] })
		}
		return nil
	}
	keys := b.hotKeys()
	b.hot = map[uint32]bool{} // load leaves out what is in it
	for _, key := range keys {
		t := b.newTable()
		if err := b.load(t, key, key); err != nil {
			return err
		}
		b.sortTable(t)
		b.hot[key] = true
		b.offloadKeys(t)
		b.freeTable(t)
	}
	return nil
}

// offloadKeys sends the rows of hot keys to the sorter.
func (b *bulk) offloadKeys(t *table) {
	for j := 0; j < len(t.rows); {
		n := group(t, j)
		if b.hot[t.rows[j].key()] {
			b.offload(b.combine(t, j, j+n))
		}
		j += n
	}
}

func (b *bulk) hotKeys() []uint32 {
	keys := make([]uint32, 0, len(b.hot))
	for k := range b.hot {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// occurrence turns a row back into what it was made of.
func (b *bulk) occurrence(r *row, x *rowText) *occurrence {
	data := x.data
	if x.escaped {
		data = codec.AppendUnescaped(nil, data)
	}
	hash := hex.EncodeToString(r.hash[:])
	return &occurrence{point: string(x.point), hash: hash, rawHash: hash, data: string(data), createdAt: string(x.created), setting: b.settings[r.setting].setting(), at: r.at, pos: x.pos}
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
