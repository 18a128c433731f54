package claims

import (
	"slices"
	"strings"
	"unicode"

	"membench/internal/tokens"
	"membench/schema"
	"membench/schema/catalog"
)

// What is denied is what was said before: "sold the Triumph" is of the "Triumph motorbike" that the same person owned, and the
// claim that denies it is given that object. It is so if the words of the denial are all in the name of one single thing that
// filled the slot, and name it by its noun or by a name.

// A heldState is one positive claim of a slot that can end. One costs about 100 bytes while its conversation is read.
type heldState struct {
	object schema.Ref
	entity schema.Statement
	at     schema.Instant // of its oldest evidence
}

// heldStates are those of one conversation, by subject and predicate.
type heldStates map[string][]heldState

func stateKey(who schema.Ref, positive string) string { return string(who.ID) + "\x00" + positive }

// note adds the states of the statements of one memory.
func (h heldStates) note(cat *catalog.Catalog, said []schema.Statement, at schema.Instant) {
	for i, s := range said {
		if s.Claim == nil || s.Claim.Status == schema.StatusDeprecated {
			continue
		}
		positive, negated, ok := cat.Polarity(s.Claim.Predicate)
		if !ok || negated || len(cat.Predicates[positive].EndedBy) == 0 && cat.Predicates[positive].Time != catalog.TimeState {
			continue
		}
		j := slices.IndexFunc(said[:i], func(e schema.Statement) bool { return e.Entity != nil && e.Entity.ID == s.Claim.Object.ID })
		if j < 0 {
			continue
		}
		k := stateKey(s.Claim.Subject, positive)
		if n := slices.IndexFunc(h[k], func(x heldState) bool { return x.object.ID == s.Claim.Object.ID }); n >= 0 {
			h[k][n].at = min(h[k][n].at, at)
			continue
		}
		h[k] = append(h[k], heldState{object: s.Claim.Object, entity: said[j], at: at})
	}
}

// meant gives the denials of one memory the objects that they are of.
func (h heldStates) meant(cat *catalog.Catalog, mint schema.Mint, said []schema.Statement, at schema.Instant) []schema.Statement {
	var out []schema.Statement // nil while nothing differs
	for i, s := range said {
		state, ok := h.of(cat, s.Claim, at)
		if !ok {
			continue
		}
		if out == nil {
			out = slices.Clone(said)
		}
		c := *s.Claim
		old := c.Object
		c.Object = state.object
		c.ID = mint.Claim(c.Predicate, c.Domain, c.Subject.ID, c.Object.ID)
		out[i] = schema.Statement{Claim: &c}
		for j := i - 1; j >= 0 && out[j].Claim == nil; j-- { // the entities of a claim are before it
			if e := out[j].Entity; e != nil && e.ID == old.ID {
				out[j] = state.entity
			}
		}
	}
	if out == nil {
		return said
	}
	return out
}

// of finds the state that a claim denies.
func (h heldStates) of(cat *catalog.Catalog, c *schema.Claim, at schema.Instant) (found heldState, ok bool) {
	if c == nil {
		return found, false
	}
	positive, negated, known := cat.Polarity(c.Predicate)
	if !known || !negated {
		return found, false
	}
	for _, s := range h[stateKey(c.Subject, positive)] {
		switch {
		case s.at >= at:
		case s.object.ID == c.Object.ID:
			return found, false
		case names(schema.NameOf(c.Object.ID), schema.NameOf(s.object.ID)):
			if ok { // two could be meant
				return found, false
			}
			found, ok = s, true
		}
	}
	return found, ok
}

// names reports whether a few words mean the thing of a longer name: all of them are in it, among them its noun or a name.
func names(words, name string) bool {
	if strings.IndexFunc(words, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0 {
		return len([]rune(words)) > 1 && strings.HasSuffix(name, words) || strings.Contains(name, "，叫"+words)
	}
	in, noun := nounOf(name)
	w, _ := nounOf(words)
	proper := words != strings.ToLower(words)
	for _, x := range w {
		if !slices.Contains(in, x) {
			return false
		}
	}
	return len(w) > 0 && (proper || slices.Contains(w, noun))
}

// nounOf lists the words of a name that count, in lower case, and the noun that the others describe: the last before a preposition.
func nounOf(name string) (words []string, noun string) {
	whole := false
	for w := range strings.FieldsSeq(strings.ToLower(name)) {
		w, comma := strings.TrimRight(w, ".,;:!?"), strings.HasSuffix(w, ",")
		switch {
		case w == "called" || w == "named" || tokens.Stop(w):
			whole = whole || noun != ""
		case w != "":
			words = append(words, w)
			if !whole {
				noun = w
			}
			whole = whole || comma
		}
	}
	return words, noun
}
