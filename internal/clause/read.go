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
	zh := zhReader{o: o}
	for _, st := range openie.Sentences(text) {
		switch {
		case len(st.Text) > longSentence:
		case strings.IndexFunc(st.Text, textnorm.IsHan) >= 0:
			out = append(out, zh.sentence(st)...)
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
