package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/eval/figure"
	"membench/schema"
)

// A Run is one system's graded records. It holds about 200 bytes a question and
// protocol, half of that for each measure.
type Run struct {
	Name     string // of the system; a caller with several runs of one renames them
	System   string // as the records have it
	Dataset  string
	prints   figure.Prints
	grades   map[string]map[schema.By]answers // by protocol and who graded
	anew     map[string]map[schema.By]answers // the same, for questions graded against a corrected gold
	overlays []string
	measures map[string]answers
	texts    map[string]textID // of the questions, by id
	renamed  map[string]string // ids that other runs know questions by, by their own: see pairByText
}

// answers are the answers of a run by question.
type answers map[string]*answer

// of returns the answer to a question and adds a missing one.
func (m answers) of(key string, q *schema.QARecord) *answer {
	a := m[key]
	if a == nil {
		a = &answer{caseID: q.CaseID, category: q.RawCategory}
		m[key] = a
	}
	return a
}

type answer struct {
	caseID, category string
	scores           []float64 // of the repeats
	doubt            string    // of one of them
	na               bool      // not applicable: only of corrected golds
}

// score is the mean over repeats; ok is false where nothing was scored.
func (a *answer) score() (float64, bool) {
	if a == nil || len(a.scores) == 0 {
		return 0, false
	}
	return figure.Mean(a.scores), true
}

// A measure is a number of each answer that a gate can hold, the smaller the better.
var measures = map[string]func(*schema.QARecord) float64{
	"retrieve_ms": func(q *schema.QARecord) float64 { return q.RetrieveMS },
	"answer_ms":   func(q *schema.QARecord) float64 { return q.AnswerMS },
	"tokens": func(q *schema.QARecord) float64 {
		n := 0
		for _, u := range q.Usage {
			if u.Step != "judge" {
				n += u.InputTokens + u.OutputTokens
			}
		}
		return float64(n)
	},
}

// Measures lists the measures that gates can check in addition to protocols: milliseconds of retrieving and answering, and the tokens that models read and
// wrote per question.
func Measures() []string { return slices.Sorted(maps.Keys(measures)) }

// Read takes a stream apart into runs, one for each system and data set, sorted by name,
// with the measures named. Findings go to report.
func Read(in schema.Seq[schema.QARecord], report func(*schema.Finding), measured ...string) ([]*Run, error) {
	runs, names := map[string]*Run{}, figure.Names{}
	for r, err := range schema.Drop(in, report) {
		if err != nil {
			return nil, err
		}
		q := &r.V
		for _, s := range []*string{&q.System, &q.Dataset, &q.CaseID, &q.RawCategory} {
			*s = names.Keep(*s)
		}
		key := q.Dataset + "\x00" + q.System
		run := runs[key]
		if run == nil {
			run = &Run{Name: q.System, System: q.System, Dataset: q.Dataset, grades: map[string]map[schema.By]answers{}, anew: map[string]map[schema.By]answers{}, measures: map[string]answers{}, texts: map[string]textID{}, renamed: map[string]string{}}
			runs[key] = run
		}
		run.add(q, measured)
	}
	out := slices.Collect(maps.Values(runs))
	slices.SortFunc(out, func(a, b *Run) int { return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Name, b.Name)) })
	return out, nil
}

func questionKey(q *schema.QARecord) string { return q.CaseID + "\x00" + q.QuestionID }

func (r *Run) add(q *schema.QARecord, measured []string) {
	r.prints.Add(q)
	key := questionKey(q)
	r.texts[key] = textOf(q)
	for i := range q.Grades {
		g := &q.Grades[i]
		to := r.grades
		switch {
		case g.Gold == schema.GoldCorrected:
			to = r.anew
			if q.Errata != nil && !slices.Contains(r.overlays, q.Errata.Overlay) {
				r.overlays = append(r.overlays, q.Errata.Overlay)
			}
		case g.Outcome == schema.GradeNA:
			continue
		}
		id := figure.Protocol(g.Protocol)
		if to[id] == nil {
			to[id] = map[schema.By]answers{}
		}
		if to[id][g.By] == nil {
			to[id][g.By] = answers{}
		}
		a := to[id][g.By].of(key, q)
		a.na = a.na || g.Outcome == schema.GradeNA
		if g.Score != nil && g.Outcome == schema.GradeScored {
			a.scores, a.doubt = append(a.scores, *g.Score), cmp.Or(a.doubt, g.Doubt)
		}
	}
	for _, name := range measured {
		v := measures[name](q)
		if v <= 0 || q.Outcome != schema.OutcomeAnswered && q.Outcome != schema.OutcomeEmpty {
			continue
		}
		if r.measures[name] == nil {
			r.measures[name] = answers{}
		}
		a := r.measures[name].of(key, q)
		a.scores = append(a.scores, v)
	}
}

// graded returns the answers as one grader of a protocol scored them, and those graded against corrected golds: by the named grader, or the only one. It fails
// if the grader is ambiguous: scores of two graders are never combined.
func (r *Run) graded(id string, by schema.By) (graded, anew answers, err error) {
	var names []string
	for _, g := range slices.Sorted(maps.Keys(r.grades[id])) {
		if g == by || by == "" && len(r.grades[id]) == 1 {
			return r.grades[id][g], r.anew[id][g], nil
		}
		names = append(names, fmt.Sprintf("%q", id+" by "+string(g)))
	}
	if by == "" {
		return nil, nil, fmt.Errorf("%s was graded by several: choose one with --protocol: %s", r.Name, strings.Join(names, ", "))
	}
	return nil, nil, fmt.Errorf("%s was not graded by %s: have %s", r.Name, by, strings.Join(names, ", "))
}

// corrected compares a and b with corrected golds; nil unless both were graded against some. Questions without a known right answer are excluded.
func corrected(a, b, anewA, anewB answers, apart []string, o Options) *Corrected {
	if len(anewA) == 0 || len(anewB) == 0 {
		return nil
	}
	c := &Corrected{}
	x, y := maps.Clone(a), maps.Clone(b)
	for key, now := range anewA {
		other := anewB[key]
		if other == nil || slices.Contains(apart, now.category) {
			continue
		}
		if now.na || other.na {
			delete(x, key)
			delete(y, key)
			c.LeftOut++
			continue
		}
		x[key], y[key] = now, other
		c.Questions++
	}
	c.fill(x, y, apart, o)
	c.bound()
	return c
}

func overlays(a, b *Run) []string {
	return slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(a.overlays), b.overlays...))))
}
