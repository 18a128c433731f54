package calibrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/eval/protocol"
	"membench/internal/par"
	"membench/internal/stats"
	"membench/llm"
	"membench/schema"
)

// A Grader grades the answer of a record: a rule, or a judge that asks a model.
type Grader func(ctx context.Context, r schema.QARecord) (schema.Grade, error)

// Protocol is a named protocol as a grader; one that asks a model needs gen. A reply
// without a verdict is a grade with the outcome judge_failed.
func Protocol(p *protocol.Protocol, gen llm.Generator) (Grader, error) {
	if p.Judge == nil || gen == nil {
		if p.Rule == nil {
			return nil, fmt.Errorf("protocol %s asks a model: name one", p.Name)
		}
		return func(_ context.Context, r schema.QARecord) (schema.Grade, error) { return p.Grade(&r), nil }, nil
	}
	return func(ctx context.Context, r schema.QARecord) (schema.Grade, error) {
		q, ok := p.Judge.Prompt(&r)
		if !ok {
			return p.Complete(protocol.NotApplicable("the protocol does not grade this question"), schema.By(gen.Model())), nil
		}
		re, err := gen.Generate(ctx, llm.Request{Purpose: llm.PurposeJudge, System: q.System, Prompt: q.User, Temperature: q.Temperature, MaxTokens: q.MaxTokens, JSON: q.JSON})
		if err != nil {
			if ctx.Err() != nil {
				return schema.Grade{}, err
			}
			return p.Complete(schema.Grade{Outcome: schema.GradeJudgeFailed, Reason: err.Error()}, schema.By(gen.Model())), nil
		}
		g, err := p.Judge.Verdict(&r, re.Text)
		if err != nil {
			g = schema.Grade{Outcome: schema.GradeJudgeFailed, Reason: err.Error(), Reply: re.Text}
		}
		return p.Complete(g, schema.By(gen.Model())), nil
	}, nil
}

// Options of Run.
type Options struct {
	Threshold float64    // a score from here on is an acceptance, (0,1]; 0 is .5
	Workers   int        // answers judged at once; 0 is one
	Conf      float64    // of the intervals; 0 is .95
	Plants    *Plantings // recorded answers of known truth; nil: all are made
	Shapes    []Shape    // answers of these shapes are planted too
}

// Rate is a share with its interval.
type Rate struct {
	K    int     `json:"k"`
	N    int     `json:"n"`
	Rate float64 `json:"rate"` // K/N, [0,1]
	Lo   float64 `json:"lo"`   // Wilson
	Hi   float64 `json:"hi"`
}

// Corrected is an accuracy without the judge's errors (Rogan and Gladen 1978), with
// the interval of Lang and Reiczigel (2014). Shown is false where it is not defined:
// a judge no better than chance, or nothing to measure it by.
type Corrected struct {
	Against  string  `json:"against"` // which wrong answers gave the false accepts
	Shown    bool    `json:"shown"`
	Why      string  `json:"why,omitempty"` // why it is not shown
	Accuracy float64 `json:"accuracy"`
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
}

// KindRate counts a judge's verdicts on one kind of planted answer.
type KindRate struct {
	Kind     Kind    `json:"kind"`
	Right    bool    `json:"right"`    // should be accepted
	Accepted Rate    `json:"accepted"` // of those judged
	Failed   int     `json:"failed"`   // not judged: a reply without a verdict, not applicable
	Length   float64 `json:"length"`   // mean, code points
}

// Report measures how reliable a judge is on these questions.
type Report struct {
	Judge        string     `json:"judge"`
	Questions    int        `json:"questions"` // with at least one planted answer
	Kinds        []KindRate `json:"kinds"`
	FalseAccepts Rate       `json:"false_accepts"` // of all specific and vague wrong answers
	FalseRejects Rate       `json:"false_rejects"`
	Ungraded     int        `json:"ungraded"`          // answers that were never given, or that the judge failed on
	Length       float64    `json:"length"`            // mean of the answers, code points: long answers inflate a judge's score
	Doubtful     int        `json:"doubtful,omitzero"` // of the answers themselves
	Labels       *Labels    `json:"labels,omitempty"`  // rates by other verdicts on the answers themselves
	Shapes       *Rate      `json:"shapes,omitempty"`  // accepted of all wrong answers of the shapes
	Systems      []Seen     `json:"systems,omitempty"` // by name
}

