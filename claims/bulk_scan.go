package claims

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/schema"
)

// A lineScanner recognises plain lines: statements that equal our encoder's output byte for byte, with evidence that merging would not change. All other lines,
// good or bad, are left to the typed reader.
//
// A plain line has its members in one order and no white space, so the text between the values is matched literally; only props are free and parsed as JSON.
type lineScanner struct {
	entity bool
	typ    []byte // entity type, or domain
	pred   []byte
	id     []byte
	subj   []byte
	obj    []byte
	ev     []evidenceKey
	parts  [][]byte
	seen   [][]byte // of the array that is read
	num    []byte
	props  codec.Scanner

	known bool // the lines were checked before: these checks are skipped
	line  []byte
	i     int // bytes of line that are read

	// Of a claim, for merging its bytes.
	head    int // bytes before the confidence's value
	conf    []byte
	status  []byte
	rank    []byte
	updated []byte
	tail    []byte // text between the evidence and the last brace: by, reason, successor
}

type evidenceKey struct {
	mem, point, created []byte
	at                  schema.Instant
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
	l.line, l.i = line, 0
	switch {
	case l.lit(`{"record_type":"entity","entity_type":"`):
		l.entity = true
		return l.readEntity() && len(l.typ) > 0 && len(l.id) > 0
	case l.lit(`{"record_type":"claim","claim_id":"`):
		l.entity = false
		return l.readClaim(v) && len(l.typ) > 0 && len(l.pred) > 0 && len(l.subj) > 0 && len(l.obj) > 0
	}
	return false
}

// lit steps over text.
func (l *lineScanner) lit(text string) bool {
	if len(l.line)-l.i < len(text) || string(l.line[l.i:l.i+len(text)]) != text {
		return false
	}
	l.i += len(text)
	return true
}

const ones, highs = 0x0101010101010101, 0x8080808080808080

// body reads the rest of a string and steps over its closing quote. Of escapes it
// takes those that the encoder writes, where they are allowed.
func (l *lineScanner) body(escapes bool) ([]byte, bool) {
	b, i := l.line, l.i
	start := i
	wide := uint64(0) // its high bits: whether a byte is not ASCII
	for {
		// Eight bytes at a time to the next quote, backslash or control character.
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			q, e := x^(ones*'"'), x^(ones*'\\')
			wide |= x
			if m := ((q-ones)&^q | (e-ones)&^e | (x-ones*0x20)&^x) & highs; m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return nil, false
		}
		switch c := b[i]; {
		case c == '"':
			l.i = i + 1
			return b[start:i], l.known || wide&highs == 0 || utf8.Valid(b[start:i])
		case c == '\\':
			if !escapes || i+1 >= len(b) || !plainEscape(b[i+1]) {
				return nil, false
			}
			i += 2
		case c < 0x20:
			return nil, false
		default: // in the last seven bytes
			wide |= uint64(c)
			i++
		}
	}
}

// plainEscape reports whether the encoder writes a backslash before c.
func plainEscape(c byte) bool {
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}

// text steps over before and reads a string without escapes.
func (l *lineScanner) text(before string) ([]byte, bool) {
	if !l.lit(before) {
		return nil, false
	}
	return l.body(false)
}

// any steps over before and a string that may hold escapes.
func (l *lineScanner) any(before string) bool {
	if !l.lit(before) {
		return false
	}
	_, ok := l.body(true)
	return ok
}

// ref reads the rest of a reference after its opening brace and name.
func (l *lineScanner) ref(before string) ([]byte, bool) {
	if _, ok := l.text(before); !ok {
		return nil, false
	}
	id, ok := l.text(`,"entity_id":"`)
	return id, ok && l.lit(`}`)
}

// float reads a confidence that is written as the encoder writes it.
func (l *lineScanner) float(before string) bool {
	if !l.lit(before) {
		return false
	}
	l.head = l.i
	for l.i < len(l.line) && l.line[l.i] != ',' && l.line[l.i] != '}' {
		l.i++
	}
	text := l.line[l.head:l.i]
	l.conf = text
	if len(text) == 4 && text[0] == '0' && text[1] == '.' && text[2]-'0' <= 9 && text[3]-'1' <= 8 {
		return true // 0.xy
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(f > 0 && f <= 1) { // out of range, or NaN, which Go reads
		return false
	}
	l.num = schema.AppendFloat(l.num[:0], f)
	return bytes.Equal(l.num, text)
}

// strings skips an array of strings that merging would not change: distinct and sorted.
func (l *lineScanner) strings(before string) bool {
	if !l.lit(before) {
		return false
	}
	if l.lit(`]`) {
		return true
	}
	l.seen = l.seen[:0]
	for first := true; ; first = false {
		if !first && !l.lit(`,`) || !l.lit(`"`) {
			return false
		}
		b, ok := l.body(true)
		if !ok || len(l.seen) > 16 {
			return false
		}
		for _, s := range l.seen {
			if bytes.Compare(s, b) >= 0 {
				return false
			}
		}
		l.seen = append(l.seen, b)
		if l.lit(`]`) {
			return true
		}
	}
}

// object steps over free JSON without white space and with plain escapes.
func (l *lineScanner) object() bool {
	l.props.Reset(l.line[l.i:], true)
	if l.props.Kind() != '{' {
		return false
	}
	raw, ok := l.props.Skip()
	l.i += len(raw)
	return ok && tidy(raw) && utf8.Valid(raw)
}

// tidy reports whether JSON has no white space between values and only the escapes
// that the encoder writes.
func tidy(raw []byte) bool {
	in := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			in = !in
		case !in && c <= ' ':
			return false
		case in && c == '\\':
			if i++; !plainEscape(raw[i]) {
				return false
			}
		}
	}
	return true
}

