package pcm

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"membench/internal/rank"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Types of nodes.
const (
	Fact       = "FACT"
	Hypothesis = "HYPOTHESIS"
	Entity     = "ENTITY"
	Attribute  = "ATTRIBUTE"
	Working    = "WORKING" // a turn in the working memory: no node of the world yet
)

// Relations of edges.
const (
	Supersedes  = "supersedes"
	DerivedFrom = "derived_from"
	About       = "about"
)

// Tiers of a snapshot: by weight, and the working memory.
var tiers = []string{tierWorking, tierActive, tierArchived, tierFaded}

const (
	tierWorking  = "working"
	tierActive   = "active"
	tierArchived = "archived" // weight below archivedBelow
	tierFaded    = "faded"    // weight below fadedBelow

	archivedBelow = 0.3
	fadedBelow    = 0.05
	searchFrom    = 0.1 // weight of nodes that a search sees
	edgeFrom      = 0.3 // weight of edges that a search follows
	edgeShare     = 0.5 // of a node's score that goes along an edge of weight 1
)

// Weights of new nodes and edges.
const (
	weightNew       = 0.8 // of a correction's fact
	weightEvicted   = 0.6 // of a turn that leaves the working memory, and of the first facts
	weightHeard     = 0.4 // of an assistant's statement
	weightThing     = 0.5 // of entities and attributes
	edgeSupersedes  = 0.9
	edgeDerivedFrom = 0.4
	edgeAbout       = 0.5

	promoteFrom = 0.7
	promotion   = 0.3
)

// A node is the world's information about the record at its position.
type node struct {
	kind     string
	domain   string
	weight   float64
	content  string // without the speaker's name
	speaker  string
	verified int            // confirmations of a hypothesis
	since    schema.Instant // the last change by a turn; time decay counts from here
	level    string         // of the surprise of the turn that made it
	said     *op.Statement  // content, once it was compared
	out      []edge
}

type edge struct {
	to       int
	relation string
	weight   float64
}

// world is the weighted graph: a record and a node for each position.
type world struct {
	st    *store.Linear
	nodes []node
	ids   map[string]int // entities and attributes by name
	dirty map[int]bool   // positions that differ from the store of record; nil: there is none
}

func (w *world) clone() world {
	c := world{w.st.Clone(), slices.Clone(w.nodes), maps.Clone(w.ids), nil}
	for i := range c.nodes {
		c.nodes[i].out, c.nodes[i].said = slices.Clone(c.nodes[i].out), nil
	}
	return c
}

func (w *world) add(r store.Record, vec []float32, n node) int {
	n.out = nil
	pos := w.st.AppendVector(r, vec)
	w.nodes = append(w.nodes, n)
	w.touch(pos)
	return pos
}

// touch notes that a position changed.
func (w *world) touch(pos int) {
	if w.dirty != nil {
		w.dirty[pos] = true
	}
}

// name enters an entity or attribute.
func (w *world) name(name string, pos int) {
	if w.ids == nil {
		w.ids = map[string]int{}
	}
	w.ids[name] = pos
}

// link adds an edge, or raises the weight of the one that is there.
func (w *world) link(from, to int, relation string, weight float64) {
	if from == to {
		return
	}
	w.touch(from)
	for i, e := range w.nodes[from].out {
		if e.to == to && e.relation == relation {
			w.nodes[from].out[i].weight = max(e.weight, weight)
			return
		}
	}
	w.nodes[from].out = append(w.nodes[from].out, edge{to, relation, weight})
}

// nearest are the k best positions that keep admits, by a score made of the cosine.
func (w *world) nearest(vec []float32, k int, keep func(pos int) bool, score func(pos int, cos float64) float64) []recall.Scored {
	var all []rank.Scored[int]
	for i, c := range w.st.Cosines(nil, vec) {
		if w.st.Live(i) && keep(i) {
			all = append(all, rank.Scored[int]{ID: string(w.st.At(i).ID), Score: rank.Round6(score(i, c)), V: i})
		}
	}
	var out []recall.Scored
	for _, s := range rank.Top(all, k) {
		out = append(out, recall.Scored{Pos: s.V, Score: s.Score})
	}
	return out
}

