// Package trace walks the evidence of a graph from a claim to its source lines and back,
// and shows the lines.
package trace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/schema"
)

// Options of Run.
type Options struct {
	Query      string          // an id, PATH:LINE of a source or of the export that it was made of, or words
	Direction  graph.Direction // Out: down to the sources; In: up to the claims
	Limit      int             // steps from one node, and candidates; 0: all
	First      bool            // of several matches take the best
	In         string          // where the graph lies: sources are looked for around it
	SourceRoot string          // where they are; "": looked for
	Outside    bool            // show also files outside of these folders that the graph names
}

// Report is a walk with the text of the source lines that it reaches, or the candidates
// of an ambiguous query.
type Report struct {
	Query      string        `json:"query"`
	Candidates []graph.Match `json:"candidates,omitempty"` // when several match
	Trail      *graph.Trail  `json:"trail,omitempty"`
	Lines      []SourceLines `json:"lines,omitempty"` // of the spans that the trail reaches
}

// Run finds what the query names and walks from there. When several things match, the
// report holds them and the error says so.
func Run(ctx context.Context, g graph.Graph, o Options) (Report, error) {
	rep := Report{Query: o.Query}
	src := NewSources(o.In, o.SourceRoot, o.Outside)
	trail, candidates, err := findTrail(ctx, g, o, src)
	if err != nil {
		return rep, err
	}
	if trail == nil {
		rep.Candidates = candidates
		return rep, fmt.Errorf("%q matches %d things: give one of these ids, or --first", o.Query, len(candidates))
	}
	rep.Trail = trail
	for _, span := range append(trail.Spans(), spansOfEvents(trail)...) {
		if !slices.ContainsFunc(rep.Lines, func(l SourceLines) bool { return l.Span == span }) {
			rep.Lines = append(rep.Lines, src.Lines(span))
		}
	}
	return rep, nil
}

// findTrail resolves the query: an id, an id before migration, a line of a source,
// text. With several matches it returns them and no trail.
func findTrail(ctx context.Context, g graph.Graph, o Options, src *Sources) (*graph.Trail, []graph.Match, error) {
	trail, err := graph.TraceLimit(ctx, g, schema.NodeID(o.Query), o.Direction, o.Limit)
	if err == nil || !errors.Is(err, graph.ErrNotFound) {
		return trail, nil, err
	}
	if id, ok, err := graph.ByAlias(ctx, g, o.Query); err != nil {
		return nil, nil, err
	} else if ok {
		trail, err := graph.TraceLimit(ctx, g, id, o.Direction, o.Limit)
		return trail, nil, err
	}
	if trail, err := traceLine(ctx, g, o, src); trail != nil || err != nil {
		return trail, nil, err
	}
	found, err := graph.Find(ctx, g, o.Query, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 || found[0].Tier == graph.Some {
		return nil, nil, notFound(ctx, g, o.Query, found)
	}
	best := found[0].Tier
	n := slices.IndexFunc(found, func(m graph.Match) bool { return m.Tier != best })
	if n < 0 {
		n = len(found)
	}
	found = found[:n]
	trail, err = graph.TraceLimit(ctx, g, found[0].Node.ID, o.Direction, o.Limit)
	if err != nil || len(found) == 1 || o.First {
		return trail, nil, err
	}
	// A claim, its memory and its turn often share their words: one walk holds them all.
	whole, err := graph.Trace(ctx, g, found[0].Node.ID, graph.Both)
	if err != nil {
		return nil, nil, err
	}
	on := map[schema.NodeID]bool{}
	for s := range whole.All() {
		on[s.Node.ID] = true
	}
	if !slices.ContainsFunc(found, func(m graph.Match) bool { return !on[m.Node.ID] }) {
		return trail, nil, nil
	}
	if o.Limit > 0 && len(found) > o.Limit {
		found = found[:o.Limit]
	}
	return nil, found, nil
}

// traceLine reads the query as path:line, of a source or of the export that a source was made of; it returns nil for other queries.
func traceLine(ctx context.Context, g graph.Graph, o Options, src *Sources) (*graph.Trail, error) {
	i := strings.LastIndexByte(o.Query, ':')
	if i <= 0 {
		return nil, nil
	}
	line, err := strconv.Atoi(o.Query[i+1:])
	if err != nil || line < 1 {
		return nil, nil
	}
	path := filepath.ToSlash(o.Query[:i])
	var all, exact, ending []schema.Node
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelSource}}) {
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		switch p := n.Props.Text("path"); {
		case p == path:
			exact = append(exact, n)
		case strings.HasSuffix(p, "/"+strings.TrimPrefix(path, "./")), strings.HasSuffix(path, "/"+p):
			ending = append(ending, n)
		}
	}
	switch {
	case len(exact) == 1:
		ending = exact
	case len(ending) > 1:
		return nil, fmt.Errorf("%s matches the end of %d source paths (%s, %s, …): give more of the path", path, len(ending), ending[0].ID, ending[1].ID)
	case len(ending) == 0:
		return traceExport(ctx, g, o, src, all, path, line)
	}
	trail, err := graph.TraceLines(ctx, g, ending[0].ID, []int{line}, o.Limit)
	if err != nil || len(trail.Up) > 0 {
		return trail, err
	}
	var turns []int
	whole, err := graph.Trace(ctx, g, ending[0].ID, graph.In)
	if err != nil {
		return nil, err
	}
	for _, s := range whole.Up {
		if first, _, ok := graph.Lines(*s.Via); ok {
			turns = append(turns, first)
		}
	}
	return nil, noTurn(line, path, turns)
}

