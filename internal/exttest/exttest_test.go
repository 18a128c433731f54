package exttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "here")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if why := Missing("go", file); why != "" {
		t.Errorf("have %q, want nothing missing", why)
	}
	want := "SKIP-EXTERNAL: no-such-tool, " + file + "-not"
	if why := Missing("go", "no-such-tool", file+"-not"); why != want {
		t.Errorf("have %q, want %q", why, want)
	}
}

// recorder is a testing.TB that notes how a test would end.
type recorder struct {
	testing.TB
	fatal, skipped string
}

func (r *recorder) Helper()           {}
func (r *recorder) Fatal(args ...any) { r.fatal = args[0].(string) }
func (r *recorder) Skip(args ...any)  { r.skipped = args[0].(string) }

func TestNeedSkipsAndFailsOnCI(t *testing.T) {
	for ci, wantFatal := range map[string]bool{"": false, "true": true} {
		t.Setenv("CI", ci)
		r := &recorder{TB: t}
		Need(r, "no-such-tool")
		if (r.fatal != "") != wantFatal || (r.skipped != "") == wantFatal {
			t.Errorf("CI=%q: fatal %q, skipped %q", ci, r.fatal, r.skipped)
		}
	}
}

func TestSharedSkipsAlsoOnCI(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MEMBENCH_SHARED", dir)
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		r := &recorder{TB: t}
		if have := Shared(r, "here"); have != dir || r.skipped != "" {
			t.Errorf("CI=%q: have %q, skipped %q", ci, have, r.skipped)
		}
		Shared(r, "here", "gone")
		if r.fatal != "" || !strings.HasPrefix(r.skipped, "SKIP-EXTERNAL: ") || !strings.Contains(r.skipped, "gone") {
			t.Errorf("CI=%q: fatal %q, skipped %q", ci, r.fatal, r.skipped)
		}
	}
}

func TestMem0ServerSkipsAlsoOnCI(t *testing.T) {
	t.Setenv("CI", "true")
	t.Setenv("MEM0_SERVER_SRC", "")
	r := &recorder{TB: t}
	if Mem0Server(r); r.fatal != "" || !strings.HasPrefix(r.skipped, "SKIP-EXTERNAL: ") {
		t.Errorf("no source: fatal %q, skipped %q", r.fatal, r.skipped)
	}
	t.Setenv("MEM0_SERVER_SRC", t.TempDir())
	r = &recorder{TB: t}
	if Mem0Server(r); !strings.Contains(r.fatal, "main.py") || r.skipped != "" {
		t.Errorf("a folder that is no server: fatal %q, skipped %q", r.fatal, r.skipped)
	}
}
