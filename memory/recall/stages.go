package recall

import (
	"cmp"
	"context"
	"slices"

	"membench/internal/rank"
	"membench/memory"
	"membench/memory/store"
	"membench/schema"
)

// Stages that only some systems need: walks over links, lists put together.

// Toward is a stage that works with the question's vector; of an empty store there is
// nothing to ask for.
func Toward(find func(ctx context.Context, s *State, v []float32) error) Stage {
	return func(ctx context.Context, s *State) error {
		if s.Store.Len() == 0 {
			return nil
		}
		v, err := s.Vector(ctx, s.Query.Text)
		if err != nil {
			return err
		}
		return find(ctx, s, v)
	}
}

// Matching lists the first k eligible records that fit, in the order of storing; k <= 0
// lists all. Scores are 1/(1+rank), ranks from 0.
func (s *State) Matching(k int, fits func(pos int, r *store.Record) bool) (out []Scored) {
	for i, r := range s.Store.All() {
		if s.Eligible(i) && fits(i, r) && (k <= 0 || len(out) < k) {
			out = append(out, Scored{i, 1 / float64(1+len(out))})
		}
	}
	return out
}

// ByWords lists the k eligible records that share most with the text (BM25).
func (s *State) ByWords(text string, k int) []Scored {
	return s.top(s.Store.WordScores(s.numbers(), text), Positive, k)
}

// ByMeaning lists the k eligible records nearest to the text.
func (s *State) ByMeaning(ctx context.Context, text string, k int) ([]Scored, error) {
	v, err := s.Vector(ctx, text)
	if err != nil || s.Store.Len() == 0 {
		return nil, err
	}
	return Nearest(s.Store, v, k, s.Eligible), nil
}

// Ordered is the union of lists, first come first, with scores 1/(1+rank).
func Ordered(lists ...[]Scored) (out []Scored) {
	seen := map[int]bool{}
	for _, l := range lists {
		for _, c := range l {
			if !seen[c.Pos] {
				seen[c.Pos] = true
				out = append(out, Scored{c.Pos, 1 / float64(1+len(out))})
			}
		}
	}
	return out
}

// Fused is the union of lists by Σ 1/(c + rank), ranks from 1; ties by the order of
// storing.
func Fused(c float64, lists ...[]Scored) []Scored {
	sum := map[int]float64{}
	for _, l := range lists {
		for r, x := range l {
			sum[x.Pos] += 1 / (c + float64(r+1))
		}
	}
	return Best(sum)
}

// Best orders positions by their scores, rounded to 1e-6; ties by position.
func Best(score map[int]float64) []Scored {
	out := make([]Scored, 0, len(score))
	for pos, x := range score {
		out = append(out, Scored{pos, rank.Round6(x)})
	}
	slices.SortFunc(out, byScore)
	return out
}

// Among are the k best of n things by a score; those whose score does not count are left
// out. k <= 0 gives all.
func Among(n, k int, score func(i int) (x float64, counts bool)) []Scored {
	out := make([]Scored, 0, n)
	for i := range n {
		if x, ok := score(i); ok {
			out = append(out, Scored{i, rank.Round6(x)})
		}
	}
	slices.SortFunc(out, byScore)
	if k > 0 && k < len(out) {
		out = out[:k]
	}
	return out
}

func byScore(a, b Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), a.Pos-b.Pos) }

// RoundRobin takes of each list its next in turn, without repeats.
func RoundRobin[T comparable](lists ...[]T) (out []T) {
	seen := map[T]bool{}
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i >= len(l) {
				continue
			}
			more = true
			if !seen[l[i]] {
				seen[l[i]] = true
				out = append(out, l[i])
			}
		}
	}
	return out
}

// Interleaved takes k hits, of each list its next in turn, without repeats, and scores
// them by rank.
func Interleaved(k int, lists ...[]memory.Hit) (out []memory.Hit) {
	ids, at := make([][]schema.PointID, len(lists)), map[schema.PointID]memory.Hit{}
	for i, l := range lists {
		for _, h := range l {
			ids[i], at[h.ID] = append(ids[i], h.ID), h
		}
	}
	for _, id := range RoundRobin(ids...) {
		if h := at[id]; len(out) < k {
			h.Score = 1 / float64(1+len(out))
			out = append(out, h)
		}
	}
	return out
}

// DepthFirst visits the nodes reachable from start in at most depth steps, each node once over all walks that share seen: a node first reached far from its
// start is not continued from again, as in published walks.
func DepthFirst(start, depth int, next func(int) []int, seen map[int]bool, visit func(int)) {
	if seen[start] {
		return
	}
	seen[start] = true
	visit(start)
	if depth <= 0 {
		return
	}
	for _, n := range next(start) {
		DepthFirst(n, depth-1, next, seen, visit)
	}
}

// BreadthFirst visits the nodes reachable in at most depth steps, nearest first, so that every node is reached by a shortest path.
func BreadthFirst(starts []int, depth int, next func(int) []int, visit func(node, steps int)) {
	seen := map[int]bool{}
	var front []int
	for _, s := range starts {
		if !seen[s] {
			seen[s] = true
			front = append(front, s)
		}
	}
	for steps := 0; len(front) > 0 && steps <= depth; steps++ {
		var after []int
		for _, n := range front {
			visit(n, steps)
			for _, m := range next(n) {
				if !seen[m] {
					seen[m] = true
					after = append(after, m)
				}
			}
		}
		front = after
	}
}

// Members opens the k best groups: of each that reaches gate, its members that reach
// gate too, all of them ordered by their own scores, at most most.
func Members(groups []Scored, k int, gate float64, members func(group int) []Scored, most int) []Scored {
	best := map[int]float64{}
	for _, g := range groups[:min(k, len(groups))] {
		if g.Score < gate {
			continue
		}
		for _, m := range members(g.Pos) {
			if m.Score >= gate {
				best[m.Pos] = m.Score
			}
		}
	}
	out := Best(best)
	return out[:min(most, len(out))]
}
