package neo4j

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher"
	"membench/graph"
	"membench/schema"
)

// page is how many nodes one question asks for.
const page = 1000

// mine returns the condition that x belongs to the scope; it is empty for the unnamed graph.
func (db *DB) mine(x string) string {
	return x + ".scope = $scope"
}

// owned is the condition that this program wrote x, an element of the scope. Only such
// elements are read, deleted, cleared and counted as ours: a foreign program may use our
// base label.
func (db *DB) owned(x string) string {
	return db.mine(x) + " AND " + cypher.Marked(x)
}

// ownEdges matches the edges (r) of the scope that this program wrote, from n to m.
func (db *DB) ownEdges() string {
	return "MATCH (n:" + baseLabel + ")-[r]->(m:" + baseLabel + ") WHERE " + cypher.Marked("r") + " AND " + db.owned("n")
}

func (db *DB) with(params map[string]any) map[string]any {
	if params == nil {
		params = map[string]any{}
	}
	params["scope"] = db.scope
	return params
}

// Node returns the node of an id.
func (db *DB) Node(ctx context.Context, id schema.NodeID) (n schema.Node, ok bool, err error) {
	found, err := ask(ctx, db, "MATCH (n:"+baseLabel+" {id: $id}) RETURN n", map[string]any{"id": db.key(string(id))}, db.nodeOf)
	if len(found) == 0 {
		return n, false, err
	}
	return found[len(found)-1], true, err
}

// nodeOf reads a node that is the first value of a row.
func (db *DB) nodeOf(v []any) (n schema.Node, ok bool) {
	x, ok := v[0].(driver.Node)
	if ok {
		n = db.node(x)
	}
	return n, ok
}

// edgeOf reads an edge and its ends, the first values of a row.
func (db *DB) edgeOf(v []any) (e schema.Edge, ok bool) {
	r, ok := v[0].(driver.Relationship)
	if ok {
		e = db.edge(r, v[1], v[2])
	}
	return e, ok
}

// nodesByID fetches nodes; absent ones are absent from the map.
func (db *DB) nodesByID(ctx context.Context, ids []string) (map[string]schema.Node, error) {
	found, err := ask(ctx, db, "UNWIND $ids AS id MATCH (n:"+baseLabel+" {id: id}) RETURN n", map[string]any{"ids": ids}, db.nodeOf)
	out := make(map[string]schema.Node, len(found))
	for _, n := range found {
		out[string(n.ID)] = n
	}
	return out, err
}

