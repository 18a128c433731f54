package baseline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"membench/internal/rank"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
)

// HippoOptions of HippoRAG 2.
type HippoOptions struct {
	ModeOptions
	Facts   int     `json:"facts"`   // facts, and things, that a question starts from
	Synonym float64 `json:"synonym"` // cosine from which two names are tied; 0: 0.8, for the hashing embedder too
	Passage float64 `json:"passage"` // weight of a passage's own cosine
	Damping float64 `json:"damping"`
}

// HippoRAG stores passages with the facts that they state, and ranks passages by a walk that starts at the things of the facts nearest to the question.
// (graphmem ranks in the same way over its own claims; this is the system with its own extraction.)
//
// Faithful: names keep only letters a to z and digits, so that all Chinese names are the same empty name; a synonym's weight replaces the weight of facts about
// the same two things; and a walk that cannot start crashes (here the passages are ranked by cosine). Fixed: names keep letters of any script, and weights add
// up. It has no notion of time and forgets nothing.
func HippoRAG() memory.Spec {
	return modal("hipporag", "passages ranked by a walk from the facts nearest to the question (HippoRAG 2)",
		HippoOptions{Facts: 5, Passage: 0.05, Damping: 0.5}, func(d memory.Deps, o HippoOptions) (memory.System, error) {
			if o.Damping <= 0 || o.Damping >= 1 {
				return nil, fmt.Errorf("damping %g: want more than 0 and less than 1", o.Damping)
			}
			d.Embed = embedder(d)
			o.Synonym = gate(o.Synonym, d.Embed, 0.8, 0.8)
			caps := ranked(native.Pair, 1)
			caps.Calls.EmbedPerUnit.Max = many                                                                                                                     // its things and facts
			asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(2), LLMPerQuery: memory.Span{Max: 1}}, op.PurposeThings, op.PurposeRelations, op.PurposeFilter) // without facts the model has no choice to make
			return native.New(native.Options{Name: "hipporag", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
				return &hippo{o: o, d: d, scope: scope, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed})}}
			}}), nil
		})
}

type hippo struct {
	list
	o        HippoOptions
	d        memory.Deps
	scope    string
	things   lexicon // tied to passages
	facts    lexicon // by text, tied to passages
	triples  []hippoFact
	passages [][]int       // things by passage
	synonyms []recall.Link // of things
	links    []recall.Link // of all; nil: to be made
}

type hippoFact struct {
	triple   [3]string
	from, to int // things
}

// plain returns the form in which names are compared.
func (p *hippo) plain(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		if r == ' ' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) || p.o.Mode == native.Fixed && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return ' '
	}, s))
}

// factText returns the text of a fact for embedding: the published code writes a tuple.
func factText(t [3]string) string { return "('" + t[0] + "', '" + t[1] + "', '" + t[2] + "')" }

func (p *hippo) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := op.Begin(ctx, p.d, r)
	triples := w.Relations(w.Things(o.Text), o.Text, o.Turns)
	var facts [][3]string
	var ends, said []string
	for _, t := range triples {
		f := [3]string{p.plain(t.Subject), p.plain(strings.ReplaceAll(t.Relation, "_", " ")), p.plain(t.Object)}
		if p.o.Mode == native.Fixed && (f[0] == "" || f[2] == "") || slices.Contains(facts, f) {
			continue
		}
		facts, ends, said = append(facts, f), append(ends, f[0], f[2]), append(said, factText(f))
	}
	ends, said = p.things.unknown(ends, strings.Clone), p.facts.unknown(said, strings.Clone)
	vecs := map[string][]float32{}
	if w.Vectors(vecs, slices.Concat([]string{o.Text}, ends, said)...); w.Err != nil {
		return w.Err
	}
	for _, name := range ends {
		p.thing(name, vecs[name])
	}
	for _, text := range said {
		p.facts.add(text, vecs[text])
	}
	pos := p.st.Add(o.Record(o.Kind()), vecs[o.Text], r)
	p.passages = append(p.passages, nil)
	for _, f := range facts {
		at, x := p.facts.at[factText(f)], hippoFact{f, p.things.at[f[0]], p.things.at[f[2]]}
		if at == len(p.triples) {
			p.triples = append(p.triples, x)
		}
		p.facts.tie(at, pos)
		for _, e := range []int{x.from, x.to} {
			if !slices.Contains(p.passages[pos], e) {
				p.passages[pos] = append(p.passages[pos], e)
				p.things.tie(e, pos)
			}
		}
	}
	p.links = nil
	return nil
}

// thing adds a thing, tied to the names that are near to its own.
func (p *hippo) thing(name string, v []float32) {
	for _, c := range p.things.near(v, 0, p.o.Synonym) {
		for _, of := range []string{name, p.things.names[c.Pos]} { // once for each that is long enough to have synonyms
			if p.long(of) {
				p.synonyms = append(p.synonyms, recall.Link{A: c.Pos, B: len(p.things.names), Weight: c.Score})
			}
		}
	}
	p.things.add(name, v)
}

func (p *hippo) long(name string) bool {
	n := 0
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
			if r >= 0x80 && p.o.Mode == native.Fixed {
				n++ // a character has more meaning than a letter
			}
		}
	}
	return n > 2
}

