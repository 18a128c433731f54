package clause

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/hanseg"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
)

// Who the subject of a Chinese clause is.

// mentioned notes the last relative or named person of a clause.
func (r *zhReader) mentioned(c *zhClause) {
	for k, next := 0, 0; k < len(c.ws); k = max(k+1, next) {
		var m Mention
		if m, next = r.person(c, k); (m.Kind == Relative || m.Kind == Named) && !(k == 0 && zhRelations[m.Text] != "" && !strings.HasPrefix(m.Text, "我") && !c.isSpoken(next)) { // who is spoken to: 老姐，…
			r.last = m
		}
	}
}

// People are the relatives and named persons whom a Chinese text mentions, in order.
func People(text string, o Options) (out []Mention) {
	if strings.IndexFunc(text, textnorm.IsHan) < 0 || len(text) > longSentence {
		return nil
	}
	r := zhReader{o: o}
	for _, at := range zhClauses(text) {
		c := &zhClause{text: text[at[0]:at[1]], start: at[0], ws: zhCut(text[at[0]:at[1]])}
		for k := 0; k < len(c.ws); k++ {
			if m, next := r.person(c, k); (m.Kind == Relative || m.Kind == Named) && c.at(k-1) != "当" && (next >= len(c.ws) || c.at(next) != "的") {
				out = append(out, m)
				k = next - 1
			}
		}
	}
	return out
}

// Vocative is the relation of the parent, grandparent or spouse whom a Chinese text speaks to: 妈，我到了, 爸你别买了, 吃过了妈. It is "" where there is none.
func Vocative(text string) string {
	if m := zhVocative.FindStringSubmatch(text); m != nil {
		return zhRelations[m[1]+m[2]+m[3]]
	}
	return ""
}

