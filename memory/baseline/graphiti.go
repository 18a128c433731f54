package baseline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// GraphitiOptions of Graphiti.
type GraphitiOptions struct {
	ModeOptions
	Plain  bool    `json:"plain"`  // without words, as over a database without an index of texts
	Recipe string  `json:"recipe"` // edges | edges-mmr | nodes | episodes
	Same   float64 `json:"same"`   // minimum cosine of two names that the model compares; 0: 0.6, or the hashing embedder's
	Near   float64 `json:"near"`   // least cosine of a hit; 0: 0.2
}

// graphitiNear is the least cosine of a hit: Neo4j's score of 0.6, which is (1+cosine)/2.
const graphitiNear = 2*0.6 - 1

// Recipes of Graphiti's search.
const (
	recipeEdges    = "edges"
	recipeMMR      = "edges-mmr"
	recipeNodes    = "nodes"
	recipeEpisodes = "episodes"
)

// Graphiti keeps episodes, things, and facts between things with when they held; a fact
// that contradicts another ends it. (graphmem ranks so over its own claims; this is the
// system with its own extraction.)
//
// Faithful: facts that no longer hold are found like others, and a contradiction without
// times, or with equal ones, ends nothing. Fixed: they are history, a fact without a time
// holds since its episode, and of equal times the later statement is kept.
func Graphiti() memory.Spec {
	return modal("graphiti-native", "facts between things, with their validity times, by BM25 and cosine (Graphiti)", GraphitiOptions{Recipe: recipeEdges},
		func(d memory.Deps, o GraphitiOptions) (memory.System, error) {
			return newGraphiti("graphiti-native", d, o)
		})
}

// ZepLike is Graphiti asked as Zep is in published comparisons: for episodes.
func ZepLike() memory.Spec {
	return modal("zep-like", "Graphiti, asked for episodes as Zep is (the hosted service is zep-v3)", GraphitiOptions{Recipe: recipeEpisodes},
		func(d memory.Deps, o GraphitiOptions) (memory.System, error) { return newGraphiti("zep-like", d, o) })
}

func newGraphiti(name string, d memory.Deps, o GraphitiOptions) (memory.System, error) {
	if all := []string{recipeEdges, recipeMMR, recipeNodes, recipeEpisodes}; !slices.Contains(all, o.Recipe) {
		return nil, fmt.Errorf("recipe %q: have %v", o.Recipe, all)
	}
	d.Embed = embedder(d)
	o.Same, o.Near = gate(o.Same, d.Embed, 0.6, hashUpdate), gate(o.Near, d.Embed, graphitiNear, 0.1)
	caps := ranked(native.Pair, 1)
	caps.Calls.EmbedPerUnit.Max = many
	gated(&caps, d.Embed)
	asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Min: 2, Max: many}}, op.PurposeThings, op.PurposeResolve, op.PurposeEdges, op.PurposeCompare, op.PurposeSummary) // one more for names in doubt, one a fact, one a thing
	return native.New(native.Options{Name: name, Version: "2", Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		of := func(kind string) *store.Linear {
			return store.New(store.Options{Scope: scope + kind, Embed: d.Embed, Words: &store.Words{}})
		}
		return &graphiti{o: o, d: d, episodes: of(""), edges: of(":edge"), nodes: of(":entity"), names: map[string]int{}, grams: map[string][]int{}, touching: map[int][]int{}}
	}}), nil
}

type graphiti struct {
	o        GraphitiOptions
	d        memory.Deps
	episodes *store.Linear
	edges    *store.Linear // facts
	held     []held        // by position in edges
	nodes    *store.Linear // things: a name and its description
	names    map[string]int
	grams    map[string][]int // things by each group of three letters of their names
	touching map[int][]int    // facts by thing
}

// held is a fact, its ends and when it held.
type held struct {
	from, to       int // things
	relation, fact string
	span           op.Span
	ended          bool
}

type edgeAnswer struct {
	Source   string `json:"source"`
	Target   string `json:"target"`
	Relation string `json:"relation"`
	Fact     string `json:"fact"`
	From     string `json:"valid_at"`
	Until    string `json:"invalid_at"`
}