// Seen is the accuracy of a system's answers, as the judge sees them. A doubtful verdict counts as the judge leans, in the accuracy and in the rates that correct it.
type Seen struct {
	System    string      `json:"system"`
	Accuracy  Rate        `json:"accuracy"`
	Corrected []Corrected `json:"corrected"`
}

// Labels are a judge's rates on the answers themselves, by verdicts that the records have
// of people, models or published runs.
type Labels struct {
	By           []string `json:"by"` // protocols of the verdicts, sorted
	FalseAccepts Rate     `json:"false_accepts"`
	FalseRejects Rate     `json:"false_rejects"`
}

// label returns the verdict of another judge in the record: a person's, a model's or a published run's; nil if there is none.
func label(r *schema.QARecord, judge string) *schema.Grade {
	for i := range r.Grades {
		g := &r.Grades[i]
		other := g.By != schema.ByRule || strings.HasPrefix(g.Protocol, "recorded-")
		if other && g.Gold == "" && g.Protocol != judge && g.Doubt == "" && g.Score != nil && (*g.Score == 0 || *g.Score == 1) {
			return g
		}
	}
	return nil
}

type job struct {
	rec  schema.QARecord
	kind Kind // "" is the answer itself
}

// Run plants answers into the records, has all of them and the records' own answers
// judged, and reports. The records are held: about their size.
func Run(ctx context.Context, records []schema.QARecord, g Grader, o Options) (Report, error) {
	if len(records) == 0 {
		return Report{}, errors.New("no records to calibrate on")
	}
	if o.Plants != nil && o.Plants.Len() == 0 {
		return Report{}, errors.New("no recorded planted answers: have none, want at least one")
	}
	o = o.defaults()
	pool := new(Pool)
	for _, r := range records {
		pool.Add(r)
	}
	var rep Report
	type question struct{ dataset, caseID, id string }
	planted := map[question]bool{} // several systems, or repeats, answer one question
	jobs := func(yield func(job, error) bool) {
		for _, r := range records {
			if r.Outcome == "" || r.Outcome == schema.OutcomeAnswered || r.Outcome == schema.OutcomeEmpty {
				if !yield(job{r, ""}, nil) {
					return
				}
			} else {
				rep.Ungraded++
			}
			q := question{r.Dataset, r.CaseID, r.QuestionID}
			if planted[q] {
				continue
			}
			planted[q] = true
			plants := o.Plants.of(r, pool.Plants(r))
			if len(plants) > 0 {
				rep.Questions++
			}
			plants = append(plants, pool.shaped(r, o.Shapes)...)
			for _, p := range plants {
				x := r
				x.Answer, x.Outcome = p.Answer, schema.OutcomeAnswered
				if !yield(job{x, p.Kind}, nil) {
					return
				}
			}
		}
	}
	type done struct {
		job
		grade schema.Grade
	}
	type count struct{ k, leans, n, failed, runes, made int } // leans: accepted, doubtful verdicts too
	by, systems := map[Kind]*count{"": {}}, map[string]*count{}
	var accepted, refused [2]int // of answers whose label is wrong, right
	labels := map[string]bool{}
	kinds := Kinds()
	wrongShape := map[Kind]bool{}
	for _, x := range o.Shapes {
		if k := Kind(x.Name); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
		wrongShape[Kind(x.Name)] = !x.Right
	}
	for _, k := range kinds {
		by[k] = &count{}
	}
	for d, err := range par.Map(ctx, max(1, o.Workers), jobs, func(ctx context.Context, j job) (done, error) {
		gr, err := g(ctx, j.rec)
		return done{j, gr}, err
	}) {
		if err != nil {
			return Report{}, err
		}
		rep.Judge = cmp.Or(rep.Judge, d.grade.Grader())
		c := by[d.kind]
		c.made++
		c.runes += utf8.RuneCountInString(d.rec.Answer)
		if d.grade.Score == nil {
			c.failed++
			continue
		}
		c.n++
		yes := *d.grade.Score >= o.Threshold
		if yes {
			c.leans++
		}
		if yes && d.grade.Doubt == "" {
			c.k++
		}
		if d.kind != "" {
			continue
		}
		own := systems[d.rec.System]
		if own == nil {
			own = &count{}
			systems[d.rec.System] = own
		}
		if own.n++; yes {
			own.leans++
		}
		if d.grade.Doubt != "" {
			rep.Doubtful++
		}
		if l := label(&d.rec, d.grade.Protocol); l != nil {
			labels[l.Protocol] = true
			if yes {
				accepted[int(*l.Score)]++
			} else {
				refused[int(*l.Score)]++
			}
		}
	}
	shapes := count{}
	for _, k := range kinds {
		c := by[k]
		right := k.Right()
		if wrong, ok := wrongShape[k]; ok {
			right = !wrong
			if wrong {
				shapes.k, shapes.n = shapes.k+c.k, shapes.n+c.n
			}
		}
		rep.Kinds = append(rep.Kinds, KindRate{Kind: k, Right: right, Accepted: rate(c.k, c.n, o.Conf), Failed: c.failed, Length: float64(c.runes) / float64(max(1, c.made))})
	}
	s, v, p, own := by[Specific], by[Vague], by[Paraphrase], by[""]
	rep.FalseAccepts = rate(s.k+v.k, s.n+v.n, o.Conf)
	rep.FalseRejects = rate(p.n-p.k, p.n, o.Conf)
	rep.Ungraded += own.failed
	rep.Length = float64(own.runes) / float64(max(1, own.made))
	if shapes.n > 0 {
		all := rate(shapes.k, shapes.n, o.Conf)
		rep.Shapes = &all
	}
	if own.n == 0 {
		return rep, nil
	}
	if len(labels) > 0 {
		rep.Labels = &Labels{By: slices.Sorted(maps.Keys(labels)), FalseAccepts: rate(accepted[0], accepted[0]+refused[0], o.Conf), FalseRejects: rate(refused[1], accepted[1]+refused[1], o.Conf)}
	}
	easier := rep.easier(p.made+s.made+v.made, p.runes+s.runes+v.runes)
	rejects := p.n - p.leans
	for _, name := range slices.Sorted(maps.Keys(systems)) {
		c := systems[name]
		seen := Seen{System: name, Accuracy: rate(c.leans, c.n, o.Conf)}
		for _, w := range []struct {
			name string
			k, n int
		}{{"specific and vague", s.leans + v.leans, s.n + v.n}, {"specific", s.leans, s.n}, {"vague", v.leans, v.n}} {
			a, in := stats.RoganGladen(c.leans, c.n, stats.Rates{FalseAccepts: w.k, Wrong: w.n, FalseRejects: rejects, Right: p.n}, o.Conf)
			seen.Corrected = append(seen.Corrected, corrected(w.name, easier, a, in))
		}
		if l := rep.Labels; l != nil {
			a, in := stats.RoganGladen(c.leans, c.n, stats.Rates{FalseAccepts: l.FalseAccepts.K, Wrong: l.FalseAccepts.N, FalseRejects: l.FalseRejects.K, Right: l.FalseRejects.N}, o.Conf)
			seen.Corrected = append(seen.Corrected, corrected("labelled answers", "", a, in))
		}
		rep.Systems = append(rep.Systems, seen)
	}
	return rep, nil
}

