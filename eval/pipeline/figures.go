package pipeline

import (
	"cmp"
	"fmt"
	"io"
	"unicode/utf8"

	"membench/eval/explain"
	"membench/eval/grade"
	"membench/internal/atomicfile"
	"membench/schema"
)

// GradeReport is the result of grading.
type GradeReport struct {
	Protocols []*Graded    `json:"protocols"`
	Threshold float64      `json:"threshold"`
	Agreement []grade.Pair `json:"agreement"`
	// Explained are where questions were lost, with GradeOptions.Explain.
	Explained []explain.Count `json:"-"`
}

// Graded are the outcomes of one protocol; the mean is over the scored answers.
type Graded struct {
	Grader        string   `json:"grader"`
	N             int      `json:"n"`    // scored
	Mean          *float64 `json:"mean"` // [0,1]; null where nothing was scored
	NotApplicable int      `json:"not_applicable"`
	NotAnswered   int      `json:"not_answered"`
	JudgeFailed   int      `json:"judge_failed"`
	FirstFailure  string   `json:"first_failure,omitzero"`
	Doubtful      int      `json:"doubtful,omitzero"` // of N: the score is what the judge leans to
	sum, doubted  float64
}

// Failed counts the verdicts that a judge failed to give; nil if there are none.
func (r GradeReport) Failed() *schema.FailedError {
	e := &schema.FailedError{Step: "eval grade", Why: map[string]int{}, Written: true}
	for _, p := range r.Protocols {
		e.Failed += p.JudgeFailed
		e.Taken += p.N
	}
	if e.Failed == 0 {
		return nil
	}
	e.Why[schema.GradeJudgeFailed] = e.Failed
	return e
}

// gradeFigures are the counts of one call.
type gradeFigures struct {
	order     []string
	byGrader  map[string]*Graded
	agreement *grade.Agreement
}

func newGradeFigures(threshold float64) *gradeFigures {
	return &gradeFigures{byGrader: map[string]*Graded{}, agreement: grade.NewAgreement(threshold)}
}

func (f *gradeFigures) count(name string, score *float64, outcome, reason, doubt string) {
	g := f.byGrader[name]
	if g == nil {
		g = &Graded{Grader: name}
		f.byGrader[name] = g
		f.order = append(f.order, name)
	}
	switch {
	case score != nil:
		g.N++
		g.sum += *score
		if doubt != "" {
			g.Doubtful++
			g.doubted += *score
		}
	case outcome == schema.GradeJudgeFailed:
		g.JudgeFailed++
		g.FirstFailure = cmp.Or(g.FirstFailure, reason)
	case outcome == schema.GradeNotAnswered:
		g.NotAnswered++
	default:
		g.NotApplicable++
	}
}

func (f *gradeFigures) qa(r *schema.QARecord) {
	for _, g := range r.Grades {
		name := graderName(g.Protocol, g.By)
		if g.Gold == schema.GoldCorrected {
			name += ", corrected"
		}
		f.count(name, g.Score, g.Outcome, g.Reason, g.Doubt)
	}
	f.agreement.Add(r)
}

func (f *gradeFigures) session(r *schema.SessionRecord) {
	for _, g := range r.Grades {
		f.count(graderName("session/"+g.Judge, g.By), g.Score, g.Outcome, g.Reason, "")
	}
}

func (f *gradeFigures) report() GradeReport {
	r := GradeReport{Threshold: f.agreement.Threshold(), Agreement: f.agreement.Pairs(), Protocols: []*Graded{}}
	for _, name := range f.order {
		g := f.byGrader[name]
		if g.N > 0 {
			mean := g.sum / float64(g.N)
			g.Mean = &mean
		}
		r.Protocols = append(r.Protocols, g)
	}
	return r
}

// WriteText writes the report for people: a table, then how far the graders agree.
func (r GradeReport) WriteText(to io.Writer) error {
	return atomicfile.Buffered(to, func(w io.Writer) error { r.text(w); return nil })
}

func (r GradeReport) text(w io.Writer) {
	wide := 28
	for _, g := range r.Protocols {
		wide = max(wide, utf8.RuneCountInString(g.Grader))
	}
	fmt.Fprintf(w, "%-*s %7s %7s %7s %9s %7s\n", wide, "", "scored", "mean", "n/a", "unasked", "failed")
	for _, g := range r.Protocols {
		mean := "–"
		if g.Mean != nil {
			mean = fmt.Sprintf("%.4f", *g.Mean)
		}
		fmt.Fprintf(w, "%-*s %7d %7s %7d %9d %7d\n", wide, g.Grader, g.N, mean, g.NotApplicable, g.NotAnswered, g.JudgeFailed)
	}
	for _, g := range r.Protocols {
		if n := float64(g.N); g.Doubtful > 0 {
			fmt.Fprintf(w, "%s: %d verdicts are doubtful, each with its reason; the mean is %.4f if they are all wrong, %.4f if all right\n",
				g.Grader, g.Doubtful, (g.sum-g.doubted)/n, (g.sum-g.doubted+float64(g.Doubtful))/n)
		}
	}
	if len(r.Agreement) == 0 {
		return
	}
	fmt.Fprintf(w, "agreement (yes: score ≥ %g)\n", r.Threshold)
	for i, p := range r.Agreement {
		if i == 10 {
			fmt.Fprintf(w, "  … and %d more pairs: membench eval grade --report FILE writes all of them\n", len(r.Agreement)-i)
			break
		}
		kappa := "κ –"
		if p.Kappa != nil {
			kappa = fmt.Sprintf("κ %.3f", *p.Kappa)
			if p.KappaLow != nil && p.KappaHigh != nil {
				kappa += fmt.Sprintf(" [%.3f, %.3f]", *p.KappaLow, *p.KappaHigh)
			}
		}
		fmt.Fprintf(w, "  %-22s %-22s %.4f of %d, %s\n", p.First, p.Second, p.Agreement, p.N, kappa)
	}
}
