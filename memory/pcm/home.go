package pcm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/graph"
	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/store"
	"membench/schema"
)

// The world of a memory may live in a graph.Store, such as a Neo4j server. The store is
// the store of record: what a turn or the end of a session changes is one Apply, and what
// others changed is read before the next turn or question.
//
//	(PcmFact|PcmHypothesis|PcmEntity|PcmAttribute|PcmWorking)  a node of the world
//	  and PcmStrong, PcmActive|PcmArchived|PcmFaded by its weight, PcmHigh|PcmMedium|PcmLow by the
//	  surprise of the turn that made it
//	-[SUPERSEDES|DERIVED_FROM|ABOUT {weight}]->                an edge
//	(PcmState)                                                 which turns were heard, and the last session's time

const (
	labelState  = "PcmState"
	labelStrong = "PcmStrong" // as sure as a hypothesis that becomes a fact
	stateID     = schema.NodeID("pcm:state")
)

// labelOf is the label of a type of node, and typeOf the type of a label.
func labelOf(kind string) string {
	return "Pcm" + strings.ToUpper(kind[:1]) + strings.ToLower(kind[1:])
}

func typeOf(labels []string) string {
	for _, kind := range []string{Fact, Hypothesis, Entity, Attribute, Working} {
		if slices.Contains(labels, labelOf(kind)) {
			return kind
		}
	}
	return ""
}

var tierLabels = map[string]string{tierActive: "PcmActive", tierArchived: "PcmArchived", tierFaded: "PcmFaded"}

// stored is the form of a node in the store.
type stored struct {
	N        int                 `json:"n"` // its position, from 1; 0: another program made it
	Display  string              `json:"display"`
	Content  string              `json:"content"`
	Text     string              `json:"text"`
	Index    string              `json:"words,omitzero"`
	Weight   float64             `json:"weight"`
	Domain   string              `json:"domain,omitzero"`
	Verified int                 `json:"verified,omitzero"`
	Since    schema.Instant      `json:"since,omitzero"`
	Level    string              `json:"level,omitzero"`
	Speaker  string              `json:"speaker,omitzero"`
	Role     string              `json:"role,omitzero"`
	UserID   string              `json:"user_id,omitzero"`
	AgentID  string              `json:"agent_id,omitzero"`
	Session  string              `json:"session_id,omitzero"`
	Time     string              `json:"time,omitzero"`
	Created  string              `json:"created_at,omitzero"`
	Sources  []schema.EventRef   `json:"sources,omitempty"`
	Files    []schema.Attachment `json:"attachments,omitempty"`
	Metadata *schema.Object      `json:"metadata,omitempty"`
}

// state is the content of PcmState.
type state struct {
	Display string                `json:"display"`
	Ended   schema.Instant        `json:"ended,omitzero"`
	N       int                   `json:"n"`     // positions
	Heard   map[schema.ConvID]int `json:"heard"` // the last turn of each conversation
}

// home is where a world lives.
type home struct {
	st     graph.Store
	close  func() error
	follow graph.Follower
	doubt  bool // someone wrote without a revision: read before the next question
	heard  map[schema.ConvID]int
	came   map[schema.ConvID]int // heard when the store was read last: such turns may come again
}

// SpecIn is the system with its worlds in homes of the caller's, under a name of its own.
func SpecIn(name, doc string, open native.Home) memory.Spec {
	return memory.Define(name, doc, Defaults(), func(d memory.Deps, o Options) (memory.System, error) { return newIn(name, d, o, nil, open) })
}

// NewIn is New with the worlds in stores of the caller's choice.
func NewIn(d memory.Deps, o Options, seen func(Decision), open native.Home) (memory.System, error) {
	return newIn("pcm", d, o, seen, open)
}

// knows reports a turn that was heard before the store was read: it may come again after a
// restart, or where the answer to a write was lost.
func (h *home) knows(o native.Observation) bool {
	return h != nil && len(o.Sources) > 0 && o.Sources[0].TurnID <= h.came[o.Sources[0].ConvID]
}

// refresh reads the store unless it is known to equal the world. asked: a question follows, which must also see changes that others wrote without a revision.
func (p *policy) refresh(ctx context.Context, asked bool) (llm.Usage, error) {
	if p.home == nil {
		return llm.Usage{}, nil
	}
	h := p.home
	now, err := h.follow.Look(ctx, h.st)
	if err != nil {
		return llm.Usage{}, err
	}
	h.doubt = h.doubt || now.Unsaid
	var u llm.Usage
	if now.Whole || len(now.Changes) > 0 || asked && h.doubt {
		if u, err = p.load(ctx); err != nil {
			return u, err
		}
		h.doubt = false
	}
	h.follow.Take(now)
	return u, nil
}

