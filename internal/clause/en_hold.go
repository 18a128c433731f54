package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/pattern"
	"membench/internal/timex"
)

// hold is the tense of a clause and how the text holds it.
func (s *enSentence) hold(i, subj, governor int, v verbGroup, f *Fact) (Tense, Modality) {
	tense, perfect, modal := s.tense(v)
	f.perfect = perfect
	if perfect && tense == Past && s.goesOn(i, v, f) {
		tense = Present
	}
	f.Formerly = slices.ContainsFunc(v.aux, func(a int) bool { return s.low(a) == "used" }) || f.Negated && s.noMore(s.clauseEnd(i, v.end))
	mod := Asserted
	switch {
	case s.asks || s.asked(i, subj, v) || governor != i && s.asked(governor, subj, s.verbGroup(governor, subj, false)):
		return tense, Question
	case subj < 0 && (s.ws[i].Tag == "VB" || s.ws[i].Tag == "VBP") && !attitude[f.Verb], s.bids(subj, v, f):
		return tense, Imperative
	case s.under(i):
		mod = Condition
	}
	if mod == Asserted {
		mod = s.embedding(i)
	}
	if mod != Asserted {
		return tense, mod
	}
	switch modal {
	case "will", "'ll", "shall":
		if s.hasIf(i) {
			return Future, Condition
		}
		return Future, Plan
	case "going to":
		if tense == Past { // "I was going to move": what was meant then, not what came of it
			return tense, Condition
		}
		return Future, Plan
	case "would", "could", "might", "may", "should", "must", "'d":
		if f.Verb == "like" || f.Verb == "love" || f.Verb == "prefer" {
			return Present, Wish
		}
		had := modal == "'d" && (s.ws[v.head].Tag == "VBN" || s.ws[v.head].Tag == "VBD") && !slices.ContainsFunc(v.aux, func(a int) bool { return s.low(a) == "have" }) // "he'd left"; "I'd have left" is would
		if modal == "could" && f.Negated || had {
			return Past, Asserted
		}
		return tense, Condition
	case "can":
		f.able = true
	}
	if s.hasIf(i) && tense != Past && !perfect {
		return tense, Condition
	}
	if f.Negated && f.Verb == "go" && s.ws[v.head].Tag == "VBG" && tense == Present && f.Place.Text != "" { // "I'm not going to Bern"
		return Future, Plan
	}
	if going := s.ws[v.head].Tag == "VBG"; (going || beginning[f.Verb] || scheduled[f.Verb]) && tense == Present && !perfect && (f.When.Text != "" && (ahead(f.Time) || (going || scheduled[f.Verb]) && dated(f.Time)) || ofMonth.MatchString(f.Object.Text) || going && ofMonth.MatchString(f.When.Text)) {
		if f.Time.Kind == timex.Deictic && f.Time.Op == timex.Plain {
			f.Time.Op = timex.Ahead
		}
		return Future, Plan // "I'm flying to Rome next week", "I start on the 8th"
	}
	if tag := s.ws[v.head].Tag; (tag == "VBZ" || tag == "VBP") && tense == Present && len(v.aux) == 0 && !v.cop && verbSlots[f.Verb] == "" && !passing[f.Verb] && (f.Time.Kind == timex.Deictic && ahead(f.Time) && f.When.Text != "" || onDay.MatchString(f.When.Text+f.Object.Text)) { // "she lands on Saturday"
		return Future, Plan
	}
	if s.ws[v.head].Tag == "VBG" && tense == Present && !perfect && turning[f.Verb] && !habitual(f.When.Text) && s.kid(i, "xcomp") < 0 { // what takes no time does not go on: "I'm leaving the clinic"
		return Future, Plan
	}
	if f.becomes && s.ws[v.head].Tag == "VBG" && tense == Present && !perfect { // "he's getting married"
		return Future, Plan
	}
	if f.Verb == "think" && s.ws[v.head].Tag == "VBG" && tense == Present && !perfect && considers.MatchString(f.Object.Text) {
		return Future, Plan
	}
	if plans[f.Verb] && tense != Past {
		return Future, Plan
	}
	return tense, Asserted
}

