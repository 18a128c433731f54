package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// How English is read. The sentence is parsed (internal/depparse). Every word with a
// subject of its own, or that shares one by coordination, is a predicate. Subject, verb
// and polarity are those of the parse; the object runs from behind the verb to the end
// of the clause, since the parse cuts long objects short.

// An enSentence is one parsed sentence.
type enSentence struct {
	text     string // as it is parsed
	raw      string // as it was said, as long as text
	name     [2]int // bytes of raw: the end of a relation, and of the name behind it
	start    int    // of text in the input
	from     int    // of the sentence in the input
	ws       []depparse.Word
	kids     [][]int // dependents of each word, ascending
	times    []timex.Expr
	question bool
	asks     bool     // all of it is a question
	names    []string // who takes part in the talk
	ended    enders
	lead     int     // bytes of text that the input does not have: the subject that it omits
	heir     Mention // whom that subject means
}

func newEnSentence(text string, start int, question bool, o Options, before *enSentence, done parsed) *enSentence {
	if m := announced.FindString(text); m != "" { // the parser would read the rest as part of it
		text = strings.Repeat(" ", len(m)) + text[len(m):]
	}
	text = inLaw.ReplaceAllString(text, "$1-in-law")
	if strings.Contains(text, "no longer") { // as long, and the parser knows it
		text = noLonger.ReplaceAllString(doesNoLonger.ReplaceAllString(isNoLonger.ReplaceAllString(text, "${1}not      "), "does not ${1}"), "do not   ")
	}
	raw, name := text, [2]int{}
	if m := aside.FindStringSubmatchIndex(text); m != nil {
		text = blank(text, m[2:])
	}
	if m := called.FindStringSubmatchIndex(text); m != nil && Relation(strings.ToLower(text[m[2]:m[3]])) != "" {
		name, text = [2]int{m[3], m[5]}, blank(text, m[4:])
	}
	s := &enSentence{text: text, raw: raw, name: name, start: start, from: start, question: question, names: o.Names, ended: o.Ended}
	s.parse(done)
	words, at := s.leftOut()
	heir := Mention{Kind: Speaker}
	if from := s.subjectless(before); before != nil && !question && from >= 0 { // the clause before it has it
		words, heir = before.lends()
		at = from
	}
	if words != "" { // read again with its subject
		rest := text[at:]
		text = words + strings.ToLower(rest[:1]) + rest[1:]
		t := &enSentence{text: text, raw: text, start: start + at - len(words), from: start, question: question, names: o.Names, ended: o.Ended, lead: len(words), heir: heir}
		if t.parse(parsed{}); slices.ContainsFunc(t.ws[1:], func(w depparse.Word) bool { return w.Head > 0 && t.ws[0].Head == w.Head }) || t.ws[0].Rel == "nsubj" || words == "My " {
			s = t
		}
	}
	if hasTimeWord(s.ws) {
		s.times = slices.DeleteFunc(append(timex.Find(s.text, o.Year), s.bareDays()...), func(e timex.Expr) bool { // an age
			return e.Kind == timex.Duration && strings.HasSuffix(s.text[e.Pos:e.End], " old")
		})
	}
	return s
}

// inLaw is a relation by marriage without its hyphens.
var inLaw = pattern.New(`(?i)\b(mother|father|brother|sister|son|daughter|mum|mom|dad) in law\b`)

// A parsed is a text with its words, where it was parsed already.
type parsed struct {
	text  string
	words []depparse.Word
}

func (s *enSentence) parse(done parsed) {
	if s.ws = done.words; done.text != s.text {
		s.ws = depparse.Parse(s.text)
	}
	if name := s.unknownName(); name != "" { // read it as a pronoun
		s.ws = depparse.Parse(strings.Repeat(" ", len(name)-2) + "He" + s.text[s.ws[0].End:])
		s.ws[0] = depparse.Word{Form: name, Tag: "NNP", Rel: s.ws[0].Rel, Head: s.ws[0].Head, Start: s.ws[0].End - len(name), End: s.ws[0].End}
	}
	s.kids = make([][]int, len(s.ws))
	for i, w := range s.ws {
		if w.Head >= 0 && w.Head < len(s.ws) {
			s.kids[w.Head] = append(s.kids[w.Head], i)
		}
	}
	for i := range s.ws {
		s.ws[i].Tag = s.retag(i)
	}
}

