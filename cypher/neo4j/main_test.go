package neo4j

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"membench/cypher/neo4j/server"
	"membench/internal/exttest"
)

// The fixture is one server for the whole test binary, started by the first test
// that asks for it.
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

// uri starts the fixture, or skips t.
func uri(t testing.TB) string {
	t.Helper()
	exttest.Need(t, "java", exttest.Neo4jLib())
	fixture.once.Do(func() {
		if fixture.home, fixture.err = os.MkdirTemp("", "membench-neo4j-"); fixture.err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		fixture.srv, fixture.err = server.Start(ctx, server.Config{Lib: exttest.Neo4jLib(), Home: fixture.home, Bound: true})
	})
	if fixture.err != nil {
		t.Fatal(fixture.err)
	}
	return fixture.srv.URI
}

var scopes atomic.Int64

// open gives a store with a scope of its own, so that tests do not meet.
func open(t testing.TB) *DB {
	t.Helper()
	return openScope(t, fmt.Sprintf("t%d|%%:", scopes.Add(1)))
}

// openScope opens a scope; the unnamed one is emptied first.
func openScope(t testing.TB, scope string) *DB {
	t.Helper()
	ctx := context.Background()
	db, err := Open(ctx, Config{URI: uri(t), Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(ctx) })
	if scope == "" {
		if _, err := db.Empty(ctx, EmptyOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}
