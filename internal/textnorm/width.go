package textnorm

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many columns a terminal shows a text in: Chinese characters and other wide
// ones take two, marks on a character none.
func Width(s string) int {
	n := 0
	for _, r := range s {
		switch k := width.LookupRune(r).Kind(); {
		case k == width.EastAsianWide || k == width.EastAsianFullwidth:
			n += 2
		case !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			n++
		}
	}
	return n
}

// Pad fills a text with blanks up to n columns of a terminal.
func Pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-Width(s))) }
