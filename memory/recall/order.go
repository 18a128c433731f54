package recall

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"membench/internal/rank"
)

// scratch keeps the numbers of finished queries for the next: at 100,000 records a
// signal is 800 kB, and a collector that runs every few queries would cost more than
// the search.
var (
	scratch = sync.Pool{New: func() any { return new([]float64) }}
	places  = sync.Pool{New: func() any { return new([]placed) }}
)

// numbers gives one number a record, all 0, until the query's end.
func (s *State) numbers() []float64 {
	p := scratch.Get().(*[]float64)
	n := s.Store.Len()
	if cap(*p) < n {
		*p = make([]float64, n+n/8)
	}
	*p = (*p)[:n]
	clear(*p)
	s.lent = append(s.lent, p)
	return *p
}

// end gives the numbers back.
func (s *State) end() {
	for _, p := range s.lent {
		scratch.Put(p)
	}
	s.lent = nil
}

// top is the k best eligible positions.
func (s *State) top(v []float64, keep func(float64) bool, k int) []Scored {
	var list []Scored
	worst := math.Inf(-1)
	use := s.eligible()
	cut := func() {
		slices.SortFunc(list, s.compare)
		if len(list) > k {
			list = list[:k]
		}
		if len(list) == k {
			worst = list[k-1].Score
		}
	}
	for i, x := range v {
		if x < worst-1e-6 || keep != nil && !keep(x) || !use[i] {
			continue
		}
		list = append(list, Scored{i, rank.Round6(x)})
		if len(list) >= 4*k {
			cut()
		}
	}
	cut()
	return list
}

func (s *State) compare(a, b Scored) int {
	if a.Score != b.Score {
		return cmp.Compare(b.Score, a.Score)
	}
	return cmp.Compare(s.Store.At(a.Pos).ID, s.Store.At(b.Pos).ID)
}

// A placed position carries its score in millionths.
type placed struct{ millionths, pos uint32 }

// order calls each with the position and the rank, from 0, of all eligible positions
// above zero, in the order of top. It sorts by digits, for it compares what top has
// rounded: 100,000 take 1 ms, where sorting by comparison took 30.
func (s *State) order(v []float64, each func(pos, rank int)) {
	use := s.eligible()
	space := places.Get().(*[]placed)
	defer places.Put(space)
	if cap(*space) < 2*len(v) {
		*space = make([]placed, 2*len(v))
	}
	list, spare := (*space)[:0:len(v)], (*space)[len(v):2*len(v)]
	var most uint32
	for i, x := range v {
		if !(x > 0) || !use[i] {
			continue
		}
		m := math.Round(x * 1e6)
		if m > math.MaxUint32 {
			for r, c := range s.top(v, Positive, len(v)) {
				each(c.Pos, r)
			}
			return
		}
		list = append(list, placed{uint32(m), uint32(i)})
		most = max(most, uint32(m))
	}
	sortDown(list, spare, most)
	if !s.Store.InOrder() { // ties by id
		for from := 0; from < len(list); {
			to := from + 1
			for to < len(list) && list[to].millionths == list[from].millionths {
				to++
			}
			slices.SortFunc(list[from:to], func(a, b placed) int {
				return s.compare(Scored{Pos: int(a.pos)}, Scored{Pos: int(b.pos)})
			})
			from = to
		}
	}
	for r, p := range list {
		each(int(p.pos), r)
	}
}

// sortDown sorts by falling millionths, none above most; equal ones stay in order. It
// needs as much space again.
func sortDown(list, spare []placed, most uint32) {
	const bits, size = 11, 1 << 11
	from, to := list, spare[:len(list)]
	for shift := 0; shift < 32 && most>>shift > 0; shift += bits {
		var at [size]int
		for _, p := range from {
			at[p.millionths>>shift%size]++
		}
		sum := 0
		for d := size - 1; d >= 0; d-- {
			at[d], sum = sum, sum+at[d]
		}
		for _, p := range from {
			d := p.millionths >> shift % size
			to[at[d]] = p
			at[d]++
		}
		from, to = to, from
	}
	if len(list) > 0 && &from[0] != &list[0] {
		copy(list, from)
	}
}
