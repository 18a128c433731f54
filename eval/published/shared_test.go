package published_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/eval/protocol"
	"membench/eval/published"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

// sharedData is the folder of shared data; the test is skipped, and counted, without it.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := exttest.Shared(t, "data/locomo_recorded/NOTICE.md")
	return dir
}

// read imports a file of the shared data; its findings are returned.
func read(t *testing.T, path string, o published.Options) (*published.Import, []schema.QARecord, []*schema.Finding) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	im, err := published.Open(bytes.NewReader(b), path, o)
	if err != nil {
		t.Fatal(err)
	}
	recs, findings := collect(t, im.QA)
	return im, recs, findings
}

func collect[T any](t *testing.T, in schema.Seq[T]) (recs []T, findings []*schema.Finding) {
	t.Helper()
	for r, err := range in {
		var f *schema.Finding
		if err != nil {
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			findings = append(findings, f)
			if !f.Warning {
				continue
			}
		}
		recs = append(recs, r.V)
	}
	return recs, findings
}

func audit(t *testing.T, path string, o published.Options, claims []published.Claim) *published.Audit {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	im, err := published.Open(bytes.NewReader(b), path, o)
	if err != nil {
		t.Fatal(err)
	}
	a, err := published.Run(im, published.AuditOptions{Claims: claims}, func(*schema.Finding) {})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func value(f schema.Figure) float64 {
	if f.Value == nil {
		return math.NaN()
	}
	return *f.Value
}

func recorded(a *published.Audit, name string) published.Recorded {
	for _, r := range a.Recorded {
		if strings.HasPrefix(r.Protocol, name+"@") {
			return r
		}
	}
	return published.Recorded{}
}

// The figures of locomo_recorded/NOTICE.md, which were computed by others: mean of
// three votes and majority of each full-context run over the eight conversations.
func TestNoticeFigures(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "locomo_recorded")
	for _, c := range []struct {
		run            string
		mean, majority float64
	}{
		{"fullcontext_gpt-4.1-mini-cot", 92.14, 92.19}, {"fullcontext_gpt-4.1-mini-memos", 81.70, 81.78},
		{"fullcontext_gpt-4o-mini-cot", 80.07, 80.10}, {"fullcontext_gpt-4o-mini-memos", 74.03, 74.06},
		{"wrong_answers_v1", math.NaN(), 11.1}, {"wrong_answers_v2", math.NaN(), 61.6},
	} {
		a := audit(t, filepath.Join(dir, c.run+".jsonl"), published.Options{}, nil)
		found := 0
		if c.run == "wrong_answers_v2" {
			found = 1 // the judge accepts most of the vague wrong answers: PUB018
		}
		if a.Rows != 1191 || a.Left != found || a.Votes == nil || a.Votes.N != 1191 || a.Votes.Raters != 3 {
			t.Errorf("%s: %d rows, %d findings, votes %+v", c.run, a.Rows, a.Left, a.Votes)
		}
		mean, majority := recorded(a, "recorded-mean").Overall, recorded(a, "recorded-judge").Overall
		if have := 100 * value(mean); math.Abs(have-c.mean) > 0.005 {
			t.Errorf("%s: mean of three %v, want %v", c.run, have, c.mean)
		}
		tolerance := 0.005
		if math.IsNaN(c.mean) {
			tolerance = 0.05
		}
		if have := 100 * value(majority); math.Abs(have-c.majority) > tolerance {
			t.Errorf("%s: majority %v, want %v", c.run, have, c.majority)
		}
		if majority.Clusters != 8 || majority.N != 1191 {
			t.Errorf("%s: %d questions of %d conversations", c.run, majority.N, majority.Clusters)
		}
	}
}

