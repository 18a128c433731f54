package graphmem

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"membench/graph"
	"membench/llm"
	"membench/memory/native"
	"membench/schema"
)

// A graph memory whose graph lives in a store of record answers from a mirror. A store that can be followed reports changes; own writes update the
// mirror at once, so the cost of a question depends on what others changed, not on the size of the graph.

// auditPage is how many nodes are compared with a question, while it is not sure that
// nobody changed the graph without keeping its revision: some milliseconds of work.
const auditPage = 100

// A following is how far the mirror of a store of record is known to be right.
type following struct {
	graph.Follower
	audit []schema.NodeID // where the pages begin that are yet to be compared
	again bool            // someone wrote during the audit
}

// refresh brings the mirror up to the store of record. Vectors and owners of what is
// still there are kept.
func (p *policy) refresh(ctx context.Context) (llm.Usage, error) {
	if p.home == nil {
		return llm.Usage{}, nil
	}
	u, err := p.follow.Look(ctx, p.home)
	if err != nil {
		return llm.Usage{}, err
	}
	if u.Whole {
		usage, err := p.whole(ctx)
		if err == nil {
			p.follow = following{}
			p.follow.Take(u)
		}
		return usage, err
	}
	usage, err := p.absorb(ctx, u.Changes)
	if err != nil {
		return usage, err
	}
	p.follow.again = p.follow.again || u.Unsaid
	p.follow.Take(u)
	more, err := p.audit(ctx)
	return usage.Add(more), err
}

// whole makes the mirror again from all that the store holds.
func (p *policy) whole(ctx context.Context) (llm.Usage, error) {
	vectors, err := graph.StoredVectors(ctx, p.home, p.v.st.Embed().Profile())
	if err != nil {
		return llm.Usage{}, err
	}
	g, err := graph.Mirror(ctx, p.home)
	if err != nil {
		return llm.Usage{}, err
	}
	v, usage, err := load(ctx, g, p.v.st.Embed(), p.v, vectors)
	if err == nil {
		p.g, p.v = g, v
	}
	return usage, err
}

// audit compares a page of the mirror with the store: all of them in turn, from the time
// that someone may have written without saying so.
func (p *policy) audit(ctx context.Context) (llm.Usage, error) {
	f, ok := p.home.(graph.Followed)
	if !ok {
		return llm.Usage{}, nil
	}
	if len(p.follow.audit) == 0 && p.follow.again {
		p.follow.again = false
		p.follow.audit = append(p.follow.audit, "")
		n := 0
		for node, err := range p.g.Nodes(ctx, graph.Filter{}) {
			if err != nil {
				return llm.Usage{}, err
			}
			if n++; n%auditPage == 0 {
				p.follow.audit = append(p.follow.audit, node.ID)
			}
		}
	}
	if len(p.follow.audit) == 0 {
		return llm.Usage{}, nil
	}
	from, to := p.follow.audit[0], schema.NodeID("")
	if len(p.follow.audit) > 1 {
		to = p.follow.audit[1]
	}
	stored, err := f.Page(ctx, from, to)
	if err != nil {
		return llm.Usage{}, err
	}
	changes, err := p.differing(ctx, stored, from, to)
	if err != nil {
		return llm.Usage{}, err
	}
	usage, err := p.absorb(ctx, changes)
	if err == nil {
		p.follow.audit = p.follow.audit[1:]
	}
	return usage, err
}

// differing are the changes that make the mirror's nodes in a range of ids, and the
// edges that leave them, what is stored.
func (p *policy) differing(ctx context.Context, stored []schema.Element, from, to schema.NodeID) (out []schema.Change, err error) {
	there := make(map[string]bool, len(stored))
	for _, e := range stored {
		var have schema.Element
		if e.Node != nil {
			there["n"+e.ID()] = true
			if n, ok, err := p.g.Node(ctx, e.Node.ID); err != nil {
				return nil, err
			} else if ok {
				have.Node = &n
			}
		} else {
			there["e"+e.ID()] = true
			if x, ok := p.g.Edge(e.Edge.ID); ok {
				have.Edge = &x
			}
		}
		if have.IsZero() || !graph.SameElement(have, e) {
			out = append(out, schema.Change{Op: schema.OpPut, New: e})
		}
	}
	for n, err := range p.g.NodesFrom(ctx, from) {
		if err != nil {
			return nil, err
		}
		if to != "" && n.ID >= to {
			break
		}
		if !there["n"+string(n.ID)] {
			out = append(out, schema.Change{Op: schema.OpDelete, Old: schema.Element{Node: &n}})
		}
		for x, err := range p.g.Neighbors(ctx, n.ID, graph.Out, graph.Filter{}) {
			if err != nil {
				return nil, err
			}
			if !there["e"+string(x.ID)] {
				out = append(out, schema.Change{Op: schema.OpDelete, Old: schema.Element{Edge: &x}})
			}
		}
	}
	return out, nil
}

