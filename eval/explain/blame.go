package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/schema"
)

// misled looks for a fault of the system in what a reader was shown that had all the evidence: the reader is blamed only for what it made of sound texts.
func (x *explainer) misled(r *schema.QARecord, needs []*need) (finding, bool) {
	if abstains(r) {
		return finding{}, false
	}
	s := x.until(r)
	if slices.ContainsFunc(r.AllGolds(), timed) && len(x.told.read(r.Answer).terms) <= timeTerms {
		for _, n := range needs {
			_, live := x.ledger.carriers(n, s, x.frame)
			carrying, _ := x.hits(r, n, live)
			for _, h := range carrying {
				if f, ok := x.dated(r, n, h); ok {
					return f, true
				}
			}
		}
	}
	if f, ok := x.answeredFrom(r, needs); ok {
		return f, true
	}
	if kind, wasted, what := x.wasted(r); wasted > 0 && mostly(wasted, r) {
		f := finding{hop: schema.HopRetrieve, kind: kind, reason: fmt.Sprintf("the evidence was shown, and %d of %d hits %s", wasted, len(r.Hits), what)}
		if n := x.copies(r, s); kind == schema.FaultDuplicate && n > 1 {
			f.reason += fmt.Sprintf("; the memory holds the text of hit 1 %d times", n)
		}
		for _, n := range needs {
			f.refs = append(f.refs, n.refs...)
		}
		return f, true
	}
	return finding{}, false
}

// copies counts the live memories with the text of the first hit.
func (x *explainer) copies(r *schema.QARecord, s int) (n int) {
	for _, v := range x.ledger.versions {
		if v.liveAt(s) && v.text == r.Hits[0].Text {
			n++
		}
	}
	return n
}

func days(s string) []timex.Day { return timex.Named(textnorm.Compat(s)) }

func timed(s string) bool { return len(timex.Find(textnorm.Compat(s), 0)) > 0 }

// dated looks for the reason why a question about a time failed in the time that is beside a text which is right: the system put another one into it, or the
// reader saw none or another one because the turns that the system names as its source are not those of the text.
func (x *explainer) dated(r *schema.QARecord, n *need, h *schema.QAHit) (finding, bool) {
	at := slices.IndexFunc(n.said, func(o fidelity.Original) bool { return o.Time != "" && fidelity.Carries(o.Text, h.Text) })
	if at < 0 {
		return finding{}, false
	}
	o := n.said[at]
	said := days(o.Time[:min(len(o.Time), len("2006-01-02"))])
	hop, of := schema.HopAlteredRetrieved, "the hit"
	v := x.ledger.version(h.ID, x.until(r))
	if v != nil && v.text == h.Text {
		hop, of = schema.HopAlteredStored, "the memory"
	}
	f := finding{hop: hop, refs: n.refs, ids: point(h.ID)}
	added := days(strings.ReplaceAll(h.Text, o.Text, " "))
	for _, day := range days(r.Answer) {
		if slices.Contains(added, day) && !slices.Contains(said, day) {
			f.kind, f.want, f.got = schema.FaultDate, o.Text, h.Text
			f.reason = fmt.Sprintf("%s of %s has the date %s, which the answer repeats; the turn was said on %s", of, n.name, day, o.Time)
			return f, true
		}
	}
	claimed := h.Sources
	if h.Rank >= 1 && h.Rank <= len(x.said.Hits) {
		claimed = x.said.Hits[h.Rank-1].Sources
	}
	if c, _ := x.told.naming(h.Text, claimed); c != silent && !c.bad() || len(said) == 0 {
		return finding{}, false
	}
	before, _, shown := strings.Cut(r.Context, h.Text)
	label := days(before[strings.LastIndexByte(before, '\n')+1:])
	if !shown || slices.ContainsFunc(said, func(d timex.Day) bool { return slices.Contains(label, d) || slices.Contains(added, d) }) {
		return finding{}, false
	}
	// The reader took the time that it saw, or found the text and had no time to give.
	own := x.told.read(r.Answer).without(x.told.read(r.Question))
	took := slices.ContainsFunc(days(r.Answer), func(d timex.Day) bool { return slices.Contains(label, d) })
	key := textnorm.Key(r.Answer)
	found := key != "" && strings.Contains(x.told.read(h.Text).norm(), key) || len(own.terms) > 0 && float64(own.both(x.told.read(h.Text))) >= mostOf*float64(len(own.terms))
	if !took && (!found || timed(r.Answer)) {
		return finding{}, false
	}
	f.kind = schema.FaultSource
	f.reason = fmt.Sprintf("%s of %s names %s as its source, so the reader saw it", of, n.name, x.told.names(claimed))
	if len(label) > 0 {
		f.reason += fmt.Sprintf(" with the date %s and not %s", label[0], said[0])
	} else {
		f.reason += fmt.Sprintf(" without its time, %s", o.Time)
	}
	return f, true
}

// mostOf is the share of an answer's own words that a hit has from which the answer is from it.
const mostOf = 0.6

// answeredFrom looks for the hit that the answer is from, and whether the system is to blame for it: it is not from the memory, or not what the memory or the
// turn says.
func (x *explainer) answeredFrom(r *schema.QARecord, needs []*need) (finding, bool) {
	own := x.told.read(r.Answer).without(x.told.read(r.Question))
	var from *schema.QAHit
	most := 0
	for i := range r.Hits {
		h := &r.Hits[i]
		if x.echoes(r, h) && x.told.read(r.Answer).norm() == x.told.read(r.Question).norm() {
			from = h
			break
		}
		both := own.both(x.told.read(h.Text))
		if both > most && float64(both) >= mostOf*float64(len(own.terms)) {
			from, most = h, both
		}
	}
	if from == nil {
		return finding{}, false
	}
	f := finding{hop: schema.HopRetrieve, ids: point(from.ID)}
	for _, n := range needs {
		f.refs = append(f.refs, n.refs...)
	}
	s := x.until(r)
	v := x.ledger.version(from.ID, s)
	switch {
	case x.echoes(r, from):
		f.kind, f.reason = schema.FaultEchoed, fmt.Sprintf("the answer is from the hit at rank %d, which is the question itself", from.Rank)
		return f, true
	case v == nil && x.ledger.transparent && x.strange(from):
		f.kind, f.reason = schema.FaultForeign, fmt.Sprintf("the answer is from the hit at rank %d, %s, which is not from this conversation", from.Rank, quote(from.Text))
		return f, true
	case len(needs) == 0, v == nil || v.text == from.Text || slices.ContainsFunc(needs, func(n *need) bool {
		return n.holds(x.told.read(from.Text), from.Sources, x.frame) && v != nil && n.holds(v.words, v.sources, x.frame)
	}):
		return finding{}, false
	}
	one := &need{name: "that turn", refs: v.sources, said: []fidelity.Original{x.told.unlabelled(v.text)}}
	if len(v.sources) > 0 {
		one.name, one.said = x.told.name(v.sources[0]), x.told.said(v.sources[0], nil)
	}
	if got, ok := x.alteredHit(r, from, v, one); ok {
		got.reason = "the answer is from a hit that is not what its memory says: " + got.reason
		return got, true
	}
	return finding{}, false
}
