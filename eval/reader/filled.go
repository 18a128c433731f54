package reader

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
	"membench/internal/tokens"
	"membench/schema/catalog"
)

// A question has a predicate, the things that it names, and one slot that it asks for. The clause that has this predicate, of the one who is asked about, with
// these things in it or said around it, and with that slot filled, answers it.

// A frame is what a question asks for.
type frame struct {
	q      question
	fact   clause.Fact // the question as a statement without the slot
	who    string      // whose clause it must be, in lower case; "" anybody's
	anyone bool        // the subject is the slot
	args   []string    // terms of the things that the question names
	noun   []string    // terms of the kind of thing that fills the slot: "which film"
	weight map[string]float64
}

// A saying is one clause of a sentence.
type saying struct {
	*unit
	clause.Fact
	who   string   // its subject in lower case, "" a thing or unknown
	text  string   // of the clause
	terms []string // of it, with the words that its pronouns stand for
	back  []string // terms of what was said right before it
	near  []string // the same, with its sentence and the next of its turn
	shape bool     // read by the place of its words only
}

var (
	reWh = pattern.New(`(?i)^(?:(?:and|so|but|in|at|on|to|from|with|for|by|about|of|until|since),? )?(when|where|who(?:m|se)?|what|which|how (?:many|much|long|often|old|far|fast|tall|big|heavy))(['’]s|['’]re)?(?: (.*?))?\??$`)
	// reAuxiliary is the auxiliary of a question, and what is between the question word and it.
	reAuxiliary = pattern.New(`(?i)^(?:(.*?) )??(do|does|did|is|are|was|were|has|have|had|will|would|can|could|should)\b ?(.*)$`)
	// reBehind adds when or under which circumstances something was.
	reBehind    = pattern.New(`(?i),? (?:(?:when|while|before|until|since|as of|because|now that)|after (?:he|she|they|we|it|I|[A-Z]\w+) \w+) .*$|,? (?:now|nowadays|these days|at the moment|currently|in the end|ever|yet|again)$`)
	rePossessed = pattern.New(`(?i)^\w+['’]s (.+?) (?:do|does|did|is|are|was|were|has|have|had|will|would|can|could|should)\b`)
	reSubject   = pattern.New(`^(?:[A-Z][\w-]+(?: [A-Z][\w-]+)*|I|you|he|she|we|they|it) `)
	zhSlot      = pattern.New(`(?:是)?(?:在|于)?(?:什么时候|何时|哪一?[天年月日周]|几[月号日点]|什么时间|多久|多长时间)`)
	zhSplit     = pattern.New(`(\p{Han})[的了过](\p{Han})$`) // 辞的职
	zhKind      = pattern.New(`(?:哪[家个些座里儿位种]?|什么|多少|几[只个次本台条位岁家张件种])(\p{Han}{0,2})`)
)

// frame reads what a question asks for; false where it cannot be read.
func (q question) frame(ev *evidence) (fr frame, ok bool) {
	fr = frame{q: q, weight: map[string]float64{}}
	text := ""
	if q.han {
		text = strings.TrimRight(zhSlot.ReplaceAllString(strings.TrimRight(q.text, "？?。 "), ""), "的呢呀啊")
		text = zhSplit.ReplaceAllString(text, "$1$2")
		if at := strings.Index(text, "谁"); at >= 0 && q.kind == who {
			fr.anyone = at == 0 || !strings.HasSuffix(text[:at], "是") && !strings.HasSuffix(text[:at], "叫")
			text = strings.Replace(text, "谁", "我", 1)
		}
		if m := zhKind.FindStringSubmatch(text); m != nil {
			fr.noun = tokens.Terms(m[1])
		}
	} else {
		m := reWh.FindStringSubmatch(reBehind.ReplaceAllString(strings.TrimRight(q.text, "?？. "), ""))
		if m == nil {
			return fr, false
		}
		rest := m[3]
		if m[2] != "" {
			rest = map[byte]string{'s': "is ", 'e': "are "}[m[2][len(m[2])-1]] + rest
		}
		a := reAuxiliary.FindStringSubmatch(rest)
		if a == nil || len(strings.Fields(a[1])) > 4 {
			a = []string{"", "", "", rest}
		}
		fr.noun = tokens.Terms(a[1])
		switch text, fr.anyone = inverted(a[2], a[3]); {
		case text == "":
			return fr, false
		case fr.anyone && q.kind != who && len(fr.noun) == 0:
			fr.anyone = false
		}
	}
	fr.read(text, ev)
	return fr, (fr.fact.Verb != "" || len(fr.args) > 0) && !willing[fr.fact.Verb]
}

