package graph

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"

	"membench/schema"
)

// Local is the in-process graph. An element costs about 450 bytes in addition to its record (BenchmarkLocalLoad: 620 in all for records of 170). The zero Local
// is empty and ready to use. It is safe for concurrent use; a sequence shows each element as of the start of the sequence or later.
type Local struct {
	mu    sync.RWMutex
	nodes map[schema.NodeID]*vertex
	edges map[schema.EdgeID]*schema.Edge
	order []*vertex // by id; nil when it must be made again

	vectors map[schema.NodeID][]float32
	changes uint64 // calls that changed something
}

// vertex holds its edges by id. Readers share the slices, so a change makes a new slice or appends beyond what readers see.
type vertex struct {
	node    schema.Node
	out, in adjacency
}

type adjacency struct {
	edges  []*schema.Edge
	sorted int // how many from the start are in order
}

func (a *adjacency) add(e *schema.Edge) { a.edges = append(a.edges, e) }

// remove makes a new slice: readers may still walk the old one.
func (a *adjacency) remove(gone map[*schema.Edge]bool) {
	kept := make([]*schema.Edge, 0, len(a.edges))
	sorted := 0
	for i, e := range a.edges {
		if !gone[e] {
			kept = append(kept, e)
			if i < a.sorted {
				sorted++
			}
		}
	}
	if len(kept) < len(a.edges) {
		a.edges, a.sorted = kept, sorted
	}
}

func (a *adjacency) list() []*schema.Edge {
	if a.sorted < len(a.edges) {
		a.edges = slices.Clone(a.edges)
		slices.SortFunc(a.edges, func(x, y *schema.Edge) int { return cmp.Compare(x.ID, y.ID) })
		a.sorted = len(a.edges)
	}
	return a.edges
}

// NewLocal returns an empty graph.
func NewLocal() *Local { return &Local{} }

var _ Store = (*Local)(nil)

// Len is the number of nodes and of edges.
func (l *Local) Len() (nodes, edges int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.nodes), len(l.edges)
}

// Node returns the node of an id.
func (l *Local) Node(ctx context.Context, id schema.NodeID) (schema.Node, bool, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	v, ok := l.nodes[id]
	if !ok {
		return schema.Node{}, false, ctx.Err()
	}
	return v.node, true, ctx.Err()
}

// Edge returns the edge of an id.
func (l *Local) Edge(id schema.EdgeID) (schema.Edge, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	e, ok := l.edges[id]
	if !ok {
		return schema.Edge{}, false
	}
	return *e, true
}

// revision counts the calls that changed the graph.
func (l *Local) revision() string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return strconv.FormatUint(l.changes, 10)
}

// Nodes yields the nodes that carry one of the filter's labels. It looks at every node.
func (l *Local) Nodes(ctx context.Context, f Filter) iter.Seq2[schema.Node, error] {
	return func(yield func(schema.Node, error) bool) {
		l.each(ctx, l.ordered(), func(n schema.Node, err error) bool {
			return err == nil && !f.Accepts(n) || yield(n, err)
		})
	}
}

func hasAny(have, want []string) bool {
	return len(want) == 0 || slices.ContainsFunc(have, func(s string) bool { return slices.Contains(want, s) })
}

// NodesFrom yields the nodes with ids from a given one on. Changes are seen by the next call.
func (l *Local) NodesFrom(ctx context.Context, from schema.NodeID) iter.Seq2[schema.Node, error] {
	return func(yield func(schema.Node, error) bool) {
		order := l.ordered()
		i, _ := slices.BinarySearchFunc(order, from, func(v *vertex, id schema.NodeID) int { return cmp.Compare(v.node.ID, id) })
		l.each(ctx, order[i:], yield)
	}
}

// ordered are the nodes by id.
func (l *Local) ordered() []*vertex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.order == nil {
		l.order = slices.SortedFunc(maps.Values(l.nodes), func(a, b *vertex) int { return cmp.Compare(a.node.ID, b.node.ID) })
	}
	return l.order
}

func (l *Local) each(ctx context.Context, order []*vertex, yield func(schema.Node, error) bool) {
	for _, v := range order {
		if err := ctx.Err(); err != nil {
			yield(schema.Node{}, err)
			return
		}
		l.mu.RLock()
		n := v.node
		l.mu.RUnlock()
		if !yield(n, nil) {
			return
		}
	}
}

