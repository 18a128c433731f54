package protocol

import (
	"slices"
	"strings"

	"membench/internal/tokens"
)

// Shares of a fact's terms that decide for the rule twins of the session judges. They
// were set on invented pairs (cover_test.go), not fitted to any data set.
const (
	coverShare  = 0.65 // a text with this share of a fact's terms states it
	speaksShare = 0.30 // below it, a text is about something else
)

// A Fact is a statement made ready for comparison.
type Fact struct {
	Text    string
	terms   []string
	numbers []float64
	negated bool
}

// NewFact reads a statement, in Chinese or English.
func NewFact(text string) Fact {
	f := Fact{Text: text, terms: tokens.Terms(text), numbers: Numbers(text), negated: negated(text)}
	slices.Sort(f.terms)
	f.terms = slices.Compact(f.terms)
	return f
}

// share returns the share of f's terms that text has, in [0,1]; for a fact without terms 1 for an equal text, otherwise 0.
func (f Fact) share(text Fact) float64 {
	if len(f.terms) == 0 {
		if strings.TrimSpace(f.Text) == strings.TrimSpace(text.Text) {
			return 1
		}
		return 0
	}
	n := 0
	for _, t := range f.terms {
		if _, ok := slices.BinarySearch(text.terms, t); ok {
			n++
		}
	}
	return float64(n) / float64(len(f.terms))
}

// CoveredBy reports whether text states f: most of its terms, each of its numbers, and neither denies the other.
func (f Fact) CoveredBy(text Fact) bool {
	return f.share(text) >= coverShare && holdsAll(text.numbers, f.numbers) && f.negated == text.negated
}

// negationWords change what a statement says. They are separate from tokens.Negates because they are part of the session scores' versions: changing a
// word changes scores.
var negationWords = []string{"not", "no", "never", "none", "nothing", "without", "cannot", "stopped", "quit"}

func negated(text string) bool {
	n := 0
	for _, w := range plainWords(strings.NewReplacer("n't", " not", "n’t", " not").Replace(text)) {
		if slices.Contains(negationWords, w) {
			n++
		}
		switch w {
		case "不", "没", "未", "非", "无":
			n++
		}
	}
	return n%2 == 1
}

// CoveredBy is the number of the text that states f, -1 for none.
func CoveredBy(f Fact, texts []Fact) int {
	return slices.IndexFunc(texts, f.CoveredBy)
}

// Facts makes ready a list of statements.
func Facts(texts []string) []Fact {
	out := make([]Fact, len(texts))
	for i, t := range texts {
		out[i] = NewFact(t)
	}
	return out
}
