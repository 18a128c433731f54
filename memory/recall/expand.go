package recall

import (
	"context"
	"math"
	"slices"

	"membench/internal/rank"
)

// Steps along the links of records (memory.Item.Links), as graph-like systems take them.

// LinksExpand puts the records that a listed one links behind it, at share of its
// score, at most most of them in all; what is listed already stays where it is.
func LinksExpand(most int, share float64) Stage {
	return func(_ context.Context, s *State) error {
		seen := map[int]bool{}
		for _, c := range s.List {
			seen[c.Pos] = true
		}
		var more []Scored
		for _, c := range s.List {
			for _, id := range s.Store.At(c.Pos).Links {
				if len(more) == most {
					break
				}
				if i, ok := s.Store.Find(id); ok && !seen[i] && s.Eligible(i) {
					seen[i] = true
					more = append(more, Scored{i, share * c.Score})
				}
			}
		}
		s.List = append(s.List, more...)
		sortList(s, s.List)
		return nil
	}
}

// BFSExpand goes hops steps along the links of the listed records: each step is worth
// decay of the score before it, and of several ways the best counts.
func BFSExpand(hops int, decay float64) Stage {
	return func(_ context.Context, s *State) error {
		best := map[int]float64{}
		for _, c := range s.List {
			best[c.Pos] = c.Score
		}
		edge := slices.Clone(s.List)
		for range hops {
			var next []Scored
			for _, c := range edge {
				for _, id := range s.Store.At(c.Pos).Links {
					i, ok := s.Store.Find(id)
					if !ok || !s.Eligible(i) {
						continue
					}
					if v, had := best[i]; !had || decay*c.Score > v {
						best[i] = decay * c.Score
						next = append(next, Scored{i, best[i]})
					}
				}
			}
			edge = next
		}
		s.listOf(best)
		return nil
	}
}

// DFSExpand visits the links of the listed records depth first, depth steps deep, each
// record once, and keeps those whose value by sig is at least gate; the listed ones
// stay. A record's score is its value: what was first met at the last depth goes no
// further, as published (NGMemory).
func DFSExpand(depth int, gate float64, sig Signal) Stage {
	return func(ctx context.Context, s *State) error {
		if len(s.List) == 0 {
			return nil
		}
		v, err := sig(ctx, s)
		if err != nil {
			return err
		}
		best := map[int]float64{}
		for _, c := range s.List {
			best[c.Pos] = v[c.Pos]
		}
		visited := map[int]bool{}
		var visit func(i, left int)
		visit = func(i, left int) {
			if visited[i] {
				return
			}
			visited[i] = true
			if v[i] >= gate {
				best[i] = v[i]
			}
			if left == 0 {
				return
			}
			for _, id := range s.Store.At(i).Links {
				if j, ok := s.Store.Find(id); ok && s.Eligible(j) {
					visit(j, left-1)
				}
			}
		}
		for _, c := range slices.Clone(s.List) {
			visit(c.Pos, depth)
		}
		s.listOf(best)
		return nil
	}
}

// listOf lists positions by score.
func (s *State) listOf(best map[int]float64) {
	s.List = s.List[:0]
	for i, v := range best {
		s.List = append(s.List, Scored{i, rank.Round6(v)})
	}
	sortList(s, s.List)
}

func sortList(s *State, list []Scored) { slices.SortFunc(list, s.compare) }

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

// PPRExpand lists every eligible record that a walk along links from the listed ones,
// in proportion to their scores, comes by; links of two records count once.
func PPRExpand(damping float64) Stage {
	return func(_ context.Context, s *State) error {
		if len(s.List) == 0 {
			return nil
		}
		reset := make([]float64, s.Store.Len())
		for _, c := range s.List {
			reset[c.Pos] = c.Score
		}
		var links []Link
		seen := map[[2]int]bool{}
		for i, r := range s.Store.All() {
			for _, id := range r.Links {
				j, ok := s.Store.Find(id)
				pair := [2]int{min(i, j), max(i, j)}
				if ok && i != j && !seen[pair] && s.Eligible(i) && s.Eligible(j) {
					seen[pair] = true
					links = append(links, Link{i, j, 1})
				}
			}
		}
		best := map[int]float64{}
		for i, v := range PageRank(len(reset), links, reset, damping) {
			if v > 0 && s.Eligible(i) {
				best[i] = v
			}
		}
		s.listOf(best)
		return nil
	}
}