// Neighbors yields the edges of a node by edge id; none for an unknown node.
func (l *Local) Neighbors(ctx context.Context, id schema.NodeID, d Direction, f Filter) iter.Seq2[schema.Edge, error] {
	return func(yield func(schema.Edge, error) bool) {
		l.mu.Lock()
		v := l.nodes[id]
		var out, in []*schema.Edge
		if v != nil && d != In {
			out = v.out.list()
		}
		if v != nil && d != Out {
			in = v.in.list()
		}
		l.mu.Unlock()
		for len(out)+len(in) > 0 {
			if err := ctx.Err(); err != nil {
				yield(schema.Edge{}, err)
				return
			}
			var e *schema.Edge
			if len(in) == 0 || len(out) > 0 && out[0].ID <= in[0].ID {
				e, out = out[0], out[1:]
			} else {
				e, in = in[0], in[1:]
			}
			if d == Both && e.Src == e.Dst && e.Dst == id && len(in) > 0 && in[0] == e {
				in = in[1:] // a loop is one edge
			}
			if len(f.Types) > 0 && !slices.Contains(f.Types, e.Type) {
				continue
			}
			if len(f.Labels)+len(f.Props) > 0 {
				other := e.Dst
				if other == id {
					other = e.Src
				}
				n, _, err := l.Node(ctx, other)
				if err != nil {
					yield(schema.Edge{}, err)
					return
				}
				if !f.Accepts(n) {
					continue
				}
			}
			if !yield(*e, nil) {
				return
			}
		}
	}
}

// Elements yields the whole graph: nodes by id, then edges by id.
func (l *Local) Elements() schema.Seq[schema.Element] {
	return func(yield func(schema.Record[schema.Element], error) bool) {
		for n, err := range l.Nodes(context.Background(), Filter{}) {
			if !yield(schema.Record[schema.Element]{V: schema.Element{Node: &n}}, err) {
				return
			}
		}
		l.mu.RLock()
		edges := make([]*schema.Edge, 0, len(l.edges))
		for _, e := range l.edges {
			edges = append(edges, e)
		}
		l.mu.RUnlock()
		slices.SortFunc(edges, func(a, b *schema.Edge) int { return cmp.Compare(a.ID, b.ID) })
		for _, e := range edges {
			copied := *e
			if !yield(schema.Record[schema.Element]{V: schema.Element{Edge: &copied}}, nil) {
				return
			}
		}
	}
}

// batch is a call of Apply by id: the last change of an id counts.
type batch struct {
	nodes map[schema.NodeID]schema.Change
	edges map[schema.EdgeID]schema.Change
	nid   []schema.NodeID // in order of first appearance
	eid   []schema.EdgeID
	sent  int
}

func readBatch(ctx context.Context, changes iter.Seq2[schema.Change, error]) (*batch, error) {
	b := &batch{nodes: map[schema.NodeID]schema.Change{}, edges: map[schema.EdgeID]schema.Change{}}
	for c, err := range changes {
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return nil, err
		}
		e, err := Target(c)
		if err != nil {
			return nil, err
		}
		b.sent++
		if e.Node != nil {
			if _, ok := b.nodes[e.Node.ID]; !ok {
				b.nid = append(b.nid, e.Node.ID)
			}
			b.nodes[e.Node.ID] = c
		} else {
			if _, ok := b.edges[e.Edge.ID]; !ok {
				b.eid = append(b.eid, e.Edge.ID)
			}
			b.edges[e.Edge.ID] = c
		}
	}
	return b, nil
}

// Target returns the element that a change puts or deletes, or finding GRF030 if the change is malformed.
func Target(c schema.Change) (schema.Element, error) {
	e := c.New
	switch c.Op {
	case schema.OpPut:
	case schema.OpDelete:
		if e = c.Old; e.IsZero() {
			e = c.New
		}
	default:
		return e, &schema.Finding{Code: "GRF030", Pointer: "/op", Message: "unknown operation", Have: c.Op, Want: "put or delete"}
	}
	if e.ID() == "" {
		return e, &schema.Finding{Code: "GRF030", Message: "change names no element with an id", Want: "a put with new, a delete with old"}
	}
	return e, nil
}