// read fills a frame from a statement without its slot.
func (fr *frame) read(text string, ev *evidence) {
	q := fr.q
	for _, f := range clause.Read(text+q.say(".", "。"), clause.Options{Names: q.people(), Ended: catalog.Default().Ended, Every: true}) {
		if f.Verb != "" && (fr.fact.Verb == "" || willing[fr.fact.Verb] && person(f.Subject, "") == person(fr.fact.Subject, "")) {
			fr.fact = f
		}
	}
	subject := fr.fact.Subject
	switch {
	case fr.anyone:
	case subject.Kind == clause.Named || subject.Kind == clause.Relative:
		fr.who = person(subject, "")
	case len(q.subjects) == 1:
		fr.who = q.subjects[0]
	}
	named := text
	if fr.fact.Verb != "" {
		if named = fr.fact.Object.Text + " " + fr.fact.Place.Text; subject.Kind == clause.NoOne {
			named += " " + subject.Text
		}
		if m := rePossessed.FindStringSubmatch(text); m != nil && subject.Kind != clause.Relative {
			named += " " + m[1]
		}
		for _, m := range fr.fact.With {
			named += " " + m.Text
		}
	}
	for _, e := range timex.Find(named, 2000) {
		named = named[:e.Pos] + strings.Repeat(" ", e.End-e.Pos) + named[e.End:]
	}
	for _, t := range termsOf(zhKind.ReplaceAllString(strings.ToLower(named), " ")) {
		if hollow[t] || attributes[t] || slices.Contains(fr.noun, t) || t == "someon" || t == "我" || slices.Contains(termsOf(fr.who), t) ||
			slices.ContainsFunc(q.subjects, func(s string) bool { return slices.Contains(termsOf(s), t) }) {
			continue
		}
		n := float64(len(ev.units))
		fr.args = append(fr.args, t)
		fr.weight[t] = .4 + math.Log(1+(n-float64(ev.df[t])+.5)/(float64(ev.df[t])+.5))/math.Log(n+2)
	}
}

// willing verbs have the predicate behind them: "plan to visit", 打算去.
var willing = set("plan want intend hope decide aim start try 打算 想 准备 计划 要")

// attributes tell little of which thing is meant.
var attributes = set("new old own first last real whole main big little 新 旧 老")

// people are the speakers, and in a question of others their first names as well.
func (q question) people() []string {
	out := slices.Clone(q.names)
	for _, n := range q.names {
		if first, _, ok := strings.Cut(n, " "); ok {
			out = append(out, first)
		}
	}
	return out
}

