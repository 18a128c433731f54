package baseline

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Mem0V2Options of Mem0's second generation.
type Mem0V2Options struct {
	ModeOptions
	Plain     bool    `json:"plain"`     // without words and entities, as pip installs it: they need extras
	Existing  int     `json:"existing"`  // known facts that the model is shown, and that a new one is compared with
	Threshold float64 `json:"threshold"` // least cosine of a hit
}

// Mem0V2 only adds: one call extracts facts from an exchange, verbatim repetitions are skipped, names are linked to facts, and the score of a hit adds cosine,
// words and names.
//
// Faithful: repetitions are detected only among the ten nearest facts, only facts found by cosine can be hits, and the sum is divided by the best possible
// score for this question, so that scores of two questions are not comparable. Fixed: repetitions are detected among all facts, words and names add candidates,
// the divisor is constant, and links that the model names are kept. In both, a new fact never ends an old one.
func Mem0V2() memory.Spec {
	return modal("mem0-v2", "facts that are only added, searched by cosine, words and names (Mem0 2.x)", Mem0V2Options{Existing: 10, Threshold: 0.1}, func(d memory.Deps, o Mem0V2Options) (memory.System, error) {
		d.Embed = embedder(d)
		caps := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked, Calls: &memory.Calls{EmbedPerUnit: memory.Span{Min: 1, Max: many}, EmbedPerQuery: memory.Span{Min: 1, Max: 1 + queryNames}}}
		asks(&caps, d, memory.Calls{LLMPerUnit: memory.Exactly(1)}, op.PurposeAdditive)
		return native.New(native.Options{Name: "mem0-v2", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, Pairs: true, New: func(scope string) native.Policy {
			return &m2{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed, Words: &store.Words{}})}, names: map[string]int{}, hashes: map[string]bool{}}
		}}), nil
	})
}

const (
	queryNames = 8    // of a question, that are looked up
	sameName   = 0.95 // cosine from which two names are one
	nearName   = 0.5  // cosine from which a name of the question counts
	nameWeight = 0.5
)

type m2 struct {
	list
	o      Mem0V2Options
	d      memory.Deps
	things lexicon        // by normalised name
	names  map[string]int // things by each of their names, normalised
	hashes map[string]bool
	last   []string // lines, for the next exchange's context
}

type added struct {
	Text   string `json:"text"`
	By     string `json:"attributed_to"`
	Linked []int  `json:"linked"` // numbers of known facts
}

func (p *m2) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	lines := texts(op.Captioned(o.Turns), func(t schema.Turn) string { return t.Role + ": " + t.Text })
	whole := strings.Join(lines, "\n") + "\n"
	w := op.Begin(ctx, p.d, r)
	v := w.Embed(whole)
	if w.Err != nil {
		return w.Err
	}
	use := p.st.Eligible(o.Batch.UserID, o.Batch.AgentID)
	near := recall.Nearest(p.st, v[0], p.o.Existing, func(pos int) bool { return use[pos] })
	facts := op.Member(w, op.PurposeAdditive, "memory", p.prompt(whole, near), func() (out []added) {
		for _, f := range op.CaptionedFacts(o.Turns) {
			out = append(out, added{Text: f.Text, By: f.Role})
		}
		return out
	})
	fresh := p.fresh(facts, near, o)
	var said []string
	for _, f := range fresh {
		said = append(said, f.Text)
		for _, n := range op.Entities(f.Text) {
			if _, known := p.names[textnorm.Key(n)]; !known && !p.o.Plain {
				said = append(said, n)
			}
		}
	}
	vecs := map[string][]float32{}
	if w.Vectors(vecs, said...); w.Err != nil {
		return w.Err
	}
	for _, f := range fresh {
		rec := p.record(o, f)
		if p.o.Mode == native.Fixed {
			for _, n := range f.Linked {
				if n >= 0 && n < len(near) {
					rec.Links = append(rec.Links, p.st.At(near[n].Pos).ID)
				}
			}
		}
		pos := p.st.Add(rec, vecs[f.Text], r)
		p.hashes[owned(o, f.Text)] = true
		if !p.o.Plain {
			p.link(pos, op.Entities(f.Text), vecs)
		}
	}
	p.last = append(slices.Clone(p.last), lines...)
	p.last = p.last[max(0, len(p.last)-10):]
	return nil
}

// owned is a text with whom it belongs to.
func owned(o native.Observation, text string) string {
	return o.Batch.UserID + "\x00" + o.Batch.AgentID + "\x00" + schema.Hash(text)
}

// fresh are the facts that are not known word for word.
func (p *m2) fresh(facts []added, near []recall.Scored, o native.Observation) (out []added) {
	known := map[string]bool{}
	for _, c := range near {
		known[owned(o, p.st.At(c.Pos).Text)] = true
	}
	for _, f := range facts {
		h := owned(o, f.Text)
		if f.Text == "" || known[h] || p.o.Mode == native.Fixed && p.hashes[h] {
			continue
		}
		known[h] = true
		out = append(out, f)
	}
	return out
}