var zhVocative = func() *pattern.Pattern {
	var kin []string
	for w, key := range zhRelations {
		if parents := set("mother father grandmother grandfather husband wife"); parents[key] && !strings.HasPrefix(w, "我") && w != "先生" && w != "太太" && w != "妻子" && w != "丈夫" {
			kin = append(kin, w)
		}
	}
	slices.SortFunc(kin, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	any := "(" + strings.Join(kin, "|") + ")"
	return pattern.New(`^\s*` + any + `(?:[，,！!。~～\s]|[你您]|$)|(?:了|吗|吧|啊)[，,]?` + any + `\s*(?:[，,！!。？?~～]|$)|[，,。！!]\s*` + any + `[，,！!。~～]`)
}()

// pronoun is whom a pronoun means: the person whom the text mentioned last, if the gender fits.
func (r *zhReader) pronoun(m Mention) Mention {
	if m.Kind == Pronoun && !m.Plural && r.last.Kind != NoOne && !r.last.Plural && (r.last.Gender == m.Gender || r.last.Gender == Unknown || m.Gender == Unknown) {
		return r.last
	}
	return m
}

// omitted gives a clause the subject of the clause before it, or the speaker if there is none.
func (c *zhClause) omitted(r *zhReader) {
	c.dropped = true
	if q := r.asked; r.subject.Kind == NoOne && !r.thing && q != nil && q.who.Kind != NoOne && q.who.Kind != Addressee { // who was asked about
		c.f.Subject, c.dropped, c.elided = q.who, q.who.Text == "", true
		c.f.Subject.Start, c.f.Subject.End = c.start, c.start
		return
	}
	if r.bare && r.subject.Kind != NoOne {
		c.dropped = false
		c.f.Subject = r.subject
		c.f.Subject.Start, c.f.Subject.End = c.start, c.start
		return
	}
	if c.f.Subject = r.subject; r.subject.Kind == NoOne {
		if own := r.topicOf(r.o.Own); own.Kind != NoOne && !r.thing && c.has(zhMore) { // 嗯，初一还去烧香
			c.f.Subject = own
			c.f.Subject.Start, c.f.Subject.End = c.start, c.start
			return
		}
		c.f.Subject, c.alone, c.unsure = Mention{Kind: Speaker}, true, r.thing
	}
}

// zhMore add to what was said before.
var zhMore = set("还 也 又")

// topicOf is the relative or named person that the last clause of a text is about, if there is one.
func (r *zhReader) topicOf(text string) Mention {
	own := zhReader{o: Options{Names: r.o.Names, Year: r.o.Year}}
	for _, st := range sentence.Split(text) {
		own.sentence(st)
	}
	if k := own.subject.Kind; k == Relative || k == Named {
		return own.subject
	}
	return Mention{}
}

func isName(w string) bool {
	return len(w) > 1 && w[0] >= 'A' && w[0] <= 'Z' && !strings.ContainsAny(w, "0123456789")
}

// subjectOf reads a person at the front of the clause.
func (r *zhReader) subjectOf(c *zhClause) bool {
	m, next := r.person(c, c.i)
	if m.Kind == NoOne {
		return false
	}
	c.f.Subject, c.i = r.pronoun(m), next
	// 我和女朋友去…: the others come along.
	for w := c.at(c.i); w == "和" || w == "跟" || w == "与"; w = c.at(c.i) {
		o, next := r.person(c, c.i+1)
		if o.Kind == NoOne {
			break
		}
		c.f.With = append(c.f.With, o)
		c.i = next
	}
	return true
}

// person reads a mention at word i.
func (r *zhReader) person(c *zhClause, i int) (Mention, int) {
	w := c.at(i)
	m, ok := zhPronouns[w]
	switch {
	case ok:
		m.Phrase = c.span(i, i+1)
		if c.at(i+1) == "自己" && w != "自己" && c.at(i+2) != "的" { // 我自己那个课退了
			i++
		}
		j := i + 1
		if c.at(j) == "的" {
			j++
		}
		if key := zhKin(c.at(j)); key != "" && m.Kind != NoOne {
			owner := r.pronoun(m)
			rel := Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, j+1)}
			if owner.Kind != Speaker {
				rel.Owner = &owner
			}
			if n, next := r.name(c, j+1); n.Kind != NoOne { // 我朋友阿伟
				n.Relation, n.Owner = rel.Relation, rel.Owner
				return n, next
			}
			if next := c.at(j + 1); next == "他们" || next == "她们" { // 我哥他们一家
				j++
			}
			if next := c.at(j + 1); next == "一家" || next == "一家人" || next == "家" {
				j++
			}
			return rel, j + 1
		}
		if zhBeforeRelation[c.at(j)] && zhRelations[c.at(j+1)] != "" { // 我大学室友
			key := zhRelations[c.at(j+1)]
			rel := Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, j+2)}
			if m.Kind != Speaker {
				rel.Owner = &m
			}
			return rel, j + 2
		}
		for k := j; k < min(j+3, len(c.ws)); k++ { // 我最好的朋友
			if key := zhRelations[c.at(k+1)]; strings.HasSuffix(c.at(k), "的") && key != "" && c.class(j) != 'v' && !slices.ContainsFunc(c.ws[j:k], func(w hanseg.Word) bool { return zhSomebody(w.Form) }) { // not 我一个同学的妹
				return Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, k+2)}, k + 2
			}
		}
		if c.class(j) == 'n' && zhInside[c.at(j+1)] && c.verbAt(j+2) { // 我家阳台上养了
			return m, j + 2
		}
		if c.at(i+1) == "的" || zhThing(c, i+1) && !zhOwnState[c.at(i+1)] && !c.patientAt(i+1) { // 我的电脑, 我家猫: no person
			return Mention{}, i
		}
		return m, i + 1
	case zhRelations[w] != "":
		key := zhRelations[w]
		if n, next := r.name(c, i+1); n.Kind != NoOne {
			n.Relation = key
			return n, next
		}
		if zhThing(c, i+1) {
			return Mention{}, i
		}
		m := Mention{Kind: Relative, Relation: key, Gender: relationGender(key), Phrase: c.span(i, i+1), Plural: key == "parent" || key == "family"}
		if !familyKey[key] && !strings.HasPrefix(w, "我") && !zhOnly[w] {
			m.Kind = Described
		}
		return m, i + 1
	case c.class(i) == 'n' && zhRelations[c.at(i+1)] != "" && i+1 < len(c.ws) && zhBeforeRelation[w]: // 大学室友
		key := zhRelations[c.at(i+1)]
		return Mention{Kind: Described, Relation: key, Phrase: c.span(i, i+2)}, i + 2
	case (w == "大" || w == "小") && c.at(i+1) == "的": // 大的上小学，小的…
		return Mention{Kind: Described, Relation: "child", Phrase: c.span(i, i+2)}, i + 2
	}
	return r.name(c, i)
}

// zhKin is the relation that a word names behind a pronoun: 姑 does in 你姑, as 我姑 is listed, and means nobody alone.
func zhKin(w string) string { return cmp.Or(zhRelations[w], zhRelations["我"+w]) }

