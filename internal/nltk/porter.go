package nltk

import (
	"unicode/utf8"

	"membench/internal/pystr"
)

// irregular are the forms that NLTK looks up before any rule.
var irregular = map[string]string{
	"sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
	"cannings": "canning", "canning": "canning", "howe": "howe",
	"proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// Stem is PorterStemmer().stem of NLTK in its default mode, NLTK_EXTENSIONS: neither
// Martin Porter's program nor Porter2. The word is lower-cased first; as there, one
// that was not lower case already is not looked up among the irregular forms.
func Stem(word string) string {
	low := pystr.Lower(word)
	switch {
	case low == word:
		return string(AppendStem(nil, word))
	case utf8.RuneCountInString(word) <= 2:
		return low
	}
	return string(stem([]rune(low)))
}

// AppendStem appends the stem of a word that is lower case already. A non-ASCII letter
// counts as a consonant, as it does there.
func AppendStem(dst []byte, word string) []byte {
	ascii := true
	for i := 0; i < len(word); i++ {
		if word[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		if len(word) <= 2 {
			return append(dst, word...)
		}
		if len(word) <= len("cannings") {
			if s, ok := irregular[word]; ok {
				return append(dst, s...)
			}
		}
		at := len(dst)
		dst = append(dst, word...)
		return dst[:at+len(stem(dst[at:]))]
	}
	rs := []rune(word)
	if len(rs) > 2 {
		rs = stem(rs)
	}
	return append(dst, string(rs)...)
}

// letter is a byte where the word is ASCII, else a code point. Rules work in place: no
// rule makes a word longer than it came.
type letter interface{ byte | rune }

func stem[T letter](w []T) []T {
	return step5b(step5a(step4(step3(step2(step1c(step1b(step1a(w))))))))
}

func consonant[T letter](w []T, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return false
	case 'y':
		return i == 0 || !consonant(w, i-1)
	}
	return true
}

// measure counts the changes from a vowel to a consonant.
func measure[T letter](w []T) (m int) {
	vowel := false // of the letter before
	for i, c := range w {
		var v bool
		switch c {
		case 'a', 'e', 'i', 'o', 'u':
			v = true
		case 'y':
			v = i > 0 && !vowel
		}
		if vowel && !v {
			m++
		}
		vowel = v
	}
	return m
}

func hasVowel[T letter](w []T) bool {
	for i, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u':
			return true
		case 'y': // a vowel unless it begins the word: what is before is not a vowel
			if i > 0 {
				return true
			}
		}
	}
	return false
}

func ends[T letter](w []T, suffix string) bool {
	n := len(w) - len(suffix)
	if n < 0 {
		return false
	}
	for i := range len(suffix) {
		if w[n+i] != T(suffix[i]) {
			return false
		}
	}
	return true
}

// set replaces the last cut letters by s.
func set[T letter](w []T, cut int, s string) []T {
	w = w[:len(w)-cut]
	for i := range len(s) {
		w = append(w, T(s[i]))
	}
	return w
}

func doubleConsonant[T letter](w []T) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && consonant(w, n-1)
}

// cvc is the condition *o, with NLTK's addition for two letters.
func cvc[T letter](w []T) bool {
	n := len(w)
	if n >= 3 && consonant(w, n-3) && !consonant(w, n-2) && consonant(w, n-1) && w[n-1] != 'w' && w[n-1] != 'x' && w[n-1] != 'y' {
		return true
	}
	return n == 2 && !consonant(w, 0) && consonant(w, 1)
}

func step1a[T letter](w []T) []T {
	switch {
	case len(w) == 0 || w[len(w)-1] != 's':
		return w
	case len(w) == 4 && ends(w, "ies"):
		return w[:3]
	case ends(w, "sses"), ends(w, "ies"):
		return w[:len(w)-2]
	case ends(w, "ss"):
		return w
	}
	return w[:len(w)-1]
}

