package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/internal/textnorm"
	"membench/schema"
)

// follow takes one need along the hops.
func (x *explainer) follow(r *schema.QARecord, n *need) finding {
	s := x.until(r)
	ever, live := x.ledger.carriers(n, s, x.frame)
	carrying, changed := x.hits(r, n, live)
	if len(carrying) > 0 {
		return x.inContext(r, n, carrying)
	}
	stored, wrong := finding{}, false
	if len(ever) == 0 {
		stored, wrong = x.alteredStored(n, s)
	}
	shown := func(f *finding) bool { return f.got != "" && fidelity.Carries(f.got, r.Context) }
	switch { // a context may hold more than the hits
	case changed != nil && len(live) > 0 && shown(changed):
		return *changed
	case wrong && shown(&stored):
		return stored
	case x.contextHolds(r, n, live):
		return finding{hop: schema.HopRead, refs: n.refs}
	}
	switch {
	case len(live) > 0 && changed != nil:
		return *changed
	case len(live) > 0:
		return x.notRetrieved(r, n, live)
	case len(ever) > 0:
		last := ever[len(ever)-1]
		f := finding{hop: schema.HopOverwrite, kind: schema.FaultRemoved, refs: n.refs, ids: x.after(last),
			reason: fmt.Sprintf("the memory of %s, %s, %s in session %s", n.name, quote(last.text), last.fate(), x.sessionName(last.to))}
		if q := x.past.given[last.id]; q != "" {
			f.reason += "; question " + q + " had returned it"
		}
		if last.next != nil {
			f.kind, f.want, f.got = schema.FaultUpdated, last.text, last.next.text
		}
		return f
	}
	if wrong {
		return stored
	}
	if changed != nil {
		changed.reason += "; what was stored is not shown, so it may have been altered then"
		return *changed
	}
	if f, ok := x.notIngested(n); ok {
		return f
	}
	return x.notStored(r, n, s)
}

// alteredStored looks among the memories for the one that was made of the need and does
// not say it.
func (x *explainer) alteredStored(n *need, s int) (finding, bool) {
	var best *version
	var diff fidelity.Difference
	var want string
	consider := func(vs []*version, named bool) {
		for _, v := range vs {
			if v.from > s {
				continue
			}
			for _, o := range n.said {
				d := x.difference(o, v.text, v.sources, x.ledger.beside(v, n.refs)...)
				if d.Same() || d.Kind == schema.FaultOther && (!named || len(v.sources) > 1) {
					continue
				}
				if best == nil || d.Kept > diff.Kept {
					best, diff, want = v, d, o.Text
				}
			}
		}
	}
	for _, ref := range n.refs {
		consider(x.ledger.byRef[ref], true)
	}
	if best == nil && x.frame.Verbatim() && n.distinct(nil) {
		consider(n.near(x.ledger.loose), false)
		if best == nil || diff.Kept < resembles {
			best = nil
			consider(n.near(x.ledger.versions), false)
		}
		if best != nil {
			if _, whole := x.told.says(best.text, n.refs); whole || diff.Kept < resembles && diff.Kind != schema.FaultEncoding {
				best = nil // it is the memory of another turn
			}
		}
	}
	if best == nil {
		return finding{}, false
	}
	diff.Kind = x.told.elsewhereKind(diff.Kind, best.text, n)
	f := altered(schema.HopAlteredStored, diff, want, best.text, n, best.id)
	f.reason = fmt.Sprintf("the memory of %s was stored with %s: %s", n.name, faultWords[diff.Kind], diff.Marked)
	if other, ok := x.told.says(best.text, n.refs); ok && (diff.Kind == schema.FaultOther || diff.Kind == schema.FaultOlder) {
		f.reason += fmt.Sprintf("; that is what %s says", x.told.name(other))
	}
	return f, true
}

// resembles is the share of a turn's words from which a memory that does not name the turn counts as made from it.
const resembles = 0.6

// difference compares a text with an original in the way that fits the system, beside other texts made of it.
func (x *explainer) difference(o fidelity.Original, text string, sources []schema.EventRef, beside ...string) fidelity.Difference {
	if x.frame.Verbatim() {
		return fidelity.Compare(o, text, x.frame)
	}
	switch d := fidelity.Compare(o, text, nil); d.Kind { // never by design
	case schema.FaultEmpty, schema.FaultIdentifier, schema.FaultEncoding:
		return d
	}
	return fidelity.Facts(o, text, len(sources) == 1, beside...)
}

