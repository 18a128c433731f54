package cli

import (
	"fmt"
	"path/filepath"

	"membench/chain"
	"membench/cypher"
	"membench/cypher/neo4j/target"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newCypherCmd(e *env) *cobra.Command {
	var o chain.CypherOptions
	maxLine := byteSize(jsonl.MaxLine)
	var flags stepFlags
	c := &cobra.Command{
		Use:   "cypher GRAPH_DIR|FILE -o CYPHER_DIR",
		Short: "Write a graph as Cypher scripts",
		Long: `Write a graph as Cypher scripts: 01-constraints.cypher, 02-nodes.cypher and
03-edges.cypher, to be run in the order of their names, and manifest.json. Rows go in batches
of at most ` + fmt.Sprint(cypher.BatchRows) + ` (UNWIND, MERGE by id), so running them again changes nothing.

GRAPH_DIR holds nodes.jsonl and edges.jsonl, plain, .gz or .zst; the file names of the existing
chain (*_nodes_<time>.jsonl, *_edges_<time>.jsonl) are read, too, all that are there. A file, or
"-" for standard input, holds nodes and edges. "-o -" writes one script to standard output. --scope names
the graph, so that one database can hold several, as in load-neo4j.

load-neo4j does the same over the network, with row counts and a comparison at the end.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.Graph = args[0]; o.Out == "" {
				return usagef("no output: give -o CYPHER_DIR")
			}
			if err := target.CheckScope(o.Scope); err != nil {
				return err
			}
			o.MaxLine = int(maxLine)
			defer bulkMemory(e)()
			return flags.run(e, func(with chain.Shared) error {
				o.Shared = with
				n, err := chain.Cypher(c.Context(), o)
				if wrote(err) && o.Out != "-" {
					e.warnf("%d nodes and %d edges in %d statements in %s; next: cat %s | cypher-shell", n.Nodes, n.Edges, n.Statements, o.Out, filepath.Join(o.Out, "*.cypher"))
				}
				return err
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "`folder` for the scripts, or - for standard output (required)")
	f.IntVar(&o.Workers, "workers", 0, "`n` workers; 0 is one per processor")
	f.Var(&maxLine, "max-line", "`size` of the longest line that is read")
	f.StringVar(&o.Scope, "scope", "", "`name` of this graph among several in one database")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	flags.add(c, 100)
	return c
}