// network ties passages, which come first, to things, and things to each other.
func (p *hippo) network() []recall.Link {
	if p.links != nil {
		return p.links
	}
	n := p.st.Len()
	between := map[[2]int]float64{}
	for i, f := range p.triples {
		if f.from != f.to {
			between[[2]int{min(f.from, f.to), max(f.from, f.to)}] += 2 * float64(len(p.facts.of[i])) // there and back
		}
	}
	synonyms := map[[2]int]float64{}
	for _, s := range p.synonyms {
		synonyms[[2]int{s.A, s.B}] += s.Weight
	}
	for pair, w := range synonyms {
		if p.o.Mode == native.Faithful {
			between[pair] = w
		} else {
			between[pair] += w
		}
	}
	links := []recall.Link{}
	for _, pair := range slices.SortedFunc(maps.Keys(between), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		links = append(links, recall.Link{A: n + pair[0], B: n + pair[1], Weight: between[pair]})
	}
	for i, things := range p.passages {
		for _, e := range things {
			links = append(links, recall.Link{A: i, B: n + e, Weight: 1})
		}
	}
	p.links = links
	return links
}

func (p *hippo) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(ctx context.Context, s *recall.State, v []float32) error {
		dense := unitRange(p.st.Cosines(nil, v))
		facts, score, err := p.choose(ctx, s, v)
		if err != nil {
			return err
		}
		rankings := dense
		if start := p.start(facts, score); len(start) > 0 {
			n := p.st.Len()
			reset := make([]float64, n+len(p.things.names))
			for i, x := range dense {
				reset[i] = p.o.Passage * x
			}
			for e, x := range start {
				reset[n+e] = x
			}
			rankings = recall.PageRank(len(reset), p.network(), reset, p.o.Damping)[:n]
		}
		s.List = recall.Among(p.st.Len(), 0, func(i int) (float64, bool) { return rankings[i], s.Eligible(i) })
		return nil
	})}.Run(ctx, p.st, q)
}

// unitRange puts numbers on [0,1]; all 1 where they are equal, as published.
func unitRange(x []float64) []float64 {
	if len(x) == 0 {
		return x
	}
	lo, hi := slices.Min(x), slices.Max(x)
	out := make([]float64, len(x))
	for i, y := range x {
		out[i] = 1
		if hi > lo {
			out[i] = (y - lo) / (hi - lo)
		}
	}
	return out
}

// choose selects the facts nearest to the question, and of these the ones that the model finds useful; by rule those with at least half of the best score.
func (p *hippo) choose(ctx context.Context, s *recall.State, v []float32) ([]int, []float64, error) {
	if len(p.triples) == 0 {
		return nil, nil, nil
	}
	score := unitRange(p.facts.vecs.Dots(nil, v))
	near := recall.Among(len(score), p.o.Facts, func(i int) (float64, bool) { return score[i], true })
	var b strings.Builder
	b.WriteString(s.Query.Text + "\n\nFACTS\n")
	for i, c := range near {
		t := p.triples[c.Pos].triple
		fmt.Fprintf(&b, "%d. %s, %s, %s\n", i+1, t[0], t[1], t[2])
	}
	w := op.Begin(ctx, p.d, &s.Receipt)
	keep := op.Member(w, op.PurposeFilter, "keep", b.String(), func() (keep []int) {
		for i, c := range near {
			if c.Score >= 0.5*near[0].Score {
				keep = append(keep, i+1)
			}
		}
		return keep
	})
	var out []int
	for _, c := range op.Picked(keep, near) {
		out = append(out, c.Pos)
	}
	return out, score, w.Err
}

// start are the things that a walk starts from, with their weights: the mean of their
// facts' scores, by how many passages name them.
func (p *hippo) start(facts []int, score []float64) map[int]float64 {
	sum, n := map[int]float64{}, map[int]float64{}
	for _, f := range facts {
		for _, e := range []int{p.triples[f].from, p.triples[f].to} {
			sum[e] += score[f] / float64(max(1, len(p.things.of[e])))
			n[e]++
		}
	}
	for e := range sum {
		sum[e] = rank.Round6(sum[e]/n[e]*1e6) / 1e6 // as exact as the order of the sum allows
	}
	best := slices.SortedFunc(maps.Keys(sum), func(a, b int) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), a-b) })
	out := map[int]float64{}
	for _, e := range best[:min(p.o.Facts, len(best))] {
		if sum[e] > 0 {
			out[e] = sum[e]
		}
	}
	return out
}

// Records lists passages, and facts with the passages that state them.
func (p *hippo) Records() []store.Record {
	out := p.st.Records()
	for i, f := range p.triples {
		rec := p.st.On("fact", p.st.At(p.facts.of[i][0]), p.facts.of[i])
		rec.ID, rec.Text = store.ID(p.scope+":fact", i+1), strings.Join(f.triple[:], " -- ")
		out = append(out, rec)
	}
	return out
}

func (p *hippo) Clone() native.Policy {
	c := *p
	c.st, c.things, c.facts, c.triples = p.st.Clone(), p.things.clone(), p.facts.clone(), slices.Clone(p.triples)
	c.passages, c.synonyms, c.links = slices.Clone(p.passages), slices.Clone(p.synonyms), nil
	return &c
}
