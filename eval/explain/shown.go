package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/internal/textnorm"
	"membench/internal/tokencount"
	"membench/schema"
)

// inContext compares the reader's context with the hits that contain the need.
func (x *explainer) inContext(r *schema.QARecord, n *need, hits []*schema.QAHit) finding {
	all := x.contextKey(r)
	var ids []schema.PointID
	var worst finding
	for _, h := range hits {
		f := finding{hop: schema.HopContext, kind: schema.FaultCut}
		switch {
		case all == "" && !h.Cut:
			return finding{hop: schema.HopRead, refs: n.refs, ids: point(h.ID)}
		case all == "":
		case strings.Contains(all, textnorm.Key(h.Text)):
			if f = x.misplaced(r, n, h); f.hop == "" {
				return finding{hop: schema.HopRead, refs: n.refs, ids: point(h.ID)}
			}
		case h.Cut:
		case !x.rendered(r): // a context in the system's own words
			if len(n.refs) > 0 && len(n.key) > 0 && n.keyIn(newBag(r.Context)) {
				return finding{hop: schema.HopRead, refs: n.refs, ids: point(h.ID)}
			}
			f = x.retold(r, n, h)
		default:
			f = x.alteredContext(r, n, h)
		}
		ids = append(ids, h.ID)
		if worst.hop == "" || worst.hop == schema.HopContext && f.hop == schema.HopAlteredContext {
			worst = f
		}
	}
	if worst.hop == schema.HopContext && x.contextHolds(r, n, nil) {
		return finding{hop: schema.HopRead, refs: n.refs, ids: point(ids...)}
	}
	worst.refs, worst.ids = n.refs, point(ids...)
	if worst.reason == "" {
		worst.reason = fmt.Sprintf("the memory of %s was retrieved at rank %d and is incomplete in the context", n.name, hits[0].Rank)
	}
	return worst
}

// alteredContext compares a hit with the most similar place of the context.
func (x *explainer) alteredContext(r *schema.QARecord, n *need, h *schema.QAHit) finding {
	rest := x.unclaimed(r, h)
	o := x.told.unlabelled(h.Text)
	d := fidelity.Compare(o, rest, nil)
	if d.Same() { // the label is gone, or not where it was
		d.Kind = schema.FaultSpeaker
		if whole := fidelity.Compare(fidelity.Original{Text: h.Text}, rest, nil); whole.Kind == schema.FaultEncoding {
			d = whole
		}
	}
	switch {
	case d.Kind == schema.FaultEncoding:
	case d.Kept < resembles:
		return finding{hop: schema.HopContext, kind: schema.FaultDropped}
	case d.Kind == schema.FaultCut, fidelity.Excerpt(o.Text, rest):
		return finding{hop: schema.HopContext, kind: schema.FaultCut, want: h.Text, marked: d.Marked}
	}
	return x.wrongly(n, h, d)
}

// retold judges a context in the system's own words on facts.
func (x *explainer) retold(r *schema.QARecord, n *need, h *schema.QAHit) finding {
	d := fidelity.Facts(fidelity.Original{Text: h.Text, Speakers: x.told.speakers()}, r.Context, false)
	if d.Same() {
		return finding{hop: schema.HopContext, kind: schema.FaultDropped}
	}
	return x.wrongly(n, h, d)
}

// wrongly is the finding that a hit was shown with a difference.
func (x *explainer) wrongly(n *need, h *schema.QAHit, d fidelity.Difference) finding {
	f := altered(schema.HopAlteredContext, d, h.Text, "", n, h.ID)
	f.reason = fmt.Sprintf("the hit of %s, at rank %d, was shown with %s: %s", n.name, h.Rank, faultWords[d.Kind], d.Marked)
	return f
}

// unclaimed returns the context without the lines that show the other hits, so that no line is attributed to two hits.
func (x *explainer) unclaimed(r *schema.QARecord, h *schema.QAHit) string {
	rest := r.Context
	for i := range r.Hits {
		if o := &r.Hits[i]; o.Rank != h.Rank && o.Text != "" && o.Text != h.Text {
			rest = strings.ReplaceAll(rest, o.Text, "\n")
		}
	}
	return rest
}

