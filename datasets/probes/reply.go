package probes

import (
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/clause"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/timex"
	"membench/internal/tokens"
)

// People ask each other, and what they ask is what someone may ask a memory later: "What
// did you plant?" of Ann to Ben becomes "What did Ben plant?", and Ben's next turn answers
// it. Its words are not the answer's: the two turns belong together, as in talk.

var (
	askedEN = pattern.New(`(?i)^(?:(?:so|and|but|well|oh|wow|cool|nice|great|hey)[,!.]? |(?-i:[A-Z])\w+, )*((?:what|which|where|who|how|why)\b.*)\?$`)
	// What points at something that only those present know.
	pointing = pattern.New(`(?i)\b(?:that|this|it|its|it's|these|those|there|here|they|them|their|he|she|him|her|his|ones?|else|else's|another|other|more|again|think|thinking|thoughts?|impressions?|you (?:two|guys|all|both)|up to|going on|been up|about you|happened|we|us|our|me|my|i|yourself|yourselves|such|each|i'm|i've|mean|so far|then|too|would|could|should|might|will|gonna|going to|if|any|anything|all|now|next|currently|why not|how to|by the way)\b|['’](?:re|d|ll|ve|m)\b|\bhow['’]s\b`)
	secondEN = []struct {
		re  *pattern.Pattern
		say string
	}{
		{pattern.New(`(?i)\bdo you\b`), "does {who}"},
		{pattern.New(`(?i)\bdid you\b`), "did {who}"},
		{pattern.New(`(?i)\bhave you\b`), "has {who}"},
		{pattern.New(`(?i)\bare you\b`), "is {who}"},
		{pattern.New(`(?i)\bwere you\b`), "was {who}"},
		{pattern.New(`(?i)\bhad you\b`), "had {who}"},
		{pattern.New(`(?i)\byour(?:s)?\b`), "{who}'s"},
		{pattern.New(`(?i)\b(made|makes?|gave|gives?|inspire[sd]?|motivate[sd]?|helped|helps|brought|brings|led|drew|got|taught|to|for|with|about|of|from) you\b`), "${1} {who}"},
	}
)

// offerReplies offers each turn that asks someone else and is answered by the next one.
func (m *maker) offerReplies(s *scope, put putter) {
	for _, sit := range s.sittings {
		for i := 0; i+1 < len(sit.turns); i++ {
			a, b := sit.turns[i], sit.turns[i+1]
			if a.who != b.who && !a.probe && !b.probe && strings.Contains(a.text, "?") && len(b.text) < 2000 {
				put(candidate{typ: Reply, u: [2]*turn{a, b}}, string(a.id))
			}
		}
	}
}

// askReply words the question of a turn as a third person would.
func (m *maker) askReply(c candidate) (*draft, string) {
	a, b := c.u[0], c.u[1]
	all := sentence.Split(a.text)
	if len(all) == 0 || !all[len(all)-1].Question || len(all) > 1 && all[len(all)-2].Question {
		return nil, "the turn does not end with one question"
	}
	asks := topical(all[len(all)-1].Text, b.who, a.who)
	if !takesTurns(a, b) && shared(asks, tokens.Terms(b.text)) == 0 {
		return nil, "the next turn may answer something else"
	}
	q := m.w.words.third(all[len(all)-1].Text, b.who, a.who)
	if q == "" {
		return nil, "the question points at what only those present know"
	}
	gold := statement(b, q)
	if gold == "" {
		return nil, "the reply states nothing"
	}
	for _, t := range c.s.turns { // who else is asked the same
		if t != a && strings.Contains(t.text, "?") && shared(asks, tokens.Terms(t.text)) >= .75 {
			return nil, whySecond
		}
	}
	d := &draft{turns: []*turn{b}, hops: 1, spelled: true}
	d.q.Text, d.q.Answer = q, gold
	d.proof = prove(QueryReply, Params{Convs: c.s.convs, Names: c.s.names(b.who), Event: a.id, Text: fold(gold)})
	return d, ""
}

// definite reports whether a question names a thing as one that is known: "which aspect of
// the park are you …", "the change" with nothing that says which.
func (w *words) definite(q string) bool {
	return slices.ContainsFunc(definite.FindAllStringSubmatch(q, -1), func(m []string) bool { return m[2] != "" || w.alone[m[1]] })
}

