// Package neo4j writes a graph to a Neo4j server over Bolt, reads it back, and is
// the only client of that protocol. A DB is a graph.Store with every ability of package
// graph; Load and LoadChanges are the bulk path, with an account of every row, Verify
// compares what is stored with what was sent.
//
// In the database each node has the label Node and its own labels, the property id
// under a uniqueness constraint, and the properties that graph.MapProps maps; each
// edge is one relationship of its type, identified by its own id, which is unique
// per type. Properties of ours: id, on edges type, src and dst; props_json (what no
// property can hold), _hash (graph.Hash; an equal one means that there is nothing to
// write), scope in a named scope, and _vector where there is one. In a named scope ids
// have the prefix of graph.ScopePrefix. One node MembenchLoad per scope, beside the
// graph, holds the digest of what a load left whole (see Held).
//
// A load is a series of transactions, each safe to repeat, so that whatever ends it is
// mended by loading again. Order in a transaction: what goes, nodes by id, edges by
// type and ends; with several sessions nodes go in shards by id, edges in rounds whose
// shards share no end.
package neo4j

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/notifications"

	"membench/graph"
)

// Config says where the graph is.
type Config struct {
	URI      string // bolt://host:7687, neo4j://, with +s or +ssc for TLS; no user in it
	Database string // "": the user's home database
	User     string // "": no authentication
	Password string
	// Scope names one graph of several in a database: "" is the unnamed one. Elements
	// of a named scope have ids of their own, seen and touched by no other scope.
	Scope string
	// Retry is how long a transient fault (a deadlock, a leader change) is retried; 0: 60 s.
	Retry time.Duration
}

// A DB is one graph in a Neo4j server. It may be used from several goroutines.
type DB struct {
	drv      driver.DriverWithContext
	uri      string
	database string
	scope    string
	retry    time.Duration

	mu       sync.Mutex
	ready    map[string]bool // "": nodes; else edge types whose constraint is there
	recorded bool            // the record of a scope is unique

	holding sync.Mutex
	lease   *lease
	made    []string // constraints that Hold made, for the report of the load that comes
}

var _ graph.Store = (*DB)(nil)

// Open connects, and fails at once when the server, the user or the database is wrong.
func Open(ctx context.Context, c Config) (*DB, error) {
	u, err := url.Parse(c.URI)
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("%w: have %q, want bolt://host:7687", ErrURI, c.URI)
	case u.User != nil:
		return nil, fmt.Errorf("%w: leave user and password out of it, they come from NEO4J_USERNAME and NEO4J_PASSWORD", ErrURI)
	}
	switch scheme, secure, _ := strings.Cut(u.Scheme, "+"); {
	case scheme != "bolt" && scheme != "neo4j", secure != "" && secure != "s" && secure != "ssc":
		return nil, fmt.Errorf("%w: have scheme %s, want bolt or neo4j (with +s or +ssc for TLS; Bolt's port is 7687)", ErrURI, u.Scheme)
	}
	auth := driver.NoAuth()
	if c.User != "" {
		auth = driver.BasicAuth(c.User, c.Password, "")
	}
	if c.Retry == 0 {
		c.Retry = time.Minute
	}
	drv, err := driver.NewDriverWithContext(c.URI, auth, func(d *config.Config) {
		d.MaxTransactionRetryTime = min(c.Retry, round)
		d.NotificationsMinSeverity = notifications.DisabledLevel
		d.TelemetryDisabled = true
		d.SocketConnectTimeout = 5 * time.Second
		d.UserAgent = "membench"
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURI, err)
	}
	db := &DB{drv: drv, uri: c.URI, database: c.Database, scope: c.Scope, retry: c.Retry, ready: map[string]bool{}}
	if err := drv.VerifyConnectivity(ctx); err != nil {
		drv.Close(ctx)
		return nil, db.explain(err)
	}
	// The answer names the home database, which then need not be asked for each time.
	res, err := driver.ExecuteQuery(ctx, drv, "RETURN 1", nil, driver.EagerResultTransformer, driver.ExecuteQueryWithDatabase(c.Database))
	if err != nil {
		err = db.explain(err)
		if errors.Is(err, ErrNoDatabase) {
			err = db.edition(ctx, err)
		}
		drv.Close(ctx)
		return nil, err
	}
	if info := res.Summary.Database(); info != nil {
		db.database = info.Name()
	}
	if err := tooOld(res.Summary.Server().Agent()); err != nil {
		drv.Close(ctx)
		return nil, fmt.Errorf("%s: %w", db.uri, err)
	}
	return db, nil
}

// Database is the name of the database in use.
func (db *DB) Database() string { return db.database }

// Close ends the connections.
func (db *DB) Close(ctx context.Context) error { return db.drv.Close(ctx) }

// in runs work in one transaction, again on transient faults and where the connection
// breaks, so work must start anew each time it is called. A connection lost during the
// commit leaves the outcome unknown; since all we write is idempotent, it is sent again.
func (db *DB) in(ctx context.Context, write bool, work func(*tx) error) (err error) {
	managed := func(t driver.ManagedTransaction) (any, error) { return nil, final(work(&tx{ctx: ctx, t: t})) }
	// The driver doubles its delays, so that a server that is back would wait for us;
	// in rounds they start small again.
	for range max(1, int(db.retry/round)) {
		s := db.drv.NewSession(ctx, db.session(driver.AccessModeWrite))
		if write {
			_, err = s.ExecuteWrite(ctx, managed)
		} else {
			_, err = s.ExecuteRead(ctx, managed)
		}
		s.Close(context.WithoutCancel(ctx))
		if ctx.Err() != nil || !passing(err) {
			break
		}
	}
	return db.explain(err)
}

// session is the configuration of a session; what one commits the next one sees.
func (db *DB) session(mode driver.AccessMode) driver.SessionConfig {
	return driver.SessionConfig{DatabaseName: db.database, AccessMode: mode}
}

// round is how long the driver tries before its delays start small again.
const round = 5 * time.Second

// A tx is a running transaction.
type tx struct {
	ctx context.Context
	t   driver.ManagedTransaction
	c   Counters // of its statements so far
}

// run sends a statement and gives each row of the answer to row, which may be nil.
func (t *tx) run(text string, params map[string]any, row func(values []any) error) (driver.Counters, error) {
	res, err := t.t.Run(t.ctx, text, params)
	if err != nil {
		return nil, err
	}
	for res.Next(t.ctx) {
		if row == nil {
			continue
		}
		if err := row(res.Record().Values); err != nil {
			return nil, err
		}
	}
	sum, err := res.Consume(t.ctx)
	if err != nil {
		return nil, err
	}
	t.c.add(sum.Counters())
	return sum.Counters(), nil
}

// quiet is run for what this program keeps of its own: it does not count.
func (t *tx) quiet(text string, params map[string]any, row func(values []any) error) (driver.Counters, error) {
	c := t.c
	d, err := t.run(text, params, row)
	t.c = c
	return d, err
}

// count runs a statement that answers with one number.
func (t *tx) count(text string, params map[string]any) (int, driver.Counters, error) {
	n := 0
	c, err := t.run(text, params, func(v []any) error {
		x, ok := v[0].(int64)
		if !ok {
			return fmt.Errorf("the server answered %T to a count", v[0])
		}
		n += int(x)
		return nil
	})
	return n, c, err
}

// Server is the server's own name and version, e.g. "Neo4j/5.26.27".
func (db *DB) Server(ctx context.Context) (string, error) {
	info, err := db.drv.GetServerInfo(ctx)
	if err != nil {
		return "", db.explain(err)
	}
	return info.Agent(), nil
}
