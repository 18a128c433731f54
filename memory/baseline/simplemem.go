package baseline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/internal/timex"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/op"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// SimpleMemOptions of SimpleMem.
type SimpleMemOptions struct {
	ModeOptions
	Window     int `json:"window"`     // turns that are read at once
	Overlap    int `json:"overlap"`    // of them, those that the next window reads again
	Semantic   int `json:"semantic"`   // entries by meaning, for each search
	Keyword    int `json:"keyword"`    // entries by words
	Structured int `json:"structured"` // entries by persons, places, entities and times
	Rounds     int `json:"rounds"`     // rounds of checking whether the results suffice
}

// SimpleMem reads the dialogue by windows and writes entries: sentences that are alone,
// with keywords, persons, place, time and topic. Questions are planned, searched for in
// three ways, and what was found is looked at for what is missing. A session's end reads
// what waits.
//
// Faithful: what is found is in the order of the searches, unranked; persons, place,
// entities and time must all fit; a time that is asked for is not understood (published it
// is counted from the clock on the wall); entries repeat. Fixed: reciprocal ranks, any of
// the four fits, times count from when it is asked, an entry that is known is not stored.
func SimpleMem() memory.Spec {
	return modal("simplemem", "entries that stand alone, searched by meaning, words and fields (SimpleMem)",
		SimpleMemOptions{Window: 40, Overlap: 2, Semantic: 25, Keyword: 5, Structured: 5, Rounds: 2}, newSimpleMem)
}

func newSimpleMem(d memory.Deps, o SimpleMemOptions) (memory.System, error) {
	if o.Window <= o.Overlap || o.Overlap < 0 {
		return nil, fmt.Errorf("window %d, overlap %d: want a window that is larger than the overlap", o.Window, o.Overlap)
	}
	d.Embed = embedder(d)
	caps := memory.Capabilities{Unit: "fact", Retrieval: memory.RetrievalRanked,
		Calls: &memory.Calls{EmbedPerUnit: memory.Span{Max: many}, EmbedPerSession: memory.Span{Max: many}, EmbedPerQuery: memory.Span{Min: 1, Max: 4 * (1 + o.Rounds)}}}
	least := min(1, o.Keyword+o.Structured) + min(1, o.Rounds)
	asks(&caps, d, memory.Calls{LLMPerUnit: memory.Span{Max: 1}, LLMPerSession: memory.Span{Max: 1}, LLMPerQuery: memory.Span{Min: 2 + least, Max: 2 + min(1, o.Keyword+o.Structured) + 2*o.Rounds}}, op.PurposeEntries, op.PurposeNeeds, op.PurposeQueries, op.PurposeAnalyse, op.PurposeEnough)
	return native.New(native.Options{Name: "simplemem", Version: version, Mode: o.Mode, Config: o, Deps: d, Caps: caps, New: func(scope string) native.Policy {
		return &simple{o: o, d: d, list: list{st: store.New(store.Options{Scope: scope, Embed: d.Embed, Words: &store.Words{}})}, known: map[string]bool{}}
	}}), nil
}

// An entry is a self-contained sentence, with its keywords and subjects.
type entry struct {
	Text     string   `json:"text"`
	Keywords []string `json:"keywords"`
	Time     string   `json:"time"`
	Place    string   `json:"place"`
	Persons  []string `json:"persons"`
	Entities []string `json:"entities"`
	Topic    string   `json:"topic"`
	Turns    []int    `json:"turns"` // that it comes from, from 1
}

type simple struct {
	list
	o       SimpleMemOptions
	d       memory.Deps
	entries []entry // by position
	buffer  []native.Observation
	read    int // of the buffer, read already
	before  []string
	known   map[string]bool
}

func (p *simple) Store(ctx context.Context, o native.Observation, r *memory.Receipt) error {
	buffer := append(slices.Clip(p.buffer), o)
	if len(buffer) < p.o.Window {
		p.buffer = buffer
		return nil
	}
	if err := p.window(ctx, buffer, r); err != nil {
		return err
	}
	p.buffer = slices.Clone(buffer[len(buffer)-p.o.Overlap:])
	p.read = p.o.Overlap
	return nil
}

