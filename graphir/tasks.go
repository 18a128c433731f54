package graphir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"iter"

	"membench/internal/extsort"
	"membench/schema"
)

// A segment is the elements of one type that rows make. Their ids start with the row's
// key: its hash, for OWNS_MEMORY its owner and its hash.
type segment struct {
	typ    string // "" for the nodes
	prefix string // of their ids, before the key
	owners bool   // rows are ordered by owner
}

var (
	segMemory    = segment{"", "mem:", false}
	segConv      = segment{schema.EdgeFromConv, "edge:FROM_CONV:mem:", false}
	segCharacter = segment{schema.EdgeHasCharacter, "edge:HAS_CHARACTER:mem:", false}
	segScene     = segment{schema.EdgeInScene, "edge:IN_SCENE:mem:", false}
	segOwns      = segment{schema.EdgeOwnsMemory, "edge:OWNS_MEMORY:", true}
)

const (
	rangeSize  = 160 << 10 // bytes of rows in a task, about
	partsLimit = 1 << 20   // bytes of other parts in a task, about
)

// hotRange is how many bytes of rows are held at once, more than Cut makes of rows of
// different texts, and more than one long line is. Less in tests.
var hotRange = int64(32 << 20)

// A row of OWNS_MEMORY has the rank of its owner before it, four bytes.
const ownerBytes = 4

func ownedKey(rec []byte) []byte { return rec[:ownerBytes+16] }

// key is the part of a row that is its key.
func (b *bulk) key(seg segment, rec []byte) []byte {
	if seg.owners {
		return ownedKey(rec)
	}
	return hashOf(rec)
}

// start is how the ids of a key's elements start.
func (b *bulk) start(dst []byte, seg segment, key []byte) []byte {
	dst = append(dst, seg.prefix...)
	if seg.owners {
		dst = append(dst, b.owner(binary.BigEndian.Uint32(key))...)
		key = key[ownerBytes:]
	}
	return hex.AppendEncode(dst, key)
}

// keyAt is the first key whose elements are not before id; nil where it has no such form.
func (b *bulk) keyAt(seg segment, id []byte) (key []byte) {
	id = id[min(len(id), len(seg.prefix)):]
	if seg.owners {
		end := bytes.LastIndex(id, []byte(":mem:")) + len(":mem:")
		rank, found := b.rankOwner(string(id[:end]))
		if key = binary.BigEndian.AppendUint32(nil, rank); !found {
			return append(key, make([]byte, 16)...)
		}
		id = id[end:]
	}
	var hash [16]byte
	if len(id) < 32 || seg.owners && len(id) > 32 {
		return nil
	}
	if _, err := hex.Decode(hash[:], id[:32]); err != nil {
		return nil
	}
	return append(key, hash[:]...)
}

// A task is some lines of output: rows of a range, and parts that come before its end.
type task struct {
	seg   segment
	rows  *extsort.Range // nil: none
	parts [][]byte       // encoded, in order
	done  *result        // or lines that are there
}

// A result is the lines of one task.
type result struct {
	out      []byte
	counts   Counts
	findings []*schema.Finding
	firsts   []firstOf  // of settings, among these rows
	owned    []byte     // rows of OWNS_MEMORY, each after its length
	hashes   [][16]byte // of the rows, when claims need them

	rows extsort.Buffer
}

// recycle keeps a result for the next task. A free list, not a sync.Pool: the buffers
// would not outlive a collection, and grow again from nothing.
func (b *bulk) recycle(r *result) {
	select {
	case b.free <- r:
	default:
	}
}

func (b *bulk) newResult() *result {
	select {
	case r := <-b.free:
		r.out, r.findings, r.firsts, r.owned, r.hashes = r.out[:0], nil, r.firsts[:0], r.owned[:0], r.hashes[:0]
		r.counts.Nodes, r.counts.Edges = 0, 0
		clear(r.counts.Labels)
		clear(r.counts.Types)
		return r
	default:
		return &result{counts: Counts{Labels: map[string]int{}, Types: map[string]int{}}}
	}
}

// A source steps through the parts of a sorter.
type source struct {
	next func() ([]byte, error, bool)
	stop func()
	rec  []byte // the next part, nil at the end
	err  error
}

func newSource(s *extsort.Sorter) *source {
	next, stop := iter.Pull2(s.Sorted())
	src := &source{next: next, stop: stop}
	src.advance()
	return src
}

func (s *source) advance() {
	rec, err, ok := s.next()
	if s.err = err; !ok || err != nil {
		s.rec = nil
		return
	}
	s.rec = bytes.Clone(rec)
}

// before reports whether the next part has an id below bound; "" is not a bound.
func (s *source) before(bound string) bool {
	if s.rec == nil {
		return false
	}
	id, _ := cutKey(s.rec[1:])
	return bound == "" || string(id) < bound
}

// upTo takes the parts whose id is below bound, at most about limit bytes of them, but never only some of the parts with the same first n bytes. more reports
// that the limit was reached.
func (s *source) upTo(bound string, n, limit int) (parts [][]byte, more bool) {
	size := 0
	var last []byte
	for s.before(bound) {
		id, _ := cutKey(s.rec[1:])
		if id = id[:min(n, len(id))]; size > limit && !bytes.Equal(id, last) {
			return parts, true
		}
		parts = append(parts, s.rec)
		size += len(s.rec)
		last = id
		s.advance()
	}
	return parts, false
}

