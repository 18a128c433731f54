package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/memory/mem0/qdrant/qdranttest"
	"membench/memory/mem0/rest/resttest"
	"membench/memory/service/servicetest"
)

// TestSecretsAreNowhere: after whatever talks to models, services and stores was run,
// with the right keys and with wrong ones, no file below the folder and no word that
// was printed holds a key: records, journals, cassettes, manifests, run folders, stores.
// TestChainWithModels does the same for the chain.
func TestSecretsAreNowhere(t *testing.T) {
	const key = "sk-MARKED-run-41d0"
	models := stubModels(key)
	defer models.Close()
	qd, ca := qdranttest.NewTLS(t)
	qd.Key = "MARKED-qdrant-41d0"
	oss, platform := resttest.New(t, resttest.OSS2), resttest.New(t, resttest.Platform)
	oss.Key, platform.Key = "m0sk_MARKED_41d0", "m0-MARKED-41d0"
	letta := servicetest.New("letta-archival")
	defer letta.Close()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"events.jsonl": []byte(serviceEvents), "ca.pem": ca, "cases.jsonl": []byte(secretCase)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var words bytes.Buffer
	fill := strings.NewReplacer("DIR", dir, "QDRANT", "https://"+qd.Addr, "OSS", oss.URL, "PLATFORM", platform.URL)
	membench := func(vars map[string]string, line string) int {
		return run(context.Background(), plainEnv(&words, &words, vars), strings.Fields(fill.Replace(line)))
	}
	right := map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": models.BaseURL(), "OPENAI_MODEL": "m", "QDRANT_API_KEY": qd.Key, "QDRANT_CA_FILE": filepath.Join(dir, "ca.pem"),
		"QDRANT_ADDR": "https://" + qd.Addr, "MEM0_API_KEY": oss.Key, "MEM0_URL": oss.URL, "LETTA_URL": letta.Base(), "LETTA_API_KEY": servicetest.Key}
	wrong := map[string]string{}
	for name, v := range right {
		wrong[name] = v
		if strings.HasSuffix(name, "_KEY") {
			wrong[name] = "sk-MARKED-wrong-" + name
		}
	}
	onPlatform := map[string]string{"MEM0_API_KEY": platform.Key}
	for _, c := range []struct {
		with map[string]string
		line string
		want int // of the exit with the right keys
	}{
		{right, "eval run DIR/cases.jsonl --system mem0,bm25 --model m --cassette DIR/run.cassette --usage DIR/usage.json -o DIR/STATE-run", 0},
		{right, "eval status DIR/STATE-run", 0},
		{right, "replay ingest DIR/events.jsonl --model m --store DIR/STATE-points --qdrant QDRANT", 0},
		{right, "replay probe DIR/events.jsonl --store DIR/STATE-points -o DIR/STATE-probes.jsonl", 0},
		{right, "replay export --backend qdrant -o DIR/STATE-qdrant.jsonl", 0},
		{right, "replay ingest DIR/events.jsonl --backend mem0 --url OSS --store DIR/STATE-oss", 0},
		{right, "replay export --store DIR/STATE-oss -o DIR/STATE-oss.jsonl", 0},
		{onPlatform, "replay ingest DIR/events.jsonl --backend mem0-platform --url PLATFORM --store DIR/STATE-platform", 0},
		{right, "replay ingest DIR/events.jsonl --backend letta-archival --store DIR/STATE-letta", 0},
		{right, "replay export --store DIR/STATE-letta -o DIR/STATE-letta.jsonl", 0},
		{right, "systems check letta-archival --set model=a/b,embedding=a/b", 0},
		{right, "doctor --ask --json", 0},
		{right, "config show", 0},
	} {
		if code := membench(c.with, strings.ReplaceAll(c.line, "STATE", "right")); code != c.want {
			t.Errorf("%s: exit %d, want %d:\n%s", c.line, code, c.want, words.String())
		}
		if len(c.with) > 1 {
			membench(wrong, strings.ReplaceAll(c.line, "STATE", "wrong"))
		}
	}
	if len(models.Asked()) == 0 || qd.Len("memory_bench_global") == 0 || len(oss.Memories()) == 0 || len(platform.Memories()) == 0 {
		t.Error("something was not asked at all")
	}
	files := allBelow(t, dir)
	for _, name := range []string{"run.cassette", "right-run/qa_records.jsonl", "right-run/manifest.json", "right-points/memory_bench_global/manifest.json", "right-letta.jsonl"} {
		if len(files[filepath.FromSlash(name)]) == 0 {
			t.Errorf("%s was not written", name)
		}
	}
	for name, b := range files {
		if bytes.Contains(b, []byte("MARKED")) {
			t.Errorf("%s holds a key", name)
		}
	}
	if i := strings.Index(words.String(), "MARKED"); i >= 0 {
		t.Errorf("a key was printed: …%s", words.String()[max(0, i-200):i+20])
	}
}