// inverted puts the auxiliary of a question behind its subject: "did", "Ana's lessons begin". anyone says that what is asked for is the subject.
func inverted(aux, rest string) (text string, anyone bool) {
	if rest == "" {
		return "", false
	}
	if aux == "" {
		return "Someone " + rest, true
	}
	ws := depparse.Parse("Someone " + aux + " " + rest + ".")
	if len(ws) > 2 && reSubject.FindString(rest) == "" && (aux == "is" || aux == "are" || aux == "was" || aux == "were" || strings.HasPrefix(aux, "ha")) && strings.HasPrefix(ws[2].Tag, "VB") && ws[2].Tag != "VBZ" {
		return "Someone " + aux + " " + rest, true
	}
	if m := reSubject.FindString(rest); m != "" && len(m) < len(rest) {
		return strings.TrimSpace(m) + " " + aux + " " + rest[len(m):], false
	}
	ws = depparse.Parse(aux + " " + rest + "?")
	end := 0
	for i, w := range ws {
		for h, n := i, 0; h >= 0 && n < 8; h, n = ws[h].Head, n+1 {
			if (ws[h].Rel == "nsubj" || ws[h].Rel == "nsubj:pass") && i > 0 && (end == 0 || ws[i-1].End == end || w.Start <= end+1) {
				end = w.End
			}
		}
	}
	if end <= len(aux) || end >= len(aux)+1+len(rest) {
		if words := strings.Fields(rest); len(words) > 1 && strings.HasPrefix(strings.ToLower(aux), "d") { // the parse found no subject
			return words[0] + " " + aux + " " + strings.Join(words[1:], " "), false
		}
		return rest + " " + aux, false
	}
	at := end - len(aux) - 1
	return rest[:at] + " " + aux + rest[at:], false
}

// sayings are the clauses of a unit that may say what a frame asks for.
func (e *evidence) sayings(fr *frame, i int) (out []saying) {
	u := &e.units[i]
	verb := verbOf(fr.fact)
	found := false
	for _, f := range clause.Read(u.text, clause.Options{Names: fr.q.people(), Ended: catalog.Default().Ended, Every: true}) {
		found = found || alike(verbOf(f), verb)
		if f.Modality == clause.Question || f.Modality == clause.Condition || f.Modality == clause.Hearsay || f.Modality == clause.Wish || f.Modality == clause.Imperative {
			continue
		}
		s := saying{unit: u, Fact: f, who: e.standsFor(i, f), text: f.Subject.Text + " " + f.Verb + " " + f.Object.Text + " " + f.Place.Text + " " + f.Value.Text + " " + f.When.Text}
		out = append(out, s)
	}
	if !found && !u.asks {
		for _, part := range reClause.Split(u.text, -1) {
			if s, ok := fr.shaped(part); ok {
				s.unit, s.who = u, e.standsFor(i, s.Fact)
				out = append(out, s)
			}
		}
	}
	for k := range out {
		s := &out[k]
		s.terms = termsOf(s.text)
		for j := i - 1; j >= 0 && e.units[j].line == u.line; j-- {
			s.back = append(s.back, e.units[j].terms...)
		}
		s.back = append(s.back, termsOf(e.before[u.hit])...)
		s.near = slices.Clone(s.back)
		for j := i; j < len(e.units) && e.units[j].line == u.line && j < i+2; j++ {
			s.near = append(s.near, e.units[j].terms...)
		}
	}
	return out
}

// touches reports whether a unit can have a clause that fits: parsing is what takes the time.
func (fr *frame) touches(u *unit) bool {
	verb := verbOf(fr.fact)
	return !wordless[cmp.Or(fr.fact.Slot, "DID")] || slices.ContainsFunc(fr.args, func(t string) bool { return akin(t, u.terms) }) ||
		fr.q.han && verb != "" && strings.Contains(u.text, string([]rune(verb)[:1])) || slices.ContainsFunc(words(u.text), func(w [2]int) bool { return alike(lemma(u.text[w[0]:w[1]]), verb) })
}

// lemma is the stem of a word as a verb.
func lemma(word string) string { return tokens.Stem(depparse.Verb(strings.ToLower(word), "VBD")) }

