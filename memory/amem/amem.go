// Package amem is A-Mem: every observation becomes a note with keywords, tags and a
// sentence of context; a new note is linked to its neighbours, and may change what is
// written on them. amem is the paper's code (WujiangXu/AgenticMemory), amem-product the
// package that its authors offer (agiresearch/A-mem).
//
// amem, faithful: a note's content is not indexed, only its context and keywords, until
// every hundredth evolution indexes all again; neighbours that were changed are not
// embedded again; a hit's first linked note is given however many there are. Fixed:
// content is indexed from the start, changed neighbours are embedded again, hits are
// ordered by score and cut at k.
//
// amem-product indexes the content alone, searches with the question as it is, and asks
// nothing about the first note. Faithful: the model is never asked for keywords, tags
// and context; what it changes on the nearest notes is written on the oldest, which have
// the same numbers; links never resolve; a hit shows a note as it was when stored.
// Fixed: none of these.
//
// By rule keywords are rare words and names, the context is the first sentence, notes
// are linked when they are near and share a keyword, and neighbours are never changed:
// far less than the published system does, and named amem-rule for it.
package amem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/internal/sentence"
	"membench/internal/tokens"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// Options of the system.
type Options struct {
	Mode       string  `json:"mode"`       // fixed | faithful
	Neighbours int     `json:"neighbours"` // that a new note is compared with
	Reindex    int     `json:"reindex"`    // evolutions between two rebuilds of the index (faithful)
	Near       float64 `json:"near"`       // cosine from which the rule links; not calibrated
	Linked     float64 `json:"linked"`     // share of its score that a hit gives to the notes it links
}

// Spec is the system of the paper.
func Spec() memory.Spec {
	return define("amem", "notes with keywords and links that change each other (A-Mem)", false)
}

// ProductSpec is the system of the package that people install.
func ProductSpec() memory.Spec {
	return define("amem-product", "notes with keywords and links that change each other (A-Mem, the product's code)", true)
}

func define(name, doc string, product bool) memory.Spec {
	return memory.Define(name, doc, Options{Neighbours: 5, Reindex: 100, Near: 0.3, Linked: 0.9}, func(d memory.Deps, o Options) (memory.System, error) {
		var err error
		if o.Mode, err = native.CheckMode(o.Mode); err != nil {
			return nil, err
		}
		if d.Embed == nil {
			d.Embed = hashing.New(0)
		}
		calls := memory.Calls{LLMPerUnit: memory.Exactly(2), LLMPerQuery: memory.Exactly(1), EmbedPerUnit: memory.Exactly(2), EmbedPerQuery: memory.Exactly(1)}
		asked := []string{op.PurposeNote, op.PurposeEvolve, op.PurposeKeywords}
		switch {
		case product && o.Mode == native.Faithful:
			calls.LLMPerUnit, asked = memory.Span{Max: 1}, asked[1:2]
		case product:
			calls.LLMPerUnit.Min, asked = 1, asked[:2]
		case d.LLM != nil:
			calls.EmbedPerUnit.Max += o.Neighbours // changed neighbours; a rebuild (faithful) embeds all
		}
		if product {
			calls.LLMPerQuery, calls.EmbedPerUnit = memory.Span{}, memory.Exactly(1)
		}
		caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Calls: &calls}
		if d.LLM == nil {
			caps.ByRule, calls.LLMPerUnit, calls.LLMPerQuery = asked, memory.Span{}, memory.Span{}
		}
		return native.New(native.Options{Name: name, Version: "1", Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
			return &policy{o: o, d: d, product: product, st: store.New(store.Options{Scope: scope, Embed: d.Embed}), df: map[string]int{}}
		}}), nil
	})
}

// note is what is written on a record beside its content.
type note struct {
	content  string
	context  string
	keywords []string
	tags     []string
}

func (n note) clone() note {
	n.keywords, n.tags = slices.Clone(n.keywords), slices.Clone(n.tags)
	return n
}

// text is the note as a snapshot and a reader see it.
func (n note) text() string {
	var b strings.Builder
	b.WriteString(n.content)
	part := func(name, v string) {
		if v != "" {
			b.WriteString("\n" + name + ": " + v)
		}
	}
	part("context", n.context)
	part("keywords", strings.Join(n.keywords, ", "))
	part("tags", strings.Join(n.tags, ", "))
	return b.String()
}

// brief is what the published system embeds of a new note; whole is what it embeds at a
// rebuild.
func (n note) brief() string { return n.context + " keywords: " + strings.Join(n.keywords, ", ") }
func (n note) whole() string {
	return n.content + " , " + n.context + " " + strings.Join(n.keywords, " ") + " " + strings.Join(n.tags, " ")
}

