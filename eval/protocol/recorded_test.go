package protocol

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
)

// recorded is a row of a recorded run; golds and answers of some are numbers.
type recorded struct {
	Category int      `json:"category"`
	Gold     any      `json:"gold"`
	Golds    []string `json:"golds"`
	Source   string   `json:"source"`
	Answer   string   `json:"answer"`
	F1       float64  `json:"f1_score"`
	BLEU     float64  `json:"bleu_score"`
	Correct  *bool    `json:"correct"`
}

// readRecorded reads a file below the shared data, or skips the test.
func readRecorded(t testing.TB, name string) []recorded {
	t.Helper()
	name = filepath.Join("data", filepath.FromSlash(name))
	f, err := os.Open(filepath.Join(exttest.Shared(t, name), name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []recorded
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		var r recorded
		if err := codec.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return out
}

// TestMemobase: F1 and BLEU-1 of both recorded runs on every row.
func TestMemobase(t *testing.T) {
	for _, run := range []string{"0503_3000", "0710_3000"} {
		rows := readRecorded(t, "locomo_recorded/memobase_"+run+".jsonl")
		if len(rows) != 1191 {
			t.Errorf("%s: have %d rows, want 1191", run, len(rows))
		}
		for i, r := range rows {
			gold, _ := r.Gold.(string)
			if f := Mem0F1(r.Answer, gold); math.Abs(f-r.F1) > 1e-9 {
				t.Errorf("%s row %d: F1: have %v, want %v", run, i, f, r.F1)
			}
			if b := BLEU1(r.Answer, gold); math.Abs(b-r.BLEU) > 1e-9 {
				t.Errorf("%s row %d: BLEU-1: have %v, want %v", run, i, b, r.BLEU)
			}
		}
	}
}

// TestMemoryAgentBenchVerdicts: which rule gives the recorded verdicts (protocols.md §9.6).
func TestMemoryAgentBenchVerdicts(t *testing.T) {
	dir := exttest.Shared(t, "data/memoryagentbench/results")
	files, err := filepath.Glob(filepath.Join(dir, "data", "memoryagentbench", "results", "results_*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no results_*.jsonl in %s (%v)", dir, err)
	}
	agree, n := map[string]int{}, map[string]int{}
	for _, f := range files {
		for _, r := range readRecorded(t, "memoryagentbench/results/"+filepath.Base(f)) {
			group, _, _ := strings.Cut(r.Source, "_")
			if r.Correct == nil || len(r.Golds) == 0 || group == "longmemeval" || group == "infbench" {
				continue
			}
			n[group]++
			q := &schema.QARecord{Source: r.Source, Answer: r.Answer, Gold: r.Golds[0], Golds: r.Golds, Outcome: schema.OutcomeAnswered}
			for _, name := range []string{"mab-substring", "mab-label"} {
				if s := score(t, name, q); s != nil && (*s == 1) == *r.Correct {
					agree[group+" "+name]++
				}
			}
		}
	}
	for k, want := range map[string][2]int{
		"factconsolidation mab-substring": {272, 272}, "ruler mab-substring": {170, 170}, "detective mab-substring": {58, 58},
		"eventqa mab-substring": {165, 170}, "icl mab-substring": {151, 170}, "icl mab-label": {155, 170},
	} {
		group, _, _ := strings.Cut(k, " ")
		if agree[k] != want[0] || n[group] != want[1] {
			t.Errorf("%s: have %d of %d verdicts, want %d of %d", k, agree[k], n[group], want[0], want[1])
		}
	}
}

// BenchmarkRules grades the answers of a recorded run; rows/s is on one core.
func BenchmarkRules(b *testing.B) {
	rows := readRecorded(b, "locomo_recorded/memobase_0710_3000.jsonl")
	recs := make([]*schema.QARecord, len(rows))
	for i, r := range rows {
		gold, _ := r.Gold.(string)
		recs[i] = &schema.QARecord{RawCategory: string(rune('0' + r.Category)), Gold: gold, Answer: r.Answer, Outcome: schema.OutcomeAnswered}
	}
	for _, name := range []string{"em", "contains", "numeric", "mixed-f1", "squad-em", "squad-f1", "locomo-f1", "mem0-2025-f1", "bleu1", "rouge-l"} {
		ps, err := ByName(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					ps[0].Grade(recs[i%len(recs)])
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
