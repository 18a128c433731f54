package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/schema"
)

// cause is the class of a failure at a hop, and what the reason says of it.
func (x *explainer) cause(r *schema.QARecord, hop string, needs []*need) (cause, why string) {
	switch hop {
	case schema.HopGold, schema.HopJudge, schema.HopOpaque:
		return "", ""
	case schema.HopOverwrite:
		return schema.CauseConflict, ""
	case schema.HopContext:
		return schema.CauseOverload, ""
	case schema.HopIngest, schema.HopStore, schema.HopAlteredStored, schema.HopAlteredRetrieved, schema.HopAlteredContext:
		return schema.CauseMiss, ""
	}
	old, why := x.oldValue(r, needs, hop == schema.HopRetrieve)
	switch {
	case old:
		return schema.CauseConflict, why
	case hop == schema.HopRetrieve:
		return schema.CauseMiss, ""
	case x.otherTime(r):
		return schema.CauseTemporal, ""
	case x.contextTokens(r) >= x.o.LongContext:
		return schema.CauseOverload, ""
	}
	return schema.CauseGeneration, ""
}

// otherTime reports whether gold and answer both name a time. They are not the same:
// the answer is wrong. A long answer names times by the way.
func (x *explainer) otherTime(r *schema.QARecord) bool {
	if len(x.told.read(r.Answer).terms) > timeTerms {
		return false
	}
	return timed(r.Answer) && slices.ContainsFunc(r.AllGolds(), timed)
}

// Bounds of an answer, in terms, that is searched for times and compared with old
// values: a longer one holds the words of many texts.
const (
	timeTerms     = 25
	oldValueTerms = 12
	oldValueShare = 0.8 // of the answer's own terms that are in the old text
)

// oldValue reports whether the answer's own words appear in an obsolete text: one that a later memory replaced, one that the data set marks as updated, for
// a question about an update evidence before the newest, or, unless that was missed, an older hit beside the newest evidence; and what the reason says of it.
func (x *explainer) oldValue(r *schema.QARecord, needs []*need, missed bool) (old bool, why string) {
	asked := x.told.read(r.Question)
	own := x.told.read(r.Answer).without(asked, x.told.read(r.Gold))
	if len(own.terms) == 0 || len(own.terms) > oldValueTerms || abstains(r) {
		return false, ""
	}
	update := r.Category == schema.CatKU || r.Category == schema.CatCR
	about := 1 // number of words of the question that an old value appears with
	if !update {
		about = 2
	}
	has := func(b *bag) bool { return float64(own.both(b)) >= oldValueShare*float64(len(own.terms)) }
	says := func(text string) bool {
		b := x.told.read(text)
		return has(b) && asked.both(b) >= about
	}
	s := x.until(r)
	for _, v := range x.ledger.versions {
		if v.from > s {
			continue
		}
		if v.to <= s && says(v.text) || slices.ContainsFunc(v.previous, says) {
			return true, ""
		}
	}
	if x.told.c != nil {
		for _, session := range x.told.c.Sessions {
			for _, p := range session.Points {
				if p.IsUpdate && slices.ContainsFunc(p.Originals, says) {
					return true, ""
				}
			}
		}
	}
	// Needs are in the order of the turns.
	if update && len(needs) > 1 && slices.ContainsFunc(needs[:len(needs)-1], func(n *need) bool { return says(n.text) }) {
		return true, ""
	}
	if h, ref, ok := x.outdated(r, needs, has); ok && !missed {
		return true, fmt.Sprintf("; the answer's value is that of the hit at rank %d, from %s, which is older", h.Rank, x.told.name(ref))
	}
	return false, ""
}

// outdated finds a hit that says the answer's words and none of the gold's, of a turn by the speaker of the newest evidence and before it, that shares half as many
// words with the question as the evidence does: of one thing an old and a new value.
func (x *explainer) outdated(r *schema.QARecord, needs []*need, says func(*bag) bool) (h *schema.QAHit, ref schema.EventRef, ok bool) {
	if len(needs) == 0 || len(needs[len(needs)-1].refs) == 0 || x.told.c == nil {
		return nil, ref, false
	}
	newest := needs[len(needs)-1]
	is := x.told.turns[newest.refs[0].TurnID]
	asked := x.told.read(r.Question).without(x.told.read(strings.Join(x.told.speakers(), " "))) // hits have them in front
	if is.turn == nil || len(newest.key) == 0 || says(newest.turns) {
		return nil, ref, false
	}
	for i := range r.Hits {
		h := &r.Hits[i]
		b := x.told.read(h.Text)
		if slices.ContainsFunc(newest.gold, b.has) || !says(b) || 2*asked.both(b) < max(1, asked.both(newest.turns)) {
			continue
		}
		for _, ref := range h.Sources {
			if was := x.told.turns[ref.TurnID]; was.turn != nil && ref.ConvID == x.told.c.ConvID && was.turn.Name == is.turn.Name && was.turn.Role == is.turn.Role && was.order < is.order && !slices.Contains(r.Evidence, ref) {
				return h, ref, true
			}
		}
	}
	return nil, ref, false
}
