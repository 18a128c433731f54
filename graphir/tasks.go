package graphir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"

	"membench/internal/par"
	"membench/schema"
)

// A segment is the elements of one type that start with the memory's hash.
type segment struct {
	typ    string // "" for the nodes
	prefix string // of their ids, before the hash
}

var (
	segMemory    = segment{"", "mem:"}
	segConv      = segment{"FROM_CONV", "edge:FROM_CONV:mem:"}
	segCharacter = segment{"HAS_CHARACTER", "edge:HAS_CHARACTER:mem:"}
	segScene     = segment{"IN_SCENE", "edge:IN_SCENE:mem:"}
	segOwns      = segment{typ: "OWNS_MEMORY"} // by owner, then by hash
)

const ownsPrefix = "edge:OWNS_MEMORY:"

// A task is some lines of output: rows of a segment, and parts that come between.
type task struct {
	seg   segment
	keys  *keyRange   // rows by key; nil: none
	at    int         // of keys, among the ranges
	owned []ownedRows // of segOwns: which rows of which tables
	parts [][]byte    // encoded, in order
	t     *table      // the rows, once they are there
}

// A keyRange is the rows of one task: about taskRows, all of one partition.
type keyRange struct {
	lo, hi uint32 // keys, both included
}

const taskRows = 1024

// ownedRows are groups of rows of one owner, given by their first rows.
type ownedRows struct {
	owner  uint32 // rank
	t      *table
	starts []uint32
}

// A result is the lines of one task.
type result struct {
	out      []byte
	counts   Counts
	findings []*schema.Finding
	slim     spooled   // rows without data, when rows went to disk
	at       int       // their range
	owned    []spooled // the same by bucket of their owner
	firsts   []firstOf // of settings, among these rows
}

// spooled is rows on their way to a spool.
type spooled struct {
	rows []byte // encoded
	n    int
}

// recycle keeps a result for the next task. A free list, not a sync.Pool: the buffers
// would not outlive a collection, and grow again from nothing.
func (b *bulk) recycle(r *result) {
	select {
	case b.free <- r:
	default:
	}
}

func (b *bulk) newTable() *table {
	select {
	case t := <-b.tables:
		return t
	default:
		return &table{}
	}
}

func (b *bulk) freeTable(t *table) {
	t.rows, t.chunks = t.rows[:0], t.chunks[:0]
	select {
	case b.tables <- t:
	default:
	}
}

func (b *bulk) newResult() *result {
	select {
	case r := <-b.free:
		r.out, r.findings, r.firsts = r.out[:0], nil, r.firsts[:0]
		r.counts.Nodes, r.counts.Edges = 0, 0
		clear(r.counts.Labels)
		clear(r.counts.Types)
		r.slim = spooled{rows: r.slim.rows[:0]}
		for i := range r.owned {
			r.owned[i] = spooled{rows: r.owned[i].rows[:0]}
		}
		return r
	default:
		return &result{counts: Counts{Labels: map[string]int{}, Types: map[string]int{}}}
	}
}

// A source steps through the parts of the sorter.
type source struct {
	next func() ([]byte, error, bool)
	stop func()
	rec  []byte // the next part, nil at the end
	err  error
}

func newSource(s interface {
	Sorted() iter.Seq2[[]byte, error]
}) *source {
	next, stop := iter.Pull2(s.Sorted())
	src := &source{next: next, stop: stop}
	src.advance()
	return src
}

func (s *source) advance() {
	rec, err, ok := s.next()
	if !ok || err != nil {
		s.rec, s.err = nil, err
		return
	}
	s.rec = bytes.Clone(rec)
}

// upTo takes the parts of one kind whose id is below bound, at most about limit bytes of
// them but never half of an element. "" is no bound. more says that the limit was met.
func (s *source) upTo(kind byte, bound string, limit int) (parts [][]byte, more bool) {
	size := 0
	var last []byte
	for s.rec != nil && s.rec[0] == kind {
		id, _ := cutStr(s.rec[1:])
		if bound != "" && string(id) >= bound {
			break
		}
		if size > limit && !bytes.Equal(id, last) {
			return parts, true
		}
		parts = append(parts, s.rec)
		size += len(s.rec)
		last = id
		s.advance()
	}
	return parts, false
}

const partsLimit = 1 << 20

