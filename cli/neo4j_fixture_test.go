package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"membench/cypher/neo4j/server"
	"membench/internal/exttest"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rogpeppe/go-internal/testscript"
)

// neo4jFixture is one server for the whole test binary, started by the first test
// that asks for it. Community Edition has one database, so its users take turns.
var neo4jFixture struct {
	once sync.Once
	turn sync.Mutex
	srv  *server.Server
	home string
	err  error
}

// withNeo4j ends the fixture after the tests.
type withNeo4j struct{ m *testing.M }

func (w withNeo4j) Run() int {
	// The Makefile has tests collect more seldom. Here memory is measured, and what a program's parent had at most counts as the program's.
	debug.SetGCPercent(100)
	os.Unsetenv("GOGC")
	os.Unsetenv("GOMEMLIMIT")
	// One more than cores, as in the Makefile: some wait for their turn with Neo4j.
	if err := flag.Set("test.parallel", fmt.Sprint(runtime.GOMAXPROCS(0)+1)); err != nil {
		panic(err)
	}
	code := w.m.Run()
	if f := &neo4jFixture; f.srv != nil {
		if err := f.srv.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping neo4j:", err)
			code = 1
		}
	}
	os.RemoveAll(neo4jFixture.home)
	return code
}

// emptyNeo4j gives the address of a running server without nodes, and a function that
// ends the turn.
func emptyNeo4j() (uri string, done func(), err error) {
	f := &neo4jFixture
	f.once.Do(func() {
		if f.home, f.err = os.MkdirTemp("", "membench-neo4j-"); f.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		f.srv, f.err = server.Start(ctx, server.Config{Lib: exttest.Neo4jLib(), Home: f.home, Bound: true})
	})
	if f.err != nil {
		return "", nil, f.err
	}
	f.turn.Lock()
	ctx := context.Background()
	d, err := driver.NewDriverWithContext(f.srv.URI, driver.NoAuth())
	if err == nil {
		err = emptyDatabase(ctx, d)
		d.Close(ctx)
	}
	if err != nil {
		f.turn.Unlock()
		return "", nil, err
	}
	return f.srv.URI, f.turn.Unlock, nil
}

// emptyDatabase leaves nothing of what earlier scripts made, constraints and indexes
// of labels that only they know included.
func emptyDatabase(ctx context.Context, d driver.DriverWithContext) error {
	run := func(query string) ([]*driver.Record, error) {
		r, err := driver.ExecuteQuery(ctx, d, query, nil, driver.EagerResultTransformer)
		if err != nil {
			return nil, err
		}
		return r.Records, nil
	}
	if _, err := run("MATCH (n) DETACH DELETE n"); err != nil {
		return err
	}
	// Constraints first: an index that one owns cannot be dropped.
	if err := dropAll(run, "SHOW CONSTRAINTS YIELD name", "DROP CONSTRAINT `%s` IF EXISTS"); err != nil {
		return err
	}
	return dropAll(run, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name", "DROP INDEX `%s` IF EXISTS")
}

func dropAll(run func(string) ([]*driver.Record, error), show, drop string) error {
	found, err := run(show)
	if err != nil {
		return err
	}
	for _, r := range found {
		if _, err := run(fmt.Sprintf(drop, r.Values[0])); err != nil {
			return err
		}
	}
	return nil
}

// cmdNeo4j gives a script an empty server of its own at $NEO4J_URI. The script skips
// itself first where there is none: [!neo4j] skip. With an argument it runs a statement
// there, as somebody else would.
func cmdNeo4j(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: neo4j [STATEMENT]")
	}
	if len(args) == 1 {
		ctx := context.Background()
		d, err := driver.NewDriverWithContext(ts.Getenv("NEO4J_URI"), driver.NoAuth())
		ts.Check(err)
		defer d.Close(ctx)
		_, err = driver.ExecuteQuery(ctx, d, args[0], nil, driver.EagerResultTransformer)
		ts.Check(err)
		return
	}
	uri, done, err := emptyNeo4j()
	ts.Check(err)
	ts.Defer(done)
	ts.Setenv("NEO4J_URI", uri)
}

// condition answers [neo4j] and [python3]: whether a server can be started here; and
// [spark]: whether its tests are wanted and can run.
func condition(name string) (bool, error) {
	if name == "spark" && !exttest.WantsSpark() {
		return false, nil
	}
	tools := map[string][]string{"neo4j": {"java", exttest.Neo4jLib()}, "python3": {"python3"},
		"spark": {"java", exttest.SparkPython()}}[name]
	if tools == nil {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	why := exttest.Missing(tools...)
	if why != "" && os.Getenv("CI") == "true" {
		return false, fmt.Errorf("%s: not on this machine, and CI=true wants every test run", why)
	}
	return why == "", nil
}
