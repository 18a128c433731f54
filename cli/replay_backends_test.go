package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/internal/exttest"
	"membench/memory/mem0/qdrant/qdranttest"
	"membench/memory/mem0/rest/resttest"
	"membench/schema"

	pb "github.com/qdrant/go-client/qdrant"
)

const serviceEvents = `{"scene_id":"s","character_id":"bot","conv_id":"ch01","turn_id":1,"role_type":"human","role_name":"Lin","content":"我最喜欢的作家是鲁迅。","tags":["episodic"],"meta":{"inject_id":"i_ch01_001"}}
{"scene_id":"s","character_id":"bot","conv_id":"ch01","turn_id":2,"role_type":"assistant","role_name":"bot","content":"鲁迅的《呐喊》我也很喜欢。","tags":["episodic"],"meta":{}}
{"scene_id":"s","character_id":"bot","conv_id":"ch01","turn_id":3,"role_type":"human","role_name":"Lin","content":"你还记得我喜欢哪位作家吗？","tags":["probe"],"meta":{"probe_id":"p_ch01_001","expects":["i_ch01_001"]}}
`

// Dialogue goes into a Mem0 service, is probed and exported there, and goes on after a
// stop; nothing that is written holds the key.
func TestReplayService(t *testing.T) {
	const key = "m0sk_MARKED_5a7c"
	for backend, g := range map[string]resttest.Generation{"mem0": resttest.OSS2, "mem0-platform": resttest.Platform} {
		t.Run(backend, func(t *testing.T) {
			srv := resttest.New(t, g)
			srv.Key = key
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(serviceEvents), 0o666); err != nil {
				t.Fatal(err)
			}
			vars := map[string]string{"MEM0_API_KEY": key, "MEM0_URL": srv.URL}
			var all strings.Builder
			membench := func(want int, args ...string) string {
				t.Helper()
				var out, words bytes.Buffer
				for i, a := range args {
					args[i] = strings.ReplaceAll(a, "DIR", dir)
				}
				code := run(context.Background(), plainEnv(&out, &words, vars), append([]string{"replay"}, args...))
				all.WriteString(out.String() + words.String())
				if code != want {
					t.Fatalf("%v: exit %d, want %d:\n%s", args, code, want, words.String())
				}
				return out.String() + words.String()
			}
			if s := membench(0, "ingest", "DIR/events.jsonl", "--backend", backend, "--store", "DIR/store", "--user-id", "lin", "--user-prefix", "run1-"); !strings.Contains(s, "2 memories added") {
				t.Errorf("have %s", s)
			}
			if have := srv.Memories(); len(have) != 2 || have[0].User != "run1-lin" {
				t.Fatalf("have %v", have)
			}
			if s := membench(0, "ingest", "DIR/events.jsonl", "--store", "DIR/store", "--user-id", "lin"); !strings.Contains(s, "1 stored before") { // backend and prefix are the store's
				t.Errorf("have %s", s)
			}
			membench(0, "export", "--store", "DIR/store", "-o", "DIR/export.jsonl")
			exports, err := os.ReadFile(filepath.Join(dir, "export.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{`"user_id": "lin", "agent_id": "bot"`, `"data": "[User] Lin: 我最喜欢的作家是鲁迅。"`, `"owner_type": "User", "owner_id": "lin", "owner_infer": "explicit", "events": [{"conv_id": "ch01", "turn_id": 1}, {"conv_id": "ch01", "turn_id": 2}]`, `"collection": "memory_bench_global", "isolation": "global"`} {
				if !strings.Contains(string(exports), want) {
					t.Errorf("the export lacks %s:\n%s", want, exports)
				}
			}
			if s := membench(0, "probe", "DIR/events.jsonl", "--store", "DIR/store", "-o", "DIR/probes.jsonl"); !strings.Contains(s, "1 scored (Recall@5 1.000") {
				t.Errorf("have %s", s)
			}
			other := srv.Put("run1-lin", "somebody else's")
			membench(1, "ingest", "DIR/events.jsonl", "--store", "DIR/store", "--user-id", "lin", "--force")
			if have := srv.Memories(); len(have) != 3 {
				t.Errorf("--force beside a foreign memory %s: have %v", other, have)
			}
			vars["MEM0_API_KEY"] = "m0sk_MARKED_wrong"
			if s := membench(1, "export", "--store", "DIR/store", "-o", "DIR/export.jsonl"); !strings.Contains(s, "401") {
				t.Errorf("have %s", s)
			}
			for name, b := range allBelow(t, dir) {
				if bytes.Contains(b, []byte("MARKED")) {
					t.Errorf("%s holds the key", name)
				}
			}
			if strings.Contains(all.String(), "MARKED") {
				t.Errorf("the key was printed:\n%s", all.String())
			}
		})
	}
}

