package report

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"membench/llm"
	"membench/schema"
)

// A Builder makes a report of records that pass by. It holds a few hundred bytes for
// each system, data set and category, and with Options.Pages the embedded answers and
// one side file (a few MB).
type Builder struct {
	o      Options
	report *Report
	groups map[groupKey]*group
	pages  *pages // nil without Options.Pages
}

type groupKey struct{ dataset, system string }

// group holds the counts of one system on one data set.
type group struct {
	main             grader
	apart            []string // raw categories that are in no total
	at               [2]int   // of its data set and itself in the report
	scores           scores
	losses           map[string]*Loss
	retrieve, answer Histogram
	read             int     // tokens that readers were charged for
	reads            int     // answers with such
	about            float64 // estimated tokens of the contexts of the others
	abouts           int
}

// New starts a report of summaries, which must belong to the records that follow. It fails if a requested protocol graded nothing.
func New(o Options, summaries []schema.Summary) (*Builder, error) {
	o = o.defaults()
	r := &Report{Version: 1, Title: o.Title, Datasets: []Dataset{}, Runs: o.Runs}
	for _, s := range summaries {
		i := slices.IndexFunc(r.Datasets, func(d Dataset) bool { return d.Name == s.Dataset })
		if i < 0 {
			i = len(r.Datasets)
			r.Datasets = append(r.Datasets, Dataset{Name: s.Dataset, Systems: []System{}})
		}
		r.Datasets[i].Systems = append(r.Datasets[i].Systems, System{Summary: s, Losses: []Loss{}})
		x := &r.Datasets[i].Systems[len(r.Datasets[i].Systems)-1]
		for _, f := range o.Facts {
			if f.System == s.System && f.Dataset == s.Dataset {
				x.Facts = append(x.Facts, f.Text)
			}
		}
	}
	if err := r.order(o.Protocol); err != nil {
		return nil, err
	}
	b := &Builder{o: o, report: r, groups: map[groupKey]*group{}}
	for i := range r.Datasets {
		d := &r.Datasets[i]
		for j := range d.Systems {
			g := &group{main: grader{d.Protocol, d.By}, at: [2]int{i, j}, losses: map[string]*Loss{}}
			if sc := d.Main(&d.Systems[j]); sc != nil {
				g.apart = sc.Apart
			}
			b.groups[groupKey{d.Name, d.Systems[j].Name()}] = g
		}
	}
	if o.Pages {
		b.pages = newPages(o, r)
	}
	return b, nil
}

