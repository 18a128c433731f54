package baseline

import (
	"context"
	"maps"
	"slices"

	"membench/internal/textnorm"
	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// Mem0Options of Mem0 1.x as published, with and without its graph.
type Mem0Options struct {
	ModeOptions
	Near    int     `json:"near"`    // known facts that each new one is compared with
	Both    bool    `json:"both"`    // faithful by rule: also extract facts from the assistant's turns
	Same    float64 `json:"same"`    // graph: minimum cosine of two names of one thing; 0: 0.7, or the hashing embedder's
	Triples int     `json:"triples"` // graph: shown for a question
}

// Mem0Published is the loop of Mem0 1.0.11, as in the package: extract facts, find the nearest known facts of each by cosine, judge all at once, and search by
// cosine. (mem0 is the embedded memory, which differs where this loses evidence.)
//
// Faithful: an update replaces the old turns by the new ones, and a deleted fact is removed; by rule, only the user's turns count. Fixed: evidence is united,
// withdrawn facts are kept as history, verbatim repetitions are noted, an answer that touches a fact which is not near the new one is an addition, and the
// assistant's turns count.
func Mem0Published() memory.Spec {
	return modal("mem0-published", "facts judged all at once against their nearest, searched by cosine (Mem0 1.0.11)", Mem0Options{Near: 5},
		func(d memory.Deps, o Mem0Options) (memory.System, error) { return newM0("mem0-published", false, d, o) })
}

// Mem0Graph is Mem0Published with the graph of Mem0 1.x: things, relations between them, and outdated relations.
//
// Faithful: relations are searched by whole names with underscores, which questions rarely contain, and similar names are one thing. Fixed: relations are
// searched by words, and names are one thing only if they are equal or nearly so.
func Mem0Graph() memory.Spec {
	return modal("mem0-graph", "facts, and a graph of things and relations (Mem0 1.0.11 with a graph store)", Mem0Options{Near: 5, Triples: 5},
		func(d memory.Deps, o Mem0Options) (memory.System, error) { return newM0("mem0-graph", true, d, o) })
}

func newM0(name string, graph bool, d memory.Deps, o Mem0Options) (memory.System, error) {
	d.Embed = embedder(d)
	caps := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerUnit: memory.Span{Max: many}, EmbedPerQuery: memory.Exactly(1)}}
	calls, ops := memory.Calls{LLMPerUnit: memory.Span{Min: 1, Max: 2}}, []string{llm.PurposeFacts, llm.PurposeUpdate} // without facts there is nothing to judge
	if graph {
		caps.Calls.EmbedPerQuery = memory.Span{Min: 1, Max: many}
		if o.Same == 0 && o.Mode == native.Fixed {
			o.Same = 0.9
		}
		o.Same = gate(o.Same, d.Embed, 0.7, hashSame)
		gated(&caps, d.Embed)
		calls, ops = memory.Calls{LLMPerUnit: memory.Span{Min: 4, Max: 5}, LLMPerQuery: memory.Exactly(1)}, append(ops, op.PurposeThings, op.PurposeRelations, op.PurposeOutdated)
	}
	asks(&caps, d, calls, ops...)
	return native.New(native.Options{Name: name, Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, Pairs: true, New: func(scope string) native.Policy {
		p := &m0{o: o, d: d, st: store.New(store.Options{Scope: scope, Embed: d.Embed})}
		if graph {
			p.g = &m0graph{st: store.New(store.Options{Scope: scope + ":triple", Words: &store.Words{}}), same: o.Same, seen: map[string]m0seen{}}
		}
		return p
	}}), nil
}

type m0 struct {
	o  Mem0Options
	d  memory.Deps
	st *store.Linear
	g  *m0graph // nil: without
}

func (p *m0) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := op.Begin(ctx, p.d, r)
	verdicts, facts, vecs := p.judge(ctx, w, o)
	var change *graphChange
	if p.g != nil {
		change = p.relate(w, o)
	}
	if w.Err != nil {
		return w.Err
	}
	for _, v := range verdicts {
		p.apply(o, facts, v, vecs[v.Text], r)
	}
	if change != nil {
		p.g.apply(o, *change, r)
	}
	return nil
}