// shaped reads a clause by the place of the question's verb in it: what is before it is the subject, what is behind it the object. Without a verb the whole
// is what the speaker has or is.
func (fr *frame) shaped(part string) (s saying, ok bool) {
	verb := verbOf(fr.fact)
	s = saying{text: part, shape: true}
	s.Start, s.End = 0, len(part)
	if fr.q.han {
		at := -1
		if v := strings.TrimRight(fr.fact.Verb, "了过着"); v != "" {
			at = strings.Index(part, v)
		}
		if at < 0 {
			return s, light[fr.fact.Verb] || fr.fact.Verb == ""
		}
		s.Verb, s.Object = fr.fact.Verb, clause.Phrase{Text: strings.TrimLeft(part[at+len(fr.fact.Verb):], "了过着")}
		s.Negated = zhDenies.MatchString(part[:at])
		if zhPlans.MatchString(part[:at]) {
			s.Modality = clause.Plan
		}
		return s, true
	}
	for _, w := range words(part) {
		if !alike(lemma(part[w[0]:w[1]])+reParticle.FindString(part[w[1]:]), verb) {
			continue
		}
		form := strings.ToLower(part[w[0]:w[1]])
		if !slices.ContainsFunc(depparse.Parse(part), func(x depparse.Word) bool { return x.Start == w[0] && x.Tag[0] == 'V' }) && w[0] > 0 && depparse.Verb(form, "VBD") == form {
			continue // "the treatment plan"
		}
		s.Verb = fr.fact.Verb
		s.Negated = reDenies.MatchString(part[:w[0]])
		if depparse.Verb(form, "VBD") != form && !strings.HasSuffix(form, "s") && !strings.HasSuffix(form, "ing") {
			s.Tense = clause.Past
		}
		if rePlans.MatchString(part[:w[0]]) {
			s.Modality, s.Tense = clause.Plan, clause.Future
		}
		s.Object.Text = strings.TrimSpace(part[w[1]:])
		subject := reLeading.ReplaceAllString(reTrailing.ReplaceAllString(strings.TrimSpace(part[:w[0]]), ""), "")
		s.Subject = subjectOf(subject)
		return s, true
	}
	s.Object.Text = strings.TrimSpace(part)
	s.Subject.Kind = clause.Speaker
	return s, light[fr.fact.Verb] || fr.fact.Verb == ""
}

var (
	reParticle = pattern.New(`(?i)^ (?:up|out|off|down|back|away|over|along|apart|together|through|by|on)\b`)
	reLeading  = pattern.New(`(?i)^(?:(?:and|so|but|also|oh|ok|okay|yeah|yes|no|well|hey|haha|lol|omg|btw|now|then|today|yesterday|apparently|anyway),? )*`)
	rePlans    = pattern.New(`(?i)\b(?:going to|gonna|will|plan|hope|want|might|may|if|would|could|should|about to|need to)\b|['’]ll\b`)
	zhPlans    = pattern.New(`打算|准备|计划|想|要是|如果|可能|要$`)
	reTrailing = pattern.New(`(?i)(?: ?(?:['’](?:s|ve|m|re|d|ll)|am|is|are|was|were|has|have|had|been|being|just|finally|also|only|already|never|not|n['’]t|don['’]t|doesn['’]t|didn['’]t|did|does|do|to|going|gonna|will|can|could|would|always|usually|still|even|really|actually|got))+$`)
)

// subjectOf is how the words before a verb speak of who does it.
func subjectOf(words string) clause.Mention {
	m := clause.Mention{Phrase: clause.Phrase{Text: words}}
	fields := strings.Fields(words)
	if len(fields) == 0 {
		m.Kind = clause.Speaker
		return m
	}
	last := strings.ToLower(fields[len(fields)-1])
	switch {
	case last == "i" || last == "we":
		m.Kind = clause.Speaker
	case last == "you" || last == "u":
		m.Kind = clause.Addressee
	case last == "he" || last == "she" || last == "they":
		m.Kind = clause.Pronoun
	case clause.Relation(last) != "":
		m.Kind, m.Relation = clause.Relative, clause.Relation(last)
	case len(fields) < 3 && fields[len(fields)-1] != last:
		m.Kind = clause.Named
	}
	return m
}

