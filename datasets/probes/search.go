package probes

import (
	"cmp"
	"slices"
	"strings"

	"membench/internal/bm25"
	"membench/internal/tokens"
)

// mostSearched is the share of questions that a string search may solve.
const mostSearched = .25

// searched reports whether a search for what a question quotes, or for its content words
// without the names of people, finds all of its turns before any other: such a question
// tests whether a memory finds a string, not whether it knows what was meant.
func (s *scope) searched(d *draft) bool {
	if d.q.Abstain || len(d.turns) == 0 {
		return false
	}
	if quotesFind(d) {
		return true
	}
	if s.search == nil {
		s.search = &bm25.Index{}
		for i, t := range s.turns {
			s.search.Set(i, t.text)
		}
	}
	people := map[string]bool{}
	for _, p := range s.people {
		for _, t := range tokens.Terms(p) {
			people[t] = true
		}
	}
	words := slices.DeleteFunc(tokens.Terms(d.q.Text), func(t string) bool { return people[t] })
	score := s.search.Dense(nil, strings.Join(words, " "), len(s.turns))
	order := make([]int, 0, len(score))
	for i, x := range score {
		if x > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	need := map[*turn]bool{}
	for _, t := range d.turns {
		need[t] = true
	}
	for _, i := range order[:min(len(order), len(need))] {
		delete(need, s.turns[i])
	}
	return len(need) == 0
}

// quotesFind reports whether each of the turns holds something that the question quotes
// or gives to choose from.
func quotesFind(d *draft) bool {
	var parts []string
	for _, q := range quotation.FindAllString(d.q.Text, -1) {
		for part := range strings.SplitSeq(strings.Trim(q, "“”"), "____") {
			if part = strings.TrimSpace(strings.Trim(part, " ,.!?;:。，！？；：")); part != "" {
				parts = append(parts, fold(part))
			}
		}
	}
	for _, c := range d.choices { // one of the choices is the answer, as it was said
		parts = append(parts, fold(c))
	}
	return len(parts) > 0 && !slices.ContainsFunc(d.turns, func(t *turn) bool {
		return !slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(t.folded, p) })
	})
}

// A waiting draft would be one too many of those that a string search solves.
type waiting struct {
	c candidate
	d *draft
}

// admit keeps a draft, or lets it wait until enough others were kept.
func (m *maker) admit(w waiting) bool {
	if w.c.s.searched(w.d) {
		if float64(m.o.Stats.Searched+1) > m.o.Searched*float64(m.n+1) {
			m.late = append(m.late, w)
			return false
		}
		m.o.Stats.Searched++
	}
	m.n++
	m.o.Stats.Types[w.c.typ].Kept++
	m.kept[w.c.s] = append(m.kept[w.c.s], w.d)
	return true
}

// again admits one that waited, where there is room now.
func (m *maker) again() {
	if len(m.late) > 0 && m.n < m.o.Count && float64(m.o.Stats.Searched+1) <= m.o.Searched*float64(m.n+1) {
		w := m.late[0]
		m.late = m.late[1:]
		m.admit(w)
	}
}
