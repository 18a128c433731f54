package recall

import (
	"math"
	"testing"
)

// The walk of HippoRAG's worked example, and what holds of every walk.
func TestPageRank(t *testing.T) {
	a, b, p1, p2 := 0, 1, 2, 3
	links := []Link{{a, p1, 1}, {a, b, 2}, {b, p2, 1}}
	have := PageRank(4, links, []float64{.8, 0, .05, .02}, .5)
	for i, want := range []float64{.598686, .223974, .128517, .048823} {
		if math.Abs(have[i]-want) > 1e-6 {
			t.Errorf("node %d: have %.6f, want %.6f", i, have[i], want)
		}
	}
	for name, c := range map[string]struct {
		links []Link
		reset []float64
		sum   float64
	}{"nothing to start from": {links, []float64{0, 0, 0, 0}, 0}, "no links": {nil, []float64{1, 2, 3, 4}, 1}, "a lonely node": {[]Link{{0, 1, 1}}, []float64{1, 0, 0, 5}, 1}, "negative": {links, []float64{-1, 1, 0, 0}, 1}} {
		sum := 0.0
		for _, v := range PageRank(4, c.links, c.reset, .5) {
			sum += v
		}
		if math.Abs(sum-c.sum) > 1e-9 {
			t.Errorf("%s: adds up to %v, want %v", name, sum, c.sum)
		}
	}
}
