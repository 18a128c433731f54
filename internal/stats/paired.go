package stats

import (
	"cmp"
	"math"
	"slices"
)

// Paired is the result of McNemar's test for two systems over the same questions. Only the
// questions count that one of them alone got right: B those of the first, C those of
// the second.
type Paired struct {
	B, C int
	// Exact is the two-sided exact binomial p-value, and what we decide by.
	Exact float64
	// MidP is less cautious: half of the observed point's probability is omitted.
	MidP float64
	// Corrected is (|B−C|−1)²/(B+C), P its p-value. Of no discordant question the
	// statistic is 0 and p 1 (statsmodels 0.15: ∞ and 0); it is not clamped at
	// B = C, where it is 1/(B+C).
	Corrected, CorrectedP float64
	// Chi2 is (B−C)²/(B+C).
	Chi2, Chi2P float64
}

// McNemar tests whether two systems differ over the same questions.
func McNemar(b, c int) Paired {
	n := b + c
	checkCount(b, n)
	r := Paired{B: b, C: c, Exact: 1, MidP: 1, CorrectedP: 1, Chi2P: 1}
	if n == 0 {
		return r
	}
	k := min(b, c)
	tail := BinomialCDF(k, n, 0.5)
	r.Exact = min(1, 2*tail)
	r.MidP = min(1, 2*tail-BinomialPMF(k, n, 0.5))
	d := math.Abs(float64(b - c))
	r.Corrected = (d - 1) * (d - 1) / float64(n)
	r.CorrectedP = ChiSquareTail(r.Corrected)
	r.Chi2 = d * d / float64(n)
	r.Chi2P = ChiSquareTail(r.Chi2)
	return r
}

// Holm adjusts p-values of several tests so that the chance of one false finding
// among them stays below the level (Holm 1979). The order is that of p.
func Holm(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	running := 0.0
	for i, k := range order {
		running = max(running, p[k]*float64(len(p)-i))
		out[k] = min(1, running)
	}
	return out
}

// BenjaminiHochberg adjusts p-values so that the expected share of false findings
// among those reported stays below the level.
func BenjaminiHochberg(p []float64) []float64 {
	order, out := ascending(p), make([]float64, len(p))
	running := 1.0
	for i, k := range slices.Backward(order) {
		running = min(running, p[k]*float64(len(p))/float64(i+1))
		out[k] = running
	}
	return out
}

// Bonferroni multiplies each p-value by their number.
func Bonferroni(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, x := range p {
		out[i] = min(1, x*float64(len(p)))
	}
	return out
}

func ascending(p []float64) []int {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	return order
}
