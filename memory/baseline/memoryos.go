package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// MOSOptions of MemoryOS.
type MOSOptions struct {
	ModeOptions
	Short     int     `json:"short"`      // exchanges in the short-term memory
	Segments  int     `json:"segments"`   // of the mid-term memory, at most
	Knowledge int     `json:"knowledge"`  // entries of each knowledge, at most
	Queue     int     `json:"queue"`      // pages shown for a question
	Heat      float64 `json:"heat"`       // from which a segment makes profile and knowledge
	Similar   float64 `json:"similar"`    // minimum similarity at which a page joins a segment; 0: 0.6, or the hashing embedder's
	Near      float64 `json:"near"`       // least score of a segment, and least cosine of a page; 0: 0.1
	KnowNear  float64 `json:"know_near"`  // least cosine of knowledge
	KnowTop   int     `json:"know_top"`   // knowledge of each kind, for a question
	Continues float64 `json:"continues"`  // by rule: cosine from which a page continues from the last; 0: of the embedder
	MetaWords int     `json:"meta_words"` // by rule: of a chain's overview
}

// Tiers of MemoryOS, from hot to cold.
const (
	tierShort = "short"
	tierMid   = "mid"
	tierLong  = "long"
)

// MemoryOS stores the last exchanges verbatim, older ones as pages of segments by theme, and for segments that are hot a profile of the user and knowledge.
//
// In the published system, a question visits segments, which makes them hot; here each question starts from the memory as the dialogue left it.
//
// Faithful: recency uses the current time, so it is always 1; the profile is replaced even if content is lost; knowledge repeats. Fixed: recency uses the
// dialogue's time, a profile with less than half of the old one's content does not replace it, and known knowledge is not stored again. In both, a page is
// found once although it is in each segment of its themes, and an exchange with an empty side is kept (in the published system it is lost).
func MemoryOS() memory.Spec {
	return modal("memoryos", "short-term queue, pages in segments by theme, profile and knowledge (MemoryOS)",
		MOSOptions{Short: 10, Segments: 2000, Knowledge: 100, Queue: 7, Heat: 5, KnowNear: 0.01, KnowTop: 20, MetaWords: 40}, newMOS)
}

func newMOS(d memory.Deps, o MOSOptions) (memory.System, error) {
	if o.Short < 1 || o.Segments < 1 || o.Knowledge < 1 {
		return nil, fmt.Errorf("short %d, segments %d, knowledge %d: want 1 or more each", o.Short, o.Segments, o.Knowledge)
	}
	d.Embed = embedder(d)
	o.Similar, o.Near, o.Continues = gate(o.Similar, d.Embed, 0.6, hashUpdate), gate(o.Near, d.Embed, 0.1, 0.1), gate(o.Continues, d.Embed, 0.6, hashEdge)
	caps := memory.Capabilities{Unit: native.Pair, Retrieval: memory.RetrievalRanked, Stateful: true, Colder: []string{tierShort, tierMid, tierLong},
		Calls: &memory.Calls{EmbedPerUnit: memory.Span{Max: 2*o.Knowledge + 3}, EmbedPerQuery: memory.Exactly(1)}}
	gated(&caps, d.Embed)
	asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Max: 5}}, op.PurposeContinuity, op.PurposeMeta, op.PurposeThemes, op.PurposeProfile, op.PurposeKnowledge) // three for a page that leaves, two for a hot segment
	return native.New(native.Options{Name: "memoryos", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		of := func(kind string) *store.Linear {
			return store.New(store.Options{Scope: scope + kind, Embed: d.Embed})
		}
		return &mos{o: o, d: d, scope: scope, st: of(""), know: [2]*store.Linear{of(":uk"), of(":ak")}}
	}}), nil
}

// A page is an exchange that left the short-term memory, with its analysis.
type page struct {
	prev     int // position, -1 for none: a chain
	meta     string
	analysed bool
}

// A segment holds pages of a theme.
type segment struct {
	rec      store.Record // its summary
	vec      []float32
	keywords []string
	pages    []int
	length   int // pages since it was analysed
	visited  string
	heat     float64
}

// Recency of a segment by the hours since it was visited.
func recency(hours float64) float64 { return math.Exp(-hours / 24) }

// heat of a segment: visits, length and recency count alike.
func heat(visits, length int, recency float64) float64 {
	return float64(visits) + float64(length) + recency
}

type mos struct {
	o        MOSOptions
	d        memory.Deps
	scope    string
	st       *store.Linear // exchanges
	said     []exchange    // by position
	short    []int
	last     int    // the page that left last, plus 1
	pages    []page // by position
	segments []*segment
	made     int // segments ever made: for ids
	profile  store.Record
	know     [2]*store.Linear // of the user, and of the assistant: the oldest are removed
	now      string           // dialogue time
}

type exchange struct{ user, assistant string }

// text returns the text of an exchange for embedding.
func (e exchange) text() string { return "User: " + e.user + " Assistant: " + e.assistant }
func (e exchange) lines() string {
	return "User: " + e.user + "\nAssistant: " + e.assistant
}

// Store stores an exchange. Exchanges that leave the short-term memory, and segments that become hot, are processed step by step and permanently: an exchange
// that is repeated after an error continues where it stopped.
func (p *mos) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	p.now = o.Time
	user, assistant := op.Said(o.Turns)
	e := exchange{user, assistant}
	w := op.Begin(ctx, p.d, r)
	v := w.Embed(e.text())
	for w.Err == nil && len(p.short) >= p.o.Short {
		p.evict(w, p.short[0], r)
	}
	if p.analyse(w, r); w.Err != nil {
		return w.Err
	}
	rec := o.Record("page")
	rec.Tier = tierShort
	p.said, p.short, p.pages = append(p.said, e), append(p.short, p.st.Len()), append(p.pages, page{prev: -1})
	p.st.Add(rec, v[0], r)
	return nil
}

