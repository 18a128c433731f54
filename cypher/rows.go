package cypher

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// rows is what one worker made of one block: the rows one after the other, each with
// rowEnd behind it, and where they end.
type rows struct {
	text     []byte
	ends     []int32
	of       []int32 // index into kinds
	kinds    []kind
	findings []*schema.Finding
}

const rowEnd = ",\n"

// A rower turns lines into rows. It belongs to one goroutine.
type rower struct {
	*rows
	edge  bool
	maxID int // longest id, in bytes
	scan  codec.Scanner
	vals  *values
	index map[string]int32 // labels or type as they are in the line → kind
	byKey map[string]int32 // the key of a kind → kind
	last  []byte           // the text of the last labels, which are mostly those of the next
	lastK int32
	order order
}

func newRower(scope string) *rower {
	return &rower{maxID: schema.MaxIDBytes - len(graph.ScopePrefix(scope)), rows: &rows{}, vals: &values{keys: map[string]named{}}, index: map[string]int32{}, byKey: map[string]int32{}}
}

func (r *rower) reset(edge bool) *rows {
	if r.edge != edge {
		clear(r.index)
		clear(r.byKey)
		r.kinds, r.last = nil, nil
	}
	r.edge = edge
	r.text, r.ends, r.of, r.findings = r.text[:0], r.ends[:0], r.of[:0], nil
	return r.rows
}

func (r *rower) block(b jsonl.Block) {
	for line := range b.Lines() {
		if line.TooLong {
			r.order.off = true
			return
		}
		start := len(r.text)
		if !r.line(line) {
			r.text = r.text[:start]
			r.slow(line)
		}
		if r.order.off { // the gate has its own findings
			return
		}
	}
}

// slow decodes a line that the scanner did not take, for its odd shape. What is not an
// element is the gate's to report.
func (r *rower) slow(line jsonl.Line) {
	var e schema.Element
	if err := codec.Unmarshal(line.Bytes, &e); err != nil || (e.Edge != nil) != r.edge || graph.Lacking(e) != "" || graph.Bare(e) != "" {
		r.order.off = true
		return
	}
	r.order.id([]byte(e.ID()))
	if e.Edge != nil {
		r.order.ends([]byte(e.Edge.Src), []byte(e.Edge.Dst))
	}
	r.element(line, e)
}

func (r *rower) fault(line jsonl.Line, code, pointer, msg, have string) {
	r.findings = append(r.findings, &schema.Finding{Pos: line.Pos, Pointer: pointer, Code: code, Message: msg, Have: have})
}

// checkID reports whether an id can be a key of the database.
func (r *rower) checkID(line jsonl.Line, pointer, id string) bool {
	switch {
	case len(id) > r.maxID:
		r.findings = append(r.findings, &schema.Finding{Pos: line.Pos, Pointer: pointer, Code: "ID020", Message: "id is too long for a uniqueness constraint, skipped",
			Have: strconv.Itoa(len(id)) + " bytes", Want: fmt.Sprintf("at most %d", r.maxID)})
	case strings.IndexByte(id, 0) >= 0:
		r.fault(line, "GRF022", pointer, "id contains a NUL, which a script cannot hold; skipped", strconv.Quote(id))
	default:
		return true
	}
	return false
}

