package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/schema"
)

// past is what the questions before one showed of the memory that is asked.
type past struct {
	at   group  // without a repeat
	id   string // of the question
	nth  int    // the question, from 1
	last *bag   // of the question before this one, nil for the first
	now  *bag
	// Missed questions with one before them, and of these those whose first hit is the best for that one and not for themselves.
	compared, stale int
	counted         string // the question that was counted last
	asked           string
	hits, before    []schema.QAHit            // of this question, and of the one before
	found           map[schema.PointID]string // by memory: the first question before this one that found it, among the hits or below
	lower           []schema.PointID          // that this question found below its hits
	same            int                       // questions until now, if all of them have the same hits; -1: they have not
	given           map[schema.PointID]string // by memory: the question before this one that returned it
	first           map[schema.PointID]bool   // memories that were the first hit of one
	gold, wanted    string                    // of the question before this one, and of this one
	read, behind    int                       // wrong answers with a question before, and of these those that are its answer
	// Missed questions with memories below the hits, and of these those whose hits have less of the question than these.
	ranked, inverted int
}

// follow takes the next question. Repeats of one have its hits.
func (p *past) follow(r *schema.QARecord) {
	at := group{System: r.System, Dataset: r.Dataset, Case: r.CaseID}
	if p.at != at {
		*p = past{at: at, given: map[schema.PointID]string{}, first: map[schema.PointID]bool{}, found: map[schema.PointID]string{}}
	}
	if p.id != r.QuestionID {
		p.nth++
		p.id, p.last, p.now = r.QuestionID, p.now, newBag(r.Question)
		p.gold, p.wanted = p.wanted, r.Gold
		for i := range p.hits {
			if id := p.hits[i].ID; p.given[id] == "" {
				p.given[id] = p.asked
			}
			p.first[p.hits[i].ID] = p.first[p.hits[i].ID] || i == 0
			p.find(p.hits[i].ID)
		}
		for _, id := range p.lower {
			p.find(id)
		}
		if p.same >= 0 && len(r.Hits) > 0 && (p.same == 0 || hitSet(p.hits) == hitSet(r.Hits)) {
			p.same++
		} else {
			p.same = -1
		}
		p.before, p.hits, p.asked, p.lower = p.hits, r.Hits, r.QuestionID, p.lower[:0]
		for _, b := range r.Below {
			p.lower = append(p.lower, b.ID)
		}
	}
}