func (l *lineScanner) readEntity() bool {
	var ok bool
	if l.typ, ok = l.body(false); !ok {
		return false
	}
	if l.id, ok = l.text(`,"entity_id":"`); !ok {
		return false
	}
	return l.lit(`,"props":`) && l.object() && l.strings(`,"aliases":[`) && l.strings(`,"tags":[`) &&
		l.float(`,"confidence":`) && l.lit(`}`) && l.i == len(l.line)
}

func (l *lineScanner) readClaim(v schema.Version) bool {
	var ok bool
	if l.id, ok = l.body(false); !ok {
		return false
	}
	if l.pred, ok = l.text(`,"predicate":"`); !ok {
		return false
	}
	if l.subj, ok = l.ref(`,"subject":{"entity_type":"`); !ok {
		return false
	}
	if l.obj, ok = l.ref(`,"object":{"entity_type":"`); !ok {
		return false
	}
	if l.typ, ok = l.text(`,"domain":"`); !ok {
		return false
	}
	if !l.float(`,"confidence":`) {
		return false
	}
	l.status, _ = l.text(`,"status":"`)
	switch string(l.status) {
	case schema.StatusActive, schema.StatusCandidate, schema.StatusDeprecated:
	default:
		return false
	}
	if !l.readRank() {
		return false
	}
	if l.updated, ok = l.text(`,"updated_at":"`); !ok {
		return false
	}
	if !l.evidence(v) || !l.known && !l.idRight() {
		return false
	}
	from := l.i
	if v != schema.V001 {
		if l.lit(`,"by":"`) {
			if by, ok := l.body(false); !ok || len(by) == 0 || bytes.IndexByte(by, '+') >= 0 {
				return false
			}
		}
		if l.deprecated() {
			for _, name := range []string{`,"deprecated_reason":"`, `,"superseded_by":"`} {
				if !l.lit(name) {
					continue
				}
				if text, ok := l.body(true); !ok || len(text) == 0 {
					return false
				}
			}
		}
	}
	l.tail = l.line[from:l.i]
	return l.lit(`}`) && l.i == len(l.line)
}

// deprecated reports whether the line is a claim that was given up.
func (l *lineScanner) deprecated() bool {
	return !l.entity && string(l.status) == schema.StatusDeprecated
}

// readRank reads null or a whole number.
func (l *lineScanner) readRank() bool {
	l.rank = nil
	if !l.lit(`,"rank":`) {
		return false
	}
	if l.lit(`null`) {
		return true
	}
	from := l.i
	for l.i < len(l.line) && l.line[l.i]-'0' <= 9 {
		l.i++
	}
	l.rank = l.line[from:l.i]
	n := len(l.rank)
	return n == 1 || n > 1 && n <= 9 && l.rank[0] != '0'
}

// evidence reads the rows, and wants them as merging leaves them.
func (l *lineScanner) evidence(v schema.Version) bool {
	if !l.lit(`,"evidence":[`) {
		return false
	}
	l.ev = l.ev[:0]
	for len(l.ev) == 0 || l.lit(`,`) {
		var e evidenceKey
		var ok bool
		from := l.i
		if e.mem, ok = l.text(`{"memory_item_id":"`); !ok || len(e.mem) == 0 {
			return false
		}
		if e.point, ok = l.text(`,"point_id":"`); !ok {
			return false
		}
		if !l.any(`,"conv_id":"`) || !l.any(`,"scene_id":"`) {
			return false
		}
		if e.created, ok = l.text(`,"created_at":"`); !ok {
			return false
		}
		if !l.any(`,"text":"`) || len(l.ev) >= 16 {
			return false
		}
		if !v.Before(schema.V020) && l.lit(`,"event_time":"`) {
			if when, ok := l.body(true); !ok || len(when) == 0 {
				return false
			}
		}
		if !l.lit(`}`) {
			return false
		}
		e.raw = l.line[from:l.i]
		l.ev = append(l.ev, e)
	}
	if !l.lit(`]`) {
		return false
	}
	return l.known || l.merged(v)
}

// merged reports whether the evidence is in merged form.
func (l *lineScanner) merged(v schema.Version) bool {
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
		x, ok1 := schema.ParseInstant(a.created)
		y, ok2 := schema.ParseInstant(b.created)
		if !ok1 || !ok2 || x >= y {
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
