package graph

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"membench/schema"
)

// Followed is a store that a mirror can follow at the cost of its changes. Two texts name its state, each a name and a number (see Steps): a revision counts
// the calls that changed this graph; a mark counts all transactions of its database, including those of programs that keep no revision.
type Followed interface {
	Store

	// State is cheap. Its mark is at least as late as its revision, which is "" if the graph keeps none. If both are unchanged, nobody changed anything,
	// through any client.
	State(ctx context.Context) (revision, mark string, err error)
	// Since returns the changes since a revision that it or Apply returned: puts of elements that exist now, deletes of removed ones, and the current revision.
	// known is false if they cannot be determined: the whole graph must then be read, after that revision.
	Since(ctx context.Context, revision string) (changes []schema.Change, now string, known bool, err error)
	// Page reads the nodes with from <= id < to, "" for no end, and the edges that leave
	// them, in any order.
	Page(ctx context.Context, from, to schema.NodeID) ([]schema.Element, error)

	// ApplyVectors is Apply that also stores vectors, made by an embedder of this profile, for the nodes that it puts; StoredVectors returns all vectors of a
	// profile.
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

// A Follower is how far a copy of a graph is known to be right. The zero Follower knows
// nothing.
type Follower struct {
	revision string // that the copy holds
	mark     string // the last transaction that is accounted for
	at       string // the revision then
}

// An Update lists what a Follower's copy lacks.
type Update struct {
	Whole   bool            // the whole graph must be read
	Changes []schema.Change // since then, where it need not
	Unsaid  bool            // someone wrote, here or elsewhere in the database, without recording the changes

	next Follower
}

// Look returns what changed in a graph. A graph that cannot be followed must be read completely, unless it is in this process and no call changed it.
func (f Follower) Look(ctx context.Context, g Graph) (Update, error) {
	st, ok := g.(Followed)
	if !ok {
		l, ok := g.(*Local)
		if !ok {
			return Update{Whole: true}, nil
		}
		mark := l.revision()
		return Update{Whole: mark != f.mark, next: Follower{mark: mark}}, nil
	}
	now, mark, err := st.State(ctx)
	if err != nil {
		return Update{}, err
	}
	u := Update{Whole: f.mark == ""}
	if now == "" || now != f.revision || u.Whole { // otherwise all recorded changes are the copy's own
		var known bool
		if u.Changes, now, known, err = st.Since(ctx, f.revision); err != nil {
			return Update{}, err
		}
		u.Whole = u.Whole || !known
	}
	all, counted := Steps(f.mark, mark)
	said, also := Steps(f.at, now)
	u.Unsaid = !counted || !also || all != said
	u.next = Follower{revision: now, mark: mark, at: now}
	return u, nil
}

// Take records that the copy has applied an update.
func (f *Follower) Take(u Update) { *f = u.next }

// Apply writes to a store what its copy already holds, with vectors if the store supports them. After an error, or if the store cannot be followed, the next
// update is the whole graph.
func (f *Follower) Apply(ctx context.Context, st Store, changes []schema.Change, vectors map[schema.NodeID][]float32, profile string) error {
	s, ok := st.(Followed)
	if !ok {
		*f = Follower{}
		_, err := st.Apply(ctx, Changes(changes...))
		return err
	}
	a, err := s.ApplyVectors(ctx, Changes(changes...), vectors, profile)
	if err != nil {
		*f = Follower{}
		return err
	}
	if n, ok := Steps(f.revision, a.Revision); ok && n == 1 { // if someone else wrote in between, the next update has both
		f.revision = a.Revision
	}
	return nil
}

// Changes are changes as Apply takes them.
func Changes(list ...schema.Change) iter.Seq2[schema.Change, error] {
	return func(yield func(schema.Change, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// StoredVectors are the vectors of a profile that a graph stores: none where it cannot
// store any.
func StoredVectors(ctx context.Context, g Graph, profile string) (map[schema.NodeID][]float32, error) {
	if f, ok := g.(Followed); ok {
		return f.StoredVectors(ctx, profile)
	}
	return nil, nil
}

// Bulk is a graph that can be read at once: nodes, then edges, in any order.
type Bulk interface {
	Whole(ctx context.Context) schema.Seq[schema.Element]
}

// Mirror copies a graph into this process, for callers that need all of it: a Local is returned as it is, a Bulk is read in one pass, any other graph node by
// node.
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
