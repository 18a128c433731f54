package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
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
	owner := s.ownerOf(subj)
	name := whose.ReplaceAllString(f.Subject.Text, "")
	if _, rest, ok := strings.Cut(name, "'s "); ok && owner.Kind != NoOne {
		name = rest
	}
	slot, pet := things[strings.TrimSuffix(s.low(subj), "s")], Animal(name) != ""
	f.Slot, f.Value = "HAS", f.Object
	switch {
	case s.kid(i, "expl") >= 0:
		f.Value.Text = s.phrase(s.begin(subj), s.clauseEnd(i, v.end)).Text
		at := inMine.FindStringSubmatch(f.Value.Text)
		if at == nil || things[strings.ToLower(at[1])] == "-" || !strings.HasPrefix(s.ws[subj].Tag, "NN") {
			return f, false
		}
	case owner.Kind == NoOne || slot != "" && slot != "HAS_CONDITION" && (slot == "-" || !v.cop):
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
			f.note("comment on a thing") // "my hair is fried"
		}
	}
	if pet {
		f.Slot = "HAS_PET"
	}
	if s.kid(i, "expl") >= 0 {
		owner = Mention{Kind: Speaker}
	}
	if owner.Kind != Speaker && f.Slot == "HAS" {
		return f, false
	}
	owner.Phrase = f.Subject.Phrase
	f.Subject = owner
	return f, f.worth()
}

// ownerOf is the person whose the thing of word i is; NoOne if it is nobody's, or of several.
func (s *enSentence) ownerOf(i int) Mention { return s.possessor(s.kid(i, "nmod:poss")) }

// possessor is the person that the possessive at word p means; p may be -1.
func (s *enSentence) possessor(p int) Mention {
	switch {
	case p < 0 || s.low(p) == "their":
		return Mention{}
	case owns[s.low(p)]:
		return Mention{Kind: Speaker}
	case s.low(p) == "your" || s.low(p) == "ur":
		return Mention{Kind: Addressee}
	}
	return s.mention(p)
}

var (
	// inMine is a place of the speaker's.
	inMine = pattern.New(`(?i)\b(?:in|at|on|above|below|near|behind|under|outside|opposite|beside) (?:my|our) (\w+)`)
	// shortIs and shortHas are 's before what follows it.
	shortIs  = pattern.New(`^['’]s `)
	shortHas = pattern.New(`^['’]s (been|got|had|gone) `)
	// tells says of what kind, how much, where or what with something is.
	tells = pattern.New(`(?i)\b(?:an?|two|three|four|five|six|seven|eight|nine|ten|\d+|in|at|on|above|below|near|behind|under|with|no) `)
)

// presupposed lists the relatives and pets that a sentence mentions with their owners: that there is one, it says in passing. "Told my brother Ned about his cat".
func (s *enSentence) presupposed() (out []Fact) {
	for i, w := range s.ws {
		r, pet := Relation(s.low(i)), animals[s.low(i)]
		p := s.kid(i, "nmod:poss")
		if p < 0 && s.nameBehind(i) { // the name is the head
			p = s.kid(i+1, "nmod:poss")
		}
		if r == "" && pet == "" || p < 0 || p > i || !strings.HasPrefix(w.Tag, "N") || w.Rel == "compound" && !s.nameBehind(i) {
			continue
		}
		from := p + 1
		if strings.HasPrefix(s.low(from), "'") || strings.HasPrefix(s.low(from), "’") {
			from++
		}
		owner, name := s.possessor(p), ""
		if s.nameBehind(i) {
			end := i + 2
			for ; end < len(s.ws) && end < i+4 && s.nameBehind(end-1); end++ {
			}
			name = s.phrase(i+1, end).Text
		} else if w.End == s.name[0] {
			name = strings.TrimSpace(s.raw[s.name[0]:s.name[1]])
		}
		f := Fact{Subject: owner, Verb: "have", Slot: "HAS_RELATIVE", Value: s.phrase(from, i+1), traits: []string{"presupposed"}}
		switch {
		case gone.MatchString(s.text), owner.Kind == NoOne || owner.Plural && owner.Kind != Speaker || f.Value.Text == "", bygone.MatchString(f.Value.Text) && (r != "" || !strings.HasPrefix(f.Value.Text, "old ")),
			r != "" && name == "" && !kin[r] && (common[r] || owner.Kind != Speaker || plural(w.Tag, s.low(i))), owner.Kind == Addressee && slices.ContainsFunc(s.ws[:i], func(w depparse.Word) bool { return strings.EqualFold(w.Form, "if") }), r == "" && (pet == "fish" || pet == "chicken"):
			continue
		case name == "":
		case r == "":
			f.Value.Text += " called " + name
		default:
			f.Value.Text += " " + name
		}
		if r == "" {
			f.Slot = "HAS_PET"
		}
		out = append(out, f)
	}
	return out
}

// nameBehind reports whether the word behind i is the name of whom, or what, word i says the kind of: "my brother Ned".
func (s *enSentence) nameBehind(i int) bool {
	return i+1 < len(s.ws) && s.ws[i+1].Start == s.ws[i].End+1 && s.ws[i+1].Form[0] >= 'A' && s.ws[i+1].Form[0] <= 'Z' && s.personName(s.ws[i+1].Form, i+1)
}

// kin are the relations that are said of somebody for good: family and those who live together.
var kin = set("sister brother sibling wife husband spouse partner fiance girlfriend boyfriend son daughter child aunt uncle cousin nephew niece mother-in-law father-in-law roommate sister-in-law brother-in-law grandson granddaughter grandchild")

// Presupposes is what a Chinese statement on a relative of the speaker's says besides, that there is one: 我弟超爱露营. Of an English one Read says it; see Options.Presupposed.
func (f *Fact) Presupposes() (Fact, bool) {
	name := strings.TrimPrefix(f.Subject.Text, "我")
	g := Fact{Subject: Mention{Kind: Speaker}, Verb: "have", Slot: "HAS_RELATIVE", Confidence: f.Confidence, Tier: f.Tier, Start: f.Start, End: f.End, Value: Phrase{Text: name}}
	return g, f.Subject.Kind == Relative && f.Subject.Owner == nil && isHanWord(name) && (!common[f.Subject.Relation] || proper(name)) && !bygone.MatchString(name)
}

// common are relations that everyone has: that there is one is worth a claim only with a name.
var common = set("mother father parent family grandmother grandfather friend colleague")

// gone is the death of somebody: that there was such a relative is no more so.
var gone = pattern.New(`(?i)\b(?:died|passed(?: away| on)?|funeral|deceased|widow(?:ed|er)?)\b`)

// bygone says that somebody is a relative no longer, or not yet.
var bygone = pattern.New(`(?i)\b(?:late|ex|former|old|future|next|first|last|own)\b|^前|已故`)
