package view

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"membench/graph"
	"membench/schema"
	"membench/schema/catalog"
)

const statusDeprecated = "deprecated"

// titleRunes is the longest title, in code points; the details show the whole text.
const titleRunes = 160

type node struct {
	id     schema.NodeID
	labels []string
	props  []byte // a JSON object
	title  string
	status string // "" when the node has none
	role   string // a role of labels; "": a thing
	at     int64  // Unix seconds; 0 when the node has no time
}

type edge struct {
	src, dst int // index into nodes
	typ      string
	role     string // a role of edges
	back     bool   // the role is from dst to src
	props    int    // index into edgeProps
	id       schema.EdgeID
}

// model is the graph sorted by id, edges by source, target, type, id.
type model struct {
	nodes     []node
	edges     []edge
	edgeProps [][]byte // distinct, in order of first use
}

// roleOf is what the catalogue takes a node of the labels for: the role of the label
// whose look counts most.
func roleOf(c *catalog.Catalog, labels []string) (role string, l catalog.Label) {
	best := ^uint(0)
	for _, name := range labels {
		if x := c.Labels[name]; x.Role != "" && uint(x.Look.Rank)-1 < best {
			best, role, l = uint(x.Look.Rank)-1, x.Role, x
		}
	}
	return role, l
}

// timeOf is the instant of the first of the properties that holds one.
func timeOf(props schema.Object, names []string) int64 {
	for _, k := range names {
		if t, ok := schema.ParseInstant(props.Text(k)); ok {
			return t.Time().Unix()
		}
	}
	return 0
}

func read(in schema.Seq[schema.Element], o Options, st *Stats) (*model, error) {
	gate, err := graph.NewGate(context.Background(), func() schema.Seq[schema.Element] { return in }, graph.GateOptions{Once: true, Report: func(f *schema.Finding) {
		st.Findings++
		switch f.Code {
		case "GRF031":
			st.Dangling++
		case "GRF033":
			st.Duplicates++
		}
		if o.Report != nil {
			o.Report(f)
		}
	}})
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	m := &model{}
	cat := catalog.Default()
	at := map[schema.NodeID]int{}
	seen := map[string]int{}
	for r, err := range gate.Elements() {
		if err != nil {
			return nil, err
		}
		if n := r.V.Node; n != nil {
			props, err := n.Props.MarshalJSON()
			if err != nil {
				return nil, err
			}
			at[n.ID] = len(m.nodes)
			role, l := roleOf(cat, n.Labels)
			m.nodes = append(m.nodes, node{id: n.ID, labels: n.Labels, props: props, status: n.Props.Text("status"), role: role, at: timeOf(n.Props, l.When)})
			continue
		}
		e := r.V.Edge
		props, err := e.Props.MarshalJSON()
		if err != nil {
			return nil, err
		}
		p, ok := seen[string(props)]
		if !ok {
			p = len(m.edgeProps)
			seen[string(props)] = p
			m.edgeProps = append(m.edgeProps, props)
		}
		kind := cat.Edges[e.Type]
		m.edges = append(m.edges, edge{at[e.Src], at[e.Dst], e.Type, kind.Role, kind.Back, p, e.ID})
	}
	slices.SortFunc(m.edges, func(a, b edge) int {
		return cmp.Or(a.src-b.src, a.dst-b.dst, cmp.Compare(a.typ, b.typ), cmp.Compare(a.id, b.id))
	})
	m.setTitles(cat)
	if o.MaxNodes > 0 && len(m.nodes) > o.MaxNodes {
		st.NodesOmitted, st.EdgesOmitted = m.keep(m.choose(o.MaxNodes))
	}
	st.Nodes, st.Edges = len(m.nodes), len(m.edges)
	st.Labels, st.Types = map[string]int{}, map[string]int{}
	changed := make([]bool, len(m.nodes))
	for i, n := range m.nodes {
		for _, l := range n.labels {
			st.Labels[l]++
		}
		changed[i] = n.status == statusDeprecated
	}
	for _, e := range m.edges {
		st.Types[e.typ]++
		if e.role == catalog.RoleChange {
			changed[e.src] = true
		}
	}
	for _, c := range changed {
		if c {
			st.Changes++
		}
	}
	return m, nil
}

// setTitles gives each node the line it is known by. A claim reads as subject,
// predicate, object.
func (m *model) setTitles(cat *catalog.Catalog) {
	for i := range m.nodes {
		m.nodes[i].title = cut(titleOf(m.nodes[i], cat), titleRunes)
	}
	w := m.ways()
	for i := range m.nodes {
		n := &m.nodes[i]
		predicate := text(n.props, "predicate")
		if n.role != catalog.LabelClaim || w.object[i] < 0 || predicate == "" {
			continue
		}
		if root := w.root(i); root != i {
			predicate = m.nodes[root].title + " " + predicate
		}
		n.title = cut(predicate+" "+m.nodes[w.object[i]].title, titleRunes)
	}
}