// bids reports whether what looks like the subject is who is told to do something: one person's verb would have an -s, "Grandad don't send that to anyone".
func (s *enSentence) bids(subj int, v verbGroup, f *Fact) bool {
	if f.Subject.Kind != Named && f.Subject.Kind != Relative || f.Subject.Plural || f.beside.Kind != NoOne || v.cop || subj < 0 || slices.ContainsFunc(s.kids[subj], func(k int) bool {
		return s.ws[k].Rel == "conj" || s.ws[k].Rel == "nmod:poss" && s.low(k) != "my" && s.low(k) != "our"
	}) {
		return false
	}
	if len(v.aux) == 1 {
		return s.low(v.aux[0]) == "do"
	}
	return len(v.aux) == 0 && (s.ws[v.head].Tag == "VB" || s.ws[v.head].Tag == "VBP") && v.head == subj+1 && !samePast[s.low(v.head)] && depparse.Verb(s.low(v.head), "VBP") == s.low(v.head)
}

// goesOn reports whether a perfect says that something is still so: "I've had a bad back since the accident", "I've lived here for ten years".
func (s *enSentence) goesOn(i int, v verbGroup, f *Fact) bool {
	if slices.ContainsFunc(v.aux, func(a int) bool { return s.low(a) == "had" }) {
		return false
	}
	clause := s.text[s.ws[s.begin(i)].Start:s.ws[max(s.clauseEnd(i, v.end), v.end)-1].End]
	words := set(strings.ToLower(clause))
	return words["for"] && f.Time.Kind == timex.Duration || v.cop && s.ws[i].Tag == "JJ" || (v.cop || s.low(v.head) == "been" || lasting[f.Verb]) && (words["since"] || s.hasAdverb(i, "always") || allLife.MatchString(clause))
}

// lasting are verbs of what is so for a time.
var lasting = set("have own live work know keep love like hate want need study feel")

// allLife is the time from birth until now.
var allLife = pattern.New(`(?i)(?:^|,? )(?:(?:for )?(?:all|most)(?: of)? (?:my|our|his|her|their)|(?:my|our|his|her|their) (?:whole|entire)) li(?:fe|ves)\b`)

// scheduled are verbs of what has its day: without a subject they are no requests if a day is named, "start on the wards monday".
var scheduled = set("start begin finish fly leave move arrive land graduate retire")

// turning are verbs of coming and going, and of what begins or ends at once.
var turning = phrases("leave,come,come over,come round,come back,go back,move,move out,move in,move back,start,begin,quit,join,return,arrive,retire,graduate,marry,adopt,fly,fly out,fly back,head,close,open,resign")

// ahead reports whether an expression names days after the day of speaking.
func ahead(e timex.Expr) bool {
	return e.Kind == timex.Deictic && (e.Op == timex.Ahead || e.Op == timex.Plain && e.Unit == timex.Weekday)
}

// dated reports whether an expression is a date without its year: of what goes on, one to come.
func dated(e timex.Expr) bool { return e.Kind == timex.Absolute && e.Yearless && e.Op == timex.Plain }

var (
	// ofMonth is a day of the month that is not named.
	ofMonth = pattern.New(`(?i)\bthe \d{1,2}(?:st|nd|rd|th)\b`)
	onDay   = pattern.New(`(?i)\bon (?:the \d{1,2}(?:st|nd|rd|th)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`)
	// considers is what is thought of doing, or of a time to come.
	considers = pattern.New(`^(?:of|about) (?:\w+ing\b|.* for\b)`)
)