type policy struct {
	o       Options
	d       memory.Deps
	product bool
	st      *store.Linear
	notes   []note // by position
	df      map[string]int
	evo     int
	told    []string // product, faithful: the notes as they were stored, by position
}

func (p *policy) faithful() bool { return p.o.Mode == native.Faithful }

func (p *policy) indexed(n note) string {
	if p.faithful() {
		return n.brief()
	}
	return n.whole()
}

// Store makes a note of o. All that can fail is done before anything is changed.
func (p *policy) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	w := op.Begin(ctx, p.d, r)
	n := note{content: o.Text, context: "General"}
	if !p.product || !p.faithful() {
		n = p.analyse(w, o)
	}
	vecs := w.Embed(o.Text)
	if w.Err != nil {
		return w.Err
	}
	near := recall.Nearest(p.st, vecs[0], p.o.Neighbours, nil)
	var e evolution
	if !p.product || len(near) > 0 {
		e = p.evolve(w, o, n, near)
	}
	if w.Err != nil {
		return w.Err
	}
	changed := map[int]note{}
	var links []schema.PointID
	if e.Should {
		if slices.Contains(e.Actions, "strengthen") {
			for _, i := range e.Connections {
				if i >= 0 && i < len(p.notes) && !slices.Contains(links, p.st.At(i).ID) && (!p.product || !p.faithful()) { // a number without a note is omitted; published, it crashes
					links = append(links, p.st.At(i).ID)
				}
			}
			if len(e.Tags) > 0 || p.faithful() {
				n.tags = e.Tags
			}
		}
		if slices.Contains(e.Actions, "update_neighbor") {
			for k, s := range near[:min(len(near), len(e.NewTags))] {
				pos := s.Pos
				if p.product && p.faithful() {
					pos = k
				}
				c := p.notes[pos].clone()
				c.tags = e.NewTags[k]
				if k < len(e.NewContext) && (p.faithful() || strings.TrimSpace(e.NewContext[k]) != "") {
					c.context = e.NewContext[k]
				}
				if c.text() != p.notes[pos].text() {
					changed[pos] = c
				}
			}
		}
	}
	texts := []string{p.indexed(n)}
	var again []int // positions to embed again, beside the new note
	rebuild := p.faithful() && e.Should && p.o.Reindex > 0 && (p.evo+1)%p.o.Reindex == 0
	for i := range p.notes {
		c, ok := changed[i]
		if !ok {
			c = p.notes[i]
		}
		if rebuild || ok && !p.faithful() {
			texts, again = append(texts, c.whole()), append(again, i)
		}
	}
	if rebuild {
		texts[0] = n.whole()
	}
	if !p.product { // there the content's vector stays
		if vecs = w.Embed(texts...); w.Err != nil {
			return w.Err
		}
		for k, i := range again {
			p.st.SetVector(i, vecs[k+1])
		}
	}
	for i := range p.notes {
		if c, ok := changed[i]; ok {
			old := p.notes[i].text()
			p.notes[i] = c
			p.st.At(i).Text = c.text()
			r.Changes = append(r.Changes, memory.Change{Op: memory.OpUpdate, ID: p.st.At(i).ID, Old: old, New: c.text()})
		}
	}
	if e.Should {
		p.evo++
	}
	rec := o.Made("note", n.text())
	rec.Links = links
	p.st.Add(rec, vecs[0], r)
	p.notes = append(p.notes, n)
	if p.product && p.faithful() {
		p.told = append(p.told, rec.Text)
	}
	for _, t := range slices.Compact(slices.Sorted(slices.Values(tokens.Terms(o.Text)))) {
		p.df[t]++
	}
	return nil
}

func (p *policy) analyse(w *op.Work, o native.Observation) note {
	type answer struct {
		Keywords []string `json:"keywords"`
		Context  string   `json:"context"`
		Tags     []string `json:"tags"`
	}
	a := op.JSON(w, op.PurposeNote, o.Text, func(a answer) error {
		if len(a.Keywords) == 0 && a.Context == "" {
			return errors.New("keywords and context are missing")
		}
		return nil
	}, func() answer { n := p.ruleNote(o); return answer{n.keywords, n.context, n.tags} })
	return note{o.Text, a.Context, a.Keywords, a.Tags}
}

func (p *policy) ruleNote(o native.Observation) note {
	n := note{content: o.Text, keywords: op.Keywords(o.Text, 5, p.df)}
	said := ""
	for _, t := range o.Turns {
		said += t.Text + "\n"
	}
	for _, s := range sentence.Split(said) {
		if t := strings.TrimSpace(s.Text); t != "" {
			words := strings.Fields(t)
			n.context = strings.Join(words[:min(20, len(words))], " ")
			break
		}
	}
	return n
}

