package baseline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// MemVerseOptions of MemVerse-lite.
type MemVerseOptions struct {
	ModeOptions
	Local  int `json:"local"`  // things that a question's words find
	Global int `json:"global"` // relations that its theme finds
	Chunks int `json:"chunks"`
}

// MemVerseLite has three memories of a dialogue: core (facts), episodic (events of each exchange) and semantic (relations between things), and searches things
// and relations. It is not MemVerse: its three LightRAG graphs are one here, relations are extracted by rule, and there is no parametric memory.
//
// Faithful: only core memories are ever found. Fixed: all three are.
func MemVerseLite() memory.Spec {
	return modal("memverse-lite", "core, episodic and semantic memories, by things and relations (after MemVerse)", MemVerseOptions{Local: 10, Global: 10, Chunks: 5}, func(d memory.Deps, o MemVerseOptions) (memory.System, error) {
		d.Embed = embedder(d)
		caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerUnit: memory.Span{Min: 1, Max: many}, EmbedPerQuery: memory.Span{Min: 1, Max: 3}},
			Notes: []string{"lite: one graph, no parametric memory"}}
		asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(3), LLMPerQuery: memory.Exactly(1)}, llm.PurposeFacts, op.PurposeMeta, op.PurposeRelations, op.PurposeKeywords)
		return native.New(native.Options{Name: "memverse-lite", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &memverse{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed})}}
		}}), nil
	})
}

// Kinds of MemVerse's memories.
const (
	kindCore     = "core"
	kindEpisodic = "episodic"
	kindSemantic = "semantic"
)

type memverse struct {
	list
	o      MemVerseOptions
	d      memory.Deps
	things lexicon
}

// draft is a memory before it is stored, with the things that it names.
type draft struct {
	kind, text string
	names      []string
}

func (p *memverse) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := op.Begin(ctx, p.d, r)
	facts := w.Facts(o.Turns, nil)
	episode := w.Summary(op.PurposeMeta, "", []string{o.Text}, 40, func() string { return o.Text })
	triples := w.Relations(op.Entities(o.Text), o.Text, o.Turns)
	drafts := []draft{{kindEpisodic, episode, op.Entities(episode)}}
	for _, f := range facts {
		drafts = append(drafts, draft{kindCore, f.Text, op.Entities(f.Text)})
	}
	if len(facts) == 0 || p.o.Mode == native.Faithful { // the turn itself is core, whatever the agents made of it
		drafts = append(drafts, draft{kindCore, o.Text, op.Entities(o.Text)})
	}
	for _, t := range triples {
		drafts = append(drafts, draft{kindSemantic, t.Words(), []string{t.Subject, t.Object}})
	}
	return p.keep(w, o, drafts, r)
}

// keep stores drafts and ties them to the things that they name.
func (p *memverse) keep(w *op.Work, o native.Observation, drafts []draft, r *memory.Receipt) error {
	var names []string
	for _, d := range drafts {
		names = append(names, d.names...)
	}
	names = p.things.unknown(names, strings.ToLower)
	vecs := map[string][]float32{}
	if w.Vectors(vecs, append(texts(drafts, func(d draft) string { return d.text }), names...)...); w.Err != nil {
		return w.Err
	}
	for _, n := range names {
		p.things.add(strings.ToLower(n), vecs[n])
	}
	for _, d := range drafts {
		pos := p.st.Add(o.Made(d.kind, d.text), vecs[d.text], r)
		for _, n := range d.names {
			p.things.tie(p.things.at[strings.ToLower(n)], pos)
		}
	}
	return nil
}

func (p *memverse) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(ctx context.Context, s *recall.State, whole []float32) error {
		w := op.Begin(ctx, p.d, &s.Receipt)
		words := w.Lines(op.PurposeKeywords, q.Text, 10, func() []string { return op.Keywords(q.Text, 5, nil) })
		if w.Err != nil {
			return w.Err
		}
		low, err := s.Vector(ctx, cmp.Or(strings.Join(words, " "), q.Text))
		if err != nil {
			return err
		}
		use := func(kinds ...string) func(int) bool {
			return func(pos int) bool {
				k := s.Store.At(pos).Kind
				return s.Eligible(pos) && slices.Contains(kinds, k) && (p.o.Mode == native.Fixed || k == kindCore)
			}
		}
		var local []int // relations of the things that the words find
		near := p.things.near(low, 0, 0)
		keep := use(kindCore, kindEpisodic, kindSemantic)
		for _, c := range recall.Among(len(near), p.o.Local, func(i int) (float64, bool) { return near[i].Score, near[i].Score > 0 }) {
			for _, pos := range p.things.of[near[c.Pos].Pos] {
				if keep(pos) {
					local = append(local, pos)
				}
			}
		}
		cos := s.Store.Cosines(nil, whole)
		slices.SortStableFunc(local, func(a, b int) int { return cmp.Or(cmp.Compare(cos[b], cos[a]), a-b) })
		positions := func(list []recall.Scored) (out []int) {
			for _, c := range list {
				out = append(out, c.Pos)
			}
			return out
		}
		global := positions(recall.Nearest(s.Store, whole, p.o.Global, use(kindSemantic)))
		chunks := positions(recall.Nearest(s.Store, whole, max(p.o.Chunks, q.K), use(kindCore, kindEpisodic)))
		for i, pos := range recall.RoundRobin(chunks, local, global) {
			s.List = append(s.List, recall.Scored{Pos: pos, Score: 1 / float64(1+i)})
		}
		return nil
	})}.Run(ctx, p.st, q)
}

func (p *memverse) Clone() native.Policy {
	c := *p
	c.st, c.things = p.st.Clone(), p.things.clone()
	return &c
}
