package reader

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"membench/internal/clause"
	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
	"membench/schema"
)

var (
	reBetween = pattern.New(`(?i)\bbetween (.+?)\??$`)
	reAnd     = pattern.New(`,? and (?:the |when |my |our |on )?`)
	reFromTo  = pattern.New(`(?i)\bfrom (.+?) (?:to|until) (.+?)\??$`)
	reBefore  = pattern.New(`(?i)^(?:how (?:long|many \w+)) (.*?)\b(?:before|after|when|since|until)\b (.+?)\??$`)
	reFront   = pattern.New(`(?i)^how (?:long|many \w+) (?:before|after) (.+?) (?:did|do|does|have|has|had|was|were|is|are|will) (.+?)\??$`)
	reOfHow   = pattern.New(`(?i)^how (?:long|many \w+)\b|\b(?:had|have|has|did|do|does|passed|it been|been)\b`)
)

// spanBetween is the time between two things that a question names: "how many days
// between A and B", "how long had I A when B". Both must be dated.
func spanBetween(q question, ev *evidence, now timex.Day, hasNow bool) string {
	var a, b string
	if m := reBetween.FindStringSubmatch(q.text); m != nil {
		a, b = twoParts(m[1])
	} else if m := reFromTo.FindStringSubmatch(q.text); m != nil {
		a, b = m[1], m[2]
	} else if m := reFront.FindStringSubmatch(q.text); m != nil && q.brief {
		a, b = m[1], m[2]
	} else if m := reBefore.FindStringSubmatch(q.text); m != nil {
		a, b = reOfHow.ReplaceAllString(m[1], " "), m[2]
		if before, after, ok := strings.Cut(b, " when "); ok && q.brief && len(understand(schemaQuestion(a), nil).terms) == 0 {
			a, b = before, after
		}
	} else {
		return ""
	}
	if q.brief {
		b = referring(a, b)
	}
	d1, at1, ok1 := clauseDay(q, ev, a, -1, began)
	d2, _, ok2 := clauseDay(q, ev, b, at1, began)
	if !ok2 && strings.TrimSpace(a) == "" || len(understand(schemaQuestion(a), nil).terms) == 0 {
		d1, ok1 = now, hasNow // "how many weeks have passed since B"
		d2, _, ok2 = clauseDay(q, ev, b, -1, began)
	}
	if !ok1 || !ok2 || d1 == d2 {
		return ""
	}
	if d2 < d1 {
		d1, d2 = d2, d1
	}
	length := sayLength(q, float64(d2-d1))
	if q.brief {
		length += q.say(": from ", "：") + sayDay(q.han, d1) + q.say(" to ", "至") + sayDay(q.han, d2)
	}
	return length
}

// referring puts the last name of a question's first part in place of a person's pronoun in
// the second: "my meeting with Professor Danielle and my interview with her".
func referring(a, b string) string {
	names := reNames.FindAllString(a, -1)
	if len(names) == 0 {
		return b
	}
	words := strings.Fields(names[len(names)-1])
	return reThird.ReplaceAllString(b, words[len(words)-1])
}

var reThird = pattern.New(`\b(?:she|he|her|him)\b`)

var (
	reSooner = pattern.New(`(?i)\b(?:first|earlier|sooner)\b|先|更早`)
	reInWhat = pattern.New(`(?i)^in (?:what|which) order (?:did|have|has|had|were|was) (.+?)\??$`)
	reWhich2 = pattern.New(`(?i)^(?:did|was|were|had|has|have) (.+?) (before|after) (.+?)\??$`)
)

// sooner says which of two events that a question names came first, with the day and the
// words of each; "" where one of them is not told, or both are of one day.
func sooner(q question, ev *evidence) string {
	var sides []string
	m := reWhich2.FindStringSubmatch(q.text)
	if m != nil {
		sides = []string{m[1], m[3]}
	} else if o := reInWhat.FindStringSubmatch(q.text); o != nil {
		a, b := twoParts(o[1])
		sides = []string{a, b}
	} else if q.kind == either && reSooner.MatchString(q.text) {
		sides = q.sides
	}
	if len(sides) != 2 || sides[1] == "" {
		return ""
	}
	sides[1] = referring(sides[0], sides[1])
	told := func(side string) func(unit, bool) (timex.Day, bool) {
		terms := understand(schemaQuestion(side), q.names).terms
		return func(u unit, _ bool) (timex.Day, bool) {
			if len(terms) == 1 && !does(u, terms[0]) {
				return 0, false
			}
			return eventDay(u)
		}
	}
	a, i, ok := clauseDay(q, ev, sides[0], -1, told(sides[0]))
	b, j, ok2 := clauseDay(q, ev, sides[1], i, told(sides[1]))
	if !ok || !ok2 || a == b {
		return ""
	}
	lead := ""
	if m != nil {
		lead = map[bool]string{true: "Yes: ", false: "No: "}[(m[2] == "before") == (a < b)]
	}
	if b < a {
		a, b, i, j = b, a, j, i
		slices.Reverse(sides)
	}
	event := func(side string, d timex.Day, at int) string {
		return side + q.say(" (", "（") + sayDay(q.han, d) + q.say("): ", "）：") + strconv.Quote(ev.units[at].text)
	}
	return lead + event(sides[0], a, i) + q.say("; then ", "；然后") + event(sides[1], b, j)
}

