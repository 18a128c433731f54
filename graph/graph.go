// Package graph reads a property graph: the contract, the in-process graph, and the algorithms that work on any graph: Diff and Trace.
package graph

import (
	"context"
	"iter"

	"membench/schema"
)

// Direction of an edge as seen from a node.
type Direction int8

const (
	Both Direction = iota
	Out
	In
)

// Filter selects nodes by label and property, or edges by type; empty selects all. For the edges of a node, Labels and Props apply to the node at the other
// end.
type Filter struct {
	Labels []string       // one of them
	Types  []string       // one of them
	Props  map[string]any // all of them: string, bool, int, int64 or float64; 1 is 1.0
}

// Graph is read access. Every sequence is ordered by id. Optional abilities of a graph are Searcher, Vectors and PathFinder.
type Graph interface {
	Node(ctx context.Context, id schema.NodeID) (schema.Node, bool, error)
	Nodes(ctx context.Context, f Filter) iter.Seq2[schema.Node, error]
	Neighbors(ctx context.Context, id schema.NodeID, d Direction, f Filter) iter.Seq2[schema.Edge, error]
}

// Store is a graph that can be changed.
//
// Apply is atomic: after an error nothing has changed. It is idempotent: repeating a call changes nothing. The changes of one call are a set, in any order; of
// several for one id the last counts. Deleting a node deletes its edges. An edge may come before the nodes that it joins. An edge to a node that is in neither
// the graph nor the call is finding GRF031, an unreadable change GRF030.
type Store interface {
	Graph
	Apply(ctx context.Context, changes iter.Seq2[schema.Change, error]) (Applied, error)
}

// Applied counts the effects of Apply. Elements that differ only in parts that a database does not store (see MapProps) count as unchanged.
type Applied struct {
	Sent      int `json:"sent"`      // changes read
	Nodes     int `json:"nodes"`     // nodes that are new or different now
	Edges     int `json:"edges"`     // edges that are new or different now
	Deleted   int `json:"deleted"`   // elements gone, edges of deleted nodes included
	Unchanged int `json:"unchanged"` // changes sent that made no difference

	// Revision is the revision of the store afterwards, if it is Followed and something changed.
	Revision string `json:"-"`
}