// unknownName is the first word if it is no common one, or somebody, and a verb without a subject that ends a state follows it: "Clover passed away".
func (s *enSentence) unknownName() string {
	if s.ended == nil || len(s.ws) < 3 || s.ws[0].Start != 0 || s.ws[0].Rel == "nsubj" {
		return ""
	}
	w, verb := s.ws[0], s.ws[1]
	if low := s.low(0); low == "somebody" || low == "someone" {
		return w.Form
	}
	if len(w.Form) < 3 || w.Form[0] < 'A' || w.Form[0] > 'Z' || strings.HasPrefix(w.Tag, "NNP") || depparse.Common(w.Form) || w.Head != 1 ||
		verb.Rel != "root" || verb.Tag != "VBD" && verb.Tag != "VBZ" && !strings.HasSuffix(verb.Form, "ed") {
		return ""
	}
	if _, _, ends, may := s.ended.split(depparse.Verb(verb.Form, "VBD"), s.text[s.ws[2].Start:]); len(ends)+len(may) == 0 {
		return ""
	}
	return w.Form
}

// retag is the tag of a word, corrected where its form and its place say more than the tagger knew: "sold" is no base form, "smoke" no past, and "passed" of
// "the dog passed away" no adjective.
func (s *enSentence) retag(i int) string {
	w, low := s.ws[i], s.low(i)
	switch {
	case (w.Tag == "VB" && w.Rel == "root" || w.Tag == "VBP" && depparse.Verb(low, "VBP") == low) && irregular(low) && s.low(i+1) != "na" && s.low(i+1) != "ta":
		return "VBD"
	case (w.Tag == "VBP" || w.Tag == "VBZ") && strings.HasSuffix(low, "ied"): // "he cried"
		return "VBD"
	case w.Tag == "VBD" && depparse.Verb(low, "VBP") == low && !strings.HasSuffix(low, "ed") && !samePast[low]:
		return "VBP"
	case w.Tag == "JJ" && strings.HasSuffix(low, "ed") && s.kid(i, "nsubj") >= 0 && s.kid(i, "cop", "aux") < 0:
		return "VBD"
	case w.Tag == "JJ" && w.Rel == "root" && s.kid(i, "aux") >= 0 && s.kid(i, "cop", "aux:pass") < 0 && depparse.Verb(low, "VBN") != low: // "haven't sung"
		return "VBN"
	}
	return w.Tag
}

// irregular reports whether a word is the past of a verb, and not a regular one.
func irregular(low string) bool {
	return depparse.Verb(low, "VB") != low && depparse.Verb(low, "VBD") != low && low != "used" && !strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ing") && !strings.HasSuffix(low, "ed")
}

// samePast are verbs whose past is their base form.
var samePast = set("put cut set hit let hurt read cost quit shut spread burst split bet beat cast shed fit wed rid slit knit bid thrust come become run overcome")

