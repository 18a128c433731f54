// Package aggregate makes summaries of graded records: one for each system and data
// set, with figures by protocol, overall and by category, and the six session dimensions of aggregate_metrics.json.
//
// Denominators never move silently: an answer that was never given or never judged is
// counted beside the mean (and as 0 in the strict one), a question that a protocol does
// not score is not counted at all, and questions kept apart (LoCoMo's category 5) are
// in their own row only.
package aggregate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"membench/eval/figure"
	"membench/eval/protocol"
	"membench/eval/records"
	"membench/internal/stats"
	"membench/schema"
)

// Options of a summary.
type Options struct {
	figure.Options
	Declared int           // questions of the set declared before the run, for coverage; 0: not declared
	Apart    []string      // raw categories kept out of overall; nil: the data set's own rule
	Prices   figure.Prices // of models, for the cost of usage; none: no cost is said
}

// An Aggregator folds records into summaries. It holds about 100 bytes a question and
// protocol (twice: by category and by raw category), and 8 bytes a latency.
type Aggregator struct {
	o     Options
	runs  map[key]*run
	names figure.Names
}

type key struct{ system, dataset string }

type run struct {
	typ        string // of the system
	questions  map[[2]string]struct{}
	repeats    int
	outcomes   map[string]int
	prints     figure.Prints
	scores     map[scoreKey]*score
	retrieve   []float64
	answer     []float64
	chars      []float64
	perHit     []float64 // source turns of a hit, by question
	share      []float64 // of the dialogue that was given: turns named by hits, or characters shown, whichever is more
	searches   int       // answers for which hits were asked for
	found      int       // of them, those with a hit or a context
	leaks      records.Leaks
	unfound    unfound
	usage      map[[2]string]*schema.StepUsage
	metrics    metrics
	unlabelled int                            // number of records without a grade
	raws       map[string]map[string]struct{} // our category → raw ones
}

type scoreKey struct {
	protocol string
	by       schema.By
}

type score struct {
	outcomes map[string]int
	overall  figure.Cell
	cats     map[string]*figure.Cell
	raw      map[string]*figure.Cell
	repeats  map[int][]float64 // overall by repeat
	anew     []regrade         // against corrected golds
}

// regrade is one answer with both of its grades.
type regrade struct {
	caseID, questionID string
	raw, overlay       string
	apart              bool // enters its own category only
	recorded, now      schema.Grade
}

// New starts an aggregation.
func New(o Options) *Aggregator {
	return &Aggregator{o: o, runs: map[key]*run{}, names: figure.Names{}}
}

func (a *Aggregator) run(system, dataset string) *run {
	k := key{system, dataset}
	r := a.runs[k]
	if r == nil {
		r = &run{questions: map[[2]string]struct{}{}, outcomes: map[string]int{}, scores: map[scoreKey]*score{},
			usage: map[[2]string]*schema.StepUsage{}, metrics: newMetrics(), raws: map[string]map[string]struct{}{}}
		a.runs[k] = r
	}
	return r
}

// Add takes a graded question in.
func (a *Aggregator) Add(q *schema.QARecord) {
	for _, s := range []*string{&q.System, &q.Dataset, &q.CaseID, &q.QuestionID, &q.Category, &q.RawCategory} {
		*s = a.names.Keep(*s)
	}
	r := a.run(q.System, q.Dataset)
	r.questions[[2]string{q.CaseID, q.QuestionID}] = struct{}{}
	r.repeats = max(r.repeats, q.Repeat+1)
	r.outcomes[q.Outcome]++
	r.typ = a.names.Keep(q.Type)
	r.prints.Add(q)
	if q.RetrieveMS > 0 {
		r.retrieve = append(r.retrieve, q.RetrieveMS)
	}
	if q.AnswerMS > 0 {
		r.answer = append(r.answer, q.AnswerMS)
	}
	if q.Outcome == schema.OutcomeAnswered {
		r.chars = append(r.chars, float64(utf8.RuneCountInString(q.Answer)))
	}
	r.use(q.Usage)
	if q.K > 0 && (q.Outcome == schema.OutcomeAnswered || q.Outcome == schema.OutcomeEmpty) {
		r.searches++
		if len(q.Hits) > 0 || q.ContextID != "" || q.Context != "" {
			r.found++
		}
	}
	r.width(q)
	r.leaks.Take(q)
	r.unfound.take(q)
	if len(q.Grades) == 0 {
		r.unlabelled++
	}
	if r.raws[q.Category] == nil {
		r.raws[q.Category] = map[string]struct{}{}
	}
	r.raws[q.Category][q.RawCategory] = struct{}{}
	apart := slices.Contains(a.apart(q.Dataset), q.RawCategory)
	for i := range q.Grades {
		g := &q.Grades[i]
		s := r.score(scoreKey{g.Protocol, g.By})
		if g.Gold == schema.GoldCorrected {
			if rec := recorded(q.Grades, g); rec != nil {
				s.anew = append(s.anew, regrade{q.CaseID, q.QuestionID, q.RawCategory, overlay(q), apart, slim(*rec), slim(*g)})
			}
			continue
		}
		s.outcomes[g.Outcome]++
		cell(s.cats, q.Category).Add(q.CaseID, q.QuestionID, g)
		cell(s.raw, q.RawCategory).Add(q.CaseID, q.QuestionID, g)
		if !apart {
			s.overall.Add(q.CaseID, q.QuestionID, g)
			if g.Score != nil && g.Outcome == schema.GradeScored {
				s.repeats[q.Repeat] = append(s.repeats[q.Repeat], *g.Score)
			}
		}
		r.metrics.grade(g)
	}
}

