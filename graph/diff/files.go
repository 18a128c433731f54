package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"membench/graph"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Elements are the records of a graph's files in the order of graph.Compare. Files that
// have another order are sorted in memory. Reading ends when ctx does.
func Elements(ctx context.Context, files []string, stdin io.Reader) (schema.Seq[schema.Element], error) {
	return sorted(ctx, files, stdin, nodeEdgeKey, graph.Compare)
}

func sorted[T any](ctx context.Context, files []string, stdin io.Reader, key func([]byte) []string, compare func(a, b T) int) (schema.Seq[T], error) {
	in := jsonl.Until(ctx, jsonl.Files[T](files, stdin))
	if ok, err := inOrder(files, key); ok || err != nil {
		return in, err
	}
	return graph.Sort(in, compare), nil
}

// diffFiles finds the files of one side in the order in which they are compared, and
// what they hold: elements, statements, or "" when no record says.
func diffFiles(path string) (files []string, kind string, err error) {
	if path == "-" {
		return []string{path}, "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	if info.IsDir() {
		if files, err := graph.Files(path); err == nil {
			return files, "elements", nil
		}
		for _, dir := range []string{path, filepath.Join(path, "compiled"), filepath.Join(path, "claims")} {
			if files := claimFilesIn(dir); len(files) > 0 {
				return files, "statements", nil
			}
		}
		return nil, "", fmt.Errorf("%s: have neither a graph (nodes.jsonl, edges.jsonl) nor claims (entities.jsonl, claims.jsonl, or one file a conversation)", path)
	}
	r, err := jsonl.Open(path, nil)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	for line, err := range jsonl.Lines(r, path, 0) {
		if err != nil {
			return nil, "", err
		}
		var o schema.Object
		if codec.Unmarshal(line.Bytes, &o) != nil {
			continue
		}
		kind = "elements"
		if _, ok := o.Get("record_type"); ok {
			kind = "statements"
		}
		break
	}
	return []string{path}, kind, nil
}

// claimFilesIn lists entities.jsonl and claims.jsonl, else every JSONL file of the folder.
func claimFilesIn(dir string) []string {
	all, err := build.InputFiles([]string{dir}, ".jsonl")
	if err != nil {
		return nil
	}
	var compiled []string
	for _, name := range []string{"entities.jsonl", "claims.jsonl"} {
		for _, f := range all {
			if jsonl.PlainName(filepath.Base(f)) == name {
				compiled = append(compiled, f)
			}
		}
	}
	if len(compiled) > 0 {
		return compiled
	}
	return all
}

// inOrder reads only the keys of the records: standard input and a file that is out
// of order are to be sorted.
func inOrder(files []string, key func(line []byte) []string) (bool, error) {
	var last []string
	for _, name := range files {
		if name == "-" {
			return false, nil
		}
		r, err := jsonl.Open(name, nil)
		if err != nil {
			return false, err
		}
		sorted := true
		for line, err := range jsonl.Lines(r, name, 0) {
			if err != nil {
				r.Close()
				return false, err
			}
			if line.TooLong {
				continue
			}
			k := key(line.Bytes)
			if k == nil {
				continue
			}
			if slices.Compare(last, k) > 0 {
				sorted = false
				break
			}
			last = k
		}
		if err := errors.Join(r.Close()); err != nil {
			return false, err
		}
		if !sorted {
			return false, nil
		}
	}
	return true, nil
}

// nodeEdgeKey and statementKey give the parts of graph.Compare and
// graph.CompareStatements; nil for a line that is not an object, which the diff reports.
func nodeEdgeKey(line []byte) []string {
	if !codec.Valid(line) {
		return nil
	}
	var id string
	rank := "0"
	for k, v := range codec.Members(line) {
		switch k {
		case "id":
			id = codec.Unquote(v)
		case "src", "dst", "type":
			rank = "1"
		}
	}
	if id == "" {
		return nil
	}
	return []string{rank, id}
}

func statementKey(line []byte) []string {
	if !codec.Valid(line) {
		return nil
	}
	m := map[string]string{}
	for k, v := range codec.Members(line) {
		switch k {
		case "record_type", "entity_type", "entity_id", "domain", "predicate", "claim_id":
			m[k] = codec.Unquote(v)
		}
	}
	switch m["record_type"] {
	case "entity":
		return []string{"0", m["entity_type"], m["entity_id"]}
	case "claim":
		return []string{"1", m["domain"], m["predicate"], m["claim_id"]}
	}
	return nil
}
