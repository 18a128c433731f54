package baseline

import (
	"context"
	"maps"
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

// MemVerseLite keeps three memories of a dialogue: core (facts), episodic (what happened
// in each exchange) and semantic (relations between things), and looks for things and for
// relations. It is not MemVerse: its three LightRAG graphs are one here, by rule where
// relations are read out of texts, and there is no parametric memory.
//
// Faithful: only core memories are ever found. Fixed: all three are.
func MemVerseLite() memory.Spec {
	return modal("memverse-lite", "core, episodic and semantic memories, by things and relations (after MemVerse)", MemVerseOptions{Local: 10, Global: 10, Chunks: 5}, func(d memory.Deps, o MemVerseOptions) (memory.System, error) {
		d.Embed = embedder(d)
		caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerUnit: memory.Span{Min: 1, Max: 1 << 20}, EmbedPerQuery: memory.Span{Min: 1, Max: 3}},
			Notes: []string{"lite: one graph, no parametric memory"}}
		asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(3), LLMPerQuery: memory.Exactly(1)}, llm.PurposeFacts, op.PurposeMeta, op.PurposeRelations, op.PurposeKeywords)
		return native.New(native.Options{Name: "memverse-lite", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &memverse{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed})}, things: map[string]int{}}
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
	things map[string]int // by name
	vecs   [][]float32
	says   [][]int // positions that speak of a thing
}

// draft is what a memory is made of before it is stored.
type draft struct {
	kind, text string
	triple     *op.Triple
}

func (p *memverse) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	facts, err := op.OrRule(ctx, p.d.LLM, r, llm.PurposeFacts, func() ([]op.Fact, llm.Usage, error) {
		return op.ModelFacts(p.d.LLM, p.d.Prompts).Facts(ctx, nil, op.Captioned(o.Turns))
	}, func() []op.Fact { f, _ := op.CaptionedFacts(ctx, nil, o.Turns); return f })
	if err != nil {
		return err
	}
	episode, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeMeta, func() (string, llm.Usage, error) {
		return op.Summarize(ctx, p.d.LLM, p.d.Prompts, op.PurposeMeta, "", []string{o.Text}, 40)
	}, func() string { return o.Text })
	if err != nil {
		return err
	}
	triples, err := op.OrRule(ctx, p.d.LLM, r, op.PurposeRelations, func() ([]op.Triple, llm.Usage, error) {
		return op.ModelRelations(ctx, p.d.LLM, p.d.Prompts, op.Entities(o.Text), o.Text)
	}, func() []op.Triple { return op.RuleTriples(o.Turns) })
	if err != nil {
		return err
	}
	drafts := []draft{{kind: kindEpisodic, text: episode}}
	for _, f := range facts {
		drafts = append(drafts, draft{kind: kindCore, text: f.Text})
	}
	if len(facts) == 0 || p.o.Mode == native.Faithful { // what was said is core, whatever the agents made of it
		drafts = append(drafts, draft{kind: kindCore, text: o.Text})
	}
	for i, t := range triples {
		drafts = append(drafts, draft{kindSemantic, t.Words(), &triples[i]})
	}
	return p.keep(ctx, o, drafts, r)
}

// keep stores drafts and ties them to the things that they name.
func (p *memverse) keep(ctx context.Context, o native.Observation, drafts []draft, r *memory.Receipt) error {
	var texts, names []string
	speaks := make([][]string, len(drafts))
	for i, d := range drafts {
		texts = append(texts, d.text)
		speaks[i] = op.Entities(d.text)
		if d.triple != nil {
			speaks[i] = []string{d.triple.Subject, d.triple.Object}
		}
		for _, n := range speaks[i] {
			if _, ok := p.things[strings.ToLower(n)]; !ok && !slices.ContainsFunc(names, func(m string) bool { return strings.EqualFold(m, n) }) {
				names = append(names, n)
			}
		}
	}
	vecs, u, err := store.Many(ctx, p.d.Embed, append(texts, names...))
	r.Usage = r.Usage.Add(u)
	if err != nil {
		return err
	}
	for i, n := range names {
		p.things[strings.ToLower(n)] = len(p.vecs)
		p.vecs, p.says = append(p.vecs, vecs[len(texts)+i]), append(p.says, nil)
	}
	for i, d := range drafts {
		rec := o.Record(d.kind)
		rec.Item.Text, rec.Index = d.text, ""
		pos := p.st.AppendVector(rec, vecs[i])
		for _, n := range speaks[i] {
			e := p.things[strings.ToLower(n)]
			p.says[e] = append(slices.Clip(p.says[e]), pos)
		}
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: p.st.At(pos).ID, New: d.text})
	}
	return nil
}

func (p *memverse) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{func(ctx context.Context, s *recall.State) error {
		words, err := op.OrRule(ctx, p.d.LLM, &s.Receipt, op.PurposeKeywords, func() ([]string, llm.Usage, error) {
			return op.ModelLines(ctx, p.d.LLM, p.d.Prompts, op.PurposeKeywords, q.Text, 10)
		}, func() []string { return op.Keywords(q.Text, 5, func(string) int { return 0 }) })
		if err != nil {
			return err
		}
		low, err := s.Vector(ctx, strings.Join(append(words, q.Text)[:max(1, len(words))], " "))
		if err != nil {
			return err
		}
		whole, err := s.Vector(ctx, q.Text)
		if err != nil || p.st.Len() == 0 {
			return err
		}
		use := func(kinds ...string) func(int) bool {
			return func(pos int) bool {
				k := s.Store.At(pos).Kind
				return s.Eligible(pos) && slices.Contains(kinds, k) && (p.o.Mode == native.Fixed || k == kindCore)
			}
		}
		var local []int // what is said of the things that the words find
		score := map[int]float64{}
		for e, v := range p.vecs {
			score[e] = dot(v, low)
		}
		best := recall.Best(score)
		keep := use(kindCore, kindEpisodic, kindSemantic)
		for _, c := range best[:min(p.o.Local, len(best))] {
			for _, pos := range p.says[c.Pos] {
				if keep(pos) && c.Score > 0 {
					local = append(local, pos)
				}
			}
		}
		slices.SortStableFunc(local, func(a, b int) int {
			x, y := dot(s.Store.Vector(a), whole), dot(s.Store.Vector(b), whole)
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return a - b
		})
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
	}}.Run(ctx, p.st, q)
}

func (p *memverse) Clone() native.Policy {
	c := *p
	c.st, c.things, c.vecs, c.says = p.st.Clone(), maps.Clone(p.things), slices.Clone(p.vecs), slices.Clone(p.says)
	return &c
}
