package pcm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"membench/internal/clause"
	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Agents that act on a turn.
const (
	AgentCorrection  = "correction"
	AgentProfiling   = "profiling"
	AgentMaintenance = "maintenance"
	AgentStart       = "start"    // nothing was known (fixed)
	AgentListener    = "listener" // an assistant's turn
	AgentEviction    = "eviction" // turns left the working memory
	AgentForgetting  = "time"     // days went by
)

// A Decision is the result of one turn, or of the end of a session.
type Decision struct {
	Session   string            `json:"session"`
	Turns     []schema.EventRef `json:"turns,omitempty"`
	Time      string            `json:"time,omitzero"`
	Text      string            `json:"text,omitzero"`
	Intent    *Intent           `json:"intent,omitempty"`
	Surprisal *Packet           `json:"surprisal,omitempty"`
	Agent     string            `json:"agent"`
	Reason    string            `json:"reason,omitzero"` // a model's diagnosis or reasoning
	Nodes     []NodeChange      `json:"nodes"`
	Edges     []EdgeChange      `json:"edges,omitempty"`
}

// A NodeChange is one node with its weights before and after; nil where there was none.
type NodeChange struct {
	Op     string         `json:"op"` // add | decay | reinforce | promote | evict | drop | fade
	ID     schema.PointID `json:"id"`
	Type   string         `json:"type"`
	Text   string         `json:"text"`
	Before *float64       `json:"before"`
	After  *float64       `json:"after"`
}

// An EdgeChange is a new edge.
type EdgeChange struct {
	From     schema.PointID `json:"from"`
	To       schema.PointID `json:"to"`
	Relation string         `json:"relation"`
	Weight   float64        `json:"weight"`
}

// policy is one memory.
type policy struct {
	o     Options
	d     memory.Deps
	seen  func(Decision)
	scope string
	home  *home // nil: the world lives in the process alone
	world world
	queue []int // positions of the working memory, oldest first
	ended schema.Instant
}

// turn is a turn that is being stored.
type turn struct {
	o     native.Observation
	said  string   // without the speaker
	facts []string // statements in it
	vec   []float32
	at    schema.Instant
	made  []made
}

// made is a node that a turn makes, with its vector.
type made struct {
	content string
	node    node
	vec     []float32
	links   []link
}

type link struct {
	to       int
	relation string
	weight   float64
}

// act is a change of the world, applied after everything that can fail.
type act struct {
	agent  string
	reason string
	make   []made
	decay  []int
	raise  []int
}

func (p *policy) fixed() bool { return p.o.Mode == native.Fixed }

// mostFacts is how many statements of one turn are looked at.
const mostFacts = 32

// Store hears a turn. Everything that can fail is done before the world is changed.
func (p *policy) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	used, err := p.refresh(ctx, false)
	if r.Usage = r.Usage.Add(used); err != nil || p.home.knows(o) {
		return err
	}
	said := o.Text
	if _, rest, ok := strings.Cut(o.Text, ": "); ok {
		said = rest
	}
	t := &turn{o: o, said: said}
	t.at, _ = schema.ParseInstant(o.Time)
	facts, _, err := op.RuleFacts().Facts(ctx, nil, o.Turns)
	if err != nil {
		return err
	}
	for _, f := range facts {
		if len(t.facts) < mostFacts && !slices.Contains(t.facts, f.Text) {
			t.facts = append(t.facts, f.Text)
		}
	}
	vec, err := store.One(ctx, p.d.Embed, &r.Usage, o.Text)
	if err != nil {
		return err
	}
	t.vec = vec
	d := Decision{Session: o.Session, Turns: o.Sources, Time: o.Time, Text: o.Text}
	var a act
	user := p.o.Both || o.Role != memory.RoleAssistant
	switch {
	case user:
		if a, err = p.decide(ctx, t, &d, r); err != nil {
			return err
		}
	case p.fixed():
		a = p.keepFacts(t, weightHeard)
		a.agent = AgentListener
	default:
		a.agent = AgentListener
	}
	if err := p.embed(ctx, t, a.make, r); err != nil {
		return err
	}
	before := len(r.Changes)
	p.apply(t, a, &d, r)
	p.remember(t, user, &d, r)
	if err := p.save(ctx, o.Sources); err != nil {
		r.Changes = r.Changes[:before]
		return err
	}
	p.tell(d)
	return nil
}