// TestKeysInWrongPlaces: a key that stands where a name or an address is wanted is refused
// before anything is asked or written, by the place and never by the value.
func TestKeysInWrongPlaces(t *testing.T) {
	const key = "sk-MARKED0a1b2c3d4e5f"
	file := func(s string) map[string]string {
		return map[string]string{"p.yaml": "sources: [a.jsonl]\nannotate: {tagger: model, format: chat}\n" + strings.ReplaceAll(s, "KEY", key) + "\n"}
	}
	const chain = "chain -c DIR/p.yaml -o DIR/out"
	for name, tc := range map[string]struct {
		files map[string]string
		vars  map[string]string
		line  string
	}{
		"key_env":                    {file("model: {name: m, key_env: KEY}"), nil, chain},
		"key_env of a role":          {file("model: {name: m}\nmodels: {judge: {name: j, key_env: MARKED0a1b2c3d4e5f6a7b8c9d0e1f}}"), nil, chain},
		"a member of its own":        {file("model: {name: m, api_key: KEY}"), nil, chain},
		"name":                       {file("model: {name: KEY}"), nil, chain},
		"password of an address":     {file("model: {name: m, base_url: 'http://u:KEY@127.0.0.1:1/v1'}"), nil, chain},
		"query of an address":        {file("model: {name: m, base_url: 'http://127.0.0.1:1/v1?api_key=KEY'}"), nil, chain},
		"path of an address":         {file("models: {embed: {name: e, base_url: 'http://127.0.0.1:1/KEY/v1'}}"), nil, chain},
		"address of a store":         {file("replay: {qdrant: 'http://u:KEY@127.0.0.1:1'}"), nil, chain},
		"address in the environment": {nil, map[string]string{"OPENAI_BASE_URL": "http://u:" + key + "@127.0.0.1:1/v1", "OPENAI_MODEL": "m"}, "annotate DIR/a.jsonl --tagger model -o DIR/out"},
		"name in the environment":    {nil, map[string]string{"OPENAI_MODEL": key, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, "annotate DIR/a.jsonl --tagger model -o DIR/out"},
		"address of vectors":         {nil, map[string]string{"LOCAL_EMBEDDING_MODEL": "e", "LOCAL_EMBEDDING_BASE_URL": "http://127.0.0.1:1/v1?token=" + key}, "eval run DIR/cases.jsonl --system simple-rag -o DIR/out"},
		"--base-url":                 {nil, nil, "annotate DIR/a.jsonl --model m --base-url http://" + key + "@127.0.0.1:1/v1 -o DIR/out"},
		"--url of a service":         {nil, nil, "replay ingest DIR/events.jsonl --backend mem0 --url http://u:" + key + "@127.0.0.1:1 --store DIR/out"},
		"--qdrant":                   {nil, nil, "replay ingest DIR/events.jsonl --qdrant http://127.0.0.1:1?api-key=" + key + " --store DIR/out"},
		"key_env of an eval.yaml":    {map[string]string{"e.yaml": "datasets: [{name: d, path: cases.jsonl}]\nsystems: [{type: bm25}]\nmodel: {name: m, key_env: " + key + "}\n"}, nil, "eval run -c DIR/e.yaml -o DIR/out"},
	} {
		dir := t.TempDir()
		given := map[string]string{"a.jsonl": localSources["en"][0], "events.jsonl": serviceEvents, "cases.jsonl": secretCase}
		for file, text := range given {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for file, text := range tc.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var words bytes.Buffer
		code := run(t.Context(), plainEnv(&words, &words, tc.vars), strings.Fields(strings.ReplaceAll(tc.line, "DIR", dir)))
		if code != exitUsage || strings.Contains(words.String(), "MARKED") || words.Len() == 0 {
			t.Errorf("%s: exit %d:\n%s", name, code, words.String())
		}
		for file, b := range allBelow(t, dir) {
			if _, ours := tc.files[file]; !ours && bytes.Contains(b, []byte("MARKED")) {
				t.Errorf("%s: %s holds the key", name, file)
			}
		}
	}
}

const secretCase = `{"case_id":"c1","dataset":"made","conv_id":"c1","unit":"turn","speakers":["Ana","Ben"],"sessions":[{"session_id":"s1","time":"2026-01-05T10:00:00Z","turns":[{"turn_id":1,"role":"user","name":"Ana","text":"I keep three tortoises on the balcony."},{"turn_id":2,"role":"assistant","name":"Ben","text":"Tortoises grow old."}]}],"questions":[{"question_id":"q1","question":"How many tortoises does Ana keep?","answer":"three","category":"IE","raw_category":"1","evidence":[{"conv_id":"c1","turn_id":1}]}]}
`
