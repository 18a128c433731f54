// Package compare compares graded runs question by question.
//
// Two runs are compared over the questions that both were scored on; what only one of
// them has is counted beside. Questions of one conversation rest on one memory, so the
// conversation is the unit: verdict, interval and detectable difference come from one t test
// over conversations (stats.ClusterMean); p-values of several pairs are adjusted by Holm. A
// difference that the test does not show is "~", never a rank. Runs whose fingerprints differ are
// not compared unless the field is named in Options.Allow.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// Options of a comparison.
type Options struct {
	figure.Options
	Protocol string   // name, or name@version, with " by GRADER" where several graded by it; "": the only one that all runs carry
	Allow    []string // fields of the fingerprint that may differ
	Alpha    float64  // level of the tests, in (0,1); 0 means 0.05
	Power    float64  // of the detectable effect, in (0,1); 0 means 0.8
	Apart    []string // excluded raw categories; nil: the data set's own rule
}

func (o Options) defaults() Options {
	o.Options = o.Options.Defaults()
	o.Alpha = cmp.Or(o.Alpha, 0.05)
	o.Power = cmp.Or(o.Power, 0.8)
	return o
}

// apart are the excluded raw categories of a data set.
func (o Options) apart(dataset string) []string {
	if o.Apart == nil {
		return figure.Apart(dataset)
	}
	return o.Apart
}

// Report is the comparison of several runs.
type Report struct {
	Protocol string              `json:"protocol"`
	Dataset  string              `json:"dataset"`
	Alpha    float64             `json:"alpha"`
	Apart    []string            `json:"apart,omitempty"`
	Runs     []RunFigure         `json:"runs"`
	Differ   []figure.Difference `json:"fingerprint_differs,omitempty"` // fields that were allowed to
	Unknown  []string            `json:"fingerprint_unknown,omitempty"` // fields unknown for all runs: equality is undetermined
	Pairs    []Pair              `json:"pairs"`
	// Uneven reports that the runs were not scored on the same questions.
	Uneven bool `json:"uneven"`
}

// RunFigure is one run's own figure over all of its questions.
type RunFigure struct {
	Run     string        `json:"run"`
	Overall schema.Figure `json:"overall"`
	ByText  int           `json:"paired_by_text,omitzero"` // questions whose ids are others in an earlier run: they were paired by their texts
}

// Pair is the comparison of two runs over the questions that both were scored on.
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	Paired
	// Corrected is the same with corrected golds; nil unless both runs were graded
	// against some.
	Corrected *Corrected `json:"corrected,omitempty"`
	Examples  []Example  `json:"examples,omitempty"` // see Examples
}

// Paired is the comparison of two sets of scores.
type Paired struct {
	Test  string `json:"test"` // TestClusters | TestQuestions
	Total Cell   `json:"total"`
	// Of the questions of A without a score of B: OnlyA, and the other way round.
	OnlyA      int        `json:"only_a"`
	OnlyB      int        `json:"only_b"`
	Categories []Category `json:"categories"`
}

// Corrected is the comparison in which corrected golds are in place of recorded ones.
// Its p-values are adjusted among themselves.
type Corrected struct {
	Overlays  []string `json:"overlays"`
	Questions int      `json:"questions"` // graded again in both runs
	LeftOut   int      `json:"left_out"`  // excluded because no right answer is known
	Paired
}

// Category is the comparison within one raw category; its p-values are adjusted over
// all pairs and categories.
type Category struct {
	Category string `json:"category"`
	Cell     Cell   `json:"cell"`
}

// Tests of a paired comparison.
const (
	TestClusters  = "cluster-t"  // Student's t over conversations
	TestQuestions = "question-t" // over the questions of the only conversation: not generalisable to others
)

