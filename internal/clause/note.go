package clause

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
)

// Note is a note that a memory system keeps on somebody as that person would say it: "Likes tea" and "The user likes tea" are "I like tea", "Name is Jo" is "My name is Jo", 喜欢喝茶 and 用户喜欢喝茶 are 我喜欢喝茶.
// Sentences about somebody else stay as they are.
func Note(text string) string {
	var b strings.Builder
	at := 0
	for _, s := range sentence.Split(text) {
		b.WriteString(text[at:s.Start])
		if r, _ := utf8.DecodeRuneInString(s.Text); textnorm.IsHan(r) {
			b.WriteString(noteZH(s.Text))
		} else {
			b.WriteString(noteEN(s.Text))
		}
		at = s.End
	}
	return b.String() + text[at:]
}

// noteOwner is the person as a note names them, noteOf what is theirs; noteName is the beginning of a note on the name.
var (
	noteOwner = pattern.New(`(?i)^(?:the )?user(['’]s)? `)
	noteOf    = pattern.New(`(?i)^(?:(?:full |first |last )?name|age|birthday|hometown|job|occupation|profession|hobb(?:y|ies)|favou?rite [a-z ]+?) (?:is|are)\b|^(?:年龄|生日|职业|老家|爱好)(?:是|为)`)
	noteName  = pattern.New(`^的?(?:名字|姓名)(?:是|为|叫)`)
)

func noteEN(s string) string {
	rest, said := s, ""
	if m := noteOwner.FindStringSubmatchIndex(s); m != nil {
		if rest, said = s[m[1]:], "I "; m[2] >= 0 {
			return "My " + rest
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	if !unicode.IsLetter(r) {
		return s
	}
	rest = string(unicode.ToLower(r)) + rest[n:]
	if noteOf.MatchString(rest) {
		return "My " + rest
	}
	ws := depparse.Parse("he " + rest)
	v := 1
	for v < len(ws) && (fillers[ws[v].Form] || ws[v].Form == "no" || ws[v].Form == "longer" || strings.HasSuffix(ws[v].Form, "ly")) { // "currently lives", "no longer lives"
		v++
	}
	if v < len(ws)-1 && ws[v].Tag == "VBZ" && strings.HasSuffix(ws[v].Form, "s") && (v > 1 || depparse.Common(ws[v].Form) || depparse.Common(depparse.Verb(ws[v].Form, "VBZ"))) { // Jonas is no verb
		from, to := ws[v].Start-len("he "), ws[v].End-len("he ")
		base := depparse.Verb(ws[v].Form, "VBZ")
		if base == "be" {
			base = "am"
		}
		return "I " + rest[:from] + base + rest[to:]
	}
	if said == "" {
		return s
	}
	return said + rest
}

func noteZH(s string) string {
	rest, named := strings.CutPrefix(strings.TrimPrefix(s, "该"), "用户")
	if m := noteName.FindStringIndex(rest); m != nil {
		return "我叫" + rest[m[1]:]
	}
	if rest == "" {
		return s
	}
	if w := zhCut(rest)[0]; named || w.Class == 'v' || w.Class == 'p' || zhVerbs[w.Form] != "" || zhNegations[w.Form] || noteOf.MatchString(rest) {
		return "我" + rest
	}
	return s
}
