package judge

import (
	"slices"
	"strings"

	"membench/internal/tokens"
)

// toldYesNo is the yes or no of an answer that repeats the question as a statement, or says the word behind its reasons: "…, so no, it isn't"; 0 if it does
// neither. The last such clause counts. It is a statement if it has the question's verb or all of its words, no other words where one of the question's is
// missing, and nothing that makes it a guess, a report or of another time than the question.
func toldYesNo(q, a *text) int {
	said, most := 0, 0.
	u, question := a.units(), strings.TrimRight(q.raw, " ?")
	for from := 0; from < len(u); {
		to := from + 1
		for to < len(u) && !a.clauseAt(u, to) {
			to++
		}
		first := from
		for first < to-1 && leading[u[first].word] {
			first++
		}
		end := len(a.raw)
		if to < len(u) {
			end = u[to].pos
		}
		if strings.Contains(a.raw[u[to-1].pos:end], "?") || strings.Contains(a.raw[u[from].pos:end], question) {
			// asked, not said
		} else if pol := a.bareYesNo(u, first, to); pol != 0 {
			said, most = pol, 1
		} else if pol, share := echoed(q, u[first:to]); pol != 0 && share >= most {
			said, most = pol, share
		}
		from = to
	}
	return said
}

// repeated ends the relation of such an answer to the gold.
const repeated = ", the question repeated"

// leading are words that lead from reasons to what follows from them.
var leading = tokens.Set("so but and then thus therefore hence yet 所以 因此 但 但是 不过")

// clauseAt reports whether a clause begins at a unit.
func (t *text) clauseAt(u []tok, i int) bool {
	if u[i].sent != u[i-1].sent || joins[u[i].word] || leading[u[i].word] {
		return true
	}
	end := min(u[i-1].pos+len(u[i-1].word), u[i].pos)
	return strings.ContainsAny(t.raw[end:u[i].pos], ",;:()—–\n")
}

// bareYesNo is the yes or no of a clause that is only this word and does not begin the text: "…, so no, it isn't".
func (t *text) bareYesNo(u []tok, from, to int) int {
	switch {
	case to != from+1 || u[from].sent == 0 && from == 0:
	case u[from].word == "yes":
		return 1
	case u[from].word == "no":
		return -1
	}
	return 0
}

// echoed is the yes or no of a clause that repeats the question, and the share of its words that the clause has.
func echoed(q *text, clause []tok) (pol int, share float64) {
	qu := q.units()
	asked, has, rest, turned := 0, 0, 0, 1
	verb := false // the clause has a word of it that is no name
	found := make([]bool, len(clause))
	for i := range qu {
		x := &qu[i]
		if x.stop || x.han && (x.word == "有没有" || x.word == "是否") {
			continue
		}
		asked++
		at := -1
		for j := len(clause) - 1; j >= 0; j-- {
			if k := &clause[j]; !k.stop && means(x, k) >= .7 {
				at, found[j] = j, true
			}
		}
		if at < 0 {
			if at = slices.IndexFunc(clause, func(k tok) bool { return opposite(x, &k) }); at >= 0 {
				found[at], turned = true, -turned
			}
		}
		has += int(b2f(at >= 0))
		verb = verb || at >= 0 && !x.name && !x.num
	}
	for j := range clause {
		k := &clause[j]
		switch {
		case k.neg:
			turned = -turned
		case k.word == "longer" || k.word == "anymore":
		case acting[operatorWords[k.word]] > 0 || k.hedge || past[k.word] && !past[q.toks[0].word] && !q.hasWord(k.word):
			return 0, 0
		case !k.stop && !found[j] && !frame(k):
			rest++
		}
	}
	if asked == 0 || !verb || has < asked && rest > 0 {
		return 0, 0
	}
	return turned, float64(has) / float64(asked)
}

// past are auxiliaries of another time than a question of the present asks about.
var past = tokens.Set("was were had did used 曾 曾经 以前")

// asserts reports whether nothing in an answer makes a guess, a report or a fiction of it, or takes it back.
func (p *prepared) asserts(r *reading) bool {
	for _, op := range r.operators {
		switch op.kind {
		case "guess", "report", "unreal", "condition", "correction", "alternative", "exchange", "question":
			return false
		}
	}
	return !p.crossed() && !strings.Contains(p.at.raw, "?")
}

// unasserted returns the words that keep a repeated question with the gold from being asserted, "" if there are none: a matrix clause without a verb of saying,
// knowing or showing ("there is a story going round that …"), an adverb that judges such a verb ("wrongly says that …"), or a label that names no source
// ("Unconfirmed: …").
func (p *prepared) unasserted() string {
	r, t := p.read(), p.at
	if r.first < 0 || p.how != "" {
		return ""
	}
	s := p.stand(r)
	h := &s.list[s.at]
	if !s.whole || h.from == 0 || t.toks[h.from-1].sent != h.sent {
		return ""
	}
	label := strings.Contains(t.gap(h.from), ":")
	if next := h.from + 1; !label && (!h.embedded || beforeNoun[t.toks[h.from-1].word] || next >= h.to || s.kind[next] == ofRest && !t.toks[next].stop) {
		return "" // "the one that went away" is no statement
	}
	words, asserts := "", false
	for i := h.from - 1; i >= 0 && t.toks[i].sent == h.sent; i-- {
		k := &t.toks[i]
		tells := telling[k.word] || knowing[k.word] || slices.ContainsFunc(k.parts, func(w string) bool { return telling[w] || knowing[w] })
		switch {
		case tells, label && (source[k.word] || frame(k) || s.kind[i] != ofRest && !k.stop):
			asserts = true
		case label && points[k.word]:
			return "" // it speaks of what was said before
		case s.kind[i] != ofRest:
		case !label && strings.HasSuffix(k.word, "ly") && (telling[t.toks[i+1].word] || knowing[t.toks[i+1].word]):
			return k.word
		default:
			words = k.word + " " + words
		}
	}
	if asserts {
		return ""
	}
	return strings.TrimSpace(words)
}

// beforeNoun are prepositions: "that" behind one of them begins no clause.
var beforeNoun = tokens.Set("of after before with from to in on for by at about")

// knowing are words of finding, showing and being sure: like one of telling, they assert what they introduce, as "in short" does.
var knowing = tokens.Set("clear plain evident obvious certain sure doubt confirm confirms confirmed establish established agree agreed agrees decide decided decides show showed shows shown proved proves proven read reads see saw seen remember remembers remembered recall recalls learn learned learnt found discovered realize realized notice noticed verify verified known determined conclude concluded demonstrate demonstrates demonstrated reveals wrote write writes reported reports adds added announces announced explains explained means meaning indicating emphasized happened short")
