package explain

import (
	"strconv"
	"strings"

	"membench/internal/textnorm"
	"membench/schema"
)

// Graph returns the nodes and edges that show a failed question in the graph that it was walked in: a Failure node, GOLD_PATH to every step of the path,
// BROKE_AT to its end, RETRIEVED to the retrieved nodes. The edges end at nodes of that graph.
func (w Walk) Graph() (schema.Node, []schema.Edge, error) {
	m := schema.Mint{V: schema.Latest}
	r, a := w.Record, w.Record.Attribution
	key := strings.Join([]string{r.System, r.Dataset, r.CaseID, r.QuestionID, strconv.Itoa(r.Repeat)}, "/")
	id := m.Node("failure", key)
	var b schema.ObjectBuilder
	b.String("failure_id", key)
	b.String("system", r.System)
	b.String("dataset", r.Dataset)
	b.String("case_id", r.CaseID)
	b.String("question_id", r.QuestionID)
	if err := b.Value("repeat", r.Repeat); err != nil {
		return schema.Node{}, nil, err
	}
	b.String("category", r.Category)
	b.String("question", r.Question)
	b.String("gold", r.Gold)
	b.String("answer", r.Answer)
	b.String("hop", a.Hop)
	if a.Cause != "" {
		b.String("cause", a.Cause)
	}
	if a.Break != "" {
		b.String("break", a.Break)
	}
	b.String("reason", a.Reason)
	name := textnorm.Cut(textnorm.Collapse(r.Question), 60)
	b.String("display", name)
	b.String("name", name)
	node := schema.Node{ID: id, Labels: []string{schema.LabelFailure}, Props: b.Object()}

	var edges []schema.Edge
	edge := func(typ string, dst schema.NodeID, p schema.ObjectBuilder) {
		edges = append(edges, schema.Edge{ID: m.Edge(typ, id, dst), Type: typ, Src: id, Dst: dst, Props: p.Object()})
	}
	for _, list := range []struct {
		typ, number string
		nodes       []schema.NodeID
	}{{schema.EdgeGoldPath, "step", w.Path}, {schema.EdgeRetrieved, "rank", w.Hits}} {
		for i, dst := range list.nodes {
			var p schema.ObjectBuilder
			if err := p.Value(list.number, i+1); err != nil {
				return node, nil, err
			}
			edge(list.typ, dst, p)
		}
	}
	if w.At != "" {
		var p schema.ObjectBuilder
		p.String("hop", a.Hop)
		p.String("break", a.Break)
		edge(schema.EdgeBrokeAt, w.At, p)
	}
	return node, edges, nil
}
