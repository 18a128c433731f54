package extsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func collect(t *testing.T, s *Sorter) (out []string) {
	t.Helper()
	for r, err := range s.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(r))
	}
	return out
}

func TestSpilledEqualsMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var in []string
	for range 20_000 {
		in = append(in, fmt.Sprintf("%05d%s", rng.IntN(9000), bytes.Repeat([]byte("x"), rng.IntN(40))))
	}
	want := slices.Clone(in)
	slices.Sort(want)
	for _, memory := range []int64{0, 1 << 19, 40_000, 5_000, 1} {
		dir := t.TempDir()
		s := New(Options{Memory: memory, Dir: dir})
		for _, r := range in {
			if err := s.Add([]byte(r)); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // may be read twice
			if got := collect(t, s); !slices.Equal(got, want) {
				t.Fatalf("memory %d: order differs (%d records, want %d)", memory, len(got), len(want))
			}
		}
		if s.Spilled() != (memory != 0) {
			t.Errorf("memory %d: spilled %v", memory, s.Spilled())
		}
		if memory == 1 { // a run for each record
			levels := map[int]int{}
			for _, r := range s.runs {
				levels[r.level]++
			}
			if want := map[int]int{0: 20_000 % maxRuns, 1: 20_000 / maxRuns % maxRuns, 2: 20_000 / maxRuns / maxRuns}; !maps.Equal(levels, want) {
				t.Errorf("runs by level: have %v, want %v", levels, want)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("memory %d: left %v", memory, left)
		}
	}
}

// Runs become longer while there are many, up to MaxMemory.
func TestRunsGrow(t *testing.T) {
	const perRun = 10 // records, of 76 bytes and overhead
	s := New(Options{Memory: perRun*100 - 1, MaxMemory: 4 * perRun * 100, Dir: t.TempDir()})
	defer s.Close()
	var want []string
	for i := range 10 * roomyRuns * perRun {
		rec := fmt.Sprintf("%076d", i*7919%10007)
		want = append(want, rec)
		if err := s.Add([]byte(rec)); err != nil {
			t.Fatal(err)
		}
	}
	// 3,200 records are 320 runs of the first length: of these, two would be merged ones.
	if n := len(s.runs); n < 2*roomyRuns || n >= maxRuns || slices.ContainsFunc(s.runs, func(r run) bool { return r.level > 0 }) {
		t.Errorf("%d runs, some merged; want fewer than %d, none merged", n, maxRuns)
	}
	slices.Sort(want)
	if got := collect(t, s); !slices.Equal(got, want) {
		t.Error("order differs")
	}
}

// One key with many records must not grow on disk: Combine folds it before each run.
func TestCombine(t *testing.T) {
	count := func(r []byte) int { n := 0; fmt.Sscanf(string(r[1:]), "%d", &n); return n }
	o := Options{
		Compare: func(a, b []byte) int { return bytes.Compare(a[:1], b[:1]) },
		Combine: func(a, b []byte) ([]byte, bool) {
			if a[0] != b[0] {
				return nil, false
			}
			return fmt.Appendf(a[:1:1], "%d", count(a)+count(b)), true
		},
	}
	for _, memory := range []int64{0, 2_000} {
		o.Memory = memory
		s := New(o)
		for i := range 10_000 {
			s.Add([]byte{"abc"[i%3], '1'})
		}
		if got := collect(t, s); !slices.Equal(got, []string{"a3334", "b3333", "c3333"}) {
			t.Errorf("memory %d: have %v", memory, got)
		}
		for _, r := range s.runs {
			if r.end-r.from > 64 {
				t.Errorf("run of %d bytes, want it combined", r.end-r.from)
			}
		}
		s.Close()
	}
}