// load reads the world from the store. Vectors that are there are kept.
func (p *policy) load(ctx context.Context) (u llm.Usage, err error) {
	vectors, err := graph.StoredVectors(ctx, p.home.st, p.d.Embed.Profile())
	if err != nil {
		return u, err
	}
	g, err := graph.Mirror(ctx, p.home.st)
	if err != nil {
		return u, err
	}
	type read struct {
		id schema.NodeID
		stored
		kind string
	}
	var list []read
	s := state{}
	for n, err := range g.Nodes(ctx, graph.Filter{}) {
		if err != nil {
			return u, err
		}
		kind := typeOf(n.Labels)
		switch {
		case n.ID == stateID:
			err = n.Props.Read(&s)
		case kind != "":
			r := read{id: n.ID, kind: kind}
			err = n.Props.Read(&r.stored)
			list = append(list, r)
		}
		if err != nil {
			return u, fmt.Errorf("node %s in the store of PCM: %w", n.ID, err)
		}
	}
	slices.SortStableFunc(list, func(a, b read) int { return cmp.Compare(uint(a.N)-1, uint(b.N)-1) }) // others' nodes last
	var texts []string
	for _, r := range list {
		if vectors[r.id] == nil {
			texts = append(texts, r.Text)
		}
	}
	made, err := store.Many(ctx, p.d.Embed, &u, texts)
	if err != nil {
		return u, err
	}
	w := world{st: store.New(store.Options{Scope: p.scope, Embed: p.d.Embed}), dirty: map[int]bool{}}
	var queue []int
	for _, r := range list {
		v := vectors[r.id]
		if v == nil {
			v, made = made[0], made[1:]
		}
		w.skip(r.N-1, len(v))
		pos := w.add(r.record(r.id, r.kind), v, node{kind: r.kind, domain: r.Domain, weight: r.Weight, content: r.Content, speaker: r.Speaker, verified: r.Verified, since: r.Since, level: r.Level})
		switch r.kind {
		case Working:
			queue = append(queue, pos)
		case Entity, Attribute:
			w.name(r.Content, pos)
		}
	}
	if len(list) > 0 {
		w.skip(s.N, len(w.st.Vector(0)))
	}
	for pos, r := range w.st.All() {
		for e, err := range g.Neighbors(ctx, schema.NodeID(r.ID), graph.Out, graph.Filter{}) {
			if err != nil {
				return u, err
			}
			var x struct {
				Weight float64 `json:"weight"`
			}
			to, ok := w.st.Find(schema.PointID(e.Dst))
			if relation := strings.ToLower(e.Type); ok && slices.Contains([]string{Supersedes, DerivedFrom, About}, relation) && e.Props.Read(&x) == nil {
				w.link(pos, to, relation, x.Weight)
			}
		}
	}
	clear(w.dirty)
	p.world, p.queue, p.ended = w, queue, s.Ended
	p.home.heard, p.home.came = maps.Clone(s.Heard), s.Heard
	return u, nil
}

// skip leaves positions empty up to n, for turns that left the working memory without a trace.
func (w *world) skip(n, dimensions int) {
	for w.st.Len() < min(n, maxPositions) {
		w.st.AppendVector(store.Record{}, make([]float32, dimensions))
		w.nodes = append(w.nodes, node{})
		w.st.Remove(w.st.Len() - 1)
	}
}

// maxPositions limits the memory that a number in the store can cause to be allocated.
const maxPositions = 1 << 20

func (s *stored) record(id schema.NodeID, kind string) store.Record {
	r := store.Record{Item: memory.Item{ID: schema.PointID(id), Text: cmp.Or(s.Text, s.Content), Kind: kinds[kind], Session: s.Session, Time: s.Time, Sources: s.Sources, Attachments: s.Files},
		Index: s.Index, Speaker: s.Speaker, Role: s.Role, UserID: s.UserID, AgentID: s.AgentID, Created: s.Created}
	if s.Metadata != nil {
		r.Metadata, r.Meta = *s.Metadata, *s.Metadata
	}
	return r
}