// Miss takes in that an answer lacks a grade: it is unscored.
func (a *Aggregator) Miss(m protocol.Missing) {
	g := &schema.Grade{Protocol: m.Protocol, By: m.By, Outcome: schema.GradeMissing}
	s := a.run(m.System, m.Dataset).score(scoreKey{g.Protocol, g.By})
	s.outcomes[g.Outcome]++
	cell(s.cats, m.Category).Add(m.CaseID, m.QuestionID, g)
	cell(s.raw, m.RawCategory).Add(m.CaseID, m.QuestionID, g)
	if !slices.Contains(a.apart(m.Dataset), m.RawCategory) {
		s.overall.Add(m.CaseID, m.QuestionID, g)
	}
}

// unfound counts the right answers to questions with evidence, and those of them that were given although no hit is evidence.
type unfound struct{ right, none int }

func (u *unfound) take(q *schema.QARecord) {
	var verdict, found *float64
	for _, g := range q.Grades {
		switch name := schema.ProtocolName(g.Protocol); {
		case g.Gold == schema.GoldCorrected:
		case name == "evidence-recall":
			found = g.Score
		case verdict == nil && name != "turn-recall":
			verdict = g.Score
		}
	}
	if verdict != nil && found != nil && *verdict >= .5 {
		u.right++
		if *found == 0 {
			u.none++
		}
	}
}

// From these medians on a run is marked: of source turns a hit, and of the share of the dialogue that answers were read from.
const (
	wideHit   = 10.0
	nearlyAll = 0.8
)

// width notes how much of the dialogue a question's hits name and its context shows. Where the hits asked for would be the whole dialogue, nothing is to be seen.
func (r *run) width(q *schema.QARecord) {
	named := map[schema.EventRef]bool{}
	for _, h := range q.Hits {
		for _, s := range h.Sources {
			named[s] = true
		}
	}
	if len(named) > 0 {
		r.perHit = append(r.perHit, float64(len(named))/float64(len(q.Hits)))
	}
	if g := q.Given; g != nil && g.Turns > max(q.K, 1) && g.Chars > 0 && !q.Away() {
		r.share = append(r.share, min(1, max(float64(len(named))/float64(g.Turns), float64(spoken(q))/float64(cmp.Or(g.Spoken, g.Chars)))))
	}
}

// spoken counts the code points of a context without the ranks and times of its hits (reader.Show): what the dialogue with its speakers' names is compared with.
func spoken(q *schema.QARecord) (n int) {
	rest := q.Context
	for i := range q.Hits {
		h := &q.Hits[i]
		line, ok := strings.CutPrefix(rest, "["+strconv.Itoa(h.Rank)+"] ")
		at := strings.Index(line, h.Text)
		if !ok || at < 0 || strings.Contains(line[:at], "\n") {
			break // a context of the system's own
		}
		n += utf8.RuneCountInString(h.Text)
		rest = strings.TrimPrefix(line[at+len(h.Text):], "\n")
	}
	return n + utf8.RuneCountInString(rest)
}

// recorded finds the grade against the recorded gold that corresponds to one against the corrected gold.
func recorded(grades []schema.Grade, g *schema.Grade) *schema.Grade {
	i := slices.IndexFunc(grades, func(x schema.Grade) bool { return x.Protocol == g.Protocol && x.By == g.By && x.Gold == "" })
	if i < 0 {
		return nil
	}
	return &grades[i]
}

func overlay(q *schema.QARecord) string {
	if q.Errata == nil {
		return "unknown"
	}
	return q.Errata.Overlay
}

// slim returns the part of a grade that figures need.
func slim(g schema.Grade) schema.Grade {
	return schema.Grade{Score: g.Score, Doubt: g.Doubt, Outcome: g.Outcome}
}

