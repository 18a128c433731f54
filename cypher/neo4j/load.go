package neo4j

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"membench/cypher"
	"membench/graph"
	"membench/schema"
	"membench/schema/catalog"
)

// LoadOptions changes how Load works; the zero value is a plain load.
type LoadOptions struct {
	Batch    int  // elements a transaction; 0: 5000. Never more than 16 MiB of text; less while the server lacks memory
	Sessions int  // transactions at the same time, of rows that cannot lock each other; 0: 1
	DryRun   bool // report the changes without writing them
	Prune    bool // delete elements of the scope that are not in the input
	Rewrite  bool // write every element, even if the database has the same one
	Exact    bool // labels and properties that others added to our elements go, and elements of others that hold an id of the input become ours

	Hold HoldOptions // how to wait for another writer of the scope

	// From is the digest of the graph that LoadChanges starts from, if the scope holds that graph: the digest of the result is then known without reading it.
	From *Digest

	// Catalog names the labels and types that there should be: another one is a warning,
	// once. nil: no check.
	Catalog *catalog.Catalog

	Report   func(*schema.Finding) // receives skipped elements with the reason; may be nil
	Progress func(*Report)         // called after each transaction; may be nil
}

// DefaultBatch is a good size for elements of this kind: bigger ones are not faster.
const DefaultBatch = 5000

// mostKnown is up to how many elements of a scope their hashes are read at once before a
// load, about 70 bytes each: looking them up batch by batch takes half as long again.
const mostKnown = 1 << 19

// batchBytes bounds a batch of long texts.
const batchBytes = 16 << 20