// standsFor names whom a clause of a unit is about: a pronoun stands for the one who was named last before it, "you" for who spoke before.
func (e *evidence) standsFor(i int, f clause.Fact) string {
	u := &e.units[i]
	switch f.Subject.Kind {
	case clause.Addressee:
		return e.addressed[u.hit]
	case clause.Pronoun: // those who talk to each other are no "she" of each other
		for j := i - 1; j >= 0 && e.units[j].line == u.line; j-- {
			if who := lastNamed(e.units[j].text, u.speaker, e.addressed[u.hit]); who != "" {
				return who
			}
		}
		return lastNamed(e.before[u.hit], e.addressed[u.hit], u.speaker)
	}
	return person(f.Subject, u.speaker)
}

// lastNamed is the last person that a text of a speaker to another names: a third one with a name, or a relative.
func lastNamed(text, speaker, other string) (who string) {
	for _, w := range tokens.Split(text) {
		if r := clause.Relation(strings.ToLower(w.Text)); r != "" {
			who = speaker + "'s " + r
		}
	}
	for _, m := range reNames.FindAllStringIndex(text, -1) {
		name := text[m[0]:m[1]]
		name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
		if low := strings.ToLower(name); !tokens.Stop(low) && !depparse.Common(low) && len(low) > 1 && low != speaker && low != other && (other == "" || !strings.HasPrefix(other, low+" ")) {
			who = low
		}
	}
	return who
}

// fits is how well a clause says what a frame asks for, in [0,1]; 0 where it does not.
func (fr *frame) fits(s *saying) float64 {
	f := &s.Fact
	if f.Negated != fr.fact.Negated || s.former && !fr.q.was {
		return 0
	}
	third := fr.who != "" && !slices.ContainsFunc(fr.q.names, func(n string) bool { return strings.EqualFold(n, fr.who) })
	named := func(in []string) bool {
		owner, _, _ := strings.Cut(fr.who, "'s ")
		return len(termsOf(owner)) > 0 && share(termsOf(owner), in) == 1
	}
	switch {
	case fr.who == "" || s.who == fr.who:
	case s.who == "" && s.speaker == fr.who && f.Subject.Kind == clause.NoOne && wordless[cmp.Or(f.Slot, "HAS")] && (f.Verb == "" || !s.shape && (reMine.MatchString(s.text) || len(timex.Said(f.Subject.Text, s.day, true)) > 0)): // something of theirs
	case third && s.who == "" && (f.Subject.Kind == clause.Pronoun || f.Subject.Text == "") && named(s.near), third && s.who == "" && named(s.terms):
	case f.Subject.Kind == clause.NoOne && named(termsOf(f.Subject.Text)):
	default:
		return 0
	}
	if fr.anyone && len(fr.q.subjects) == 1 && s.speaker != fr.q.subjects[0] && !named(s.terms) && !mentions(strings.ToLower(s.text), fr.q.subjects[0]) {
		return 0
	}
	x, y := verbOf(fr.fact), verbOf(*f)
	same := alike(x, y) || fr.fact.Slot == f.Slot && !wordless[f.Slot] && f.Slot != ""
	if bare := light[fr.fact.Verb] || fr.fact.Verb == ""; !same && !(bare && (s.shape || akin(verbOf(*f), fr.args))) {
		return 0
	}
	have, all, inside := 0.0, 0.0, same && !light[fr.fact.Verb]
	points := fr.q.han && f.Object.Text == "" && !s.shape || reIt.MatchString(f.Object.Text) // what is meant was said before
	for _, t := range fr.args {
		all += fr.weight[t]
		switch {
		case akin(t, s.terms):
			have += fr.weight[t]
			inside = true
		case points && akin(t, s.back):
			have += .9 * fr.weight[t]
			inside = inside || same && !light[y]
		case akin(t, s.near):
			have += .6 * fr.weight[t]
		}
	}
	switch {
	case !inside:
		return 0
	case all == 0 && x != y && (fr.fact.Slot != f.Slot || wordless[f.Slot]): // nothing but the verb says what is meant
		return 0
	case all == 0:
		return .9
	}
	return have / all
}

