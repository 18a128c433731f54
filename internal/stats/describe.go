package stats

import (
	"math"
	"slices"
)

// Mean is the arithmetic mean; NaN of nothing.
func Mean(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s / float64(len(x))
}

// StdPopulation is the standard deviation with n below the bar (numpy's default); NaN
// of nothing.
func StdPopulation(x []float64) float64 { return std(x, 0) }

// StdSample is the standard deviation with n−1 below the bar; NaN of fewer than two.
func StdSample(x []float64) float64 { return std(x, 1) }

func std(x []float64, less int) float64 {
	if len(x) <= less {
		return math.NaN()
	}
	m, s := Mean(x), 0.0
	for _, v := range x {
		s += (v - m) * (v - m)
	}
	return math.Sqrt(s / float64(len(x)-less))
}

// Percentiles gives the q-th percentiles, q in [0,100], linear between neighbours
// (numpy's method "linear"); x keeps its order. NaN of nothing.
func Percentiles(x []float64, qs ...float64) []float64 {
	sorted := slices.Sorted(slices.Values(x))
	out := make([]float64, len(qs))
	for i, q := range qs {
		out[i] = percentile(sorted, q)
	}
	return out
}

// Percentile is Percentiles of one q.
func Percentile(x []float64, q float64) float64 { return Percentiles(x, q)[0] }

func percentile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q / 100 * float64(len(sorted)-1)
	lo := min(max(int(math.Floor(at)), 0), len(sorted)-1)
	hi := min(lo+1, len(sorted)-1)
	f := at - float64(lo)
	a, b := sorted[lo], sorted[hi]
	if f >= 0.5 { // numpy's order: exact at both ends
		return b - (b-a)*(1-f)
	}
	return a + (b-a)*f
}
