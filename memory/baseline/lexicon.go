package baseline

import (
	"maps"
	"slices"

	"membench/internal/vector"
	"membench/memory/recall"
)

// A lexicon is a list of named things: each with a vector, and the positions of the records about it.
type lexicon struct {
	names []string
	at    map[string]int
	vecs  vector.Index
	of    [][]int
}

// add makes a thing.
func (l *lexicon) add(name string, v []float32) int {
	n := len(l.names)
	if l.at == nil {
		l.at = map[string]int{}
	}
	l.at[name] = n
	l.vecs.Add(v)
	l.names, l.of = append(l.names, name), append(l.of, nil)
	return n
}

// unknown returns the names that belong to no thing yet, each once; key is the form in which names are compared.
func (l *lexicon) unknown(names []string, key func(string) string) (out []string) {
	seen := map[string]bool{}
	for _, n := range names {
		if _, known := l.at[key(n)]; !known && !seen[key(n)] {
			seen[key(n)] = true
			out = append(out, n)
		}
	}
	return out
}

// near are the things from number from on whose cosine is least or more.
func (l *lexicon) near(v []float32, from int, least float64) (out []recall.Scored) {
	if from >= len(l.names) {
		return nil
	}
	for i, cos := range l.vecs.From(from).Dots(nil, v) {
		if cos >= least {
			out = append(out, recall.Scored{Pos: from + i, Score: cos})
		}
	}
	return out
}

// tie notes that pos, which comes after all that were tied before, speaks of a thing.
func (l *lexicon) tie(thing, pos int) {
	if n := len(l.of[thing]); n == 0 || l.of[thing][n-1] != pos {
		l.of[thing] = append(l.of[thing], pos)
	}
}

func (l *lexicon) clone() lexicon {
	return lexicon{slices.Clone(l.names), maps.Clone(l.at), l.vecs.Clone(), deep(l.of)}
}

// deep copies lists, to each of which may be appended.
func deep[T any](of [][]T) [][]T {
	out := slices.Clone(of)
	for i, list := range out {
		out[i] = slices.Clone(list)
	}
	return out
}