// evolution is the answer to what a new note changes.
type evolution struct {
	Should      bool       `json:"should_evolve"`
	Actions     []string   `json:"actions"`
	Connections []int      `json:"suggested_connections"`
	Tags        []string   `json:"tags_to_update"`
	NewContext  []string   `json:"new_context_neighborhood"`
	NewTags     [][]string `json:"new_tags_neighborhood"`
}

func (p *policy) evolve(w *op.Work, o native.Observation, n note, near []recall.Scored) evolution {
	var b strings.Builder
	fmt.Fprintf(&b, "NEW\ntime: %s\n%s\n\nNEIGHBOURS (%d)\n", o.Time, n.text(), len(near))
	for _, s := range near {
		fmt.Fprintf(&b, "[%d] time: %s\n%s\n", s.Pos, p.st.At(s.Pos).Time, p.notes[s.Pos].text())
	}
	return op.JSON(w, op.PurposeEvolve, b.String(), nil, func() evolution { return p.ruleEvolve(n, near) })
}

func (p *policy) ruleEvolve(n note, near []recall.Scored) evolution {
	e := evolution{Actions: []string{"strengthen"}}
	for _, s := range near {
		if s.Score >= p.o.Near && slices.ContainsFunc(n.keywords, func(k string) bool {
			return slices.ContainsFunc(p.notes[s.Pos].keywords, func(m string) bool { return strings.EqualFold(k, m) })
		}) {
			e.Should, e.Connections = true, append(e.Connections, s.Pos)
		}
	}
	return e
}

// Recall searches with keywords made of the question, which needs the model; by rule
// with the question itself. Linked notes follow.
func (p *policy) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	if p.st.Len() == 0 {
		return out, nil
	}
	var r memory.Receipt
	w := op.Begin(ctx, p.d, &r)
	words := []string{q.Text}
	if !p.product {
		words = w.Lines(op.PurposeKeywords, q.Text, 10, func() []string { return words })
	}
	v := w.Embed(strings.Join(words, ", "))
	out.Usage, out.Degraded = r.Usage, r.Degraded
	if w.Err != nil {
		return out, w.Err
	}
	s := &recall.State{Query: q, Store: p.st}
	list := p.linked(s, recall.Nearest(p.st, v[0], q.K, s.Eligible))
	for _, h := range list[:min(q.K, len(list))] {
		hit := p.st.Hit(h.Pos, h.Score)
		if p.told != nil {
			hit.Text = p.told[h.Pos]
		}
		out.Hits = append(out.Hits, hit)
	}
	return out, nil
}

// linked adds the notes that hits link. Fixed: by score, a linked note at a share of its
// best hit's. Faithful: behind their hit, no more than k and one of them in all but one for
// each hit; scores are then 1/(1+rank), for the order is not that of the cosines. The
// product, faithful: none.
func (p *policy) linked(s *recall.State, hits []recall.Scored) []recall.Scored {
	if p.faithful() && p.product {
		return hits
	}
	if p.faithful() {
		var out []recall.Scored
		seen := map[int]bool{}
		extra := 0
		add := func(pos int) {
			if !seen[pos] {
				seen[pos] = true
				out = append(out, recall.Scored{Pos: pos, Score: 1 / float64(1+len(out))})
			}
		}
		for _, h := range hits {
			add(h.Pos)
			for _, id := range p.st.At(h.Pos).Links {
				if i, ok := p.st.Find(id); ok && s.Eligible(i) {
					add(i)
					if extra >= s.Query.K {
						break
					}
					extra++
				}
			}
		}
		return out
	}
	best := map[int]float64{}
	for _, h := range hits {
		best[h.Pos] = max(best[h.Pos], h.Score)
	}
	for _, h := range hits {
		for _, id := range p.st.At(h.Pos).Links {
			if i, ok := p.st.Find(id); ok && s.Eligible(i) && h.Score > 0 {
				if v, has := best[i]; !has || v < h.Score*p.o.Linked {
					best[i] = h.Score * p.o.Linked
				}
			}
		}
	}
	return recall.Best(best)
}

// Records lists the notes.
func (p *policy) Records() []store.Record { return p.st.Records() }

// Clone copies the memory.
func (p *policy) Clone() native.Policy {
	c := *p
	c.st, c.notes, c.df, c.told = p.st.Clone(), make([]note, len(p.notes)), maps.Clone(p.df), slices.Clone(p.told)
	for i, n := range p.notes {
		c.notes[i] = n.clone()
	}
	return &c
}
