package neo4j

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"membench/cypher"
	"membench/graph"
	"membench/graph/graphtest"
	"membench/schema"
)

func seq(es ...schema.Element) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		for i, e := range es {
			if !yield(schema.Record[schema.Element]{Pos: schema.Pos{File: "in.jsonl", Line: i + 1}, V: e}, nil) {
				return
			}
		}
	}
}

// collect gathers findings by code.
func collect(into *[]*schema.Finding) func(*schema.Finding) {
	return func(f *schema.Finding) { *into = append(*into, f) }
}

func codes(fs []*schema.Finding) (out []string) {
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return out
}

func load(t *testing.T, db *DB, in schema.Seq[schema.Element], o LoadOptions) (*Report, []*schema.Finding) {
	t.Helper()
	var fs []*schema.Finding
	o.Report = collect(&fs)
	r, err := Load(context.Background(), db, in, o)
	if err != nil {
		t.Fatal(err)
	}
	return r, fs
}

func verify(t *testing.T, db *DB, in schema.Seq[schema.Element]) (*Verified, []*schema.Finding) {
	t.Helper()
	var fs []*schema.Finding
	v, err := Verify(context.Background(), db, in, VerifyOptions{Report: collect(&fs)})
	if err != nil {
		t.Fatal(err)
	}
	return v, fs
}

// small is a graph with the shapes that matter: two labels, parallel edges, a loop,
// ids of the claims graph, nested properties, Chinese.
func small() []schema.Element {
	two := graphtest.Node("topic:周报", "Topic", `{"name":"周报 #1","aliases":["weekly","报告"],"evidence":[{"conv_id":"ch01"}],"rank":null,"tags":[],"confidence":0.86}`)
	two.Node.Labels = []string{"Topic", "Tag"}
	about := graphtest.Edge("ABOUT", "user:a", "topic:周报", `{"confidence":1.0}`)
	about.Edge.ID = "about:user:a:topic:周报"
	return []schema.Element{
		graphtest.Node("user:a", "User", `{"name":"甲","type":"human"}`), graphtest.Node("user:b", "User", `{"n":9007199254740993}`), two,
		graphtest.Edge("KNOWS", "user:a", "user:b", `{"since":1,"props_json":"mine"}`), graphtest.Edge("LIKES", "user:a", "user:b", ""),
		graphtest.Edge("SAME_AS", "topic:周报", "topic:周报", `{"why":{"a":[1,"x",null]}}`), about,
	}
}

func TestLoad(t *testing.T) {
	db := openScope(t, "")
	in := seq(small()...)
	dry, fs := load(t, db, in, LoadOptions{DryRun: true})
	if n, e, err := db.Size(context.Background()); n+e != 0 || err != nil || len(fs) > 0 {
		t.Errorf("a dry run: have %d nodes %d edges %v %v, want nothing", n, e, err, fs)
	}
	r, fs := load(t, db, in, LoadOptions{Batch: 2})
	if len(fs) > 0 || r.Nodes != (Count{Sent: 3, Created: 3}) || r.Edges != (Count{Sent: 4, Created: 4}) || *r.Labels["Tag"] != (Count{Sent: 1, Created: 1}) {
		t.Errorf("first load: have %+v %+v, findings %v", r.Nodes, r.Edges, fs)
	}
	same := *r
	same.DryRun, same.Batches, same.Constraints, same.Server, same.Digest = true, dry.Batches, dry.Constraints, Counters{}, ""
	if !reflect.DeepEqual(*dry, same) {
		t.Errorf("the dry run foretold\n%+v\nthe load did\n%+v", *dry, same)
	}
	if v, fs := verify(t, db, in); !v.Good() || len(fs) > 0 || !reflect.DeepEqual(*v, Verified{Nodes: 3, Edges: 4}) {
		t.Errorf("verify: have %+v %v", v, fs)
	}
	for range 2 {
		r, _ = load(t, db, in, LoadOptions{})
		if r.Changed() || r.Nodes.Unchanged != 3 || r.Edges.Unchanged != 4 || len(r.Constraints) > 0 {
			t.Errorf("again: have %+v %+v, want no change", r.Nodes, r.Edges)
		}
	}
	r, _ = load(t, db, in, LoadOptions{Rewrite: true})
	if r.Nodes.Updated != 3 || r.Edges.Updated != 4 {
		t.Errorf("rewrite: have %+v %+v, want all updated", r.Nodes, r.Edges)
	}
	if v, _ := verify(t, db, in); !v.Good() {
		t.Errorf("after the rewrite: have %+v", v)
	}
}

