package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/sentence"
	"membench/internal/textnorm"
)

// What somebody says often makes sense only with what was said before: "terrified" answers "isn't he scared of dogs?", "she bought a car" is about the one who was named
// last. Options.Before has the words of the other one.

// A query is a question in the words of who answers it: "are you still at Aldi?" is "I am still at Aldi".
type query struct {
	words   string  // "where", "what", "how old"; "" asks yes or no
	subject Mention // of whom it is asked
	begin   string  // subject and auxiliary: "I am"
	rest    string  // "still at Aldi"
}

var (
	yes      = pattern.New(`(?i)^(?:` + textnorm.Yes + `|yea|ya|sure|of course)\b[,.! ]*(?:i|we|he|she|they|it)? ?(?:do|does|did|am|are|is|was|were|have|has)?\b[,.! ]*`)
	no       = pattern.New(`(?i)^(?:` + textnorm.No + `|never|not (?:any ?more|yet|really|at all))\b[,.! ]*`)
	asking   = pattern.New(`(?i)^(?:(?:and|but|so|ok|okay|question|wait|hey|haha|lol|oh|also|btw)[, ]+)*(where|what|who|how old)?(?:['’]s|['’]re)?\s*\b(?:(is|are|was|were|do|does|did|have|has|am)(?:n['’]?t)?\b)?`)
	nowTail  = pattern.New(`(?i)(?: (?:or|then|now|these days|at the moment|again|btw|though|tho|for work|for a living))+$`)
	lastingS = set("HAS HAS_PET HAS_RELATIVE OWNS LIVES_IN WORKS_AT WORKS_AS STUDIES STUDIES_AT FOLLOWS_DIET HAS_STATUS HAS_CONDITION COMES_FROM HAS_AGE PREFERS_TOPIC HAS_HABIT HAS_NAME")
	flips    = map[string]string{"you": "I", "u": "I", "your": "my", "yours": "mine", "i": "you", "my": "your", "mine": "yours", "me": "you", "we": "you", "our": "your"}
)

// Leans reports whether a sentence may not be understood without what another one said before: it may answer a question, or it says "she" and what the same message
// says before it speaks of nobody whom that may mean. Said is that; nil: unknown.
func Leans(text, before string, said *string) bool {
	switch {
	case strings.ContainsFunc(before, textnorm.IsHan):
		return Asks(before)
	case otherLanguage(text) || strings.ContainsFunc(text, textnorm.IsHan):
		return false
	case pronounEN.MatchString(text):
		female := femaleEN.MatchString(text)
		return said != nil && !slices.ContainsFunc(Persons(*said, Options{}), func(m Mention) bool { return m.Gender == Unknown || (m.Gender == Female) == female })
	case nominative[strings.ToLower(firstWords(strings.NewReplacer("'", " ", "’", " ").Replace(text), 1))]: // a sentence of its own
		return false
	}
	_, ok := Options{}.asked(before)
	return ok
}

// asked is the last question of a text.
func (o Options) asked(text string) (q query, ok bool) {
	all := sentence.Split(text)
	for n, st := range slices.Backward(all) {
		if len(all)-n > 2 || otherLanguage(st.Text) || len(st.Text) > longSentence {
			break
		}
		parts, done := splices(st.Text)
		p := parts[len(parts)-1]
		part := st.Text[p[0]:p[1]]
		m := asking.FindStringSubmatch(part)
		if m == nil || m[2] == "" && !strings.ContainsAny(m[0], "'’") {
			continue
		}
		s := newEnSentence(part, st.Start+p[0], true, o, nil, done)
		for i := range s.ws {
			if r := s.ws[i].Rel; (r == "nsubj" || r == "nsubj:pass") && s.ws[i].Start >= len(strings.TrimRight(m[0], " ")) || nominative[s.low(i)] || s.low(i) == "u" {
				return s.query(i, m, o.people(text[:st.Start+p[0]])), true
			}
		}
	}
	return q, false
}

