package probes_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"membench/datasets/probes"
	"membench/graph"
)

// harbour is an invented graph of about 100,000 nodes: 220 users, each with five
// conversations of thirty turns with an assistant.
func harbour(t testing.TB) *graph.Local {
	r := rand.New(rand.NewPCG(1, 2))
	first := []string{"amber", "brass", "cedar", "damp", "early", "faded", "grey", "hollow", "idle", "jagged", "kelp", "loud", "mossy", "narrow", "open", "pale", "quiet", "rusty", "salty", "tall"}
	second := []string{"kettle", "lantern", "anchor", "ledger", "ferry", "rope", "window", "herring", "ladder", "compass", "harbour", "bucket", "whistle", "blanket", "garden", "chimney", "bridge", "candle", "mirror", "drum"}
	why := []string{"because it reminds me of my uncle", "ever since that winter on the coast", "more than anything in the old market", "although nobody else in town agrees", "whenever the fog rolls in from the west"}
	var lines []line
	for u := range 220 {
		name := fmt.Sprintf("Person%03d", u)
		for c := range 5 {
			conv := fmt.Sprintf("u%03d-%d", u, c)
			day := fmt.Sprintf("2026-%02d-%02d", 1+c*2, 1+(u*7+c*3)%27)
			for range 30 {
				thing := first[r.IntN(len(first))] + " " + second[r.IntN(len(second))]
				who, pred := name, "PREFERS_TOPIC"
				if r.IntN(3) == 0 {
					who = "keeperbot"
				}
				text := fmt.Sprintf("I really like the %s %s, page %d.", thing, why[r.IntN(len(why))], len(lines))
				if r.IntN(12) == 0 {
					pred, text = "DISLIKES_TOPIC", fmt.Sprintf("I don't like the %s any more, %s, page %d.", thing, why[r.IntN(len(why))], len(lines))
				}
				lines = append(lines, line{conv, day, who, text, []string{pred + " Topic:" + thing}})
			}
		}
	}
	return dialogue(t, lines)
}

// BenchmarkGenerate makes 10,000 questions of a graph of 100,000 nodes that is in memory.
func BenchmarkGenerate(b *testing.B) {
	g := harbour(b)
	nodes, edges := g.Len()
	runtime.GC()
	b.Logf("%d nodes, %d edges", nodes, edges)
	b.ReportAllocs()
	for b.Loop() {
		var stats probes.Stats
		n := 0
		for r, err := range probes.Generate(context.Background(), g, probes.Options{Searched: 1, Count: 10_000, Seed: 1, Stats: &stats}) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(r.V.Questions)
		}
		if n != 10_000 {
			b.Fatalf("%d questions\n%s", n, stats.Summary())
		}
	}
}