// between yields tasks for the parts below bound.
func between(src *source, kind byte, bound string, yield func(*task, error) bool) bool {
	for {
		parts, more := src.upTo(kind, bound, partsLimit)
		if src.err != nil {
			yield(nil, src.err)
			return false
		}
		if len(parts) > 0 && !yield(&task{parts: parts}, nil) {
			return false
		}
		if !more {
			return true
		}
	}
}

// sort orders the tables, or sends the last rows after those that went to disk, and
// cuts all rows into ranges for the tasks.
func (b *bulk) sort(ctx context.Context) error {
	if b.spool != nil {
		memory := b.o.Memory
		b.o.Memory = -1
		err := b.spill()
		b.o.Memory = memory
		if err != nil {
			return err
		}
		b.parts = [partitions]table{}
		for i := range b.hashes {
			sortHashes(&b.hashes[i])
		}
		if err := b.offloadHot(); err != nil {
			return err
		}
		b.cut(func(k uint32) (int, int64) { return b.spool.buckets[k].rows, b.spool.buckets[k].bytes })
		return b.rankOwners()
	}
	all := func(yield func(*table, error) bool) {
		for i := range b.parts {
			if !yield(&b.parts[i], nil) {
				return
			}
		}
	}
	for _, err := range par.Map(ctx, max(1, b.o.Workers), all, func(_ context.Context, t *table) (struct{}, error) {
		b.sortTable(t)
		return struct{}{}, nil
	}) {
		if err != nil {
			return err
		}
	}
	if err := b.offloadHot(); err != nil {
		return err
	}
	b.cut(func(k uint32) (int, int64) { return len(b.rowsOf(keyRange{k << subBits, (k+1)<<subBits - 1}).rows), 0 })
	return b.rankOwners()
}

// cut makes ranges of the buckets that count tells the rows and bytes of. What has no
// rows is in no range: parts with such keys come between.
func (b *bulk) cut(count func(bucket uint32) (rows int, bytes int64)) {
	const perPartition = keyBuckets / partitions
	b.ranges = nil
	lo, held := uint32(0), 0
	end := func(hi uint32) {
		if held > 0 {
			b.ranges = append(b.ranges, keyRange{lo, hi})
		}
		lo, held = hi+1, 0
	}
	for k := uint32(0); k < keyBuckets; k++ {
		rows, bytes := count(k)
		if held > 0 && held+rows > 2*taskRows {
			end(k<<subBits - 1)
		}
		// A bucket that would take more than a quarter of the budget is read in passes.
		if passes := min(bytes*4/max(1, b.o.Memory)+1, 1<<subBits); b.o.Memory > 0 && passes > 1 {
			end(k<<subBits - 1)
			for i := int64(1); i <= passes; i++ {
				held = 1 // or none: it is not known of a pass
				end(k<<subBits + uint32(i<<subBits/passes) - 1)
			}
			continue
		}
		if held += rows; held >= taskRows || k%perPartition == perPartition-1 {
			end((k+1)<<subBits - 1)
		}
	}
	// Hot keys have no rows: ranges end before and start after them.
	for _, key := range b.hotKeys() {
		i, _ := slices.BinarySearchFunc(b.ranges, key, func(r keyRange, k uint32) int { return cmp.Compare(r.hi, k) })
		if i == len(b.ranges) || key < b.ranges[i].lo {
			continue
		}
		r := b.ranges[i]
		b.ranges = slices.Replace(b.ranges, i, i+1, keyRange{r.lo, key - 1}, keyRange{key + 1, r.hi})
	}
	b.ranges = slices.DeleteFunc(b.ranges, func(r keyRange) bool { return int64(r.lo) > int64(int32(r.hi)) })
}

// rowsOf is the part of a sorted partition with the keys of a range.
func (b *bulk) rowsOf(r keyRange) *table {
	t := &b.parts[r.lo>>(subBits+4)]
	at := func(key uint32) int {
		i, _ := slices.BinarySearchFunc(t.rows, key, func(r row, k uint32) int { return cmp.Compare(r.key(), k) })
		return i
	}
	return &table{rows: t.rows[at(r.lo):at(r.hi+1)], chunks: t.chunks}
}

