package judge

import (
	"slices"
	"strings"
)

// phrases are looked for in a text together, in one pass over its bytes: by their first byte, each without it.
type phrases [256][]string

func newPhrases(lists ...[]string) *phrases {
	var p phrases
	for _, list := range lists {
		for _, w := range list {
			p[w[0]] = append(p[w[0]], w[1:])
		}
	}
	return &p
}

// at reports whether a phrase begins at byte i of s.
func (p *phrases) at(s string, i int) bool {
	return slices.ContainsFunc(p[s[i]], func(rest string) bool { return strings.HasPrefix(s[i+1:], rest) })
}

// next is where the first phrase at or behind byte from begins, -1 if there is none.
func (p *phrases) next(s string, from int) int {
	for i := from; i < len(s); i++ {
		if p[s[i]] != nil && p.at(s, i) {
			return i
		}
	}
	return -1
}
