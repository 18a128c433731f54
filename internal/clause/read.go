package clause

import (
	"strings"
	"unicode"

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
	for _, st := range openie.Sentences(text) {
		switch {
		case len(st.Text) > longSentence:
		case strings.IndexFunc(st.Text, textnorm.IsHan) >= 0:
			out = append(out, readZH(st, o)...)
		case words(st.Text) > 1:
			out = append(out, readEN(newEnSentence(st.Text, st.Start, st.Question, o))...)
		}
	}
	return out
}

// words counts the words of Latin letters, up to two.
func words(s string) (n int) {
	for f := range strings.FieldsSeq(s) {
		if f[0] < 0x80 && unicode.IsLetter(rune(f[0])) {
			if n++; n == 2 {
				break
			}
		}
	}
	return n
}

// readZH lists the facts of a Chinese sentence.
func readZH(st openie.Sentence, _ Options) []Fact {
	var out []Fact
	for _, t := range openie.Triples(st.Text, openie.TripleOptions{}) {
		positive, negated := t.Positive()
		name := t.Object.Parts[len(t.Object.Parts)-1]
		out = append(out, Fact{
			Subject: Mention{Kind: Speaker}, Verb: verbOf[positive], Slot: positive, Negated: negated,
			Value: Phrase{Text: name}, Object: Phrase{Text: name},
			Rank: t.Rank, Confidence: t.Confidence, Tier: Default, Start: st.Start, End: st.End,
		})
	}
	return out
}

var verbOf = map[string]string{
	"PREFERS_AUTHOR": "like", "FAVORITE_WORK": "like", "DISCUSSED_WORK": "read", "DISCUSSED_CHAPTER": "read",
	"PREFERS_NARRATIVE_STYLE": "like", "SELF_TRAIT": "be", "TRIED_STYLE": "try", "SELF_CRITIQUE": "be", "PREFERS_TOPIC": "like",
}