// Read takes records in, once, in the order in which the page lists them. Findings go to
// report and the rest continues; any other error ends the reading. A record of a system
// or data set that no summary has is an error: the figures would not be its own.
func (b *Builder) Read(in schema.Seq[schema.QARecord], report func(*schema.Finding)) error {
	for rec, err := range schema.Drop(in, report) {
		if err == nil {
			err = b.add(&rec.V)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *Builder) add(q *schema.QARecord) error {
	g := b.groups[groupKey{q.Dataset, q.System}]
	if g == nil {
		return errors.New("a record of " + q.System + " on " + q.Dataset + ", which no summary has: the records changed while they were read")
	}
	verdict := g.verdict(q)
	g.score(q)
	d := &b.report.Datasets[g.at[0]]
	d.Answerers = once(d.Answerers, string(q.By))
	if q.K > 0 {
		d.K = once(d.K, strconv.Itoa(q.K))
	}
	g.count(q, verdict)
	if q.RetrieveMS > 0 {
		g.retrieve.add(q.RetrieveMS)
	}
	if q.AnswerMS > 0 {
		g.answer.add(q.AnswerMS)
	}
	read := 0
	for _, u := range q.Usage {
		if u.Step == "read" || u.Step == "answer" {
			read += u.InputTokens
		}
	}
	if read > 0 {
		g.read += read
		g.reads++
	} else if !q.Away() && (q.Outcome == schema.OutcomeAnswered || q.Outcome == schema.OutcomeEmpty) {
		low, high := llm.EstimateTokens(q.Context)
		if q.Context == "" {
			high = 0 // of nothing
		}
		g.about += float64(low+high) / 2
		g.abouts++
	}
	if b.pages != nil {
		return b.pages.add(q, verdict, g.at)
	}
	return nil
}

// once adds s to a sorted list that does not hold it.
func once(list []string, s string) []string {
	i, ok := slices.BinarySearch(list, s)
	if ok || s == "" {
		return list
	}
	return slices.Insert(list, i, strings.Clone(s))
}

// score keeps the main score of an answer for the comparison of systems.
func (g *group) score(q *schema.QARecord) {
	if schema.Bound(q.System, q.Type) || slices.Contains(g.apart, q.RawCategory) {
		return
	}
	for i := range q.Grades {
		if x := &q.Grades[i]; x.Protocol == g.main.id && x.By == g.main.by && x.Gold == "" && x.Outcome == schema.GradeScored && x.Score != nil {
			g.scores.add(q, *x.Score)
			return
		}
	}
}

// verdict is the main protocol's verdict on an answer.
func (g *group) verdict(q *schema.QARecord) string {
	for i := range q.Grades {
		x := &q.Grades[i]
		if x.Protocol != g.main.id || x.By != g.main.by || x.Gold != "" {
			continue
		}
		switch {
		case x.Outcome == schema.GradeNA:
			return Ungraded
		case x.Outcome != schema.GradeScored || x.Score == nil:
			return Unscored
		case *x.Score >= Threshold:
			return Right
		}
		return Wrong
	}
	return Ungraded
}

func (g *group) count(q *schema.QARecord, verdict string) {
	if verdict == Ungraded {
		return
	}
	l := g.losses[q.Category]
	if l == nil {
		l = &Loss{Category: strings.Clone(q.Category), Hops: map[string]int{}, Causes: map[string]int{}}
		g.losses[l.Category] = l
	}
	l.Answers++
	switch verdict {
	case Right:
		l.Right++
		if q.Attribution != nil {
			l.Other++
		}
		return
	case Wrong:
		l.Wrong++
	case Unscored:
		l.Unscored++
	}
	if a := q.Attribution; a == nil || !slices.Contains(schema.Hops(), a.Hop) {
		l.Open++
	} else {
		l.Hops[a.Hop]++
		if a.Cause != "" {
			l.Causes[a.Cause]++
		}
	}
}

// Report ends the reading and gives the report.
func (b *Builder) Report() (*Report, error) {
	for _, g := range b.groups {
		s := &b.report.Datasets[g.at[0]].Systems[g.at[1]]
		s.Losses = []Loss{}
		for _, l := range g.losses {
			s.Losses = append(s.Losses, *l)
		}
		slices.SortFunc(s.Losses, func(a, b Loss) int { return byCategory(a.Category, b.Category) })
		if g.retrieve.N > 0 {
			s.Retrieve = &g.retrieve
		}
		if g.answer.N > 0 {
			s.Answer = &g.answer
		}
		s.Tokens = g.tokens(s.Summary.Usage)
	}
	for i := range b.report.Datasets {
		d := &b.report.Datasets[i]
		d.Lead = d.lead(func(system string) *scores { return &b.groups[groupKey{d.Name, system}].scores })
	}
	if b.pages != nil {
		var err error
		if b.report.page, err = b.pages.end(); err != nil {
			return nil, err
		}
	}
	return b.report, nil
}

// tokens are counted from usage if there is any; contexts of rule readers are estimated.
func (g *group) tokens(usage []schema.StepUsage) Tokens {
	t := Tokens{}
	for _, u := range usage {
		if u.Step != "judge" {
			t.Total += u.InputTokens + u.OutputTokens
		}
	}
	switch {
	case g.reads > 0:
		t.Shown, t.Questions = float64(g.read)/float64(g.reads), g.reads
	case g.about > 0: // contexts that are all empty were not recorded, or there was nothing to show
		t.Shown, t.Questions, t.Estimated = g.about/float64(g.abouts), g.abouts, true
		t.Total = cmp.Or(t.Total, int(g.about))
	}
	return t
}
