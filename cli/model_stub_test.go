package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"membench/llm/llmtest"
)

var (
	stubLine = regexp.MustCompile(`(?m)^\[(\d+)\] `)
	stubTurn = regexp.MustCompile(`(?m)^(\d+)\. (user|assistant)[^:]*: (.*)$`)
	stubFact = regexp.MustCompile(`(?m)^- (\[(?:User|Agent)\] .*)$`)
)

// judgeMemories judges as the six prompts of seed 001 ask: what one text states of another
// is whether it has its longer words.
func judgeMemories(prompt string) (map[string]any, bool) {
	states := func(text, fact string) bool {
		text = strings.ToLower(text)
		for _, w := range strings.FieldsFunc(strings.ToLower(fact), func(r rune) bool { return r < 'a' || r > 'z' }) {
			if len(w) > 3 && w != "user" && !strings.Contains(text, strings.TrimRight(w, "s")) {
				return false
			}
		}
		return true
	}
	part := func(head string) string {
		_, rest, _ := strings.Cut(prompt, head)
		body, _, _ := strings.Cut(rest, "\n\n")
		return strings.TrimSpace(body)
	}
	lines := func(list string) (out []string) {
		for line := range strings.Lines(list) {
			_, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			out = append(out, text)
		}
		return out
	}
	label := func(ok bool, yes, no string) (map[string]any, bool) {
		return map[string]any{"label": map[bool]string{true: yes, false: no}[ok], "reason": "compared the words"}, true
	}
	line := func(head string) string { text, _, _ := strings.Cut(part(head), "\n"); return text }
	switch {
	case strings.Contains(prompt, `"covered"`):
		facts, kept := part("Facts it should have kept, numbered:"), part("Memories it added or changed in this session:")
		if facts == "" {
			facts, kept = part("Facts needed, numbered:"), part("Memories retrieved:")
		}
		covered := []int{}
		for i, f := range lines(facts) {
			if states(kept, f) {
				covered = append(covered, i+1)
			}
		}
		return map[string]any{"covered": covered, "reason": "compared the words"}, true
	case strings.Contains(prompt, `"labels"`):
		labels := []string{}
		for _, m := range lines(part("Memories, numbered:")) {
			word := "irrelevant"
			for _, f := range lines(part("Facts that hold up to now:")) {
				if states(m, f) {
					word = "correct"
				}
			}
			labels = append(labels, word)
		}
		return map[string]any{"labels": labels, "reason": "compared the words"}, true
	case strings.Contains(prompt, "rejected or memorized"):
		return label(states(part("Memories it holds:"), line("Remark:")), "memorized", "rejected")
	case strings.Contains(prompt, "updated, both or outdated"):
		return label(states(part("Memories it holds:"), line("New state:")), "updated", "outdated")
	case strings.Contains(prompt, "Correct, Hallucination or Omission"):
		return label(states(line("\nAnswer:"), line("Reference answer:")), "Correct", "Omission")
	}
	return nil, false
}

