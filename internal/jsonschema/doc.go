// Package jsonschema checks JSON text against JSON Schemas at the speed of reading
// it, with the exact place of every fault.
//
// A Doc is a parsed text that keeps byte offsets: the rules of schema/validate read
// records through it. A Schema is compiled by santhosh-tekuri/jsonschema/v5, whose
// compiled form is walked once into a small program that runs over a Doc. The
// program only ever says yes or "ask v5"; so v5 decides every doubtful case and
// writes every report, and the two cannot disagree as long as a yes is right, which
// a differential test and a fuzz target hold.
package jsonschema

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "boolean", "number", "string", "array", "object"}[k]
}

// A Node is one value, or one member name, of a Doc.
type Node struct {
	Kind  Kind
	Esc   bool  // string: holds escapes (or bytes that are not UTF-8)
	Int   bool  // number: neither fraction nor exponent
	Wild  bool  // number: NaN, Infinity or out of range; a fault says so
	Start int32 // byte offset of its first byte
	End   int32 // just past its last byte
	Next  int32 // index of the node after this one and all it holds
	N     int32 // members or elements directly in it
}

// FaultCode says what is wrong with a text as JSON.
type FaultCode uint8

const (
	BadSyntax     FaultCode = iota // ends the parse
	Cut                            // the text ends inside a value; ends the parse
	Trailing                       // bytes after the value; ends the parse
	TooDeep                        // ends the parse
	DuplicateName                  // the last one counts, as in the existing chain
	BadUTF8
	LoneSurrogate
	NotANumber // NaN, Infinity
	BadNumber  // a number that no reader can hold
	ControlChar
)

// A Fault is one place where a text is not JSON.
type Fault struct {
	Code    FaultCode
	Off     int    // byte offset
	Pointer string // of the value it is in
	Have    string
	Want    string
}

// MaxDepth is the deepest nesting that is read. Python's reader gives up near it.
const MaxDepth = 1000

// Doc is a parsed text. The zero Doc is ready; Parse uses its memory again.
// It holds 24 bytes for each value and name of the text.
type Doc struct {
	B      []byte
	Nodes  []Node // empty when the text has no value at all
	Faults []Fault
	Broken bool // the parse ended before the end of the text
	UTF8   bool // the whole text is UTF-8

	stack []frame
	near  [3]int // the array that Pointer stepped through last, the number of its element and its node: faults mostly come one element after the other
}

type frame struct {
	node  int32
	key   int32 // the name whose value is being read
	bits  uint64
	names map[string]struct{} // of an object with more than manyNames; else nil
}

// manyNames is how many members of an object are compared one by one.
const manyNames = 64

// Parse reads exactly one JSON value. It never fails: faults are in d.Faults, and
// what was read before one that ends the parse stays readable.
func (d *Doc) Parse(b []byte) {
	d.B, d.Nodes, d.Faults, d.stack, d.Broken, d.near = b, d.Nodes[:0], d.Faults[:0], d.stack[:0], false, [3]int{-1}
	d.UTF8 = utf8.Valid(b)
	p := parser{d: d, b: b, utf8: d.UTF8}
	p.run()
	if d.Broken {
		for i := len(d.stack) - 1; i >= 0; i-- { // close what is open, so that it can be walked
			n := &d.Nodes[d.stack[i].node]
			n.End, n.Next = int32(len(b)), int32(len(d.Nodes))
			if n.Kind == Object && d.stack[i].key == int32(len(d.Nodes)-1) { // a name without a value
				d.Nodes = d.Nodes[:len(d.Nodes)-1]
				n.N--
				n.Next--
			}
		}
		for i := range d.stack {
			d.Nodes[d.stack[i].node].Next = int32(len(d.Nodes))
		}
	}
}

type parser struct {
	d    *Doc
	b    []byte
	i    int
	utf8 bool
}

func (p *parser) fault(code FaultCode, off int, have, want string) {
	p.d.Faults = append(p.d.Faults, Fault{code, off, p.pointer(), have, want})
}

func (p *parser) stop(code FaultCode, want string) {
	p.d.Broken = true
	if p.i >= len(p.b) && code == BadSyntax {
		code = Cut
	}
	have := "end of line"
	if p.i < len(p.b) {
		have = excerpt(p.b[p.i:])
	}
	p.fault(code, min(p.i, len(p.b)), have, want)
}

