package depparse

import (
	"unicode"
	"unicode/utf8"
)

// A token is what features see of a word: hashes of its parts.
type token struct {
	word, suffix3, suffix2, prefix, shape uint32
	tag                                   uint32 // class of the tagger plus one
}

const (
	offset32 = 2166136261
	prime32  = 16777619
)

func hash(s string) uint32 {
	h := uint32(offset32)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i])) * prime32
	}
	return h
}

// mix is the feature of a template with up to three values.
func mix(template, a, b, c uint32) uint32 {
	h := template*0x9E3779B1 ^ a
	h *= 0x85EBCA6B
	h ^= h>>15 ^ b
	h *= 0xC2B2AE35
	h ^= h>>13 ^ c
	h *= 0x27D4EB2F
	return h ^ h>>16
}

// tokensOf prepares the words of a sentence.
func tokensOf(ws []Word) []token {
	ts := make([]token, len(ws))
	var low [64]byte
	for i, w := range ws {
		b := low[:0]
		shape := uint32(0) // letters, capitals, digits, others that occur, and a capital first
		for k, r := range w.Form {
			switch {
			case unicode.IsUpper(r):
				shape |= 1
				if k == 0 {
					shape |= 2
				}
				r = unicode.ToLower(r)
			case unicode.IsLetter(r):
				shape |= 4
			case unicode.IsDigit(r):
				shape |= 8
				r = '0' // numbers of one length are alike
			case r == '’':
				r = '\''
				shape |= 16
			default:
				shape |= 16
			}
			if len(b) < len(low)-utf8.UTFMax {
				b = utf8.AppendRune(b, r)
			}
		}
		if i == 0 {
			shape |= 32
		}
		s := string(b)
		t := &ts[i]
		t.word, t.shape = hash(s), shape
		t.suffix3, t.suffix2, t.prefix = hash(s[max(0, len(s)-3):]), hash(s[max(0, len(s)-2):]), hash(s[:min(len(s), 2)])
	}
	return ts
}

var nothing = token{word: 1, suffix3: 1, suffix2: 1, prefix: 1, shape: 1 << 10}

func at(ts []token, i int) *token {
	if i < 0 || i >= len(ts) {
		return &nothing
	}
	return &ts[i]
}

// tagFeatures of word i; the words before it have their tags.
func tagFeatures(fs []uint32, ts []token, i int) []uint32 {
	w, p, pp, n, nn := at(ts, i), at(ts, i-1), at(ts, i-2), at(ts, i+1), at(ts, i+2)
	return append(fs[:0],
		mix(1, w.word, 0, 0), mix(2, w.suffix3, 0, 0), mix(3, w.suffix2, 0, 0), mix(4, w.prefix, w.suffix2, 0), mix(5, w.shape, 0, 0),
		mix(6, p.tag, 0, 0), mix(7, p.tag, pp.tag, 0), mix(8, p.tag, w.word, 0), mix(9, p.word, 0, 0), mix(10, p.word, w.word, 0),
		mix(11, n.word, 0, 0), mix(12, n.word, w.word, 0), mix(13, n.suffix3, 0, 0), mix(14, nn.word, 0, 0), mix(15, pp.word, 0, 0),
		mix(16, p.tag, w.suffix3, 0), mix(17, w.shape, p.tag, 0), mix(18, n.shape, w.suffix3, 0), mix(19, p.tag, n.suffix3, w.suffix2), mix(20, p.tag, n.word, 0))
}

// A state of the parser: a stack of words, the word that comes next, the arcs so far.
type state struct {
	ts    []token
	stack []int
	next  int
	head  []int   // -1: none yet
	left  []int32 // outermost dependent to the left, -1: none
	right []int32
	nl    []uint8 // how many dependents
	nr    []uint8
}

func newState(ts []token) *state {
	n := len(ts)
	s := &state{ts: ts, stack: make([]int, 0, 16), head: make([]int, n)}
	buf := make([]int32, 2*n)
	s.left, s.right = buf[:n], buf[n:]
	num := make([]uint8, 2*n)
	s.nl, s.nr = num[:n], num[n:]
	for i := range n {
		s.head[i], s.left[i], s.right[i] = -1, -1, -1
	}
	return s
}

func (s *state) outer(i int, right bool) (*token, uint32) {
	if i < 0 || i >= len(s.ts) {
		return &nothing, 0
	}
	if right {
		return at(s.ts, int(s.right[i])), uint32(min(s.nr[i], 3))
	}
	return at(s.ts, int(s.left[i])), uint32(min(s.nl[i], 3))
}

func (s *state) peek(k int) int {
	if k >= len(s.stack) {
		return -1
	}
	return s.stack[len(s.stack)-1-k]
}

