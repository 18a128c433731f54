package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/eval/protocol"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/schema"
)

// Shares of terms that decide whether a text carries a turn. They were set on invented
// pairs (need_test.go), not fitted to any data set.
const (
	keyShare   = 1. / 3 // of the gold's words in the turn, where the memory names the turn as its source
	pieceShare = 0.65   // of a turn's words in a memory, or of a memory's in a turn, where it names none
	keptShare  = 0.5    // of the words that a text had of the turn, in the text that took its place
)

// bag is a text and its distinct terms, sorted.
type bag struct {
	text, key string // key: made when asked for
	terms     []string
	turns     []schema.EventRef // that it has whole: story.origins
	looked    bool              // for these
}

func newBag(text string) *bag {
	t := tokens.Terms(text)
	slices.Sort(t)
	return &bag{text: text, terms: slices.Compact(t)}
}

// read is the bag of a text that comes up more than once for a memory: of turns, memories, hits, questions and answers.
func (s *story) read(text string) *bag {
	b := s.texts[text]
	if b == nil {
		b = newBag(text)
		s.texts[text] = b
	}
	return b
}

// norm is the text made ready for looking others up in it.
func (b *bag) norm() string {
	if b.key == "" {
		b.key = textnorm.Key(b.text)
	}
	return b.key
}

// without is the bag of the terms that none of the others has.
func (b *bag) without(others ...*bag) *bag {
	return &bag{terms: slices.DeleteFunc(slices.Clone(b.terms), func(t string) bool {
		return slices.ContainsFunc(others, func(o *bag) bool { return o.has(t) })
	})}
}

func (b *bag) has(term string) bool {
	_, ok := slices.BinarySearch(b.terms, term)
	return ok
}

// both counts the terms of b that c has.
func (b *bag) both(c *bag) (n int) {
	for _, t := range b.terms {
		if c.has(t) {
			n++
		}
	}
	return n
}

// story holds the turns of a case, by number.
type story struct {
	key       caseKey
	c         *schema.Case // nil if the case is not available
	turns     map[int]place
	questions map[string]*schema.Question
	texts     map[string]*bag

	rare, brief map[string][]int // made by index
}

// all yields the turns of the case, which there must be, in their order.
func (s *story) all(yield func(*schema.CaseTurn) bool) {
	for i := range s.c.Sessions {
		for j := range s.c.Sessions[i].Turns {
			if !yield(&s.c.Sessions[i].Turns[j]) {
				return
			}
		}
	}
}

// ref names a turn of the case.
func (s *story) ref(turn int) schema.EventRef {
	return schema.EventRef{ConvID: s.c.ConvID, TurnID: turn}
}

// place is a turn and its position.
type place struct {
	turn    *schema.CaseTurn
	session *schema.Session
	index   int // in the session
	order   int // in the case
}

func newStory(key caseKey, cs []schema.Case) *story {
	s := &story{key: key, turns: map[int]place{}, questions: map[string]*schema.Question{}, texts: map[string]*bag{}}
	if len(cs) == 0 {
		return s
	}
	s.c = &cs[0]
	for i := range s.c.Sessions {
		session := &s.c.Sessions[i]
		for j := range session.Turns {
			s.turns[session.Turns[j].TurnID] = place{&session.Turns[j], session, j, len(s.turns)}
		}
	}
	for i := range s.c.Questions {
		s.questions[s.c.Questions[i].ID] = &s.c.Questions[i]
	}
	return s
}

// text returns the text of a turn, with the captions of its attachments.
func (p place) text() string {
	if p.turn == nil {
		return ""
	}
	s := p.turn.Text
	for _, a := range p.turn.Attachments {
		s += " " + a.Text
	}
	return s
}

func (s *story) bag(turn int) *bag { return s.read(s.turns[turn].text()) }

// name is how reasons speak of a turn, label how remarks do.
func (s *story) name(ref schema.EventRef) string { return s.label(ref).String() }

func (s *story) label(ref schema.EventRef) schema.Sentence {
	if p := s.turns[ref.TurnID]; p.turn != nil && p.turn.SourceID != "" {
		return schema.Say("turn %d (%s)", ref.TurnID, p.turn.SourceID)
	}
	return schema.Say("turn %d", ref.TurnID)
}