// reMine is a thing of the speaker's as a subject.
var reMine = pattern.New(`(?i)^(?:my|our) |^我`)

// reIt is an object that stands for something said before.
var reIt = pattern.New(`(?i)^(?:\w+ )?(?:him|her|it|them|this|that|one)(?:[ ,.!?]*$| (?:up|off|back|from|at|in|on|to|for|and|with|out|home|last|yesterday|today)\b)|^[它他她]`)

// alike reports whether two verbs say nearly the same, whatever their particles.
func alike(x, y string) bool {
	if hasHan(x) && hasHan(y) {
		x, y = strings.TrimRight(x, "到去来回在好完掉给"), strings.TrimRight(y, "到去来回在好完掉给")
		return x != "" && x == y
	}
	x, with, _ := strings.Cut(x, " ")
	y, other, _ := strings.Cut(y, " ")
	if with != other && (with != "" && particular[x] || other != "" && particular[y]) { // "get away" is no getting
		return false
	}
	return x != "" && (x == y || slices.Contains(tokens.Kin(x), y) || slices.ContainsFunc(verbGroups, func(g []string) bool { return slices.Contains(g, x) && slices.Contains(g, y) }))
}

// particular verbs mean what their particles do.
var particular = set("get go take come make put set give turn look break run")

// verbGroups are verbs of nearly the same meaning, by their stems.
var verbGroups = func() (out [][]string) {
	for _, g := range strings.Split("get pick adopt buy receive arrive|begin start kick|end finish stop quit|leave go fly move|travel go fly|buy purchase|run finish|give hand pass|lose drop|visit go see|marry wed|die pass|meet see|live move stay|break split|say tell mention|pay cost|repair fix mend|have own keep", "|") {
		var stems []string
		for _, w := range strings.Fields(g) {
			stems = append(stems, tokens.Stem(w))
		}
		out = append(out, stems)
	}
	return out
}()

// akin reports whether a term is among others, in another form or with nearly the same meaning.
func akin(t string, terms []string) bool {
	return slices.Contains(terms, t) || slices.ContainsFunc(terms, func(x string) bool {
		return len(t) > 4 && len(x) > 4 && t[0] < 0x80 && t[:5] == x[:5]
	}) || slices.ContainsFunc(tokens.Kin(t), func(k string) bool { return slices.Contains(terms, k) })
}

// value is what fills the slot in a clause, "" if nothing does.
func (fr *frame) value(s *saying) string {
	q := fr.q
	text := s.words()
	switch q.kind {
	case when:
		if e, ok := fr.day(s); ok {
			return sayDays(q.han, e.Lo, e.Hi)
		}
	case long:
		for _, e := range timex.Find(text, 0) {
			if e.Kind == timex.Duration {
				return text[e.Pos:e.End]
			}
		}
	case number:
		one := scored{unit: &unit{text: text, terms: termsOf(text)}}
		if len(fr.noun) > 0 && share(fr.noun, one.terms) == 0 {
			return ""
		}
		return spanNumber(q, []scored{one})
	case who:
		if fr.anyone {
			return fr.name(s)
		}
		for _, m := range reNames.FindAllString(s.Object.Text, -1) {
			if !strings.Contains(q.text, m) && len(m) > 1 && !tokens.Stop(strings.ToLower(m)) {
				return m
			}
		}
	case where:
		if s.Place.Text != "" {
			return s.Place.Text
		}
		if strings.HasSuffix(s.Slot, "_IN") || strings.HasSuffix(s.Slot, "_AT") {
			return s.Value.Text
		}
		if m := rePlaced.FindStringIndex(s.Object.Text); m != nil && len(timex.Said(s.Object.Text[m[0]:], s.day, false)) == 0 {
			return s.Object.Text[m[0]:]
		}
	case what:
		if x, y := verbOf(fr.fact), verbOf(s.Fact); reporting[x] || x != y && !strings.HasPrefix(y, x+" ") {
			return ""
		}
		if len(fr.args) < 2 && len(fr.noun) > 0 && !slices.ContainsFunc(fr.noun, func(t string) bool { return akin(t, termsOf(s.Object.Text)) }) {
			return "" // not everything that one drives is a car
		}
		if s.shape || fr.fact.Verb == "do" || fr.fact.Verb == "be" && fr.fact.Object.Text == "" || len(termsOf(s.Object.Text)) == 0 || share(termsOf(s.Object.Text), q.terms) == 1 {
			return ""
		}
		return reGiven.ReplaceAllString(strings.TrimPrefix(s.Object.Text, fr.fact.Object.Text+" "), "")
	}
	return ""
}

