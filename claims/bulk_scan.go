package claims

import (
	"bytes"
	"strconv"

	"membench/internal/codec"
	"membench/schema"
)

// A lineScanner recognises plain lines: statements that our encoder would write
// byte for byte, with evidence as merging would leave it. Everything else, good or
// bad, is left to the typed reader.
type lineScanner struct {
	s      codec.Scanner
	entity bool
	typ    []byte // entity type, or domain
	pred   []byte
	id     []byte
	subj   []byte
	obj    []byte
	ev     []evidenceKey
	parts  [][]byte
	num    []byte

	// Of a claim, for merging its bytes.
	line    []byte
	head    int // bytes before the confidence's value
	conf    []byte
	status  []byte
	rank    []byte
	updated []byte
	by      []byte
}

type evidenceKey struct {
	mem, point, created []byte
	at                  instant
	raw                 []byte
}

func (l *lineScanner) key() ([][]byte, byte) {
	l.parts = l.parts[:0]
	if l.entity {
		l.parts = append(l.parts, l.typ, l.id)
		return l.parts, kindEntity
	}
	l.parts = append(l.parts, l.typ, l.pred, l.id)
	return l.parts, kindClaim
}

// read reports whether line is plain in version v.
func (l *lineScanner) read(line []byte, v schema.Version) bool {
	if !tidy(line) {
		return false
	}
	l.line = line
	l.s.Reset(line, false)
	if !l.s.Object() || !l.name("record_type") {
		return false
	}
	typ, escaped, ok := l.s.String()
	if !ok || escaped {
		return false
	}
	switch string(typ) {
	case "entity":
		l.entity = true
		return l.readEntity(v) && len(l.typ) > 0 && len(l.id) > 0
	case "claim":
		l.entity = false
		return l.readClaim(v) && len(l.typ) > 0 && len(l.pred) > 0 && len(l.subj) > 0 && len(l.obj) > 0
	}
	return false
}

// tidy reports whether a line has no white space between values, no number but plain
// decimals, and only the escapes that the encoder writes. It looks at bytes alone.
func tidy(line []byte) bool {
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	in := false
	for i := 0; i < len(line); i++ {
		if in {
			j := bytes.IndexByte(line[i:], '"')
			if j < 0 {
				return false
			}
			if k := bytes.IndexByte(line[i:i+j], '\\'); k >= 0 {
				i += k + 1
				if i >= len(line) {
					return false
				}
				switch line[i] {
				case '"', '\\', 'b', 'f', 'n', 'r', 't':
				default:
					return false
				}
				continue
			}
			i += j
			in = false
			continue
		}
		switch c := line[i]; c {
		case '"':
			in = true
		case ' ', '\t', '\r', '\n':
			return false
		}
	}
	return !in
}

func (l *lineScanner) name(want string) bool {
	name, ok := l.s.Member()
	return ok && string(name) == want
}

// text reads a string without escapes.
func (l *lineScanner) text(name string) ([]byte, bool) {
	if !l.name(name) {
		return nil, false
	}
	b, escaped, ok := l.s.String()
	return b, ok && !escaped
}

// any reads a string that may hold escapes.
func (l *lineScanner) any(name string) ([]byte, bool) {
	if !l.name(name) {
		return nil, false
	}
	b, _, ok := l.s.String()
	return b, ok
}

func (l *lineScanner) ref(name string) ([]byte, bool) {
	if !l.name(name) || !l.s.Object() {
		return nil, false
	}
	if _, ok := l.text("entity_type"); !ok {
		return nil, false
	}
	id, ok := l.text("entity_id")
	if !ok {
		return nil, false
	}
	_, more := l.s.Member()
	return id, !more && l.s.OK()
}

// float reads a confidence that is written as the encoder writes it.
func (l *lineScanner) float(name string) bool {
	if !l.name(name) || l.s.Kind() != '0' {
		return false
	}
	l.head = l.s.Offset()
	text, ok := l.s.Number()
	if !ok {
		return false
	}
	l.conf = text
	if len(text) == 4 && text[0] == '0' && text[1] == '.' && text[2] <= '9' && text[3] > '0' && text[3] <= '9' {
		return true // 0.xy
	}
	f, err := strconv.ParseFloat(string(text), 64)
	l.num = schema.AppendFloat(l.num[:0], f)
	return err == nil && bytes.Equal(l.num, text)
}

func (l *lineScanner) stringArray(name string) bool {
	if !l.name(name) || !l.s.Array() {
		return false
	}
	var seen [][]byte
	for l.s.Element() {
		b, _, ok := l.s.String()
		if !ok || len(seen) > 16 {
			return false
		}
		for _, s := range seen {
			if bytes.Compare(s, b) >= 0 {
				return false // merging would sort or unite it
			}
		}
		seen = append(seen, b)
	}
	return l.s.OK()
}

