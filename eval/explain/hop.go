package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/internal/tokencount"
	"membench/schema"
)

// finding is where one need was lost.
type finding struct {
	hop    string
	reason string
	refs   []schema.EventRef
	ids    []string
}

func point(ids ...schema.PointID) []string {
	var out []string
	for _, id := range ids {
		if id != "" && !slices.Contains(out, string(id)) {
			out = append(out, string(id))
		}
	}
	return out
}

// attribute follows the evidence of a question that failed.
func (x *explainer) attribute(ctx context.Context, r *schema.QARecord, v verdict) (*schema.Attribution, error) {
	whole := r
	if c, ok, _ := r.Corrected(); ok {
		r = &c
	}
	needs := x.told.needs(r)
	a, lost := x.hop(r, v, needs)
	if x.o.Graph == nil {
		return a, nil
	}
	return a, x.breakOf(ctx, a, whole, needs, lost)
}

// hop is what the run itself shows, and the needs that were lost.
func (x *explainer) hop(r *schema.QARecord, v verdict, needs []*need) (*schema.Attribution, []*need) {
	if f, ok := erratum(r, v); ok {
		return f.attribution(""), nil
	}
	if v.right != "" {
		f := finding{hop: schema.HopJudge, reason: fmt.Sprintf("%s gave %.2f, but %s", grader(v.grade), *v.grade.Score, v.right)}
		return f.attribution(""), nil
	}
	if f, ok := x.told.goldFault(r); ok {
		return f.attribution(""), nil
	}
	if r.Abstain {
		f := finding{hop: schema.HopRead, reason: "the question cannot be answered, and an answer was given"}
		if len(r.Hits) > 0 {
			f.reason += fmt.Sprintf(" from %d memories that do not hold one", len(r.Hits))
			f.ids = point(r.Hits[0].ID)
		}
		return f.attribution(schema.CauseHallucination), nil
	}
	f, lost := x.lost(r, needs)
	return f.attribution(x.cause(r, f.hop, needs)), lost
}

func (f finding) attribution(cause string) *schema.Attribution {
	return &schema.Attribution{Hop: f.hop, Cause: cause, Reason: f.reason, Evidence: f.refs, IDs: f.ids}
}

func goldFinding(reason string, refs ...schema.EventRef) (finding, bool) {
	return finding{hop: schema.HopGold, reason: reason, refs: refs}, true
}

// erratum is what a correction list says of the gold.
func erratum(r *schema.QARecord, v verdict) (finding, bool) {
	if r.Errata == nil {
		return finding{}, false
	}
	if _, ok, why := r.Corrected(); !ok {
		return goldFinding(why)
	}
	if c := v.corrected; c != nil && c.Score != nil && *c.Score > *v.grade.Score {
		return goldFinding(fmt.Sprintf("right by the corrected gold %s (%s)", quote(r.Errata.Answer), r.Errata.Overlay))
	}
	return finding{}, false
}

// goldFault looks for what the data itself shows to be wrong with the gold.
func (s *story) goldFault(r *schema.QARecord) (finding, bool) {
	if r.Abstain {
		return finding{}, false
	}
	if strings.TrimSpace(strings.Join(r.AllGolds(), "")) == "" {
		return goldFinding("the question has no gold")
	}
	if s.c == nil {
		return finding{}, false
	}
	for _, ref := range r.Evidence {
		if _, ok := s.turns[ref.TurnID]; !ok || ref.ConvID != s.c.ConvID {
			return goldFinding(fmt.Sprintf("the gold evidence names turn %d, which the case does not have", ref.TurnID), ref)
		}
	}
	if q := s.questions[r.QuestionID]; q != nil && len(r.Evidence) == 0 && len(r.EvidenceTexts) == 0 && len(q.Unresolved) > 0 {
		return goldFinding("the gold evidence names nothing in the case: " + strings.Join(q.Unresolved, ", "))
	}
	if ref, ok := s.elsewhere(r); ok {
		return goldFinding(fmt.Sprintf("none of the gold's words is in its evidence, all of them are in %s: %s", s.name(ref), quote(s.turns[ref.TurnID].text())), ref)
	}
	return finding{}, false
}

// elsewhere finds the turn that says the gold of a question whose evidence has not one
// word of it. Golds of fewer than three words of their own (half of them in Chinese)
// are found by chance, and are not looked for.
func (s *story) elsewhere(r *schema.QARecord) (ref schema.EventRef, ok bool) {
	if len(r.Evidence) == 0 || len(r.Golds) > 1 {
		return ref, false
	}
	asked, gold := newBag(r.Question), newBag(r.Gold)
	own := slices.DeleteFunc(slices.Clone(gold.terms), asked.has)
	if len(own) < 3 || gold.lang == "zh" && len(own) < 6 {
		return ref, false
	}
	for _, ref := range r.Evidence {
		if slices.ContainsFunc(own, s.bag(ref.TurnID).has) {
			return ref, false
		}
	}
	for i := range s.c.Sessions {
		for j := range s.c.Sessions[i].Turns {
			id := s.c.Sessions[i].Turns[j].TurnID
			if b := s.bag(id); !slices.ContainsFunc(own, func(t string) bool { return !b.has(t) }) {
				return schema.EventRef{ConvID: s.c.ConvID, TurnID: id}, true
			}
		}
	}
	return ref, false
}

