package explain

import (
	"maps"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/schema"
)

// A naming is what the sources of a text say, compared with the turns whose text it has.
type naming int

const (
	moot    naming = iota // it has no turn whole: there is nothing to compare
	right                 // it names one of the turns that it has
	silent                // it names no source
	wrong                 // it names other turns of the case
	unknown               // it names what is not a turn of the case
	namings               // how many there are
)

// bad reports whether the sources are not those of the text.
func (c naming) bad() bool { return c == wrong || c == unknown }

// naming compares the sources that a text names with the turns that it has whole, and returns both findings.
func (s *story) naming(text string, sources []schema.EventRef) (naming, []schema.EventRef) {
	has := s.origins(text)
	switch {
	case len(has) == 0:
		return moot, nil
	case len(sources) == 0:
		return silent, has
	case slices.ContainsFunc(sources, func(e schema.EventRef) bool { return slices.Contains(has, e) || s.within(e, text) }):
		return right, has
	case slices.ContainsFunc(sources, func(e schema.EventRef) bool { return e.ConvID == s.c.ConvID && s.turns[e.TurnID].turn != nil }):
		return wrong, has
	}
	return unknown, has
}

// within reports whether a text has a turn that it names, however short, or that turn the text: a sentence of it, whoever else said the same.
func (s *story) within(e schema.EventRef, text string) bool {
	p := s.turns[e.TurnID]
	if p.turn == nil || e.ConvID != s.c.ConvID {
		return false
	}
	turn := s.turnKey(p.turn)
	if turn != "" && strings.Contains(s.read(text).norm(), turn) {
		return true
	}
	said := s.unlabelled(text)
	return (said.Speaker == "" || said.Speaker == p.turn.Name) && fidelity.Carries(said.Text, p.text())
}

// origins lists the turns that a text has whole, in their order: where it comes from, whatever it names as its source. A turn that is too short to be in a text
// by more than chance counts only where it is all of the text after the speaker's name.
func (s *story) origins(text string) []schema.EventRef {
	if s.c == nil {
		return nil
	}
	if s.rare == nil {
		s.index()
	}
	b := s.read(text)
	if b.looked {
		return b.turns
	}
	b.looked = true
	found := map[int]bool{}
	said := s.unlabelled(text)
	for _, id := range s.brief[strings.TrimSpace(said.Text)] {
		found[id] = said.Speaker == "" || s.turns[id].turn.Name == said.Speaker
	}
	for _, term := range b.terms {
		for _, id := range s.rare[term] {
			found[id] = strings.Contains(b.norm(), s.turnKey(s.turns[id].turn))
		}
	}
	for id, ok := range found {
		if ok {
			b.turns = append(b.turns, schema.EventRef{ConvID: s.c.ConvID, TurnID: id})
		}
	}
	slices.SortFunc(b.turns, func(a, b schema.EventRef) int { return s.turns[a.TurnID].order - s.turns[b.TurnID].order })
	return b.turns
}

// index lists the turns by the term of theirs that the fewest turns have, and the short ones by their text.
func (s *story) index() {
	s.rare, s.brief = map[string][]int{}, map[string][]int{}
	in := map[string]int{} // number of turns
	for id := range s.turns {
		for _, t := range s.bag(id).terms {
			in[t]++
		}
	}
	for id, p := range s.turns {
		if terms := s.bag(id).terms; len(terms) > 0 && len(s.turnKey(p.turn)) >= shortest {
			t := slices.MinFunc(terms, func(a, b string) int { return in[a] - in[b] })
			s.rare[t] = append(s.rare[t], id)
		} else if text := strings.TrimSpace(p.turn.Text); text != "" {
			s.brief[text] = append(s.brief[text], id)
		}
	}
}

// nearest is the turn of which a text has most words, as far as it resembles one.
func (s *story) nearest(text string) (out []schema.EventRef) {
	b, most := s.read(text), 0.
	for _, id := range slices.Sorted(maps.Keys(s.turns)) {
		t := s.bag(id)
		if both := float64(t.both(b)); len(t.terms) >= 3 && both >= resembles*float64(len(t.terms)) && both > most {
			out, most = []schema.EventRef{{ConvID: s.c.ConvID, TurnID: id}}, both
		}
	}
	return out
}

// leastBad is the number of texts from which sources that contradict them are the system's way.
const leastBad = 3

// settle compares the sources of all memories with their texts. Where most of those that have a turn whole name others, the names mean nothing: then each memory
// is of the turns whose text it has.
func (l *ledger) settle(s *story) {
	if s.c == nil {
		return
	}
	var n [namings]int
	has := make([][]schema.EventRef, len(l.versions))
	for i, v := range l.versions {
		var c naming
		v.named = v.sources
		c, has[i] = s.naming(v.text, v.sources)
		n[c]++
	}
	if l.mistaken = n[wrong]+n[unknown] >= leastBad && n[wrong]+n[unknown] > n[right]; !l.mistaken {
		return
	}
	clear(l.byRef)
	l.loose = nil
	for i, v := range l.versions {
		v.sources = has[i]
		if len(has[i]) == 0 && strings.TrimSpace(v.text) != "" {
			v.sources = s.nearest(v.text)
		}
		l.file(v)
	}
}

// sourced returns the record with the sources of hits that their texts have, where those that the hits name mean nothing: the memories' do not, or most of
// these hits' do not.
func (x *explainer) sourced(r *schema.QARecord) *schema.QARecord {
	if x.told.c == nil {
		return r
	}
	var n [namings]int
	s := x.until(r)
	for i := range r.Hits {
		if h := &r.Hits[i]; !x.changed(h, s) {
			c, _ := x.told.naming(h.Text, h.Sources)
			n[c]++
		}
	}
	bad := n[wrong] + n[unknown]
	if !x.ledger.mistaken && (bad < leastBad || bad <= n[right]) {
		return r
	}
	c := *r
	c.Hits, c.Below = slices.Clone(r.Hits), slices.Clone(r.Below)
	for i := range c.Hits {
		h := &c.Hits[i]
		switch v := x.ledger.version(h.ID, s); {
		case v != nil && (v.text == h.Text || x.changed(h, s)):
			h.Sources = v.sources
		default:
			h.Sources = x.told.origins(h.Text)
		}
	}
	for i := range c.Below {
		if v := x.ledger.version(c.Below[i].ID, s); v != nil {
			c.Below[i].Sources = v.sources
		}
	}
	return &c
}

// changed reports whether a hit's text is not that of its memory: then its sources may be right, and its text is not.
func (x *explainer) changed(h *schema.QAHit, s int) bool {
	v := x.ledger.version(h.ID, s)
	return v != nil && v.text != h.Text && !strings.Contains(x.told.read(h.Text).norm(), v.words.norm())
}

// names is how remarks speak of the first source that a text names.
func (s *story) names(sources []schema.EventRef) schema.Sentence {
	if len(sources) == 0 {
		return schema.Say("no turn")
	}
	if e := sources[0]; e.ConvID != s.c.ConvID || s.turns[e.TurnID].turn == nil {
		return schema.Say("“%s:%d”, which is not a turn of the case", e.ConvID, e.TurnID)
	}
	return s.label(sources[0])
}
