package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"membench/cypher/neo4j/target"
	"membench/eval/explain"
	"membench/eval/records"
	"membench/internal/stats"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// explainedRun is a graded run with all that explain looks at.
type explainedRun struct {
	run             string
	sessions, cases string // "": those of the run's folder
	explain.Options
}

type evalExplainOptions struct {
	accept acceptFlag
	explainedRun
	out      string // "": the run's own file
	graph    string // folder, or address of a server; "": none
	scope    string // of the graph at the server
	graphOut string // folder; "": none
	strict   bool
	json     bool
}

func newEvalExplainCmd(e *env) *cobra.Command {
	var o evalExplainOptions
	c := &cobra.Command{
		Use:   "explain RUN",
		Short: "Report at which hop each failed question was lost, and why",
		Long: `Report at which hop each failed question was lost, and why.

RUN is a folder with graded qa_records.jsonl (eval grade), session_records.jsonl and
cases.jsonl.zst, or a file of graded records. Each record that failed gets its attribution:
one hop, a cause, the reason in words, the turns and memories that show it. The file is
written again, whole or not at all; -o writes another instead. The command prints how many
questions each system lost at which hop, in all and by category.

Hops, in the order in which a fact passes them (the earliest that lost it counts):
  gold       the gold or its evidence is wrong (errata; gold words elsewhere)
  ingest     the turn was never given to the system
  store      no memory was made from it, or only one without the fact
  altered_stored
             a memory was made from it, but states something else
  overwrite  a later write removed it (deltas, snapshots)
  retrieve   a memory holds it but was not among the hits; the reason names its rank
  altered_retrieved
             the hit's text differs from the memory's
  context    it was among the hits, but what the reader saw is incomplete
  altered_context
             the context's text differs from the hit's
  read       the reader saw it and answered wrongly
  judge      the answer is right: another grader says so, or it is the gold word for word
  opaque     unknown: the system or the data set does not show enough
A hop has a kind: what happened there. Of an altered text: empty, identifier, other (another
text), cut, added, encoding, speaker, date, negated, number, name, words or older; the record
has both texts and the difference. Elsewhere: failed, dropped, updated, removed, rank,
duplicate, foreign, empty, refused, echoed or invented.
Causes: miss (not stored, not retrieved), conflict (overwritten, or the old value used),
temporal (right thing, wrong time), hallucination (an answer to an unanswerable question),
overload (cut, or a long context), generation (everything was shown). gold, judge and opaque
have none.

A question failed where its grade is below --threshold: --grader's, by default that of a
model's judge, otherwise of the rule judge, otherwise the first. A question that was not answered
(error, timeout, refusal) or not graded is counted and not explained.

--graph GRAPH_DIR or bolt://HOST (user and password as load-neo4j) splits what was lost up
to retrieval further, by the graph that the same turns made; the record's member break says
where the path from the turn to the answer ends: turn_not_ingested, memory_lacks_fact,
claim_not_extracted, entity_wrong, superseded_wrongly, out_of_validity, ranked_below_k.
--graph-out DIR writes each failed question as a node (Failure) with its gold path, the
place where it broke and what was retrieved instead: 'load-neo4j DIR' adds them to the
database that holds the graph, and Browser's saved query "failures" draws them.

'eval label' lets people label a sample of failures in the same way, and 'eval agreement'
measures their agreement with this.`,
		Example: `  membench eval explain runs/mine
  membench eval explain runs/mine --json | jq '.[] | {system, lost}'
  membench eval explain runs/mine --graph out/graph --graph-out out/failures
  membench eval explain graded.jsonl --sessions sessions.jsonl --cases cases.jsonl -o explained.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.run = args[0]
			switch {
			case o.LongContext < 1:
				return usagef("--long-context: have %d, want 1 or more", o.LongContext)
			case o.graphOut != "" && o.graph == "":
				return usagef("--graph-out needs --graph: the graph that the failures are added to")
			}
			return runEvalExplain(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	f.StringVarP(&o.out, "output", "o", "", "write the records to this `file` (- is standard output; the table then goes to standard error) instead of the run's own")
	o.explainedRun.add(f)
	f.StringVar(&o.Second, "second", "", "the `protocol` whose disagreement shows a judge's error (default: other models' verdicts, the rule judge, exact match)")
	f.IntVar(&o.LongContext, "long-context", 4000, "a context of `n` tokens that held the evidence is over-long")
	f.StringVar(&o.graph, "graph", "", "trace the gold evidence through this `graph`: a folder, or bolt://…")
	f.StringVar(&o.scope, "scope", "", "`name` of the graph at the server (load-neo4j --scope)")
	f.StringVar(&o.graphOut, "graph-out", "", "write failed questions as nodes and edges to this `folder`")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&o.json, "json", false, "print the counts as JSON")
	return c
}

func (o *explainedRun) add(f *pflag.FlagSet) {
	f.StringVar(&o.sessions, "sessions", "", "session records, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.cases, "cases", "", "the cases asked, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.Grader, "grader", "", "the `protocol` that says which answers failed")
	f.Float64Var(&o.Threshold, "threshold", 0.5, "count a `score` of at least this as right, above 0 to 1")
}

// find finds the files of the run and opens what stands beside its graded answers.
func (o *explainedRun) find(e *env, t *tally) (qa string, err error) {
	qa, sessions, err := records.Find(o.run)
	switch {
	case o.Threshold <= 0 || o.Threshold > 1:
		return "", usagef("--threshold: have %v, want above 0 to 1", o.Threshold)
	case err != nil:
		return "", err
	case qa == "" || strings.HasPrefix(filepath.Base(qa), "pipeline_qa"):
		return "", fmt.Errorf("%s: no graded qa_records.jsonl: run membench eval grade first", o.run)
	}
	o.sessions = cmp.Or(o.sessions, sessions)
	if o.cases == "" && isDir(o.run) {
		o.cases = records.In(o.run, "cases.jsonl")
	}
	for _, f := range []string{o.sessions, o.cases} {
		if f == "-" {
			return "", usagef("sessions and cases are read more than once: give files")
		}
	}
	if o.sessions == "" {
		e.warnf("no session records: what was ingested, stored and overwritten is unknown")
	} else {
		o.Sessions = jsonl.Files[schema.SessionRecord]([]string{o.sessions}, nil)
	}
	if o.cases == "" {
		e.warnf("no cases: turns are known only from the sources that memories name")
	} else {
		o.Cases = jsonl.Files[schema.Case]([]string{o.cases}, nil)
	}
	o.Report = func(f *schema.Finding) error { return t.take(f) }
	return qa, nil
}

func runEvalExplain(ctx context.Context, e *env, o evalExplainOptions) error {
	t := o.accept.tally(e)
	qa, err := o.find(e, t)
	switch {
	case err != nil:
		return err
	case qa == "-" && o.out == "":
		return usagef("the records come from standard input: name the output with -o")
	case o.out == "" && qa != jsonl.PlainName(qa):
		return usagef("%s is compressed and is not replaced: name the output with -o", qa)
	}
	if o.graph != "" {
		g, done, err := openGraph(ctx, e, o.graph, target.Target{Scope: o.scope}, t)
		if err != nil {
			return err
		}
		defer done()
		o.Graph = g
	}
	if o.graphOut == "" {
		return writeExplained(ctx, e, o, t, qa)
	}
	return writeFailures(o.graphOut, func(f *failureGraph) error {
		o.Walked = f.walked
		err := writeExplained(ctx, e, o, t, qa)
		if err == nil {
			e.warnf("%d failed questions in %s; for %d the graph shows where they broke", f.failed, o.graphOut, f.at)
		}
		return err
	})
}

// writeExplained writes the records and the counts.
func writeExplained(ctx context.Context, e *env, o evalExplainOptions, t *tally, qa string) error {
	counts := explain.NewCounts(o.Options)
	out := cmp.Or(o.out, qa)
	table := e.text()
	if out == "-" {
		table = e.err
	}
	told := schema.Observe(explain.QA(ctx, records.QA(ctx, e.in, qa), o.Options), counts.Add)
	err := writeOut(e, out, func(w io.Writer) error {
		n, findings, err := jsonl.Write(w, schema.Latest, records.Bare(told, out, qa))
		for _, f := range findings {
			err = errors.Join(err, t.take(f))
		}
		if err == nil && t.errors > 0 && (o.strict || o.out == "" || n == 0) {
			err = errFindings
		}
		if err == nil && n == 0 {
			err = schema.Brokenf("%s: no record was read", qa)
		}
		return err
	})
	t.summary()
	if errors.Is(err, errFindings) && !o.strict && o.out == "" {
		e.warnf("%s is unchanged: its unreadable lines would be lost; use -o to write the other records elsewhere", qa)
	}
	if err != nil {
		return err
	}
	if o.json {
		return errors.Join(writeJSON(table, counts.All()), t.lost())
	}
	w := bufio.NewWriter(table)
	for _, c := range counts.All() {
		printLost(w, c)
	}
	return errors.Join(w.Flush(), t.lost())
}

// printLost draws hop × cause, then category × hop. Columns without a question are left
// out.
func printLost(w io.Writer, c explain.Count) {
	var by []string
	for _, g := range c.Graders {
		by = append(by, fmt.Sprintf("%s (%d)", g.Name, g.N))
	}
	fmt.Fprintf(w, "%s on %s: %d questions, %d right, %d failed", c.System, c.Dataset, c.Questions, c.Right, c.Failed)
	if c.NotAnswered > 0 {
		fmt.Fprintf(w, ", %d not answered", c.NotAnswered)
	}
	if c.NotGraded > 0 {
		fmt.Fprintf(w, ", %d not graded", c.NotGraded)
	}
	fmt.Fprintf(w, "; by %s\n", cmp.Or(strings.Join(by, ", "), "no grade"))
	if c.Failed == 0 {
		return
	}
	hops := slices.DeleteFunc(schema.Hops(), func(h string) bool { return explain.Sum(c.Lost, h, "") == 0 })
	line := func(name string, n func(hop string) int, all int) {
		fmt.Fprintf(w, "  %-14s", name)
		for _, h := range hops {
			fmt.Fprintf(w, " %*s", max(9, len(h)), orDash(n(h)))
		}
		fmt.Fprintf(w, " %9d\n", all)
	}
	fmt.Fprintf(w, "  %-14s", "lost at")
	for _, h := range hops {
		fmt.Fprintf(w, " %*s", max(9, len(h)), h)
	}
	fmt.Fprintf(w, " %9s\n", "all")
	for _, cause := range schema.Causes() {
		if n := explain.Sum(c.Lost, "", cause); n > 0 {
			line(cause, func(h string) int { return explain.Sum(c.Lost, h, cause) }, n)
		}
	}
	none := func(hop string) (n int) {
		for _, l := range c.Lost {
			if l.Cause == "" && (hop == "" || l.Hop == hop) {
				n += l.N
			}
		}
		return n
	}
	if n := none(""); n > 0 {
		line("no cause", none, n)
	}
	line("all", func(h string) int { return explain.Sum(c.Lost, h, "") }, c.Failed)
	fmt.Fprintf(w, "  %-14s", "% (95 %)")
	for _, h := range hops {
		i := stats.Wilson(explain.Sum(c.Lost, h, ""), c.Failed, .95)
		fmt.Fprintf(w, " %*s", max(9, len(h)), fmt.Sprintf("%.0f–%.0f", 100*i.Lo, 100*i.Hi))
	}
	fmt.Fprintln(w)
	for _, p := range c.Categories {
		if p.Failed > 0 {
			line(fmt.Sprintf("%s of %d", cmp.Or(p.Category, "?"), p.Questions), func(h string) int { return explain.Sum(p.Lost, h, "") }, p.Failed)
		}
	}
	for _, h := range hops {
		var kinds []string
		for _, k := range explain.Kinds(c.Lost, h) {
			kinds = append(kinds, fmt.Sprintf("%s %d", k.Name, k.N))
		}
		if len(kinds) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", h, strings.Join(kinds, ", "))
		}
	}
	for i, b := range c.Breaks {
		if i == 0 {
			fmt.Fprint(w, "  in the graph:")
		}
		fmt.Fprintf(w, " %s %d", b.Name, b.N)
	}
	if len(c.Breaks) > 0 {
		fmt.Fprintln(w)
	}
}

func orDash(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}