func TestReplayBackendsUsage(t *testing.T) {
	dir := t.TempDir()
	events := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(events, []byte(serviceEvents), 0o666); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"have embedded, mem0, mem0-platform": {"ingest", events, "--store", dir + "/s", "--backend", "nope"},
		"can only be exported":               {"ingest", events, "--store", dir + "/s", "--backend", "qdrant"},
		"name it with --url or MEM0_URL":     {"ingest", events, "--store", dir + "/s", "--backend", "mem0"},
		"--url and --user-prefix are for":    {"ingest", events, "--store", dir + "/s", "--url", "http://x"},
		"--addr or QDRANT_ADDR":              {"export", "--backend", "qdrant", "-o", "-"},
		"6333 is its REST port":              {"export", "--backend", "qdrant", "--addr", "x:6333", "-o", "-"},
		"vector_store.config.path":           {"export", "--backend", "mem0-local", "-o", "-"},
		"holds no meta.json":                 {"export", "--backend", "mem0-local", "--store", dir, "-o", "-"},
		"set MEM0_API_KEY":                   {"ingest", events, "--store", dir + "/s", "--backend", "mem0-platform"},
	} {
		var out, words bytes.Buffer
		if code := run(context.Background(), plainEnv(&out, &words, nil), append([]string{"replay"}, args...)); code == 0 || !strings.Contains(words.String(), want) || out.Len() > 0 {
			t.Errorf("%v: exit %d, want %q: %s", args, code, want, words.String())
		}
	}
}

// What a Mem0 process keeps in Qdrant comes out by conversation, with owners.
func TestReplayExportQdrant(t *testing.T) {
	srv := qdranttest.New(t)
	srv.Key = "MARKED-qdrant-key"
	for i, text := range []string{"[User] 我喝普洱茶。", "[Agent] I like rain."} {
		srv.Put("memory_bench_per_conv", &pb.PointStruct{Id: pb.NewIDUUID(fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i)),
			Payload: pb.NewValueMap(map[string]any{"data": text, "hash": schema.Hash(text), "conv_id": fmt.Sprintf("ch0%d", i), "user_id": "lin", "agent_id": "bot", "n": 1, "f": 1.0})})
	}
	srv.Put("mem0migrations")
	dir := t.TempDir()
	var out, words bytes.Buffer
	e := plainEnv(&out, &words, map[string]string{"QDRANT_ADDR": srv.Addr, "QDRANT_API_KEY": srv.Key})
	if code := run(context.Background(), e, []string{"replay", "export", "--backend", "qdrant", "-o", dir}); code != 0 {
		t.Fatalf("exit %d: %s", code, words.String())
	}
	files := allBelow(t, dir)
	want := `"conv_id": "ch00", "f": 1.0, "n": 1, "user_id": "lin", "agent_id": "bot", "data": "[User] 我喝普洱茶。", "hash": "` + schema.Hash("[User] 我喝普洱茶。") + `", "owner_type": "User", "owner_id": "lin", "owner_infer": "explicit"}, "collection": "memory_bench_per_conv", "isolation": "per_conv", "exported_at": "2026-03-01T00:00:00Z"}`
	if len(files) != 3 || len(files["manifest.json"]) == 0 || !strings.Contains(string(files["ch00.mem0.jsonl"]), want) {
		t.Errorf("have %s\nwant %s", files, want)
	}
	if strings.Contains(words.String(), "MARKED") {
		t.Error(words.String())
	}
}