// decide is the way of a user's turn through intent, surprise and agent.
func (p *policy) decide(ctx context.Context, t *turn, d *Decision, r *memory.Receipt) (a act, err error) {
	found := p.world.search(t.vec, p.o.TopK, t.o.Batch)
	in, err := p.intent(ctx, t.said, r)
	if err != nil {
		return a, err
	}
	d.Intent = &in
	s, j, err := p.surprise(ctx, t, found, r)
	if err != nil {
		return a, err
	}
	d.Surprisal = &s
	if p.fixed() && len(found) == 0 {
		a = p.keepFacts(t, weightEvicted)
		a.agent = AgentStart
		return a, nil
	}
	switch s.Level {
	case High:
		return p.correct(ctx, t, s, j, found, r)
	case Medium:
		return p.profile(ctx, t, s, found, r)
	}
	a.agent = AgentMaintenance
	for _, f := range found {
		if !p.fixed() || slices.Contains(j.with, f.Pos) || recall.Dot(t.vec, p.world.st.Vector(f.Pos)) >= p.o.Match {
			a.raise = append(a.raise, f.Pos)
		}
	}
	return a, nil
}

// keepFacts makes a node of each statement of the turn.
func (p *policy) keepFacts(t *turn, weight float64) (a act) {
	for _, f := range t.facts {
		a.make = append(a.make, made{content: f, node: node{kind: Fact, weight: weight}})
	}
	return a
}

// correct decays the nodes that the turn contradicts and stores the turn's statement.
func (p *policy) correct(ctx context.Context, t *turn, s Packet, j judgement, found []recall.Scored, r *memory.Receipt) (act, error) {
	a, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeCorrect,
		func() (act, llm.Usage, error) { return p.modelCorrect(ctx, t, s, found) },
		func() act { return p.keepFacts(t, weightNew) })
	a.agent = AgentCorrection
	if p.fixed() && j.relation == Contradictory {
		for _, pos := range j.with {
			if !slices.Contains(a.decay, pos) {
				a.decay = append(a.decay, pos)
			}
		}
	}
	if len(a.make) == 0 {
		a.make = []made{{content: t.said, node: node{kind: Fact, weight: weightNew}}}
	}
	for i := range a.make {
		if len(a.make[i].links) == 0 {
			for _, pos := range a.decay {
				a.make[i].links = append(a.make[i].links, link{pos, Supersedes, edgeSupersedes})
			}
		}
	}
	return a, err
}

func (p *policy) modelCorrect(ctx context.Context, t *turn, s Packet, found []recall.Scored) (act, llm.Usage, error) {
	type answer struct {
		Diagnosis string   `json:"diagnosis"`
		Outdated  []nodeID `json:"outdated"`
		New       []struct {
			Content  string `json:"content"`
			Replaces nodeID `json:"replaces"`
		} `json:"new_facts"`
	}
	prompt := fmt.Sprintf("SURPRISE %.2f\n\nKNOWN\n%s\nNEW\n%s", s.Effective, p.numbered(found), t.o.Text)
	v, u, err := op.Ask(ctx, p.d.LLM, p.d.Prompts, op.PurposeCorrect, prompt, func(v answer) error {
		for _, f := range v.New {
			if strings.TrimSpace(f.Content) != "" {
				return nil
			}
		}
		return errors.New("new_facts has no content")
	})
	a := act{reason: v.Diagnosis, decay: p.positions(v.Outdated, found)}
	for _, f := range v.New {
		if text := strings.TrimSpace(f.Content); text != "" {
			m := made{content: text, node: node{kind: Fact, weight: weightNew}}
			for _, pos := range p.positions([]nodeID{f.Replaces}, found) {
				m.links = append(m.links, link{pos, Supersedes, edgeSupersedes})
			}
			a.make = append(a.make, m)
		}
	}
	return a, u, err
}