// Every row of both Memobase runs has the F1 and BLEU-1 that we compute.
func TestMemobaseRowsAreReproduced(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "locomo_recorded")
	for _, run := range []string{"memobase_0503_3000", "memobase_0710_3000"} {
		a := audit(t, filepath.Join(dir, run+".jsonl"), published.Options{}, nil)
		for ours, theirs := range map[string]string{"mem0-2025-f1": "recorded-f1", "bleu1": "recorded-bleu1"} {
			found := false
			for _, r := range a.Regrades {
				for _, x := range r.Against {
					if strings.HasPrefix(r.Protocol, ours+"@") && strings.HasPrefix(x.Recorded, theirs+"@") {
						found = true
						if x.N != 1191 || x.Equal != 1191 {
							t.Errorf("%s: %s equals %s on %d of %d rows, largest difference %v", run, ours, theirs, x.Equal, x.N, x.Largest)
						}
					}
				}
			}
			if !found {
				t.Errorf("%s: %s was not compared with %s", run, ours, theirs)
			}
		}
		for _, c := range a.Checks {
			if c.Verdict != published.NotHere {
				t.Errorf("%s: a total of 1,540 is %s by 1,191 rows: %+v", run, c.Verdict, c.Claim)
			}
		}
	}
}

func TestZep(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "locomo_recorded")
	_, recs, findings := read(t, filepath.Join(dir, "zep_cloud_2025.jsonl"), published.Options{})
	ids := map[string]bool{}
	for _, r := range recs {
		ids[r.QuestionID] = true
	}
	_, full, _ := read(t, filepath.Join(dir, "fullcontext_gpt-4o-mini-cot.jsonl"), published.Options{})
	both := 0
	for _, r := range full {
		if ids[r.QuestionID] {
			both++
		}
	}
	if len(recs) != 1191 || len(findings) != 0 || both != 1191 {
		t.Errorf("%d rows, %v, %d of them asked in the full-context run", len(recs), findings, both)
	}
}

func TestMemoryAgentBenchVerdicts(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "memoryagentbench", "results")
	p, err := protocol.ByName("mab-substring")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][2]int{ // rows, verdicts that substring EM reproduces (golden/README.md)
		"results_conflict_resolution_replay_n320.jsonl": {272, 272}, "judge_results_conflict_resolution_replay_n320.jsonl": {272, 272},
		"results_ruler_qa1_197K_replay_full.jsonl": {85, 85}, "results_ruler_qa2_421K_replay_full.jsonl": {85, 85},
		"results_long_range_understanding_detective_qa.jsonl": {58, 58}, "results_accurate_retrieval_eventqa_65536.jsonl": {170, 165},
		"results_icl_replay_n200_exemplar.jsonl": {170, 151},
	} {
		_, recs, findings := read(t, filepath.Join(dir, file), published.Options{})
		same := 0
		for i := range recs {
			for _, g := range recs[i].Grades {
				if ours := p[0].Grade(&recs[i]); strings.HasPrefix(g.Protocol, "recorded-verdict@") && ours.Score != nil && *ours.Score == *g.Score {
					same++
				}
			}
		}
		if len(recs) != want[0] || same != want[1] || len(findings) != 0 {
			t.Errorf("%s: %d rows, %d verdicts reproduced, want %v; %v", file, len(recs), same, want, findings)
		}
	}
}

