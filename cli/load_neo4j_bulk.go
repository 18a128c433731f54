package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"membench/chain"

	"github.com/spf13/cobra"
)

// bulkNeo4j checks the command line of --bulk and runs it.
func bulkNeo4j(c *cobra.Command, e *env, o loadNeo4jOptions) error {
	for _, name := range []string{"uri", "delta", "changes", "dry-run", "verify", "repair", "rewrite", "embed", "batch", "sessions", "index"} {
		if c.Flags().Changed(name) {
			return usagef("--bulk does not connect to a server: --%s cannot be combined with it", name)
		}
	}
	if o.Graph == "-" {
		return usagef("--bulk reads the graph twice: give a folder, not standard input")
	}
	o.Target.Database = cmp.Or(o.Target.Database, "neo4j")
	return runBulkNeo4j(c.Context(), e, o)
}

// runBulkNeo4j fills a stopped database and prints its content.
func runBulkNeo4j(ctx context.Context, e *env, o loadNeo4jOptions) error {
	started := e.now()
	return o.run(e, func(with chain.Shared) error {
		rep, err := chain.LoadBulk(ctx, chain.BulkOptions{Shared: with, Graph: o.Graph, Catalogs: o.Catalogs, Home: o.home, Database: o.Target.Database, Scope: o.Target.Scope, Overwrite: o.overwrite, Getenv: e.getenv})
		if !wrote(err) {
			return err
		}
		if failed := e.show(rep, func(w io.Writer) {
			fmt.Fprintf(w, "%d nodes and %d edges imported into %s, %d skipped\n", rep.Nodes, rep.Edges, rep.Database, rep.LeftOut)
		}); failed != nil {
			return failed
		}
		took := e.now().Sub(started)
		e.warnf("load-neo4j: %d elements in %.1f s; next: start the server and run 'membench load-neo4j %s', which makes constraints and index", rep.Nodes+rep.Edges, took.Seconds(), o.Graph)
		return err
	})
}
