package chain

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"

	"membench/cypher"
	"membench/graph"
	"membench/internal/build"
	"membench/schema"
)

// CypherOptions of Cypher.
type CypherOptions struct {
	Shared
	Graph   string `json:"-"` // folder of a graph, or a file or "-" of nodes and edges
	Out     string `json:"-"` // folder, or "-": one script
	Workers int    `json:"-"` // 0: one per processor
	MaxLine int    `json:"-"` // 0: jsonl.MaxLine
	Scope   string `json:"scope,omitempty"`

	Catalogs []string `json:"-"` // that add to the vocabulary of Rules
}

// Cypher writes a graph as Cypher scripts and manifest.json into the folder Out.
func Cypher(ctx context.Context, o CypherOptions) (cypher.Counts, error) {
	if o.Workers < 0 {
		return cypher.Counts{}, schema.Usagef("--workers: have %d, want 0 or more", o.Workers)
	}
	f := o.frame("cypher", graphVersion(o.Graph), o.Out, true)
	defer f.Close()
	if err := build.NotInput(o.Out, o.Graph); err != nil {
		return cypher.Counts{}, err
	}
	o.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	var out [3]*build.Output
	for i, name := range []string{cypher.ConstraintsFile, cypher.NodesFile, cypher.EdgesFile} {
		var err error
		if out[i], err = f.Create(name); err != nil {
			return cypher.Counts{}, err
		}
	}
	counts, err := o.write(ctx, f, cypher.Scripts{Constraints: out[0], Nodes: out[1], Edges: out[2]})
	if err != nil {
		return counts, err
	}
	f.Taken = counts.Nodes + counts.Edges
	if err := rules(ctx, f, []string{o.Graph}, o.Catalogs, o.MaxLine, true); err != nil {
		return counts, err
	}
	m := schema.Manifest{Counts: map[string]int{"nodes": counts.Nodes, "edges": counts.Edges, "statements": counts.Statements}}
	if m.Options, err = schema.NewObject(o); err != nil {
		return counts, err
	}
	_, err = f.Commit(m)
	return counts, err
}

// graphVersion returns the schema version of the graph's manifest, or the newest.
func graphVersion(dir string) schema.Version {
	if m, err := build.ReadManifest(filepath.Join(dir, "manifest.json")); err == nil && m.SchemaVersion != "" {
		return m.SchemaVersion
	}
	return schema.Latest
}

func (o CypherOptions) write(ctx context.Context, f *build.Frame, out cypher.Scripts) (cypher.Counts, error) {
	co := cypher.Options{Workers: o.Workers, MaxLine: o.MaxLine, Scope: o.Scope}
	if info, err := os.Stat(o.Graph); o.Graph == "-" || err == nil && !info.IsDir() {
		in, err := f.Files(ctx, []string{o.Graph})
		if err != nil {
			return cypher.Counts{}, err
		}
		co.Once = true // both kinds may be in it
		return cypher.Write(ctx, in, nil, out, co, f.Found)
	}
	nodes, edges, err := graph.Parts(o.Graph)
	if err != nil {
		return cypher.Counts{}, err
	}
	nf, err := f.Files(ctx, nodes)
	if err != nil {
		return cypher.Counts{}, err
	}
	ef, err := f.Files(ctx, edges)
	if err != nil {
		return cypher.Counts{}, err
	}
	return cypher.Write(ctx, nf, ef, out, co, f.Found)
}
