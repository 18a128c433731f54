package probes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"membench/graph"
	"membench/schema"
)

// Names of the queries that prove answers.
const (
	QueryFact       = "fact"       // what a subject has under a predicate, and the turns that say so
	QueryChain      = "chain"      // two or three facts, each about the object of the one before
	QueryMentions   = "mentions"   // the turns in which someone says a text
	QueryBridge     = "bridge"     // a fact, and the turns in which someone says its object
	QueryTogether   = "together"   // two texts said in one sitting
	QuerySuperseded = "superseded" // a claim and its successor
	QueryReply      = "reply"      // the turn after a question, and what it says
	QueryOpposite   = "opposite"   // two claims of opposite polarity about one thing
)

// A Proof is the query that proves an answer: Cypher for a graph that load-neo4j
// loaded (scope ""), and, by Rows, the same on any graph. A row is the ids that the
// query returns, answer first, then the turns. None says that there must be no row:
// the question cannot be answered.
type Proof struct {
	Query  string `json:"query"`
	Cypher string `json:"cypher"`
	Params Params `json:"params"`
	None   bool   `json:"none,omitzero"`
}

// Params are the parameters of the Cypher text; a query reads those it has a use for.
type Params struct {
	Subject    schema.NodeID   `json:"subject,omitzero"`
	Predicate  string          `json:"predicate,omitzero"`
	Predicates []string        `json:"predicates,omitempty"` // chain: one for each step
	Object     schema.NodeID   `json:"object,omitzero"`
	Convs      []schema.ConvID `json:"convs"`             // the conversations of the case
	Names      []string        `json:"names"`             // speakers of the first turn, as the graph has them; none: anybody
	Names2     []string        `json:"names2,omitempty"`  // of the second
	Status     []string        `json:"status"`            // of the claim; none: any
	Event      schema.NodeID   `json:"event"`             // the turn that says the fact; "": any
	Day        string          `json:"day"`               // YYYY-MM-DD; "": any
	Text       string          `json:"text,omitzero"`     // folded, for Rows
	Text2      string          `json:"text2,omitzero"`    // folded, for Rows
	Pattern    string          `json:"pattern,omitzero"`  // Text as Java's regular expression over toLower(content)
	Pattern2   string          `json:"pattern2,omitzero"` // Text2 likewise
	Place      string          `json:"-"`                 // IN_SESSION or IN_CONV: what a sitting is
	Quoted     bool            `json:"quoted,omitzero"`   // together: Text is the object of a fact said in Event
	InConv     bool            `json:"by_conv,omitzero"`  // a sitting is a conversation: it has no sessions
}

const (
	walkClaim = `MATCH (s:Node {id: $subject})-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate {predicate: $predicate})-[:HAS_CLAIM]->(c:Claim)-[:ABOUT]->(o:Node)
MATCH (c)-[:EVIDENCED_BY]->(:MemoryItem)-[:FROM_EVENT]->(e:Event)
WHERE e.conv_id IN $convs AND (size($names) = 0 OR e.role_name IN $names) AND (size($status) = 0 OR c.status IN $status)
  AND ($event = '' OR e.id = $event) AND ($day = '' OR left(coalesce(e.time, ''), 10) = $day)
`
	said = `%[1]s.conv_id IN $convs AND (size($names%[2]s) = 0 OR %[1]s.role_name IN $names%[2]s) AND toLower(%[1]s.content) =~ $pattern%[2]s`
)

