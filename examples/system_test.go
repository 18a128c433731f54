package examples

import (
	"os"
	"strings"
	"testing"
)

// The Go example in docs/adding-a-system.md is the code that examples/plugin tests, and
// both examples are as short as the text says.
func TestSystemInDocs(t *testing.T) {
	code, err := os.ReadFile("plugin/shared.go")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(code), "// shared finds turns")
	if !ok {
		t.Fatal("shared.go has another shape")
	}
	block := "```go\n// shared finds turns" + strings.TrimRight(body, "\n") + "\n```\n"
	path := "../docs/adding-a-system.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(doc), "<!-- example: begin -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- example: end -->")
	if !ok || !ok2 {
		t.Fatal("docs/adding-a-system.md has no place for the example")
	}
	want := head + "<!-- example: begin -->\n" + block + "<!-- example: end -->" + tail
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(doc) != want {
		t.Error("docs/adding-a-system.md shows other code: UPDATE_DOCS=1 go test ./examples -run TestSystemInDocs")
	}
	for _, name := range []string{"plugin/shared.go", "system/newest_wins.py"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "\n"); n >= 100 {
			t.Errorf("%s has %d lines: an outsider's system takes under a hundred", name, n)
		}
	}
}
