package openie

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How English is read. A sentence is taken apart into words, the words into clauses. A
// clause is understood only from its beginning: openers ("well, honestly"), an adverbial
// of time, the subject, then a verb group that must be a form of one of the tables in
// en_rules.go. Everything a form does not name fails the match, modals above all, so
// wishes, plans and guesses need no list of their own. What follows the form is read as
// an object phrase (en_objects.go).

// An enReader reads the sentences of one text in order; it remembers what was spoken of
// last for "Golf? I can't stand it."
type enReader struct {
	o     TripleOptions
	ws    []enWord
	src   string
	topic []zhObject // what "it" and "them" stand for
	own   bool       // the text speaks of a work of the speaker
	third bool       // the clause before was of somebody else
	self  bool       // the clause before was of the speaker
	out   []Triple
}

// dotted keeps the dot of an initial from being an end: "Ursula K. Le Guin" is one name.
const dotted = '\u2024'

// maxSentence is how long an English sentence may be, in bytes: what goes on for longer
// is no speech, and its words would take some 60 bytes each.
const maxSentence = 16 << 10

// sentence reads one sentence; a question is only read for its topic.
func (r *enReader) sentence(s string, question bool) []Triple {
	if len(s) > maxSentence {
		return nil
	}
	s = strings.NewReplacer("’", "'", "‘", "'").Replace(s)
	s = strings.TrimSpace(enInitials(s))
	for _, n := range r.o.Names {
		if n != "" && len(s) > len(n) && strings.EqualFold(s[:len(n)], n) && (s[len(n)] == ' ' || s[len(n)] == '\'') {
			s = strings.Replace("User"+s[len(n):], "User's", "My", 1)
		}
	}
	r.src, r.ws, r.out = s, enWords(s), nil
	if question {
		// "Mushrooms? Never liked them."
		r.topic = nil
		if n := len(r.ws); n > 1 && n <= 5 {
			r.topic = r.objects(0, n-1, objLoose)
		}
		return nil
	}
	r.third, r.self = false, false
	for k := range r.ws {
		switch w := &r.ws[k]; {
		case w.low == "my" && k+3 < len(r.ws) && (enAspects[r.ws[k+1].low] || enAspects[r.ws[k+2].low]),
			enSelfWords[w.low] && k+2 < len(r.ws) && (enMakes[r.ws[k+1].lemma] && r.ws[k+1].form == formPast || enMakes[r.ws[k+2].lemma]):
			r.own = true
		}
	}
	for i := 0; i < len(r.ws); {
		end := r.clauseEnd(i)
		r.clause(i, end)
		i = end + 1
		if end < len(r.ws) && !r.ws[end].mark {
			i = end // a conjunction belongs to the clause that it opens
			if i == end && r.clauseEnd(i) == i {
				i++
			}
		}
	}
	r.works()
	for i := range r.out {
		for j, p := range r.out[i].Object.Parts {
			r.out[i].Object.Parts[j] = strings.ReplaceAll(p, string(dotted), ".")
		}
	}
	return r.out
}