// mostly reports whether another turn of the case is most of a text.
func (s *story) mostly(text string, refs []schema.EventRef) bool {
	ref, ok := s.says(text, refs)
	return ok && len(s.turnKey(s.turns[ref.TurnID].turn))*10 >= len(textnorm.Key(text))*7
}

// elsewhereKind returns the kind of an altered text that may come from another turn: an older one, if that turn has the same speaker, came before, and shares
// most of its words with the turn that should be there, with another value.
func (s *story) elsewhereKind(kind, text string, n *need) string {
	ref, _ := s.says(text, n.refs)
	if !s.mostly(text, n.refs) || slices.ContainsFunc(n.said, func(o fidelity.Original) bool { return fidelity.Carries(o.Text, text) || s.labelled(o, ref, text) }) {
		return kind
	}
	for _, r := range n.refs {
		was, is := s.turns[ref.TurnID].turn, s.turns[r.TurnID].turn
		if is == nil || was.Name != is.Name || s.turns[ref.TurnID].order >= s.turns[r.TurnID].order {
			continue
		}
		if fidelity.Compare(fidelity.Original{Text: was.Text}, is.Text, nil).Kept >= resembles {
			return schema.FaultOlder
		}
	}
	return schema.FaultOther
}

// labelled reports whether a text that another speaker's turn contains is preceded by the name of the right speaker: then it is the right turn with another
// value, which both have by chance.
func (s *story) labelled(o fidelity.Original, ref schema.EventRef, text string) bool {
	other := s.turns[ref.TurnID].turn
	return o.Speaker != "" && other != nil && other.Name != o.Speaker && strings.HasPrefix(strings.TrimSpace(text), o.Speaker)
}

// says finds a turn, other than those of refs, that contains a text verbatim.
func (s *story) says(text string, refs []schema.EventRef) (ref schema.EventRef, ok bool) {
	if s.c == nil {
		return ref, false
	}
	all := textnorm.Key(text)
	for t := range s.all {
		ref = s.ref(t.TurnID)
		if key := s.turnKey(t); len(key) >= shortest && strings.Contains(all, key) && !slices.Contains(refs, ref) {
			return ref, true
		}
	}
	return ref, false
}

func (s *story) turnKey(t *schema.CaseTurn) string { return s.read(t.Text).norm() }

// faultWords are the phrases for each kind of change.
var faultWords = map[string]schema.Sentence{
	schema.FaultEmpty: schema.Say("no text"), schema.FaultIdentifier: schema.Say("an identifier in the place of its text"), schema.FaultCut: schema.Say("a part of the text missing"),
	schema.FaultEncoding: schema.Say("the text in another encoding"), schema.FaultSpeaker: schema.Say("another speaker"), schema.FaultDate: schema.Say("another date"),
	schema.FaultNegated: schema.Say("the contrary of what was said"), schema.FaultNumber: schema.Say("another number"), schema.FaultName: schema.Say("another name"),
	schema.FaultWords: schema.Say("other words"), schema.FaultAdded: schema.Say("more than was said"), schema.FaultOlder: schema.Say("an older text"), schema.FaultOther: schema.Say("another text"),
}

// lacking are the words of the gold, as it has them, that the need's turns have and no memory of them has; without such words, what it is that none holds.
func (n *need) lacking(r *schema.QARecord, memories []*bag) string {
	var out []string
	for _, w := range strings.Fields(strings.Join(r.AllGolds(), " ")) {
		if slices.ContainsFunc(newBag(w).terms, func(t string) bool {
			return slices.Contains(n.key, t) && !slices.ContainsFunc(memories, func(b *bag) bool { return b.has(t) })
		}) {
			out = append(out, strings.Trim(w, ".,;:!?()\"“”。，；：！？"))
		}
	}
	if len(out) == 0 {
		return "what was said there as a whole"
	}
	return quote(strings.Join(slices.Compact(out), " "))
}

