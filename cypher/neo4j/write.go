package neo4j

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"membench/cypher"
	"membench/schema"
)

// A batch is the content of one transaction. Ids in it are distinct per list, and an id is put or deleted, not both.
type batch struct {
	nodes, edges       []row // to put
	delNodes, delEdges []row // to delete
	fresh              bool  // nothing of the puts is there, it seems: do not look
	dry                bool  // only look
	exact              bool  // labels and properties that others added go, and their nodes in our place
	otherTypes         []string

	apply   bool   // not a load: the writer holds no lease, and records the changes
	profile string // of the embedder of the vectors that come with it
}

func (b *batch) len() int { return len(b.nodes) + len(b.edges) + len(b.delNodes) + len(b.delEdges) }

// fate is the result of a row.
type fate uint8

const (
	unchanged fate = iota
	created
	updated
	deleted
	dangling // an end is missing
	taken    // another program's element has the id
)

// done is the account of a batch.
type done struct {
	nodes, edges       []fate // of the puts, by index
	delNodes, delEdges []bool // whether it was there
	detached           int    // edges that went with their nodes
	missing            []end  // of the dangling edges
	wrote              bool
	revision           string // of the scope, after apply
}

// end is a missing end of an edge.
type end struct {
	edge     int
	src, dst bool
}

// state is the stored element with a row's id.
type state struct {
	there, same bool
	foreign     bool           // this program did not write it
	moved       bool           // an edge between other nodes
	labels      []string       // of a node that is not the same
	props       map[string]any // of an element that is not the same
	typ         string         // of an edge that has another type
	keep        []string       // labels that others added to a node
}

// told enters the properties of a different element.
func (s *state) told(props any) {
	if s.props, _ = props.(map[string]any); s.props != nil {
		_, ours := s.props[hashProp].(string)
		s.foreign = !ours
	}
}

// alike returns the further condition for x to be unchanged, in addition to an equal hash: if other programs' additions are removed, it must have as many
// properties and labels as the record.
func (b *batch) alike(x string) string {
	switch {
	case !b.exact:
		return ""
	case x == "r":
		return " AND size(keys(r)) = row.p"
	}
	return " AND size([k IN keys(n) WHERE k <> '" + vectorProp + "']) = row.p AND size(labels(n)) = row.l"
}

// write does a batch in t. It is called again when the transaction is repeated.
func (t *tx) write(db *DB, b *batch) (*done, error) {
	d := &done{nodes: make([]fate, len(b.nodes)), edges: make([]fate, len(b.edges)),
		delNodes: make([]bool, len(b.delNodes)), delEdges: make([]bool, len(b.delEdges))}
	nodes, err := t.nodeStates(b)
	if err != nil {
		return nil, err
	}
	edges, err := t.edgeStates(b)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		states []state
		fates  []fate
	}{{nodes, d.nodes}, {edges, d.edges}} {
		for i, s := range part.states {
			if s.foreign && !b.exact {
				part.fates[i] = taken
			}
		}
	}
	if !b.dry {
		idle, err := t.idle(b, d, nodes, edges)
		if idle || err != nil {
			return d, err
		}
		b.keep(nodes, edges)
	}
	if err := t.deleteEdges(b, d, edges); err != nil {
		return nil, err
	}
	if err := t.deleteNodes(b, d); err != nil {
		return nil, err
	}
	if err := t.putNodes(b, d, nodes); err != nil {
		return nil, err
	}
	if err := t.putEdges(b, d, edges); err != nil || b.dry {
		return d, err
	}
	d.wrote = true
	if b.apply {
		d.revision, err = t.note(db, b, d)
		return d, err
	}
	return d, t.stamp(db)
}

// idle reports whether the database is as the batch wants it.
func (t *tx) idle(b *batch, d *done, nodes, edges []state) (bool, error) {
	other := func(s state) bool { return !s.same && (!s.foreign || b.exact) }
	if slices.ContainsFunc(nodes, other) || slices.ContainsFunc(edges, other) {
		return false, nil
	}
	if len(b.delNodes)+len(b.delEdges) == 0 {
		return true, nil
	}
	look := *b
	look.dry = true
	if err := t.deleteEdges(&look, d, edges); err != nil {
		return false, err
	}
	if err := t.deleteNodes(&look, d); err != nil {
		return false, err
	}
	return !slices.Contains(d.delNodes, true) && !slices.Contains(d.delEdges, true), nil
}