// leftOut is the subject that a sentence lacks, with the auxiliary that goes with it, and
// the byte where it belongs: "I" before "landed in Rome", "I'm" before "still reading" and
// "allergic to nuts". The form of its first verb
// decides; a bare form may as well be a request, unless it is one of attitude. What could
// be said of a thing ("great", "could be worse") is not the speaker's.
func (s *enSentence) leftOut() (words string, at int) {
	n := len(s.ws)
	first := 0
	for first < n && (s.ws[first].Tag == "UH" || s.ws[first].Rel == "discourse" || s.ws[first].Rel == "vocative" || s.ws[first].Rel == "cc" || isMark(s.ws[first].Form) || interjections[s.low(first)]) {
		first++
	}
	v := first
	for v < n && (s.ws[v].Tag == "RB" || fillers[s.low(v)]) {
		v++
	}
	if v+1 >= n || s.question || !asciiLetter(s.ws[first].Form[0]) {
		return "", 0
	}
	at = s.ws[first].Start
	w, low := s.ws[v], s.low(v)
	lemma := depparse.Verb(w.Form, w.Tag)
	root := slices.IndexFunc(s.ws, func(w depparse.Word) bool { return w.Rel == "root" })
	next := s.ws[v+1]
	switch r := w.Rel; {
	case next.Form == "-" && next.Start == w.End: // "left-handed" is no verb
		if v+2 < n && strings.HasSuffix(s.low(v+2), "ed") && things[strings.TrimSuffix(s.low(v+2), "ed")] == "HAS_CONDITION" {
			return "I'm ", at
		}
		return "", 0
	case v == first && things[low] == "HAS_CONDITION" && (next.Tag == "VBZ" || next.Tag == "POS"): // "Back's fine since the surgery"
		return "My ", at
	case (low == "used" || low == "have" || low == "gotta") && (s.low(v+1) == "to" || low == "gotta"), s.low(first) == "still" && (negWord(s.low(v+1)) || w.Tag == "VBP"): // "still don't touch seafood"
		return "I ", at
	case (low == "ca" || low == "can") && s.low(v+1) != "i" && negWord(s.low(v+1)) && w.Head >= 0 && s.kid(w.Head, "nsubj", "xcomp", "ccomp", "advcl") < 0: // "can't swim", but not "can't wait to"
		return "I ", at
	case w.Tag == "NNP" && v == first && (strings.HasSuffix(low, "ed") || irregular(low) && s.low(v+1) != "na" && s.low(v+1) != "ta") && depparse.Common(low): // "Watched Inception": a capital at the beginning
		return "I ", at
	case r == "nsubj" || r == "csubj" || r == "nsubj:pass" || r == "amod" && root > v && s.ws[root].Tag != "NN" && s.ws[root].Tag != "NNS",
		next.Tag == "PRP" && nominative[s.low(v+1)] && r != "root", s.ws[v].Rel == "mark":
		return "", 0
	case w.Tag == "IN" || likePrepositions[low] || s.low(s.kid(v, "obj", "iobj")) == "me":
		return "", 0
	case w.Tag == "MD" || r == "aux":
		h := w.Head
		if h < 0 || w.Tag == "MD" && low != "will" && low != "would" || s.kid(h, "nsubj", "nsubj:pass", "expl") >= 0 || s.kid(h, "cop") >= 0 || s.low(h) == "be" {
			return "", 0
		}
		if w.Tag == "VBN" {
			return "I've ", at
		}
		if (low == "do" || w.Tag == "VB") && !attitude[depparse.Verb(s.ws[h].Form, s.ws[h].Tag)] { // "Don't forget"
			return "", 0
		}
		return "I ", at
	case low == "gon", low == "off" && s.low(v+1) == "to" && s.low(v+2) != "a" && !isVerb(s.ws[min(v+2, n-1)]): // "off to Lisbon"
		return "I'm ", at
	case r == "root" && scheduled[low] && (slices.ContainsFunc(s.bareDays(), func(e timex.Expr) bool { return true }) || ofMonth.MatchString(s.text) || months[s.low(v+1)]):
		return "I ", at
	case w.Tag == "VBG" && r == "root" && !stirring(lemma) && !s.finite(v, "VBZ", "VBP", "VBD", "MD"):
		return "I'm ", at
	case low == "been" && (next.Tag == "VBG" || next.Tag == "VBN" || next.Tag == "IN" || next.Tag == "TO" || owned(s.low(v+1)) || owned(s.low(root))):
		return "I've ", at
	case owned(s.low(root)) && v <= root || owned(low) && (r == "root" || next.Tag == "IN" || next.Tag == "TO"):
		if isVerb(s.ws[root]) && s.ws[root].Tag != "VBN" || s.kid(root, "nsubj", "nsubj:pass", "expl", "cop", "aux") >= 0 || s.finite(v, "VBZ", "VBP", "VBD", "MD") || next.Form == "," && s.ws[min(v+2, n-1)].Tag == "JJ" {
			return "", 0
		}
		return "I'm ", at
	case w.Tag == "VBD" || w.Tag == "VBN" && r == "root" && (strings.HasSuffix(low, "ed") || next.Tag == "DT" || next.Tag == "PRP$" || low == "got"):
		if k := s.kid(v, "nsubj"); k >= 0 && k < v || low == "was" || low == "were" || s.finite(v, "VBZ", "MD") {
			return "", 0
		}
		return "I ", at
	case attitude[lemma] && (w.Tag == "VBP" || w.Tag == "VB") || attitude[low] && r == "root":
		return "I ", at
	}
	return "", 0
}

