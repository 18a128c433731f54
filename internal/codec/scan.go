package codec

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Scanner walks JSON text without making Go values of it: the strict grammar of
// this package (duplicate names, lone surrogates, UTF-8, depth), for the loops over
// millions of lines. It says only whether a text is good: what it rejects goes to
// Unmarshal, which says where and why. A test holds the two equal.
//
// Slices it returns are parts of the text, or valid until the next call. After the
// first fault every method returns false or nil.
type Scanner struct {
	b      []byte
	i      int
	bad    bool
	levels []level
	names  []span // of the objects that are open, innermost last
	text   []byte // names that had escapes, unquoted
	shapes [4]shape
}

type level struct {
	base    int32 // into names
	first   bool
	object  bool
	follows bool                // the names so far are those of the shape of its depth
	set     map[string]struct{} // names, beyond the first manyNames
}

// A shape is the first names of the last object of a depth, unchanged, with quotes and colon.
// The next object mostly has the same, in that order, which is one comparison a name.
type shape struct {
	text []byte
	ends []int
}

// at returns the name of member k, nil when there is none.
func (s *shape) at(k int) []byte {
	switch {
	case k >= len(s.ends):
		return nil
	case k == 0:
		return s.text[:s.ends[0]]
	}
	return s.text[s.ends[k-1]:s.ends[k]]
}

// learn makes a name member k, the last one.
func (s *shape) learn(k int, name []byte) {
	end := 0
	if k > 0 {
		end = s.ends[k-1]
	}
	s.text = append(append(append(s.text[:end], '"'), name...), `":`...)
	s.ends = append(s.ends[:k], len(s.text))
}

type span struct {
	from, to int32
	text     bool // of Scanner.text
}

const (
	manyNames = 24
	longName  = 256 // bytes
)

// Reset starts on b. valid says that b is known to be UTF-8.
func (s *Scanner) Reset(b []byte, valid bool) {
	s.b, s.i, s.bad = b, 0, false
	s.levels, s.names, s.text = s.levels[:0], s.names[:0], s.text[:0]
	if !valid && !utf8.Valid(b) {
		s.bad = true
	}
}

// A Mark is a place to go back to.
type Mark struct{ i, names, text int }

// Mark returns the place before the next value.
func (s *Scanner) Mark() Mark { return Mark{s.i, len(s.names), len(s.text)} }

// Back returns to a place in the object or array that is open, to read the values
// after it again. It does not undo a fault.
func (s *Scanner) Back(m Mark) { s.i, s.names, s.text = m.i, s.names[:m.names], s.text[:m.text] }