// Cell is one paired comparison.
type Cell struct {
	N          int      `json:"n"`      // questions scored in both
	Wins       int      `json:"wins"`   // the first alone better
	Losses     int      `json:"losses"` // the second alone better
	A          *float64 `json:"mean_a"`
	B          *float64 `json:"mean_b"`
	Difference *float64 `json:"difference"` // A − B
	Lo         *float64 `json:"lo"`         // of the difference, by the same test as P
	Hi         *float64 `json:"hi"`
	Clusters   int      `json:"clusters"`
	Few        bool     `json:"few_clusters,omitzero"` // fewer than stats.FewClusters
	SE         *float64 `json:"se"`                    // standard error of the difference
	DF         *float64 `json:"df"`                    // its degrees of freedom
	Design     *float64 `json:"design_effect"`         // variance over conversations divided by the variance of as many independent questions
	P          *float64 `json:"p"`
	Adjusted   *float64 `json:"p_holm"`
	Shown      bool     `json:"shown"`  // p_holm ≤ alpha
	Detectable *float64 `json:"mde"`    // smallest true difference found with the power asked for, at this standard error; null where none of scores is
	Better     string   `json:"better"` // the better run, or "~" where nothing is shown

	test stats.Clustered // that the interval and P come from
}

// FingerprintError names the fields in which runs differ.
type FingerprintError struct {
	Runs   []string
	Fields []figure.Difference
}

func (e *FingerprintError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s are not comparable:", strings.Join(e.Runs, ", "))
	names := []string{}
	for _, d := range e.Fields {
		fmt.Fprintf(&b, "\n  %s differs: %s", d.Field, d)
		names = append(names, d.Field)
	}
	fmt.Fprintf(&b, "\nname a field to compare all the same: --allow %q", strings.Join(names, ","))
	return b.String()
}

// Compare compares every pair of the runs. The error is a *FingerprintError where
// fields differ that Allow does not name.
func Compare(runs []*Run, o Options) (*Report, error) {
	o = o.defaults()
	if len(runs) < 2 {
		return nil, schema.Brokenf("a comparison needs two runs: the records are of %d", len(runs))
	}
	want, by, _ := strings.Cut(o.Protocol, " by ")
	id, err := pick(runs, want)
	if err != nil {
		return nil, err
	}
	graded, anew := make([]answers, len(runs)), make([]answers, len(runs))
	for i, r := range runs {
		if graded[i], anew[i], err = r.graded(id, schema.By(by)); err != nil {
			return nil, err
		}
	}
	rep := &Report{Protocol: id, Dataset: runs[0].Dataset, Alpha: o.Alpha, Pairs: []Pair{}}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
	}
	rep.Differ = differences(runs, id)
	refused := slices.DeleteFunc(slices.Clone(rep.Differ), func(d figure.Difference) bool { return slices.Contains(o.Allow, d.Field) })
	if len(refused) > 0 {
		return nil, &FingerprintError{names, refused}
	}
	rep.Unknown = unknown(runs, id)
	apart := o.apart(rep.Dataset)
	rep.Apart = apart
	for i, r := range runs {
		rep.Runs = append(rep.Runs, RunFigure{r.Name, overall(graded[i], apart, o), len(r.renamed)})
	}
	for i, a := range runs {
		for j := i + 1; j < len(runs); j++ {
			p := Pair{A: a.Name, B: runs[j].Name}
			p.fill(graded[i], graded[j], apart, o)
			p.bound()
			p.Corrected = corrected(graded[i], graded[j], anew[i], anew[j], apart, o)
			if p.Corrected != nil {
				p.Corrected.Overlays = overlays(a, runs[j])
			}
			rep.Uneven = rep.Uneven || p.OnlyA+p.OnlyB > 0
			rep.Pairs = append(rep.Pairs, p)
		}
	}
	rep.adjust(o.Alpha)
	return rep, nil
}