// zhOnly are people of whom one has one: 房东 is one's own.
var zhOnly = set("房东 领导 上司 主管 导师 班主任")

// zhInside are words behind a thing that say where in it.
var zhInside = set("上 里 下 旁 旁边 里面 上面 下面 楼上 楼下 门口 附近")

var zhBeforeRelation = set("大学 高中 初中 小学 公司 以前 单位 部门")

var familyKey = set("mother father parent sister brother wife husband son daughter grandmother grandfather uncle aunt cousin nephew niece mother-in-law father-in-law brother-in-law sister-in-law son-in-law daughter-in-law ex family girlfriend boyfriend child partner spouse grandson granddaughter")

// zhThing reports whether what follows a person is a thing of theirs and the subject:
// 我家猫, 我手机. What follows it must be no verb.
func zhThing(c *zhClause, i int) bool {
	w := c.at(i)
	if w == "" || c.class(i) != 'n' || zhVerbs[w] != "" || zhAdverbs[w] || utf8.RuneCountInString(w) == 1 && !slices.Contains(zhPets, w) {
		return false
	}
	if c.at(i+1) == "过敏" || zhIll.MatchString(c.objectPhrase(i).Text) {
		return false
	}
	return (zhVerbs[c.at(i+1)] != "" || c.class(i+1) == 'd' || c.class(i+1) == 'v')
}

// name reads a person's name: one of the talk, 小陈, 老刘, 阿伟, 王工, 李老师, or one of
// the dictionary's names that a verb or adverb follows.
func (r *zhReader) name(c *zhClause, i int) (Mention, int) {
	if i >= len(c.ws) {
		return Mention{}, i
	}
	rest := c.text[c.ws[i].Start:]
	for _, n := range r.o.Names {
		if n != "" && strings.HasPrefix(rest, n) {
			end := c.ws[i].Start + len(n)
			j := i
			for j < len(c.ws) && c.ws[j].Start < end {
				j++
			}
			return Mention{Kind: Named, Phrase: Phrase{Text: n, Start: c.start + c.ws[i].Start, End: c.start + end}}, j
		}
	}
	rs := []rune(rest)
	take := func(n int) (Mention, int) {
		end := c.ws[i].Start + len(string(rs[:n]))
		j := i
		for j < len(c.ws) && c.ws[j].Start < end {
			j++
		}
		if j > i && c.ws[j-1].End > end {
			return Mention{}, i
		}
		return Mention{Kind: Named, Phrase: Phrase{Text: string(rs[:n]), Start: c.start + c.ws[i].Start, End: c.start + end}}, j
	}
	switch {
	case len(rs) > 3 && rs[0] == '老' && strings.ContainsRune(zhSurnames, rs[1]) && rs[2] == '头': // 老张头
		return take(3)
	case len(rs) > 2 && strings.ContainsRune("小老阿", rs[0]) && (rs[0] == '阿' || strings.ContainsRune(zhSurnames, rs[1])) && c.ws[i].End-c.ws[i].Start <= 6:
		return take(2)
	case len(rs) > 2 && strings.ContainsRune(zhSurnames, rs[0]) && strings.ContainsRune("工总姐哥", rs[1]) && c.ws[i].End-c.ws[i].Start <= 6:
		return take(2)
	case c.class(i) == 'R' && utf8.RuneCountInString(c.at(i)) >= 2 && (zhVerbs[c.at(i+1)] != "" || zhAdverbs[c.at(i+1)] || zhPreps[c.at(i+1)]) && strings.ContainsRune(zhSurnames, rs[0]):
		return take(utf8.RuneCountInString(c.at(i)))
	case i == 0 && len(rs) > 2 && rs[0] == rs[1] && strings.ContainsRune("qnR", rune(c.class(0))) && c.ws[0].End == 6 && (zhSays[c.at(1)] || zhVerbs[c.at(1)] == "PREFERS_TOPIC" || zhVerbs[c.at(1)] == "WANTS"): // 朵朵说…
		return take(2)
	case isName(c.at(i)) && i+1 < len(c.ws) && (zhVerbs[c.at(i+1)] != "" || zhAdverbs[c.at(i+1)]):
		return Mention{Kind: Named, Phrase: c.span(i, i+1)}, i + 1
	}
	return Mention{}, i
}

const zhSurnames = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔安康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