// record makes a record of the turn that states the fact: of its speaker's turns the one that shares most.
func (p *m2) record(o native.Observation, f added) store.Record {
	rec := o.Made("fact", f.Text)
	rec.Role = f.By
	said := op.Captioned(o.Turns)
	if i := op.Closest(f.Text, len(said), func(i int) string { return said[i].Text }); i >= 0 {
		t := o.Turns[i]
		rec.Sources, rec.Attachments, rec.Role = t.Sources, t.Attachments, t.Role
	}
	return rec
}

func (p *m2) prompt(whole string, near []recall.Scored) string {
	var b strings.Builder
	b.WriteString("KNOWN\n")
	for i, c := range near {
		fmt.Fprintf(&b, "%d: %s\n", i, p.st.At(c.Pos).Text)
	}
	b.WriteString("\nBEFORE\n")
	for _, l := range p.last {
		b.WriteString(textnorm.Cut(l, 300) + "\n")
	}
	return b.String() + "\nNEW\n" + whole
}

// link ties a fact to the things that it names: known by name, or by an almost equal vector, or new.
func (p *m2) link(pos int, entities []string, vecs map[string][]float32) {
	for _, n := range entities {
		key := textnorm.Key(n)
		at, ok := p.names[key]
		if !ok {
			best := recall.Scored{Pos: -1}
			for _, c := range p.things.near(vecs[n], 0, sameName) {
				if best.Pos < 0 || c.Score >= best.Score {
					best = c
				}
			}
			if at = best.Pos; at < 0 {
				at = p.things.add(key, vecs[n])
			}
			p.names[key] = at
		}
		p.things.tie(at, pos)
	}
}

// bm25Sigmoid puts a BM25 score on [0,1]; the middle rises with the question's terms.
func bm25Sigmoid(raw float64, terms int) float64 {
	m, s := 12.0, 0.5
	switch {
	case terms <= 3:
		m, s = 5, 0.7
	case terms <= 6:
		m, s = 7, 0.6
	case terms <= 9:
		m, s = 9, 0.5
	case terms <= 15:
		m, s = 10, 0.5
	}
	return 1 / (1 + math.Exp(-s*(raw-m)))
}

// nameBoost is the score that a name adds to each of its n facts.
func nameBoost(cos float64, n int) float64 {
	return cos * nameWeight / (1 + 0.001*float64((n-1)*(n-1)))
}

func (p *m2) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{recall.Toward(func(ctx context.Context, s *recall.State, v []float32) (err error) {
		depth := max(4*q.K, 60)
		sem := map[int]float64{}
		for _, c := range recall.Nearest(p.st, v, depth, s.Eligible) {
			sem[c.Pos] = c.Score
		}
		words, boost := map[int]float64{}, map[int]float64{}
		if !p.o.Plain {
			terms := len(tokens.Terms(q.Text))
			for _, c := range s.ByWords(q.Text, depth) {
				words[c.Pos] = bm25Sigmoid(c.Score, terms)
			}
			if boost, err = p.boosts(ctx, s); err != nil {
				return err
			}
		}
		if p.o.Mode == native.Fixed {
			all := p.st.Cosines(nil, v)
			for _, m := range []map[int]float64{words, boost} {
				for pos := range m {
					if _, ok := sem[pos]; !ok && s.Eligible(pos) {
						sem[pos] = all[pos]
					}
				}
			}
		}
		score := map[int]float64{}
		for pos, x := range sem {
			if x >= p.o.Threshold || p.o.Mode == native.Fixed && words[pos]+boost[pos] > 0 {
				score[pos] = rank.Round6(combine(x, words[pos], boost[pos], p.divisor(words, boost)))
			}
		}
		s.List = recall.Best(score)
		return nil
	})}.Run(ctx, p.st, q)
}

func combine(sem, words, boost, divisor float64) float64 {
	return min(1, (sem+words+boost)/divisor)
}

// divisor is the most that a fact could reach: of this question as published, of any.
func (p *m2) divisor(words, boost map[int]float64) float64 {
	m := 1.0
	if len(words) > 0 || p.o.Mode == native.Fixed && !p.o.Plain {
		m++
	}
	if len(boost) > 0 || p.o.Mode == native.Fixed && !p.o.Plain {
		m += nameWeight
	}
	return m
}

// boosts are the scores that the question's names add to the facts that name them.
func (p *m2) boosts(ctx context.Context, s *recall.State) (map[int]float64, error) {
	out := map[int]float64{}
	names := op.Entities(s.Query.Text)
	names = names[:min(queryNames, len(names))]
	vecs, err := store.Many(ctx, p.d.Embed, &s.Usage, names)
	if err != nil {
		return nil, err
	}
	for _, v := range vecs {
		for _, c := range p.things.near(v, 0, nearName) {
			for _, pos := range p.things.of[c.Pos] {
				out[pos] = max(out[pos], nameBoost(c.Score, len(p.things.of[c.Pos])))
			}
		}
	}
	return out, nil
}

func (p *m2) Clone() native.Policy {
	c := *p
	c.st, c.things, c.names, c.hashes = p.st.Clone(), p.things.clone(), maps.Clone(p.names), maps.Clone(p.hashes)
	return &c
}
