package baseline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"membench/internal/bm25"
	"membench/internal/stats"
	"membench/internal/vector"
	"membench/llm"
	"membench/llm/llmtest"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/baseline"
	"membench/memory/memorytest"
	"membench/memory/recall"
	"membench/schema"
)

func open(t testing.TB, name, options string, d memory.Deps) memory.Memory {
	t.Helper()
	spec, err := all.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.Open(d, []byte(options))
	if err != nil {
		t.Fatal(err)
	}
	m, err := sys.Open(context.Background(), memory.Namespace{Run: "r", Scope: "s"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func say(t testing.TB, m memory.Memory, texts ...string) {
	t.Helper()
	b := memorytest.Batch("c")
	for i, text := range texts {
		b.Turns = append(b.Turns, memorytest.Turn("c", i+1, "user", text))
	}
	if _, err := m.Ingest(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Finish(context.Background(), m, b.Session); err != nil {
		t.Fatal(err)
	}
}

func ask(t testing.TB, m memory.Memory, q string, k int) memory.Retrieved {
	t.Helper()
	r, err := m.Retrieve(context.Background(), memory.Query{Text: q, K: k})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFaithful: the two modes differ where the published systems are wrong: which end
// of an over-long context is lost.
func TestFaithful(t *testing.T) {
	texts := []string{"alpha is the first thing", "bravo is the second thing", "charlie is the third thing", "delta, the last one, is about kites"}
	budget := `"max_tokens":40`
	for _, c := range []struct{ system, mode, has, lacks string }{
		{"FUMemory", "fixed", "delta", "alpha"},
		{"FUMemory", "faithful", "delta", "[Memory Start]"}, // cut inside an entry
		{"STMemory", "fixed", "delta", "alpha"},
		{"STMemory", "faithful", "alpha", "[Memory Start]"}, // the newest stand in front and are lost
		{"LTMemory", "fixed", "kites", "alpha"},
		{"LTMemory", "faithful", "[Memory End]", "kites"}, // the best stand in front and are lost
	} {
		m := open(t, c.system, `{"mode":"`+c.mode+`",`+budget+`}`, memory.Deps{})
		say(t, m, texts...)
		got := ask(t, m, "what is about kites?", 10).Context
		if !strings.Contains(got, c.has) || strings.Contains(got, c.lacks) {
			t.Errorf("%s %s: want %q in the context and %q not; have\n%s", c.system, c.mode, c.has, c.lacks, got)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct{ system, options, want string }{
		{"simple-rag", `{"chunksize":3}`, `unknown option "chunksize": have [mode unit chunk_size rerank]`},
		{"simple-rag", `{"chunk_size":3}`, "at least 8"},
		{"simple-rag", `{"mode":"both"}`, "have dense, lexical and fused"},
		{"simple-rag", `{"rerank":"model"}`, "needs a model"},
		{"bm25", `{"terms":"none"}`, "have plain, light and snowball"},
		{"LTMemory", `{"mode":"exact"}`, "have fixed and faithful"},
		{"null", `{`, "options of memory system null"},
	} {
		spec, err := all.Lookup(c.system)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := spec.Open(memory.Deps{}, []byte(c.options)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: have %v, want %q", c.system, c.options, err, c.want)
		}
	}
	if _, err := all.Lookup("bm26"); err == nil || !strings.Contains(err.Error(), "bm25") {
		t.Errorf("an unknown system: %v", err)
	}
}

// TestRerankModel: the model's order stands, what it left out follows, and a model that
// fails is an error of the query.
func TestRerankModel(t *testing.T) {
	answer := `{"order":[3,99,3]}`
	g := llmtest.Func(func(r llm.Request) (string, error) {
		if answer == "" {
			return "", &llm.Error{Purpose: r.Purpose, Kind: llm.KindServer, Err: errors.New("down")}
		}
		return answer, nil
	})
	m := open(t, "simple-rag", `{"mode":"lexical","unit":"turn","rerank":"model"}`, memory.Deps{LLM: g})
	say(t, m, "kites kites kites", "kites and wind", "kites fly when there is a long steady wind")
	r := ask(t, m, "kites", 3)
	if len(r.Hits) != 3 || !strings.Contains(r.Hits[0].Text, "steady") || r.Usage.Calls == 0 {
		t.Errorf("have %v, usage %+v", r.Hits, r.Usage)
	}
	answer = ""
	if _, err := m.Retrieve(context.Background(), memory.Query{Text: "kites", K: 3}); !errors.As(err, new(*llm.Error)) {
		t.Errorf("a model that is down: have %v", err)
	}
}

func TestChunks(t *testing.T) {
	long := "Ann: I bake bread. I sell it on Sundays! 我喜欢下雨天。我每天喝茶。 " + strings.Repeat("x", 300)
	for size := 8; size < 80; size += 7 {
		parts := baseline.Chunks(long, size)
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if have, want := squeeze(strings.Join(parts, "")), squeeze(long); have != want {
			t.Errorf("size %d: have %q, want %q", size, have, want)
		}
		for _, p := range parts {
			if n := recall.TokensOf(p); n > size {
				t.Errorf("size %d: a chunk of %d tokens: %q", size, n, p)
			}
		}
	}
}

// TestVectors holds the published numbers of the parts.
func TestVectors(t *testing.T) {
	near := func(what string, have, want float64) {
		t.Helper()
		if math.Abs(have-want) > 1e-6 {
			t.Errorf("%s: have %.7f, want %.6f", what, have, want)
		}
	}
	near("GA recency after 10", math.Pow(0.995, 10), 0.951110)
}

// A Simple system, seed 000's three methods: the last turn is its answer.
type parrot struct{ last string }

func (p *parrot) Reset(context.Context) error { p.last = ""; return nil }
func (p *parrot) Ingest(_ context.Context, t schema.Turn) error {
	p.last = t.Text
	return nil
}
func (p *parrot) Answer(ctx context.Context, _ string) (string, error) { return p.last, ctx.Err() }

func TestSimpleSystem(t *testing.T) {
	memorytest.Run(t, func(t *testing.T) memory.System {
		return memory.FromSimple(memory.Info{Name: "parrot", Fingerprint: "1"}, func() memory.Simple { return &parrot{} })
	})
}

func TestAbstain(t *testing.T) {
	a, ok := memory.As[memory.Answerer](open(t, "abstain", "", memory.Deps{}))
	if !ok {
		t.Fatal("abstain does not answer")
	}
	if _, out, err := a.Answer(context.Background(), memory.Query{Text: "?"}); err != nil || out != "No information available." {
		t.Errorf("have %q (%v), want a refusal", out, err)
	}
}

var speeds = []int{10_000, 100_000}

// corpus is n short invented memories over a vocabulary whose words are used as in
// language: few often, many seldom (word of rank r about once in r).
func corpus(n int) []string {
	out := make([]string, n)
	x := uint64(1)
	next := func() float64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return float64(x%1_000_003) / 1_000_003
	}
	for i := range out {
		var b strings.Builder
		for range 15 {
			fmt.Fprintf(&b, "w%d ", int(math.Exp(next()*math.Log(20_000))))
		}
		out[i] = b.String()
	}
	return out
}

func vectors(n int) [][]float32 {
	out := make([][]float32, n)
	x := uint64(7)
	for i := range out {
		v := make([]float32, 384)
		norm := 0.0
		for j := range v {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			v[j] = float32(int32(x)) / (1 << 31)
			norm += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm))
		}
		out[i] = v
	}
	return out
}

// BenchmarkParts times what a query costs beside its embedding.
func BenchmarkParts(b *testing.B) {
	for _, n := range speeds {
		texts, vecs := corpus(n), vectors(n)
		var words bm25.Index
		var meaning vector.Index
		for i := range texts {
			words.Set(i, texts[i])
			meaning.Add(vecs[i])
		}
		scores := make([]float64, n)
		b.Run(fmt.Sprintf("bm25/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				words.Dense(scores, texts[i%100], n)
			}
		})
		b.Run(fmt.Sprintf("vector/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				meaning.Dots(scores, vecs[i%100])
			}
		})
	}
}

// fixed embeds by number: "#12" gives vector 12, so that no time goes into embedding.
type fixed [][]float32

func (fixed) Profile() string { return "fixed" }
func (f fixed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		h := 0
		for _, c := range []byte(t) {
			h = (h*31 + int(c)) % len(f)
		}
		out[i] = f[h]
	}
	return out, nil
}

// BenchmarkRetrieve times whole systems; p95 over the questions is told as its own
// metric.
func BenchmarkRetrieve(b *testing.B) {
	for _, n := range speeds {
		texts := corpus(n)
		d := memory.Deps{Embed: fixed(vectors(10_000))}
		for _, name := range []string{"bm25-stemmed", "embedding-only", "score-fused", "rank-fused"} {
			m := open(b, name, "", d)
			for part := 0; part < n; part += 1000 {
				batch := memorytest.Batch("c")
				batch.Key = fmt.Sprint(part)
				for i := part; i < part+1000; i++ {
					batch.Turns = append(batch.Turns, memorytest.Turn("c", i+1, "user", texts[i]))
				}
				if _, err := m.Ingest(context.Background(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var took []float64
				for i := 0; b.Loop(); i++ {
					start := now()
					ask(b, m, strings.Join(strings.Fields(texts[(i*37)%n])[:8], " "), 10)
					took = append(took, float64(now()-start)/1e6)
				}
				b.ReportMetric(percentile(took, .95), "p95-ms")
			})
		}
	}
}

func now() int64 { return time.Now().UnixNano() }

func percentile(x []float64, q float64) float64 { return stats.Percentile(x, 100*q) }
