package fidelity

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// word is a word of a text: a run of letters and digits, or one Chinese character, or a
// sign that carries a unit.
type word struct {
	norm     string
	said     string  // verbatim
	from, to int     // bytes in the text
	weight   float64 // weight of its meaning: little for function words
	number   bool    // has a digit, or is a number in words
	name     bool    // written as a proper noun inside a sentence
	nt       bool    // a contraction with not
}

// joins reports whether r belongs to a word when it is between two of its runes.
func joins(before, r, after rune) bool {
	digits := unicode.IsDigit(before) && unicode.IsDigit(after)
	switch r {
	case '.', ',', ':', '/':
		return digits
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	}
	return false
}

// cuts caches the words of recently cut texts, since the same few texts are compared repeatedly. Callers must not change the result.
type cuts struct {
	mu sync.Mutex
	of map[string][]word
}

var remembered cuts

const (
	mostCuts   = 4096 // texts; then all are forgotten
	longestCut = 2048 // bytes of a text that is remembered
)

// words cuts a text.
func words(text string) []word {
	if len(text) > longestCut {
		return cutWords(text)
	}
	remembered.mu.Lock()
	ws, ok := remembered.of[text]
	remembered.mu.Unlock()
	if ok {
		return ws
	}
	ws = cutWords(text)
	remembered.mu.Lock()
	defer remembered.mu.Unlock()
	if len(remembered.of) >= mostCuts || remembered.of == nil {
		remembered.of = make(map[string][]word, mostCuts)
	}
	remembered.of[text] = ws[:len(ws):len(ws)]
	return ws
}

// norms are the normal forms of the words of texts.
func norms(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, s := range texts {
		for _, w := range words(s) {
			out[w.norm] = true
		}
	}
	return out
}

// cutWords cuts a text. Format characters (zero width, direction) are passed over.
func cutWords(text string) []word {
	var out []word
	start, before := -1, rune(0)
	opens := true // the next word begins a sentence
	end := func(to int) {
		if start < 0 {
			return
		}
		w := newWord(text[start:to], start, opens)
		start, opens = -1, false
		if verb, ok := contracted(w.norm); ok { // don't is do not
			not, n := w, len("nt")
			for _, end := range []string{"n't", "n’t", "not"} {
				if strings.HasSuffix(strings.ToLower(w.said), end) {
					n = len(end)
				}
			}
			not.from = w.to - n
			w.to = not.from
			w.said, not.said = text[w.from:w.to], text[not.from:not.to]
			w.norm, not.norm, w.nt, not.nt, w.name, not.name = verb, "not", false, true, false, false
			out = append(out, w)
			w = not
		}
		out = append(out, w)
	}
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:]) // 1 for a byte that is not UTF-8
		after, _ := utf8.DecodeRuneInString(text[min(len(text), i+size):])
		switch {
		case unseen(r):
			continue
		case textnorm.IsHan(r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r):
			end(i)
			out = append(out, newWord(text[i:i+size], i, false))
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || start >= 0 && joins(before, r, after):
			if start < 0 {
				start = i
			}
		case unicode.Is(unicode.Sc, r) || r == '%' || r == '％' || r == '‰' || r == '°' || r == '\uFFFD':
			end(i)
			out = append(out, word{norm: textnorm.Fold(string(r)), said: string(r), from: i, to: i + size, weight: 1})
		default:
			end(i)
			if strings.ContainsRune(".!?\n。！？:：\"“", r) {
				opens = true
			}
		}
		before = r
	}
	end(len(text))
	return out
}

// unseen reports whether a character has no place on a page: direction, zero width, control.
func unseen(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r)
}

// contracted is the verb of one that is written with its not.
func contracted(norm string) (verb string, ok bool) {
	switch norm {
	case "cant", "cannot":
		return "can", true
	case "wont":
		return "will", true
	}
	verb, ok = strings.CutSuffix(norm, "nt")
	return verb, ok && slices.Contains([]string{"do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "could", "would", "should"}, verb)
}

func newWord(s string, from int, opens bool) word {
	fold := textnorm.Fold(s)
	w := word{norm: strings.Map(func(r rune) rune {
		if r == '\'' || r == '’' || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, fold), said: s, from: from, to: from + len(s), weight: 1}
	first, _ := utf8.DecodeRuneInString(s)
	w.nt = strings.HasSuffix(fold, "n't") || strings.HasSuffix(fold, "n’t")
	value, ordinal, counts := timex.NumberWord(w.norm)
	if counts && !ordinal && value >= 2 { // "one" is more often no number
		w.norm = strconv.FormatFloat(value, 'f', -1, 64)
	}
	w.number = strings.ContainsFunc(s, unicode.IsNumber) || counts && !ordinal && value >= 2 || strings.ContainsAny(s, "零〇一二两三四五六七八九十百千万亿")
	w.name = unicode.IsUpper(first) && !opens && w.norm != "i" && !strings.HasPrefix(fold, "i'") && !strings.HasPrefix(fold, "i’")
	switch {
	case w.number:
	case tokens.Stop(w.norm), textnorm.IsHan(first) && tokens.FunctionRune(first):
		w.weight = 0.25
	}
	return w
}

// negates reports whether the word turns a statement into its contrary.
func (w word) negates() bool {
	return w.nt || tokens.Negates(w.norm) || slices.Contains(hanNegators, w.norm)
}

// hanNegators are those that most often are parts of other words (非常, 别的): typed looks
// whether they are.
var hanNegators = []string{"别", "非", "莫", "勿"}
