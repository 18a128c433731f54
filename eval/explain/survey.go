package explain

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/eval/fidelity"
	"membench/internal/tokens"
	"membench/schema"
)

// A Survey compares all memories and hits of each system with the turns, whether or not a question failed: the texts first, and then what the system says of
// them: the turns that it names as their sources. It holds a few numbers and examples for each system and data set.
type Survey struct {
	by   map[group]*systemSurvey // without a case and repeat
	seen map[group]bool          // whose memories were counted
}

type systemSurvey struct {
	memories, hits sources
	altered        map[string]*altering // by kind; memories of sampled turns
	compared       int                  // sampled turns with a memory
	told, retold   int                  // of these, of cases kept in the system's own words; and those told so with their facts
	usual          map[string]int       // words beyond the turn that most memories of a case have
	cases          int
	lasting, texts int      // live memories at the end, and their different texts
	empty          int      // of these, without one
	changed        altering // hits with another text than their memory
	outside        altering // hits that are no memory and of another conversation
	all, repeated  int      // hits, and those left out since they have the id of another one
	questions      int
	worst          int // questions whose hits have the fewest of their words first
	reach          reach
	fresh, used    finds    // of memories that were no earlier question's first hit, and of those that were
	early, later   finds    // of the first questions of cases, and of the others
	again          altering // additions whose id is given to another text in the same session
	constant       constant
	answers        answers
	unlisted       altering // additions that receipts report and no listing shows
	bound          bool     // its hits are no search
	unsaid         unsaid
}

// finds counts the questions whose words one memory has most of, and of these those that found it.
type finds struct{ n, found int }

// sources counts texts by what they name as their sources.
type sources struct {
	n       [namings]int
	example schema.Sentence // of one that names others
}

type altering struct {
	n       int
	example schema.Sentence
}

func (a *altering) add(format string, args ...any) {
	if a.n++; a.n == 1 {
		a.example = schema.Sentence{Format: format, Args: args}
	}
}

func (s *Survey) of(r *schema.QARecord) *systemSurvey {
	if s.by == nil {
		s.by, s.seen = map[group]*systemSurvey{}, map[group]bool{}
	}
	key := group{System: r.System, Dataset: r.Dataset}
	if s.by[key] == nil {
		s.by[key] = &systemSurvey{altered: map[string]*altering{}, usual: map[string]int{}}
	}
	return s.by[key]
}

// survey counts the memories of a case at its first question, and the hits of each question.
func (x *explainer) survey(r *schema.QARecord) error {
	if x.o.Survey == nil || r.Repeat > 0 || r.Outcome != schema.OutcomeAnswered && r.Outcome != schema.OutcomeEmpty && r.Outcome != "" {
		return nil
	}
	if err := x.load(r); err != nil {
		return err
	}
	s := x.o.Survey.of(r)
	if !x.o.Survey.seen[x.at] {
		x.o.Survey.seen[x.at] = true
		s.memory(x)
	}
	s.bound = schema.Bound(r.System, r.Type)
	return s.question(x, r)
}

// take counts a text.
func (c *sources) take(t *story, text string, named []schema.EventRef) {
	k, has := t.naming(text, named)
	c.n[k]++
	if k.bad() && c.example.Format == "" {
		c.example = schema.Say("%s names %s and has the text of %s", quote(text), t.names(named), t.label(has[0]))
	}
}

