package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"membench/schema"
)

func TestDo(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out.txt")
	write(t, in, "one")
	runs := 0
	step := Step{Name: "copy", Version: 1, Options: map[string]int{"n": 1}, Inputs: []string{in}, Output: out,
		Run: func(_ context.Context, path string) (Result, error) {
			runs++
			b, err := os.ReadFile(in)
			if err != nil {
				return Result{}, err
			}
			return Result{Counts: map[string]int{"bytes": len(b)}}, os.WriteFile(path, b, 0o666)
		}}
	b := Builder{Root: dir, Records: filepath.Join(dir, ".steps"), Schema: schema.Latest, Now: "2026-01-01T00:00:00Z"}
	do := func(wantRan bool) schema.Manifest {
		t.Helper()
		m, ran, err := b.Do(t.Context(), step)
		if err != nil {
			t.Fatal(err)
		}
		if ran != wantRan {
			t.Fatalf("ran: have %v, want %v", ran, wantRan)
		}
		return m
	}
	first := do(true)
	if first.Counts["bytes"] != 3 || len(first.Outputs) != 1 || first.Outputs[0].Path != "out.txt" {
		t.Errorf("record: %+v", first)
	}
	b.Now = "2027-01-01T00:00:00Z" // the clock is no reason to run
	do(false)
	write(t, out, "touched")
	do(true)
	write(t, in, "two")
	do(true)
	step.Version++
	do(true)
	step.Options = map[string]int{"n": 2}
	do(true)
	write(t, filepath.Join(b.Records, "copy.json"), "{ cut off")
	do(true)
	do(false)
	b.Force = true
	do(true)
	if runs != 7 {
		t.Errorf("runs: have %d, want 7", runs)
	}
}

func TestFailureLeavesOldOutput(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "d")
	b := Builder{Root: dir, Records: filepath.Join(dir, ".steps")}
	step := Step{Name: "dir", Options: struct{}{}, Output: out, Dir: true, Run: func(_ context.Context, path string) (Result, error) {
		return Result{}, os.WriteFile(filepath.Join(path, "a"), []byte("old"), 0o666)
	}}
	if _, _, err := b.Do(t.Context(), step); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("disk full")
	step.Version, step.Run = 2, func(_ context.Context, path string) (Result, error) {
		os.WriteFile(filepath.Join(path, "a"), []byte("half"), 0o666)
		return Result{}, boom
	}
	if _, _, err := b.Do(t.Context(), step); !errors.Is(err, boom) {
		t.Fatalf("have %v, want %v", err, boom)
	}
	if got, _ := os.ReadFile(filepath.Join(out, "a")); string(got) != "old" {
		t.Errorf("output: have %q, want the old one", got)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".*tmp*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A process that dies while it replaces a folder leaves one of these states; each leads
// back to the folder as it was, or on to the new one once that was recorded.
func TestRecover(t *testing.T) {
	for _, c := range []struct{ name, aside, out, want string }{
		{"before", "d/a=new", "a=old", "a=old"},
		{"old is away", "d/a=new .old/a=old", "", "a=old"},
		{"new is there", ".old/a=old", "a=new", "a=old"},
		{"roll back half done", ".old/a=old .gone1/new/a=new", "", "a=old"},
		{"rolled back", ".gone1/new/a=new", "a=old", "a=old"},
		{"recorded", ".gone/a=old", "a=new", "a=new"},
		{"first: before", "d/a=new .none=", "", ""},
		{"first: new is there", ".none=", "a=new", ""},
	} {
		dir := t.TempDir()
		tree := func(root, files string) {
			for _, f := range strings.Fields(files) {
				name, text, _ := strings.Cut(f, "=")
				p := filepath.Join(root, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
					t.Fatal(err)
				}
				write(t, p, text)
			}
		}
		tree(filepath.Join(dir, ".d.tmp-1"), c.aside)
		tree(filepath.Join(dir, "d"), c.out)
		if err := Recover(dir); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		have, _ := os.ReadFile(filepath.Join(dir, "d", "a"))
		if got := strings.TrimSuffix("a="+string(have), "a="); got != c.want {
			t.Errorf("%s: have %q, want %q", c.name, got, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", c.name, left)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
