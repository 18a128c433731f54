package neo4j

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher/neo4j/server"
	"membench/graph"
	"membench/graph/graphtest"
	"membench/internal/exttest"
	"membench/schema"
)

// ownServer starts a server of the test's own, with more settings than the usual.
func ownServer(t *testing.T, c server.Config, settings ...string) *server.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	exttest.Need(t, "java", exttest.Neo4jLib())
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c.Lib, c.Bound = exttest.Neo4jLib(), true
	if c.Home == "" {
		c.Home = t.TempDir()
	}
	if len(settings) > 0 {
		c.Java = filepath.Join(t.TempDir(), "java")
		exttest.WriteJava(t, c.Java, settings...)
	}
	s, err := server.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

func dial(t *testing.T, c Config) *DB {
	t.Helper()
	db, err := Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(context.Background()) })
	return db
}

// wholeGraph checks that the scope holds a graph and nothing else.
func wholeGraph(t *testing.T, db *DB, in schema.Seq[schema.Element]) {
	t.Helper()
	if v, fs := verify(t, db, in); !v.Good() || v.Others != 0 {
		t.Errorf("verify: have %+v, first %v", v, fs[:min(3, len(fs))])
	}
}

// soak says that the long tests run, too.
func soak() bool { return os.Getenv("MEMBENCH_SOAK") != "" }