// judge returns the verdicts on the facts of an exchange, and the vectors of texts.
func (p *m0) judge(ctx context.Context, w *op.Work, o native.Observation) ([]op.Verdict, []op.Fact, map[string][]float32) {
	facts := w.Facts(o.Turns, func() []op.Fact {
		return slices.DeleteFunc(op.CaptionedFacts(o.Turns), func(f op.Fact) bool {
			return p.o.Mode == native.Faithful && !p.o.Both && f.Role != memory.RoleUser
		})
	})
	if len(facts) == 0 {
		return nil, nil, nil
	}
	said, vecs := texts(facts, func(f op.Fact) string { return f.Text }), map[string][]float32{}
	if w.Vectors(vecs, said...); w.Err != nil {
		return nil, nil, nil
	}
	use := p.st.Eligible(o.Batch.UserID, o.Batch.AgentID)
	var known []op.Known
	near := make([][]op.Known, len(facts))
	for i := range facts {
		for _, c := range recall.Nearest(p.st, vecs[said[i]], p.o.Near, func(pos int) bool { return use[pos] }) {
			k := op.Known{ID: p.st.At(c.Pos).ID, Text: p.st.At(c.Pos).Text, Role: p.st.At(c.Pos).Role}
			near[i] = append(near[i], k)
			if !slices.Contains(known, k) {
				known = append(known, k)
			}
		}
	}
	verdicts := op.Do(w, llm.PurposeUpdate, func() ([]op.Verdict, llm.Usage, error) {
		return op.ModelJudge(p.d.LLM, p.d.Prompts).Judge(ctx, facts, known)
	}, func() (out []op.Verdict) {
		for i, f := range facts {
			v, _, _ := op.RuleJudge().Judge(ctx, []op.Fact{f}, near[i])
			v[0].Fact = i
			out = append(out, v...)
		}
		return out
	})
	for i, v := range verdicts {
		if p.o.Mode == native.Fixed && v.Fact >= 0 && v.Target != "" && !slices.ContainsFunc(near[v.Fact], func(k op.Known) bool { return k.ID == v.Target }) {
			verdicts[i].Relation, verdicts[i].Target = op.New, ""
		}
		if r := verdicts[i].Relation; r != op.Same && r != op.Retracts {
			said = append(said, v.Text)
		}
	}
	w.Vectors(vecs, said...)
	return verdicts, facts, vecs
}

// apply applies a verdict.
func (p *m0) apply(o native.Observation, facts []op.Fact, v op.Verdict, vec []float32, r *memory.Receipt) {
	rec := o.Made("fact", v.Text)
	rec.Sources, rec.Attachments = nil, nil
	turns := []int{}
	if v.Fact >= 0 {
		rec.Role, turns = facts[v.Fact].Role, facts[v.Fact].Turns
	}
	for _, i := range turns {
		rec.Sources = memory.Union(rec.Sources, o.Turns[i].Sources)
		rec.Attachments = append(rec.Attachments, o.Turns[i].Attachments...)
	}
	pos, ok := p.st.Find(v.Target)
	if !ok && (v.Relation == op.Refines || v.Relation == op.Replaces) {
		v.Relation = op.New
	}
	fixed := p.o.Mode == native.Fixed
	if v.Relation == op.New && fixed {
		for i, at := range p.st.All() { // verbatim repetitions are noted, not stored
			if at.UserID == rec.UserID && at.AgentID == rec.AgentID && at.Status == memory.StatusActive && at.Text == v.Text {
				pos, v.Relation = i, op.Same
				break
			}
		}
	}
	switch v.Relation {
	case op.Same:
		if at := p.st.At(pos); fixed {
			at.Sources = memory.Union(at.Sources, rec.Sources)
		}
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpNone, ID: p.st.At(pos).ID, Old: p.st.At(pos).Text})
	case op.Refines, op.Replaces:
		at := p.st.At(pos)
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpUpdate, ID: at.ID, Old: at.Text, New: v.Text})
		at.Item.Text = v.Text
		if fixed {
			at.Sources, at.Attachments = memory.Union(at.Sources, rec.Sources), append(slices.Clone(at.Attachments), rec.Attachments...)
		} else {
			at.Sources, at.Attachments, at.Session, at.Meta, at.Metadata = rec.Sources, rec.Attachments, rec.Session, rec.Meta, rec.Metadata
		}
		p.st.SetVector(pos, vec)
	case op.Retracts:
		if !ok {
			return
		}
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: v.Target, Old: p.st.At(pos).Text})
		if fixed {
			p.st.Invalidate(pos)
		} else {
			p.st.Remove(pos)
		}
	default:
		if textnorm.Strip(v.Text) != "" {
			p.st.Add(rec, vec, r)
		}
	}
}

func (p *m0) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	facts, err := recall.Pipeline{func(ctx context.Context, s *recall.State) (err error) {
		s.List, err = s.ByMeaning(ctx, q.Text, q.K)
		return err
	}}.Run(ctx, p.st, q)
	if err != nil || p.g == nil {
		return facts, err
	}
	var r memory.Receipt
	w := op.Begin(ctx, p.d, &r)
	triples := p.search(w, q)
	facts.Usage, facts.Degraded = facts.Usage.Add(r.Usage), r.Degraded
	var odd, even []memory.Hit // two facts, one triple, and so on
	for i, h := range facts.Hits {
		if i%2 == 0 {
			even = append(even, h)
		} else {
			odd = append(odd, h)
		}
	}
	facts.Hits = recall.Interleaved(q.K, even, odd, triples)
	return facts, w.Err
}

func (p *m0) Records() []store.Record {
	out := p.st.Records()
	if p.g != nil {
		out = append(out, p.g.st.Records()...)
	}
	return out
}

func (p *m0) Clone() native.Policy {
	c := *p
	c.st = p.st.Clone()
	if p.g != nil {
		c.g = &m0graph{p.g.things.clone(), slices.Clone(p.g.users), p.g.st.Clone(), slices.Clone(p.g.triples), p.g.same, maps.Clone(p.g.seen)}
	}
	return &c
}
