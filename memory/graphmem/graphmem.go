package graphmem

import (
	"context"

	"membench/internal/rank"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// Name of the system.
const Name = "graphmem"

// version changes when the same input would give another memory or another answer.
const version = "1"

// Options of the system. Each part of the ranking can be switched off with weight 0.
type Options struct {
	Weights
}

// Defaults are the options that the system has where nothing is said.
func Defaults() Options { return Options{Weights: R1()} }

// Spec is the system for lists.
func Spec() memory.Spec {
	return memory.Define(Name, "graph memory: turns and claims in a graph, ranked by words, meaning, the conversation's own edges, speaker and date",
		Defaults(), func(d memory.Deps, o Options) (memory.System, error) { return New(d, o), nil })
}

// New makes the system. Without an embedder it takes the hashing one, which needs no model.
func New(d memory.Deps, o Options) memory.System {
	if d.Embed == nil {
		d.Embed = hashing.New(0)
	}
	caps := memory.Capabilities{Unit: native.Turn, Retrieval: memory.RetrievalRanked, Notes: []string{"weights set on LoCoMo"},
		Calls: &memory.Calls{EmbedPerUnit: memory.Exactly(1), EmbedPerQuery: memory.Exactly(1)}}
	return native.New(native.Options{Name: Name, Version: version, Config: o, Deps: memory.Deps{Embed: d.Embed}, Caps: caps, New: func(scope string) native.Policy {
		return &policy{o: o, v: newView(scope, d.Embed)}
	}})
}

type policy struct {
	o Options
	v *view
}

func (p *policy) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	vec, u, err := store.One(ctx, p.v.st.Embed(), o.Text)
	r.Usage = r.Usage.Add(u)
	if err != nil {
		return err
	}
	rec := o.Record(native.Turn)
	rec.ID = p.v.st.Next()
	p.v.add(rec, said(o), vec)
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: rec.ID, New: rec.Text})
	return nil
}

func (p *policy) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	s := &recall.State{Query: q, Store: p.v.st}
	use := p.v.usable(s)
	x, err := p.v.score(ctx, s, p.o.Weights, use)
	if err != nil {
		return memory.Retrieved{Usage: s.Usage}, err
	}
	var all []rank.Scored[int]
	for i, u := range use {
		if u {
			all = append(all, rank.Scored[int]{ID: string(p.v.st.At(i).ID), Score: rank.Round6(x[i]), V: i})
		}
	}
	out := memory.Retrieved{Usage: s.Usage}
	for _, b := range rank.Top(all, q.K) {
		out.Hits = append(out.Hits, p.v.st.Hit(b.V, b.Score))
	}
	return out, nil
}

func (p *policy) Records() []store.Record {
	var out []store.Record
	for _, r := range p.v.st.All() {
		out = append(out, *r)
	}
	return out
}

func (p *policy) Clone() native.Policy { return &policy{p.o, p.v.clone()} }