func (t *tx) nodeStates(b *batch) ([]state, error) {
	out := make([]state, len(b.nodes))
	if b.fresh || len(b.nodes) == 0 {
		return out, nil
	}
	rows := params(all(len(b.nodes)), func(i int) map[string]any {
		r := b.nodes[i]
		return map[string]any{"i": i, "id": r.id, "h": r.hash, "p": r.size(), "l": len(r.labels) + 1}
	})
	_, err := t.run("UNWIND $rows AS row MATCH (n:"+baseLabel+" {id: row.id}) WITH row, n, coalesce(n._hash = row.h AND n.scope = $scope"+b.alike("n")+", false) AS same "+
		"RETURN row.i, same, CASE WHEN same THEN [] ELSE labels(n) END, CASE WHEN same THEN null ELSE properties(n) END", t.db.with(map[string]any{"rows": rows}), func(v []any) error {
		i, err := index(v[0], len(out))
		if err != nil {
			return err
		}
		same, _ := v[1].(bool)
		out[i] = state{there: true, same: same, labels: texts(v[2])}
		out[i].told(v[3])
		return nil
	})
	return out, err
}

func index(v any, n int) (int, error) {
	i, ok := v.(int64)
	if !ok || i < 0 || int(i) >= n {
		return 0, fmt.Errorf("the server answered %v for the number of a row of %d", v, n)
	}
	return int(i), nil
}

