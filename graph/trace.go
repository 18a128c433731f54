package graph

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

// A Trail is a tree of evidence: a node with its evidence, or with the nodes that it is evidence for.
type Trail struct {
	Node    schema.Node  `json:"node"`
	Via     *schema.Edge `json:"via,omitzero"`     // the edge from the step before; nil at the root
	Down    []*Trail     `json:"down,omitempty"`   // its evidence, by edge id
	Up      []*Trail     `json:"up,omitempty"`     // nodes that it is evidence for, by edge id
	Omitted int          `json:"omitted,omitzero"` // steps omitted because of the limit
}

// walks are the edge types of a step down, to the evidence of a thing and to the claims about it, and of a step up, by direction.
var walks = sync.OnceValue(func() (w struct{ downOut, downIn, upIn, upOut []string }) {
	c := catalog.Default()
	w.downOut, w.downIn = c.EdgesOf(false, catalog.RoleEvidence, catalog.RoleAbout), c.EdgesOf(true, catalog.RoleEvidence, catalog.RoleAbout)
	w.upIn, w.upOut = c.EdgesOf(false, catalog.RoleEvidence), c.EdgesOf(true, catalog.RoleEvidence)
	return w
})

// MaxDepth ends walks in graphs whose evidence edges form a loop; the longest walk
// of a graph by the catalogue has eight steps.
const MaxDepth = 16

// ErrNotFound reports that the graph has no node with the requested id.
var ErrNotFound = fmt.Errorf("not in the graph")

// Trace walks evidence from a node: Out goes down to source spans, In goes up to the
// claims and probes that rest on it, Both does both.
func Trace(ctx context.Context, g Graph, id schema.NodeID, d Direction) (*Trail, error) {
	return TraceLimit(ctx, g, id, d, 0)
}

