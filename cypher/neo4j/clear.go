package neo4j

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// EmptyOptions selects what Empty deletes; the zero value selects the elements of the scope.
type EmptyOptions struct {
	All         bool // every node and relationship of the database, from any program
	Constraints bool // ours, too: node_id…, node_scope, rel_…, relx_…; only right when no scope is left
	Progress    func(Emptied)
	Wait        time.Duration // for another writer of the scope to end; 0: not at all
}

// Emptied counts the deleted elements.
type Emptied struct {
	Nodes       int      `json:"nodes"`
	Edges       int      `json:"edges"`
	Constraints []string `json:"constraints"` // and indexes
}

// emptyBatch is how many elements go in a transaction: about 20 MB of its memory.
const emptyBatch = 20000

// Empty deletes the elements that this program wrote in a scope, in batches, edges first, so that no transaction grows with the number of a node's edges. If it
// was interrupted, the same call continues.
func (db *DB) Empty(ctx context.Context, o EmptyOptions) (e Emptied, err error) {
	release, err := db.Hold(ctx, HoldOptions{Wait: o.Wait})
	if err != nil {
		return e, err
	}
	defer release()
	step := func(n *int, text string) error {
		for {
			gone := 0
			err := db.in(ctx, true, func(t *tx) (err error) {
				if gone, err = t.count(text, db.with(map[string]any{"batch": emptyBatch})); err == nil && gone > 0 {
					err = t.stamp(db)
				}
				return err
			})
			if err != nil || gone == 0 {
				return err
			}
			*n += gone
			if o.Progress != nil {
				o.Progress(e)
			}
		}
	}
	edges, nodes := db.ownEdges(), "MATCH (n:"+baseLabel+") WHERE "+db.owned("n")
	if o.All {
		edges, nodes = "MATCH ()-[r]->()", "MATCH (n) WHERE NOT n:"+heldLabel+" AND NOT n:"+changeLabel
	}
	if err := step(&e.Edges, edges+" WITH r LIMIT $batch DELETE r RETURN count(*)"); err != nil {
		return e, err
	}
	// The rest are relationships that other programs created from their own nodes.
	if err := step(&e.Nodes, nodes+" WITH n LIMIT $batch DETACH DELETE n RETURN count(*)"); err != nil {
		return e, err
	}
	for _, label := range []string{changeLabel, heldLabel} { // records about the scope, or about all
		if err := db.do(ctx, "MATCH (g:"+label+") WHERE $all OR g.scope = $scope DELETE g", db.with(map[string]any{"all": o.All})); err != nil {
			return e, err
		}
	}
	if o.Constraints {
		e.Constraints, err = db.dropSchema(ctx)
	}
	return e, err
}

// dropSchema drops the constraints and indexes that this program makes, by their names.
func (db *DB) dropSchema(ctx context.Context) (dropped []string, err error) {
	for _, kind := range []string{"CONSTRAINT", "INDEX"} {
		names, err := ask(ctx, db, "SHOW "+kind+" YIELD name RETURN name ORDER BY name", nil, func(v []any) (string, bool) {
			name := text(v[0])
			return name, strings.HasPrefix(name, "node_") || strings.HasPrefix(name, "rel_") || strings.HasPrefix(name, "relx_") || strings.HasPrefix(name, "membench_") || name == heldConstraint
		})
		if err != nil {
			return dropped, err
		}
		for _, name := range names {
			if err := db.schemaChange(ctx, fmt.Sprintf("DROP %s %s IF EXISTS", kind, quoted(name))); err != nil {
				return dropped, err
			}
			dropped = append(dropped, name)
		}
	}
	db.mu.Lock()
	clear(db.ready)
	db.have, db.recorded, db.scopes = nil, false, false
	db.mu.Unlock()
	return dropped, nil
}

// ScopeSize is one graph of a database.
type ScopeSize struct {
	Scope string `json:"scope"` // "" is the unnamed one
	Nodes int    `json:"nodes"`
}

// Scopes lists the graphs that the database holds, by name.
func (db *DB) Scopes(ctx context.Context) ([]ScopeSize, error) {
	return ask(ctx, db, "MATCH (n:"+baseLabel+") WHERE n."+hashProp+" IS NOT NULL RETURN coalesce(n.scope, '') AS scope, count(*) ORDER BY scope", nil,
		func(v []any) (ScopeSize, bool) { return ScopeSize{text(v[0]), number(v[1])}, true })
}

// Others counts the nodes that are not of this program.
func (db *DB) Others(ctx context.Context) (n int, err error) {
	err = db.in(ctx, false, func(t *tx) error {
		n, err = t.count("MATCH (n) WHERE NOT (n:"+baseLabel+" AND n."+hashProp+" IS NOT NULL) AND NOT n:"+heldLabel+" AND NOT n:"+changeLabel+" RETURN count(*)", nil)
		return err
	})
	return n, err
}
