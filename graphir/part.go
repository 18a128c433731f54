package graphir

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// Halves of a graph, in the order in which their properties are united.
const (
	halfMemory byte = iota
	halfEntity
	halfClaim
	halfEvent
)

// noInstant sorts records without a time after all others.
const noInstant = int64(1)<<62 - 1

// pos is a position whose file is an index, from 1; 0 is unknown.
type pos struct{ file, line uint32 }

// A part is one record's contribution to one element.
type part struct {
	edge bool
	id   string

	// Parts of one id are ordered by half, at, order, then by content.
	half  byte
	at    int64  // a schema.Instant; noInstant when unknown
	order string // the point, and when it was exported

	// A union adds its properties to its half's; without it the first part of a half replaces the others.
	union bool

	labels        []string // node
	ident         uint64   // of a node whose id is a digest: distinguishes different inputs
	typ, src, dst string   // edge
	props         []byte   // compact JSON object

	// listed elements gather the points and conversations of all their parts.
	listed bool
	lists

	pos pos
}

// The encoding of a part sorts by its bytes, in the order of halves, instants and orders above, then by content:
//
//	kind · id · half · at · order · tuple · props · flags · times · points · convs · position
//
// id and order end in 0 1, and a zero byte in them is 0 255, so that a text sorts before those that it is the start of. Other strings are preceded by their length.
// Nodes sort before edges.
const (
	kindNode = 'A'
	kindEdge = 'B'

	flagUnion  = 1
	flagListed = 2
	flagCut    = 4
)

