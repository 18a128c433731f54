package graph

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/internal/extsort"
	"membench/schema"
)

// A Source opens a graph for one pass.
type Source func() schema.Seq[schema.Element]

// A Gate precedes every writer of a graph. Its Elements are nodes, then edges, each sorted by id; every id occurs once, and the ends of every edge are among
// the nodes. Violations are reported once, when the gate is made, and skipped: an element without a required member (GRF030), all but one element of an id
// (GRF033; the one whose JSON sorts first stays, so that the order of the input does not matter), an edge without an end (GRF031, see IDs.Missing). An element
// without labels or properties is reported and kept (GRF038).
type Gate struct {
	src     Source
	sorted  *extsort.Sorter // nil where the source is as it should be
	names   []string        // of files, for positions
	keep    bool
	LeftOut int // elements
}

// GateOptions of a Gate.
type GateOptions struct {
	// Keep passes edges whose end may be in a database that the writer's output goes to: edges to a kind of node that the graph does not contain at all.
	Keep   bool
	Once   bool                  // the source can be opened only once
	Report func(*schema.Finding) // may be nil
	// Memory is how many bytes of an unordered graph are held before they go to disk;
	// 0 is 64 MiB.
	Memory int64
}

// NewGate reads src once if it is sorted, as to-graph writes it, or twice if it can be opened again; an unsorted graph is sorted, on disk if it is large. Close
// the gate to remove its files. It fails on an error that is not a finding.
func NewGate(ctx context.Context, src Source, o GateOptions) (*Gate, error) {
	if o.Report == nil {
		o.Report = func(*schema.Finding) {}
	}
	g := &Gate{src: src, keep: o.Keep}
	if !o.Once {
		clean, err := inOrder(ctx, src())
		if clean || err != nil {
			return g, err
		}
	}
	g.sorted = extsort.New(extsort.Options{Memory: cmp.Or(o.Memory, 64<<20)})
	if err := g.sort(ctx, src(), o.Report); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	err := g.pass(o.Report, func(schema.Record[schema.Element]) bool { return ctx.Err() == nil })
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Close removes the gate's files.
func (g *Gate) Close() error {
	if g.sorted == nil {
		return nil
	}
	return g.sorted.Close()
}

// Elements is the graph, without findings. It may be ranged over again.
func (g *Gate) Elements() schema.Seq[schema.Element] {
	if g.sorted == nil {
		return g.src()
	}
	return func(yield func(schema.Record[schema.Element], error) bool) {
		left := g.LeftOut
		err := g.pass(func(*schema.Finding) {}, func(rec schema.Record[schema.Element]) bool { return yield(rec, nil) })
		if g.LeftOut = left; err != nil {
			yield(schema.Record[schema.Element]{}, err)
		}
	}
}

// inOrder reports whether a graph is as a gate passes it on, without any finding.
func inOrder(ctx context.Context, in schema.Seq[schema.Element]) (bool, error) {
	var ids IDs
	last, edges := "", false
	for rec, err := range in {
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			if schema.IsFinding(err) {
				return false, nil
			}
			return false, err
		}
		if Lacking(rec.V) != "" || Bare(rec.V) != "" {
			return false, nil
		}
		if e := rec.V.Edge; e != nil {
			if !edges {
				edges, last = true, ""
			}
			if !ids.Has(string(e.Src)) || !ids.Has(string(e.Dst)) {
				return false, nil
			}
		} else if edges {
			return false, nil
		} else {
			ids.Add(string(rec.V.Node.ID))
		}
		if id := rec.V.ID(); id <= last {
			return false, nil
		} else {
			last = id
		}
	}
	return true, nil
}

// Lacking is the pointer to the member without which an element cannot be written, ""
// when it has all.
func Lacking(e schema.Element) string {
	switch {
	case e.ID() == "":
		return "/id"
	case e.Node != nil && slices.Contains(e.Node.Labels, ""):
		return "/labels"
	case e.Edge == nil:
		return ""
	case e.Edge.Type == "":
		return "/type"
	case e.Edge.Src == "":
		return "/src"
	case e.Edge.Dst == "":
		return "/dst"
	}
	return ""
}

// Bare is the pointer to the member that an element should have and can be written
// without: labels, or properties; "" when it has them.
func Bare(e schema.Element) string {
	switch {
	case e.Node != nil && len(e.Node.Labels) == 0:
		return "/labels"
	case e.Node != nil && e.Node.Props.IsNull(), e.Edge != nil && e.Edge.Props.IsNull():
		return "/props"
	}
	return ""
}

const lacking = "GRF030"

