package graphmem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"membench/eval/reader"
	"membench/graph"
	"membench/internal/rank"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Name of the system.
const Name = "graphmem"

// version changes when the same input would give another memory or another answer.
const version = "5"

// Options of the system. Each part of the ranking can be switched off with weight 0.
type Options struct {
	Weights
	Ranking string `json:"ranking"`       // Sum, or HippoRAG's or Graphiti's retrieval over the same graph
	Keep    bool   `json:"keep,omitzero"` // continue with the store of record of an earlier process when a namespace is opened for the first time
}

// Defaults are the options that the system has where nothing is said.
func Defaults() Options { return Options{Weights: Learnt()} }

// Check returns an error if options are invalid.
func (o Options) Check() error {
	if o.Ranking != Sum && o.Ranking != HippoRAG && o.Ranking != Graphiti {
		return fmt.Errorf("ranking %q: have \"\", %s and %s", o.Ranking, HippoRAG, Graphiti)
	}
	return nil
}

// SpecIn is the system with its graphs in homes of the caller's, under a name of its own.
func SpecIn(name, doc string, home native.Home) memory.Spec {
	return memory.Define(name, doc, Defaults(), func(d memory.Deps, o Options) (memory.System, error) {
		if err := o.Check(); err != nil {
			return nil, err
		}
		return named(name, d, o, home), nil
	})
}

// Spec is the system for lists.
func Spec() memory.Spec {
	return SpecIn(Name, "graph memory: turns and claims in a graph, ranked by words, meaning, the conversation's own edges, speaker and date", nil)
}

// New makes the system; its graphs live in process. Without an embedder it takes the
// hashing one, which needs no model.
func New(d memory.Deps, o Options) memory.System { return NewIn(d, o, nil) }

// NewIn is New with the graph in a given store, e.g. a Neo4j server. It is the store of record: each turn is one Apply, and each question reads the current
// content, including changes by others: for a graph.Followed only the changes, otherwise the whole graph. nil: in process.
func NewIn(d memory.Deps, o Options, home native.Home) memory.System { return named(Name, d, o, home) }

func named(name string, d memory.Deps, o Options, home native.Home) memory.System {
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	caps := memory.Capabilities{Unit: native.Turn, Retrieval: memory.RetrievalRanked, Notes: []string{"weights learnt on two thirds of LoCoMo, REALTALK, BEAM, Mem-Gallery and HaluMem"},
		Calls: &memory.Calls{EmbedPerUnit: memory.Exactly(1), EmbedPerQuery: memory.Exactly(1)}}
	var opened sync.Map // namespaces: whoever opens one again wants it empty
	return native.New(native.Options{Name: name, Version: version, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: caps,
		Open: func(ctx context.Context, ns memory.Namespace) (native.Policy, error) {
			p := &policy{o: o, g: graph.NewLocal(), c: newChain(ns.Scope), v: newView(ns.Scope, d.Embed)}
			if home == nil {
				return p, nil
			}
			_, again := opened.LoadOrStore(ns, true)
			st, end, err := home(ctx, ns, o.Keep && !again)
			if err != nil {
				return nil, err
			}
			p.home, p.close = st, end
			if err := p.resume(ctx); err != nil {
				return nil, errors.Join(err, p.Close())
			}
			return p, nil
		}})
}

// A policy is one graph memory. g is its graph in process; home, where there is one, is
// the store of record that g mirrors.
type policy struct {
	o      Options
	g      *graph.Local
	c      *chain // nil: a graph of someone else's, which nothing is added to
	v      *view
	home   graph.Graph
	close  func() error
	follow following
	kept   bool     // turns of an earlier process are there
	again  *pending // what home did not take
}

// pending is a turn whose stages ran, and which the store of record did not take.
type pending struct {
	ref  schema.EventRef
	step step
}

var errReadOnly = errors.New("this graph was loaded by another program: it can be asked, not added to")