// unlabelled returns a text as an original: a speaker's name before it is compared as a name and is not part of the text.
func (s *story) unlabelled(text string) fidelity.Original {
	o := fidelity.Original{Text: text, Speakers: s.speakers()}
	for _, name := range o.Speakers {
		for _, colon := range []string{": ", "："} {
			if said, ok := strings.CutPrefix(text, name+colon); ok {
				o.Text, o.Speaker = said, name
			}
		}
	}
	return o
}

// speakers returns the speakers of the case.
func (s *story) speakers() []string {
	if s.c == nil {
		return nil
	}
	return s.c.Speakers
}

// misplaced examines the text before and after a hit that is complete in the context: another date than that of its turn, or additional words. The zero finding
// means that there is no error.
func (x *explainer) misplaced(r *schema.QARecord, n *need, h *schema.QAHit) finding {
	d := fidelity.Difference{}
	for _, o := range n.said {
		if len(h.Sources) > 0 && slices.Contains(n.refs, h.Sources[0]) && fidelity.Carries(o.Text, h.Text) && d.Same() {
			if d = fidelity.Compare(fidelity.Original{Text: h.Text, Time: o.Time}, r.Context, nil); d.Kind != schema.FaultDate {
				d = fidelity.Difference{}
			}
		}
	}
	if d.Same() {
		d = x.trailed(r, h)
	}
	if d.Same() {
		return finding{}
	}
	return x.wrongly(n, h, d)
}

// trailed looks for words behind a hit on its line, where other hits have none.
func (x *explainer) trailed(r *schema.QARecord, h *schema.QAHit) fidelity.Difference {
	var f fidelity.Frame
	line := func(h *schema.QAHit) string {
		_, after, ok := strings.Cut(r.Context, h.Text)
		if !ok {
			return ""
		}
		after, _, _ = strings.Cut(after, "\n")
		return h.Text + after
	}
	for i := range r.Hits {
		if o := &r.Hits[i]; o.Rank != h.Rank && o.Text != "" {
			if l := line(o); l != "" {
				f.Learn(fidelity.Original{Text: o.Text}, l)
			}
		}
	}
	l := line(h)
	if l == "" {
		return fidelity.Difference{}
	}
	return fidelity.Compare(fidelity.Original{Text: h.Text}, l, &f)
}

// rendered reports whether the context was made of the hits' texts: at least half of
// those that were not cut are in it.
func (x *explainer) rendered(r *schema.QARecord) bool {
	all := x.contextKey(r)
	in, n := 0, 0
	for i := range r.Hits {
		if h := &r.Hits[i]; !h.Cut {
			n++
			if strings.Contains(all, textnorm.Key(h.Text)) {
				in++
			}
		}
	}
	return in*2 >= n
}

// shown is the last context looked at: the questions of a case often share one.
type shown struct {
	text, key string
	tokens    int // -1: not counted
}

func (x *explainer) see(r *schema.QARecord) *shown {
	if x.context.text != r.Context || x.context.key == "" {
		x.context = shown{r.Context, textnorm.Key(r.Context), -1}
	}
	return &x.context
}

// contextKey is the context made ready for looking texts up.
func (x *explainer) contextKey(r *schema.QARecord) string { return x.see(r).key }

// contextTokens is its length.
func (x *explainer) contextTokens(r *schema.QARecord) int {
	c := x.see(r)
	if c.tokens < 0 {
		c.tokens = tokencount.O200k(c.text)
	}
	return c.tokens
}

// shortest is how long a text must be to be looked for in a context, in bytes of its
// key: shorter ones are there by chance.
const shortest = 16

// contextHolds reports whether the context contains the turn, or a live memory of it, word for word.
func (x *explainer) contextHolds(r *schema.QARecord, n *need, live []*version) bool {
	all := x.contextKey(r)
	holds := func(text string) bool {
		key := textnorm.Key(text)
		return len(key) >= shortest && strings.Contains(all, key)
	}
	said := func(o fidelity.Original) bool { return holds(o.Text) && fidelity.Same(o, r.Context, nil) }
	return all != "" && (slices.ContainsFunc(n.said, said) || slices.ContainsFunc(live, func(v *version) bool { return holds(v.text) }))
}
