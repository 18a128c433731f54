package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// readManifest reads dir's manifest.json; a folder without one gives a zero Manifest.
func readManifest(dir string) (m schema.Manifest, err error) {
	r, err := jsonl.Open(filepath.Join(dir, "manifest.json"), nil)
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return m, err
	}
	if err := codec.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("reading %s: %w", filepath.Join(dir, "manifest.json"), err)
	}
	return m, nil
}

// buffered is a file written through a buffer; Close writes the rest and syncs.
type buffered struct {
	*bufio.Writer
	f *os.File
}

func newBuffered(f *os.File) *buffered { return &buffered{bufio.NewWriterSize(f, 1<<16), f} }

func (b *buffered) Close() error {
	err := b.Flush()
	if e := b.f.Sync(); err == nil {
		err = e
	}
	return errors.Join(err, b.f.Close())
}
