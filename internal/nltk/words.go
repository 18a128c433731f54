package nltk

import (
	"unicode/utf8"

	"membench/internal/pystr"
)

// WordTokenize is nltk.word_tokenize(text): sentences by Punkt, then the words of each
// by NLTKWordTokenizer.
func WordTokenize(text string) []string {
	var t Tokenizer
	var out []string
	for _, w := range t.Words(text) {
		out = append(out, string(w))
	}
	return out
}

// A Tokenizer tokenizes one text after another without allocating. It serves one
// goroutine; its zero value is ready.
type Tokenizer struct {
	a, b  []rune // the text before and after a substitution
	out   []byte
	ends  []int
	words [][]byte
}

// Words is WordTokenize; the result is valid until the next call.
func (t *Tokenizer) Words(text string) [][]byte {
	t.out, t.ends = t.out[:0], t.ends[:0]
	if mayBreak(text) {
		for _, s := range SentTokenize(text) {
			t.sentence(s)
		}
	} else {
		// One sentence, as Punkt leaves it: without the blanks at its end.
		t.sentence(trimRight(text))
	}
	t.words = t.words[:0]
	start := 0
	for _, e := range t.ends {
		t.words = append(t.words, t.out[start:e])
		start = e
	}
	return t.words
}

func trimRight(s string) string {
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		if !pystr.IsSpace(r) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

// present is the set of the characters of a text that some substitution looks for.
type present uint32

const (
	hasQuote  present = 1 << iota // '
	hasDouble                     // "
	hasTick                       // `
	hasCurly                      // « “ ‘ „ » ” ’
	hasDot                        // .
	hasColon                      // : ,
	hasSign                       // ; @ # $ % &
	hasEnd                        // ? !
	hasStar                       // *
	hasParen                      // [ ] ( ) { } < >
	hasDash                       // -
)

var marks = [128]present{
	'\'': hasQuote, '"': hasDouble, '`': hasTick, '.': hasDot, ':': hasColon, ',': hasColon,
	';': hasSign, '@': hasSign, '#': hasSign, '$': hasSign, '%': hasSign, '&': hasSign, '?': hasEnd, '!': hasEnd, '*': hasStar,
	'[': hasParen, ']': hasParen, '(': hasParen, ')': hasParen, '{': hasParen, '}': hasParen, '<': hasParen, '>': hasParen, '-': hasDash,
}

func markOf(r rune) present {
	if r < 128 {
		return marks[r]
	}
	switch r {
	case '«', '“', '‘', '„', '»', '”', '’':
		return hasCurly
	}
	return 0
}

// sentence is NLTKWordTokenizer.tokenize: the substitutions of the original in its
// order, each skipped where nothing it looks for is there.
func (t *Tokenizer) sentence(s string) {
	t.a = t.a[:0]
	var has present
	for _, r := range s {
		t.a = append(t.a, r)
		has |= markOf(r)
	}
	is := func(p present) bool { return has&p != 0 }

	// Opening quotes.
	if is(hasCurly | hasTick) {
		t.openQuotes()
	}
	if is(hasDouble) && len(t.a) > 0 && t.a[0] == '"' {
		t.b = append(append(t.b[:0], '`', '`'), t.a[1:]...)
		t.a, t.b = t.b, t.a
		has |= hasTick
	}
	if is(hasTick) {
		t.pair('`')
	}
	if is(hasDouble | hasQuote) {
		t.quoteAfterParen()
	}
	if is(hasQuote) {
		t.quoteLetter()
	}

	// Punctuation.
	if is(hasDot) {
		t.finalDot(isCloserOrBlank, true)
	}
	if is(hasColon) {
		t.colons()
	}
	if is(hasDot) {
		t.dots()
	}
	if is(hasSign) {
		t.pad(hasSign)
	}
	if is(hasDot) {
		t.finalDot(isCloser, false)
	}
	if is(hasEnd) {
		t.pad(hasEnd)
	}
	if is(hasQuote) {
		t.quoteBlank()
	}
	if is(hasStar) {
		t.pad(hasStar)
	}
	if is(hasParen) {
		t.pad(hasParen)
	}
	if is(hasDash) {
		t.pair('-')
	}

	// Closing quotes.
	t.b = append(append(append(t.b[:0], ' '), t.a...), ' ')
	t.a, t.b = t.b, t.a
	if is(hasCurly) {
		t.closeQuotes()
	}
	if is(hasQuote) {
		t.pair('\'')
	}
	if is(hasDouble) {
		t.doubleQuotes()
	}
	t.squeeze()
	if is(hasQuote) {
		t.clitics(clitic1)
		t.clitics(clitic2)
	}
	t.contractions()

	for _, r := range t.a {
		if pystr.IsSpace(r) {
			t.endWord()
		} else {
			t.out = utf8.AppendRune(t.out, r)
		}
	}
	t.endWord()
}

func (t *Tokenizer) endWord() {
	last := 0
	if n := len(t.ends); n > 0 {
		last = t.ends[n-1]
	}
	if len(t.out) > last {
		t.ends = append(t.ends, len(t.out))
	}
}

// sub replaces from left to right: match appends to t.b what replaces the beginning of a, and returns how many characters that is, 0 for none.
func (t *Tokenizer) sub(match func(a []rune) int) {
	t.b = t.b[:0]
	for a := t.a; len(a) > 0; {
		n := match(a)
		if n == 0 {
			t.b, n = append(t.b, a[0]), 1
		}
		a = a[n:]
	}
	t.a, t.b = t.b, t.a
}

// apart appends a piece between blanks, and returns its length.
func (t *Tokenizer) apart(piece ...rune) int {
	t.b = append(append(append(t.b, ' '), piece...), ' ')
	return len(piece)
}

// run is how many of the character a begins with.
func run(a []rune, c rune) int {
	n := 0
	for n < len(a) && a[n] == c {
		n++
	}
	return n
}

// pad is [class] → " c ".
func (t *Tokenizer) pad(class present) {
	t.sub(func(a []rune) int {
		if markOf(a[0]) != class {
			return 0
		}
		return t.apart(a[0])
	})
}

// pair is cc → " cc ".
func (t *Tokenizer) pair(c rune) {
	t.sub(func(a []rune) int {
		if run(a, c) < 2 {
			return 0
		}
		return t.apart(c, c)
	})
}

// openQuotes is ([«“‘„]|[`]+) → " \1 ".
func (t *Tokenizer) openQuotes() {
	t.sub(func(a []rune) int {
		switch a[0] {
		case '«', '“', '‘', '„':
			return t.apart(a[0])
		case '`':
			return t.apart(a[:run(a, '`')]...)
		}
		return 0
	})
}

// closeQuotes is ([»”’]) → " \1 ".
func (t *Tokenizer) closeQuotes() {
	t.sub(func(a []rune) int {
		switch a[0] {
		case '»', '”', '’':
			return t.apart(a[0])
		}
		return 0
	})
}

// doubleQuotes is " → " ” ".
func (t *Tokenizer) doubleQuotes() {
	t.sub(func(a []rune) int {
		if a[0] != '"' {
			return 0
		}
		t.apart('\'', '\'')
		return 1
	})
}

// quoteAfterParen is ([ \(\[{<])(\"|\'{2}) → "\1 “ ", the quotes as two back ticks.
func (t *Tokenizer) quoteAfterParen() {
	t.sub(func(a []rune) int {
		n := 2
		switch a[0] {
		case ' ', '(', '[', '{', '<':
			if run(a[1:], '"') > 0 {
				n = 1
			} else if run(a[1:], '\'') < 2 {
				return 0
			}
			t.b = append(t.b, a[0])
			t.apart('`', '`')
			return 1 + n
		}
		return 0
	})
}

// quoteLetter is (?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b → "\1 \2": a quote before a
// single letter that is not a clitic.
func (t *Tokenizer) quoteLetter() {
	t.sub(func(a []rune) int {
		if a[0] != '\'' || len(a) == 1 || !pystr.IsWord(a[1]) || len(a) > 2 && pystr.IsWord(a[2]) {
			return 0
		}
		switch pystr.Fold(a[1]) {
		case 'm', 't', 's', 'd', 'n':
			return 0
		}
		t.b = append(t.b, '\'', ' ', a[1])
		return 2
	})
}

func isCloser(r rune) bool {
	switch r {
	case ']', ')', '}', '>', '"', '\'':
		return true
	}
	return false
}

func isCloserOrBlank(r rune) bool {
	switch r {
	case '»', '”', '’', ' ':
		return true
	}
	return isCloser(r)
}

// finalDot is ([^\.])(\.)(CLOSER*)\s*$ → "\1 \2 \3 ", or "\1 \2\3 " where not apart.
func (t *Tokenizer) finalDot(closer func(rune) bool, apart bool) {
	a := t.a
	i := len(a)
	for i > 0 && pystr.IsSpace(a[i-1]) {
		i--
	}
	for i > 0 && closer(a[i-1]) {
		i--
	}
	if i < 2 || a[i-1] != '.' || a[i-2] == '.' {
		return
	}
	j := i // the closers are taken greedily, blanks among them
	for j < len(a) && closer(a[j]) {
		j++
	}
	b := append(append(t.b[:0], a[:i-1]...), ' ', '.')
	if apart {
		b = append(b, ' ')
	}
	b = append(append(b, a[i:j]...), ' ')
	t.a, t.b = b, a
}

// colons is ([:,])([^\d]) → " \1 \2", then ([:,])$ → " \1 ".
func (t *Tokenizer) colons() {
	t.sub(func(a []rune) int {
		if markOf(a[0]) != hasColon || len(a) == 1 || pystr.IsDigit(a[1]) {
			return 0
		}
		t.apart(a[0])
		t.b = append(t.b, a[1])
		return 2
	})
	i := len(t.a) - 1
	if i >= 0 && t.a[i] == '\n' { // $ also matches before a last line feed
		i--
	}
	if i >= 0 && markOf(t.a[i]) == hasColon {
		t.b = append(t.b[:0], t.a[:i]...)
		t.apart(t.a[i])
		t.a, t.b = append(t.b, t.a[i+1:]...), t.a
	}
}

// dots is \.{2,} → " … ".
func (t *Tokenizer) dots() {
	t.sub(func(a []rune) int {
		if n := run(a, '.'); n > 1 {
			return t.apart(a[:n]...)
		}
		return 0
	})
}

// quoteBlank is ([^'])' followed by a blank → "\1 ' ".
func (t *Tokenizer) quoteBlank() {
	t.sub(func(a []rune) int {
		if a[0] == '\'' || len(a) < 3 || a[1] != '\'' || a[2] != ' ' {
			return 0
		}
		t.b = append(t.b, a[0])
		t.apart('\'')
		return 3
	})
}

// squeeze is \s+ → " ".
func (t *Tokenizer) squeeze() {
	t.sub(func(a []rune) int {
		n := 0
		for n < len(a) && pystr.IsSpace(a[n]) {
			n++
		}
		if n > 0 {
			t.b = append(t.b, ' ')
		}
		return n
	})
}

// clitics is ([^' ])(CLITIC) followed by a blank → "\1 \2 "; clitic returns the length
// of the clitic that a begins with, its blank left out, 0 for none.
func (t *Tokenizer) clitics(clitic func(a []rune) int) {
	t.sub(func(a []rune) int {
		n := clitic(a[1:])
		if n == 0 || a[0] == '\'' || a[0] == ' ' {
			return 0
		}
		t.b = append(t.b, a[0])
		return 2 + t.apart(a[1:1+n]...)
	})
}

// clitic1 is ('[sS]|'[mM]|'[dD]|') and a blank.
func clitic1(a []rune) int {
	if len(a) < 2 || a[0] != '\'' {
		return 0
	}
	if len(a) > 2 && a[2] == ' ' {
		switch a[1] {
		case 's', 'S', 'm', 'M', 'd', 'D':
			return 2
		}
	}
	if a[1] == ' ' {
		return 1
	}
	return 0
}

// clitic2 is ('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) and a blank.
func clitic2(a []rune) int {
	if len(a) < 4 || a[3] != ' ' {
		return 0
	}
	switch [3]rune{a[0], a[1], a[2]} {
	case [3]rune{'\'', 'l', 'l'}, [3]rune{'\'', 'L', 'L'}, [3]rune{'\'', 'r', 'e'}, [3]rune{'\'', 'R', 'E'},
		[3]rune{'\'', 'v', 'e'}, [3]rune{'\'', 'V', 'E'}, [3]rune{'n', '\'', 't'}, [3]rune{'N', '\'', 'T'}:
		return 3
	}
	return 0
}

// contraction is one of MacIntyre's, lower case: split after cut letters.
type contraction struct {
	word string
	cut  int
}

var contractions2 = []contraction{
	{"cannot", 3}, {"d'ye", 1}, {"gimme", 3}, {"gonna", 3}, {"gotta", 3}, {"lemme", 3}, {"more'n", 4}, {"wanna", 3},
}

// contractions splits them at word boundaries, without regard to case; then 'tis and
// 'twas after a blank.
func (t *Tokenizer) contractions() {
	t.sub(func(a []rune) int {
		if n := len(t.b); n > 0 && pystr.IsWord(t.b[n-1]) {
			return 0
		}
		for _, c := range contractions2 {
			n := len(c.word)
			if !folds(a, c.word) || len(a) > n && pystr.IsWord(a[n]) || c.word == "wanna" && (len(a) == n || !pystr.IsSpace(a[n])) {
				continue
			}
			t.apart(a[:c.cut]...)
			return c.cut + t.apart(a[c.cut:n]...)
		}
		return 0
	})
	for _, word := range []string{"'tis", "'twas"} { // (?i) ('t)(REST)\b → " \1 \2 "
		t.sub(func(a []rune) int {
			n := 1 + len(word)
			if a[0] != ' ' || !folds(a[1:], word) || len(a) > n && pystr.IsWord(a[n]) {
				return 0
			}
			t.apart(a[1:3]...)
			return 3 + t.apart(a[3:n]...)
		})
	}
}

// folds reports whether a begins with the lower-case word, without regard to case.
func folds(a []rune, word string) bool {
	if len(a) < len(word) {
		return false
	}
	for i := range len(word) {
		if pystr.Fold(a[i]) != rune(word[i]) {
			return false
		}
	}
	return true
}
