// Package recall has the parts of retrieval: signals (a number for each record), fusions of signals (sums of z-values, reciprocal ranks), and operations
// on ranked records (cut, order, gate, remove duplicates).
//
//	recall.Rank(recall.ZSum(recall.Term{1, recall.Words()}, recall.Term{1, recall.Cosine()}))
//
// A signal costs one number a record (8 bytes) for the time of the query.
package recall

import (
	"context"
	"math"
	"slices"

	"membench/memory"
	"membench/memory/store"
)

// State is one query under way.
type State struct {
	Query          memory.Query
	Store          *store.Linear
	List           []Scored // candidates, best first
	Context        string   // the reader's context; "": the texts of the hits
	memory.Receipt          // what was asked of models, and which of it fell back on a rule
	vectors        map[string][]float32
	lent           []*[]float64 // see numbers
	use            []bool       // see eligible
}

// Scored is a position in the store with its score.
type Scored struct {
	Pos   int
	Score float64
}

// A Stage does one step.
type Stage func(ctx context.Context, s *State) error

// A Signal gives every position of the store a number; higher is better. The numbers
// are the receiver's to change, until the end of the query.
type Signal func(ctx context.Context, s *State) ([]float64, error)

// A Pipeline is stages, one after another.
type Pipeline []Stage

// Run retrieves. Scores are rounded to 1e-6 and ties broken by id; of the list that the
// stages leave, the first K are hits.
func (p Pipeline) Run(ctx context.Context, st *store.Linear, q memory.Query) (memory.Retrieved, error) {
	s := &State{Query: q, Store: st}
	defer s.end()
	for _, stage := range p {
		if err := stage(ctx, s); err != nil {
			return memory.Retrieved{Usage: s.Usage, Degraded: s.Degraded}, err
		}
	}
	if len(s.List) > q.K {
		s.List = s.List[:q.K]
	}
	return memory.Retrieved{Hits: s.hits(), Context: s.Context, Usage: s.Usage, Degraded: s.Degraded}, nil
}

func (s *State) hits() []memory.Hit {
	out := make([]memory.Hit, 0, len(s.List))
	for _, c := range s.List {
		out = append(out, s.Store.Hit(c.Pos, c.Score))
	}
	return out
}

// Eligible reports whether the record may answer the query: it is live, and of the
// user and the agent that the query names.
func (s *State) Eligible(i int) bool { return s.eligible()[i] }

// eligible is Eligible of all positions, found once a query.
func (s *State) eligible() []bool {
	if s.use == nil {
		s.use = s.Store.Eligible(s.Query.UserID, s.Query.AgentID)
	}
	return s.use
}

// Vector embeds a text once a query.
func (s *State) Vector(ctx context.Context, text string) ([]float32, error) {
	if v, ok := s.vectors[text]; ok {
		return v, nil
	}
	v, err := store.One(ctx, s.Store.Embed(), &s.Usage, text)
	if err != nil {
		return nil, err
	}
	if s.vectors == nil {
		s.vectors = map[string][]float32{}
	}
	s.vectors[text] = v
	return v, nil
}

// Rank lists the eligible records by a signal, best first. keep selects the values that count; nil keeps all.
func Rank(sig Signal, keep func(float64) bool) Stage {
	return func(ctx context.Context, s *State) error {
		if s.Store.Len() == 0 {
			return nil
		}
		v, err := sig(ctx, s)
		if err != nil {
			return err
		}
		s.List = s.top(v, keep, max(s.Query.K, minList))
		return nil
	}
}

// minList is how many candidates are listed at least, for the stages after Rank.
const minList = 100

// Positive keeps values above zero.
func Positive(x float64) bool { return x > 0 }

// Words is BM25 by the store's word index.
func Words() Signal {
	return func(_ context.Context, s *State) ([]float64, error) {
		return s.Store.WordScores(s.numbers(), s.Query.Text), nil
	}
}

// Cosine is the cosine to the question, in [-1,1].
func Cosine() Signal { return CosineOf(func(s *State) string { return s.Query.Text }) }

// CosineOf is the cosine to a text made of the query.
func CosineOf(text func(*State) string) Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		v, err := s.Vector(ctx, text(s))
		if err != nil {
			return nil, err
		}
		return s.Store.Cosines(s.numbers(), v), nil
	}
}

// Each is a number of each record by itself.
func Each(f func(s *State, pos int, r *store.Record) float64) Signal {
	return func(_ context.Context, s *State) ([]float64, error) {
		out := s.numbers()
		for i, r := range s.Store.All() {
			out[i] = f(s, i, r)
		}
		return out, nil
	}
}

// A Term is a signal with its weight.
type Term struct {
	Weight float64
	Signal Signal
}

// Sum is the weighted sum.
func Sum(terms ...Term) Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		out := s.numbers()
		for _, t := range terms {
			v, err := t.Signal(ctx, s)
			if err != nil {
				return nil, err
			}
			for i, x := range v {
				out[i] += t.Weight * x
			}
		}
		return out, nil
	}
}

// Z is (s − mean)/(sd + 1e-9) over the eligible records.
func Z(sig Signal) Signal {
	return normal(sig, func(v []float64, use []bool) (shift, scale float64) {
		n, sum, sq := 0.0, 0.0, 0.0
		for i, x := range v {
			if use[i] {
				n, sum = n+1, sum+x
			}
		}
		mean := sum / max(n, 1)
		for i, x := range v {
			if use[i] {
				sq += (x - mean) * (x - mean)
			}
		}
		return mean, math.Sqrt(sq/max(n, 1)) + 1e-9
	})
}

// MinMax maps the eligible records' values onto [0,1]; all 0 when they are equal.
func MinMax(sig Signal) Signal {
	return normal(sig, func(v []float64, use []bool) (shift, scale float64) {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, x := range v {
			if use[i] {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		if hi <= lo {
			return lo, 1
		}
		return lo, hi - lo
	})
}

func normal(sig Signal, of func(v []float64, use []bool) (shift, scale float64)) Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		v, err := sig(ctx, s)
		if err != nil {
			return nil, err
		}
		use := s.eligible()
		shift, scale := of(v, use)
		for i := range v {
			if use[i] {
				v[i] = (v[i] - shift) / scale
			} else {
				v[i] = 0
			}
		}
		return v, nil
	}
}

// ZSum is the weighted sum of z-values.
func ZSum(terms ...Term) Signal {
	z := slices.Clone(terms)
	for i := range z {
		z[i].Signal = Z(z[i].Signal)
	}
	return Sum(z...)
}

// RRF is Σ weight/(c + rank), ranks from 1, over the lists of the signals, each cut at depth; depth <= 0 ranks all. A record with a signal of 0 or less is not
// in its list, since a cosine of 0 means nothing in common.
func RRF(c float64, depth int, terms ...Term) Signal {
	return func(ctx context.Context, s *State) ([]float64, error) {
		out := s.numbers()
		for _, t := range terms {
			v, err := t.Signal(ctx, s)
			if err != nil {
				return nil, err
			}
			add := func(pos, rank int) { out[pos] += t.Weight / (c + float64(rank+1)) }
			if depth <= 0 {
				s.order(v, add)
				continue
			}
			for r, x := range s.top(v, Positive, depth) {
				add(x.Pos, r)
			}
		}
		return out, nil
	}
}
