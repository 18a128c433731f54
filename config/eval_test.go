package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func setTo(m map[string]string) Lookup {
	return func(name string) (string, string) {
		if v, ok := m[name]; ok {
			return v, "environment"
		}
		return "", ""
	}
}

// seed000 is the file of seed 000 §8, word for word.
func seed000(t *testing.T) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/seed000.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSeed000(t *testing.T) {
	v, err := parseEval(seed000(t), setTo(map[string]string{"MEM0_API_KEY": "sk-MARKED"}))
	if err != nil {
		t.Fatal(err)
	}
	if v.Seed != 42 || len(v.Datasets) != 2 || len(v.Systems) != 4 || v.Grading.JudgeModel != "gpt-4o" || v.Grading.NumRuns != 3 {
		t.Errorf("have %+v", v)
	}
	if d := v.Datasets; d[0].Adapter != "longmemeval" || d[0].Granularity != "session" || !d[1].ExcludeAdversarial || d[1].Path != "data/locomo10.json" {
		t.Errorf("data sets %+v", d)
	}
	if s := v.Systems; s[0].Model != "gpt-4.1" || s[1].Embedding != "text-embedding-3-small" || s[1].TopK == nil || *s[1].TopK != 10 || s[2].LLM != "gpt-4o-mini" || s[3].Secret != "sk-MARKED" || s[3].APIKey != "${MEM0_API_KEY}" {
		t.Errorf("systems %+v", s)
	}
	if len(v.Output.Format) != 1 || v.Output.Format[0] != "markdown" {
		t.Errorf("format %v", v.Output.Format)
	}
	out, err := v.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "MARKED") {
		t.Errorf("the resolved configuration holds the key:\n%s", out)
	}
	again, err := parseEval(out, setTo(map[string]string{"MEM0_API_KEY": "sk-MARKED"}))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	back, err := again.YAML()
	if err != nil || string(back) != string(out) {
		t.Errorf("the resolved configuration, resolved: %v\n%s\n%s", err, out, back)
	}
}

func TestEvalFaults(t *testing.T) {
	env := setTo(map[string]string{"K": "sk-MARKED", "N": "7"})
	const ok = "datasets: [{name: locomo, path: x}]\n"
	for text, want := range map[string]string{
		"": "datasets and systems",
		"datasets:\n  - name: a\n    granularity: word\n": "e.yaml:3:18: datasets[0].granularity: have \"word\"",
		"datasets:\n  - path: a\n":                        "e.yaml:2:9: datasets[0]: want a name",
		"datasets:\n  - name: a\n  - name: a\n":           "e.yaml:3:11: datasets[1].name: \"a\" appears twice",
		"datasets:\n  - name: a\n    grian: turn\n":       "e.yaml:3:5: unknown field \"grian\"",
		"version: 2\n":       "e.yaml:1:10: version: have 2, want 1",
		"seed: many\n":       "e.yaml:1:7: ",
		"seed: 1\nseed: 2\n": "e.yaml:2:1: ",
		ok + "systems:\n  - type: mem0\n    api_key: sk-MARKED-here\n": "e.yaml:4:14: systems[0].api_key: a key must not be in the file",
		ok + "systems:\n  - type: mem0\n    api_key: ${NONE}\n":        "e.yaml:4:14: ${NONE}: the variable is not set",
		ok + "systems:\n  - top_k: 3\n":                                "want a type",
		ok + "systems:\n  - {type: bm25, top_k: -1}\n":                 "systems[0].top_k",
		ok + "systems:\n  - {type: bm25, top_k: 0}\n":                  "systems[0].top_k: have 0, want at least 1",
		ok + "systems:\n  - {type: bm25, top_k: \"five\"}\n":           "e.yaml:3:25: have a value of type string, want a whole number",
		ok + "systems:\n  - {type: bm25, name: \" b \"}\n":             "systems[0].name: have \" b \", want one line without blanks",
		ok + "systems:\n  - {type: bm25, name: \"a\\nb\"}\n":           "want one line without blanks",
		ok + "systems: [{name: a, type: b}, {name: a, type: c}]\n":     "systems[1].name: \"a\" appears twice",
		ok + "output: {format: pdf}\n":                                 "e.yaml:2:18: output.format: have \"pdf\", want one of [markdown json csv html]",
		ok + "output: {format: [json, pdf]}\n":                         "output.format[1]: have \"pdf\"",
		ok + "grading: {votes: 2}\n":                                   "an odd number",
		ok + "grading: {judge: both}\n":                                "grading.judge: have \"both\"",
		ok + "reader: {type: oracle}\n":                                "reader.type",
		ok + "run: {top_k: -1}\n":                                      "run.top_k: have -1, want at least 1",
		ok + "run: {top_k: 0}\n":                                       "run.top_k: have 0, want at least 1",
		ok + "run: {depth: -1}\n":                                      "run.depth: have -1, want 0 or more",
		ok + "model:\n  api_key: ${K}\n":                               "key_env",
		ok + "run: {depth: ${K}}\n":                                    "e.yaml:2:",
		"a: b\n---\nc: d\n":                                            "documents",
		"a: [\n":                                                       "e.yaml:",
	} {
		_, err := parseEval([]byte(text), env)
		if err == nil {
			t.Errorf("%q: no error", text)
			continue
		}
		have := placed("e.yaml", err).Error()
		if !strings.Contains(have, want) {
			t.Errorf("%q: have %q, want %q", text, have, want)
		}
		if strings.Contains(have, "MARKED") {
			t.Errorf("%q: the key is in the message: %s", text, have)
		}
	}
}