// memory surveys the memories of a case, with the sources that the system names.
func (s *systemSurvey) memory(x *explainer) {
	if x.told.c == nil || len(x.ledger.versions) == 0 {
		return
	}
	s.reach.begin(x.told)
	for _, c := range x.ledger.unlisted {
		s.unlisted.add("%s", quote(c.New))
	}
	for _, c := range x.ledger.again {
		s.again.add("%s, %s", c.ID, quote(c.New))
	}
	texts := map[string]bool{}
	for _, v := range x.ledger.versions {
		if v.next == nil || v.next.from > v.from { // the sources are those after a session, not those of a text that it replaced again
			s.memories.take(x.told, v.text, v.named)
		}
		switch {
		case !v.liveAt(x.ledger.last):
		case strings.TrimSpace(v.text) == "":
			s.empty++
		default:
			s.lasting++
			texts[v.text] = true
		}
	}
	s.texts += len(texts)
	s.cases++
	for _, w := range x.frame.Usual(append(slices.Clone(x.told.speakers()), "user", "assistant")...) {
		s.usual[w]++
	}
	own := !x.frame.Verbatim()
	ids := slices.Sorted(maps.Keys(x.told.turns))
	for i := 0; i < len(ids); i += max(1, len(ids)/frameTurns) {
		ref := schema.EventRef{ConvID: x.told.c.ConvID, TurnID: ids[i]}
		o := x.told.original(x.told.turns[ids[i]])
		var d *fidelity.Difference
		var texts []string
		for _, v := range x.ledger.byRef[ref] {
			texts = append(texts, x.told.unlabelled(v.text).Text)
			e := x.difference(o, v.text, v.sources, x.ledger.beside(v, []schema.EventRef{ref})...)
			if own && v.text != "" && !e.Same() {
				d = &e
				break
			}
			if v.text != "" && (d == nil || e.Same() || e.Kept > d.Kept) {
				if d = &e; d.Same() && !own {
					break
				}
			}
		}
		if d == nil {
			continue
		}
		if s.compared++; own {
			s.told++
			if d.Same() && !slices.ContainsFunc(texts, func(t string) bool { return fidelity.Carries(o.Text, t) }) {
				s.retold++
			}
		}
		if d.Same() || len(texts) > 1 && fidelity.Covered(o.Text, texts) {
			continue
		}
		if s.altered[d.Kind] == nil {
			s.altered[d.Kind] = &altering{}
		}
		s.altered[d.Kind].add("%s: %s", x.told.label(ref), d.Marked)
	}
}

// question surveys the hits of a question.
func (s *systemSurvey) question(x *explainer, r *schema.QARecord) error {
	if x.told.c == nil {
		return nil
	}
	until := x.until(r)
	s.repeated += r.Repeated
	for i := range r.Hits {
		h := &r.Hits[i]
		s.all++
		switch v := x.ledger.version(h.ID, until); {
		case x.changed(h, until):
			s.changed.add("%s ≠ %s", quote(v.text), quote(h.Text))
		case v == nil && x.ledger.transparent && x.strange(h):
			s.outside.add("%s", quote(h.Text))
		default:
			s.hits.take(x.told, h.Text, h.Sources)
		}
	}
	if s.reach.at == r.CaseID {
		s.reach.question(x, r)
	}
	f := x.search(r)
	s.constant.question(x, r, len(f.live))
	s.answers.question(x, r)
	if best := f.first(); best != nil {
		n := &s.fresh
		if x.past.first[best.id] {
			n = &s.used
		}
		at := []*finds{n}
		if x.past.nth <= earlyQuestions {
			at = append(at, &s.early)
		} else {
			at = append(at, &s.later)
		}
		for _, n := range at {
			if n.n++; returned(r, best.id) {
				n.found++
			}
		}
	}
	var o order
	for i, a := range f.hits {
		for _, b := range f.hits[i+1:] {
			o.add(a, b)
		}
	}
	if o.shown() {
		s.questions++
	}
	if o.inverted() {
		s.worst++
	}
	return s.unsaid.question(x, r)
}

// constant counts the cases in which all questions get the same hits, although the memory has more.
type constant struct {
	cases, of int
	at        group
	same      int  // past.same of the case until now
	all       bool // the hits are all that the memory holds
}

func (c *constant) question(x *explainer, r *schema.QARecord, held int) {
	if c.at != x.at {
		c.end()
		c.at = x.at
	}
	c.same, c.all = x.past.same, len(r.Hits) >= held
}

// end sums up a case.
func (c *constant) end() {
	if c.same < 0 || c.same >= leastSame {
		c.of++
	}
	if c.same >= leastSame && !c.all {
		c.cases++
	}
	c.same = 0
}