// tense reads the forms of a verb group.
func (s *enSentence) tense(v verbGroup) (t Tense, perfect bool, modal string) {
	tag := s.ws[v.head].Tag
	t = Present
	if tag == "VBD" || !v.passive && tag == "VBN" && len(v.aux) == 0 || oneForm[v.lemma] && tag != "VBZ" && tag != "VBG" && len(v.aux) == 0 {
		t = Past
	}
	if v.lemma == "have" && s.low(v.head) == "got" {
		return Present, false, ""
	}
	for _, a := range v.aux {
		low := strings.ReplaceAll(s.low(a), "’", "'")
		switch {
		case s.ws[a].Tag == "MD" || low == "'ll" || low == "ll":
			modal = low
			if low == "wo" {
				modal = "will"
			}
			if low == "ca" {
				modal = "can"
			}
		case low == "going" || low == "gon":
			modal = "going to"
		case low == "used" || low == "did" || low == "was" || low == "were" || low == "got" || low == "had" || low == "been" && tag != "VBG":
			t, perfect = Past, low == "had"
		case low == "have" || low == "has" || low == "'ve" || low == "ve" || low == "'s" && tag == "VBN" && !v.passive:
			perfect = true
			if tag != "VBG" {
				t = Past
			}
		case low == "'d" && tag == "VBN":
			t, perfect = Past, true
		case low == "'d":
			modal = "'d"
		}
	}
	return t, perfect, modal
}

// asked reports whether the clause is a question: its auxiliary is before its
// subject, it opens with a question word, or nothing else in a question is asked.
func (s *enSentence) asked(i, subj int, v verbGroup) bool {
	if s.ws[i].Rel == "acl:relcl" || s.ws[i].Rel == "ccomp" || s.ws[i].Rel == "advcl" || s.ws[i].Rel == "acl" {
		if h := s.ws[i].Head; h >= 0 && h < i && s.question && (s.ws[i].Rel == "ccomp" || s.ws[i].Rel == "acl:relcl") {
			return s.asked(h, s.kid(h, "nsubj", "nsubj:pass"), verbGroup{head: h})
		}
		return false
	}
	if subj >= 0 {
		for _, k := range s.kids[i] {
			if (strings.HasPrefix(s.ws[k].Rel, "aux") || s.ws[k].Rel == "cop") && k < subj && s.kid(i, "nsubj", "nsubj:pass") >= 0 {
				return true
			}
		}
	}
	if !s.question || slices.ContainsFunc(v.aux, func(a int) bool { return s.low(a) == "used" && a > subj && subj == 0 }) { // "you used to cook??" reminds of it
		return false
	}
	for _, k := range s.kids[i] {
		if t := s.ws[k].Tag; (t == "WRB" || t == "WP" || t == "WDT") && k < i {
			return true
		}
	}
	if subj >= 0 && (s.ws[subj].Tag == "WP" || s.ws[subj].Tag == "WDT") {
		return true
	}
	// A statement that a question follows ("I got the job, can you help?", "…, want to come?") is none.
	for k := range s.ws {
		if k > i && (s.inverted(k) || s.elliptic(k)) {
			return false
		}
	}
	return s.ws[i].Rel == "root" || !s.later(i)
}

// elliptic reports whether word k is a verb behind a comma that leaves out "do you".
func (s *enSentence) elliptic(k int) bool {
	t := s.ws[k].Tag
	return (t == "VB" || t == "VBP") && s.ws[k-1].Form == "," && s.kid(k, "nsubj", "nsubj:pass") < 0
}

// inverted reports whether word k has an auxiliary before its subject, or a question word.
func (s *enSentence) inverted(k int) bool {
	sb := s.kid(k, "nsubj", "nsubj:pass")
	for _, a := range s.kids[k] {
		if sb >= 0 && a < sb && (strings.HasPrefix(s.ws[a].Rel, "aux") || s.ws[a].Rel == "cop") {
			return true
		}
		if t := s.ws[a].Tag; (t == "WRB" || t == "WP") && a < k && s.ws[k].Rel != "acl:relcl" {
			return true
		}
	}
	return false
}

func (s *enSentence) later(i int) bool {
	for k := i + 1; k < len(s.ws); k++ {
		if s.ws[k].Rel == "root" || s.ws[k].Rel == "parataxis" {
			return true
		}
	}
	return false
}