// EndSession reads the waiting turns.
func (p *simple) EndSession(ctx context.Context, _ string, r *memory.Receipt) error {
	if len(p.buffer) > p.read {
		if err := p.window(ctx, p.buffer, r); err != nil {
			return err
		}
	}
	p.buffer, p.read = nil, 0
	return nil
}

// window makes entries of turns.
func (p *simple) window(ctx context.Context, turns []native.Observation, r *memory.Receipt) error {
	prompt := ""
	if len(p.before) > 0 {
		prompt = "WRITTEN BEFORE\n" + strings.Join(p.before, "\n") + "\n\n"
	}
	w := op.Begin(ctx, p.d, r)
	got := op.Member(w, op.PurposeEntries, "entries", prompt+"TURNS\n"+numbered(turns), func() []entry { return ruleEntries(turns[p.read:], p.read) })
	fresh := map[string]bool{}
	got = slices.DeleteFunc(got, func(e entry) bool {
		key := textnorm.Key(e.Text)
		repeated := p.o.Mode == native.Fixed && (p.known[key] || fresh[key])
		fresh[key] = true
		return repeated || key == ""
	})
	said := texts(got, func(e entry) string { return e.Text })
	vecs := w.Embed(said...)
	if w.Err != nil {
		return w.Err
	}
	for i, e := range got {
		p.st.Add(recordOf(turns, e), vecs[i], r)
		p.entries = append(p.entries, e)
		p.known[textnorm.Key(e.Text)] = true
	}
	p.before = said[:min(3, len(said))]
	return nil
}

// recordOf makes a record of an entry: from the turns that it names, or from the one that shares most with it, or from all.
func recordOf(turns []native.Observation, e entry) store.Record {
	all := make([]int, len(turns))
	for i := range turns {
		all[i] = i
	}
	from := op.Picked(e.Turns, all)
	if len(from) == 0 {
		if from = all; len(turns) > 1 {
			if i := op.Closest(e.Text, len(turns), func(i int) string { return turns[i].Text }); i >= 0 {
				from = []int{i}
			}
		}
	}
	rec := turns[from[0]].Made("fact", e.Text)
	for _, i := range from[1:] {
		rec.Sources = memory.Union(rec.Sources, turns[i].Sources)
		rec.Attachments = append(slices.Clip(rec.Attachments), turns[i].Attachments...)
	}
	if _, ok := schema.ParseInstant(e.Time); ok {
		rec.Time = e.Time
	}
	return rec
}

// numbered are observations as a model reads them: a number and a time before each.
func numbered(turns []native.Observation) string {
	var b strings.Builder
	for i, t := range turns {
		fmt.Fprintf(&b, "%d. [%s] %s\n", i+1, t.Time, t.Text)
	}
	return b.String()
}

// ruleEntries are the sentences that state something, with the names in them. first is
// the number of the first turn less one.
func ruleEntries(turns []native.Observation, first int) (out []entry) {
	var all []schema.Turn
	for _, o := range turns {
		all = append(all, o.Turns...)
	}
	for _, f := range op.CaptionedFacts(all) {
		t := all[f.Turns[0]]
		e := entry{Text: turns[f.Turns[0]].Speaker + ": " + f.Text, Keywords: op.Keywords(f.Text, 5, nil), Time: t.Time, Persons: []string{turns[f.Turns[0]].Speaker}, Entities: op.Entities(f.Text)}
		for _, i := range f.Turns {
			e.Turns = append(e.Turns, first+i+1)
		}
		out = append(out, e)
	}
	return out
}

func (p *simple) Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	return recall.Pipeline{p.find}.Run(ctx, p.st, q)
}

// queries asks for search queries for the needed information.
func queries(w *op.Work, question string, needs []string, rule func() []string) []string {
	return w.Lines(op.PurposeQueries, question+"\n\nNEEDED\n"+strings.Join(needs, "\n"), 4, rule)
}

