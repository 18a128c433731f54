package cli

import (
	"context"
	"strings"

	"membench/cypher/neo4j/target"
	"membench/graph"
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
