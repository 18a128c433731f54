package validate

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"

	"membench/internal/jsonschema"
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

// member is the string member of an object.
func (w *worker) member(obj int, name string) (string, int) {
	n := w.doc.Get(obj, name)
	return w.str(n), n
}

// quote shortens text for a message.
func quote[T string | []byte](s T) string {
	t := string(s)
	n := 0
	for i := range t {
		if n++; n > 120 {
			t = t[:i] + "…"
			break
		}
	}
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
	const (
		convID = 1 << iota
		turnID
		role
		content
		payload
		labels
		src
		dst
		typ
		props
		id
		op
		oldNew
		probeID
		hits
		sourcePath
		startLine
		rawPath
		step
		inputs
		count
		exportedAt
		entityID
		claimID
		caseID
		sessions
		questionID
		contextID
		fingerprint
		scores
	)
	seen, n := 0, 0
	for k, v := range d.Members(0) {
		n++
		switch string(d.Text(k)) {
		case "record_type":
			switch string(w.text(v)) {
			case "claim":
				return schema.KindClaim
			case "entity":
				return schema.KindEntity
			}
		case "claim_id":
			seen |= claimID
		case "entity_id":
			seen |= entityID
		case "conv_id":
			seen |= convID
		case "turn_id":
			seen |= turnID
		case "role_type", "role_name":
			seen |= role
		case "content":
			seen |= content
		case "payload":
			seen |= payload
		case "exported_at":
			seen |= exportedAt
		case "labels":
			seen |= labels
		case "src":
			seen |= src
		case "dst":
			seen |= dst
		case "type":
			seen |= typ
		case "props":
			seen |= props
		case "id":
			seen |= id
		case "op":
			seen |= op
		case "old", "new":
			seen |= oldNew
		case "probe_id":
			seen |= probeID
		case "hits", "probe_query":
			seen |= hits
		case "source_path":
			seen |= sourcePath
		case "start_line", "end_line":
			seen |= startLine
		case "raw_path":
			seen |= rawPath
		case "step":
			seen |= step
		case "inputs", "outputs", "schema_version":
			seen |= inputs
		case "claims_count", "entities_count":
			seen |= count
		case "case_id":
			seen |= caseID
		case "sessions", "questions":
			seen |= sessions
		case "question_id":
			seen |= questionID
		case "context_id":
			seen |= contextID
		case "fingerprint":
			seen |= fingerprint
		case "scores":
			seen |= scores
		}
	}
	has := func(bits int) bool { return seen&bits != 0 }
	switch {
	case has(fingerprint) && has(scores):
		return schema.KindSummary
	case has(caseID) && has(sessions):
		return schema.KindCase
	case has(caseID) && has(questionID):
		return schema.KindQA
	case has(caseID) && has(contextID):
		return schema.KindContext
	case has(caseID):
		return schema.KindSession
	case has(claimID) && !has(id):
		return schema.KindClaim
	case has(entityID) && !has(id):
		return schema.KindEntity
	case has(payload):
		return schema.KindExport
	case has(hits):
		return schema.KindProbe
	case has(op) && has(oldNew):
		return schema.KindChange
	case has(labels):
		return schema.KindNode
	case has(src|dst) || has(typ) && has(id):
		return schema.KindEdge
	case has(role) || has(content) && has(turnID|convID):
		return schema.KindEvent
	case has(step) && has(inputs):
		return schema.KindManifest
	case has(count):
		return schema.KindMeta
	case has(exportedAt) && has(id):
		return schema.KindExport
	case has(id) && has(props):
		return schema.KindNode
	}
	if w.hint != "" {
		return w.hint
	}
	switch {
	case has(convID) && has(turnID) && n == 2:
		return schema.KindEventAnchor
	case has(sourcePath) && has(startLine):
		return schema.KindSpanAnchor
	case has(probeID) && n == 1:
		return schema.KindProbeAnchor
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