var definite = pattern.New(`\bthe ([a-z]+)(?: (are|is|was|were|do|does|did|have|has|had)\b|$| (?:and|or|in|at|on|for|with)\b)`)

// called is a name behind a question: "…, Ben?"
var called = pattern.New(`, [A-Z]\w+$`)

// stillYou is a "you" that a name cannot take the place of without another verb.
var stillYou = pattern.New(`(?i)\byou\b`)

// takesTurns reports whether the turns around a question and its reply are by the other
// one each: who sends several messages in a row may be answering an earlier one.
func takesTurns(a, b *turn) bool {
	list := a.sitting.turns
	i := slices.Index(list, a)
	before := i == 0 || list[i-1].who != a.who
	after := i+2 >= len(list) || list[i+2].who != b.who
	return before && after
}

// third is a question to someone as one about them; "" where it cannot be understood by
// itself: it points at something, names a day by the day of speaking, or says too little.
func (w *words) third(text, who, other string) string {
	text = strings.Join(strings.Fields(text), " ")
	got := askedEN.FindStringSubmatch(text)
	if got == nil || utf8.RuneCountInString(text) > 120 || pointing.MatchString(got[1]) || w.definite(got[1]) || len(timex.Find(got[1], 2000)) > 0 {
		return ""
	}
	q := got[1]
	q = called.ReplaceAllString(q, "")
	named := false
	for _, x := range secondEN {
		if x.re.MatchString(q) {
			q, named = x.re.ReplaceAllString(q, strings.ReplaceAll(x.say, "{who}", who)), true
		}
	}
	if !named || stillYou.MatchString(q) || strings.Count(q, who) > 2 || len(topical(q, who, other)) < 3 && !habitual.MatchString(q) {
		return ""
	}
	return strings.ToUpper(q[:1]) + q[1:] + "?"
}

// habitual begins a question that needs no more context than its thing.
var habitual = pattern.New(`(?i)^how (?:long|often)\b`)

// topical are the content words of a question, without the names.
func topical(q string, names ...string) []string {
	var skip []string
	for _, n := range names {
		skip = append(skip, tokens.Terms(n)...)
	}
	return slices.DeleteFunc(tokens.Terms(q), func(t string) bool { return slices.Contains(skip, t) || empty[t] })
}

// empty are words of questions that say nothing of their subject.
var empty = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("what which where who how many much long often old kind type sort favorite like get do go make feel new good best most thing way start enjoy love plan inspire") {
		out[w], out[tokens.Stem(w)] = true, true
	}
	return out
}()

// hollow begins a sentence that shows something, or says only how it was.
var hollow = pattern.New(`(?i)^(?:here(?:['’]s| is| are)|it['’]?s|that['’]?s|this|thanks|thank you|i['’]m (?:so |really |super |very )?(?:excited|glad|happy|proud|thrilled|grateful)|we['’]re (?:so |really )?(?:excited|happy))\b`)

func shared(a, b []string) float64 {
	n := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return float64(n) / float64(max(1, len(a)))
}

// statement is the first sentence of a reply that states a fact of its speaker and more than
// the question does; "" where there is none, or the reply asks back or says something else first.
func statement(b *turn, q string) string {
	asked := tokens.Terms(q)
	for _, st := range sentence.Split(b.text) {
		if st.Question {
			return ""
		}
		facts := clause.Read(st.Text, clause.Options{})
		own := slices.ContainsFunc(facts, func(f clause.Fact) bool {
			return f.Subject.Kind == clause.Speaker && f.Modality == clause.Asserted && f.Tier == clause.Default
		})
		words := tokens.Terms(st.Text)
		fresh := slices.DeleteFunc(slices.Clone(words), func(t string) bool { return slices.Contains(asked, t) })
		if own && !hollow.MatchString(st.Text) && len(fresh) >= 2 && len(words) <= 30 && (shared(topical(q, b.who), words) > 0 || len(st.Text) < 160) {
			return st.Text
		}
		if len(fresh) >= 3 && !hollow.MatchString(st.Text) { // says as much, and may be the answer
			return ""
		}
	}
	return ""
}