// enInitials marks the dots of initials and titles.
func enInitials(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '.' && i+1 < len(s) {
			k := i
			for k > 0 && unicode.IsLetter(rune(s[k-1])) {
				k--
			}
			switch w := s[k:i]; {
			case len(w) == 1 && w[0] >= 'A' && w[0] <= 'Z', w == "Mr", w == "Mrs", w == "Ms", w == "Dr", w == "St":
				b.WriteRune(dotted)
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// clauseEnd is where the clause that starts at word i ends: at a mark, a conjunction or
// a new subject.
func (r *enReader) clauseEnd(i int) int {
	for k := i + 1; k < len(r.ws); k++ {
		w := &r.ws[k]
		switch {
		case w.mark && w.low != "&" && w.low != "/":
			return k
		case enConj[w.low] && !(w.low == "as" || w.low == "than" || w.low == "so" || w.low == "where" || w.low == "when" || w.low == "what" || w.low == "who") && !r.inForm(k):
			return k
		case (w.low == "as" || w.low == "so" || w.low == "where" || w.low == "when" || w.low == "since") && k+1 < len(r.ws) && (enPronouns[r.ws[k+1].low] || r.ws[k+1].low == "my") && !r.inForm(k):
			return k
		case (w.low == "and" || w.low == "or") && r.startsClause(k+1):
			if k-i <= 4 && k+1 < len(r.ws) && r.ws[k+1].low == "i" && !r.anyVerb(i, k) {
				continue // "my wife and I"
			}
			return k
		}
	}
	return len(r.ws)
}

// inForm: "is where I relax", "is what keeps me sane" go on.
func (r *enReader) inForm(k int) bool {
	return k > 0 && (r.ws[k-1].lemma == "be" || r.ws[k-1].low == "one" || r.ws[k-1].low == "person" || r.ws[k-1].low == "someone" || r.ws[k-1].low == "those" || r.ws[k-1].low == "people") && (r.ws[k].low == "what" || r.ws[k].low == "where" || r.ws[k].low == "when" || r.ws[k].low == "who" || r.ws[k].low == "which")
}

// startsClause reports whether what follows "and" is a clause rather than one more item.
func (r *enReader) startsClause(k int) bool {
	for ; k < len(r.ws) && (enSkip[r.ws[k].low] || enTimesFirst[r.ws[k].low]); k++ {
	}
	if k >= len(r.ws) {
		return false
	}
	w := &r.ws[k]
	switch {
	case w.quoted || w.mark:
		return false
	case enPronouns[w.low], enAux[w.low], enNegators[w.low], w.low == "my", w.low == "how", w.low == "that", w.low == "his", w.low == "her", w.low == "their", w.low == "your":
		return true
	case w.form == formS && w.low != w.lemma && enFeeling[w.lemma]:
		return true
	case w.form == formBase && enFeeling[w.lemma], w.form == formPast && !enDeedSet[w.lemma]:
		return true
	}
	return k+1 < len(r.ws) && (w.low == "the" || w.low == "a") && r.verbSoon(k)
}

func (r *enReader) anyVerb(i, j int) bool {
	for ; i < j; i++ {
		if r.ws[i].form != formNone {
			return true
		}
	}
	return false
}

// verbSoon: "and the kids were there".
func (r *enReader) verbSoon(k int) bool {
	for n := k + 1; n < len(r.ws) && n < k+5 && !r.ws[n].mark; n++ {
		if enAux[r.ws[n].low] {
			return true
		}
	}
	return false
}

var (
	enTimesFirst = set(`then also`)
	enFeeling    = set(`like love enjoy adore prefer hate dislike detest loathe despise avoid keep tend make help bring give drive`)
	enDeedSet    = set(enDeeds)
)

// clause reads the words [i,end).
func (r *enReader) clause(i, end int) {
	lead := r.ws[i].low
	if enUnless[lead] || lead == "when" || lead == "whenever" || lead == "where" || lead == "which" || lead == "that" || lead == "than" || lead == "how" {
		if lead != "when" && lead != "whenever" {
			r.third = true
		}
		return
	}
	contrast := lead == "but" || lead == "and" || lead == "or" || lead == "though" || i > 0 && r.ws[i-1].low == ","
	often, guess := false, 0.0
	at := i
	for at < end {
		if n := enPhraseAt(enOpenings, r.ws[:end], at); n > 0 {
			at += n
			continue
		}
		if r.ws[at].low == "i" && at+1 < end && r.ws[at+1].low == "guess" {
			at, guess = at+2, 0.08
			continue
		}
		if n, habit := enTimeAt(r.ws[:end], at); n > 0 && at+n < end && !(r.ws[at].low == "for" && !habit) {
			at, often = at+n, often || habit
			continue
		}
		if enOpeners[r.ws[at].low] && at+1 < end {
			at++
			continue
		}
		break
	}
	if at >= end {
		return
	}
	// A time that was named before the comma: "Every morning, I …".
	if at == i && i > 1 && r.ws[i-1].low == "," {
		for k := i - 2; k >= 0 && k > i-7; k-- {
			if n, habit := enTimeAt(r.ws, k); n > 0 && habit && k+n >= i-1 {
				often = true
			}
		}
	}
	if lead == "as" && r.asSomeone(i, end) {
		return
	}
	verb, self, bare := r.subject(at, end)
	switch {
	case self && !bare:
		r.third, r.self = false, true
	case self && !r.third && contrast && r.self && r.goesOn(at, end):
		bare = false // "I love jazz but can't stand country"
	case self && !r.third && r.bareStart(at, end):
	default:
		self = false
	}
	n := len(r.out)
	switch {
	case self && r.ofSelf(verb, end, bare, often):
	case self && verb > at: // the speaker, but nothing that a form knows
	case r.free(at, end):
	case r.ofNoun(at, end):
	}
	for k := n; k < len(r.out); k++ {
		r.out[k].Confidence -= guess
		if bare {
			r.out[k].Confidence -= 0.04
		}
	}
	if !self {
		w := r.ws[at].low
		r.third = enOthers[w] || r.kin(at, end) || r.third && !strings.Contains("it this that there", w)
		if r.third {
			r.self = false
		}
	}
}

// subject finds the speaker as subject of the clause and where its verb group starts.
// bare tells that the subject is left out.
func (r *enReader) subject(i, end int) (verb int, self, bare bool) {
	ws := r.ws
	if w := &ws[i]; i == 0 && w.form == formS && w.low != w.lemma && end > 2 && !enPronouns[ws[1].low] && ws[1].low != "and" && !enAux[ws[1].low] {
		return i, true, false // a memory in note form: "Doesn't like olives", "Is a vegetarian"
	}
	switch {
	case enSelfWords[ws[i].low]:
		return i + 1, true, false
	case ws[i].low == "user" || ws[i].low == "agent":
		return i + 1, true, false
	case ws[i].low == "the" && i+1 < end && (ws[i+1].low == "user" || ws[i+1].low == "agent"):
		return i + 2, true, false
	}
	for k := i + 1; k < end && k <= i+5; k++ { // "my wife and I"
		if (ws[k].low == "i") && ws[k-1].low == "and" {
			return k + 1, true, false
		}
		if ws[k].form != formNone && !enSkip[ws[k].low] {
			break
		}
	}
	if (ws[i].low == "me" || ws[i].low == "us") && i+1 < end && ws[i+1].low == "and" {
		for k := i + 2; k < end && k <= i+5; k++ {
			if ws[k].form == formBase {
				return k, true, false
			}
		}
	}
	bare = !enPronouns[ws[i].low] && ws[i].low != "my"
	return i, bare, bare
}

// goesOn reports whether a clause after "and" or "but" starts with its verb group.
func (r *enReader) goesOn(i, end int) bool {
	for ; i < end && (enSkip[r.ws[i].low] || enNegators[r.ws[i].low]); i++ {
	}
	if i >= end {
		return false
	}
	w := &r.ws[i]
	return w.low == "can" || w.low == "do" || w.low == "have" || w.low == "am" || w.low == "would" && i+1 < end && r.ws[i+1].low == "rather" ||
		w.form == formBase && w.low != "like" || w.form == formPast && w.low != "been"
}

// bareStart reports whether a sentence may leave out "I" before word i: "Love jazz",
// "Not a fan of olives", "Been into pottery lately". Imperatives look the same, so the
// verbs are few.
func (r *enReader) bareStart(i, end int) bool {
	if i > 0 && r.ws[0].at != r.ws[i].at && !enOpeners[r.ws[0].low] && enPhraseAt(enOpenings, r.ws, 0) == 0 {
		if n, _ := enTimeAt(r.ws, 0); n == 0 && r.ws[i-1].low != "," {
			return false
		}
	}
	for k := i; k < end; k++ {
		w := &r.ws[k]
		if enSkip[w.low] || enNegators[w.low] || w.low == "a" || w.low == "been" {
			continue
		}
		switch w.low {
		case "fan", "into", "fond", "obsessed", "hooked", "keen", "addicted", "crazy", "passionate":
			return k+1 < end
		case "love", "hate", "adore", "dislike", "loathe", "detest", "loves", "likes", "enjoys", "prefers", "hates", "dislikes", "loved", "liked", "can", "do":
			neg := w.low == "can" || w.low == "do" || w.low == "loved" || w.low == "liked"
			return !neg || k > i && (r.ws[k-1].low == "never" || r.ws[k-1].low == "always") || k+1 < end && r.ws[k+1].low == "not" && w.low == "can" && k+2 < end && r.ws[k+2].low != "wait" && r.ws[k+2].low != "believe"
		case "prefer", "gave", "quit":
			return i == 0
		}
		return false
	}
	return false
}

// kin reports whether the subject at i is a person other than the speaker.
func (r *enReader) kin(i, end int) bool {
	for k := i; k < end && k < i+5; k++ {
		w := &r.ws[k]
		if w.form != formNone && k > i {
			return false
		}
		if enKin[strings.TrimSuffix(w.low, "'s")] {
			return true
		}
	}
	return i < end && r.ws[i].capital && isGiven(r.ws[i].low)
}

// name is the text of the words [i,j), as it stands.
func (r *enReader) name(i, j int) string {
	if i >= j || j > len(r.ws) {
		return ""
	}
	return r.src[r.ws[i].at:r.ws[j-1].end]
}

func (r *enReader) add(t Triple) { r.out = append(r.out, t) }

func (r *enReader) tag(predicate, name string, conf float64) {
	name = strings.TrimSpace(strings.Trim(name, " .,;:!?\"'"))
	if n := len(strings.Fields(name)); n == 0 || n > 10 {
		return
	}
	if first, size := utf8.DecodeRuneInString(name); !strings.HasPrefix(name, "I ") {
		name = string(unicode.ToLower(first)) + name[size:]
	}
	r.add(Triple{Predicate: predicate, Object: Term{"Tag", []string{name}}, Confidence: conf})
}
