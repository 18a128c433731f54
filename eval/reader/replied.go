package reader

import (
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema"
)

// What is asked was often asked before, in the talk itself: the reply to it is the answer, and may share no word with the question.

const alike = .8 // share of a question's words that are in another one which asks the same

// replied answers from the newest reply of the one who is asked about to the same question; "" where there is none, or something newer says as much.
func (e *evidence) replied(q question, may []scored) string {
	var best *unit
	for i := range e.units {
		u := &e.units[i]
		a, ok := e.asked[u.hit]
		if !ok || i > 0 && e.units[i-1].hit == u.hit || u.asks || u.former && !q.was || reNoAnswer.MatchString(u.text) || !q.asks(a, u) {
			continue
		}
		if best == nil || byDay(best, u) < 0 {
			best = u
		}
	}
	if best == nil || slices.ContainsFunc(may, func(s scored) bool { return s.own >= surely*sure && byDay(best, s.unit) < 0 }) {
		return ""
	}
	var said []scored
	for i := range e.units {
		if u := &e.units[i]; u.hit == best.hit && !u.asks {
			said = append(said, scored{unit: u, pos: i, cover: 1, own: 1, score: 1})
		}
	}
	text, low := e.passage(q, []int{said[0].pos}), strings.ToLower(q.text)
	if (names(low) || gathers(low)) && !enumerates(text) {
		return ""
	}
	switch q.kind {
	case yesno:
		switch asserts(e.asked[best.hit].text, best.text) {
		case says:
			text = q.sayYesNo(true, text)
		case denies:
			text = q.sayYesNo(false, text)
		default:
			return ""
		}
	case when:
		text = spanWhen(q, said)
	case number:
		text = spanNumber(q, said)
	case long:
		if n := spanLong(q, said, 0, false); n != "" {
			text = n
		}
	}
	if text != "" {
		e.from = best.hit
	}
	return text
}

// asks reports whether a reply is to the same question: of the same kind, with nearly all words, hardly others, and about the same person.
func (q question) asks(a reply, u *unit) bool {
	// A program's questions are offers that its user passes over, and its replies are advice.
	if len(q.terms) == 0 || len(q.subjects) > 1 || slices.ContainsFunc(q.names, func(n string) bool { return strings.EqualFold(n, "assistant") }) {
		return false
	}
	if len(q.subjects) == 1 {
		named := func(n string) bool { return !strings.EqualFold(n, u.speaker) && textnorm.Names(a.text, n) }
		if own := u.speaker == q.subjects[0]; own && (slices.ContainsFunc(q.names, named) || reOthers.MatchString(a.text)) || !own && !textnorm.Names(a.text, q.subjects[0]) {
			return false
		}
	}
	all, back := alike, alike/2
	if q.han { // pairs of characters, as everywhere
		all, back = .65*all, .65*back
	} else if len(q.terms) == 1 { // the rest of the other question says what of it
		back = alike
	}
	return slices.ContainsFunc(sentence.Split(a.text), func(s sentence.Sentence) bool {
		said, n := termsOf(s.Text), 0
		for _, t := range q.terms {
			if slices.Contains(said, t) || slices.ContainsFunc(tokens.Kin(t), func(k string) bool { return slices.Contains(said, k) && clause.Covers(t, k) }) {
				n++
			}
		}
		return !reStated.MatchString(s.Text) && float64(n) >= all*float64(len(q.terms)) && slices.ContainsFunc(reParts.Split(s.Text, -1), func(part string) bool {
			p := understand(schema.Question{Text: strings.TrimSpace(part)}, q.names).careful()
			same := p.kind == q.kind || q.kind == list && p.kind == what || q.kind == yesno && zhEither.MatchString(part)
			for _, re := range []*pattern.Pattern{reHowTo, reWhy, reNameOf, reDenies} {
				same = same && re.MatchString(part) == re.MatchString(q.text)
			}
			return same && p.was == q.was && slices.Equal(relationsOf(q.text), relationsOf(part)) && share(p.terms, q.terms) >= back
		})
	})
}

// asserts is what a reply says to a question of yes or no, by how it begins: with yes or no, or with the verb of the question.
func asserts(asked, said string) verdict {
	said = strings.ToLower(strings.TrimSpace(said))
	switch {
	case reNoTo.MatchString(said):
		return denies
	case reYesTo.MatchString(said):
		return says
	case hasHan(said) && strings.Contains(asked, string([]rune(said)[:1])):
		return says
	}
	return open
}

var (
	reOthers   = pattern.New(`(?i)\b(?:he|she|they|his|her|their)\b|(?:^|[^吉其])[他她它]`)
	reStated   = pattern.New(`[.!。！]$`)
	reHowTo    = pattern.New(`(?i)\bhow\b|怎么|怎样|咋|如何`)
	reParts    = pattern.New(`[,，?？;；!！。]`)
	zhEither   = pattern.New(`[不没](?:有)?$|没有?了?$|(\p{Han})不(\p{Han})`)
	reYesTo    = pattern.New(`^(?:oh |haha |lol )*(?:yes|yeah|yep|yup|ya|yea|sure|of course|definitely|exactly|indeed|absolutely)\b|^(?:是的?|对的?|嗯|当然|可以)(?:[，。！ 啊呀]|$)`)
	reNoTo     = pattern.New(`^(?:oh |haha |lol )*(?:no|nope|nah|not any ?more|not yet|not really|never)\b|^(?:不[^错过客知确一]|没[^事错问关准]|还没|早不|别)`)
	reNoAnswer = pattern.New(`(?i)\b(?:guess|dunno|idk|no idea|not sure|don['’]?t (?:know|remember)|depends|why do you ask|who told|none of your)\b|猜|不知道|不清楚|不确定|再说|忘了|谁说`)
)

// doer is the one of whom a sentence says what a question asks a person for: Becky in "our Becky's getting married" for "Who is getting married?". "" nobody.
func (q question) doer(s scored, speakers []string) string {
	m := reDoer.FindStringSubmatch(q.text)
	if m == nil || len(q.subjects) > 0 {
		return ""
	}
	const somebody = "Kim"
	for _, a := range clause.Read(somebody+m[1]+".", clause.Options{Names: []string{somebody}}) {
		for _, f := range clause.Read(s.text, clause.Options{Names: speakers}) {
			same, whole := samePredicate(a, f, nil)
			if a.Subject.Text != somebody || f.Negated != a.Negated || f.Modality != clause.Asserted && f.Modality != a.Modality || !same || !whole || (len(f.Over) > 0 || f.Formerly) && a.Tense == clause.Present {
				continue
			}
			name := f.Subject.Text
			if i := slices.IndexFunc(speakers, func(n string) bool { return strings.EqualFold(n, s.speaker) }); i >= 0 && f.Subject.Kind == clause.Speaker && (name == "" || reFirst.MatchString(name) && !strings.Contains(name, " ")) {
				return speakers[i]
			}
			if all := reNames.FindAllStringIndex(name, -1); len(all) > 0 && all[len(all)-1][0] > 0 {
				return name[all[len(all)-1][0]:]
			}
			return name
		}
	}
	return ""
}

// reDoer asks for the one who does or is something.
var reDoer = pattern.New(`(?i)^who((?:['’]s)? .+?)\??$`)
