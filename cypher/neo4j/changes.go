package neo4j

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/schema"
)

// The record of a scope counts the transactions that changed it: g.rev, in a record of g.epoch. Apply notes in the same transaction which elements it changed
// or deleted, as one node of changeLabel under the number. So a reader of the scope at one revision can read the changes since then. A load, whose notes would
// be as long as the graph, sets g.since instead: nobody can continue from an earlier revision.
const changeLabel = "MembenchChange"

// keptChanges is how many notes are kept, at least.
const keptChanges = 1000

// note ends a transaction of Apply: it fails if another writer holds the scope.
func (t *tx) note(db *DB, b *batch, d *done) (revision string, err error) {
	nodes, edges := d.changed(b)
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	var rev int64
	_, err = t.quiet("MERGE (g:"+heldLabel+" {scope: $scope}) ON CREATE SET g.epoch = $epoch SET g.rev = coalesce(g.rev, 0) + 1, g.embedder = CASE $profile WHEN '' THEN g.embedder ELSE $profile END REMOVE g.digest "+
		"RETURN g.token, g.host, g.pid, g.until, timestamp(), g.epoch, g.rev", db.with(map[string]any{"epoch": rand.Text(), "profile": b.profile}), func(v []any) error {
		rev, _ = v[6].(int64)
		revision = revisionOf(v[5:])
		return heldBy(v, host, db.token())
	})
	if err != nil {
		return "", err
	}
	if _, err := t.quiet("CREATE (c:"+changeLabel+" {scope: $scope, rev: $rev, nodes: $nodes, edges: $edges})", db.with(map[string]any{"rev": rev, "nodes": nodes, "edges": edges}), nil); err != nil {
		return "", err
	}
	if rev%(keptChanges/4) == 0 {
		_, err = t.quiet("MATCH (g:"+heldLabel+" {scope: $scope}) SET g.since = CASE WHEN coalesce(g.since, 0) < $old THEN $old ELSE g.since END WITH g MATCH (c:"+changeLabel+" {scope: $scope}) WHERE c.rev <= $old DELETE c",
			db.with(map[string]any{"old": rev - keptChanges}), nil)
	}
	return revision, err
}

// recordState asks for the epoch, the revision and the first revision that can be gone on
// from, of a scope that has a record.
const recordState = "MATCH (g:" + heldLabel + " {scope: $scope}) RETURN coalesce(g.epoch, ''), coalesce(g.rev, 0), coalesce(g.since, 0)"

func revisionOf(v []any) string {
	epoch, _ := v[0].(string)
	rev, _ := v[1].(int64)
	return epoch + ":" + strconv.FormatInt(rev, 10)
}

// changed are the keys of the nodes that changed, and of the edges behind their type.
func (d *done) changed(b *batch) (nodes, edges []string) {
	nodes, edges = []string{}, []string{}
	for i, f := range d.nodes {
		if f == created || f == updated {
			nodes = append(nodes, b.nodes[i].id)
		}
	}
	for i, f := range d.edges {
		if f == created || f == updated {
			edges = append(edges, b.edges[i].typ+"\x00"+b.edges[i].id)
		}
	}
	for i, was := range d.delNodes {
		if was {
			nodes = append(nodes, b.delNodes[i].id)
		}
	}
	for i, was := range d.delEdges {
		if was {
			edges = append(edges, b.delEdges[i].typ+"\x00"+b.delEdges[i].id)
		}
	}
	return nodes, edges
}

// Since returns the changes in the scope since a revision: puts of elements that exist now, deletes of removed ones. known is false if they cannot be
// determined.
func (db *DB) Since(ctx context.Context, revision string) (changes []schema.Change, now string, known bool, err error) {
	epoch, text, _ := strings.Cut(revision, ":")
	rev, parsed := strconv.ParseInt(text, 10, 64)
	err = db.in(ctx, false, func(t *tx) error {
		changes, now, known = nil, "", false
		var to, since int64
		_, err := t.run(recordState, db.with(nil), func(v []any) error {
			to, _ = v[1].(int64)
			since, _ = v[2].(int64)
			now = revisionOf(v)
			known = parsed == nil && v[0] == epoch && rev >= since && rev <= to
			return nil
		})
		if err != nil || !known || rev == to {
			return err
		}
		var nodes, edges []string
		notes := int64(0)
		_, err = t.run("MATCH (c:"+changeLabel+" {scope: $scope}) WHERE c.rev > $from AND c.rev <= $to RETURN c.nodes, c.edges", db.with(map[string]any{"from": rev, "to": to}), func(v []any) error {
			notes++
			nodes, edges = append(nodes, texts(v[0])...), append(edges, texts(v[1])...)
			return nil
		})
		if err != nil {
			return err
		}
		if known = notes == to-rev; !known {
			return nil
		}
		changes, err = t.current(db, nodes, edges)
		return err
	})
	return changes, now, known, err
}