// The ranges of a cut, loaded or streamed, are the records in order, and no key is in two.
func TestCut(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		keys := 1 + rng.IntN(3000)
		var sorters []*Sorter
		var want []string
		for range 1 + rng.IntN(3) {
			s := New(Options{Memory: []int64{0, 300_000, 20_000, 3_000}[rng.IntN(4)], Dir: t.TempDir(), Key: func(r []byte) []byte { return r[:5] }})
			defer s.Close()
			sorters = append(sorters, s)
			for range rng.IntN(6000) {
				k := rng.IntN(keys)
				if rng.IntN(3) == 0 {
					k = keys / 2 // a frequent one
				}
				r := fmt.Sprintf("%05d%d%s", k, rng.IntN(10), bytes.Repeat([]byte("x"), rng.IntN(60)))
				want = append(want, r)
				if err := s.Add([]byte(r)); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(want)
		var loaded, streamed []string
		var buf Buffer
		last := ""
		for _, r := range Cut(sorters, int64(rng.IntN(200_000))) {
			recs, err := r.Load(&buf)
			if err != nil {
				t.Fatal(err)
			}
			if len(recs) > 0 && string(recs[0][:5]) == last {
				t.Fatalf("seed %d: key %s is in two ranges", seed, last)
			}
			for _, rec := range recs {
				loaded = append(loaded, string(rec))
				last = string(rec[:5])
			}
			for rec, err := range r.Sorted() {
				if err != nil {
					t.Fatal(err)
				}
				streamed = append(streamed, string(rec))
			}
		}
		if !slices.Equal(loaded, want) || !slices.Equal(streamed, want) {
			t.Fatalf("seed %d: have %d loaded, %d streamed, want %d records", seed, len(loaded), len(streamed), len(want))
		}
	}
}

func TestEarlyStop(t *testing.T) {
	s := New(Options{Memory: 500})
	for i := range 1000 {
		s.Add(fmt.Appendf(nil, "%03d", 999-i))
	}
	for r := range s.Sorted() {
		if string(r) != "000" {
			t.Errorf("have %s first", r)
		}
		break
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkSort(b *testing.B) {
	rec := make([]byte, 200)
	rng := rand.New(rand.NewPCG(1, 2))
	b.SetBytes(200)
	s := New(Options{Memory: 32 << 20})
	defer s.Close()
	for b.Loop() {
		for i := range 16 {
			rec[i] = byte(rng.Uint32())
		}
		s.Add(rec)
	}
	for range s.Sorted() {
	}
}

// What is joined and cut is what was added, in order, whatever went to disk.
func TestJoin(t *testing.T) {
	for _, memory := range []int64{0, 3000} {
		r := rand.New(rand.NewPCG(1, 2))
		var sorters []*Sorter
		var want []string
		for range 3 {
			s := New(Options{Key: func(b []byte) []byte { return b[:2] }, Memory: memory, Dir: t.TempDir()})
			defer s.Close()
			sorters = append(sorters, s)
			for range 500 {
				rec := fmt.Sprintf("%02d%0*d", r.IntN(40), r.IntN(12), r.IntN(50))
				want = append(want, rec)
				if err := s.Add([]byte(rec)); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(want)
		Join(sorters)
		var have []string
		var buf Buffer
		for _, rng := range Cut(sorters, 2000) {
			recs, err := rng.Load(&buf)
			if err != nil {
				t.Fatal(err)
			}
			for _, rec := range recs {
				have = append(have, string(rec))
			}
		}
		if !slices.Equal(have, want) {
			t.Errorf("memory %d: have %d records, want %d, or another order", memory, len(have), len(want))
		}
	}
}

// Records of keys that share long starts come out in order, short ones and equal ones, too.
func TestSharedStarts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var want []string
	for range 5000 {
		start := [][]byte{[]byte("a"), bytes.Repeat([]byte("b"), 30), bytes.Repeat([]byte{0}, 9), bytes.Repeat([]byte("c"), farShare+5)}[rng.IntN(4)]
		want = append(want, fmt.Sprintf("%s%d\x01 behind the key", start, rng.IntN(700)))
	}
	s := New(Options{Key: func(r []byte) []byte { return r[:bytes.IndexByte(r, 1)+1] }})
	defer s.Close()
	for _, r := range want {
		if err := s.Add([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(want)
	if got := collect(t, s); !slices.Equal(got, want) {
		t.Error("not in order")
	}
	for _, r := range s.refs {
		if rec := s.rec(r); r.start != binary.BigEndian.Uint64(rec) {
			t.Fatalf("%.20q: its first bytes are not restored", rec)
		}
	}
}

// BenchmarkLoad reads ranges of 64 runs of hashed records, as to-graph does: bytes are those of the records.
func BenchmarkLoad(b *testing.B) {
	s := New(Options{Key: func(rec []byte) []byte { return rec[:16] }, Memory: 1 << 20, Dir: b.TempDir()})
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for s.Added() < 64<<20 {
		rec := make([]byte, 150)
		for i := range 16 {
			rec[i] = byte(rng.Uint32())
		}
		if err := s.Add(rec); err != nil {
			b.Fatal(err)
		}
	}
	ranges := Cut([]*Sorter{s}, 1<<20)
	b.SetBytes(s.Added())
	var buf Buffer
	for b.Loop() {
		for _, r := range ranges {
			if _, err := r.Load(&buf); err != nil {
				b.Fatal(err)
			}
		}
	}
}
