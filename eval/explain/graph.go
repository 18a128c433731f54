package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/graph"
	"membench/schema"
)

// A Walk is the way of one failed question through a graph, from the turns of its gold
// evidence towards the answer.
type Walk struct {
	Record *schema.QARecord // with its attribution
	Path   []schema.NodeID  // turns, memories, claims and their objects, in the order of the way
	At     schema.NodeID    // where it broke; "" where the graph has nothing of it
	Hits   []schema.NodeID  // retrieved nodes, as far as the graph has them, best first
}

// step is how far the way of one need goes.
type step struct {
	brk    string
	path   []schema.NodeID
	at     schema.NodeID
	reason string
}

// walked are the hops for which a graph gives more detail: losses up to retrieval.
var walked = []string{schema.HopIngest, schema.HopStore, schema.HopOverwrite, schema.HopRetrieve, schema.HopOpaque}

// breakOf walks the graph from each need, and gives a the earliest break of those lost.
func (x *explainer) breakOf(ctx context.Context, a *schema.Attribution, r *schema.QARecord, needs, lost []*need) error {
	g := &look{ctx: ctx, Graph: x.o.Graph}
	w := Walk{Record: r}
	var first step
	order := schema.Breaks()
	for _, n := range needs {
		if len(n.refs) == 0 {
			continue // a fact in words begins at no turn
		}
		s := g.walk(r, n)
		if g.err != nil {
			return g.err
		}
		for _, id := range s.path {
			if !slices.Contains(w.Path, id) {
				w.Path = append(w.Path, id)
			}
		}
		if slices.Contains(lost, n) && slices.Contains(walked, a.Hop) {
			if first.brk == "" || slices.Index(order, s.brk) < slices.Index(order, first.brk) {
				first = s
			}
		}
	}
	if first.brk != "" {
		a.Break, w.At = first.brk, first.at
		a.Reason += "; in the graph " + first.reason
		if at := string(first.at); at != "" && !slices.Contains(a.IDs, at) {
			a.IDs = append(a.IDs, at)
		}
	}
	if x.o.Walked == nil {
		return nil
	}
	if w.Hits = g.hits(r); g.err != nil {
		return g.err
	}
	r.Attribution = a
	return x.o.Walked(w)
}

// A look reads a graph. After an error, which err keeps, it finds nothing.
type look struct {
	ctx context.Context
	graph.Graph
	err error
}

// node finds a node.
func (g *look) node(id schema.NodeID) (n schema.Node, ok bool) {
	if g.err == nil {
		n, ok, g.err = g.Node(g.ctx, id)
	}
	return n, ok && g.err == nil
}

// hits finds the hits in the graph: by their ids, or as memories by their texts.
func (g *look) hits(r *schema.QARecord) (out []schema.NodeID) {
	m := schema.Mint{V: schema.Latest}
	for _, h := range r.Hits {
		for _, id := range []schema.NodeID{schema.NodeID(h.ID), schema.NodeID(m.Memory(h.Text, "", ""))} {
			if _, ok := g.node(id); ok {
				if !slices.Contains(out, id) {
					out = append(out, id)
				}
				break
			}
		}
	}
	return out
}

// far are the nodes at the other ends of a node's edges of one type.
func (g *look) far(id schema.NodeID, d graph.Direction, typ string) (out []schema.Node) {
	if g.err != nil {
		return nil
	}
	for e, err := range g.Neighbors(g.ctx, id, d, graph.Filter{Types: []string{typ}}) {
		if err != nil {
			g.err = err
			return nil
		}
		end := e.Src
		if d == graph.Out {
			end = e.Dst
		}
		n, ok := g.node(end)
		if !ok {
			n = schema.Node{ID: end}
		}
		out = append(out, n)
	}
	return out
}

