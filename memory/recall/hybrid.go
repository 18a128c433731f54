package recall

import (
	"context"
	"math"

	"membench/internal/rank"
	"membench/internal/tokens"
)

// How Mem0 2.x scores (mem0ai/mem0, main): meaning, words and entities added up.

// BM25Sigmoid maps a raw BM25 score onto (0,1), 1/(1+e^(−s·(raw−m))); m and s go by how
// many terms the question has, since raw scores grow with them.
func BM25Sigmoid(raw float64, terms int) float64 {
	m, s := 12.0, 0.5
	switch {
	case terms <= 3:
		m, s = 5, 0.7
	case terms <= 6:
		m, s = 7, 0.6
	case terms <= 9:
		m, s = 9, 0.5
	case terms <= 15:
		m, s = 10, 0.5
	}
	return 1 / (1 + math.Exp(-s*(raw-m)))
}

// WordSigmoid is BM25Sigmoid of the word index; 0 where no word is shared.
func WordSigmoid() Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		v, err := Words()(ctx, s)
		if err != nil {
			return nil, err
		}
		n := len(tokens.Terms(s.Query.Text))
		for i, x := range v {
			if x > 0 {
				v[i] = BM25Sigmoid(x, n)
			}
		}
		return v, nil
	}
}

// EntityBoost is what a matching entity adds to the memories that name it: half its
// similarity, in [0,1], and less the more memories name it; 0 below a similarity of 0.5.
func EntityBoost(similarity float64, named int) float64 {
	if similarity < 0.5 {
		return 0
	}
	n := float64(max(named, 1) - 1)
	return similarity * 0.5 / (1 + 0.001*n*n)
}

// An EntityMatch is an entity that the question names, and the positions of the records
// that name it.
type EntityMatch struct {
	Similarity float64
	Records    []int
}

// EntityBoosts is the greatest boost of each record; find looks the entities up.
func EntityBoosts(find func(context.Context, *State) ([]EntityMatch, error)) Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		matches, err := find(ctx, s)
		if err != nil {
			return nil, err
		}
		out := s.numbers()
		for _, m := range matches {
			b := EntityBoost(m.Similarity, len(m.Records))
			for _, i := range m.Records {
				out[i] = max(out[i], b)
			}
		}
		return out, nil
	}
}

// Mem0Additive lists records by min(1, (meaning + words + entities)/M). Only the
// max(4·K, 60) nearest by meaning are candidates, and of these what is at least least;
// M is 1, 1 more when any candidate shares a word, 0.5 more when any has an entity, so
// scores of two questions are not comparable (as published). words and entities may be
// nil.
func Mem0Additive(meaning, words, entities Signal, least float64) Stage {
	return func(ctx context.Context, s *State) error {
		if s.Store.Len() == 0 {
			return nil
		}
		sem, err := meaning(ctx, s)
		if err != nil {
			return err
		}
		list := s.top(sem, func(x float64) bool { return x >= least }, max(4*s.Query.K, 60))
		most := 1.0
		for _, part := range []struct {
			sig    Signal
			weight float64 // in M
		}{{words, 1}, {entities, 0.5}} {
			if part.sig == nil {
				continue
			}
			v, err := part.sig(ctx, s)
			if err != nil {
				return err
			}
			any := false
			for i, c := range list {
				list[i].Score += v[c.Pos]
				any = any || v[c.Pos] > 0
			}
			if any {
				most += part.weight
			}
		}
		for i := range list {
			list[i].Score = rank.Round6(min(1, list[i].Score/most))
		}
		sortList(s, list)
		s.List = list
		return nil
	}
}
