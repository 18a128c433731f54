// Package baseline holds the reference systems that are one composition of parts, a
// file each. They are what every other number is read against: nothing (null, abstain),
// all (full context), the gold itself (oracle), and plain retrieval.
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

// many is the number of calls of what has no bound.
const many = 1 << 20

// list is the policy of systems that keep each observation as one record and recall by
// a pipeline.
type list struct {
	st     *store.Linear
	split  func(native.Observation) []store.Record   // nil: the observation as it is
	note   func(native.Observation, *memory.Receipt) // nil: nothing
	recall recall.Pipeline
	show   func(q memory.Query, r *memory.Retrieved, st *store.Linear) // nil: nothing
	pre    []recall.Priors                                             // by position, where kept
	keep   bool                                                        // priors
	make   func(*list) recall.Pipeline                                 // a pipeline that looks at the list itself
}

// bind makes the pipeline, and makes it anew for a clone.
func (p *list) bind(make func(*list) recall.Pipeline) { p.make, p.recall = make, make(p) }

func (p *list) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	recs := []store.Record{o.Record(o.Kind())}
	if p.split != nil {
		recs = p.split(o)
	}
	// All vectors first: an error leaves nothing half stored.
	var vecs [][]float32
	if e := p.st.Embed(); e != nil {
		texts := make([]string, len(recs))
		for i, rec := range recs {
			texts[i] = rec.Text
		}
		var err error
		if vecs, err = store.Many(ctx, e, &r.Usage, texts); err != nil {
			return err
		}
	}
	if p.note != nil {
		p.note(o, r)
	}
	for i, rec := range recs {
		rec.ID = p.st.Next()
		if vecs != nil {
			p.st.AppendVector(rec, vecs[i])
		} else if _, _, err := p.st.Append(ctx, rec); err != nil {
			return err
		}
		if p.keep {
			p.pre = append(p.pre, recall.PriorsOf(o.Turns[0].Text))
		}
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: rec.ID, New: rec.Text})
	}
	return nil
}

func (p *list) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	r, err := p.recall.Run(ctx, p.st, q)
	if err == nil && p.show != nil {
		p.show(q, &r, p.st)
	}
	return r, err
}

func (p *list) Records() []store.Record { return p.st.Records() }

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

// asks notes what a system asks a model: the calls where there is a model, the operations that a rule does where there is none.
func asks(caps *memory.Capabilities, d memory.Deps, calls memory.Calls, ops ...string) {
	if d.LLM == nil {
		caps.ByRule = ops
		return
	}
	caps.Calls.LLMPerUnit, caps.Calls.LLMPerSession, caps.Calls.LLMPerQuery = calls.LLMPerUnit, calls.LLMPerSession, calls.LLMPerQuery
}