// finite reports whether a verb of one of the tags follows word v before another clause
// begins: then what begins at v is its subject ("Playing games is my escape").
func (s *enSentence) finite(v int, tags ...string) bool {
	for k := v + 1; k < len(s.ws); k++ {
		switch tag, low := s.ws[k].Tag, s.low(k); {
		case slices.Contains(tags, tag):
			return true
		case s.ws[v].Tag != "VBG" && (low == "," || s.ends(k)), strings.HasPrefix(tag, "W"), nominative[low], joins[low], low == ";" || low == ":":
			return false
		}
	}
	return false
}

// likePrepositions are verbs that have become prepositions.
var likePrepositions = set("speaking considering regarding including following depending judging given compared based")

// joins are words that begin a clause inside a sentence.
var joins = set("that because when while if since as until after before where but so though although than")

// owned reports whether a word applies only to people: how they feel, how they are, what they live on.
func owned(low string) bool {
	return feelings[low] || conditions[low] || statuses[low] || diets[low] || low == "fan" || low == "busy"
}

// stirring reports whether a verb says what something does to a mind: its form in -ing is
// said of things ("exciting to see").
func stirring(verb string) bool { _, ok := stirs[verb]; return ok }

func asciiLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (s *enSentence) low(i int) string {
	if i < 0 || i >= len(s.ws) {
		return ""
	}
	return strings.ToLower(s.ws[i].Form)
}

func (s *enSentence) kid(i int, rels ...string) int {
	for _, k := range s.kids[i] {
		if slices.Contains(rels, s.ws[k].Rel) {
			return k
		}
	}
	return -1
}

func isVerb(w depparse.Word) bool { return strings.HasPrefix(w.Tag, "V") }

// announced is an opening that says only that something follows: "Sad news, …".
var announced = pattern.New(`(?i)^(?:(?:sad|bad|good|great|big|happy|breaking|quick|small|little|ok|okay|so) ){0,2}(?:news|update|confession|fyi|heads[- ]up|announcement)\b[,:!. –—-]+`)

// blank is a text without a part, as long as before.
func blank(text string, part []int) string {
	return text[:part[0]] + strings.Repeat(" ", part[1]-part[0]) + text[part[1]:]
}

// called is a name behind the relation that begins a sentence, which the parser takes for anything: "My friend Anna likes tea".
var called = pattern.New(`(?i)^(?:(?:and|but|so),? )?(?:my|our) (?:[\w-]+ ){0,2}?([\w-]+)( (?-i:[A-Z][a-z]+))(?:,| +[a-z])`)

// aside tells more of the one of whom the sentence is, between commas: "My brother Tom, a plumber, lives in Hull".
var aside = pattern.New(`(?i)^(?:my|our) (?:[\w-]+ ){0,2}[\w-]+(, (?:an?|the|who|whose) [^,]{1,60},) `)

var (
	noLonger     = pattern.New(`\bno longer\b`)
	doesNoLonger = pattern.New(`\bno longer( \w+s)\b`)
	isNoLonger   = pattern.New(`((?:['’]m|['’]s|['’]re|\bam|\bis|\bare|\bwas|\bwere) )no longer\b`)
)

// readEN lists the facts of one sentence.
func readEN(s *enSentence) []Fact {
	var out []Fact
	for i := range s.ws {
		if !s.predicate(i) {
			continue
		}
		f, ok := s.fact(i)
		if s.ended != nil {
			f.Over = f.ending(s.ended, s.text)
		}
		if !ok && len(f.Over) > 0 {
			f.onlyEnds, ok = true, true
		}
		if ok {
			out = append(out, f)
		}
		if b := f.beside; ok && b.Kind != NoOne && !b.Plural { // "Tom and I went" is said of Tom, too
			f.Subject, f.With, f.Over = b, nil, nil
			out = append(out, f)
		}
	}
	return out
}

