package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
)

// Chats set clauses side by side with commas only: "my aunt's at the council, hates it, then I start on Monday". The parser, which learnt from edited text,
// makes one clause of them. So they are read one by one.

// opening is what only answers or announces, before the clause that says something: "No, ", "yeah ", "Sad news, ".
var opening = pattern.New(`(?i)^(?:(?:(?:` + textnorm.No + `|` + textnorm.Yes + `|oh|ok|okay|well|right|haha|lol|wow|omg|fair|so|anyway|anyways|honestly|actually|hey|hi)[,.!…]+ +|(?:nope|nah|yep|yeah|yup|haha|lol|omg|wow|ok|okay|anyway|oh) +)+)`)

// inverted begins a question, with a mark at its end or without: "isn't he …", "what was I …".
var inverted = pattern.New(`(?i)^\s*(?:and |but |so )?(?:(?:what|how|why|who|where|when|which)(?:['’]s| (?:is|are|was|were|did|do|does|can|could|will|would|should|has|have|am)(?:n['’]?t)?) (?:i|we|he|she|they|it|you|u|the|my|your)\b|(?:is|are|was|were|does|did|am|can|could|would|has|do|have)(?:n['’]?t)? (?:i|we|he|she|they|it|you|u|there|that|this|the|my|your|his|her|their|(?:any|every|some)(?:one|body|thing))\b|(?:is|are|does) \w)`)

var (
	pronounEN = pattern.New(`(?i)\b(?:he|she|his|her)\b`)
	femaleEN  = pattern.New(`(?i)\b(?:she|her)\b`)
)

// english lists the facts of one English sentence, clause by clause.
// of is the subject of the question that it may answer, and said are the sentences before it.
func (o Options) english(st sentence.Sentence, of Mention, said string) (out []Fact) {
	text := st.Text
	if m := opening.FindString(text); m != "" && len(m) < len(text) {
		text = strings.Repeat(" ", len(m)) + text[len(m):]
	}
	var last *enSentence
	if of.Kind != NoOne && of.Kind != Speaker && of.Kind != Addressee {
		last = &enSentence{text: "He ", lead: len("He "), heir: of}
	}
	var before, own []Mention // whom "she" may mean
	if pronounEN.MatchString(text) {
		for _, m := range o.people(o.Before) {
			before = append(before, m.flipped())
		}
		own = o.people(said)
	}
	absent := func(of []Mention) []Mention { // "she" is neither who speaks nor who listens
		return slices.DeleteFunc(of, func(m Mention) bool {
			return m.Kind == Named && slices.ContainsFunc(o.Names[:min(2, len(o.Names))], func(n string) bool { return n != "" && (n == m.Text || strings.HasPrefix(n, m.Text+" ")) })
		})
	}
	before, own = absent(before), absent(own)
	meant := func(m Mention) Mention {
		return antecedent(m, append(slices.Clone(own), absent(o.people(st.Text[:max(0, m.Start-st.Start)]))...), before)
	}
	parts, done := splices(text)
	for _, p := range parts {
		asks := inverted.MatchString(text[p[0]:p[1]])
		s := newEnSentence(text[p[0]:p[1]], st.Start+p[0], asks || st.Question && p[1] == len(text), o, last, done)
		s.asks = asks
		found := readEN(s)
		if o.Presupposed && !slices.ContainsFunc(found, func(f Fact) bool { return len(f.Over) > 0 }) {
			found = append(found, s.presupposed()...)
		}
		for _, f := range found {
			f.Start, f.End = st.Start, st.End
			if who := f.Subject.Owner; who != nil && who.Kind == Pronoun {
				m := meant(*who)
				f.Subject.Owner = &m
			}
			if f.Subject.Kind == Pronoun && !f.Subject.Plural {
				m := meant(f.Subject)
				m.Start, m.End = f.Subject.Start, f.Subject.End
				f.Subject = m
				f.note("by pronoun")
			}
			out = append(out, f)
		}
		last = s
	}
	return out
}

// lends is the subject of a clause as the one behind it would have it that omits it, and whom it means.
func (s *enSentence) lends() (words string, who Mention) {
	if s.lead > 0 {
		return s.text[:s.lead], s.heir
	}
	for i := range s.ws {
		if s.predicate(i) && s.subject(i) >= 0 {
			who = s.mention(s.subject(i))
			break
		}
	}
	switch {
	case who.Kind == Speaker && !who.Plural:
		return "I ", who
	case who.Kind == Addressee:
		return "You ", who
	case who.Plural:
		return "They ", who
	case who.Kind == NoOne:
		return "It ", who
	}
	return "He ", who
}