// What only a server of the test's own can suffer, one after the other in one folder,
// since a server takes several seconds to start.
func TestServerFaults(t *testing.T) {
	home := t.TempDir()
	const secret = "a-long-secret"
	s := ownServer(t, server.Config{Home: home, Password: secret}, "db.memory.transaction.max=3m")
	t.Run("auth", func(t *testing.T) { auth(t, s.URI, secret) })
	t.Run("first change", func(t *testing.T) { firstChangeIsTold(t, s.URI, secret) })
	rounds := 1
	if soak() {
		t.Run("out of memory", func(t *testing.T) { serverOutOfMemory(t, s, secret) })
		rounds = 50
	}
	for n := range rounds {
		t.Run(fmt.Sprint("killed ", n), func(t *testing.T) { s = serverKilledMidLoad(t, s, home, secret, n) })
	}
	if !soak() {
		return
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Run("read-only", func(t *testing.T) { readOnlyDatabase(t, home, secret) })
}

// The first change after the first load of a database teaches the server no new names: it
// would do so in transactions of its own, for which a follower compares the whole graph.
func firstChangeIsTold(t *testing.T, uri, secret string) {
	ctx := context.Background()
	db := dial(t, Config{URI: uri, User: "neo4j", Password: secret, Scope: "first"})
	a := graphtest.Node("user:a", "User", `{"name":"a"}`)
	load(t, db, seq(a), LoadOptions{})
	var f graph.Follower
	look := func() graph.Update {
		t.Helper()
		u, err := f.Look(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		f.Take(u)
		return u
	}
	if u := look(); !u.Whole {
		t.Errorf("at first: have %+v, want the whole", u)
	}
	b := graphtest.Put(graphtest.Node("user:b", "User", `{"name":"b"}`))
	if err := f.Apply(ctx, db, []schema.Change{b}, map[schema.NodeID][]float32{"user:b": {1, 0}}, "profile"); err != nil {
		t.Fatal(err)
	}
	if u := look(); u.Whole || u.Unsaid {
		t.Errorf("after one change of its own: have %+v, want nothing unsaid", u)
	}
}

// killAt says when a load of killGraph over killOld is killed, the n-th time.
var killAt = map[string]func(r *Report, n int) bool{
	"nodes":  func(r *Report, n int) bool { return r.Nodes.Sent > 10*(n%5) },
	"edges":  func(r *Report, n int) bool { return r.Edges.Sent > 10*(n%5) },
	"prune":  func(r *Report, n int) bool { return r.Edges.Deleted+r.Nodes.Deleted > 0 },
	"settle": func(r *Report, n int) bool { return r.Nodes.Deleted == 20 },
}

// killGraph is loaded, ten elements a transaction, where killOld was, which goes.
func killGraph() (out []schema.Element) {
	nodes, edges := generated(30)
	return append(nodes, edges...)
}

func killOld() (out []schema.Element) {
	for i := range 20 {
		out = append(out, graphtest.Node(fmt.Sprint("user:old", i), "User", ""), graphtest.Edge("KNOWS", fmt.Sprint("user:old", i), "user:old0", ""))
	}
	return out
}

// The server is killed while four loads, each in a scope of its own, send nodes and edges,
// prune, and are about to settle: between two transactions, with an odd n in one. It is
// started again, and each load waits for it, sends again what was not committed, and ends as
// if nothing had been.
func serverKilledMidLoad(t *testing.T, s *server.Server, home, secret string, n int) (again *server.Server) {
	again = s
	port := 0
	fmt.Sscanf(s.URI[strings.LastIndex(s.URI, ":"):], ":%d", &port)
	in := seq(killGraph()...)
	phases := slices.Sorted(maps.Keys(killAt))
	var dbs []*DB
	for _, phase := range phases {
		db := dial(t, Config{URI: s.URI, User: "neo4j", Password: secret, Scope: fmt.Sprint("killed", phase, n), Retry: 2 * time.Minute})
		load(t, db, seq(killOld()...), LoadOptions{})
		dbs = append(dbs, db)
	}
	var there, ended sync.WaitGroup
	there.Add(len(phases))
	goOn := make(chan struct{})
	reports := make([]*Report, len(phases))
	for i, phase := range phases {
		ended.Go(func() {
			reached := sync.OnceFunc(there.Done)
			r, err := Load(context.Background(), dbs[i], in, LoadOptions{Batch: 10, Prune: true, Progress: func(r *Report) {
				if killAt[phase](r, n) {
					reached()
					<-goOn
				}
			}})
			if reports[i] = r; err != nil {
				t.Errorf("%s: %v", phase, err)
			}
			reached() // the server is killed though it failed before
		})
	}
	there.Wait()
	if n%2 == 1 {
		close(goOn)
		time.Sleep(time.Duration(n%13) * time.Millisecond)
	}
	err := s.Kill()
	if n%2 == 0 {
		close(goOn)
	}
	if err == nil {
		again, err = server.Start(context.Background(), server.Config{Lib: exttest.Neo4jLib(), Home: home, BoltPort: port, Password: secret, Bound: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	ended.Wait()
	for i, db := range dbs {
		r := reports[i]
		if h, err := db.Held(context.Background()); err != nil || r.Digest == "" || h.Digest != r.Digest {
			t.Errorf("%s: have %+v %+v with the digest %q, the database %q %v", phases[i], r.Nodes, r.Edges, r.Digest, h.Digest, err)
		}
		wholeGraph(t, db, in)
		if r, _ := load(t, db, in, LoadOptions{}); r.Changed() || r.Server != (Counters{}) {
			t.Errorf("%s again: have %+v, want no change", phases[i], r.Server)
		}
	}
	return again
}

// A proxy passes bytes on and cuts the connection after a number of them.
type proxy struct {
	l    net.Listener
	to   string
	cuts atomic.Int64 // how many are still to come
	up   atomic.Int64 // bytes to the server before a cut, 0: none
	down atomic.Int64 // bytes from it
}

func newProxy(t *testing.T, to string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{l: l, to: strings.TrimPrefix(to, "bolt://")}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxy) serve(c net.Conn) {
	s, err := net.Dial("tcp", p.to)
	if err != nil {
		c.Close()
		return
	}
	pipe := func(dst, src net.Conn, limit *atomic.Int64) {
		buf := make([]byte, 4096)
		passed := int64(0)
		for {
			n, err := src.Read(buf)
			if most := limit.Load(); most > 0 && passed+int64(n) >= most && p.cuts.Add(-1) >= 0 {
				dst.Write(buf[:max(0, most-passed)])
				break
			}
			passed += int64(n)
			if _, e := dst.Write(buf[:n]); err != nil || e != nil {
				break
			}
		}
		dst.Close()
		src.Close()
	}
	go pipe(s, c, &p.up)
	pipe(c, s, &p.down)
}

// The connection is cut after chosen bytes, to and from the server: in a batch, in its
// answer, in a commit, before and after the server acts on it.
func TestConnectionCut(t *testing.T) {
	nodes, edges := generated(20)
	in := seq(append(nodes, edges...)...)
	cuts := []int{1, 4, 6}
	if soak() {
		cuts = all(40)
	}
	for _, i := range cuts {
		p := newProxy(t, uri(t))
		scope := fmt.Sprintf("cut-%d", i)
		through := dial(t, Config{URI: "bolt://" + p.l.Addr().String(), Scope: scope})
		p.cuts.Store(int64(1 + i%3))
		if at := int64(150 + 330*i*i); i%2 == 0 {
			p.up.Store(at)
		} else {
			p.down.Store(at / 4)
		}
		r, err := Load(context.Background(), through, in, LoadOptions{Batch: 25})
		if err != nil || r.Nodes.Sent != len(nodes) || r.Edges.Sent != len(edges) {
			t.Errorf("cut %d: have %+v %v", i, r, err)
		}
		wholeGraph(t, openScope(t, scope), in)
	}
}

// A second writer takes locks in the other order, so that one of the two is chosen as
// the victim of a deadlock, again and again.
func TestDeadlockWithSecondWriter(t *testing.T) {
	ctx := context.Background()
	db := open(t)
	nodes, edges := generated(40)
	in := seq(append(nodes, edges...)...)
	load(t, db, in, LoadOptions{})
	stop := make(chan struct{})
	var deadlocks atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		ids := make([]string, len(nodes))
		for i, n := range nodes {
			ids[len(nodes)-1-i] = db.key(n.ID())
		}
		for {
			select {
			case <-stop:
				return
			default:
			}
			s := db.drv.NewSession(ctx, driver.SessionConfig{DatabaseName: db.database})
			x, err := s.BeginTransaction(ctx)
			for _, id := range ids {
				if err == nil {
					_, err = x.Run(ctx, "MATCH (n:Node {id: $id}) SET n._lock = true REMOVE n._lock", map[string]any{"id": id})
				}
			}
			if err == nil {
				err = x.Commit(ctx)
			}
			if err != nil && strings.Contains(err.Error(), "Deadlock") {
				deadlocks.Add(1)
			}
			s.Close(ctx)
		}
	})
	for range 2 {
		if r, err := Load(ctx, db, in, LoadOptions{Rewrite: true}); err != nil || r.Nodes.Updated != len(nodes) {
			t.Errorf("have %+v %v", r, err)
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("the other writer lost %d deadlocks", deadlocks.Load())
	wholeGraph(t, db, in)
}

// A transaction that the server has no memory for: the batch halves, and the load ends.
func serverOutOfMemory(t *testing.T, s *server.Server, secret string) {
	db := dial(t, Config{URI: s.URI, User: "neo4j", Password: secret, Scope: "memory", Retry: 20 * time.Second})
	nodes, edges := generated(900)
	in := seq(append(nodes, edges...)...)
	r, fs := load(t, db, in, LoadOptions{})
	if len(fs) > 0 || r.Nodes.Created != len(nodes) || r.Edges.Created != len(edges) {
		t.Errorf("have %+v %+v %v", r.Nodes, r.Edges, fs)
	}
	if least := (len(nodes) + len(edges)) / DefaultBatch; r.Batches <= 2*least+2 {
		t.Errorf("have %d batches: the server's limit was not met, the test shows nothing", r.Batches)
	}
	wholeGraph(t, db, in)
}

// The folder holds what serverKilledMidLoad left.
func readOnlyDatabase(t *testing.T, home, secret string) {
	nodes := killGraph()
	in := seq(nodes...)
	s := ownServer(t, server.Config{Home: home, Password: secret}, "server.databases.default_to_read_only=true")
	db := dial(t, Config{URI: s.URI, User: "neo4j", Password: secret, Scope: "killededges0", Retry: 30 * time.Second})
	started := time.Now()
	was := nodes[0].Node.Labels
	nodes[0].Node.Labels = []string{"Other"}
	_, err := Load(context.Background(), db, seq(nodes...), LoadOptions{})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "neo4j.conf") {
		t.Errorf("have %v, want %v", err, ErrReadOnly)
	}
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %s: a lasting fault was tried again", took)
	}
	nodes[0].Node.Labels = was
	wholeGraph(t, db, in)
	if r, err := Load(context.Background(), db, in, LoadOptions{DryRun: true}); err != nil || r.Changed() {
		t.Errorf("a dry run: have %+v %v", r, err)
	}
}

// Faults that Community Edition cannot be made to have, by a server of ours.
func TestFakeServerFaults(t *testing.T) {
	s := newSink(t, func(text string, _ int) string {
		if strings.Contains(text, "CREATE (n") || strings.Contains(text, "MERGE (n") {
			return "Neo.ClientError.Security.Forbidden"
		}
		return ""
	})
	_, err := Load(context.Background(), s.open(), seq(graphtest.Node("user:a", "User", "")), LoadOptions{})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "role") {
		t.Errorf("a user who may not write: have %v", err)
	}
	for agent, want := range map[string]error{"Neo4j/4.4.9": ErrTooOld, "Neo4j/5.6.0": ErrTooOld, "Neo4j/5.7.0": nil, "Neo4j/2026.05.0": nil, "Another/1.0": nil} {
		s := newSink(t, func(string, int) string { return "" })
		s.agent = agent
		db, err := Open(context.Background(), Config{URI: "bolt://" + s.l.Addr().String()})
		if !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), "5.7") {
			t.Errorf("%s: have %v, want %v", agent, err, want)
		}
		if err == nil {
			db.Close(context.Background())
		}
	}
}

