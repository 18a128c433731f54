package graphmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/annotate"
	"membench/claims"
	"membench/graph"
	"membench/graphir"
	"membench/internal/codec"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/store"
	"membench/schema"
	"membench/schema/catalog"
)

// A chain runs the chain's stages on one turn after the other: the fold of claims, the
// threads of the conversations and the number of memories so far are its state, beside
// about the size of the compiled claims.
type chain struct {
	scope   string
	cat     *catalog.Catalog
	facts   op.Extractor
	merger  *claims.Merger
	states  *claims.States
	threads map[schema.ConvID]*graphir.Thread
	stated  []schema.Statement // in the order that they came, to make the fold again
	n       int                // memories
	turns   int
	lost    map[schema.ClaimID]bool // claims that another one took the place of
}

func newChain(scope string) *chain {
	c := catalog.Default()
	return &chain{scope: scope, cat: c, facts: op.RuleFacts(), merger: claims.NewMerger(c, schema.Latest), states: &claims.States{}, threads: map[schema.ConvID]*graphir.Thread{}, lost: map[schema.ClaimID]bool{}}
}

// clone makes the fold again: a Merger has no copy.
func (c *chain) clone() *chain {
	d := newChain(c.scope)
	d.n, d.turns, d.stated, d.lost, d.states = c.n, c.turns, slices.Clone(c.stated), maps.Clone(c.lost), c.states.Clone()
	for _, s := range d.stated {
		d.merger.Add(s) //nolint:errcheck // what was a fault then is one now
	}
	for k, t := range c.threads {
		twin := *t
		d.threads[k] = &twin
	}
	return d
}

// A step is what one turn adds to the graph.
type step struct {
	event    schema.Event
	memories []schema.MemoryExport
	changed  []schema.Statement // claims and entities that differ now
	elements []schema.Element
}

// step runs the stages on o. Nothing is changed when it fails.
func (c *chain) step(ctx context.Context, o native.Observation) (s step, err error) {
	if s.event, err = c.eventOf(o); err != nil {
		return s, err
	}
	facts, _, err := c.facts.Facts(ctx, nil, readable(o.Turns))
	if err != nil {
		return s, err
	}
	said := map[string]bool{}
	facts = slices.DeleteFunc(facts, func(f op.Fact) bool { // what a turn says twice is one memory
		again := said[f.Role+f.Text]
		said[f.Role+f.Text] = true
		return again
	})
	for i, f := range facts {
		x, err := c.memoryOf(s.event, o, f, i)
		if err != nil {
			return s, err
		}
		s.memories = append(s.memories, x)
	}
	var stated []schema.Statement
	if len(s.memories) > 0 {
		in := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
			for _, x := range s.memories {
				if !yield(schema.Record[schema.MemoryExport]{V: x}, nil) {
					return
				}
			}
		}
		for r, err := range claims.Extract(ctx, in, claims.Options{Catalog: c.cat, Memory: 1 << 16, States: c.states}) {
			var f *schema.Finding
			switch {
			case errors.As(err, &f): // what cannot be read as a claim is still said in the turn
			case err != nil:
				return s, err
			default:
				stated = append(stated, r.V)
			}
		}
	}
	// From here on nothing fails.
	c.n += len(s.memories)
	c.turns++
	conv := s.event.ConvID
	if c.threads[conv] == nil {
		c.threads[conv] = &graphir.Thread{}
	}
	var o010 graphir.Options
	s.elements = append(graphir.Event(s.event, o010), c.threads[conv].Add(s.event, o010)...)
	for _, x := range s.memories {
		s.elements = append(s.elements, graphir.Memory(x, o010)...)
	}
	for _, x := range stated {
		changed, err := c.merger.Add(x)
		if err != nil {
			continue // a *schema.Finding: it contradicts what is known under its id
		}
		c.stated = append(c.stated, x)
		s.changed = append(s.changed, slices.DeleteFunc(changed, func(x schema.Statement) bool { return c.staysLost(x, s.brought) })...)
	}
	c.merger.Findings() // warnings of the merge are those of claimify, and kept there
	for _, x := range s.changed {
		s.elements = append(s.elements, graphir.Statement(x, s.brought, o010)...)
	}
	return s, nil
}

// staysLost reports whether a claim that lost its place before only lost it to someone else
// now. It stays as it is, tied to whom it lost it to first, who lost it in turn: of a hundred
// homes one after the other a turn changes two.
func (c *chain) staysLost(x schema.Statement, brought func(schema.Evidence) bool) bool {
	if x.Claim == nil {
		return false
	}
	was, now := c.lost[x.Claim.ID], x.Claim.Status == schema.StatusDeprecated && x.Claim.SupersededBy != ""
	c.lost[x.Claim.ID] = now
	return was && now && !slices.ContainsFunc(x.Claim.Evidence, brought)
}

// brought reports whether evidence came with this step.
func (s *step) brought(e schema.Evidence) bool {
	return slices.ContainsFunc(s.memories, func(m schema.MemoryExport) bool { return m.ID == e.Point })
}

// factText is how much of a turn facts are read from, in bytes: what is longer is a pasted
// document, which is kept as a turn and found by its words.
const factText = 20_000

func readable(turns []schema.Turn) []schema.Turn {
	out := slices.Clone(turns)
	for i, t := range out {
		if len(t.Text) > factText {
			out[i].Text = strings.ToValidUTF8(t.Text[:factText], "")
		}
	}
	return out
}

