package textnorm

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// quotePairs are quotation marks whose form says whether they open or close. A single
// closing mark is not among them: it is an apostrophe, too.
var quotePairs = map[rune]rune{'”': '“', '」': '「', '』': '『', '»': '«', '〞': '〝'}

// WholeQuotes removes quotation marks without their partner, as a cut text has them:
// “So we → So we. Text with German quotes („…“) stays as it is.
func WholeQuotes(s string) string {
	if strings.ContainsRune(s, '„') || !strings.ContainsAny(s, "“”「」『』«»〝〞\"") {
		return s
	}
	type mark struct {
		at   int
		open rune
	}
	var open []mark
	var half []int // places of marks without a partner
	for i, r := range s {
		switch r {
		case '“', '「', '『', '«', '〝':
			open = append(open, mark{i, r})
			continue
		}
		want, closes := quotePairs[r]
		if !closes {
			continue
		}
		k := len(open) - 1
		for k >= 0 && open[k].open != want {
			k--
		}
		if k < 0 {
			half = append(half, i)
			continue
		}
		for _, m := range open[k+1:] {
			half = append(half, m.at)
		}
		open = open[:k]
	}
	for _, m := range open {
		half = append(half, m.at)
	}
	if strings.Count(s, `"`)%2 == 1 { // one of these opens or closes only at an end of the text
		switch body := strings.TrimRight(s, ` .,!?`); {
		case strings.HasPrefix(s, `"`):
			half = append(half, 0)
		case strings.HasSuffix(body, `"`) && !strings.ContainsAny(body[max(0, len(body)-2):len(body)-1], "0123456789"): // 12" is a length
			half = append(half, len(body)-1)
		}
	}
	slices.Sort(half)
	var b strings.Builder
	from := 0
	for _, i := range half {
		b.WriteString(s[from:i])
		_, n := utf8.DecodeRuneInString(s[i:])
		from = i + n
	}
	b.WriteString(s[from:])
	return b.String()
}
