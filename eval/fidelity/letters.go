package fidelity

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/tokens"

	"golang.org/x/text/unicode/norm"
)

// letters are the letters and digits of a text, folded.
func letters(s string) []rune {
	return slices.DeleteFunc([]rune(textnorm.Fold(s)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// signs counts the visible characters of a text.
func signs(s string) (n int) {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unseen(r) {
			n++
		}
	}
	return n
}

// left reports whether a text has only letters of another, in the same order: the remainder after a loss.
func left(of, text []rune) bool {
	n := 0
	for _, r := range of {
		if n < len(text) && r == text[n] {
			n++
		}
	}
	return n == len(text)
}

// shrunk returns the share of an original's letters that a text has, if it has no others and keeps their order: the remainder when letters, words or the middle
// are lost; otherwise 0.
func shrunk(text, got string) float64 {
	want, have := letters(text), letters(got)
	end := len(have) >= leastSpliced && (common(want, have) == len(have) || ends(want, have) == len(have))
	few := len(have) < leastLetters || len(have)*leastKept < len(want) && !slices.ContainsFunc(have, textnorm.IsHan) && index(want, have) < 0
	if few && !end || len(have) >= len(want) || !left(want, have) {
		return 0
	}
	return float64(len(have)) / float64(len(want))
}

// tag matches HTML tags, which excerpts have around the search terms.
var tag = regexp.MustCompile(`</?[A-Za-z][^<>]{0,40}>`)

// elided reports whether a text is pieces of the original with a mark of omission between
// them that the original does not have.
func elided(text, got string) bool {
	marks := func(r rune) bool { return r == '…' }
	dots := func(s string) string { return strings.ReplaceAll(s, "...", "…") }
	text, got = dots(text), dots(tag.ReplaceAllString(got, ""))
	if strings.ContainsFunc(text, marks) || !strings.ContainsFunc(got, marks) {
		return false
	}
	if at := strings.LastIndex(got, "…["); at > 0 && strings.HasSuffix(strings.TrimSpace(got), "]") { // how much was omitted
		got = got[:at] + "…"
	}
	want, n := string(letters(text)), 0
	for _, piece := range strings.FieldsFunc(got, marks) {
		p := string(letters(piece))
		_, rest, ok := strings.Cut(want, p)
		if !ok {
			return false
		}
		want, n = rest, n+len(p)
	}
	return n > 0 && n < len(string(letters(text)))
}

// spliced reports whether a text begins as the original and ends as one of the texts around
// it, or begins as one of these and ends as the original: two were run together, and the
// rest of both is gone.
func spliced(o Original, got string) bool {
	want, have := letters(o.Text), letters(got)
	head, tail := common(want, have), ends(want, have)
	if (head+tail)*4 >= len(have)*3 { // its own end is there, with another value before it
		return false
	}
	return slices.ContainsFunc(o.Around, func(s string) bool {
		other := letters(s)
		if slices.Equal(other, want) || slices.Equal(other, have) {
			return false
		}
		joins := func(mine, its int) bool {
			return mine < len(have) && mine+its >= len(have) && (len(want)-mine)*leastLost >= len(want) && mine >= leastSpliced && several(string(have[len(have)-its:]), got)
		}
		return joins(head, ends(other, have)) || joins(tail, common(other, have))
	})
}

// several reports whether the letters that a text has of another are more than one value:
// three Chinese characters, or two words.
func several(piece, got string) bool {
	n := len([]rune(piece))
	if strings.ContainsFunc(piece, textnorm.IsHan) {
		return n >= 3
	}
	said := strings.Fields(got)
	return len(said) >= 2 && n > len(letters(said[len(said)-1]))
}

// common and ends count the letters that two texts have in common from the first, and up
// to the last.
func common(a, b []rune) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func ends(a, b []rune) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// permuted reports whether a text has the letters of the original and no others, in another
// order.
func permuted(text, got string) bool {
	a, b := letters(text), letters(got)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// spelling holds the letters, digits and signs of a text, and the text between them.
type spelling struct {
	letters []rune
	blank   []bool // by letter: white space is before it
	hidden  []int  // by letter: number of invisible characters before it
}

func spell(s string, sign func(rune) bool) (out spelling) {
	blank, hidden := false, 0
	rs := []rune(textnorm.Fold(s))
	digit := func(from, step int) bool { // the nearest character that is seen
		for from += step; from >= 0 && from < len(rs) && (unicode.IsSpace(rs[from]) || unicode.Is(unicode.Cf, rs[from])); {
			from += step
		}
		return from >= 0 && from < len(rs) && unicode.IsDigit(rs[from])
	}
	for i, r := range rs {
		switch {
		case unicode.IsSpace(r):
			blank = true
			continue
		case unseen(r), sign(r):
			hidden++
			continue
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), unicode.Is(unicode.Sc, r), r == '%', r == '°':
		case strings.ContainsRune(".,:/", r) && digit(i, -1) && digit(i, 1):
		case unicode.Is(unicode.Pd, r) && digit(i, -1) && digit(i, 1) && figures(rs, i) < leastCode: // 3-7, 7–15
			r = '-'
		default:
			continue
		}
		out.letters, out.blank, out.hidden = append(out.letters, r), append(out.blank, blank), append(out.hidden, hidden)
		blank = false
	}
	return out
}

// figures counts the digits of the run of digits and dashes around a dash.
func figures(rs []rune, i int) (n int) {
	for _, step := range []int{-1, 1} {
		for at := i + step; at >= 0 && at < len(rs) && (unicode.IsDigit(rs[at]) || unicode.Is(unicode.Pd, rs[at])); at += step {
			if unicode.IsDigit(rs[at]) {
				n++
			}
		}
	}
	return n
}

// strange returns the characters that occur repeatedly in a text and not in the original: a tokeniser's blanks, control characters, marks on every letter.
// Punctuation does not count, unless it joins words.
func strange(text, got string) func(rune) bool {
	n, marks := map[rune]int{}, 0
	for _, r := range textnorm.Fold(got) {
		n[r]++
		if unicode.IsMark(r) {
			marks++
		}
	}
	for _, r := range textnorm.Fold(text) {
		delete(n, r)
	}
	return func(r rune) bool {
		return n[r] > 0 && (n[r] >= leastRepeated && (r == '_' || !unicode.IsPunct(r) && !unicode.IsSpace(r) && !unicode.IsDigit(r)) || unicode.IsMark(r) && marks >= leastRepeated)
	}
}

// spaced reports whether a text has the letters of the original with words joined or split: the blanks between them are missing or became signs, or there are
// additional blanks, invisible characters, or characters that are strange to the original.
func spaced(text, got string) bool {
	a, b := spell(text, func(rune) bool { return false }), spell(got, strange(text, got))
	at := index(b.letters, a.letters)
	if bare := strings.Map(unaccented, norm.NFD.String(got)); at < 0 && utf8.RuneCountInString(norm.NFD.String(got))-utf8.RuneCountInString(bare) >= len(a.letters)/2 {
		return Carries(strings.Map(unaccented, norm.NFD.String(text)), bare) // a mark on every other letter
	}
	if at < 0 { // signs between digits may have become blanks
		plain := func(s spelling) (out spelling) {
			for i, r := range s.letters {
				if !strings.ContainsRune(".,:/", r) {
					out.letters, out.blank, out.hidden = append(out.letters, r), append(out.blank, s.blank[i]), append(out.hidden, s.hidden[i])
				}
			}
			return out
		}
		a, b = plain(a), plain(b)
		if at = index(b.letters, a.letters); at >= 0 && b.hidden[at+len(a.letters)-1]-b.hidden[at] == 0 {
			at = -1
		}
	}
	if at < 0 || len(a.letters) == 0 {
		return false
	}
	blanks, kept, apart := 0, 0, 0
	for i := 1; i < len(a.letters); i++ {
		switch was, is := a.blank[i], b.blank[at+i]; {
		case was && is:
			kept++
			fallthrough
		case was:
			blanks++
		case is:
			apart++
		}
	}
	end := len(a.letters) - 1
	hidden := b.hidden[at+end] - b.hidden[at] - a.hidden[end]
	return blanks >= 3 && kept*2 < blanks || apart >= 3 && apart*2 > len(words(text)) || hidden >= 3 && (hidden*4 > len(a.letters) || hidden*2 > blanks+apart)
}

// spelt reports whether a text has the letters and numbers of the original unchanged, in words of their own, with one or two blanks or hyphens more or fewer:
// un-married, B 13.
func spelt(text, got string) bool {
	count := func(s string) (n int) {
		for _, r := range s {
			if unicode.Is(unicode.No, r) || strings.ContainsRune(`\/_@#`, r) {
				n++
			}
		}
		return n
	}
	if count(text) != count(got) {
		return false
	}
	none := func(rune) bool { return false }
	a, b := spell(text, none), spell(got, none)
	at := index(b.letters, a.letters)
	end, moved := at+len(a.letters), 0
	for i := 1; at >= 0 && i < len(a.letters); i++ {
		if a.blank[i] != b.blank[at+i] {
			moved++
		}
	}
	return at >= 0 && moved <= 2 && len(a.letters) > 0 && (at == 0 || b.blank[at]) && (end == len(b.letters) || b.blank[end])
}

// index is where some letters are in others, -1 if nowhere.
func index(in, some []rune) int {
	for i := 0; i+len(some) <= len(in); i++ {
		if slices.Equal(in[i:i+len(some)], some) {
			return i
		}
	}
	return -1
}

// gibberish reports whether Chinese characters are not text: no two of them make a word, and
// next to none belong to grammar.
func gibberish(s string) bool {
	n, grammar := 0, 0
	for _, w := range segmenter.Cut(s) {
		switch r := []rune(w.Form); {
		case !textnorm.IsHan(r[0]):
			continue
		case len(r) > 1:
			return false
		case tokens.FunctionRune(r[0]):
			grammar++
		}
		n++
	}
	return n >= 5 && grammar*4 < n
}

// detached reports whether the signs of a text that are not ASCII are gone, and are behind it
// as one word that is a code of them.
func detached(text, after string) bool {
	wide := func(r rune) bool { return r >= utf8.RuneSelf && !unicode.IsPunct(r) }
	code := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(after), ".!?"))
	letter, digit := strings.ContainsFunc(code, unicode.IsLetter), strings.ContainsFunc(code, unicode.IsDigit)
	return strings.ContainsFunc(text, wide) && letter && digit && !strings.ContainsFunc(code, unicode.IsSpace) && !strings.ContainsFunc(code, wide)
}

