package fidelity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A text is the original in a code that nobody named if each sign of the original became the same thing everywhere: another character (ROT47, a wrong
// character set, a bad
// scanner), a group of characters (hexadecimal, bits), or a word (Morse, numbers of bytes).
// Signs are characters, or bytes of UTF-8 or UTF-16.

// coded reports whether the last signs of got are the signs of text in one code.
func coded(text, got string) bool {
	rs := []rune(strings.TrimSpace(got))
	fields := strings.Fields(got)
	for _, signs := range signsOf(strings.TrimSpace(text)) {
		n := len(signs)
		if n < leastSigns {
			return false
		}
		if n <= len(rs) && mapped(signs, strings.Split(string(rs[len(rs)-n:]), "")) {
			return true
		}
		if n <= len(fields) && mapped(signs, fields[len(fields)-n:]) {
			return true
		}
		dense := []rune(strings.Join(fields[max(0, len(fields)-n):], ""))
		for k := 2; k <= widest && k*n <= len(dense); k++ {
			if mapped(signs, blocks(dense[len(dense)-k*n:], k)) {
				return true
			}
		}
	}
	return false
}

const (
	leastSigns    = 6 // fewer signs of an original could be explained by chance
	widest        = 8 // characters of a sign in a code without blanks
	leastRepeated = 3 // signs that were met again and became the same
)

// signsOf cuts a text into characters, and into bytes of two encodings. A byte that is not part of a character of the text matches none: its sign is not text.
func signsOf(text string) [][]string {
	var bytes, wide []string
	for i := range len(text) {
		bytes = append(bytes, text[i:i+1])
	}
	for _, u := range utf16.Encode([]rune(text)) {
		wide = append(wide, string([]byte{0xff, byte(u >> 8)}), string([]byte{0xff, byte(u)}))
	}
	return [][]string{strings.Split(text, ""), bytes, wide}
}

func blocks(rs []rune, k int) (out []string) {
	for b := range slices.Chunk(rs, k) {
		out = append(out, string(b))
	}
	return out
}

// mapped reports whether each sign always became the same image (one in 25 may not), few signs
// share one, and enough signs changed and were met again to rule out chance.
func mapped(signs, images []string) bool {
	return mappedBy(signs, images, func(s string) string { return s }) || mappedBy(signs, images, strings.ToLower) // some codes have one case
}

func mappedBy(signs, images []string, fold func(string) string) bool {
	to, same := map[string]string{}, map[string]bool{}
	changed, again, astray := 0, 0, 0
	shifts := map[rune]int{}
	for i, s := range signs {
		s, image := fold(s), fold(images[i])
		was, known := to[s]
		if !known {
			to[s], same[image] = image, true
		}
		if known && was != image {
			astray++
		}
		if s == image {
			continue
		}
		changed++
		if known && was == image {
			again++
		}
		a, _ := utf8.DecodeRuneInString(s)
		if b, n := utf8.DecodeRuneInString(image); n == len(image) && (unicode.IsLetter(a) || unicode.IsDigit(a)) {
			shifts[b-a]++
		}
	}
	shifted := 0 // signs that all moved by one distance
	for _, n := range shifts {
		shifted = max(shifted, n)
	}
	return astray*25 <= len(signs) && len(same)*4 >= len(to)*3 && changed*5 >= len(signs) && (again >= leastRepeated || shifted >= leastSigns && shifted*4 >= changed*3)
}

// jumbled reports whether a text is not words in any language but long runs of letters and
// digits whose classes change all the time, as packed bytes look. Signs do not count: words
// are joined by them.
func jumbled(got string) bool {
	all, mixed := 0, 0
	for run := range strings.FieldsSeq(got) {
		rs := []rune(run)
		if len(rs) != len(run) { // packed bytes are ASCII
			return false
		}
		all += len(rs)
		bare := slices.DeleteFunc(slices.Clone(rs), func(r rune) bool { return class(r) < 0 })
		turns := 0
		for i := 1; i < len(bare); i++ {
			if class(bare[i]) != class(bare[i-1]) {
				turns++
			}
		}
		if len(rs) >= longRun && turns*4 >= len(bare) {
			mixed += len(rs)
		}
	}
	return mixed*4 >= all*3 && mixed > 0
}

const longRun = 16

// class is one of capital letter, small letter and digit; below 0: none of them.
func class(r rune) int {
	return slices.IndexFunc([]func(rune) bool{unicode.IsUpper, unicode.IsLower, unicode.IsDigit}, func(is func(rune) bool) bool { return is(r) })
}
