package neo4j

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"membench/graph"
	"membench/internal/tokens"
	"membench/schema"
)

// Indexes for search. Text is cut in pairs of Han characters and in words; a vector
// index is one per length of vectors.
const (
	textIndex   = "node_text"
	vectorIndex = "node_vector_" // and the number of dimensions
)

var (
	_ graph.Searcher   = (*DB)(nil)
	_ graph.Vectors    = (*DB)(nil)
	_ graph.PathFinder = (*DB)(nil)
)

// ensureIndex makes an index, waits for it and compares it with the requested one. It reports whether it was made now.
func (db *DB) ensureIndex(ctx context.Context, want rule, text string) (made bool, err error) {
	find := func() (rule, error) {
		have, err := db.list(ctx, "INDEXES", "state")
		if i := slices.IndexFunc(have, func(x rule) bool { return x.name == want.name }); err == nil && i >= 0 {
			return have[i], nil
		}
		return rule{}, err
	}
	have, err := find()
	if err != nil {
		return false, err
	}
	if have.name == "" {
		if err := db.makeOnce(ctx, text); err != nil {
			return false, fmt.Errorf("making the index %s: %w", want.name, err)
		}
		made = true
		if err := db.await(ctx); err != nil {
			return made, err
		}
		if have, err = find(); err != nil {
			return made, err
		}
	}
	if have.name == "" {
		return made, fmt.Errorf("cannot create index %s: there is already one on %s (%s), and a database allows one; drop that one first", want.name, strings.Join(want.labels, ","), strings.Join(want.props, ","))
	}
	same := have.kind == want.kind && slices.Equal(have.labels, want.labels) && slices.Equal(have.props, want.props)
	if !same || have.state == "FAILED" {
		return made, fmt.Errorf("index %s: have %s on %s (%s), %s; want %s on %s (%s): drop it and load again", want.name,
			have.kind, strings.Join(have.labels, ","), strings.Join(have.props, ","), have.state, want.kind, strings.Join(want.labels, ","), strings.Join(want.props, ","))
	}
	return made, nil
}

func (db *DB) await(ctx context.Context) error {
	_, err := ask(ctx, db, "CALL db.awaitIndexes(300)", nil, first)
	return err
}

// EnsureTextIndex creates the full-text index of SearchText if it is missing, and returns the created indexes.
func (db *DB) EnsureTextIndex(ctx context.Context) (made []string, err error) {
	props := append(slices.Clone(graph.TextProps), "aliases")
	ok, err := db.ensureIndex(ctx, rule{name: textIndex, kind: "FULLTEXT", labels: []string{baseLabel}, props: props},
		"CREATE FULLTEXT INDEX "+textIndex+" IF NOT EXISTS FOR (n:"+baseLabel+") ON EACH [n."+strings.Join(props, ", n.")+"] OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}")
	if ok {
		made = append(made, textIndex)
	}
	return made, err
}

// EnsureVectorIndex makes the index of vectors of a length.
func (db *DB) EnsureVectorIndex(ctx context.Context, dims int) (made []string, err error) {
	name := vectorIndex + strconv.Itoa(dims)
	ok, err := db.ensureIndex(ctx, rule{name: name, kind: "VECTOR", labels: []string{baseLabel}, props: []string{vectorProp}},
		fmt.Sprintf("CREATE VECTOR INDEX %s IF NOT EXISTS FOR (n:%s) ON (n.%s) OPTIONS {indexConfig: {`vector.dimensions`: %d, `vector.similarity_function`: 'cosine'}}", name, baseLabel, vectorProp, dims))
	if ok {
		made = append(made, name)
	}
	return made, err
}