// pointer names the value being read.
func (p *parser) pointer() string {
	var s strings.Builder
	for i, f := range p.d.stack {
		n := p.d.Nodes[f.node]
		if i == 16 && len(p.d.stack) == MaxDepth {
			break // a pointer of a thousand steps helps nobody
		}
		if n.Kind == Array {
			s.WriteByte('/')
			s.WriteString(strconv.Itoa(int(max(n.N-1, 0))))
		} else if f.key > 0 {
			s.WriteByte('/')
			s.WriteString(escapePointer(p.d.Str(int(f.key))))
		}
	}
	return s.String()
}

func escapePointer(s string) string {
	if strings.ContainsAny(s, "~/") {
		return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
	}
	return s
}

func excerpt(b []byte) string {
	if len(b) > 64 {
		b = b[:64]
	}
	r, _ := utf8.DecodeRune(b)
	switch {
	case r < 0x20:
		return strconv.QuoteRune(r)
	case r == 0xfeff:
		return "a byte order mark"
	}
	n := 0
	for i, r := range string(b) {
		if n == 12 || r < 0x20 {
			b = b[:i]
			break
		}
		n++
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

func (p *parser) space() {
	for p.i < len(p.b) {
		switch p.b[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *parser) run() {
	d, b := p.d, p.b
	p.space()
	if bytes.HasPrefix(b[p.i:], bom) {
		p.fault(BadSyntax, p.i, "a byte order mark", "only at the start of a file")
		p.i += len(bom)
		p.space()
	}
value:
	if n := len(d.stack); n > 0 && d.Nodes[d.stack[n-1].node].Kind == Array {
		d.Nodes[d.stack[n-1].node].N++
	}
	if p.i >= len(b) {
		p.stop(BadSyntax, "a value")
		return
	}
	switch c := b[p.i]; c {
	case '{', '[':
		if len(d.stack) == MaxDepth {
			p.stop(TooDeep, "at most "+strconv.Itoa(MaxDepth)+" levels")
			return
		}
		kind := Object
		if c == '[' {
			kind = Array
		}
		d.stack = append(d.stack, frame{node: int32(len(d.Nodes)), key: -1})
		d.Nodes = append(d.Nodes, Node{Kind: kind, Start: int32(p.i)})
		p.i++
		p.space()
		if p.i < len(b) && b[p.i] == c+2 { // '}' is '{'+2 and ']' is '['+2
			goto closing
		}
		if kind == Array {
			goto value
		}
		goto name
	case '"':
		if !p.str() {
			return
		}
	case 't':
		if !p.word("true", True) {
			return
		}
	case 'f':
		if !p.word("false", False) {
			return
		}
	case 'n':
		if !p.word("null", Null) {
			return
		}
	case 'N', 'I':
		if !p.notANumber() {
			return
		}
	default:
		if c == '-' && p.i+1 < len(b) && b[p.i+1] == 'I' {
			if !p.notANumber() {
				return
			}
		} else if !p.number() {
			return
		}
	}
after:
	p.space()
	if len(d.stack) == 0 {
		if p.i < len(b) {
			p.stop(Trailing, "the end of the line")
		}
		return
	}
	if p.i >= len(b) {
		p.stop(Cut, "',' or the end of the "+d.Nodes[d.stack[len(d.stack)-1].node].Kind.String())
		return
	}
	switch c, f := b[p.i], &d.stack[len(d.stack)-1]; {
	case c == ',':
		p.i++
		p.space()
		if d.Nodes[f.node].Kind == Array {
			goto value
		}
		goto name
	case c == '}' && d.Nodes[f.node].Kind == Object, c == ']' && d.Nodes[f.node].Kind == Array:
		goto closing
	default:
		p.stop(BadSyntax, "',' or the end of the "+d.Nodes[f.node].Kind.String())
		return
	}
closing:
	{
		p.i++
		top := len(d.stack) - 1
		n := &d.Nodes[d.stack[top].node]
		n.End, n.Next = int32(p.i), int32(len(d.Nodes))
		d.stack = d.stack[:top]
		goto after
	}
name:
	{
		k := int32(len(d.Nodes))
		f := &d.stack[len(d.stack)-1]
		f.key = -1
		if p.i >= len(b) || b[p.i] != '"' {
			p.stop(BadSyntax, "a member's name in double quotes")
			return
		}
		if !p.str() {
			return
		}
		p.unique(f, k)
		f.key = k
		d.Nodes[f.node].N++
		p.space()
		if p.i >= len(b) || b[p.i] != ':' {
			p.stop(BadSyntax, "':'")
			return
		}
		p.i++
		p.space()
		goto value
	}
}

var bom = []byte("\xef\xbb\xbf")

// unique reports a name that its object already has. A 64-bit filter settles nearly
// all names without a comparison.
func (p *parser) unique(f *frame, k int32) {
	d := p.d
	n := d.Nodes[k]
	raw := d.B[n.Start+1 : n.End-1]
	h := uint(len(raw))
	if n.Esc {
		raw = []byte(d.Str(int(k)))
		h = uint(len(raw))
	}
	if len(raw) > 0 {
		h = h*31 + uint(raw[0])*7 + uint(raw[len(raw)-1])*3 + uint(raw[len(raw)/2])
	}
	bit := uint64(1) << (h & 63)
	if f.names == nil && f.bits&bit == 0 {
		f.bits |= bit
		return
	}
	twice := false
	if d.Nodes[f.node].N < manyNames {
		for i := f.node + 1; i < k && !twice; i = d.Nodes[i+1].Next {
			o := d.Nodes[i]
			twice = o.Esc && d.Str(int(i)) == string(raw) || !o.Esc && bytes.Equal(d.B[o.Start+1:o.End-1], raw)
		}
	} else {
		if f.names == nil {
			f.names = map[string]struct{}{}
			for i := f.node + 1; i < k; i = d.Nodes[i+1].Next {
				f.names[d.Str(int(i))] = struct{}{}
			}
		}
		_, twice = f.names[string(raw)]
		f.names[string(raw)] = struct{}{}
	}
	if twice {
		f.key = k
		p.fault(DuplicateName, int(n.Start), strconv.Quote(cutText(string(raw))), "each name once")
	}
}

func cutText(s string) string {
	n := 0
	for i := range s {
		if n++; n > 40 {
			return s[:i] + "…"
		}
	}
	return s
}

func (p *parser) word(w string, k Kind) bool {
	if len(p.b)-p.i < len(w) || string(p.b[p.i:p.i+len(w)]) != w {
		if strings.HasPrefix(w, string(p.b[p.i:])) {
			p.i = len(p.b)
		}
		p.stop(BadSyntax, "a value")
		return false
	}
	p.leaf(Node{Kind: k, Start: int32(p.i), End: int32(p.i + len(w))})
	return true
}

func (p *parser) leaf(n Node) {
	n.Next = int32(len(p.d.Nodes)) + 1
	p.d.Nodes = append(p.d.Nodes, n)
	p.i = int(n.End)
}

// notANumber reads what Python writes for numbers that JSON does not have.
func (p *parser) notANumber() bool {
	for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(p.b[p.i:], []byte(w)) {
			p.fault(NotANumber, p.i, w, "a number")
			p.leaf(Node{Kind: Number, Wild: true, Start: int32(p.i), End: int32(p.i + len(w))})
			return true
		}
	}
	p.stop(BadSyntax, "a value")
	return false
}

func digit(c byte) bool { return c-'0' < 10 }

func (p *parser) number() bool {
	b, i := p.b, p.i
	at := func() byte {
		if i < len(b) {
			return b[i]
		}
		return 0
	}
	if at() == '-' {
		i++
	}
	bad := func(want string) bool {
		p.i = i
		p.stop(BadSyntax, want)
		return false
	}
	n := Node{Kind: Number, Int: true, Start: int32(p.i)}
	switch c := at(); {
	case c == '0':
		i++
		if digit(at()) {
			return bad("a number without leading zeros")
		}
	case c >= '1' && c <= '9':
		for digit(at()) {
			i++
		}
	default:
		if i > p.i {
			return bad("a digit")
		}
		return bad("a value")
	}
	if at() == '.' {
		n.Int = false
		i++
		if !digit(at()) {
			return bad("a digit")
		}
		for digit(at()) {
			i++
		}
	}
	if c := at(); c == 'e' || c == 'E' {
		n.Int = false
		i++
		if c := at(); c == '+' || c == '-' {
			i++
		}
		if !digit(at()) {
			return bad("a digit")
		}
		for digit(at()) {
			i++
		}
	}
	n.End = int32(i)
	if !n.Int || i-p.i > 300 { // 1e999 is JSON and fits nothing; a number of 10,000 digits is an attack
		if f, err := strconv.ParseFloat(string(b[p.i:min(i, p.i+1000)]), 64); err != nil || i-p.i > 1000 || f == 0 && i-p.i > 400 {
			n.Wild = true
			p.fault(BadNumber, p.i, cutText(string(b[p.i:i])), "a number that fits 64-bit floating point")
		} else if e := bytes.IndexAny(b[p.i:i], "eE"); e >= 0 {
			if x, err := strconv.Atoi(string(b[p.i+e+1 : i])); err != nil || x < -400 || x > 400 {
				n.Wild = true
				p.fault(BadNumber, p.i, cutText(string(b[p.i:i])), "a number that fits 64-bit floating point")
			}
		}
	}
	p.leaf(n)
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str reads a string, the value or the name at p.i.
func (p *parser) str() bool {
	b, start := p.b, p.i
	n := Node{Kind: String, Start: int32(start)}
	i := start + 1
	for {
		// Eight bytes at a time up to a quote, a backslash or a control character.
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			q, e := x^(ones*'"'), x^(ones*'\\')
			if t := ((x-ones*0x20)&^x | (q-ones)&^q | (e-ones)&^e) & highs; t != 0 {
				i += bits.TrailingZeros64(t) >> 3
				break
			}
			i += 8
		}
		for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
			i++
		}
		if i >= len(b) {
			p.i = i
			p.stop(Cut, "a closing double quote")
			return false
		}
		switch c := b[i]; {
		case c == '"':
			n.End = int32(i + 1)
			if !p.utf8 && !utf8.Valid(b[start:i]) {
				n.Esc = true
				for j := start; j < i; {
					r, w := utf8.DecodeRune(b[j:i])
					if r == utf8.RuneError && w == 1 {
						p.fault(BadUTF8, j, "byte 0x"+strconv.FormatUint(uint64(b[j]), 16), "UTF-8")
						break // one a string: Latin-1 text would give thousands
					}
					j += w
				}
			}
			p.leaf(n)
			return true
		case c < 0x20:
			n.Esc = true
			p.fault(ControlChar, i, strconv.QuoteRune(rune(c)), "an escape such as \\n")
			i++
		default:
			n.Esc = true
			w := p.escape(i)
			if w == 0 {
				p.i = min(i, len(b))
				if i+1 >= len(b) {
					p.i = len(b)
				}
				p.stop(BadSyntax, "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
				return false
			}
			i += w
		}
	}
}

// escape returns the length of the escape at b[i], 0 when it is none.
func (p *parser) escape(i int) int {
	b := p.b
	if i+1 >= len(b) {
		return 0
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(b, i+2)
		if !ok {
			return 0
		}
		if utf16.IsSurrogate(r) {
			if i+12 <= len(b) && b[i+6] == '\\' && b[i+7] == 'u' {
				if lo, ok := hex4(b, i+8); ok && utf16.DecodeRune(r, lo) != utf8.RuneError {
					return 12
				}
			}
			p.fault(LoneSurrogate, i, string(b[i:i+6]), "a pair of surrogates")
		}
		return 6
	}
	return 0
}

func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c-'0' < 10:
			r = r<<4 | rune(c-'0')
		case (c|0x20)-'a' < 6:
			r = r<<4 | rune((c|0x20)-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// RuneCount counts code points; a byte that is not UTF-8 counts as one. valid says
// that b is UTF-8 for sure: then eight bytes are counted at a time.
func RuneCount(b []byte, valid bool) int {
	if !valid {
		return utf8.RuneCount(b)
	}
	n := len(b)
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		n -= bits.OnesCount64(x >> 7 &^ (x >> 6) & ones) // continuation bytes are 10xxxxxx
		b = b[8:]
	}
	for _, c := range b {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

// Raw is the text of a node.
func (d *Doc) Raw(i int) []byte { n := d.Nodes[i]; return d.B[n.Start:n.End] }

// Text is the string at node i without quotes and escapes; for other kinds, its text.
// The bytes may be shared with the line.
func (d *Doc) Text(i int) []byte {
	n := d.Nodes[i]
	if n.Kind != String {
		return d.B[n.Start:n.End]
	}
	if !n.Esc {
		return d.B[n.Start+1 : n.End-1]
	}
	return unescape(d.B[n.Start+1 : n.End-1])
}

// Str is Text as a string.
func (d *Doc) Str(i int) string { return string(d.Text(i)) }

func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		c := b[i]
		if c != '\\' {
			if c < utf8.RuneSelf {
				out = append(out, c)
				i++
				continue
			}
			r, w := utf8.DecodeRune(b[i:])
			out = utf8.AppendRune(out, r)
			i += w
			continue
		}
		i += 2
		switch b[i-1] {
		case 'b', 'f', 'n', 'r', 't':
			out = append(out, "\b\f\n\r\t"[strings.IndexByte("bfnrt", b[i-1])])
		case 'u':
			r, _ := hex4(b, i)
			i += 4
			if utf16.IsSurrogate(r) {
				pair := rune(utf8.RuneError)
				if i+6 <= len(b) && b[i] == '\\' && b[i+1] == 'u' {
					lo, _ := hex4(b, i+2)
					pair = utf16.DecodeRune(r, lo)
				}
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, b[i-1])
		}
	}
	return out
}

// Get returns the value of a member of the object at obj, or -1. Of a repeated name
// it is the last.
func (d *Doc) Get(obj int, name string) int {
	if obj < 0 || obj >= len(d.Nodes) || d.Nodes[obj].Kind != Object {
		return -1
	}
	found := -1
	for i, end := obj+1, int(d.Nodes[obj].Next); i < end; i = int(d.Nodes[i+1].Next) {
		n := d.Nodes[i]
		if !n.Esc && int(n.End-n.Start) == len(name)+2 && string(d.B[n.Start+1:n.End-1]) == name || n.Esc && d.Str(i) == name {
			found = i + 1
		}
	}
	return found
}

// Members yields name node and value node of each member of the object at obj.
func (d *Doc) Members(obj int) func(yield func(name, value int) bool) {
	return func(yield func(int, int) bool) {
		if obj < 0 || obj >= len(d.Nodes) || d.Nodes[obj].Kind != Object {
			return
		}
		for i, end := obj+1, int(d.Nodes[obj].Next); i < end; i = int(d.Nodes[i+1].Next) {
			if !yield(i, i+1) {
				return
			}
		}
	}
}

// Elems yields the elements of the array at arr.
func (d *Doc) Elems(arr int) func(yield func(k, value int) bool) {
	return func(yield func(int, int) bool) {
		if arr < 0 || arr >= len(d.Nodes) || d.Nodes[arr].Kind != Array {
			return
		}
		k := 0
		for i, end := arr+1, int(d.Nodes[arr].Next); i < end; i = int(d.Nodes[i].Next) {
			if !yield(k, i) {
				return
			}
			k++
		}
	}
}

// Pointer is the RFC 6901 pointer to a value, "" for the whole text. For a name it is
// that of its value.
func (d *Doc) Pointer(target int) string {
	var s strings.Builder
	at := 0
walk:
	for at != target {
		switch d.Nodes[at].Kind {
		case Object:
			for k, v := range d.Members(at) {
				if target < int(d.Nodes[v].Next) {
					s.WriteByte('/')
					s.WriteString(escapePointer(d.Str(k)))
					if target == k {
						return s.String()
					}
					at = v
					continue walk
				}
			}
		case Array:
			k, v := 0, at+1
			if d.near[0] == at && d.near[2] <= target {
				k, v = d.near[1], d.near[2]
			}
			for end := int(d.Nodes[at].Next); v < end; k, v = k+1, int(d.Nodes[v].Next) {
				if target < int(d.Nodes[v].Next) {
					s.WriteByte('/')
					s.WriteString(strconv.Itoa(k))
					d.near, at = [3]int{at, k, v}, v
					continue walk
				}
			}
		}
		return s.String() // unreachable unless target is not a node
	}
	return s.String()
}

// Find returns the node that a pointer names, or -1.
func (d *Doc) Find(pointer string) int {
	if len(d.Nodes) == 0 {
		return -1
	}
	at := 0
	for pointer != "" {
		tok, _, _ := strings.Cut(pointer[1:], "/")
		pointer = pointer[1+len(tok):]
		next := -1
		switch d.Nodes[at].Kind {
		case Object:
			next = d.Get(at, strings.ReplaceAll(strings.ReplaceAll(tok, "~1", "/"), "~0", "~"))
		case Array:
			for k, v := range d.Elems(at) {
				if strconv.Itoa(k) == tok {
					next = v
					break
				}
			}
		}
		if next < 0 {
			return -1
		}
		at = next
	}
	return at
}

// Any is the value as encoding/json reads it with UseNumber. Wild numbers are 0: a
// fault reports them, and nothing else should.
func (d *Doc) Any(i int) any {
	n := d.Nodes[i]
	switch n.Kind {
	case False:
		return false
	case True:
		return true
	case Number:
		if n.Wild {
			return json.Number("0")
		}
		return json.Number(d.Raw(i))
	case String:
		return d.Str(i)
	case Array:
		out := make([]any, 0, n.N)
		for _, v := range d.Elems(i) {
			out = append(out, d.Any(v))
		}
		return out
	case Object:
		out := make(map[string]any, n.N)
		for k, v := range d.Members(i) {
			out[d.Str(k)] = d.Any(v)
		}
		return out
	}
	return nil
}