// pick finds the protocol's id in every run.
func pick(runs []*Run, want string) (string, error) {
	var common, without []string
	want = figure.Protocol(want)
	for i, r := range runs {
		have := slices.Sorted(maps.Keys(r.grades))
		if !slices.ContainsFunc(have, func(p string) bool { return p == want || schema.ProtocolName(p) == want }) {
			without = append(without, r.Name)
		}
		if i == 0 {
			common = have
			continue
		}
		common = slices.DeleteFunc(common, func(p string) bool { return !slices.Contains(have, p) })
	}
	if want == "" && len(common) == 1 {
		return common[0], nil
	}
	var hits []string
	for _, p := range common {
		if want != "" && (p == want || schema.ProtocolName(p) == want) {
			hits = append(hits, p)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(common) == 0:
		return "", errors.New("no protocol graded all of the runs: grade them with one protocol (membench eval grade)")
	case want == "":
		return "", fmt.Errorf("several protocols graded the runs: choose one with --protocol: %s", strings.Join(common, ", "))
	}
	return "", fmt.Errorf("protocol %q did not grade all of the runs: it has no score of %s; have %s", want, cmp.Or(strings.Join(without, ", "), "one version"), strings.Join(common, ", "))
}

// differences are the fields that matter to protocol and differ. Questions, their words, golds and dialogues are compared question by question: what only one run
// was asked differs in nothing else.
func differences(runs []*Run, id string) []figure.Difference {
	prints, where := make([]map[string]string, len(runs)), map[string][]string{}
	for i, r := range runs {
		prints[i] = r.prints.Fingerprint()
		for _, other := range runs[:i] {
			alone, _ := other.prints.Alone(&r.prints)
			words, told := other.prints.Changed(&r.prints)
			for field, ids := range map[string][]string{figure.FieldQuestions: alone, figure.FieldWording: words, figure.FieldDialogues: told,
				figure.FieldGolds: append(other.prints.Regolded(&r.prints), r.prints.Regolded(&other.prints)...)} {
				where[field] = append(where[field], ids...)
			}
		}
	}
	out := slices.DeleteFunc(figure.Differences(prints, id), func(d figure.Difference) bool { _, named := where[d.Field]; return named })
	for field, ids := range where {
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		d := figure.Difference{Field: field, Where: slices.Compact(ids)}
		for i, key := range d.Where {
			d.Where[i] = strings.Replace(key, "\x00", "/", 1)
		}
		for _, print := range prints {
			d.Values = append(d.Values, print[field])
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b figure.Difference) int { return cmp.Compare(a.Field, b.Field) })
	return out
}

// unknown are the fields whose value is "unknown" in every run: imports often do not
// say who read and who judged.
func unknown(runs []*Run, id string) []string {
	var out []string
	for _, f := range []string{figure.FieldReader, "judge of " + id} {
		if !slices.ContainsFunc(runs, func(r *Run) bool { return r.prints.Fingerprint()[f] != "unknown" }) {
			out = append(out, f)
		}
	}
	return out
}

func overall(graded answers, apart []string, o Options) schema.Figure {
	var c figure.Cell
	for _, key := range slices.Sorted(maps.Keys(graded)) {
		a := graded[key]
		if slices.Contains(apart, a.category) {
			continue
		}
		g := schema.Grade{Outcome: schema.GradeJudgeFailed}
		if s, ok := a.score(); ok {
			g = schema.Grade{Outcome: schema.GradeScored, Score: &s, Doubt: a.doubt}
		}
		c.Add(a.caseID, key, &g)
	}
	return c.Figure(o.Options)
}

// sums collects one cell of a pair.
type sums struct {
	a, b  float64
	diffs stats.Differences[string]
}

func (s *sums) add(caseID string, x, y float64) {
	s.a += x
	s.b += y
	s.diffs.Add(caseID, x-y)
}

// test names the independent units.
func (s *sums) test() string {
	if s.diffs.Conversations() == 1 {
		return TestQuestions
	}
	return TestClusters
}

func (s *sums) cell(o Options) Cell {
	d := &s.diffs
	n, conversations := float64(d.N), d.Conversations()
	c := Cell{N: d.N, Wins: d.Wins, Losses: d.Losses, A: figure.Defined(s.a / n), B: figure.Defined(s.b / n), Difference: figure.Defined((s.a - s.b) / n), Clusters: conversations,
		Few: conversations < stats.FewClusters, Better: "~"}
	if d.N == 0 {
		return c
	}
	r, p := d.Test(o.Confidence)
	in := r.Interval(o.Confidence)
	c.test = r
	c.Lo, c.Hi, c.SE, c.DF, c.Design = figure.Defined(in.Lo), figure.Defined(in.Hi), figure.Defined(r.SE), figure.Defined(r.DF), figure.Defined(r.Design)
	c.P, c.Detectable = figure.Defined(p), figure.Defined(r.Detectable(o.Alpha, o.Power))
	return c
}

// bound cuts intervals of differences of scores to the possible range.
func (p *Paired) bound() {
	cut := func(c *Cell) {
		if c.Lo != nil {
			*c.Lo, *c.Hi = max(-1, *c.Lo), min(1, *c.Hi)
		}
		if c.Detectable != nil && *c.Detectable > 1 {
			c.Detectable = nil
		}
	}
	cut(&p.Total)
	for i := range p.Categories {
		cut(&p.Categories[i].Cell)
	}
}

func (p *Paired) fill(a, b answers, apart []string, o Options) {
	total, cats := &sums{}, map[string]*sums{}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		x := a[key]
		if slices.Contains(apart, x.category) {
			continue
		}
		s, okA := x.score()
		t, okB := b[key].score()
		switch {
		case okA && !okB:
			p.OnlyA++
		case okB && !okA:
			p.OnlyB++
		case okA && okB:
			total.add(x.caseID, s, t)
			if cats[x.category] == nil {
				cats[x.category] = &sums{}
			}
			cats[x.category].add(x.caseID, s, t)
		}
	}
	for key, y := range b {
		if _, ok := y.score(); ok && a[key] == nil && !slices.Contains(apart, y.category) {
			p.OnlyB++
		}
	}
	p.Test = total.test()
	p.Total = total.cell(o)
	for _, name := range slices.Sorted(maps.Keys(cats)) {
		p.Categories = append(p.Categories, Category{name, cats[name].cell(o)})
	}
}