// AddSession takes a graded session in.
func (a *Aggregator) AddSession(rec schema.Record[schema.SessionRecord]) {
	s := &rec.V
	r := a.run(s.System, s.Dataset)
	r.metrics.session(s)
	r.use(s.Usage)
}

// Read adds whole streams, either of which may be nil. Findings go to report and the rest continues; any other error stops reading.
func (a *Aggregator) Read(qa schema.Seq[schema.QARecord], sessions schema.Seq[schema.SessionRecord], report func(*schema.Finding)) error {
	for r, err := range schema.Drop(qa, report) {
		if err != nil {
			return err
		}
		a.Add(&r.V)
	}
	for r, err := range schema.Drop(sessions, report) {
		if err != nil {
			return err
		}
		a.AddSession(r)
	}
	return nil
}

func (r *run) score(k scoreKey) *score {
	s := r.scores[k]
	if s == nil {
		s = &score{outcomes: map[string]int{}, cats: map[string]*figure.Cell{}, raw: map[string]*figure.Cell{}, repeats: map[int][]float64{}}
		r.scores[k] = s
	}
	return s
}

func cell(m map[string]*figure.Cell, name string) *figure.Cell {
	c := m[name]
	if c == nil {
		c = &figure.Cell{}
		m[name] = c
	}
	return c
}

func (r *run) use(list []schema.StepUsage) {
	for _, u := range list {
		k := [2]string{u.Step, u.Model}
		t := r.usage[k]
		if t == nil {
			t = &schema.StepUsage{Step: u.Step, Model: u.Model}
			r.usage[k] = t
		}
		t.Calls += u.Calls
		t.InputTokens += u.InputTokens
		t.OutputTokens += u.OutputTokens
		t.Cached += u.Cached
	}
}

func (a *Aggregator) apart(dataset string) []string {
	if a.o.Apart != nil {
		return a.o.Apart
	}
	return figure.Apart(dataset)
}

// Summaries gives one summary for each system and data set, sorted by (dataset, system).
func (a *Aggregator) Summaries() []schema.Summary {
	keys := slices.SortedFunc(maps.Keys(a.runs), func(x, y key) int { return cmp.Or(cmp.Compare(x.dataset, y.dataset), cmp.Compare(x.system, y.system)) })
	out := make([]schema.Summary, len(keys))
	for i, k := range keys {
		out[i] = a.summary(k, a.runs[k])
	}
	return out
}

func (a *Aggregator) summary(k key, r *run) schema.Summary {
	o := a.o.Options.Defaults()
	s := schema.Summary{System: k.system, Type: r.typ, Dataset: k.dataset, Questions: len(r.questions), Repeats: r.repeats, Declared: a.o.Declared, Confidence: o.Confidence,
		Outcomes: r.outcomes, Fingerprint: r.prints.Fingerprint(), Metrics: r.metrics.result(k.system),
		RetrieveMS: figure.Spread(r.retrieve), AnswerMS: figure.Spread(r.answer), AnswerChars: figure.Spread(r.chars), Scores: []schema.Score{}}
	warn := func(x schema.Sentence) { s.Warnings = append(s.Warnings, x.String()) }
	if a.o.Declared > 0 {
		s.Coverage = figure.Defined(float64(len(r.questions)) / float64(a.o.Declared))
		if n := a.o.Declared - len(r.questions); n > 0 {
			warn(schema.Say("%d of the %d declared questions have no record: a published total of the whole set cannot be compared with these figures", n, a.o.Declared))
		}
	}
	if r.unlabelled > 0 {
		warn(schema.Say("%d records carry no grade: run membench eval grade", r.unlabelled))
	}
	var lacks []string
	for id, x := range r.scores {
		if n := x.outcomes[schema.GradeMissing]; n > 0 {
			lacks = append(lacks, fmt.Sprintf("%d of %s", n, (&schema.Grade{Protocol: id.protocol, By: id.by}).Grader()))
		}
	}
	if len(lacks) > 0 {
		slices.Sort(lacks)
		warn(schema.Say("grades that the other answers have are missing, and count as unscored: %s", strings.Join(lacks, ", ")))
	}
	if r.searches > 0 && r.found == 0 && !schema.Bound(k.system, r.typ) {
		warn(schema.Say("it returned no hit for any of %d questions: its score is what the reader says without a memory; membench systems check tests how it is asked", r.searches))
	}
	if u := r.unfound; u.right > 0 && stats.ClopperPearson(u.none, u.right, o.Confidence).Lo > .5 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d of %d right answers were given without any of their evidence among the hits: the evidence of the cases, or what the hits name as their sources, may be wrong", u.none, u.right))
	}
	for _, x := range r.leaks.Warnings() {
		warn(x)
	}
	if x := figure.Spread(r.perHit); x != nil && *x.P50 > wideHit {
		warn(schema.Say("a hit names %.0f turns (median): evidence-recall counts the hits, turn-recall the turns", *x.P50))
	}
	if x := figure.Spread(r.share); x != nil && *x.P50 >= nearlyAll {
		warn(schema.Say("it returns nearly all of its memory: %.0f %% of the dialogue (median; turns named, or characters shown with their speakers' names), so retrieval metrics measure no choice", 100**x.P50))
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.scores), func(x, y scoreKey) int { return cmp.Or(cmp.Compare(x.protocol, y.protocol), cmp.Compare(x.by, y.by)) }) {
		s.Scores = append(s.Scores, a.score(k, id, r, o))
		if n := s.Scores[len(s.Scores)-1].Overall.Clusters; n > 1 && n < 10 && len(s.Scores) == 1 {
			warn(schema.Say("with only %d cases, intervals by case are wide", n))
		}
	}
	for _, u := range slices.SortedFunc(maps.Keys(r.usage), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		s.Usage = append(s.Usage, *r.usage[u])
	}
	if s.Cost = figure.Cost(s.Usage, a.o.Prices); s.Cost != nil && len(s.Cost.Unpriced) > 0 {
		warn(schema.Say("no known price for %s: their tokens are not in the cost", strings.Join(s.Cost.Unpriced, ", ")))
	}
	return s
}

