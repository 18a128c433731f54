package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const outsideMain = `package main

import (
	"context"
	"fmt"
	"os"

	"membench/config"
	"membench/eval/pipeline"
	"membench/memory"
	"membench/memory/open"
)

func main() {
	mine := memory.Define("mine", "finds turns by shared words", struct{}{},
		func(memory.Deps, struct{}) (memory.System, error) { return shared{}, nil })
	v := &config.Eval{Version: config.Version, Seed: 1,
		Datasets: []config.EvalSet{{Name: "town", Adapter: "cases", Path: os.Args[1]}},
		Systems:  []config.EvalSystem{{Type: "mine"}, {Type: "bm25"}}}
	v.Output.Folder, v.Run.MaxCases = os.Args[2], 1
	res, err := pipeline.Run(context.Background(), v, pipeline.Options{Place: open.Place{More: []memory.Spec{mine}}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, s := range res.Summaries {
		fmt.Println(s.System, "answered", s.Questions)
	}
}
`

// The example of docs/adding-a-system.md compiles in a module of its own, passes the
// conformance suite there, and is measured beside a built-in system by a program of
// thirty lines.
func TestSystemOutsideOfTheModule(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	code := string(read(t, "system/system_test.go"))
	dir := t.TempDir()
	own, conformance, ok := strings.Cut(code, "func TestShared")
	if !ok {
		t.Fatal("system_test.go has no TestShared")
	}
	clause := func(s string) string { return strings.Replace(s, "package system_test", "package main", 1) }
	own = clause(strings.NewReplacer("\t\"testing\"\n", "", "\t\"membench/memory/memorytest\"\n", "").Replace(own))
	mod := strings.Replace(string(read(t, "../go.mod")), "module membench", "module outside", 1) + "\nrequire membench v0.0.0\n\nreplace membench => " + root + "\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(read(t, "../go.sum")), "mine.go": own, "main.go": "package main\n\nfunc main() { println(shared{}.Info().Name) }\n",
		"mine_test.go": "package main\n\nimport (\n\t\"testing\"\n\n\t\"membench/memory\"\n\t\"membench/memory/memorytest\"\n)\n\nfunc TestShared" + conformance} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) string {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off", "OPENAI_MODEL=")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	command("vet", ".")
	command("test", ".")
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Log("the evaluation outside of the module compiles everything again: set MEMBENCH_SOAK=1")
		return
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(outsideMain), 0o666); err != nil {
		t.Fatal(err)
	}
	if have := command("run", ".", filepath.Join(root, "examples/measure/cases.jsonl"), filepath.Join(dir, "run")); have != "bm25 answered 10\nshared-words answered 10\n" {
		t.Errorf("have %q", have)
	}
}