// query reads a question whose subject is word i.
func (s *enSentence) query(i int, m []string, before []Mention) query {
	q := query{words: strings.ToLower(m[1]), subject: s.mention(i)}
	if q.subject.Kind == Pronoun {
		q.subject = antecedent(q.subject, before, nil)
	}
	q.subject = q.subject.flipped()
	aux := strings.ToLower(m[2])
	subject := flip(strings.Trim(s.text[s.ws[s.begin(i)].Start:s.ws[i].End], " "))
	switch {
	case aux == "" && s.low(s.begin(i)-1) != "":
		aux = "is"
	case subject == "I" && aux == "are":
		aux = "am"
	case subject == "I" && aux == "were":
		aux = "was"
	case subject == "you" && (aux == "am" || aux == "is"):
		aux = "are"
	}
	rest := strings.TrimSpace(s.text[s.ws[i].End:])
	rest, _, _ = strings.Cut(strings.TrimRight(rest, " ?!."), ",")
	rest, _, _ = strings.Cut(rest, " or ")
	q.begin, q.rest = subject+" "+aux+" ", strings.ReplaceAll(flip(nowTail.ReplaceAllString(rest, ""))+" ", " I ", " me ")
	q.rest = strings.TrimSpace(q.rest)
	return q
}

// flip changes who is meant by the words for speaker and listener.
func flip(text string) string {
	fs := strings.Fields(text)
	for n, f := range fs {
		if g, ok := flips[strings.ToLower(f)]; ok {
			fs[n] = g
		}
	}
	return strings.Join(fs, " ")
}

// flipped is the mention as the other one would make it.
func (m Mention) flipped() Mention {
	switch m.Kind {
	case Speaker:
		m.Kind = Addressee
	case Addressee:
		m.Kind = Speaker
	case Relative:
		switch {
		case m.Owner == nil:
			m.Owner = &Mention{Kind: Addressee}
		case m.Owner.Kind == Addressee:
			m.Owner = nil
		}
	}
	return m
}

// reply lists what a sentence says as the answer to a question.
func (o Options) reply(st sentence.Sentence, q query) (out []Fact) {
	text := strings.TrimRight(st.Text, " .!")
	if q.subject.Kind == NoOne && !strings.HasPrefix(q.begin, "my ") {
		return nil
	}
	statement, denied, ended := "", false, false
	short := strings.Count(text, " ") < 4 && !strings.ContainsAny(text, "?,")
	switch {
	case q.words == "" && yes.MatchString(text):
		statement = q.rest
	case q.words == "" && no.MatchString(text):
		m := no.FindString(text)
		statement, denied, ended = q.rest, true, strings.Contains(strings.ToLower(m), "more")
		if at := placing.FindStringIndex(q.rest); at != nil && placing.MatchString(firstWords(text[len(m):], 1)) { // "no, with my brother"
			statement, denied = q.rest[:at[0]]+text[len(m):], false
		}
	case !short || st.Question || len(o.people(text)) > 0 && q.words == "":
	case q.words == "" && describes(text): // "isn't he scared of dogs?" "terrified"
		if first, of, ok := strings.Cut(q.rest, " of "); ok && !strings.Contains(first, " ") {
			statement = text + " of " + of
		}
	case q.words == "how old":
		statement = text + " years old"
	case q.words == "what" && living.MatchString(q.rest):
		q.begin, statement = strings.NewReplacer(" does ", " is ", "I do ", "I am ", " do ", " are ").Replace(q.begin), text
	case q.words == "where" && strings.HasPrefix(strings.ToLower(text), "still ") && opensPhrase.MatchString(text[len("still "):]):
		statement = q.rest + text[len("still"):]
	case q.words != "" && (opensPhrase.MatchString(text) || particleEnd.MatchString(q.rest)):
		statement = q.rest + " " + strings.TrimPrefix(text, lastWord(q.rest)+" ")
	case q.words == "where" && proper(text):
		statement = q.rest + map[bool]string{true: " in ", false: " at "}[strings.HasPrefix(q.rest, "liv")] + text
	}
	if statement == "" {
		return nil
	}
	p := o
	p.Before = ""
	if b, ok := strings.CutSuffix(q.begin, " do "); ok { // "I do work" is read as a noun
		q.begin = b + " "
	}
	for _, f := range Read(q.begin+statement, p) {
		pronoun := f.Subject.Kind == Pronoun && !f.Subject.Plural
		if f.Tier != Default && !pronoun || f.Modality != Asserted || !lastingS[f.Slot] && q.words == "" && (denied || !describes(text)) || len(f.Over) > 0 {
			continue
		}
		if pronoun || f.Subject.Kind == Relative {
			f.Subject = q.subject
		}
		if f.Slot == "IS" && q.words == "what" && living.MatchString(q.rest) {
			f.Slot = "WORKS_AS"
		}
		f.Negated, f.Formerly = f.Negated != denied, f.Formerly || ended
		f.Start, f.End = st.Start, st.End
		f.note("reply")
		f.Subject.Start, f.Subject.End = st.Start, st.Start
		out = append(out, f)
	}
	return out
}

