package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// graphFiles finds the files of a graph: path itself when it is a file or "-"; in a
// folder, or its sub-folder graph, nodes.jsonl and edges.jsonl (or the files
// *_nodes_<ts>.jsonl and *_edges_<ts>.jsonl of the existing chain, all of them), each
// with or without .gz or .zst. Nodes come first.
func graphFiles(path string) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	for _, dir := range []string{path, filepath.Join(path, "graph")} {
		if files := graphFilesIn(dir); len(files) > 0 {
			return files, nil
		}
	}
	return nil, fmt.Errorf("%s: have neither nodes.jsonl nor edges.jsonl, nor a folder graph that holds them; to-graph and chain write them", path)
}

func graphFilesIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var nodes, edges []string
	for _, d := range entries {
		name := plainName(d.Name())
		if d.IsDir() || strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		switch full := filepath.Join(dir, d.Name()); {
		case name == "nodes.jsonl" || strings.Contains(name, "_nodes_"):
			nodes = append(nodes, full)
		case name == "edges.jsonl" || strings.Contains(name, "_edges_"):
			edges = append(edges, full)
		}
	}
	return slices.Concat(nodes, edges)
}

// plainName is a file name without the ending of its compression.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
}

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