// Nodes yields nodes by id. It asks for the ids first and sorts them here, since the
// server's order of text is another one: about 100 bytes a node are held.
func (db *DB) Nodes(ctx context.Context, f graph.Filter) iter.Seq2[schema.Node, error] {
	return func(yield func(schema.Node, error) bool) {
		if err := f.Check(); err != nil {
			yield(schema.Node{}, err)
			return
		}
		cond, err := db.accepts("n", f)
		if err != nil {
			return // a label that no node can have
		}
		ids, err := ask(ctx, db, "MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+cond.text+" RETURN n.id", db.with(cond.params), first)
		if err != nil {
			yield(schema.Node{}, err)
			return
		}
		slices.Sort(ids)
		for chunk := range slices.Chunk(ids, page) {
			got, err := db.nodesByID(ctx, chunk)
			if err != nil {
				yield(schema.Node{}, err)
				return
			}
			for _, id := range chunk {
				if n, ok := got[db.unkey(id)]; ok && !yield(n, nil) {
					return
				}
			}
		}
	}
}

// A condition is " AND …" with its parameters, "" for none.
type condition struct {
	text   string
	params map[string]any
}

// accepts is the condition that the filter accepts node x. It fails for labels that
// no node can have.
func (db *DB) accepts(x string, f graph.Filter) (c condition, err error) {
	c.params = map[string]any{}
	var or []string
	for _, l := range f.Labels {
		q, err := quote(l)
		if err == nil {
			or = append(or, x+":"+q)
		}
	}
	switch {
	case len(f.Labels) == 0:
	case len(or) == 0:
		return c, errors.New("no such label")
	default:
		c.text = " AND (" + strings.Join(or, " OR ") + ")"
	}
	for i, name := range slices.Sorted(maps.Keys(f.Props)) {
		k, v := fmt.Sprint("k", i), fmt.Sprint("v", i)
		c.params[k], c.params[v] = graph.PropName(name), f.Props[name]
		c.text += " AND " + x + "[$" + k + "] = $" + v
	}
	return c, nil
}

// typesOf is the pattern of an edge of one of the types; false when none can be.
func typesOf(r string, types []string) (string, bool) {
	var quoted []string
	for _, t := range types {
		if q, err := quote(t); err == nil {
			quoted = append(quoted, q)
		}
	}
	switch {
	case len(types) == 0:
		return r, true
	case len(quoted) == 0:
		return "", false
	}
	return r + ":" + strings.Join(quoted, "|"), true
}

// Neighbors yields the edges of a node by edge id. All of them are held while it runs.
func (db *DB) Neighbors(ctx context.Context, id schema.NodeID, d graph.Direction, f graph.Filter) iter.Seq2[schema.Edge, error] {
	return func(yield func(schema.Edge, error) bool) {
		if err := f.Check(); err != nil {
			yield(schema.Edge{}, err)
			return
		}
		cond, err := db.accepts("m", f)
		rel, ok := typesOf("r", f.Types)
		if err != nil || !ok {
			return
		}
		left, right := "-", "-"
		switch d {
		case graph.Out:
			right = "->"
		case graph.In:
			left = "<-"
		}
		text := "MATCH (n:" + baseLabel + " {id: $id})" + left + "[" + rel + "]" + right + "(m:" + baseLabel + ") WHERE r." + hashProp + " IS NOT NULL" + cond.text +
			" RETURN r, startNode(r).id, endNode(r).id"
		params := db.with(cond.params)
		params["id"] = db.key(string(id))
		out, err := ask(ctx, db, text, params, db.edgeOf)
		if err != nil {
			yield(schema.Edge{}, err)
			return
		}
		slices.SortFunc(out, func(a, b schema.Edge) int { return strings.Compare(string(a.ID), string(b.ID)) })
		for _, e := range out {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Apply makes the changes in one transaction, so they must fit the server's memory;
// Load and LoadChanges have no such limit.
func (db *DB) Apply(ctx context.Context, changes iter.Seq2[schema.Change, error]) (graph.Applied, error) {
	return db.ApplyVectors(ctx, changes, nil, "")
}

// ApplyVectors is Apply with vectors of nodes that it puts, in the same transaction.
func (db *DB) ApplyVectors(ctx context.Context, changes iter.Seq2[schema.Change, error], vectors map[schema.NodeID][]float32, profile string) (graph.Applied, error) {
	var a graph.Applied
	c := newCollector()
	for ch, err := range changes {
		err = cmp.Or(err, ctx.Err())
		var e schema.Element
		if err == nil {
			e, err = graph.Target(ch)
		}
		if err != nil {
			return graph.Applied{}, err
		}
		r, f := db.row(schema.Record[schema.Element]{V: e})
		if f != nil {
			return graph.Applied{}, f
		}
		if e.Node != nil && vectors[e.Node.ID] != nil {
			r.props[vectorProp] = wide(vectors[e.Node.ID])
		}
		a.Sent++
		c.add(ch.Op, r)
	}
	b := c.take()
	if b.len() == 0 {
		return a, ctx.Err()
	}
	if _, err := db.ensureRecord(ctx); err != nil {
		return graph.Applied{}, err
	}
	if _, err := db.ensure(ctx, b.edgeTypes()...); err != nil {
		return graph.Applied{}, err
	}
	b.otherTypes, b.apply, b.profile = db.types(), true, profile
	gone := map[string]bool{}
	for _, r := range b.delNodes {
		gone[r.id] = true
	}
	for i, r := range b.edges {
		if e := (end{edge: i, src: gone[r.src], dst: gone[r.dst]}); e.src || e.dst {
			return graph.Applied{}, e.finding(r)
		}
	}
	var d *done
	err := db.in(ctx, true, func(t *tx) error {
		var err error
		if d, err = t.write(db, b); err == nil && len(d.missing) > 0 {
			first := slices.MinFunc(d.missing, func(x, y end) int { return x.edge - y.edge })
			err = first.finding(b.edges[first.edge])
		}
		if err != nil {
			return err
		}
		if i := slices.Index(d.nodes, taken); i >= 0 {
			return b.nodes[i].taken()
		}
		if i := slices.Index(d.edges, taken); i >= 0 {
			return b.edges[i].taken()
		}
		return nil
	})
	if errors.Is(err, errTooBig) {
		err = fmt.Errorf("%w: give the server more heap, or send the changes in parts", err)
	}
	if err != nil {
		return graph.Applied{}, err
	}
	a.Revision = d.revision
	effective := 0
	for _, f := range d.nodes {
		if f != unchanged {
			a.Nodes++
		}
	}
	for _, f := range d.edges {
		if f != unchanged {
			a.Edges++
		}
	}
	for _, was := range slices.Concat(d.delNodes, d.delEdges) {
		if was {
			effective++
		}
	}
	a.Deleted = effective + d.detached
	a.Unchanged = a.Sent - effective - a.Nodes - a.Edges
	return a, nil
}

// Size counts the elements of the scope.
func (db *DB) Size(ctx context.Context) (nodes, edges int, err error) {
	err = db.in(ctx, false, func(t *tx) (err error) {
		nodes, edges, err = t.size(db)
		return err
	})
	return nodes, edges, err
}

func (t *tx) size(db *DB) (nodes, edges int, err error) {
	if nodes, err = t.count("MATCH (n:"+baseLabel+") WHERE "+db.owned("n")+" RETURN count(n)", db.with(nil)); err == nil && nodes > 0 {
		edges, err = t.count(db.ownEdges()+" RETURN count(r)", db.with(nil))
	}
	return nodes, edges, err
}
