package op

import (
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/internal/tokens"
)

// A Statement is a text that is compared with others; it caches its analysis. It is not safe for concurrent use.
type Statement struct {
	text, key   string
	negated     bool
	terms       []string // distinct, in order
	slot, value string
	cue         bool // announces a change
	knowsSlot   bool
	knowsCue    bool
}

// NewStatement reads a text.
func NewStatement(text string) *Statement {
	return &Statement{text: text, key: textnorm.Key(text), negated: negated(text), terms: distinct(text)}
}

// Terms are the distinct words of the text (tokens.Terms), sorted.
func (s *Statement) Terms() []string { return s.terms }

// Share is Jaccard of two texts.
func (s *Statement) Share(with *Statement) float64 { return jaccard(s.terms, with.terms) }

// Slot is Slot of the text.
func (s *Statement) Slot() string {
	if !s.knowsSlot {
		s.slot, s.value = slot(s.text)
		s.knowsSlot = true
	}
	return s.slot
}

func (s *Statement) changes() bool {
	if !s.knowsCue {
		s.cue, s.knowsCue = cue.MatchString(s.text), true
	}
	return s.cue
}

// Compare determines how the text relates to an older one of the same speaker.
func (s *Statement) Compare(old *Statement) Relation {
	if s.key == old.key {
		return Same
	}
	share := jaccard(s.terms, old.terms)
	if s.negated == old.negated {
		if share >= 0.9 && numbers(s.text) == numbers(old.text) {
			return Same
		}
		if long(old.key) && strings.Contains(s.key, old.key) && !s.changes() {
			return Refines
		}
		if long(s.key) && strings.Contains(old.key, s.key) {
			return Same
		}
	}
	if s.Slot() != "" && s.negated == old.negated && old.Slot() == s.slot {
		if Jaccard(s.value, old.value) >= 0.5 {
			return Same // one value in other words
		}
		return Replaces
	}
	need := 0.5
	if s.changes() {
		need = 0.3
	}
	if share >= need && (s.negated != old.negated || s.changes()) {
		if s.negated && !old.negated && !strings.ContainsAny(s.text, "，,；;") && !replacement.MatchString(s.text) {
			return Retracts
		}
		return Replaces
	}
	return New
}

func distinct(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(tokens.Terms(text))))
}

// jaccard is Jaccard of two sorted lists.
func jaccard(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	both := shared(a, b)
	return float64(both) / float64(len(a)+len(b)-both)
}

// shared counts the common elements of two sorted lists.
func shared(a, b []string) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b, n = a[1:], b[1:], n+1
		}
	}
	return n
}
