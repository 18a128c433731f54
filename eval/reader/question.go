package reader

import (
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema"
)

// careful is the question for the cautious reader: "when is it" does not ask for what was, "what time" for a time of day.
func (q question) careful() question {
	low := strings.ToLower(q.text)
	q.brief = true
	if reTimeOf.MatchString(low) {
		q.kind, q.clock = when, true
	}
	if q.kind == when && reComing.MatchString(low) {
		q.was = false
	}
	return q
}

var (
	reTimeOf = pattern.New(`^(?:at |by |until |from )?what time\b|几点`)
	reComing = pattern.New(`^(?:\w+ )?(?:when|what time|(?:what|which) (?:day|date))(?:['’]s| is| are| am| does| do| will| should| can)\b`)
)

// kind is what a question asks for.
type kind uint8

const (
	what   kind = iota // a thing, a reason, a way: the sentences that say it
	when               // a day or a stretch of days
	long               // a length of time
	number             // how many
	who
	where
	yesno
	either // one of two that the question names
	list   // several things
)

// A question as the rules see it.
type question struct {
	kind     kind
	text     string
	han      bool
	terms    []string // content, without the names of speakers; sorted, without repeats
	kin      []string // words near in meaning to terms
	subjects []string // speakers that it names, lower case
	first    bool     // it says I, my: the user asks about itself
	unit     string   // long: the unit it asks for, "" any
	sides    []string // either
	past     bool     // "how long ago", "多久以前"
	newest   bool     // it asks for what holds now
	was      bool     // it asks for what was, not for what is
	ever     bool     // it asks whether something was ever so
	still    bool     // it asks whether something is so now
	brief    bool     // only what surely answers it is wanted
	clock    bool     // when: it asks for a time of day
	names    []string // of the speakers, as the case has them
	several  bool     // it is about more people than it names as speakers
}

var (
	reWhen   = pattern.New(`^(?:and |so |but )?(?:(?:around |since |until |by )?when\b|(?:on |in |around |at )?(?:what|which) (?:date|day|month|year|time of (?:the )?year|week|weekend|season)\b|what (?:is|was|'s) the (?:date|day|month|year)\b)|\bwhen (?:did|was|is|were|will|does|do|has|had)\b`)
	reLong   = pattern.New(`^(?:for |about |around )?how long\b|\bhow (?:many|much) (days?|weeks?|months?|years?|hours?|minutes?|time)\b`)
	reNumber = pattern.New(`\bhow (?:many|much|old|often|far|tall|big|large|heavy|fast)\b|^what (?:is|was|are) (?:the )?(?:total )?(?:number|amount|price|cost|percentage|score)\b`)
	reWho    = pattern.New(`^(?:with |to |from |by |for )?who(?:m|se)?\b`)
	reWhere  = pattern.New(`^(?:from |to |in )?where\b|^(?:in |to |from )?(?:what|which) (?:city|country|state|place|town|location|area|venue)\b`)
	reYesNo  = pattern.New(`^(?:is|are|was|were|am|do|does|did|has|have|had|can|could|would|will|should|might|may|based on .*?, (?:is|are|was|were|do|does|did|would|could|might))\b`)
	reAgo    = pattern.New(`\bhow (?:long|many \w+) ago\b|\bhow (?:long|many \w+) (?:has|have) (?:it been|passed)\b`)
	reOr     = pattern.New(`(?:,\s*)?([^,?]+?),? or ([^,?]+)$`)
	reList   = pattern.New(`^(?:in |to |from |of |with |for )?(?:what|which)(?: (?:are|were|other|some|kinds? of|types? of|sorts? of|all|different))* (?:[\w+'-]+ ){0,2}?([\w'-]+s)\b|\bname (?:all|the)\b|\blist\b|^what all\b`)
	reFirst  = pattern.New(`(?i)\b(?:i|my|me|mine|we|our)\b`)
	reNow    = pattern.New(`\b(?:now|current|currently|latest|these days|at present|most recent|recently|still|up to now|so far)\b|现在|目前|最近|最新|如今|当前`)

	reBoth = pattern.New(`\b(?:both|each other|together|they|their|them)\b|[\w'’]+ and [A-Z]\w+|[A-Z]\w+ and \w+|都|他们|一起|两人|[和跟与]`)

	reWas   = pattern.New(`\b(?:did|was|were|had|used to|before|formerly|previous(?:ly)?|first|originally|ever|once|when|ago|until)\b|以前|曾经?|之前|原来|过|当时|那时`)
	reEver  = pattern.New(`\b(?:ever|did|has|have)\b.*\b(?:ever|before|been|once)\b|\bdid\b|曾经?|有没有.*过|过吗`)
	reStill = pattern.New(`\bstill\b|\bany ?more\b|\b(?:does|do|is|are|has|have)\b|还|仍|现在`)

	zhWhen   = pattern.New(`什么时候|何时|哪一?[天年月日周]|几[月号日]|什么时间|哪个(?:月|星期|周末)|几点`)
	zhLong   = pattern.New(`多久|多长时间|几(?:个)?(?:天|年|月|小时|分钟|周|星期|礼拜)|多少(?:个)?(?:天|年|月|小时|分钟|周|星期)`)
	zhNumber = pattern.New(`多少|几[个只次本台条位岁家张件种]|几岁|多[大高重远]`)
	zhWho    = pattern.New(`谁|哪[一]?位|什么人`)
	zhWhere  = pattern.New(`哪里|哪儿|什么地方|何处|在哪|去哪|哪[个座](?:城市|国家|省|地方)`)
	zhYesNo  = pattern.New(`吗[？?]?$|是否|是不是|有没有|能不能|会不会|可不可以|要不要`)
	zhList   = pattern.New(`哪些|哪几|什么.*和什么`)
	zhOr     = pattern.New(`(?:是|更|，)?([^是，？?]+?)还是([^，？?]+?)[？?]?$`)
	zhAgo    = pattern.New(`多久(?:以)?前|多久之前|几(?:天|年|个月|周)(?:以)?前|多久了`)
)