// notStored is the finding where nothing kept holds the need, as far as the system shows.
func (x *explainer) notStored(r *schema.QARecord, n *need, s int) finding {
	for _, b := range r.Below { // a system that shows ranks but no memories
		if n.named(b.Sources) && x.ledger.version(b.ID, s) == nil {
			f := x.belowK(r, n, b, "a memory that names "+n.name+" as its source")
			if f.kind == schema.FaultRank { // of its text nothing is known
				f.kind = ""
				f.reason += "; its text is not shown, so whether it had been altered or overwritten before cannot be determined without an export of the memories"
			}
			return f
		}
	}
	if x.ledger.transparent {
		var near []schema.PointID
		var bags []*bag
		most := ""
		for _, ref := range n.refs {
			for _, v := range x.ledger.byRef[ref] {
				near, bags = append(near, v.id), append(bags, v.words)
				if len(v.text) > len(most) {
					most = v.text
				}
			}
		}
		if len(near) > 0 {
			kept, none := fmt.Sprintf("%d memories of %s are kept, such as %s", len(near), n.name, quote(most)), "none has "
			if len(near) == 1 {
				kept, none = fmt.Sprintf("one memory of %s is kept, %s", n.name, quote(most)), "it does not have "
			}
			return finding{hop: schema.HopStore, kind: schema.FaultDropped, reason: kept + "; " + none + n.lacking(r, bags), refs: n.refs, ids: point(near...)}
		}
		f := finding{hop: schema.HopStore, kind: schema.FaultDropped, reason: fmt.Sprintf("no memory was made from %s: %s", n.name, quote(n.text)), refs: n.refs}
		for _, c := range x.ledger.unlisted {
			if n.holds(x.told.read(c.New), nil, x.frame) {
				f.reason += fmt.Sprintf("; a receipt says that it was added as %s, and no listing has that", c.ID)
				f.ids = point(c.ID)
				break
			}
		}
		return f
	}
	shows := "the system shows neither its memories nor what it retrieved"
	if r.K > 0 || len(r.Hits)+len(r.Below) > 0 {
		shows = "the system does not show its memories: it was either not stored, overwritten, or not retrieved"
	}
	return finding{hop: schema.HopOpaque, reason: n.name + " is not among the hits, and " + shows, refs: n.refs}
}

// sessionName is the id of a session by its index.
func (x *explainer) sessionName(i int) string { return x.ledger.names[i] }

// after returns the ids of a missing text and of its replacement.
func (x *explainer) after(v *version) []string {
	if v.next != nil {
		return point(v.id, v.next.id)
	}
	return point(v.id)
}

// notIngested reports that no turn of the need was ingested, according to the session records. If a session ingested fewer turns than it has, a turn without a
// memory is one of the missing turns if it comes after the ingested ones (turns are ingested in order), or if exactly as many turns have no memory as are
// missing. Otherwise it is undecided.
func (x *explainer) notIngested(n *need) (finding, bool) {
	if len(n.refs) == 0 || len(x.ledger.sessions) == 0 {
		return finding{}, false
	}
	f := finding{hop: schema.HopIngest, kind: schema.FaultDropped, refs: n.refs}
	for _, ref := range n.refs {
		p := x.told.turns[ref.TurnID]
		if p.turn == nil {
			return finding{}, false
		}
		name := x.told.name(ref)
		s := x.ledger.sessions[p.session.ID]
		if s == nil {
			f.reason = fmt.Sprintf("the run has no record of session %s, which contains %s", p.session.ID, name)
			continue
		}
		missing := len(p.session.Turns) - s.Turns
		if missing <= 0 {
			return finding{}, false
		}
		f.reason = fmt.Sprintf("session %s took %d of %d turns, and no memory comes from %s", p.session.ID, s.Turns, len(p.session.Turns), name)
		if p.index < s.Turns && x.without(p.session) > missing {
			f.hop = schema.HopOpaque
			f.reason += ", nor from others that it did take: it was not ingested or not stored"
		}
		if s.Error != "" {
			f.kind = schema.FaultFailed
			f.reason += ": " + s.Error
		}
	}
	return f, true
}

// without counts the turns of a session that no memory ever came from.
func (x *explainer) without(s *schema.Session) (n int) {
	for _, t := range s.Turns {
		if len(x.ledger.loose) > 0 && len(x.told.bag(t.TurnID).terms) < 3 {
			continue // without sources a short turn cannot be distinguished from others
		}
		ref := schema.EventRef{ConvID: x.told.c.ConvID, TurnID: t.TurnID}
		one := &need{refs: []schema.EventRef{ref}, turns: x.told.bag(t.TurnID), said: x.told.said(ref, nil)}
		if ever, _ := x.ledger.carriers(one, x.ledger.last, x.frame); len(ever) == 0 {
			n++
		}
	}
	return n
}
