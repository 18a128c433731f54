package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/llm/llmtest"
)

// TestPreflight: before a long run each endpoint that will be asked is tried once; a wrong
// key of one that is due late ends the run before the first turn was taken in.
func TestPreflight(t *testing.T) {
	good, bad := stubModels(""), llmtest.NewServer()
	defer good.Close()
	defer bad.Close()
	bad.Chat = func(llmtest.ChatRequest) llmtest.Reply { return llmtest.Fault(401, "invalid_api_key", "no such key") }
	dir := t.TempDir()
	writeProject(t, dir)
	project := strings.Replace(modelProject, `extract: {name: m-2, base_url: "${STUB}"`, `extract: {name: m-2, base_url: "${BAD}"`, 1)
	head, rest, _ := strings.Cut(secretCase, `"questions":[`)
	question, tail, _ := strings.Cut(rest, `]}]}`)
	var many []string
	for i := range 120 {
		many = append(many, strings.Replace(question+"]}", `"q1"`, fmt.Sprintf(`"q%d"`, i), 1))
	}
	for name, text := range map[string]string{"membench.yaml": project, "cases.jsonl": head + `"questions":[` + strings.Join(many, ",") + "]}" + tail} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"STUB": good.BaseURL(), "BAD": bad.BaseURL(), "SECRET_A": "k", "OPENAI_API_KEY": "k"}
	for line, at := range map[string]string{
		"chain -c DIR/membench.yaml": bad.BaseURL(),
		"eval run DIR/cases.jsonl --system simplemem --system-model m --base-url " + bad.BaseURL() + " --reader rule --judge rule -p em -o DIR/run": bad.BaseURL(),
	} {
		before := len(bad.Asked())
		var words bytes.Buffer
		code := run(t.Context(), plainEnv(&words, &words, vars), strings.Fields(strings.ReplaceAll(line, "DIR", dir)))
		if code != exitFailed || !strings.Contains(words.String(), "checking the model for extract before the run") {
			t.Errorf("%s: exit %d:\n%s", line, code, &words)
		}
		if n := len(bad.Asked()) - before; n != 1 || len(good.Asked()) != 0 {
			t.Errorf("%s: %d questions to %s, %d to the other", line, n, at, len(good.Asked()))
		}
	}
}