// understand reads a question.
func understand(q schema.Question, speakers []string) question {
	text := strings.TrimSpace(textnorm.Compat(q.Text))
	low := strings.ToLower(text)
	out := question{text: text, han: InHan(text), newest: reNow.MatchString(low)}
	switch {
	case out.han:
		out.kind = hanKind(&out, text)
	default:
		out.kind = latinKind(&out, low)
	}
	out.was, out.ever = reWas.MatchString(low) && !out.newest, reEver.MatchString(low)
	out.still = !out.was && reStill.MatchString(low)
	out.several = reBoth.MatchString(text)
	out.first = reFirst.MatchString(text) || strings.Contains(text, "我")
	names := map[string]bool{}
	for i, s := range speakers {
		s = strings.ToLower(s)
		longer := func(o string) bool { // Alex (user3) is not Alex
			return len(o) > len(s) && textnorm.Names(o, s) && textnorm.Names(low, o)
		}
		if (textnorm.Names(low, s) || textnorm.Names(low, firstName(speakers, i))) && !slices.ContainsFunc(speakers, longer) {
			out.subjects = append(out.subjects, s)
			for _, t := range tokens.Terms(s) {
				names[t] = true
			}
		}
	}
	for _, t := range tokens.Terms(text) {
		if !names[t] && !hollow[t] {
			out.terms = append(out.terms, t)
		}
	}
	slices.Sort(out.terms)
	out.terms = slices.Compact(out.terms)
	for _, t := range tokens.Kin(text) {
		if !names[t] && !hollow[t] && !slices.Contains(out.terms, t) {
			out.kin = append(out.kin, t)
		}
	}
	return out
}

// firstName is the first word of a speaker's name of several, in lower case; "" where
// another speaker's begins with it, too.
func firstName(speakers []string, i int) string {
	first, rest, _ := strings.Cut(strings.ToLower(speakers[i]), " ")
	if rest == "" || len(first) < 2 {
		return ""
	}
	for j, other := range speakers {
		if head, _, _ := strings.Cut(strings.ToLower(other), " "); j != i && head == first {
			return ""
		}
	}
	return first
}

// hollow are terms of questions that say what is asked, not what about.
var hollow = set("many much long old often kind type sort thing time date day month year name ago number happen mention say said tell told recent recently current currently likely might would could 什么 时候 哪里 哪儿 多少 多久 几个 谁 为什么 怎么 怎样 如何 哪些 是否 何时 什 么 时 候 哪 里 多 少 久 几 为 怎")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
		m[tokens.Stem(w)] = true
	}
	return m
}

func latinKind(q *question, low string) kind {
	q.past = reAgo.MatchString(low)
	switch {
	case reLong.MatchString(low):
		if m := reLong.FindStringSubmatch(low); m[1] != "" && m[1] != "time" {
			q.unit = strings.TrimSuffix(m[1], "s")
		}
		return long
	case reNumber.MatchString(low):
		return number
	case reWhen.MatchString(low):
		return when
	case reWho.MatchString(low):
		return who
	case reWhere.MatchString(low):
		return where
	case strings.Contains(low, " or ") && (reYesNo.MatchString(low) || strings.HasPrefix(low, "wh")):
		text := strings.TrimRight(q.text, "?？. ")
		if m := reOr.FindStringSubmatchIndex(text); m != nil {
			a, b := text[m[2]:m[3]], text[m[4]:m[5]]
			if m[2] == 0 { // "Would she rather go to a park or a museum?"
				a = lastThing(a)
			}
			q.sides = []string{unarticled(a), unarticled(b)}
			return either
		}
	}
	switch {
	case reYesNo.MatchString(low):
		return yesno
	case reList.MatchString(low):
		return list
	}
	return what
}

// lastThing is what is after the last article, else the last word.
func lastThing(s string) string {
	at := 0
	for _, cut := range []string{" a ", " the ", " an ", " to ", " in ", " at "} {
		if i := strings.LastIndex(s, cut); i+len(cut) > at && i > 0 {
			at = i + len(cut)
		}
	}
	if at == 0 {
		at = strings.LastIndexByte(s, ' ') + 1
	}
	return s[at:]
}

func unarticled(s string) string {
	s = strings.TrimSpace(s)
	for _, a := range []string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(s, a); ok {
			return rest
		}
	}
	return s
}

func hanKind(q *question, text string) kind {
	q.past = zhAgo.MatchString(text)
	switch {
	case zhWhen.MatchString(text):
		return when
	case zhLong.MatchString(text):
		return long
	case zhNumber.MatchString(text):
		return number
	case zhWho.MatchString(text):
		return who
	case zhWhere.MatchString(text):
		return where
	}
	if m := zhOr.FindStringSubmatch(text); m != nil {
		q.sides = []string{strings.TrimSpace(m[1]), strings.TrimSpace(m[2])}
		return either
	}
	switch {
	case zhYesNo.MatchString(text):
		return yesno
	case zhList.MatchString(text):
		return list
	}
	return what
}

// InHan reports whether a question is asked in Chinese: "How many cats does 陈默 have?" is not.
func InHan(s string) bool { return hasHan(s) && !reLatin.MatchString(s) }

// reLatin opens an English question.
var reLatin = pattern.New(`(?i)^(?:who|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|in|at|on|to|for|from|by|with|since)(?:['’]s)? `)

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x3400 && r <= 0x9fff })
}
