package recall

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"membench/internal/rank"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/store"
	"membench/schema"
)

// invented makes a list of n records over few words, so that scores tie, of two users,
// some removed, some no longer valid; with mixed, ids do not follow the positions.
func invented(t testing.TB, rng *rand.Rand, n int, mixed bool) *store.Linear {
	l := store.New(store.Options{Scope: "s", Embed: hashing.New(64), Words: &store.Words{}})
	for i := range n {
		r := store.Record{UserID: "ab"[i%2 : i%2+1], AgentID: "xyz"[i%3 : i%3+1]}
		if mixed {
			r.ID = schema.PointID(fmt.Sprintf("%d-%d", rng.IntN(1e6), i))
		}
		for range 1 + rng.IntN(8) {
			r.Text += words[rng.IntN(len(words))] + " "
		}
		if rng.IntN(10) == 0 {
			r.Status = memory.StatusInvalid
		}
		v, err := store.One(context.Background(), l.Embed(), &llm.Usage{}, r.Text)
		if err != nil {
			t.Fatal(err)
		}
		l.AppendVector(r, v)
	}
	for range n / 10 {
		l.Remove(rng.IntN(n))
	}
	return l
}

var words = strings.Fields("tea mountain letter river lamp 火车 咖啡 北京 garden violin snow harbor 医院 bread clock")

// wholly ranks as the words say: every eligible record scored, all sorted, cut at k.
func wholly(s *State, v []float64, keep func(float64) bool, k int) []Scored {
	var all []Scored
	for i, x := range v {
		r := s.Store.At(i)
		ok := s.Store.Live(i) && r.Status != memory.StatusInvalid && (s.Query.UserID == "" || r.UserID == s.Query.UserID) && (s.Query.AgentID == "" || r.AgentID == s.Query.AgentID)
		if ok && (keep == nil || keep(x)) {
			all = append(all, Scored{i, rank.Round6(x)})
		}
	}
	slices.SortFunc(all, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(s.Store.At(a.Pos).ID, s.Store.At(b.Pos).ID))
	})
	return all[:min(k, len(all))]
}

// What is fast gives what is plain: the best by bounded lists, and the reciprocal ranks
// by digits, are those of sorting everything, ties, filters and odd ids included.
func TestFastIsPlain(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 60 {
		st := invented(t, rng, rng.IntN(700), round%3 == 0)
		q := memory.Query{Text: words[rng.IntN(len(words))] + " " + words[rng.IntN(len(words))], K: 1 + rng.IntN(300)}
		if round%4 == 0 {
			q.UserID = "a"
		}
		if round%5 == 0 {
			q.AgentID = "x"
		}
		s := &State{Query: q, Store: st}
		get := func(sig Signal) []float64 {
			v, err := sig(ctx, s)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		terms := []Term{{1, Words()}, {0.7, Cosine()}}
		fused := make([]float64, st.Len())
		for _, term := range terms {
			for r, x := range wholly(s, get(term.Signal), Positive, st.Len()) {
				fused[x.Pos] += term.Weight / (60 + float64(r+1))
			}
		}
		if have := get(RRF(60, 0, terms...)); !slices.Equal(have, fused) {
			t.Fatalf("round %d: reciprocal ranks differ\nhave %v\nwant %v", round, have, fused)
		}
		for name, sig := range map[string]Signal{"words": Words(), "cosine": Cosine(), "z": ZSum(terms...), "rrf": RRF(60, 0, terms...), "deep": RRF(60, 20, terms...), "minmax": MinMax(Cosine())} {
			for _, keep := range []func(float64) bool{nil, Positive} {
				want := wholly(s, get(sig), keep, max(q.K, minList))
				if err := Rank(sig, keep)(ctx, s); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(s.List, want) {
					t.Fatalf("round %d, %s: have %v, want %v", round, name, s.List, want)
				}
			}
		}
		s.end()
	}
}

// Scores beyond what digits hold are sorted the plain way.
func TestOrderOfGreatScores(t *testing.T) {
	st := invented(t, rand.New(rand.NewPCG(1, 9)), 40, false)
	s := &State{Store: st}
	v := make([]float64, st.Len())
	for i := range v {
		v[i] = float64((i * 7919) % 41)
	}
	v[3], v[5] = 1e9, math.Inf(1)
	var have []int
	s.order(v, func(pos, rank int) {
		if rank != len(have) {
			t.Errorf("rank %d came as number %d", rank, len(have))
		}
		have = append(have, pos)
	})
	var want []int
	for _, c := range wholly(s, v, Positive, len(v)) {
		want = append(want, c.Pos)
	}
	if !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestSortDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		list := make([]placed, rng.IntN(200))
		top := uint32(1) << rng.IntN(32)
		for i := range list {
			list[i] = placed{rng.Uint32N(top), uint32(i)}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b placed) int { return cmp.Compare(b.millionths, a.millionths) })
		sortDown(list, make([]placed, len(list)), top)
		if !slices.Equal(list, want) {
			t.Fatalf("have %v, want %v", list, want)
		}
	}
}

// Two queries at once, and one after another, see nothing of each other's numbers.
func TestQueriesStandAlone(t *testing.T) {
	st := invented(t, rand.New(rand.NewPCG(4, 4)), 300, false)
	p := Pipeline{Rank(RRF(60, 0, Term{1, Words()}, Term{1, Cosine()}), nil)}
	ask := func(i int) string {
		r, err := p.Run(context.Background(), st, memory.Query{Text: words[i%len(words)], K: 5})
		if err != nil {
			t.Error(err)
		}
		out := ""
		for _, h := range r.Hits {
			out += fmt.Sprintf("%s %.6f\n", h.ID, h.Score)
		}
		return out
	}
	var want []string
	for i := range words {
		want = append(want, ask(i))
	}
	done := make(chan bool)
	for w := range 4 {
		go func() {
			defer func() { done <- true }()
			for i := range 200 {
				if have := ask(i + w); have != want[(i+w)%len(words)] {
					t.Errorf("question %d: have %s, want %s", i+w, have, want[(i+w)%len(words)])
					return
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}

// BenchmarkOrder ranks half of 100,000 positions, as a cosine does.
func BenchmarkOrder(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	st := store.New(store.Options{Scope: "s"})
	v := make([]float64, 100_000)
	for i := range v {
		st.AppendVector(store.Record{}, nil)
		v[i] = rng.NormFloat64() / 20
	}
	s := &State{Store: st}
	sum := 0
	for b.Loop() {
		s.order(v, func(_, rank int) { sum += rank })
	}
}
