package textnorm

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Nearest are at most k of names that share the most pairs of letters and digits with a
// word, whatever their case and punctuation; names that share none are skipped.
func Nearest(word string, names []string, k int) []string {
	want := pairs(word)
	score := func(name string) float64 {
		have, shared := pairs(name), 0
		for p := range want {
			if have[p] {
				shared++
			}
		}
		return 2 * float64(shared) / float64(len(want)+len(have))
	}
	near := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return score(n) == 0 })
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(score(b), score(a)) })
	return near[:min(k, len(near))]
}

// pairs are the neighbours in a word, with its start.
func pairs(s string) map[[2]rune]bool {
	out := map[[2]rune]bool{}
	last := ' '
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out[[2]rune{last, r}] = true
			last = r
		}
	}
	return out
}
