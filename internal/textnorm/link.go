package textnorm

import (
	"iter"
	"strings"
	"unicode"
)

// Links yields where the addresses of a text are (https://…, www.…), as bytes from and to. A mark that ends the sentence or bracket around one is not part of it.
func Links(text string) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for at := 0; at < len(text); {
			from := begins(text[at:])
			if from < 0 {
				return
			}
			from += at
			end := strings.IndexFunc(text[from:], func(r rune) bool {
				return unicode.IsSpace(r) || unicode.Is(unicode.Han, r) || strings.ContainsRune("<>\"，。！？；、）」”", r)
			})
			if end < 0 {
				end = len(text) - from
			}
			to := from + len(strings.TrimRight(text[from:from+end], ".,;:!?)'*_"))
			if !yield(from, to) {
				return
			}
			at = from + end
		}
	}
}

// begins is where the first address of a text begins; -1: it has none.
func begins(text string) int {
	scheme := 0 // where letters began that are a scheme if :// follows
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ':' && scheme < i && strings.HasPrefix(text[i:], "://"):
			return scheme
		case c == 'w' && scheme == i && strings.HasPrefix(text[i:], "www."):
			return i
		case c|0x20 >= 'a' && c|0x20 <= 'z' || scheme < i && (c == '+' || c == '-'):
		default:
			scheme = i + 1
		}
	}
	return -1
}

// WithoutLinks returns a text of the same length with blanks in place of its links.
func WithoutLinks(text string) string {
	if !strings.Contains(text, "://") && !strings.Contains(text, "www.") {
		return text
	}
	var out []byte
	for from, to := range Links(text) {
		if out == nil {
			out = []byte(text)
		}
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	if out == nil {
		return text
	}
	return string(out)
}
