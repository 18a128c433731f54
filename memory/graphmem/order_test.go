package graphmem_test

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
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
		scores := func(sys memory.System, cs []schema.Case) []memorytest.Score {
			return slices.Concat(each(t, cs, func(i int) ([]memorytest.Score, error) {
				return memorytest.EvidenceRecall(context.Background(), sys, cs[i], 10, nil)
			})...)
		}
		var human, made [][]memorytest.Score
		for _, sys := range systems {
			human, made = append(human, scores(sys, cases)), append(made, scores(sys, asked))
			t.Logf("%s %s: people's questions %.3f, probes %.3f", s.name, sys.Info().Name, recallOf(human[len(human)-1:], nil)[0], recallOf(made[len(made)-1:], nil)[0])
		}
		whole := recallOf(human, nil)
		t.Logf("%s: τ %.2f over %d systems", s.name, kendall(whole, recallOf(made, nil)), len(systems))
		// How far chance alone goes: the same number of questions, drawn again, and drawn of people's.
		r := rand.New(rand.NewPCG(1, 1))
		drawn := func(of, n int) []int {
			pick := make([]int, n)
			for i := range pick {
				pick[i] = r.IntN(of)
			}
			return pick
		}
		var again, peoples []float64
		for range 1000 {
			again = append(again, kendall(whole, recallOf(made, drawn(len(made[0]), len(made[0])))))
			peoples = append(peoples, kendall(whole, recallOf(human, drawn(len(human[0]), len(made[0])))))
		}
		slices.Sort(again)
		slices.Sort(peoples)
		t.Logf("%s: %d probes drawn again: τ %.2f to %.2f; as many of people's questions: median %.2f, %.2f to %.2f (95 %%)",
			s.name, len(made[0]), again[25], again[974], peoples[500], peoples[25], peoples[974])
		for _, kind := range kinds(made[0]) {
			var rest []int
			for i, x := range made[0] {
				if x.Question.RawCategory != kind {
					rest = append(rest, i)
				}
			}
			t.Logf("%s without the %d of %s: τ %.2f", s.name, len(made[0])-len(rest), kind, kendall(whole, recallOf(made, rest)))
		}
	}
}

// recallOf is the mean of each system over the questions of pick; nil: all.
func recallOf(scores [][]memorytest.Score, pick []int) (out []float64) {
	for _, s := range scores {
		sum, n := 0.0, len(pick)
		for _, i := range pick {
			sum += s[i].Recall
		}
		if pick == nil {
			n = len(s)
			for _, x := range s {
				sum += x.Recall
			}
		}
		out = append(out, sum/float64(max(1, n)))
	}
	return out
}

func kinds(scores []memorytest.Score) (out []string) {
	for _, x := range scores {
		out = append(out, x.Question.RawCategory)
	}
	slices.Sort(out)
	return slices.Compact(out)
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
