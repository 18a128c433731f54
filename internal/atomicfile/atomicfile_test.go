package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "a.txt")
	put := func(text string, fail error) error {
		return Write(path, func(w io.Writer) error {
			fmt.Fprint(w, text)
			return fail
		})
	}
	if err := put("one", nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	if err := put("half", full); !errors.Is(err, full) {
		t.Fatalf("have %v, want %v", err, full)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one" {
		t.Errorf("after a failure: have %q (%v), want the old text", b, err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v (%v)", names, err)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	f.File.Close() // as a killed process leaves it
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	names, _ := os.ReadDir(dir)
	if len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}
