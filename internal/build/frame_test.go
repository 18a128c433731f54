package build

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
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
