package baseline_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/memorytest"
	"membench/schema"
	"membench/schema/jsonl"
)

var update = flag.Bool("update", false, "write the generated part of docs/results.md again")

// An arm is a row of the table. want is what was measured before (facts/retrieval.md),
// with how far below it the row may be.
type arm struct {
	system, options, embedder string
	want                      float64
}

var arms = []arm{
	{"null", "", "", 0},
	{"FUMemory", "", "", 0},
	{"STMemory", "", "", 0},
	{"bm25", "", "", .548},
	{"bm25-stemmed", "", "", .645},
	{"simple-rag", `{"mode":"lexical"}`, "", 0},
	{"embedding-only", "", "hash512", 0},
	{"embedding-only", "", "MiniLM", .431},
	{"LTMemory", "", "hash512", 0},
	{"simple-rag", `{"mode":"dense"}`, "hash512", 0},
	{"simple-rag", `{"mode":"fused"}`, "hash512", 0},
	{"rank-fused", "", "MiniLM", .572},
	{"score-fused", "", "hash512", 0},
	{"score-fused", "", "MiniLM", .691},
	{"turn-alone", "", "hash512", 0},
	{"turn-alone", "", "MiniLM", .75},
	{"GAMemory", "", "hash512", 0},
	{"GAMemory", `{"mode":"faithful"}`, "hash512", 0},
	{"MGMemory", "", "hash512", 0},
	{"amem", "", "hash512", 0},
	{"mem0", "", "hash512", 0},
	{"mem0", `{"mode":"faithful"}`, "hash512", 0},
	{"qarp", "", "hash512", 0},
	{"qarp", `{"backend":"score-fused"}`, "hash512", 0},
	{"oracle", "", "", 1},
}

// TestLoCoMo measures evidence recall at 10 of the reference systems on LoCoMo's eight
// conversations: every hit is expanded to its turns in rank order, and the first 10
// distinct turns count. The table stands in docs/results.md.
func TestLoCoMo(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo_minilm/locomo8.f16.npy")
	minilm := memorytest.Recorded(t, filepath.Join(dir, "data", "locomo_minilm"))
	var cases []schema.Case
	file := datasets.PathFile(filepath.Join(dir, "data", "locomo", "locomo8.json"), nil)
	for r, err := range locomo.Cases(context.Background(), []jsonl.File{file}, datasets.Options{}) {
		if err == nil {
			cases = append(cases, r.V)
		}
	}
	if len(cases) != 8 {
		t.Fatalf("%d conversations, want 8", len(cases))
	}
	var rows strings.Builder
	counts := map[string]int{}
	for i, a := range arms {
		spec, err := all.Lookup(a.system)
		if err != nil {
			t.Fatal(err)
		}
		d := memory.Deps{Embed: hashing.New(0)}
		if a.embedder == "MiniLM" {
			d.Embed = minilm
		}
		sys, err := spec.Open(d, []byte(a.options))
		if err != nil {
			t.Fatal(err)
		}
		clusters := map[string][]stats.Cluster{}
		each := make([]map[string]memorytest.Sum, len(cases))
		errs := make([]error, len(cases))
		var wg sync.WaitGroup
		for k, c := range cases { // memories of one system are independent
			wg.Go(func() {
				scores, err := memorytest.EvidenceRecall(context.Background(), sys, c, 10, nil)
				each[k], errs[k] = memorytest.By(scores), err
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, one := range each {
			for cat, scores := range one {
				clusters[cat] = append(clusters[cat], stats.Cluster{Sum: scores.Sum, N: scores.N})
				if i == 0 {
					counts[cat] += int(scores.N)
				}
			}
		}
		mean := func(cat string) float64 {
			sum, n := 0.0, 0.0
			for _, c := range clusters[cat] {
				sum, n = sum+c.Sum, n+float64(c.N)
			}
			return sum / n
		}
		iv := stats.BootstrapMean(clusters["all"], 2000, 1, .95)
		label := strings.Trim(strings.NewReplacer(`"`, "", "mode:", "").Replace(a.options), "{}")
		fmt.Fprintf(&rows, "| %s | %s | %.3f [%.3f, %.3f] | %.3f |", strings.TrimSpace(sys.Info().Name+" "+label), a.embedder, mean("all"), iv.Lo, iv.Hi, mean("1-4"))
		for cat := 1; cat <= 5; cat++ {
			fmt.Fprintf(&rows, " %.3f |", mean(strconv.Itoa(cat)))
		}
		note := strings.Join(memory.CapabilitiesOf(sys).Notes, "; ")
		fmt.Fprintf(&rows, " %s |\n", note)
		if m := mean("all"); m < a.want-.0005 {
			t.Errorf("%s %s with %s: recall %.4f, want %.3f", a.system, a.options, a.embedder, m, a.want)
		}
	}
	head := fmt.Sprintf("| system | embedder | all (%d) [95 %%] | without 5 (%d) |", counts["all"], counts["1-4"])
	for cat := 1; cat <= 5; cat++ {
		head += fmt.Sprintf(" %d (%d) |", cat, counts[strconv.Itoa(cat)])
	}
	table := head + " note |\n|---|---|---|---|---|---|---|---|---|---|\n" + rows.String()
	t.Log("\n" + table)
	if counts["all"] != 1541 {
		t.Errorf("%d questions with evidence that is there, want 1541", counts["all"])
	}
	const path = "../../docs/results.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`(?s)(<!-- generated: retrieval -->\n).*?(<!-- end: retrieval -->)`)
	if !part.Match(doc) {
		t.Fatal(path + " has no part to fill in")
	}
	want := part.ReplaceAllFunc(doc, func([]byte) []byte {
		return []byte("<!-- generated: retrieval -->\n" + table + "<!-- end: retrieval -->")
	})
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != string(doc) {
		t.Errorf("%s is not current: go test ./memory/baseline -run TestLoCoMo -update", path)
	}
}
