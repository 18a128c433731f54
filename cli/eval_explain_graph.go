package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"membench/cypher/neo4j/target"
	"membench/eval/explain"
	"membench/graph"
	"membench/internal/atomicfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// remote reports whether a graph is named by the address of a server.
func remote(graph string) bool { return strings.Contains(graph, "://") }

// openGraph opens a graph to read: that of a server for an address (bolt://, neo4j://
// and what comes with them), else a folder or file of elements, which is read whole.
func openGraph(ctx context.Context, e *env, where string, at target.Target, t *tally) (g graph.Graph, done func(), err error) {
	if at.URI = where; remote(where) {
		db, err := at.Open(ctx, e.getenv)
		if err != nil {
			return nil, nil, err
		}
		return db, func() { db.Close(context.WithoutCancel(ctx)) }, nil
	}
	local, err := readGraph(ctx, e, t, where)
	return local, func() {}, err
}

// failureGraph writes failed questions as elements: nodes.jsonl and edges.jsonl in one
// folder, in the order of the run.
type failureGraph struct {
	nodes, edges io.Writer
	failed, at   int // nodes written, and those whose way was found to break
}

// writeFailures runs fill with a failureGraph whose files appear when it has ended
// without an error.
func writeFailures(dir string, fill func(*failureGraph) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, "nodes.jsonl"), func(n io.Writer) error {
		return atomicfile.Write(filepath.Join(dir, "edges.jsonl"), func(d io.Writer) error {
			nodes, edges := bufio.NewWriterSize(n, 1<<16), bufio.NewWriterSize(d, 1<<16)
			err := fill(&failureGraph{nodes: nodes, edges: edges})
			return errors.Join(err, nodes.Flush(), edges.Flush())
		})
	})
}

func (f *failureGraph) walked(w explain.Walk) error {
	node, edges, err := w.Graph()
	if err != nil {
		return err
	}
	if f.failed++; w.At != "" {
		f.at++
	}
	if err := writeElement(f.nodes, schema.Element{Node: &node}); err != nil {
		return err
	}
	for i := range edges {
		if err := writeElement(f.edges, schema.Element{Edge: &edges[i]}); err != nil {
			return err
		}
	}
	return nil
}

func writeElement(w io.Writer, el schema.Element) error {
	_, findings, err := jsonl.Write(w, schema.Latest, func(yield func(schema.Record[schema.Element], error) bool) {
		yield(schema.Record[schema.Element]{V: el}, nil)
	})
	for _, f := range findings {
		err = errors.Join(err, f)
	}
	return err
}