// living is what asks for somebody's work, placing begins where or with whom.
var (
	living  = pattern.New(`^(?:even |actually |usually |normally )?do(?: (?:when|while|outside|apart|besides?|if)\b.*)?$`)
	placing = pattern.New(`(?i)\b(?:with|in|at|near|on|by|from)\b`)
)

// particleEnd is a question that ends where its answer belongs.
var particleEnd = pattern.New(`(?i)(?:^|\b)(?:from|for|in|at|with|to|called)$`)

// describes reports whether a text is only how somebody is: "terrified", "still vegan".
func describes(text string) bool {
	ws := depparse.Parse("I am " + strings.ToLower(text))
	return len(ws) < 5 && len(ws) > 2 && !slices.ContainsFunc(ws[2:], func(w depparse.Word) bool {
		return w.Tag != "JJ" && w.Tag != "VBN" && w.Tag != "RB"
	}) && owned(strings.ToLower(ws[len(ws)-1].Form)) || stirring(depparse.Verb(strings.ToLower(text), "VBN"))
}

// elsewhere reports whether a name behind a preposition may be a place: "in Lima", but not "with Ned" or "at Ned's".
func (s *enSentence) elsewhere(i int) bool {
	k := s.kid(i, "case")
	if t := s.ws[max(i-1, 0)].Tag; k < 0 && i > 0 && (t == "IN" || t == "TO") {
		k = i - 1
	}
	return k >= 0 && k < i && !strings.HasPrefix(s.low(i+1), "'s") && !strings.HasPrefix(s.low(i+1), "’s") && !amid[s.low(k)]
}

// called reports whether a name between marks is of who is spoken to.
func (s *enSentence) called(i int) bool {
	from := i
	for from > 0 && s.ws[from-1].Tag == "NNP" {
		from--
	}
	return (from == 0 || isMark(s.ws[from-1].Form) || interjections[s.low(from-1)]) && (i+1 == len(s.ws) || isMark(s.ws[i+1].Form) && s.low(i+2) != "who") && s.ws[i].Rel != "conj" && s.ws[i].Rel != "appos"
}

// ofKind reports whether a name only says of what kind a thing is, or is of several.
func (s *enSentence) ofKind(i int) bool {
	w := s.ws[i]
	return w.Tag == "NNPS" || w.Rel == "compound" && w.Head == i+1 && (s.ws[i+1].Tag == "NN" || s.ws[i+1].Tag == "NNS")
}

// amid are prepositions before persons rather than places.
var amid = set("with about than like by")

// people are the persons that a text speaks of by name or as relatives, each once, and the animals (Described).
func (o Options) people(text string) (out []Mention) {
	for _, st := range sentence.Split(text) {
		if otherLanguage(st.Text) || len(st.Text) > longSentence {
			continue
		}
		s := newEnSentence(st.Text, st.Start, st.Question, Options{Names: o.Names}, nil, parsed{})
		for i := range s.ws {
			m := s.mention(i)
			other := m.Kind == Named && (s.called(i) || !m.Known && (s.elsewhere(i) || s.ofKind(i)))            // "thanks, Ned", "in Lima", "Lima beans"
			if s.ws[i].Tag == "NN" && m.Kind == NoOne && animals[s.low(i)] != "" && s.ws[i].Rel != "compound" { // it may be meant, too
				out = append(out, Mention{Kind: Described, Phrase: s.span(i, i+1)})
			}
			if (m.Kind == Relative || m.Kind == Named) && !m.Plural && !other && !slices.ContainsFunc(out, func(x Mention) bool { return x.Text == m.Text || x.Start <= m.Start && m.End <= x.End }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// antecedent is the only one of the people that a pronoun can mean, of those in its own text or, if none of them fits, in the one before; else the pronoun.
func antecedent(pronoun Mention, own, before []Mention) Mention {
	fits := func(m Mention) bool { return m.Gender == Unknown || m.Gender == pronoun.Gender }
	if pronoun.Plural {
		return pronoun
	}
	of := own
	if !slices.ContainsFunc(own, fits) {
		of = before
	}
	n := slices.IndexFunc(of, fits)
	if n < 0 {
		return pronoun
	}
	if pronoun.Several = slices.ContainsFunc(of[n+1:], fits); pronoun.Several {
		return pronoun
	}
	m := of[n]
	if pronoun.Several = m.Kind == Described; pronoun.Several { // an animal
		return pronoun
	}
	m.Known, m.Gender = true, pronoun.Gender
	return m
}

// Persons are the persons that an English text speaks of by name or as relatives, each once, and the animals (Described). A text of another language has none.
func Persons(text string, o Options) []Mention { return o.people(text) }
