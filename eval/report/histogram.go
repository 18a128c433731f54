package report

import (
	"math"

	"membench/internal/codec"
)

// binsPerDecade is the fineness of a histogram: neighbours differ by 26 %.
const binsPerDecade = 10

// Histograms reach from 10^-3 ms to 10^8 ms, a day; values outside are counted in the first or last bin.
const firstDecade, decades = -3, 11

// A Histogram counts times by size, in bins of equal width on a logarithmic scale.
type Histogram struct {
	N      int
	counts [decades * binsPerDecade]int
}

// add counts one time, in milliseconds.
func (h *Histogram) add(ms float64) {
	i := int(math.Floor((math.Log10(ms) - firstDecade) * binsPerDecade))
	h.counts[min(max(i, 0), len(h.counts)-1)]++
	h.N++
}

// edge is the lower edge of bin i in milliseconds.
func edge(i int) float64 {
	return math.Pow(10, firstDecade+float64(i)/binsPerDecade)
}

// span gives the first and last bin that hold anything; ok is false where none does.
func (h *Histogram) span() (first, last int, ok bool) {
	first = -1
	for i, n := range h.counts {
		if n > 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last, first >= 0
}

// MarshalJSON writes the bins that hold anything: {"n", "bins": [[from_ms, n], …]}.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	bins := [][2]float64{}
	for i, n := range h.counts {
		if n > 0 {
			bins = append(bins, [2]float64{math.Round(edge(i)*1e6) / 1e6, float64(n)})
		}
	}
	return codec.Append(nil, struct {
		N    int          `json:"n"`
		Bins [][2]float64 `json:"bins"`
	}{h.N, bins}, codec.Compact)
}