// profile makes a hypothesis from a new statement that contradicts nothing.
func (p *policy) profile(ctx context.Context, t *turn, s Packet, found []recall.Scored, r *memory.Receipt) (act, error) {
	a, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeHypothesis,
		func() (act, llm.Usage, error) { return p.modelHypothesis(ctx, t, found) },
		func() act { return act{make: []made{{content: ruleHypothesis(t)}}} })
	if err != nil {
		return a, err
	}
	a.agent = AgentProfiling
	a.make[0].node.kind, a.make[0].node.weight = Hypothesis, Initial(s.Effective)
	for _, f := range found[:min(3, len(found))] {
		a.make[0].links = append(a.make[0].links, link{f.Pos, DerivedFrom, edgeDerivedFrom})
	}
	return a, nil
}

func (p *policy) modelHypothesis(ctx context.Context, t *turn, found []recall.Scored) (act, llm.Usage, error) {
	type answer struct {
		Reasoning  string `json:"reasoning"`
		Hypothesis string `json:"hypothesis"`
	}
	v, u, err := op.Ask(ctx, p.d.LLM, p.d.Prompts, op.PurposeHypothesis, "KNOWN\n"+p.numbered(found)+"\nNEW\n"+t.o.Text, func(v answer) error {
		if strings.TrimSpace(v.Hypothesis) == "" {
			return errors.New("hypothesis is empty")
		}
		return nil
	})
	return act{reason: v.Reasoning, make: []made{{content: strings.TrimSpace(v.Hypothesis)}}}, u, err
}

// ruleHypothesis returns the first statement of the turn that contains a triple, verbatim, or the published fallback.
func ruleHypothesis(t *turn) string {
	for _, f := range t.facts {
		if slices.ContainsFunc(clause.Read(f, clause.Options{}), states) {
			return f
		}
	}
	short := []rune(t.said)
	return "User interest: " + string(short[:min(100, len(short))])
}

// embed gives the new nodes their vectors, and makes nodes of entities where wanted.
func (p *policy) embed(ctx context.Context, t *turn, list []made, r *memory.Receipt) error {
	t.made = list
	if p.o.Entities {
		t.made = append(slices.Clone(list), p.things(t)...)
	}
	texts := make([]string, len(t.made))
	for i, m := range t.made {
		texts[i] = p.text(t, m)
	}
	vecs, err := store.Many(ctx, p.d.Embed, &r.Usage, texts)
	if err != nil {
		return err
	}
	for i := range t.made {
		t.made[i].vec = vecs[i]
	}
	return nil
}

// things are the entities and attributes that the turn's statements name and that the
// world lacks.
func (p *policy) things(t *turn) (out []made) {
	have := map[string]bool{}
	add := func(kind, name string) {
		if name == "" || have[name] {
			return
		}
		if _, ok := p.world.ids[name]; ok {
			return
		}
		have[name] = true
		out = append(out, made{content: name, node: node{kind: kind, weight: weightThing}})
	}
	for _, f := range clause.Read(t.said, clause.Options{}) {
		if !states(f) {
			continue
		}
		if f.Subject.Kind == clause.Named || f.Subject.Kind == clause.Relative {
			add(Entity, f.Subject.Text)
		}
		for _, v := range f.Values() {
			add(Attribute, v)
		}
	}
	return out
}

// states reports whether a fact is sure enough, and said rather than asked or wished.
func states(f clause.Fact) bool { return f.Tier == clause.Default && f.Modality == clause.Asserted }

// text is how a node is shown: who said it is before it.
func (p *policy) text(t *turn, m made) string {
	if m.node.kind == Entity || m.node.kind == Attribute || t.o.Speaker == "" {
		return m.content
	}
	return t.o.Speaker + ": " + m.content
}

