package graphmem_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/cypher/neo4j"
	"membench/cypher/neo4j/server"
	"membench/graph"
	"membench/internal/exttest"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
)

// The fixture is one server for the whole test binary, started by the first test that
// asks for it.
var fixture struct {
	once sync.Once
	srv  *server.Server
	home string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if fixture.srv != nil {
		if err := fixture.srv.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping neo4j:", err)
			code = 1
		}
	}
	if fixture.home != "" {
		os.RemoveAll(fixture.home)
	}
	os.Exit(code)
}

func open(t testing.TB, scope string) *neo4j.DB {
	t.Helper()
	exttest.Need(t, "java", exttest.Neo4jLib())
	ctx := context.Background()
	fixture.once.Do(func() {
		if fixture.home, fixture.err = os.MkdirTemp("", "membench-graphmem-"); fixture.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
		defer cancel()
		c := server.Config{Lib: exttest.Neo4jLib(), Home: fixture.home, Bound: true}
		if *cost > 0 { // a measurement: as large as a server of one's own
			c.HeapMB, c.PageCacheMB = 1024, 512
		}
		fixture.srv, fixture.err = server.Start(ctx, c)
	})
	if fixture.err != nil {
		t.Fatal(fixture.err)
	}
	db, err := neo4j.Open(ctx, neo4j.Config{URI: fixture.srv.URI, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(ctx) })
	return db
}

var systems atomic.Int64

// inNeo4j is the system with its graphs in the fixture; no two share a scope.
func inNeo4j(t testing.TB, d memory.Deps) memory.System {
	n := systems.Add(1)
	return graphmem.NewIn(d, graphmem.Defaults(), func(ctx context.Context, ns memory.Namespace, _ bool) (graph.Store, func() error, error) {
		db := open(t, fmt.Sprintf("s%d/%s/%s", n, ns.Run, ns.Scope))
		_, err := db.Empty(ctx, neo4j.EmptyOptions{})
		return db, nil, err
	})
}

// TestNeo4j: a graph memory that lives in a server passes the suite of the contract.
func TestNeo4jContract(t *testing.T) {
	memorytest.RunWith(t, memorytest.Options{Open: func(t *testing.T, d memory.Deps) memory.System { return inNeo4j(t, d) }})
}

var talk = []memory.Batch{
	memorytest.Batch("c1",
		turn(1, "user", "Lin", "2026-03-01T09:00:00Z", "I love oolong tea, I drink it every night."),
		turn(2, "assistant", "Bo", "2026-03-01T09:01:00Z", "Which book are you reading?"),
		turn(3, "user", "Lin", "2026-03-01T09:02:00Z", "我在读《呼兰河传》，最喜欢的作家是萧红。")),
	memorytest.Batch("c1",
		turn(4, "assistant", "Bo", "2026-03-20T09:00:00Z", "Still drinking tea at night?"),
		turn(5, "user", "Lin", "2026-03-20T09:01:00Z", "No. I no longer like oolong tea."),
		turn(6, "user", "Lin", "2026-03-20T09:02:00Z", "我搬到杭州了，每天跑步。")),
	memorytest.Batch("c1",
		turn(7, "user", "Lin", "2026-04-02T09:00:00Z", "I love oolong tea again, to be honest."),
		turn(8, "assistant", "Bo", "2026-04-02T09:01:00Z", "哈哈，那我给你寄一点。")),
}

func turn(n int, role, name, at, text string) schema.Turn {
	t := memorytest.Turn("c1", n, role, text)
	t.Name, t.Time = name, at
	return t
}

