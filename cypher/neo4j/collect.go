package neo4j

import (
	"cmp"
	"slices"
	"strings"

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
	// All writers take locks in this order, so two loads wait for each other instead of deadlocking.
	slices.SortStableFunc(b.nodes, func(x, y row) int { return strings.Compare(x.id, y.id) })
	slices.SortStableFunc(b.edges, func(x, y row) int {
		return cmp.Or(strings.Compare(x.typ, y.typ), strings.Compare(min(x.src, x.dst), min(y.src, y.dst)), strings.Compare(max(x.src, x.dst), max(y.src, y.dst)), strings.Compare(x.id, y.id))
	})
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
