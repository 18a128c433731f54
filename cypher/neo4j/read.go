package neo4j

import (
	"context"
	"fmt"
	"strconv"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/schema"
)

var (
	_ graph.Bulk    = (*DB)(nil)
	_ graph.Revised = (*DB)(nil)
)

// Whole yields every element of the scope in one transaction, nodes first, in the
// server's order. All of it is held while it is read, so that a transaction that is
// begun anew yields nothing twice: about 600 bytes an element.
func (db *DB) Whole(ctx context.Context) schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		var out []schema.Element
		err := db.in(ctx, false, func(t *tx) error {
			out = out[:0]
			_, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.mine("n")+" RETURN n", db.with(nil), func(v []any) error {
				if x, ok := v[0].(driver.Node); ok {
					n := db.node(x)
					out = append(out, schema.Element{Node: &n})
				}
				return nil
			})
			if err != nil {
				return err
			}
			_, err = t.run("MATCH (n:"+baseLabel+")-[r]->(m:"+baseLabel+") WHERE r.id IS NOT NULL AND "+db.mine("n")+" RETURN r, n.id, m.id", db.with(nil), func(v []any) error {
				if x, ok := v[0].(driver.Relationship); ok {
					e := db.edge(x, v[1], v[2])
					out = append(out, schema.Element{Edge: &e})
				}
				return nil
			})
			return err
		})
		if err != nil {
			yield(schema.Record[schema.Element]{}, err)
			return
		}
		for _, e := range out {
			if !yield(schema.Record[schema.Element]{V: e}, nil) {
				return
			}
		}
	}
}

// Revision is the number of the database's last committed transaction: whoever changes
// anything in it, in whatever scope and through whatever client, moves it.
func (db *DB) Revision(ctx context.Context) (string, error) {
	rev := ""
	s := db.drv.NewSession(ctx, driver.SessionConfig{DatabaseName: "system", AccessMode: driver.AccessModeRead})
	defer s.Close(context.WithoutCancel(ctx))
	res, err := s.Run(ctx, "SHOW DATABASE $name YIELD lastCommittedTxn", map[string]any{"name": db.database})
	if err != nil {
		return "", db.explain(err)
	}
	for res.Next(ctx) {
		if n, ok := res.Record().Values[0].(int64); ok {
			rev = strconv.FormatInt(n, 10)
		}
	}
	if err := res.Err(); err != nil {
		return "", db.explain(err)
	}
	if rev == "" {
		return "", fmt.Errorf("%s: database %s does not tell its last transaction", db.uri, db.database)
	}
	return rev, nil
}
