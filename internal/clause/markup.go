package clause

import (
	"slices"
	"strings"
)

// marks of Markdown that stand around words; longer ones first.
var marks = []string{"```", "**", "__", "~~", "||", "*", "_", "`"}

// unmarked returns a text of the same length with blanks in place of the marks that stand around words, and of words that are struck out (~~).
func unmarked(text string) string {
	if !strings.ContainsAny(text, "*_~|`") {
		return text
	}
	out := []byte(text)
	clear := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for i := 0; i < len(text); i++ {
		at := slices.IndexFunc(marks, func(m string) bool { return strings.HasPrefix(text[i:], m) })
		if at < 0 {
			continue
		}
		mark := marks[at]
		n := len(mark)
		if mark != "```" && (i == 0 || !wordByte(text[i-1])) { // that one is around lines, see sentence.Split
			switch end := closing(text, i+n, mark); {
			case end < 0:
			case mark == "~~":
				clear(i, end+n)
			default:
				clear(i, i+n)
				clear(end, end+n)
			}
		}
		i += n - 1
	}
	return string(out)
}

// longestMarked is how many bytes are looked at for the mark that closes one: a text full of open marks must not take the square of its length.
const longestMarked = 500

// closing is where the mark that was opened before from is closed, in the same line and after a word; -1 where it is not.
func closing(text string, from int, mark string) int {
	line, _, _ := strings.Cut(text[from:min(len(text), from+longestMarked)], "\n")
	if line == "" || line[0] == ' ' {
		return -1
	}
	for at := 1; ; at++ {
		n := strings.Index(line[min(at, len(line)):], mark)
		if n < 0 {
			return -1
		}
		at += n
		if end := at + len(mark); line[at-1] != ' ' && (from+end == len(text) || !wordByte(text[from+end])) {
			return from + at
		}
	}
}

// wordByte reports whether b is a letter or digit of ASCII: between two of these a mark is no markup, as in snake_case and 5*3.
func wordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
