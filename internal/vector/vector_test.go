package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestDot(t *testing.T) {
	var x Index
	if x.Len() != 0 {
		t.Error("the zero index is not empty")
	}
	x.Add([]float32{1, 0, 0, 0, 0})
	i := x.Add([]float32{0, 1, 0, 0, 0})
	x.Set(i, []float32{0, 0, 0, 0.6, 0.8})
	if d := x.Dot([]float32{0, 0, 0, 0, 1}, 1); d < 0.799 || d > 0.801 {
		t.Errorf("have %v, want 0.8", d)
	}
	if have := x.At(1); len(have) != 5 {
		t.Errorf("vector 1 has %d numbers, want 5", len(have))
	}
}

// unit is a random vector of length 1.
func unit(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	sum := 0.0
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func filled(rng *rand.Rand, n, dim int) *Index {
	var x Index
	for range n {
		x.Add(unit(rng, dim))
	}
	return &x
}

// plain is the product by the order of additions that lanes promises, a sum at a time.
func plain(q, v []float32) float64 {
	var l [lanes]float32
	for j := range q {
		p := q[j] * v[j]
		l[j%lanes] += p
	}
	var two [4]float32
	for i := range two {
		two[i] = l[i] + l[i+4]
	}
	return float64((two[0] + two[2]) + (two[1] + two[3]))
}

func exact(q, v []float32) (sum float64) {
	for j := range q {
		sum += float64(q[j]) * float64(v[j])
	}
	return sum
}

// One order of additions, whatever computes it: the same bits for every length of
// vector and every place in a group of four, and the true product to a ten-millionth.
func TestEveryWayGivesTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 3, 7, 8, 9, 16, 31, 33, 100, 384, 385, 1536} {
		for _, n := range []int{1, 3, 4, 5, 11, 64} {
			x, q := filled(rng, n, dim), unit(rng, dim)
			have := x.Dots(nil, q)
			for i, d := range have {
				want := plain(q, x.At(i))
				if math.Float64bits(d) != math.Float64bits(want) || math.Float64bits(x.Dot(q, i)) != math.Float64bits(want) {
					t.Fatalf("%d dimensions, vector %d of %d: Dots %x, Dot %x, want %x", dim, i, n, math.Float64bits(d), math.Float64bits(x.Dot(q, i)), math.Float64bits(want))
				}
				if e := exact(q, x.At(i)); math.Abs(d-e) > 1e-6 {
					t.Errorf("%d dimensions: have %v, the product is %v", dim, d, e)
				}
			}
		}
	}
}

// Cut among the processors, the numbers stay where they belong.
func TestDotsOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, q := filled(rng, parallelFrom/64+13, 64), unit(rng, 64)
	have := x.Dots(make([]float64, 3), q)
	if len(have) != x.Len() {
		t.Fatalf("have %d products, want %d", len(have), x.Len())
	}
	for i, d := range have {
		if want := plain(q, x.At(i)); d != want {
			t.Fatalf("vector %d: have %v, want %v", i, d, want)
		}
	}
}

// What no cosine is does not stop the search: infinities, denormals, not-a-number.
func TestOddNumbers(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := []float32{0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, 3e38, -3e38, inf, -inf, nan}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var x Index
		row := func() []float32 {
			v := unit(rng, 24)
			for range 1 + rng.IntN(3) {
				v[rng.IntN(24)] = odd[rng.IntN(len(odd))]
			}
			return v
		}
		for range 5 {
			x.Add(row())
		}
		q := row()
		for i, d := range x.Dots(nil, q) {
			if want := plain(q, x.At(i)); d != want && !(math.IsNaN(d) && math.IsNaN(want)) {
				t.Fatalf("%v · %v: have %v, want %v", q, x.At(i), d, want)
			}
		}
	}
}

func TestCloneStandsAlone(t *testing.T) {
	var x Index
	x.Add([]float32{1, 0})
	c := x.Clone()
	c.Set(0, []float32{0, 1})
	c.Add([]float32{1, 0})
	if x.Len() != 1 || x.At(0)[0] != 1 {
		t.Errorf("the original became %v", x.all)
	}
}

func BenchmarkDot(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, q := filled(rng, 1, 384), unit(rng, 384)
	for b.Loop() {
		x.Dot(q, 0)
	}
}

// BenchmarkDots reads every vector once: MB/s is what memory gives.
func BenchmarkDots(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1000, 10_000, 100_000} {
		x, q := filled(rng, n, 384), unit(rng, 384)
		dst := make([]float64, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(4 * len(x.all)))
			for b.Loop() {
				x.Dots(dst, q)
			}
		})
	}
}
