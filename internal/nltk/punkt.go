package nltk

import (
	"embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/internal/pystr"
)

// tables is NLTK's English model (punkt_tab): Kiss and Strunk's training on the Wall
// Street Journal, as published in github.com/neurosnap/sentences v1.1.2 (MIT), sorted.
//
//go:embed punkt/*.txt punkt/*.tab
var tables embed.FS

type punkt struct {
	abbreviations map[string]bool
	starters      map[string]bool
	collocations  map[[2]string]bool
	ortho         map[string]orthoContext // about 1.6 MB for its 20,366 types
}

// orthoContext says how a type was met in training.
type orthoContext uint8

const (
	begUpper orthoContext = 1 << 1
	midUpper orthoContext = 1 << 2
	unkUpper orthoContext = 1 << 3
	begLower orthoContext = 1 << 4
	midLower orthoContext = 1 << 5
	unkLower orthoContext = 1 << 6
	anyUpper              = begUpper | midUpper | unkUpper
	anyLower              = begLower | midLower | unkLower
)

// english reads the model once, at first need.
var english = sync.OnceValue(func() *punkt {
	p := &punkt{map[string]bool{}, map[string]bool{}, map[[2]string]bool{}, make(map[string]orthoContext, 20400)}
	lines := func(name string, add func(line string)) {
		b, err := tables.ReadFile("punkt/" + name)
		if err != nil {
			panic(err) // embedded: a broken build
		}
		for l := range strings.Lines(string(b)) {
			add(strings.TrimSuffix(l, "\n"))
		}
	}
	lines("abbrev_types.txt", func(l string) { p.abbreviations[l] = true })
	lines("sent_starters.txt", func(l string) { p.starters[l] = true })
	lines("collocations.tab", func(l string) {
		a, b, _ := strings.Cut(l, "\t")
		p.collocations[[2]string{a, b}] = true
	})
	lines("ortho_context.tab", func(l string) {
		word, n, _ := strings.Cut(l, "\t")
		v, err := strconv.ParseUint(n, 10, 8)
		if err != nil {
			panic(err)
		}
		p.ortho[word] = orthoContext(v)
	})
	return p
})

// SentTokenize is nltk.sent_tokenize(text): the sentences of an English text, each
// without the blanks that follow it.
func SentTokenize(text string) []string {
	spans := realign(text, breaks(text))
	var out []string
	for _, s := range spans {
		out = append(out, text[min(s[0], s[1]):s[1]])
	}
	return out
}

// mayBreak reports whether text has a place where a sentence could end before the text
// does.
func mayBreak(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '.', '?', '!':
			if _, _, ok := contextAt(text, i); ok {
				return true
			}
		}
	}
	return false
}

// nonWord are the characters that cannot be within a word.
func nonWord(c byte) bool {
	switch c {
	case ')', '"', ';', '}', ']', '*', ':', '@', '\'', '(', '{', '[', '?', '!':
		return true
	}
	return false
}

// contextAt says what follows the possible sentence end at text[i]: next is where the
// next token begins (-1: punctuation follows at once), after the end of what is looked at.
func contextAt(text string, i int) (next, after int, ok bool) {
	j := i + 1
	if j < len(text) && nonWord(text[j]) {
		return -1, j + 1, true
	}
	k := skip(text, j, true)
	if k == j || k == len(text) {
		return 0, 0, false
	}
	return k, skip(text, k, false), true
}

// skip returns the end of the run of blanks, or of other characters, that starts at i.
func skip(text string, i int, blanks bool) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if pystr.IsSpace(r) != blanks {
			break
		}
		i += n
	}
	return i
}

// candidate is one possible sentence end, the word before it included.
type candidate struct{ wordStart, at, next, after int }

