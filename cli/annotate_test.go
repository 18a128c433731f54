package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A model behind a real endpoint chooses the tags; the key reaches the endpoint and
// nothing else.
func TestAnnotateWithModel(t *testing.T) {
	const key = "sk-this-is-the-secret-0815"
	line := regexp.MustCompile(`(?m)^\[(\d+)\] `)
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"wrong key %s"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return
		}
		if calls == 1 {
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var req struct {
			Temperature *float64
			Messages    []struct{ Content string }
		}
		if err := json.Unmarshal(body, &req); err != nil || req.Temperature == nil || *req.Temperature != 0 {
			t.Errorf("body %s: want temperature 0 (%v)", body, err)
		}
		tags := map[string]string{}
		for _, m := range line.FindAllStringSubmatch(req.Messages[1].Content, -1) {
			tags[m[1]] = "canon_only"
		}
		answer, _ := json.Marshal(tags)
		text, _ := json.Marshal("```json\n" + string(answer) + "\n```")
		fmt.Fprintf(w, `{"model":"m-1","choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, text)
	}))
	defer srv.Close()

	dir := t.TempDir()
	src := filepath.Join(dir, "ch05_x.norm.md")
	if err := os.WriteFile(src, []byte("```text\n[U] The train was late.\n[INJECT][U] planted\n[S] hm\n```\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	annotate := func(key string, extra ...string) (int, string, string) {
		var out, err bytes.Buffer
		e := &env{in: strings.NewReader(""), out: &out, err: &err, now: time.Now, getenv: func(k string) string {
			return map[string]string{"BENCHMARK_LLM_API_KEY": key, "BENCHMARK_LLM_BASE_URL": srv.URL + "/v1", "BENCHMARK_LLM_MODEL": "m"}[k]
		}}
		code := run(context.Background(), e, append([]string{"annotate", src, "-o", "-", "--tagger", "model"}, extra...))
		return code, out.String(), err.String()
	}
	code, out, words := annotate(key)
	if code != 0 || strings.Count(out, `"tags": ["canon_only"]`) != 2 || strings.Count(out, `"by": "m"`) != 2 || !strings.Contains(out, `"tags": ["inject"]`) {
		t.Errorf("exit %d\n%s%s", code, out, words)
	}
	if !strings.Contains(words, "EVT010: warning: conversation ch05: every event is canon_only") || !strings.Contains(words, "2 by m") {
		t.Errorf("the gate and the counts are missing: %s", words)
	}
	if calls != 2 {
		t.Errorf("have %d calls, want a refusal and an answer", calls)
	}
	code, out, words = annotate("sk-another-wrong-secret")
	if code != 1 || out != "" || !strings.Contains(words, "401") {
		t.Errorf("a refused key: exit %d %s %s", code, out, words)
	}
	if strings.Contains(words, "another-wrong-secret") || strings.Contains(out, key) {
		t.Errorf("a key is shown: %s", words)
	}
}