// rankOwners numbers the owners in the order of their edges' ids.
func (b *bulk) rankOwners() error {
	names := make([]string, 0, len(b.settings))
	for _, s := range b.settings {
		names = append(names, s.owner.id+":mem:")
	}
	slices.Sort(names)
	names = slices.Compact(names)
	rank := make(map[string]uint32, len(names))
	for i, n := range names {
		rank[n] = uint32(i)
	}
	b.owners = names
	b.ownerOf = make([]uint32, len(b.settings))
	for i, s := range b.settings {
		b.ownerOf[i] = rank[s.owner.id+":mem:"]
	}
	if b.spool == nil {
		return nil
	}
	// Owners get buckets of the second spool in order, at most 64.
	b.bucketOf = make([]int, len(names))
	for i := range names {
		b.bucketOf[i] = i * ownerBuckets / max(ownerBuckets, len(names))
	}
	var err error
	if b.slim, err = newSpool(b.o.TempDir, len(b.ranges)); err == nil {
		b.owned, err = newSpool(b.o.TempDir, ownerBuckets)
	}
	return err
}

const ownerBuckets = 64

// segmentTasks yields the tasks of a segment, with the parts that come between.
func (b *bulk) segmentTasks(src *source, kind byte, seg segment, yield func(*task, error) bool) bool {
	if !between(src, kind, seg.prefix, yield) {
		return false
	}
	for i := range b.ranges {
		t := &task{seg: seg, keys: &b.ranges[i], at: i}
		if !between(src, kind, fmt.Sprintf("%s%05x", seg.prefix, t.keys.lo), yield) {
			return false
		}
		bound := fmt.Sprintf("%s%05xg", seg.prefix, t.keys.hi) // 'g' is above every hex digit
		t.parts, _ = src.upTo(kind, bound, 1<<62)
		if src.err != nil {
			yield(nil, src.err)
			return false
		}
		if !yield(t, nil) {
			return false
		}
	}
	return true
}

func (b *bulk) nodeTasks(src *source) iter.Seq2[*task, error] {
	return func(yield func(*task, error) bool) {
		if b.segmentTasks(src, kindNode, segMemory, yield) {
			between(src, kindNode, "", yield)
		}
	}
}

func (b *bulk) edgeTasks(src *source) iter.Seq2[*task, error] {
	return func(yield func(*task, error) bool) {
		for _, seg := range []segment{segConv, segCharacter, segScene} {
			if !b.segmentTasks(src, kindEdge, seg, yield) {
				return
			}
		}
		if b.ownsTasks(src, yield) {
			between(src, kindEdge, "", yield)
		}
	}
}

// ownsRows is how many edges a task of OWNS_MEMORY has, about.
const ownsRows = 1024

// ownsTasks yields the tasks of OWNS_MEMORY: by owner, then by hash.
func (b *bulk) ownsTasks(src *source, yield func(*task, error) bool) bool {
	if b.spool != nil {
		return b.ownsSpooled(src, yield)
	}
	// Which groups of which table each owner has; 4 bytes a memory.
	lists := make([][]ownedRows, len(b.owners))
	for i := range b.parts {
		t := &b.parts[i]
		for j := 0; j < len(t.rows); {
			n := group(t, j)
			for k := j; k < j+n; k++ {
				o := b.ownerOf[t.rows[k].setting]
				l := &lists[o]
				if len(*l) == 0 || (*l)[len(*l)-1].t != t {
					*l = append(*l, ownedRows{owner: o, t: t})
				}
				s := &(*l)[len(*l)-1].starts
				if len(*s) == 0 || (*s)[len(*s)-1] != uint32(j) {
					*s = append(*s, uint32(j))
				}
			}
			j += n
		}
	}
	cur := &task{seg: segOwns}
	size := 0
	flush := func(bound string) bool {
		if size == 0 {
			return true
		}
		t := cur
		cur, size = &task{seg: segOwns}, 0
		return b.ownsPiece(src, t, bound, yield)
	}
	for o, l := range lists {
		for i, x := range l {
			cur.owned = append(cur.owned, x)
			if size += len(x.starts); size >= ownsRows && i+1 < len(l) {
				h := x.t.rows[x.starts[len(x.starts)-1]].hash
				if !flush(b.ownsBound(o, &h)) {
					return false
				}
			}
		}
		if size >= ownsRows && !flush(b.ownsBound(o, nil)) {
			return false
		}
	}
	if size == 0 { // nobody owns anything: there is no last owner
		return true
	}
	return flush(b.ownsBound(len(b.owners)-1, nil))
}

