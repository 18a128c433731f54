package claims

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"membench/internal/clause"
	"membench/internal/pattern"
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
	over   schema.Instant // when it was denied last; before its evidence: it holds
	again  schema.Instant // of its newest evidence
}

// heldStates are those of one conversation, by subject and predicate.
type heldStates map[string][]heldState

// States are what holds in conversations that are extracted bit by bit, so that a later call of Extract can end what an earlier one stated. The zero value
// is ready. About 200 bytes for each state that can end.
type States struct {
	mu sync.Mutex
	by map[schema.ConvID]heldStates
}

// of are the states of a conversation, to be added to; of a nil States those of a conversation that is extracted at once.
func (s *States) of(id schema.ConvID) heldStates {
	if s == nil {
		return heldStates{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by[id] == nil {
		if s.by == nil {
			s.by = map[schema.ConvID]heldStates{}
		}
		s.by[id] = heldStates{}
	}
	return s.by[id]
}

// Clone copies the states.
func (s *States) Clone() *States {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &States{by: make(map[schema.ConvID]heldStates, len(s.by))}
	for id, h := range s.by {
		twin := make(heldStates, len(h))
		for k, held := range h {
			twin[k] = slices.Clone(held)
		}
		out.by[id] = twin
	}
	return out
}

func stateKey(who schema.Ref, positive string) string { return string(who.ID) + "\x00" + positive }

// note adds the states of the statements of one memory.
func (h heldStates) note(cat *catalog.Catalog, said []schema.Statement, at schema.Instant) {
	for i, s := range said {
		if s.Claim == nil || s.Claim.Status == schema.StatusDeprecated {
			continue
		}
		positive, negated, ok := cat.Polarity(s.Claim.Predicate)
		k := stateKey(s.Claim.Subject, positive)
		n := slices.IndexFunc(h[k], func(x heldState) bool { return x.object.ID == s.Claim.Object.ID })
		if negated && n >= 0 {
			h[k][n].over = max(h[k][n].over, at)
		}
		if !ok || negated || !cat.Predicates[positive].Ends() && cat.Predicates[positive].Time != catalog.TimeState {
			continue
		}
		j := slices.IndexFunc(said[:i], func(e schema.Statement) bool { return e.Entity != nil && e.Entity.ID == s.Claim.Object.ID })
		if j < 0 {
			continue
		}
		if n >= 0 {
			h[k][n].at, h[k][n].again = min(h[k][n].at, at), max(h[k][n].again, at)
			continue
		}
		h[k] = append(h[k], heldState{object: s.Claim.Object, entity: said[j], at: at, again: at})
	}
}

// An Ending is what one clause says is over: each of the states, if something that was said before fills it. Memory and Point say who said it.
type Ending struct {
	Memory     schema.MemoryID   `json:"memory,omitempty"`
	Point      schema.PointID    `json:"point,omitempty"`
	States     []EndedState      `json:"states"`
	EventTime  string            `json:"event_time,omitempty"`
	Confidence schema.Confidence `json:"confidence"`
}

// An EndedState is one state that may be over.
type EndedState struct {
	Subject   schema.Ref `json:"subject"`
	Predicate string     `json:"predicate"` // the positive one
	Names     []string   `json:"names"`     // of what filled it, the best first; "" is whatever does, if it is one thing
	// Said is the claim that denies what the words name by themselves; it stands if nothing that was said before is meant. "" if they name nothing.
	Said schema.ClaimID `json:"said,omitempty"`
}

// meant gives the denials of one memory the objects that they are of, and adds those of its endings.
func (h heldStates) meant(cat *catalog.Catalog, mint schema.Mint, r remembered, at schema.Instant) []schema.Statement {
	out := slices.Clone(r.Statements)
	for _, e := range r.Endings {
		var over []schema.Statement
		for _, s := range e.States {
			state, ok := h.named(cat, s, at)
			if !ok {
				continue
			}
			d := cat.Predicates[s.Predicate]
			over = append(over, state.entity, schema.Statement{Claim: &schema.Claim{RecordType: "claim", ID: mint.Claim(d.Negative, d.Domain, s.Subject.ID, state.object.ID), Predicate: d.Negative,
				Subject: s.Subject, Object: state.object, Domain: d.Domain, Confidence: e.Confidence, Status: schema.StatusActive,
				Evidence: []schema.Evidence{{EventTime: e.EventTime}}, By: schema.ByRule}})
		}
		if len(over) == 0 {
			continue
		}
		for _, s := range e.States {
			out = without(out, s.Said)
		}
		out = append(out, over...)
	}
	for i, s := range out {
		state, ok := h.of(cat, s.Claim, at)
		if !ok {
			continue
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
	return out
}

// without removes a claim, and the entity that only it is about.
func without(said []schema.Statement, id schema.ClaimID) []schema.Statement {
	i := slices.IndexFunc(said, func(s schema.Statement) bool { return id != "" && s.Claim != nil && s.Claim.ID == id })
	if i < 0 {
		return said
	}
	object := said[i].Claim.Object.ID
	said = slices.Delete(said, i, i+1)
	if slices.ContainsFunc(said, func(s schema.Statement) bool {
		return s.Claim != nil && (s.Claim.Object.ID == object || s.Claim.Subject.ID == object)
	}) {
		return said
	}
	return slices.DeleteFunc(said, func(s schema.Statement) bool { return s.Entity != nil && s.Entity.ID == object })
}

// named finds the one state that is meant; false where none is, or more than one could be. What holds comes before what was denied; where no name is said, what can only be one thing at a time is the newest.
func (h heldStates) named(cat *catalog.Catalog, s EndedState, at schema.Instant) (heldState, bool) {
	var before []heldState
	for _, state := range h[stateKey(s.Subject, s.Predicate)] {
		if state.at < at {
			before = append(before, state)
		}
	}
	holding := slices.DeleteFunc(slices.Clone(before), func(x heldState) bool { return x.over >= x.again && x.over < at })
	if len(holding) > 0 {
		before = holding
	}
	for _, name := range s.Names {
		var found []heldState
		for _, state := range before {
			if name == "" || Means(s.Predicate, name, schema.NameOf(state.object.ID)) {
				found = append(found, state)
			}
		}
		if name == "" && len(found) > 0 && cat.Predicates[s.Predicate].Single == catalog.SingleAlways {
			return slices.MaxFunc(found, func(a, b heldState) int { return cmp.Compare(min(a.again, at), min(b.again, at)) }), true
		}
		if len(found) > 0 {
			return found[0], len(found) == 1
		}
	}
	return heldState{}, false
}

// of finds the state that a claim denies.
func (h heldStates) of(cat *catalog.Catalog, c *schema.Claim, at schema.Instant) (heldState, bool) {
	if c == nil {
		return heldState{}, false
	}
	positive, negated, known := cat.Polarity(c.Predicate)
	if !known || !negated {
		return heldState{}, false
	}
	name := schema.NameOf(c.Object.ID)
	if place := placeOf(name); positive == "PLANS" && place != "" { // who is not going to a place will not visit it
		var found []heldState
		for _, state := range h[stateKey(c.Subject, positive)] {
			if state.at < at && placeOf(schema.NameOf(state.object.ID)) == place {
				found = append(found, state)
			}
		}
		if len(found) == 1 {
			return found[0], true
		}
	}
	return h.named(cat, EndedState{Subject: c.Subject, Predicate: positive, Names: []string{name}}, at)
}

// placeOf is where one is to be by a plan; "" if it is another plan.
func placeOf(plan string) string {
	if m := journey.FindStringSubmatch(plan); m != nil {
		return m[1] + m[2]
	}
	return ""
}

var journey = pattern.New(`^(?:visit|(?:go|travel|fly|drive)(?: back| over)? to) (?:the )?(\p{Lu}[\w'-]*(?: \p{Lu}[\w'-]*)*)(?: (?:in|on|at|next|this|with|for|by|again)\b.*)?$|^去(\p{Han}+?)(?:旅[行游]|玩|出差|度假)?$`)

// Means reports whether a few words mean the thing of a longer name that fills a slot: all of them are in it, among them its noun or a name.
func Means(slot, words, name string) bool {
	if strings.IndexFunc(words+name, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0 {
		return meansZH(slot, words, name)
	}
	capital := words != strings.ToLower(words)
	in, nouns := nounsOf(slot, name)
	w, noun := nounsOf("", words)
	if kind := clause.Animal(noun[0]); slot == "HAS_PET" && kind != "" && kind == clause.Animal(name) && len(w) < 3 {
		return true
	}
	named := false
	for _, x := range w {
		if !slices.ContainsFunc(in, func(y string) bool { return sameWord(x, y) }) {
			return false
		}
		named = named || slices.ContainsFunc(nouns, func(y string) bool { return sameWord(x, y) })
	}
	return len(w) > 0 && (capital || named)
}

// sameWord reports whether two words are one, whatever their endings, or one is the last part of the other: bike and motorbike.
func sameWord(x, y string) bool {
	long, part := y, x
	if len(long) < len(part) {
		long, part = part, long
	}
	return x == y || tokens.SnowballStem(x) == tokens.SnowballStem(y) || len(part) > 2 && len(long) >= len(part)+3 && strings.HasSuffix(long, part)
}

// meansZH is Means in Chinese, where the noun is last and a name may follow: 橘猫，叫胖胖. Characters may be left out.
func meansZH(slot, words, name string) bool {
	thing, called, _ := strings.Cut(name, "，叫")
	if words == called || slot == "HAS_PET" && strings.HasSuffix(thing, words) {
		return words != ""
	}
	w, in := []rune(words), []rune(thing)
	if len(w) == 0 || len(in) == 0 || w[len(w)-1] != in[len(in)-1] || len(w) == 1 && slot != "HAS_HABIT" {
		return false
	}
	for _, r := range in {
		if len(w) > 0 && r == w[0] {
			w = w[1:]
		}
	}
	return len(w) == 0
}

// nounsOf lists the words of a name that count, in lower case, and those of them that say what it is: the noun that the others describe, which is the last before
// a preposition; of a habit the verb, too, and of a membership what one is a member of.
func nounsOf(slot, name string) (words, nouns []string) {
	noun, first, whole := "", "", false
	for said := range strings.FieldsSeq(name) {
		w, comma := strings.ToLower(strings.TrimRight(said, ".,;:!?")), strings.HasSuffix(said, ",")
		switch {
		case w == "called" || w == "named" || tokens.Stop(w) && w == said: // the Times is no stop word
			whole = whole || noun != "" && (slot != "HAS_HABIT" || noun != first)
		case w != "":
			words = append(words, w)
			if first == "" {
				first = w
			}
			if !whole {
				noun = w
			}
			whole = whole || comma
		}
	}
	nouns = []string{noun}
	switch slot {
	case "HAS_HABIT":
		nouns = append(nouns, first)
	case "IS":
		nouns = append(nouns, words[max(0, len(words)-1):]...)
	}
	return words, nouns
}