// predicate reports whether word i is the core of a clause.
func (s *enSentence) predicate(i int) bool {
	w := s.ws[i]
	if s.kid(i, "nsubj", "nsubj:pass") >= 0 {
		return true
	}
	if !isVerb(w) && s.kid(i, "cop") < 0 {
		return false
	}
	switch w.Rel {
	case "root", "conj", "parataxis", "ccomp":
		return true
	case "advcl": // "… , helping them" is not a statement of its own
		return false
	}
	return false
}

// shared is the predicate that lends word i its subject, or -1.
func (s *enSentence) shared(i int) int {
	for n := 0; n < 8 && s.ws[i].Rel == "conj" && s.ws[i].Head >= 0; n++ {
		i = s.ws[i].Head
		if s.kid(i, "nsubj", "nsubj:pass") >= 0 {
			return i
		}
	}
	return -1
}

// subject is the subject of predicate i, or -1: of two the pronoun right before it, as in "Ok confession, I'm …".
func (s *enSentence) subject(i int) int {
	first := s.kid(i, "nsubj", "nsubj:pass")
	for _, k := range s.kids[i] {
		if k > first && k < i && s.ws[k].Rel == "nsubj" && nominative[s.low(k)] {
			return k
		}
	}
	return first
}

// fact reads the clause of predicate i.
func (s *enSentence) fact(i int) (Fact, bool) {
	f := Fact{Start: s.from, End: s.start + len(s.text), main: s.ws[i].Rel == "root" || s.ws[i].Rel == "conj" && s.ws[s.ws[i].Head].Rel == "root"}
	subj := s.subject(i)
	governor := i
	if subj < 0 && s.kid(i, "expl", "csubj") >= 0 {
		return f, false
	}
	if subj < 0 {
		if g := s.shared(i); g >= 0 {
			governor, subj = g, s.kid(g, "nsubj", "nsubj:pass")
		}
	}
	inherits := governor != i
	for _, k := range s.conjuncts(max(subj, 0)) {
		if subj >= 0 && (s.low(k) == "i" || s.low(k) == "me") { // "Tom and I": the speaker, with Tom
			if m := s.mention(subj); m.Kind != NoOne {
				f.With = append(f.With, m)
				f.beside = m
				subj = k
			}
		}
	}
	switch {
	case subj == 0 && s.lead > 0:
		f.Subject = s.heir
		f.Subject.Phrase = Phrase{Text: s.heir.Text, Start: s.start + s.lead, End: s.start + s.lead}
	case subj >= 0:
		f.Subject = s.mention(subj)
		if s.ws[i].Rel == "acl:relcl" || s.ws[i].Rel == "acl" {
			if r := s.low(subj); r == "who" || r == "that" || r == "which" {
				f.Subject = s.mention(s.ws[i].Head)
			}
		}
	default:
		return f, false
	}
	v := s.verbGroup(i, subj, inherits)
	if f.Subject.Kind == NoOne {
		if g, ok := s.moves(i, subj, f); ok {
			return g, ok
		}
		end := subj + 1 // with what describes it: "my membership at the club"
		for end < i && s.ws[end].Rel != "aux" && s.ws[end].Rel != "aux:pass" && s.ws[end].Rel != "cop" && s.ws[end].Rel != "advmod" && !isMark(s.ws[end].Form) {
			end++
		}
		f.Subject.Phrase = s.phrase(s.begin(subj), end)
	}
	if inherits && len(v.aux) == 0 { // "I will go and see": the second verb is under the same auxiliary
		if tag := s.ws[i].Tag; tag == "VB" || tag == "VBG" || tag == "VBN" {
			g := s.verbGroup(governor, subj, false)
			v.aux = g.aux
		}
	}
	f.Verb = v.lemma
	empty := emptyVerb[f.Verb]
	if f.Verb == "" || empty && s.ended == nil {
		return f, false
	}
	if s.low(i-1) == "not" && len(v.aux) == 0 && !v.cop && s.ws[i].Tag != "VBG" { // "busy, but not like …": no verb is denied so
		return f, false
	}
	f.Negated, f.passive = v.negated, v.passive
	if x := s.kid(i, "xcomp", "obj"); f.Verb == "get" && x == i+1 {
		low := s.low(x)
		f.becomes = depparse.Verb(low, "VBN") != low && !strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ing") && !stirring(depparse.Verb(low, "VBN"))
	}
	s.objects(i, v, &f)
	f.Tense, f.Modality = s.hold(i, subj, governor, v, &f)
	if f.Modality == Asserted || f.Modality == Plan {
		f.Negated = f.Negated != s.thoughtNot(i)
	}
	s.doubts(i, governor, &f)
	f.noteIf(subj >= 0 && s.ws[subj].Head != i, "borrowed subject")
	f.noteIf(s.lead > 0, "lead")
	f.noteIf(s.question, "question")
	if f.Subject.Kind == NoOne {
		return s.thing(i, subj, v, f)
	}
	return f, !empty && slotEN(s, i, v, &f)
}

