package pattern

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A need is what every text that matches an expression has: one literal of each set,
// and, where the expression starts at the start of the text, a literal of lead there.
// It is taken from the syntax tree bottom up, as RE2's FilteredRE2 does; here the
// literals stay a conjunction of sets.
type need struct {
	lead *set
	sets []*set
}

// in reports whether s has it all.
func (n *need) in(s string) bool {
	if n.lead != nil && !n.lead.starts(s) {
		return false
	}
	for _, set := range n.sets {
		if !set.in(s) {
			return false
		}
	}
	return true
}

const (
	maxSets     = 2    // the longest literals tell most; more sets cost more than they spare
	maxLiterals = 1024 // in a set
	maxExact    = 48   // literals of a part that is nothing but a choice of literals
	maxClass    = 24   // characters of a class
)

// needOf reads an expression. The zero need, which every text has, is used for an expression that does not parse: compiling it gives the reason.
func needOf(expr string) need {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return need{}
	}
	p := read(re)
	p.flush()
	anyCase := ignoresCase(re)
	var n need
	if p.lead != nil {
		n.lead = newSet(p.lead, anyCase)
	}
	slices.SortStableFunc(p.sets, byWorth)
	for _, lits := range p.sets {
		if len(n.sets) < maxSets && !slices.Equal(lits, p.lead) {
			n.sets = append(n.sets, newSet(lits, anyCase))
		}
	}
	return n
}

// ignoresCase reports whether a letter of the expression also matches its other cases.
func ignoresCase(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, ignoresCase)
}

// A part is what is known of a part of an expression.
type part struct {
	exact []string   // all texts that it matches, if these are few; then sets is empty
	sets  [][]string // a match has a literal of each
	begin bool       // starts at the start of the text
	lead  []string   // one of them is there; nil: unknown
}

// flush turns exact into a set.
func (p *part) flush() {
	if p.exact == nil {
		return
	}
	if useful(p.exact) {
		p.sets = append(p.sets, p.exact)
		if p.begin && p.lead == nil {
			p.lead = p.exact
		}
	}
	p.exact = nil
}

func useful(lits []string) bool {
	return len(lits) > 0 && len(lits) <= maxLiterals && !slices.Contains(lits, "")
}

// byWorth puts the set first that fewer texts have: longer literals, then fewer.
func byWorth(a, b []string) int {
	if d := min(3, shortest(b)) - min(3, shortest(a)); d != 0 {
		return d
	}
	return len(a) - len(b)
}

func shortest(lits []string) int {
	n := 1 << 30
	for _, l := range lits {
		n = min(n, utf8.RuneCountInString(l))
	}
	return n
}

var nothing = []string{""} // matches the empty text only

func read(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpBeginText:
		return part{exact: nothing, begin: true}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{exact: nothing}
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, utf8.RuneError) { // an invalid byte matches it too
			return part{}
		}
		return part{exact: []string{string(re.Rune)}}
	case syntax.OpCharClass:
		var lits []string
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= utf8.RuneError && utf8.RuneError <= re.Rune[i+1] || int(re.Rune[i+1]-re.Rune[i])+len(lits) >= maxClass {
				return part{}
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				lits = append(lits, string(r))
			}
		}
		return part{exact: lits}
	case syntax.OpCapture:
		return read(re.Sub[0])
	case syntax.OpPlus:
		return inner(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return inner(re.Sub[0])
		}
		if re.Max == 1 {
			return optional(re.Sub[0])
		}
	case syntax.OpQuest:
		return optional(re.Sub[0])
	case syntax.OpConcat:
		return concat(re.Sub)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return part{}
}

// inner is what a match of one or more has.
func inner(re *syntax.Regexp) part {
	p := read(re)
	p.flush()
	return p
}

func optional(re *syntax.Regexp) part {
	if p := read(re); p.exact != nil && !p.begin {
		return part{exact: union(p.exact, nothing)}
	}
	return part{}
}

func concat(subs []*syntax.Regexp) part {
	out := part{exact: nothing}
	whole := true // out.exact is all that there is so far
	for _, sub := range subs {
		p := read(sub)
		out.begin = out.begin || whole && p.begin
		if p.exact != nil && out.exact != nil && len(p.exact)*len(out.exact) <= maxExact {
			out.exact = cross(out.exact, p.exact)
			continue
		}
		out.flush()
		if whole && p.begin && p.lead != nil {
			out.lead = p.lead
		}
		out.begin = out.lead != nil // what comes now is not at the start
		out.sets, out.exact, whole = append(out.sets, p.sets...), p.exact, false
	}
	if !whole {
		out.flush()
	}
	return out
}

func cross(a, b []string) (out []string) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func union(a, b []string) []string {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// alternate has one of the best sets of its branches.
func alternate(subs []*syntax.Regexp) part {
	var exact, any []string
	isExact, has, begin := true, true, true
	var lead []string
	for _, sub := range subs {
		p := read(sub)
		begin = begin && p.begin
		if p.exact == nil || p.begin {
			isExact = false
		} else {
			exact = union(exact, p.exact)
		}
		p.flush()
		if begin = begin && p.lead != nil; begin {
			lead = union(lead, p.lead)
		}
		if len(p.sets) == 0 {
			has = false
			continue
		}
		any = union(any, slices.MinFunc(p.sets, byWorth))
	}
	out := part{}
	if isExact && len(exact) <= maxExact {
		return part{exact: exact}
	}
	if has && useful(any) {
		out.sets = [][]string{any}
	}
	if begin && useful(lead) {
		out.begin, out.lead = true, lead
	}
	return out
}

// A set finds whether a text has one of its literals, in one pass.
type set struct {
	anyCase bool                // literals are folded, and so is the text
	heads   [8]uint64           // a filter of first characters, see head
	byHead  [headSlots][]string // literals by their first character
}

const headSlots = 32

func head(r rune) (word, bit int) {
	h := uint32(r) ^ uint32(r)>>9
	return int(h >> 6 & 7), int(h & 63)
}

func newSet(lits []string, anyCase bool) *set {
	s := &set{anyCase: anyCase}
	for _, l := range lits {
		if anyCase {
			l = strings.Map(fold, l)
		}
		r, _ := utf8.DecodeRuneInString(l)
		w, b := head(r)
		s.heads[w] |= 1 << b
		if at := &s.byHead[r%headSlots]; !slices.Contains(*at, l) {
			*at = append(*at, l)
		}
	}
	return s
}

// in reports whether text has one of the literals.
func (s *set) in(text string) bool {
	for i, r := range text {
		if s.at(text[i:], r) {
			return true
		}
	}
	return false
}

// starts reports whether text starts with one of the literals.
func (s *set) starts(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && s.at(text, r)
}

// at reports whether text, whose first character is r, starts with a literal.
func (s *set) at(text string, r rune) bool {
	if s.anyCase {
		r = fold(r)
	}
	w, b := head(r)
	if s.heads[w]>>b&1 == 0 {
		return false
	}
	for _, l := range s.byHead[r%headSlots] {
		if s.anyCase && hasFoldedPrefix(text, l) || !s.anyCase && strings.HasPrefix(text, l) {
			return true
		}
	}
	return false
}

func hasFoldedPrefix(text, l string) bool {
	for _, want := range l {
		r, n := utf8.DecodeRuneInString(text)
		if n == 0 || fold(r) != want {
			return false
		}
		text = text[n:]
	}
	return true
}

// fold is the smallest of the characters that differ from r by case only, as in
// package regexp.
func fold(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r - 'a' + 'A'
	case r < utf8.RuneSelf || 0x2E80 <= r && r < 0xA000: // no case: signs, digits, Han, kana
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