// roles of turns as events have them.
var roles = map[string]string{memory.RoleUser: schema.RoleHuman, memory.RoleAssistant: schema.RoleAssistant, "tool": schema.RoleTool, "system": schema.RoleUI}

func (c *chain) eventOf(o native.Observation) (schema.Event, error) {
	t := o.Turns[0]
	ref := schema.EventRef{ConvID: schema.ConvID(c.scope), TurnID: c.turns + 1}
	if len(o.Sources) > 0 {
		ref = o.Sources[0]
	}
	tag, _ := annotate.RuleTag(t.Text)
	meta := schema.EventMeta{Time: o.Time, SessionID: o.Session, UserID: o.Batch.UserID, AgentID: o.Batch.AgentID, Attachments: o.Attachments, By: schema.ByRule}
	raw, err := codec.Append(nil, meta, codec.Compact)
	if err != nil {
		return schema.Event{}, fmt.Errorf("turn %s:%d: %w", ref.ConvID, ref.TurnID, err)
	}
	e := schema.Event{ConvID: ref.ConvID, TurnID: ref.TurnID, RoleType: cmp.Or(roles[t.Role], schema.RoleHuman), RoleName: cmp.Or(t.Name, t.Role), Content: t.Text, Tags: []string{tag}}
	return e, codec.Unmarshal(raw, &e.Meta)
}

// memoryOf is a fact as a memory system exports it. Where nobody is named as user or
// agent, the speaker's own name says whose it is.
func (c *chain) memoryOf(e schema.Event, o native.Observation, f op.Fact, i int) (schema.MemoryExport, error) {
	user, agent, actor := o.Batch.UserID, o.Batch.AgentID, ""
	if f.Role == memory.RoleUser && (user == "" || user == schema.AnyUser) || f.Role != memory.RoleUser && (agent == "" || agent == schema.AnyAgent) {
		actor = cmp.Or(o.Speaker, f.Role)
	}
	data := memory.Prefix(f.Role) + f.Text
	var b schema.ObjectBuilder
	for k, v := range o.Batch.Metadata.Members() {
		if !slices.Contains(ours, k) {
			b.Raw(k, v)
		}
	}
	for _, m := range [][2]string{{"user_id", user}, {"agent_id", agent}, {"actor_id", actor}, {"conv_id", string(e.ConvID)}, {"data", data}, {"hash", schema.Hash(data)}, {"created_at", o.Time}} {
		if m[1] != "" {
			b.String(m[0], m[1])
		}
	}
	err := b.Value("events", []schema.EventRef{e.Ref()})
	return schema.MemoryExport{ID: store.ID(c.scope+"/fact", c.n+i+1), Payload: b.Object()}, err
}

var ours = []string{"user_id", "agent_id", "actor_id", "conv_id", "role", "data", "hash", "created_at", "events"}

// puts are the changes that bring the elements into g, each id once. A turn, a claim and a claim's edges each have one source; shared things (people,
// places, topics, a repeated memory) hold the union of what was said, with the first statement winning, as in graphir.Build. Three things differ, so
// that a turn does not cost more
// the more was said before it. No list of occurrences grows: edges lead to the turns of a
// memory. An edge from a claim to its evidence keeps the confidence and updated_at
// that the claim had when the evidence came; the claim's node has the present ones. And a
// claim that lost its place is tied to the one that took it then (staysLost).
func puts(ctx context.Context, g *graph.Local, elements []schema.Element) ([]schema.Change, error) {
	byID := make(map[string]schema.Element, len(elements))
	for _, e := range elements {
		id := "n" + e.ID()
		if e.Edge != nil {
			id = "e" + e.ID()
		}
		was, ok := byID[id]
		switch {
		case ok:
		case e.Edge != nil:
			if x, has := g.Edge(e.Edge.ID); has {
				was, ok = schema.Element{Edge: &x}, true
			}
		default:
			n, has, err := g.Node(ctx, e.Node.ID)
			if err != nil {
				return nil, err
			}
			if has {
				was, ok = schema.Element{Node: &n}, true
			}
		}
		if ok {
			var differs bool
			if e, differs = union(was, e); !differs && byID[id].IsZero() {
				continue // it is there already
			}
		}
		byID[id] = e
	}
	out := make([]schema.Change, 0, len(byID))
	for _, e := range byID {
		out = append(out, schema.Change{Op: schema.OpPut, New: e})
	}
	slices.SortFunc(out, func(a, b schema.Change) int { return graph.Compare(a.New, b.New) })
	return out, nil
}

// renewed are the labels and edge types of which the newest says all that holds.
var renewed = map[string]bool{schema.LabelClaim: true, schema.LabelEvent: true, schema.EdgeHasClaim: true, schema.EdgeAbout: true, schema.EdgeSupersededBy: true}

// union is what is in the graph after now was said, and whether that differs.
func union(was, now schema.Element) (schema.Element, bool) {
	switch {
	case was.Node != nil && now.Node != nil:
		if slices.ContainsFunc(now.Node.Labels, func(l string) bool { return renewed[l] }) {
			return now, true
		}
		n, differs := *was.Node, false
		n.Props, differs = graphir.Join(n.Props, now.Node.Props)
		return schema.Element{Node: &n}, differs
	case was.Edge != nil && now.Edge != nil:
		if renewed[now.Edge.Type] {
			return now, true
		}
		x, differs := *was.Edge, false
		x.Props, differs = graphir.Join(x.Props, now.Edge.Props)
		return schema.Element{Edge: &x}, differs
	}
	return now, true
}
