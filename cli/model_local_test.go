package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/llm/local"
)

var keepAnswers = flag.Bool("keep-answers", false, "TestLocalModel keeps the model's raw answers as testdata of llm/llmtest")

// shortAnswers bounds what a small model may say: alone it would go on for minutes. It
// counts the calls and keeps the answers.
type shortAnswers struct {
	mu      sync.Mutex
	calls   int
	answers []string
}

func (s *shortAnswers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		return http.DefaultTransport.RoundTrip(req)
	}
	var body map[string]any
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return nil, err
	}
	chat := strings.HasSuffix(req.URL.Path, "/chat/completions")
	if chat {
		body["max_tokens"] = 24
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	resp, err := http.DefaultTransport.RoundTrip(req)
	s.mu.Lock()
	if !strings.HasSuffix(req.URL.Path, "/tokenize") { // cutting a text asks no model
		s.calls++
	}
	s.mu.Unlock()
	if err != nil || !chat || resp.StatusCode != 200 {
		return resp, err
	}
	b, err = io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	var a struct {
		Choices []struct{ Message struct{ Content string } }
	}
	if json.Unmarshal(b, &a) == nil && len(a.Choices) == 1 {
		s.mu.Lock()
		s.answers = append(s.answers, a.Choices[0].Message.Content)
		s.mu.Unlock()
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// scoredTexts are answers that are log-probabilities.
var scoredTexts = regexp.MustCompile(`"text":"\[-[0-9.,-]+\]"`)

func (s *shortAnswers) count() int { s.mu.Lock(); defer s.mu.Unlock(); return s.calls }

// upLocal starts a small model for a test.
func upLocal(t *testing.T, k local.Kind) local.State {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	st, err := local.Up(ctx, k, local.Config{Home: home, Python: exttest.LocalModel(t), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := local.Down(context.Background(), home, k); err != nil {
			t.Error(err)
		}
		if now, err := local.Look(home, k); err != nil || now.Running {
			t.Errorf("after down: %+v, %v", now, err)
		}
	})
	if now, err := local.Look(home, k); err != nil || now != st {
		t.Errorf("it runs: have %+v, %v, want %+v", now, err, st)
	}
	return st
}

var localSources = map[string][2]string{
	"en": {`{"role":"user","content":"My favourite tea is sencha."}` + "\n" + `{"role":"assistant","content":"I will remember that."}` + "\n", `{"id":"00000000-0000-4000-8000-000000000001","collection":"c","isolation":"global","exported_at":"2026-03-01T00:00:00Z","payload":{"data":"[User] My favourite tea is sencha.","user_id":"lin","agent_id":"mo","conv_id":"a","scene_id":"s","created_at":"2026-03-01T20:00:00Z"}}` + "\n"},
	"zh": {`{"role":"user","content":"我最喜欢的茶是乌龙茶。"}` + "\n" + `{"role":"assistant","content":"我记住了。"}` + "\n", `{"id":"00000000-0000-4000-8000-000000000002","collection":"c","isolation":"global","exported_at":"2026-03-01T00:00:00Z","payload":{"data":"[User] 我最喜欢的茶是乌龙茶。","user_id":"lin","agent_id":"mo","conv_id":"a","scene_id":"s","created_at":"2026-03-01T20:00:00Z"}}` + "\n"},
}

// localCases are cases of one question, by language.
var localCases = map[string]string{
	"en": secretCase,
	"zh": strings.NewReplacer("I keep three tortoises on the balcony.", "我在阳台上养了三只乌龟。", "Tortoises grow old.", "乌龟能活很久。", "How many tortoises does Ana keep?", "Ana养了几只乌龟?", `"answer":"three"`, `"answer":"三只"`).Replace(secretCase),
}

// TestLocalModel: annotate, take facts, claims, answers, verdicts, surprise from
// log-probabilities (PCM) and wordings of questions (probes of a graph) by a real, very
// small model, in both languages. Nothing is said of what it answers; every command ends,
// accounts for every record, keeps its budget, and gives the same bytes from the cassette.
// MEMBENCH_ENDPOINT="URL MODEL" holds another endpoint to the same.
func TestLocalModel(t *testing.T) {
	var st local.State
	python := "/nowhere"
	if url, model, ok := strings.Cut(os.Getenv("MEMBENCH_ENDPOINT"), " "); ok {
		st = local.State{URL: url, Model: model}
	} else {
		python = exttest.LocalModel(t)
		if os.Getenv("MEMBENCH_SOAK") == "" && !*keepAnswers { // minutes on a busy machine
			t.Skip("MEMBENCH_SOAK=1 asks a real small model for tags, facts, claims, answers, verdicts, log-probabilities and wordings")
		}
		st = upLocal(t, local.Chat)
	}
	short := &shortAnswers{}
	for _, lang := range []string{"zh", "en"} {
		dir := t.TempDir()
		for name, text := range map[string]string{"a.jsonl": localSources[lang][0], "m.jsonl": localSources[lang][1], "cases.jsonl": localCases[lang]} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		vars := map[string]string{"OPENAI_BASE_URL": st.URL, "OPENAI_MODEL": st.Model, "HOME": filepath.Dir(python)}
		membench := func(line string) (int, string) {
			var words bytes.Buffer
			e := plainEnv(&words, &words, vars)
			e.transport = short
			code := run(t.Context(), e, strings.Fields(strings.ReplaceAll(line, "DIR", dir)))
			return code, words.String()
		}
		lines := []string{
			"annotate DIR/a.jsonl --tagger model -o DIR/OUT-events",
			"replay ingest DIR/OUT-events --model " + st.Model + " --store DIR/OUT-store --now 2026-03-01T00:00:00Z",
			"claimify DIR/m.jsonl --extractor model -o DIR/OUT-claims",
			"eval run DIR/cases.jsonl --system bm25 --reader model --judge-model " + st.Model + " -p mem0-2025 --no-times -o DIR/OUT-run",
			"eval run DIR/cases.jsonl --system pcm{surprisal:nll} --system-model " + st.Model + " --reader rule --judge rule -p em --no-times -o DIR/OUT-pcm",
			"datasets probes DIR/demo/graph --count 3 --rephrase --workers 1 -o DIR/OUT-probes.jsonl",
		}
		if code, words := membench("demo -o DIR/demo"); code != exitFine {
			t.Fatal(words)
		}
		var codes []int
		for _, line := range lines {
			before := short.count()
			code, words := membench(strings.ReplaceAll(line, "OUT", "one") + " --prompt-lang " + lang + " --cassette DIR/run.cassette --budget calls=12")
			if made := short.count() - before; code != exitFine && code != exitFailed || made == 0 || made > 12 {
				t.Errorf("%s: %s: exit %d after %d calls:\n%s", lang, line, code, made, words)
			}
			if code == exitFailed && !strings.Contains(words, "failed") && !strings.Contains(words, "no call to the judge gave a verdict") {
				t.Errorf("%s: %s: it failed, and does not say what:\n%s", lang, line, words)
			}
			codes = append(codes, code)
		}
		before := short.count()
		for i, line := range lines {
			code, words := membench(strings.ReplaceAll(line, "OUT", "two") + " --prompt-lang " + lang + " --cassette DIR/run.cassette --cassette-mode replay-only")
			if code != codes[i] {
				t.Errorf("%s: %s: exit %d from the cassette, %d before:\n%s", lang, line, code, codes[i], words)
			}
		}
		if short.count() != before {
			t.Error("a replay asked")
		}
		files := allBelow(t, dir)
		for name, want := range files {
			if rest, ok := strings.CutPrefix(name, "one-"); ok && !strings.Contains(name, "manifest") && !strings.Contains(name, "journal") && !strings.HasSuffix(name, "config.yaml") && !bytes.Equal(files["two-"+rest], want) {
				t.Errorf("%s: %s differs in the replay:\n%.300s\n%.300s", lang, name, want, files["two-"+rest])
			}
		}
		if n := bytes.Count(files[filepath.FromSlash("one-events/a.events.jsonl")], []byte("\n")); n != 2 {
			t.Errorf("%s: %d events of 2 turns", lang, n)
		}
		for _, run := range []string{"one-run/pipeline_qa.jsonl", "one-pcm/pipeline_qa.jsonl"} {
			if n := bytes.Count(files[filepath.FromSlash(run)], []byte("\n")); n != 1 {
				t.Errorf("%s: %s: %d records of 1 question", lang, run, n)
			}
		}
		if !scoredTexts.Match(files["run.cassette"]) {
			t.Errorf("%s: the cassette holds no log-probabilities", lang)
		}
		if n := bytes.Count(files["one-probes.jsonl"], []byte(`"question_id"`)); n != 3 {
			t.Errorf("%s: %d questions of 3", lang, n)
		}
	}
	if *keepAnswers {
		slices.Sort(short.answers)
		b, err := json.MarshalIndent(slices.Compact(short.answers), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../llm/llmtest/testdata/smollm2.json", append(b, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLocalVectors: a real small model of sentence vectors finds what was asked for in
// both languages.
func TestLocalVectors(t *testing.T) {
	st := upLocal(t, local.Embeddings)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(secretCase), 0o666); err != nil {
		t.Fatal(err)
	}
	var words bytes.Buffer
	e := plainEnv(&words, &words, map[string]string{"LOCAL_EMBEDDING_BASE_URL": st.URL, "LOCAL_EMBEDDING_MODEL": st.Model})
	code := run(t.Context(), e, strings.Fields(fmt.Sprintf("eval run %s/cases.jsonl --system simple-rag{mode:dense} --cassette %[1]s/run.cassette --no-times -o %[1]s/run", dir)))
	files := allBelow(t, dir)
	if code != exitFine || !bytes.Contains(files[filepath.FromSlash("run/qa_records.jsonl")], []byte("tortoises")) || !bytes.Contains(files["run.cassette"], []byte(`"dim":384`)) {
		t.Errorf("exit %d:\n%s", code, words.String())
	}
}
