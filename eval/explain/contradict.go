package explain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"membench/internal/measure"
	"membench/internal/sentence"
	"membench/internal/textnorm"
	"membench/internal/timex"
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
		text := s.turns[ref.TurnID].text()
		says := ""
		switch {
		case alone && dateOf(text, r.Answer) && !dateOf(text, r.Gold) && len(dates(r.Gold)) == 1:
			says = text[dates(text)[0].Pos:dates(text)[0].End]
		case alone && amountOf(r.Question, text, r.Answer) && !amountOf(r.Question, text, r.Gold) && asAmount(r.Question, r.Gold, r.Answer):
			says = strings.TrimSpace(r.Answer)
		default:
			says = s.otherName(r, ref)
		}
		if says != "" {
			return goldFinding(fmt.Sprintf("gold and evidence disagree: %s says %s, as the answer does: %s; the gold is %s", s.name(ref), quote(says), quote(text), quote(r.Gold)), ref)
		}
	}
	return finding{}, false
}

// dates lists the dates of a text that need no other date to be understood.
func dates(text string) []timex.Expr {
	return slices.DeleteFunc(timex.Find(text, 0), func(e timex.Expr) bool { return e.Kind != timex.Absolute || e.Open || e.Approx })
}

// dateOf reports whether the only date of a text is the only one of an answer. A year that one of them leaves out is the other's.
func dateOf(text, answer string) bool {
	a, b := dates(text), dates(answer)
	if len(a) != 1 || len(b) != 1 || a[0].Grain != b[0].Grain {
		return false
	}
	if a[0].Yearless || b[0].Yearless {
		_, m, d := a[0].Lo.Civil()
		_, n, e := b[0].Lo.Civil()
		return m == n && d == e
	}
	return a[0].Lo == b[0].Lo && a[0].Hi == b[0].Hi
}

// amounts lists the amounts of a text.
func amounts(text string) (out []measure.Value) {
	for i := 0; i < len(text); i++ {
		if i > 0 && (text[i-1] >= '0' && text[i-1] <= '9' || text[i-1]|0x20 >= 'a' && text[i-1]|0x20 <= 'z') {
			continue // inside a word
		}
		if v, end := measure.At(text, i); end > i {
			out = append(out, v)
			i = end
		}
	}
	return out
}

// amountOf reports whether the only amount of a text is the only one of an answer, and of what the question asks.
func amountOf(question, text, answer string) bool {
	a, b := amounts(text), amounts(answer)
	return len(a) == 1 && len(b) == 1 && len(dates(text)) == 0 && a[0].Lo == b[0].Lo && a[0].Hi == b[0].Hi && a[0].Kind == b[0].Kind &&
		(a[0].Of == "" || newBag(question).has(a[0].Of) || a[0].Of == b[0].Of)
}

// asAmount reports whether a gold is one amount and nothing else that the question does not say, of the kind of the answer's.
func asAmount(question, gold, answer string) bool {
	x, y := amounts(gold), amounts(answer)
	asked := newBag(question)
	words := newBag(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return ' '
		}
		return r
	}, gold))
	return len(x) == 1 && len(y) == 1 && x[0].Kind == y[0].Kind && (x[0].Kind != "count" || all(words.terms, asked.has))
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