// answerSteps is a model for the steps of the chain: plain, deterministic answers in
// the form that each prompt asks for. Readers say the first memory, judges always yes.
func answerSteps(r llmtest.ChatRequest) llmtest.Reply {
	system, prompt := r.System(), r.Prompt()
	reply := func(v any) llmtest.Reply {
		b, err := json.Marshal(v)
		if err != nil {
			return llmtest.Fault(500, "", err.Error())
		}
		return llmtest.Reply{Text: "Here you are:\n```json\n" + string(b) + "\n```"}
	}
	switch {
	case strings.Contains(system, "exactly one tag"):
		tags := map[string]string{}
		for _, m := range stubLine.FindAllStringSubmatch(prompt, -1) {
			tags[m[1]] = "episodic"
		}
		return reply(tags)
	case strings.Contains(system, "worth remembering"):
		type fact struct {
			Text  string `json:"text"`
			Turns []int  `json:"turns"`
		}
		facts := []fact{}
		_, turns, _ := strings.Cut(prompt, "TURNS\n")
		for _, m := range stubTurn.FindAllStringSubmatch(turns, -1) {
			n, _ := strconv.Atoi(m[1])
			who := map[string]string{"user": "[User] ", "assistant": "[Agent] "}[m[2]]
			facts = append(facts, fact{who + strings.TrimSpace(m[3]), []int{n}})
		}
		return reply(map[string]any{"facts": facts})
	case strings.Contains(system, "memory of facts consistent"):
		var items []map[string]string
		for i, m := range stubFact.FindAllStringSubmatch(prompt, -1) {
			items = append(items, map[string]string{"id": strconv.Itoa(1000 + i), "text": m[1], "event": "ADD"})
		}
		return reply(map[string]any{"memory": items})
	case strings.Contains(system, "claims and entities"):
		var out strings.Builder
		for line := range strings.Lines(prompt) {
			var m struct {
				ID      string `json:"memory_item_id"`
				Point   string `json:"point_id"`
				Speaker string `json:"speaker"`
			}
			if json.Unmarshal([]byte(line), &m) != nil || m.ID == "" {
				continue
			}
			fmt.Fprintf(&out, `{"record_type":"claim","predicate":"SELF_TRAIT","subject":{"entity_type":"User","entity_id":%q},"object":{"entity_type":"Topic","entity_id":"topic:tea"},"domain":"writing","confidence":0.9,"status":"active","rank":null,"evidence":[{"memory_item_id":%q,"point_id":%q}]}`+"\n", m.Speaker, m.ID, m.Point)
		}
		return llmtest.Reply{Text: out.String()}
	}
	if v, ok := judgeMemories(prompt); ok {
		return reply(v)
	}
	switch {
	case strings.Contains(system, "answer questions about somebody"): // the first memory, in its words
		_, context, _ := strings.Cut(prompt, "CONTEXT\n")
		first, _, _ := strings.Cut(context, "\n")
		return llmtest.Reply{Text: first}
	case strings.Contains(prompt+system, "CORRECT") && strings.Contains(prompt+system, "WRONG"):
		return reply(map[string]string{"label": "CORRECT"})
	case strings.Contains(strings.ToLower(prompt), "yes or no"):
		return llmtest.Reply{Text: "yes"}
	}
	if r.ResponseFormat.Type != "" {
		return llmtest.Reply{Text: `{"ok": true}`}
	}
	return llmtest.Reply{Text: "ok"}
}

// stubModels is an endpoint for the chain's steps.
func stubModels(key string) *llmtest.Server {
	s := llmtest.NewServer()
	s.Key = key
	s.Chat = answerSteps
	return s
}

// plainEnv is an environment with these variables and nothing else.
func plainEnv(out, words io.Writer, vars map[string]string) *env {
	return &env{in: strings.NewReader(""), out: out, err: words, getenv: func(n string) string { return vars[n] }, now: func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }}
}

const modelProject = `
name: tea
sources: [chat.jsonl]
output: out
now: 2026-03-01T00:00:00Z
start: 2026-02-01T20:00:00Z
user: {id: lin}
agent: {id: lanxi}
character: {id: lanxi}
annotate: {tagger: model, format: chat}
replay: {extractor: model}
claims: {extractor: model}
model: {name: m-1, base_url: "${STUB}", key_env: SECRET_A}
models:
  extract: {name: m-2, base_url: "${STUB}", key_env: SECRET_A}
cassette: {file: run.cassette}
prices: prices.yaml
`

const modelChat = `{"role": "user", "content": "I like jasmine tea in the evening"}
{"role": "assistant", "content": "I will keep a pot for you"}
{"role": "user", "content": "我最近在写一篇关于雨的小说"}
{"role": "assistant", "content": "写完给我看看"}
{"role": "user", "content": "Mornings are for black tea"}
`

