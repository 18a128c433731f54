package explain

import (
	"slices"

	"membench/schema"
)

// cause is the class of a failure at a hop.
func (x *explainer) cause(r *schema.QARecord, hop string, needs []*need) string {
	switch hop {
	case schema.HopGold, schema.HopJudge, schema.HopOpaque:
		return ""
	case schema.HopOverwrite:
		return schema.CauseConflict
	case schema.HopContext:
		return schema.CauseOverload
	case schema.HopIngest, schema.HopStore, schema.HopRetrieve, schema.HopAlteredStored, schema.HopAlteredRetrieved, schema.HopAlteredContext:
		if hop == schema.HopRetrieve && x.oldValue(r, needs) {
			return schema.CauseConflict
		}
		return schema.CauseMiss
	}
	switch {
	case x.oldValue(r, needs):
		return schema.CauseConflict
	case otherTime(r):
		return schema.CauseTemporal
	case x.contextTokens(r) >= x.o.LongContext:
		return schema.CauseOverload
	}
	return schema.CauseGeneration
}

// otherTime reports whether gold and answer both name a time. They are not the same:
// the answer is wrong. A long answer names times by the way.
func otherTime(r *schema.QARecord) bool {
	if len(newBag(r.Answer).terms) > timeTerms {
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

// oldValue reports whether the answer's own words appear in an obsolete text: one that a later memory replaced, one that the data set marks as updated, or, for
// a question about an update, evidence before the newest.
func (x *explainer) oldValue(r *schema.QARecord, needs []*need) bool {
	asked, gold := newBag(r.Question), newBag(r.Gold)
	own := newBag(r.Answer)
	own.terms = slices.DeleteFunc(own.terms, func(t string) bool { return asked.has(t) || gold.has(t) })
	if len(own.terms) == 0 || len(own.terms) > oldValueTerms || abstains(r) {
		return false
	}
	update := r.Category == schema.CatKU || r.Category == schema.CatCR
	about := 1 // number of words of the question that an old value appears with
	if !update {
		about = 2
	}
	says := func(text string) bool {
		b := newBag(text)
		return float64(own.both(b)) >= oldValueShare*float64(len(own.terms)) && asked.both(b) >= about
	}
	s := x.until(r)
	for _, v := range x.ledger.versions {
		if v.from > s {
			continue
		}
		if v.to <= s && says(v.text) || slices.ContainsFunc(v.previous, says) {
			return true
		}
	}
	if x.told.c != nil {
		for _, session := range x.told.c.Sessions {
			for _, p := range session.Points {
				if p.IsUpdate && slices.ContainsFunc(p.Originals, says) {
					return true
				}
			}
		}
	}
	if !update || len(needs) < 2 {
		return false
	}
	newest := len(needs) - 1 // needs are in the order of the turns
	return slices.ContainsFunc(needs[:newest], func(n *need) bool { return says(n.text) })
}
