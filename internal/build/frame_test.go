package build

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/schema"
)

// A step may have a hundred thousand outputs: closed ones hold no buffer and no file.
func TestManyOutputs(t *testing.T) {
	f := Frame{Out: filepath.Join(t.TempDir(), "out"), Dir: true, Step: "claimify"}
	defer f.Close()
	for i := range 300 {
		if err := f.Write(fmt.Sprintf("%03d.jsonl", i), func(w io.Writer) error { _, err := fmt.Fprintln(w, i); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if len(f.spare) != 1 {
		t.Errorf("have %d buffers, want 1 for all outputs", len(f.spare))
	}
	for _, o := range f.outputs {
		d, err := o.Digest()
		if err != nil || o.Writer != nil || o.file != nil {
			t.Fatalf("%s: still open (%v)", o.name, err)
		}
		content := strings.TrimLeft(strings.TrimSuffix(o.name, ".jsonl"), "0")
		if want := fmt.Sprintf("%x", sha256.Sum256([]byte(cmp.Or(content, "0")+"\n"))); d.SHA256 != want {
			t.Errorf("%s: have %s, want %s", o.name, d.SHA256, want)
		}
	}
}

// A step that reads what another one made reports that it was edited since.
func TestEditedInput(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	f := Frame{Out: first, Dir: true, Step: "first", Taken: 2}
	for _, name := range []string{"a.jsonl", "b.jsonl"} {
		if err := f.Write(name, func(w io.Writer) error { _, err := io.WriteString(w, "{}\n"); return err }); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Commit(schema.Manifest{}); err != nil {
		t.Fatal(err)
	}
	run := func() (found []string, err error) {
		f := Frame{Out: second, Dir: true, Step: "second", Report: func(x *schema.Finding) { found = append(found, x.Code+" "+x.Message) }}
		defer f.Close()
		files, err := f.Files(t.Context(), []string{first}, ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			r, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, r)
			r.Close()
			f.Taken++
		}
		if err := f.Write("c.jsonl", func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
		_, err = f.Commit(schema.Manifest{})
		return found, err
	}
	if found, err := run(); err != nil || len(found) > 0 {
		t.Fatalf("unchanged: %v, %v", found, err)
	}
	if err := os.WriteFile(filepath.Join(first, "b.jsonl"), []byte("{ }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	found, err := run()
	var rejected *schema.RejectedError
	if want := []string{"MAN001 an output of the step has changed: b.jsonl"}; !slices.Equal(found, want) || !errors.As(err, &rejected) {
		t.Errorf("edited: have %v, %v, want %v and a rejection", found, err, want)
	}
}