func TestEvalForms(t *testing.T) {
	v, err := parseEval([]byte(`
version: 1
datasets:
  - {name: mine, adapter: cases, paths: [a.jsonl, b.jsonl]}
systems:
  - {name: fused, type: simple-rag, options: {mode: fused, chunk_size: 64, words: {k1: 1.2}}}
run: {depth: 0, case: 0, read_limit: 30s}
output: {folder: out, format: [json, csv]}
`), none)
	if err != nil {
		t.Fatal(err)
	}
	b, err := v.Systems[0].OptionsJSON()
	if have, want := string(b), `{"mode": "fused", "chunk_size": 64, "words": {"k1": 1.2}}`; err != nil || have != want {
		t.Errorf("have %s (%v), want %s", have, err, want)
	}
	if *v.Run.Depth != 0 || *v.Run.Case != 0 || *v.Run.ReadLimit != 30e9 || len(v.Output.Format) != 2 {
		t.Errorf("have %+v", v)
	}
	out, err := v.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"read_limit: 30s", "depth: 0", "chunk_size: 64"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the resolved form lacks %q:\n%s", want, out)
		}
	}
}

func TestLoadEval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "night.yaml")
	if err := os.WriteFile(path, []byte("datasets: [{name: locomo, path: d.json}]\nsystems: [{type: bm25}]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	v, err := LoadEval(path, none)
	if err != nil {
		t.Fatal(err)
	}
	if v.Name != "night" || v.Path("d.json") != filepath.Join(filepath.Dir(path), "d.json") || v.Datasets[0].Adapter != "locomo" {
		t.Errorf("have %+v", v)
	}
}

func FuzzParseEval(f *testing.F) {
	f.Add([]byte("datasets: [{name: a, exclude: [5]}]\nsystems: [{type: b, api_key: ${K}, options: {a: [1]}}]\noutput: {format: json}\n"))
	f.Add([]byte("run: {read_limit: 1s}\nmodel: {name: x}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := parseEval(b, setTo(map[string]string{"K": "sk-MARKED"}))
		if err != nil {
			_ = placed("f", err).Error()
			return
		}
		out, err := v.YAML()
		if err != nil {
			return // a map with a key that YAML cannot write
		}
		var any map[string]any
		if err := yaml.Unmarshal(out, &any); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
}

// The file in docs/eval-yaml.md loads as it stands.
func TestEvalDocs(t *testing.T) {
	b, err := os.ReadFile("../docs/eval-yaml.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(b), "```yaml\n")
	block, _, ok2 := strings.Cut(block, "```")
	if !ok || !ok2 {
		t.Fatal("docs/eval-yaml.md shows no file")
	}
	v, err := parseEval([]byte(block), none)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Datasets) != 2 || len(v.Systems) != 3 || v.Output.Folder != "runs/first" {
		t.Errorf("have %+v", v)
	}
}