// end reports whether the object and the line end here.
func (l *lineScanner) end() bool {
	_, more := l.s.Member()
	return !more && l.s.OK() && l.s.End()
}

func (l *lineScanner) readEntity(v schema.Version) bool {
	var ok bool
	if l.typ, ok = l.text("entity_type"); !ok {
		return false
	}
	if l.id, ok = l.text("entity_id"); !ok {
		return false
	}
	if !l.name("props") || l.s.Kind() != '{' {
		return false
	}
	if _, ok := l.s.Skip(); !ok {
		return false
	}
	return l.stringArray("aliases") && l.stringArray("tags") && l.float("confidence") && l.end()
}

func (l *lineScanner) readClaim(v schema.Version) bool {
	var ok bool
	if l.id, ok = l.text("claim_id"); !ok {
		return false
	}
	if l.pred, ok = l.text("predicate"); !ok {
		return false
	}
	if l.subj, ok = l.ref("subject"); !ok {
		return false
	}
	if l.obj, ok = l.ref("object"); !ok {
		return false
	}
	if l.typ, ok = l.text("domain"); !ok {
		return false
	}
	if !l.float("confidence") {
		return false
	}
	l.status, ok = l.text("status")
	if !ok || string(l.status) == schema.StatusDeprecated {
		return false // its reason may have to go
	}
	if !l.name("rank") {
		return false
	}
	switch l.s.Kind() {
	case 'n':
		if c, ok := l.s.Literal(); !ok || c != 'n' {
			return false
		}
		l.rank = nil
	case '0':
		text, ok := l.s.Number()
		if !ok || len(text) > 9 || text[0] == '-' || bytes.ContainsAny(text, ".eE") {
			return false
		}
		l.rank = text
	default:
		return false
	}
	if l.updated, ok = l.text("updated_at"); !ok {
		return false
	}
	if !l.name("evidence") || !l.s.Array() || !l.evidence(v) {
		return false
	}
	if !l.idRight() {
		return false
	}
	l.by = nil
	name, more := l.s.Member()
	if !more {
		return l.s.OK() && l.s.End()
	}
	if v == schema.V001 || string(name) != "by" {
		return false
	}
	by, escaped, ok := l.s.String()
	l.by = by
	return ok && !escaped && len(by) > 0 && bytes.IndexByte(by, '+') < 0 && l.end()
}

// evidence reads the rows and wants them as merging leaves them.
func (l *lineScanner) evidence(v schema.Version) bool {
	l.ev = l.ev[:0]
	for l.s.Element() {
		var e evidenceKey
		var ok bool
		if l.s.Kind() != '{' {
			return false
		}
		from := l.s.Offset()
		if !l.s.Object() {
			return false
		}
		if e.mem, ok = l.text("memory_item_id"); !ok {
			return false
		}
		if e.point, ok = l.text("point_id"); !ok {
			return false
		}
		if _, ok = l.any("conv_id"); !ok {
			return false
		}
		if _, ok = l.any("scene_id"); !ok {
			return false
		}
		if e.created, ok = l.text("created_at"); !ok {
			return false
		}
		if _, ok = l.any("text"); !ok {
			return false
		}
		if _, more := l.s.Member(); more || !l.s.OK() {
			return false
		}
		e.raw = l.line[from:l.s.Offset()]
		if len(l.ev) >= 16 {
			return false
		}
		l.ev = append(l.ev, e)
	}
	if !l.s.OK() || len(l.ev) == 0 {
		return false
	}
	for i := 1; i < len(l.ev); i++ {
		a, b := &l.ev[i-1], &l.ev[i]
		for j := range i {
			if bytes.Equal(l.ev[j].mem, b.mem) && bytes.Equal(l.ev[j].point, b.point) {
				return false
			}
		}
		if v == schema.V001 {
			if bytes.Compare(a.created, b.created) > 0 {
				return false
			}
			continue
		}
		x, ok1 := fastInstant(a.created)
		y, ok2 := fastInstant(b.created)
		if !ok1 || !ok2 || x.compare(y) >= 0 {
			return false
		}
	}
	return true
}

// idRight recomputes the claim id.
func (l *lineScanner) idRight() bool {
	for _, c := range l.typ {
		if c < 0x20 || c >= 0x7f || c == '%' || c == '|' || c == ':' {
			return false // has to be escaped
		}
	}
	id := l.id
	for _, p := range [][]byte{[]byte("claim:"), l.pred, []byte("|"), l.typ, []byte("|"), l.subj, []byte("|"), l.obj} {
		if !bytes.HasPrefix(id, p) {
			return false
		}
		id = id[len(p):]
	}
	return len(id) == 0
}