func corrected(against, why string, a float64, in stats.Interval) Corrected {
	c := Corrected{Against: against, Why: why}
	switch {
	case why != "":
	case math.IsNaN(a):
		c.Why = "the judge does not separate right from wrong answers, or was not measured"
	default:
		c.Shown, c.Accuracy, c.Lo, c.Hi = true, a, in.Lo, in.Hi
	}
	return c
}

// easier returns why the planted answers are easier to judge than the answers themselves, so that a correction by them would be too small; "" if nothing
// indicates it.
func (rep *Report) easier(plants, runes int) string {
	if l := rep.Labels; l != nil {
		if l.FalseAccepts.N > 0 && l.FalseAccepts.Lo > rep.FalseAccepts.Rate {
			return fmt.Sprintf("the planted answers are easier than the data: %.3f of them are accepted wrongly, and %.3f of the answers labelled wrong", rep.FalseAccepts.Rate, l.FalseAccepts.Rate)
		}
		if l.FalseRejects.N > 0 && l.FalseRejects.Lo > rep.FalseRejects.Rate {
			return fmt.Sprintf("the planted answers are easier than the data: %.3f of the right ones are refused, and %.3f of the answers labelled right", rep.FalseRejects.Rate, l.FalseRejects.Rate)
		}
		return ""
	}
	if mean := float64(runes) / float64(max(1, plants)); rep.Length > 3*mean && rep.Length > 100 {
		return fmt.Sprintf("the answers are longer than the planted ones (%.0f characters against %.0f), and long answers are harder to judge: label some", rep.Length, mean)
	}
	return ""
}