func TestLongMemEvalLabels(t *testing.T) {
	data := filepath.Join(sharedData(t), "data", "longmemeval")
	question := oracleQuestions(t, filepath.Join(data, "longmemeval_oracle_evidence_turns.json"))
	for file, want := range map[string][3]int{ // rows, accepted, abstentions
		"oracle_con_llama3.1-8b.jsonl.eval-results-gpt-4o-mini": {425, 256, 25}, "oracle_answeronly_cot_llama3.1-8b.jsonl.eval-results-gpt-4o-mini": {425, 303, 25},
		"s_cleaned_rag_con_llama3.1-8b.jsonl.eval-results-gpt-4o-mini": {425, 220, 25}, "oracle_con_llama3.1-8b.hypotheses.jsonl": {425, 0, 25},
		"s_fullcontext_gemini-2.5-flash_eval.json": {425, 375, 25}, "s_cleaned_rag_error_analysis.jsonl": {194, 0, -1},
	} {
		_, recs, findings := read(t, filepath.Join(data, "system_outputs", file), published.Options{Asked: question})
		accepted, abstain := 0, 0
		for _, r := range recs {
			for _, g := range r.Grades {
				if g.Score != nil {
					accepted += int(*g.Score)
				}
			}
			if r.Abstain {
				abstain++
			}
		}
		if len(recs) != want[0] || accepted != want[1] || abstain != want[2] && want[2] >= 0 || len(findings) != 0 {
			t.Errorf("%s: %d rows, %d accepted, %d abstentions, want %v; %v", file, len(recs), accepted, abstain, want, findings[:min(len(findings), 2)])
		}
	}
}

func oracleQuestions(t *testing.T, path string) (out []published.Asked) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var items []schema.Object
	if err := codec.Unmarshal(b, &items); err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		raw, _ := it.Get("answer")
		id := it.Text("question_id")
		out = append(out, published.Asked{CaseID: id, Question: schema.Question{ID: id, Text: it.Text("question"), Answer: codec.Unquote(raw), RawCategory: it.Text("question_type"), Category: schema.CatIE, Abstain: strings.Contains(id, "_abs")}})
	}
	return out
}

// HaluMem's own aggregates: those whose rows are all here are reproduced; the answers'
// are not, since questions were left out of the copy.
func TestHaluMemAggregates(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "halumem", "mem0_eval")
	a := audit(t, filepath.Join(dir, "halumem_pilot_user12_Results.json"), published.Options{}, nil)
	verdicts := map[string]int{}
	for _, c := range a.Checks {
		verdicts[c.Verdict]++
		if strings.Contains(c.Source, "qa_ratio") != (c.Verdict == published.NotHere) {
			t.Errorf("%s: %s, ours %v of %d, claimed %v of %d", c.Source, c.Verdict, value(c.Ours), c.Ours.N, c.Value, c.N)
		}
	}
	if a.Rows != 40 || verdicts[published.Reproduced] != 3 || verdicts[published.NotHere] != 3 {
		t.Errorf("%d rows, %v", a.Rows, verdicts)
	}
}

func TestMemGallery(t *testing.T) {
	dir := filepath.Join(sharedData(t), "data", "mem_gallery", "result_debug", "qwen2-5-vl-7b")
	for _, system := range []string{"FUMemory", "STMemory"} {
		stem := filepath.Join(dir, system, "AI_Robotics_Automation_Future_Tech")
		b, err := os.ReadFile(stem + "_evaluate_result.json")
		if err != nil {
			t.Fatal(err)
		}
		claims, err := published.ReadClaims(b, "gallery_evaluate_result.json")
		if err != nil {
			t.Fatal(err)
		}
		a := audit(t, stem+"_results.json", published.Options{System: system}, claims)
		if a.Rows != 57 || len(a.Checks) != 5 {
			t.Errorf("%s: %d rows, %d checks", system, a.Rows, len(a.Checks))
		}
		for _, c := range a.Checks {
			if em := strings.HasSuffix(c.Source, " EM"); em != (c.Verdict == published.Reproduced) {
				t.Errorf("%s: %s %v: %s %s", system, c.Source, c.Value, c.Verdict, c.By)
			}
		}
	}
}