// under reports whether the clause is a condition itself: "if I go".
func (s *enSentence) under(i int) bool {
	for n := 0; n < 6 && i >= 0; n++ {
		for _, k := range s.kids[i] {
			if s.ws[k].Rel == "mark" || s.ws[k].Rel == "advmod" && k < i {
				switch s.low(k) {
				case "if", "unless", "whether", "in case":
					return true
				}
			}
		}
		if r := s.ws[i].Rel; r != "conj" && r != "ccomp" && r != "xcomp" {
			return false
		}
		i = s.ws[i].Head
	}
	return false
}

// hasIf reports whether a condition hangs on the clause.
func (s *enSentence) hasIf(i int) bool {
	return slices.ContainsFunc(s.kids[i], func(k int) bool {
		return s.ws[k].Rel == "advcl" && slices.ContainsFunc(s.kids[k], func(m int) bool { return s.ws[m].Rel == "mark" && (s.low(m) == "if" || s.low(m) == "unless") })
	})
}

// embedding is how the clause above holds this one: what someone else says is hearsay,
// what is hoped a wish, what is imagined or doubted a condition.
func (s *enSentence) embedding(i int) Modality {
	if s.hasAdverb(i, "apparently", "supposedly", "allegedly", "reportedly") {
		return Hearsay
	}
	if s.hasAdverb(i, "maybe", "perhaps", "probably", "possibly", "hopefully", "nearly", "almost") { // it may be, or it did not come to it
		return Condition
	}
	for n := 0; n < 4 && s.ws[i].Rel == "conj"; n++ {
		i = s.ws[i].Head
	}
	if s.quotes(i) {
		return Hearsay
	}
	if s.likened(i) {
		return Condition
	}
	h, rel := s.ws[i].Head, s.ws[i].Rel
	if rel == "acl:relcl" && h >= 0 && isVerb(s.ws[h]) { // "People think I live in Siena"
		rel = "ccomp"
	}
	if rel != "ccomp" && rel != "xcomp" || h < 0 {
		return Asserted
	}
	verb := depparse.Verb(s.ws[h].Form, s.ws[h].Tag)
	if rel == "xcomp" && (plans[verb] || attitude[verb] || verb == "try" || verb == "go") {
		return Plan
	}
	subj := s.kid(h, "nsubj")
	self := subj < 0 || s.low(subj) == "i"
	switch verb {
	case "hope", "wish", "want":
		return Wish
	case "imagine", "suppose", "doubt", "wonder", "pretend", "dream", "mean":
		return Condition
	case "think", "guess", "believe", "feel", "bet", "assume":
		if self {
			return Asserted
		}
		return Hearsay
	case "hear":
		return Hearsay
	}
	if telling[verb] && !self {
		return Hearsay
	}
	return Asserted
}

// likened reports whether a clause is only compared with: "I feel like I'm 40".
func (s *enSentence) likened(i int) bool {
	return slices.ContainsFunc(s.kids[i], func(k int) bool {
		return k > 0 && k < i && (s.low(k) == "like" && isVerb(s.ws[k-1]) && s.ws[k-1].Rel != "cop" || (s.low(k) == "if" || s.low(k) == "though") && s.low(k-1) == "as")
	})
}

// quotes reports whether a colon after the words of somebody else is before word i: "Ben wrote: I live in Oslo".
func (s *enSentence) quotes(i int) bool {
	for k := i - 1; k > 0; k-- {
		if s.ws[k].Form != ":" {
			continue
		}
		for v := range k {
			if subj := s.kid(v, "nsubj"); telling[depparse.Verb(s.ws[v].Form, s.ws[v].Tag)] && subj >= 0 && s.low(subj) != "i" {
				return true
			}
		}
	}
	return false
}

// telling are verbs of saying.
var telling = set("say tell claim mention swear insist write text post reply answer ask announce message email")

func (s *enSentence) hasAdverb(i int, words ...string) bool {
	return slices.ContainsFunc(s.kids[i], func(k int) bool { return slices.Contains(words, s.low(k)) })
}