// Load puts the elements of in, nodes before edges, and, with Prune, deletes the scope's other elements. Batches are separate transactions, so loading again
// finishes an interrupted load. Findings of the stream and elements that the database cannot store go to Report, and the rest continues; an edge with an end
// that is in neither the database nor the preceding input is GRF031.
func Load(ctx context.Context, db *DB, in schema.Seq[schema.Element], o LoadOptions) (*Report, error) {
	return db.load(ctx, true, func(yield func(step, error) bool) {
		for rec, err := range in {
			if !yield(step{op: schema.OpPut, rec: rec}, err) {
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
	return db.load(ctx, false, func(yield func(step, error) bool) {
		for c, err := range in {
			s := step{op: c.Op}
			if schema.Whole(err) && (err == nil || c.Op != "") {
				e, e2 := graph.Target(c)
				s.rec.V = e
				if c.Op == schema.OpPut {
					s.old = c.Old
				}
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
	old schema.Element // that a put replaces, where known
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
	send  *sender
	seen  seen                  // nil unless asked for
	known map[[16]byte][16]byte // hashes of the scope's elements that the input has not had yet; nil unless requested
	sum   Digest                // digest of the elements put
	odd   map[string]bool       // labels and types that were checked
}

func (l *loader) finding(f *schema.Finding) {
	l.rep.Findings[f.Code]++
	if l.o.Report != nil {
		l.o.Report(f)
	}
}

func (db *DB) load(ctx context.Context, whole bool, in iter.Seq2[step, error], o LoadOptions) (*Report, error) {
	if o.Batch <= 0 {
		o.Batch = DefaultBatch
	}
	o.Sessions = max(1, o.Sessions)
	l := &loader{db: db, o: o, odd: map[string]bool{}, rep: &Report{Database: db.database, Scope: db.scope, DryRun: o.DryRun, Constraints: []string{}, Indexes: []string{},
		Labels: map[string]*Count{}, Types: map[string]*Count{}, Findings: map[string]int{}}}
	if o.Prune || o.DryRun {
		l.seen = seen{}
	}
	if !o.DryRun {
		release, err := db.Hold(ctx, o.Hold)
		if err != nil {
			return l.rep, err
		}
		defer release()
		made, err := db.ensure(ctx)
		l.rep.Constraints = append(append(l.rep.Constraints, db.made...), made...)
		db.made = nil
		if err != nil {
			return l.rep, err
		}
	}
	var held Held
	var nodes, edges int
	err := db.in(ctx, false, func(t *tx) (err error) {
		if held, err = t.held(db); err == nil {
			nodes, edges, err = t.size(db)
		}
		return err
	})
	if err != nil {
		return l.rep, err
	}
	if o.From != nil {
		if l.sum = *o.From; !o.DryRun && held.Digest != l.sum.String() {
			return l.rep, fmt.Errorf("%w: it is no longer the one that the changes start from; run the same command again", ErrChanged)
		}
	}
	if (o.Prune || whole && nodes+edges <= mostKnown) && !o.Rewrite && !o.Exact && nodes > 0 {
		if l.known, err = db.hashes(ctx); err != nil {
			return l.rep, err
		}
	}
	l.send = newSender(db, o, nodes == 0)
	flying, err := l.stream(ctx, in)
	if err == nil {
		err = l.land(flying)
	} else if flying != nil {
		err = errors.Join(err, l.land(flying)) // its transactions have ended: their rows count
	}
	if err == nil && o.Prune && (l.known == nil || len(l.known) > 0) {
		err = l.prune(ctx)
	}
	if err != nil || o.DryRun {
		return l.rep, err
	}
	return l.rep, l.settle(ctx, held)
}

// stream collects the steps of in and sends them, while the next ones are read. It
// returns the last sending, which still has to land.
func (l *loader) stream(ctx context.Context, in iter.Seq2[step, error]) (flying chan *outcome, err error) {
	c := newCollector()
	flush := func() error {
		b := c.take()
		if err := l.land(flying); err != nil {
			flying = nil
			return err
		}
		flying = nil
		if b.len() > 0 {
			flying = l.send.start(ctx, b)
		}
		return nil
	}
	for s, err := range in {
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			for _, f := range apart(err) {
				l.finding(f)
			}
			var f *schema.Finding
			if !errors.As(err, &f) {
				return flying, err
			}
			if !f.Warning || s.rec.V.IsZero() {
				l.sum.n++ // the scope will not hold an input with errors
				continue
			}
		}
		r, f := l.db.row(s.rec)
		if f != nil {
			l.finding(f)
			l.leftOut(s.rec.V)
			continue
		}
		l.account(s, r)
		if extra := extraOf(s.rec.V); len(extra) > 0 {
			l.finding(&schema.Finding{Pos: s.rec.Pos, Code: "GRF043", Warning: true, Message: "members that are not part of a graph record are not stored in the database: " + strings.Join(slices.Sorted(maps.Keys(extra)), ", ")})
		}
		l.checkNames(r)
		if l.o.Rewrite {
			r.hash += "!" // equal to no hash; the stored one is r.props["_hash"]
		}
		again, same := l.meet(s.op, r)
		if same {
			for _, count := range l.counts(s.rec.V) {
				count.add(unchanged)
			}
			continue
		}
		again = c.add(s.op, r) || again
		if again {
			l.finding(&schema.Finding{Pos: s.rec.Pos, Code: "GRF033", Message: "id " + s.rec.V.ID() + " is repeated, the last counts", Warning: true})
		}
		// Nodes of n sessions go in n parts. Edges go in about 2n² that share no end: more rows
		// make them fewer transactions.
		most := l.o.Batch * l.o.Sessions
		if r.typ != "" {
			most *= l.o.Sessions
		}
		if flying != nil && len(c.rows) >= l.o.Batch { // read this far ahead of the batch being sent
			err := l.land(flying)
			if flying = nil; err != nil {
				return nil, err
			}
		}
		if len(c.rows) >= most || c.bytes >= batchBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return flying, flush()
}

// checkNames warns of labels and types that a query has to quote, or that the
// catalogue does not know: once each.
func (l *loader) checkNames(r row) {
	for _, name := range append(r.labels[:len(r.labels):len(r.labels)], r.typ) {
		if name == "" || l.odd[name] {
			continue
		}
		known := true
		what, code := "edge type", "GRF002"
		if l.o.Catalog != nil {
			if r.typ == "" {
				what, code = "label", "GRF001"
				_, known = l.o.Catalog.Labels[name]
			} else {
				if _, known = l.o.Catalog.Edges[name]; !known {
					_, known = l.o.Catalog.Predicate(name) // a shortcut edge is named for its predicate
				}
			}
		}
		plain := cypher.Plain(name)
		if l.odd[name] = true; known && plain {
			continue
		}
		if !known {
			l.finding(&schema.Finding{Pos: r.rec.Pos, Code: code, Warning: true, Message: what + " is not in the catalogue", Have: strconv.Quote(name)})
		}
		if !plain {
			l.finding(&schema.Finding{Pos: r.rec.Pos, Code: "GRF021", Warning: true, Message: "label or type is not a plain identifier: queries must quote it", Have: strconv.Quote(name), Want: "[A-Za-z_][A-Za-z0-9_]*"})
		}
	}
}

// account enters a step in the digest of the outcome.
func (l *loader) account(s step, r row) {
	switch {
	case s.op != schema.OpPut:
		l.sum.remove(r)
		return
	case !s.old.IsZero():
		if old, f := l.db.row(schema.Record[schema.Element]{V: s.old}); f == nil {
			l.sum.remove(old)
		}
	}
	l.sum.add(r)
}

// meet records that the input had a row: whether it had it before, and whether the scope is known to hold it unchanged.
func (l *loader) meet(op string, r row) (again, same bool) {
	if l.seen == nil && l.known == nil || op != schema.OpPut {
		return false, false
	}
	d := l.digest(r)
	if l.seen != nil {
		_, again = l.seen[d]
		l.seen[d] = struct{}{}
	}
	if have, ok := l.known[d]; ok {
		delete(l.known, d)
		same = !again && have == hashBytes(r.hash)
	}
	return again, same
}

// settle records the scope's content, if it is exactly the input.
func (l *loader) settle(ctx context.Context, held Held) (err error) {
	r := l.rep
	if r.Nodes.LeftOut+r.Edges.LeftOut > 0 || r.Edges.Absent > r.Detached || r.Nodes.Absent > 0 {
		return nil
	}
	if held.Digest == l.sum.String() && !l.send.wrote.Load() {
		r.Digest = held.Digest
		return nil
	}
	r.Digest, err = l.db.settle(ctx, l.sum, l.o.From == nil)
	return err
}

// apart takes joined findings apart.
func apart(err error) (out []*schema.Finding) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			out = append(out, apart(e)...)
		}
		return out
	}
	if f, ok := errors.AsType[*schema.Finding](err); ok {
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

// land waits for the batch that start sent and counts it.
func (l *loader) land(flying chan *outcome) error {
	if flying == nil {
		return nil
	}
	out := <-flying
	l.rep.Constraints = append(l.rep.Constraints, out.made...)
	l.rep.Server.plus(out.counters)
	for _, p := range out.parts {
		l.rep.Batches++
		l.enter(p.b, p.d)
	}
	if l.o.Progress != nil && len(out.parts) > 0 {
		l.o.Progress(l.rep)
	}
	return out.err
}

func (l *loader) enter(b *batch, d *done) {
	for _, part := range []struct {
		rows  []row
		fates []fate
	}{{b.nodes, d.nodes}, {b.edges, d.edges}} {
		for i, f := range part.fates {
			if f == taken {
				l.finding(part.rows[i].taken())
			}
		}
	}
	slices.SortStableFunc(d.missing, func(x, y end) int {
		return cmp.Or(cmp.Compare(b.edges[x.edge].rec.Pos.Line, b.edges[y.edge].rec.Pos.Line), x.edge-y.edge)
	})
	for _, e := range d.missing {
		r := b.edges[e.edge]
		if b.dry {
			// Nodes of the input count as existing.
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
			if was[i] && l.o.DryRun {
				kind := "node "
				if r.rec.V.Node == nil {
					kind = "edge "
				}
				l.rep.Deletes = append(l.rep.Deletes, kind+r.rec.V.ID())
			}
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
