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
	edge := func(typ string, dst schema.NodeID, name string, n int) error {
		var p schema.ObjectBuilder
		if err := p.Value(name, n); err != nil {
			return err
		}
		edges = append(edges, schema.Edge{ID: m.Edge(typ, id, dst), Type: typ, Src: id, Dst: dst, Props: p.Object()})
		return nil
	}
	for i, dst := range w.Path {
		if err := edge(schema.EdgeGoldPath, dst, "step", i+1); err != nil {
			return node, nil, err
		}
	}
	for i, dst := range w.Hits {
		if err := edge(schema.EdgeRetrieved, dst, "rank", i+1); err != nil {
			return node, nil, err
		}
	}
	if w.At != "" {
		var p schema.ObjectBuilder
		p.String("hop", a.Hop)
		p.String("break", a.Break)
		edges = append(edges, schema.Edge{ID: m.Edge(schema.EdgeBrokeAt, id, w.At), Type: schema.EdgeBrokeAt, Src: id, Dst: w.At, Props: p.Object()})
	}
	return node, edges, nil
}