// reporting verbs are of what was said or thought: their object is another clause.
var reporting = set("say tell think feel mention believe know mean suggest recommend want")

// reGiven is who got a thing, before it.
var reGiven = pattern.New(`(?i)^(?:me|us|him|her|them|you) `)

// words are those of a clause as they were said, with all of its sentence where they are scattered.
func (s *saying) words() string {
	if s.shape {
		return s.text
	}
	return s.unit.text
}

// day is when a clause says that something is or was, from its own words of time first; false where it names no day.
func (fr *frame) day(s *saying) (best timex.Expr, ok bool) {
	text := s.words()
	for _, e := range timex.Said(text, s.day, s.Tense != clause.Past) {
		if !s.dated || e.Kind != timex.Absolute || strings.Contains(fr.q.text, text[e.Pos:e.End]) {
			continue
		}
		if best, ok = e, true; strings.Contains(s.When.Text+s.Object.Text, text[e.Pos:e.End]) {
			return best, true
		}
	}
	return best, ok
}

// name is the subject of a clause as an answer shows it.
func (fr *frame) name(s *saying) string {
	show := func(who string) string {
		for _, n := range fr.q.names {
			if strings.EqualFold(n, who) {
				return n
			}
		}
		return who
	}
	switch s.Subject.Kind {
	case clause.Named:
		return s.Subject.Text
	case clause.Relative:
		if s.Subject.Owner == nil {
			_, rel, _ := strings.Cut(s.who, "'s ")
			return show(s.speaker) + fr.q.say("'s "+cmp.Or(rel, s.Subject.Text), "的"+s.Subject.Text)
		}
		return s.Subject.Text
	case clause.Speaker, clause.Pronoun, clause.Addressee:
		owner, rel, ok := strings.Cut(s.who, "'s ")
		if ok {
			return show(owner) + "'s " + rel
		}
		return show(s.who)
	}
	return ""
}

// Clauses is Rule for people who ask for one thing: it answers from the one clause that has the predicate of the question with what is asked for in it, of the one
// who is asked about, else it refuses. Unlike Cautious it may be shown many turns: how near they are to the question decides nothing.
func Clauses() Reader { return &rule{clauses: true} }

