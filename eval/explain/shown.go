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

// inContext compares what the reader saw with the hits that carry the need.
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
			f = x.alteredContext(r, n, h)
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
		worst.reason = fmt.Sprintf("the memory of %s was retrieved at rank %d and is not whole in the context", n.name, hits[0].Rank)
	}
	return worst
}

// alteredContext compares a hit with the place of the context that is most like it.
func (x *explainer) alteredContext(r *schema.QARecord, n *need, h *schema.QAHit) finding {
	d := fidelity.Compare(fidelity.Original{Text: h.Text}, r.Context, nil)
	switch {
	case d.Kind == schema.FaultEncoding:
	case d.Kept < resembles:
		return finding{hop: schema.HopContext, kind: schema.FaultDropped}
	case d.Kind == schema.FaultCut:
		return finding{hop: schema.HopContext, kind: schema.FaultCut, want: h.Text, marked: d.Marked}
	}
	f := altered(schema.HopAlteredContext, d, h.Text, "", n, h.ID)
	f.reason = fmt.Sprintf("the hit of %s, at rank %d, was shown with %s: %s", n.name, h.Rank, faultWords[d.Kind], d.Marked)
	return f
}

// misplaced looks at what stands before a hit that is whole in the context: another
// speaker or another date than that of its turn. The zero finding says that nothing is
// wrong.
func (x *explainer) misplaced(r *schema.QARecord, n *need, h *schema.QAHit) finding {
	for _, o := range n.said {
		if !fidelity.Carries(o.Text, h.Text) || len(h.Sources) == 0 || !slices.Contains(n.refs, h.Sources[0]) {
			continue
		}
		d := fidelity.Compare(fidelity.Original{Text: h.Text, Time: o.Time}, r.Context, nil)
		if d.Kind != schema.FaultDate {
			continue
		}
		f := altered(schema.HopAlteredContext, d, o.Time, "", n, h.ID)
		f.reason = fmt.Sprintf("the hit of %s, at rank %d, was shown with %s: %s", n.name, h.Rank, faultWords[d.Kind], d.Marked)
		return f
	}
	return finding{}
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

// contextHolds reports whether the turn, or a live memory of it, stands in the context
// word for word.
func (x *explainer) contextHolds(r *schema.QARecord, n *need, live []*version) bool {
	all := x.contextKey(r)
	holds := func(text string) bool {
		key := textnorm.Key(text)
		return len(key) >= shortest && strings.Contains(all, key)
	}
	return all != "" && (holds(n.text) || slices.ContainsFunc(live, func(v *version) bool { return holds(v.text) }))
}