// subjectless is where a clause begins that has no subject before its finite verb, conjunctions and exclamations apart, else -1. Behind a clause or question about somebody
// else "drives for" is a verb, whatever the tagger took it for.
func (s *enSentence) subjectless(before *enSentence) int {
	from := -1
	if before != nil && before.heir.Kind > Addressee && len(s.ws) > 2 && s.ws[0].Tag == "NNS" && s.ws[1].Tag == "IN" && depparse.Verb(s.low(0), "VBZ") != s.low(0) {
		s.ws[0].Tag = "VBZ"
	}
	for k := 0; k < len(s.ws) && !nominative[s.low(k)]; k++ {
		t := s.ws[k].Tag
		if from < 0 && t != "CC" && t != "UH" && !isMark(s.ws[k].Form) {
			from = s.ws[k].Start
		}
		switch {
		case finiteTag(s.ws[k]) && t != "VBP", t == "VBN", t == "VBP" && (s.ws[k].Rel == "aux" || negWord(s.low(k+1))):
			return from
		case t != "RB" && from >= 0:
			return -1
		}
	}
	return -1
}

// splices are the bytes [from, to) of the clauses that commas part, all of the text if there is one; done is the text as it was parsed for that.
func splices(text string) (parts [][2]int, done parsed) {
	from := 0
	if strings.ContainsRune(text, ',') || strings.Contains(text, " then ") {
		ws := depparse.Parse(text)
		done = parsed{text, ws}
		for first, k := 0, 1; k+1 < len(ws); k++ { // first: of the clause that is read
			if at := spliced(text, ws, first, k); at > 0 {
				parts = append(parts, [2]int{from, ws[k].Start})
				from, first, k = ws[at].Start, at, at
			}
		}
	}
	return append(parts, [2]int{from, len(text)}), done
}

// spliced is the first word of a clause of its own that begins at the comma or "then" k, -1 where none does. The clause before it, which begins at from, must be a statement of
// its own, too: neither a part of one ("In the end, I …") nor held by what follows ("When I was six, we …", "If …").
func spliced(text string, ws []depparse.Word, from, k int) int {
	mark := ws[k].Form == ","
	low := func(i int) string { return strings.ToLower(ws[min(i, len(ws)-1)].Form) }
	if !mark && low(k) != "then" {
		return -1
	}
	at := k
	for at+1 < len(ws) && (low(at) == "," || low(at) == "and" || low(at) == "but" || low(at) == "so" || low(at) == "then") {
		at++
	}
	next := at + 1 // behind its first word
	for next+1 < len(ws) && (ws[next].Tag == "RB" || negWord(low(next))) {
		next++
	}
	noun := at // the last word of a subject: "my cousin Fran"
	for noun+1 < len(ws) && noun < at+4 && nameTag(ws[noun+1]) && nameTag(ws[noun]) {
		noun++
	}
	switch first := finiteTag(ws[at]); {
	case mark && at > k && ws[at].Tag[0] == 'W' && nominative[low(at+2)] && inverted.MatchString(text[ws[at].Start:]): // "…, what was I meant to do"
		return at
	case mark && nameTag(ws[noun]) && ws[noun].Tag[0] == 'N' && noun+1 < len(ws) && ws[noun].Rel == "nsubj" && finiteTag(ws[noun+1]): // "…, my sister says"
	case nominative[low(at)] && next < len(ws) && finiteTag(ws[next]): // "…, I went"
	case mark && first && (nominative[low(next)] || ws[at].Tag != "VBP"): // "…, can you help", "…, hates it"
	default:
		return -1
	}
	if t := ws[from].Tag; t == "IN" || t == "WRB" || t == "VBG" || t == "TO" {
		return -1
	}
	verb := false
	for i := k - 1; i >= from && ws[i].Form != "-"; i-- {
		verb = verb || finiteTag(ws[i])
		if subordinating[low(i)] {
			return -1
		}
	}
	if !verb {
		return -1
	}
	return at
}

// nameTag reports whether a word may be part of a short name of somebody or something.
func nameTag(w depparse.Word) bool {
	return w.Tag == "PRP$" || w.Tag == "DT" || w.Tag == "JJ" || strings.HasPrefix(w.Tag, "NN")
}

func finiteTag(w depparse.Word) bool {
	return w.Tag == "VBZ" || w.Tag == "VBD" || w.Tag == "VBP" || w.Tag == "MD"
}

// subordinating are words by which a clause depends on what comes later, or holds it.
var subordinating = set("like if unless whether when while although though because since as until before after once hope wish imagine suppose")
