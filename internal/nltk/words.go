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
		t.swap()
		has |= hasTick
	}
	if is(hasTick) {
		t.pad2('`')
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
		t.pad2('-')
	}

	// Closing quotes.
	t.b = append(append(append(t.b[:0], ' '), t.a...), ' ')
	t.swap()
	if is(hasCurly) {
		t.closeQuotes()
	}
	if is(hasQuote) {
		t.pad2('\'')
	}
	if is(hasDouble) {
		t.doubleQuotes()
	}
	t.squeeze()
	if is(hasQuote) {
		t.clitics(clitic1)
		t.clitics(clitic2)
	}
	t.contractions(is(hasQuote))

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

func (t *Tokenizer) swap() { t.a, t.b = t.b, t.a }

// pad is [class] → " c ".
func (t *Tokenizer) pad(class present) {
	b := t.b[:0]
	for _, r := range t.a {
		if markOf(r) == class {
			b = append(b, ' ', r, ' ')
		} else {
			b = append(b, r)
		}
	}
	t.b = b
	t.swap()
}

// pad2 is cc → " cc ".
func (t *Tokenizer) pad2(c rune) {
	b := t.b[:0]
	for i := 0; i < len(t.a); i++ {
		if t.a[i] == c && i+1 < len(t.a) && t.a[i+1] == c {
			b = append(b, ' ', c, c, ' ')
			i++
		} else {
			b = append(b, t.a[i])
		}
	}
	t.b = b
	t.swap()
}

// openQuotes is ([«“‘„]|[`]+) → " \1 ".
func (t *Tokenizer) openQuotes() {
	b := t.b[:0]
	for i := 0; i < len(t.a); i++ {
		switch r := t.a[i]; r {
		case '«', '“', '‘', '„':
			b = append(b, ' ', r, ' ')
		case '`':
			b = append(b, ' ')
			for ; i < len(t.a) && t.a[i] == '`'; i++ {
				b = append(b, '`')
			}
			i--
			b = append(b, ' ')
		default:
			b = append(b, r)
		}
	}
	t.b = b
	t.swap()
}

// closeQuotes is ([»”’]) → " \1 ".
func (t *Tokenizer) closeQuotes() {
	b := t.b[:0]
	for _, r := range t.a {
		switch r {
		case '»', '”', '’':
			b = append(b, ' ', r, ' ')
		default:
			b = append(b, r)
		}
	}
	t.b = b
	t.swap()
}

// doubleQuotes is " → " ” ".
func (t *Tokenizer) doubleQuotes() {
	b := t.b[:0]
	for _, r := range t.a {
		if r == '"' {
			b = append(b, ' ', '\'', '\'', ' ')
		} else {
			b = append(b, r)
		}
	}
	t.b = b
	t.swap()
}

// quoteAfterParen is ([ \(\[{<])(\"|\'{2}) → "\1 “ ", the quotes as two back ticks.
func (t *Tokenizer) quoteAfterParen() {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		b = append(b, a[i])
		switch a[i] {
		case ' ', '(', '[', '{', '<':
			n := 0
			if i+1 < len(a) && a[i+1] == '"' {
				n = 1
			} else if i+2 < len(a) && a[i+1] == '\'' && a[i+2] == '\'' {
				n = 2
			}
			if n > 0 {
				b = append(b, ' ', '`', '`', ' ')
				i += n
			}
		}
	}
	t.b = b
	t.swap()
}

// quoteLetter is (?i)(')(?!re|ve|ll|m|t|s|d|n)(\w)\b → "\1 \2": a quote before a
// single letter that is not a clitic.
func (t *Tokenizer) quoteLetter() {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		b = append(b, a[i])
		if a[i] != '\'' || i+1 == len(a) || !pystr.IsWord(a[i+1]) || i+2 < len(a) && pystr.IsWord(a[i+2]) {
			continue
		}
		switch pystr.Fold(a[i+1]) {
		case 'm', 't', 's', 'd', 'n':
		default:
			b = append(b, ' ', a[i+1])
			i++
		}
	}
	t.b = b
	t.swap()
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
	t.b = b
	t.swap()
}