// save writes the changes since the last save. After an error the world is read from the store again, with or without these changes.
func (p *policy) save(ctx context.Context, heard []schema.EventRef) error {
	if p.home == nil {
		return nil
	}
	h := p.home
	if h.heard == nil {
		h.heard = map[schema.ConvID]int{}
	}
	for _, r := range heard {
		h.heard[r.ConvID] = max(h.heard[r.ConvID], r.TurnID)
	}
	changes, vectors, err := p.changes()
	if err == nil {
		err = h.follow.Apply(ctx, h.st, changes, vectors, p.d.Embed.Profile())
	}
	if err != nil {
		h.follow = graph.Follower{}
		return err
	}
	clear(p.world.dirty)
	return nil
}

// changes are the puts and deletes that make the store equal to the world.
func (p *policy) changes() (out []schema.Change, vectors map[schema.NodeID][]float32, err error) {
	vectors = map[schema.NodeID][]float32{}
	put := func(e schema.Element) { out = append(out, schema.Change{Op: schema.OpPut, New: e}) }
	for _, pos := range slices.Sorted(maps.Keys(p.world.dirty)) {
		r, n := p.world.st.At(pos), &p.world.nodes[pos]
		id := schema.NodeID(r.ID)
		if !p.world.st.Live(pos) {
			out = append(out, schema.Change{Op: schema.OpDelete, Old: schema.Element{Node: &schema.Node{ID: id, Labels: []string{labelOf(n.kind)}}}})
			continue
		}
		e, err := elementOf(pos, r, n)
		if err != nil {
			return nil, nil, err
		}
		put(schema.Element{Node: &e})
		vectors[id] = p.world.st.Vector(pos)
		for _, x := range n.out {
			var b schema.ObjectBuilder
			b.String("display", fmt.Sprintf("%s %.2f", x.relation, x.weight))
			if err := b.Value("weight", x.weight); err != nil {
				return nil, nil, err
			}
			dst := schema.NodeID(p.world.st.At(x.to).ID)
			typ := strings.ToUpper(x.relation)
			put(schema.Element{Edge: &schema.Edge{ID: schema.Mint{V: schema.Latest}.Edge(typ, id, dst), Type: typ, Src: id, Dst: dst, Props: b.Object()}})
		}
	}
	props, err := schema.NewObject(state{Display: "PCM", Ended: p.ended, N: p.world.st.Len(), Heard: p.home.heard})
	if err != nil {
		return nil, nil, err
	}
	put(schema.Element{Node: &schema.Node{ID: stateID, Labels: []string{labelState}, Props: props}})
	return out, vectors, nil
}

func elementOf(pos int, r *store.Record, n *node) (schema.Node, error) {
	labels := []string{labelOf(n.kind)}
	if l := tierLabels[n.tier()]; l != "" {
		labels = append(labels, l)
	}
	if n.kind != Working && n.weight >= promoteFrom {
		labels = append(labels, labelStrong)
	}
	if n.level != "" {
		labels = append(labels, labelOf(n.level))
	}
	s := stored{N: pos + 1, Display: fmt.Sprintf("%.2f %s", n.weight, n.content), Content: n.content, Text: r.Text, Index: r.Index, Weight: n.weight, Domain: n.domain, Verified: n.verified, Since: n.since, Level: n.level,
		Speaker: n.speaker, Role: r.Role, UserID: r.UserID, AgentID: r.AgentID, Session: r.Session, Time: r.Time, Created: r.Created, Sources: r.Sources, Files: r.Attachments}
	for _, text := range []*string{&s.Display, &s.Content, &s.Text, &s.Index, &s.Speaker, &s.UserID, &s.AgentID, &s.Session, &s.Time, &s.Created} {
		*text = strings.ToValidUTF8(*text, "\uFFFD") // a database takes no other text
	}
	if r.Metadata.Len() > 0 {
		s.Metadata = &r.Metadata
	}
	props, err := schema.NewObject(s)
	return schema.Node{ID: schema.NodeID(r.ID), Labels: labels, Props: props}, err
}

// Close ends the connection to the store.
func (p *policy) Close() error {
	if p.home == nil || p.home.close == nil {
		return nil
	}
	return p.home.close()
}

// openIn opens the world of a namespace.
func openIn(ctx context.Context, p *policy, ns memory.Namespace, open native.Home, keep bool) (native.Policy, error) {
	st, end, err := open(ctx, ns, keep)
	if err != nil {
		return nil, err
	}
	p.home = &home{st: st, close: end}
	if _, err := p.refresh(ctx, true); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}
