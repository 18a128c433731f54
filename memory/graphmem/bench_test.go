package graphmem_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/cypher/neo4j"
	"membench/graph"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
)

// invented is a dialogue of n turns in sessions of 25, with words of a Zipf-like law and
// a preference now and then.
func invented(n int) (batches []memory.Batch, questions []string) {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.2, 4, 5000)
	words := func(k int) string {
		out := make([]string, k)
		for i := range out {
			out[i] = fmt.Sprintf("w%dx", zipf.Uint64())
		}
		return strings.Join(out, " ")
	}
	at := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	for i := range n {
		if i%25 == 0 {
			batches = append(batches, memory.Batch{Session: fmt.Sprint("s", i/25), UserID: "ada", AgentID: "bo"})
			at = at.Add(24 * time.Hour)
		}
		t := memorytest.Turn("c", i+1, []string{"user", "assistant"}[i%2], words(8+rng.IntN(18))+[]string{".", "?", ".", "."}[rng.IntN(4)])
		if i%20 == 0 {
			t.Text = fmt.Sprintf("I love %s tea. ", words(1)) + t.Text
		}
		t.Name, t.Time = []string{"Ada", "Bo"}[i%2], at.Format(time.RFC3339)
		b := &batches[len(batches)-1]
		b.Turns = append(b.Turns, t)
	}
	for range 200 {
		questions = append(questions, "When did Ada talk about "+words(6)+"?")
	}
	return batches, questions
}

// known answers with vectors that were asked for once, so that what is timed is the
// retrieval and not the embedding.
type known map[string][]float32

func (known) Profile() string { return "known" }

func (k known) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if k[t] == nil {
			v, err := hashing.New(384).Embed(ctx, []string{t})
			if err != nil {
				return nil, err
			}
			k[t] = v[0]
		}
		out[i] = k[t]
	}
	return out, nil
}

func fill10k(b *testing.B, sys memory.System, n int) (memory.Memory, []string) {
	b.Helper()
	ctx := context.Background()
	m, err := sys.Open(ctx, memory.Namespace{Run: "bench", Scope: "c"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	batches, questions := invented(n)
	for _, x := range batches {
		if _, err := m.Ingest(ctx, x); err != nil {
			b.Fatal(err)
		}
	}
	return m, questions
}

func ask(b *testing.B, m memory.Memory, questions []string) {
	b.Helper()
	ctx := context.Background()
	one := func(q string) {
		if _, err := m.Retrieve(ctx, memory.Query{Text: q, K: 10}); err != nil {
			b.Fatal(err)
		}
	}
	for _, q := range questions { // vectors, windows, the mirror
		one(q)
	}
	var took []float64
	b.ResetTimer()
	for i := range b.N {
		start := time.Now()
		one(questions[i%len(questions)])
		took = append(took, float64(time.Since(start).Microseconds())/1000)
	}
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(took[len(took)*95/100], "p95-ms")
	b.ReportMetric(took[len(took)/2], "p50-ms")
}

// BenchmarkRetrieve asks a memory of 10,000 turns in process; embedding apart.
func BenchmarkRetrieve(b *testing.B) {
	m, questions := fill10k(b, graphmem.New(memory.Deps{Embed: known{}}, graphmem.Defaults()), 10_000)
	ask(b, m, questions)
}

// BenchmarkIngest stores turns through the chain's stages, in process.
func BenchmarkIngest(b *testing.B) {
	batches, _ := invented(2000)
	for b.Loop() {
		m, err := graphmem.New(memory.Deps{Embed: known{}}, graphmem.Defaults()).Open(context.Background(), memory.Namespace{Scope: "c"})
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range batches {
			if _, err := m.Ingest(context.Background(), x); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(2000*b.N)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkNeo4j asks a memory of 10,000 turns that lives in a server, which each
// question reads; embedding apart.
func BenchmarkNeo4j(b *testing.B) {
	ctx := context.Background()
	st := graph.NewLocal()
	_, questions := fill10k(b, graphmem.NewIn(memory.Deps{Embed: known{}}, graphmem.Defaults(), func(context.Context, memory.Namespace, bool) (graph.Store, func() error, error) { return st, nil, nil }), 10_000)
	db := open(b, "bench")
	if _, err := neo4j.Load(ctx, db, st.Elements(), neo4j.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	m, err := graphmem.Over(ctx, db, memory.Deps{Embed: known{}}, graphmem.Defaults())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("unchanged", func(b *testing.B) { ask(b, m, questions) })
	b.Run("changed by another", func(b *testing.B) {
		other := open(b, "bench")
		n, _, err := other.Node(ctx, "event:c:7")
		if err != nil {
			b.Fatal(err)
		}
		for i := range b.N {
			b.StopTimer()
			if n.Props, err = n.Props.With("content", fmt.Sprint("changed ", i)); err != nil {
				b.Fatal(err)
			}
			if _, err := other.Apply(ctx, graph.Changes(schema.Change{Op: schema.OpPut, New: schema.Element{Node: &n}})); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if _, err := m.Retrieve(ctx, memory.Query{Text: questions[i%len(questions)], K: 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
