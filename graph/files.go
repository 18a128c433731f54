package graph

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/schema/jsonl"
)

// Files finds the files of a graph: path itself when it is a file or "-"; in a
// folder, or its sub-folder graph, nodes.jsonl and edges.jsonl (or the files
// *_nodes_<ts>.jsonl and *_edges_<ts>.jsonl of the existing chain, all of them), each
// with or without .gz or .zst. Nodes come first.
func Files(path string) ([]string, error) {
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
	nodes, edges, err := Parts(path)
	return slices.Concat(nodes, edges), err
}

// Parts finds the files of the nodes and of the edges in a folder, or in its
// sub-folder graph. Either may be missing, not both.
func Parts(path string) (nodes, edges []string, err error) {
	for _, dir := range []string{path, filepath.Join(path, "graph")} {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		names, err := jsonl.In(dir, func(name string) bool { return strings.HasSuffix(jsonl.PlainName(name), ".jsonl") })
		if err != nil {
			return nil, nil, err
		}
		for _, name := range names {
			stem := strings.TrimSuffix(jsonl.PlainName(name), ".jsonl")
			switch full := filepath.Join(dir, name); {
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
