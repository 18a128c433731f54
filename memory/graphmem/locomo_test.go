package graphmem_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
	"membench/schema/jsonl"
)

func conversations(t *testing.T) (cases []schema.Case, dir string) {
	t.Helper()
	dir = exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo_minilm/locomo8.f16.npy")
	if dir == "" {
		t.Skip("LoCoMo and its recorded vectors are not here: the table of docs/results.md is not checked")
	}
	file := datasets.PathFile(filepath.Join(dir, "data", "locomo", "locomo8.json"), nil)
	for r, err := range locomo.Cases(context.Background(), []jsonl.File{file}, datasets.Options{}) {
		if err == nil {
			cases = append(cases, r.V)
		}
	}
	return cases, dir
}

func TestR1(t *testing.T) {
	cases, dir := conversations(t)
	d := memory.Deps{Embed: memorytest.Recorded(t, filepath.Join(dir, "data", "locomo_minilm"))}
	sys := graphmem.New(d, graphmem.Options{Weights: graphmem.R1()})
	each := make([]map[string]stats.Cluster, len(cases))
	var wg sync.WaitGroup
	for i, c := range cases {
		wg.Go(func() {
			s, err := memorytest.EvidenceRecall(context.Background(), sys, c, 10, nil)
			if err != nil {
				t.Error(err)
			}
			each[i] = memorytest.By(s)
		})
	}
	wg.Wait()
	for _, cat := range []string{"all", "1-4", "1", "2", "3", "4", "5"} {
		sum, n := 0.0, 0
		for _, e := range each {
			sum, n = sum+e[cat].Sum, n+e[cat].N
		}
		fmt.Printf("%s %.4f (%d)\n", cat, sum/float64(n), n)
	}
}
