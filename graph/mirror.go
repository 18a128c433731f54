package graph

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"membench/schema"
)

// Revised is a graph that says cheaply whether it may have changed: the same text as
// before means that nobody, through whatever client, changed anything.
type Revised interface {
	Revision(ctx context.Context) (string, error)
}

// Followed is a store that whoever mirrors it can follow at the cost of what changes.
// Two texts name its state, each a name and a number (see Steps): a revision counts the
// calls that changed this graph, the answer of Revision all transactions where it lives,
// also those of programs that keep no revision.
type Followed interface {
	Store
	Revised

	// Since tells what changed since a revision, an earlier answer of it or of Apply: puts
	// of what is there now, deletes of what is gone, and the revision now. known is false
	// where it cannot tell: the whole graph must then be read, after that revision.
	Since(ctx context.Context, revision string) (changes []schema.Change, now string, known bool, err error)
	// Page reads the nodes with from <= id < to, "" for no end, and the edges that leave
	// them, in any order.
	Page(ctx context.Context, from, to schema.NodeID) ([]schema.Element, error)

	// ApplyVectors is Apply that stores vectors, made by an embedder of this profile,
	// beside nodes that it puts; StoredVectors gives all vectors of a profile.
	ApplyVectors(ctx context.Context, changes iter.Seq2[schema.Change, error], vectors map[schema.NodeID][]float32, profile string) (Applied, error)
	StoredVectors(ctx context.Context, profile string) (map[schema.NodeID][]float32, error)
}

// Steps is how many calls or transactions lie between two texts of Followed; false where
// they cannot be compared.
func Steps(from, to string) (int64, bool) {
	a, x, ok := strings.Cut(from, ":")
	b, y, also := strings.Cut(to, ":")
	m, err1 := strconv.ParseInt(x, 10, 64)
	n, err2 := strconv.ParseInt(y, 10, 64)
	return n - m, ok && also && a == b && err1 == nil && err2 == nil
}

// Bulk is a graph that can be read at once: nodes, then edges, in any order.
type Bulk interface {
	Whole(ctx context.Context) schema.Seq[schema.Element]
}

// Mirror copies a graph into process, for what must look at all of it: a Local is
// itself, a Bulk is read at once, any other node by node.
func Mirror(ctx context.Context, g Graph) (*Local, error) {
	if l, ok := g.(*Local); ok {
		return l, nil
	}
	l := NewLocal()
	if w, ok := g.(Bulk); ok {
		return l, l.Read(ctx, w.Whole(ctx), nil)
	}
	return l, l.Read(ctx, func(yield func(schema.Record[schema.Element], error) bool) {
		var ids []schema.NodeID
		for n, err := range g.Nodes(ctx, Filter{}) {
			ids = append(ids, n.ID)
			if !yield(schema.Record[schema.Element]{V: schema.Element{Node: &n}}, err) || err != nil {
				return
			}
		}
		for _, id := range ids {
			for e, err := range g.Neighbors(ctx, id, Out, Filter{}) {
				if !yield(schema.Record[schema.Element]{V: schema.Element{Edge: &e}}, err) || err != nil {
					return
				}
			}
		}
	}, nil)
}