// element writes the row of a decoded element, or a finding.
func (r *rower) element(line jsonl.Line, e schema.Element) {
	var names []string
	var props schema.Object
	var ids []string
	if r.edge {
		names, props = []string{e.Edge.Type}, e.Edge.Props
		ids = []string{string(e.Edge.ID), string(e.Edge.Src), string(e.Edge.Dst)}
	} else {
		names, props = e.Node.Labels, e.Node.Props
		ids = []string{string(e.Node.ID)}
	}
	for i, p := range []string{"/id", "/src", "/dst"}[:len(ids)] {
		if !r.checkID(line, p, ids[i]) {
			return
		}
	}
	for _, n := range names {
		if _, err := AppendName(nil, n); err != nil {
			r.fault(line, "GRF042", "/labels", "no name for a label or type, element skipped: "+err.Error(), strconv.Quote(n))
			return
		}
	}
	raw, err := props.MarshalJSON()
	if err != nil || props.IsNull() {
		raw = []byte("{}")
	}
	start := len(r.text)
	for i, lead := range []string{"{id: ", ", src: ", ", dst: "}[:len(ids)] {
		r.text = AppendString(append(r.text, lead...), ids[i])
	}
	r.text = append(r.text, ", props: "...)
	r.scan.Reset(raw, false)
	var ok bool
	if r.text, ok = r.vals.props(r.text, &r.scan); !ok || !r.scan.End() {
		r.text = r.text[:start]
		r.fault(line, "JSON001", "/props", "properties are not a JSON object; element skipped", "")
		return
	}
	var src, dst []byte
	if r.edge {
		src, dst = []byte(ids[1]), []byte(ids[2])
	}
	r.finish(line, r.kindOf(names), src, dst)
}

// finish ends a row: the hash of the element joins its properties, so that a load knows
// that there is nothing to write. An element that a script stores otherwise than a load
// has a mark that is not a hash, and the load makes it what it should be.
func (r *rower) finish(line jsonl.Line, k int32, src, dst []byte) {
	r.text = r.text[:len(r.text)-1]
	if r.text[len(r.text)-1] != '{' {
		r.text = append(r.text, ", "...)
	}
	r.text = append(r.text, "`_hash`: '"...)
	switch names := r.kinds[k].names; {
	case r.vals.nul:
		r.text = append(r.text, '-')
	case r.edge:
		r.text = r.vals.hash.Append(r.text, nil, names[0], src, dst)
	default:
		r.text = r.vals.hash.Append(r.text, names, "", nil, nil)
	}
	r.text = append(append(r.text, "'}}"...), rowEnd...)
	r.ends = append(r.ends, int32(len(r.text)))
	r.of = append(r.of, k)
	if r.vals.note != "" {
		r.findings = append(r.findings, &schema.Finding{Pos: line.Pos, Pointer: "/props", Code: "GRF023", Warning: true, Message: r.vals.note + ": kept as text in props_json"})
	}
}

// kindOf returns the index of the kind of sorted, distinct names without the base label.
func (r *rower) kindOf(names []string) int32 {
	k := kind{edge: r.edge, names: slices.Clone(names)}
	if !r.edge {
		slices.Sort(k.names)
		k.names = slices.DeleteFunc(slices.Compact(k.names), func(s string) bool { return s == BaseLabel })
	}
	i, ok := r.byKey[k.key()]
	if !ok {
		i = int32(len(r.kinds))
		r.byKey[k.key()], r.kinds = i, append(r.kinds, k)
	}
	return i
}

// line writes the row of a line straight from its bytes. It reports false, and writes
// no finding, for whatever slow has to look at: faults, members in another order than
// ours, escapes in ids or labels.
func (r *rower) line(line jsonl.Line) bool {
	s := &r.scan
	s.Reset(line.Bytes, false)
	if !s.Object() || !r.member("id") {
		return false
	}
	id, ok := r.id("{id: ")
	if !ok {
		return false
	}
	k := int32(-1)
	var src, dst []byte
	if r.edge {
		if !r.member("type") {
			return false
		}
		typ, escaped, ok := s.String()
		if !ok || escaped || len(typ) == 0 {
			return false
		}
		if k, ok = r.known(typ); !ok {
			if _, err := AppendName(nil, string(typ)); err != nil {
				return false
			}
			k = r.learn(typ, []string{string(typ)})
		}
		if !r.member("src") {
			return false
		}
		if src, ok = r.id(", src: "); !ok || !r.member("dst") {
			return false
		}
		if dst, ok = r.id(", dst: "); !ok {
			return false
		}
	} else {
		if !r.member("labels") || s.Kind() != '[' {
			return false
		}
		raw, ok := s.Skip()
		if !ok {
			return false
		}
		if k, ok = r.known(raw); !ok {
			var names []string
			if codec.Unmarshal(raw, &names) != nil || len(names) == 0 {
				return false
			}
			for _, n := range names {
				if _, err := AppendName(nil, n); err != nil {
					return false
				}
			}
			k = r.learn(raw, names)
		}
	}
	if !r.member("props") || s.Kind() != '{' {
		return false
	}
	r.text = append(r.text, ", props: "...)
	if r.text, ok = r.vals.props(r.text, s); !ok {
		return false
	}
	if _, more := s.Member(); more || !s.End() {
		return false
	}
	r.order.id(id)
	if r.edge {
		r.order.ends(src, dst)
	}
	r.finish(line, k, src, dst)
	return true
}

