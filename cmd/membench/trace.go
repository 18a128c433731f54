package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type traceOptions struct {
	query      string
	in         string // graph folder, chain output, or a file of elements
	direction  graph.Direction
	sourceRoot string
	limit      int
	first      bool
	json       bool
}

func newTraceCmd(e *env) *cobra.Command {
	var o traceOptions
	var direction string
	c := &cobra.Command{
		Use:   "trace ID|PATH:LINE|TEXT --in DIR",
		Short: "Walk the evidence from a claim to its source lines, and back",
		Long: `Walk the evidence of a graph.

Down leads from a claim to its memories, their turns and the lines of the source;
up leads from a line or turn to the memories, claims and probes that rest on it.
The start is an id, a line of a source file, or words to look for in claims,
memories and turns. When several things match, they are listed; give one of their
ids, or --first. The source's own lines are shown where the file is found: below
--source-root, else below the manifest's source_root, the current folder, DIR, the
folders above it, and projects (membench.yaml) in these.`,
		Example: `  membench trace 'claim:PREFERS_TOPIC|daily|user:lin|topic:乌龙茶' --in out/demo
  membench trace source/ch01_tea.norm.md:12 --in out/demo
  membench trace "oolong tea" --in out/demo --first --json | jq .lines`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.query = args[0]
			switch direction {
			case "down":
				o.direction = graph.Out
			case "up":
				o.direction = graph.In
			case "both":
				o.direction = graph.Both
			default:
				return usagef("--direction: have %q, want down, up or both", direction)
			}
			if o.in == "" {
				return usagef("--in is missing: give a graph folder or the output folder of chain")
			}
			if o.limit < 0 {
				return usagef("--limit: have %d, want 0 (no limit) or more", o.limit)
			}
			return runTrace(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.in, "in", "", "`dir` that holds nodes.jsonl and edges.jsonl, itself or in its folder graph")
	f.StringVar(&direction, "direction", "both", "down, up or both")
	f.StringVar(&o.sourceRoot, "source-root", "", "`dir` that source paths are relative to")
	f.IntVar(&o.limit, "limit", 20, "at most `n` steps from one node, and candidates listed; 0: all")
	f.BoolVar(&o.first, "first", false, "of several matches take the best")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return c
}

// traceReport is what --json prints.
type traceReport struct {
	Query      string        `json:"query"`
	Candidates []graph.Match `json:"candidates,omitempty"` // when several match
	Trail      *graph.Trail  `json:"trail,omitempty"`
	Lines      []sourceLines `json:"lines,omitempty"` // of the spans that the trail reaches
}

// sourceLines is the text of a span; Text is empty where the file was not found.
type sourceLines struct {
	schema.Span
	File string   `json:"file,omitempty"`
	Text []string `json:"text,omitempty"`
}

func runTrace(ctx context.Context, e *env, o traceOptions) error {
	files, err := graph.Files(o.in)
	if err != nil {
		return err
	}
	t := newTally(e, 10)
	g := graph.NewLocal()
	if err := g.Read(ctx, jsonl.Files[schema.Element](files, e.in), func(f *schema.Finding) { t.take(f) }); err != nil {
		return err
	}
	t.summary()
	rep := traceReport{Query: o.query}
	trail, candidates, err := findTrail(ctx, g, o)
	switch {
	case err != nil:
		return err
	case trail == nil:
		rep.Candidates = candidates
		if o.json {
			err = writeJSON(e.out, rep)
		} else {
			err = writeCandidates(e.text(), candidates)
		}
		if err != nil {
			return err
		}
		return fmt.Errorf("%q matches %d things: give one of these ids, or --first", o.query, len(candidates))
	}
	rep.Trail = trail
	src := newSources(o)
	for _, span := range append(trail.Spans(), spansOfEvents(trail)...) {
		if !slices.ContainsFunc(rep.Lines, func(l sourceLines) bool { return l.Span == span }) {
			rep.Lines = append(rep.Lines, src.lines(span))
		}
	}
	if o.json {
		return writeJSON(e.out, rep)
	}
	w := bufio.NewWriter(e.text())
	writeTrail(w, rep)
	return w.Flush()
}

// findTrail resolves the query: an id, an id before migration, a line of a source,
// text. With several matches it returns them and no trail.
func findTrail(ctx context.Context, g graph.Graph, o traceOptions) (*graph.Trail, []graph.Match, error) {
	trail, err := graph.TraceLimit(ctx, g, schema.NodeID(o.query), o.direction, o.limit)
	if err == nil || !errors.Is(err, graph.ErrNotFound) {
		return trail, nil, err
	}
	if id, ok, err := graph.ByAlias(ctx, g, o.query); err != nil {
		return nil, nil, err
	} else if ok {
		trail, err := graph.TraceLimit(ctx, g, id, o.direction, o.limit)
		return trail, nil, err
	}
	if trail, err := traceLine(ctx, g, o); trail != nil || err != nil {
		return trail, nil, err
	}
	found, err := graph.Find(ctx, g, o.query, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 0 || found[0].Tier == graph.Some {
		return nil, nil, notFound(ctx, g, o.query, found)
	}
	best := found[0].Tier
	n := slices.IndexFunc(found, func(m graph.Match) bool { return m.Tier != best })
	if n < 0 {
		n = len(found)
	}
	found = found[:n]
	trail, err = graph.TraceLimit(ctx, g, found[0].Node.ID, o.direction, o.limit)
	if err != nil || len(found) == 1 || o.first {
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
	if o.limit > 0 && len(found) > o.limit {
		found = found[:o.limit]
	}
	return nil, found, nil
}

// traceLine reads the query as path:line; it returns nil when it is no such thing.
func traceLine(ctx context.Context, g graph.Graph, o traceOptions) (*graph.Trail, error) {
	i := strings.LastIndexByte(o.query, ':')
	if i <= 0 {
		return nil, nil
	}
	line, err := strconv.Atoi(o.query[i+1:])
	if err != nil || line < 1 {
		return nil, nil
	}
	path := filepath.ToSlash(o.query[:i])
	var exact, ending []schema.NodeID
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{"Source"}}) {
		if err != nil {
			return nil, err
		}
		switch p := n.Props.Text("path"); {
		case p == path:
			exact = append(exact, n.ID)
		case strings.HasSuffix(p, "/"+strings.TrimPrefix(path, "./")), strings.HasSuffix(path, "/"+p):
			ending = append(ending, n.ID)
		}
	}
	switch {
	case len(exact) == 1:
		ending = exact
	case len(ending) > 1:
		return nil, fmt.Errorf("%s is the end of %d sources (%s, %s, …): give more of the path", path, len(ending), ending[0], ending[1])
	case len(ending) == 0:
		return nil, nil
	}
	trail, err := graph.TraceLine(ctx, g, ending[0], line, o.limit)
	if err != nil || len(trail.Up) > 0 {
		return trail, err
	}
	var near []string
	all, err := graph.Trace(ctx, g, ending[0], graph.In)
	if err != nil {
		return nil, err
	}
	for _, s := range all.Up {
		if first, last, ok := graph.Lines(*s.Via); ok && first >= line-3 && last <= line+3 {
			near = append(near, fmt.Sprintf("%d", first))
		}
	}
	hint := ""
	if len(near) > 0 {
		hint = "; turns stand at lines " + strings.Join(near, ", ")
	}
	return nil, fmt.Errorf("no turn stands on line %d of %s%s", line, path, hint)
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

func writeCandidates(w io.Writer, ms []graph.Match) error {
	for _, m := range ms {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", m.Node.ID, oneLine(nodeText(m.Node), 80)); err != nil {
			return err
		}
	}
	return nil
}

// spansOfEvents are the spans of a walk up: the edge leads from the source to the event.
func spansOfEvents(t *graph.Trail) (out []schema.Span) {
	for s := range t.All() {
		if s.Via == nil || s.Via.Type != "IN_SOURCE" || s.Node.ID != s.Via.Src || s.Via.Dst != t.Node.ID {
			continue
		}
		if first, last, ok := graph.Lines(*s.Via); ok {
			out = append(out, schema.Span{Path: t.Node.Props.Text("path"), First: first, Last: last})
		}
	}
	return out
}

// writeTrail draws the tree: what the root rests on, then what rests on it.
func writeTrail(w io.Writer, rep traceReport) {
	t := rep.Trail
	fmt.Fprintln(w, describe(t.Node, nil))
	lines := func(s schema.Span) []string {
		for _, l := range rep.Lines {
			if l.Span == s {
				return l.Text
			}
		}
		return nil
	}
	var draw func(t *graph.Trail, steps []*graph.Trail, omitted int, indent string)
	draw = func(t *graph.Trail, steps []*graph.Trail, omitted int, indent string) {
		for i, s := range steps {
			tee, bar := "├─ ", "│  "
			if i == len(steps)-1 && omitted == 0 {
				tee, bar = "└─ ", "   "
			}
			fmt.Fprintf(w, "%s%s%s\n", indent, tee, describe(s.Node, s.Via))
			if s.Via.Type == "IN_SOURCE" {
				first, last, _ := graph.Lines(*s.Via)
				path := s.Node.Props.Text("path")
				if s.Node.ID == s.Via.Src {
					path = t.Node.Props.Text("path")
				}
				for n, text := range lines(schema.Span{Path: path, First: first, Last: last}) {
					fmt.Fprintf(w, "%s%s%6d │ %s\n", indent, bar, first+n, oneLine(text, 200))
				}
			}
			next := s.Down
			if len(next) == 0 {
				next = s.Up
			}
			draw(s, next, s.Omitted, indent+bar)
		}
		if omitted > 0 {
			fmt.Fprintf(w, "%s└─ … and %d more; --limit 0 shows all\n", indent, omitted)
		}
	}
	switch down, up := len(t.Down) > 0, len(t.Up) > 0; {
	case down && up:
		fmt.Fprintln(w, "rests on")
		draw(t, t.Down, 0, "")
		fmt.Fprintln(w, "supports")
		draw(t, t.Up, t.Omitted, "")
	case down:
		draw(t, t.Down, t.Omitted, "")
	case up:
		draw(t, t.Up, t.Omitted, "")
	default:
		fmt.Fprintln(w, "no evidence leads from here")
	}
}

// nodeText is the text that a person knows a node by.
func nodeText(n schema.Node) string {
	for _, p := range []string{"data", "content", "gold", "path", "display", "name"} {
		if s := n.Props.Text(p); s != "" {
			return s
		}
	}
	return ""
}

// describe is one line: id, quoted text, and what else tells the thing apart.
func describe(n schema.Node, via *schema.Edge) string {
	var b strings.Builder
	label := "?"
	if len(n.Labels) > 0 {
		label = n.Labels[0]
	}
	var facts []string
	fact := func(names ...string) {
		for _, name := range names {
			if raw, ok := n.Props.Get(name); ok && string(raw) != "null" && string(raw) != `""` {
				text := string(raw)
				if raw[0] == '"' {
					text = n.Props.Text(name)
				}
				facts = append(facts, oneLine(text, 60))
			}
		}
	}
	quote := ""
	switch label {
	case "Claim":
		fact("status")
		if raw, ok := n.Props.Get("confidence"); ok {
			facts = append(facts, "confidence "+string(raw))
		}
		fact("updated_at", "deprecated_reason")
	case "MemoryItem":
		quote = n.Props.Text("data")
		fact("created_at")
	case "Event":
		quote = n.Props.Text("content")
		fact("role_name", "time")
	case "Source":
		if via != nil {
			if first, last, ok := graph.Lines(*via); ok {
				span := fmt.Sprintf("%s:%d", n.Props.Text("path"), first)
				if last > first {
					span += fmt.Sprintf("-%d", last)
				}
				return label + " " + span
			}
		}
		return label + " " + n.Props.Text("path")
	case "Probe":
		fact("gold")
	default:
		if s := n.Props.Text("display"); s != "" && !strings.HasSuffix(string(n.ID), ":"+s) {
			facts = append(facts, s)
		}
	}
	b.WriteString(label + " " + oneLine(string(n.ID), 0))
	if via != nil {
		// The evidence quotes the memory: say so only where it is not the memory's text.
		if text := via.Props.Text("text"); text != "" && via.Type == "EVIDENCED_BY" && n.ID == via.Dst && text != quote {
			facts = append(facts, "quoted as “"+oneLine(text, 120)+"”")
		}
		if by := via.Props.Text("by"); by != "" && by != "recorded" && via.Type == "FROM_EVENT" {
			if conf, ok := via.Props.Get("confidence"); ok {
				by += " " + string(conf)
			}
			facts = append(facts, by)
		}
	}
	if quote != "" {
		b.WriteString(" “" + oneLine(quote, 160) + "”")
	}
	if len(facts) > 0 {
		b.WriteString("  (" + strings.Join(facts, ", ") + ")")
	}
	return b.String()
}

func oneLine(s string, n int) string { return textnorm.OneLine(s, n) }

// sources finds and reads source files.
type sources struct {
	roots []string
}

func newSources(o traceOptions) *sources {
	if o.sourceRoot != "" {
		return &sources{[]string{o.sourceRoot}}
	}
	s := &sources{}
	for _, dir := range []string{o.in, filepath.Join(o.in, "graph")} {
		if m, err := readManifest(dir); err == nil {
			if root := m.Options.Text("source_root"); root != "" {
				s.roots = append(s.roots, root)
			}
		}
	}
	s.roots = append(s.roots, ".")
	dir, err := filepath.Abs(o.in)
	for range 6 {
		if err != nil {
			break
		}
		s.roots = append(s.roots, dir)
		// A project beside or in its output: demo keeps a copy there.
		projects, err := filepath.Glob(filepath.Join(dir, "*", "membench.yaml"))
		if err != nil {
			break // unreachable unless dir holds a pattern: then there is nothing to find
		}
		for _, p := range projects {
			s.roots = append(s.roots, filepath.Dir(p))
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
		} else {
			break
		}
	}
	return s
}

// maxShown is how many lines of one span are shown.
const maxShown = 40

func (s *sources) lines(span schema.Span) sourceLines {
	out := sourceLines{Span: span}
	path := filepath.FromSlash(span.Path)
	var tries []string
	if filepath.IsAbs(path) {
		tries = []string{path}
	} else if filepath.IsLocal(path) {
		for _, r := range s.roots {
			tries = append(tries, filepath.Join(r, path))
		}
	}
	for _, name := range tries {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		r, err := jsonl.Open(name, nil)
		if err != nil {
			continue
		}
		out.File = filepath.ToSlash(name)
		last := min(span.Last, span.First+maxShown-1)
		next := span.First
		for l, err := range jsonl.Lines(r, name, 1<<20) {
			if err != nil || l.Pos.Line > last {
				break
			}
			if l.Pos.Line < span.First {
				continue
			}
			for ; next < l.Pos.Line; next++ {
				out.Text = append(out.Text, "") // a blank line
			}
			out.Text = append(out.Text, string(l.Bytes))
			next++
		}
		r.Close()
		break
	}
	return out
}
