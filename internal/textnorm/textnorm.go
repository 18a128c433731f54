// Package textnorm normalises names for ids and text for matching. It never
// touches stored text: callers keep the original beside what they get here.
package textnorm

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Name is the form of a free-text name that enters an id: NFC, without byte order
// marks and zero-width characters (a joiner inside an emoji sequence stays), trimmed,
// runs of white space as one space. It neither folds case nor width.
func Name(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	var last rune
	for i, r := range s {
		switch {
		case r == '\u200d' && keepsJoiner(last) && keepsJoiner(next(s[i+len("\u200d"):])):
		case r == '\ufeff' || r == '\u200b' || r == '\u200c' || r == '\u200d' || r == '\u2060':
			continue
		case IsSpace(r):
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		last = r
	}
	return norm.NFC.String(b.String()) // last: what was dropped may have kept a mark from its letter
}

// plain is the fast path: printable ASCII, CJK and full-width forms without any
// white space but single inner blanks are already in normal form.
func plain(s string) bool {
	prev := byte(' ')
	for i, r := range s {
		switch {
		case r == ' ':
			if prev == ' ' {
				return false
			}
			prev = ' '
			continue
		case r > 0x20 && r < 0x7f, r >= 0x4e00 && r <= 0x9fff, r >= 0x3001 && r <= 0x3029, r >= 0xff01 && r <= 0xff5e:
		default:
			return false
		}
		prev = s[i]
	}
	return prev != ' ' || s == ""
}

func keepsJoiner(r rune) bool { return r >= 0x2190 || r == 0xfe0f }

func next(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// IsSpace is white space as Python's str.strip sees it: Unicode white space and
// U+001C..U+001F; not U+200B or U+FEFF.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// Strip trims white space in the sense of IsSpace.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// Collapse strips s and turns each inner run of white space into one blank.
func Collapse(s string) string { return strings.Join(strings.FieldsFunc(s, IsSpace), " ") }

var fold = cases.Fold()

// Fold is NFKC, case folded: full-width and half-width forms are one.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return fold.String(norm.NFKC.String(s))
		}
	}
	return strings.ToLower(s)
}

// Key is the form used to suggest that two names mean one thing: NFKC, case
// folded, without punctuation, symbols and white space. Never stored as an id.
func Key(s string) string {
	s = fold.String(norm.NFKC.String(s))
	return strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || IsSpace(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}

// IsHan reports whether r is a Chinese character.
func IsHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// Whole reports whether s[from:to] is not a part of a longer word: no letter, mark or digit is beside it. Chinese has no boundaries.
func Whole(s string, from, to int) bool {
	joins := func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !IsHan(r)
	}
	before, _ := utf8.DecodeLastRuneInString(s[:from])
	after, _ := utf8.DecodeRuneInString(s[to:])
	return !joins(before) && !joins(after)
}

// Names reports whether a text has a name as a whole word, whatever the case of their letters.
func Names(text, name string) bool {
	text, name = strings.ToLower(text), strings.ToLower(name)
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		if i += from; Whole(text, i, i+len(name)) {
			return true
		}
		from = i + len(name)
	}
	return false
}

// Lang is "zh" when at least a third of the letters of s are Chinese, else "en".
func Lang(s string) string {
	han, letters := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if IsHan(r) {
				han++
			}
		}
	}
	if han > 0 && han*3 >= letters {
		return "zh"
	}
	return "en"
}

// Cut returns at most n code points of s.
func Cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Unaccented returns s with its accented Latin letters as plain ones, as people write who leave accents out: "Valparaíso" is "Valparaiso".
func Unaccented(s string) string {
	accented := func(r rune) bool { return r >= 'À' && r <= 'ɏ' }
	if !strings.ContainsFunc(s, accented) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if accented(r) {
			if base, _ := utf8.DecodeRuneInString(norm.NFD.String(string(r))); base < utf8.RuneSelf {
				return base
			}
		}
		return r
	}, s)
}

// Short returns s, or its first n code points and an ellipsis.
func Short(s string, n int) string {
	if head := Cut(s, n); len(head) < len(s) {
		return head + "…"
	}
	return s
}

// Compat is s in NFKC: full-width and half-width forms, ligatures and the like as
// their plain characters. For comparing only.
func Compat(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return norm.NFKC.String(s)
		}
	}
	return s
}

// OneLine shows line breaks and control characters as such, and cuts at n code points (0: never).
func OneLine(s string, n int) string {
	if n > 0 {
		s = Short(s, n)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029:
			return '⏎'
		case r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r <= 0x9f:
			return '␀'
		}
		return r
	}, s)
}

// CompareDigits compares runs of digits by value, whatever their length.
func CompareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// Natural compares names with the numbers in them by value.
func Natural(a, b string) int {
	digits := func(s string) int {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i
	}
	for a != "" && b != "" {
		if i, j := digits(a), digits(b); i > 0 && j > 0 {
			if c := CompareDigits(a[:i], b[:j]); c != 0 {
				return c
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}
