package clause

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"membench/internal/pattern"
	"membench/internal/timex"
)

// How a Chinese sentence is cut into clauses, and where its expressions of time are.

// zhCalled is a clause that names what the one before it is about.
var zhCalled = pattern.New(`^\s*(?:名字?|它|他|她)?(?:就?叫|名叫)(?:做|作)?(\p{Han}{1,4}|[A-Za-z]+)[。！!～~\s]*$`)

// zhNamed is the name that a clause gives.
var zhNamed = pattern.New(`叫做?(\p{Han}{1,4})[。！!～~\s]*$`)

// zhClauses cuts a sentence at its commas and the like.
func zhClauses(s string) (out [][2]int) {
	from := 0
	add := func(to int) {
		if strings.TrimSpace(s[from:to]) != "" {
			out = append(out, [2]int{from, to})
		}
	}
	for i, r := range s {
		if i < from {
			continue
		}
		if i > from+6 && (zhSplits(s[i:]) || r == '你' && zhHear.MatchString(s[i:]) || strings.ContainsRune("我你他她咱", r) && zhWhile.MatchString(s[from:i])) {
			add(i)
			from = i
			continue
		}
		if face := zhFace.FindString(s[i:]); r == '[' && face != "" {
			add(i)
			from = i + len(face)
			continue
		}
		if strings.ContainsRune("，,；;。！!？?：:…~～\n", r) || unicode.Is(unicode.So, r) || r == ' ' && zhPause(s[from:i], s[i+1:]) && !zhOpen(s[from:i]) {
			add(i)
			from = i + utf8.RuneLen(r)
		}
	}
	if from < len(s) {
		add(len(s))
	}
	// A question mark belongs to its clause.
	if n := len(out); n > 0 && strings.ContainsAny(s[out[n-1][1]:], "?？") {
		out[n-1][1] = len(s)
	}
	return out
}

// zhHear ends a clause with the question whether it is known: 你听说没.
var zhHear = pattern.New(`^你(?:听说|知道|晓得|看到)(?:了?没有?|[吗不])`)

var (
	zhFace  = pattern.New(`^\[\p{Han}{1,5}\]`)                 // an emoji by its name: [苦涩]
	zhWhile = pattern.New(`(?:那年|那会儿?|那时候?|的时候|以后|之后|之前|以前)$`) // ends a clause of time
)

// zhPause reports whether a blank is between two clauses, and not beside a word or number of another script (我在 Acme 上班).
func zhPause(before, after string) bool {
	if before = strings.TrimRightFunc(before, func(r rune) bool { return r < utf8.RuneSelf && r != ' ' }); before == "" || strings.HasSuffix(before, " ") {
		return false
	}
	return isHanWord(after)
}

// zhOpen reports whether what is before a blank waits for a predicate: a time, a part of the body or an adverb alone (上周 膝盖 手术).
func zhOpen(before string) bool {
	if utf8.RuneCountInString(before) > 12 {
		return false
	}
	c := &zhClause{text: before, ws: zhCut(before), times: zhTimes(before, 0)}
	if n := len(c.ws); n == 0 || zhPreps[c.at(0)] && n < 3 && !c.verbAt(1) { // 在 北京
		return n > 0
	}
	for i := range c.ws {
		if w := c.at(i); !c.inTime(i) && c.class(i) != 't' && !zhOwnState[w] && !(zhAdverbs[w] && zhVerbs[w] == "") {
			return false
		}
	}
	return true
}

// zhSplits reports whether a text continues with a word that joins clauses.
func zhSplits(s string) bool {
	words := []string{"所以", "但是", "因为", "然后", "可是", "而且", "不过", "于是", "但我", "但他", "但她"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

// zhTimes are the expressions of time of a clause; those of habit (每周三晚上) have no Kind.
func zhTimes(text string, year int) []timex.Expr {
	out := slices.DeleteFunc(timex.Find(text, year), func(e timex.Expr) bool { return strings.HasPrefix(text[e.End:], "级") }) // 三年级 is no length
	for i := range out {
		// 下个月十号 is one expression.
		out[i].End += len(zhDay.FindString(text[out[i].End:]))
	}
	for _, m := range zhEvery.FindAllStringIndex(text, -1) {
		if slices.ContainsFunc(out, func(e timex.Expr) bool { return e.Pos < m[0] && e.End >= m[1] }) { // 下周三, 七月一号
			continue
		}
		out = slices.DeleteFunc(out, func(e timex.Expr) bool { return e.Pos < m[1] && e.End > m[0] })
		out = append(out, timex.Expr{Pos: m[0], End: m[1]})
	}
	return out
}

var zhDay = pattern.New(`^[\d一二三四五六七八九十]{1,3}[号日]`)

var zhEvery = pattern.New(`初[一二三四五六七八九十]+(?:十五)?|[一二三四五六日]{2,5}(?:早上|晚上|中午|下午|上午)|(?:周|星期|礼拜)[一二三四五六日天]|[\d一二三四五六七八九十]{1,3}号|每[个隔]?(?:天|周|星期|礼拜|月|年|晚|早)[一二三四五六日天末]?(?:早上|晚上|中午|下午|上午|早|晚)?`)