// appendKey appends a string whose bytes sort as the string does.
func appendKey(dst []byte, s string) []byte {
	for i := strings.IndexByte(s, 0); i >= 0; i = strings.IndexByte(s, 0) {
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
	return append(append(dst, s...), 0, 1)
}

// cutKey splits off what appendKey appended.
func cutKey(b []byte) (s, rest []byte) {
	i := bytes.IndexByte(b, 0)
	if b[i+1] == 1 {
		return b[:i:i], b[i+2:]
	}
	for b[i+1] != 1 {
		s, b = append(append(s, b[:i]...), 0), b[i+2:]
		i = bytes.IndexByte(b, 0)
	}
	return append(s, b[:i]...), b[i+2:]
}

func appendStr(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendList(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendStr(dst, s)
	}
	return dst
}

func (x *part) append(dst []byte) []byte {
	if x.edge {
		dst = append(dst, kindEdge)
	} else {
		dst = append(dst, kindNode)
	}
	dst = appendKey(dst, x.id)
	dst = append(dst, x.half)
	dst = binary.BigEndian.AppendUint64(dst, uint64(x.at)^1<<63)
	dst = appendKey(dst, x.order)
	if x.edge {
		dst = appendStr(appendStr(appendStr(dst, x.typ), x.src), x.dst)
	} else {
		dst = binary.BigEndian.AppendUint64(appendList(dst, x.labels), x.ident)
	}
	dst = append(binary.AppendUvarint(dst, uint64(len(x.props))), x.props...)
	var flags byte
	if x.union {
		flags |= flagUnion
	}
	if x.listed {
		flags |= flagListed
	}
	if x.cut {
		flags |= flagCut
	}
	dst = append(dst, flags)
	if x.listed {
		dst = binary.AppendUvarint(dst, uint64(x.times))
		dst = appendList(appendList(dst, x.points), x.convs)
	}
	dst = binary.BigEndian.AppendUint32(dst, x.pos.file)
	return binary.BigEndian.AppendUint32(dst, x.pos.line)
}

// cut splits off a length-prefixed string.
func cutStr(b []byte) (s, rest []byte) {
	n, k := binary.Uvarint(b)
	return b[k : k+int(n)], b[k+int(n):]
}

func cutList(b []byte) (list []string, rest []byte) {
	n, k := binary.Uvarint(b)
	b = b[k:]
	for range n {
		var s []byte
		s, b = cutStr(b)
		list = append(list, string(s))
	}
	return list, b
}

// head is the part of an encoded part that decides whether parts may be combined.
type head struct {
	edge         bool
	id           []byte
	half         byte
	at, order    []byte // at with the half before it
	tuple, props []byte
	flags        byte
	tail         []byte // times, points, convs if listed, then the position
}

func readHead(b []byte) (h head) {
	h.edge = b[0] == kindEdge
	h.id, b = cutKey(b[1:])
	h.half = b[0]
	h.at, b = b[:9], b[9:]
	h.order, b = cutKey(b)
	start := b
	if h.edge {
		for range 3 {
			_, b = cutStr(b)
		}
	} else {
		n, k := binary.Uvarint(b)
		b = b[k:]
		for range n {
			_, b = cutStr(b)
		}
		b = b[8:]
	}
	h.tuple = start[:len(start)-len(b)]
	h.props, b = cutStr(b)
	h.flags, h.tail = b[0], b[1:]
	return h
}

func readPos(tail []byte) pos {
	tail = tail[len(tail)-8:]
	return pos{binary.BigEndian.Uint32(tail), binary.BigEndian.Uint32(tail[4:])}
}

func readPart(b []byte) *part {
	h := readHead(b)
	x := &part{edge: h.edge, id: string(h.id), half: h.half, at: int64(binary.BigEndian.Uint64(h.at[1:]) ^ 1<<63), order: string(h.order),
		props: h.props, union: h.flags&flagUnion != 0, listed: h.flags&flagListed != 0, pos: readPos(h.tail)}
	x.cut = h.flags&flagCut != 0
	if x.edge {
		t, r := cutStr(h.tuple)
		s, r := cutStr(r)
		d, _ := cutStr(r)
		x.typ, x.src, x.dst = string(t), string(s), string(d)
	} else {
		var r []byte
		x.labels, r = cutList(h.tuple)
		x.ident = binary.BigEndian.Uint64(r)
	}
	if x.listed {
		n, k := binary.Uvarint(h.tail)
		x.times = int(n)
		var r []byte
		x.points, r = cutList(h.tail[k:])
		x.convs, _ = cutList(r)
	}
	return x
}

// combineParts merges b into its neighbour a <= b if nothing is lost: b is a later part of a half whose first one wins, or has the same content.
func combineParts(a, b []byte) ([]byte, bool) {
	ia, _ := cutKey(a[1:])
	ib, _ := cutKey(b[1:])
	if a[0] != b[0] || !bytes.Equal(ia, ib) {
		return nil, false
	}
	ha, hb := readHead(a), readHead(b)
	if ha.half != hb.half || ha.flags&flagUnion != hb.flags&flagUnion || !bytes.Equal(ha.tuple, hb.tuple) {
		return nil, false
	}
	if ha.flags&flagUnion != 0 && !bytes.Equal(ha.props, hb.props) {
		return nil, false
	}
	if ha.flags&flagListed == 0 || hb.flags&flagListed == 0 {
		return a, ha.flags&flagListed == hb.flags&flagListed
	}
	x, y := readPart(a), readPart(b)
	x.take(&y.lists)
	if ha.says(&hb) {
		x.pos = x.pos.min(y.pos)
	}
	return x.append(nil), true
}

// says reports whether two parts differ only in their lists and positions.
func (h *head) says(k *head) bool {
	return bytes.Equal(h.at, k.at) && bytes.Equal(h.order, k.order) && bytes.Equal(h.tuple, k.tuple) && bytes.Equal(h.props, k.props)
}

// min is the earlier position: of parts that say the same, the one that findings name.
func (p pos) min(q pos) pos {
	if q.file < p.file || q.file == p.file && q.line < p.line {
		return q
	}
	return p
}

// A folded element combines all parts of one id.
type folded struct {
	edge          bool
	id            string
	labels        []string
	typ, src, dst string
	props         []byte // compact JSON object
	pos           pos    // of the first part
}

func (e *folded) element() schema.Element {
	if e.edge {
		return schema.Element{Edge: &schema.Edge{ID: schema.EdgeID(e.id), Type: e.typ, Src: schema.NodeID(e.src), Dst: schema.NodeID(e.dst), Props: schema.RawObject(e.props)}}
	}
	return schema.Element{Node: &schema.Node{ID: schema.NodeID(e.id), Labels: e.labels, Props: schema.RawObject(e.props)}}
}

// append appends the line of e in the layout of graph files, with its end.
func (e *folded) append(dst []byte) []byte {
	dst = codec.AppendString(append(dst, `{"id": `...), e.id)
	if e.edge {
		dst = codec.AppendString(append(dst, `, "type": `...), e.typ)
		dst = codec.AppendString(append(dst, `, "src": `...), e.src)
		dst = codec.AppendString(append(dst, `, "dst": `...), e.dst)
	} else {
		dst = append(dst, `, "labels": [`...)
		for i, l := range e.labels {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = codec.AppendString(dst, l)
		}
		dst = append(dst, ']')
	}
	dst = codec.AppendLayout(append(dst, `, "props": `...), e.props, codec.Spaced)
	return append(dst, "}\n"...)
}

// A folder takes encoded parts in order and gives an element when its last part is in.
type folder struct {
	p      *projector
	g      *gatherer             // names positions
	report func(*schema.Finding) // nil: findings are dropped

	first  *part
	rec    []byte   // the first part, encoded
	head   head     // of rec
	tuples [][]byte // distinct tuples met, for ID001
	props  unionProps
	halves byte // halves with a first part, as bits
}

// add takes the next part; it returns the element before it when that is complete.
func (f *folder) add(rec []byte) (done *folded) {
	h := readHead(rec)
	if f.first != nil && (f.first.edge != h.edge || f.first.id != string(h.id)) {
		done = f.flush()
	}
	if f.first == nil {
		f.first = readPart(rec)
		f.first.props = nil
		f.rec = append(f.rec[:0], rec...)
		f.head = readHead(f.rec)
		f.tuples = append(f.tuples[:0], f.head.tuple)
		f.props.reset(h.props)
		f.halves = 1 << h.half
		return done
	}
	if !slices.ContainsFunc(f.tuples, func(t []byte) bool { return bytes.Equal(t, h.tuple) }) {
		f.tuples = append(f.tuples, bytes.Clone(h.tuple))
		x := readPart(rec)
		if f.clash(x) {
			return done
		}
	} else if !bytes.Equal(f.tuples[0], h.tuple) && (f.first.edge || f.p.v != schema.V001) {
		return done
	}
	if h.flags&flagListed != 0 {
		y := readPart(rec)
		f.first.take(&y.lists)
		f.first.listed = true
	}
	if f.head.says(&h) {
		f.first.pos = f.first.pos.min(readPos(h.tail))
	}
	if h.flags&flagUnion != 0 || f.halves&(1<<h.half) == 0 {
		f.props.add(h.props)
		f.halves |= 1 << h.half
	}
	return done
}

// clash reports two things under one id, and whether the second is omitted. Labels
// of 0.0.1 are united instead, as the existing chain does.
func (f *folder) clash(x *part) (leave bool) {
	leave = true
	have, want := strings.Join(x.labels, ":"), strings.Join(f.first.labels, ":")
	if !f.first.edge && have == want {
		have, want = "another text", "one text for one hash"
	}
	if f.first.edge {
		have, want = x.typ+" "+x.src+" -> "+x.dst, f.first.typ+" "+f.first.src+" -> "+f.first.dst
	} else if f.p.v == schema.V001 {
		leave = false
		for _, l := range x.labels {
			if !slices.Contains(f.first.labels, l) {
				f.first.labels = append(f.first.labels, l)
			}
		}
	}
	if f.report != nil {
		where := "another record"
		if p := f.g.unpack(f.first.pos).String(); p != "" {
			where = p
		}
		msg := "two different things have the id " + x.id + ", the other is at " + where
		if leave {
			msg += "; this one is skipped"
		}
		f.report(&schema.Finding{Pos: f.g.unpack(x.pos), Code: "ID001", Message: msg, Have: have, Want: want})
	}
	return leave
}

// flush returns the element whose parts are in, or nil.
func (f *folder) flush() *folded {
	x := f.first
	if x == nil {
		return nil
	}
	f.first = nil
	props := f.props.take()
	props = append(x.lists.append(props[:len(props)-1], codec.Compact), '}')
	if x.cut && f.report != nil {
		id := x.id
		if x.edge {
			mem := x.src
			if x.typ == schema.EdgeOwnsMemory {
				mem = x.dst
			}
			id = "an edge " + x.typ + " of " + mem
		}
		f.report(cutFinding(f.g.unpack(x.pos), id))
	}
	return &folded{edge: x.edge, id: x.id, labels: x.labels, typ: x.typ, src: x.src, dst: x.dst, props: props, pos: x.pos}
}

func cutFinding(at schema.Pos, id string) *schema.Finding {
	return &schema.Finding{Pos: at, Code: "GRF054", Warning: true, Message: "id lists are cut to the first 1000 ids, occurrences says how many there were", Have: id}
}

// unionProps unites JSON objects: of a repeated name the first value stays.
type unionProps struct {
	first []byte
	names map[string]struct{} // nil until a second object comes
}

func (u *unionProps) reset(props []byte) {
	u.first = append([]byte(nil), props...)
	u.names = nil
}

func (u *unionProps) add(props []byte) {
	if bytes.Equal(u.first, props) {
		return
	}
	if u.names == nil {
		u.names = map[string]struct{}{}
		for k := range codec.Members(u.first) {
			u.names[k] = struct{}{}
		}
	}
	for k, v := range codec.Members(props) {
		if _, ok := u.names[k]; ok {
			continue
		}
		u.names[k] = struct{}{}
		u.first = append(append(appendProp(u.first, k), v...), '}')
	}
}

func (u *unionProps) take() []byte { return u.first }

// appendProp opens the object that props ends with, adds the name and a colon.
func appendProp(props []byte, name string) []byte {
	props = props[:len(props)-1]
	if props[len(props)-1] != '{' {
		props = append(props, ',')
	}
	return append(codec.AppendString(props, name), ':')
}

// An idSet holds ids by 128 bits of their SHA-256: 16 bytes each, twice that while it grows.
type idSet struct {
	ids    [][16]byte
	sorted bool
}

func (s *idSet) add(id string) {
	if len(s.ids) == cap(s.ids) && len(s.ids) > 0 {
		s.sort() // drops repeats before it grows
		s.ids = slices.Grow(s.ids, max(64, len(s.ids)/2))
	}
	sum := sha256.Sum256([]byte(id))
	s.ids = append(s.ids, [16]byte(sum[:16]))
	s.sorted = false
}

func (s *idSet) sort() {
	if !s.sorted {
		slices.SortFunc(s.ids, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
		s.ids = slices.Compact(s.ids)
		s.sorted = true
	}
}

func (s *idSet) has(id string) bool {
	s.sort()
	sum := sha256.Sum256([]byte(id))
	_, ok := slices.BinarySearchFunc(s.ids, [16]byte(sum[:16]), func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	return ok
}