// respelt reports whether a text is the original word by word, half of them or more spelt in
// another way of letters that are mostly theirs: a secret language, sounds, endings.
func respelt(text, got string) bool {
	want, have := strings.Fields(text), strings.Fields(got)
	if len(want) != len(have) || len(want) < leastWords {
		return false
	}
	changed, like := 0, 0
	for i := range want {
		a, b := letters(want[i]), letters(have[i])
		if slices.Equal(a, b) {
			continue
		}
		changed++
		shared := 0
		for _, r := range a {
			if at := slices.Index(b, r); at >= 0 {
				b = slices.Delete(b, at, at+1)
				shared++
			}
		}
		if shared*3 >= len(a)*2 {
			like++
		}
	}
	return changed*2 >= len(want) && like*5 >= changed*4
}

// halved returns a text once that is repeated several times, or whose every word is doubled; otherwise "".
func halved(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(letters(s)) == 0 {
		return ""
	}
	for r, times := []rune(s), 2; times*leastLetters <= len(r); times++ {
		for _, between := range []string{"", " "} {
			if n := len(r) - (times-1)*len(between); n%times == 0 {
				if once := string(r[:n/times]); strings.Repeat(once+between, times-1)+once == s {
					return cmp.Or(halved(once), once)
				}
			}
		}
	}
	if r := []rune(s); len(r) >= 2*leastLetters && len(r)%2 == 0 { // each letter twice
		once := make([]rune, len(r)/2)
		for i := range once {
			if once[i] = r[2*i]; r[2*i] != r[2*i+1] {
				once = nil
				break
			}
		}
		if once != nil {
			return string(once)
		}
	}
	ws := words(s)
	if len(ws) < 2 {
		return ""
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(ws); i += 2 {
		if i+1 == len(ws) || ws[i].norm != ws[i+1].norm {
			return ""
		}
		b.WriteString(s[at:ws[i].to])
		at = ws[i+1].to
	}
	return b.String() + s[at:]
}
