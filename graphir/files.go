package graphir

import (
	"membench/schema/jsonl"
)

// Files are the hops that make the graph; nil ones were not given.
type Files struct{ Events, Exports, Claims []jsonl.File }

// Counts is the size of a graph.
type Counts struct {
	Nodes, Edges int
	Labels       map[string]int // first label → nodes
	Types        map[string]int // type → edges
}

func (c *Counts) node(label string) { c.Nodes++; c.Labels[label]++ }
func (c *Counts) edge(typ string)   { c.Edges++; c.Types[typ]++ }
