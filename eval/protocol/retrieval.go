package protocol

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/schema"
)

// RetrievalKs are the cut-offs of LongMemEval's retrieval metrics.
func RetrievalKs() []int { return []int{1, 3, 5, 10, 30, 50} }

// Retrieval holds LongMemEval's retrieval metrics at one cut-off, each [0,1].
type Retrieval struct {
	RecallAny float64 `json:"recall_any"` // 1 if any correct document is among the first k
	RecallAll float64 `json:"recall_all"` // 1 if all are retrieved; 1 if none is correct, as upstream
	NDCG      float64 `json:"ndcg_any"`   // with LongMemEval's own DCG: the first two ranks weigh the same
}

const lmeRetrievalOrigin = "xiaowu0162/LongMemEval@9e0b455f src/retrieval/eval_utils.py, NumPy 1.26.4"

// LMERetrieval is evaluate_retrieval: ranking holds indices into corpus, best first.
func LMERetrieval(corpus, correct []string, ranking []int, k int) (Retrieval, error) {
	if err := within(ranking, corpus); err != nil {
		return Retrieval{}, err
	}
	right := set(correct)
	top := ranking[:min(k, len(ranking))]
	found := map[string]bool{}
	actual := 0.0
	for i, d := range top {
		found[corpus[d]] = true
		if right[corpus[d]] {
			actual += gain(i)
		}
	}
	r := Retrieval{RecallAll: 1}
	for _, c := range correct {
		if found[c] {
			r.RecallAny = 1
		} else {
			r.RecallAll = 0
		}
	}
	relevant := 0
	for _, d := range corpus {
		if right[d] {
			relevant++
		}
	}
	if best := idealGain(min(relevant, k)); best > 0 {
		r.NDCG = actual / best
	}
	return r, nil
}

// within fails where a ranking names a document that the corpus does not have.
func within(ranking []int, corpus []string) error {
	for _, i := range ranking {
		if i < 0 || i >= len(corpus) {
			return fmt.Errorf("ranking names document %d of %d", i, len(corpus))
		}
	}
	return nil
}

// gain returns the gain of a relevant document at rank i (from 0): 1, then 1/log2(i+1). The usual DCG has log2(i+2).
func gain(i int) float64 {
	if i == 0 {
		return 1
	}
	return 1 / math.Log2(float64(i+1))
}

func idealGain(n int) (sum float64) {
	for i := range n {
		sum += gain(i)
	}
	return sum
}

func set[T comparable](s []T) map[T]bool {
	m := make(map[T]bool, len(s))
	for _, x := range s {
		m[x] = true
	}
	return m
}

// LMERollup is evaluate_retrieval_turn2session: turn ids lose the part after their last "_", and k grows until k distinct sessions are among the first.
func LMERollup(corpus, correct []string, ranking []int, k int) (Retrieval, error) {
	session := func(in []string) []string {
		out := make([]string, len(in))
		for i, s := range in {
			if j := strings.LastIndexByte(s, '_'); j >= 0 {
				out[i] = s[:j]
			}
		}
		return out
	}
	if err := within(ranking, corpus); err != nil {
		return Retrieval{}, err
	}
	sessions := session(corpus)
	distinct := map[string]bool{}
	n := 0 // of the ranking that was looked at
	look := func(to int) {
		for ; n < min(to, len(ranking)); n++ {
			distinct[sessions[ranking[n]]] = true
		}
	}
	wide := k
	for look(wide); wide <= len(corpus) && len(distinct) < k; look(wide) {
		wide++
	}
	return LMERetrieval(sessions, session(correct), ranking, wide)
}

// lmeRetrieval applies these metrics to the hits: a hit is relevant if one of its source turns is gold evidence.
func lmeRetrieval() *Protocol {
	return &Protocol{
		Name: "lme-retrieval", Version: "1",
		Origin:  lmeRetrievalOrigin + " evaluate_retrieval, over hits and gold turns",
		Formula: "recall_all@10 (0 or 1); parts: recall_any, recall_all, ndcg_any at 1, 3, 5, 10, 30, 50 (as far as hits were asked for); not applicable without gold evidence",
		Rule: overEvidence(func(r *schema.QARecord, gold map[schema.EventRef]bool) schema.Grade {
			hits := relevant(r, gold)
			g := schema.Grade{Parts: map[string]float64{}}
			for _, k := range RetrievalKs() {
				if k > r.K && k > len(r.Hits) {
					break
				}
				x := hits.at(k, len(gold))
				g.Parts[fmt.Sprintf("recall_any@%d", k)] = x.RecallAny
				g.Parts[fmt.Sprintf("recall_all@%d", k)] = x.RecallAll
				g.Parts[fmt.Sprintf("ndcg_any@%d", k)] = x.NDCG
			}
			score := hits.at(10, len(gold)).RecallAll
			g.Score, g.Outcome = &score, schema.GradeScored
			return g
		}),
	}
}