// walk follows the turns of a need to their memories, the claims on these, and the entities that the claims are about.
func (g *look) walk(r *schema.QARecord, n *need) step {
	m := schema.Mint{V: schema.Latest}
	s := step{brk: schema.BreakTurn, reason: n.name + " is not there"}
	var memories []schema.Node
	speakers := map[schema.NodeID]bool{}
	for _, ref := range n.refs {
		id := m.Event(ref)
		if _, ok := g.node(id); !ok {
			continue
		}
		s.path = append(s.path, id)
		for _, who := range g.far(id, graph.In, schema.EdgeSpoke) {
			speakers[who.ID] = true
		}
		memories = append(memories, g.far(id, graph.In, schema.EdgeFromEvent)...)
	}
	if len(s.path) == 0 {
		if c := m.Conv(n.refs[0].ConvID); g.has(c) {
			s.at = c
		}
		return s
	}
	s.at = s.path[len(s.path)-1]

	// Memories that say it.
	s.brk, s.reason = schema.BreakMemory, fmt.Sprintf("no memory comes from %s", n.name)
	if len(memories) > 0 {
		s.reason = fmt.Sprintf("none of the %d memories of %s says it", len(memories), n.name)
	}
	saying := n.saying(memories)
	if len(saying) == 0 {
		return s
	}
	var claims []claim
	for _, node := range saying {
		s.path, s.at = append(s.path, node.ID), node.ID
		for _, c := range g.far(node.ID, graph.In, schema.EdgeEvidencedBy) {
			claims = append(claims, g.readClaim(c, node))
		}
	}

	// Claims that rest on them.
	s.brk, s.reason = schema.BreakClaim, fmt.Sprintf("no claim on %s says it", s.at)
	right, wrong := n.judgeClaims(claims, speakers)
	if len(right) == 0 && len(wrong) > 0 {
		s.brk, s.at = schema.BreakEntity, wrong[0].id
		s.path = append(s.path, wrong[0].id)
		s.reason = fmt.Sprintf("claim %s is %s", wrong[0].id, wrong[0].fault)
	}
	if len(right) == 0 {
		return s
	}

	// The state of the claims at the time of the question.
	s.brk = ""
	for _, c := range right {
		s.path = append(s.path, c.id)
		if c.object != "" {
			s.path = append(s.path, c.object)
		}
		brk, reason := g.holdsAt(c, r)
		order := schema.Breaks()
		if s.brk == "" || slices.Index(order, brk) > slices.Index(order, s.brk) { // the claim that comes furthest
			s.brk, s.at, s.reason = brk, c.id, reason
		}
	}
	return s
}

// saying returns the memories of a turn that contain the need, individually or together.
func (n *need) saying(memories []schema.Node) (out []schema.Node) {
	var parts []schema.Node
	var bags []*bag
	for _, m := range memories {
		b := newBag(m.Props.Text("data"))
		if n.in(b, n.refs, true) {
			out = append(out, m)
		}
		if slices.ContainsFunc(n.key, b.has) {
			parts, bags = append(parts, m), append(bags, b)
		}
	}
	if len(out) == 0 && len(bags) > 1 && n.keyIn(bags...) {
		return parts
	}
	return out
}

// has reports whether a node is there, as far as that can be read.
func (g *look) has(id schema.NodeID) bool {
	_, ok, err := g.Node(g.ctx, id)
	return ok && err == nil
}

// claim is the part of a claim that the walk needs.
type claim struct {
	id, subject, object schema.NodeID
	about               *bag   // the object's names
	memory              string // the text that it rests on
	subjectName         string
	status, next        string
	from, until         string // RFC 3339 or its beginning; "" open
	fault               string
}

func (g *look) readClaim(n, memory schema.Node) claim {
	p := n.Props
	c := claim{id: n.ID, memory: memory.Props.Text("data"), status: p.Text("status"), next: p.Text("superseded_by"), from: p.Text("valid_at"), until: p.Text("invalid_at")}
	names := ""
	if id, err := schema.ParseID(string(n.ID)); err == nil && len(id.Ends) == 2 {
		c.subject, c.object = schema.NodeID(id.Ends[0]), schema.NodeID(id.Ends[1])
		names = nameOf(c.object)
		c.subjectName = nameOf(c.subject)
	}
	for _, o := range g.far(n.ID, graph.Out, schema.EdgeAbout) {
		c.object = o.ID
		names += " " + o.Props.Text("name") + " " + o.Props.Text("display") + " " + o.Props.Text("title")
	}
	c.about = newBag(names)
	return c
}

