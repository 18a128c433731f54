package conformance

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"membench/eval/protocol"
	"membench/internal/exttest"
)

func report(t *testing.T, rs []Result) (passed, skipped int) {
	t.Helper()
	for _, r := range rs {
		passed, skipped = passed+r.Passed, skipped+r.Skipped
		t.Logf("%-24s %5d passed %4d failed %4d skipped %v", r.Name, r.Passed, r.Failed, r.Skipped, r.Want)
		for _, f := range r.Failures {
			t.Errorf("%s %s %s: have %s, want %s", r.Name, f.ID, f.Field, f.Have, f.Want)
		}
	}
	return passed, skipped
}

// TestBuiltIn: every vector that the program carries holds; those that hash the
// original's prompts wait for a copy of it.
func TestBuiltIn(t *testing.T) {
	rep, err := Run(Options{Limit: 5})
	rs := rep.Files
	if err != nil {
		t.Fatal(err)
	}
	if passed, skipped := report(t, rs); passed != 772 || skipped != 73 || len(rs) != 15 {
		t.Errorf("have %d passed, %d skipped in %d files", passed, skipped, len(rs))
	}
}

// TestGolden runs the shared folder, with its data.
func TestGolden(t *testing.T) {
	dir := exttest.Shared(t, "golden/README.md")
	rep, err := Run(Options{Golden: os.DirFS(filepath.Join(dir, "golden")), Data: os.DirFS(filepath.Join(dir, "data")), Limit: 5})
	rs := rep.Files
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if r.Skipped > 0 && r.Name != "lme_judge_prompt" {
			t.Errorf("%s: %d rows skipped for want of %v", r.Name, r.Skipped, r.Want)
		}
	}
	report(t, rs)
}

// TestWrongVectors: what differs fails, what is no row fails, nothing panics, and a row
// without its data is skipped.
func TestWrongVectors(t *testing.T) {
	golden := fstest.MapFS{}
	rows := map[string]string{
		"nltk_porter.jsonl":            `{"id":"a","word":"dogs","stem":"dogs"}`,
		"lme_retrieval.jsonl":          `{"id":"a","corpus_ids":["x"],"correct_docs":["x"],"ranking":[7],"metrics":{"1":{}},"session_rollup":{"1":{}}}`,
		"stats_wilson.jsonl":           `{"k":3,"n":0}`,
		"stats_mcnemar.jsonl":          `{"b":-1,"c":2}`,
		"stats_kappa.jsonl":            `{"type":"cohen","table":[[1,2]]}`,
		"stats_holm.jsonl":             `{"p":[0.1],"holm_adj":[]}`,
		"locomo_evidence_recall.jsonl": `{"evidence":["D1:1"],"retrieved":[],"recall":1}`,
		"mab_recsys.jsonl":             `{"pred":"1. x","gold_ids":["a"]}`,
		"mab_metrics.jsonl":            `{"sub_dataset":"icl","pred":"1","golds":{}}`,
		"unheard_of.jsonl":             `{}`,
		"mab_chunks.jsonl":             `not json`,
	}
	for name, row := range rows {
		golden[name] = &fstest.MapFile{Data: []byte(row + "\n")}
	}
	golden["mab_recsys.entity2id.json"] = &fstest.MapFile{Data: []byte(`{"x":1}`)}
	golden["locomo_f1.jsonl"] = &fstest.MapFile{Data: []byte(`{"id":"r","src":"ref","ref":{"file":"none/a.jsonl","line":0}}`)}
	rep, err := Run(Options{Golden: golden, Data: fstest.MapFS{}})
	rs := rep.Files
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != len(rows)+1 {
		t.Fatalf("have %d results, want %d", len(rs), len(rows)+1)
	}
	for _, r := range rs {
		if r.Name == "locomo_f1" {
			if r.Skipped != 1 || r.Passed+r.Failed != 0 || len(r.Want) != 1 {
				t.Errorf("row without data: %+v", r)
			}
		} else if r.Failed != 1 || r.Passed != 0 || len(r.Failures) == 0 {
			t.Errorf("%s: have %+v, want one failure", r.Name, r)
		}
	}
	if _, err := Run(Options{Golden: fstest.MapFS{}}); err == nil {
		t.Error("an empty folder passed")
	}
}

// TestOwnPromptIsNotTheOriginal: a prompt that is not the original fails its hash.
func TestOwnPromptIsNotTheOriginal(t *testing.T) {
	var p protocol.Prompts
	if _, err := p.Add("lme-official", "x.txt", []byte("{question} {gold} {answer}")); err == nil {
		t.Error("one text was taken for LongMemEval's five prompts")
	}
}
