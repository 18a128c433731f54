package clause

import (
	"strings"

	"membench/internal/pattern"
)

// Much of what people say of themselves is said of what is theirs: "my commute takes an hour", "our house has a leaky roof", "there's a piano in my kitchen".

// things are nouns of what somebody has, by the slot that a statement on it fills; "-" where it says nothing that lasts: "my weekend is busy". Of other nouns
// it says what the person has.
var things = table("things.txt")

// thing makes what a clause says of a thing of the speaker's a statement about the speaker, if it holds now and ends nothing.
func (s *enSentence) thing(i, subj int, v verbGroup, f Fact) (Fact, bool) {
	own := s.ws[i].Rel == "root" || s.ws[i].Rel == "conj" || s.ws[i].Rel == "parataxis"
	if !own || f.Tense != Present || f.Modality != Asserted || f.Negated || f.able || f.Verb == "" || f.Object.Text == "" || f.Verb == "feel" || s.ended != nil && len(f.ending(s.ended, s.text)) > 0 {
		return f, false
	}
	name := whose.ReplaceAllString(f.Subject.Text, "")
	slot, pet := things[strings.TrimSuffix(s.low(subj), "s")], Animal(name) != ""
	f.Slot, f.Value = "HAS", f.Object
	switch {
	case s.kid(i, "expl") >= 0:
		f.Value.Text = s.phrase(s.begin(subj), s.clauseEnd(i, v.end)).Text
		at := inMine.FindStringSubmatch(f.Value.Text)
		if at == nil || things[strings.ToLower(at[1])] == "-" || !strings.HasPrefix(s.ws[subj].Tag, "NN") {
			return f, false
		}
	case !mine.MatchString(f.Subject.Text) || slot != "" && slot != "HAS_CONDITION" && (slot == "-" || !v.cop):
		return f, false
	case pet:
		f.Value.Text = name
	case slot != "" && slot != "HAS_CONDITION": // "my name is Jo", "my goal is to run"
		f.Slot, f.Value.Text = slot, strings.TrimPrefix(f.Object.Text, "to ")
	default:
		verb := s.raw[s.ws[min(v.head, append(v.aux, v.head)[0])].Start:s.ws[max(v.head, s.clauseEnd(i, v.end)-1)].End]
		f.Value.Text = name + " that " + shortIs.ReplaceAllString(shortHas.ReplaceAllString(verb, "has $1 "), "is ")
		if slot != "" {
			f.Slot = slot
		} else if !tells.MatchString(f.Value.Text[len(name):]) {
			f.Confidence -= .1 // "my hair is fried" comments on it
		}
	}
	if pet {
		f.Slot = "HAS_PET"
	}
	f.Subject = Mention{Kind: Speaker, Phrase: f.Subject.Phrase}
	return f, f.worth()
}

var (
	// mine is a thing of the speaker's, inMine a place that is.
	mine   = pattern.New(`(?i)^(?:my|our) `)
	inMine = pattern.New(`(?i)\b(?:in|at|on|above|below|near|behind|under|outside|opposite|beside) (?:my|our) (\w+)`)
	// shortIs and shortHas are 's before what follows it.
	shortIs  = pattern.New(`^['’]s `)
	shortHas = pattern.New(`^['’]s (been|got|had|gone) `)
	// tells says of what kind, how much, where or what with something is.
	tells = pattern.New(`(?i)\b(?:an?|two|three|four|five|six|seven|eight|nine|ten|\d+|in|at|on|above|below|near|behind|under|with|no) `)
)

// Presupposes is what a statement on a relative of the speaker's says besides, that there is one: "My sister Bea is having twins", 我弟超爱露营. Not of who is
// one no longer.
func (f *Fact) Presupposes() (Fact, bool) {
	name := whose.ReplaceAllString(f.Subject.Text, "")
	name = strings.TrimPrefix(name, "我")
	g := Fact{Subject: Mention{Kind: Speaker}, Verb: "have", Slot: "HAS_RELATIVE", Confidence: f.Confidence, Start: f.Start, End: f.End, Tier: f.Tier, Value: Phrase{Text: name}}
	return g, f.Subject.Kind == Relative && f.Subject.Owner == nil && (name != f.Subject.Text || isHanWord(name)) && (!common[f.Subject.Relation] || proper(name)) && !bygone.MatchString(name)
}

// common are relations that everyone has: that there is one is worth a claim only with a name.
var common = set("mother father parent family grandmother grandfather friend colleague")

// bygone says that somebody is a relative no longer, or not yet.
var bygone = pattern.New(`(?i)\b(?:late|ex|former|old|future|next|first|last)\b|^前|已故`)