// thoughtNot reports whether a clause is the object of a denied thought, which denies the clause: "I don't think I like jazz".
func (s *enSentence) thoughtNot(i int) bool {
	h := s.ws[i].Head
	return (s.ws[i].Rel == "ccomp" || s.ws[i].Rel == "parataxis") && h >= 0 && h < i && s.begin(i) == h+1 && raising[depparse.Verb(s.ws[h].Form, s.ws[h].Tag)] && s.verbGroup(h, s.kid(h, "nsubj"), false).negated
}

// raising are the verbs whose denial is meant of what follows them.
var raising = set("think believe feel expect reckon")

// doubts notes what parses of its kind often get wrong.
func (s *enSentence) doubts(i, governor int, f *Fact) {
	if governor != i {
		for k := governor + 1; k < i; k++ { // a nearer subject may be the right one
			if r := s.ws[k].Rel; (r == "nsubj" || r == "nsubj:pass" || r == "expl") && s.ws[k].Head != governor {
				f.note("nearer subject")
				break
			}
		}
		if s.kid(i, "cop") >= 0 {
			f.note("shared subject of be")
		}
	}
	if s.lead == len("I'm ") && s.ws[i].Tag == "VBG" && f.When.Text == "" && verbSlots[f.Verb] != "WANTS" && s.kid(i, "xcomp") < 0 && s.low(2) != "still" && !slices.ContainsFunc(s.ws[1:], func(w depparse.Word) bool { return w.Form == "my" || w.Form == "me" }) {
		f.note("bare -ing") // "Trying new things": may be what is meant to come, or a thing
	}
	if r := s.ws[i].Rel; r == "advcl" && f.Tense == Present || r == "acl:relcl" && f.Subject.Kind != Speaker {
		f.note("dependent clause")
	}
}

// moves reads a clause whose subject is a thing that does something to the speaker's mind:
// "astronomy fascinates me", "golf bores me". What moves the speaker is liked or disliked.
func (s *enSentence) moves(i, subj int, f Fact) (Fact, bool) {
	verb := depparse.Verb(s.ws[i].Form, s.ws[i].Tag)
	me := s.kid(i, "obj", "iobj")
	like, known := stirs[verb]
	if !known || me < i || s.ws[i].Rel == "acl:relcl" || s.low(me) != "me" || s.question || s.kid(subj, "case", "mark") >= 0 || s.ws[subj].Tag[0] != 'N' && s.ws[subj].Tag != "VBG" {
		return f, false
	}
	v := s.verbGroup(i, subj, false)
	f.Object = s.phrase(s.begin(subj), subj+1)
	f.Subject = s.mention(me)
	f.Verb, f.Negated, f.Slot, f.Value = verb, v.negated == like, "PREFERS_TOPIC", f.Object
	f.Tense, f.Modality = s.hold(i, subj, i, v, &f)
	return f, f.Object.Text != "" && f.Tense == Present && f.worth()
}

// A verbGroup is the verb of a clause with what belongs to it.
type verbGroup struct {
	lemma   string
	head    int   // the word whose form shows the tense: the verb, or the copula
	end     int   // first word behind the group
	aux     []int // auxiliaries in order
	cop     bool
	passive bool
	negated bool
	chain   int // the verb that carries the meaning: "used to GO", "going to GO"; else the predicate
}

