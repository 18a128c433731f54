package reader

import (
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// What changed is said with a verb of change and its new value: "has now reached 165",
// "moved the call to April 22". Days alone do not tell the two apart: both may be said on
// one day.
var (
	reChange  = pattern.New(`(?i)\b(?:re-?scheduled|adjusted|revised|moved|moving|postponed|delayed|pushed|shifted|changed|updated?|increased|grown|growth|risen|rose|gone (?:up|down)|extended|expanded|improved|dropped|decreased|reduced|lowered|raised|reached|switched)\b|改到|改成|改为|推迟到|提前到|增加到|涨到|降到|升到|达到`)
	reTo      = pattern.New(`(?i)\b(?:to|reached|of|at|now)\b[^.;]{0,24}?([$€£¥]?\d[\d,]*(?:\.\d+)?(?:%|[a-z]{1,2}\b)?)|(?:到|成|为)\s?(\d[\d,.]*%?)`)
	reMovedTo = pattern.New(`(?i)\b(?:to|until|till|for)(?: the)? $|[到至为成]$`)
	reValue   = pattern.New(`\bwhat (?:is|are|'s) (?:the|my|our) .*\b(?:rate|percentage|coverage|time|quota|target|number|count|score|budget|price|cost|accuracy|total)\b`)
	reDue     = pattern.New(`\b(?:deadline|due date|date)\b`)
)

// changed is the value that a change left, with the one that was in the best other
// sentence; "" if no change of what is asked about is stated.
func changed(q question, may []scored) string {
	low := strings.ToLower(q.text)
	day := q.kind == when || reDue.MatchString(low)
	if q.was || q.kind == long || !day && q.kind != number && !reValue.MatchString(low) {
		return ""
	}
	may = slices.DeleteFunc(slices.Clone(may), func(s scored) bool { return !hasNumbers(q, s) })
	i := slices.IndexFunc(may, func(s scored) bool {
		return s.cover >= moved && reChange.MatchString(s.text) && q.value(s, day, true) != ""
	})
	if i < 0 {
		return ""
	}
	now := q.value(may[i], day, true)
	for _, s := range may {
		if was := q.value(s, day, false); (day || q.counted(s.text, was) == q.counted(may[i].text, now)) && s.line != may[i].line && s.cover >= moved && was != "" && was != now && strings.HasSuffix(was, "%") == strings.HasSuffix(now, "%") && !reChange.MatchString(s.text) {
			return now + q.say(" (before: ", "（此前：") + was + q.say(")", "）")
		}
	}
	return now
}

// hasNumbers reports whether a sentence has the numbers of a question, which are not days:
// "after 15 problems" is not answered by what was so after 12.
func hasNumbers(q question, s scored) bool {
	dates := timex.Find(q.text, 2000)
	for _, m := range reDigits.FindAllStringIndex(q.text, -1) {
		day := slices.ContainsFunc(dates, func(e timex.Expr) bool { return m[0] >= e.Pos && m[1] <= e.End })
		if !day && !strings.Contains(s.text, q.text[m[0]:m[1]]) {
			return false
		}
	}
	return true
}

// counted is what a number counts: the first of the three words behind it that the question
// has, else the first of all.
func (q question) counted(text, number string) (noun string) {
	_, after, _ := strings.Cut(text, number)
	for i, w := range words(after) {
		stem := tokens.Stem(strings.ToLower(after[w[0]:w[1]]))
		if i == 0 {
			noun = stem
		}
		if i < 3 && slices.Contains(q.terms, stem) {
			return stem
		}
	}
	return noun
}

// values are the best sentence and those of its speaker that give a value of the same thing,
// the newest first. value is what a sentence gives, "" nothing, and what of.
func values(q question, may []scored, best scored, value func(scored) (string, string)) []scored {
	_, of := value(best)
	out := []scored{best}
	for _, s := range may {
		if v, what := value(s); v != "" && what == of && s.pos != best.pos && s.cover >= moved && s.speaker == best.speaker && hasNumbers(q, s) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, byNewest)
	return out
}

// value is the day or the number that a sentence gives; new asks for that of a change.
func (q question) value(s scored, day, new bool) string {
	if q.clock {
		return reClock.FindString(s.text)
	}
	if day {
		year, _, _ := s.day.Civil()
		text, from := q.onDays(s.text), 0
		if m := reChange.FindStringIndex(text); new && m != nil {
			from = m[1]
		}
		for _, e := range timex.Find(text, year) {
			at := text[e.End:]
			if e.Kind == timex.Deictic && !e.Vague {
				e = e.At(s.day)
			}
			if e.Kind == timex.Absolute && e.Lo == e.Hi && s.dated && e.Pos >= from && (!new || q.kind != when || reMovedTo.MatchString(text[from:e.Pos])) {
				return sayDay(q.han, e.Lo) + reAtClock.FindString(at)
			}
		}
		return ""
	}
	if !new {
		return spanNumber(q, []scored{s})
	}
	dates := timex.Find(s.text, 2000)
	verb := reChange.FindStringIndex(s.text)
	for _, m := range reTo.FindAllStringSubmatchIndex(s.text, -1) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		if from < verb[1] || reInstead.MatchString(s.text[:from]) || q.kind == number && s.text[to-1] == '%' {
			continue
		}
		if !slices.ContainsFunc(dates, func(e timex.Expr) bool { return e.Kind != timex.Duration && from >= e.Pos && to <= e.End }) {
			return strings.TrimRight(s.text[from:to], ",.")
		}
	}
	return ""
}
