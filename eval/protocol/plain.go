package protocol

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/schema"
)

// The protocols of this file are ours: they see Chinese and English alike and have no
// published original.

// em is normalised equality.
func em() *Protocol {
	return &Protocol{
		Name: "em", Version: "1", Default: true, Binary: true,
		Formula: "1 if the answer is a gold after NFKC, case folding and dropping punctuation, blanks and a, an, the, else 0",
		Rule: func(r *schema.QARecord) schema.Grade {
			s := pool.Get().(*scratch)
			defer pool.Put(s)
			a := s.a.plain(r.Answer)
			return anyGold(r, func(g string) bool { return bytes.Equal(glued(s.b.plain(g)), glued(a)) })
		},
	}
}

// contains looks for a gold in the answer.
func contains() *Protocol {
	return &Protocol{
		Name: "contains", Version: "1", Default: true, Binary: true,
		Formula: "1 if the words of a gold stand in the answer, in their order and together, after the normalisation of em, else 0",
		Rule: func(r *schema.QARecord) schema.Grade {
			s := pool.Get().(*scratch)
			defer pool.Put(s)
			a := s.a.plain(r.Answer)
			return anyGold(r, func(g string) bool { return containsWords(a, s.b.plain(g)) })
		},
	}
}

// glued is the text of words that are adjacent in one buffer.
func glued(toks [][]byte) []byte {
	if len(toks) == 0 {
		return nil
	}
	n := 0
	for _, t := range toks {
		n += len(t)
	}
	return toks[0][:n]
}

// plain reads the words of s, folded (NFKC, case), without punctuation and English
// articles; a Chinese or Japanese character, and a symbol, is a word of its own. Every
// character is kept or dropped whole, so that the buffer holds the words alone.
func (w *words) plain(s string) [][]byte {
	w.reset()
	if !isASCII(s) {
		s = textnorm.Fold(s)
	}
	start := 0 // of the current word in the buffer
	flush := func() {
		if theArticles(w.buf[start:]) {
			w.buf = w.buf[:start]
		}
		w.end()
		start = len(w.buf)
	}
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r < utf8.RuneSelf:
			switch c := s[i]; {
			case c >= 'A' && c <= 'Z':
				w.buf = append(w.buf, c+'a'-'A')
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
				w.buf = append(w.buf, c)
			case (c == '.' || c == ',' || c == ':') && digitAround(s, i):
				w.buf = append(w.buf, c) // a separator within a number stays: 3.5 is not 35
			case strings.IndexByte("$+<=>^`|~", c) >= 0: // symbols, as unicode has them
				flush()
				w.buf = append(w.buf, c)
				flush()
			default:
				flush()
			}
		case ideographic(r), unicode.IsSymbol(r):
			flush()
			w.buf = utf8.AppendRune(w.buf, r)
			flush()
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r):
			w.buf = utf8.AppendRune(w.buf, r)
		default:
			flush()
		}
		i += n
	}
	flush()
	return w.cut()
}

// plainWords is plain for those who keep the words.
func plainWords(s string) []string {
	var w words
	return texts(w.plain(s))
}

func digitAround(s string, i int) bool {
	return i > 0 && i+1 < len(s) && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9'
}

func ideographic(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// containsWords reports whether part is in all; an empty part only in an empty all.
func containsWords(all, part [][]byte) bool {
	if len(part) == 0 {
		return len(all) == 0
	}
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.EqualFunc(all[i:i+len(part)], part, bytes.Equal) {
			return true
		}
	}
	return false
}

// mixedF1 is SQuAD's F1 for texts that have no blanks.
func mixedF1() *Protocol {
	return &Protocol{
		Name: "mixed-f1", Version: "1",
		Formula: "F1 as multisets, a Chinese or Japanese character a word of its own (CMRC 2018's mixed segmentation), else words of em; best gold, [0,1]",
		Rule:    byGold(MixedF1),
	}
}

// MixedF1 is the score of mixed-f1; two empty sides score 1.
func MixedF1(answer, gold string) float64 {
	s := pool.Get().(*scratch)
	defer pool.Put(s)
	p, g := s.a.plain(answer), s.b.plain(gold)
	if len(p) == 0 && len(g) == 0 {
		return 1
	}
	return f1(s.overlap(p, g), len(p), len(g))
}

// numeric compares numbers alone: MemoryAgentBench's labels, counts, amounts.
func numeric() *Protocol {
	return &Protocol{
		Name: "numeric", Version: "1", Default: true, Binary: true,
		Formula: "1 if every number of a gold is a number of the answer (digits, English and Chinese words), else 0; not applicable where no gold has a number",
		Rule: func(r *schema.QARecord) schema.Grade {
			var have []float64
			any := false
			for _, g := range r.AllGolds() {
				want := Numbers(g)
				if len(want) == 0 {
					continue
				}
				if !any {
					have, any = Numbers(r.Answer), true
				}
				if holdsAll(have, want) {
					s := Scored(1)
					s.Parts = map[string]float64{"further": float64(len(have) - len(want))}
					return s
				}
			}
			if !any {
				return NotApplicable("no gold has a number")
			}
			return Scored(0)
		},
	}
}