// filled answers a question from the clause that fills its slot, and names its hit; "" where none does for certain. late answers when something was that is
// announced without a day by the day of the announcement.
func filled(q question, ev *evidence, late bool) (string, int) {
	if !slices.ContainsFunc(q.names, func(n string) bool { return n != "user" && n != "assistant" }) || reBetween.MatchString(q.text) || reBefore.MatchString(q.text) {
		return "", 0 // what an assistant says is advice; two things
	}
	if q.kind == list && !q.han && !names(strings.ToLower(q.text)) { // "What is …"
		q.kind = what
	}
	if !slices.Contains([]kind{when, long, number, who, where, what}, q.kind) || len(q.subjects) > 1 || gathers(strings.ToLower(q.text)) || reElse.MatchString(q.text) {
		return "", 0
	}
	fr, ok := q.frame(ev)
	if !ok {
		return "", 0
	}
	type found struct {
		s     saying
		value string
		fit   float64
	}
	var all []found
	for i := range ev.units {
		if u := &ev.units[i]; u.hit == 0 || reCode.MatchString(u.text) || !fr.touches(u) {
			continue
		}
		for _, s := range ev.sayings(&fr, i) {
			if fit := fr.fits(&s); fit >= enough {
				v := fr.value(&s)
				if j := i + 1; v == "" && q.kind != when && j < len(ev.units) && ev.units[j].line == s.line && len(ev.units[j].terms) < 4 { // "Ran it today. 1:58!"
					next := saying{unit: &ev.units[j], text: ev.units[j].text, shape: true}
					v = fr.value(&next)
				}
				if first := i == 0 || ev.units[i-1].line != s.line; late && v == "" && first && q.was && s.dated && !s.shape && s.Tense == clause.Past && s.Modality == clause.Asserted && fit > .8 && len(fr.args) > 0 && len(s.unit.terms) < 5 {
					v = q.say("by ", "不晚于") + sayDay(q.han, s.day) // "Moved to Hove!"
				}
				if v != "" && share(termsOf(v), q.terms) < 1 && (q.kind != who || !slices.Contains(q.subjects, strings.ToLower(v))) {
					all = append(all, found{s, v, fit})
				}
			}
		}
	}
	if len(all) == 0 {
		return "", 0
	}
	best := slices.MaxFunc(all, func(a, b found) int {
		if math.Abs(a.fit-b.fit) > .15 {
			return cmp.Compare(a.fit, b.fit)
		}
		if !q.was || q.newest {
			return byDay(a.s.unit, b.s.unit)
		}
		return cmp.Or(cmp.Compare(a.fit, b.fit), -cmp.Compare(a.s.hit, b.s.hit))
	})
	return best.value + q.say(": ", "：") + best.s.unit.text, best.s.hit
}

// event is the sentence that tells of an event which a phrase names, "Ana passing her test", and its day: the one that the clause names, else that of speaking.
// who is the one whose event it is where the phrase names nobody.
func (e *evidence) event(q question, phrase, who string, not int) (timex.Day, int, bool) {
	if !q.han {
		if m := reGerund.FindStringIndex(phrase); m != nil {
			phrase = phrase[:m[0]] + "is " + phrase[m[0]:]
			if m[0] == 0 {
				phrase = cmp.Or(who, "Someone") + " " + phrase
			}
		}
	}
	c := understand(schemaQuestion(phrase), q.names)
	c.brief, c.han, c.names, c.kind, c.was = true, q.han, q.names, when, true
	fr := frame{q: c, weight: map[string]float64{}}
	fr.read(phrase, e)
	if fr.fact.Verb == "" && len(fr.args) == 0 {
		return 0, -1, false
	}
	best, at, day, dated := 0.0, -1, timex.Day(0), false
	for i := range e.units {
		u := &e.units[i]
		if u.hit == 0 || !u.dated || i == not || !fr.touches(u) {
			continue
		}
		for _, s := range e.sayings(&fr, i) {
			fit := fr.fits(&s)
			d, ok := fr.day(&s)
			if fit < enough || !ok && (s.Modality == clause.Plan || s.Tense != clause.Past) || fit < best+.05 && (dated || !ok) {
				continue
			}
			if best, at, day, dated = fit, i, u.day, ok; ok {
				day = d.Lo
			}
		}
	}
	return day, at, at >= 0
}

var reGerund = pattern.New(`\b[a-z]+ing\b`)

// reElse asks for all others.
var reElse = pattern.New(`(?i)\b(?:else|all|both)\b|还有`)

// enough is the least share of the things that a question names, rare ones counting more, in a clause that answers it or around it.
const enough = .6