func (p *policy) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	if p.c == nil {
		return errReadOnly
	}
	if p.knows(o) {
		return nil
	}
	vec, err := store.One(ctx, p.v.st.Embed(), &r.Usage, o.Text)
	if err != nil {
		return err
	}
	var s step
	if p.again != nil && len(o.Sources) > 0 && p.again.ref == o.Sources[0] {
		s = p.again.step
	} else if s, err = p.c.step(ctx, o); err != nil {
		return err
	}
	changes, err := puts(ctx, p.g, s.elements)
	if err != nil {
		return err
	}
	turn := schema.Mint{V: schema.Latest}.Event(s.event.Ref())
	if err := p.keep(ctx, changes, schema.NodeID(turn), vec); err != nil {
		p.again = &pending{s.event.Ref(), s}
		return err
	}
	p.again = nil
	if _, err := p.g.Apply(ctx, graph.Changes(changes...)); err != nil {
		return err
	}
	rec := o.Record(native.Turn)
	rec.ID = schema.PointID(turn)
	rec.Sources = append([]schema.EventRef{s.event.Ref()}, rec.Sources[min(1, len(rec.Sources)):]...)
	if _, known := p.v.st.Find(rec.ID); known { // a turn of this number was there before: the newest is in the graph
		rec.ID += schema.PointID("#" + string(store.ID("", p.v.st.Len())))
	}
	p.v.add(rec, said(o), vec)
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: rec.ID, New: rec.Text})
	return p.claim(ctx, s.changed, r)
}

// claim brings changed claims into the view and says what became of them.
func (p *policy) claim(ctx context.Context, changed []schema.Statement, r *memory.Receipt) error {
	for _, x := range changed {
		if x.Claim == nil {
			continue
		}
		var before []Quote
		if i, known := p.v.factAt[x.Claim.ID]; known {
			before = p.v.facts[i].Evidence
		}
		f, ok, err := factOf(ctx, p.g, schema.NodeID(x.Claim.ID), before)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		c := memory.Change{Op: memory.OpAdd, ID: schema.PointID(f.ID), New: f.Text}
		if _, known := p.v.factAt[f.ID]; known {
			c.Op, c.Old = memory.OpUpdate, f.Text
			if f.Status == schema.StatusDeprecated {
				c.Op, c.New = memory.OpDelete, ""
			}
		}
		p.v.put(f)
		r.Changes = append(r.Changes, c)
	}
	return nil
}

func (p *policy) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	used, err := p.refresh(ctx)
	if err != nil {
		return memory.Retrieved{Usage: used}, err
	}
	if p.o.Ranking == Sum {
		q.Text = p.v.called(q.Text)
	}
	s := &recall.State{Query: q, Store: p.v.st, Receipt: memory.Receipt{Usage: used}}
	use := p.v.usable(q)
	if !slices.Contains(use, true) {
		return memory.Retrieved{Usage: s.Usage}, nil
	}
	var x []float64
	switch p.o.Ranking {
	case Graphiti:
		hits, err := p.v.graphiti(ctx, s, use)
		return memory.Retrieved{Hits: hits, Usage: s.Usage}, err
	case HippoRAG:
		x, err = p.v.hippo(ctx, s, use)
	default:
		x, err = p.v.score(ctx, s, p.o.Weights, use)
	}
	if err != nil {
		return memory.Retrieved{Usage: s.Usage}, err
	}
	// The best so far are kept in a small list: 10,000 candidates are not sorted.
	top, worst := make([]rank.Scored[int], 0, 8*q.K), math.Inf(-1)
	for i, u := range use {
		if !u || x[i] < worst-1e-6 {
			continue
		}
		if score := rank.Round6(x[i]); score >= worst {
			top = append(top, rank.Scored[int]{ID: string(p.v.st.At(i).ID), Score: score, V: i})
			if len(top) == cap(top) {
				top = rank.Top(top, q.K)
				worst = top[len(top)-1].Score
			}
		}
	}
	out := memory.Retrieved{Usage: s.Usage}
	var b strings.Builder
	for i, h := range rank.Top(top, q.K) {
		hit := p.v.st.Hit(h.V, h.Score)
		hit.Text = p.v.parts.excerpt(hit.Text, q.Text)
		out.Hits = append(out.Hits, hit)
		if i > 0 {
			b.WriteByte('\n')
		}
		p.v.show(&b, i+1, h.V, hit.Text, q.AsOf)
	}
	out.Context = b.String()
	return out, nil
}