// breaks cuts text at the candidates that Punkt takes for sentence ends; spans are
// [start, end) in bytes.
func breaks(text string) [][2]int {
	var out [][2]int
	last := 0
	decide := func(c candidate) {
		if !hasBreak(text[c.wordStart:c.after]) {
			return
		}
		out = append(out, [2]int{last, c.at + 1})
		last = c.at + 1
		if c.next >= 0 {
			last = c.next
		}
	}
	var prev candidate
	have := false
	prevStop := 0 // end of the word before prev's character
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '.' && c != '?' && c != '!' {
			continue
		}
		next, after, ok := contextAt(text, i)
		if !ok {
			continue
		}
		// The word before starts after the last ASCII blank since the word before that
		// one ended. A blank at the very start counts for none, as in the original.
		start := strings.LastIndexAny(text[prevStop:i], " \t\n\r\v\f")
		if start > 0 {
			start += prevStop + 1
		} else if have {
			start = prev.wordStart
		} else {
			start = 0
		}
		if have && prevStop <= start {
			decide(prev)
		}
		prev, have, prevStop = candidate{start, i, next, after}, true, i
	}
	if have {
		decide(prev)
	}
	return append(out, [2]int{last, len(trimRight(text))})
}

// realign gives closing punctuation after a sentence end to that sentence.
func realign(text string, spans [][2]int) [][2]int {
	var out [][2]int
	shift := 0
	for i, s := range spans {
		s[0] += shift
		full := s[0] < s[1]
		if i+1 == len(spans) {
			if full {
				out = append(out, s)
			}
			break
		}
		next := spans[i+1]
		body := ""
		if next[0] < next[1] {
			body = text[next[0]:next[1]]
		}
		closers, all := closing(body)
		if all > 0 {
			out = append(out, [2]int{s[0], next[0] + closers})
		} else if full {
			out = append(out, s)
		}
		shift = all
	}
	return out
}

// closing is ["')\]}]+?(?:\s+|(?=--)|$) at the start of s: the length without and with
// the blanks that follow; 0, 0 where there is none.
func closing(s string) (closers, all int) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"', '\'', ')', ']', '}':
		default:
			return 0, 0
		}
		j := i + 1
		if k := skip(s, j, true); k > j {
			return j, k
		}
		if j == len(s) || strings.HasPrefix(s[j:], "--") {
			return j, j
		}
	}
	return 0, 0
}

// hasBreak reports whether a sentence ends in context before its last token.
func hasBreak(context string) bool {
	toks := punktTokens(context)
	p := english()
	for i := range toks {
		p.first(&toks[i])
	}
	// The second pass looks at a token and the one after it, which is not yet decided.
	for i := range toks[:max(len(toks)-1, 0)] {
		p.second(&toks[i], &toks[i+1])
		if toks[i].sentBreak {
			return true
		}
	}
	return false
}

type token struct {
	text, typ                 string
	final                     bool // ends with a period
	abbr, ellipsis, sentBreak bool
}

// punktTokens splits a text into Punkt's words, line by line.
func punktTokens(text string) []token {
	var out []token
	for line := range strings.SplitSeq(text, "\n") {
		for i := 0; i < len(line); {
			if n := skip(line, i, true); n > i {
				i = n
				continue
			}
			end := wordEnd(line, i)
			out = append(out, newToken(line[i:end]))
			i = end
		}
	}
	return out
}

// multiChar returns the end of the dashes or dots, blanks between them allowed, that
// start at i; i where there are none.
func multiChar(s string, i int) int {
	run := func(c byte) int {
		j := i
		for j < len(s) && s[j] == c {
			j++
		}
		if j-i >= 2 {
			return j
		}
		return i
	}
	if j := run('-'); j > i {
		return j
	}
	if j := run('.'); j > i {
		return j
	}
	// (?:\.\s){2,}\. : at least three dots with one blank between.
	dots, j, end := 0, i, i
	for j < len(s) && s[j] == '.' {
		dots++
		if dots >= 3 {
			end = j + 1
		}
		r, n := utf8.DecodeRuneInString(s[j+1:])
		if n == 0 || !pystr.IsSpace(r) {
			break
		}
		j += 1 + n
	}
	return end
}

