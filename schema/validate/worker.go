package validate

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/jsonschema"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

// A worker reads the lines of one block and applies the rules of single records.
type worker struct {
	cat       *catalog.Catalog
	o         Options
	contracts map[schema.Kind]func() contract
	v         schema.Version
	mint      schema.Mint
	name      string
	kind      schema.Kind // given, or ""
	hint      schema.Kind // of the file name
	whole     bool        // the block is one JSON text of many lines

	doc   jsonschema.Doc
	line  span
	buf   []byte // of the block
	from  *block
	out   []lineOut
	fs    []*schema.Finding // of the current line
	facts []fact

	bits       map[string]uint64        // label → its bit in masks
	edgeMasks  map[string][2]uint64     // by edge type
	predicates map[string]predicateRule // by name
	mem        [36]byte                 // the last memory id

	utf8         bool // the current line is UTF-8
	colOff, colN int  // last offset asked for, and its column
}

// lineOut is the result of one line.
type lineOut struct {
	span     span
	kind     schema.Kind
	findings []*schema.Finding
	from, to int // in worker.facts
	utf8     bool
	unknown  bool // the kind could not be determined: the fold tries the previous kind
}

func (w *worker) start(c *Checker, name string, k, hint schema.Kind, v schema.Version) {
	w.cat, w.o, w.contracts, w.v, w.mint = c.cat, c.o, contracts[v], v, schema.Mint{V: v}
	w.name, w.kind, w.hint, w.bits = name, k, hint, c.set.bits
	if w.predicates == nil {
		w.predicates = map[string]predicateRule{}
	}
	w.out, w.facts = w.out[:0], w.facts[:0]
}

func (w *worker) block(b *block) {
	w.buf, w.from = b.buf, b
	for _, l := range b.lines {
		w.read(l, w.kind)
	}
}

// read checks one line, as kind k unless that is "".
func (w *worker) read(l span, k schema.Kind) {
	w.line, w.fs, w.colOff, w.colN, w.utf8 = l, nil, 0, 1, false
	o := lineOut{span: l, kind: k, from: len(w.facts)}
	if l.long {
		w.report(*tooLong(schema.Pos{File: w.name, Line: l.n}, w.o.MaxLine))
	} else {
		w.doc.Parse(w.buf[l.start:l.end])
		w.utf8 = w.doc.UTF8
		if o.kind == "" {
			o.kind = w.detect()
		}
		if o.kind == "" && len(w.doc.Nodes) > 0 {
			o.unknown = true
		} else {
			w.faults()
			w.record(o.kind)
		}
	}
	o.findings, o.to, o.utf8 = w.fs, len(w.facts), w.utf8
	w.out = append(w.out, o)
}

var notJSON = [...]struct{ code, message string }{
	jsonschema.BadSyntax: {"JSON001", "not JSON"}, jsonschema.Cut: {"JSON009", "the text ends inside a value"},
	jsonschema.Trailing: {"JSON010", "text after the value"}, jsonschema.TooDeep: {"JSON008", "nested too deeply"},
	jsonschema.DuplicateName: {"JSON004", "name occurs twice, the last one counts"}, jsonschema.BadUTF8: {"JSON005", "not UTF-8"},
	jsonschema.LoneSurrogate: {"JSON006", "half of a surrogate pair"}, jsonschema.NotANumber: {"JSON007", "not a JSON number"},
	jsonschema.BadNumber: {"JSON011", "number out of range"}, jsonschema.ControlChar: {"JSON012", "raw control character in a string"},
}

// faults reports text that is not JSON.
func (w *worker) faults() {
	for _, f := range w.doc.Faults {
		is := notJSON[f.Code]
		w.report(schema.Finding{Pos: w.at(f.Off), Pointer: f.Pointer, Code: is.code, Message: is.message, Have: f.Have, Want: f.Want})
	}
}

// record runs schema and rules of kind k over the parsed line.
func (w *worker) record(k schema.Kind) {
	if k == "" || len(w.doc.Nodes) == 0 {
		return
	}
	if _, ok := w.contracts[k]; !ok {
		w.report(schema.Finding{Pos: w.pos(0), Code: "SCH011", Message: "records of this kind do not exist in this version", Have: string(k), Want: fmt.Sprint(schema.Kinds(w.v)), Hint: "name the version with --input-version"})
		return
	}
	if !w.doc.Broken {
		w.checkSchema(k, 0)
	}
	if w.o.SchemaOnly {
		return
	}
	if w.doc.Broken {
		w.facts = append(w.facts, w.brokenFacts(k)...)
		return
	}
	w.rules(k)
}