// show writes a turn, or what is shown of it, as eval/reader shows hits, "[rank] time text", and below it the
// claims that rest on it, as far as they were known by the time of the question, each
// with when it holds.
func (v *view) show(b *strings.Builder, rank, at int, text, asOf string) {
	r := v.st.At(at)
	b.WriteString("[" + strconv.Itoa(rank) + "] ")
	if r.Time != "" {
		b.WriteString(r.Time + " ")
	}
	b.WriteString(text)
	end, limited := until(asOf)
	claims := slices.Clone(v.claims[at]) // in the order of ids, however the graph was read
	slices.SortFunc(claims, func(x, y int) int { return cmp.Compare(v.facts[x].ID, v.facts[y].ID) })
	for _, i := range claims {
		f := &v.facts[i]
		holds, known := v.holds(f, end, limited)
		if !known {
			continue
		}
		b.WriteString("\n" + reader.Note + f.Text)
		if f.Denied {
			b.WriteString(reader.Denied)
		}
		if !holds {
			b.WriteString(reader.NoLonger)
		}
		for _, s := range v.spans(f) {
			if limited && !s.From.Before(end) {
				break
			}
			b.WriteString(" from " + s.From.Format("2006-01-02"))
			if !s.To.IsZero() && (!limited || s.To.Before(end)) {
				b.WriteString(" to " + s.To.Format("2006-01-02"))
			}
		}
		for _, q := range f.Evidence {
			if q.Event != "" && SaidBy(q.Time, asOf) {
				b.WriteString(", happened " + q.Event)
				break
			}
		}
	}
}

// Records are the turns and the claims; a claim represents the turns that it rests on.
func (p *policy) Records() []store.Record {
	var out []store.Record
	for _, r := range p.v.st.All() {
		out = append(out, *r)
	}
	for i := range p.v.facts {
		out = append(out, p.v.claimRecord(&p.v.facts[i]))
	}
	return out
}

func (v *view) claimRecord(f *Fact) store.Record {
	r := store.Record{Item: memory.Item{ID: schema.PointID(f.ID), Text: f.Text, Kind: "claim", Status: memory.StatusActive}}
	if f.Status == schema.StatusDeprecated {
		r.Status = memory.StatusInvalid
	}
	seen := make(map[schema.EventRef]bool, len(f.Evidence))
	for _, q := range f.Evidence {
		r.Time = cmp.Or(r.Time, q.Time)
		for _, ref := range q.Turns {
			at, ok := v.at[ref]
			if !ok || seen[ref] {
				continue
			}
			seen[ref] = true
			t := v.st.At(at)
			if len(r.Sources) == 0 {
				r.Session, r.UserID, r.AgentID, r.Metadata, r.Meta, r.Created, r.Role = t.Session, t.UserID, t.AgentID, t.Metadata, t.Meta, t.Created, t.Role
			}
			r.Sources, r.Links = append(r.Sources, ref), append(r.Links, t.ID)
		}
	}
	return r
}

// Clone copies the memory into process; the copy has no store of record.
func (p *policy) Clone() native.Policy {
	c := &policy{o: p.o, g: graph.NewLocal(), v: p.v.clone()}
	if p.c != nil {
		c.c = p.c.clone()
	}
	// A graph in process cannot fail to be read, nor to take what it gave.
	c.g.Read(context.Background(), p.g.Elements(), nil) //nolint:errcheck
	return c
}

// Close ends the connection to the store of record.
func (p *policy) Close() error {
	if p.close == nil {
		return nil
	}
	return p.close()
}
