package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/clause"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/schema"
	"membench/schema/catalog"
)

// A Quote is what someone said that is near to a question.
type Quote struct {
	Hit  int    // that it is of, from 1
	Text string // who said what, and when
}

const (
	quoteMost = 240 // characters of a quote, where its best sentence has fewer
	trusted   = .5  // share of the best hit's score from which one of the first is quoted without any of these words
	nearFirst = 4   // quotes beside a refusal, however long
	nearMost  = 10  // the same of a question for several things, else as long as all are no longer than the first may be
)

// nearest are the best hits that may answer a question, each by the sentence that says most
// of it and those about it: first what the one that is asked about says. What another person says about themselves is excluded.
func (e *evidence) nearest(q question, speakers []string) (out []Quote) {
	if len(q.terms) == 0 {
		return nil
	}
	over := map[int]bool{} // hits that tell what holds no longer
	for _, u := range e.units {
		over[u.hit] = over[u.hit] || u.former && !q.was && !q.ever
	}
	ranked := slices.DeleteFunc(rankUnits(q, e), func(s scored) bool {
		return another(q, s) || reCode.MatchString(s.text) || over[s.hit] || s.asks && !reTells.MatchString(s.text)
	})
	// A reply says little without its question.
	shared := func(s scored) float64 { return max(s.cover, share(q.terms, e.asked[s.hit].terms)) }
	foreign := func(s scored) int {
		if len(q.subjects) == 0 || slices.Contains(q.subjects, s.speaker) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(ranked, func(a, b scored) int {
		return cmp.Or(foreign(a)-foreign(b), cmp.Compare(a.hit, b.hit), cmp.Compare(b.cover, a.cover))
	})
	spread, length := q.several || q.kind == list || gathers(strings.ToLower(q.text)) || beyond(q), 0
	for _, s := range ranked {
		// The first hits may be near by what was said around them.
		if s.hit == 0 || (s.hit > nearFirst || e.score[s.hit] <= trusted*e.score[1]) && shared(s) == 0 && !spells(q, s) || slices.ContainsFunc(out, func(o Quote) bool { return o.Hit == s.hit }) {
			continue
		}
		from, to := e.around(s.pos)
		var said []string
		for _, u := range e.units[from:to] {
			said = append(said, u.text)
		}
		asked := ""
		if a := e.asked[s.hit]; share(q.terms, a.terms) > 0 {
			asked = q.say("to “", "对“") + a.text + q.say("” ", "”，")
		}
		text := strings.Join(said, q.say(" ", ""))
		if length += utf8.RuneCountInString(asked + text); len(out) == nearMost || len(out) >= nearFirst && length > nearFirst*quoteMost && !spread {
			break
		}
		out = append(out, Quote{s.hit, asked + sayQuote(q, s, speakers, text) + e.reckoned(q, from, to)})
	}
	return out
}

// spells reports whether a sentence of the one that is asked about has what a question asks
// for, a place or a name, in other words than the question's.
func spells(q question, s scored) bool {
	return (q.kind == where || q.kind == who) && slices.Contains(q.subjects, s.speaker) && spanName(q, []scored{s}) != ""
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

// of gives the evidence the turns that its hits are, and the questions that they reply to.
func (e *evidence) of(hits []schema.QAHit, asked []string) *evidence {
	out := *e
	out.units = slices.Clone(e.units)
	for i := range out.units {
		if u := &out.units[i]; u.hit > 0 && u.hit <= len(hits) && len(hits[u.hit-1].Sources) > 0 {
			u.turn = hits[u.hit-1].Sources[0]
		}
	}
	out.asked, out.score = map[int]reply{}, map[int]float64{}
	for i, h := range hits {
		out.score[i+1] = h.Score
	}
	for i, text := range asked {
		if text != "" {
			out.asked[i+1] = reply{text, termsOf(text)}
		}
	}
	return &out
}

// ended marks what one said before the same one said that it is over: "I work at the
// library", then "I quit the library".
func (e *evidence) ended(speakers []string) *evidence {
	out := *e
	out.units = slices.Clone(e.units)
	for i := range e.units {
		end := &e.units[i]
		if !end.dated || end.asks {
			continue
		}
		names := over(end.text, speakers)
		for j := range out.units {
			u := &out.units[j]
			if byDay(u, end) < 0 && u.speaker == end.speaker && slices.ContainsFunc(names, func(terms []string) bool { return share(terms, u.terms) == 1 }) {
				u.former = true
			}
		}
	}
	return &out
}

// over are the names of the states of its speaker that a text says are over, each by its terms.
func over(text string, speakers []string) (names [][]string) {
	for _, f := range clause.Read(text, clause.Options{Names: speakers, Ended: catalog.Default().Ended}) {
		for _, end := range f.Over {
			if f.Subject.Kind != clause.Speaker && !end.Mine {
				continue
			}
			for _, name := range end.Names {
				terms := slices.DeleteFunc(tokens.Terms(name), func(t string) bool { return praise[t] || hollow[t] })
				names = append(names, terms)
			}
		}
	}
	return names
}