// An interrupted load says so, keeps what was committed, and is finished by another.
func TestInterruptedLoad(t *testing.T) {
	db := open(t)
	nodes, edges := generated(300)
	in := seq(append(nodes, edges...)...)
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Load(ctx, db, in, LoadOptions{Batch: 50, Progress: func(r *Report) {
		if r.Batches == 5 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Batches < 5 || r.Nodes.Sent+r.Edges.Sent >= len(nodes)+len(edges) {
		t.Errorf("have %+v %v, want a part and %v", r, err, context.Canceled)
	}
	n, e, err := db.Size(context.Background())
	if err != nil || n < r.Nodes.Created || e < r.Edges.Created {
		t.Errorf("have %d nodes and %d edges, reported %+v %+v", n, e, r.Nodes, r.Edges)
	}
	if h, err := db.Held(context.Background()); err != nil || h.Digest != "" {
		t.Errorf("half a graph has the digest %q %v", h.Digest, err)
	}
	r, _ = load(t, db, in, LoadOptions{})
	if r.Nodes.Unchanged != n || r.Edges.Unchanged != e || r.Digest == "" {
		t.Errorf("the next load: have %+v %+v, want %d and %d unchanged", r.Nodes, r.Edges, n, e)
	}
	wholeGraph(t, db, in)
}

// The process that loads is killed while it sends nodes, edges, deletes, and before it
// records what the scope holds: no digest stands there, the dead one's lease holds nobody
// up, and the next run ends the load. Each once; 50 times with MEMBENCH_SOAK.
func TestLoaderKilled(t *testing.T) {
	whole := killGraph()
	last := len(whole)/10 + 3
	if to := os.Getenv("MEMBENCH_TEST_LOAD_INTO"); to != "" {
		var n int
		fmt.Sscan(os.Getenv("MEMBENCH_TEST_KILL"), &n)
		at := killAt[os.Getenv("MEMBENCH_TEST_PHASE")]
		load(t, dial(t, Config{URI: to, Scope: "killed"}), seq(whole...), LoadOptions{Batch: 10, Prune: true, Progress: func(r *Report) {
			if self, err := os.FindProcess(os.Getpid()); err == nil && at(r, n) {
				self.Kill()
				select {}
			}
		}})
		return
	}
	to := uri(t)
	db := openScope(t, "killed")
	rounds := 1
	if soak() {
		rounds = 50
	}
	for _, phase := range []string{"nodes", "edges", "prune", "settle"} {
		for n := range rounds {
			load(t, db, seq(killOld()...), LoadOptions{Prune: true})
			cmd := exec.Command(os.Args[0], "-test.run=^TestLoaderKilled$")
			cmd.Env = append(os.Environ(), "MEMBENCH_TEST_LOAD_INTO="+to, "MEMBENCH_TEST_PHASE="+phase, "MEMBENCH_TEST_KILL="+fmt.Sprint(n))
			if out, err := cmd.CombinedOutput(); err == nil || len(out) > 0 {
				t.Fatalf("%s %d: it was not killed: %v %s", phase, n, err, out)
			}
			if h, err := db.Held(context.Background()); err != nil || h.Digest != "" {
				t.Errorf("%s %d: half a load has the digest %q %v", phase, n, h.Digest, err)
			}
			r, _ := load(t, db, seq(whole...), LoadOptions{Prune: true})
			if r.Nodes.Unchanged == 0 || r.Digest == "" || r.Batches > last {
				t.Errorf("%s %d: have %+v %q in %d batches", phase, n, r.Nodes, r.Digest, r.Batches)
			}
			wholeGraph(t, db, seq(whole...))
		}
	}
}

// Two loads at the same time into two scopes: neither sees the other.
func TestTwoLoadsTwoScopes(t *testing.T) {
	nodes, edges := generated(120)
	in := seq(append(nodes, edges...)...)
	dbs := []*DB{open(t), open(t), openScope(t, "")}
	var wg sync.WaitGroup
	for i, db := range dbs {
		wg.Go(func() {
			r, err := Load(context.Background(), db, in, LoadOptions{Batch: 40, Sessions: 1 + i})
			if err != nil || r.Nodes.Created != len(nodes) || r.Edges.Created != len(edges) || r.Digest == "" {
				t.Errorf("scope %q: have %+v %v", db.scope, r, err)
			}
		})
	}
	wg.Wait()
	for _, db := range dbs {
		wholeGraph(t, db, in)
	}
}