func (p *simple) find(ctx context.Context, s *recall.State) error {
	question := s.Query.Text
	w := op.Begin(ctx, p.d, &s.Receipt)
	needs := w.Lines(op.PurposeNeeds, question, 4, func() []string { return nil })
	texts := queries(w, question, needs, func() []string { return append([]string{question}, op.RulePlan(question).Parts...) })
	if !slices.Contains(texts, question) {
		texts = append([]string{question}, texts[:min(3, len(texts))]...)
	}
	var lists [][]recall.Scored
	for round := 0; w.Err == nil && len(texts) > 0; round++ {
		for _, text := range texts[:min(4, len(texts))] {
			l, err := s.ByMeaning(ctx, text, p.o.Semantic)
			if err != nil {
				return err
			}
			lists = append(lists, l)
		}
		if round == 0 && (p.o.Keyword > 0 || p.o.Structured > 0) {
			a := op.JSON(w, op.PurposeAnalyse, question, nil, func() entry { // things named in the question
				return entry{Keywords: op.Keywords(question, 5, nil), Persons: op.Entities(question), Time: question}
			})
			lists = append(lists, s.ByWords(cmp.Or(strings.Join(a.Keywords, " "), question), max(1, p.o.Keyword)), p.structured(s, a))
		}
		if round == p.o.Rounds {
			break
		}
		texts = p.missing(w, question, lists)
	}
	s.List = p.together(lists)
	return w.Err
}

func (p *simple) together(lists [][]recall.Scored) []recall.Scored {
	if p.o.Mode == native.Faithful {
		return recall.Ordered(lists...)
	}
	return recall.Fused(60, lists...)
}

// missing returns queries for missing information; none if the results suffice, or if there is no model to decide.
func (p *simple) missing(w *op.Work, question string, lists [][]recall.Scored) []string {
	var b strings.Builder
	b.WriteString(question + "\n\nFOUND\n")
	for _, c := range p.together(lists) {
		b.WriteString("- " + p.st.At(c.Pos).Text + "\n")
	}
	type answer struct {
		Enough  bool     `json:"enough"`
		Missing []string `json:"missing"`
	}
	a := op.JSON(w, op.PurposeEnough, b.String(), nil, func() answer { return answer{Enough: true} })
	if a.Enough {
		return nil
	}
	return queries(w, question, a.Missing, func() []string { return nil })
}

// structured finds entries by their fields: all that are asked for must fit (faithful),
// or any.
func (p *simple) structured(s *recall.State, a entry) []recall.Scored {
	among := func(want, have []string) bool {
		return slices.ContainsFunc(have, func(x string) bool {
			return slices.ContainsFunc(want, func(w string) bool { return strings.EqualFold(w, x) })
		})
	}
	lo, hi, dated := daysIn(a.Time, s.Query.AsOf)
	dated = dated && p.o.Mode == native.Fixed
	return s.Matching(p.o.Structured, func(pos int, r *store.Record) bool {
		asked, fits := 0, 0
		field := func(wanted bool, fit func() bool) {
			if wanted {
				asked++
				if fit() {
					fits++
				}
			}
		}
		e := &p.entries[pos]
		field(len(a.Persons) > 0, func() bool { return among(a.Persons, e.Persons) })
		field(len(a.Entities) > 0, func() bool { return among(a.Entities, e.Entities) })
		field(a.Place != "", func() bool { return strings.Contains(strings.ToLower(e.Place), strings.ToLower(a.Place)) })
		field(dated, func() bool {
			t, ok := schema.ParseTime(r.Time, nil)
			return ok && t.Format("2006-01-02") >= lo && t.Format("2006-01-02") <= hi
		})
		return fits > 0 && (fits == asked || p.o.Mode == native.Fixed)
	})
}

// daysIn returns the days that a text names, counted from asOf for "last week".
func daysIn(text, asOf string) (lo, hi string, ok bool) {
	at, known := schema.ParseTime(asOf, nil)
	year := 0
	if known {
		year = at.Year()
	}
	for _, e := range timex.Find(text, year) {
		if known {
			e = e.At(timex.Date(at.Year(), int(at.Month()), at.Day()))
		}
		if e.Kind == timex.Absolute && !e.NoYear && !e.Open {
			return e.Lo.String(), e.Hi.String(), true
		}
	}
	return "", "", false
}

func (p *simple) Clone() native.Policy {
	c := *p
	c.st, c.entries, c.buffer, c.known = p.st.Clone(), slices.Clone(p.entries), slices.Clone(p.buffer), maps.Clone(p.known)
	return &c
}
