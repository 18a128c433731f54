package baseline_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/internal/stats"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/all"
	"membench/schema"
	"membench/schema/jsonl"
)

var update = flag.Bool("update", false, "write the generated part of docs/results.md again")

// recorded answers with MiniLM's vectors of LoCoMo's turns and questions; what is not
// recorded is an error, never another vector.
type recorded struct {
	data []byte
	row  map[string]int // by the first 16 hex digits of the text's sha256
}

func (recorded) Profile() string { return "all-MiniLM-L6-v2" }

func (r recorded) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		sum := sha256.Sum256([]byte(t))
		row, ok := r.row[hex.EncodeToString(sum[:8])]
		if !ok {
			return nil, &llm.Error{Purpose: llm.PurposeEmbed, Kind: llm.KindMissing, Err: fmt.Errorf("no recorded vector of a text of %d bytes", len(t))}
		}
		v := make([]float32, 384)
		norm := 0.0
		for j := range v {
			v[j] = half(binary.LittleEndian.Uint16(r.data[(row*384+j)*2:]))
			norm += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(norm)) // rounding to 16 bits moved the length
		}
		out[i] = v
	}
	return out, nil
}

func half(h uint16) float32 {
	sign, exp, frac := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 == 1 {
		sign = -1
	}
	if exp == 0 {
		return float32(sign * math.Ldexp(frac, -24))
	}
	return float32(sign * math.Ldexp(1024+frac, exp-25))
}

func readRecorded(t *testing.T, dir string) recorded {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "locomo8.f16.npy"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.ReadFile(filepath.Join(dir, "locomo8.keys.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := recorded{data: b[10+int(binary.LittleEndian.Uint16(b[8:])):], row: map[string]int{}}
	n := 0
	for line := range strings.Lines(string(keys)) {
		var k struct {
			Sum string `json:"sha256_16"`
		}
		if err := codec.Unmarshal([]byte(line), &k); err != nil {
			t.Fatal(err)
		}
		r.row[k.Sum] = n
		n++
	}
	return r
}

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
	{"oracle", "", "", 1},
}

// TestLoCoMo measures evidence recall at 10 of the reference systems on LoCoMo's eight
// conversations: every hit is expanded to its turns in rank order, and the first 10
// distinct turns count. The table stands in docs/results.md.
func TestLoCoMo(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo_minilm/locomo8.f16.npy")
	minilm := readRecorded(t, filepath.Join(dir, "data", "locomo_minilm"))
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
		each := make([]map[string]stats.Cluster, len(cases))
		errs := make([]error, len(cases))
		var wg sync.WaitGroup
		for k, c := range cases { // memories of one system are independent
			wg.Go(func() { each[k], errs[k] = measure(sys, c) })
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		for _, one := range each {
			for cat, scores := range one {
				clusters[cat] = append(clusters[cat], scores)
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

// measure ingests a conversation session by session and asks all its questions that
// name evidence. The result is by category, "all" and "1-4".
func measure(sys memory.System, c schema.Case) (map[string]stats.Cluster, error) {
	ctx := context.Background()
	m, err := sys.Open(ctx, memory.Namespace{Run: "locomo", Scope: c.ID})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	for _, s := range c.Sessions {
		b := memory.Batch{Key: s.ID, Session: s.ID}
		for _, u := range s.Turns {
			turn := u.Turn(c.ConvID)
			if turn.Time == "" {
				turn.Time = s.Time
			}
			b.Turns = append(b.Turns, turn)
		}
		if _, err := m.Ingest(ctx, b); err != nil {
			return nil, err
		}
		if _, err := memory.Finish(ctx, m, s.ID); err != nil {
			return nil, err
		}
	}
	uses := memory.CapabilitiesOf(sys).UsesGold
	out := map[string]stats.Cluster{}
	for _, q := range c.Questions {
		if len(q.Evidence) == 0 {
			continue
		}
		query := memory.Query{Text: q.Text, K: 10, AsOf: q.AsOf}
		if uses {
			query.Gold, query.K = q.Evidence, 100
		}
		r, err := m.Retrieve(ctx, query)
		if err != nil {
			return nil, err
		}
		score := recallAt(r.Hits, q.Evidence, query.K)
		cats := []string{"all", q.RawCategory}
		if q.RawCategory != "5" {
			cats = append(cats, "1-4")
		}
		for _, cat := range cats {
			x := out[cat]
			x.Sum, x.N = x.Sum+score, x.N+1
			out[cat] = x
		}
	}
	return out, nil
}

// recallAt is the share of gold turns among the first k distinct turns of the hits.
func recallAt(hits []memory.Hit, gold []schema.EventRef, k int) float64 {
	seen := map[schema.EventRef]bool{}
	for _, h := range hits {
		for _, e := range h.Sources {
			if len(seen) < k {
				seen[e] = true
			}
		}
	}
	want, got := map[schema.EventRef]bool{}, 0
	for _, e := range gold {
		if !want[e] && seen[e] {
			got++
		}
		want[e] = true
	}
	return float64(got) / float64(len(want))
}