func writeProject(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{"membench.yaml": modelProject, "chat.jsonl": modelChat, "prices.yaml": "models: {m-1: {input: 1, output: 2}, m-2: {input: 1, output: 2}}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// allBelow returns every file below dir with its bytes.
func allBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = b
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestChainWithModels: the whole chain asks models; keys are in nothing it writes; a
// second project replays the cassette offline, byte for byte; and a run that is killed
// by its budget goes on without paying again.
func TestChainWithModels(t *testing.T) {
	const keyA, keyB = "sk-MARKED-a-7f3d2c1b", "sk-MARKED-b-9e8d7c6b"
	srv := stubModels(keyA)
	defer srv.Close()
	ctx := context.Background()
	vars := map[string]string{"STUB": srv.BaseURL(), "SECRET_A": keyA, "OPENAI_API_KEY": keyB, "BENCHMARK_LLM_API_KEY": keyB, "JUDGE_KEY": keyB}
	dir := t.TempDir()
	writeProject(t, dir)
	chain := func(t *testing.T, dir string, vars map[string]string, args ...string) (int, string, string) {
		var out, words bytes.Buffer
		code := run(ctx, plainEnv(&out, &words, vars), append([]string{"chain", "-c", filepath.Join(dir, "membench.yaml")}, args...))
		return code, out.String(), words.String()
	}

	code, _, words := chain(t, dir, vars, "--dry-run")
	if code != 0 || len(srv.Asked()) != 0 || !strings.Contains(words, "dry run: USD") || !strings.Contains(words, "tag: 1 to 2 calls of m-1") || len(allBelow(t, dir)) != 3 {
		t.Fatalf("dry run: exit %d, %d questions, %d files:\n%s", code, len(srv.Asked()), len(allBelow(t, dir)), words)
	}
	code, _, words = chain(t, dir, vars, "--budget", "calls=2")
	if code != exitFailed || len(srv.Asked()) != 2 || !strings.Contains(words, "budget is spent: 2 of 2 calls") {
		t.Fatalf("budget: exit %d, %d questions:\n%s", code, len(srv.Asked()), words)
	}
	code, _, words = chain(t, dir, vars, "--usage", filepath.Join(dir, "usage.json"))
	if code != 0 {
		t.Fatalf("exit %d:\n%s", code, words)
	}
	asked := len(srv.Asked())
	var usage struct {
		Rows []struct {
			Purpose   string
			Answers   int
			FirstPaid struct{ Calls int } `json:"first_paid"`
			PaidNow   struct{ Calls int } `json:"paid_now"`
		}
		Cassette struct{ Records, Added int }
	}
	if err := json.Unmarshal(allBelow(t, dir)["usage.json"], &usage); err != nil {
		t.Fatal(err)
	}
	first, now := 0, 0
	var purposes []string
	for _, r := range usage.Rows {
		first, now = first+r.FirstPaid.Calls, now+r.PaidNow.Calls
		purposes = append(purposes, r.Purpose)
	}
	// The first of all was the trial of the model that extracts, which is kept nowhere.
	if now != asked-2 || usage.Cassette.Records != asked-1 || strings.Join(purposes, " ") != "claims facts update" && strings.Join(purposes, " ") != "claims facts tag update" {
		t.Errorf("asked %d in all, this run says %d now, %d first, %d records, purposes %v", asked, now, first, usage.Cassette.Records, purposes)
	}

	// No key in any file or word, whatever failed on the way.
	bad := map[string]string{"STUB": srv.BaseURL(), "SECRET_A": keyB}
	_, out, more := chain(t, dir, bad, "-o", filepath.Join(dir, "refused"), "--cassette-mode", "record")
	words += out + more
	if !strings.Contains(more, "status 401") {
		t.Errorf("a refused key: have %s", more)
	}
	var show bytes.Buffer
	for _, args := range [][]string{{"config", "show", "--config", filepath.Join(dir, "membench.yaml")}, {"doctor", "--ask", "--config", filepath.Join(dir, "membench.yaml")}} {
		run(ctx, plainEnv(&show, &show, vars), args)
		run(ctx, plainEnv(&show, &show, bad), args)
	}
	words += show.String()
	for name, b := range allBelow(t, dir) {
		if bytes.Contains(b, []byte("MARKED")) {
			t.Errorf("%s holds a key", name)
		}
	}
	if strings.Contains(words, "MARKED") {
		t.Errorf("a key was printed:\n%s", words)
	}

	// Elsewhere, with no endpoint and no key: the same bytes.
	far := t.TempDir()
	writeProject(t, far)
	if err := os.WriteFile(filepath.Join(far, "run.cassette"), allBelow(t, dir)["run.cassette"], 0o666); err != nil {
		t.Fatal(err)
	}
	asked = len(srv.Asked())
	offline := map[string]string{"STUB": srv.BaseURL()}
	if code, _, words := chain(t, far, offline, "--cassette-mode", "replay-only"); code != 0 {
		t.Fatalf("replay: exit %d:\n%s", code, words)
	}
	if len(srv.Asked()) != asked {
		t.Error("a replay asked")
	}
	want, have := allBelow(t, filepath.Join(dir, "out")), allBelow(t, filepath.Join(far, "out"))
	for name, b := range want {
		if strings.HasPrefix(name, "store") && strings.HasSuffix(name, ".lock") || strings.HasPrefix(name, ".steps") {
			continue
		}
		if !bytes.Equal(have[name], b) {
			t.Errorf("%s differs in the replay", name)
		}
	}
	if err := os.WriteFile(filepath.Join(far, "chat.jsonl"), []byte(`{"role": "user", "content": "something new"}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	code, _, words = chain(t, far, offline, "--cassette-mode", "replay-only")
	if code != exitFailed || !strings.Contains(words, "lacks this call (model m-1") || !strings.Contains(words, "something new") {
		t.Errorf("a call that is not there: exit %d:\n%s", code, words)
	}
}