// adjust corrects the p-values of the totals and, separately, those of all categories, and marks significant differences; the same for corrected golds.
func (r *Report) adjust(alpha float64) {
	for _, of := range []func(*Pair) *Paired{
		func(p *Pair) *Paired { return &p.Paired },
		func(p *Pair) *Paired {
			if p.Corrected == nil {
				return nil
			}
			return &p.Corrected.Paired
		},
	} {
		var totals, cats []*Cell
		var pairs, names [][2]string
		for i := range r.Pairs {
			p := &r.Pairs[i]
			x := of(p)
			if x == nil {
				continue
			}
			totals = append(totals, &x.Total)
			pairs = append(pairs, [2]string{p.A, p.B})
			for j := range x.Categories {
				cats = append(cats, &x.Categories[j].Cell)
				names = append(names, [2]string{p.A, p.B})
			}
		}
		holm(totals, pairs, alpha)
		holm(cats, names, alpha)
	}
}

// holm adjusts one family of tests. names are the runs of each.
func holm(cells []*Cell, names [][2]string, alpha float64) {
	var ps []float64
	for _, c := range cells {
		if c.P != nil {
			ps = append(ps, *c.P)
		}
	}
	adjusted := stats.Holm(ps)
	for i, c := range cells {
		if c.P == nil {
			continue
		}
		c.Adjusted, adjusted = &adjusted[0], adjusted[1:]
		c.Shown = *c.Adjusted <= alpha
		if c.Shown && *c.Difference > 0 {
			c.Better = names[i][0]
		} else if c.Shown && *c.Difference < 0 {
			c.Better = names[i][1]
		}
	}
}