// TraceLimit is Trace with at most limit steps from one node, 0 for all of them.
func TraceLimit(ctx context.Context, g Graph, id schema.NodeID, d Direction, limit int) (*Trail, error) {
	n, ok, err := g.Node(ctx, id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	w := walker{g: g, limit: limit}
	t := &Trail{Node: n}
	if d != In {
		if err := w.grow(ctx, t, Out, []schema.NodeID{id}); err != nil {
			return nil, err
		}
	}
	if d != Out {
		if err := w.grow(ctx, t, In, []schema.NodeID{id}); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// TraceLines walks up from lines of a source: the events that rest on them. The
// root is the source's node.
func TraceLines(ctx context.Context, g Graph, source schema.NodeID, lines []int, limit int) (*Trail, error) {
	n, ok, err := g.Node(ctx, source)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", source, ErrNotFound)
	}
	t := &Trail{Node: n}
	w := walker{g: g, limit: limit, keep: func(e schema.Edge) bool {
		first, last, ok := Lines(e)
		return e.Type != schema.EdgeInSource || ok && slices.ContainsFunc(lines, func(n int) bool { return first <= n && n <= last })
	}}
	return t, w.grow(ctx, t, In, []schema.NodeID{source})
}

// Lines reads the span of an IN_SOURCE edge: first and last line, from 1, both included.
func Lines(e schema.Edge) (first, last int, ok bool) {
	var span struct {
		First float64 `json:"start_line"`
		Last  float64 `json:"end_line"`
	}
	if e.Props.Read(&span) != nil || span.First < 1 {
		return 0, 0, false
	}
	return int(span.First), max(int(span.First), int(span.Last)), true
}

type walker struct {
	g     Graph
	limit int
	keep  func(schema.Edge) bool // nil keeps every edge
}

func (w walker) grow(ctx context.Context, t *Trail, d Direction, path []schema.NodeID) error {
	if len(path) > MaxDepth {
		return nil
	}
	id := path[len(path)-1]
	out, in := walks().downOut, walks().downIn
	if d == In {
		out, in = walks().upOut, walks().upIn
	}
	rests := func(schema.Edge) bool { return true }
	if via := t.Via; via != nil && (via.Type == schema.EdgeEvidencedBy && via.Dst == id || via.Type == schema.EdgeFromEvent && via.Src == id) {
		o, err := OccasionsOf(ctx, w.g, id)
		if err != nil {
			return err
		}
		rests = func(e schema.Edge) bool {
			switch {
			case via.Type == schema.EdgeEvidencedBy && e.Type == schema.EdgeFromEvent:
				return o.Rests(*via, e)
			case via.Type == schema.EdgeFromEvent && e.Type == schema.EdgeEvidencedBy:
				return o.Rests(e, *via)
			}
			return true
		}
	}
	var steps []*Trail
	walk := func(edges iter.Seq2[schema.Edge, error], far func(schema.Edge) schema.NodeID) error {
		for e, err := range edges {
			if err != nil {
				return err
			}
			next := far(e)
			if slices.Contains(path, next) || w.keep != nil && !w.keep(e) || !rests(e) {
				continue
			}
			if w.limit > 0 && len(steps) >= w.limit {
				t.Omitted++
				continue
			}
			n, ok, err := w.g.Node(ctx, next)
			if err != nil {
				return err
			}
			if !ok { // a store without the node: show the id, do not hide the break
				n = schema.Node{ID: next}
			}
			step := &Trail{Node: n, Via: &e}
			steps = append(steps, step)
			if err := w.grow(ctx, step, d, append(slices.Clone(path), next)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(w.g.Neighbors(ctx, id, Out, Filter{Types: out}), func(e schema.Edge) schema.NodeID { return e.Dst }); err != nil {
		return err
	}
	if err := walk(w.g.Neighbors(ctx, id, In, Filter{Types: in}), func(e schema.Edge) schema.NodeID { return e.Src }); err != nil {
		return err
	}
	if d == In {
		t.Up = steps
	} else {
		t.Down = steps
	}
	return nil
}

// All yields the trail and every step below and above it, parents first.
func (t *Trail) All() iter.Seq[*Trail] {
	return func(yield func(*Trail) bool) { t.all(yield) }
}

func (t *Trail) all(yield func(*Trail) bool) bool {
	if !yield(t) {
		return false
	}
	for _, next := range [][]*Trail{t.Down, t.Up} {
		for _, s := range next {
			if !s.all(yield) {
				return false
			}
		}
	}
	return true
}

// Spans lists the source spans that the trail reaches going down, each once, in order.
func (t *Trail) Spans() []schema.Span {
	var out []schema.Span
	for s := range t.All() {
		if s.Via == nil || s.Via.Type != schema.EdgeInSource || s.Node.ID != s.Via.Dst {
			continue
		}
		span := schema.Span{Path: s.Node.Props.Text("path")}
		span.First, span.Last, _ = Lines(*s.Via)
		if !slices.Contains(out, span) {
			out = append(out, span)
		}
	}
	return out
}

// A Match is a node found by its text.
type Match struct {
	Node  schema.Node `json:"node"`
	Tier  Tier        `json:"tier"`
	Score float64     `json:"score"` // share of the words asked for that the node holds, (0,1]; 1 but for Tier Some
}

// Tier is the quality of a match, best first.
type Tier int

const (
	Whole    Tier = iota + 1 // the text is the node's id, name or text
	Contains                 // the node's text holds it, apart from case, width and punctuation
	Words                    // it holds every word
	Some                     // it holds some words
)

func (t Tier) String() string {
	return [...]string{"none", "whole", "contains", "words", "some"}[t]
}

// MarshalText writes the tier's word.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// searched are the labels that Find looks at, in the order in which equal matches come.
var searched = []string{schema.LabelClaim, schema.LabelMemoryItem, schema.LabelEvent, schema.LabelProbe, schema.LabelInject, schema.LabelSource}

// Find looks for text in claims, memories, events, probes, injects and sources: at
// most limit of the best matches (0 for all), by tier, score, label in that order,
// and id. It reads every node. Chinese is matched by pairs of characters.
func Find(ctx context.Context, g Graph, text string, limit int) ([]Match, error) {
	key, words := textnorm.Key(text), wordsOf(text)
	if key == "" {
		return nil, nil
	}
	var out []Match
	for n, err := range g.Nodes(ctx, Filter{}) {
		if err != nil {
			return nil, err
		}
		if m, ok := match(n, text, key, words); ok {
			out = append(out, m)
		}
	}
	rank := func(n schema.Node) int {
		for i, l := range searched {
			if slices.Contains(n.Labels, l) {
				return i
			}
		}
		return len(searched)
	}
	slices.SortStableFunc(out, func(a, b Match) int {
		return cmp.Or(int(a.Tier-b.Tier), cmp.Compare(b.Score, a.Score), rank(a.Node)-rank(b.Node), cmp.Compare(a.Node.ID, b.Node.ID))
	})
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out, nil
}

func match(n schema.Node, text, key string, words []string) (Match, bool) {
	if !hasAny(n.Labels, searched) {
		return Match{}, false
	}
	texts := []string{schema.Unescape(string(n.ID))}
	for _, p := range []string{"data", "content", "path", "probe_id", "inject_id", "gold", "text"} {
		if s := n.Props.Text(p); s != "" {
			texts = append(texts, s)
		}
	}
	best := Match{Node: n}
	better := func(t Tier, score float64) {
		if best.Tier == 0 || t < best.Tier || t == best.Tier && score > best.Score {
			best.Tier, best.Score = t, score
		}
	}
	for i, s := range texts {
		if s == text || i == 0 && string(n.ID) == text {
			better(Whole, 1)
			continue
		}
		k := textnorm.Key(s)
		switch {
		case k == key:
			better(Whole, 1)
		case strings.Contains(k, key):
			better(Contains, 1)
		case len(words) > 0:
			hit := 0
			for _, w := range words {
				if strings.Contains(k, w) {
					hit++
				}
			}
			if hit == len(words) {
				better(Words, 1)
			} else if hit > 0 {
				better(Some, float64(hit)/float64(len(words)))
			}
		}
	}
	return best, best.Tier > 0
}

// wordsOf cuts text into words, each folded; a run of Chinese into pairs.
func wordsOf(text string) []string {
	var out []string
	add := func(s string) {
		if s = textnorm.Key(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start := 0
		rs := []rune(f)
		for i := 1; i <= len(rs); i++ {
			if i < len(rs) && textnorm.IsHan(rs[i]) == textnorm.IsHan(rs[start]) {
				continue
			}
			run := rs[start:i]
			if textnorm.IsHan(rs[start]) && len(run) > 2 {
				for j := 0; j+2 <= len(run); j++ {
					add(string(run[j : j+2]))
				}
			} else {
				add(string(run))
			}
			start = i
		}
	}
	return out
}

// Nearest lists at most k ids that are most similar to text, by shared pairs of characters, then by id: suggestions when nothing was found.
func Nearest(ctx context.Context, g Graph, text string, k int) ([]schema.NodeID, error) {
	want := pairs(text)
	type scored struct {
		id    schema.NodeID
		score float64
	}
	var best []scored
	for n, err := range g.Nodes(ctx, Filter{}) {
		if err != nil {
			return nil, err
		}
		have := pairs(string(n.ID))
		shared := 0
		for p := range want {
			if have[p] {
				shared++
			}
		}
		if shared == 0 {
			continue
		}
		best = append(best, scored{n.ID, 2 * float64(shared) / float64(len(want)+len(have))})
		if len(best) >= 4*k+64 { // keep the list small
			best = topScored(best, k, func(s scored) (float64, string) { return s.score, string(s.id) })
		}
	}
	best = topScored(best, k, func(s scored) (float64, string) { return s.score, string(s.id) })
	out := make([]schema.NodeID, len(best))
	for i, s := range best {
		out[i] = s.id
	}
	return out, nil
}

func topScored[T any](s []T, k int, key func(T) (float64, string)) []T {
	slices.SortFunc(s, func(a, b T) int {
		x, i := key(a)
		y, j := key(b)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(i, j)
	})
	return s[:min(k, len(s))]
}

func pairs(s string) map[string]bool {
	rs := []rune(textnorm.Key(s))
	out := map[string]bool{}
	for i := 0; i+2 <= len(rs); i++ {
		out[string(rs[i:i+2])] = true
	}
	return out
}

// ByAlias finds the node that had the id before a migration: its props hold the old
// one under id_aliases. It reads every node.
func ByAlias(ctx context.Context, g Graph, id string) (schema.NodeID, bool, error) {
	for n, err := range g.Nodes(ctx, Filter{}) {
		if err != nil {
			return "", false, err
		}
		raw, ok := n.Props.Get("id_aliases")
		if !ok || raw[0] != '[' {
			continue
		}
		for item := range codec.Elements(raw) {
			if item[0] == '"' && codec.Unquote(item) == id {
				return n.ID, true, nil
			}
		}
	}
	return "", false, nil
}
