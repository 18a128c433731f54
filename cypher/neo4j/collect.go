package neo4j

import (
	"slices"

	"membench/schema"
)

// A collector gathers changes of distinct ids: of several for one id the last counts.
type collector struct {
	at    map[string]int // kind and id → index in rows
	rows  []row
	ops   []string
	bytes int
}

func newCollector() *collector { return &collector{at: map[string]int{}} }

// add reports whether the id was there already.
func (c *collector) add(op string, r row) (again bool) {
	key := "n" + r.id
	if r.rec.V.Node == nil {
		key = "e" + r.id
	}
	for k, v := range r.props {
		c.bytes += len(k) + 16
		if s, ok := v.(string); ok {
			c.bytes += len(s)
		}
	}
	if i, ok := c.at[key]; ok {
		c.rows[i], c.ops[i] = r, op
		return true
	}
	c.at[key] = len(c.rows)
	c.rows = append(c.rows, r)
	c.ops = append(c.ops, op)
	return false
}

// take makes the batch and empties the collector.
func (c *collector) take() *batch {
	b := &batch{}
	for i, r := range c.rows {
		to := &b.edges
		switch put := c.ops[i] == schema.OpPut; {
		case put && r.rec.V.Node != nil:
			to = &b.nodes
		case !put && r.rec.V.Node != nil:
			to = &b.delNodes
		case !put:
			to = &b.delEdges
		}
		*to = append(*to, r)
	}
	*c = *newCollector()
	return b
}

// edgeTypes are the types of the edges to put, sorted.
func (b *batch) edgeTypes() (out []string) {
	for _, r := range b.edges {
		if !slices.Contains(out, r.typ) {
			out = append(out, r.typ)
		}
	}
	slices.Sort(out)
	return out
}

// halves splits a batch that was too big. Nodes to delete and to put come in the
// first half, so that no edge goes before its nodes.
func (b *batch) halves() (first, second *batch) {
	x, y := *b, *b
	cut := b.len() / 2
	split := func(rows []row, a, z *[]row) {
		n := min(cut, len(rows))
		cut -= n
		*a, *z = rows[:n], rows[n:]
	}
	split(b.delEdges, &x.delEdges, &y.delEdges)
	split(b.delNodes, &x.delNodes, &y.delNodes)
	split(b.nodes, &x.nodes, &y.nodes)
	split(b.edges, &x.edges, &y.edges)
	return &x, &y
}