// Alone passes on the elements that can be written, as far as each shows by itself; the
// rest it reports.
func Alone(in schema.Seq[schema.Element], report func(*schema.Finding)) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		for rec, err := range in {
			if f, ok := errors.AsType[*schema.Finding](err); ok {
				if report(f); f.Warning && !rec.V.IsZero() {
					err = nil
				} else {
					continue
				}
			}
			if err == nil {
				if at := Lacking(rec.V); at != "" {
					report(&schema.Finding{Pos: rec.Pos, Pointer: at, Code: lacking, Message: "element without " + at[1:] + ", skipped", Have: rec.V.ID()})
					continue
				}
				if at := Bare(rec.V); at != "" {
					report(&schema.Finding{Pos: rec.Pos, Pointer: at, Code: "GRF038", Warning: true, Message: "the element has no " + at[1:], Have: rec.V.ID()})
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// A record to be sorted is the element's kind, its id with an end that sorts before
// all that could follow, its JSON text, and its place: file, line and column, four
// bytes each.
const placeBytes = 12

func (g *Gate) sort(ctx context.Context, in schema.Seq[schema.Element], report func(*schema.Finding)) error {
	files := map[string]uint32{}
	var buf []byte
	for rec, err := range Alone(in, func(f *schema.Finding) {
		if report(f); f.Code == lacking {
			g.LeftOut++
		}
	}) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		file, ok := files[rec.Pos.File]
		if !ok {
			file = uint32(len(g.names))
			files[rec.Pos.File] = file
			g.names = append(g.names, rec.Pos.File)
		}
		kind := byte('n')
		if buf = append(buf[:0], kind); rec.V.Edge != nil {
			buf[0] = 'x'
		}
		buf = appendKey(buf, rec.V.ID())
		if buf, err = appendElement(buf, rec.V); err != nil {
			return err
		}
		for _, n := range []uint32{file, uint32(rec.Pos.Line), uint32(rec.Pos.Col)} {
			buf = binary.BigEndian.AppendUint32(buf, n)
		}
		if err := g.sorted.Add(buf); err != nil {
			return err
		}
	}
	return nil
}

// appendElement appends an element as JSON; its properties keep their text.
func appendElement(dst []byte, e schema.Element) ([]byte, error) {
	dst = codec.AppendString(append(dst, `{"id":`...), e.ID())
	var props schema.Object
	var extra schema.Extra
	var err error
	if n := e.Node; n != nil {
		if n.Labels != nil {
			if dst, err = codec.Append(append(dst, `,"labels":`...), n.Labels, codec.Compact); err != nil {
				return dst, err
			}
		}
		props, extra = n.Props, n.Extra
	} else {
		x := e.Edge
		dst = codec.AppendString(append(dst, `,"type":`...), x.Type)
		dst = codec.AppendString(append(dst, `,"src":`...), string(x.Src))
		dst = codec.AppendString(append(dst, `,"dst":`...), string(x.Dst))
		props, extra = x.Props, x.Extra
	}
	raw, err := props.MarshalJSON()
	if err != nil {
		return dst, err
	}
	if string(raw) == "null" {
		raw = []byte("{}") // otherwise an element without properties would sort first among those of an id
	}
	dst = append(append(dst, `,"props":`...), raw...)
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		dst = append(append(codec.AppendString(append(dst, ','), name), ':'), extra[name]...)
	}
	return append(dst, '}'), nil
}

// appendKey appends an id so that keys sort as ids do and none is the start of another.
func appendKey(dst []byte, id string) []byte {
	for i := range len(id) {
		if dst = append(dst, id[i]); id[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 0)
}

// keyLen is the length of a record's kind and key.
func keyLen(rec []byte) int {
	for i := 1; ; i++ {
		if n := bytes.IndexByte(rec[i:], 0); rec[i+n+1] == 0 {
			return i + n + 2
		} else {
			i += n + 1
		}
	}
}

// pass calls yield for the elements that the gate accepts.
func (g *Gate) pass(report func(*schema.Finding), yield func(schema.Record[schema.Element]) bool) error {
	var ids IDs
	var last []byte
	away := map[string]int{}
	for raw, err := range g.sorted.Sorted() {
		if err != nil {
			return err
		}
		n := keyLen(raw)
		var rec schema.Record[schema.Element]
		place := raw[len(raw)-placeBytes:]
		rec.Pos.File = g.names[binary.BigEndian.Uint32(place)]
		rec.Pos.Line, rec.Pos.Col = int(binary.BigEndian.Uint32(place[4:])), int(binary.BigEndian.Uint32(place[8:]))
		if err := codec.Unmarshal(raw[n:len(raw)-placeBytes], &rec.V); err != nil {
			return err
		}
		if bytes.Equal(raw[:n], last) {
			g.LeftOut++
			report(repeated(rec.Pos, rec.V.ID()))
			continue
		}
		last = append(last[:0], raw[:n]...)
		if e := rec.V.Edge; e == nil {
			ids.Add(string(rec.V.Node.ID))
		} else if f, elsewhere := ids.Missing(e.Src, e.Dst); elsewhere != "" && g.keep {
			away[elsewhere]++
		} else if f != nil {
			f.Pos = rec.Pos
			report(f)
			g.LeftOut++
			continue
		}
		if !yield(rec) {
			return nil
		}
	}
	ReportElsewhere(away, report)
	return nil
}

// repeated is the finding of an id that occurred before. Of the elements with one id, the one whose JSON sorts first stays, wherever a graph is read.
func repeated(at schema.Pos, id string) *schema.Finding {
	return &schema.Finding{Pos: at, Pointer: "/id", Code: "GRF033", Message: "the id is repeated, skipped", Have: id, Hint: "merge the records of one id first: to-graph does"}
}

// IDs is the set of a graph's node ids, by 64 bits of hash: 20 bytes a node at most.
// That two of a billion ids share a hash would be chance of 1 in 40, and would only
// hide a missing end. The zero value is empty. Has may be called by several
// goroutines while nothing is added.
type IDs struct {
	slots []uint64 // open addressing; 0 is free
	n     int
	kinds []string // prefixes of ids, sorted
}

// maxKinds bounds kinds: a file of random ids has no kinds worth knowing.
const maxKinds = 4096

// Add notes an id.
func (s *IDs) Add(id string) {
	s.AddHash(max(1, maphash.String(idSeed, id)))
	s.AddKind(KindOf(id))
}

// HashID returns the hash of an id for AddHash.
func HashID(id []byte) uint64 { return max(1, maphash.Bytes(idSeed, id)) }

var idSeed = maphash.MakeSeed() // no hash leaves the process

// KindOf is the prefix of an id, up to its first colon; "" when it has none.
func KindOf(id string) string { return id[:max(0, strings.IndexByte(id, ':'))] }

// AddKind notes the prefix of an id.
func (s *IDs) AddKind(kind string) {
	if i, ok := slices.BinarySearch(s.kinds, kind); !ok && len(s.kinds) < maxKinds {
		s.kinds = slices.Insert(s.kinds, i, strings.Clone(kind))
	}
}

// AddHash notes the hash of an id; its kind is to be noted, too.
func (s *IDs) AddHash(h uint64) {
	if 5*s.n >= 4*len(s.slots) {
		old := s.slots
		s.slots, s.n = make([]uint64, max(1024, 2*len(old))), 0
		for _, h := range old {
			if h != 0 {
				s.put(h)
			}
		}
	}
	s.put(h)
}

func (s *IDs) put(h uint64) {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case h:
			return
		case 0:
			s.slots[i] = h
			s.n++
			return
		}
	}
}

