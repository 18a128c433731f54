package explain_test

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/schema"
)

// alteration is one way to damage a text. It gives the text back unchanged where it does
// not apply.
type alteration struct {
	name, kind string
	of         func(text string, w World) string
}

var alterations = []alteration{
	{"empty", schema.FaultEmpty, func(string, World) string { return "   " }},
	{"identifier only", schema.FaultIdentifier, func(_ string, w World) string { return w.ID }},
	{"cut in half", schema.FaultCut, func(s string, _ World) string { r := []rune(s); return string(r[:len(r)/2]) }},
	{"without its beginning", schema.FaultCut, func(s string, _ World) string { r := []rune(s); return string(r[len(r)*2/5:]) }},
	{"HTML entities", schema.FaultEncoding, func(s string, _ World) string {
		var b strings.Builder
		for _, r := range s {
			if r >= 0x80 || r == 'e' || r == '\'' {
				fmt.Fprintf(&b, "&#%d;", r)
			} else {
				b.WriteString(html.EscapeString(string(r)))
			}
		}
		return b.String()
	}},
	{"JSON escapes", schema.FaultEncoding, func(s string, _ World) string {
		var b strings.Builder
		for _, r := range s {
			if r >= 0x80 || r == 'a' {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}},
	{"percent signs", schema.FaultEncoding, func(s string, _ World) string { return url.QueryEscape(s) }},
	{"base64", schema.FaultEncoding, func(s string, _ World) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"UTF-8 read as Latin-1", schema.FaultEncoding, func(s string, _ World) string {
		s = strings.ReplaceAll(s, " ", "\u00a0") // as word processors write them
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		return b.String()
	}},
	{"question marks", schema.FaultEncoding, func(s string, _ World) string {
		return strings.Map(func(r rune) rune {
			if r >= 0x80 || strings.ContainsRune("aeiou", r) {
				return '?'
			}
			return r
		}, s)
	}},
	{"another speaker", schema.FaultSpeaker, func(s string, w World) string {
		if rest, ok := strings.CutPrefix(s, w.Speaker+": "); ok {
			return w.Other + ": " + rest
		}
		return s
	}},
	{"other numbers", schema.FaultNumber, func(s string, _ World) string { return digits.ReplaceAllStringFunc(s, plus) }},
	{"negated", schema.FaultNegated, negate},
	{"denied behind", schema.FaultNegated, func(s string, _ World) string {
		if isHan(s) {
			return s + "这完全不是真的，纯属谣传。"
		}
		return s + " None of that ever actually happened, according to later gossip."
	}},
	{"another turn's text", schema.FaultOther, func(_ string, w World) string { return w.Elsewhere }},
	{"a stranger's text", schema.FaultOther, func(_ string, w World) string { return w.Stranger }},
}

var digits = regexp.MustCompile(`\d+`)

func plus(s string) string {
	n, _ := strconv.Atoi(s)
	return strconv.Itoa(n + 17)
}

func isHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

var statementVerb = regexp.MustCompile(`\b(I|we|We|is|are|was|were|have|has|will) `)

// negate turns the first statement it finds into its contrary.
func negate(s string, _ World) string {
	if isHan(s) {
		for _, v := range []string{"领养", "报名", "打算", "叫", "修好", "是", "有", "去"} {
			if i := strings.Index(s, v); i >= 0 {
				return s[:i] + "没" + s[i:]
			}
		}
		return s
	}
	if at := statementVerb.FindStringIndex(s); at != nil {
		return s[:at[1]] + "never " + s[at[1]:]
	}
	return s
}

// sentenceWithout is a line of a text that does not have the words of another.
func sentenceWithout(text, words string) string {
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		if !strings.Contains(l, words) && utf8.RuneCountInString(l) > 8 {
			r := []rune(l)
			return string(r[len(r)/2:])
		}
	}
	return "Something else."
}