// absorb brings changes of others into the mirror, and what can be found with it: turns
// behind all others and claims are added, for anything else the view is made again.
func (p *policy) absorb(ctx context.Context, changes []schema.Change) (llm.Usage, error) {
	var differ []schema.Change // own writes come back, too
	for _, c := range changes {
		if same, err := p.holds(ctx, c); err != nil {
			return llm.Usage{}, err
		} else if !same {
			differ = append(differ, c)
		}
	}
	if len(differ) == 0 {
		return llm.Usage{}, nil
	}
	turns, claims, appended := p.appended(differ)
	if _, err := p.g.Apply(ctx, graph.Changes(differ...)); err != nil {
		return llm.Usage{}, err
	}
	if !appended {
		v, usage, err := load(ctx, p.g, p.v.st.Embed(), p.v, nil)
		if err == nil {
			p.v = v
		}
		return usage, err
	}
	vectors, usage, err := embedAll(ctx, p.v.st.Embed(), turns)
	if err != nil {
		return usage, err
	}
	if err := ownersOf(ctx, p.g, turns); err != nil {
		return usage, err
	}
	for i := range turns {
		if last := p.v.st.Len() - 1; last >= 0 && len(p.v.st.At(last).Sources) > 0 && p.v.st.At(last).Sources[0].ConvID == turns[i].conv() {
			was := p.v.st.At(last)
			turns[i].UserID, turns[i].AgentID = cmp.Or(turns[i].UserID, was.UserID), cmp.Or(turns[i].AgentID, was.AgentID)
		}
		p.v.add(turns[i].Record, turns[i].said, vectors[i])
	}
	for _, id := range claims {
		f, ok, err := factOf(ctx, p.g, id, nil)
		if err != nil {
			return usage, err
		}
		if ok {
			p.v.put(f)
		}
	}
	return usage, nil
}

// holds reports whether the mirror is as a change wants it.
func (p *policy) holds(ctx context.Context, c schema.Change) (bool, error) {
	e := c.New
	if c.Op != schema.OpPut {
		e = c.Old
	}
	var have schema.Element
	if e.Node != nil {
		n, ok, err := p.g.Node(ctx, e.Node.ID)
		if err != nil {
			return false, err
		}
		if ok {
			have.Node = &n
		}
	} else if x, ok := p.g.Edge(e.Edge.ID); ok {
		have.Edge = &x
	}
	if c.Op != schema.OpPut {
		return have.IsZero(), nil
	}
	return !have.IsZero() && graph.SameElement(have, e), nil
}

// appended takes changes apart: new turns in order and the claims that are touched.
// It is false where something else changes what a question finds.
func (p *policy) appended(changes []schema.Change) (turns []loaded, claims []schema.NodeID, ok bool) {
	touched := map[schema.NodeID]bool{}
	fresh := map[schema.NodeID]bool{}
	for _, c := range changes {
		n := c.New.Node
		switch {
		case c.Op != schema.OpPut:
			return nil, nil, false
		case n == nil:
			if x := c.New.Edge; x.Type == schema.EdgeEvidencedBy || x.Type == schema.EdgeAbout || x.Type == schema.EdgeSupersededBy {
				touched[x.Src], touched[x.Dst] = true, true
			}
		case slices.Contains(n.Labels, schema.LabelEvent):
			r, is := turnOf(*n)
			if _, known := p.v.st.Find(r.ID); !is || known || r.turn() <= p.v.newest(r.conv()) {
				return nil, nil, false
			}
			fresh[n.ID] = true
			turns = append(turns, r)
		case slices.Contains(n.Labels, schema.LabelClaim):
			touched[n.ID] = true
		case slices.Contains(n.Labels, schema.LabelMemoryItem):
			fresh[n.ID] = true
		}
	}
	for _, c := range changes {
		// A memory without a turn counts as one: gaining or losing a turn is not an append.
		if n := c.New.Node; n != nil && slices.Contains(n.Labels, schema.LabelMemoryItem) && !slices.ContainsFunc(changes, func(d schema.Change) bool {
			return d.New.Edge != nil && d.New.Edge.Type == schema.EdgeFromEvent && d.New.Edge.Src == n.ID
		}) {
			return nil, nil, false
		}
		if x := c.New.Edge; x != nil && x.Type == schema.EdgeFromEvent && !fresh[x.Src] && !fresh[x.Dst] {
			return nil, nil, false
		}
	}
	slices.SortStableFunc(turns, func(a, b loaded) int {
		return cmp.Or(cmp.Compare(a.conv(), b.conv()), cmp.Compare(a.turn(), b.turn()))
	})
	return turns, slices.Sorted(maps.Keys(touched)), true
}

// newest is the number of the last turn of a conversation, 0 without one.
func (v *view) newest(conv schema.ConvID) int {
	if i := v.st.Len() - 1; i >= 0 && len(v.st.At(i).Sources) > 0 && v.st.At(i).Sources[0].ConvID == conv {
		return v.st.At(i).Sources[0].TurnID
	}
	last := 0
	for r := range v.at {
		if r.ConvID == conv {
			last = max(last, r.TurnID)
		}
	}
	return last
}

// keep applies changes to the store of record, with the turn's vector where it takes one.
func (p *policy) keep(ctx context.Context, changes []schema.Change, turn schema.NodeID, vec []float32) error {
	st, ok := p.home.(graph.Store)
	if !ok {
		return nil
	}
	return p.follow.Apply(ctx, st, changes, map[schema.NodeID][]float32{turn: vec}, p.v.st.Embed().Profile())
}

// resume continues with what an earlier process left: the graph is read, and the stages
// run over its turns again, which gives the state that they had.
func (p *policy) resume(ctx context.Context) error {
	if _, err := p.refresh(ctx); err != nil {
		return err
	}
	for _, r := range p.v.st.All() {
		n, ok, err := p.g.Node(ctx, schema.NodeID(r.ID))
		if err != nil {
			return err
		}
		if o, is := observationOf(n); ok && is {
			o.Batch.UserID, o.Batch.AgentID = r.UserID, r.AgentID
			if _, err := p.c.step(ctx, o); err != nil {
				return err
			}
		}
	}
	p.kept = true
	return nil
}

// knows reports a turn that is in the graph already, which may come again after a restart.
func (p *policy) knows(o native.Observation) bool {
	if !p.kept || len(o.Sources) == 0 {
		return false
	}
	at, ok := p.v.at[o.Sources[0]]
	return ok && p.v.st.At(at).Text == o.Text
}
