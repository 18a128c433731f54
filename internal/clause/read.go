package clause

import (
	"strings"
	"unicode"

	"membench/internal/depparse"
	"membench/internal/openie"
	"membench/internal/textnorm"
)

// longSentence is the length in bytes above which a sentence is a log, a list or a
// blob, and nobody's clause.
const longSentence = 4 << 10

// Read lists the facts of a text in its order, of every modality; see Fact.Modality.
// Clauses that are no person's, and such as say nothing worth keeping (courtesies,
// hedges, talk about the talk), are left out.
func Read(text string, o Options) []Fact {
	var out []Fact
	zh := zhReader{o: o}
	for _, st := range openie.Sentences(text) {
		switch {
		case len(st.Text) > longSentence:
		case strings.IndexFunc(st.Text, textnorm.IsHan) >= 0:
			out = append(out, zh.sentence(st)...)
		case speaksOfPeople(st.Text):
			out = append(out, readEN(newEnSentence(st.Text, st.Start, st.Question, o))...)
		}
	}
	return out
}

// speaksOfPeople reports whether a sentence of Latin letters may have a person as a
// subject: two words at least, and of them a pronoun, a relation or a name, or the
// first one may be a verb. Parsing is what takes the time.
func speaksOfPeople(s string) bool {
	n, first := 0, true
	for f := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if n++; n > 1 && !first {
			return true
		}
		low := strings.ToLower(f)
		if n == 1 {
			first = openers[low]
		}
		if persons[low] || relationOf(low) != "" || f[0] != low[0] && (n > 1 || !depparse.Common(low)) {
			first = false
		}
	}
	return n > 1 && !first
}

// openers are first words of sentences that have another subject than the speaker.
var openers = set("the a an this that these those it its there here what how why who which where when is are was were do does did can could will would should hi hey hello wow oh yeah yes no ok okay thanks thank so and but if")

var persons = set("i im ive id ill me my mine we us our ours were you your yours u ur ya he him his she her hers they them their theirs myself ourselves everyone")