// wordEnd returns the end of the token that starts at i, which is not a blank.
func wordEnd(s string, i int) int {
	if j := multiChar(s, i); j > i {
		return j
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	if strings.IndexByte("(\"`{[:;&#*@)}]-,", s[i]) >= 0 {
		return i + n
	}
	stops := func(j int) bool {
		if j >= len(s) || nonWord(s[j]) {
			return true
		}
		if r, _ := utf8.DecodeRuneInString(s[j:]); pystr.IsSpace(r) {
			return true
		}
		return multiChar(s, j) > j
	}
	j := i + n
	for !stops(j) && !(s[j] == ',' && stops(j+1)) {
		_, n = utf8.DecodeRuneInString(s[j:])
		j += n
	}
	return j
}

func newToken(s string) token {
	t := token{text: s, typ: pystr.Lower(s), final: strings.HasSuffix(s, ".")}
	if isNumeric(t.typ) {
		t.typ = "##number##"
	}
	return t
}

// isNumeric is ^-?[\.,]?\d[\d,\.-]*\.?$ .
func isNumeric(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s != "" && (s[0] == '.' || s[0] == ',') {
		s = s[1:]
	}
	for i, r := range s {
		if !pystr.IsDigit(r) && (i == 0 || r != ',' && r != '.' && r != '-') {
			return false
		}
	}
	return s != ""
}

func (t *token) typeNoPeriod() string {
	if len(t.typ) > 1 {
		return strings.TrimSuffix(t.typ, ".")
	}
	return t.typ
}

func (t *token) typeNoSentPeriod() string {
	if t.sentBreak {
		return t.typeNoPeriod()
	}
	return t.typ
}

// initial is [^\W\d]\.$ : one letter and a period.
func (t *token) initial() bool {
	r, n := utf8.DecodeRuneInString(t.text)
	return t.text[n:] == "." && pystr.IsWord(r) && !pystr.IsDigit(r)
}

func (t *token) firstRune() rune { r, _ := utf8.DecodeRuneInString(t.text); return r }

// first marks a token by its type alone.
func (p *punkt) first(t *token) {
	switch {
	case t.text == "." || t.text == "?" || t.text == "!":
		t.sentBreak = true
	case len(t.text) >= 2 && strings.Trim(t.text, ".") == "":
		t.ellipsis = true
	case t.final && !strings.HasSuffix(t.text, ".."):
		word := pystr.Lower(t.text[:len(t.text)-1])
		if p.abbreviations[word] || p.abbreviations[word[strings.LastIndexByte(word, '-')+1:]] {
			t.abbr = true
		} else {
			t.sentBreak = true
		}
	}
}

// second decides again by the token that follows.
func (p *punkt) second(t, next *token) {
	if !t.final {
		return
	}
	typ, nextTyp, initial := t.typeNoPeriod(), next.typeNoSentPeriod(), t.initial()
	if p.collocations[[2]string{typ, nextTyp}] {
		t.sentBreak, t.abbr = false, true
		return
	}
	if (t.abbr || t.ellipsis) && !initial {
		if p.starts(next) == yes || pystr.IsUpper(next.firstRune()) && p.starters[nextTyp] {
			t.sentBreak = true
			return
		}
	}
	if initial || typ == "##number##" {
		switch s := p.starts(next); {
		case s == no, s == unknown && initial && pystr.IsUpper(next.firstRune()) && p.ortho[nextTyp]&anyLower == 0:
			t.sentBreak, t.abbr = false, true
		}
	}
}

type answer int

const (
	unknown answer = iota
	yes
	no
)

// starts is the orthographic heuristic: does the token start a sentence?
func (p *punkt) starts(t *token) answer {
	if len(t.text) == 1 && strings.Contains(";:,.!?", t.text) {
		return no
	}
	c := p.ortho[t.typeNoSentPeriod()]
	switch r := t.firstRune(); {
	case pystr.IsUpper(r) && c&anyLower != 0 && c&midUpper == 0:
		return yes
	case pystr.IsLower(r) && (c&anyUpper != 0 || c&begLower == 0):
		return no
	}
	return unknown
}
