package recall

import (
	"math"
)

// Steps along the links of records (memory.Item.Links), as graph-like systems take them.

// A Link is a weighted, undirected tie of two nodes; several of one pair add up.
type Link struct {
	A, B   int
	Weight float64 // above 0
}

// PageRank is the personalised PageRank of n nodes (facts/systems-native.md §10.1): where a walk is that follows links
// by weight and at each step, with probability 1−damping, starts again at a node in
// proportion to reset. A node without links starts again. The result adds up to 1, or
// is all 0 when reset is. Stops when less than 1e-9 moves, after 100 rounds at most.
func PageRank(n int, links []Link, reset []float64, damping float64) []float64 {
	start := make([]float64, n)
	sum := 0.0
	for i := range n {
		start[i] = max(0, reset[i])
		sum += start[i]
	}
	if sum == 0 {
		return start
	}
	degree := make([]float64, n)
	for _, l := range links {
		degree[l.A] += l.Weight
		degree[l.B] += l.Weight
	}
	r := make([]float64, n)
	for i := range start {
		start[i] /= sum
		r[i] = start[i]
	}
	next := make([]float64, n)
	for range 100 {
		lost := 0.0
		for i := range next {
			next[i] = 0
			if degree[i] == 0 {
				lost += r[i]
			}
		}
		for _, l := range links {
			next[l.B] += r[l.A] * l.Weight / degree[l.A]
			next[l.A] += r[l.B] * l.Weight / degree[l.B]
		}
		moved := 0.0
		for i := range next {
			next[i] = damping*(next[i]+lost*start[i]) + (1-damping)*start[i]
			moved += math.Abs(next[i] - r[i])
		}
		r, next = next, r
		if moved < 1e-9 {
			break
		}
	}
	return r
}