// search is the unmasked search that surprise rests on: similarity · weight.
func (w *world) search(vec []float32, k int, owner memory.Batch) []recall.Scored {
	return w.nearest(vec, k, func(i int) bool {
		r := w.st.At(i)
		return w.nodes[i].kind != Working && w.nodes[i].weight >= searchFrom && r.UserID == owner.UserID && r.AgentID == owner.AgentID
	}, func(i int, cos float64) float64 { return Masked(cos, 1, w.nodes[i].weight) })
}

// Recall searches by similarity, the intent's share of a node's domain, and weight; then along the edges of the results. Fixed mode also searches the working
// memory.
func (p *policy) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	u, err := p.refresh(ctx, true)
	if out.Usage = u; err != nil {
		return out, err
	}
	w := &p.world
	if w.st.Len() == 0 {
		return out, nil
	}
	var r memory.Receipt
	in, err := p.intent(ctx, q.Text, &r)
	if out.Usage, out.Degraded = out.Usage.Add(r.Usage), r.Degraded; err != nil {
		return out, err
	}
	vec, err := store.One(ctx, p.d.Embed, &out.Usage, q.Text)
	if err != nil {
		return out, err
	}
	open := w.st.Eligible(q.UserID, q.AgentID)
	may := func(i int) bool {
		return open[i] && w.nodes[i].weight >= searchFrom && (w.nodes[i].kind != Working || p.o.Mode == native.Fixed)
	}
	seeds := w.nearest(vec, 2*q.K, may, func(i int, cos float64) float64 {
		return Masked(cos, p.relevance(in, w.nodes[i].domain), w.nodes[i].weight)
	})
	best := map[int]float64{}
	for _, s := range seeds {
		best[s.Pos] = s.Score
	}
	for _, s := range seeds {
		for _, e := range w.nodes[s.Pos].out {
			if x := rank.Round6(s.Score * e.weight * edgeShare); e.weight >= edgeFrom && may(e.to) && x > best[e.to] {
				best[e.to] = x
			}
		}
	}
	var all []rank.Scored[int]
	for pos, score := range best {
		all = append(all, rank.Scored[int]{ID: string(w.st.At(pos).ID), Score: score, V: pos})
	}
	said := map[string]bool{} // a fact and the turn that it was taken from may be the same words
	for _, s := range rank.Top(all, 0) {
		h := w.st.Hit(s.V, s.Score)
		if p.fixed() && said[h.Text] || len(out.Hits) == q.K {
			continue
		}
		said[h.Text] = true
		out.Hits = append(out.Hits, h)
	}
	if p.o.Mode == native.Faithful {
		out.Context = p.shown(out.Hits, in)
	}
	return out, nil
}

// Records lists the nodes; weight and the like are in their metadata.
func (p *policy) Records() (out []store.Record) {
	for i, r := range p.world.st.All() {
		rec, n := *r, &p.world.nodes[i]
		rec.Kind, rec.Tier = kinds[n.kind], n.tier()
		if rec.Tier == tierFaded {
			rec.Status = memory.StatusInvalid
		}
		var b schema.ObjectBuilder
		for k, v := range rec.Metadata.Members() {
			b.Raw(k, v)
		}
		// A float and strings: none can fail to be JSON.
		_ = b.Value("weight", rank.Round6(n.weight))
		b.String("node_type", n.kind)
		b.String("domain", n.domain)
		rec.Meta = b.Object()
		for _, e := range n.out {
			rec.Links = append(rec.Links, p.world.st.At(e.to).ID)
		}
		slices.Sort(rec.Links)
		rec.Links = slices.Compact(rec.Links)
		out = append(out, rec)
	}
	return out
}

var kinds = map[string]string{Fact: "fact", Hypothesis: "insight", Entity: "entity", Attribute: "attribute", Working: native.Turn}

func (n *node) tier() string {
	switch {
	case n.kind == Working:
		return tierWorking
	case n.weight < fadedBelow:
		return tierFaded
	case n.weight < archivedBelow:
		return tierArchived
	}
	return tierActive
}

// Clone copies the memory; the copy's decisions are not seen.
func (p *policy) Clone() native.Policy {
	c := *p
	c.home = nil // the copy lives in the process
	c.world, c.queue, c.seen = p.world.clone(), slices.Clone(p.queue), nil
	return &c
}

// newest is the later of two instants.
func newest(a, b schema.Instant) schema.Instant {
	if cmp.Compare(a, b) < 0 {
		return b
	}
	return a
}
