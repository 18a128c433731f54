package grade

import (
	"slices"

	"membench/eval/figure"
	"membench/internal/stats"
	"membench/schema"
)

// An Agreement counts how far protocols agree on the same answers. It holds four
// counters for each pair of graders.
type Agreement struct {
	threshold float64
	pairs     map[[2]string]*[4]int // both, first alone, second alone, neither
	order     []string              // graders as they were met
}

// NewAgreement takes a score at or above the threshold, (0,1], for a yes. Scores of
// protocols that only say yes or no do not hang on it.
func NewAgreement(threshold float64) *Agreement {
	return &Agreement{threshold: threshold, pairs: map[[2]string]*[4]int{}}
}

// Threshold is the least score that counts as a yes.
func (a *Agreement) Threshold() float64 { return a.threshold }

// Add counts the scored grades of one answer.
func (a *Agreement) Add(r *schema.QARecord) {
	for i, x := range r.Grades {
		if x.Score == nil || x.Gold == schema.GoldCorrected {
			continue
		}
		first := x.Grader()
		if !slices.Contains(a.order, first) {
			a.order = append(a.order, first)
		}
		for _, y := range r.Grades[i+1:] {
			if y.Score == nil || y.Gold == schema.GoldCorrected {
				continue
			}
			k := [2]string{first, y.Grader()}
			yes := [2]bool{*x.Score >= a.threshold, *y.Score >= a.threshold}
			if k[0] > k[1] {
				k[0], k[1], yes[0], yes[1] = k[1], k[0], yes[1], yes[0]
			}
			c := a.pairs[k]
			if c == nil {
				c = new([4]int)
				a.pairs[k] = c
			}
			switch {
			case yes[0] && yes[1]:
				c[0]++
			case yes[0]:
				c[1]++
			case yes[1]:
				c[2]++
			default:
				c[3]++
			}
		}
	}
}

// A Pair is the agreement of two graders on the answers that both scored.
type Pair struct {
	First      string   `json:"first"`
	Second     string   `json:"second"`
	N          int      `json:"n"`
	Both       int      `json:"both"`       // yes by both
	OnlyFirst  int      `json:"only_first"` // yes by the first alone
	OnlySecond int      `json:"only_second"`
	Neither    int      `json:"neither"`
	Agreement  float64  `json:"agreement"` // share, [0,1]
	Kappa      *float64 `json:"kappa"`     // Cohen's, [-1,1]; null where chance alone explains all
	KappaLow   *float64 `json:"kappa_low"` // 95 % interval
	KappaHigh  *float64 `json:"kappa_high"`
}

// Pairs lists every pair that graded something together, in the order in which the
// graders were met.
func (a *Agreement) Pairs() []Pair {
	var out []Pair
	for i, x := range a.order {
		for _, y := range a.order[i+1:] {
			c, swap := a.pairs[[2]string{x, y}], false
			if c == nil {
				c, swap = a.pairs[[2]string{y, x}], true
			}
			if c == nil {
				continue
			}
			p := Pair{First: x, Second: y, Both: c[0], OnlyFirst: c[1], OnlySecond: c[2], Neither: c[3]}
			if swap {
				p.OnlyFirst, p.OnlySecond = p.OnlySecond, p.OnlyFirst
			}
			k := stats.Cohen(stats.Agreement2(p.Both, p.OnlyFirst, p.OnlySecond, p.Neither), .95)
			p.N, p.Agreement = k.N, k.Observed
			p.Kappa, p.KappaLow, p.KappaHigh = figure.Defined(k.K), figure.Defined(max(k.CI.Lo, -1)), figure.Defined(min(k.CI.Hi, 1)) // the normal approximation may leave the range
			out = append(out, p)
		}
	}
	return out
}
