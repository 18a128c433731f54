package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/schema"
)

// past is what the questions before one showed of the memory that is asked.
type past struct {
	at       group  // without a repeat
	id       string // of the question
	last     *bag   // of the question before this one, nil for the first
	now      *bag
	compared int // questions with hits and one before them
	stale    int // of these, those whose hits have more of the one before
	// Missed questions with memories below the hits, and of these those whose hits have less of the question than these.
	ranked, inverted int
	served           map[schema.PointID]string // the first question that a memory was a hit of
	again            bool                      // a memory was a hit of two questions
}

// follow takes the next question. Repeats of one have its hits.
func (p *past) follow(r *schema.QARecord) {
	at := group{System: r.System, Dataset: r.Dataset, Case: r.CaseID}
	if p.at != at || p.served == nil {
		*p = past{at: at, served: map[schema.PointID]string{}}
	}
	if p.id == r.QuestionID {
		return
	}
	p.id, p.last, p.now = r.QuestionID, p.now, newBag(r.Question)
	if p.last != nil && len(r.Hits) > 0 {
		p.compared++
		if share(p.last, r.Hits) > otherQuestion*share(p.now, r.Hits) {
			p.stale++
		}
	}
	for i := range r.Hits {
		if _, ok := p.served[r.Hits[i].ID]; ok {
			p.again = true
		} else {
			p.served[r.Hits[i].ID] = r.QuestionID
		}
	}
}

// held are the live memories after a session.
type held struct {
	at   int
	live []*version
	in   map[string]int // number of live memories that have a term
}

func (h *held) count(l *ledger) {
	for _, v := range l.versions {
		if v.liveAt(h.at) {
			h.live = append(h.live, v)
			for _, t := range v.bag().terms {
				h.in[t]++
			}
		}
	}
}

// A search is what the words of a question say of its hits: neither ranks nor scores, which are what the system says of them.
type search struct {
	x *explainer
	*held
	asked *bag
	hits  []float64        // the weight of the question's words that a hit has
	below []float64        // the same for memories that were found below the hits
	lower []schema.PointID // these memories
}

func (x *explainer) search(r *schema.QARecord) *search {
	s := x.until(r)
	f := &search{x: x, asked: newBag(r.Question)}
	if f.held = x.held; f.held == nil || f.at != s {
		f.held = &held{at: s, in: map[string]int{}}
		x.held = f.held
		f.count(x.ledger)
	}
	for i := range r.Hits {
		f.hits = append(f.hits, f.weigh(f.asked, newBag(r.Hits[i].Text)))
	}
	for _, b := range r.Below {
		if v := x.ledger.version(b.ID, s); v != nil {
			f.below, f.lower = append(f.below, f.weigh(f.asked, v.bag())), append(f.lower, b.ID)
		}
	}
	return f
}

// weigh is the weight of the words that a text shares with a question: the fewer memories have a word, the more it weighs.
func (f *search) weigh(asked, text *bag) (sum float64) {
	for _, t := range asked.terms {
		if text.has(t) {
			sum += math.Log1p(float64(len(f.live)) / float64(max(1, f.in[t])))
		}
	}
	return sum
}

// share is how many of a question's words the first texts have, 0 to 1.
func share(asked *bag, hits []schema.QAHit) float64 {
	const first = 3
	sum, n := 0, min(first, len(hits))
	for i := range n {
		sum += asked.both(newBag(hits[i].Text))
	}
	return float64(sum) / float64(max(1, n*len(asked.terms)))
}

// Bounds of what a search shows.
const (
	otherQuestion = 2.  // the hits have this many times as much of the question before as of their own
	worstFirst    = 0.8 // of the pairs of a hit and a memory below it: the lower one has more of the question
	leastPairs    = 6
	leastRanked   = 3
	leastServed   = 4 // hits of questions before, to see that none comes back
)

