package graphmem_test

import (
	"context"
	"os"
	"testing"

	"membench/datasets/probes"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
)

// TestOrder compares the order of twelve systems on probes of the graph with their order
// on the questions that people ask about the same conversations (evidence recall@10), by
// Kendall's τ. It takes minutes: MEMBENCH_SOAK=1.
func TestOrder(t *testing.T) {
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("minutes of work: set MEMBENCH_SOAK=1")
	}
	d := memory.Deps{Embed: hashing.New(0)}
	open := func(s memory.Spec) memory.System {
		sys, err := s.Open(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		return sys
	}
	part := func(change func(*graphmem.Options)) memory.System {
		o := graphmem.Defaults()
		change(&o)
		return graphmem.New(d, o)
	}
	systems := []memory.System{open(baseline.BM25()), open(baseline.BM25Stemmed()), open(baseline.EmbeddingOnly()), open(baseline.RankFused()), open(baseline.ScoreFused()), open(baseline.TurnAlone()),
		open(baseline.LTMemory()), open(baseline.RFMemory()), open(baseline.HippoRAG()),
		part(func(*graphmem.Options) {}),
		part(func(o *graphmem.Options) {
			o.Window, o.Next, o.ReplyWords, o.ReplyMeaning, o.Session, o.SessionMeaning = 0, 0, 0, 0, 0, 0
		}),
		part(func(o *graphmem.Options) { o.Ranking = graphmem.Graphiti })}
	for _, s := range sets {
		if s.name != "LoCoMo" && s.name != "REALTALK" {
			continue
		}
		cases := s.cases(t)
		if len(cases) == 0 {
			t.Skip("no data")
		}
		cases = cases[:min(len(cases), 4)] // probes of 4 conversations: 400 questions
		var asked []schema.Case
		for _, g := range graphs(t, cases) {
			for r, err := range probes.Generate(context.Background(), g, probes.Options{Count: 100, Seed: 1}) {
				if err != nil {
					t.Fatal(err)
				}
				asked = append(asked, r.V)
			}
		}
		var human, made []float64
		for _, sys := range systems {
			recall := func(cs []schema.Case) float64 {
				return mean(clusters(each(t, cs, func(i int) ([]memorytest.Score, error) {
					return memorytest.EvidenceRecall(context.Background(), sys, cs[i], 10, nil)
				}), nil, "all"))
			}
			human, made = append(human, recall(cases)), append(made, recall(asked))
			t.Logf("%s %s: people's questions %.3f, probes %.3f", s.name, sys.Info().Name, human[len(human)-1], made[len(made)-1])
		}
		tau := kendall(human, made)
		t.Logf("%s: τ %.2f over %d systems", s.name, tau, len(systems))
	}
}

// kendall is τ-a: how many pairs stand in one order, less those that do not, of all.
func kendall(a, b []float64) float64 {
	n, all := 0, 0
	for i := range a {
		for j := range i {
			all++
			switch x := (a[i] - a[j]) * (b[i] - b[j]); {
			case x > 0:
				n++
			case x < 0:
				n--
			}
		}
	}
	return float64(n) / float64(max(1, all))
}
