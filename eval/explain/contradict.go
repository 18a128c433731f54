package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"membench/eval/fidelity"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema"
)

// contradicted finds the turn of the evidence that states the answer's value where the gold has another one of the same kind, which no turn of the evidence and
// none beside it states: then the gold is not what its evidence says. A value is a date, an amount, or a proper name. An amount or a date may have been computed
// of several turns, so it must be the only one of its kind in the only piece of evidence.
func (s *story) contradicted(r *schema.QARecord, alone bool) (finding, bool) {
	if s.c == nil || len(r.Evidence) == 0 || len(r.Golds) > 1 || len(s.read(r.Answer).terms) > timeTerms {
		return finding{}, false
	}
	if key := textnorm.Key(r.Gold); slices.ContainsFunc(r.Evidence, func(ref schema.EventRef) bool { return strings.Contains(textnorm.Key(s.turns[ref.TurnID].text()), key) }) {
		return finding{}, false // the evidence says the gold in its own words
	}
	for _, ref := range r.Evidence {
		text, says := s.turns[ref.TurnID].text(), ""
		if gold := fidelity.NewValues(r.Gold, ""); alone && all(newBag(gold.Rest).terms, s.read(r.Question).has) {
			says = fidelity.NewValues(text, "").Instead(gold, fidelity.NewValues(r.Answer, ""))
		}
		if says == "" {
			says = s.otherName(r, ref)
		}
		if says != "" {
			return goldFinding(fmt.Sprintf("gold and evidence disagree: %s says %s, as the answer does: %s; the gold is %s", s.name(ref), quote(says), quote(text), quote(r.Gold)), ref)
		}
	}
	return finding{}, false
}

// unsupported describes an answer whose words one turn of the evidence has, and a gold with words that none of it has; "" for any other.
func (s *story) unsupported(r *schema.QARecord) string {
	asked, said, gold := s.read(r.Question), s.read(r.Answer), s.read(strings.Join(r.AllGolds(), " "))
	theirs, ours := gold.without(asked, said).terms, said.without(asked, gold).terms
	if s.c == nil || len(theirs) == 0 || len(ours) == 0 || len(ours) > oldValueTerms {
		return ""
	}
	for _, ref := range r.Evidence {
		if slices.ContainsFunc(theirs, s.bag(ref.TurnID).has) {
			return ""
		}
	}
	for _, ref := range r.Evidence {
		if all(ours, s.bag(ref.TurnID).has) {
			return "; the evidence has the answer's words (" + s.name(ref) + ") and none of the gold's: the gold may be wrong"
		}
	}
	return ""
}

// otherName returns the proper name that the answer and a turn of the evidence have in the place of the gold's, "" if there is none. Neither is a speaker, whom
// a turn need not name, and the turn has all that the question asks about: of a state the gold names the state, where the turn names a town.
func (s *story) otherName(r *schema.QARecord, ref schema.EventRef) string {
	asked, said, gold := s.read(r.Question), s.read(r.Answer), s.read(r.Gold)
	theirs, ours := gold.without(asked, said).terms, said.without(asked, gold).terms
	text := s.turns[ref.TurnID].text()
	if len(theirs) == 0 || len(ours) == 0 || len(theirs) > nameTerms || len(ours) > nameTerms || !all(ours, s.bag(ref.TurnID).has) {
		return ""
	}
	names := nameTermsOf(text)
	if !all(ours, names.has) || !all(theirs, capitals(r.Gold).has) {
		return ""
	}
	speakers := s.read(strings.Join(append(s.speakers(), "user"), " "))
	if slices.ContainsFunc(slices.Concat(theirs, ours), speakers.has) || !all(asked.terms, func(t string) bool { return speakers.has(t) || s.bag(ref.TurnID).has(t) }) {
		return ""
	}
	for _, e := range r.Evidence {
		p := s.turns[e.TurnID]
		for i := max(0, p.index-beside); i < min(len(p.session.Turns), p.index+beside+1); i++ {
			if slices.ContainsFunc(theirs, s.bag(p.session.Turns[i].TurnID).has) {
				return ""
			}
		}
	}
	return strings.TrimSpace(r.Answer)
}

// nameTerms is how many terms a proper name has at most.
const nameTerms = 4

func all(terms []string, has func(string) bool) bool {
	return !slices.ContainsFunc(terms, func(t string) bool { return !has(t) })
}

// capitals are the terms of the words of a text that begin with a capital.
func capitals(text string) *bag {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' }) {
		if unicode.IsUpper([]rune(w)[0]) {
			out = append(out, tokens.Terms(w)...)
		}
	}
	slices.Sort(out)
	return &bag{terms: slices.Compact(out)}
}

// nameTermsOf are the terms of words with a capital that no sentence begins with.
func nameTermsOf(text string) *bag {
	var rest []string
	for _, x := range sentence.Split(text) {
		_, after, _ := strings.Cut(strings.TrimSpace(x.Text), " ")
		rest = append(rest, after)
	}
	return capitals(strings.Join(rest, " "))
}
