package clause

import "strings"

// marks of Markdown that stand around words; longer ones first.
var marks = []string{"```", "**", "__", "~~", "||", "*", "_", "`"}

// unmarked returns a text of the same length with blanks in place of the marks that stand around words, and of words that are struck out (~~).
func unmarked(text string) string {
	if !strings.ContainsAny(text, "*_~|`") {
		return text
	}
	out := text
	for i := 0; i < len(text); i++ {
		for _, mark := range marks {
			if !strings.HasPrefix(text[i:], mark) {
				continue
			}
			n := len(mark)
			if mark != "```" && (i == 0 || !wordByte(text[i-1])) { // that one is around lines, see sentence.Split
				if end := closing(text, i+n, mark); end >= 0 {
					if out = blank(blank(out, []int{i, i + n}), []int{end, end + n}); mark == "~~" {
						out = blank(out, []int{i, end})
					}
				}
			}
			i += n - 1
			break
		}
	}
	return out
}

// closing is where the mark that was opened before from is closed, in the same line and after a word; -1 where it is not.
func closing(text string, from int, mark string) int {
	line, _, _ := strings.Cut(text[from:], "\n")
	if line == "" || line[0] == ' ' {
		return -1
	}
	for at := 1; ; at++ {
		n := strings.Index(line[min(at, len(line)):], mark)
		if n < 0 {
			return -1
		}
		at += n
		if end := at + len(mark); line[at-1] != ' ' && (end == len(line) || !wordByte(line[end])) {
			return from + at
		}
	}
}

// wordByte reports whether b is a letter or digit of ASCII: between two of these a mark is no markup, as in snake_case and 5*3.
func wordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
