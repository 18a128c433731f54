package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/internal/textnorm"
	"membench/schema"
)

// hits returns the hits that contain the need, and the finding for the first one that should and does not. The text decides: a hit with the turn's text
// contains it whatever its sources.
func (x *explainer) hits(r *schema.QARecord, n *need, live []*version) (carrying []*schema.QAHit, changed *finding) {
	s := x.until(r)
	for i := range r.Hits {
		h := &r.Hits[i]
		v := x.ledger.version(h.ID, s)
		switch {
		case v != nil && slices.Contains(live, v):
			if f, ok := x.alteredHit(r, h, v, n); !ok {
				carrying = append(carrying, h)
			} else if changed == nil {
				changed = &f
			}
		case n.holds(x.told.read(h.Text), h.Sources, x.frame):
			carrying = append(carrying, h)
		case v == nil && len(live) == 0 && n.named(h.Sources) && changed == nil:
			changed = x.unlike(h, n)
		case v == nil && n.named(h.Sources) && changed == nil && slices.ContainsFunc(live, func(v *version) bool { return v.id == h.ID }):
			changed = x.unlike(h, n)
		}
	}
	return carrying, changed
}

// alteredHit compares a hit with the memory that it is of.
func (x *explainer) alteredHit(r *schema.QARecord, h *schema.QAHit, v *version, n *need) (finding, bool) {
	if h.Text == v.text {
		return finding{}, false
	}
	d := fidelity.Compare(x.told.unlabelled(v.text), h.Text, x.hitFrame(r))
	for _, o := range n.said { // a day is one of the turn
		if e := fidelity.Compare(o, h.Text, nil); d.Same() && e.Kind == schema.FaultDate && fidelity.Compare(o, v.text, nil).Same() {
			d = e
		}
	}
	if d.Same() || !fidelity.Carries(v.text, h.Text) && n.holds(x.told.read(h.Text), h.Sources, x.frame) {
		return finding{}, false
	}
	for b := v.before; b != nil; b = b.before {
		if textnorm.Key(b.text) == textnorm.Key(h.Text) {
			d.Kind = schema.FaultOlder
		}
	}
	// The turn has information that the memory's text lacks: the speaker and the date.
	for _, o := range n.said {
		if e := fidelity.Compare(o, h.Text, x.frame); x.frame.Verbatim() && d.Kind != schema.FaultOlder && d.Kind != schema.FaultNegated && e.Kept >= d.Kept && !e.Same() {
			d = e
		}
	}
	if d.Kind != schema.FaultOlder {
		d.Kind = x.told.elsewhereKind(d.Kind, h.Text, n)
	}
	f := altered(schema.HopAlteredRetrieved, d, v.text, h.Text, n, h.ID)
	f.reason = fmt.Sprintf("the memory of %s came back at rank %d with %s: %s", n.name, h.Rank, faultWords[d.Kind], d.Marked)
	f.reason += x.whose(h.Text, n, d.Kind)
	return f, true
}

// hitFrame returns the frame that the system puts around a memory that it returns, learned from the hits of the failed questions of the case up to this one.
func (x *explainer) hitFrame(r *schema.QARecord) *fidelity.Frame {
	if x.learned == r.QuestionID {
		return x.returned
	}
	x.learned = r.QuestionID
	s := x.until(r)
	for i := range r.Hits {
		if v := x.ledger.version(r.Hits[i].ID, s); v != nil {
			x.returned.Learn(x.told.unlabelled(v.text), r.Hits[i].Text)
		}
	}
	return x.returned
}

// unlike compares a hit of a system that does not show its memories with the turn that it
// names as its source.
func (x *explainer) unlike(h *schema.QAHit, n *need) *finding {
	for _, o := range n.said {
		d := x.difference(o, h.Text, h.Sources)
		if d.Same() || d.Kind == schema.FaultOther && len(h.Sources) > 1 {
			continue
		}
		d.Kind = x.told.elsewhereKind(d.Kind, h.Text, n)
		f := altered(schema.HopAlteredRetrieved, d, o.Text, h.Text, n, h.ID)
		f.reason = fmt.Sprintf("the hit at rank %d names %s as its source and has %s: %s", h.Rank, n.name, faultWords[d.Kind], d.Marked)
		f.reason += x.whose(h.Text, n, d.Kind)
		return &f
	}
	return nil
}

// whose describes where another text comes from, as far as the case shows.
func (x *explainer) whose(text string, n *need, kind string) string {
	if kind != schema.FaultOther && kind != schema.FaultOlder {
		return ""
	}
	if ref, ok := x.told.says(text, n.refs); ok {
		return "; that is what " + x.told.name(ref) + " says"
	}
	if x.told.c != nil && x.foreign(text) {
		return "; nothing in this conversation says that"
	}
	return ""
}

// foreign reports whether a text has few words with any turn of the case in common, or
// with any memory known of it.
func (x *explainer) foreign(text string) bool {
	b := x.told.read(text)
	if x.told.c == nil || len(b.terms) < 4 {
		return false
	}
	most := func(other *bag) bool { return other.both(b)*2 >= len(b.terms) }
	for id := range x.told.turns {
		if most(x.told.bag(id)) {
			return false
		}
	}
	return !slices.ContainsFunc(x.ledger.versions, func(v *version) bool { return v.text == text })
}

// strange reports whether a hit is of another conversation. Its sources say so, however similar the text is to what was said in this one; where it names none of
// the data set's turns, the text does.
func (x *explainer) strange(h *schema.QAHit) bool {
	if x.told.c == nil {
		return false
	}
	ours, others := false, false
	for _, r := range h.Sources {
		switch {
		case r.ConvID != x.told.c.ConvID:
			others = true
		case x.told.turns[r.TurnID].turn != nil:
			ours = true
		}
	}
	return !ours && (others || x.foreign(h.Text))
}