// evict makes a page of the oldest exchange, and puts it where its themes belong.
func (p *mos) evict(w *op.Work, pos int, r *memory.Receipt) {
	prev := p.last - 1
	e, before := p.said[pos], exchange{}
	if prev >= 0 {
		before = p.said[prev]
	}
	continuous := op.Member(w, op.PurposeContinuity, "continuous", "BEFORE\n"+before.lines()+"\n\nNOW\n"+e.lines(), func() bool { return prev >= 0 && p.goesOn(prev, pos) })
	pg, old := page{prev: -1}, ""
	if continuous && prev >= 0 {
		pg.prev, old = prev, p.pages[prev].meta
	}
	pg.meta = w.Summary(op.PurposeMeta, old, []string{e.lines()}, p.o.MetaWords, func() string { return op.RuleSummary(old, []string{e.user, e.assistant}, p.o.MetaWords) })
	themes := themesOf(w, e)
	vecs := w.Embed(texts(themes, func(t theme) string { return t.Content })...)
	if w.Err != nil {
		return
	}
	for i, t := range themes {
		p.file(pos, t, vecs[i], r)
	}
	for i := pg.prev; i >= 0; i = p.pages[i].prev { // the whole chain has the new overview
		p.pages[i].meta = pg.meta
	}
	p.pages[pos], p.last, p.short = pg, pos+1, p.short[1:]
	p.st.At(pos).Tier = tierMid
}

func (p *mos) goesOn(prev, pos int) bool {
	if recall.Dot(p.st.Vector(prev), p.st.Vector(pos)) >= p.o.Continues {
		return true
	}
	a, okA := schema.ParseTime(p.st.At(prev).Time, nil)
	b, okB := schema.ParseTime(p.st.At(pos).Time, nil)
	return okA && okB && math.Abs(b.Sub(a).Minutes()) < 30
}

type theme struct {
	Theme    string   `json:"theme"`
	Keywords []string `json:"keywords"`
	Content  string   `json:"content"`
}

// themesOf are one or two that an exchange is about.
func themesOf(w *op.Work, e exchange) []theme {
	type answer struct {
		Themes []theme `json:"themes"`
	}
	a := op.JSON(w, op.PurposeThemes, e.lines(), func(a answer) error {
		if len(a.Themes) == 0 {
			return errors.New("themes is empty")
		}
		return nil
	}, func() answer {
		said := []string{e.user, e.assistant}
		return answer{[]theme{{Keywords: op.Keywords(strings.Join(said, "\n"), 5, nil), Content: op.RuleSummary("", said, 60)}}}
	})
	out := a.Themes[:min(2, len(a.Themes))]
	for i := range out {
		if strings.TrimSpace(out[i].Content) == "" {
			out[i].Content = e.lines()
		}
	}
	return out
}

// file puts a page into the segment nearest to its theme, or into a new one; if there are too many segments, the oldest is removed: since questions use copies,
// none was visited more often.
func (p *mos) file(pos int, t theme, v []float32, r *memory.Receipt) {
	near := recall.Among(len(p.segments), 1, func(i int) (float64, bool) {
		x := recall.Dot(p.segments[i].vec, v) + op.Share(p.segments[i].keywords, t.Keywords)
		return x, x >= p.o.Similar
	})
	at := p.st.At(pos)
	if len(near) > 0 {
		best := p.segments[near[0].Pos]
		best.pages = append(best.pages, pos)
		best.length++
		best.visited = p.now
		best.rec.Sources, best.rec.Links = memory.Union(best.rec.Sources, at.Sources), append(best.rec.Links, at.ID)
		p.warm(best)
		return
	}
	s := &segment{rec: p.st.On("segment", at, []int{pos}), vec: v, keywords: t.Keywords, pages: []int{pos}, length: 1, visited: p.now}
	p.made++
	s.rec.ID, s.rec.Text, s.rec.Tier = store.ID(p.scope+":segment", p.made), t.Content, tierMid
	p.warm(s)
	p.segments = append(p.segments, s)
	r.Changes = append(r.Changes, memory.Change{Op: memory.OpAdd, ID: s.rec.ID, New: t.Content})
	if gone := p.segments[0].rec; len(p.segments) > p.o.Segments {
		r.Changes = append(r.Changes, memory.Change{Op: memory.OpDelete, ID: gone.ID, Old: gone.Text})
		p.segments = slices.Clone(p.segments[1:])
	}
}

func (p *mos) warm(s *segment) {
	r := 1.0
	if p.o.Mode == native.Fixed {
		r = recency(seconds(s.visited, p.now) / 3600)
	}
	s.heat = heat(0, s.length, r) // no visits: questions use copies
}

// Records lists exchanges, summaries of segments, knowledge and the profile.
func (p *mos) Records() []store.Record {
	out := slices.Concat(p.st.Records(), p.know[0].Records(), p.know[1].Records())
	for _, s := range p.segments {
		out = append(out, s.rec)
	}
	if p.profile.ID != "" {
		out = append(out, p.profile)
	}
	return out
}

func (p *mos) Clone() native.Policy {
	c := *p
	c.st, c.said, c.short, c.pages = p.st.Clone(), slices.Clip(p.said), slices.Clone(p.short), slices.Clone(p.pages)
	c.segments, c.know = slices.Clone(p.segments), [2]*store.Linear{p.know[0].Clone(), p.know[1].Clone()}
	for i, s := range p.segments {
		x := *s
		x.pages, x.rec.Links = slices.Clone(s.pages), slices.Clone(s.rec.Links)
		c.segments[i] = &x
	}
	return &c
}
