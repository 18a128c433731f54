package cli

import (
	"context"
	"errors"
	"strings"

	"membench/chain"
	"membench/cypher/neo4j/target"
	"membench/graph"
	"membench/graph/trace"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type traceOptions struct {
	trace.Options
	stepFlags
}

func newTraceCmd(e *env) *cobra.Command {
	var o traceOptions
	var direction string
	c := verb("trace ID|PATH:LINE|TEXT --in DIR", "Walk the evidence from a claim to its source lines, and back",
		cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
			o.Query = args[0]
			o.Direction = map[string]graph.Direction{"down": graph.Out, "up": graph.In, "both": graph.Both}[direction]
			if o.In == "" {
				return usagef("--in is missing: give a graph folder or the output folder of chain")
			}
			if o.Limit < 0 {
				return usagef("--limit: have %d, want 0 (no limit) or more", o.Limit)
			}
			return runTrace(c.Context(), e, o)
		})
	f := c.Flags()
	f.StringVar(&o.In, "in", "", "`dir` that holds nodes.jsonl and edges.jsonl, itself or in its folder graph")
	f.StringVar(&direction, "direction", "both", "`direction` of the walk: down, up or both")
	f.StringVar(&o.SourceRoot, "source-root", "", "`dir` that source paths are relative to")
	f.IntVar(&o.Limit, "limit", 20, "at most `n` steps from one node, and candidates listed; 0: all")
	f.BoolVar(&o.First, "first", false, "take the best of several matches")
	f.BoolVar(&o.Outside, "outside", false, "show files that the graph names outside of the folders above")
	addAccept(c.Flags(), &o.accept)
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	return c
}

func runTrace(ctx context.Context, e *env, o traceOptions) error {
	t := newTally(e, 10)
	g, err := readGraph(ctx, e, t, o.In)
	if err != nil {
		return err
	}
	loss := t.loss("trace", o.stepFlags)
	if err := loss.Before(); err != nil {
		return err
	}
	rep, err := trace.Run(ctx, g, o.Options)
	err = errors.Join(err, loss.After())
	switch {
	case rep.Trail == nil && len(rep.Candidates) == 0:
		return err
	case e.json:
		return errors.Join(writeJSON(e.out, rep), err)
	}
	return errors.Join(rep.Write(e.text()), err)
}

// readGraph reads the files of a graph into memory; t receives the findings.
func readGraph(ctx context.Context, e *env, t *tally, path string) (*graph.Local, error) {
	files, err := graph.Files(path)
	if err != nil {
		return nil, err
	}
	g := graph.NewLocal()
	err = g.Read(ctx, schema.Count(jsonl.Until(ctx, jsonl.Files[schema.Element](files, e.in)), &t.all), t.found)
	nodes, edges := g.Len()
	if t.taken += nodes + edges; err == nil && t.taken > 0 {
		lost := t.rejected
		err = chain.Rules(ctx, files, chain.RulesOptions{Digest: build.Digest, Gated: true, Rejected: t.errors > 0, Report: t.found})
		t.faulty, t.rejected = t.rejected-lost, lost
	}
	t.summary()
	return g, err
}

// remote reports whether a graph is named by the address of a server.
func remote(graph string) bool { return strings.Contains(graph, "://") }

// openGraph opens a graph for reading: a server's for an address (bolt://, neo4j:// and variants), otherwise a folder or file of elements, which is read
// completely.
func openGraph(ctx context.Context, e *env, where string, at target.Target, t *tally) (g graph.Graph, done func(), err error) {
	if at.URI = where; remote(where) {
		db, err := at.Open(ctx, e.getenv)
		if err != nil {
			return nil, nil, err
		}
		return db, func() { db.Close(context.WithoutCancel(ctx)) }, nil
	}
	local, err := readGraph(ctx, e, t, where)
	return local, func() {}, err
}
