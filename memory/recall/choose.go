package recall

import (
	"membench/internal/rank"
	"membench/memory/store"
	"membench/schema"
)

// Nearest are the k live records closest to v that keep allows (nil: all), best first,
// ties by id; k <= 0 gives all. Scores are cosines, rounded to 1e-6.
func Nearest(st *store.Linear, v []float32, k int, keep func(pos int) bool) (out []Scored) {
	var all []rank.Scored[int]
	for i, x := range st.Cosines(nil, v) {
		if st.Live(i) && (keep == nil || keep(i)) {
			all = append(all, rank.Scored[int]{ID: string(st.At(i).ID), Score: rank.Round6(x), V: i})
		}
	}
	for _, s := range rank.Top(all, k) {
		out = append(out, Scored{s.V, s.Score})
	}
	return out
}

// Groups puts 0…n-1 together: each joins the first group whose first member is nearer
// than near.
func Groups(n int, near float64, similar func(i, j int) float64) (out [][]int) {
next:
	for i := range n {
		for g := range out {
			if similar(out[g][0], i) > near {
				out[g] = append(out[g], i)
				continue next
			}
		}
		out = append(out, []int{i})
	}
	return out
}

// Newest is the member of a group with the latest time, the first of equal ones; one
// without a time is older than any with one.
func Newest(group []int, timeOf func(i int) string) int {
	best := group[0]
	var at schema.Instant
	for _, i := range group {
		if t, _ := schema.ParseInstant(timeOf(i)); t > at {
			best, at = i, t
		}
	}
	return best
}