// need is one piece of evidence that an answer takes.
type need struct {
	name  string
	refs  []schema.EventRef // any of these turns brings it; none: a fact in words
	fact  protocol.Fact     // such a fact
	turns *bag              // of the turns; nil if the case is not available
	text  string            // of the first turn
	key   []string          // the gold's words that the turns hold and the question does not
	gold  []string          // all of the gold's words that the question does not have
	plain []string          // of key, those outside the gold's values
	time  string            // of the first turn
	vals  fidelity.Values   // of the gold, dates and quantities that the turns have

	said []fidelity.Original // of the turns, and of captions that have the gold's words

	asked      bool // carriers were looked for
	ever, live []*version
}

// needs lists the pieces of evidence for the answer to r. If the evidence of a question is sessions or rounds, each is one piece, and any of its turns
// suffices.
func (s *story) needs(r *schema.QARecord) []*need {
	var out []*need
	if len(r.Evidence) == 0 {
		for _, t := range r.EvidenceTexts {
			out = append(out, &need{name: "the fact " + quote(t), fact: protocol.NewFact(t)})
		}
		return out
	}
	unit := schema.UnitTurn
	if s.c != nil {
		unit = s.c.Unit
	}
	refs := slices.Clone(r.Evidence)
	slices.SortFunc(refs, func(a, b schema.EventRef) int {
		return cmp.Or(cmp.Compare(a.ConvID, b.ConvID), a.TurnID-b.TurnID)
	})
	refs = slices.Compact(refs)
	for _, ref := range refs {
		if n := len(out); n > 0 && s.together(unit, out[n-1].refs[len(out[n-1].refs)-1], ref) {
			out[n-1].refs = append(out[n-1].refs, ref)
			continue
		}
		out = append(out, &need{refs: []schema.EventRef{ref}})
	}
	own := s.read(strings.Join(r.AllGolds(), " ")).without(s.read(r.Question)).terms
	for _, n := range out {
		n.name, n.gold = s.name(n.refs[0]), own
		if len(n.refs) > 1 {
			n.name = fmt.Sprintf("turns %d–%d", n.refs[0].TurnID, n.refs[len(n.refs)-1].TurnID)
		}
		var texts []string
		for _, ref := range n.refs {
			if p := s.turns[ref.TurnID]; p.turn != nil {
				texts = append(texts, p.text())
			}
		}
		if len(texts) == 0 {
			continue
		}
		n.text = texts[0]
		n.turns = s.read(strings.Join(texts, " "))
		p := s.turns[n.refs[0].TurnID]
		n.time = cmp.Or(p.turn.Time, p.session.Time)
		vals := fidelity.NewValues(strings.Join(r.AllGolds(), "\n"), n.time)
		n.vals = vals.Of(fidelity.NewValues(n.turns.text, n.time))
		rest := s.read(vals.Rest)
		for _, t := range own {
			if n.turns.has(t) {
				n.key = append(n.key, t)
				if rest.has(t) {
					n.plain = append(n.plain, t)
				}
			}
		}
		for _, ref := range n.refs {
			n.said = append(n.said, s.said(ref, n.key)...)
		}
	}
	return out
}

// original is a turn as it was said.
func (s *story) original(p place) fidelity.Original {
	o := fidelity.Original{Text: p.turn.Text, Speaker: p.turn.Name, Role: p.turn.Role, Speakers: s.c.Speakers, Time: cmp.Or(p.turn.Time, p.session.Time)}
	for i := max(0, p.index-beside); i < min(len(p.session.Turns), p.index+beside+1); i++ {
		o.Around = append(o.Around, place{turn: &p.session.Turns[i]}.text())
	}
	return o
}

// beside is how many turns before and after a turn may be in the same memory.
const beside = 4

// said returns the texts of a turn that have the gold's words: its text and captions. If none has, its text.
func (s *story) said(ref schema.EventRef, key []string) (out []fidelity.Original) {
	p := s.turns[ref.TurnID]
	if p.turn == nil {
		return nil
	}
	all := []fidelity.Original{s.original(p)}
	for _, a := range p.turn.Attachments {
		all = append(all, fidelity.Original{Text: a.Text, Around: all[0].Around})
	}
	for _, o := range all {
		if b := s.read(o.Text); slices.ContainsFunc(key, b.has) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		out = all[:1]
	}
	return out
}

