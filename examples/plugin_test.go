package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The system of examples/plugin, a module of its own, passes the conformance suite there;
// membench built with it measures it beside a built-in system. The module is compiled in a
// workspace with this one and with the flags of this test, so that what is compiled already counts (a workspace reads
// the go.mod of every module, which Go fetches where they are not there yet); with MEMBENCH_SOAK=1
// by its replace line alone, as an outsider does, which compiles everything again.
func TestPlugin(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, temp := filepath.Join(root, "examples", "plugin"), t.TempDir()
	env := append(os.Environ(), "OPENAI_MODEL=", "GOWORK="+filepath.Join(temp, "go.work"))
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.work", "go 1.26.0\n\nuse "+root+"\nuse "+dir+"\n")
	if os.Getenv("MEMBENCH_SOAK") != "" {
		for _, name := range []string{"main.go", "shared.go", "shared_test.go"} {
			write(name, string(read(t, filepath.Join("plugin", name))))
		}
		write("go.mod", strings.Replace(string(read(t, "plugin/go.mod")), "=> ../..", "=> "+root, 1))
		write("go.sum", string(read(t, "../go.sum")))
		dir, env = temp, append(env, "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off")
	}
	command := func(name string, args ...string) string {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir, c.Env = dir, env
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	program := filepath.Join(temp, "membench-mine")
	command("go", "test", ".")
	command("go", "build", "-ldflags=-s -w", "-o", program, ".") // as go test links: quicker
	out := command(program, "eval", "--dataset", "cases="+filepath.Join(root, "examples/measure/cases.jsonl"), "--max-cases", "1", "--system", "mine,bm25", "--mock", "-o", filepath.Join(temp, "run"))
	summary := string(read(t, filepath.Join(temp, "run", "report.md")))
	if !strings.Contains(summary, "| shared-words |") || !strings.Contains(summary, "| bm25 |") {
		t.Errorf("the report does not show both systems:\n%s\n%s", out, summary)
	}
}