// hitSet names the memories of hits, whatever their order.
func hitSet(hits []schema.QAHit) string {
	ids := make([]string, len(hits))
	for i := range hits {
		ids[i] = string(hits[i].ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, "\x00")
}

func (p *past) find(id schema.PointID) {
	if p.found[id] == "" {
		p.found[id] = p.asked
	}
}

// follows reports whether an answer has all words of the gold of the question before, and none of its own gold's: one word is so by chance, unless most are. What
// the reader was shown now may bring these words, too.
func (p *past) follows(s *story, r *schema.QARecord, shown *bag) bool {
	if p.last == nil || p.gold == "" {
		return false
	}
	asked, answer := s.read(r.Question), s.read(r.Answer)
	theirs, ours := s.read(p.gold).without(asked, s.read(r.Gold)), s.read(r.Gold).without(asked)
	p.read++
	if len(theirs.terms) == 0 || theirs.both(answer) < len(theirs.terms) || ours.both(answer) > 0 {
		return false
	}
	p.behind++
	return p.always() || len(theirs.terms) > 1 && theirs.both(shown) < len(theirs.terms)
}

// always reports whether most wrong answers are those of the question before.
func (p *past) always() bool { return p.behind >= leastRanked && p.behind*2 > p.read }

// held are the live memories after a session.
type held struct {
	at   int
	live []*version
	in   map[string][]int // live memories that have a term, by their place
}

func (h *held) count(l *ledger) {
	for _, v := range l.versions {
		if v.liveAt(h.at) {
			for _, t := range v.words.terms {
				h.in[t] = append(h.in[t], len(h.live))
			}
			h.live = append(h.live, v)
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
	f := &search{x: x, asked: x.told.read(r.Question)}
	if f.held = x.held; f.held == nil || f.at != s {
		f.held = &held{at: s, in: map[string][]int{}}
		x.held = f.held
		f.count(x.ledger)
	}
	for i := range r.Hits {
		f.hits = append(f.hits, f.weigh(f.asked, x.told.read(r.Hits[i].Text)))
	}
	for _, b := range r.Below {
		if v := x.ledger.version(b.ID, s); v != nil {
			f.below, f.lower = append(f.below, f.weigh(f.asked, v.words)), append(f.lower, b.ID)
		}
	}
	return f
}

// weigh is the weight of the words that a text shares with a question: the fewer memories have a word, the more it weighs.
func (f *search) weigh(asked, text *bag) (sum float64) {
	for _, t := range asked.terms {
		if text.has(t) {
			sum += f.weight(t)
		}
	}
	return sum
}

func (f *search) weight(term string) float64 {
	return math.Log1p(float64(len(f.live)) / float64(max(1, len(f.in[term]))))
}

// best reports whether a text shares as much with a question as the live memory that shares most, and something.
func (f *search) best(asked, text *bag) bool {
	most, _ := f.most(asked)
	return most > 0 && f.weigh(asked, text) >= most
}

// most is the weight of the live memories that share most with a question, and which these are.
func (f *search) most(asked *bag) (most float64, which []*version) {
	of := make([]float64, len(f.live))
	for _, t := range asked.terms {
		w := f.weight(t)
		for _, i := range f.in[t] {
			of[i] += w
			most = max(most, of[i])
		}
	}
	for i, w := range of {
		if w == most && most > 0 {
			which = append(which, f.live[i])
		}
	}
	return most, which
}

// returned reports whether a memory is among the hits or below them.
func returned(r *schema.QARecord, id schema.PointID) bool {
	return slices.ContainsFunc(r.Hits, func(h schema.QAHit) bool { return h.ID == id }) || slices.ContainsFunc(r.Below, func(b schema.QARank) bool { return b.ID == id })
}

// first is the live memory that has most of the question's words, nil if several have.
func (f *search) first() *version {
	if _, which := f.most(f.asked); len(which) == 1 {
		return which[0]
	}
	return nil
}

// order counts pairs of texts that a search ranked, by the weight of the question's words that they have.
type order struct{ up, pairs int }

func (o *order) add(above, below float64) {
	if above != below {
		o.pairs++
	}
	if below > above {
		o.up++
	}
}

// shown reports whether there are enough pairs to judge the order, inverted whether the worst come first.
func (o order) shown() bool    { return o.pairs >= leastPairs }
func (o order) inverted() bool { return o.shown() && float64(o.up) >= worstFirst*float64(o.pairs) }

// Bounds of what a search shows.
const (
	worstFirst  = 0.8 // of the pairs of a hit and a memory below it: the lower one has more of the question
	leastPairs  = 6
	leastRanked = 3 // questions
	leastSame   = 3 // questions with the same hits
)

// why looks for the reason why a search missed a live memory: kind is "" where the words of the question show no other than its rank.
func (f *search) why(r *schema.QARecord, live []*version) (kind, words string) {
	kind, words = f.cause(r, live)
	if n := f.x.past.same; n >= leastSame && len(r.Hits) < len(f.live) {
		words = strings.TrimPrefix(fmt.Sprintf("%s; all %d questions until now got the same hits, whatever they ask", words, n), "; ")
	}
	return kind, words
}

func (f *search) cause(r *schema.QARecord, live []*version) (kind, words string) {
	x, v := f.x, live[len(live)-1]
	own := f.weigh(f.asked, v.words)
	p := &x.past
	if p.first[v.id] && x.o.Survey != nil && x.o.Survey.of(r).eaten() && !returned(r, v.id) {
		return schema.FaultImpure, "question " + p.given[v.id] + " returned it, and no memory is found once it was the first hit: searching takes them away"
	}
	if len(r.Hits) == 0 {
		if len(r.Below) > 0 {
			return schema.FaultImpure, "asked again for more, the system found what it did not find before"
		}
		return "", ""
	}
	if p.last != nil && p.counted != p.id {
		p.counted = p.id
		p.compared++
		if first := x.told.read(r.Hits[0].Text); f.best(p.last, first) && !f.best(f.asked, first) {
			p.stale++
		}
	}
	if p.stale >= leastRanked && p.stale*2 > p.compared {
		return schema.FaultImpure, "the first hit is the best for the question before: what is asked decides the hits of the next question"
	}
	if few(r) && r.Repeated > 0 {
		return schema.FaultDuplicate, fmt.Sprintf("of %d that were asked for the system gave %d, and %d of these have the id of another one", r.K, len(r.Hits)+r.Repeated, r.Repeated)
	}
	if few(r) {
		return schema.FaultFew, fmt.Sprintf("of %d that were asked for the system gave %d, although it has more", r.K, len(r.Hits))
	}
	if own == 0 {
		return "", ""
	}
	var o order
	for i, b := range f.below {
		if slices.ContainsFunc(live, func(v *version) bool { return v.id == f.lower[i] }) {
			continue // that the evidence alone is below says nothing of the order
		}
		for _, h := range f.hits {
			o.add(h, b)
		}
	}
	if o.shown() {
		p.ranked++
	}
	if o.inverted() {
		p.inverted++
	}
	if o.inverted() && p.ranked >= leastRanked && p.inverted*2 > p.ranked {
		return schema.FaultOrder, "the memories below the hits have more of the question's words than the hits: the worst come first"
	}
	if n := f.others(r, live); n >= leastOthers && len(r.Below) > 0 && !returned(r, v.id) {
		return schema.FaultSkipped, fmt.Sprintf("the search finds all %d other memories and not this one", n)
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
	case best && len(r.Below) > 0 && p.found[v.id] != "":
		return schema.FaultImpure, "question " + p.found[v.id] + " found it, and it has more of this question's words than every hit: it is gone, or what was asked before decides"
	case best && len(r.Below) > 0:
		return schema.FaultSkipped, "it has more of the question's words than every hit: the search does not reach it"
	case best && all:
		return schema.FaultFew, fmt.Sprintf("of %d that were asked for the system gave %d, and not this one, which has more of the question's words than every hit", r.K, len(r.Hits))
	case best:
		return "", "it has more of the question's words than every hit"
	}
	if m := f.more(r); len(r.Hits) < r.K && m > 0 {
		return schema.FaultFew, fmt.Sprintf("of %d that were asked for the system gave %d, although %d more have words of the question", r.K, len(r.Hits), m)
	}
	return "", ""
}

// leastOthers is the number of memories from which it is no chance that a search finds all but one.
const leastOthers = 5

// others counts the live memories other than those given, if the search found all of them; otherwise it is 0.
func (f *search) others(r *schema.QARecord, live []*version) (n int) {
	for _, v := range f.live {
		if slices.Contains(live, v) {
			continue
		}
		if n++; !returned(r, v.id) {
			return 0
		}
	}
	return n
}

// more counts the memories that are not among the hits and have words of the question.
func (f *search) more(r *schema.QARecord) (n int) {
	for _, v := range f.live {
		if f.weigh(f.asked, v.words) > 0 && !slices.ContainsFunc(r.Hits, func(h schema.QAHit) bool { return h.ID == v.id }) {
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
		if !of[w.from] && f.weigh(f.asked, w.words) > 0 {
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
func (x *explainer) echoes(r *schema.QARecord, h *schema.QAHit) bool {
	key := x.told.read(h.Text).norm()
	return key != "" && key == x.told.read(r.Question).norm()
}