// traceExport walks up from the source lines that were made of a line of an export; nil where no source was made of such a file.
func traceExport(ctx context.Context, g graph.Graph, o Options, src *Sources, sources []schema.Node, export string, line int) (*graph.Trail, error) {
	var found []schema.Node
	var made, turns []int
	for _, n := range sources {
		lines, others := src.madeOf(n.Props.Text("path"), export, line)
		if turns = append(turns, others...); len(lines) > 0 {
			found, made = append(found, n), lines
		}
	}
	switch {
	case len(found) > 1:
		return nil, fmt.Errorf("line %d of %s is in %d sources (%s, %s, …): give more of the path", line, export, len(found), found[0].ID, found[1].ID)
	case len(found) == 1:
		return graph.TraceLines(ctx, g, found[0].ID, made, o.Limit)
	case len(turns) > 0:
		return nil, noTurn(line, export, turns)
	}
	return nil, nil
}

// noTurn names the lines near one without a turn that have one.
func noTurn(line int, path string, turns []int) error {
	slices.Sort(turns)
	near := slices.DeleteFunc(slices.Compact(turns), func(n int) bool { return n < line-3 || n > line+3 })
	hint := ""
	if len(near) > 0 {
		hint = "; turns are on lines " + strings.ReplaceAll(strings.Trim(fmt.Sprint(near), "[]"), " ", ", ")
	}
	return fmt.Errorf("there is no turn on line %d of %s%s", line, path, hint)
}

func notFound(ctx context.Context, g graph.Graph, query string, some []graph.Match) error {
	var ids []string
	for _, m := range some[:min(5, len(some))] {
		ids = append(ids, string(m.Node.ID))
	}
	near, err := graph.Nearest(ctx, g, query, 5)
	if err != nil {
		return err
	}
	for _, id := range near {
		if len(ids) < 5 && !slices.Contains(ids, string(id)) {
			ids = append(ids, string(id))
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%q is in no claim, memory or turn of the graph", query)
	}
	return fmt.Errorf("%q is in no claim, memory or turn of the graph; nearest:\n  %s", query, strings.Join(ids, "\n  "))
}

// spansOfEvents are the spans of a walk up: the edge leads from the source to the event.
func spansOfEvents(t *graph.Trail) (out []schema.Span) {
	for s := range t.All() {
		if s.Via == nil || s.Via.Type != schema.EdgeInSource || s.Node.ID != s.Via.Src || s.Via.Dst != t.Node.ID {
			continue
		}
		if first, last, ok := graph.Lines(*s.Via); ok {
			out = append(out, schema.Span{Path: t.Node.Props.Text("path"), First: first, Last: last})
		}
	}
	return out
}
