package neo4j

import (
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"slices"
	"strconv"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/cypher"
	"membench/graph"
	"membench/schema"
)

// LoadOptions changes how Load works; the zero value is a plain load.
type LoadOptions struct {
	Batch   int  // elements a transaction; 0: 5000. Never more than 16 MiB of text
	DryRun  bool // say what would change, write nothing
	Prune   bool // delete what the scope holds and the input does not
	Rewrite bool // write every element, also where the database says that it is the same

	Report   func(*schema.Finding) // gets what was left out and why; may be nil
	Progress func(*Report)         // called after each transaction; may be nil
}

// DefaultBatch is a good size for elements of this kind: bigger ones are not faster.
const DefaultBatch = 5000

// batchBytes bounds a batch of long texts.
const batchBytes = 16 << 20

// Count is the account of one kind of element. Sent is the sum of the others.
type Count struct {
	Sent      int `json:"sent"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Deleted   int `json:"deleted"`
	Absent    int `json:"absent,omitzero"`   // to be deleted and not there
	LeftOut   int `json:"left_out,omitzero"` // each is a finding
}

func (c *Count) add(f fate) {
	c.Sent++
	switch f {
	case created:
		c.Created++
	case updated:
		c.Updated++
	case dangling:
		c.LeftOut++
	default:
		c.Unchanged++
	}
}

// A Report says what a load did, or, after a dry run, would do. It holds no clock:
// loading the same graph into the same database gives the same report.
type Report struct {
	Database    string            `json:"database"`
	Scope       string            `json:"scope,omitzero"`
	DryRun      bool              `json:"dry_run"`
	Nodes       Count             `json:"nodes"`
	Edges       Count             `json:"edges"`
	Labels      map[string]*Count `json:"labels"` // a node counts under each of its labels
	Types       map[string]*Count `json:"types"`
	Detached    int               `json:"detached"`    // edges that went with deleted nodes
	Constraints []string          `json:"constraints"` // made now
	Batches     int               `json:"batches"`
	Findings    map[string]int    `json:"findings"` // code → how many, warnings too
	Verified    *Verified         `json:"verified,omitzero"`
}

// Changed reports whether anything was written, or would be.
func (r *Report) Changed() bool {
	return r.Nodes.Created+r.Nodes.Updated+r.Nodes.Deleted+r.Edges.Created+r.Edges.Updated+r.Edges.Deleted+r.Detached > 0
}

// Load puts the elements of in, nodes before edges, and, with Prune, deletes what the
// scope holds beyond them. Batches are transactions of their own, so a load that was
// cut off is finished by loading again. Findings of the stream and elements that the
// database cannot hold go to Report and the rest goes on; an edge whose end is in
// neither the database nor the input before it is GRF031.
func Load(ctx context.Context, db *DB, in schema.Seq[schema.Element], o LoadOptions) (*Report, error) {
	return db.load(ctx, func(yield func(step, error) bool) {
		for rec, err := range in {
			if !yield(step{schema.OpPut, rec}, err) {
				return
			}
		}
	}, o)
}

// LoadChanges is Load for the steps from one graph to the next, as graph.Diff yields
// them. It is not atomic, which Apply is; the same changes again finish it. Prune is
// of no meaning here.
func LoadChanges(ctx context.Context, db *DB, in iter.Seq2[schema.Change, error], o LoadOptions) (*Report, error) {
	o.Prune = false
	return db.load(ctx, func(yield func(step, error) bool) {
		for c, err := range in {
			s := step{op: c.Op}
			var f *schema.Finding
			if err == nil || errors.As(err, &f) && f.Warning && c.Op != "" {
				e, e2 := graph.Target(c)
				s.rec.V = e
				err = errors.Join(err, e2)
			}
			if !yield(s, err) {
				return
			}
		}
	}, o)
}

type step struct {
	op  string
	rec schema.Record[schema.Element]
}

// seen is a set of elements: 16 bytes of digest, about 40 in all, for each.
type seen map[[16]byte]struct{}

func digest(kind byte, typ, id string) (d [16]byte) {
	sum := sha256.Sum256([]byte(string(kind) + typ + "\x00" + id))
	copy(d[:], sum[:])
	return d
}

type loader struct {
	db    *DB
	o     LoadOptions
	rep   *Report
	seen  seen            // nil unless asked for
	fresh bool            // the scope was empty
	odd   map[string]bool // labels and types that are no plain identifiers and were reported
}

func (l *loader) finding(f *schema.Finding) {
	l.rep.Findings[f.Code]++
	if l.o.Report != nil {
		l.o.Report(f)
	}
}

func (db *DB) load(ctx context.Context, in iter.Seq2[step, error], o LoadOptions) (*Report, error) {
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	l := &loader{db: db, o: o, odd: map[string]bool{}, rep: &Report{Database: db.database, Scope: db.scope, DryRun: o.DryRun, Constraints: []string{},
		Labels: map[string]*Count{}, Types: map[string]*Count{}, Findings: map[string]int{}}}
	if o.Prune || o.DryRun {
		l.seen = seen{}
	}
	if !o.DryRun {
		made, err := db.ensure(ctx)
		l.rep.Constraints = append(l.rep.Constraints, made...)
		if err != nil {
			return l.rep, err
		}
	}
	nodes, _, err := db.Size(ctx)
	if err != nil {
		return l.rep, err
	}
	l.fresh = nodes == 0 && !o.DryRun
	c := newCollector()
	flush := func() error {
		b := c.take()
		if b.len() == 0 {
			return nil
		}
		if err := l.flush(ctx, b); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(l.rep)
		}
		return nil
	}
	for s, err := range in {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			for _, f := range findings(err) {
				l.finding(f)
			}
			var f *schema.Finding
			if !errors.As(err, &f) {
				return l.rep, err
			}
			if !f.Warning || s.rec.V.IsZero() {
				continue
			}
		}
		r, f := db.row(s.rec)
		if f != nil {
			l.finding(f)
			l.leftOut(s.rec.V)
			continue
		}
		if extra := extraOf(s.rec.V); len(extra) > 0 {
			l.finding(&schema.Finding{Pos: s.rec.Pos, Code: "GRF043", Warning: true, Message: "members that a graph record does not know are not stored in the database: " + names(extra)})
		}
		for _, name := range append(r.labels[:len(r.labels):len(r.labels)], r.typ) {
			if name != "" && !cypher.Plain(name) && !l.odd[name] {
				l.odd[name] = true
				l.finding(&schema.Finding{Pos: s.rec.Pos, Code: "GRF021", Warning: true, Message: "label or type is no plain identifier: queries must quote it", Have: strconv.Quote(name), Want: "[A-Za-z_][A-Za-z0-9_]*"})
			}
		}
		if o.Rewrite {
			r.hash += "!" // equal to none; what is stored is r.props["_hash"]
		}
		again := c.add(s.op, r)
		if l.seen != nil && s.op == schema.OpPut {
			d := l.digest(r)
			if _, ok := l.seen[d]; ok {
				again = true
			}
			l.seen[d] = struct{}{}
		}
		if again {
			l.finding(&schema.Finding{Pos: s.rec.Pos, Code: "GRF033", Message: "id " + s.rec.V.ID() + " is repeated, the last counts", Warning: true})
		}
		if len(c.rows) >= o.Batch || c.bytes >= batchBytes {
			if err := flush(); err != nil {
				return l.rep, err
			}
		}
	}
	if err := flush(); err != nil {
		return l.rep, err
	}
	if o.Prune {
		return l.rep, l.prune(ctx)
	}
	return l.rep, nil
}

// findings takes joined findings apart.
func findings(err error) (out []*schema.Finding) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			out = append(out, findings(e)...)
		}
		return out
	}
	var f *schema.Finding
	if errors.As(err, &f) {
		out = append(out, f)
	}
	return out
}

func extraOf(e schema.Element) schema.Extra {
	if e.Node != nil {
		return e.Node.Extra
	}
	return e.Edge.Extra
}

func names(extra schema.Extra) string {
	out := ""
	for i, k := range sortedKeys(extra) {
		if i > 0 {
			out += ", "
		}
		out += k
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (l *loader) digest(r row) [16]byte {
	if r.rec.V.Node != nil {
		return digest('n', "", r.id)
	}
	return digest('e', r.typ, r.id)
}

// counts gives the accounts that an element is entered in.
func (l *loader) counts(e schema.Element) []*Count {
	at := func(m map[string]*Count, k string) *Count {
		if m[k] == nil {
			m[k] = &Count{}
		}
		return m[k]
	}
	if e.Node == nil {
		return []*Count{&l.rep.Edges, at(l.rep.Types, e.Edge.Type)}
	}
	out := []*Count{&l.rep.Nodes}
	labels := slices.Clone(e.Node.Labels)
	slices.Sort(labels)
	for _, label := range slices.Compact(labels) {
		out = append(out, at(l.rep.Labels, label))
	}
	return out
}

func (l *loader) leftOut(e schema.Element) {
	for _, c := range l.counts(e) {
		c.add(dangling)
	}
}

// flush sends a batch: in parts when the server has no memory for the whole.
func (l *loader) flush(ctx context.Context, b *batch) error {
	b.dry, b.fresh = l.o.DryRun, l.fresh
	if !b.dry {
		made, err := l.db.ensure(ctx, b.edgeTypes()...)
		l.rep.Constraints = append(l.rep.Constraints, made...)
		if err != nil {
			return err
		}
	}
	var d *done
	err := l.db.in(ctx, !b.dry, func(t *tx) (err error) {
		d, err = t.write(b)
		return err
	})
	var ne *driver.Neo4jError
	switch {
	case errors.Is(err, errTooBig) && b.len() > 1:
		x, y := b.halves()
		if err := l.flush(ctx, x); err != nil {
			return err
		}
		return l.flush(ctx, y)
	case b.fresh && errors.As(err, &ne) && ne.Title() == "ConstraintValidationFailed":
		// Not so fresh after all (an edge comes again with other ends, somebody else
		// writes too): look before writing from here on.
		l.fresh = false
		return l.flush(ctx, b)
	case err != nil:
		return err
	}
	l.rep.Batches++
	l.account(b, d)
	return nil
}

func (l *loader) account(b *batch, d *done) {
	slices.SortFunc(d.missing, func(x, y end) int { return x.edge - y.edge })
	for _, e := range d.missing {
		r := b.edges[e.edge]
		if b.dry {
			// What the input brings is as good as there.
			if _, ok := l.seen[digest('n', "", r.src)]; ok {
				e.src = false
			}
			if _, ok := l.seen[digest('n', "", r.dst)]; ok {
				e.dst = false
			}
			if !e.src && !e.dst {
				d.edges[e.edge] = created
				continue
			}
		}
		l.finding(e.finding(r))
	}
	enter := func(rows []row, fates []fate) {
		for i, r := range rows {
			for _, c := range l.counts(r.rec.V) {
				c.add(fates[i])
			}
		}
	}
	gone := func(rows []row, was []bool) {
		for i, r := range rows {
			for _, c := range l.counts(r.rec.V) {
				c.Sent++
				if was[i] {
					c.Deleted++
				} else {
					c.Absent++
				}
			}
		}
	}
	enter(b.nodes, d.nodes)
	enter(b.edges, d.edges)
	gone(b.delNodes, d.delNodes)
	gone(b.delEdges, d.delEdges)
	l.rep.Detached += d.detached
}

// prune deletes what was not sent. It holds the ids of those elements.
func (l *loader) prune(ctx context.Context) error {
	db := l.db
	var nodes, edges []row
	err := db.in(ctx, false, func(t *tx) error {
		nodes, edges = nil, nil
		_, err := t.run("MATCH (n:"+baseLabel+") WHERE "+db.mine("n")+" RETURN n.id, labels(n)", db.with(nil), func(v []any) error {
			id, _ := v[0].(string)
			if _, ok := l.seen[digest('n', "", id)]; !ok {
				n := schema.Node{ID: schema.NodeID(db.unkey(id))}
				for _, label := range texts(v[1]) {
					if label != baseLabel {
						n.Labels = append(n.Labels, label)
					}
				}
				nodes = append(nodes, row{id: id, rec: schema.Record[schema.Element]{V: schema.Element{Node: &n}}})
			}
			return nil
		})
		if err != nil {
			return err
		}
		_, err = t.run("MATCH (n:"+baseLabel+")-[r]->(:"+baseLabel+") WHERE r.id IS NOT NULL AND "+db.mine("n")+" RETURN r.id, type(r)", db.with(nil), func(v []any) error {
			id, _ := v[0].(string)
			typ, _ := v[1].(string)
			if _, ok := l.seen[digest('e', typ, id)]; !ok {
				edges = append(edges, row{id: id, typ: typ, rec: schema.Record[schema.Element]{V: schema.Element{Edge: &schema.Edge{ID: schema.EdgeID(db.unkey(id)), Type: typ}}}})
			}
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	// Edges first: none is then counted as gone with its node.
	for chunk := range slices.Chunk(edges, l.o.Batch) {
		if err := l.flush(ctx, &batch{delEdges: chunk}); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(nodes, l.o.Batch) {
		if err := l.flush(ctx, &batch{delNodes: chunk}); err != nil {
			return err
		}
	}
	return nil
}