func filled(t testing.TB, sys memory.System) memory.Memory {
	t.Helper()
	ctx := context.Background()
	m, err := sys.Open(ctx, memory.Namespace{Run: "r", Scope: "u"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	for i, b := range talk {
		b.Session = fmt.Sprint("s", i+1)
		if _, err := m.Ingest(ctx, b); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Finish(ctx, m, b.Session); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

var questions = []memory.Query{
	{Text: "What does Lin like to drink?", K: 4}, {Text: "What does Lin like to drink?", K: 4, AsOf: "2026-03-10"}, {Text: "Does Lin like oolong tea?", K: 4, AsOf: "2026-03-25"},
	{Text: "林在读什么书？", K: 3}, {Text: "她住在哪里？", K: 3}, {Text: "When did Lin stop drinking tea?", K: 3}, {Text: "What was said on March 20?", K: 5},
}

// TestNeo4jSame: the same answers as in process, hit by hit, with the same contexts,
// however the graph is met: filled here, or read over by somebody else.
func TestNeo4jSame(t *testing.T) {
	ctx := context.Background()
	local := filled(t, graphmem.New(memory.Deps{}, graphmem.Defaults()))
	var db *neo4j.DB
	remote := filled(t, graphmem.NewIn(memory.Deps{}, graphmem.Defaults(), func(ctx context.Context, _ memory.Namespace, _ bool) (graph.Store, func() error, error) {
		db = open(t, "same")
		_, err := db.Empty(ctx, neo4j.EmptyOptions{})
		return db, nil, err
	}))
	over, err := graphmem.Over(ctx, db, memory.Deps{}, graphmem.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	alike(t, local, map[string]memory.Memory{"in Neo4j": remote, "over Neo4j": over})
}

// alike checks that memories find and show for every question what the one in process does.
func alike(t *testing.T, local memory.Memory, others map[string]memory.Memory) {
	t.Helper()
	ctx := context.Background()
	for _, q := range questions {
		want, err := local.Retrieve(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if len(want.Hits) == 0 {
			t.Errorf("%+v: nothing found", q)
		}
		for name, m := range others {
			have, err := m.Retrieve(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			if have.Context != want.Context || fmt.Sprint(scores(have.Hits)) != fmt.Sprint(scores(want.Hits)) {
				t.Errorf("%s: %s (as of %q)\nhave %v\n%s\nwant %v\n%s", name, q.Text, q.AsOf, scores(have.Hits), have.Context, scores(want.Hits), want.Context)
			}
		}
	}
}

func scores(hits []memory.Hit) (out []string) {
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s %.6f %v", h.ID, h.Score, h.Sources))
	}
	return out
}

// TestNeo4jOther: what another client changes in the server is seen by the next question.
func TestNeo4jOther(t *testing.T) {
	ctx := context.Background()
	var db *neo4j.DB
	m := filled(t, graphmem.NewIn(memory.Deps{}, graphmem.Defaults(), func(ctx context.Context, _ memory.Namespace, _ bool) (graph.Store, func() error, error) {
		db = open(t, "other")
		_, err := db.Empty(ctx, neo4j.EmptyOptions{})
		return db, nil, err
	}))
	over, err := graphmem.Over(ctx, db, memory.Deps{}, graphmem.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	find := func(text string) bool {
		t.Helper()
		seen := [2]bool{}
		for i, m := range []memory.Memory{m, over} {
			r, err := m.Retrieve(ctx, memory.Query{Text: "Where does the heron live?", K: 8})
			if err != nil {
				t.Fatal(err)
			}
			seen[i] = slices.ContainsFunc(r.Hits, func(h memory.Hit) bool { return strings.Contains(h.Text, text) })
		}
		if seen[0] != seen[1] {
			t.Errorf("%q: the memory and who reads over it differ: %v", text, seen)
		}
		return seen[0]
	}
	if find("heron") {
		t.Fatal("found before it was said")
	}
	client := open(t, "other")
	n, ok, err := client.Node(ctx, "event:c1:8")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if n.Props, err = n.Props.With("content", "The heron lives by the canal."); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Apply(ctx, graph.Changes(schema.Change{Op: schema.OpPut, New: schema.Element{Node: &n}})); err != nil {
		t.Fatal(err)
	}
	if !find("heron") {
		t.Error("another client's change is not seen")
	}
	if _, err := client.Apply(ctx, graph.Changes(schema.Change{Op: schema.OpDelete, Old: schema.Element{Node: &n}})); err != nil {
		t.Fatal(err)
	}
	if find("heron") {
		t.Error("what another client deleted is still found")
	}
}

// TestAsOf: a claim that was taken back and made again holds when it did.
func TestAsOf(t *testing.T) {
	ctx := context.Background()
	st := graph.NewLocal()
	filled(t, graphmem.NewIn(memory.Deps{Embed: hashing.New(0)}, graphmem.Defaults(), func(context.Context, memory.Namespace, bool) (graph.Store, func() error, error) { return st, nil, nil }))
	m, err := graphmem.Over(ctx, st, memory.Deps{}, graphmem.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		asOf         string
		turns        int
		likes, known bool
	}{{"2026-02", 0, false, false}, {"2026-03-10", 3, true, true}, {"2026-03", 6, false, true}, {"2026-03-19", 3, true, true}, {"2026-04", 8, true, true}, {"", 8, true, true}} {
		r, err := m.Retrieve(ctx, memory.Query{Text: "oolong tea", K: 20, AsOf: x.asOf})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) != x.turns {
			t.Errorf("as of %q: %d turns, want %d", x.asOf, len(r.Hits), x.turns)
		}
		likes, known := false, false
		for _, f := range m.Facts("event:c1:1", x.asOf) {
			if f.Predicate == "PREFERS_TOPIC" {
				known, likes = true, f.Holds
			}
		}
		if known != x.known || likes != x.likes {
			t.Errorf("as of %q: known %v, holds %v, want %v, %v\n%s", x.asOf, known, likes, x.known, x.likes, r.Context)
		}
	}
	if _, err := m.Ingest(ctx, talk[0]); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a graph of somebody else's takes a turn: %v", err)
	}
}
