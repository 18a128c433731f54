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
	nodes, edges, err := graphParts(path)
	return slices.Concat(nodes, edges), err
}

// graphParts finds the files of the nodes and of the edges in a folder, or in its
// sub-folder graph. Either may be missing, not both.
func graphParts(path string) (nodes, edges []string, err error) {
	for _, dir := range []string{path, filepath.Join(path, "graph")} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, d := range entries {
			stem, ok := strings.CutSuffix(plainName(d.Name()), ".jsonl")
			if d.IsDir() || strings.HasPrefix(stem, ".") || !ok {
				continue
			}
			switch full := filepath.Join(dir, d.Name()); {
			case stem == "nodes" || strings.HasSuffix(stem, "_nodes") || strings.Contains(stem, "_nodes_"):
				nodes = append(nodes, full)
			case stem == "edges" || strings.HasSuffix(stem, "_edges") || strings.Contains(stem, "_edges_"):
				edges = append(edges, full)
			}
		}
		if len(nodes)+len(edges) > 0 {
			return nodes, edges, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: have neither nodes.jsonl nor edges.jsonl, nor a folder graph that holds them; to-graph and chain write them", path)
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