// why looks for the reason why a search missed a live memory: kind is "" where the words of the question show no other than its rank.
func (f *search) why(r *schema.QARecord, live []*version) (kind, words string) {
	x, v := f.x, live[len(live)-1]
	own := f.weigh(f.asked, v.bag())
	p := &x.past
	if q, ok := p.served[v.id]; ok && q != r.QuestionID && !p.again && len(p.served) >= leastServed {
		return schema.FaultImpure, fmt.Sprintf("it was a hit of %s, and nothing that was a hit once came back: asking changes the memory", q)
	}
	if len(r.Hits) == 0 {
		if len(r.Below) > 0 {
			return schema.FaultImpure, "asked again for more, the system found what it did not find before"
		}
		return "", ""
	}
	if p.stale*2 > p.compared {
		return schema.FaultImpure, "the hits have the words of the question before: what is asked decides the hits of the next question"
	}
	if few(r) {
		return schema.FaultFew, fmt.Sprintf("of %d that were asked for the system gave %d, although it has more", r.K, len(r.Hits))
	}
	if own == 0 {
		return "", ""
	}
	up, pairs := 0, 0
	for _, h := range f.hits {
		for i, b := range f.below {
			if slices.ContainsFunc(live, func(v *version) bool { return v.id == f.lower[i] }) {
				continue // that the evidence alone is below says nothing of the order
			}
			if h != b {
				pairs++
			}
			if b > h {
				up++
			}
		}
	}
	if pairs >= leastPairs {
		p.ranked++
		if float64(up) >= worstFirst*float64(pairs) {
			p.inverted++
		}
	}
	if pairs >= leastPairs && float64(up) >= worstFirst*float64(pairs) && p.ranked >= leastRanked && p.inverted*2 > p.ranked {
		return schema.FaultOrder, "the memories below the hits have more of the question's words than the hits: the worst come first"
	}
	all := len(r.Hits) < r.K || len(r.Below) > 0 // that the search finds was looked at
	if s, m := f.only(r, v); m > 0 && all {
		return schema.FaultSkipped, fmt.Sprintf("all that was returned is of %s, although %d memories of other sessions have words of the question", s, m)
	}
	best := own > slices.Max(f.hits)
	switch below := slices.ContainsFunc(r.Below, func(b schema.QARank) bool { return b.ID == v.id }); {
	case best && below:
		return "", "it has more of the question's words than every hit: worse ones are ranked before it"
	case below:
		return "", ""
	case best && !all:
		return "", "it has more of the question's words than every hit"
	case best:
		return schema.FaultSkipped, "it has more of the question's words than every hit: the search does not reach it"
	}
	if m := f.more(r); len(r.Hits) < r.K && m > 0 {
		return schema.FaultFew, fmt.Sprintf("of %d that were asked for the system gave %d, although %d more have words of the question", r.K, len(r.Hits), m)
	}
	return "", ""
}

// more counts the memories that are not among the hits and have words of the question.
func (f *search) more(r *schema.QARecord) (n int) {
	for _, v := range f.live {
		if f.weigh(f.asked, v.bag()) > 0 && !slices.ContainsFunc(r.Hits, func(h schema.QAHit) bool { return h.ID == v.id }) {
			n++
		}
	}
	return n
}

// only names the sessions of all that was returned, if the memory is of none of them, and counts the memories of other sessions that have words of the question.
func (f *search) only(r *schema.QARecord, v *version) (names string, others int) {
	s, of := f.x.until(r), map[int]bool{}
	ids := []schema.PointID{}
	for i := range r.Hits {
		ids = append(ids, r.Hits[i].ID)
	}
	for _, b := range r.Below {
		ids = append(ids, b.ID)
	}
	for _, id := range ids {
		w := f.x.ledger.version(id, s)
		if w == nil {
			return "", 0
		}
		of[w.from] = true
	}
	for _, w := range f.live {
		if !of[w.from] && f.weigh(f.asked, w.bag()) > 0 {
			others++
		}
	}
	if len(ids) < leastBad || of[v.from] || others < leastBad {
		return "", 0
	}
	var list []string
	for i := range f.x.ledger.last + 1 {
		if of[i] {
			list = append(list, f.x.sessionName(i))
		}
	}
	if len(list) == 1 {
		return "session " + list[0], others
	}
	return "sessions " + strings.Join(list, ", "), others
}

// echoes reports whether a hit is the question itself.
func echoes(r *schema.QARecord, h *schema.QAHit) bool {
	key := textnorm.Key(h.Text)
	return key != "" && key == textnorm.Key(r.Question)
}