// Kind is the first byte of the next value: '{', '[', '"', 't', 'f', 'n', '0' for a
// number, 0 for the end or a fault.
func (s *Scanner) Kind() byte {
	if s.bad {
		return 0
	}
	s.space()
	if s.i >= len(s.b) {
		return 0
	}
	switch c := s.b[s.i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// Offset is the scanner's position: after Kind, at the first byte of the value.
func (s *Scanner) Offset() int { return s.i }

// Since is the text from an Offset to the scanner's position: a value that was read.
func (s *Scanner) Since(offset int) []byte { return s.b[offset:s.i] }

// OK reports whether no fault was met.
func (s *Scanner) OK() bool { return !s.bad }

// End reports whether the text was one good value and nothing follows.
func (s *Scanner) End() bool {
	s.space()
	return !s.bad && s.i == len(s.b) && len(s.levels) == 0
}

func (s *Scanner) fail() bool { s.bad = true; return false }

func (s *Scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

func (s *Scanner) enter(c byte) bool {
	if s.bad {
		return false
	}
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != c || len(s.levels) >= MaxDepth {
		return s.fail()
	}
	s.i++
	s.levels = append(s.levels, level{base: int32(len(s.names)), first: true, object: c == '{', follows: len(s.levels) < len(s.shapes)})
	return true
}

// Object enters an object; Member steps through it.
func (s *Scanner) Object() bool { return s.enter('{') }

// Array enters an array; Element steps through it.
func (s *Scanner) Array() bool { return s.enter('[') }

// next steps over a comma, or leaves the level at its end.
func (s *Scanner) next(end byte) bool {
	if s.bad || len(s.levels) == 0 {
		return s.fail()
	}
	l := &s.levels[len(s.levels)-1]
	if l.object != (end == '}') {
		return s.fail()
	}
	s.space()
	if s.i >= len(s.b) {
		return s.fail()
	}
	if s.b[s.i] == end {
		s.i++
		s.names = s.names[:l.base]
		s.levels = s.levels[:len(s.levels)-1]
		return false
	}
	if !l.first {
		if s.b[s.i] != ',' {
			return s.fail()
		}
		s.i++
		s.space()
	}
	l.first = false
	return true
}

// Element reports whether another element follows; at the end it leaves the array.
func (s *Scanner) Element() bool { return s.next(']') }

// Member returns the next member's name, unquoted, and steps to its value; at the end
// it leaves the object and ok is false.
func (s *Scanner) Member() (name []byte, ok bool) {
	if !s.next('}') {
		return nil, false
	}
	from := s.i + 1
	depth := len(s.levels) - 1
	l := &s.levels[depth]
	k := len(s.names) - int(l.base)
	if l.follows {
		if want := s.shapes[depth].at(k); want != nil && len(s.b)-s.i >= len(want) && string(s.b[s.i:s.i+len(want)]) == string(want) {
			s.i += len(want)
			s.names = append(s.names, span{from: int32(from), to: int32(s.i - 2)})
			return s.b[from : s.i-2], true
		}
	}
	name, escaped, ok := s.String()
	if !ok {
		return nil, false
	}
	sp := span{from: int32(from), to: int32(from + len(name))}
	if escaped {
		sp = span{from: int32(len(s.text)), text: true}
		s.text = AppendUnescaped(s.text, name)
		sp.to = int32(len(s.text))
		name = s.text[sp.from:]
	}
	if !s.distinct(name) {
		return nil, s.fail()
	}
	s.names = append(s.names, sp)
	if l.follows = l.follows && !escaped && k < manyNames && len(name) < longName; l.follows {
		s.shapes[depth].learn(k, name)
	}
	s.space()
	if s.i >= len(s.b) || s.b[s.i] != ':' {
		return nil, s.fail()
	}
	s.i++
	return name, true
}

func (s *Scanner) nameAt(sp span) []byte {
	if sp.text {
		return s.text[sp.from:sp.to]
	}
	return s.b[sp.from:sp.to]
}

func (s *Scanner) distinct(name []byte) bool {
	l := &s.levels[len(s.levels)-1]
	seen := s.names[l.base:]
	if len(seen) < manyNames {
		for _, sp := range seen {
			if int(sp.to-sp.from) == len(name) && string(s.nameAt(sp)) == string(name) {
				return false
			}
		}
		return true
	}
	if l.set == nil {
		l.set = make(map[string]struct{}, 2*manyNames)
		for _, sp := range seen {
			l.set[string(s.nameAt(sp))] = struct{}{}
		}
	}
	if _, ok := l.set[string(name)]; ok {
		return false
	}
	l.set[string(name)] = struct{}{}
	return true
}

// String reads a string and returns what is between its quotes; escaped says that
// this holds escapes, see AppendUnescaped.
func (s *Scanner) String() (body []byte, escaped, ok bool) {
	if s.bad {
		return nil, false, false
	}
	s.space()
	b, i := s.b, s.i
	if i >= len(b) || b[i] != '"' {
		return nil, false, s.fail()
	}
	i++
	start := i
	for {
		// Eight bytes at a time to the next quote, backslash or control character.
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			const ones, highs = 0x0101010101010101, 0x8080808080808080
			q, e := x^(ones*'"'), x^(ones*'\\')
			if m := ((q-ones)&^q | (e-ones)&^e | (x-ones*0x20)&^x) & highs; m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(b) {
			return nil, false, s.fail()
		}
		switch c := b[i]; {
		case c == '"':
			s.i = i + 1
			return b[start:i], escaped, true
		case c == '\\':
			escaped = true
			n := escapeLen(b[i:])
			if n == 0 {
				return nil, false, s.fail()
			}
			i += n
		case c < 0x20:
			return nil, false, s.fail()
		default:
			i++
		}
	}
}

// escapeLen is the length of the escape, or pair of surrogates, that b starts with; 0
// when it is none.
func escapeLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		r, ok := hex4(b)
		switch {
		case !ok || r >= 0xdc00 && r <= 0xdfff:
			return 0
		case r >= 0xd800 && r <= 0xdbff:
			if low, ok := hex4(b[6:]); ok && low >= 0xdc00 && low <= 0xdfff {
				return 12
			}
			return 0
		}
		return 6
	}
	return 0
}

// hex4 reads \uXXXX at the start of b.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// AppendUnescaped appends the text of a string body that Scanner.String returned.
func AppendUnescaped(dst, body []byte) []byte {
	for i := 0; i < len(body); {
		c := body[i]
		if c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		switch c = body[i+1]; c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, _ := hex4(body[i:])
			i += 6
			if r >= 0xd800 && r <= 0xdbff {
				low, _ := hex4(body[i:])
				r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
		i += 2
	}
	return dst
}

// Number reads a number and returns its text.
func (s *Scanner) Number() (text []byte, ok bool) {
	if s.bad {
		return nil, false
	}
	s.space()
	b, i := s.b, s.i
	start := i
	if i < len(b) && b[i] == '-' {
		i++
	}
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return nil, s.fail()
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return nil, s.fail()
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return nil, s.fail()
		}
	}
	s.i = i
	return b[start:i], true
}

// Literal reads true, false or null and returns its first byte.
func (s *Scanner) Literal() (c byte, ok bool) {
	if s.bad {
		return 0, false
	}
	s.space()
	for _, word := range [3]string{"null", "true", "false"} {
		if len(s.b)-s.i >= len(word) && string(s.b[s.i:s.i+len(word)]) == word {
			s.i += len(word)
			return word[0], true
		}
	}
	return 0, s.fail()
}

// Skip reads any value and returns its text.
func (s *Scanner) Skip() (raw []byte, ok bool) {
	if s.bad {
		return nil, false
	}
	s.space()
	start := s.i
	floor := len(s.levels)
	for {
		switch s.Kind() {
		case '{':
			s.Object()
		case '[':
			s.Array()
		case '"':
			s.String()
		case '0':
			s.Number()
		default:
			s.Literal()
		}
		// Step to the next value of the innermost level that has one.
		for {
			if s.bad {
				return nil, false
			}
			if len(s.levels) == floor {
				return s.b[start:s.i], true
			}
			more := false
			if s.levels[len(s.levels)-1].object {
				_, more = s.Member()
			} else {
				more = s.Element()
			}
			if more {
				break
			}
		}
	}
}