// Apply makes the changes or, on an error, none of them.
func (l *Local) Apply(ctx context.Context, changes iter.Seq2[schema.Change, error]) (Applied, error) {
	b, err := readBatch(ctx, changes)
	if err != nil {
		return Applied{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	willHave := func(id schema.NodeID) bool {
		if c, ok := b.nodes[id]; ok {
			return c.Op == schema.OpPut
		}
		return l.nodes[id] != nil
	}
	for _, id := range b.eid {
		c := b.edges[id]
		if c.Op != schema.OpPut {
			continue
		}
		for _, end := range []struct {
			name string
			id   schema.NodeID
		}{{"src", c.New.Edge.Src}, {"dst", c.New.Edge.Dst}} {
			if !willHave(end.id) {
				return Applied{}, &schema.Finding{Code: "GRF031", Pointer: "/" + end.name, Message: "edge " + string(id) + " ends at a node that is not in the graph", Have: string(end.id), Hint: "put the node in the same call or before"}
			}
		}
	}
	a := Applied{Sent: b.sent}
	l.init()
	// Removals first: deleted edges, edges of deleted nodes, replaced edges.
	gone := map[*schema.Edge]bool{}
	effective := 0
	for _, id := range b.eid {
		if e := l.edges[id]; e != nil && b.edges[id].Op == schema.OpDelete {
			gone[e] = true
			a.Deleted++
			effective++
		}
	}
	for _, id := range b.nid {
		v := l.nodes[id]
		if v == nil || b.nodes[id].Op != schema.OpDelete {
			continue
		}
		for _, e := range slices.Concat(v.out.edges, v.in.edges) {
			if c, ok := b.edges[e.ID]; !gone[e] && !(ok && c.Op == schema.OpPut) { // one put in this call moves away
				a.Deleted++
			}
			gone[e] = true
		}
		a.Deleted++
		effective++
	}
	for _, id := range b.eid {
		c := b.edges[id]
		if c.Op != schema.OpPut {
			continue
		}
		old := l.edges[id]
		if old != nil && SameElement(schema.Element{Edge: old}, c.New) {
			continue // it stays in the lists of its ends, which may be long
		}
		if old != nil {
			gone[old] = true
		}
		a.Edges++
		effective++
	}
	l.dropEdges(gone)
	for _, id := range b.nid {
		c, v := b.nodes[id], l.nodes[id]
		switch {
		case c.Op == schema.OpDelete:
			if v != nil {
				delete(l.nodes, id)
				delete(l.vectors, id)
				l.order = nil
			}
		case v == nil:
			l.nodes[id] = &vertex{node: *c.New.Node}
			l.order = nil
			a.Nodes++
			effective++
		default:
			if !SameElement(schema.Element{Node: &v.node}, c.New) {
				delete(l.vectors, id)
				a.Nodes++
				effective++
			}
			v.node = *c.New.Node
		}
	}
	for _, id := range b.eid {
		if c := b.edges[id]; c.Op == schema.OpPut && l.edges[id] == nil {
			e := *c.New.Edge
			l.addEdge(&e)
		}
	}
	a.Unchanged = a.Sent - effective
	if effective > 0 {
		l.changes++
	}
	return a, nil
}

func (l *Local) init() {
	if l.nodes == nil {
		l.nodes, l.edges = map[schema.NodeID]*vertex{}, map[schema.EdgeID]*schema.Edge{}
	}
}

func (l *Local) addEdge(e *schema.Edge) {
	l.edges[e.ID] = e
	l.nodes[e.Src].out.add(e)
	l.nodes[e.Dst].in.add(e)
}

// dropEdges removes many edges with one pass over each node that they touch.
func (l *Local) dropEdges(gone map[*schema.Edge]bool) {
	touched := map[*vertex]bool{}
	for e := range gone {
		delete(l.edges, e.ID)
		touched[l.nodes[e.Src]] = true
		touched[l.nodes[e.Dst]] = true
	}
	for v := range touched {
		v.out.remove(gone)
		v.in.remove(gone)
	}
}

// Read adds the elements of in. Findings of the stream, repeated ids (GRF033, as a Gate does) and edges with missing ends (GRF031, skipped) go to report,
// which may be nil; any other error stops reading.
func (l *Local) Read(ctx context.Context, in schema.Seq[schema.Element], report func(*schema.Finding)) error {
	if report == nil {
		report = func(*schema.Finding) {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init()
	l.changes++
	l.order = nil
	var edges []schema.Record[*schema.Edge]
	for rec, err := range in {
		if f, ok := errors.AsType[*schema.Finding](err); ok {
			report(f)
			if !f.Warning || rec.V.IsZero() {
				continue
			}
			err = nil
		}
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return err
		}
		switch n := rec.V.Node; {
		case rec.V.ID() == "":
			report(&schema.Finding{Pos: rec.Pos, Code: "GRF030", Pointer: "/id", Message: "element has no id, skipped"})
		case n == nil:
			edges = append(edges, schema.Record[*schema.Edge]{Pos: rec.Pos, V: rec.V.Edge})
		case l.nodes[n.ID] != nil:
			report(repeated(rec.Pos, rec.V.ID()))
			if had := l.nodes[n.ID]; elementForm.sortsFirst(rec.V, schema.Element{Node: &had.node}) {
				had.node = *n
			}
		default:
			l.nodes[n.ID] = &vertex{node: *n}
		}
	}
	for _, r := range edges {
		e := r.V
		src, dst := l.nodes[e.Src], l.nodes[e.Dst]
		switch {
		case src == nil:
			report(&schema.Finding{Pos: r.Pos, Code: "GRF031", Pointer: "/src", Message: "edge starts at a node that is not in the graph, skipped", Have: string(e.Src)})
			continue
		case dst == nil:
			report(&schema.Finding{Pos: r.Pos, Code: "GRF031", Pointer: "/dst", Message: "edge ends at a node that is not in the graph, skipped", Have: string(e.Dst)})
			continue
		case l.edges[e.ID] != nil:
			if report(repeated(r.Pos, string(e.ID))); !elementForm.sortsFirst(schema.Element{Edge: e}, schema.Element{Edge: l.edges[e.ID]}) {
				continue
			}
			l.dropEdges(map[*schema.Edge]bool{l.edges[e.ID]: true})
		}
		l.addEdge(e)
	}
	return nil
}
