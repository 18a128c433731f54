package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"membench/cypher"
	"membench/cypher/neo4j/target"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type cypherOptions struct {
	in      string
	out     string
	workers int
	maxLine byteSize
	strict  bool
	limit   int
	scope   string
}

func newCypherCmd(e *env) *cobra.Command {
	o := cypherOptions{maxLine: jsonl.MaxLine}
	c := &cobra.Command{
		Use:   "cypher GRAPH_DIR -o CYPHER_DIR",
		Short: "Write a graph as Cypher scripts",
		Long: `Write a graph as Cypher scripts: 01-constraints.cypher, 02-nodes.cypher and
03-edges.cypher, to be run in the order of their names, and manifest.json. Rows go in batches
of at most ` + fmt.Sprint(cypher.BatchRows) + ` (UNWIND, MERGE by id), so running them again changes nothing.

GRAPH_DIR holds nodes.jsonl and edges.jsonl, plain, .gz or .zst; the file names of the existing
chain (*_nodes_<time>.jsonl, *_edges_<time>.jsonl) are read, too, all that are there. "-" reads
nodes and edges from standard input. "-o -" writes one script to standard output. --scope names
the graph, so that it stands beside others in one database, as in load-neo4j.

load-neo4j does the same over the network, with row counts and a comparison at the end.`,
		Example: `  membench cypher graph/ -o cypher/
  cat cypher/*.cypher | cypher-shell -u neo4j
  membench cypher graph/ -o - | cypher-shell -u neo4j`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.in = args[0]
			return runCypher(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "`folder` for the scripts, or - for standard output (required)")
	f.IntVar(&o.workers, "workers", 0, "`n` workers; 0 is one per processor")
	f.Var(&o.maxLine, "max-line", "`size` of the longest line that is read")
	f.StringVar(&o.scope, "scope", "", "`name` of this graph among several in one database")
	f.BoolVar(&o.strict, "strict", false, "exit 3 and write nothing when the data has errors")
	f.IntVar(&o.limit, "limit", 100, "print at most `n` findings; 0 prints all")
	return c
}

func runCypher(ctx context.Context, e *env, o cypherOptions) error {
	switch {
	case o.out == "":
		return usagef("no output: give -o CYPHER_DIR")
	case o.workers < 0:
		return usagef("--workers: have %d, want 0 or more", o.workers)
	}
	if err := target.CheckScope(o.scope); err != nil {
		return err
	}
	if err := notInput(o.out, o.in); err != nil {
		return err
	}
	if o.workers == 0 {
		o.workers = runtime.GOMAXPROCS(0)
	}
	dir := o.out
	if o.out == "-" {
		tmp, err := os.MkdirTemp(e.getenv("TMPDIR"), "membench-cypher-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	var files []*digestFile
	for _, name := range []string{cypher.ConstraintsFile, cypher.NodesFile, cypher.EdgesFile} {
		f, err := newDigestFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		defer f.Close()
		files = append(files, f)
	}
	if o.out == "-" {
		os.RemoveAll(dir) // open files stay; where they keep their names, the one above does it
	}
	t := newTally(e, o.limit)
	defer bulkMemory(e)()
	ds := digests{stdin: e.in}
	counts, err := writeCypher(ctx, &ds, o, cypher.Scripts{Constraints: files[0], Nodes: files[1], Edges: files[2]}, func(f *schema.Finding) { t.take(f) })
	if err != nil {
		return err
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	if o.out == "-" {
		for _, f := range files {
			if _, err := f.f.Seek(0, io.SeekStart); err != nil {
				return err
			}
			if _, err := io.Copy(e.out, f.f.File); err != nil {
				return err
			}
		}
		return nil
	}
	m := schema.Manifest{SchemaVersion: graphVersion(o.in), Step: "cypher", StepVersion: 1, Membench: release, Findings: t.byCode, Inputs: ds.list(cmp.Or(e.final, o.out)),
		Counts: map[string]int{"nodes": counts.Nodes, "edges": counts.Edges, "statements": counts.Statements}}
	if m.Options, err = schema.NewObject(struct {
		Scope string `json:"scope,omitempty"`
	}{o.scope}); err != nil {
		return err
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	for _, f := range files {
		m.Outputs = append(m.Outputs, f.sum(filepath.Base(f.path)))
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	if err := build.WriteManifest(filepath.Join(o.out, "manifest.json"), m); err != nil {
		return err
	}
	e.warnf("%d nodes and %d edges in %d statements in %s; next: cat %s | cypher-shell", counts.Nodes, counts.Edges, counts.Statements, o.out, filepath.Join(o.out, "*.cypher"))
	return nil
}

// graphVersion is the schema version that the graph's manifest states, else the newest.
func graphVersion(dir string) schema.Version {
	if m, err := build.ReadManifest(filepath.Join(dir, "manifest.json")); err == nil && m.SchemaVersion != "" {
		return m.SchemaVersion
	}
	return schema.Latest
}

func writeCypher(ctx context.Context, ds *digests, o cypherOptions, out cypher.Scripts, report func(*schema.Finding)) (cypher.Counts, error) {
	co := cypher.Options{Workers: o.workers, MaxLine: int(o.maxLine), Scope: o.scope}
	if o.in != "-" {
		nodes, edges, err := graphParts(o.in)
		if err != nil {
			return cypher.Counts{}, err
		}
		nf, err := ds.files(nodes)
		if err != nil {
			return cypher.Counts{}, err
		}
		ef, err := ds.files(edges)
		if err != nil {
			return cypher.Counts{}, err
		}
		return cypher.Write(ctx, nf, ef, out, co, report)
	}
	in, err := ds.files([]string{"-"})
	if err != nil {
		return cypher.Counts{}, err
	}
	co.Once = true
	return cypher.Write(ctx, in, nil, out, co, report)
}
