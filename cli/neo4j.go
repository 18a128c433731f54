package cli

import (
	"membench/cypher/neo4j/target"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newNeo4jCmd(e *env) *cobra.Command {
	return parent("neo4j", "Start, look at, describe and empty a Neo4j", newNeo4jUpCmd(e), newNeo4jDownCmd(e), newNeo4jStatusCmd(e), newNeo4jFetchCmd(e),
		newNeo4jBrowserCmd(e), newNeo4jSchemaCmd(e), newNeo4jClearCmd(e))
}

// addTarget adds the flags of a server and a graph in it.
func addTarget(fs *pflag.FlagSet, t *target.Target) {
	addHome(fs, &t.Home)
	fs.StringVar(&t.URI, "uri", "", "`address` of the server's Bolt port (default NEO4J_URI, otherwise the server of --home, otherwise bolt://localhost:7687)")
	fs.StringVar(&t.Database, "database", "", "`name` of the database (default the user's home database)")
	fs.StringVar(&t.Scope, "scope", "", "`name` of the graph, where a database holds several")
}

// addHome adds --home, the folder of a local server.
func addHome(fs *pflag.FlagSet, home *string) {
	fs.StringVar(home, "home", "", "`folder` of the server that 'up' starts (default MEMBENCH_NEO4J_HOME, otherwise "+neo4jHomeDoc+")")
}

const neo4jHomeDoc = "~/.local/share/membench/neo4j"