// does reports whether a speaker says to have done what one word names: "I moved", not "they moved the date".
func does(u unit, verb string) bool {
	return hasHan(u.text) || slices.ContainsFunc(clause.Read(u.text, clause.Options{}), func(f clause.Fact) bool {
		return verbOf(f) == verb && !f.Negated && (f.Subject.Kind == clause.Speaker || f.Subject.Kind == clause.Named)
	})
}

// twoParts cuts "A and B" at the "and" that has the second thing behind it: of several the
// last that is followed by "when", "my" or "the", else the first.
func twoParts(s string) (a, b string) {
	cuts := reAnd.FindAllStringIndex(s, -1)
	if len(cuts) == 0 {
		return s, ""
	}
	at := cuts[0]
	for _, c := range cuts {
		if !strings.HasSuffix(s[c[0]:c[1]], "and ") {
			at = c
		}
	}
	return s[:at[0]], s[at[1]:]
}

func schemaQuestion(text string) schema.Question { return schema.Question{Text: text} }

// clauseDay is the day of what a part of a question names, and the sentence that says it;
// not is a sentence that is taken, dayOf the day of a sentence.
func clauseDay(q question, ev *evidence, clause string, not int, dayOf func(unit, bool) (timex.Day, bool)) (timex.Day, int, bool) {
	c := understand(schemaQuestion(clause), q.subjects)
	if len(c.terms) == 0 {
		return 0, -1, false
	}
	if !q.brief || len(c.subjects) == 0 {
		c.subjects = q.subjects
	}
	c.first, c.was, c.ever = q.first, q.was, q.ever
	ranked, least := rankUnits(c, ev), .25
	if q.brief {
		ranked, least = eligible(c, ranked), sure
		slices.SortStableFunc(ranked, func(a, b scored) int { return cmp.Compare(b.cover, a.cover) })
	}
	for _, s := range ranked {
		if s.cover < least || !q.brief && s.score < .6*ranked[0].score || q.brief && s.cover < .8*ranked[0].cover {
			break
		}
		if s.pos == not {
			continue
		}
		if d, ok := dayOf(*s.unit, q.brief); ok {
			return d, s.pos, true
		}
	}
	return 0, -1, false
}

var reOngoing = pattern.New(`(?i)\b(?:for|past|last)\b`)

// began is the day that a sentence names, or on which a stated ongoing activity began; exact accepts only words that name one day.
func began(u unit, exact bool) (timex.Day, bool) {
	if !u.dated {
		return 0, false
	}
	year, _, _ := u.day.Civil()
	for _, e := range timex.Find(u.text, year) {
		switch e.Kind {
		case timex.Deictic:
			e = e.At(u.day)
			fallthrough
		case timex.Absolute:
			if exact && e.Open && e.XLo == e.XHi && e.Hi == e.XHi { // "by April 5"
				return e.Hi, true
			}
			if exact && e.Lo != e.Hi {
				continue
			}
			return e.Lo + (e.Hi-e.Lo)/2, true
		case timex.Duration:
			if !exact && reOngoing.MatchString(u.text[max(0, e.Pos-12):e.Pos]) {
				return u.day - timex.Day((e.MinDays+e.MaxDays)/2), true
			}
		}
	}
	if exact && justNow(u.text) {
		return u.day, true
	}
	return 0, false
}

var reJust = pattern.New(`(?i)\bjust `)

// justNow reports whether a sentence says that something has just happened.
func justNow(text string) bool {
	if !reJust.MatchString(text) {
		return false
	}
	words := depparse.Parse(text)
	for i := 0; i+1 < len(words); i++ {
		if reJust.MatchString(words[i].Form+" ") && (words[i+1].Tag == "VBD" || words[i+1].Tag == "VBN") {
			return true
		}
	}
	return false
}

// sayLength says days in the unit that is asked for.
func sayLength(q question, days float64) string {
	unit, per := q.unit, map[string]float64{"day": 1, "week": 7, "month": 30.44, "year": 365.25}[q.unit]
	if per == 0 {
		unit, per = "day", 1
		switch {
		case days > 700:
			unit, per = "year", 365.25
		case days > 59:
			unit, per = "month", 30.44
		case days >= 14 && int(days)%7 == 0:
			unit, per = "week", 7
		}
	}
	n := strconv.Itoa(int(math.Round(days / per)))
	if q.han {
		return n + map[string]string{"day": "天", "week": "周", "month": "个月", "year": "年"}[unit]
	}
	if n != "1" {
		unit += "s"
	}
	return n + " " + unit
}
