package clause

import (
	"slices"
	"strings"

	"membench/internal/depparse"
	"membench/internal/timex"
)

// mention is how word i, with what hangs on it, speaks of a person; its Kind is NoOne
// where it speaks of none, or of people in general.
func (s *enSentence) mention(i int) Mention {
	w := s.ws[i]
	low := strings.ReplaceAll(s.low(i), "’", "'")
	m := Mention{Phrase: s.span(i, i+1)}
	switch low {
	case "i", "me", "myself", "mine":
		m.Kind = Speaker
		return m
	case "we", "us", "ourselves":
		m.Kind, m.Plural = Speaker, true
		return m
	case "you", "u", "yourself", "ya":
		m.Kind = Addressee
		return m
	case "he", "him", "himself", "his":
		m.Kind, m.Gender = Pronoun, Male
		return m
	case "she", "her", "herself":
		m.Kind, m.Gender = Pronoun, Female
		return m
	case "they", "them", "themselves":
		m.Kind, m.Plural = Pronoun, true
		return m
	}
	if p := s.kid(i, "nmod:poss"); p >= 0 && Relation(low) != "" {
		return s.relative(i, p)
	}
	if k := i - 1; Relation(s.low(k)) != "" && s.ws[k].Head == i { // "my cousin Fran's got a room"
		if p := max(s.kid(i, "nmod:poss"), s.kid(k, "nmod:poss")); p >= 0 {
			if m := s.relative(k, p); m.Kind != NoOne {
				m.Phrase = s.span(min(p, k), i+1)
				return m
			}
		}
	}
	if p := s.kid(i, "nmod:poss"); p == i-1 && owns[s.low(p)] && w.Form[0] >= 'A' && w.Form[0] <= 'Z' && s.personName(w.Form, i) { // "our Becky"
		m.Kind, m.Known = Named, true
		return m
	}
	switch {
	case w.Tag == "NNP" || w.Tag == "NNPS":
		from, to := i, i+1
		for from > 0 && s.ws[from-1].Tag == "NNP" && (s.ws[from-1].Head == i || s.ws[from-1].Rel == "flat") {
			from--
		}
		for to < len(s.ws) && s.ws[to].Tag == "NNP" && (s.ws[to].Rel == "flat" || s.ws[to].Rel == "compound") {
			to++
		}
		m.Phrase = s.span(from, to)
		if r := Relation(low); r != "" { // "Mom called"
			m.Kind, m.Relation, m.Gender = Relative, r, relationGender(r)
			return m
		}
		if m.Known = s.takesPart(m.Text); !m.Known && !s.personName(m.Text, from) {
			return Mention{}
		}
		m.Kind = Named
	case Relation(low) != "" && strings.HasPrefix(w.Tag, "NN"):
		r := Relation(low)
		m.Relation, m.Gender, m.Plural = r, relationGender(r), plural(w.Tag, low)
		m.Kind = Described
		if family[r] && s.kid(i, "det") < 0 {
			m.Kind = Relative // "mom said", without a possessive
		}
		if d := s.kid(i, "det"); d >= 0 && s.low(d) != "the" && s.low(d) != "a" && s.low(d) != "an" && s.low(d) != "one" {
			return Mention{}
		}
		m.Phrase = s.span(s.begin(i), i+1)
	default:
		return Mention{}
	}
	return m
}

// owns are the speaker's possessives.
var owns = set("my our")

// relative is a relation with its owner: "my sister", "Anna's boss", "his wife Mary".
func (s *enSentence) relative(i, p int) Mention {
	r := Relation(s.low(i))
	m := Mention{Kind: Relative, Relation: r, Gender: relationGender(r), Plural: plural(s.ws[i].Tag, s.low(i)), Phrase: s.span(min(s.begin(i), p), i+1)}
	if s.nameBehind(i) {
		m.Phrase = s.span(min(s.begin(i), p), i+2)
	}
	if s.name[0] > 0 && s.ws[i].End == s.name[0] {
		m.Phrase = Phrase{Text: s.raw[m.Start-s.start : s.name[1]], Start: m.Start, End: s.start + s.name[1]}
	}
	switch s.low(p) {
	case "my", "our", "ma":
	case "your", "ur":
		m.Owner = &Mention{Kind: Addressee, Phrase: s.span(p, p+1)}
	case "his", "her", "their":
		m.Owner = &Mention{Kind: Pronoun, Phrase: s.span(p, p+1), Plural: s.low(p) == "their", Gender: map[string]Gender{"his": Male, "her": Female}[s.low(p)]}
	case "its", "whose":
		return Mention{}
	default:
		o := s.mention(p)
		if o.Kind == NoOne {
			return Mention{}
		}
		m.Owner = &o
	}
	return m
}

// takesPart reports whether a name, or first name, is that of someone in the talk.
func (s *enSentence) takesPart(name string) bool {
	return slices.ContainsFunc(s.names, func(n string) bool {
		return strings.EqualFold(n, name) || strings.EqualFold(strings.Fields(n + " x")[0], name)
	})
}

// personName reports whether capital words may be a person's name: one to three words
// that are nothing else that is written with a capital.
func (s *enSentence) personName(name string, at int) bool {
	fs := strings.Fields(name)
	if len(fs) > 3 {
		return false
	}
	for _, f := range fs {
		low := strings.ToLower(f)
		if _, day := timex.WeekdayOf(low); day || len(fs) == 1 && depparse.Common(low) || months[low] || notNames[low] || len(f) < 2 || strings.ToUpper(f) == f || f[0] < 'A' || f[0] > 'Z' || strings.ContainsAny(f, "0123456789-_/") {
			return false
		}
	}
	if at > 0 {
		if d := s.low(at - 1); d == "the" || d == "a" || d == "an" || d == "this" {
			return false
		}
	}
	return true
}

func plural(tag, low string) bool {
	return tag == "NNS" || tag == "NNPS" || slices.Contains([]string{"family", "people", "folks", "team", "children", "parents", "kids"}, low)
}

// Covers reports whether one who is called said may be whom a word asks for: a sister is a sibling, and no brother. Words that are no relations are not compared.
func Covers(asked, said string) bool {
	a, s := Relation(asked), Relation(said)
	return a == "" || s == "" || a == s || relationGender(a) == Unknown
}

// Relation is the key of a word of relation, the same for "mom", "mothers" and 妈妈, in
// lower case; "" if it is none.
func Relation(low string) string {
	if r, ok := relations[low]; ok {
		return r
	}
	if r, ok := zhRelations[low]; ok {
		return r
	}
	if s, ok := strings.CutSuffix(low, "s"); ok {
		return relations[s]
	}
	return ""
}

func relationGender(r string) Gender {
	switch r {
	case "mother", "sister", "wife", "girlfriend", "daughter", "grandmother", "aunt", "niece", "mother-in-law", "sister-in-law":
		return Female
	case "father", "brother", "husband", "boyfriend", "son", "grandfather", "uncle", "nephew", "father-in-law", "brother-in-law":
		return Male
	}
	return Unknown
}
