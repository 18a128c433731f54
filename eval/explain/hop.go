package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/internal/textnorm"
	"membench/schema"
)

// finding is where one need was lost.
type finding struct {
	hop    string
	kind   string // a Fault of schema; "" if there is none
	reason string
	refs   []schema.EventRef
	ids    []string

	want, got, marked string // of an altered text
}

// altered returns the finding that a text differs from what it should say.
func altered(hop string, d fidelity.Difference, want, got string, n *need, ids ...schema.PointID) finding {
	return finding{hop: hop, kind: d.Kind, refs: n.refs, ids: point(ids...), want: want, got: got, marked: d.Marked}
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
	x.said = r
	r = x.sourced(r)
	a, lost := x.hop(r, v, needs)
	if x.o.Graph == nil {
		return a, nil
	}
	return a, x.breakOf(ctx, a, whole, needs, lost)
}

// hop returns the attribution from the run itself, and the needs that were lost.
func (x *explainer) hop(r *schema.QARecord, v verdict, needs []*need) (*schema.Attribution, []*need) {
	if f, ok := erratum(r, v); ok {
		return f.attribution(""), nil
	}
	if v.right != "" {
		f := finding{hop: schema.HopJudge, reason: fmt.Sprintf("%s gave %.2f, but %s", v.grade.Grader(), *v.grade.Score, v.right)}
		return f.attribution(""), nil
	}
	if f, ok := x.told.goldFault(r, len(needs)); ok {
		return f.attribution(""), nil
	}
	if r.Abstain && strings.TrimSpace(r.Answer) == "" {
		f := finding{hop: schema.HopRead, kind: schema.FaultRefused, reason: "the question cannot be answered, which was to be said; the answer is empty"}
		return f.attribution(schema.CauseGeneration), nil
	}
	if r.Abstain {
		if f, ok := x.answeredFrom(r, nil); ok {
			return f.attribution(schema.CauseHallucination), nil
		}
		f := finding{hop: schema.HopRead, reason: "the question cannot be answered, and an answer was given"}
		if len(r.Hits) > 0 {
			f.reason += fmt.Sprintf(" from %d memories that do not hold one", len(r.Hits))
			f.ids = point(r.Hits[0].ID)
		}
		var words string
		if f.kind, words = x.misread(r); words != "" {
			f.reason += "; " + words
		}
		return f.attribution(schema.CauseHallucination), nil
	}
	f, lost := x.lost(r, needs)
	cause, why := x.cause(r, f.hop, needs)
	f.reason += why
	return f.attribution(cause), lost
}

func (f finding) attribution(cause string) *schema.Attribution {
	return &schema.Attribution{Hop: f.hop, Cause: cause, Kind: f.kind, Reason: f.reason, Want: f.want, Got: f.got, Marked: f.marked, Evidence: f.refs, IDs: f.ids}
}

func goldFinding(reason string, refs ...schema.EventRef) (finding, bool) {
	return finding{hop: schema.HopGold, reason: reason, refs: refs}, true
}

// erratum is the correction of the gold, if a list has one.
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

// goldFault looks for errors in the gold that the data itself shows.
func (s *story) goldFault(r *schema.QARecord, needs int) (finding, bool) {
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
	return s.contradicted(r, needs == 1)
}

// elsewhere finds the turn that contains the gold of a question whose evidence has none of its words. Golds with fewer than three words of their own (half of
// them in Chinese) are skipped, since they are found by chance.
func (s *story) elsewhere(r *schema.QARecord) (ref schema.EventRef, ok bool) {
	if len(r.Evidence) == 0 || len(r.Golds) > 1 {
		return ref, false
	}
	own := s.read(r.Gold).without(s.read(r.Question)).terms
	if len(own) < 3 || textnorm.Lang(r.Gold) == "zh" && len(own) < 6 {
		return ref, false
	}
	for _, ref := range r.Evidence {
		if slices.ContainsFunc(own, s.bag(ref.TurnID).has) {
			return ref, false
		}
	}
	for t := range s.all {
		if all(own, s.bag(t.TurnID).has) {
			return s.ref(t.TurnID), true
		}
	}
	return ref, false
}

// lost is the earliest hop at which a need was lost, "read" if none was, "opaque" if that cannot be determined for one and no other was lost; and all
// lost needs.
func (x *explainer) lost(r *schema.QARecord, needs []*need) (worst finding, lost []*need) {
	if len(needs) == 0 {
		if key := textnorm.Key(r.Gold); key != "" && strings.Contains(textnorm.Key(r.Context), key) {
			return finding{hop: schema.HopRead, reason: "the context contains the gold word for word"}, nil
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

// until is the index of the last session that the question's memory had seen.
func (x *explainer) until(r *schema.QARecord) int {
	return x.ledger.until(x.told.questions[r.QuestionID])
}
