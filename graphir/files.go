package graphir

import (
	"context"
	"io"

	"membench/schema"
	"membench/schema/jsonl"
)

// Files are the hops that make the graph; nil ones were not given.
type Files struct{ Events, Exports, Claims []jsonl.File }

// Counts says what a graph holds.
type Counts struct {
	Nodes, Edges int
	Labels       map[string]int // first label → nodes
	Types        map[string]int // type → edges
}

func (c *Counts) node(label string) { c.Nodes++; c.Labels[label]++ }
func (c *Counts) edge(typ string)   { c.Edges++; c.Types[typ]++ }

// writePlain is Write by way of Build: the oracle of the bulk path.
func writePlain(ctx context.Context, in Files, nodes, edges io.Writer, o Options, report func(*schema.Finding)) (Counts, error) {
	c := Counts{Labels: map[string]int{}, Types: map[string]int{}}
	g := newGatherer(o, report)
	defer g.close()
	stopped := false
	err := g.gather(ctx, Input{jsonl.DecodeFiles[schema.Event](in.Events, o.MaxLine), jsonl.DecodeFiles[schema.MemoryExport](in.Exports, o.MaxLine), jsonl.DecodeFiles[schema.Statement](in.Claims, o.MaxLine)}, &stopped)
	if err != nil {
		return c, err
	}
	var buf []byte
	for e, err := range g.folded() {
		if err != nil {
			return c, err
		}
		w := nodes
		if e.edge {
			w = edges
			c.edge(e.typ)
		} else {
			c.node(e.labels[0])
		}
		buf = e.append(buf[:0])
		if _, err := w.Write(buf); err != nil {
			return c, err
		}
	}
	g.finish()
	return c, nil
}