// ownsBound is just above the edges of an owner, up to the memory h when not nil.
func (b *bulk) ownsBound(owner int, h *[16]byte) string {
	if h == nil {
		return ownsPrefix + b.owners[owner] + "g"
	}
	return ownsPrefix + b.owners[owner] + hex.EncodeToString(h[:]) + "\x00"
}

func (b *bulk) ownsPiece(src *source, t *task, bound string, yield func(*task, error) bool) bool {
	first := t.owned[0]
	h := first.t.rows[first.starts[0]].hash
	if !between(src, kindEdge, ownsPrefix+b.owners[first.owner]+hex.EncodeToString(h[:]), yield) {
		return false
	}
	t.parts, _ = src.upTo(kindEdge, bound, 1<<62)
	if src.err != nil {
		yield(nil, src.err)
		return false
	}
	return yield(t, nil)
}

// keep sends rows to the spools that the edges are made from, in the order of their hashes.
func (b *bulk) keep(r *result) error {
	if r.slim.n == 0 {
		return nil
	}
	if err := b.slim.append(r.at, r.slim.rows, r.slim.n); err != nil {
		return err
	}
	for k, o := range r.owned {
		if b.ownedBuf[k] = append(b.ownedBuf[k], o.rows...); len(b.ownedBuf[k]) > 1<<16 {
			if err := b.owned.append(k, b.ownedBuf[k], o.n); err != nil {
				return err
			}
			b.ownedBuf[k] = b.ownedBuf[k][:0]
		}
	}
	return nil
}

// endNodes gives back the disk that the rows with their data take: edges need none.
func (b *bulk) endNodes() error {
	if b.spool == nil {
		return nil
	}
	b.spool.close()
	return b.slim.flush()
}

// ownsSpooled reads the second spool: bucket by bucket, each in the order of hashes.
// A bucket of one owner streams; one of several is sorted by owner, and is small.
func (b *bulk) ownsSpooled(src *source, yield func(*task, error) bool) bool {
	fail := func(err error) bool { yield(nil, err); return false }
	for k := range ownerBuckets {
		if err := b.owned.append(k, b.ownedBuf[k], 0); err != nil {
			return fail(err)
		}
		b.ownedBuf[k] = nil
	}
	if err := b.owned.flush(); err != nil {
		return fail(err)
	}
	for k := range ownerBuckets {
		n := 0
		for _, bk := range b.bucketOf {
			if bk == k {
				n++
			}
		}
		t := &table{}
		flush := func() bool {
			if len(t.rows) == 0 {
				return true
			}
			full := t
			t = &table{}
			if n > 1 {
				// Stable: hashes and the order in them stay.
				slices.SortStableFunc(full.rows, func(x, y row) int { return cmp.Compare(b.ownerOf[x.setting], b.ownerOf[y.setting]) })
			}
			for i := 0; i < len(full.rows); {
				tk := &task{seg: segOwns}
				size := 0
				owner := -1
				for i < len(full.rows) && size < ownsRows {
					o := int(b.ownerOf[full.rows[i].setting])
					if o != owner {
						owner = o
						tk.owned = append(tk.owned, ownedRows{owner: uint32(o), t: full})
					}
					l := &tk.owned[len(tk.owned)-1]
					l.starts = append(l.starts, uint32(i))
					h := full.rows[i].hash
					for i < len(full.rows) && full.rows[i].hash == h && int(b.ownerOf[full.rows[i].setting]) == o {
						i++
					}
					size++
				}
				h := full.rows[i-1].hash
				if !b.ownsPiece(src, tk, b.ownsBound(owner, &h), yield) {
					return false
				}
			}
			return true
		}
		var buf []byte
		for _, p := range b.owned.buckets[k].pieces {
			br := b.owned.reader(p)
			for {
				r, text, err := readSpooled(br, buf)
				if err == io.EOF {
					break
				}
				if err != nil {
					return fail(err)
				}
				buf = text
				if n == 1 && len(t.rows) >= 4*ownsRows && t.rows[len(t.rows)-1].hash != r.hash && !flush() {
					return false
				}
				t.add(r, text)
			}
		}
		if !flush() {
			return false
		}
	}
	return true
}