// colons is ([:,])([^\d]) → " \1 \2", then ([:,])$ → " \1 ".
func (t *Tokenizer) colons() {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		if (a[i] == ':' || a[i] == ',') && i+1 < len(a) && !pystr.IsDigit(a[i+1]) {
			b = append(b, ' ', a[i], ' ', a[i+1])
			i++
		} else {
			b = append(b, a[i])
		}
	}
	t.b = b
	t.swap()
	n := len(t.a)
	if n == 0 {
		return
	}
	i := n - 1
	if t.a[i] == '\n' { // $ also matches before a last line feed
		i--
	}
	if i >= 0 && (t.a[i] == ':' || t.a[i] == ',') {
		b = append(append(t.b[:0], t.a[:i]...), ' ', t.a[i], ' ')
		t.b = append(b, t.a[i+1:]...)
		t.swap()
	}
}

// dots is \.{2,} → " … ".
func (t *Tokenizer) dots() {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		j := i
		for j < len(a) && a[j] == '.' {
			j++
		}
		if j-i < 2 {
			b = append(b, a[i])
			continue
		}
		b = append(append(append(b, ' '), a[i:j]...), ' ')
		i = j - 1
	}
	t.b = b
	t.swap()
}

// quoteBlank is ([^'])' followed by a blank → "\1 ' ".
func (t *Tokenizer) quoteBlank() {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		b = append(b, a[i])
		if a[i] != '\'' && i+2 < len(a) && a[i+1] == '\'' && a[i+2] == ' ' {
			b = append(b, ' ', '\'', ' ')
			i += 2
		}
	}
	t.b = b
	t.swap()
}

// squeeze is \s+ → " ".
func (t *Tokenizer) squeeze() {
	b := t.b[:0]
	blank := false
	for _, r := range t.a {
		if pystr.IsSpace(r) {
			if !blank {
				b = append(b, ' ')
			}
			blank = true
			continue
		}
		blank = false
		b = append(b, r)
	}
	t.b = b
	t.swap()
}

// clitics is ([^' ])(CLITIC) followed by a blank → "\1 \2 "; clitic returns the length
// of the clitic that a begins with, its blank left out, 0 for none.
func (t *Tokenizer) clitics(clitic func(a []rune) int) {
	a, b := t.a, t.b[:0]
	for i := 0; i < len(a); i++ {
		b = append(b, a[i])
		if a[i] == '\'' || a[i] == ' ' {
			continue
		}
		if n := clitic(a[i+1:]); n > 0 {
			b = append(append(append(b, ' '), a[i+1:i+1+n]...), ' ')
			i += n + 1
		}
	}
	t.b = b
	t.swap()
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
func (t *Tokenizer) contractions(quote bool) {
	for _, c := range contractions2 {
		t.split(c, quote)
	}
	if quote {
		t.afterBlank("'tis")
		t.afterBlank("'twas")
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

func (t *Tokenizer) split(c contraction, quote bool) {
	if !quote && (c.word == "d'ye" || c.word == "more'n") {
		return
	}
	a := t.a
	found := false
	b := t.b[:0]
	done := 0
	for i := 0; i+len(c.word) <= len(a); i++ {
		if !folds(a[i:], c.word) || i > 0 && pystr.IsWord(a[i-1]) {
			continue
		}
		end := i + len(c.word)
		if c.word == "wanna" {
			if end == len(a) || !pystr.IsSpace(a[end]) {
				continue
			}
		} else if end < len(a) && pystr.IsWord(a[end]) {
			continue
		}
		found = true
		b = append(append(b, a[done:i]...), ' ')
		b = append(append(b, a[i:i+c.cut]...), ' ')
		b = append(append(b, a[i+c.cut:end]...), ' ')
		done = end
		i = end - 1
	}
	if found {
		t.b = append(b, a[done:]...)
		t.swap()
	}
}

// afterBlank is (?i) ('t)(REST)\b → " \1 \2 ".
func (t *Tokenizer) afterBlank(word string) {
	a := t.a
	b := t.b[:0]
	for i := 0; i < len(a); i++ {
		end := i + 1 + len(word)
		if a[i] != ' ' || end > len(a) || !folds(a[i+1:], word) || end < len(a) && pystr.IsWord(a[end]) {
			b = append(b, a[i])
			continue
		}
		b = append(append(append(b, ' '), a[i+1:i+3]...), ' ')
		b = append(append(b, a[i+3:end]...), ' ')
		i = end - 1
	}
	t.b = b
	t.swap()
}