// prove makes a proof with its Cypher text.
func prove(query string, p Params) *Proof {
	if p.Names == nil {
		p.Names = []string{}
	}
	if p.Status == nil {
		p.Status = []string{}
	}
	place := schema.EdgeInSession
	if p.InConv {
		place = schema.EdgeInConv
	}
	if p.Text != "" {
		p.Pattern = javaPattern(p.Text)
	}
	if p.Text2 != "" {
		p.Pattern2 = javaPattern(p.Text2)
	}
	var c string
	switch query {
	case QueryFact:
		c = walkClaim + "RETURN DISTINCT o.id, e.id ORDER BY o.id, e.id"
	case QueryChain:
		var b strings.Builder
		b.WriteString("MATCH (o0:Node {id: $subject})\n")
		out := "o" + fmt.Sprint(len(p.Predicates)) + ".id"
		for i := range p.Predicates {
			fmt.Fprintf(&b, "MATCH (o%d)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate {predicate: $predicates[%d]})-[:HAS_CLAIM]->(c%d:Claim {status: 'active'})-[:ABOUT]->(o%d:Node)\nMATCH (c%d)-[:EVIDENCED_BY]->(:MemoryItem)-[:FROM_EVENT]->(e%d:Event) WHERE e%d.conv_id IN $convs\n", i, i, i, i+1, i, i, i)
			out += fmt.Sprintf(", e%d.id", i)
		}
		c = b.String() + "RETURN DISTINCT " + out + " ORDER BY " + out
	case QueryMentions:
		c = "MATCH (e:Event) WHERE " + fmt.Sprintf(said, "e", "") + " AND ($day = '' OR left(coalesce(e.time, ''), 10) = $day)\nRETURN e.id, left(coalesce(e.time, ''), 10) ORDER BY e.id"
	case QueryReply:
		c = "MATCH (:Event {id: $event})-[:NEXT]->(e:Event) WHERE " + fmt.Sprintf(said, "e", "") + "\nRETURN e.id ORDER BY e.id"
	case QueryBridge:
		c = walkClaim + "MATCH (f:Event) WHERE " + fmt.Sprintf(said, "f", "2") + "\nRETURN DISTINCT left(coalesce(f.time, ''), 10), e.id, f.id ORDER BY e.id, f.id"
	case QueryTogether:
		if p.Quoted {
			c = walkClaim + "WITH DISTINCT e AS q\nMATCH (a:Event) WHERE a <> q AND " + fmt.Sprintf(said, "a", "")
			c = strings.Replace(c, "(size($names) = 0 OR e.role_name IN $names)", "true", 1)
			c += "\nMATCH (a)-[:" + place + "]->(x)<-[:" + place + "]-(b:Event) WHERE b <> a AND " + fmt.Sprintf(said, "b", "2") + "\nRETURN DISTINCT q.id, a.id, b.id ORDER BY q.id, a.id, b.id"
		} else {
			c = "MATCH (a:Event) WHERE " + fmt.Sprintf(said, "a", "") + "\nMATCH (a)-[:" + place + "]->(x)<-[:" + place + "]-(b:Event) WHERE b <> a AND " + fmt.Sprintf(said, "b", "2") + "\nRETURN DISTINCT a.id, b.id ORDER BY a.id, b.id"
		}
	case QuerySuperseded:
		c = walkClaim + "MATCH (c)-[:SUPERSEDED_BY]->(d:Claim)-[:ABOUT]->(p:Node)\nMATCH (d)-[:EVIDENCED_BY]->(:MemoryItem)-[:FROM_EVENT]->(f:Event) WHERE f.conv_id IN $convs\nRETURN DISTINCT o.id, p.id, e.id, f.id ORDER BY o.id, p.id, e.id, f.id"
	case QueryOpposite:
		c = walkClaim + "MATCH (s)-[:HAS_DOMAIN]->(:Domain)-[:HAS_PREDICATE]->(:Predicate {predicate: $predicates[0]})-[:HAS_CLAIM]->(d:Claim)-[:ABOUT]->(o)\nMATCH (d)-[:EVIDENCED_BY]->(:MemoryItem)-[:FROM_EVENT]->(f:Event) WHERE f.conv_id IN $convs\nRETURN DISTINCT o.id, e.id, f.id ORDER BY o.id, e.id, f.id"
	}
	return &Proof{Query: query, Cypher: c, Params: p}
}

// Rows answers the query on any graph, in the order of its values.
func (p Proof) Rows(ctx context.Context, g graph.Graph) ([][]string, error) {
	r := prover{ctx: ctx, g: g, p: p.Params}
	switch p.Query {
	case QueryFact:
		for _, h := range r.walk(p.Params.Subject, p.Params.Predicate, r.wanted) {
			r.row(string(h.object), string(h.event.ID))
		}
	case QueryChain:
		r.chain(p.Params.Subject, 0, nil)
	case QueryMentions:
		for _, e := range r.said(p.Params.Names, p.Params.Text) {
			if day := dayOf(e); p.Params.Day == "" || day == p.Params.Day {
				r.row(string(e.ID), day)
			}
		}
	case QueryBridge:
		later := r.said(p.Params.Names2, p.Params.Text2)
		for _, h := range r.walk(p.Params.Subject, p.Params.Predicate, r.wanted) {
			for _, f := range later {
				r.row(dayOf(f), string(h.event.ID), string(f.ID))
			}
		}
	case QueryReply:
		next := r.ends(p.Params.Event, graph.Out, schema.EdgeNext)
		for _, e := range r.said(p.Params.Names, p.Params.Text) {
			if slices.Contains(next, e.ID) {
				r.row(string(e.ID))
			}
		}
	case QueryTogether:
		r.together()
	case QuerySuperseded, QueryOpposite:
		r.pairs(p.Query)
	default:
		return nil, fmt.Errorf("no query is named %q", p.Query)
	}
	slices.SortFunc(r.rows, func(a, b []string) int { return slices.Compare(a, b) })
	return slices.CompactFunc(r.rows, slices.Equal), r.err
}

type prover struct {
	ctx  context.Context
	g    graph.Graph
	p    Params
	rows [][]string
	err  error
}

type held struct {
	claim  schema.Node
	object schema.NodeID
	event  schema.Node
}

func (r *prover) row(v ...string) { r.rows = append(r.rows, v) }

func dayOf(e schema.Node) string {
	t := e.Props.Text("time")
	return t[:min(10, len(t))]
}

// out lists the nodes at the other end of a node's edges of a type.
func (r *prover) ends(id schema.NodeID, d graph.Direction, typ string) (out []schema.NodeID) {
	for e, err := range r.g.Neighbors(r.ctx, id, d, graph.Filter{Types: []string{typ}}) {
		if err != nil {
			r.err = cmp.Or(r.err, err)
			return nil
		}
		end := e.Dst
		if d == graph.In {
			end = e.Src
		}
		out = append(out, end)
	}
	return out
}