// nameOf is the name in an entity's id.
func nameOf(id schema.NodeID) string {
	_, name, _ := strings.Cut(string(id), ":")
	return schema.Unescape(name)
}

// judgeClaims divides the claims on the memories of a need into those that state it and those that state it about something else. A claim about another thing
// in the memory is neither.
//
// A claim states it if its object has one of the gold's words, or, if the turn has none of them, if its object is in the memory at all. It is about something
// else if its object has none of them and shares no word with the memory that it rests on, or if its subject is a user (or agent) other than the speaker of the
// turn and the memory does not name that subject.
func (n *need) judgeClaims(claims []claim, speakers map[schema.NodeID]bool) (right, wrong []claim) {
	for _, c := range claims {
		text := newBag(c.memory)
		switch says := slices.ContainsFunc(n.gold, c.about.has); {
		case !says && len(c.about.terms) > 0 && c.about.both(text) == 0:
			c.fault = fmt.Sprintf("about %s, of which the memory says nothing", c.object)
			wrong = append(wrong, c)
			continue
		case !says && len(n.key) > 0:
			continue
		}
		if mixedUp(c.subject, speakers) && newBag(c.subjectName).both(text) == 0 {
			c.fault = fmt.Sprintf("of %s, who did not say it", c.subject)
			wrong = append(wrong, c)
			continue
		}
		right = append(right, c)
	}
	return right, wrong
}

// mixedUp reports whether the subject is one person although another of its kind spoke. Statements of an agent about a user, and of a user about an agent, are
// not judged by that.
func mixedUp(subject schema.NodeID, speakers map[schema.NodeID]bool) bool {
	kind, _, _ := strings.Cut(string(subject), ":")
	another := false
	for id := range speakers {
		k, _, _ := strings.Cut(string(id), ":")
		if nameOf(id) == nameOf(subject) {
			return false
		}
		another = another || k == kind && (kind == "user" || kind == "agent" || kind == "char")
	}
	return another
}

// holdsAt returns why a claim that states the gold did not answer the question.
func (g *look) holdsAt(c claim, r *schema.QARecord) (brk, reason string) {
	asOf := r.AsOf
	if asOf != "" && c.from != "" && later(c.from, asOf) {
		return schema.BreakValidity, fmt.Sprintf("claim %s holds from %s, and it was asked as of %s", c.id, c.from, asOf)
	}
	if c.status == "deprecated" || c.next != "" {
		reason = fmt.Sprintf("claim %s was set aside", c.id)
		if c.next == "" {
			return schema.BreakSuperseded, reason
		}
		n, ok := g.node(schema.NodeID(c.next))
		since := n.Props.Text("valid_at")
		if ok && asOf != "" && since != "" && later(since, asOf) { // it held then
			return schema.BreakRank, fmt.Sprintf("claim %s held as of %s and was not among the first %d", c.id, asOf, r.K)
		}
		return schema.BreakSuperseded, reason + " for " + c.next
	}
	if c.until != "" && (asOf == "" || !later(c.until, asOf)) {
		return schema.BreakValidity, fmt.Sprintf("claim %s held until %s", c.id, c.until)
	}
	return schema.BreakRank, fmt.Sprintf("claim %s is linked and was not among the first %d", c.id, r.K)
}

// later reports whether instant a lies after b, to the precision that both have: "2025-03" is
// not after "2025-03-07".
func later(a, b string) bool {
	n := min(len(a), len(b), len("2006-01-02T15:04:05"))
	return a[:n] > b[:n]
}