// together reports whether two turns of evidence are one piece.
func (s *story) together(unit string, a, b schema.EventRef) bool {
	p, q := s.turns[a.TurnID], s.turns[b.TurnID]
	if a.ConvID != b.ConvID || p.turn == nil || q.turn == nil || p.session != q.session {
		return false
	}
	switch unit {
	case schema.UnitSession:
		return true
	case schema.UnitRound:
		return q.index == p.index+1 && p.turn.Role == "user" && q.turn.Role != "user"
	}
	return false
}

// holds reports whether a memory's text contains the need. For a system that keeps turns verbatim, the words decide, regardless of the memory's sources; for
// one that writes in its own words, its sources, the gold's words and its statements about them, beside other texts made of the turns.
func (n *need) holds(b *bag, sources []schema.EventRef, f *fidelity.Frame, beside ...string) bool {
	if len(n.refs) == 0 {
		return n.fact.CoveredBy(protocol.NewFact(b.text))
	}
	if f.Verbatim() && n.distinct(sources) {
		return slices.ContainsFunc(n.said, func(o fidelity.Original) bool { return fidelity.Same(o, b.text, f) })
	}
	return n.in(b, sources, !f.Verbatim()) && !slices.ContainsFunc(n.said, func(o fidelity.Original) bool { return !fidelity.Facts(o, b.text, len(sources) == 1, beside...).Same() })
}

// distinct reports whether the need's words are enough to be known by: short turns are
// found in other texts by chance, and count only where the source is right.
func (n *need) distinct(sources []schema.EventRef) bool {
	return len(n.said) > 0 && (n.named(sources) || n.turns != nil && len(n.turns.terms) >= 5)
}

// named reports whether a memory names a turn of the need as its source.
func (n *need) named(sources []schema.EventRef) bool {
	return slices.ContainsFunc(n.refs, func(ref schema.EventRef) bool { return slices.Contains(sources, ref) })
}

// in reports whether a text in other words that names these sources carries the need; own: of a system that writes so.
func (n *need) in(b *bag, sources []schema.EventRef, own bool) bool {
	if len(sources) > 0 {
		if !n.named(sources) {
			return false
		}
		return n.turns == nil || textnorm.Lang(b.text) != textnorm.Lang(n.turns.text) || n.keyIn(b)
	}
	if n.turns == nil || len(b.terms) == 0 || len(n.turns.terms) == 0 {
		return false
	}
	same := float64(n.turns.both(b))
	if own && len(n.key) > 0 && n.alike(b) {
		return n.keyIn(b)
	}
	whole := same >= pieceShare*float64(len(n.turns.terms))
	piece := len(b.terms) >= 3 && same >= pieceShare*float64(len(b.terms)) && len(n.key) > 0
	return (whole || piece) && n.keyIn(b)
}

// keyIn reports whether the texts together have what the gold says and the turn has: each value, in any wording, and a third of the other words.
func (n *need) keyIn(texts ...*bag) bool {
	held := 0
	for _, t := range n.plain {
		if slices.ContainsFunc(texts, func(b *bag) bool { return b.has(t) }) {
			held++
		}
	}
	if float64(held+n.vals.Len()) < keyShare*float64(len(n.plain)+n.vals.Len()) {
		return false
	}
	var all []string
	for _, b := range texts {
		all = append(all, b.text)
	}
	return n.vals.Len() == 0 || n.vals.In(fidelity.NewValues(strings.Join(all, "\n"), n.time))
}

// kept reports whether a text has at least half of the words that the one before it
// had of the turn.
func (n *need) kept(before, now *version) bool {
	if n.turns == nil {
		return true
	}
	had, has := 0, 0
	for _, t := range before.words.terms {
		if n.turns.has(t) {
			had++
			if now.words.has(t) {
				has++
			}
		}
	}
	return float64(has) >= keptShare*float64(had)
}
