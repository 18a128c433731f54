// Package probes makes evaluation cases from a graph: questions with known answers, since the graph records their sources.
//
// A case is a conversation of the graph (or all conversations of one user) with its
// turns as they are in the Event nodes, and questions of every type in Types. Each
// question has its gold answer, the turns that prove it (and in meta their event ids
// and source lines), distractors from near by, a difficulty, and the query that
// proves the answer, as Cypher and for Proof.Rows.
//
// What a graph offers is drawn in an order that the seed gives, in equal shares of the
// types. A draft is rejected where the graph or the text knows a second answer, where
// the question gives the answer away, where an object is not a name or is not in the
// words of its turn; all of it is counted in Stats by type and reason. Every gold is
// held against the text of the turns, not only against the graph: an extractor that
// read a turn wrongly makes no case.
package probes

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"membench/graph"
	"membench/llm"
	"membench/schema"
	"membench/schema/catalog"
)

// A Type of question; it is the question's raw_category.
type Type string

const (
	SingleFact     Type = "single-fact"     // one fact of one turn
	TwoHop         Type = "two-hop"         // two turns, joined by a thing or a sitting
	ThreeHop       Type = "three-hop"       // three turns
	Reply          Type = "reply"           // what one person asked another, answered by the next turn
	Date           Type = "date"            // when
	Order          Type = "order"           // which first
	Interval       Type = "interval"        // how many days between
	UpdateNew      Type = "update-new"      // what holds now, or since when
	UpdateOld      Type = "update-old"      // what held before
	Contradiction  Type = "contradiction"   // what was said against what
	Count          Type = "count"           // how many
	List           Type = "list"            // all of them
	WrongAttribute Type = "wrong-attribute" // right subject, an attribute never told
	WrongTime      Type = "wrong-time"      // right subject and thing, a day on which nothing was said of it
)

// Types lists them in the order of output.
func Types() []Type {
	return []Type{SingleFact, TwoHop, ThreeHop, Reply, Date, Order, Interval, UpdateNew, UpdateOld, Contradiction, Count, List, WrongAttribute, WrongTime}
}

var category = map[Type]string{
	SingleFact: schema.CatIE, Reply: schema.CatIE, TwoHop: schema.CatMR, ThreeHop: schema.CatMR, Date: schema.CatTR, Order: schema.CatTR, Interval: schema.CatTR,
	UpdateNew: schema.CatKU, UpdateOld: schema.CatKU, Contradiction: schema.CatCR, Count: schema.CatMR, List: schema.CatMR,
	WrongAttribute: schema.CatABS, WrongTime: schema.CatABS,
}

// Group says which conversations become one case.
type Group string

const (
	GroupUser         Group = "user"         // all of one user, where a conversation has one that the graph names
	GroupConversation Group = "conversation" // each alone
)

// Options of Generate; the zero value is what most want.
type Options struct {
	Catalog *catalog.Catalog // nil: the built-in one
	Words   [][]byte         // further wordings, in the form of words.yaml
	Types   []Type           // nil: all
	Count   int              // questions in all; 0: 200
	Seed    uint64           // moves what is drawn and which paraphrase is taken
	Group   Group            // "": GroupUser
	Dataset string           // the cases' dataset; "": probes
	// Structure names predicates that only tie things together (an alarm and its device):
	// nothing is asked about such facts alone, or along them.
	Structure []string
	Empty     bool // give conversations of which nothing is asked, too
	// Searched is the most that a string search for its content words may solve, as a
	// share of the questions; 0: a quarter, 1: all.
	Searched float64
	// Rephrase, where there is one, words questions again; see Kept.
	Rephrase llm.Generator
	Prompts  llm.Prompts
	Workers  int    // questions asked of the model at once; 0: 1
	Stats    *Stats // filled where not nil
}