func (r *rower) member(want string) bool {
	name, ok := r.scan.Member()
	return ok && string(name) == want
}

// id reads an id and appends it as a literal.
func (r *rower) id(lead string) ([]byte, bool) {
	body, escaped, ok := r.scan.String()
	if !ok || escaped || len(body) == 0 || len(body) > r.maxID {
		return nil, false
	}
	r.text = appendBody(append(r.text, lead...), body)
	return body, true
}

func (r *rower) known(raw []byte) (int32, bool) {
	if r.last != nil && bytes.Equal(raw, r.last) {
		return r.lastK, true
	}
	k, ok := r.index[string(raw)]
	if ok {
		r.last, r.lastK = append(r.last[:0], raw...), k
	}
	return k, ok
}

func (r *rower) learn(raw []byte, names []string) int32 {
	k := r.kindOf(names)
	if len(r.index) < 4096 {
		r.index[string(raw)] = k
	}
	return k
}

// An order is what a block of ordered input shows: the ids of its nodes, or that some
// line is not as a gate passes it.
type order struct {
	ids         *graph.IDs // of all nodes, when the block is of edges; nil where no order is asked for
	edge, off   bool
	first, last []byte
	found       [2][]byte // the last src and dst that are nodes: the next edge often has one of them
	hashes      []uint64
	kinds       []string
	away        map[string]int // edges by the kind of an end that no node is of
}

func (o *order) begin(edge bool, ids *graph.IDs) {
	o.ids, o.edge, o.off = ids, edge, false
	o.first, o.last, o.hashes, o.kinds = o.first[:0], o.last[:0], o.hashes[:0], o.kinds[:0]
	o.found = [2][]byte{o.found[0][:0], o.found[1][:0]}
}

// id notes the id of the next element.
func (o *order) id(id []byte) {
	if o.ids == nil {
		o.last = append(o.last[:0], id...)
		return
	}
	if bytes.Compare(id, o.last) <= 0 {
		o.off = true
	}
	if len(o.first) == 0 {
		o.first = append(o.first, id...)
	}
	if !o.edge {
		o.hashes = append(o.hashes, graph.HashID(id))
		n := max(0, bytes.IndexByte(id, ':'))
		if len(o.kinds) == 0 || o.kinds[len(o.kinds)-1] != string(id[:n]) {
			o.kinds = append(o.kinds, graph.KindOf(string(id)))
		}
	}
	o.last = append(o.last[:0], id...)
}

// ends notes the ends of an edge, as graph.IDs.Missing does.
func (o *order) ends(src, dst []byte) {
	if o.ids == nil {
		return
	}
	for i, id := range [...][]byte{src, dst} {
		if len(id) > 0 && bytes.Equal(id, o.found[i]) {
			continue
		}
		if o.ids.HasHash(graph.HashID(id)) {
			o.found[i] = append(o.found[i][:0], id...)
			continue
		}
		kind := graph.KindOf(string(id))
		if o.off = o.off || o.ids.HasKind(kind); o.off {
			return
		}
		if o.away == nil {
			o.away = map[string]int{}
		}
		o.away[kind]++
		return
	}
}