func (a *Aggregator) score(k key, id scoreKey, r *run, o figure.Options) schema.Score {
	from := r.scores[id]
	out := schema.Score{Protocol: id.protocol, By: id.by, Outcomes: from.outcomes, Overall: from.overall.Figure(o), Binary: from.overall.Binary()}
	var values []float64
	for _, name := range slices.Sorted(maps.Keys(from.raw)) {
		f := from.raw[name].Figure(o)
		var ours []string
		for c, raws := range r.raws {
			if _, ok := raws[name]; ok {
				ours = append(ours, c)
			}
		}
		slices.Sort(ours)
		out.RawCategories = append(out.RawCategories, schema.CategoryFigure{Category: name, Of: ours, Figure: f})
		if slices.Contains(a.apart(k.dataset), name) {
			out.Apart = append(out.Apart, name)
		} else if f.Value != nil {
			values = append(values, *f.Value)
		}
	}
	out.Macro = figure.Defined(figure.Mean(values))
	order := schema.Categories()
	rank := func(c string) int {
		if i := slices.Index(order, c); i >= 0 {
			return i
		}
		return len(order)
	}
	for _, name := range slices.SortedFunc(maps.Keys(from.cats), func(x, y string) int { return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x, y)) }) {
		out.Categories = append(out.Categories, schema.CategoryFigure{Category: name, Of: slices.Sorted(maps.Keys(r.raws[name])), Figure: from.cats[name].Figure(o)})
	}
	out.Corrected = from.corrected(o)
	if len(from.repeats) > 1 {
		var each []float64
		for _, n := range slices.Sorted(maps.Keys(from.repeats)) {
			each = append(each, figure.Mean(from.repeats[n]))
		}
		out.Repeats = figure.Spread(each)
	}
	return out
}

// corrected returns the overall figure with corrected golds, and the figure of each label that contains such a question; nil if there is none.
func (s *score) corrected(o figure.Options) *schema.Corrected {
	c := &schema.Corrected{}
	all, byLabel := s.overall.Clone(), map[string]*figure.Cell{}
	anew, left := map[[2]string]struct{}{}, map[[2]string]struct{}{}
	for i := range s.anew {
		x := &s.anew[i]
		if byLabel[x.raw] == nil {
			byLabel[x.raw] = s.raw[x.raw].Clone()
		}
		byLabel[x.raw].Replace(x.caseID, x.questionID, &x.recorded, &x.now)
		if x.apart {
			continue
		}
		all.Replace(x.caseID, x.questionID, &x.recorded, &x.now)
		if k := [2]string{x.caseID, x.questionID}; x.now.Outcome == schema.GradeNA {
			left[k] = struct{}{}
		} else {
			anew[k] = struct{}{}
		}
		if !slices.Contains(c.Overlays, x.overlay) {
			c.Overlays = append(c.Overlays, x.overlay)
		}
	}
	if len(anew)+len(left) == 0 {
		return nil
	}
	c.Questions, c.LeftOut = len(anew), len(left)
	slices.Sort(c.Overlays)
	c.Overall = all.Figure(o)
	for _, raw := range slices.Sorted(maps.Keys(byLabel)) {
		c.RawCategories = append(c.RawCategories, schema.CategoryFigure{Category: raw, Figure: byLabel[raw].Figure(o)})
	}
	return c
}