// ways leads from a claim to its object and up to its subject; -1 is none.
type ways struct{ up, object []int }

func (m *model) ways() ways {
	w := ways{slices.Repeat([]int{-1}, len(m.nodes)), slices.Repeat([]int{-1}, len(m.nodes))}
	for _, e := range m.edges {
		switch {
		case e.role != catalog.RoleAbout:
		case e.back && w.object[e.src] < 0:
			w.object[e.src] = e.dst
		case !e.back && w.up[e.dst] < 0:
			w.up[e.dst] = e.src
		}
	}
	return w
}

// root is the node at the top: root → domain → predicate → claim. A ring ends after
// as many steps as the catalogue's ways have.
func (w ways) root(i int) int {
	for range 4 {
		if w.up[i] < 0 {
			break
		}
		i = w.up[i]
	}
	return i
}

func titleOf(n node, cat *catalog.Catalog) string {
	obj := schema.RawObject(n.props)
	first := func(names ...string) string {
		for _, k := range names {
			if s := strings.TrimSpace(obj.Text(k)); k != "" && s != "" {
				return s
			}
		}
		return ""
	}
	_, l := roleOf(cat, n.labels)
	switch s := first(l.Look.Caption); {
	case s == "":
	case n.role == catalog.LabelTurn:
		if who := first("role_name", "role_type"); who != "" {
			return who + ": " + s
		}
		return s
	default:
		return s
	}
	if s := first("display", "name", "title", "text"); s != "" {
		return s
	}
	return string(n.id)
}

func text(props []byte, name string) string { return schema.RawObject(props).Text(name) }

// cut shortens s to n code points, an ellipsis included, on one line.
func cut(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	i := 0
	for at := range s {
		if i == n-1 {
			if rest := s[at:]; len([]rune(rest)) > 1 {
				return s[:at] + "…"
			}
			return s
		}
		i++
	}
	return s
}

// choose picks n nodes: claims with the whole walk down to their source lines first,
// changed ones before the others, then what is best connected. Equal ranks go by id.
func (m *model) choose(n int) []bool {
	keep := make([]bool, len(m.nodes))
	left := n
	take := func(i int) bool {
		if !keep[i] && left > 0 {
			keep[i] = true
			left--
			return true
		}
		return false
	}
	degree := make([]int, len(m.nodes))
	changed := make([]bool, len(m.nodes))
	out := make([][]int, len(m.nodes)) // edges of the walk
	for i, n := range m.nodes {
		changed[i] = n.status == statusDeprecated
	}
	for k, e := range m.edges {
		degree[e.src]++
		degree[e.dst]++
		switch {
		case e.role == catalog.RoleChange:
			changed[e.src], changed[e.dst] = true, true
			out[e.src] = append(out[e.src], k)
		case e.role != catalog.RoleEvidence && e.role != catalog.RoleAbout:
		case (e.role == catalog.RoleAbout) != e.back: // up to the subject; evidence of what it rests on
			out[e.dst] = append(out[e.dst], k)
		default:
			out[e.src] = append(out[e.src], k)
		}
	}
	order := make([]int, len(m.nodes))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		switch {
		case changed[i]:
			return 0
		case m.nodes[i].role == catalog.LabelClaim:
			return 1
		}
		return 2
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(degree[b], degree[a]), cmp.Compare(a, b))
	})
	for _, i := range order {
		take(i)
		if rank(i) == 2 {
			continue
		}
		for queue := []int{i}; len(queue) > 0 && left > 0; queue = queue[1:] {
			at := queue[0]
			for _, k := range out[at] {
				next := m.edges[k].src
				if next == at {
					next = m.edges[k].dst
				}
				if take(next) {
					queue = append(queue, next)
				}
			}
		}
	}
	return keep
}

// keep drops the other nodes and the edges that lose an end.
func (m *model) keep(keep []bool) (nodes, edges int) {
	index := make([]int, len(m.nodes))
	kept := m.nodes[:0]
	for i, n := range m.nodes {
		if keep[i] {
			index[i] = len(kept)
			kept = append(kept, n)
		} else {
			nodes++
		}
	}
	m.nodes = kept
	var es []edge
	var props [][]byte
	renamed := map[int]int{}
	for _, e := range m.edges {
		if !keep[e.src] || !keep[e.dst] {
			edges++
			continue
		}
		p, ok := renamed[e.props]
		if !ok {
			p = len(props)
			renamed[e.props] = p
			props = append(props, m.edgeProps[e.props])
		}
		e.src, e.dst, e.props = index[e.src], index[e.dst], p
		es = append(es, e)
	}
	m.edges, m.edgeProps = es, props
	return nodes, edges
}

func (m *model) pairs() [][2]int32 {
	out := make([][2]int32, 0, len(m.edges))
	for _, e := range m.edges {
		if e.src != e.dst {
			out = append(out, [2]int32{int32(e.src), int32(e.dst)})
		}
	}
	return out
}
