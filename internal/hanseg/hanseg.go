// Package hanseg cuts Chinese text into words: of all ways to cut it into words of a
// dictionary the likeliest one, words taken as independent of each other. The
// dictionary is in dict.txt (see NOTICE.md); a caller may add words of its own.
package hanseg

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed dict.txt
var dictFile string

// A Word is one word of a text. Text[Start:End] of the input is Form.
type Word struct {
	Form       string
	Start, End int  // bytes
	Class      byte // of the dictionary: v verb, n noun, a adjective, d adverb, t time, R person's name, S place name …; 0: not in it
}

type entry struct {
	cost  int32
	class byte
}

// unknown is the cost of a character that is not a word, more than that of any word.
const unknown = 300

// maxRunes is the length of the longest word.
const maxRunes = 5

// dictionary is the words of dict.txt, read on first use.
var dictionary = sync.OnceValue(func() map[string]entry {
	m := make(map[string]entry, 1<<17)
	for line := range strings.Lines(dictFile) {
		w, rest, _ := strings.Cut(line, " ")
		cost, class, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(cost)
		m[w] = entry{int32(n), class[0]}
	}
	return m
})

// A Segmenter has the dictionary's words and a caller's. The zero value has the
// dictionary's.
type Segmenter struct{ own map[string]entry }

// New adds words. They are as likely as a common word of the dictionary, and win over
// it where both have a word.
func New(words map[string]byte) *Segmenter {
	s := &Segmenter{own: make(map[string]entry, len(words))}
	for w, c := range words {
		s.own[w] = entry{90, c}
		if utf8.RuneCountInString(w) == 1 {
			s.own[w] = entry{70, c}
			if e, ok := dictionary()[w]; ok {
				s.own[w] = entry{e.cost, c}
			}
		}
	}
	return s
}

func (s *Segmenter) look(w string) (entry, bool) {
	if e, ok := s.own[w]; ok {
		return e, true
	}
	e, ok := dictionary()[w]
	return e, ok
}

// Cut cuts a text. Runs of letters or digits and single other marks are words too;
// white space is none.
func (s *Segmenter) Cut(text string) []Word {
	out := make([]Word, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.Is(unicode.Han, r):
			j := i
			for j < len(text) {
				q, m := utf8.DecodeRuneInString(text[j:])
				if !unicode.Is(unicode.Han, q) {
					break
				}
				j += m
			}
			out = s.run(out, text, i, j)
			i = j
		case unicode.IsSpace(r):
			i += n
		default:
			j := i + n
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				for j < len(text) {
					q, m := utf8.DecodeRuneInString(text[j:])
					if unicode.Is(unicode.Han, q) || !unicode.IsLetter(q) && !unicode.IsDigit(q) && q != '-' && q != '.' && q != '_' {
						break
					}
					j += m
				}
			}
			out = append(out, Word{Form: text[i:j], Start: i, End: j})
			i = j
		}
	}
	return out
}

// run cuts the Chinese characters text[i:j]: best[k] is the least cost of the first k
// characters, from[k] where the last word of that cut begins.
func (s *Segmenter) run(out []Word, text string, i, j int) []Word {
	var at []int // byte offsets of the characters, and the end
	for k := i; k < j; {
		at = append(at, k)
		_, n := utf8.DecodeRuneInString(text[k:])
		k += n
	}
	at = append(at, j)
	n := len(at) - 1
	best, from, class := make([]int32, n+1), make([]int, n+1), make([]byte, n+1)
	for e := 1; e <= n; e++ {
		best[e] = 1 << 30
		for b := max(0, e-maxRunes); b < e; b++ {
			w, ok := s.look(text[at[b]:at[e]])
			if !ok {
				if e-b > 1 {
					continue
				}
				w = entry{cost: unknown}
			}
			if c := best[b] + w.cost; c < best[e] {
				best[e], from[e], class[e] = c, b, w.class
			}
		}
	}
	k := len(out)
	for e := n; e > 0; e = from[e] {
		out = append(out, Word{Form: text[at[from[e]]:at[e]], Start: at[from[e]], End: at[e], Class: class[e]})
	}
	for a, b := k, len(out)-1; a < b; a, b = a+1, b-1 {
		out[a], out[b] = out[b], out[a]
	}
	return out
}
