package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestTop(t *testing.T) {
	got := Top([]Scored[int]{{"b", 1, 0}, {"n", math.NaN(), 0}, {"a", 1, 0}, {"c", 2, 0}}, 3)
	if len(got) != 3 || got[0].ID != "c" || got[1].ID != "a" || got[2].ID != "b" {
		t.Errorf("have %v, want c a b", got)
	}
}

func TestTopOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var a []Scored[int]
		for i := range 60 {
			a = append(a, Scored[int]{fmt.Sprint(i), float64(rng.IntN(9)), i})
		}
		all := Top(slices.Clone(a), 0)
		for _, k := range []int{1, 5, 14, 40} {
			if have := Top(slices.Clone(a), k); !slices.Equal(have, all[:k]) {
				t.Fatalf("k %d: have %v, want %v", k, have, all[:k])
			}
		}
	}
}

func TestMeasures(t *testing.T) {
	hits := [][]int{nil, {0}, {0, 1}, {2}}
	if r := Recall(hits, 4, 3); r != 0.5 {
		t.Errorf("Recall@3: have %v, want 0.5", r)
	}
	if m := ReciprocalRank(hits); m != 0.5 {
		t.Errorf("MRR: have %v, want 0.5", m)
	}
	if m := ReciprocalRank(nil); m != 0 {
		t.Errorf("MRR of nothing: have %v, want 0", m)
	}
	if z := Round6(-1e-9); math.Signbit(z) {
		t.Error("negative zero")
	}
}
