package reader

import (
	"slices"
	"strconv"
	"strings"

	"membench/internal/pattern"
	"membench/internal/tokens"
)

// Settings of the cautious reader. They were chosen by reading its answers to 100 human
// questions of LoCoMo, REALTALK and BEAM; docs/quality.md has the figures on others.
const (
	sure    = 0.55 // least share of the question's words, rare ones counting more, in the sentence of an answer
	surer   = 0.65 // the same where the answer is the sentence
	surest  = 0.7  // the same where the answer is counted or reckoned, not read off
	surely  = 0.8  // share of sure that the other sentences of an answer need
	atOnce  = 2    // sentences of an answer
	atMostL = 4    // of a list
)

// Cautious is Rule for people who ask: it says that it does not know rather than guess.
// It answers about a person only with what the person says or what is said of them by
// name, only where one sentence holds most of what is asked, and counts only what a
// sentence counts.
func Cautious() Reader { return &rule{cautious: true} }

var (
	reOrder   = pattern.New(`\b(?:order in which|in (?:chronological )?order|in what order|walk me through)\b|顺序`)
	reHowMany = pattern.New(`\bhow (?:many|much) (?:\w+ ){0,2}?(\w+)\b`)
	reNever   = pattern.New(`\bnever\b|从未|从来没|从没`)
	reWhy     = pattern.New(`\bwhy\b|\binspired\b|为什么|为何`)
	reReason  = pattern.New(`\b(?:because|since|so that|due to|reason|inspired|as i|thanks to)\b|因为|由于|所以|为了`)
	reOther   = pattern.New(`\baccording to\b`)
)

// certain narrows sentences to those that may answer for sure; none means that nobody
// knows.
func certain(q question, ranked []scored) []scored {
	low := strings.ToLower(q.text)
	if reOrder.MatchString(low) || q.kind == what && strings.Contains(low, "both ") {
		return nil
	}
	if len(q.subjects) == 1 && !q.several && !reOther.MatchString(low) {
		ranked = slices.DeleteFunc(slices.Clone(ranked), func(s scored) bool {
			if s.speaker == "" || slices.Contains(q.subjects, s.speaker) {
				return false
			}
			// "Hey Gina, I had to": the name is called, the words are about the speaker.
			return !mentions(strings.ToLower(s.text), q.subjects[0]) || reFirst.MatchString(s.text) || strings.Contains(s.text, "我")
		})
	}
	if q.first && !slices.ContainsFunc(ranked, func(s scored) bool { return s.speaker != "user" && s.speaker != "assistant" && s.speaker != "" }) {
		ranked = slices.DeleteFunc(slices.Clone(ranked), func(s scored) bool { return s.speaker == "assistant" })
	}
	ranked = slices.DeleteFunc(slices.Clone(ranked), func(s scored) bool { return s.asks || strings.HasPrefix(s.text, "[") || s.former && !q.was && !q.ever })
	need := sure
	switch q.kind {
	case number, long:
		need = surest
	case what, list, who:
		need = surer
		for len(ranked) > 0 && !aboutSubject(q, ranked[0]) {
			ranked = ranked[1:]
		}
		ranked = slices.DeleteFunc(ranked, func(s scored) bool {
			return reWhy.MatchString(low) && !reReason.MatchString(strings.ToLower(s.text)) || !adds(q, s) || names(low) && !enumerates(s.text)
		})
	}
	if q.han { // terms are pairs of characters, of which another wording shares fewer
		need *= .7
	}
	if len(ranked) == 0 || len(q.terms) == 0 || ranked[0].cover < need {
		return nil
	}
	n, least := 0, surely*need
	if q.kind == number { // a newer count may be worded otherwise
		least = .6 * need
	}
	for n < len(ranked) && ranked[n].cover >= least {
		n++
	}
	ranked = ranked[:n]
	if m := reHowMany.FindStringSubmatch(low); m != nil && q.kind == number {
		noun := tokens.Stem(m[1])
		ranked = slices.DeleteFunc(ranked, func(s scored) bool { return !slices.Contains(s.terms, noun) })
	}
	return ranked
}

// aboutSubject reports whether a sentence says something of the one that is asked about:
// it is in the first person, or names it. What speakers say of the world is not it.
func aboutSubject(q question, s scored) bool {
	if len(q.subjects) != 1 || s.speaker == "" || q.han {
		return true
	}
	return reFirst.MatchString(s.text) || mentions(strings.ToLower(s.text), q.subjects[0])
}

// adds reports whether a sentence says anything that the question does not say itself.
func adds(q question, s scored) bool {
	return q.han || slices.ContainsFunc(s.terms, func(t string) bool {
		return !slices.Contains(q.terms, t) && !slices.Contains(q.kin, t) && !strings.HasSuffix(t, "ly") && !hollow[t]
	})
}

// names reports whether a question wants several things named: what hobbies, which games.
func names(low string) bool {
	m := reList.FindStringSubmatch(low)
	return m != nil && m[1] != "" && !slices.Contains([]string{"does", "has", "is", "was", "this", "his", "its"}, m[1])
}

// enumerates reports whether a sentence names several things.
func enumerates(s string) bool {
	return strings.Count(s, ", ") > 1 || strings.Contains(s, ", ") && strings.Contains(s, " and ")
}

// bothSaid answers a question of yes or no to which both was said: one of the best
// sentences says never, another of the same speaker does not. "" where that is not so.
func bothSaid(q question, ranked []scored) string {
	if q.kind != yesno || reNever.MatchString(q.text) {
		return ""
	}
	var never, ever *unit
	for _, s := range ranked {
		switch is := reNever.MatchString(strings.ToLower(s.text)); {
		case is && never == nil:
			never = s.unit
		case !is && ever == nil:
			ever = s.unit
		}
	}
	if never == nil || ever == nil || never.speaker != ever.speaker || never.line == ever.line {
		return ""
	}
	if q.han {
		return "两种说法都有：" + quoteOf(never, true) + "；" + quoteOf(ever, true)
	}
	return "Both were said: " + quoteOf(never, false) + "; " + quoteOf(ever, false)
}

// quoteOf quotes a sentence, with its day where it is known.
func quoteOf(u *unit, han bool) string {
	switch {
	case !u.dated:
		return strconv.Quote(u.text)
	case han:
		return strconv.Quote(u.text) + "（" + sayDay(true, u.day) + "）"
	}
	return strconv.Quote(u.text) + " (" + sayDay(false, u.day) + ")"
}

// earlier says which other number an earlier sentence gave, that fits nearly as well.
func earlier(q question, newest []scored, answer string) string {
	for i := 1; i < max(1, count(newest, .8)); i++ {
		s := newest[i]
		if !s.dated || !newest[0].dated || s.day >= newest[0].day {
			continue
		}
		if n := spanNumber(q, newest[i:i+1]); n != "" && n != answer {
			if q.han {
				return "（此前：" + n + "，" + sayDay(true, s.day) + "）"
			}
			return " (before: " + n + ", said on " + sayDay(false, s.day) + ")"
		}
	}
	return ""
}