// PutVectors stores vectors of one length with existing nodes.
func (db *DB) PutVectors(ctx context.Context, vectors map[schema.NodeID][]float32) error {
	var rows []map[string]any
	dims := 0
	for _, id := range slices.Sorted(maps.Keys(vectors)) {
		v := vectors[id]
		dims = cmp.Or(dims, len(v))
		if len(v) != dims || dims == 0 {
			return fmt.Errorf("vectors of %d and %d dimensions in one call", dims, len(v))
		}
		rows = append(rows, map[string]any{"id": db.key(string(id)), "v": wide(v)})
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := db.EnsureVectorIndex(ctx, dims); err != nil {
		return err
	}
	for chunk := range slices.Chunk(rows, 500) {
		err := db.do(ctx, "UNWIND $rows AS row MATCH (n:"+baseLabel+" {id: row.id}) CALL db.create.setNodeVectorProperty(n, '"+vectorProp+"', row.v)", map[string]any{"rows": chunk})
		if err != nil {
			return err
		}
	}
	return nil
}

// candidates is how many nodes the server is asked for, to find k: its own score is
// another one, and other scopes share its indexes.
func candidates(k int) int { return max(100, 10*k) }

// SearchText asks the full-text index, which EnsureTextIndex makes, for candidates.
func (db *DB) SearchText(ctx context.Context, query string, k int, f graph.Filter) ([]graph.Hit, error) {
	lucene := luceneQuery(query)
	if lucene == "" || k <= 0 {
		return nil, ctx.Err()
	}
	return db.search(ctx, k, f, "CALL db.index.fulltext.queryNodes($index, $q, {limit: $limit}) YIELD node AS n, score",
		map[string]any{"index": textIndex, "q": lucene}, func(n schema.Node, _ driver.Node) (float64, bool) {
			s := graph.TextScore(query, graph.Text(n))
			return s, s > 0
		})
}

// SearchVector asks the vector index, which PutVectors makes, for candidates.
func (db *DB) SearchVector(ctx context.Context, query []float32, k int, f graph.Filter) ([]graph.Hit, error) {
	if len(query) == 0 || k <= 0 {
		return nil, ctx.Err()
	}
	return db.search(ctx, k, f, "CALL db.index.vector.queryNodes($index, $limit, $q) YIELD node AS n, score",
		map[string]any{"index": vectorIndex + strconv.Itoa(len(query)), "q": wide(query)}, func(n schema.Node, x driver.Node) (float64, bool) {
			v := narrow(x.Props[vectorProp])
			return graph.Cosine(query, v), len(v) == len(query)
		})
}

// wide and narrow turn a vector into a list of the driver and back.
func wide(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

func narrow(v any) []float32 {
	list, _ := v.([]any)
	out := make([]float32, len(list))
	for i, x := range list {
		f, _ := x.(float64)
		out[i] = float32(f)
	}
	return out
}

// search takes more candidates while too few of them are of this scope and of the filter.
func (db *DB) search(ctx context.Context, k int, f graph.Filter, call string, params map[string]any, score func(schema.Node, driver.Node) (float64, bool)) ([]graph.Hit, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	for limit := candidates(k); ; limit *= 8 {
		params["limit"] = limit
		var hits []graph.Hit
		offered := 0
		err := db.in(ctx, false, func(t *tx) error {
			hits, offered = nil, 0
			_, err := t.run(call+" RETURN n, "+db.owned("n"), db.with(params), func(v []any) error {
				offered++
				x, ok := v[0].(driver.Node)
				if mine, _ := v[1].(bool); !ok || !mine {
					return nil
				}
				if n := db.node(x); f.Accepts(n) {
					if s, ok := score(n, x); ok && !math.IsNaN(s) {
						hits = append(hits, graph.Hit{Node: n, Score: s})
					}
				}
				return nil
			})
			return err
		})
		if err != nil || len(hits) >= k || offered < limit || limit > 1<<16 {
			return graph.Best(hits, k), err
		}
	}
}

// luceneQuery asks for every node that shares a term with the query, and may ask for
// some more: words by the part that they share with their stem, Han text as the index
// cuts it, a single character anywhere. Nothing of the query is syntax.
func luceneQuery(query string) string {
	var parts []string
	seen := map[string]bool{}
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			parts = append(parts, p)
		}
	}
	for _, t := range tokens.Split(query) {
		if t.Han {
			r := []rune(t.Text)
			if len(r) == 1 && !tokens.FunctionRune(r[0]) {
				add("*" + t.Text + "*")
			}
			for i := range len(r) - 1 {
				add(`"` + string(r[i:i+2]) + `"`)
			}
			continue
		}
		if tokens.Stop(t.Text) {
			continue
		}
		stem := tokens.Stem(t.Text)
		n := 0
		for n < len(stem) && n < len(t.Text) && stem[n] == t.Text[n] {
			n++
		}
		add(`"` + t.Text + `"`)
		if p := strings.ToValidUTF8(stem[:n], ""); len(p) > 2 {
			add(p + "*") // letters and digits only, so no syntax
		}
	}
	return strings.Join(parts, " OR ")
}

// Paths asks for one length after the other.
func (db *DB) Paths(ctx context.Context, from, to schema.NodeID, maxHops int, f graph.Filter) iter.Seq2[[]schema.Edge, error] {
	return func(yield func([]schema.Edge, error) bool) {
		if err := graph.CheckPaths(maxHops, f); err != nil {
			yield(nil, err)
			return
		}
		inner, err := db.accepts("m", f)
		rel, ok := typesOf("r", f.Types)
		if err != nil || !ok || from == to {
			// No node can be between: only an edge from end to end is left.
			if err == nil || !ok || from == to {
				return
			}
			inner.text, maxHops = "", 1
		}
		for n := 1; n <= maxHops; n++ {
			text := fmt.Sprintf("MATCH p = (a:%s {id: $from})-[%s*%d..%d]-(b:%s {id: $to}) WHERE all(m IN nodes(p)[1..-1] WHERE m:%s AND m <> a AND m <> b%s AND single(x IN nodes(p) WHERE x = m)) "+
				"RETURN relationships(p), [x IN relationships(p) | startNode(x).id], [x IN relationships(p) | endNode(x).id]", baseLabel, rel, n, n, baseLabel, baseLabel, inner.text)
			params := map[string]any{"from": db.key(string(from)), "to": db.key(string(to))}
			maps.Copy(params, inner.params)
			var found [][]schema.Edge
			err := db.in(ctx, false, func(t *tx) error {
				found = nil
				_, err := t.run(text, params, func(v []any) error {
					rels, _ := v[0].([]any)
					srcs, _ := v[1].([]any)
					dsts, _ := v[2].([]any)
					path := make([]schema.Edge, len(rels))
					for i := range rels {
						r, ok := rels[i].(driver.Relationship)
						if !ok || i >= len(srcs) || i >= len(dsts) {
							return fmt.Errorf("the server answered %T for a relationship", rels[i])
						}
						path[i] = db.edge(r, srcs[i], dsts[i])
					}
					found = append(found, path)
					return nil
				})
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			slices.SortFunc(found, func(a, b []schema.Edge) int {
				return slices.CompareFunc(a, b, func(x, y schema.Edge) int { return strings.Compare(string(x.ID), string(y.ID)) })
			})
			for _, p := range found {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}
