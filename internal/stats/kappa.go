package stats

import "math"

// Kappa is Cohen's κ with its asymptotic standard error.
type Kappa struct {
	N        int
	Observed float64 // share on which the two agree
	Expected float64 // share expected by chance
	K        float64 // (Observed − Expected) / (1 − Expected); NaN where Expected is 1
	SE       float64
	CI       Interval
}

// Cohen is the agreement of two raters: table[i][j] counts the items that the first
// put into class i and the second into class j. The standard error is that of
// Fleiss, Cohen and Everitt (1969). The table must be square.
func Cohen(table [][]int, conf float64) Kappa {
	m := len(table)
	row, col := make([]float64, m), make([]float64, m)
	k := Kappa{K: math.NaN(), SE: math.NaN(), CI: undefined, Observed: math.NaN(), Expected: math.NaN()}
	for _, r := range table {
		for _, c := range r {
			k.N += c
		}
	}
	if k.N == 0 {
		return k
	}
	p := func(i, j int) float64 { return float64(table[i][j]) / float64(k.N) }
	k.Observed, k.Expected = 0, 0
	for i := range m {
		k.Observed += p(i, i)
		for j := range m {
			row[i] += p(i, j)
			col[j] += p(i, j)
		}
	}
	for i := range m {
		k.Expected += row[i] * col[i]
	}
	if 1-k.Expected < 1e-15 {
		return k
	}
	k.K = (k.Observed - k.Expected) / (1 - k.Expected)
	u := 1 - k.K
	a, b := 0.0, 0.0
	for i := range m {
		for j := range m {
			if i == j {
				a += p(i, i) * math.Pow(1-(row[i]+col[i])*u, 2)
			} else {
				b += p(i, j) * math.Pow(col[i]+row[j], 2) * u * u
			}
		}
	}
	c := math.Pow(k.K-k.Expected*u, 2)
	k.SE = math.Sqrt(max(0, a+b-c)/float64(k.N)) / (1 - k.Expected)
	z := zOf(conf)
	k.CI = Interval{k.K - z*k.SE, k.K + z*k.SE}
	return k
}

// Agreement2 is the table of two yes/no raters: both yes, only the first, only the
// second, neither.
func Agreement2(both, first, second, neither int) [][]int {
	return [][]int{{both, first}, {second, neither}}
}

// Fleiss is κ of several raters: counts[i][j] raters put item i into class j; every
// item has the same number of raters, at least two. Randolph is the free-marginal κ,
// which does not fall when one class is rare. NaN where undefined.
func Fleiss(counts [][]int) (kappa, randolph float64) {
	if len(counts) == 0 || len(counts[0]) == 0 {
		return math.NaN(), math.NaN()
	}
	raters := 0
	for _, c := range counts[0] {
		raters += c
	}
	if raters < 2 {
		return math.NaN(), math.NaN()
	}
	class := make([]float64, len(counts[0]))
	agree := 0.0
	for _, item := range counts {
		pairs := -raters
		for j, c := range item {
			pairs += c * c
			class[j] += float64(c)
		}
		agree += float64(pairs) / float64(raters*(raters-1))
	}
	n := float64(len(counts))
	agree /= n
	chance := 0.0
	for _, c := range class {
		chance += math.Pow(c/(n*float64(raters)), 2)
	}
	kappa = math.NaN()
	if 1-chance > 1e-15 {
		kappa = (agree - chance) / (1 - chance)
	}
	even := 1 / float64(len(class))
	return kappa, (agree - even) / (1 - even)
}
