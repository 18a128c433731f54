package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

func run(t *testing.T, db *DB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err := db.schemaChange(context.Background(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// dumped is what a query with the columns labels or type, properties, and more finds.
func dumped(t *testing.T, db *DB, query string) (out []string) {
	t.Helper()
	err := db.in(context.Background(), false, func(x *tx) error {
		out = nil
		_, err := x.run(query, nil, func(v []any) error {
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

// 10,000 nodes of other programs, some labelled and keyed like ours, one with an id of
// ours, are byte for byte the same after every command.
func TestForeignNodesStay(t *testing.T) {
	ctx := context.Background()
	for scope, n := range map[string]int{"": 1000, "ours": 100} {
		db := openScope(t, scope)
		run(t, db, fmt.Sprintf(`UNWIND range(1, %d) AS i CREATE (a:Foreign:Host {id: 'host-' + i, n: i, at: datetime()})-[:IN {id: 'r' + i}]->(:Foreign:Node {id: 'server-' + i, scope: '', name: 'db', big: [i, i + 1]})`, 4*n),
			fmt.Sprintf(`UNWIND range(1, %d) AS i CREATE (:Foreign:Node:Rack {id: 'rack-' + i, scope: 'datacentre', type: 'x'})`, 2*n-1),
			`CREATE (:Foreign:Node:User {id: '`+db.key("user:a")+`', name: 'taken'})`)
		const all = "MATCH (n:Foreign) OPTIONAL MATCH (n)-[r]-(m) RETURN elementId(n), labels(n), properties(n), elementId(r), type(r), properties(r), m.id"
		before := dumped(t, db, all)
		if len(before) != 10*n {
			t.Fatalf("%d foreign rows, want %d", len(before), 10*n)
		}
		same := func(step string) {
			t.Helper()
			if after := dumped(t, db, all); !slices.Equal(before, after) {
				t.Errorf("scope %q, after %s: %d rows, want %d, and the same", scope, step, len(after), len(before))
			}
		}
		_, fs := load(t, db, seq(small()...), LoadOptions{})
		if have := codes(fs); !slices.Equal(have, []string{"GRF044", "GRF031", "GRF031", "GRF031"}) || !strings.Contains(fs[0].Error(), "did not write") {
			t.Errorf("an id of another program's: have %v", fs)
		}
		same("load")
		load(t, db, seq(graphtest.Node("user:z", "User", "")), LoadOptions{Prune: true})
		same("prune")
		sorted := func(es []schema.Element) schema.Seq[schema.Element] { return graph.Sort(seq(es...), graph.Compare) }
		if _, err := LoadChanges(ctx, db, graph.Diff(sorted([]schema.Element{graphtest.Node("user:z", "User", "")}), sorted(small()[1:3])), LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		same("changes")
		if _, err := Verify(ctx, db, seq(small()...), VerifyOptions{Repair: true}); err != nil {
			t.Fatal(err)
		}
		same("repair")
		if _, err := db.Apply(ctx, graph.Changes(graphtest.Put(small()[0]))); err == nil || !strings.Contains(err.Error(), "GRF044") {
			t.Errorf("a change of another program's node: have %v", err)
		}
		if _, err := db.Empty(ctx, EmptyOptions{}); err != nil {
			t.Fatal(err)
		}
		same("clear")
		if scopes, err := db.Scopes(ctx); err != nil || slices.ContainsFunc(scopes, func(s ScopeSize) bool { return s.Scope == scope || s.Scope == "datacentre" }) {
			t.Errorf("scopes after clear: %v %v", scopes, err)
		}
		run(t, db, "MATCH (n:Foreign) DETACH DELETE n")
	}
}

// What others add to our elements stays through loads that change them, what an earlier
// load stored goes; exact takes all of it away.
func TestWhatOthersAddStays(t *testing.T) {
	ctx := context.Background()
	db := openScope(t, "")
	load(t, db, seq(small()...), LoadOptions{})
	run(t, db, "MATCH (n:Node {id: 'user:a'}) SET n:Reviewed:Ours, n.score = 0.5, n.seen = date('2026-01-01')",
		"MATCH ()-[r:KNOWS]->() SET r.weight = 3",
		"MATCH (a:Node {id: 'user:a'}), (b:Node {id: 'user:b'}) CREATE (a)-[:FOLLOWS {id: 'f1'}]->(b)")
	changed := small()
	changed[0] = graphtest.Node("user:a", "Agent", `{"name":"甲"}`) // label User and member type go
	changed[3] = graphtest.Edge("KNOWS", "user:a", "user:b", `{"since":2}`)
	load(t, db, seq(changed...), LoadOptions{})
	shown := func() []string {
		return dumped(t, db, "MATCH (n:Node {id: 'user:a'})-[r:KNOWS]->() UNWIND labels(n) + [k IN keys(n) | 'n.' + k] + [k IN keys(r) | 'r.' + k] AS x RETURN x")
	}
	want := []string{"Agent", "Node", "Ours", "Reviewed", "n._hash", "n.id", "n.name", "n.scope", "n.score", "n.seen", "r._hash", "r.dst", "r.id", "r.p_props_json", "r.scope", "r.since", "r.src", "r.type", "r.weight"}
	want = slices.DeleteFunc(want, func(s string) bool { return s == "r.p_props_json" }) // of the record before
	if have := shown(); !slices.Equal(have, want) {
		t.Errorf("after a load that changes them:\nhave %v\nwant %v", have, want)
	}
	v, fs := verify(t, db, seq(changed...))
	if !v.Good() || v.Added != 2 || v.Foreign["FOLLOWS"] != 1 || v.Others != 0 {
		t.Errorf("verify: have %+v %v", v, fs)
	}
	if v, err := Verify(ctx, db, seq(changed...), VerifyOptions{Exact: true}); err != nil || v.Different != 2 {
		t.Errorf("exactly: have %+v %v, want 2 different", v, err)
	}
	load(t, db, seq(changed...), LoadOptions{Prune: true, Exact: true})
	want = slices.DeleteFunc(want, func(s string) bool {
		return slices.Contains([]string{"Ours", "Reviewed", "n.score", "n.seen", "r.weight"}, s)
	})
	if have := shown(); !slices.Equal(have, want) {
		t.Errorf("after an exact load:\nhave %v\nwant %v", have, want)
	}
	if r, _ := load(t, db, seq(changed...), LoadOptions{Exact: true}); r.Changed() {
		t.Errorf("again: have %+v %+v, want no change", r.Nodes, r.Edges)
	}
	if n := len(dumped(t, db, "MATCH ()-[r:FOLLOWS]->() RETURN r.id")); n != 1 {
		t.Errorf("%d relationships of others, want 1", n)
	}
}

// A graph that a load stored before elements of the unnamed graph had a scope gets one.
func TestScopeIsAdded(t *testing.T) {
	db := openScope(t, "")
	load(t, db, seq(small()...), LoadOptions{})
	run(t, db, "MATCH (n:Node {scope: ''}) REMOVE n.scope", "MATCH ()-[r {scope: ''}]->() REMOVE r.scope")
	r, fs := load(t, db, seq(small()...), LoadOptions{})
	if r.Nodes.Updated != 3 || r.Edges.Updated != 4 || len(fs) > 0 || r.Digest == "" {
		t.Errorf("have %+v %+v %v", r.Nodes, r.Edges, fs)
	}
	wholeGraph(t, db, seq(small()...))
}

// A dry run names what would be deleted.
func TestDeletesAreNamed(t *testing.T) {
	db := open(t)
	load(t, db, seq(small()...), LoadOptions{})
	r, _ := load(t, db, seq(small()[:2]...), LoadOptions{Prune: true, DryRun: true})
	slices.Sort(r.Deletes)
	if want := []string{"edge about:user:a:topic:周报", "edge edge:KNOWS:user:a:user:b", "edge edge:LIKES:user:a:user:b", "edge edge:SAME_AS:topic:周报:topic:周报", "node topic:周报"}; !slices.Equal(r.Deletes, want) {
		t.Errorf("have %v, want %v", r.Deletes, want)
	}
	if r, _ = load(t, db, seq(small()[:2]...), LoadOptions{Prune: true}); len(r.Deletes) > 0 || r.Edges.Deleted+r.Nodes.Deleted != 5 {
		t.Errorf("the load: have %+v %+v %v", r.Nodes, r.Edges, r.Deletes)
	}
}

// A constraint that ids of other programs prevent names them.
func TestDuplicatesAreNamed(t *testing.T) {
	db := openScope(t, "")
	run(t, db, "UNWIND [1, 1, 2] AS i CREATE (:Twin {id: 'x'})-[:TWINS {id: 'same-' + i}]->(:Twin)")
	defer run(t, db, "MATCH (n:Twin) DETACH DELETE n")
	_, err := db.ensure(context.Background(), "TWINS")
	if !errors.Is(err, ErrDuplicates) || !strings.Contains(err.Error(), `"same-1" (2 times, 2 of them not by membench)`) || strings.Contains(err.Error(), "same-2") {
		t.Errorf("have %v", err)
	}
}