// apply changes the world as an agent decided.
func (p *policy) apply(t *turn, a act, d *Decision, r *memory.Receipt) {
	d.Agent, d.Reason = a.agent, a.reason
	domain := General
	if d.Intent != nil {
		domain = d.Intent.Label
	} else if p.fixed() {
		domain = ruleIntent(t.said, p.o.Domains).Label
	}
	effective := 0.0
	if d.Surprisal != nil {
		effective = d.Surprisal.Effective
	}
	for _, pos := range a.decay {
		p.weigh(pos, Decay(p.world.nodes[pos].weight, effective, p.o.Beta), "decay", t.at, d)
	}
	for _, pos := range a.raise {
		p.confirm(pos, t, d, r)
	}
	main := -1
	for i, m := range t.made {
		m.node.domain, m.node.speaker, m.node.content, m.node.since = domain, t.o.Speaker, m.content, t.at
		if d.Surprisal != nil {
			m.node.level = d.Surprisal.Level
		}
		if pos := p.twin(t, m); pos >= 0 {
			p.confirm(pos, t, d, r)
			continue
		}
		rec := t.o.Record(kinds[m.node.kind])
		rec.Text, rec.Index = p.text(t, m), ""
		pos := p.world.add(rec, m.vec, m.node)
		p.noteNode(d, "add", pos, nil)
		change := memory.Change{Op: memory.OpAdd, ID: p.world.st.At(pos).ID, New: rec.Text}
		for _, l := range m.links {
			p.edge(pos, l, d)
			if l.relation == Supersedes {
				change.Old = p.world.st.At(l.to).Text
			}
		}
		r.Changes = append(r.Changes, change)
		switch {
		case m.node.kind == Entity || m.node.kind == Attribute:
			p.world.name(m.content, pos)
			if main >= 0 {
				p.edge(main, link{pos, About, edgeAbout}, d)
			}
		case i == 0:
			main = pos
		}
	}
}

// twin returns the node that equals a new one, -1 for none (fixed).
func (p *policy) twin(t *turn, m made) int {
	if !p.fixed() || len(m.links) > 0 && m.links[0].relation == Supersedes {
		return -1
	}
	near := p.world.nearest(m.vec, 1, func(i int) bool {
		r := p.world.st.At(i)
		return p.world.nodes[i].kind != Working && p.world.nodes[i].weight >= searchFrom && p.world.nodes[i].speaker == t.o.Speaker && r.UserID == t.o.Batch.UserID && r.AgentID == t.o.Batch.AgentID
	}, func(_ int, cos float64) float64 { return cos })
	if len(near) == 0 || near[0].Score < p.o.Same {
		return -1
	}
	return near[0].Pos
}

// confirm raises a node's weight; a hypothesis that is sure enough becomes a fact.
func (p *policy) confirm(pos int, t *turn, d *Decision, r *memory.Receipt) {
	n := &p.world.nodes[pos]
	if n.kind == Hypothesis {
		n.verified++
	}
	p.weigh(pos, Reinforce(n.weight, p.o.Eta), "reinforce", t.at, d)
	if n.kind == Hypothesis && n.weight >= promoteFrom {
		n.kind = Fact
		p.weigh(pos, min(1, n.weight+promotion), "promote", t.at, d)
	}
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: p.world.st.At(pos).ID, New: p.world.st.At(pos).Text})
}

// weigh changes a node's weight and records it.
func (p *policy) weigh(pos int, weight float64, what string, at schema.Instant, d *Decision) {
	n := &p.world.nodes[pos]
	before := n.weight
	n.weight, n.since = weight, newest(n.since, at)
	p.noteNode(d, what, pos, &before)
}

func (p *policy) noteNode(d *Decision, what string, pos int, before *float64) {
	p.world.touch(pos)
	if p.seen == nil {
		return
	}
	n := &p.world.nodes[pos]
	after := n.weight
	d.Nodes = append(d.Nodes, NodeChange{what, p.world.st.At(pos).ID, n.kind, p.world.st.At(pos).Text, before, &after})
}

func (p *policy) edge(from int, l link, d *Decision) {
	p.world.link(from, l.to, l.relation, l.weight)
	if p.seen != nil {
		d.Edges = append(d.Edges, EdgeChange{p.world.st.At(from).ID, p.world.st.At(l.to).ID, l.relation, l.weight})
	}
}

func (p *policy) tell(d Decision) {
	if p.seen != nil {
		p.seen(d)
	}
}

// remember puts the turn into the working memory and evicts turns that no longer fit.
func (p *policy) remember(t *turn, user bool, d *Decision, r *memory.Receipt) {
	n := node{kind: Working, domain: General, weight: weightEvicted, content: t.said, speaker: t.o.Speaker, since: t.at, level: Low}
	if !user {
		n.weight, n.level = weightHeard, ""
	}
	if p.fixed() && d.Intent != nil {
		n.domain = d.Intent.Label
	}
	if d.Surprisal != nil {
		n.level = d.Surprisal.Level
	}
	p.queue = append(p.queue, p.world.add(t.o.Record(native.Turn), t.vec, n))
	for p.tokens() > p.o.MaxContextTokens && len(p.queue) > 1 {
		p.evict(min(p.o.EvictionSize, len(p.queue)-1), d, r)
		if !p.fixed() {
			return
		}
	}
}