func (r *prover) node(id schema.NodeID) schema.Node {
	n, _, err := r.g.Node(r.ctx, id)
	r.err = cmp.Or(r.err, err)
	return n
}

func (r *prover) inCase(e schema.Node) bool {
	return slices.Contains(r.p.Convs, schema.ConvID(e.Props.Text("conv_id")))
}

func (r *prover) wanted(claim, e schema.Node) bool {
	names := r.p.Names
	if r.p.Quoted {
		names = nil // they are those of the turn that takes the object up
	}
	return (len(names) == 0 || slices.Contains(names, e.Props.Text("role_name"))) &&
		(len(r.p.Status) == 0 || slices.Contains(r.p.Status, claim.Props.Text("status"))) &&
		(r.p.Event == "" || e.ID == r.p.Event) && (r.p.Day == "" || dayOf(e) == r.p.Day)
}

// walk goes from a subject to its claims of a predicate, their objects and turns.
func (r *prover) walk(subject schema.NodeID, predicate string, want func(claim, e schema.Node) bool) (out []held) {
	for _, dom := range r.ends(subject, graph.Out, schema.EdgeHasDomain) {
		for _, pred := range r.ends(dom, graph.Out, schema.EdgeHasPredicate) {
			if r.node(pred).Props.Text("predicate") != predicate {
				continue
			}
			for _, id := range r.ends(pred, graph.Out, schema.EdgeHasClaim) {
				claim := r.node(id)
				events := r.evidence(id)
				for _, o := range r.ends(id, graph.Out, schema.EdgeAbout) {
					for _, e := range events {
						if r.inCase(e) && want(claim, e) {
							out = append(out, held{claim, o, e})
						}
					}
				}
			}
		}
	}
	return out
}

func (r *prover) evidence(claim schema.NodeID) (out []schema.Node) {
	for _, m := range r.ends(claim, graph.Out, schema.EdgeEvidencedBy) {
		for _, e := range r.ends(m, graph.Out, schema.EdgeFromEvent) {
			out = append(out, r.node(e))
		}
	}
	return out
}

func (r *prover) chain(at schema.NodeID, step int, turns []string) {
	if step == len(r.p.Predicates) {
		r.row(append([]string{string(at)}, turns...)...)
		return
	}
	active := func(c, _ schema.Node) bool { return c.Props.Text("status") == "active" }
	for _, h := range r.walk(at, r.p.Predicates[step], active) {
		r.chain(h.object, step+1, append(slices.Clone(turns), string(h.event.ID)))
	}
}

// said lists the turns of the case in which one of the speakers says a folded text.
func (r *prover) said(names []string, text string) (out []schema.Node) {
	for _, c := range r.p.Convs {
		for _, id := range r.ends(schema.Mint{V: schema.Latest}.Conv(c), graph.In, schema.EdgeInConv) {
			e := r.node(id)
			if slices.Contains(e.Labels, schema.LabelEvent) && (len(names) == 0 || slices.Contains(names, e.Props.Text("role_name"))) && has(fold(e.Props.Text("content")), text) {
				out = append(out, e)
			}
		}
	}
	return out
}

func (r *prover) together() {
	place := schema.EdgeInSession
	if r.p.InConv {
		place = schema.EdgeInConv
	}
	in := func(e schema.Node) schema.NodeID {
		if to := r.ends(e.ID, graph.Out, place); len(to) > 0 {
			return to[0]
		}
		return ""
	}
	var pairs [][2]schema.NodeID
	second := r.said(r.p.Names2, r.p.Text2)
	for _, a := range r.said(r.p.Names, r.p.Text) {
		for _, b := range second {
			if x := in(a); a.ID != b.ID && x != "" && x == in(b) {
				pairs = append(pairs, [2]schema.NodeID{a.ID, b.ID})
			}
		}
	}
	if !r.p.Quoted {
		for _, x := range pairs {
			r.row(string(x[0]), string(x[1]))
		}
		return
	}
	for _, h := range r.walk(r.p.Subject, r.p.Predicate, r.wanted) {
		for _, x := range pairs {
			if x[0] != h.event.ID {
				r.row(string(h.event.ID), string(x[0]), string(x[1]))
			}
		}
	}
}

func (r *prover) pairs(query string) {
	all := func(_, _ schema.Node) bool { return true }
	for _, h := range r.walk(r.p.Subject, r.p.Predicate, r.wanted) {
		if query == QueryOpposite {
			for _, x := range r.walk(r.p.Subject, r.p.Predicates[0], all) {
				if x.object == h.object {
					r.row(string(h.object), string(h.event.ID), string(x.event.ID))
				}
			}
			continue
		}
		for _, d := range r.ends(h.claim.ID, graph.Out, schema.EdgeSupersededBy) {
			for _, o := range r.ends(d, graph.Out, schema.EdgeAbout) {
				for _, e := range r.evidence(d) {
					if r.inCase(e) {
						r.row(string(h.object), string(o), string(h.event.ID), string(e.ID))
					}
				}
			}
		}
	}
}