// The recorded run of the Agent Memory Benchmark: its rows are LoCoMo's questions by
// position and text, its names of the categories are not LoCoMo's, and its figure follows
// from its rows.
func TestSharedAMB(t *testing.T) {
	file := "data/amb/locomo_cognee_rag.json.gz"
	shared := exttest.Shared(t, file)
	r, err := jsonl.Open(filepath.Join(shared, file), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	im, err := published.Open(r, file, published.Options{})
	if err != nil || im.Format.Name != "amb" || im.System != "cognee" {
		t.Fatalf("%+v, %v", im, err)
	}
	recs, findings := collect(t, im.QA)
	right, categories := 0.0, map[string]int{}
	for _, q := range recs {
		categories[q.RawCategory]++
		right += *q.Grades[0].Score
		if q.CaseID != "conv-26" || q.By != "gemini:gemini-3.1-pro-preview" || q.Grades[0].By != "gemini:gemini-2.5-flash-lite" {
			t.Errorf("%+v", q)
		}
	}
	if len(recs) != 152 || right != 122 || len(findings) != 0 || categories["1"] != 32 || categories["2"] != 37 || categories["3"] != 13 || categories["4"] != 70 {
		t.Errorf("%d rows, %g right, %v, %v", len(recs), right, categories, findings)
	}
}

// Tampering with recorded runs is found row by row with the cases, and the files as they
// are have no finding.
func TestSharedTampering(t *testing.T) {
	dir := filepath.Join(exttest.Shared(t, "data/locomo_recorded/NOTICE.md", "data/locomo/locomo8.json"), "data")
	d := locomo.Dataset()
	var asked []published.Asked
	for r, err := range d.Cases(t.Context(), []jsonl.File{datasets.PathFile(filepath.Join(dir, "locomo", "locomo8.json"), nil)}, datasets.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range r.V.Questions {
			asked = append(asked, published.Asked{CaseID: r.V.ID, Question: q})
		}
	}
	rule, err := protocol.ByName("rule")
	if err != nil {
		t.Fatal(err)
	}
	flip := func(v any) any {
		switch v := v.(type) {
		case bool:
			return !v
		case float64:
			return 1 - v
		}
		return v
	}
	flipRow := func(r map[string]any) {
		for _, k := range []string{"llm_score", "grade"} {
			if v, ok := r[k]; ok {
				r[k] = flip(v)
			}
		}
		if list, ok := r["judgments"].([]any); ok {
			for i := range list {
				list[i] = flip(list[i])
			}
		}
	}
	// Each changes every twentieth row from the third on; n is how many findings of its code there are for one.
	tamper := map[string]struct {
		code string
		do   func(i int, rows []map[string]any) []map[string]any
	}{
		"categories": {"PUB008", func(i int, rows []map[string]any) []map[string]any {
			rows[i]["category"] = 1 + int(rows[i]["category"].(float64))%4
			return rows
		}},
		"golds":     {"PUB009", func(i int, rows []map[string]any) []map[string]any { rows[i]["gold"] = "another gold"; return rows }},
		"doubled":   {"PUB006", func(i int, rows []map[string]any) []map[string]any { return append(rows, rows[i]) }},
		"questions": {"PUB007", func(i int, rows []map[string]any) []map[string]any { rows[i]["question"] = "What else?"; return rows }},
		"exchanged": {"PUB007", func(i int, rows []map[string]any) []map[string]any {
			rows[i]["question"], rows[i+1]["question"] = rows[i+1]["question"], rows[i]["question"]
			return rows
		}},
		"dropped":  {"PUB011", func(i int, rows []map[string]any) []map[string]any { rows[i] = nil; return rows }},
		"verdicts": {"PUB015", func(i int, rows []map[string]any) []map[string]any { flipRow(rows[i]); return rows }},
		"answers": {"PUB015", func(i int, rows []map[string]any) []map[string]any {
			rows[i]["answer"], rows[i+1]["answer"] = rows[i+1]["answer"], rows[i]["answer"]
			return rows
		}},
		"ungraded": {"PUB015", func(i int, rows []map[string]any) []map[string]any {
			for _, k := range []string{"llm_score", "grade", "judgments"} {
				delete(rows[i], k)
			}
			return rows
		}},
		"one verdict": {"PUB015", func(i int, rows []map[string]any) []map[string]any {
			if i < 20 {
				flipRow(rows[i])
			}
			return rows
		}},
		"a conversation": {"PUB014", func(i int, rows []map[string]any) []map[string]any {
			if rows[i] == nil {
				return rows
			}
			for j, last := range rows {
				if last != nil && last["conv"] == "conv-30" {
					rows[j] = nil
				}
			}
			return rows
		}},
		"all flipped": {"PUB013", nil},
	}
	for _, run := range []string{"memobase_0710_3000", "zep_cloud_2025", "fullcontext_gpt-4.1-mini-memos"} {
		b, err := os.ReadFile(filepath.Join(dir, "locomo_recorded", run+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		codes := func(rows []map[string]any, by ...*protocol.Protocol) map[string]int {
			var text bytes.Buffer
			for _, r := range rows {
				if r != nil {
					line, err := json.Marshal(r)
					if err != nil {
						t.Fatal(err)
					}
					text.Write(append(line, '\n'))
				}
			}
			im, err := published.Open(&text, "renamed.jsonl", published.Options{Asked: asked})
			if err != nil {
				t.Fatal(err)
			}
			out := map[string]int{}
			if _, err := published.Run(im, published.AuditOptions{Protocols: append([]*protocol.Protocol{}, by...)}, func(f *schema.Finding) { out[f.Code]++ }); err != nil {
				t.Fatal(err)
			}
			return out
		}
		read := func() (rows []map[string]any) {
			for _, line := range bytes.Split(bytes.TrimSpace(b), []byte{'\n'}) {
				var r map[string]any
				if err := json.Unmarshal(line, &r); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, r)
			}
			return rows
		}
		if clean := codes(read(), rule...); len(clean) != 0 {
			t.Errorf("%s as it is: %v", run, clean)
		}
		for what, x := range tamper {
			rows, n := read(), 0
			var by []*protocol.Protocol
			if x.do == nil {
				by = rule
				for _, r := range rows {
					flipRow(r)
				}
				n = 1
			} else {
				for i, last := 2, len(rows)-1; i < last; i += 20 {
					rows = x.do(i, rows)
					n++
				}
			}
			if what == "one verdict" || what == "a conversation" {
				n = 1
			}
			if have := codes(rows, by...); have[x.code] < n {
				t.Errorf("%s, %s: %v, want %d of %s", run, what, have, n, x.code)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the digests of public runs again")

// The digests of public runs are those of the files, and no run is taken for another.
func TestSharedKnown(t *testing.T) {
	dir := filepath.Join(exttest.Shared(t, "data/locomo_recorded/NOTICE.md", "data/longmemeval/system_outputs"), "data")
	files, err := filepath.Glob(filepath.Join(dir, "locomo_recorded", "[fmwz]*.jsonl"))
	if err != nil || len(files) != 9 {
		t.Fatal(files, err)
	}
	files = append(files, filepath.Join(dir, "longmemeval", "system_outputs", "s_fullcontext_gemini-2.5-flash_eval.json"))
	want := []published.Known{}
	for _, path := range files {
		im, recs, _ := read(t, path, published.Options{})
		k, err := published.Digests(im.System, recs)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, k)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		again, err := published.Open(bytes.NewReader(b), "another-name.json", published.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := published.Run(again, published.AuditOptions{Protocols: []*protocol.Protocol{}}, func(f *schema.Finding) { t.Error(f) })
		if !*update && (err != nil || a.Known != im.System) {
			t.Errorf("%s is recognised as %q: %v", im.System, a.Known, err)
		}
	}
	text, err := json.MarshalIndent(want, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		err = os.WriteFile("known.json", text, 0o644)
	} else if have, err2 := os.ReadFile("known.json"); err2 != nil || !bytes.Equal(have, text) {
		t.Error("known.json is not that of the files: go test ./eval/published -run SharedKnown -update", err2)
	}
	if err != nil {
		t.Fatal(err)
	}
}
