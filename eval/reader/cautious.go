package reader

import (
	"slices"
	"strings"

	"membench/internal/pattern"
	"membench/internal/tokens"
)

// Settings of the cautious reader. They were chosen by reading its answers to 100 human
// questions of LoCoMo, REALTALK and BEAM; docs/quality.md has the figures on others.
const (
	sure    = 0.55 // least share of the question's words, rare ones counting more, in the sentence of an answer
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
	reOther   = pattern.New(`\baccording to\b`)
)

// certain narrows sentences to those that may answer for sure; none means that nobody
// knows.
func certain(q question, ranked []scored) []scored {
	low := strings.ToLower(q.text)
	if reOrder.MatchString(low) {
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
	if q.kind == number || q.kind == long {
		need = surest
	}
	if q.han { // terms are pairs of characters, of which another wording shares fewer
		need *= .7
	}
	if len(ranked) == 0 || len(q.terms) == 0 || ranked[0].cover < need {
		return nil
	}
	n := 0
	for n < len(ranked) && ranked[n].cover >= surely*need {
		n++
	}
	ranked = ranked[:n]
	if m := reHowMany.FindStringSubmatch(low); m != nil && q.kind == number {
		noun := tokens.Stem(m[1])
		ranked = slices.DeleteFunc(ranked, func(s scored) bool { return !slices.Contains(s.terms, noun) })
	}
	return ranked
}
