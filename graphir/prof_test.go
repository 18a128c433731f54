package graphir

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"membench/schema"
	"membench/schema/jsonl"
	"os"
	"testing"
)

type hw struct {
	h hash.Hash
	f *os.File
}

func (w hw) Write(p []byte) (int, error) { w.h.Write(p); return w.f.Write(p) }
func TestProf(t *testing.T) {
	d := os.Getenv("EXF")
	if d == "" {
		t.Skip()
	}
	op := func(n string) []jsonl.File {
		return []jsonl.File{{Name: n, Open: func() (io.ReadCloser, error) { return os.Open(n) }}}
	}
	mk := func(n string) io.Writer { f, _ := os.Create("/tmp/prof_" + n); return hw{sha256.New(), f} }
	_, err := Write(context.Background(), Files{Exports: op(d)}, mk("n"), mk("e"), Options{Workers: 2, Memory: 48 << 20}, func(*schema.Finding) {})
	if err != nil {
		t.Fatal(err)
	}
}
