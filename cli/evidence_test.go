package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"membench/internal/exttest"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// testEnv is an environment without variables and with a fixed clock.
func testEnv(errs io.Writer) *env {
	return &env{in: strings.NewReader(""), out: io.Discard, err: errs, getenv: func(string) string { return "" }, now: func() time.Time { return time.Unix(1.8e9, 0) }}
}

func mustRun(t *testing.T, args ...string) {
	t.Helper()
	var errs bytes.Buffer
	if code := run(context.Background(), testEnv(&errs), args); code != 0 {
		t.Fatalf("membench %v: exit %d\n%s", args, code, errs.String())
	}
}

// Every claim of the demo leads to lines of the sources that hold its evidence word
// for word, and nothing that the chain wrote has a fault.
func TestDemoClaimsTrace(t *testing.T) {
	out := t.TempDir()
	mustRun(t, "demo", "-o", out)
	n := checkEvidence(t, out, filepath.Join(out, "project"))
	if n < 60 {
		t.Errorf("have %d claims, want at least 60", n)
	}
	if b, err := os.ReadFile(filepath.Join(out, "findings.txt")); err != nil || len(b) > 0 {
		t.Errorf("validate of the demo: %v\n%s", err, b)
	}
}

// The real chapters go through the whole chain, too. Their text may not be copied:
// the test reads it where it is and is left out, loudly, where it is not.
func TestRealChapters(t *testing.T) {
	const chapters = "data/memory_bench/source/norm"
	shared := exttest.Shared(t, chapters)
	dir := t.TempDir()
	source, err := filepath.Abs(filepath.Join(shared, chapters))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "norm"), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "membench.yaml")
	config := "sources: [norm]\ncharacter: {id: congyin}\nagent: {id: congyin}\nuser: {id: xnne}\nstart: 2026-02-24T06:00:00-08:00\n"
	if err := os.WriteFile(project, []byte(config), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	mustRun(t, "chain", "-c", project, "-o", out, "--strict")
	if n := checkEvidence(t, out, dir); n < 8 {
		t.Errorf("have %d claims, want at least 8", n)
	}
}

// lineMark is who speaks a line of a norm chapter: what is said over several lines
// stands in them without these.
var lineMark = regexp.MustCompile(`(?m)^[ \t]*\[(S|S\|MONO|U|UI)\]`)

// checkEvidence walks every claim of a chain's output to its source lines and returns
// how many claims there are.
func checkEvidence(t *testing.T, out, root string) int {
	t.Helper()
	memories := map[schema.PointID]schema.PayloadFields{}
	for _, m := range readAll[schema.MemoryExport](t, filepath.Join(out, "exports")) {
		f, err := m.Fields()
		if err != nil {
			t.Fatal(err)
		}
		memories[m.ID] = f
	}
	events := map[schema.EventRef]schema.Event{}
	for _, e := range readAll[schema.Event](t, filepath.Join(out, "events.jsonl")) {
		events[e.Ref()] = e
	}
	claims := claimsOf(readAll[schema.Statement](t, filepath.Join(out, "claims", "compiled")))
	for _, c := range claims {
		if len(c.Evidence) == 0 {
			t.Errorf("%s rests on nothing", c.ID)
		}
		for _, ev := range c.Evidence {
			m, ok := memories[ev.Point]
			if !ok || m.Data != ev.Text || ev.Memory != (schema.Mint{V: schema.V010}).Memory(m.Data, "", ev.Point) {
				t.Errorf("%s: evidence %s is not the memory's text", c.ID, ev.Memory)
			}
			var said, source strings.Builder
			for _, ref := range m.Events {
				e, ok := events[ref]
				if !ok {
					t.Errorf("%s: no event %v", c.ID, ref)
					continue
				}
				said.WriteString(e.Content + "\n")
				meta, err := e.ReadMeta()
				if err != nil {
					t.Fatal(err)
				}
				lines, err := fileLines(filepath.Join(root, filepath.FromSlash(meta.SourcePath)), meta.StartLine, meta.EndLine)
				if err != nil {
					t.Errorf("%s: %v", c.ID, err)
				}
				source.WriteString(lineMark.ReplaceAllString(lines, "") + "\n")
			}
			_, text := memory.CutPrefix(m.Data)
			if !strings.Contains(squeeze(said.String()), squeeze(text)) {
				t.Errorf("%s: %q is not said in its turns %q", c.ID, text, said.String())
			}
			if !strings.Contains(squeeze(strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(source.String())), squeeze(text)) {
				t.Errorf("%s: %q does not stand in its source lines %q", c.ID, text, source.String())
			}
		}
	}
	return len(claims)
}

func squeeze(s string) string { return strings.ReplaceAll(textnorm.Collapse(s), " ", "") }

func fileLines(path string, first, last int) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(b), "\n")
	if first < 1 || last < first || last > len(lines) {
		return "", fmt.Errorf("%s has no lines %d to %d", path, first, last)
	}
	return strings.Join(lines[first-1:last], "\n"), nil
}