// Stats counts what was drawn, by type.
type Stats struct {
	Types map[Type]*Tally `json:"types"`
	// Claims counts claims and turns of the graph that no case can use, by reason.
	Unusable  map[string]int `json:"unusable,omitempty"`
	Rephrased map[string]int `json:"rephrased,omitempty"` // "kept", or why the template stayed
	Searched  int            `json:"searched"`            // kept ones that a string search for their content words solves
}

// A Tally is drawn = kept + dropped.
type Tally struct {
	Offered int            `json:"offered"`              // patterns of the type that the graph has, at most a few per fact
	Passed  int            `json:"passed_over,omitzero"` // patterns that the text made unfit before they were offered
	Drawn   int            `json:"drawn"`
	Kept    int            `json:"kept"`
	Dropped map[string]int `json:"dropped,omitempty"` // by reason
}

// candidate is a pattern that the graph has; a question is made of it when it is drawn.
type candidate struct {
	typ    Type
	s      *scope
	f      [3]*fact
	t      [3]*topic
	u      [2]*turn // reply: who asks, who answers
	name   string   // wrong-attribute: who; wrong-time: the day
	pred   string
	others []string // together: what was not said there
	key    uint64
}

// draft is a question that is not numbered yet.
type draft struct {
	q           schema.Question
	turns       []*turn
	proof       *Proof
	hops        int
	distractors []string
	choices     []string
	spelled     bool // the gold is in the words of the turns
	by          schema.By
	template    string
	zh          bool
}

// Generate makes the cases. Equal graphs and options give equal cases, byte for byte.
func Generate(ctx context.Context, g graph.Graph, o Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		cases, err := generate(ctx, g, o)
		if err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		schema.List(cases...)(yield)
	}
}

func (o *Options) defaults() {
	if o.Catalog == nil {
		o.Catalog = catalog.Default()
	}
	if o.Count <= 0 {
		o.Count = 200
	}
	o.Dataset, o.Searched = cmp.Or(o.Dataset, "probes"), cmp.Or(o.Searched, mostSearched)
	if o.Stats == nil {
		o.Stats = &Stats{}
	}
	*o.Stats = Stats{Types: map[Type]*Tally{}, Rephrased: map[string]int{}}
	if o.Types == nil {
		o.Types = Types()
	}
	for _, t := range o.Types {
		o.Stats.Types[t] = &Tally{Dropped: map[string]int{}}
	}
}

// maker draws candidates and makes questions of them.
type maker struct {
	ctx   context.Context
	o     Options
	w     *world
	g     graph.Graph
	asked map[string]bool // conversation and text of every question kept
	kept  map[*scope][]*draft
	names []string // of preds
	n     int      // kept
	late  []waiting
}

func generate(ctx context.Context, g graph.Graph, o Options) ([]schema.Case, error) {
	o.defaults()
	words, err := loadWords(o.Words...)
	if err != nil {
		return nil, err
	}
	w, err := readWorld(ctx, g, o, words)
	if err != nil {
		return nil, err
	}
	o.Stats.Unusable = w.lost
	m := &maker{ctx: ctx, o: o, w: w, g: g, asked: map[string]bool{}, kept: map[*scope][]*draft{}}
	m.names = sorted(o.Catalog.Predicates)
	pools := map[Type][]candidate{}
	for list, err := range m.offers() {
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			o.Stats.Types[c.typ].Offered++
			pools[c.typ] = append(pools[c.typ], c)
		}
	}
	for _, s := range w.scopes {
		for t, n := range s.passed {
			if x := o.Stats.Types[t]; x != nil {
				x.Passed += n
			}
		}
	}
	for _, list := range pools {
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.key, b.key) })
	}
	if err := m.draw(pools); err != nil {
		return nil, err
	}
	if err := m.rephraseAll(); err != nil {
		return nil, err
	}
	return m.cases()
}

