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
	c := verb("cypher GRAPH_DIR|FILE -o CYPHER_DIR", "Write a graph as Cypher scripts", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
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
	})
	c.Long = fmt.Sprint(cypher.BatchRows)
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "`folder` for the scripts, or - for standard output (required)")
	f.IntVar(&o.Workers, "workers", 0, "`n` workers; 0 is one per processor")
	f.Var(&maxLine, "max-line", "`size` of the longest line that is read")
	f.StringVar(&o.Scope, "scope", "", "`name` of this graph among several in one database")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	flags.add(c, 100)
	return c
}
