package openie

import (
	"slices"
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

// likes adds a like or dislike of each object. It remembers them for "it" and "them".
func (r *enReader) likes(objs []zhObject, negated bool, rank int, conf float64) {
	for _, o := range objs {
		r.add(liking(o.kind, o.parts, negated, rank, conf))
	}
	if len(objs) > 0 {
		r.topic = objs
	}
}

// ofSelf reads a clause whose subject is the speaker; verb is where its verb group starts.
func (r *enReader) ofSelf(verb, end int, bare, often bool) bool {
	if verb >= end {
		return false
	}
	if r.tried(verb, end) || !bare && r.finds(verb, end) || !bare && (r.traits(verb, end) || r.flaws(verb, end)) {
		return true
	}
	h, ok := enSelfTable().find(r.ws, verb, end, bare)
	if !ok {
		return !bare && r.habit(verb, end, often)
	}
	if bare && (h.rule.act == actTrait || h.rule.act == actComp || h.rule.act == actDeed) {
		return false
	}
	conf := h.rule.conf
	switch h.rule.act {
	case actLike:
		if h.past || h.ing && !h.perfect || h.after >= end && h.form.rest == "OBJ" {
			// Past tastes are over, and "I'm loving it" is of the moment; but of a work the
			// liking stays.
			if h.past {
				if objs := r.objects(h.after, len(r.ws), objStrict); len(objs) == 1 && objs[0].kind == kindWork {
					r.likes(objs, h.neg, 0, clear+0.02)
				}
			}
			return true
		}
		if h.form.rest == "VP" { // "I'd rather build something"
			if h.after < end && enDeedSet[r.ws[h.after].lemma] && r.ws[h.after].form == formBase && (end >= len(r.ws) || !enConj[r.ws[end].low]) {
				r.deed(h.after, end, false, conf-0.12)
			}
			return true
		}
		if h.ws(r).low == "would" && !r.endsAnyDay(h.after, end) {
			return true // "I'd take a seat"
		}
		rank := 0
		if !h.neg && r.most(h.after, end) {
			rank = 1
		}
		mode := objStrict
		if h.ws(r).low == "prefer" {
			mode |= objPrefer
		}
		r.likes(r.objects(h.after, len(r.ws), mode), h.neg, rank, conf)
	case actMust:
		if !h.past {
			r.likes(r.objects(h.after, len(r.ws), objStrict), false, 0, conf)
		}
	case actDislike:
		if !h.past && (!h.ing || h.perfect) && !(h.neg && h.ws(r).lemma != "not") {
			r.likes(r.objects(h.after, len(r.ws), objStrict|objPeople), true, 0, conf)
		}
	case actQuit:
		if !h.neg && (!h.ing || h.perfect) {
			from := h.after
			if h.ws(r).lemma == "stop" {
				from = h.verb + 1
			}
			if from < end && r.ws[from].capital && !enProper[r.ws[from].low] {
				return true // a work put down (works)
			}
			r.likes(r.objects(from, len(r.ws), objStrict), true, 0, conf)
		}
	case actDeed:
		if !h.past || h.perfect || h.ws(r).lemma == "take" || h.ws(r).lemma == "start" || h.ws(r).lemma == "begin" {
			if h.form.rest == "VP" {
				if h.after < end && r.ws[h.after].form == formIng {
					r.deed(h.after, end, h.neg, conf)
				}
			} else {
				r.likes(r.objects(h.after, len(r.ws), objStrict), h.neg, 0, conf)
			}
		}
	case actTrait:
		if !h.past || h.perfect {
			from := h.verb
			if k := from - 1; k >= verb && (r.ws[k].low == "not" || r.ws[k].low == "never" || r.ws[k].low == "always") {
				from = k
				if r.ws[k].low == "not" && k > verb && enAux[r.ws[k-1].low] {
					from--
				}
			}
			if h.ing {
				return true // of the moment: "I'm struggling with the jet lag"
			}
			if r.ws[from].lemma == "be" {
				from++
			}
			if h.neg && from == h.verb && h.ws(r).lemma != "be" {
				return true // "I don't cry easily" lacks a trait that has no short name
			}
			r.tag("SELF_TRAIT", r.complement(from, h.after, end), conf)
		}
	case actComp:
		if !h.past && h.after < end && (h.ws(r).low != "can" || r.ws[h.after].form == formIng) {
			r.tag(polar("SELF_TRAIT", h.neg), r.complement(h.after, h.after, end), conf)
		}
	}
	return true
}

// finds reads "I find chess endlessly interesting".
func (r *enReader) finds(i, end int) bool {
	for i < end && (enSkip[r.ws[i].low] || r.ws[i].lemma == "have") {
		i++
	}
	if i >= end || r.ws[i].lemma != "find" || r.ws[i].form == formIng {
		return false
	}
	for k := i + 2; k < end && k < i+8; k++ {
		good, bad := enPleasant[r.ws[k].low], enUnpleasant[r.ws[k].low]
		if !good && !bad {
			continue
		}
		if r.ws[i].form == formPast && r.ws[i-1].low != "always" {
			return true
		}
		to := k
		for to > i+1 && enSkip[r.ws[to-1].low] {
			to--
		}
		r.likes(r.objects(i+1, to, objStrict), bad, 0, clear)
		return true
	}
	return false
}

var (
	enPleasant   = set(`interesting fascinating relaxing soothing calming comforting rewarding fun therapeutic beautiful exciting irresistible captivating addictive inspiring peaceful delightful charming satisfying meditative`)
	enUnpleasant = set(`boring tedious dull annoying exhausting gimmicky overrated pretentious unbearable irritating disgusting stressful draining insufferable depressing revolting tiresome frustrating`)
)

func (h *enHit) ws(r *enReader) *enWord { return &r.ws[h.verb] }

// most reports "I like tea best".
func (r *enReader) most(i, end int) bool {
	for k := i; k < end; k++ {
		if w := r.ws[k].low; w == "best" || w == "most" {
			return k+1 == end || r.ws[k+1].low == "of"
		}
	}
	return false
}

// complement is the text from word i up to the end of the phrase that goes on at from.
func (r *enReader) complement(i, from, end int) string {
	for i < from && (enSkip[r.ws[i].low] && r.ws[i].low != "always" || r.ws[i].low == "a") {
		i++
	}
	j := from
	for j < end && j-i < 9 && !r.ws[j].mark {
		if n, _ := enTimeAt(r.ws[:end], j); n > 0 && j > from && (n > 1 || j+1 == end) {
			break
		}
		if (r.ws[j].low == "and" || r.ws[j].low == "or") && (j+1 >= end || enPronouns[r.ws[j+1].low]) {
			break
		}
		j++
	}
	for j > from && (r.ws[j-1].low == "and" || r.ws[j-1].low == "to" || r.ws[j-1].low == "so" || r.ws[j-1].low == "the" || r.ws[j-1].low == "a") {
		j--
	}
	for k := i; k < j; k++ {
		if enDeicticWords[r.ws[k].low] || r.ws[k].low == "such" {
			return ""
		}
	}
	return r.name(i, j)
}

// asSomeone reads "As someone who gets lost in car parks, …".
func (r *enReader) asSomeone(i, end int) bool {
	k := i + 1
	for k < end && (r.ws[k].low == "a" || r.ws[k].low == "person") {
		k++
	}
	if k < end && r.ws[k].low == "someone" {
		k++
	}
	if k > i+1 && k+1 < end && r.ws[k].low == "who" {
		r.tag("SELF_TRAIT", r.complement(k+1, k+1, end), clear)
		return true
	}
	return false
}

// traits reads "I'm (not) a patient person", "I'm pretty stubborn", "I have no patience".
func (r *enReader) traits(i, end int) bool {
	ws := r.ws
	neg, k, be, have, past := false, i, false, false, false
	for ; k < end; k++ {
		w := &ws[k]
		switch {
		case w.lemma == "be":
			if w.low == "be" {
				return false // an infinitive
			}
			be = true
			past = past || w.form == formPast && w.low != "been"
		case w.lemma == "have" && !be:
			have = true
			past = past || w.low == "had"
		case w.low == "got" && have:
		case enNegators[w.low]:
			neg = !neg
		case w.lemma == "do" && k == i:
		case enSkip[w.low] && w.low != "right", w.low == "by" && k+1 < end && ws[k+1].low == "nature":
		case w.low == "of" && k > i && (ws[k-1].low == "kind" || ws[k-1].low == "sort" || ws[k-1].low == "bit" || ws[k-1].low == "more" || ws[k-1].low == "much"):
		case w.low == "something" && k+1 < end && ws[k+1].low == "of":
			k++
		default:
			goto done
		}
	}
done:
	if k >= end || past || !be && !have {
		return false
	}
	if be {
		return r.traitBe(k, end, neg)
	}
	return r.traitHave(k, end, neg)
}

func (r *enReader) traitBe(k, end int, neg bool) bool {
	ws := r.ws
	predicate := polar("SELF_TRAIT", neg)
	if ws[k].low == "a" || ws[k].low == "an" || ws[k].low == "the" || ws[k].low == "such" || ws[k-1].low == "of" && k > 0 {
		from := k
		for from < end && (ws[from].low == "a" || ws[from].low == "an" || ws[from].low == "the" || ws[from].low == "such") {
			from++
		}
		the := ws[k].low == "the"
		// The noun phrase ends at the first preposition, mark or verb.
		head := from
		for head < end && !ws[head].mark && !enPreps[ws[head].low] && !enAux[ws[head].low] && ws[head].low != "who" && ws[head].low != "and" && ws[head].low != "that" && head-from < 6 {
			if n, _ := enTimeAt(ws[:end], head); n > 0 && head > from {
				break
			}
			head++
		}
		for from < head-1 && (enSkip[ws[from].low] || ws[from].low == "terrible" || ws[from].low == "massive" || ws[from].low == "of" || ws[from].low == "a") {
			from++
		}
		if head == from {
			return false
		}
		last := ws[head-1].low
		mod := ""
		if head-from >= 2 {
			mod = ws[head-2].low
		}
		switch {
		case the && !(last == "one" && head-from == 2 && (enTraitAdjs[mod] || enTraitMods[mod])):
			return false
		case the:
			r.tag(predicate, "the "+r.name(from, head), clear)
			return true
		case last == "person" || last == "guy" || last == "girl" || last == "gal" || last == "people" || last == "type" || last == "sort":
			if mod == "" || enTooGeneral[mod] {
				return false
			}
			if head < end && (ws[head].low == "who" || ws[head].low == "that") {
				return false
			}
			if enTraitAdjs[mod] || enTraitMods[mod] || strings.HasSuffix(mod, "ful") || strings.HasSuffix(mod, "less") || strings.HasSuffix(mod, "ive") || strings.HasSuffix(mod, "ous") {
				if enTraitMods[mod] && !enTraitAdjs[mod] {
					r.tag(predicate, r.name(from, head), plainly)
				} else {
					r.tag(predicate, r.name(from, head-1), plainly)
				}
				return true
			}
			// "a tea person": what it is that the person likes.
			r.likes(r.objects(from, head-1, objLoose), neg, 0, clear+0.04)
			return true
		case last == "fan" || last == "lover" || last == "enthusiast" || last == "addict" || last == "buff" || last == "fanatic" || last == "junkie" || last == "geek" || last == "nerd" || last == "drinker" || last == "eater" || last == "nut" || last == "aficionado" || last == "fiend" || last == "freak":
			if head == from+1 || last == "freak" && mod == "control" || enTraitAdjs[mod] || mod == "big" || mod == "huge" {
				if head == from+1 && (last == "fan" || last == "lover") {
					return false // "a fan of": a form
				}
				break
			}
			r.likes(r.objects(from, head-1, objLoose), neg, 0, clear+0.04)
			return true
		case neg && last == "reader" && head == from+1:
			r.likes([]zhObject{{kindTopic, []string{"reading"}}}, true, 0, weak)
			return true
		}
		if enTraitNouns[last] || enRoles[last] && mod != "my" {
			conf := plainly
			if enRoles[last] {
				conf = weak
			}
			if mod == "new" || mod == "good" || mod == "great" {
				return false
			}
			if head < end && ws[head].low == "in" && enRoles[last] {
				return false
			}
			r.tag(predicate, r.name(from, head), conf)
			return true
		}
		return false
	}
	if enTraitAdjs[ws[k].low] {
		if k+1 < end {
			n := ws[k+1]
			if n.low == "of" || n.low == "that" || n.low == "to" || n.low == "today" || n.low == "now" || n.low == "tonight" || n.form == formNone && !n.mark && !enPreps[n.low] && !enConj[n.low] && n.low != "and" && n.low != "person" {
				return false
			}
			if n.low == "about" && k+2 < end && (enPronouns[ws[k+2].low] || enDeicticWords[ws[k+2].low]) {
				return false
			}
		}
		name := r.complement(k, k+1, end)
		if a := k + 1; a < end && ws[a].low == "and" {
			name = r.name(k, k+1)
			if a+1 < end && enTraitAdjs[ws[a+1].low] {
				r.tag(predicate, ws[a+1].low, clear)
			}
		}
		r.tag(predicate, name, clear+0.04)
		return true
	}
	return false
}

func (r *enReader) traitHave(k, end int, neg bool) bool {
	ws := r.ws
	no := false
	from := k
	if ws[k].low == "no" || ws[k].low == "zero" {
		no = true
		from++
	} else if ws[k].low == "a" || ws[k].low == "an" || ws[k].low == "the" || ws[k].low == "any" || ws[k].low == "that" || ws[k].low == "much" {
		from++
	}
	if from+1 < end && ws[from].low == "kind" && ws[from+1].low == "of" {
		from += 2
	}
	if neg && from+2 < end && ws[from+1].low == "bone" && ws[from+2].low == "in" {
		r.tag("LACKS_TRAIT", ws[from].low, clear) // "a competitive bone in my body"
		return true
	}
	for j := from; j < end && j < from+5 && !ws[j].mark; j++ {
		if ws[j].low == "for" || ws[j].low == "with" {
			break
		}
		if enTraitHave[ws[j].low] && (j+1 >= end || ws[j+1].mark || enPreps[ws[j+1].low] || enConj[ws[j+1].low] || ws[j+1].low == "whatsoever" || ws[j+1].low == "at") {
			to := j + 1
			if to < end && (ws[to].low == "of" || ws[to].low == "for") {
				to = end
				if to-from > 6 {
					to = from + 6
				}
			}
			switch {
			case no || neg:
				r.tag("LACKS_TRAIT", r.name(from, to), clear)
			case ws[j].low == "patience" || ws[j].low == "heart" && j == from || ws[j].low == "sense" && to == j+1 || ws[j].low == "fear" && j == from && to == j+1:
				return false
			default:
				r.tag("SELF_TRAIT", r.name(k, to), clear)
			}
			return true
		}
	}
	return false
}

// flaws reads what the speaker does badly in its own work: "I rush my endings".
func (r *enReader) flaws(i, end int) bool {
	k := i
	for k < end && (enSkip[r.ws[k].low] || r.ws[k].low == "do" || r.ws[k].low == "tend" || r.ws[k].low == "to") {
		k++
	}
	if k >= end {
		return false
	}
	from := k
	switch r.ws[k].lemma {
	case "rush", "overuse", "repeat", "overwrite", "overexplain", "use", "write", "struggle", "suck", "fail", "neglect", "can", "rely", "lean", "make":
	default:
		return false
	}
	if r.ws[k].form == formPast || r.ws[k].form == formIng {
		return false
	}
	w := r.ws[k].lemma
	if w == "overwrite" || w == "overexplain" {
		r.tag("SELF_CRITIQUE", r.complement(from, k+1, end), clear)
		return true
	}
	too := w != "use" && w != "write" && w != "rely" && w != "lean" && w != "make"
	if w == "can" && !(k+2 < end && r.ws[k+1].low == "not" && (r.ws[k+2].lemma == "write" || r.ws[k+2].lemma == "end" || r.ws[k+2].lemma == "finish" || r.ws[k+2].lemma == "draw")) {
		return false
	}
	own := w == "overuse" || w == "repeat" && k+1 < end && r.ws[k+1].low == "myself"
	for j := k + 1; j < end && !r.ws[j].mark; j++ {
		too = too || r.ws[j].low == "too"
		own = own || enAspects[r.ws[j].low] || enCraft[r.ws[j].low]
	}
	if !too || !own {
		return false
	}
	r.tag("SELF_CRITIQUE", r.complement(from, k+1, end), clear)
	return true
}

var enCraft = set(`adverbs adjectives similes commas dashes exclamation description exposition words metaphor cliche clichés cliches women men children action love humour humor plotting rhyming foreshadowing writing`)

// habit reads a pastime: a present tense with an adverbial of frequency, "have been
// …ing", or a verb that is one by itself ("I knit").
func (r *enReader) habit(i, end int, often bool) bool {
	ws := r.ws
	neg, perfect, prog := false, false, false
	k := i
	for ; k < end; k++ {
		w := &ws[k]
		switch {
		case enFrequent[w.low]:
			often = true
			if w.low == "never" {
				neg = true
			}
		case enNegators[w.low]:
			return false
		case w.low == "have" || w.low == "has":
			perfect = true
			if k+1 < end && !(ws[k+1].low == "been" || enSkip[ws[k+1].low] || ws[k+1].form == formPast) {
				return false
			}
		case w.low == "been" && perfect:
		case w.low == "am" || w.low == "are":
			prog = true
		case enSkip[w.low]:
		case (w.low == "like" || w.low == "try" || w.low == "love") && k+1 < end && ws[k+1].low == "to" && often:
			k++
		default:
			goto verb
		}
	}
verb:
	if k >= end || ws[k].form == formNone || !enDeedSet[ws[k].lemma] && !(ws[k].form == formIng && perfect && len(ws[k].lemma) > 5 && ws[k].lemma == ws[k].low) {
		return false
	}
	switch ws[k].form {
	case formIng:
		if !perfect {
			return false // what one is doing now
		}
	case formPast:
		if !perfect || ws[k].low != "collected" && ws[k].low != "played" && ws[k].low != "read" {
			return false
		}
	}
	if prog {
		return false
	}
	timed := false
	for j := k; j < len(ws) && !(ws[j].mark && ws[j].low != ","); j++ {
		if _, h := enTimeAt(ws, j); h {
			timed = true
		}
		if j >= end && j > end+4 {
			break
		}
	}
	often = often || timed
	alone := enAlone[ws[k].lemma] || ws[k].lemma == "play" || ws[k].lemma == "collect" || ws[k].lemma == "practise" || ws[k].lemma == "practice" || ws[k].lemma == "volunteer"
	recent := perfect && ws[k].form == formIng && (enAlone[ws[k].lemma] || ws[k].lemma == "play" || ws[k].lemma == "read" || ws[k].lemma == "listen" || ws[k].lemma == "do" || ws[k].lemma == "learn" || ws[k].lemma == "watch" || ws[k].lemma == "go")
	conf := weak
	switch {
	case often && (!perfect || timed || recent):
	case recent && alone:
		conf = weak - 0.04
	case alone && !perfect && ws[k].form == formBase && r.plainPastime(k, end):
		conf = weak - 0.08
	default:
		return false
	}
	if ws[k].form == formPast && !timed {
		return false
	}
	switch ws[k].lemma { // verbs that say too little by themselves
	case "do", "go", "order", "plant", "start", "carry", "take", "work", "wear", "drive", "wake", "build", "sleep":
		if k+1 >= end || ws[k].lemma == "go" && !(r.nextVerbIng(k+1, end) || ws[k+1].low == "for" && k+2 < end && ws[k+2].low == "a") {
			return false
		}
		// "do a bit of woodwork", "go ballroom dancing": the object is the pastime.
		if ws[k].lemma == "do" || ws[k].lemma == "go" && r.nextVerbIng(k+1, end) {
			r.likes(r.objects(k+1, len(ws), objStrict), neg, 0, conf)
			return true
		}
	}
	return r.deed(k, end, neg, conf)
}

// nextVerbIng: "go ballroom dancing".
func (r *enReader) nextVerbIng(k, end int) bool {
	return k < end && r.ws[k].form == formIng || k+1 < end && r.ws[k+1].form == formIng && r.ws[k].form == formNone && !enPreps[r.ws[k].low]
}

// plainPastime: "I paint", "I play the cello", but not "I play a role in this".
func (r *enReader) plainPastime(k, end int) bool {
	if k+1 >= end {
		return k > 0 && enAlone[r.ws[k].lemma]
	}
	n := &r.ws[k+1]
	switch r.ws[k].lemma {
	case "play":
		return n.low != "a" && n.low != "with" && n.low != "it" && n.low != "along"
	case "run", "fish", "dance", "camp", "row", "sail", "climb", "train":
		return enPreps[n.low] && n.low != "into" && n.low != "out" && n.low != "to" && n.low != "from"
	}
	return !enPronouns[n.low] && n.low != "up" && n.low != "on" && n.low != "from" && n.low != "the"
}

// deed adds the verb phrase at word k as a pastime.
func (r *enReader) deed(k, end int, neg bool, conf float64) bool {
	j := r.phraseEnd(k+1, end)
	if j-k > 9 {
		return false
	}
	for n := k + 1; n < j; n++ {
		if enDeicticWords[r.ws[n].low] {
			return false
		}
	}
	name := r.clean(k, j)
	if name == "" || !strings.ContainsRune(name, ' ') && !enAlone[r.ws[k].lemma] && (r.ws[k].lemma != "read" && r.ws[k].lemma != "cook" && r.ws[k].lemma != "write" && r.ws[k].lemma != "run") {
		return false
	}
	o := zhObject{kindDeed, []string{name}}
	r.likes([]zhObject{o}, neg, 0, conf)
	return true
}

// tried reads styles that the speaker tried in its own work.
func (r *enReader) tried(i, end int) bool {
	ws := r.ws
	neg, k := false, i
	for ; k < end; k++ {
		w := &ws[k]
		if enNegators[w.low] {
			neg = true
		} else if !(enSkip[w.low] || w.lemma == "have" && k == i || w.low == "did" || w.low == "dared" || w.low == "once" || w.low == "been" || w.low == "to" || w.low == "even") {
			break
		}
	}
	if k >= end {
		return false
	}
	wrote := false
	switch ws[k].lemma {
	case "try", "experiment", "dabble", "attempt":
		if ws[k].form == formBase && !neg {
			return false
		}
	case "write", "tell", "draft":
		if ws[k].form != formPast && ws[k].form != formIng {
			return false
		}
		wrote = true
	case "play":
		if ws[k].form != formPast || k+1 >= end || ws[k+1].low != "with" {
			return false
		}
	case "have", "give":
		if !(k+2 < end && (ws[k+1].low == "a" && ws[k+2].low == "go")) && !(ws[k].low == "gave") {
			return false
		}
	default:
		return false
	}
	j := k + 1
	for j < end && !ws[j].mark {
		j++
	}
	// The phrase around the first word of a style.
	for s := k + 1; s < j; s++ {
		n := enPhraseAt(enStyles, ws[:j], s)
		if n == 0 && enTechniques[ws[s].low] {
			if prev := ws[s-1].low; !wrote || prev == "in" || prev == "as" || prev == "of" {
				n = 1
			}
		}
		if n == 0 {
			continue
		}
		from, to := s, s+n
		for from > k+1 && !enPreps[ws[from-1].low] && ws[from-1].low != "a" && ws[from-1].low != "the" && ws[from-1].form == formNone && !enSkip[ws[from-1].low] && !enNumbers[ws[from-1].low] {
			from--
		}
		if ws[s].low == "told" || ws[s].low == "letters" {
			to = r.phraseEnd(s+1, j)
		}
		for to < j && (ws[to].low == "narration" || ws[to].low == "narrator" || ws[to].low == "narrative" || ws[to].low == "style" || ws[to].low == "form") {
			to++
		}
		conf := plainly
		if wrote {
			conf = clear
		}
		r.add(Triple{Predicate: polar("TRIED_STYLE", neg), Object: Term{"Topic", []string{r.name(from, to)}}, Confidence: conf})
		if to < j && (ws[to].low == "and" || ws[to].low == "or") {
			s = to
			continue
		}
		r.own = r.own || wrote
		return true
	}
	return false
}

// free reads clauses that need no subject: "Nothing beats a hot bath".
func (r *enReader) free(i, end int) bool {
	if r.ws[i].low == "cats" || i+2 < end && r.ws[i+1].low == "over" && r.ws[i].form == formNone && !enPronouns[r.ws[i].low] && i == 0 {
		if i+2 < end && i == 0 && r.ws[i+1].low == "over" { // "Cats over dogs, always"
			r.likes(r.objects(i, i+1, objLoose), false, 0, weak)
			return true
		}
	}
	if r.ws[i].low == "what" && i+2 < end && enSelfWords[r.ws[i+1].low] { // "what I like most about winter is the silence"
		rank, liked := 0, false
		for k := i + 2; k < end; k++ {
			switch w := &r.ws[k]; {
			case w.lemma == "like" || w.lemma == "love" || w.lemma == "enjoy":
				liked = w.form == formBase
			case w.low == "most" || w.low == "best":
				rank = 1
			case w.low == "is" || w.low == "are":
				if liked {
					r.likes(r.objects(k+1, len(r.ws), objLoose), false, rank, plainly)
				}
				return liked
			case enNegators[w.low]:
				return false
			}
		}
		return false
	}
	if n := i + 5; n < end && r.ws[i].low == "the" && r.ws[i+1].low == "best" && (r.ws[i+2].low == "thing" || r.ws[i+2].low == "part") && enPreps[r.ws[i+3].low] && r.ws[i+4].low == "my" {
		for ; n < end; n++ {
			if r.ws[n].low == "is" || r.ws[n].low == "are" {
				r.likes(r.objects(n+1, len(r.ws), objLoose), false, 0, clear)
				return true
			}
		}
	}
	h, ok := enFreeTable().find(r.ws, i, end, false)
	if !ok || h.verb != i {
		return false
	}
	if h.form.rest == "OBJ" && h.after < end {
		if h.ws(r).lemma == "give" && !r.endsAnyDay(h.after, end) {
			return false
		}
		objs := r.objects(h.after, len(r.ws), objStrict)
		if h.ws(r).lemma != "give" {
			for k := h.after; k < end; k++ {
				if enDeicticWords[r.ws[k].low] || r.ws[k].low == "that" {
					return true
				}
			}
		}
		r.likes(objs, false, 0, h.rule.conf)
	}
	return true
}

func (r *enReader) endsAnyDay(i, end int) bool {
	for k := i; k+1 < end; k++ {
		if r.ws[k].low == "any" && (r.ws[k+1].low == "day" || r.ws[k+1].low == "time") || r.ws[k].low == "over" {
			return true
		}
	}
	return false
}

// ofNoun reads clauses whose subject is a thing: favourites, "X relaxes me", faults of
// one's own work.
func (r *enReader) ofNoun(i, end int) bool {
	if r.favourite(i, end) || r.critique(i, end) {
		return true
	}
	var subject []zhObject
	if w := &r.ws[i]; (w.form == formS || w.form == formPast) && w.low != w.lemma && !w.capital {
		return false // "… and helps keep me going": the subject is further back
	}
	for k := i + 1; k < end && k <= i+9; k++ {
		w := &r.ws[k]
		if w.form == formNone && !enNegators[w.low] && !(enSkip[w.low] && k > i) {
			continue
		}
		if w.form == formIng && w.lemma != "be" || w.low == "like" {
			continue
		}
		h, ok := enOwnTable().find(r.ws, k, end, false)
		if !ok {
			if enAux[w.low] && !enPasses(r.ws, k, end) && w.lemma != "be" && w.lemma != "have" && w.lemma != "do" {
				return false
			}
			continue
		}
		if h.past && !h.perfect || h.ing && h.ws(r).lemma != "be" {
			return false
		}
		first := r.ws[i].low
		switch {
		case first == "it" || first == "they" || first == "that" || first == "this" || first == "these":
			subject = r.topic
			if k > i+1 && !enSkip[r.ws[i+1].low] || first != "it" && first != "they" || len(subject) == 0 {
				return true
			}
		case enPronouns[first] && first != "one" || first == "your" || first == "his" || first == "her" || first == "their" || r.kin(i, k):
			return false
		default:
			subject = r.objects(i, k, objLoose|objSubject)
		}
		if len(subject) == 0 {
			return true
		}
		rank := 0
		neg := h.neg
		if h.form.rest == "" && h.rule.act == actFav && h.after < end && !r.ws[h.after].mark {
			return true // "my number one goal"
		}
		switch h.rule.act {
		case actDislike:
			if h.neg && h.ws(r).lemma != "be" {
				return true
			}
			neg = true
		case actFav:
			if !h.neg {
				rank = 1
			}
		case actLike:
			if h.ws(r).lemma == "be" && h.neg && h.after < end && r.ws[h.after].low == "only" {
				return true
			}
			if l := r.name(h.after-1, h.after); l == "best" && (h.neg || !r.activity(i, k) || h.after < end && !r.ws[h.after].mark) {
				return true
			}
		}
		r.likes(subject, neg, rank, h.rule.conf)
		return true
	}
	// What is spoken of without an attitude is what "it" stands for afterwards.
	if n := enNounEnd(r.ws, i, end); n > i && !enPronouns[r.ws[i].low] && r.ws[i].low != "my" {
		r.topic = r.objects(i, n, objLoose|objSubject)
	}
	return false
}

// activity: a gerund or a bare noun; "the meal was the best" is of one time.
func (r *enReader) activity(i, end int) bool {
	return r.ws[i].form == formIng && r.ws[i].low != "thing"
}

// enNounEnd is where the verb of a clause with a thing as subject starts.
func enNounEnd(ws []enWord, i, end int) int {
	for k := i + 1; k < end && k < i+5; k++ {
		if enAux[ws[k].low] {
			return k
		}
	}
	return i
}

// favourite reads "my favourite author is X" and "X is my second favourite film".
func (r *enReader) favourite(i, end int) bool {
	ws := r.ws
	fav := -1
	for k := i; k < end; k++ {
		switch ws[k].low {
		case "favourite", "favorite", "favourites", "favorites", "fave", "faves", "go-to", "fav":
			if fav < 0 {
				fav = k
			}
		}
	}
	if fav < 0 {
		return false
	}
	rank := 1
	from := fav
	for from > i && (ws[from-1].low == "second" || ws[from-1].low == "third" || ws[from-1].low == "all-time" || ws[from-1].low == "time" || ws[from-1].low == "all" || enSkip[ws[from-1].low] || ws[from-1].low == "new" || ws[from-1].low == "current" || ws[from-1].low == "absolute" || ws[from-1].low == "personal" || ws[from-1].low == "down" || ws[from-1].low == "hands") {
		from--
		switch ws[from].low {
		case "second":
			rank = 2
		case "third":
			rank = 3
		}
	}
	if from == i || ws[from-1].low != "my" && ws[from-1].low != "our" && !(ws[from-1].low == "user's") {
		return false
	}
	one := from-2 >= i && ws[from-2].low == "of"
	if ws[fav].low == "go-to" || one || strings.HasSuffix(ws[fav].low, "s") {
		rank = 0
	}
	noun := fav + 1
	for noun < end && !(ws[noun].lemma == "be" && ws[noun].low != "being") && ws[noun].low != "remains" && ws[noun].low != "will" && ws[noun].low != "has" && ws[noun].low != "would" {
		noun++
	}
	kindOf := func(to int) kind {
		for k := fav + 1; k < to && k < fav+4; k++ {
			if kd, ok := enKinds[ws[k].low]; ok {
				return kd
			}
		}
		return kindTopic
	}
	var objs []zhObject
	var forced kind
	if from-1 == i || one && from-3 <= i {
		// "my favourite N is X": what follows the verb.
		k := noun
		neg := false
		for ; k < end && (ws[k].lemma == "be" || enSkip[ws[k].low] || ws[k].low == "remains" || ws[k].low == "has" || ws[k].low == "would" || ws[k].low == "to" || ws[k].low == "will"); k++ {
			if ws[k].low == "was" || ws[k].low == "were" {
				return true
			}
		}
		if k < end && (ws[k].low == "not" || enNegators[ws[k].low]) {
			neg = true
		}
		if k == noun && end < len(ws) && ws[end].low == ":" {
			k = end + 1
		} else if k == noun {
			return true
		}
		if neg || noun > fav+1 && ws[fav+1].low == "one" || enPassing[strings.ToLower(r.name(fav+1, min(fav+2, noun)))] {
			return true
		}
		forced = kindOf(noun)
		objs = r.objects(k, len(ws), objLoose)
		if len(objs) > 1 && (forced != kindTopic || !one) && rank > 0 {
			rank = 0
		}
	} else {
		// "X is my favourite N".
		be := from - 1
		for be > i && ws[be].lemma != "be" && ws[be].low != "remains" {
			be--
		}
		if be == i || enAux[ws[i].low] || enAux[ws[be-1].low] && ws[be-1].low != "has" || ws[be].low == "was" || ws[be].low == "were" {
			return true
		}
		for k := be; k < from; k++ {
			if enNegators[ws[k].low] {
				return true
			}
		}
		forced = kindOf(end)
		first := ws[i].low
		if first == "it" || first == "they" {
			objs = slices.Clone(r.topic)
			if len(objs) > 0 && objs[0].kind != kindTopic {
				forced = objs[0].kind
			}
		} else if enPronouns[first] || first == "your" || first == "his" || first == "her" {
			return true
		} else {
			objs = r.objects(i, be, objLoose|objSubject)
		}
	}
	for n := range objs {
		o := &objs[n]
		switch {
		case forced == kindAuthor && o.kind != kindAuthor:
			*o = zhObject{kindAuthor, o.parts[:1]}
		case forced == kindWork && o.kind == kindAuthor && !isAuthor(o.parts[0]):
			o.kind = kindWork
		case forced == kindTopic && o.kind == kindWork && !r.quoted(o.parts[0]) && (fav+1 < end && !ws[fav+1].mark && ws[fav+1].form == formNone || !strings.HasPrefix(o.parts[0], "The ")):
			o.kind = kindTopic // a dish in capitals
		case forced == kindWork && (o.kind == kindTopic || o.kind == kindDeed || o.kind == kindStyle) && capitalised(o.parts[0]):
			o.kind = kindWork
		case forced == kindStyle:
			o.kind = kindStyle
		}
		if o.kind == kindDeed {
			o.kind = kindTopic
		}
	}
	r.likes(objs, false, rank, direct-0.01)
	return true
}

// quoted reports whether a name stands in quotes.
func (r *enReader) quoted(name string) bool {
	for k := range r.ws {
		if r.ws[k].quoted && r.name(k, k+1) == name {
			return true
		}
	}
	return false
}

// enKinds: what kind of thing a favourite is.
var enKinds = map[string]kind{"author": kindAuthor, "authors": kindAuthor, "writer": kindAuthor, "writers": kindAuthor, "poet": kindAuthor, "poets": kindAuthor, "novelist": kindAuthor, "playwright": kindAuthor, "composer": kindAuthor, "singer": kindAuthor, "director": kindAuthor, "composers": kindAuthor, "directors": kindAuthor,
	"book": kindWork, "books": kindWork, "novel": kindWork, "novels": kindWork, "film": kindWork, "films": kindWork, "movie": kindWork, "movies": kindWork, "show": kindWork, "series": kindWork, "play": kindWork, "poem": kindWork, "game": kindWork, "games": kindWork, "album": kindWork, "song": kindWork, "anime": kindWork, "manga": kindWork,
	"style": kindStyle, "narrator": kindStyle, "narration": kindStyle}

// enPassing: favourites of an occasion.
var enPassing = set(`part bit memory moment thing moments photo picture`)

// critique reads what is wrong with the speaker's own work.
func (r *enReader) critique(i, end int) bool {
	ws := r.ws
	head := -1
	my := false
	k := i
	for ; k < end && k < i+8; k++ {
		w := &ws[k]
		if w.low == "my" || w.low == "mine" {
			my = true
		}
		if enAspects[w.low] && (w.form == formNone || k > i) {
			head = k
		}
		if enPronouns[w.low] && w.low != "i" && w.low != "it" || w.low == "your" || w.low == "his" || w.low == "her" || w.low == "their" {
			return false
		}
		if head >= 0 && k > head && (w.lemma == "be" || enLinks[w.lemma] || enFlawVerbs[w.lemma] || w.lemma == "need" || w.lemma == "do" || w.lemma == "come" || w.lemma == "turn" || w.lemma == "fall" || w.lemma == "have" || w.lemma == "run" || w.lemma == "end") && !enAspects[w.low] {
			break
		}
		if head < 0 && w.low == "it" && k == i && r.own {
			head = k
		}
		if w.low == "i" && k+1 < end && ws[k+1].lemma == "write" {
			my = true
		}
	}
	if head < 0 || k >= end || k >= i+8 || !my && !r.own {
		return false
	}
	r.own = r.own || my
	conf := clear + 0.04
	if !my {
		conf = interpreted
	}
	verb := k
	bad, neg, too := false, false, false
	j := verb + 1
	for ; j < end && j < verb+9 && !ws[j].mark; j++ {
		w := &ws[j]
		switch {
		case enNegators[w.low]:
			neg = true
		case w.low == "too":
			too = j+1 < end
		case w.low == "enough" && neg:
			bad = true
		case enBads[w.low] && ws[verb].lemma != "have" && ws[verb].lemma != "do":
			bad = true
		}
		if w.low == "and" && j+1 < end && !enBads[ws[j+1].low] && ws[j+1].low != "too" || w.low == "in" || w.low == "this" {
			break
		}
	}
	switch v := ws[verb].lemma; {
	case enFlawVerbs[v], v == "fall" && verb+1 < end && (ws[verb+1].low == "flat" || ws[verb+1].low == "apart"):
		bad = true
		neg = false
	case v == "need" && verb+1 < end && (ws[verb+1].low == "more" || ws[verb+1].low == "work" || ws[verb+1].low == "a"):
		bad = true
	case v == "have" && verb+1 < end && ws[verb+1].low == "no":
		bad = true
	case v == "sound" && verb+2 < end && ws[verb+1].low == "the" && ws[verb+2].low == "same", v == "do" && neg && verb+2 < end && (ws[verb+2].lemma == "work" || ws[verb+2].low == "land" || ws[verb+2].low == "flow" || ws[verb+2].low == "hold" || ws[verb+2].low == "ring"):
		bad, neg = true, false
	case v == "run":
		bad = too || verb+2 < end && ws[verb+1].low == "out"
	}
	if too && !neg {
		bad = true
	}
	if !bad {
		return false
	}
	if neg {
		enough := false
		for k := verb; k < j; k++ {
			enough = enough || ws[k].low == "enough"
		}
		if !enough {
			r.tag("NO_SELF_CRITIQUE", r.name(head, j), conf-0.06)
			return true
		}
	}
	from := head
	if ws[head].low == "it" {
		from = verb
	}
	for from > i && (enAspects[ws[from-1].low] || ws[from-1].low == "first" || ws[from-1].low == "last" || ws[from-1].low == "second") {
		from--
	}
	name := r.name(from, j)
	if ws[verb].lemma == "be" && from < verb {
		said := verb + 1
		for said < j-1 && enSkip[ws[said].low] && ws[said].low != "too" {
			said++
		}
		if said < j {
			name = r.name(from, verb) + " " + strings.TrimPrefix(r.name(said, j), "a ")
			if ws[said-1].low == "not" {
				name = r.name(from, verb) + " not " + r.name(said, j)
			}
		}
	}
	r.tag("SELF_CRITIQUE", name, conf)
	// "…, way too wordy": a second fault.
	if j < len(ws) && j == end && ws[j].low == "," {
		n := j + 1
		for n < len(ws) && (enSkip[ws[n].low] || ws[n].low == "too") {
			n++
		}
		if n < len(ws) && n > j+1 && ws[n-1].low == "too" && ws[n].form == formNone && !ws[n].mark {
			r.tag("SELF_CRITIQUE", "too "+ws[n].low, conf-0.04)
		}
	}
	return true
}

var enMakes = set(`write rewrite paint draw sculpt compose draft edit revise knit sew carve`)
var enLinks = set(`feel sound read seem look come`)
