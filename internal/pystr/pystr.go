// Package pystr has the string functions of Python 3 where Go's differ: the published
// scorers are written in Python, and a score must not move on an accent or a blank.
//
// The differences: str.split knows the separators U+001C to U+001F; str.lower gives
// "İ" two code points and "Σ" its final form; \w of the module re takes every letter
// and number and no mark, \w of the module regex takes marks and joiners and no
// fractions. Code points that Unicode added after 14.0 (Python 3.11) or 15.0 (Go 1.26)
// may differ.
package pystr

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpace is str.isspace of one code point, and \s of the module re.
func IsSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= '\t' && r <= '\r' || r >= 0x1c && r <= 0x1f
	}
	return r == 0x85 || unicode.Is(unicode.Z, r)
}

// IsWord is \w of the module re: a letter, a number or "_".
func IsWord(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// IsRegexWord is \w of the module regex (UTS #18): alphabetic, marks, decimal digits,
// connectors and joiners.
func IsRegexWord(r rune) bool {
	if r < 0x80 {
		return IsWord(r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// IsDigit is \d of the module re: a decimal digit of any script.
func IsDigit(r rune) bool { return r >= '0' && r <= '9' || r >= 0x80 && unicode.Is(unicode.Nd, r) }

// IsUpper is str.isupper of one code point.
func IsUpper(r rune) bool { return unicode.IsUpper(r) || unicode.Is(unicode.Other_Uppercase, r) }

// IsLower is str.islower of one code point.
func IsLower(r rune) bool { return unicode.IsLower(r) || unicode.Is(unicode.Other_Lowercase, r) }

// Fold gives the ASCII letter that a pattern with re.IGNORECASE takes r for, else r:
// beside the capitals, "ı" and "İ" are an i, "ſ" is an s, "K" (Kelvin) is a k.
func Fold(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r < 0x80:
		return r
	case r == 'İ' || r == 'ı':
		return 'i'
	case r == 'ſ':
		return 's'
	case r == '\u212a':
		return 'k'
	}
	return r
}

// Strip is str.strip without argument.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// Split is str.split without argument.
func Split(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// Lower is str.lower.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return lower(s)
		}
	}
	return strings.ToLower(s)
}

func lower(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 4)
	for i, r := range s {
		switch r {
		case 'İ':
			b.WriteString("i\u0307")
		case 'Σ':
			if finalSigma(s, i) {
				b.WriteRune('ς')
			} else {
				b.WriteRune('σ')
			}
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma is the condition Final_Sigma of Unicode (section 3.13): a cased letter
// before, none after, over any case-ignorable code points.
func finalSigma(s string, i int) bool {
	before := false
	for j := i; j > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:j])
		j -= n
		if !caseIgnorable(r) {
			before = cased(r)
			break
		}
	}
	if !before {
		return false
	}
	for _, r := range s[i+len("Σ"):] {
		if !caseIgnorable(r) {
			return !cased(r)
		}
	}
	return true
}

func cased(r rune) bool { return IsUpper(r) || IsLower(r) || unicode.IsTitle(r) }

// caseIgnorable: general categories Mn, Me, Cf, Lm, Sk, and the word-break classes
// MidLetter, MidNumLet and Single_Quote.
func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', '·', '\u0387', '\u055f', '\u05f4', '‘', '’', '․', '‧', '︓', '﹒', '﹕', '＇', '．', '：':
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}

// Punctuation is string.punctuation: the ASCII punctuation.
const Punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
