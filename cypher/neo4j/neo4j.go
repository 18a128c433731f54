// Package neo4j writes a graph to a Neo4j server over Bolt, reads it back, and is the only client of that protocol. A DB is a graph.Store with every ability of
// package graph; Load and LoadChanges are the bulk path, with a count of every row; Verify compares the stored graph with the input.
//
// In the database each node has the label Node and its own labels, the property id under a uniqueness constraint, and the properties that graph.MapProps maps;
// each edge is one relationship of its type, identified by its own id, which is unique per type. Our own properties are id, on edges type, src and dst;
// props_json (values that no property can hold), _hash (graph.Hash; an equal hash means that nothing must be written), scope in a named scope, and optionally
// _vector. In a named scope ids have the prefix of graph.ScopePrefix. One node MembenchLoad per scope holds the digest of the last complete load (see Held).
//
// A load is a series of transactions. Each is safe to repeat, so loading again repairs any interruption. Order in a transaction: deletions, nodes by id, edges
// by type and ends; with several sessions nodes go in shards by id, edges in rounds whose shards share no end.
package neo4j

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
)

// A DB is one graph in a Neo4j server. It may be used from several goroutines.
type DB struct {
	drv      driver.DriverWithContext
	uri      string
	database string
	scope    string
	retry    time.Duration
	conf     Config
	marks    driver.BookmarkManager
	limits   []func(*driver.TransactionConfig)
	dynamic  bool // the server makes relationships of types that are parameters

	mu       sync.Mutex
	have     []rule          // nil: not looked yet
	ready    map[string]bool // "": nodes; otherwise edge types with a constraint
	recorded bool            // the record of a scope is unique
	scopes   bool            // the index of scopes is there

	holding sync.Mutex
	lease   *lease
	said    sync.Map // texts of notifications that were passed on
	made    []string // constraints that Hold made, for the report of the load that comes
}

var _ graph.Store = (*DB)(nil)

// Database is the name of the database in use.
func (db *DB) Database() string { return db.database }

// Close ends the connections.
func (db *DB) Close(ctx context.Context) error { return db.drv.Close(ctx) }

// in runs work in one transaction, again on transient faults and where the connection
// breaks, so work must start again each time it is called. A connection lost during the
// commit leaves the outcome unknown; since all we write is idempotent, it is sent again.
func (db *DB) in(ctx context.Context, write bool, work func(*tx) error) error {
	managed := func(t driver.ManagedTransaction) (any, error) { return nil, final(work(&tx{ctx: ctx, t: t, db: db})) }
	return db.tries(ctx, driver.AccessModeWrite, func(s driver.SessionWithContext) (err error) {
		if write {
			_, err = s.ExecuteWrite(ctx, managed, db.limits...)
		} else {
			_, err = s.ExecuteRead(ctx, managed, db.limits...)
		}
		return err
	})
}

// tries runs work in a session, and repeats it as long as the error may be temporary.
func (db *DB) tries(ctx context.Context, mode driver.AccessMode, work func(driver.SessionWithContext) error) error {
	for began, wait := time.Now(), firstWait; ; wait = min(2*wait, longestWait) {
		s := db.drv.NewSession(ctx, db.session(mode))
		err := work(s)
		s.Close(context.WithoutCancel(ctx))
		if ctx.Err() != nil || !passing(err) || time.Since(began) > db.retry {
			return db.explain(err)
		}
		select {
		case <-ctx.Done():
			return db.explain(err)
		case <-time.After(wait/2 + rand.N(wait)): // two that met do not meet again
		}
	}
}

// How long a transaction waits before it is tried again. The driver's own delays begin
// at two seconds, which is long after a deadlock, so the driver's own retries are disabled.
const (
	firstWait   = 20 * time.Millisecond
	longestWait = time.Second
)

// session returns the configuration of a session; commits of one session are visible to the next.
func (db *DB) session(mode driver.AccessMode) driver.SessionConfig {
	return driver.SessionConfig{DatabaseName: db.database, AccessMode: mode, BookmarkManager: db.marks, ImpersonatedUser: db.conf.Impersonate}
}

// A tx is a running transaction.
type tx struct {
	ctx context.Context
	t   driver.ManagedTransaction
	db  *DB
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
	t.db.notify(sum)
	return sum.Counters(), nil
}

// quiet runs statements on this program's own records, which are not counted.
func (t *tx) quiet(text string, params map[string]any, row func(values []any) error) (driver.Counters, error) {
	c := t.c
	d, err := t.run(text, params, row)
	t.c = c
	return d, err
}

// count runs a statement that answers with one number.
func (t *tx) count(text string, params map[string]any) (n int, err error) {
	_, err = t.run(text, params, func(v []any) error {
		x, ok := v[0].(int64)
		if !ok {
			return fmt.Errorf("the server answered %T to a count", v[0])
		}
		n += int(x)
		return nil
	})
	return n, err
}

// ask reads in a transaction of its own: of each row of the answer the value that read makes, unless it says false.
func ask[T any](ctx context.Context, db *DB, text string, params map[string]any, read func(v []any) (T, bool)) (out []T, err error) {
	err = db.in(ctx, false, func(t *tx) error {
		out = nil
		_, err := t.run(text, params, func(v []any) error {
			if x, ok := read(v); ok {
				out = append(out, x)
			}
			return nil
		})
		return err
	})
	return out, err
}

// first reads a text that is the first value of a row.
func first(v []any) (string, bool) { s, ok := v[0].(string); return s, ok }

// do writes in a transaction of its own.
func (db *DB) do(ctx context.Context, text string, params map[string]any) error {
	return db.in(ctx, true, func(t *tx) error {
		_, err := t.run(text, params, nil)
		return err
	})
}

// Server is the server's own name and version, e.g. "Neo4j/5.26.27".
func (db *DB) Server(ctx context.Context) (string, error) {
	info, err := db.drv.GetServerInfo(ctx)
	if err != nil {
		return "", db.explain(err)
	}
	return info.Agent(), nil
}