func (w *worker) report(f schema.Finding) { w.fs = append(w.fs, &f) }

// pos returns the place of a node.
func (w *worker) pos(node int) schema.Pos {
	if node < 0 || node >= len(w.doc.Nodes) {
		return schema.Pos{File: w.name, Line: w.line.n, Col: 1}
	}
	return w.at(int(w.doc.Nodes[node].Start))
}

// at returns the place of a byte offset of the line. Columns count code points from 1.
func (w *worker) at(off int) schema.Pos { return w.in(w.doc.B, off) }

// in is at for the current line's text.
func (w *worker) in(b []byte, off int) schema.Pos {
	p := schema.Pos{File: w.name, Line: w.line.n}
	if w.whole {
		head := b[:off]
		p.Line = 1 + bytes.Count(head, []byte{'\n'})
		p.Col = 1 + utf8.RuneCount(head[bytes.LastIndexByte(head, '\n')+1:])
		return p
	}
	if off < w.colOff {
		w.colOff, w.colN = 0, 1
	}
	w.colN += jsonschema.RuneCount(b[w.colOff:off], w.utf8)
	w.colOff = off
	p.Col = w.colN
	return p
}

// fault reports a rule that the value at node breaks.
func (w *worker) fault(node int, code, msg, have, want string) {
	w.report(schema.Finding{Pos: w.pos(node), Pointer: w.doc.Pointer(node), Code: code, Message: msg, Have: have, Want: want})
}

func (w *worker) warn(node int, code, msg, have, want string) {
	w.fault(node, code, msg, have, want)
	w.fs[len(w.fs)-1].Warning = true
}

// older reports an error of 0.1.0 that is a warning in 0.0.1.
func (w *worker) older(node int, code, msg, have, want string) {
	w.fault(node, code, msg, have, want)
	w.fs[len(w.fs)-1].Warning = w.v == schema.V001
}

// str is the string at a node, "" when it is absent or no string.
func (w *worker) str(node int) string {
	if node < 0 || w.doc.Nodes[node].Kind != jsonschema.String {
		return ""
	}
	return w.doc.Str(node)
}

// text is str without a copy.
func (w *worker) text(node int) []byte {
	if node < 0 || w.doc.Nodes[node].Kind != jsonschema.String {
		return nil
	}
	return w.doc.Text(node)
}

// point returns the text of a point's id, which may be an integer; nil for anything else.
func (w *worker) point(node int) []byte {
	if node >= 0 && w.doc.Nodes[node].Kind == jsonschema.Number {
		return w.doc.Raw(node)
	}
	return w.text(node)
}

// A want is a member that is looked for.
type want struct {
	name string
	at   *int // its value; -1: absent
}

// pick looks for members of the object at obj. Of a repeated name it is the last.
func (w *worker) pick(obj int, wants ...want) {
	for _, x := range wants {
		*x.at = -1
	}
	d, next := &w.doc, 0 // members mostly come in one order
	for k, v := range d.Members(obj) {
		name := d.Text(k)
		for i := range wants {
			if i += next; i >= len(wants) {
				i -= len(wants)
			}
			if wants[i].name == string(name) {
				*wants[i].at, next = v, i+1
				break
			}
		}
	}
}

// member is the string member of an object.
func (w *worker) member(obj int, name string) (string, int) {
	n := w.doc.Get(obj, name)
	return w.str(n), n
}

// quote shortens text for a message.
func quote[T string | []byte](s T) string {
	t := textnorm.Short(string(s), 120)
	if strings.ContainsFunc(t, func(r rune) bool { return r < 0x20 || r == 0x7f }) || t == "" || t != strings.TrimSpace(t) {
		return fmt.Sprintf("%q", t)
	}
	return t
}

// detect determines the kind of a record from its members; "" if it cannot.
func (w *worker) detect() schema.Kind {
	d := &w.doc
	if len(d.Nodes) == 0 {
		return w.hint
	}
	if d.Nodes[0].Kind == jsonschema.Array && w.whole {
		return schema.KindIndex
	}
	if d.Nodes[0].Kind != jsonschema.Object {
		return w.hint
	}
	seen, n := uint64(0), 0
	for k, v := range d.Members(0) {
		n++
		name := d.Text(k)
		if string(name) == "record_type" {
			switch string(w.text(v)) {
			case "claim":
				return schema.KindClaim
			case "entity":
				return schema.KindEntity
			}
		} else if i := marks.Find(name); i >= 0 {
			seen |= 1 << i
		}
	}
	return cmp.Or(kindBy(recordShapes, seen, n), w.hint, kindBy(anchorShapes, seen, n))
}

