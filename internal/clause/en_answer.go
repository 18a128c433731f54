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
	nowTail  = pattern.New(`(?i)(?: (?:now|these days|at the moment|again|then|or|btw|though|tho|for work|for a living))+$`)
	lastingS = set("HAS HAS_PET HAS_RELATIVE OWNS LIVES_IN WORKS_AT WORKS_AS STUDIES STUDIES_AT FOLLOWS_DIET HAS_STATUS HAS_CONDITION COMES_FROM HAS_AGE PREFERS_TOPIC HAS_HABIT HAS_NAME")
	flips    = map[string]string{"you": "I", "u": "I", "your": "my", "yours": "mine", "i": "you", "my": "your", "mine": "yours", "me": "you", "we": "you", "our": "your"}
)

// Leans reports whether a sentence may not be understood without what another one said before: it may answer a question, or it says "she" as the first sentence of its
// message.
func Leans(text, before string, first bool) bool {
	switch {
	case strings.ContainsFunc(before, textnorm.IsHan):
		return Asks(before)
	case otherLanguage(text) || strings.ContainsFunc(text, textnorm.IsHan):
		return false
	case pronounEN.MatchString(text):
		return first
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
		q.subject = antecedent(q.subject, before)
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
		statement, denied, ended = q.rest, true, strings.Contains(strings.ToLower(no.FindString(text)), "more")
	case !short || st.Question || len(o.people(text)) > 0 && q.words == "":
	case q.words == "" && describes(text): // "isn't he scared of dogs?" "terrified"
		if first, of, ok := strings.Cut(q.rest, " of "); ok && !strings.Contains(first, " ") {
			statement = text + " of " + of
		}
	case q.words == "how old":
		statement = text + " years old"
	case q.words == "what" && (q.rest == "do"):
		q.begin, statement = strings.Replace(q.begin, " do", " am", 1), text
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
	for _, f := range Read(q.begin+statement, p) {
		pronoun := f.Subject.Kind == Pronoun && q.subject.Kind != Pronoun
		if f.Tier != Default && !pronoun || f.Modality != Asserted || !lastingS[f.Slot] && q.words == "" && (denied || !describes(text)) || len(f.Over) > 0 {
			continue
		}
		if pronoun || f.Subject.Kind == Relative {
			f.Subject = q.subject
		}
		f.Negated, f.Formerly = f.Negated != denied, f.Formerly || ended
		f.Start, f.End, f.Confidence, f.Tier = st.Start, st.End, .85, Default
		f.Subject.Start, f.Subject.End = st.Start, st.Start
		out = append(out, f)
	}
	return out
}

// particleEnd is a question that ends where its answer belongs.
var particleEnd = pattern.New(`(?i)(?:^|\b)(?:from|for|in|at|with|to|called)$`)

// describes reports whether a text is only how somebody is: "terrified", "still vegan".
func describes(text string) bool {
	ws := depparse.Parse("I am " + strings.ToLower(text))
	return len(ws) < 5 && len(ws) > 2 && !slices.ContainsFunc(ws[2:], func(w depparse.Word) bool {
		return w.Tag != "JJ" && w.Tag != "VBN" && w.Tag != "RB"
	}) && owned(strings.ToLower(ws[len(ws)-1].Form)) || stirring(depparse.Verb(strings.ToLower(text), "VBN"))
}

// people are the persons that a text speaks of by name or as relatives, each once.
func (o Options) people(text string) (out []Mention) {
	for _, st := range sentence.Split(text) {
		if otherLanguage(st.Text) || len(st.Text) > longSentence {
			continue
		}
		s := newEnSentence(st.Text, st.Start, st.Question, Options{Names: o.Names}, nil, parsed{})
		for i := range s.ws {
			m := s.mention(i)
			place := m.Kind == Named && !m.Known && s.kid(i, "case") >= 0 // "in Lima": it may be one
			if (m.Kind == Relative || m.Kind == Named) && !m.Plural && !place && !slices.ContainsFunc(out, func(x Mention) bool { return x.Text == m.Text }) {
				out = append(out, m)
			}
		}
	}
	return out
}

// antecedent is the only one of the people that a pronoun can mean, else the pronoun.
func antecedent(pronoun Mention, of []Mention) Mention {
	fits := func(m Mention) bool { return m.Gender == Unknown || m.Gender == pronoun.Gender }
	n := slices.IndexFunc(of, fits)
	if n < 0 || pronoun.Plural || slices.ContainsFunc(of[n+1:], fits) {
		return pronoun
	}
	m := of[n]
	m.Known, m.Gender = true, pronoun.Gender
	return m
}