func step1b[T letter](w []T) []T {
	switch {
	case ends(w, "ied"):
		if len(w) == 4 {
			return w[:3]
		}
		return w[:len(w)-2]
	case ends(w, "eed"):
		if measure(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	cut := 0
	if ends(w, "ed") {
		cut = 2
	} else if ends(w, "ing") {
		cut = 3
	}
	if cut == 0 || !hasVowel(w[:len(w)-cut]) {
		return w
	}
	w = w[:len(w)-cut]
	last := w[len(w)-1]
	switch {
	case ends(w, "at"), ends(w, "bl"), ends(w, "iz"):
		return append(w, 'e')
	case doubleConsonant(w):
		if last != 'l' && last != 's' && last != 'z' {
			return w[:len(w)-1]
		}
		return w
	case ends(w, "*d"): // the original takes its own mark for a suffix, too
		return append(w[:len(w)-2], last)
	case measure(w) == 1 && cvc(w):
		return append(w, 'e')
	}
	return w
}

func step1c[T letter](w []T) []T {
	if n := len(w); n > 2 && w[n-1] == 'y' && consonant(w, n-2) {
		w[n-1] = 'i'
	}
	return w
}

type rule struct{ from, to string }

// steps2 and the others are tried in their order; the first suffix that fits decides.
var (
	steps2 = []rule{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"bli", "ble"}, {"alli", "al"},
		{"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"}, {"alism", "al"},
		{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"fulli", "ful"},
	}
	steps3 = []rule{{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}
	steps4 = []rule{
		{"al", ""}, {"ance", ""}, {"ence", ""}, {"er", ""}, {"ic", ""}, {"able", ""}, {"ible", ""}, {"ant", ""}, {"ement", ""}, {"ment", ""},
		{"ent", ""}, {"ion", ""}, {"ou", ""}, {"ism", ""}, {"ate", ""}, {"iti", ""}, {"ous", ""}, {"ive", ""}, {"ize", ""},
	}
)

// find returns the first rule whose suffix w has.
func find[T letter](w []T, rules []rule) (rule, bool) {
	if len(w) < 2 {
		return rule{}, false
	}
	last := w[len(w)-1]
	for _, r := range rules {
		if last == T(r.from[len(r.from)-1]) && ends(w, r.from) {
			return r, true
		}
	}
	return rule{}, false
}

func step2[T letter](w []T) []T {
	for ends(w, "alli") && measure(w[:len(w)-4]) > 0 {
		w = w[:len(w)-2]
	}
	if r, ok := find(w, steps2); ok {
		if measure(w[:len(w)-len(r.from)]) > 0 {
			w = set(w, len(r.from), r.to)
		}
		return w
	}
	// The l of "logi" counts with the stem here: "geologi" → "geolog".
	if ends(w, "logi") && measure(w[:len(w)-3]) > 0 {
		return w[:len(w)-1]
	}
	return w
}

func step3[T letter](w []T) []T {
	if r, ok := find(w, steps3); ok && measure(w[:len(w)-len(r.from)]) > 0 {
		return set(w, len(r.from), r.to)
	}
	return w
}

func step4[T letter](w []T) []T {
	r, ok := find(w, steps4)
	if !ok {
		return w
	}
	s := w[:len(w)-len(r.from)]
	if measure(s) <= 1 || r.from == "ion" && s[len(s)-1] != 's' && s[len(s)-1] != 't' {
		return w
	}
	return s
}

func step5a[T letter](w []T) []T {
	n := len(w)
	if n == 0 || w[n-1] != 'e' {
		return w
	}
	if m := measure(w[:n-1]); m > 1 || m == 1 && !cvc(w[:n-1]) {
		return w[:n-1]
	}
	return w
}

func step5b[T letter](w []T) []T {
	if n := len(w); ends(w, "ll") && measure(w[:n-1]) > 1 {
		return w[:n-1]
	}
	return w
}
