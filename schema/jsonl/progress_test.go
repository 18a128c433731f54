package jsonl

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Files that were announced are part of the whole before they are opened, and once only.
func TestReadKnowsTheWhole(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, name := range []string{"a", "b", "c"} {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(names[len(names)-1], make([]byte, 100), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	began, whole := Read()
	Expect(append(names, filepath.Join(dir, "absent"), "-"))
	for i, name := range names {
		if done, of := Read(); done-began != int64(100*i) || of-whole != 300 {
			t.Errorf("before file %d: have %d of %d, want %d of 300", i+1, done-began, of-whole, 100*i)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decompress(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	if done, of := Read(); done-began != 300 || of-whole != 300 {
		t.Errorf("at the end: have %d of %d, want 300 of 300", done-began, of-whole)
	}
}
