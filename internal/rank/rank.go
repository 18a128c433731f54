// Package rank orders scored things: best first, ties by id.
package rank

import (
	"cmp"
	"math"
	"slices"
)

// A Scored is a thing with its score. NaN sorts last.
type Scored[T any] struct {
	ID    string
	Score float64 // higher is better
	V     T
}

func compare[T any](a, b Scored[T]) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// Top sorts s and cuts it at k; k <= 0 keeps all. It works in s. For a k that is
// small against s it sorts only what can still be among the first k.
func Top[T any](s []Scored[T], k int) []Scored[T] {
	if k > 0 && len(s) > 4*k {
		best := s[:k]
		slices.SortFunc(best, compare[T])
		for _, x := range s[k:] {
			if compare(x, best[k-1]) < 0 {
				i, _ := slices.BinarySearchFunc(best, x, compare[T])
				copy(best[i+1:], best[i:k-1])
				best[i] = x
			}
		}
		return best
	}
	slices.SortFunc(s, compare[T])
	if k > 0 && len(s) > k {
		s = s[:k]
	}
	return s
}

// Round6 rounds to a millionth, so that the order of float additions on different
// machines cannot decide a rank. Negative zero becomes zero.
func Round6(x float64) float64 { return math.Round(x*1e6)/1e6 + 0 }

// Recall is the fraction of gold that the first k hits reach, in [0,1]. reaches
// says which gold a hit rests on; n is how many there are, at least 1.
func Recall(hits [][]int, n, k int) float64 {
	got := map[int]bool{}
	for i, h := range hits {
		if k > 0 && i >= k {
			break
		}
		for _, g := range h {
			got[g] = true
		}
	}
	return float64(len(got)) / float64(n)
}

// ReciprocalRank is 1/rank of the first hit that reaches any gold, 0 if none does.
func ReciprocalRank(hits [][]int) float64 {
	for i, h := range hits {
		if len(h) > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// First orders what holds before what does not.
func First(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
