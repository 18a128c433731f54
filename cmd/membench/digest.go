package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// digests opens input files and takes their SHA-256 while they are read.
type digests struct {
	stdin io.Reader
	all   []*digestReader
}

// files expands paths to inputs; nil stays nil.
func (d *digests) files(paths []string, suffixes ...string) ([]jsonl.File, error) {
	if paths == nil {
		return nil, nil
	}
	names, err := inputFiles(paths, suffixes...)
	if err != nil {
		return nil, err
	}
	out := make([]jsonl.File, 0, len(names))
	for _, name := range names {
		out = append(out, jsonl.File{Name: name, Open: func() (io.ReadCloser, error) { return d.open(name) }})
	}
	return out, nil
}

func (d *digests) open(name string) (io.ReadCloser, error) {
	r := &digestReader{name: name, r: io.NopCloser(d.stdin), h: sha256.New()}
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r.r = f
	}
	if i := slices.IndexFunc(d.all, func(o *digestReader) bool { return o.name == name && name != "-" }); i >= 0 {
		d.all[i] = r // read again
	} else {
		d.all = append(d.all, r)
	}
	z, err := jsonl.Decompress(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return z, nil
}

// list is the digests of all files opened, with paths relative to dir, sorted by path.
func (d *digests) list(dir string) []schema.FileDigest {
	out := []schema.FileDigest{}
	for _, r := range d.all {
		path := r.name
		if path != "-" {
			path = relIn(dir, path)
		}
		out = append(out, schema.FileDigest{Path: path, SHA256: hex.EncodeToString(r.h.Sum(nil)), Bytes: r.n})
	}
	slices.SortFunc(out, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// relIn is path relative to dir, so that a tree of inputs and outputs can be moved.
func relIn(dir, path string) string {
	a, err1 := filepath.Abs(dir)
	b, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return filepath.ToSlash(path)
	}
	return build.Rel(a, b)
}

type digestReader struct {
	name string
	r    io.ReadCloser
	h    hash.Hash
	n    int64
}

func (r *digestReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.h.Write(p[:n])
	r.n += int64(n)
	return n, err
}

func (r *digestReader) Close() error { return r.r.Close() }

// A digestFile is an output that appears on Commit, with its SHA-256. It hides the
// other ways to write to a file, which would pass the digest by.
type digestFile struct {
	f    *atomicfile.File
	w    io.WriteCloser
	path string
	h    hash.Hash
	n    int64
}

func newDigestFile(path string) (*digestFile, error) {
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &digestFile{f: f, w: f.Ahead(), path: path, h: sha256.New()}, nil
}

// besides is the size of a write that is hashed while it is written.
const besides = 64 << 10

func (f *digestFile) Write(p []byte) (int, error) {
	var hashing sync.WaitGroup
	if len(p) < besides {
		f.h.Write(p)
	} else {
		hashing.Go(func() { f.h.Write(p) })
	}
	n, err := f.w.Write(p)
	hashing.Wait()
	f.n += int64(n)
	return n, err // after an error nobody asks for the digest
}

// Reset takes back what was written.
func (f *digestFile) Reset() error {
	f.w.Close()
	if err := f.f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	f.w, f.n = f.f.Ahead(), 0
	f.h.Reset()
	return nil
}

func (f *digestFile) Commit() error {
	f.w.Close()
	return f.f.Commit()
}

func (f *digestFile) Close() error {
	f.w.Close()
	return f.f.Close()
}

// sum is the digest of what was written, which stands under path in a manifest.
func (f *digestFile) sum(path string) schema.FileDigest {
	return schema.FileDigest{Path: path, SHA256: hex.EncodeToString(f.h.Sum(nil)), Bytes: f.n}
}