// What a load wrote is as the documents of the chain say: read it with plain Cypher.
func TestStoredForm(t *testing.T) {
	db := openScope(t, "")
	load(t, db, seq(small()...), LoadOptions{})
	for _, tc := range []struct{ query, want string }{
		{"MATCH (n:Node:User {id: 'user:a'}) RETURN n.name + '/' + n.p_type", "甲/human"},
		{"MATCH (n:Topic:Tag) RETURN n.props_json", `{"evidence":[{"conv_id":"ch01"}]}`},
		{"MATCH (n:Topic) RETURN reduce(s = '', k IN keys(n) | s + (CASE k WHEN 'rank' THEN '!' WHEN 'tags' THEN '!' ELSE '' END))", ""},
		{"MATCH (n:Topic) RETURN toString(n.confidence) + n.aliases[1]", "0.86报告"},
		{"MATCH (:User)-[r:KNOWS]->(:User) RETURN r.id + ' ' + r.type + ' ' + r.src + ' ' + r.dst + ' ' + r.p_props_json", "edge:KNOWS:user:a:user:b KNOWS user:a user:b mine"},
		{"MATCH (n:User {id: 'user:b'}) RETURN toString(n.n)", "9007199254740993"},
		{"MATCH ()-[r:ABOUT]->() RETURN r.id", "about:user:a:topic:周报"},
		{"SHOW CONSTRAINTS YIELD name WHERE name IN ['node_id_unique', 'rel_KNOWS_id_unique'] RETURN toString(count(*))", "2"},
	} {
		err := db.in(context.Background(), false, func(x *tx) error {
			n := 0
			_, err := x.run(tc.query, nil, func(v []any) error {
				n++
				if v[0] != tc.want {
					t.Errorf("%s\nhave %v\nwant %s", tc.query, v[0], tc.want)
				}
				return nil
			})
			if n != 1 {
				t.Errorf("%s: have %d rows, want 1", tc.query, n)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", tc.query, err)
		}
	}
}

// Stale properties and labels go; edges and other nodes stay.
func TestLoadReplaces(t *testing.T) {
	db := open(t)
	load(t, db, seq(small()...), LoadOptions{})
	changed := small()
	changed[0] = graphtest.Node("user:a", "Agent", `{"other":true}`)
	changed[3] = graphtest.Edge("KNOWS", "user:a", "user:b", `{"until":2.5}`)
	moved := graphtest.Edge("LIKES", "user:a", "user:b", "")
	moved.Edge.Dst = "topic:周报"
	changed[4] = moved
	r, _ := load(t, db, seq(changed...), LoadOptions{})
	if r.Nodes.Updated != 1 || r.Nodes.Unchanged != 2 || r.Edges.Updated != 2 || r.Edges.Unchanged != 2 {
		t.Errorf("have %+v %+v, want 1 node and 2 edges updated", r.Nodes, r.Edges)
	}
	if v, fs := verify(t, db, seq(changed...)); !v.Good() || v.Others != 0 {
		t.Errorf("verify: have %+v %v", v, fs)
	}
}

func TestLoadDanglingIsNamed(t *testing.T) {
	db := open(t)
	in := append(small(), graphtest.Edge("KNOWS", "user:a", "user:nobody", ""), graphtest.Edge("KNOWS", "user:nowhere", "user:b", ""))
	for _, o := range []LoadOptions{{DryRun: true}, {}, {}} {
		r, fs := load(t, db, seq(in...), o)
		if !slices.Equal(codes(fs), []string{"GRF031", "GRF031"}) || r.Edges.LeftOut != 2 || r.Edges.Sent != 6 || r.Types["KNOWS"].LeftOut != 2 {
			t.Fatalf("%+v: have %v, %+v", o, fs, r.Edges)
		}
		if have := fs[0].Error(); !strings.HasPrefix(have, "in.jsonl:8: /dst: GRF031: edge edge:KNOWS:user:a:user:nobody ends at a node that is not in the database (have user:nobody)") {
			t.Errorf("have %s", have)
		}
		if fs[1].Pointer != "/src" || fs[1].Have != "user:nowhere" {
			t.Errorf("have %v, want /src", fs[1])
		}
	}
	v, fs := verify(t, db, seq(in...))
	if v.Missing != 2 || !slices.Equal(codes(fs), []string{"GRF040", "GRF040"}) {
		t.Errorf("verify: have %+v %v, want two missing", v, fs)
	}
}

func TestLoadHazards(t *testing.T) {
	long := graphtest.Node("topic:"+strings.Repeat("长", 1400), "Topic", "")
	odd := graphtest.Node("topic:odd", "La`bel\\u0060) DETACH DELETE n //", `{"k\u0060 ey":"v","":1,"big":12345678901234567890,"mixed":[1,"a"],"holes":[1,null],"nums":[1,2.5],"nul":"a\u0000b"}`)
	oddEdge := graphtest.Edge("关系-`x`", "topic:odd", "topic:odd", "")
	none := graphtest.Node("topic:none", "x", "")
	none.Node.Labels = nil
	empty := graphtest.Node("topic:empty", "", "")
	extra := graphtest.Node("topic:extra", "Topic", "")
	extra.Node.Extra = schema.Extra{"note": json.RawMessage(`"kept in files only"`)}
	in := []schema.Element{long, odd, none, empty, {Node: &schema.Node{}}, extra, none, oddEdge, graphtest.Edge("关系-+x+", "topic:odd", "topic:odd", "")}
	for _, prune := range []bool{false, true} {
		db := open(t)
		r, fs := load(t, db, seq(in...), LoadOptions{Prune: prune})
		want := []string{"ID020", "GRF021", "GRF042", "GRF030", "GRF043", "GRF033", "GRF021", "GRF021"}
		if !slices.Equal(codes(fs), want) || r.Nodes.LeftOut != 3 || r.Nodes.Created != 3 || r.Edges.Created != 2 {
			t.Errorf("have %v %+v %+v, want %v", codes(fs), r.Nodes, r.Edges, want)
		}
		if v, fs := verify(t, db, seq(odd, none, extra, oddEdge)); !v.Good() {
			t.Errorf("verify: have %+v %v", v, fs)
		}
		if r, _ := load(t, db, seq(in...), LoadOptions{Prune: prune}); r.Changed() {
			t.Errorf("again: have %+v %+v, want no change", r.Nodes, r.Edges)
		}
	}
}

// A repeated id in another batch of a load into an empty database, with other ends.
func TestLoadRepeatedAcrossBatches(t *testing.T) {
	db := open(t)
	again := graphtest.Edge("KNOWS", "user:a", "user:b", "")
	again.Edge.Dst = "user:a"
	in := append(small(), again)
	load(t, db, seq(in...), LoadOptions{Batch: 1})
	if v, fs := verify(t, db, seq(append(small()[:3], again)...)); !v.Good() || v.Others != 3 {
		t.Errorf("the last counts: have %+v %v", v, fs)
	}
}

func TestPruneAndDelta(t *testing.T) {
	ctx := context.Background()
	old := small()
	target := []schema.Element{graphtest.Node("user:a", "User", `{"name":"乙"}`), graphtest.Node("user:c", "User", ""), graphtest.Edge("KNOWS", "user:a", "user:c", "")}
	sorted := func(es []schema.Element) schema.Seq[schema.Element] { return graph.Sort(seq(es...), graph.Compare) }
	for name, step := range map[string]func(*DB, LoadOptions) (*Report, error){
		"prune": func(db *DB, o LoadOptions) (*Report, error) {
			o.Prune = true
			return Load(ctx, db, seq(target...), o)
		},
		"changes": func(db *DB, o LoadOptions) (*Report, error) {
			return LoadChanges(ctx, db, graph.Diff(sorted(old), sorted(target)), o)
		},
	} {
		for _, batch := range []int{1, 3, 5000} {
			db, beside := open(t), open(t)
			load(t, db, seq(old...), LoadOptions{})
			load(t, beside, seq(old...), LoadOptions{})
			dry, err := step(db, LoadOptions{DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			if v, _ := verify(t, db, seq(old...)); !v.Good() {
				t.Errorf("%s: the dry run wrote: %+v", name, v)
			}
			r, err := step(db, LoadOptions{Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			deleted := r.Nodes.Deleted + r.Edges.Deleted + r.Detached
			if deleted != 2+4 || r.Nodes.Created != 1 || r.Nodes.Updated != 1 || r.Edges.Created != 1 {
				t.Errorf("%s, batch %d: have %+v %+v %d detached", name, batch, r.Nodes, r.Edges, r.Detached)
			}
			if dry.Nodes != r.Nodes || dry.Edges.Created != r.Edges.Created {
				t.Errorf("%s, batch %d: the dry run foretold %+v %+v, have %+v %+v", name, batch, dry.Nodes, dry.Edges, r.Nodes, r.Edges)
			}
			if v, fs := verify(t, db, seq(target...)); !v.Good() || v.Others != 0 {
				t.Errorf("%s, batch %d: verify: have %+v %v", name, batch, v, fs)
			}
			if v, _ := verify(t, beside, seq(old...)); !v.Good() || v.Others != 0 {
				t.Errorf("%s: another scope was touched: %+v", name, v)
			}
			if r, err = step(db, LoadOptions{}); err != nil || r.Changed() {
				t.Errorf("%s again: have %+v %v, want no change", name, r, err)
			}
		}
	}
}

// Somebody's hand in the database is found by verify and mended by a rewrite.
func TestVerifyFindsHandMadeChanges(t *testing.T) {
	ctx := context.Background()
	db := openScope(t, "")
	in := seq(small()...)
	load(t, db, in, LoadOptions{})
	err := db.in(ctx, true, func(x *tx) error {
		if _, err := x.run("MATCH (n:Node {id: 'user:a'}) SET n.name = 'x', n:Extra", nil, nil); err != nil {
			return err
		}
		_, err := x.run("MATCH ()-[r:LIKES]->() DELETE r", nil, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v, fs := verify(t, db, in)
	if v.Different != 1 || v.Missing != 1 || !slices.Equal(codes(fs), []string{"GRF041", "GRF040"}) {
		t.Errorf("have %+v %v", v, fs)
	}
	load(t, db, in, LoadOptions{Rewrite: true})
	if v, fs := verify(t, db, in); !v.Good() {
		t.Errorf("after the rewrite: have %+v %v", v, fs)
	}
}

// Findings of the stream are counted and the rest goes on; other errors end it.
func TestLoadStreamErrors(t *testing.T) {
	db := open(t)
	bad := func(yield func(schema.Record[schema.Element], error) bool) {
		_ = yield(schema.Record[schema.Element]{}, &schema.Finding{Code: "JSON001", Message: "bad"}) &&
			yield(schema.Record[schema.Element]{V: small()[0]}, nil)
	}
	if r, fs := load(t, db, bad, LoadOptions{}); r.Nodes.Created != 1 || !slices.Equal(codes(fs), []string{"JSON001"}) || r.Findings["JSON001"] != 1 {
		t.Errorf("have %+v %v", r.Nodes, fs)
	}
	broken := func(yield func(schema.Record[schema.Element], error) bool) {
		yield(schema.Record[schema.Element]{}, errors.New("disk on fire"))
	}
	if _, err := Load(context.Background(), db, broken, LoadOptions{}); err == nil || err.Error() != "disk on fire" {
		t.Errorf("have %v", err)
	}
}

// The scripts of package cypher, run through the driver, make the graph that Load makes.
func TestScriptsMakeTheSameGraph(t *testing.T) {
	ctx := context.Background()
	odd := graphtest.Node("topic:odd", "La`bel\\u0060) DETACH DELETE n //", `{"k\u0060 ey":"it's \"q\" \\u0027 \n","id":"x","p_id":"y","big":12345678901234567890,"mixed":[1,"a"],"nums":[1,2.5],"f":1e300,"min":-9223372036854775808}`)
	in := append(small(), odd)
	in = append(in[:3], append([]schema.Element{odd}, in[3:len(in)-1]...)...)
	db := openScope(t, "")
	var scripts []cypher.Statement
	for s, err := range cypher.Script(seq(in...), db.scope) {
		var f *schema.Finding
		if errors.As(err, &f) && f.Warning {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, s)
	}
	slices.SortStableFunc(scripts, func(a, b cypher.Statement) int { return strings.Compare(a.File, b.File) })
	for _, s := range scripts {
		if err := db.schemaChange(ctx, strings.TrimRight(s.Text, ";\n ")); err != nil {
			t.Fatalf("%s: %v\n%s", s.File, err, s.Text)
		}
	}
	if v, fs := verify(t, db, seq(in...)); !v.Good() || v.Others != 0 {
		t.Errorf("the graph that the scripts made: have %+v %v", v, fs)
	}
	dump := func() (out []string) {
		err := db.in(ctx, false, func(x *tx) error {
			_, err := x.run("MATCH (n:Node) WITH n, keys(n) AS ks UNWIND ks AS k WITH n, k ORDER BY n.id, k RETURN n.id, labels(n), k, n[k] "+
				"UNION ALL MATCH ()-[n]->() UNWIND keys(n) AS k WITH n, k ORDER BY n.id, k RETURN n.id, [type(n)] AS `labels(n)`, k, n[k]", nil, func(v []any) error {
				out = append(out, fmt.Sprintf("%v", v))
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
	scripted := dump()
	// Over the scripts' graph a load has nothing to write; into an empty database it
	// stores the same values of the same kinds.
	if r, _ := load(t, db, seq(in...), LoadOptions{}); r.Changed() || r.Server != (Counters{}) || r.Digest == "" {
		t.Errorf("a load over the scripts' graph: have %+v %+v", r.Nodes, r.Edges)
	}
	if _, err := db.Empty(ctx, EmptyOptions{}); err != nil {
		t.Fatal(err)
	}
	load(t, db, seq(in...), LoadOptions{})
	if loaded := dump(); !slices.Equal(scripted, loaded) {
		for _, l := range loaded {
			if !slices.Contains(scripted, l) {
				t.Errorf("only by load: %s", l)
			}
		}
		for _, l := range scripted {
			if !slices.Contains(loaded, l) {
				t.Errorf("only by scripts: %s", l)
			}
		}
	}
}

// A constraint name that is taken by something else would make IF NOT EXISTS a no-op.
func TestConstraintNameTaken(t *testing.T) {
	ctx := context.Background()
	db := openScope(t, "")
	if err := db.schemaChange(ctx, "CREATE CONSTRAINT rel_TAKEN_id_unique IF NOT EXISTS FOR (x:Elsewhere) REQUIRE x.a IS UNIQUE"); err != nil {
		t.Fatal(err)
	}
	made, err := db.ensure(ctx, "TAKEN", "A-B", "A_B", "属于", "归属")
	if err != nil || len(made) < 5 || slices.Contains(made, "rel_TAKEN_id_unique") {
		t.Errorf("have %v %v", made, err)
	}
	if again, err := openScope(t, "").ensure(ctx, "TAKEN", "A-B", "A_B", "属于", "归属"); err != nil || len(again) != 0 {
		t.Errorf("again: have %v %v, want none", again, err)
	}
}

// Two loads of one graph at once: the second waits for the first, and leaves the graph.
func TestTwoLoadsAtOnce(t *testing.T) {
	nodes, edges := generated(60)
	forth := seq(append(slices.Clone(nodes), edges...)...)
	slices.Reverse(nodes)
	slices.Reverse(edges)
	back := seq(append(slices.Clone(nodes), edges...)...)
	a := open(t)
	b := openScope(t, a.scope)
	errs := make(chan error, 2)
	for db, in := range map[*DB]schema.Seq[schema.Element]{a: forth, b: back} {
		go func() {
			_, err := Load(context.Background(), db, in, LoadOptions{Batch: 20, Hold: HoldOptions{Wait: time.Minute}})
			errs <- err
		}()
	}
	for range 2 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if v, fs := verify(t, a, forth); !v.Good() || v.Others != 0 {
		t.Errorf("verify: have %+v %v", v, fs)
	}
}

func TestOpenErrors(t *testing.T) {
	ctx := context.Background()
	for _, tc := range []struct {
		c    Config
		want error
	}{
		{Config{URI: ""}, ErrURI},
		{Config{URI: "localhost:7687"}, ErrURI},
		{Config{URI: "http://localhost:7474"}, ErrURI},
		{Config{URI: "bolt://neo4j:secret@localhost"}, ErrURI},
		{Config{URI: "bolt://127.0.0.1:1"}, ErrUnreachable},
	} {
		_, err := Open(ctx, tc.c)
		if !errors.Is(err, tc.want) || strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%s: have %v, want %v", tc.c.URI, err, tc.want)
		}
	}
	_, err := Open(ctx, Config{URI: uri(t), Database: "nosuch"})
	if !errors.Is(err, ErrNoDatabase) {
		t.Errorf("have %v, want %v", err, ErrNoDatabase)
	}
}

// auth is a part of TestServerFaults, whose server wants a password.
func auth(t *testing.T, at, secret string) {
	ctx := context.Background()
	db, err := Open(ctx, Config{URI: at, User: "neo4j", Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	if db.Database() != "neo4j" {
		t.Errorf("home database: have %q, want neo4j", db.Database())
	}
	db.Close(ctx)
	for _, c := range []Config{{URI: at}, {URI: at, User: "neo4j", Password: "wrong-" + secret}, {URI: at, Token: "wrong-" + secret}} {
		_, err := Open(ctx, c)
		if !errors.Is(err, ErrAuth) || strings.Contains(fmt.Sprint(err), secret) || !strings.Contains(fmt.Sprint(err), "NEO4J_PASSWORD") {
			t.Errorf("user %q: have %v, want %v", c.User, err, ErrAuth)
		}
	}
}
