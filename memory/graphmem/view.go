package graphmem

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"membench/internal/bm25"
	"membench/internal/tokens"
	"membench/llm"
	"membench/memory/native"
	"membench/memory/recall"
	"membench/memory/store"
	"membench/schema"
)

// reach is how many turns on each side a turn is read with: its window.
const reach = 2

// A view is what retrieval knows of a graph's turns: each by itself (words, vector,
// priors) and by its place in the conversation (the turn before and after it in its
// session, its window, its session). Turns come in the order of the dialogue. Beside
// what store.Linear takes it costs per turn about 100 bytes, and 60 bytes a distinct
// term for the windows; a claim about 400 bytes and its quotes.
type view struct {
	st       *store.Linear
	near     bm25.Index // a document is a window
	sittings bm25.Index // a document is a session
	parts    passages
	style    style
	terms    []string // of each turn's opening, joined by blanks
	pre      []recall.Priors
	asks     []bool         // the turn holds a question mark
	before   []int32        // position of the turn before in the session; -1: the first
	after    []int32        // of the turn after; -1: the last so far
	sitting  []int32        // number of the session, from 0
	number   map[string]int // of a session, by conversation and name
	last     []int32        // position of the last turn, by session
	words    []string       // terms of a session, joined
	windows  int            // turns whose windows are in near, but for the ends
	stale    map[int]bool   // sessions whose words changed
	at       map[schema.EventRef]int
	voice    []int32          // who speaks, a number of voices
	voices   map[string]int32 // by name
	calls    map[string][]int // how often a voice calls another by a name, by name and voice
	when     []time.Time      // zero: nobody knows

	facts      []Fact
	factAt     map[schema.ClaimID]int
	claims     map[int][]int // facts by the position of a turn that they rest on
	claimWords bm25.Index    // a document is a fact
	kin        *bm25.Index   // light stems of the turns, for is-a; nil until it is asked for
	kinned     int           // turns in kin
	scratch    [][]float64   // numbers of one question; spare of them are in use
	spare      int

	walked   *net                 // for walks; nil until it is asked for
	factVecs map[string][]float32 // of claims and names, by text, for the published rankings only
}

func newView(scope string, e llm.Embedder) *view {
	return &view{
		st:       store.New(store.Options{Scope: scope, Embed: e}),
		parts:    passages{words: bm25.Index{K1: .5, B: .3, Cut: tokens.Snowball}},
		style:    style{bySpeaker: map[string]length{}},
		near:     bm25.Index{K1: .9, B: .4, Cut: strings.Fields},
		sittings: bm25.Index{K1: 1.2, B: .5, Cut: strings.Fields},
		number:   map[string]int{}, stale: map[int]bool{}, at: map[schema.EventRef]int{}, voices: map[string]int32{}, calls: map[string][]int{}, factAt: map[schema.ClaimID]int{}, claims: map[int][]int{},
	}
}

// add puts a turn behind all others. said is its text without the speaker's name.
func (v *view) add(r store.Record, said string, vec []float32) int {
	i := v.st.AppendVector(r, vec)
	indexed := cmp.Or(r.Index, r.Text)
	key := r.Session
	if len(r.Sources) > 0 {
		key = string(r.Sources[0].ConvID) + "\x00" + key
	}
	s, ok := v.number[key]
	if !ok {
		s = len(v.last)
		v.number[key] = s
		v.last, v.words = append(v.last, -1), append(v.words, "")
	}
	v.parts.add(indexed)
	v.terms = append(v.terms, strings.Join(tokens.Snowball(opening(indexed)), " "))
	v.pre = append(v.pre, kindOf(said))
	v.style.add(r.Speaker, said, v.last[s] >= 0, v.last[s] >= 0 && v.st.At(int(v.last[s])).Speaker == r.Speaker)
	voice, ok := v.voices[r.Speaker]
	if !ok {
		voice = int32(len(v.voices))
		v.voices[r.Speaker] = voice
	}
	v.voice = append(v.voice, voice)
	v.hear(voice, said)
	when, _ := schema.ParseTime(r.Time, nil)
	v.when = append(v.when, when)
	v.asks = append(v.asks, strings.ContainsAny(said, "?？"))
	v.sitting = append(v.sitting, int32(s))
	v.before, v.after = append(v.before, v.last[s]), append(v.after, -1)
	if p := v.last[s]; p >= 0 {
		v.after[p] = int32(i)
	}
	v.last[s] = int32(i)
	v.words[s] += " " + v.terms[i]
	for _, r := range r.Sources {
		v.at[r] = i
	}
	v.walked = nil
	v.stale[s] = true
	return i
}

// settle brings the windows and the sessions up to the last turn: that is done once
// before a question, not after each turn, since a new turn changes its neighbours' too.
func (v *view) settle() {
	for i := v.windows; i < len(v.terms); i++ {
		for d, j := 0, int32(i); d <= reach && j >= 0; d, j = d+1, v.before[j] {
			if d == 0 || int(j) < v.windows { // a new one has its turn
				v.near.Set(int(j), v.window(int(j)))
			}
		}
	}
	v.windows = len(v.terms)
	for s := range v.stale {
		v.sittings.Set(s, v.words[s])
	}
	clear(v.stale)
}

func (v *view) window(i int) string {
	parts := []string{v.terms[i]}
	for d, j := 0, v.before[i]; d < reach && j >= 0; d, j = d+1, v.before[j] {
		parts = append(parts, v.terms[j])
	}
	for d, j := 0, v.after[i]; d < reach && j >= 0; d, j = d+1, v.after[j] {
		parts = append(parts, v.terms[j])
	}
	return strings.Join(parts, " ")
}

func (v *view) clone() *view {
	c := *v
	c.st, c.near, c.sittings = v.st.Clone(), v.near.Clone(), v.sittings.Clone()
	c.parts, c.style = v.parts.clone(), v.style.clone()
	c.terms = append([]string(nil), v.terms...)
	c.pre = append([]recall.Priors(nil), v.pre...)
	c.asks = append([]bool(nil), v.asks...)
	c.before, c.after = append([]int32(nil), v.before...), append([]int32(nil), v.after...)
	c.sitting, c.last = append([]int32(nil), v.sitting...), append([]int32(nil), v.last...)
	c.words = append([]string(nil), v.words...)
	c.voice, c.voices, c.when = append([]int32(nil), v.voice...), maps.Clone(v.voices), append([]time.Time(nil), v.when...)
	c.calls = make(map[string][]int, len(v.calls))
	for name, calls := range v.calls {
		c.calls[name] = slices.Clone(calls)
	}
	c.number, c.stale, c.at, c.factAt = maps.Clone(v.number), maps.Clone(v.stale), maps.Clone(v.at), maps.Clone(v.factAt)
	c.facts, c.claimWords = append([]Fact(nil), v.facts...), v.claimWords.Clone()
	c.claims = make(map[int][]int, len(v.claims))
	for at, list := range v.claims {
		c.claims[at] = append([]int(nil), list...)
	}
	c.kin, c.kinned, c.walked, c.factVecs, c.scratch = nil, 0, nil, nil, nil
	return &c
}

// said is what the observation's turns say, without names.
func said(o native.Observation) string {
	var b strings.Builder
	for i, t := range o.Turns {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}
