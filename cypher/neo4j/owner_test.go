package neo4j

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

// Nodes of another program, some labelled and keyed like ours, are the same after every
// command that deletes.
func TestForeignNodesStay(t *testing.T) {
	ctx := context.Background()
	for _, scope := range []string{"", "ours"} {
		db := openScope(t, scope)
		foreign := []string{
			`CREATE (:Node {id: 'server-1', name: 'db'})-[:RUNS {id: 'r1'}]->(:Node {id: 'server-2'})`,
			`CREATE (:Host {id: 'host-1'})-[:IN]->(:Node:Rack {id: 'rack-1', scope: 'datacentre'})`,
		}
		for _, text := range foreign {
			if err := db.in(ctx, true, func(x *tx) error { _, err := x.run(text, nil, nil); return err }); err != nil {
				t.Fatal(err)
			}
		}
		dump := func() (out []string) {
			err := db.in(ctx, false, func(x *tx) error {
				out = nil
				_, err := x.run("MATCH (n) WHERE n.id IN ['server-1', 'server-2', 'host-1', 'rack-1'] OPTIONAL MATCH (n)-[r]->(m) RETURN labels(n), properties(n), type(r), properties(r), m.id", nil, func(v []any) error {
					out = append(out, fmt.Sprint(v...))
					return nil
				})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(out)
			return out
		}
		before := dump()
		if len(before) != 4 {
			t.Fatalf("%d foreign rows, want 4", len(before))
		}
		same := func(step string) {
			t.Helper()
			if after := dump(); !slices.Equal(before, after) {
				t.Errorf("scope %q, after %s:\n%s\nwant\n%s", scope, step, strings.Join(after, "\n"), strings.Join(before, "\n"))
			}
		}
		load(t, db, seq(small()...), LoadOptions{})
		same("load")
		load(t, db, seq(graphtest.Node("user:z", "User", "")), LoadOptions{Prune: true})
		same("prune")
		sorted := func(es []schema.Element) schema.Seq[schema.Element] { return graph.Sort(seq(es...), graph.Compare) }
		if _, err := LoadChanges(ctx, db, graph.Diff(sorted([]schema.Element{graphtest.Node("user:z", "User", "")}), sorted(small())), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		same("changes")
		load(t, db, seq(small()...), LoadOptions{Rewrite: true, Prune: true})
		same("repair")
		if _, err := db.Empty(ctx, EmptyOptions{}); err != nil {
			t.Fatal(err)
		}
		same("clear")
		if scopes, err := db.Scopes(ctx); err != nil || slices.ContainsFunc(scopes, func(s ScopeSize) bool { return s.Scope == scope || s.Scope == "datacentre" }) {
			t.Errorf("scopes after clear: %v %v", scopes, err)
		}
		if err := db.in(ctx, true, func(x *tx) error {
			_, err := x.run("MATCH (n) WHERE n.id IN ['server-1', 'server-2', 'host-1', 'rack-1'] DETACH DELETE n", nil, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}
