package graph

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"membench/internal/tokens"
	"membench/schema"
)

// A Hit is a node that a search found.
type Hit struct {
	Node  schema.Node
	Score float64 // of SearchText in (0,1), of SearchVector the cosine in [-1,1]
}

// Searcher is a graph that finds nodes by text and by vector: at most k hits, best first, ties by id. A service proposes candidates, and TextScore or Cosine
// scores them, so a hit has the same score wherever it was found. Nodes that a service does not propose are not found; a test measures how many.
type Searcher interface {
	SearchText(ctx context.Context, query string, k int, f Filter) ([]Hit, error)
	// SearchVector looks at nodes that have a vector of the query's length.
	SearchVector(ctx context.Context, query []float32, k int, f Filter) ([]Hit, error)
}

// Vectors is a graph that stores a vector with a node. A vector is not a property: it is removed when its node is put with other content, and only existing
// nodes can have one.
type Vectors interface {
	PutVectors(ctx context.Context, vectors map[schema.NodeID][]float32) error
}

// PathFinder is a graph that finds paths: ignoring direction, of 1 to maxHops edges (at most MaxHops), no node twice; shorter ones first, paths of one length
// in the order of their edges' ids. The filter's types apply to the edges, its labels and properties to the nodes between the ends.
type PathFinder interface {
	Paths(ctx context.Context, from, to schema.NodeID, maxHops int, f Filter) iter.Seq2[[]schema.Edge, error]
}

// MaxHops bounds Paths: beyond it a graph with hubs has more paths than anyone can read.
const MaxHops = 8

// TextProps are the properties that a node is searched by, the first that it has; and
// its aliases.
var TextProps = []string{"data", "content", "fact", "question", "name", "display"}

// Text returns the text by which a node is searched.
func Text(n schema.Node) string {
	text := ""
	for _, name := range TextProps {
		if text = n.Props.Text(name); text != "" {
			break
		}
	}
	if v, ok := MapProps(n.Props).Get("aliases"); ok && v.Kind == String {
		text += "\n" + strings.Join(v.Texts, "\n")
	}
	return text
}

// TextScore is how much of the query a text has, in [0,1): the share of the query's
// terms, each saturated by tf/(tf+0.5); a single Han character counts a quarter of a
// word or a pair. It needs no statistics of a corpus, so that a candidate of a service
// scores as it does in process.
func TextScore(query, text string) float64 {
	const k1, single = 0.5, 0.25
	tf := map[string]int{}
	for _, t := range tokens.Terms(text) {
		tf[t]++
	}
	seen := map[string]bool{}
	score, most := 0.0, 0.0
	for _, t := range tokens.Terms(query) {
		if seen[t] {
			continue
		}
		seen[t] = true
		w := 1.0
		if r := []rune(t); len(r) == 1 && r[0] >= 0x2e80 {
			w = single
		}
		most += w
		if n := float64(tf[t]); n > 0 {
			score += w * n / (n + k1)
		}
	}
	if most == 0 {
		return 0
	}
	return score / most
}

// Cosine returns the cosine of two vectors of length 1, in [-1,1], summed in a fixed order.
func Cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}

// Best sorts hits and keeps k.
func Best(hits []Hit, k int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Node.ID, b.Node.ID))
	})
	return hits[:min(max(k, 0), len(hits))]
}

// Accepts reports whether a node has one of the filter's labels and all of its
// properties.
func (f Filter) Accepts(n schema.Node) bool {
	if !hasAny(n.Labels, f.Labels) {
		return false
	}
	if len(f.Props) == 0 {
		return true
	}
	have := MapProps(n.Props)
	for name, want := range f.Props {
		v, ok := have.Get(PropName(name))
		w, err := valueOf(want)
		if !ok || err != nil || !v.Equal(w) {
			return false
		}
	}
	return true
}

// Check rejects a filter with a property that is not a string, bool or number.
func (f Filter) Check() error {
	for name, want := range f.Props {
		if _, err := valueOf(want); err != nil {
			return fmt.Errorf("filter by property %s: %w", name, err)
		}
	}
	return nil
}