// notRetrieved reports the rank of a live memory.
func (x *explainer) notRetrieved(r *schema.QARecord, n *need, live []*version) finding {
	var ids []schema.PointID
	for _, v := range live {
		ids = append(ids, v.id)
	}
	if r.K == 0 && len(r.Hits)+len(r.Below) == 0 {
		return finding{hop: schema.HopOpaque, reason: fmt.Sprintf("%s is kept, but the system does not show what it retrieved", n.name), refs: n.refs, ids: point(ids...)}
	}
	for _, b := range r.Below {
		if slices.Contains(ids, b.ID) {
			f := x.belowK(r, n, b, "the memory of "+n.name)
			if kind, words := x.search(r).why(r, live); words != "" && f.kind == schema.FaultRank {
				f.kind = cmp.Or(kind, f.kind)
				f.reason += "; " + words
			}
			return f
		}
	}
	seen := len(r.Hits)
	if len(r.Below) > 0 {
		seen = r.Below[len(r.Below)-1].Rank
	}
	f := finding{hop: schema.HopRetrieve, refs: n.refs, ids: point(ids...), reason: fmt.Sprintf("the memory of %s, %s, is not among the first %d", n.name, quote(live[len(live)-1].text), seen)}
	why, words := x.search(r).why(r, live)
	if len(r.Hits) == 0 {
		f.kind, f.reason = cmp.Or(why, schema.FaultEmpty), "nothing was retrieved; the memory of "+n.name+" is "+quote(live[len(live)-1].text)
		if why != "" {
			f.reason += "; " + words
		}
		return f
	}
	kind, wasted, what := x.wasted(r)
	if mostly(wasted, r) {
		f.kind = kind
		f.reason += fmt.Sprintf("; %d of %d hits %s", wasted, len(r.Hits), what)
	} else if words != "" {
		f.kind = why
		f.reason += "; " + words
	} else if name := x.others(r, n); name != "" {
		f.reason += fmt.Sprintf("; all %d hits are what %s said", len(r.Hits), name)
	}
	return f
}

// others returns the speaker of all retrieved texts if it is one person, other than the speaker of the need.
func (x *explainer) others(r *schema.QARecord, n *need) string {
	name := ""
	for i := range r.Hits {
		for _, ref := range r.Hits[i].Sources {
			p := x.told.turns[ref.TurnID]
			if p.turn == nil || p.turn.Name == "" || name != "" && name != p.turn.Name {
				return ""
			}
			name = p.turn.Name
		}
	}
	if len(r.Hits) < 3 || slices.ContainsFunc(n.refs, func(ref schema.EventRef) bool { t := x.told.turns[ref.TurnID].turn; return t == nil || t.Name == name }) {
		return ""
	}
	return name
}

// mostly reports whether wasted hits explain a miss whose rank without them is not known: a
// few doubles among good hits are usual, and cost the evidence its place only by chance.
func mostly(wasted int, r *schema.QARecord) bool { return wasted*2 >= len(r.Hits) }

// belowK is the finding of evidence that was below the hits.
func (x *explainer) belowK(r *schema.QARecord, n *need, b schema.QARank, name string) finding {
	f := finding{hop: schema.HopRetrieve, kind: schema.FaultRank, refs: n.refs, ids: point(b.ID), reason: fmt.Sprintf("%s was at rank %d, k is %d", name, b.Rank, r.K)}
	if b.Rank <= r.K {
		f.reason = fmt.Sprintf("%s was found only when more than k were asked for, and not among the %d hits", name, len(r.Hits))
	}
	if kind, wasted, what := x.wasted(r); wasted > 0 && (b.Rank-wasted <= len(r.Hits) || mostly(wasted, r)) {
		f.kind = kind
		f.reason += fmt.Sprintf("; %d of %d hits %s", wasted, len(r.Hits), what)
	}
	return f
}

// few reports whether the system gave fewer hits than it was asked for, although it has more.
func few(r *schema.QARecord) bool { return len(r.Hits) < r.K && len(r.Below) > 0 }

// textOf is a hit's text and whose it is: people say the same twice, systems return it twice.
func textOf(h *schema.QAHit) string { return fmt.Sprint(h.Sources, h.Text) }

// wasted counts the useless hits and returns their most frequent kind: empty texts, texts of another conversation, and duplicates of other hits, by id or by
// the text of the same turns.
func (x *explainer) wasted(r *schema.QARecord) (kind string, n int, what string) {
	empty, foreign, repeats, echo := 0, 0, 0, 0
	seen, said := map[schema.PointID]bool{}, map[string]bool{}
	for i := range r.Hits {
		h := &r.Hits[i]
		switch {
		case strings.TrimSpace(h.Text) == "":
			empty++
		case x.echoes(r, h):
			echo++
		case x.strange(h):
			foreign++
		case seen[h.ID], said[textOf(h)]:
			repeats++
		}
		seen[h.ID], said[textOf(h)] = true, true
	}
	switch n = empty + foreign + repeats + echo; {
	case n == 0:
		return "", 0, ""
	case echo > 0 && echo == n:
		return schema.FaultEchoed, n, "are the question itself"
	case empty >= foreign && empty >= repeats:
		return schema.FaultEmpty, n, "have no text"
	case foreign >= repeats:
		return schema.FaultForeign, n, "are not from this conversation"
	}
	return schema.FaultDuplicate, n, "repeat another hit"
}