// answers are the answers of all questions, right and wrong ones.
type answers struct {
	n, quotes int             // answers, and those that are a piece of one of several hits
	last      int             // of these, pieces of the last hit
	rank      int             // of all these hits; 0: they have several
	longest   int             // code points
	longests  map[string]bool // answers that long
}

func (a *answers) question(x *explainer, r *schema.QARecord) {
	text := strings.TrimSpace(r.Answer)
	if text == "" {
		return
	}
	a.n++
	if n := utf8.RuneCountInString(text); n >= a.longest {
		if n > a.longest {
			a.longest, a.longests = n, map[string]bool{}
		}
		a.longests[text] = true
	}
	if h := x.quoted(x.told.read(r.Answer), r.Hits); h != nil && len(r.Hits) > 1 {
		if a.quotes++; a.quotes == 1 {
			a.rank = h.Rank
		} else if a.rank != h.Rank {
			a.rank = 0
		}
		if h.Rank == len(r.Hits) {
			a.last++
		}
	}
}

// lines are the remarks.
func (a *answers) lines() (out []schema.Sentence) {
	if len(a.longests) >= leastLong && len(a.longests)*4 >= a.n {
		out = append(out, schema.Say("no answer is longer than %d characters, and %d of %d answers are exactly that long: they may be cut off", a.longest, len(a.longests), a.n))
	}
	switch {
	case a.quotes < leastBad:
	case a.last == a.quotes:
		out = append(out, schema.Say("all %d answers that are a piece of a hit are of the last hit", a.quotes))
	case a.rank > 1:
		out = append(out, schema.Say("all %d answers that are a piece of a hit are of the hit at rank %d", a.quotes, a.rank))
	}
	return out
}

// leastLong is the number of answers of one length from which it is no chance.
const leastLong = 5

// eaten reports whether memories cannot be found once they were returned.
func (s *systemSurvey) eaten() bool {
	return s.used.n >= leastRanked && s.used.found == 0 && s.fresh.found >= leastRanked && s.fresh.found*2 > s.fresh.n
}

// earlyQuestions are the first questions of a case, which few others can have changed the memory for.
const earlyQuestions = 2

// fading reports whether later questions find much less than the first ones.
func (s *systemSurvey) fading() bool {
	return s.early.n >= leastFound && s.later.n >= leastFound && float64(s.early.found)/float64(s.early.n)-float64(s.later.found)/float64(s.later.n) >= .4
}

// Shares from which a survey mentions what it found.
const (
	oneIn      = 50 // texts, one of which is changed
	misname    = 20 // texts, one of which names other turns: some systems take turns over into texts of later ones
	leastFound = 5  // questions whose words one memory has most of
	doubled    = 2  // as many memories as different texts
)

// Warnings are what makes figures of the system doubtful, a sentence each.
func (s *Survey) Warnings(system, dataset string) []schema.Sentence {
	c := s.by[group{System: system, Dataset: dataset}]
	if c == nil {
		return nil
	}
	out := c.unsaid.lines(c.all)
	if bad := c.hits.n[wrong] + c.hits.n[unknown]; bad >= leastBad && bad > c.hits.n[right] {
		out = append(out, schema.Say("the evidence found means little: %d of %d hits that have a turn word for word name others as their sources", bad, bad+c.hits.n[right]+c.hits.n[silent]))
	}
	return out
}

// What memories and hits say of their sources.
var (
	memoriesMisname = schema.Say("%d of %d memories that have a turn word for word name other sources than that turn: %s")
	hitsMisname     = schema.Say("%d of %d hits that have a turn word for word name other sources than that turn: %s")
	memoriesSilent  = schema.Say("no memory names the turn whose text it has: evidence recall does not apply, and readers are not shown when it was said")
	hitsSilent      = schema.Say("no hit names the turn whose text it has: evidence recall does not apply, and readers are not shown when it was said")
)