func valueOf(v any) (Value, error) {
	one := func(text string) (Value, error) {
		text, kind := number([]byte(text))
		if kind == 0 {
			return Value{}, fmt.Errorf("have %s, which no property can be", text)
		}
		return Value{Kind: kind, Texts: []string{text}}, nil
	}
	switch v := v.(type) {
	case string:
		return Value{Kind: String, Texts: []string{v}}, nil
	case bool:
		return Value{Kind: Bool, Texts: []string{strconv.FormatBool(v)}}, nil
	case int:
		return one(strconv.Itoa(v))
	case int64:
		return one(strconv.FormatInt(v, 10))
	case float64:
		return one(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return Value{}, fmt.Errorf("have %T, want string, bool, int, int64 or float64", v)
}

var (
	_ Searcher   = (*Local)(nil)
	_ Vectors    = (*Local)(nil)
	_ PathFinder = (*Local)(nil)
)

// SearchText scores every node that the filter accepts.
func (l *Local) SearchText(ctx context.Context, query string, k int, f Filter) ([]Hit, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	var hits []Hit
	for n, err := range l.Nodes(ctx, f) {
		if err != nil {
			return nil, err
		}
		if s := TextScore(query, Text(n)); s > 0 {
			hits = append(hits, Hit{n, s})
		}
	}
	return Best(hits, k), ctx.Err()
}

// SearchVector scores every node that has a vector and that the filter accepts.
func (l *Local) SearchVector(ctx context.Context, query []float32, k int, f Filter) ([]Hit, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	var hits []Hit
	for n, err := range l.Nodes(ctx, f) {
		if err != nil {
			return nil, err
		}
		l.mu.RLock()
		v := l.vectors[n.ID]
		l.mu.RUnlock()
		if len(v) == len(query) && len(v) > 0 {
			hits = append(hits, Hit{n, Cosine(query, v)})
		}
	}
	return Best(hits, k), ctx.Err()
}

// PutVectors keeps vectors of nodes that are there: 4 bytes a dimension each.
func (l *Local) PutVectors(ctx context.Context, vectors map[schema.NodeID][]float32) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.vectors == nil {
		l.vectors = map[schema.NodeID][]float32{}
	}
	for id, v := range vectors {
		if l.nodes[id] != nil {
			l.vectors[id] = slices.Clone(v)
		}
	}
	return ctx.Err()
}

// Paths walks in depth, one length after the other.
func (l *Local) Paths(ctx context.Context, from, to schema.NodeID, maxHops int, f Filter) iter.Seq2[[]schema.Edge, error] {
	return func(yield func([]schema.Edge, error) bool) {
		if err := CheckPaths(maxHops, f); err != nil {
			yield(nil, err)
			return
		}
		// near is the number of edges from a node to the end: a step is skipped if the remaining length cannot reach the end.
		near, err := l.distances(ctx, to, maxHops, f)
		if err != nil {
			yield(nil, err)
			return
		}
		if _, ok := near[from]; !ok || from == to {
			return
		}
		path := make([]schema.Edge, 0, maxHops)
		on := map[schema.NodeID]bool{from: true}
		all := len(f.Labels)+len(f.Props) == 0
		var walk func(at schema.NodeID, left int) bool
		walk = func(at schema.NodeID, left int) bool {
			for e, err := range l.Neighbors(ctx, at, Both, Filter{Types: f.Types}) {
				if err != nil {
					yield(nil, err)
					return false
				}
				next := e.Dst
				if next == at {
					next = e.Src
				}
				if d, ok := near[next]; on[next] || !ok || d > left-1 || next == to && left > 1 {
					continue
				}
				if next != to && !all {
					if n, _, err := l.Node(ctx, next); err != nil || !f.Accepts(n) {
						if err == nil {
							continue
						}
						yield(nil, err)
						return false
					}
				}
				path = append(path, e)
				on[next] = true
				var more bool
				if next == to {
					more = yield(slices.Clone(path), nil)
				} else {
					more = walk(next, left-1)
				}
				path = path[:len(path)-1]
				delete(on, next)
				if !more {
					return false
				}
			}
			return true
		}
		for length := 1; length <= maxHops; length++ {
			if !walk(from, length) {
				return
			}
		}
	}
}

// CheckPaths rejects invalid arguments of Paths.
func CheckPaths(maxHops int, f Filter) error {
	if maxHops < 1 || maxHops > MaxHops {
		return fmt.Errorf("paths of at most %d edges: have %d, want 1 to %d", maxHops, maxHops, MaxHops)
	}
	return f.Check()
}

// distances are those to a node over nodes that the filter accepts, up to most.
func (l *Local) distances(ctx context.Context, to schema.NodeID, most int, f Filter) (map[schema.NodeID]int, error) {
	out := map[schema.NodeID]int{to: 0}
	edge := []schema.NodeID{to}
	for d := 1; d <= most && len(edge) > 0; d++ {
		var next []schema.NodeID
		for _, id := range edge {
			if n, _, err := l.Node(ctx, id); err != nil {
				return nil, err
			} else if id != to && !f.Accepts(n) {
				continue // an end may be here, a way through is not
			}
			for e, err := range l.Neighbors(ctx, id, Both, Filter{Types: f.Types}) {
				if err != nil {
					return nil, err
				}
				other := e.Dst
				if other == id {
					other = e.Src
				}
				if _, ok := out[other]; !ok {
					out[other] = d
					next = append(next, other)
				}
			}
		}
		edge = next
	}
	return out, nil
}
