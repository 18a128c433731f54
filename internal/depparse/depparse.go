// Package depparse reads the grammar of an English sentence: its words, their parts of
// speech (Penn Treebank tags), and for each word its head and its relation to it (the
// labels of Universal Dependencies).
//
// Three averaged perceptrons do it: a tagger from left to right, an arc-hybrid
// transition parser (Kuhlmann, Gómez-Rodríguez and Satta 2011) trained with a dynamic
// oracle (Goldberg and Nivre 2013), and a classifier of the arcs it made. The weights
// are in model.bin, made by cmd deptrain from UD English EWT; see model.NOTICE.md. The
// same sentence always has the same reading.
package depparse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Word is one token of a sentence. Text[Start:End] of the sentence is Form; parts of
// a contraction are words of their own ("do", "n't").
type Word struct {
	Form       string
	Start, End int    // bytes
	Tag        string // Penn Treebank: VBD, NNP, PRP …
	Head       int    // index of the head, -1 for a root
	Rel        string // relation to the head: nsubj, obj, obl, aux, root …
}

// MaxWords is how many words of a sentence are read; what follows is omitted. Speech
// has no longer sentences, and the features of a word need those around it only.
const MaxWords = 160

// Parse reads one sentence.
func Parse(sentence string) []Word {
	ws := Tokenize(sentence)
	if len(ws) > MaxWords {
		ws = ws[:MaxWords]
	}
	model().read(ws)
	return ws
}

// Tokenize cuts a sentence into words as the treebank does: contractions, hyphens and
// marks apart, numbers and addresses whole.
func Tokenize(s string) []Word {
	out := make([]Word, 0, len(s)/4+4)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.IsSpace(r) {
			i += n
			continue
		}
		j := i + n
		if wordRune(r) {
			j = wordEnd(s, j)
			if strings.HasPrefix(s[j:], "-in-law") { // a word of its own for the parser, which makes a clause of the parts
				j += len("-in-law")
			}
			out = contractions(out, s, i, j)
		} else {
			for j < len(s) { // "..." and "!!" are one mark
				q, m := utf8.DecodeRuneInString(s[j:])
				if q != r {
					break
				}
				j += m
			}
			out = append(out, Word{Form: s[i:j], Start: i, End: j, Head: -1})
		}
		i = j
	}
	return out
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.Mn, r)
}

// wordEnd is where the word that holds s[i-1] ends. An apostrophe, dot, comma, colon or
// slash between two letters or digits is inside.
func wordEnd(s string, i int) int {
	digit := unicode.IsDigit(rune(s[i-1]))
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if wordRune(r) {
			i += n
			digit = unicode.IsDigit(r)
			continue
		}
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		inside := r == '\'' || r == '’' || r == '.' || r == '@' || digit && (r == ',' || r == ':' || r == '/')
		if !inside || !wordRune(next) || r != '.' && r != '\'' && r != '’' && r != '@' && !unicode.IsDigit(next) {
			break
		}
		i += n
	}
	return i
}

// bare are contractions as chats write them, and where they are cut.
var bare = map[string]int{
	"dont": 2, "didnt": 3, "doesnt": 4, "cant": 2, "wont": 2, "isnt": 2, "wasnt": 3, "arent": 3, "werent": 4, "hasnt": 3, "havent": 4, "hadnt": 3,
	"couldnt": 5, "wouldnt": 5, "shouldnt": 6, "im": 1, "ive": 1, "youre": 3, "youve": 3, "theyre": 4, "theyve": 4, "weve": 2, "thats": 4, "hes": 2, "shes": 3,
	"cannot": 3, "gonna": 3, "wanna": 3, "gotta": 3,
}

func contractions(out []Word, s string, i, j int) []Word {
	w := s[i:j]
	cut := 0
	switch k := strings.LastIndexAny(w, "'’"); {
	case k > 0:
		tail := strings.ToLower(strings.ReplaceAll(w[k:], "’", "'"))
		switch tail {
		case "'t":
			if k > 1 && (w[k-1] == 'n' || w[k-1] == 'N') {
				cut = k - 1
			}
		case "'s", "'m", "'re", "'ve", "'ll", "'d":
			cut = k
		}
	case len(w) < 10:
		cut = bare[strings.ToLower(w)]
	}
	if cut > 0 {
		out = append(out, Word{Form: w[:cut], Start: i, End: i + cut, Head: -1})
	}
	return append(out, Word{Form: w[cut:], Start: i + cut, End: j, Head: -1})
}