// holdsAll reports whether each of want is among have, within a relative 1e-9.
func holdsAll(have, want []float64) bool {
	return !slices.ContainsFunc(want, func(w float64) bool {
		return !slices.ContainsFunc(have, func(h float64) bool { return math.Abs(h-w) <= 1e-9*max(1, math.Abs(w)) })
	})
}

var englishNumbers = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "once": 1, "twice": 2, "thrice": 3,
}

// Numbers lists the numbers of a text in their order: 1,234.5, 3rd, -2 after a blank,
// twenty-one, two hundred and five, 二十一, 三万. A separator is one only between digits.
func Numbers(s string) []float64 {
	if !mayHoldNumber(s) {
		return nil
	}
	var out []float64
	ws := plainWords(s)
	for i := 0; i < len(ws); {
		if v, ok := digits(ws[i]); ok {
			// 3万, 5 million
			for i+1 < len(ws) {
				m, ok := magnitude(ws[i+1])
				if !ok {
					break
				}
				v *= m
				i++
			}
			out = append(out, v)
			i++
			continue
		}
		if v, n := english(ws[i:]); n > 0 {
			out = append(out, v)
			i += n
			continue
		}
		if v, n := chinese(ws[i:]); n > 0 {
			out = append(out, v)
			i += n
			continue
		}
		i++
	}
	return out
}

// mayHoldNumber says no where it is cheap to see: without a digit or a character beyond
// ASCII only English words are left, and those are checked unchanged.
func mayHoldNumber(s string) bool {
	start := -1
	for i := 0; i <= len(s); i++ {
		if i < len(s) {
			c := s[i] | 0x20
			if s[i] >= utf8.RuneSelf || s[i] >= '0' && s[i] <= '9' {
				return true
			}
			if c >= 'a' && c <= 'z' {
				if start < 0 {
					start = i
				}
				continue
			}
		}
		if start >= 0 && i-start >= 3 && i-start <= len("seventeen") {
			var low [len("seventeen")]byte
			for j := start; j < i; j++ {
				low[j-start] = s[j] | 0x20
			}
			if _, ok := englishNumbers[string(low[:i-start])]; ok {
				return true
			}
		}
		start = -1
	}
	return false
}

func digits(w string) (float64, bool) {
	end := 0
	for end < len(w) && (w[end] >= '0' && w[end] <= '9' || w[end] == '.' || w[end] == ',') {
		end++
	}
	if end == 0 {
		return 0, false
	}
	switch w[end:] {
	case "", "st", "nd", "rd", "th", "%", "k", "m", "s", "x", "h", "am", "pm", "kg", "km", "cm", "mm", "ms", "gb", "mb":
	default:
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(w[:end], ",", ""), 64)
	return v, err == nil
}

func magnitude(w string) (float64, bool) {
	switch w {
	case "百", "hundred":
		return 100, true
	case "千", "thousand":
		return 1000, true
	case "万":
		return 1e4, true
	case "million":
		return 1e6, true
	case "亿":
		return 1e8, true
	case "billion":
		return 1e9, true
	}
	return 0, false
}

// english reads number words: total of the thousands that are closed, plus the group.
func english(ws []string) (v float64, n int) {
	total, group := 0.0, 0.0
	for n < len(ws) {
		x, ok := englishNumbers[ws[n]]
		switch {
		case !ok && ws[n] == "and" && n > 0 && n+1 < len(ws) && group >= 100:
			if y, ok := englishNumbers[ws[n+1]]; !ok || y >= 100 {
				return total + group, n
			}
		case !ok:
			return total + group, n
		case x == 100:
			group = max(group, 1) * 100
		case x >= 1000:
			total += max(group, 1) * x
			group = 0
		case n > 0 && !(group >= 100 && int(group)%100 == 0 || group == 0 && total > 0 || int(group)%10 == 0 && int(group)%100 >= 20 && x < 10):
			return total + group, n // another number begins
		default:
			group += x
		}
		n++
	}
	return total + group, n
}

// chinese reads numerals up to 亿, each character a word.
func chinese(ws []string) (v float64, n int) {
	total, section, digit := 0.0, 0.0, -1.0
	for ; n < len(ws); n++ {
		if i := strings.Index("零一二三四五六七八九", ws[n]); i >= 0 && len(ws[n]) == 3 {
			digit = max(digit, 0)*10 + float64(i/3) // 二〇二三 is 2023
			continue
		}
		switch ws[n] {
		case "〇":
			digit = max(digit, 0) * 10
		case "两":
			digit = 2
		case "十", "百", "千":
			unit := map[string]float64{"十": 10, "百": 100, "千": 1000}[ws[n]]
			if digit < 0 {
				if unit > 10 {
					return total + section, n
				}
				digit = 1
			}
			section += digit * unit
			digit = -1
		case "万", "亿":
			unit := map[string]float64{"万": 1e4, "亿": 1e8}[ws[n]]
			if n == 0 {
				return 0, 0
			}
			total += (section + max(digit, 0)) * unit
			section, digit = 0, -1
		default:
			return total + section + max(digit, 0), n
		}
	}
	return total + section + max(digit, 0), n
}