// between yields tasks for the parts below bound.
func between(src *source, bound string, yield func(*task, error) bool) bool {
	for {
		parts, more := src.upTo(bound, schema.MaxIDBytes, partsLimit)
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

// tasks yields the tasks of segments, which come in the order of their ids, and of all
// other parts. rows gives the rows of a segment.
func (b *bulk) tasks(ctx context.Context, src *source, segs []segment, rows func(segment) []*extsort.Sorter) iter.Seq2[*task, error] {
	return func(yield func(*task, error) bool) {
		for _, seg := range segs {
			if !between(src, seg.prefix, yield) {
				return
			}
			if b.settings.n == 0 {
				continue // no rows
			}
			for _, r := range extsort.Cut(rows(seg), rangeSize) {
				if r.Size() > hotRange {
					if !b.hot(ctx, src, seg, r, nil, yield) {
						return
					}
				} else if !b.rangeTasks(ctx, src, seg, r, yield) {
					return
				}
			}
		}
		between(src, "", yield)
	}
}

// counted passes tasks on and reports their share of the sorted records. Rows are read once for the nodes and for each type of edge, except the owners' type.
func (b *bulk) counted(tasks iter.Seq2[*task, error]) iter.Seq2[*task, error] {
	if b.o.Progress == nil {
		return tasks
	}
	of := b.g.nodes.Added() + b.g.edges.Added() + b.owned.Added()
	for _, s := range b.rows {
		of += 4 * s.Added()
	}
	return func(yield func(*task, error) bool) {
		for t, err := range tasks {
			b.o.Progress("MB merged", b.merged/1e6, int(of/1e6))
			if err == nil && t.rows != nil {
				b.merged += int(t.rows.Size())
			}
			if err == nil {
				for _, p := range t.parts {
					b.merged += len(p)
				}
			}
			if !yield(t, err) {
				return
			}
		}
	}
}

// bound is the id before which the elements of a range end.
func (b *bulk) bound(seg segment, r extsort.Range) string {
	switch {
	case r.End() != nil:
		return string(b.start(nil, seg, r.End()))
	case seg.owners:
		return seg.prefix + b.owner(uint32(len(b.owners)-1)) + "g"
	}
	return seg.prefix + "g" // is above every hex digit
}

// rangeTasks yields the tasks of a range, which are several where other parts are many.
func (b *bulk) rangeTasks(ctx context.Context, src *source, seg segment, r extsort.Range, yield func(*task, error) bool) bool {
	n := len(seg.prefix) + 32 // common prefix of the ids of parts with one key
	if seg.owners {
		n = schema.MaxIDBytes
	}
	for {
		parts, more := src.upTo(b.bound(seg, r), n, partsLimit)
		switch {
		case src.err != nil:
			yield(nil, src.err)
			return false
		case !more:
			return yield(&task{seg: seg, rows: &r, parts: parts}, nil)
		}
		id, _ := cutKey(src.rec[1:])
		key := b.keyAt(seg, id)
		if key == nil || !r.Has(key) {
			return b.hot(ctx, src, seg, r, parts, yield)
		}
		head, rest := r.Split(key)
		if !yield(&task{seg: seg, rows: &head, parts: parts}, nil) {
			return false
		}
		r = rest
	}
}

// hot merges a range that is too big for memory, such as a text that is stored very often, with the parts taken and the following ones.
func (b *bulk) hot(ctx context.Context, src *source, seg segment, rng extsort.Range, taken [][]byte, yield func(*task, error) bool) bool {
	parts := extsort.New(extsort.Options{Memory: b.o.Memory / 4, Dir: b.o.TempDir})
	defer parts.Close()
	em := emitter{b: b, r: b.newResult(), seg: seg}
	fill := func() error {
		for bound := b.bound(seg, rng); src.before(bound); src.advance() {
			taken = append(taken, src.rec)
		}
		var x, y row
		var own []byte // buffer of x
		put := func() (err error) {
			if len(own) > 0 {
				em.note(&x)
				taken = em.parts(taken, &x)
			}
			for _, p := range taken {
				err = cmp.Or(err, parts.Add(p))
			}
			taken = taken[:0]
			return err
		}
		for rec, err := range rng.Sorted() {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			if em.read(&y, rec); len(own) > 0 && x.take(&y) {
				continue
			}
			if err := put(); err != nil {
				return err
			}
			own = append(own[:0], rec...)
			em.read(&x, own)
		}
		return cmp.Or(put(), src.err)
	}
	if err := fill(); err != nil {
		yield(nil, err)
		return false
	}
	f := em.folder()
	for rec, err := range parts.Sorted() {
		if err != nil {
			yield(nil, err)
			return false
		}
		if em.put(f.add(rec)); len(em.r.out) > partsLimit {
			if !yield(&task{done: em.r}, nil) {
				return false
			}
			em.r = b.newResult()
		}
	}
	em.put(f.flush())
	return yield(&task{done: em.r}, nil)
}