func (s *enSentence) verbGroup(i, subj int, inherits bool) verbGroup {
	v := verbGroup{head: i, end: i + 1, chain: i}
	w := s.ws[i]
	for _, k := range s.kids[i] {
		switch r := s.ws[k].Rel; {
		case r == "aux" || r == "aux:pass":
			if k > subj || inherits || s.question {
				v.aux = append(v.aux, k)
			}
			v.passive = v.passive || r == "aux:pass"
		case r == "cop":
			v.cop, v.head = true, k
		case s.low(k) == "longer" && s.low(k-1) == "no":
			v.negated = true
		case negWord(s.low(k)) && (r == "advmod" || r == "det" || k < i):
			answers := s.low(k) == "no" && k < subj || s.low(k+1) == "," // "No, I like coffee", "can't, got uni": denies what was asked, not this
			if !(s.low(k) == "no" && (r == "det" || nominative[s.low(k+1)])) && !answers && k < v.head+8 && s.low(k+1) != "only" {
				v.negated = true
			}
		case r == "obj" && slices.ContainsFunc(s.kids[k], func(d int) bool { return s.low(d) == "no" && s.ws[d].Rel == "det" && d > i }): // "I have no car"
			v.negated = true
		}
	}
	v.passive = v.passive || s.ws[i].Rel == "nsubj:pass" || s.kid(i, "nsubj:pass") >= 0
	if a := s.kid(i, "aux:pass"); a >= 0 && diets[s.low(i)] { // "been gluten free": the tagger knows no such adjective
		v.cop, v.passive, v.head = true, false, a
		v.aux = slices.DeleteFunc(v.aux, func(k int) bool { return k == a })
	}
	switch {
	case v.cop:
		v.lemma, v.end = "be", v.head+1
		return v
	case isVerb(w) || w.Tag == "MD":
		v.lemma = depparse.Verb(w.Form, w.Tag)
	case w.Tag == "NN" || w.Tag == "JJ" || w.Tag == "NNP": // the tagger took a verb for something else
		v.lemma = depparse.Verb(w.Form, "VBP")
		if _, known := statives[v.lemma]; !known {
			v.lemma = ""
		}
	}
	if p := s.kid(i, "advmod"); p == i+1 && particles[s.low(p)] {
		v.lemma, v.end = v.lemma+" "+s.low(p), p+1
	} else if p := s.kid(i, "compound:prt"); p == i+1 || p == i+2 && !nounTag(s.ws[i+1].Tag) {
		v.lemma += " " + s.low(p)
		if p == i+1 {
			v.end = p + 1
		}
	}
	if v.lemma == "get" && s.low(i) == "got" && s.kid(i, "obj") > i && slices.ContainsFunc(v.aux, func(a int) bool {
		return strings.HasSuffix(s.low(a), "s") && s.low(a)[0] != 'h' || depparse.Verb(s.ws[a].Form, s.ws[a].Tag) == "have"
	}) { // "I've got a Panda"
		v.lemma, v.aux = "have", nil
	}
	// "going to", "used to", "had to", "got to" are auxiliaries by meaning.
	if x := s.kid(i, "xcomp"); x > i && isVerb(s.ws[x]) {
		to := s.low(x-1) == "to" || s.low(x-1) == "na" || s.kid(x, "mark") >= 0
		switch {
		case v.lemma == "have" && w.Tag == "VBD" && to, // "had to sell it"
			v.lemma == "go" && w.Tag == "VBG" && to && x-i <= 3,
			v.lemma == "use" && w.Tag == "VBD" && to,
			v.lemma == "get" && w.Tag == "VBN" && to,
			v.lemma == "end up", v.lemma == "get" && to && w.Tag != "VBG":
			g := s.verbGroup(x, subj, true)
			g.aux = append(append(slices.Clone(v.aux), i), g.aux...)
			g.negated = g.negated || v.negated
			return g
		}
	}
	return v
}

func negWord(w string) bool {
	switch strings.ReplaceAll(w, "’", "'") {
	case "not", "n't", "nt", "never", "hardly", "barely", "neither", "no":
		return true
	}
	return false
}

func nounTag(t string) bool {
	return strings.HasPrefix(t, "NN") || t == "PRP" || t == "PRP$" || t == "DT"
}
