package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/config"
	"membench/cypher/neo4j/target"
	"membench/eval/reader"
	"membench/graph"
	"membench/graph/trace"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/schema"

	"github.com/spf13/cobra"
)

type askOptions struct {
	graph, in  string
	question   string
	asOf       string
	k, show    int
	sourceRoot string
	outside    bool
	stepFlags
	json   bool
	neo4j  target.Target
	models modelFlags
}

func newAskCmd(e *env) *cobra.Command {
	o := askOptions{models: modelFlags{temperature: -1}}
	c := &cobra.Command{
		Use:   `ask [GRAPH] "QUESTION"`,
		Short: "Answer a question from a graph, with the evidence below the answer",
		Long: `Answer a question from a graph, and show the evidence for the answer: the turns, the claims
that rest on them with the time for which they hold, and the walk from each claim over
its memories to the lines of the source.

GRAPH is a folder that to-graph or chain wrote, a file of elements, - for standard
input, or the bolt:// or neo4j:// address of a server that load-neo4j filled (user and
password from NEO4J_USERNAME and NEO4J_PASSWORD, otherwise of 'membench neo4j up'). A graph of
memories without turns (claimify and to-graph of a Mem0 export) is asked the same way.

Turns are found by words, vectors, the conversation's own edges, speaker and date
(docs/graph-memory.md). Without a model the answer comes from the claims if the question has
a form that claims answer (where somebody lives, works or studies, what is liked best,
whether something is still so, whether it ever was, how many, which came first), with the
previous value and when it ended; otherwise from the words that were found. Nothing is
guessed: if there is no certain answer, ask says so and quotes the nearest statements.
--model asks a model. Vectors come from the embedding endpoint if one is configured,
otherwise from word features. With --as-of nothing said later counts, and claims have their
state at that time: 2026-03 means to the end of March.`,
		Example: `  membench ask out/demo "Where does Lin want to send the manuscript?"
  membench ask "Which tea does the user drink at night?" --in out/demo
  membench ask out/demo "林晚喜欢喝什么茶？" --as-of 2026-03-05 --json | jq -r .answer
  membench ask bolt://localhost:7687 "who fixed the disk alert?" --scope ops --model gpt-4o-mini`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			o.graph, o.question = o.in, args[len(args)-1]
			if len(args) == 2 && o.in == "" {
				o.graph = args[0]
			} else if len(args) == 2 || o.in == "" {
				return usagef("name the graph once, as the first argument or with --in")
			}
			if err := o.check(); err != nil {
				return err
			}
			return runAsk(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.in, "in", "", "`GRAPH` to ask, as in trace, in place of the first argument")
	f.StringVar(&o.asOf, "as-of", "", "ask as of this `date`, RFC 3339 or its beginning")
	f.IntVar(&o.k, "k", 10, "answer from the `n` best turns")
	f.IntVar(&o.show, "show", 3, "show the evidence of the `n` best turns; --json has all")
	f.StringVar(&o.sourceRoot, "source-root", "", "`dir` that source paths are relative to")
	f.BoolVar(&o.outside, "outside", false, "show files that the graph names outside of its folders")
	o.addAccept(c)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVar(&o.neo4j.Database, "database", "", "`name` of the database, of a server")
	f.StringVar(&o.neo4j.Scope, "scope", "", "`name` of the graph, where a server's database holds several")
	o.models.add(c)
	f.Lookup("dry-run").Hidden = true
	return c
}

func (o *askOptions) check() error {
	switch {
	case strings.TrimSpace(o.question) == "":
		return usagef("the question is empty")
	case o.k < 1:
		return usagef("--k: have %d, want 1 or more", o.k)
	case o.show < 0:
		return usagef("--show: have %d, want 0 or more", o.show)
	case !graphmem.IsInstant(o.asOf):
		return usagef("--as-of: have %q, want a date such as 2026-03-05, its beginning (2026-03), or an instant (2026-03-05T08:00:00Z)", o.asOf)
	case !remote(o.graph) && o.neo4j.Database+o.neo4j.Scope != "":
		return usagef("--database and --scope apply to a server: give its bolt:// address as GRAPH")
	case o.models.dryRun:
		return usagef("ask makes at most one model call: it has no --dry-run")
	}
	return nil
}

// askReport is what --json prints.
type askReport struct {
	Question string    `json:"question"`
	AsOf     string    `json:"as_of,omitzero"`
	Answer   string    `json:"answer"`
	Used     []int     `json:"used,omitempty"`    // ranks of the hits that it was taken from, by rule
	Unknown  []string  `json:"unknown,omitempty"` // names in the question that nothing in the graph mentions
	Quoted   []string  `json:"quoted,omitempty"`  // what was said nearest to it, where nothing answers the question
	Near     []string  `json:"near,omitempty"`    // claims found near by, where nothing was said near it either
	By       schema.By `json:"by"`                // "rule" or the model
	Turns    int       `json:"turns"`
	Claims   int       `json:"claims"`
	Hits     []askHit  `json:"hits"` // best first
}

type askHit struct {
	schema.QAHit
	Claims []askClaim          `json:"claims,omitempty"`
	Trail  *graph.Trail        `json:"trail,omitempty"` // from the turn to its source
	Lines  []trace.SourceLines `json:"lines,omitempty"` // of the spans that the trails reach
}

type askClaim struct {
	ID     schema.ClaimID `json:"claim_id"`
	Text   string         `json:"text"`
	Holds  bool           `json:"holds"` // at the time asked for
	From   string         `json:"from,omitzero"`
	To     string         `json:"to,omitzero"`
	Quotes []string       `json:"quotes"`
	Trail  *graph.Trail   `json:"trail,omitempty"`
}

func runAsk(ctx context.Context, e *env, o askOptions) (err error) {
	ms, err := o.models.open(e)
	if err != nil {
		return err
	}
	defer ms.close(&err)
	t := newTally(e, 10)
	g, done, err := openGraph(ctx, e, o.graph, o.neo4j, t)
	if err != nil {
		return err
	}
	defer done()
	loss := t.loss("ask", o.stepFlags)
	loss.Empty = remote(o.graph) // a server has answered
	if err := loss.Before(); err != nil {
		return err
	}
	embed, err := ms.Embedder()
	if err != nil {
		return err
	}
	var r reader.Reader // nil: claims and rules
	if o.models.model != "" {
		gen, err := ms.Generator(config.Read)
		if err != nil {
			return err
		}
		if r, err = reader.Model(gen, ms.Prompts, reader.ModelOptions{}); err != nil {
			return err
		}
	}
	rep, err := ask(ctx, g, memory.Deps{Embed: embed}, r, o)
	if err != nil {
		return err
	}
	if o.json {
		return errors.Join(writeJSON(e.out, rep), loss.After())
	}
	w := bufio.NewWriter(e.text())
	writeAsk(w, e.texts, rep, o.show)
	return errors.Join(w.Flush(), loss.After())
}

// ask retrieves, reads and walks the evidence of each hit.
func ask(ctx context.Context, g graph.Graph, d memory.Deps, r reader.Reader, o askOptions) (askReport, error) {
	rep := askReport{Question: o.question, AsOf: o.asOf}
	m, err := graphmem.Over(ctx, g, d, graphmem.Defaults())
	if err != nil {
		return rep, err
	}
	if rep.Turns, rep.Claims = m.Size(); rep.Turns == 0 {
		return rep, fmt.Errorf("%s: the graph has neither turns nor memories to answer from; add them with to-graph --events or --exports", o.graph)
	}
	a, err := m.Answer(ctx, r, o.question, o.asOf, o.k)
	if err != nil {
		return rep, err
	}
	src := trace.NewSources(o.graph, o.sourceRoot, o.outside)
	for i, h := range a.Hits {
		x := askHit{QAHit: schema.QAHit{Rank: i + 1, ID: h.ID, Score: h.Score, Text: h.Text, Sources: h.Sources}}
		if err := x.walk(ctx, m, src, o.asOf); err != nil {
			return rep, err
		}
		rep.Hits = append(rep.Hits, x)
	}
	rep.Answer, rep.By, rep.Used, rep.Unknown = a.Text, a.By, a.Used, a.Unknown
	for _, q := range a.Near {
		rep.Quoted = append(rep.Quoted, q.Text)
	}
	if len(a.Near) == 0 && (a.Text == reader.Refusal || a.Text == reader.RefusalZH) {
		rep.Near = rep.near(m.Speakers())
	}
	return rep, nil
}

// near are claims that were found beside a question that nothing answers: at most three
// that hold, of the best hits, and none of a speaker whom a question does not name that
// names another.
func (rep *askReport) near(speakers []string) (out []string) {
	low := strings.ToLower(rep.Question)
	named := func(s string) bool { return strings.Contains(low, strings.ToLower(s)) }
	foreign := func(claim string) bool {
		return slices.ContainsFunc(speakers, named) && slices.ContainsFunc(speakers, func(s string) bool {
			return !named(s) && strings.HasPrefix(strings.ToLower(claim), strings.ToLower(s)+" ")
		})
	}
	for _, h := range rep.Hits {
		for _, c := range h.Claims {
			if c.Holds && !foreign(c.Text) && len(out) < 3 && !slices.Contains(out, c.Text) {
				out = append(out, c.Text)
			}
		}
	}
	return out
}

// walk adds the claims that rest on the hit, and the way down from each to the source.
func (x *askHit) walk(ctx context.Context, m *graphmem.Reading, src *trace.Sources, asOf string) error {
	const steps = 5 // of one node: the demo's longest is 3
	g := m.Graph()
	down := func(id schema.NodeID) (*graph.Trail, error) {
		t, err := graph.TraceLimit(ctx, g, id, graph.Out, steps)
		if err != nil {
			return nil, err
		}
		known(t, asOf)
		for _, span := range t.Spans() {
			if !slices.ContainsFunc(x.Lines, func(l trace.SourceLines) bool { return l.Span == span }) {
				x.Lines = append(x.Lines, src.Lines(span))
			}
		}
		return t, nil
	}
	for _, f := range m.Facts(x.ID, asOf) {
		c := askClaim{ID: f.ID, Text: f.Text, Holds: f.Holds}
		for i, s := range f.Spans {
			if i == 0 {
				c.From = s.From.Format("2006-01-02")
			}
			c.To = ""
			if !s.To.IsZero() {
				c.To = s.To.Format("2006-01-02")
			}
		}
		for _, q := range f.Evidence {
			c.Quotes = append(c.Quotes, q.Text)
		}
		var err error
		if c.Trail, err = down(schema.NodeID(f.ID)); err != nil {
			return err
		}
		x.Claims = append(x.Claims, c)
	}
	var err error
	x.Trail, err = down(schema.NodeID(x.ID))
	return err
}

// known leaves out of a trail what was said after asOf.
func known(t *graph.Trail, asOf string) {
	t.Down = slices.DeleteFunc(t.Down, func(s *graph.Trail) bool {
		return !graphmem.SaidBy(cmp.Or(s.Node.Props.Text("time"), s.Node.Props.Text("created_at")), asOf)
	})
	for _, s := range t.Down {
		known(s, asOf)
	}
}

// shown are the hits to show: those that the answer was taken from, else the best.
func (rep *askReport) shown(n int) (out []askHit) {
	for _, rank := range rep.Used {
		if rank <= len(rep.Hits) && len(out) < n {
			out = append(out, rep.Hits[rank-1])
		}
	}
	if len(out) == 0 {
		out = rep.Hits[:min(n, len(rep.Hits))]
	}
	return out
}

func writeAsk(w io.Writer, t *texts, rep askReport, show int) {
	say := func(format string, args ...any) { fmt.Fprint(w, t.format(format, args...)) }
	if len(rep.Quoted) == 0 {
		fmt.Fprintln(w, rep.Answer)
	} else {
		say("Nothing that was said answers this for certain. Nearest to it:\n")
	}
	for _, q := range rep.Quoted {
		fmt.Fprintf(w, "  %s\n", textnorm.OneLine(q, 400))
	}
	say("\nanswered by %s from %d of %d turns, %d claims in the graph\n", rep.By, len(rep.Hits), rep.Turns, rep.Claims)
	if len(rep.Unknown) > 0 {
		say("the graph does not mention %s\n", strings.Join(rep.Unknown, ", "))
	}
	for _, s := range rep.Near {
		say("related: %s\n", textnorm.OneLine(s, 160))
	}
	first := map[schema.ClaimID]int{} // the hit below which a claim's way is shown
	for _, h := range rep.shown(show) {
		fmt.Fprintf(w, "\n[%d] %.2f ", h.Rank, h.Score)
		trace.Report{Trail: h.Trail, Lines: h.Lines}.Write(w)
		for _, c := range h.Claims {
			state := t.format("holds")
			if !c.Holds {
				state = t.format("no longer holds")
			}
			if c.From != "" {
				state += t.format(", from %s", c.From)
			}
			if c.To != "" {
				state += t.format(" to %s", c.To)
			}
			if rank := first[c.ID]; rank > 0 {
				state += t.format(", evidence below [%d]", rank)
			}
			fmt.Fprintf(w, "= %s  (%s)\n", textnorm.OneLine(c.Text, 160), state)
			if first[c.ID] > 0 {
				continue
			}
			first[c.ID] = h.Rank
			trace.Report{Trail: c.Trail, Lines: h.Lines}.Write(w)
		}
	}
}
