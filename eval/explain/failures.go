package explain

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"

	"membench/internal/atomicfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// Failures writes failed questions as elements of the graph that they were walked in: nodes.jsonl
// and edges.jsonl in one folder, in the order of the run.
type Failures struct {
	Failed int // nodes written
	Broken int // of them those whose way was found to break

	nodes, edges io.Writer
}

// WriteFailures runs fill, which adds the failures, and puts the files into dir when it has
// ended without an error.
func WriteFailures(dir string, fill func(*Failures) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, "nodes.jsonl"), func(n io.Writer) error {
		return atomicfile.Write(filepath.Join(dir, "edges.jsonl"), func(d io.Writer) error {
			nodes, edges := bufio.NewWriterSize(n, 1<<16), bufio.NewWriterSize(d, 1<<16)
			return errors.Join(fill(&Failures{nodes: nodes, edges: edges}), nodes.Flush(), edges.Flush())
		})
	})
}

// Add adds a failed question; it can be used as Options.Walked.
func (f *Failures) Add(w Walk) error {
	node, edges, err := w.Graph()
	if err != nil {
		return err
	}
	if f.Failed++; w.At != "" {
		f.Broken++
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
	_, findings, err := jsonl.Write(w, schema.Latest, schema.List(el))
	for _, f := range findings {
		err = errors.Join(err, f)
	}
	return err
}