// Store stores an episode. Operations that can fail work on a copy of the small parts; the lists are changed last.
func (p *graphiti) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := &graphitiWork{Work: op.Begin(ctx, p.d, r), p: p, o: o, id: map[string]int{}}
	names := w.Things(o.Text)
	facts := op.Member(w.Work, op.PurposeEdges, "facts", p.edgesPrompt(o, names), func() []edgeAnswer { return ruleEdges(o) })
	if p.d.LLM == nil {
		names = nil
		for _, f := range facts {
			names = append(names, f.Source, f.Target)
		}
	}
	if w.resolve(names); w.Err != nil {
		return w.Err
	}
	w.judge(facts)
	w.describe()
	v := w.Embed(o.Text)
	if w.Err == nil {
		w.commit(v[0], r)
	}
	return w.Err
}

func ruleEdges(o native.Observation) (out []edgeAnswer) {
	for _, t := range op.RuleTriples(o.Turns) {
		relation := strings.ToUpper(t.Relation)
		if t.Negated {
			relation = "NOT_" + relation
		}
		out = append(out, edgeAnswer{t.Subject, t.Object, relation, t.Fact, t.From, ""})
	}
	return out
}

func (p *graphiti) edgesPrompt(o native.Observation, names []string) string {
	var b strings.Builder
	b.WriteString("BEFORE\n")
	for i := max(0, p.episodes.Len()-10); i < p.episodes.Len(); i++ {
		b.WriteString(p.episodes.At(i).Text + "\n")
	}
	fmt.Fprintf(&b, "\nTHINGS\n%s\n\nNOW (%s)\n%s", strings.Join(names, "\n"), o.Time, o.Text)
	return b.String()
}

func (p *graphiti) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	in := map[string]*store.Linear{recipeEdges: p.edges, recipeMMR: p.edges, recipeNodes: p.nodes, recipeEpisodes: p.episodes}[p.o.Recipe]
	r, err := recall.Pipeline{recall.Toward(func(_ context.Context, s *recall.State, v []float32) error {
		s.List = p.search(s, v, q.Text, q.K)
		if p.o.Recipe == recipeMMR {
			s.List = diverse(in, v, s.List, 0.5)
		}
		return nil
	})}.Run(ctx, in, q)
	if in != p.edges {
		return r, err
	}
	for i, h := range r.Hits {
		pos, _ := p.edges.Find(h.ID)
		span := p.held[pos].span
		if span.From != "" || span.Until != "" {
			r.Hits[i].Text += fmt.Sprintf(" (%s - %s)", cmp.Or(span.From, "unknown"), cmp.Or(span.Until, "present"))
		}
	}
	return r, err
}

// search finds by words and by meaning, and joins the two by their ranks.
func (p *graphiti) search(s *recall.State, v []float32, text string, k int) []recall.Scored {
	near := slices.DeleteFunc(recall.Nearest(s.Store, v, 2*k, s.Eligible), func(c recall.Scored) bool { return c.Score < p.o.Near })
	if p.o.Plain {
		return recall.Fused(0, near)
	}
	return recall.Fused(0, s.ByWords(text, 2*k), near)
}

// diverse scores each of a list by l·cosine + (l−1)·the cosine to the nearest other one,
// once, as published.
func diverse(st *store.Linear, v []float32, list []recall.Scored, l float64) []recall.Scored {
	score := map[int]float64{}
	for _, a := range list {
		most := 0.0
		for _, b := range list {
			if a.Pos != b.Pos {
				most = max(most, recall.Dot(st.Vector(a.Pos), st.Vector(b.Pos)))
			}
		}
		score[a.Pos] = l*recall.Dot(st.Vector(a.Pos), v) + (l-1)*most
	}
	return recall.Best(score)
}

// Records lists episodes, things and facts.
func (p *graphiti) Records() []store.Record {
	facts := p.edges.Records()
	for i := range facts {
		if p.held[i].ended {
			facts[i].Status = memory.StatusInvalid
		}
	}
	return slices.Concat(p.episodes.Records(), p.nodes.Records(), facts)
}

func (p *graphiti) Clone() native.Policy {
	c := *p
	c.episodes, c.edges, c.nodes, c.held, c.names = p.episodes.Clone(), p.edges.Clone(), p.nodes.Clone(), slices.Clone(p.held), maps.Clone(p.names)
	c.grams, c.touching = lists(p.grams), lists(p.touching)
	return &c
}
