package baseline

import (
	"context"
	"slices"
	"strings"

	"membench/internal/rank"
	"membench/internal/tokens"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// AUGUSTUSOptions of AUGUSTUSMemory.
type AUGUSTUSOptions struct {
	ModeOptions
	Edge  float64 `json:"edge"` // minimum cosine of an edge; 0: 0.7, or the hashing embedder's
	Keep  float64 `json:"keep"` // minimum score of a walk's results; 0: 0.5, or half of it for the hashing embedder
	Nodes int     `json:"nodes"`
	ImageOptions
}

// AUGUSTUSMemory is NGMemory with concepts: entries with common concepts are joined, and walks also start at the entries of the question's concepts.
//
// Faithful: the three nearest entries count 1 whatever their cosine, unless a shared concept lowers that. Fixed: all entries are scored alike.
func AUGUSTUSMemory() memory.Spec {
	return modal("AUGUSTUSMemory", "a graph of entries tagged with concepts (AUGUSTUS, Mem-Gallery)", AUGUSTUSOptions{Nodes: 10}, func(d memory.Deps, o AUGUSTUSOptions) (memory.System, error) {
		seen, caps, err := o.open(&d)
		gated(&caps, d.Embed)
		asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(1), LLMPerQuery: memory.Exactly(1)}, op.PurposeConcepts)
		edge, keep := gate(o.Edge, d.Embed, 0.7, hashUpdate), gate(o.Keep, d.Embed, 0.5, 0.25)
		return native.New(native.Options{Name: "AUGUSTUSMemory", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &augustus{ng: ng{list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed}), seen: seen}, faithful: o.Mode == native.Faithful, edge: edge, keep: keep, near: 5, nodes: o.Nodes}, d: d, having: map[string][]int{}}
		}}), err
	})
}

type augustus struct {
	ng
	d        memory.Deps
	concepts [][]string       // by position, sorted
	having   map[string][]int // positions by concept
}

const conceptsAtMost = 10

func (p *augustus) extract(ctx context.Context, text string, r *memory.Receipt) ([]string, error) {
	w := op.Begin(ctx, p.d, r)
	got := w.Lines(op.PurposeConcepts, text, conceptsAtMost, func() []string { return ruleConcepts(text) })
	for i := range got {
		got[i] = strings.ToLower(strings.TrimSpace(got[i]))
	}
	slices.Sort(got)
	return slices.Compact(got), w.Err
}

// ruleConcepts are the first words longer than three letters that are not stop words, and
// of Chinese the first pairs of characters that mean something.
func ruleConcepts(text string) (out []string) {
	for _, t := range tokens.Split(text) {
		if len(out) == conceptsAtMost {
			break
		}
		var found []string
		if !t.Han && len(t.Text) > 3 && !tokens.Stop(t.Text) {
			found = []string{t.Text}
		} else if t.Han {
			for _, pair := range tokens.Terms(t.Text) {
				if len([]rune(pair)) == 2 {
					found = append(found, pair)
				}
			}
		}
		for _, c := range found {
			if !slices.Contains(out, c) && len(out) < conceptsAtMost {
				out = append(out, c)
			}
		}
	}
	return out
}

func (p *augustus) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	concepts, err := p.extract(ctx, o.Text, r)
	if err != nil {
		return err
	}
	return p.take(ctx, o, r, func(n int) {
		shared := recall.Best(p.sharing(concepts))
		for _, c := range shared[:min(conceptEdges, len(shared))] {
			p.web.connect(c.Pos, n)
		}
		p.concepts = append(p.concepts, concepts)
		for _, c := range concepts {
			p.having[c] = append(p.having[c], n)
		}
	})
}

// conceptEdges bounds the edges that one entry's concepts make: a word that every entry
// has would otherwise join all with all.
const conceptEdges = 50

// sharing counts the concepts that entries share with the given.
func (p *augustus) sharing(concepts []string) map[int]float64 {
	out := map[int]float64{}
	for _, c := range concepts {
		for _, i := range p.having[c] {
			out[i]++
		}
	}
	return out
}

func (p *augustus) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(ctx context.Context, s *recall.State, v []float32) error {
		concepts, err := p.extract(ctx, q.Text, &s.Receipt)
		if err != nil {
			return err
		}
		v = p.seen.asked(v, q)
		cos, shared := p.st.Cosines(nil, v), p.sharing(concepts)
		combined := func(i int) float64 {
			return 0.5*cos[i] + 0.5*shared[i]/float64(max(1, len(concepts), len(p.concepts[i])))
		}
		starts := recall.Nearest(p.st, v, walkStarts, s.Eligible)
		for i := range starts {
			starts[i].Score = 1
		}
		for _, c := range recall.Best(shared) {
			if s.Eligible(c.Pos) {
				starts = append(starts, recall.Scored{Pos: c.Pos, Score: c.Score / float64(len(concepts))})
			}
		}
		for i, c := range starts {
			if !p.faithful {
				starts[i].Score = combined(c.Pos)
			}
		}
		p.walk(s, starts, func(i int) (float64, bool) { x := rank.Round6(combined(i)); return x, x >= p.keep })
		return nil
	})}.Run(ctx, p.st, q)
}

func (p *augustus) Clone() native.Policy {
	c := *p
	c.st, c.web, c.concepts, c.having = p.st.Clone(), p.web.clone(), slices.Clone(p.concepts), lists(p.having)
	return &c
}