// lost is the earliest hop at which a need was lost, "read" if none was, "opaque" if
// that cannot be told of one and no other was lost; and all that were lost.
func (x *explainer) lost(r *schema.QARecord, needs []*need) (worst finding, lost []*need) {
	if len(needs) == 0 {
		if key := textnorm.Key(r.Gold); key != "" && strings.Contains(textnorm.Key(r.Context), key) {
			return finding{hop: schema.HopRead, reason: "the gold stands in the context word for word"}, nil
		}
		return finding{hop: schema.HopOpaque, reason: "the data set names no evidence for this question"}, nil
	}
	order := schema.Hops()
	worst = finding{hop: schema.HopRead}
	for _, n := range needs {
		f := x.follow(r, n)
		if f.hop == schema.HopRead {
			continue
		}
		if lost = append(lost, n); worst.hop == schema.HopRead || slices.Index(order, f.hop) < slices.Index(order, worst.hop) {
			worst = f
		}
	}
	if len(lost) == 0 {
		return x.notUsed(r, needs), nil
	}
	if len(needs) > 1 {
		worst.reason += fmt.Sprintf(" (lost: %d of %d pieces of evidence)", len(lost), len(needs))
	}
	return worst, lost
}

// notUsed is the finding where the reader saw everything.
func (x *explainer) notUsed(r *schema.QARecord, needs []*need) finding {
	f := finding{hop: schema.HopRead, reason: "all the evidence was in the context"}
	if r.Context == "" {
		f.reason = "all the evidence was among the hits"
	}
	if abstains(r) {
		f.reason += ", and the reader gave no answer"
	}
	var ids []schema.PointID
	for _, n := range needs {
		f.refs = append(f.refs, n.refs...)
		if i := slices.IndexFunc(r.Hits, func(h schema.QAHit) bool { return x.hitHolds(r, &h, n) }); i >= 0 {
			ids = append(ids, r.Hits[i].ID)
		}
	}
	f.ids = point(ids...)
	return f
}

func (x *explainer) until(r *schema.QARecord) int {
	return x.ledger.until(x.told.questions[r.QuestionID])
}

// hitHolds reports whether a hit carries the need: by the memory's history where it is
// known, else by its own text and sources.
func (x *explainer) hitHolds(r *schema.QARecord, h *schema.QAHit, n *need) bool {
	s := x.until(r)
	if v := x.ledger.version(h.ID, s); v != nil {
		_, live := x.ledger.carriers(n, s)
		return slices.Contains(live, v) || len(v.sources) == 0 && n.holds(&version{text: h.Text, sources: h.Sources})
	}
	return n.holds(&version{text: h.Text, sources: h.Sources})
}

// follow takes one need along the hops.
func (x *explainer) follow(r *schema.QARecord, n *need) finding {
	var carrying []*schema.QAHit
	for i := range r.Hits {
		if x.hitHolds(r, &r.Hits[i], n) {
			carrying = append(carrying, &r.Hits[i])
		}
	}
	if len(carrying) > 0 {
		return x.inContext(r, n, carrying)
	}
	s := x.until(r)
	ever, live := x.ledger.carriers(n, s)
	if x.contextHolds(r, n, live) { // a context that holds more than the hits
		return finding{schema.HopRead, "", n.refs, nil}
	}
	switch {
	case len(live) > 0:
		return x.notRetrieved(r, n, live)
	case len(ever) > 0:
		last := ever[len(ever)-1]
		return finding{schema.HopOverwrite, fmt.Sprintf("the memory of %s, %s, %s in session %s", n.name, quote(last.text), last.fate(), x.sessionName(last.to)), n.refs, x.after(last)}
	}
	if f, ok := x.notIngested(n); ok {
		return f
	}
	for _, b := range r.Below { // a system that shows ranks but no memories
		if slices.ContainsFunc(b.Sources, func(ref schema.EventRef) bool { return slices.Contains(n.refs, ref) }) && x.ledger.version(b.ID, s) == nil {
			return finding{schema.HopRetrieve, fmt.Sprintf("%s stood at rank %d, k is %d", n.name, b.Rank, r.K), n.refs, point(b.ID)}
		}
	}
	if x.ledger.transparent {
		var near []schema.PointID
		most := ""
		for _, ref := range n.refs {
			for _, v := range x.ledger.byRef[ref] {
				near = append(near, v.id)
				if len(v.text) > len(most) {
					most = v.text
				}
			}
		}
		if len(near) > 0 {
			return finding{schema.HopStore, fmt.Sprintf("what is kept of %s, in %d memories such as %s, does not say %s", n.name, len(near), quote(most), strings.Join(n.key, " ")), n.refs, point(near...)}
		}
		return finding{schema.HopStore, fmt.Sprintf("no memory was made of %s: %s", n.name, quote(n.text)), n.refs, nil}
	}
	shows := "the system shows neither its memories nor what it retrieved"
	if r.K > 0 || len(r.Hits)+len(r.Below) > 0 {
		shows = "the system does not show its memories: it was either not stored, overwritten, or not retrieved"
	}
	return finding{schema.HopOpaque, n.name + " is not among the hits, and " + shows, n.refs, nil}
}