// evidenceRecall is the share of gold turns that were retrieved at all.
func evidenceRecall() *Protocol {
	return &Protocol{
		Name: "evidence-recall", Version: "1", Default: true,
		Formula: "share of the gold evidence turns among the source turns of all hits, [0,1]; parts: at 1, 3, 5, 10, 30, 50; not applicable without gold evidence",
		Rule: overEvidence(func(r *schema.QARecord, gold map[schema.EventRef]bool) schema.Grade {
			hits := relevant(r, gold)
			g := Scored(float64(len(hits.found(len(r.Hits)))) / float64(len(gold)))
			g.Parts = map[string]float64{}
			for _, k := range RetrievalKs() {
				if k > r.K && k > len(r.Hits) {
					break
				}
				g.Parts[fmt.Sprintf("recall@%d", k)] = float64(len(hits.found(k))) / float64(len(gold))
			}
			return g
		}),
	}
}

// turnRecall counts turns where evidenceRecall counts hits: a hit with many sources uses up as many places, so it gains nothing by naming all turns.
func turnRecall() *Protocol {
	return &Protocol{
		Name: "turn-recall", Version: "1", Default: true,
		Formula: "share of the gold evidence turns among the first k distinct source turns of the hits, in rank order, k hits being asked for, [0,1]; not applicable without gold evidence",
		Rule: overEvidence(func(r *schema.QARecord, gold map[schema.EventRef]bool) schema.Grade {
			named, found := map[schema.EventRef]bool{}, 0
			for _, h := range r.Hits {
				for _, s := range h.Sources {
					if len(named) < cmp.Or(r.K, len(r.Hits)) && !named[s] {
						named[s] = true
						if gold[s] {
							found++
						}
					}
				}
			}
			return Scored(float64(found) / float64(len(gold)))
		}),
	}
}

// overEvidence is the rule of a protocol over the gold evidence's turns.
func overEvidence(rule func(r *schema.QARecord, gold map[schema.EventRef]bool) schema.Grade) func(*schema.QARecord) schema.Grade {
	return func(r *schema.QARecord) schema.Grade {
		if why := noRetrieval(r); why != "" {
			return NotApplicable(why)
		}
		return rule(worded(r), set(r.Evidence))
	}
}

// worded is a record of a run without the sources of hits that have no text: they show nothing, whatever they name. Records of elsewhere may leave texts out.
func worded(r *schema.QARecord) *schema.QARecord {
	blank := func(h schema.QAHit) bool { return len(h.Sources) > 0 && strings.TrimSpace(h.Text) == "" }
	if r.Given == nil || !slices.ContainsFunc(r.Hits, blank) {
		return r
	}
	c := *r
	c.Hits = slices.Clone(r.Hits)
	for i := range c.Hits {
		if blank(c.Hits[i]) {
			c.Hits[i].Sources = nil
		}
	}
	return &c
}

func noRetrieval(r *schema.QARecord) string {
	switch {
	case r.Abstain:
		return "the question cannot be answered"
	case len(r.Evidence) == 0:
		return "the question has no gold evidence"
	case r.K == 0 && len(r.Hits) == 0:
		return "the system shows nothing it retrieved"
	case r.Unnamed:
		return schema.NoSources
	}
	return ""
}

// hitRefs are the gold turns of each hit, in rank order.
type hitRefs [][]schema.EventRef

func relevant(r *schema.QARecord, gold map[schema.EventRef]bool) hitRefs {
	out := make(hitRefs, len(r.Hits))
	for i, h := range r.Hits {
		for _, s := range h.Sources {
			if gold[s] {
				out[i] = append(out[i], s)
			}
		}
	}
	return out
}

func (h hitRefs) found(k int) map[schema.EventRef]bool {
	m := map[schema.EventRef]bool{}
	for _, refs := range h[:min(k, len(h))] {
		for _, x := range refs {
			m[x] = true
		}
	}
	return m
}

// at scores the first k hits; a hit gains if it brings a gold turn that none before
// brought, so that repeats and summaries do not gain twice.
func (h hitRefs) at(k, gold int) Retrieval {
	var r Retrieval
	seen := map[schema.EventRef]bool{}
	sum := 0.0
	for i, refs := range h[:min(k, len(h))] {
		fresh := false
		for _, x := range refs {
			fresh = fresh || !seen[x]
			seen[x] = true
		}
		if fresh {
			sum += gain(i)
		}
	}
	if len(seen) > 0 {
		r.RecallAny = 1
	}
	if len(seen) == gold {
		r.RecallAll = 1
	}
	r.NDCG = sum / idealGain(min(gold, k))
	return r
}
