// Package baseline holds the reference systems that are one composition of parts, one file each. All other figures are compared with them: nothing (null,
// abstain), everything (full context), the gold itself (oracle), and plain retrieval.
package baseline

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"membench/internal/tokens"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
)

// version of every system here; it changes when the same input would give another memory.
const version = "1"

// many is the number of calls if there is no limit.
const many = 1 << 20

// list is the policy of systems that keep each observation as one record and recall by
// a pipeline.
type list struct {
	st     *store.Linear
	grows  bool                                    // no record is changed or removed
	split  func(native.Observation) []store.Record // nil: the whole observation
	seen   images                                  // nil: texts only
	recall recall.Pipeline
	show   func(q memory.Query, r *memory.Retrieved, st *store.Linear) // nil: nothing
	pre    []recall.Priors                                             // by position, where kept
	keep   bool                                                        // priors
	make   func(*list) recall.Pipeline                                 // a pipeline that looks at the list itself
}

// bind makes the pipeline, and makes it again for a clone.
func (p *list) bind(make func(*list) recall.Pipeline) { p.make, p.recall = make, make(p) }

func (p *list) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	recs := []store.Record{o.Record(o.Kind())}
	if p.split != nil {
		recs = p.split(o)
	}
	vecs, err := p.vectors(ctx, o, recs, r) // all first: an error leaves nothing half stored
	if err != nil {
		return err
	}
	for i, rec := range recs {
		p.st.Add(rec, vecs[i], r)
		if p.keep {
			p.pre = append(p.pre, recall.PriorsOf(o.Turns[0].Text))
		}
	}
	return nil
}

func (p *list) vectors(ctx context.Context, o native.Observation, recs []store.Record, r *memory.Receipt) ([][]float32, error) {
	e := p.st.Embed()
	switch {
	case p.seen != nil && e != nil:
		v, err := p.seen.see(ctx, e, o, r)
		return [][]float32{v}, err
	case p.seen != nil:
		p.seen.unseen(o, r)
	}
	if e == nil {
		return make([][]float32, len(recs)), nil
	}
	return store.Many(ctx, e, &r.Usage, texts(recs, func(rec store.Record) string { return rec.Text }))
}

// texts are of each thing its text.
func texts[T any](of []T, text func(T) string) (out []string) {
	for _, x := range of {
		out = append(out, text(x))
	}
	return out
}

func (p *list) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	r, err := p.recall.Run(ctx, p.st, q)
	if err == nil && p.show != nil {
		p.show(q, &r, p.st)
	}
	return r, err
}

func (p *list) Records() []store.Record { return p.st.Records() }

// Since is for native.GrowingPolicy.
func (p *list) Since(n int) ([]store.Record, bool) {
	if !p.grows {
		return nil, false
	}
	return p.st.Since(n), true
}

// lists are a copy of lists by key, to which both may append.
func lists[K comparable, V any](m map[K][]V) map[K][]V {
	out := maps.Clone(m)
	for k, v := range out {
		out[k] = slices.Clone(v)
	}
	return out
}

func (p *list) Clone() native.Policy {
	c := *p
	c.st = p.st.Clone()
	c.pre = append([]recall.Priors(nil), p.pre...)
	if c.make != nil {
		c.recall = c.make(&c)
	}
	return &c
}

// embedder is d's, or the hashing one, which needs no model.
func embedder(d memory.Deps) llm.Embedder {
	if d.Embed == nil {
		return hashing.New(0)
	}
	return d.Embed
}

// terms gives the cutter of a name: plain, light or snowball.
func terms(name string) (func(string) []string, error) {
	switch name {
	case "plain":
		return tokens.Words, nil
	case "light":
		return tokens.Terms, nil
	case "snowball":
		return tokens.Snowball, nil
	}
	return nil, fmt.Errorf("terms %q: have plain, light and snowball", name)
}

// ranked are the capabilities of a system that ranks units and asks no model.
func ranked(unit string, embeds int) memory.Capabilities {
	return memory.Capabilities{Unit: unit, Retrieval: memory.RetrievalRanked,
		Calls: &memory.Calls{EmbedPerUnit: memory.Exactly(embeds), EmbedPerQuery: memory.Exactly(embeds)}}
}

func unit(u string) (string, error) {
	switch u {
	case native.Turn, native.Pair:
		return u, nil
	}
	return "", fmt.Errorf("unit %q: have %s and %s", u, native.Turn, native.Pair)
}

// ModeOptions are of systems that reproduce a published one.
type ModeOptions struct {
	Mode string `json:"mode"` // fixed | faithful
}

func (o *ModeOptions) check() (err error) {
	o.Mode, err = native.CheckMode(o.Mode)
	return err
}

// modal is memory.Define for options with a mode, which build gets checked.
func modal[O any, P interface {
	*O
	check() error
}](name, doc string, defaults O, build func(memory.Deps, O) (memory.System, error)) memory.Spec {
	return memory.Define(name, doc, defaults, func(d memory.Deps, o O) (memory.System, error) {
		if err := P(&o).check(); err != nil {
			return nil, err
		}
		return build(d, o)
	})
}

// asks records the model calls of a system: the calls if there is a model, the operations done by rule if there is none.
func asks(caps *memory.Capabilities, d memory.Deps, calls memory.Calls, ops ...string) {
	if d.LLM == nil {
		caps.ByRule = ops
		return
	}
	caps.Calls.LLMPerUnit, caps.Calls.LLMPerSession, caps.Calls.LLMPerQuery = calls.LLMPerUnit, calls.LLMPerSession, calls.LLMPerQuery
}
