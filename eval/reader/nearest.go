package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/timex"
)

// A Quote is what somebody said that is near to a question.
type Quote struct {
	Hit  int    // that it is of, from 1
	Text string // who said what, and when
}

const (
	nearMost  = 4   // quotes beside a refusal
	nearLeast = .1  // share of the question's words that one of them has
	quoteMost = 240 // characters of a quote, where its best sentence has fewer
)

// nearest are the best hits that may answer a question, each by the sentence that says most
// of it and those about it: first what the one that is asked about says. What another
// person says of themselves is none of them.
func (e *evidence) nearest(q question, speakers []string) (out []Quote) {
	if len(q.terms) == 0 {
		return nil
	}
	ranked := slices.DeleteFunc(rankUnits(q, e), func(s scored) bool {
		return another(q, s) || reCode.MatchString(s.text) || s.former && !q.was && !q.ever
	})
	if !slices.ContainsFunc(ranked, func(s scored) bool { return s.cover >= nearLeast }) {
		return nil
	}
	foreign := func(s scored) int {
		if len(q.subjects) == 0 || slices.Contains(q.subjects, s.speaker) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(ranked, func(a, b scored) int {
		return cmp.Or(foreign(a)-foreign(b), cmp.Compare(a.hit, b.hit), cmp.Compare(b.cover, a.cover))
	})
	for _, s := range ranked {
		if s.hit == 0 || s.cover == 0 || slices.ContainsFunc(out, func(o Quote) bool { return o.Hit == s.hit }) {
			continue
		}
		from, to := e.around(s.pos)
		var said []string
		for _, u := range e.units[from:to] {
			said = append(said, u.text)
		}
		out = append(out, Quote{s.hit, sayQuote(q, s, speakers, strings.Join(said, q.say(" ", ""))) + e.reckoned(q, from, to)})
	}
	return out[:min(nearMost, len(out))]
}

// around are the sentences about one, of the same turn, that a quote holds: first what
// comes after it, then what comes before.
func (e *evidence) around(pos int) (from, to int) {
	from, to = pos, pos+1
	left := quoteMost - utf8.RuneCountInString(e.units[pos].text)
	fits := func(i int) bool {
		if i < 0 || i >= len(e.units) || e.units[i].hit != e.units[pos].hit {
			return false
		}
		n := utf8.RuneCountInString(e.units[i].text)
		if n > left {
			return false
		}
		left -= n
		return true
	}
	for fits(to) {
		to++
	}
	for fits(from - 1) {
		from--
	}
	return from, to
}

// sayQuote says who said something, and when.
func sayQuote(q question, s scored, speakers []string, text string) string {
	who := s.speaker
	if i := slices.IndexFunc(speakers, func(n string) bool { return strings.ToLower(n) == who }); i >= 0 {
		who = speakers[i]
	}
	switch {
	case who == "user" && q.first:
		who = q.say("you", "你")
	case who == "user" || who == "assistant":
		who = q.say("the "+who, map[string]string{"user": "用户", "assistant": "助手"}[who])
	case who == "":
		who = q.say("it was", "有人")
	}
	on := ""
	if s.dated {
		on = q.say(" on ", "于") + sayDay(q.han, s.day)
	}
	return who + q.say(" said"+on+": “", on+"说：“") + text + "”"
}

// reckoned is the day that a quote means, where a time is asked for and it names one
// counted from the day of speaking.
func (e *evidence) reckoned(q question, from, to int) string {
	if q.kind != when {
		return ""
	}
	for _, u := range e.units[from:to] {
		year, _, _ := u.day.Civil()
		for _, x := range timex.Find(u.text, year) {
			if u.dated && x.Kind == timex.Deictic && !x.Vague {
				return q.say(" (", "（") + sayWhen(q.han, x, u.day) + q.say(")", "）")
			}
		}
	}
	return ""
}
