package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher"
)

// heldConstraint makes one record of each scope.
const heldConstraint = "membench_load_unique"

// A rule is a constraint or an index as the server lists it.
type rule struct {
	name, kind    string
	state         string // of an index; of a constraint NODE or RELATIONSHIP
	labels, props []string
}

// list asks for CONSTRAINTS with entityType, or INDEXES with state.
func (db *DB) list(ctx context.Context, what, state string) ([]rule, error) {
	return ask(ctx, db, "SHOW "+what+" YIELD name, type, "+state+", labelsOrTypes, properties", nil, func(v []any) (rule, bool) {
		return rule{text(v[0]), text(v[1]), text(v[2]), texts(v[3]), texts(v[4])}, true
	})
}

// unique reports whether c makes id unique on a label (NODE) or type (RELATIONSHIP):
// a uniqueness constraint, or the key constraint that Enterprise has.
func (c rule) unique(entity, label string) bool {
	return c.state == entity && slices.Equal(c.labels, []string{label}) && slices.Equal(c.props, []string{"id"}) &&
		(strings.Contains(c.kind, "UNIQUE") || strings.HasSuffix(c.kind, "_KEY"))
}

func texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, x := range list {
		s, _ := x.(string)
		out = append(out, s)
	}
	return out
}

// look reads the constraints of the database, and records those that make ids unique. One look serves a DB until it makes constraints itself: constraints that
// another client makes in the meantime are created here with IF NOT EXISTS.
func (db *DB) look(ctx context.Context) error {
	have, err := db.list(ctx, "CONSTRAINTS", "entityType")
	if err != nil {
		return err
	}
	db.have = have
	for _, c := range have {
		switch {
		case c.name == heldConstraint:
			db.recorded = true
		case c.unique("NODE", baseLabel):
			db.ready[""] = true
		case len(c.labels) == 1 && c.unique("RELATIONSHIP", c.labels[0]):
			db.ready[c.labels[0]] = true
		}
	}
	return nil
}

// ensureRecord sees to it that a scope has one record, and its changes are found.
func (db *DB) ensureRecord(ctx context.Context) (made []string, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.recorded {
		if err := db.look(ctx); err != nil {
			return nil, err
		}
	}
	if db.recorded {
		return nil, nil
	}
	if err := db.makeOnce(ctx, "CREATE CONSTRAINT "+heldConstraint+" IF NOT EXISTS FOR (g:"+heldLabel+") REQUIRE g.scope IS UNIQUE"); err != nil {
		return nil, err
	}
	if err := db.makeOnce(ctx, "CREATE INDEX membench_change IF NOT EXISTS FOR (c:"+changeLabel+") ON (c.scope, c.rev)"); err != nil {
		return nil, err
	}
	made = append(made, heldConstraint)
	if err := db.await(ctx); err != nil {
		return made, err
	}
	// The server learns a name in a transaction of its own, which a follower of a scope would take for an unannounced change.
	if err := db.schemaChange(ctx, "CREATE (c:"+changeLabel+" {scope: '', rev: 0, nodes: [], edges: [], embedder: '', "+vectorProp+": []}) DELETE c"); err != nil {
		return made, err
	}
	db.recorded = true
	return made, nil
}

// ensure makes ids unique on nodes and on the given types, and returns the constraints it made, in a transaction of their own: Neo4j does not mix them with
// data.
func (db *DB) ensure(ctx context.Context, types ...string) (made []string, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.have == nil {
		if err := db.look(ctx); err != nil {
			return nil, err
		}
	}
	if !db.scopes {
		if err := db.makeOnce(ctx, "CREATE INDEX node_scope IF NOT EXISTS FOR (n:"+baseLabel+") ON (n.scope)"); err != nil {
			return nil, err
		}
		db.scopes = true
	}
	lacking := func() (todo []string) {
		for _, t := range append([]string{""}, types...) {
			if !db.ready[t] && !slices.Contains(todo, t) {
				todo = append(todo, t)
			}
		}
		return todo
	}
	todo := lacking()
	if len(todo) == 0 {
		return nil, nil
	}
	for again := false; ; again = true {
		names, err := db.constrain(ctx, todo)
		if e := db.look(ctx); e != nil {
			return append(made, names...), errors.Join(err, e)
		}
		for i, name := range names {
			if db.ready[todo[i]] {
				made = append(made, name)
			}
		}
		if todo = lacking(); len(todo) == 0 {
			return made, db.await(ctx)
		}
		// A name was taken meanwhile, or something is left of a constraint that was not finished.
		cleared, e := false, error(nil)
		if !again {
			cleared, e = db.dropLeftovers(ctx, todo)
		}
		switch {
		case e != nil:
			return made, e
		case !again && (cleared || err == nil):
		case err != nil:
			return made, err
		default:
			entity, label := constrained(todo[0])
			return made, fmt.Errorf("making ids unique on %s %s: constraint %s was accepted but does not exist (is there an index of that name?)", strings.ToLower(entity), label, cypher.ConstraintName(todo[0]))
		}
	}
}

