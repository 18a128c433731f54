package calibrate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"membench/internal/par"
	"membench/internal/rank"
	"membench/internal/stats"
	"membench/schema"
)

// ShapeRate counts a judge's verdicts on the answers of one shape and set.
type ShapeRate struct {
	Set      string `json:"set"`
	Shape    string `json:"shape"`
	Right    bool   `json:"right"`    // should be accepted
	Accepted Rate   `json:"accepted"` // without doubt, of those judged
	Doubtful int    `json:"doubtful"`
	Refused  int    `json:"refused"`
	Failed   int    `json:"failed"` // not judged: a reply without a verdict, not applicable
}

// CheckReport is the table of Check.
type CheckReport struct {
	Judge  string      `json:"judge"`
	Plants int         `json:"plants"`
	Shapes []ShapeRate `json:"shapes"` // right ones first, by set, the worst first
	// Wrong and RightAll sum over all shapes; WorstWrong is the shape with the most accepted wrong answers.
	Wrong      ShapeRate `json:"wrong"`
	RightAll   ShapeRate `json:"right"`
	WorstWrong string    `json:"worst_wrong"`
	WorstRight string    `json:"worst_right"`
}

// Missed is a planted answer that was not judged as it should be.
type Missed struct {
	Set      string       `json:"set"`
	Shape    string       `json:"shape"`
	Right    bool         `json:"right"`
	Question string       `json:"question"`
	Gold     string       `json:"gold"`
	Answer   string       `json:"answer"`
	Grade    schema.Grade `json:"grade"`
}

// Check has a judge grade planted answers and counts by shape. A doubtful verdict is
// neither accepted nor refused. missed, where given, is called with every answer that is
// not judged as it should be, in order.
func Check(ctx context.Context, plants []Planted, g Grader, o Options, missed func(Missed) error) (CheckReport, error) {
	if len(plants) == 0 {
		return CheckReport{}, errors.New("no planted answers to check with")
	}
	o = o.defaults()
	type key struct {
		set, shape string
		right      bool
	}
	type count struct{ accepted, doubtful, refused, failed int }
	by := map[key]*count{}
	rep := CheckReport{Plants: len(plants)}
	jobs := func(yield func(Planted, error) bool) {
		for _, p := range plants {
			if !yield(p, nil) {
				return
			}
		}
	}
	type done struct {
		p Planted
		g schema.Grade
	}
	for d, err := range par.Map(ctx, max(1, o.Workers), jobs, func(ctx context.Context, p Planted) (done, error) {
		r := p.Record
		r.Answer, r.Outcome = p.Answer, schema.OutcomeAnswered
		gr, err := g(ctx, r)
		return done{p, gr}, err
	}) {
		if err != nil {
			return CheckReport{}, err
		}
		rep.Judge = cmp.Or(rep.Judge, d.g.Grader())
		k := key{d.p.Set, d.p.Shape.Name, d.p.Shape.Right}
		if by[k] == nil {
			by[k] = &count{}
		}
		accepted := d.g.Score != nil && d.g.Doubt == "" && *d.g.Score >= o.Threshold
		if missed != nil && accepted != k.right {
			if err := missed(Missed{k.set, k.shape, k.right, d.p.Record.Question, d.p.Record.Gold, d.p.Answer, d.g}); err != nil {
				return CheckReport{}, err
			}
		}
		switch c := by[k]; {
		case d.g.Score == nil:
			c.failed++
		case d.g.Doubt != "":
			c.doubtful++
		case accepted:
			c.accepted++
		default:
			c.refused++
		}
	}
	sum := map[bool]*count{true: {}, false: {}}
	rated := func(k key, c *count) ShapeRate {
		return ShapeRate{Set: k.set, Shape: k.shape, Right: k.right, Accepted: rate(c.accepted, c.accepted+c.doubtful+c.refused, o.Conf), Doubtful: c.doubtful, Refused: c.refused, Failed: c.failed}
	}
	for k, c := range by {
		s := sum[k.right]
		s.accepted, s.doubtful, s.refused, s.failed = s.accepted+c.accepted, s.doubtful+c.doubtful, s.refused+c.refused, s.failed+c.failed
		rep.Shapes = append(rep.Shapes, rated(k, c))
	}
	slices.SortFunc(rep.Shapes, func(a, b ShapeRate) int {
		if x := rank.First(a.Right, b.Right); x != 0 {
			return x
		}
		worse := cmp.Compare(b.Accepted.Rate, a.Accepted.Rate)
		if a.Right {
			worse = -worse
		}
		return cmp.Or(cmp.Compare(a.Set, b.Set), worse, cmp.Compare(a.Shape, b.Shape))
	})
	rep.Wrong, rep.RightAll = rated(key{"all", "all wrong shapes", false}, sum[false]), rated(key{"all", "all right shapes", true}, sum[true])
	worst := map[bool]float64{true: 2, false: -1}
	for _, s := range rep.Shapes {
		switch name := s.Shape + " (" + s.Set + ")"; {
		case s.Right && s.Accepted.Rate < worst[true]:
			worst[true], rep.WorstRight = s.Accepted.Rate, name
		case !s.Right && s.Accepted.Rate > worst[false]:
			worst[false], rep.WorstWrong = s.Accepted.Rate, name
		}
	}
	return rep, nil
}

func rate(k, n int, conf float64) Rate {
	r := Rate{K: k, N: n}
	if n > 0 {
		r.Rate = float64(k) / float64(n)
		in := stats.Wilson(k, n, conf)
		r.Lo, r.Hi = in.Lo, in.Hi
	}
	return r
}

// defaults replaces zero values by the defaults.
func (o Options) defaults() Options {
	o.Threshold = cmp.Or(o.Threshold, .5)
	o.Conf = cmp.Or(o.Conf, .95)
	return o
}