// current reads elements by key: those that are gone become deletes.
func (t *tx) current(db *DB, nodes, edges []string) (out []schema.Change, err error) {
	there := map[string]bool{}
	nodes, edges = slices.Compact(slices.Sorted(slices.Values(nodes))), slices.Compact(slices.Sorted(slices.Values(edges)))
	_, err = t.run("UNWIND $ids AS id MATCH (n:"+baseLabel+" {id: id}) WHERE "+db.owned("n")+" RETURN n", db.with(map[string]any{"ids": nodes}), func(v []any) error {
		if n, ok := db.nodeOf(v); ok {
			there[string(n.ID)] = true
			out = append(out, schema.Change{Op: schema.OpPut, New: schema.Element{Node: &n}})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range nodes {
		if id := db.unkey(key); !there[id] {
			out = append(out, schema.Change{Op: schema.OpDelete, Old: schema.Element{Node: &schema.Node{ID: schema.NodeID(id)}}})
		}
	}
	byType := map[string][]string{}
	for _, key := range edges {
		typ, id, _ := strings.Cut(key, "\x00")
		byType[typ] = append(byType[typ], id)
	}
	for _, typ := range slices.Sorted(maps.Keys(byType)) {
		clear(there)
		pattern := "[r {id: id}]"
		if typ != "" {
			pattern = "[r:" + quoted(typ) + " {id: id}]"
		}
		_, err := t.run("UNWIND $ids AS id MATCH (a:"+baseLabel+")-"+pattern+"->(b:"+baseLabel+") WHERE r."+hashProp+" IS NOT NULL RETURN r, a.id, b.id", map[string]any{"ids": byType[typ]}, func(v []any) error {
			r, ok := v[0].(driver.Relationship)
			if !ok {
				return fmt.Errorf("the server answered %T for a relationship", v[0])
			}
			e := db.edge(r, v[1], v[2])
			there[string(e.ID)] = true
			out = append(out, schema.Change{Op: schema.OpPut, New: schema.Element{Edge: &e}})
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, key := range byType[typ] {
			if id := db.unkey(key); !there[id] {
				out = append(out, schema.Change{Op: schema.OpDelete, Old: schema.Element{Edge: &schema.Edge{ID: schema.EdgeID(id), Type: typ}}})
			}
		}
	}
	return out, nil
}

// Page reads nodes by a range of ids, and the edges that leave them.
func (db *DB) Page(ctx context.Context, from, to schema.NodeID) (out []schema.Element, err error) {
	in := "MATCH (n:" + baseLabel + ") WHERE n.id >= $from AND ($to = '' OR n.id < $to) AND " + db.owned("n")
	end := ""
	if to != "" {
		end = db.key(string(to))
	}
	params := map[string]any{"from": db.key(string(from)), "to": end}
	err = db.in(ctx, false, func(t *tx) error {
		out, err = db.elements(t, in, in+" MATCH (n)-[r]->(m:"+baseLabel+") WHERE r."+hashProp+" IS NOT NULL", db.with(params))
		return err
	})
	return out, err
}

// StoredVectors reads the vectors of the scope where this embedder made them.
func (db *DB) StoredVectors(ctx context.Context, profile string) (out map[schema.NodeID][]float32, err error) {
	held, err := db.Held(ctx)
	if err != nil || held.Embedder != profile {
		return nil, err
	}
	err = db.in(ctx, false, func(t *tx) error {
		out = map[schema.NodeID][]float32{}
		_, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+" AND n."+vectorProp+" IS NOT NULL RETURN n.id, n."+vectorProp, db.with(nil), func(v []any) error {
			out[schema.NodeID(db.unkey(text(v[0])))] = narrow(v[1])
			return nil
		})
		return err
	})
	return out, err
}
