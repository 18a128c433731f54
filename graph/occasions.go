package graph

import (
	"context"
	"slices"

	"membench/internal/codec"
	"membench/schema"
)

// Occasions are the points of a memory. A memory is one text, which several people may have said: the edge of a claim to it (EVIDENCED_BY) and its edge to a turn
// (FROM_EVENT) name the point, which is one occasion on which it was said.
type Occasions struct {
	named map[string]bool // points that the evidence of a claim names
}

// OccasionsOf reads the evidence edges of a memory; it fails only where the graph cannot be read.
func OccasionsOf(ctx context.Context, g Graph, memory schema.NodeID) (Occasions, error) {
	o := Occasions{named: map[string]bool{}}
	for e, err := range g.Neighbors(ctx, memory, In, Filter{Types: []string{schema.EdgeEvidencedBy}}) {
		if err != nil {
			return o, err
		}
		for _, p := range pointsOf(e) {
			o.named[p] = true
		}
	}
	return o, nil
}

// Rests reports whether a claim, whose edge to the memory is evidence, rests on the turn of the memory's edge to it. It does not where all points of the turn are
// named, but by other claims only. A point that no claim names counts for all: a graph memory does not list repetitions, and long lists are cut.
func (o Occasions) Rests(evidence, turn schema.Edge) bool {
	own, of := pointsOf(evidence), pointsOf(turn)
	if _, cut := evidence.Props.Get("occurrences"); cut || len(own) == 0 || len(of) == 0 {
		return true
	}
	return slices.ContainsFunc(of, func(p string) bool { return !o.named[p] || slices.Contains(own, p) })
}

// pointsOf are the points that an edge names, integers and texts as they are written.
func pointsOf(e schema.Edge) (out []string) {
	if raw, ok := e.Props.Get("point_ids"); ok && raw[0] == '[' {
		for item := range codec.Elements(raw) {
			out = append(out, string(item))
		}
		return out
	}
	if raw, ok := e.Props.Get("point_id"); ok && !empty(raw) {
		out = append(out, string(raw))
	}
	return out
}

func empty(raw []byte) bool { return string(raw) == "null" || string(raw) == `""` }
