package neo4j

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher/neo4j/server"
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
		// The server takes settings at the end of its command line, too.
		c.Java = filepath.Join(t.TempDir(), "java")
		script := "#!/bin/sh\nexec java \"$@\""
		for _, s := range settings {
			script += " -c '" + s + "'"
		}
		if err := os.WriteFile(c.Java, []byte(script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
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

// The server is killed in mid-load and started again: the load waits for it, sends
// again what was not committed, and ends as if nothing had been.
func TestServerKilledMidLoad(t *testing.T) {
	home := t.TempDir()
	s := ownServer(t, server.Config{Home: home})
	port := 0
	fmt.Sscanf(s.URI[strings.LastIndex(s.URI, ":"):], ":%d", &port)
	db := dial(t, Config{URI: s.URI, Retry: 2 * time.Minute})
	nodes, edges := generated(600)
	in := seq(append(nodes, edges...)...)
	restarted := make(chan error, 1)
	var kill sync.Once
	r, err := Load(context.Background(), db, in, LoadOptions{Batch: 100, Progress: func(r *Report) {
		if r.Batches < 10 {
			return
		}
		kill.Do(func() {
			if err := s.Kill(); err != nil {
				t.Error(err)
			}
			go func() {
				again, err := server.Start(context.Background(), server.Config{Lib: exttest.Neo4jLib(), Home: home, BoltPort: port, Bound: true})
				if err == nil {
					t.Cleanup(func() { again.Stop() })
				}
				restarted <- err
			}()
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if r.Nodes.Sent != len(nodes) || r.Edges.Sent != len(edges) || r.Digest == "" {
		t.Errorf("have %+v %+v %q, want all of %d and %d", r.Nodes, r.Edges, r.Digest, len(nodes), len(edges))
	}
	wholeGraph(t, db, in)
	if r, _ := load(t, db, in, LoadOptions{}); r.Changed() || r.Server != (Counters{}) {
		t.Errorf("again: have %+v, want no change", r.Server)
	}
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
	for i := range 24 {
		p := newProxy(t, uri(t))
		scope := fmt.Sprintf("cut-%d", i)
		through := dial(t, Config{URI: "bolt://" + p.l.Addr().String(), Scope: scope})
		p.cuts.Store(int64(1 + i%3))
		if at := int64(150 + 37*i*i); i%2 == 0 {
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
	for range 6 {
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
func TestServerOutOfMemory(t *testing.T) {
	s := ownServer(t, server.Config{}, "db.memory.transaction.max=8m")
	db := dial(t, Config{URI: s.URI, Retry: 20 * time.Second})
	nodes, edges := generated(2500)
	in := seq(append(nodes, edges...)...)
	r, fs := load(t, db, in, LoadOptions{Batch: 10000})
	if len(fs) > 0 || r.Nodes.Created != len(nodes) || r.Edges.Created != len(edges) {
		t.Errorf("have %+v %+v %v", r.Nodes, r.Edges, fs)
	}
	if least := (len(nodes) + len(edges)) / 10000; r.Batches <= 2*least+2 {
		t.Errorf("have %d batches: the server's limit was not met, the test shows nothing", r.Batches)
	}
	wholeGraph(t, db, in)
}

func TestReadOnlyDatabase(t *testing.T) {
	home := t.TempDir()
	first := ownServer(t, server.Config{Home: home})
	nodes, edges := generated(5)
	in := seq(append(nodes, edges...)...)
	load(t, dial(t, Config{URI: first.URI}), in, LoadOptions{})
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	s := ownServer(t, server.Config{Home: home}, "server.databases.default_to_read_only=true")
	db := dial(t, Config{URI: s.URI, Retry: 30 * time.Second})
	started := time.Now()
	nodes[0].Node.Labels = []string{"Other"}
	_, err := Load(context.Background(), db, seq(nodes...), LoadOptions{})
	if !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), "neo4j.conf") {
		t.Errorf("have %v, want %v", err, ErrReadOnly)
	}
	if took := time.Since(started); took > 25*time.Second {
		t.Errorf("it took %s: a lasting fault was tried again", took)
	}
	nodes[0].Node.Labels = []string{"Character"}
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

// The process that loads is killed, several times, and the last run ends the load.
func TestLoaderKilled(t *testing.T) {
	nodes, edges := generated(200)
	in := seq(append(nodes, edges...)...)
	if to := os.Getenv("MEMBENCH_TEST_LOAD_INTO"); to != "" {
		db := dial(t, Config{URI: to, Scope: "killed"})
		load(t, db, in, LoadOptions{Batch: 10, Progress: func(r *Report) { fmt.Println("batch", r.Batches) }})
		return
	}
	to := uri(t)
	for _, after := range []int{1, 9, 40} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLoaderKilled$")
		cmd.Env = append(os.Environ(), "MEMBENCH_TEST_LOAD_INTO="+to)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		buf := make([]byte, 64)
		for said < after {
			n, err := out.Read(buf)
			said += strings.Count(string(buf[:n]), "\n")
			if err == io.EOF {
				t.Fatalf("it ended after %d batches", said)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	db := openScope(t, "killed")
	if r, _ := load(t, db, in, LoadOptions{}); r.Nodes.Unchanged == 0 || r.Digest == "" {
		t.Errorf("have %+v %q: nothing of the killed loads was there", r.Nodes, r.Digest)
	}
	wholeGraph(t, db, in)
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