// moveFeatures of a state.
func moveFeatures(fs []uint32, s *state) []uint32 {
	i0, i1, i2 := s.peek(0), s.peek(1), s.peek(2)
	s0, s1, s2 := at(s.ts, i0), at(s.ts, i1), at(s.ts, i2)
	b0, b1, b2 := at(s.ts, s.next), at(s.ts, s.next+1), at(s.ts, s.next+2)
	s0l, nl := s.outer(i0, false)
	s0r, nr := s.outer(i0, true)
	s1l, _ := s.outer(i1, false)
	s1r, nr1 := s.outer(i1, true)
	b0l, nlb := s.outer(s.next, false)
	gap, gap1 := uint32(0), uint32(0)
	if i0 >= 0 {
		gap = uint32(min(s.next-i0, 6))
	}
	if i1 >= 0 {
		gap1 = uint32(min(i0-i1, 6))
	}
	end := uint32(0)
	if s.next == len(s.ts) {
		end = 1
	}
	return append(fs[:0],
		mix(1, s0.word, s0.tag, 0), mix(2, s0.word, 0, 0), mix(3, s0.tag, 0, 0), mix(4, s1.word, s1.tag, 0), mix(5, s1.tag, 0, 0), mix(6, s1.word, 0, 0),
		mix(7, b0.word, b0.tag, 0), mix(8, b0.word, 0, 0), mix(9, b0.tag, end, 0), mix(10, b1.word, b1.tag, 0), mix(11, b1.tag, 0, 0), mix(12, b2.tag, b2.word, 0), mix(13, s2.tag, 0, 0),
		mix(14, s0.word, b0.word, 0), mix(15, s0.tag, b0.tag, 0), mix(16, s0.word, b0.tag, 0), mix(17, s0.tag, b0.word, 0), mix(18, s0.tag, b0.tag, gap), mix(19, s0.word, b0.tag, gap),
		mix(20, s1.word, s0.word, 0), mix(21, s1.tag, s0.tag, 0), mix(22, s1.word, s0.tag, 0), mix(23, s1.tag, s0.word, 0), mix(24, s1.tag, s0.tag, gap1),
		mix(25, s0.tag, b0.tag, b1.tag), mix(26, s1.tag, s0.tag, b0.tag), mix(27, s2.tag, s1.tag, s0.tag), mix(28, b0.tag, b1.tag, b2.tag),
		mix(29, s0.tag, s0r.tag, b0.tag), mix(30, s0.tag, s0l.tag, b0.tag), mix(31, s1.tag, s1r.tag, s0.tag), mix(32, s1.tag, s1l.tag, s0.tag), mix(33, s0.tag, b0l.tag, b0.tag),
		mix(34, s0.word, nl, nr), mix(35, s0.tag, nl, nr), mix(36, b0.tag, nlb, 0), mix(37, s1.tag, nr1, s0.tag), mix(38, s1.word, s0.tag, b0.tag), mix(39, s1.tag, s0.word, b0.tag), mix(40, s1.tag, s0.tag, b0.word),
		mix(41, s0r.word, s0.tag, 0), mix(42, s0l.word, s0.tag, 0), mix(43, s0.tag, b0.word, gap), mix(44, b0l.word, b0.tag, 0))
}

// labelFeatures of the arc from word i to its head.
func labelFeatures(fs []uint32, s *state, i int) []uint32 {
	h := s.head[i]
	d, g := at(s.ts, i), at(s.ts, h)
	dir := uint32(0)
	switch {
	case h < 0:
		dir = 15
	case h < i:
		dir = uint32(min(i-h, 4))
	default:
		dir = 8 + uint32(min(h-i, 4))
	}
	dp, dn, gp, gn := at(s.ts, i-1), at(s.ts, i+1), at(s.ts, h-1), at(s.ts, h+1)
	if h < 0 {
		gp, gn = &nothing, &nothing
	}
	dl, nl := s.outer(i, false)
	dr, nr := s.outer(i, true)
	gl, gnl := s.outer(h, false)
	gr, gnr := s.outer(h, true)
	return append(fs[:0],
		mix(1, d.word, d.tag, 0), mix(2, g.word, g.tag, dir), mix(3, d.tag, g.tag, dir), mix(4, d.word, g.tag, dir), mix(5, d.tag, g.word, dir), mix(6, d.word, g.word, 0),
		mix(7, d.tag, dl.tag, g.tag), mix(8, d.tag, dl.word, g.tag), mix(9, d.tag, dr.tag, g.tag), mix(10, dp.tag, d.tag, dn.tag), mix(11, gp.tag, g.tag, gn.tag),
		mix(12, gl.word, g.tag, d.tag), mix(13, gl.tag, g.tag, gnl<<8|dir), mix(14, gr.tag, gnr<<8|dir, d.tag), mix(15, dp.word, d.tag, dir), mix(16, d.suffix3, d.tag, g.tag), mix(17, nl, nr, d.tag<<8|dir),
		mix(18, dl.word, d.word, 0), mix(19, gr.word, g.word, d.tag))
}
