package neo4j

import (
	"context"
	"testing"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

func TestStore(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Store { return open(t) })
}

// The unnamed scope is what load-neo4j writes to: the suite holds there too.
func TestStoreUnnamedScope(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Store { return openScope(t, "") })
}

func TestSearch(t *testing.T) {
	scopes := []string{"search", ""}
	if testing.Short() { // on the newest Neo4j: its indexes, not our scopes
		scopes = scopes[:1]
	}
	for _, scope := range scopes {
		graphtest.RunSearch(t, func(t *testing.T) graphtest.Searchable {
			db := openScope(t, scope)
			if _, err := db.EnsureTextIndex(context.Background()); err != nil {
				t.Fatal(err)
			}
			return db
		})
	}
}

// Two scopes hold the same ids and never see each other.
func TestScopes(t *testing.T) {
	ctx := context.Background()
	a, b := open(t), open(t)
	put := graph.Changes(graphtest.Put(graphtest.Node("user:a", "User", `{"scope":"mine"}`)), graphtest.Put(graphtest.Edge("KNOWS", "user:a", "user:a", "")))
	for _, db := range []*DB{a, b} {
		have, err := db.Apply(ctx, put)
		if err != nil || have.Nodes != 1 || have.Edges != 1 {
			t.Fatalf("apply: have %+v %v, want one node and one edge", have, err)
		}
	}
	if e, err := a.Empty(ctx, EmptyOptions{}); e.Nodes != 1 || err != nil {
		t.Errorf("clear: have %d %v, want 1", e.Nodes, err)
	}
	if n, _, err := a.Size(ctx); n != 0 || err != nil {
		t.Errorf("the cleared scope: have %d nodes, %v", n, err)
	}
	n, ok, err := b.Node(ctx, "user:a")
	if !ok || err != nil || n.Props.Text("scope") != "mine" {
		t.Errorf("the other scope: have %+v %v %v", n, ok, err)
	}
	if have, err := b.Apply(ctx, put); err != nil || have.Unchanged != 2 {
		t.Errorf("again: have %+v %v, want 2 unchanged", have, err)
	}
}

// An edge id that comes back under another type replaces the edge, whatever its id looks like.
func TestEdgeChangesType(t *testing.T) {
	ctx := context.Background()
	db := open(t)
	edge := func(typ string) schema.Change {
		e := graphtest.Edge(typ, "user:a", "user:b", "")
		e.Edge.ID = "about:x"
		return graphtest.Put(e)
	}
	_, err := db.Apply(ctx, graph.Changes(graphtest.Put(graphtest.Node("user:a", "User", "")), graphtest.Put(graphtest.Node("user:b", "User", "")), edge("OLD")))
	if err != nil {
		t.Fatal(err)
	}
	have, err := db.Apply(ctx, graph.Changes(edge("NEW")))
	if err != nil || have.Edges != 1 || have.Deleted != 0 {
		t.Errorf("apply: have %+v %v, want one edge", have, err)
	}
	for e, err := range db.Neighbors(ctx, "user:a", graph.Both, graph.Filter{}) {
		if err != nil || e.Type != "NEW" {
			t.Errorf("have %+v %v, want type NEW only", e, err)
		}
	}
}