// The embedded memory with its points in Qdrant: the same probes, and what is exported
// from Qdrant is what the memory exports; killed, forced and attached to by others.
func TestReplayQdrantPoints(t *testing.T) {
	srv, ca := qdranttest.NewTLS(t)
	srv.Key = "MARKED-qdrant-key"
	dir := t.TempDir()
	for name, b := range map[string][]byte{"events.jsonl": []byte(serviceEvents), "ca.pem": ca} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"QDRANT_API_KEY": srv.Key, "QDRANT_CA_FILE": filepath.Join(dir, "ca.pem")}
	var all strings.Builder
	membench := func(want int, args string) string {
		t.Helper()
		var out, words bytes.Buffer
		line := strings.Fields(strings.NewReplacer("DIR", dir, "QDRANT", "https://"+srv.Addr).Replace(args))
		code := run(context.Background(), plainEnv(&out, &words, vars), append([]string{"replay"}, line...))
		all.WriteString(out.String() + words.String())
		if code != want {
			t.Fatalf("%v: exit %d, want %d:\n%s", args, code, want, words.String())
		}
		return out.String() + words.String()
	}
	membench(0, "ingest DIR/events.jsonl --store DIR/here --user-id lin")
	membench(0, "ingest DIR/events.jsonl --store DIR/there --user-id lin --qdrant QDRANT")
	if n := srv.Len("memory_bench_global"); n != 2 {
		t.Fatalf("have %d points", n)
	}
	if a, b := membench(0, "probe DIR/events.jsonl --store DIR/here -o -"), membench(0, "probe DIR/events.jsonl --store DIR/there -o -"); a != b {
		t.Errorf("probes differ: have\n%s\nwant\n%s", b, a)
	}
	embeddedly, straight := membench(0, "export --store DIR/there -o -"), membench(0, "export --backend qdrant --addr QDRANT -o -")
	if embeddedly != membench(0, "export --store DIR/here -o -") || strings.Count(straight, "\n") != 3 || strings.Contains(straight, "membench_") || !strings.Contains(straight, `"events": [{"conv_id": "ch01", "turn_id": 1}]`) {
		t.Errorf("exports differ:\n%s\n%s", embeddedly, straight)
	}
	if s := membench(1, "ingest DIR/events.jsonl --store DIR/other --user-id lin --qdrant QDRANT"); !strings.Contains(s, "belong to another store") {
		t.Errorf("have %s", s)
	}
	membench(0, "ingest DIR/events.jsonl --store DIR/other --user-id lin --qdrant QDRANT --qdrant-collection mine --force")
	membench(0, "ingest DIR/events.jsonl --store DIR/there --user-id lin --qdrant QDRANT --store-raw --force")
	if n := srv.Len("memory_bench_global"); n != 2 {
		t.Errorf("--force: have %d points", n)
	}
	membench(2, "ingest DIR/events.jsonl --store DIR/x --qdrant-collection c")
	membench(2, "ingest DIR/events.jsonl --store DIR/x --qdrant localhost:6333")
	vars["QDRANT_CA_FILE"] = ""
	if s := membench(1, "ingest DIR/events.jsonl --store DIR/there --user-id lin --store-raw"); !strings.Contains(s, "QDRANT_CA_FILE") {
		t.Errorf("have %s", s)
	}
	for name, b := range allBelow(t, dir) {
		if bytes.Contains(b, []byte("MARKED")) {
			t.Errorf("%s holds the key", name)
		}
	}
	if strings.Contains(all.String(), "MARKED") {
		t.Errorf("the key was printed:\n%s", all.String())
	}
}

// Mem0's own folder, read by the command line.
func TestReplayExportLocal(t *testing.T) {
	dir := exttest.Shared(t, "data/mem0_real/stores/2.2.1")
	var out, words bytes.Buffer
	code := run(context.Background(), plainEnv(&out, &words, nil), []string{"replay", "export", "--backend", "mem0-local", "--store", filepath.Join(dir, "data/mem0_real/stores/2.2.1/qdrant_before_delete_all"), "-o", "-"})
	if n := strings.Count(out.String(), "\n"); code != 0 || n < 20 || !strings.Contains(words.String(), fmt.Sprintf("%d memories", n)) || !strings.Contains(out.String(), `"isolation": "global"`) {
		t.Errorf("exit %d, %d memories: %s", code, n, words.String())
	}
}