func (t *tx) edgeStates(b *batch) ([]state, error) {
	out := make([]state, len(b.edges))
	if b.fresh || len(b.edges) == 0 {
		return out, nil
	}
	look := func(typ string, which []int) error {
		rows := params(which, func(i int) map[string]any {
			r := b.edges[i]
			return map[string]any{"i": i, "id": r.id, "h": r.hash, "s": r.src, "t": r.dst, "p": len(r.props)}
		})
		_, err := t.run("UNWIND $rows AS row MATCH (a)-[r:"+quoted(typ)+" {id: row.id}]->(b) WITH row, r, a, b, coalesce(r._hash = row.h AND r.scope = $scope"+b.alike("r")+", false) AS same "+
			"RETURN row.i, same, NOT same AND coalesce(a.id <> row.s OR b.id <> row.t, true), CASE WHEN same THEN null ELSE properties(r) END", t.db.with(map[string]any{"rows": rows}), func(v []any) error {
			i, err := index(v[0], len(out))
			if err != nil {
				return err
			}
			s := state{there: true}
			s.same, _ = v[1].(bool)
			s.moved, _ = v[2].(bool)
			s.told(v[3])
			if typ != b.edges[i].typ {
				s.typ, s.same, s.moved = typ, false, true
			}
			out[i] = s
			return nil
		})
		return err
	}
	for _, g := range group(b.edges, all(len(b.edges)), func(r row) string { return r.typ }) {
		if err := look(b.edges[g[0]].typ, g); err != nil {
			return nil, err
		}
	}
	// An id under another type than it has now; ids of our grammar name their type.
	var odd []int
	for i, r := range b.edges {
		if !out[i].there && len(b.otherTypes) > 0 && !strings.HasPrefix(r.rec.V.ID(), "edge:"+r.typ+":") {
			odd = append(odd, i)
		}
	}
	for _, typ := range b.otherTypes {
		which := slices.DeleteFunc(slices.Clone(odd), func(i int) bool { return b.edges[i].typ == typ })
		if len(which) > 0 {
			if err := look(typ, which); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (t *tx) deleteEdges(b *batch, d *done, states []state) error {
	// Deleted for good, counted.
	for _, g := range group(b.delEdges, all(len(b.delEdges)), func(r row) string { return r.typ }) {
		typ := ""
		if name := b.delEdges[g[0]].typ; name != "" {
			typ = ":" + quoted(name)
		}
		verb := "WITH row, r, row.i AS i DELETE r RETURN i"
		if b.dry {
			verb = "RETURN row.i"
		}
		_, err := t.run("UNWIND $rows AS row MATCH (:"+baseLabel+")-[r"+typ+" {id: row.id}]->() WHERE r."+hashProp+" IS NOT NULL "+verb, map[string]any{"rows": ids(b.delEdges, g)}, func(v []any) error {
			i, err := index(v[0], len(d.delEdges))
			if err == nil {
				d.delEdges[i] = true
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if b.dry {
		return nil
	}
	// Deleted to be made again between other nodes, or under another type.
	var moved []int
	for i, s := range states {
		if s.moved {
			moved = append(moved, i)
		}
	}
	oldType := func(i int) string { return cmp.Or(states[i].typ, b.edges[i].typ) }
	slices.SortStableFunc(moved, func(i, j int) int { return strings.Compare(oldType(i), oldType(j)) })
	for len(moved) > 0 {
		n := 1
		for n < len(moved) && oldType(moved[n]) == oldType(moved[0]) {
			n++
		}
		if _, err := t.run("UNWIND $rows AS row MATCH ()-[r:"+quoted(oldType(moved[0]))+" {id: row.id}]->() DELETE r", map[string]any{"rows": ids(b.edges, moved[:n])}, nil); err != nil {
			return err
		}
		moved = moved[n:]
	}
	return nil
}

// params makes the rows of a statement of those that are named by their numbers.
func params(which []int, of func(i int) map[string]any) []map[string]any {
	out := make([]map[string]any, len(which))
	for k, i := range which {
		out[k] = of(i)
	}
	return out
}

func ids(rows []row, which []int) []map[string]any {
	return params(which, func(i int) map[string]any { return map[string]any{"i": i, "id": rows[i].id} })
}

// put runs a statement that answers with how many of the rows it took, and wants all of them.
func (t *tx) put(text string, rows []map[string]any, what string) error {
	n, err := t.count(text, map[string]any{"rows": rows})
	if err == nil && n != len(rows) {
		err = fmt.Errorf("the server took %d of %d %s", n, len(rows), what)
	}
	return err
}

func (t *tx) deleteNodes(b *batch, d *done) error {
	if len(b.delNodes) == 0 {
		return nil
	}
	verb := "WITH n, row.i AS i DETACH DELETE n RETURN i"
	if b.dry {
		verb = "RETURN row.i"
	}
	c, err := t.run("UNWIND $rows AS row MATCH (n:"+baseLabel+" {id: row.id}) WHERE n."+hashProp+" IS NOT NULL "+verb, map[string]any{"rows": ids(b.delNodes, all(len(b.delNodes)))}, func(v []any) error {
		i, err := index(v[0], len(d.delNodes))
		if err == nil {
			d.delNodes[i] = true
		}
		return err
	})
	if err == nil {
		d.detached = c.RelationshipsDeleted()
	}
	return err
}

func (t *tx) putNodes(b *batch, d *done, states []state) error {
	const sep = "\x00" // in no label
	var todo []int
	for i, s := range states {
		switch {
		case s.same:
		case d.nodes[i] == taken:
		case s.there:
			d.nodes[i] = updated
			todo = append(todo, i)
		default:
			d.nodes[i] = created
			todo = append(todo, i)
		}
	}
	if b.dry {
		return nil
	}
	// One statement per set of labels to set and to take away: the labels are in its text.
	gone := func(i int) []string {
		return slices.DeleteFunc(slices.Clone(states[i].labels), func(l string) bool {
			return l == baseLabel || slices.Contains(b.nodes[i].labels, l) || slices.Contains(states[i].keep, l)
		})
	}
	groups := map[string][]int{}
	var order []string
	for _, i := range todo {
		k := strings.Join(b.nodes[i].labels, sep) + sep + sep + strings.Join(gone(i), sep)
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, k := range order {
		g := groups[k]
		text := string(cypher.Form{ID: "row.id", Props: "row", Fresh: b.fresh}.Nodes([]byte("UNWIND $rows AS row "), b.nodes[g[0]].labels))
		if l := gone(g[0]); len(l) > 0 {
			text += " REMOVE n" + colons(l)
		}
		rows := params(g, func(i int) map[string]any { return b.nodes[i].props })
		if err := t.put(text+" RETURN count(*)", rows, "nodes"+colons(b.nodes[g[0]].labels)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putEdges(b *batch, d *done, states []state) error {
	var fresh, set []int
	for i, s := range states {
		switch {
		case s.same:
		case d.edges[i] == taken:
		case s.there && !s.moved:
			d.edges[i] = updated
			set = append(set, i)
		default:
			d.edges[i] = created
			if s.there {
				d.edges[i] = updated
			}
			fresh = append(fresh, i)
		}
	}
	if b.dry {
		return t.dangling(b, d, fresh)
	}
	for _, g := range group(b.edges, set, func(r row) string { return r.typ }) {
		text := "UNWIND $rows AS row MATCH ()-[r:" + quoted(b.edges[g[0]].typ) + " {id: row.id}]->() SET r = row RETURN count(*)"
		rows := params(g, func(i int) map[string]any { return b.edges[i].props })
		if err := t.put(text, rows, "edges of type "+b.edges[g[0]].typ); err != nil {
			return err
		}
	}
	form := cypher.Form{ID: "row.p.id", Src: "row.s", Dst: "row.t", Props: "row.p", Fresh: b.fresh}
	groups := group(b.edges, fresh, func(r row) string { return r.typ })
	of := func(g []int) string { return "type " + b.edges[g[0]].typ }
	if b.fresh && t.db.dynamic && len(groups) > 1 { // one plan, and one statement, for edges of all types
		form.Type, groups = "row.p.type", [][]int{fresh}
		of = func([]int) string { return "all types" }
	}
	for _, g := range groups {
		// An end that is not there makes no row, so the answer counts the rows made.
		text := string(form.Edges([]byte("UNWIND $rows AS row "), b.edges[g[0]].typ)) + " RETURN count(*)"
		rows := params(g, func(i int) map[string]any {
			return map[string]any{"s": b.edges[i].src, "t": b.edges[i].dst, "p": b.edges[i].props}
		})
		n, err := t.count(text, map[string]any{"rows": rows})
		if err != nil {
			return err
		}
		if n != len(g) {
			before := len(d.missing)
			if err := t.dangling(b, d, g); err != nil {
				return err
			}
			if len(d.missing)-before != len(g)-n {
				return fmt.Errorf("the server took %d of %d edges of %s, but only %d lack a node at one end", n, len(g), of(g), len(d.missing)-before)
			}
		}
	}
	return nil
}

// dangling marks the edges with a missing end.
func (t *tx) dangling(b *batch, d *done, which []int) error {
	rows := params(which, func(i int) map[string]any { return map[string]any{"i": i, "s": b.edges[i].src, "t": b.edges[i].dst} })
	_, err := t.run("UNWIND $rows AS row OPTIONAL MATCH (a:"+baseLabel+" {id: row.s}) OPTIONAL MATCH (b:"+baseLabel+" {id: row.t}) "+
		"WITH row.i AS i, a."+hashProp+" IS NULL AS noA, b."+hashProp+" IS NULL AS noB WHERE noA OR noB RETURN i, noA, noB", map[string]any{"rows": rows}, func(v []any) error {
		i, err := index(v[0], len(d.edges))
		if err != nil {
			return err
		}
		e := end{edge: i}
		e.src, _ = v[1].(bool)
		e.dst, _ = v[2].(bool)
		d.missing = append(d.missing, e)
		d.edges[i] = dangling
		return nil
	})
	return err
}

// finding names a dangling edge.
func (e end) finding(r row) *schema.Finding {
	f := &schema.Finding{Pos: r.rec.Pos, Code: "GRF031", Pointer: "/dst", Have: string(r.rec.V.Edge.Dst),
		Message: "edge " + r.rec.V.ID() + " ends at a node that is not in the database", Hint: "load the node in the same call or before"}
	if e.src {
		f.Pointer, f.Have = "/src", string(r.rec.V.Edge.Src)
		f.Message = "edge " + r.rec.V.ID() + " starts at a node that is not in the database"
	}
	return f
}

// taken names an element whose id another program's element has.
func (r row) taken() *schema.Finding {
	what := "a node with the label " + baseLabel
	if r.typ != "" {
		what = "a relationship of type " + r.typ
	}
	return &schema.Finding{Pos: r.rec.Pos, Code: "GRF044", Pointer: "/id", Have: r.rec.V.ID(), Message: "the id belongs to " + what + " that membench did not write: skipped", Hint: "--exact takes it over; or load with --scope NAME, which keeps its ids apart"}
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// group splits indexes by key, groups by first appearance.
func group(rows []row, which []int, key func(row) string) (out [][]int) {
	at := map[string]int{}
	for _, i := range which {
		k := key(rows[i])
		j, ok := at[k]
		if !ok {
			j = len(out)
			at[k] = j
			out = append(out, nil)
		}
		out[j] = append(out[j], i)
	}
	return out
}