// sessionName is the id of a session by its index.
func (x *explainer) sessionName(i int) string { return x.ledger.names[i] }

// after are the ids of a text that is gone and of what took its place.
func (x *explainer) after(v *version) []string {
	if v.next != nil {
		return point(v.id, v.next.id)
	}
	return point(v.id)
}

// notIngested reports that no turn of the need was given to the system, as far as its
// sessions say. Where a session took fewer turns than it has, a turn without a memory
// is one of the missing when it stands behind those taken (turns go in in their order),
// or when just as many have no memory as are missing. Else it is one or the other.
func (x *explainer) notIngested(n *need) (finding, bool) {
	if len(n.refs) == 0 || len(x.ledger.sessions) == 0 {
		return finding{}, false
	}
	f := finding{hop: schema.HopIngest, refs: n.refs}
	for _, ref := range n.refs {
		p := x.told.turns[ref.TurnID]
		if p.turn == nil {
			return finding{}, false
		}
		name := x.told.name(ref)
		s := x.ledger.sessions[p.session.ID]
		if s == nil {
			f.reason = fmt.Sprintf("the run has no record of session %s, in which %s stands", p.session.ID, name)
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
			f.reason += ": " + s.Error
		}
	}
	return f, true
}

// without counts the turns of a session that no memory ever came from.
func (x *explainer) without(s *schema.Session) (n int) {
	for _, t := range s.Turns {
		if len(x.ledger.loose) > 0 && len(x.told.bag(t.TurnID).terms) < 3 {
			continue // without sources a turn of few words cannot be told from others
		}
		one := &need{refs: []schema.EventRef{{ConvID: x.told.c.ConvID, TurnID: t.TurnID}}, turns: x.told.bag(t.TurnID)}
		if ever, _ := x.ledger.carriers(one, x.ledger.last); len(ever) == 0 {
			n++
		}
	}
	return n
}

// notRetrieved says where a live memory stood.
func (x *explainer) notRetrieved(r *schema.QARecord, n *need, live []*version) finding {
	var ids []schema.PointID
	for _, v := range live {
		ids = append(ids, v.id)
	}
	if r.K == 0 && len(r.Hits)+len(r.Below) == 0 {
		return finding{schema.HopOpaque, fmt.Sprintf("%s is kept, but the system does not show what it retrieved", n.name), n.refs, point(ids...)}
	}
	for _, b := range r.Below {
		if slices.Contains(ids, b.ID) {
			return finding{schema.HopRetrieve, fmt.Sprintf("the memory of %s stood at rank %d, k is %d", n.name, b.Rank, r.K), n.refs, point(b.ID)}
		}
	}
	seen := len(r.Hits)
	if len(r.Below) > 0 {
		seen = r.Below[len(r.Below)-1].Rank
	}
	return finding{schema.HopRetrieve, fmt.Sprintf("the memory of %s, %s, is not among the first %d", n.name, quote(live[len(live)-1].text), seen), n.refs, point(ids...)}
}

// inContext reports whether one of the hits that carry the need reached the reader.
func (x *explainer) inContext(r *schema.QARecord, n *need, hits []*schema.QAHit) finding {
	all := x.contextKey(r)
	var ids []schema.PointID
	for _, h := range hits {
		whole := all == "" || strings.Contains(all, textnorm.Key(h.Text))
		if !whole && !h.Cut { // a context in the system's own words
			whole = len(n.refs) > 0 && len(n.key) > 0 && n.keyIn(newBag(r.Context))
		}
		if h.Cut && all == "" {
			whole = false
		}
		if whole {
			return finding{schema.HopRead, "", n.refs, point(h.ID)}
		}
		ids = append(ids, h.ID)
	}
	if x.contextHolds(r, n, nil) {
		return finding{schema.HopRead, "", n.refs, point(ids...)}
	}
	return finding{schema.HopContext, fmt.Sprintf("the memory of %s was retrieved at rank %d and is not whole in the context", n.name, hits[0].Rank), n.refs, point(ids...)}
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
// key: shorter ones stand there by chance.
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
