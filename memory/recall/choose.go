package recall

import (
	"membench/schema"
)

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
