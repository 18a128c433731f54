package judge

import "fmt"

// byRules weighs a comparison by a list of rules; the first that applies decides.
// A score of .5 is the threshold at a cap of 3 % on planted wrong answers.
func (c *comparison) byRules(f []float64) (float64, string) {
	hasNumber, numberFound, numberConflict := f[index("number_gold")] > 0, f[index("number_found")], f[index("number_conflict")] > 0
	switch {
	case c.equal():
		return .99, "the same words"
	case c.abstain < .35, c.abstain <= 1 && c.cov < .3:
		return .02, "the answer abstains"
	case c.gPol*c.aPol < 0:
		return .03, "yes against no"
	case c.gPol*c.aPol > 0 && (c.words <= 3 || c.long || c.cov >= .6):
		return .9, "the same yes or no"
	case hasNumber && f[index("number_only")] > 0:
		if numberFound == 1 {
			return .95, "the same number"
		}
		return .05, "another number, or none"
	case numberConflict:
		return .1, "another number"
	}
	list := c.items > 1
	cov := max(c.cov, c.covHead)
	say := fmt.Sprintf("%.0f %% of the gold's words", 100*cov)
	if c.long {
		need := .20
		if list {
			need = .30
			if 2*c.itemHit >= c.items && cov >= .25 {
				return grade(cov, .25), say + " and half of its items"
			}
		}
		return grade(max(c.covSent, cov*.9), need), say
	}
	need := .55
	if list {
		need = .70
	}
	s := grade(cov, need)
	if cov >= .1 {
		s = max(s, grade(c.prec, .60))
	}
	return s, fmt.Sprintf("%s, %.0f %% of the answer's", say, 100*c.prec)
}

// grade maps a measure and its threshold to [0,1] with the threshold at one half.
func grade(v, need float64) float64 {
	if v < need {
		return .5 * v / need
	}
	return .5 + .5*(v-need)/(1-need+1e-9)
}

var featureIndex = func() map[string]int {
	m := map[string]int{}
	for i, n := range featureNames {
		m[n] = i
	}
	return m
}()

func index(name string) int { return featureIndex[name] }