func (p *policy) tokens() (n int) {
	for _, pos := range p.queue {
		n += len(p.world.st.At(pos).Text)/4 + 1
	}
	return n
}

// lastTurns are the texts of the last n turns.
func (p *policy) lastTurns(n int) (out []string) {
	for _, pos := range p.queue[max(0, len(p.queue)-n):] {
		out = append(out, p.world.st.At(pos).Text)
	}
	return out
}

// evict removes the oldest turns from the working memory: a user's turns become facts, unless the world has the same already or, with the gate, they did not
// surprise.
func (p *policy) evict(count int, d *Decision, r *memory.Receipt) {
	for _, pos := range p.queue[:count] {
		n := &p.world.nodes[pos]
		rec := p.world.st.At(pos)
		t := &turn{o: native.Observation{Speaker: n.speaker, Batch: memory.Batch{UserID: rec.UserID, AgentID: rec.AgentID}}, at: n.since}
		drop := n.level == "" || p.o.Gate && n.level == Low
		if !drop {
			if twin := p.twin(t, made{vec: p.world.st.Vector(pos)}); twin >= 0 {
				p.world.st.At(twin).Sources = memory.Union(p.world.st.At(twin).Sources, rec.Sources)
				p.confirm(twin, t, d, r)
				drop = true
			}
		}
		if drop {
			p.noteNode(d, "drop", pos, nil)
			p.world.st.Remove(pos)
			continue
		}
		n.kind = Fact
		p.noteNode(d, "evict", pos, nil)
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: rec.ID, New: rec.Text})
	}
	p.queue = slices.Clone(p.queue[count:])
}

// EndSession empties the working memory; hypotheses that nothing supported fade with the
// days that went by (fixed).
func (p *policy) EndSession(ctx context.Context, session string, r *memory.Receipt) error {
	u, err := p.refresh(ctx, false)
	if r.Usage = r.Usage.Add(u); err != nil {
		return err
	}
	before := len(r.Changes)
	evicted := Decision{Session: session, Agent: AgentEviction}
	p.evict(len(p.queue), &evicted, r)
	faded := Decision{Session: session, Agent: AgentForgetting}
	if p.fixed() {
		p.fade(&faded)
	}
	if err := p.save(ctx, nil); err != nil {
		r.Changes = r.Changes[:before]
		return err
	}
	for _, d := range []Decision{evicted, faded} {
		if len(d.Nodes) > 0 {
			p.tell(d)
		}
	}
	return nil
}

// fade lets the weights of hypotheses that nothing supported go down with the days.
func (p *policy) fade(d *Decision) {
	now := p.ended
	for i := range p.world.nodes {
		now = newest(now, p.world.nodes[i].since)
	}
	for i := range p.world.nodes {
		n := &p.world.nodes[i]
		from := newest(n.since, p.ended)
		if n.kind == Hypothesis && n.since > 0 && from < now {
			days := now.Time().Sub(from.Time()).Hours() / 24
			before := n.weight
			n.weight = Fade(n.weight, days, p.o.Gamma)
			p.noteNode(d, "fade", i, &before)
		}
	}
	p.ended = now
}

// shown returns the published system's context for the reader: nodes with their confidence, and the intent.
func (p *policy) shown(hits []memory.Hit, in Intent) string {
	var b strings.Builder
	for _, h := range hits[:min(5, len(hits))] {
		if pos, ok := p.world.st.Find(h.ID); ok {
			fmt.Fprintf(&b, "- %s (confidence: %.2f)\n", h.Text, p.world.nodes[pos].weight)
		}
	}
	return b.String() + "Intent: " + in.Label
}

// nll asks the model how likely the turn is after the known texts.
func (p *policy) nll(ctx context.Context, t *turn, found []recall.Scored) (float64, llm.Usage, error) {
	const contextTokens = 512
	return llm.Surprisal(ctx, p.d.LLM, op.PurposeSurprisal, "Context: "+recall.Tail(p.known(found), contextTokens)+"\nUser: ", recall.Tail(t.said, contextTokens))
}
