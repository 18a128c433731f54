package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"membench/config"
	"membench/cypher/neo4j/target"
	"membench/eval/reader"
	"membench/graph/trace"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/memory/graphmem"
	"membench/schema"

	"github.com/spf13/cobra"
)

type askOptions struct {
	graphmem.AskOptions
	in   string
	show int
	stepFlags
	neo4j  target.Target
	models modelFlags
}

func newAskCmd(e *env) *cobra.Command {
	o := askOptions{models: modelFlags{temperature: -1}}
	c := verb(`ask [GRAPH] "QUESTION"`, "Answer a question from a graph, with the evidence below the answer",
		cobra.RangeArgs(1, 2), func(c *cobra.Command, args []string) error {
			o.Graph, o.Question = o.in, args[len(args)-1]
			if len(args) == 2 && o.in == "" {
				o.Graph = args[0]
			} else if len(args) == 2 || o.in == "" {
				return usagef("name the graph once, as the first argument or with --in")
			}
			if err := o.check(); err != nil {
				return err
			}
			return runAsk(c.Context(), e, o)
		})
	f := c.Flags()
	f.StringVar(&o.in, "in", "", "`GRAPH` to ask, as in trace, in place of the first argument")
	f.StringVar(&o.AsOf, "as-of", "", "ask as of this `date`, RFC 3339 or its beginning")
	f.IntVar(&o.K, "k", 10, "answer from the `n` best turns")
	f.IntVar(&o.show, "show", 3, "show the evidence of the `n` best turns; --json has all")
	f.StringVar(&o.SourceRoot, "source-root", "", "`dir` that source paths are relative to")
	f.BoolVar(&o.Outside, "outside", false, "show files that the graph names outside of its folders")
	addAccept(c.Flags(), &o.accept)
	f.BoolVar(&e.json, "json", false, "print one JSON object")
	f.StringVar(&o.neo4j.Database, "database", "", "`name` of the database, of a server")
	f.StringVar(&o.neo4j.Scope, "scope", "", "`name` of the graph, where a server's database holds several")
	o.models.add(c)
	f.Lookup("dry-run").Hidden = true
	return c
}

func (o *askOptions) check() error {
	switch {
	case strings.TrimSpace(o.Question) == "":
		return usagef("the question is empty")
	case o.K < 1:
		return usagef("--k: have %d, want 1 or more", o.K)
	case o.show < 0:
		return usagef("--show: have %d, want 0 or more", o.show)
	case !graphmem.IsInstant(o.AsOf):
		return usagef("--as-of: have %q, want a date such as 2026-03-05, its beginning (2026-03), or an instant (2026-03-05T08:00:00Z)", o.AsOf)
	case !remote(o.Graph) && o.neo4j.Database+o.neo4j.Scope != "":
		return usagef("--database and --scope apply to a server: give its bolt:// address as GRAPH")
	case o.models.dryRun:
		return usagef("ask makes at most one model call: it has no --dry-run")
	}
	return nil
}

func runAsk(ctx context.Context, e *env, o askOptions) (err error) {
	ms, err := o.models.open(e)
	if err != nil {
		return err
	}
	defer ms.close(&err)
	t := newTally(e, 10)
	g, done, err := openGraph(ctx, e, o.Graph, o.neo4j, t)
	if err != nil {
		return err
	}
	defer done()
	loss := t.loss("ask", o.stepFlags)
	loss.Empty = remote(o.Graph) // a server has answered
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
	rep, err := graphmem.Ask(ctx, g, memory.Deps{Embed: embed}, r, o.AskOptions)
	if err != nil {
		return err
	}
	return errors.Join(e.show(rep, func(w io.Writer) { writeAsk(w, e.texts, rep, o.show) }), loss.After())
}

func writeAsk(w io.Writer, t *texts, rep graphmem.Reply, show int) {
	say := func(format string, args ...any) { fmt.Fprint(w, t.format(format, args...)) }
	fmt.Fprintln(w, rep.Lead())
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
	for _, h := range rep.Shown(show) {
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