// draw takes from each type in turn until there are enough or nothing is left: types
// that the graph has little of leave their share to the others.
func (m *maker) draw(pools map[Type][]candidate) error {
	absent := func(t Type) bool { return category[t] == schema.CatABS }
	others := slices.ContainsFunc(Types(), func(t Type) bool { return !absent(t) && len(pools[t]) > 0 })
	none := 0 // kept ones that nothing answers: a third at most, where there is anything else
	for m.n < m.o.Count {
		before := m.n
		left := false
		for _, t := range Types() {
			if others && absent(t) && 3*none > m.n {
				continue
			}
			for len(pools[t]) > 0 && m.n < m.o.Count {
				if err := m.ctx.Err(); err != nil {
					return err
				}
				c := pools[t][0]
				pools[t] = pools[t][1:]
				tally := m.o.Stats.Types[t]
				tally.Drawn++
				d, why := m.make(c)
				if why != "" {
					tally.Dropped[why]++
					continue
				}
				if m.admit(waiting{c, d}) {
					none += b2i(absent(t))
					m.again()
					break
				}
			}
			left = left || len(pools[t]) > 0
		}
		if !left && m.n == before {
			break
		}
	}
	for _, w := range m.late {
		m.o.Stats.Types[w.c.typ].Dropped["a string search finds it, and enough questions are already like that"]++
	}
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// make makes the draft of a candidate, or says why not.
func (m *maker) make(c candidate) (*draft, string) {
	d, why := m.ask(c)
	if why != "" {
		return nil, why
	}
	d.q.RawCategory, d.q.Category = string(c.typ), category[c.typ]
	d.q.Abstain = d.q.Category == schema.CatABS
	if leaks(d) {
		return nil, "the question gives the answer away"
	}
	key := string(c.s.conv) + "\x00" + fold(d.q.Text)
	if m.asked[key] {
		return nil, "asked already"
	}
	if d.spelled && !inTurns(d) {
		return nil, "the answer is not in the words of its turns"
	}
	m.asked[key] = true
	return d, ""
}

// leaks reports whether a question holds its answer. A choice between things that are
// all named gives none of them away.
func leaks(d *draft) bool {
	if len(d.choices) > 0 || d.q.Abstain {
		return false
	}
	text := fold(d.q.Text)
	return slices.ContainsFunc(d.q.Golds(), func(g string) bool { return g != "" && has(text, fold(g)) })
}

// inTurns reports whether some accepted gold is in the words or dates of the evidence.
func inTurns(d *draft) bool {
	return slices.ContainsFunc(d.q.Golds(), func(g string) bool {
		return slices.ContainsFunc(d.turns, func(t *turn) bool { return has(t.folded, fold(g)) || t.day() != "" && g == t.day() })
	})
}

// hash places a candidate in the order of drawing; the same on every machine.
func hash(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(seed >> (8 * i))
	}
	h.Write(b[:])
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	x := h.Sum64() // FNV's last steps are weak: mix once more (splitmix64)
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// pick chooses a paraphrase.
func (m *maker) pick(list []string, c candidate) string {
	if len(list) == 0 {
		return ""
	}
	return list[hash(m.o.Seed+1, fmt.Sprint(c.key))%uint64(len(list))]
}

// Summary is the drop of each type as a line of text, for people.
func (s *Stats) Summary() string {
	var b strings.Builder
	for _, t := range Types() {
		x := s.Types[t]
		if x == nil {
			continue
		}
		fmt.Fprintf(&b, "%-16s %6d offered %6d drawn %6d kept", t, x.Offered, x.Drawn, x.Kept)
		if x.Passed > 0 {
			fmt.Fprintf(&b, "; %d skipped", x.Passed)
		}
		for _, why := range sorted(x.Dropped) {
			fmt.Fprintf(&b, "; %d %s", x.Dropped[why], why)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "a string search for its content words solves %d\n", s.Searched)
	for _, why := range sorted(s.Rephrased) {
		fmt.Fprintf(&b, "rephrased: %d %s\n", s.Rephrased[why], why)
	}
	return b.String()
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