// constrain makes the missing constraints of types: all in one transaction, or, if one cannot be made, one after the other, to name that one in the error.
func (db *DB) constrain(ctx context.Context, todo []string) (made []string, err error) {
	names, list := make([]string, len(todo)), make([]string, len(todo))
	for i, typ := range todo {
		names[i] = cypher.ConstraintName(typ)
		for slices.ContainsFunc(db.have, func(c rule) bool { return c.name == names[i] }) {
			names[i] += "_" // the name is taken by something else: IF NOT EXISTS would silently do nothing
		}
		if list[i], err = cypher.Constraint(typ, names[i]); err != nil {
			return nil, err
		}
	}
	if len(todo) > 1 {
		if err := db.schemaChange(ctx, list...); err == nil {
			return names, nil
		}
	}
	for i, typ := range todo {
		if err := db.makeOnce(ctx, list[i]); err != nil {
			entity, label := constrained(typ)
			return made, fmt.Errorf("making ids unique on %s %s: %w", strings.ToLower(entity), label, db.duplicates(ctx, err, typ, label))
		}
		made = append(made, names[i])
	}
	return made, nil
}

// dropLeftovers drops indexes that block the constraints of types.
func (db *DB) dropLeftovers(ctx context.Context, types []string) (dropped bool, err error) {
	left, err := db.leftovers(ctx)
	if err != nil {
		return false, err
	}
	for _, typ := range types {
		name := cypher.ConstraintName(typ)
		for ; left[name] != ""; name += "_" {
			if _, label := constrained(typ); left[name] != label {
				continue
			}
			if err := db.schemaChange(ctx, "DROP INDEX "+quoted(name)+" IF EXISTS"); err != nil {
				return dropped, err
			}
			dropped = true
		}
	}
	return dropped, nil
}

// leftovers returns the names of indexes of unfinished constraints, because the server's disk was full or it was killed, with their types: under such a name no
// constraint can be made.
func (db *DB) leftovers(ctx context.Context) (out map[string]string, err error) {
	out = map[string]string{}
	left, err := ask(ctx, db, "SHOW INDEXES YIELD name, labelsOrTypes, properties, owningConstraint WHERE owningConstraint IS NULL AND properties = ['id'] AND size(labelsOrTypes) = 1 RETURN name, labelsOrTypes[0]",
		nil, func(v []any) ([2]string, bool) { return [2]string{text(v[0]), text(v[1])}, true })
	for _, x := range left {
		out[x[0]] = x[1]
	}
	return out, err
}

// constrained returns the target of a type's constraint; the nodes' for "".
func constrained(typ string) (entity, label string) {
	if typ == "" {
		return "NODE", baseLabel
	}
	return "RELATIONSHIP", typ
}

func (db *DB) schemaChange(ctx context.Context, texts ...string) error {
	return db.in(ctx, true, func(t *tx) error {
		for _, text := range texts {
			if _, err := t.run(text, nil, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// makeOnce makes something of the schema that another load may be making now; whether
// it is there must be looked up afterwards.
func (db *DB) makeOnce(ctx context.Context, text string) error {
	err := db.schemaChange(ctx, text)
	if ne, ok := errors.AsType[*driver.Neo4jError](err); ok && strings.HasSuffix(ne.Title(), "AlreadyExists") {
		return nil
	}
	return err
}

// duplicates adds to err, of a constraint that was not made, the ids that several
// elements have.
func (db *DB) duplicates(ctx context.Context, err error, typ, label string) error {
	var ne *driver.Neo4jError
	if !errors.As(err, &ne) || !strings.Contains(ne.Title(), "ConstraintCreationFailed") {
		return err
	}
	pattern := "(x:" + quoted(label) + ")"
	if typ != "" {
		pattern = "()-[x:" + quoted(label) + "]-()"
	}
	const most = 5
	ids, e := ask(ctx, db, "MATCH "+pattern+" WHERE x.id IS NOT NULL WITH x.id AS id, count(DISTINCT x) AS n, count(DISTINCT CASE WHEN x."+hashProp+" IS NULL THEN x END) AS foreign WHERE n > 1 RETURN id, n, foreign ORDER BY toString(id) LIMIT $most",
		map[string]any{"most": most + 1}, func(v []any) (string, bool) {
			return fmt.Sprintf("%s (%v times, %v of them not by membench)", raw(v[0]), v[1], v[2]), true
		})
	if e != nil || len(ids) == 0 {
		return err
	}
	if len(ids) > most {
		ids[most] = "and more"
	}
	return fmt.Errorf("%w: %s: give these elements different ids, or another label or type than %s", ErrDuplicates, strings.Join(ids, ", "), label)
}

// types are the edge types that have a constraint, sorted.
func (db *DB) types() []string {
	db.mu.Lock()
	defer db.mu.Unlock()
	var out []string
	for t := range db.ready {
		if t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}
