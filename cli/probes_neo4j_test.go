package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/cypher/neo4j"
	"membench/datasets"
	"membench/datasets/netops"
	"membench/datasets/probes"
	"membench/graph"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// TestProofsOnNeo4j runs the Cypher of every question's proof on a real server that
// holds the graph, and the same query in process: the rows are the same.
func TestProofsOnNeo4j(t *testing.T) {
	t.Parallel()
	exttest.Need(t, "java", exttest.Neo4jLib())
	dir := t.TempDir()
	var out, words strings.Builder
	if code := run(context.Background(), plainEnv(&out, &words, nil), []string{"demo", "-o", dir}); code != exitFine {
		t.Fatal(words.String())
	}
	files, err := graph.Files(filepath.Join(dir, "graph"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	g := graph.NewLocal()
	if err := g.Read(ctx, jsonl.Files[schema.Element](files, nil), nil); err != nil {
		t.Fatal(err)
	}
	withServer(t, g, func(db *neo4j.DB, ask func(cypher string, params map[string]any) [][]string) {
		n := map[string]int{}
		for r, err := range probes.Generate(ctx, g, probes.Options{Searched: 1, Count: 60, Seed: 4}) {
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range r.V.Questions {
				var meta probes.Meta
				if err := q.Meta.Read(&meta); err != nil {
					t.Fatal(err)
				}
				want, err := meta.Proof.Rows(ctx, g)
				if err != nil {
					t.Fatal(err)
				}
				var params struct {
					Proof struct {
						Params map[string]any `json:"params"`
					} `json:"proof"`
				}
				if err := q.Meta.Read(&params); err != nil {
					t.Fatal(err)
				}
				got := ask(meta.Proof.Cypher, params.Proof.Params)
				slices.SortFunc(got, func(a, b []string) int { return slices.Compare(a, b) })
				if !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s\n%s\nserver %v\nhere   %v", q.Text, meta.Proof.Cypher, got, want)
				}
				n[meta.Proof.Query]++
			}
		}
		t.Log(n)
		// The same cases come out of the database itself.
		var here, there []schema.Case
		for r, err := range probes.Generate(ctx, g, probes.Options{Searched: 1, Count: 25, Seed: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			here = append(here, r.V)
		}
		for r, err := range probes.Generate(ctx, db, probes.Options{Searched: 1, Count: 25, Seed: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			there = append(there, r.V)
		}
		if fmt.Sprint(here) != fmt.Sprint(there) {
			t.Error("the database gives other cases than the folder it was loaded from")
		}
	})
}

// TestNetopsProofsOnNeo4j: the answers of operations' questions are the first column
// of their Cypher.
func TestNetopsProofsOnNeo4j(t *testing.T) {
	t.Parallel()
	exttest.Need(t, "java", exttest.Neo4jLib())
	ctx := context.Background()
	for r, err := range netops.Storms(ctx, nil, datasets.Options{Seed: 7, Count: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		in, err := netops.Graph(ctx, r.V)
		if err != nil {
			t.Fatal(err)
		}
		g := graph.NewLocal()
		if err := g.Read(ctx, in, nil); err != nil {
			t.Fatal(err)
		}
		withServer(t, g, func(_ *neo4j.DB, ask func(string, map[string]any) [][]string) {
			n := map[string]int{}
			for made, err := range netops.Generate(ctx, g, netops.Options{Seed: 7}) {
				if err != nil {
					t.Fatal(err)
				}
				for _, q := range made.V.Questions {
					var meta struct {
						Proof struct {
							Cypher string         `json:"cypher"`
							Params map[string]any `json:"params"`
						} `json:"proof"`
					}
					if err := q.Meta.Read(&meta); err != nil {
						t.Fatal(err)
					}
					rows := ask(meta.Proof.Cypher, meta.Proof.Params)
					ok := len(rows) > 0
					switch q.RawCategory {
					case netops.RootCause:
						ok = ok && rows[0][0] == q.Answer
					case netops.Aggregation:
						ok = fmt.Sprint(len(rows)) == q.Answer
					case netops.WhatChanged:
						ok = ok && rows[0][0] == "window="+q.Answer && rows[0][1] == "window="+q.Wrong
					case netops.Repeat:
						var days []string
						for _, r := range rows {
							days = append(days, r[0])
						}
						ok = strings.Join(days, ", ") == q.Answer
					default:
						continue
					}
					if !ok {
						t.Errorf("%s = %s\n%s\n%v", q.Text, q.Answer, meta.Proof.Cypher, rows)
					}
					n[q.RawCategory]++
				}
			}
			if len(n) < 3 {
				t.Errorf("only %v were asked", n)
			}
		})
	}
}

// withServer loads a graph into the fixture's server and hands over a way to ask it.
func withServer(t *testing.T, g *graph.Local, work func(db *neo4j.DB, ask func(string, map[string]any) [][]string)) {
	t.Helper()
	uri, done, err := emptyNeo4j()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	ctx := context.Background()
	db, err := neo4j.Open(ctx, neo4j.Config{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(ctx)
	if _, err := neo4j.Load(ctx, db, g.Elements(), neo4j.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	d, err := driver.NewDriverWithContext(uri, driver.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close(ctx)
	work(db, func(cypher string, params map[string]any) (out [][]string) {
		r, err := driver.ExecuteQuery(ctx, d, cypher, params, driver.EagerResultTransformer)
		if err != nil {
			t.Fatalf("%v\n%s\n%v", err, cypher, params)
		}
		for _, rec := range r.Records {
			var row []string
			for _, v := range rec.Values {
				row = append(row, fmt.Sprint(v))
			}
			out = append(out, row)
		}
		return out
	})
}