// Lines are what is remarkable, a sentence each.
func (s *Survey) Lines(system, dataset string) (out []schema.Sentence) {
	c := s.by[group{System: system, Dataset: dataset}]
	if c == nil {
		return nil
	}
	of := func(t sources, bad, silence string) {
		whole := 0
		for k := right; k < namings; k++ {
			whole += t.n[k]
		}
		if n := t.n[wrong] + t.n[unknown]; n >= leastBad && n*misname >= whole {
			out = append(out, schema.Say(bad, n, whole, t.example))
		}
		if whole > 0 && t.n[silent] == whole {
			out = append(out, schema.Say(silence))
		}
	}
	of(c.memories, memoriesMisname.Format, memoriesSilent.Format)
	of(c.hits, hitsMisname.Format, hitsSilent.Format)
	kinds := slices.SortedFunc(maps.Keys(c.altered), func(a, b string) int {
		return cmp.Or(c.altered[b].n-c.altered[a].n, strings.Compare(a, b))
	})
	altered, how := 0, []schema.Sentence{}
	for _, kind := range kinds {
		altered += c.altered[kind].n
		how = append(how, schema.Say("%s %d", faultWords[kind], c.altered[kind].n))
	}
	if altered >= leastBad && altered*oneIn >= c.compared {
		out = append(out, schema.Say("%d of %d turns looked at were stored otherwise than they were said (%s): %s", altered, c.compared, schema.Listed(how), c.altered[kinds[0]].example))
	}
	if c.retold > 0 {
		out = append(out, schema.Say("%d of %d turns looked at are kept in own words, with their facts: values, names and what is denied", c.retold, c.told))
	}
	common := func(n int) bool { return n >= leastBad && n*oneIn >= c.all }
	if common(c.changed.n) {
		out = append(out, schema.Say("%d of %d hits have another text than their memory: %s", c.changed.n, c.all, c.changed.example))
	}
	if common(c.outside.n) {
		out = append(out, schema.Say("%d of %d hits are not from the conversation asked about: %s", c.outside.n, c.all, c.outside.example))
	}
	if c.repeated >= leastBad {
		out = append(out, schema.Say("%d of %d hits have the id of another hit of the same answer, and were left out", c.repeated, c.all+c.repeated))
	}
	if c.empty >= leastBad {
		out = append(out, schema.Say("%d of %d memories have no text", c.empty, c.empty+c.lasting))
	}
	var usual []string
	for w, n := range c.usual {
		if n*2 > c.cases && !tokens.Stop(w) {
			usual = append(usual, "“"+w+"”")
		}
	}
	if slices.Sort(usual); len(usual) > 0 {
		out = append(out, schema.Say("every memory has, beside the turn: %s", strings.Join(usual, ", ")))
	}
	if c.lasting >= doubled*c.texts && c.texts > 0 {
		out = append(out, schema.Say("%d memories have %d different texts: each is kept %.1f times", c.lasting, c.texts, float64(c.lasting)/float64(c.texts)))
	}
	if c.unlisted.n > 0 {
		out = append(out, schema.Say("%d memories that receipts report as added are not listed: %s", c.unlisted.n, c.unlisted.example))
	}
	if c.eaten() && !c.bound {
		out = append(out, schema.Say("memories that were the first hit of a question are never found again (%d later questions have most words of one), others are (%d of %d): searching takes them away", c.used.n, c.fresh.found, c.fresh.n))
	}
	if c.fading() && !c.eaten() && !c.bound {
		out = append(out, schema.Say("searches find the memory with most words of the question in %d of %d of the first %d questions of a case and in %d of %d later ones: asking changes the memory", c.early.found, c.early.n, earlyQuestions, c.later.found, c.later.n))
	}
	if c.again.n > 0 {
		out = append(out, schema.Say("memories that a later addition of their session replaced, since it has the same id: %d, such as %s", c.again.n, c.again.example))
	}
	if c.constant.end(); c.constant.cases*2 > c.constant.of && !c.bound {
		out = append(out, schema.Say("in %d of %d cases all questions get the same hits, whatever they ask", c.constant.cases, c.constant.of))
	}
	out = append(out, c.answers.lines()...)
	out = append(out, c.reach.lines()...)
	if c.worst*2 > c.questions && c.worst >= leastBad {
		out = append(out, schema.Say("in %d of %d questions the hits with the most of its words come last", c.worst, c.questions))
	}
	return out
}