// Has reports whether an id was added.
func (s *IDs) Has(id string) bool { return s.HasHash(max(1, maphash.String(idSeed, id))) }

// HasHash is Has for the hash of an id.
func (s *IDs) HasHash(h uint64) bool {
	if len(s.slots) == 0 {
		return false
	}
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == h {
			return true
		}
	}
	return false
}

// Missing returns the finding for an edge with an end that is not among the ids; nil if both are. elsewhere is the kind of that end if the graph has no node of
// that kind, such as the memories when only claims are given: it may be in another graph.
func (s *IDs) Missing(src, dst schema.NodeID) (f *schema.Finding, elsewhere string) {
	for i, end := range []schema.NodeID{src, dst} {
		if !s.Has(string(end)) {
			f = &schema.Finding{Pointer: []string{"/src", "/dst"}[i], Code: "GRF031", Message: "the edge has an end that is not a node of this graph, skipped", Have: string(end)}
			if kind := KindOf(string(end)); !s.HasKind(kind) {
				elsewhere = kind
			}
			return f, elsewhere
		}
	}
	return nil, ""
}

// HasKind reports whether a node of the kind was added. It is true, too, where that is
// not known: of ids without a kind, and when there are very many kinds.
func (s *IDs) HasKind(kind string) bool {
	_, ok := slices.BinarySearch(s.kinds, kind)
	return ok || kind == "" || len(s.kinds) == maxKinds
}

// ReportElsewhere warns of edges whose ends are expected in another graph, by kind.
func ReportElsewhere(n map[string]int, report func(*schema.Finding)) {
	for _, kind := range slices.Sorted(maps.Keys(n)) {
		report(&schema.Finding{Code: "GRF031", Warning: true, Message: "edges have an end whose kind has no node in this graph", Have: fmt.Sprintf("%d edges, %s:…", n[kind], kind), Hint: "load the graph that has these nodes first"})
	}
}
