// Package graph reads a property graph: the contract, the in-process graph, and
// what is computed on any graph: Diff and Trace.
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

// Filter selects nodes by label or edges by type; empty selects all.
type Filter struct {
	Labels []string
	Types  []string
}

// Graph is read access. Every sequence is ordered by id.
type Graph interface {
	Node(ctx context.Context, id schema.NodeID) (schema.Node, bool, error)
	Nodes(ctx context.Context, f Filter) iter.Seq2[schema.Node, error]
	Neighbors(ctx context.Context, id schema.NodeID, d Direction, f Filter) iter.Seq2[schema.Edge, error]
}

// Store is a graph that can be changed. Apply is atomic per call and idempotent.
type Store interface {
	Graph
	Apply(ctx context.Context, changes iter.Seq2[schema.Change, error]) (Applied, error)
}

// Applied counts what Apply did.
type Applied struct {
	Sent      int `json:"sent"`
	Nodes     int `json:"nodes"`
	Edges     int `json:"edges"`
	Deleted   int `json:"deleted"`
	Unchanged int `json:"unchanged"`
}