// marks are the members that show the kind of a record.
var marks = jsonschema.NewNames("conv_id", "turn_id", "role_type", "role_name", "content", "payload", "labels", "src", "dst", "type", "props", "id", "op", "old", "new", "probe_id", "hits",
	"probe_query", "source_path", "start_line", "end_line", "step", "inputs", "outputs", "schema_version", "claims_count", "entities_count", "exported_at", "entity_id", "claim_id",
	"case_id", "sessions", "questions", "question_id", "context_id", "fingerprint", "scores")

// A shape is a kind by its members: those that it has, "|" between those of which one is enough, and "!" before one that it does not have.
type shape struct {
	kind    schema.Kind
	members string
	n       int // of members in all; 0: any

	has  []uint64 // of members, as bits of marks
	lack uint64
}

// The first shape that fits counts. An anchor is one only where the file's name promises nothing else.
var (
	recordShapes = shapes(shape{kind: schema.KindSummary, members: "fingerprint scores"}, shape{kind: schema.KindCase, members: "case_id sessions|questions"},
		shape{kind: schema.KindQA, members: "case_id question_id"}, shape{kind: schema.KindContext, members: "case_id context_id"}, shape{kind: schema.KindSession, members: "case_id"},
		shape{kind: schema.KindClaim, members: "claim_id !id"}, shape{kind: schema.KindEntity, members: "entity_id !id"}, shape{kind: schema.KindExport, members: "payload"},
		shape{kind: schema.KindProbe, members: "hits|probe_query"}, shape{kind: schema.KindChange, members: "op old|new"}, shape{kind: schema.KindNode, members: "labels"},
		shape{kind: schema.KindEdge, members: "src|dst"}, shape{kind: schema.KindEdge, members: "type id"}, shape{kind: schema.KindEvent, members: "role_type|role_name"},
		shape{kind: schema.KindEvent, members: "content turn_id|conv_id"}, shape{kind: schema.KindManifest, members: "step inputs|outputs|schema_version"},
		shape{kind: schema.KindMeta, members: "claims_count|entities_count"}, shape{kind: schema.KindExport, members: "exported_at id"}, shape{kind: schema.KindNode, members: "id props"})
	anchorShapes = shapes(shape{kind: schema.KindEventAnchor, members: "conv_id turn_id", n: 2}, shape{kind: schema.KindSpanAnchor, members: "source_path start_line|end_line"},
		shape{kind: schema.KindProbeAnchor, members: "probe_id", n: 1})
)

func shapes(list ...shape) []shape {
	for i := range list {
		s := &list[i]
		for part := range strings.FieldsSeq(s.members) {
			names, lacks := strings.CutPrefix(part, "!")
			mask := uint64(0)
			for name := range strings.SplitSeq(names, "|") {
				mask |= 1 << marks.Find([]byte(name))
			}
			if lacks {
				s.lack = mask
			} else {
				s.has = append(s.has, mask)
			}
		}
	}
	return list
}

// kindBy is the kind of an object with n members, of which marks were seen; "" if no shape fits.
func kindBy(list []shape, seen uint64, n int) schema.Kind {
	for i := range list {
		s := &list[i]
		if seen&s.lack == 0 && (s.n == 0 || s.n == n) && !slices.ContainsFunc(s.has, func(mask uint64) bool { return seen&mask == 0 }) {
			return s.kind
		}
	}
	return ""
}

// key is 128 bits that represent an id in the index.
type key [2]uint64

// hashKey mixes a name space and the parts of an id, each with its length.
func hashKey(ns byte, parts ...[]byte) key {
	a, b := uint64(0x9e3779b97f4a7c15)+uint64(ns), uint64(0xbf58476d1ce4e5b9)^uint64(ns)<<32
	mix := func(x uint64) {
		hi, lo := bits.Mul64(a^x, 0xa0761d6478bd642f)
		a = hi ^ lo
		hi, lo = bits.Mul64(b^x, 0xe7037ed1a0b428db)
		b = hi ^ lo + x
	}
	for _, p := range parts {
		n := len(p)
		for len(p) >= 8 {
			mix(uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 | uint64(p[3])<<24 | uint64(p[4])<<32 | uint64(p[5])<<40 | uint64(p[6])<<48 | uint64(p[7])<<56)
			p = p[8:]
		}
		var x uint64
		for i, c := range p {
			x |= uint64(c) << (8 * i)
		}
		mix(x)
		mix(uint64(n) ^ 0x8ebc6af09c88c6e3)
	}
	return key{a, b}
}
