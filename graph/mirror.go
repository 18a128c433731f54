package graph

import (
	"context"

	"membench/schema"
)

// Revised is a graph that says cheaply whether it may have changed: the same text as
// before means that nobody, through whatever client, changed anything.
type Revised interface {
	Revision(ctx context.Context) (string, error)
}

// Followed is a store that says what changed since a revision, an earlier answer of
// Since or of Apply: puts of what is there now, deletes of what is gone, and the revision
// now. known is false where it cannot tell; the whole graph must then be read after now.
// A change by somebody who does not keep the revision is not among them.
type Followed interface {
	Store
	Since(ctx context.Context, revision string) (changes []schema.Change, now string, known bool, err error)
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
