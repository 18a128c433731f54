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

	"membench/eval/explain"
	"membench/eval/figure"
	"membench/eval/records"
	"membench/internal/stats"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type evalExplainOptions struct {
	run             string
	sessions, cases string // "": those of the run's folder
	out             string // "": the run's own file
	explain.Options
	graph      string // folder, or address of a server; "": none
	scope      string // of the graph at the server
	graphOut   string // folder; "": none
	sample     int
	seed       uint64
	labels     string
	readLabels string
	strict     bool
	json       bool
}

func newEvalExplainCmd(e *env) *cobra.Command {
	var o evalExplainOptions
	c := &cobra.Command{
		Use:   "explain RUN",
		Short: "Say at which hop each failed question was lost, and why",
		Long: `Say at which hop each failed question was lost, and why.

RUN is a folder with graded qa_records.jsonl (eval grade), session_records.jsonl and
cases.jsonl.zst, or a file of graded records. Each record that failed gets its
attribution: one hop, a cause, the reason in words, the turns and memories that show it.
The file is written again, whole or not at all; -o writes another instead. Printed is how
many questions each system lost where, in all and by category.

Hops, in the order in which a fact passes them (the earliest that lost it counts):
  gold       the gold or its evidence is wrong (errata; gold words elsewhere)
  ingest     the turn was never given to the system
  store      no memory was made of it, or one that does not say it
  overwrite  a later write took it away (deltas, snapshots)
  retrieve   a memory holds it and was not among the hits; the reason names its rank
  context    it was among the hits and not whole in what the reader saw
  read       the reader saw it and answered wrongly
  judge      the answer is right: another grader says so, or it is the gold word for word
  opaque     the system or the data set does not show enough to tell: nothing is guessed
Causes: miss (not stored, not retrieved), conflict (overwritten, or the old value used),
temporal (right thing, wrong time), hallucination (an answer where there is none),
overload (cut, or a long context), generation (all was there). gold, judge and opaque
have none.

A question failed where its grade is below --threshold: --grader's, by default that of a
model's judge, else of the rule judge, else the first. A question that was not answered
(error, timeout, refusal) or not graded is counted and not explained.

--graph GRAPH_DIR or bolt://HOST (user and password as load-neo4j) splits what was lost up to
retrieval further, by the graph that the same turns made; the record's member break says
where the way from the turn to the answer ends: turn_not_ingested, memory_lacks_fact,
claim_not_extracted, entity_wrong, superseded_wrongly, out_of_validity, ranked_below_k.
--graph-out DIR writes each failed question as a node (Failure) with its gold path, the
place where it broke and what was retrieved instead: 'load-neo4j DIR' puts them into the
database that holds the graph, and Browser's saved query "failures" draws them.

--sample N --labels FILE draws N failed questions for people to label, without what the
tool says: .tsv or .csv for a spreadsheet (columns in English and Chinese), .jsonl else.
Fill in hop and cause (English or Chinese words, or seed 002's MISS TEMPORAL CONFLICT
HALLUC GEN) and give the file to --read-labels: it prints how far people and tool agree,
with κ and its intervals, and changes nothing.`,
		Example: `  membench eval explain runs/mine
  membench eval explain runs/mine --json | jq '.[] | {system, lost}'
  membench eval explain runs/mine --sample 100 --seed 7 --labels to-label.tsv
  membench eval explain runs/mine --read-labels labelled.tsv
  membench eval explain runs/mine --graph out/graph --graph-out out/failures
  membench eval explain graded.jsonl --sessions sessions.jsonl --cases cases.jsonl -o explained.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.run = args[0]
			switch {
			case (o.sample > 0) != (o.labels != ""):
				return usagef("--sample and --labels go together: how many to draw, and where to write them")
			case o.sample < 0:
				return usagef("--sample: have %d, want 1 or more", o.sample)
			case o.readLabels != "" && o.labels != "":
				return usagef("--labels writes and --read-labels reads: choose one")
			case o.Threshold <= 0 || o.Threshold > 1:
				return usagef("--threshold: have %v, want above 0 to 1", o.Threshold)
			case o.LongContext < 1:
				return usagef("--long-context: have %d, want 1 or more", o.LongContext)
			case o.graphOut != "" && o.graph == "":
				return usagef("--graph-out wants --graph: the graph that the failures are laid into")
			case o.readLabels != "" && o.graph != "":
				return usagef("--read-labels changes nothing: leave out --graph")
			case o.labels == "-":
				return usagef("--labels: standard output has the table; give a file")
			case o.out == "-" && o.readLabels != "":
				return usagef("-o writes records and --read-labels changes none: choose one")
			}
			return runEvalExplain(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write the records to this `file` (- is standard output; the table then goes to standard error) instead of the run's own")
	f.StringVar(&o.sessions, "sessions", "", "session records, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.cases, "cases", "", "the cases asked, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.Grader, "grader", "", "the `protocol` that says which answers failed")
	f.StringVar(&o.Second, "second", "", "the `protocol` whose disagreement shows a judge's error (default: other models' verdicts, the rule judge, exact match)")
	f.Float64Var(&o.Threshold, "threshold", 0.5, "a score from here on is right, above 0 to `1`")
	f.IntVar(&o.LongContext, "long-context", 4000, "a context of `n` tokens that held the evidence is over-long")
	f.StringVar(&o.graph, "graph", "", "walk the gold evidence through this `graph`: a folder, or bolt://…")
	f.StringVar(&o.scope, "scope", "", "`name` of the graph at the server (load-neo4j --scope)")
	f.StringVar(&o.graphOut, "graph-out", "", "write failed questions as nodes and edges to this `folder`")
	f.IntVar(&o.sample, "sample", 0, "draw `n` failed questions for people to label")
	f.Uint64Var(&o.seed, "seed", 1, "`seed` of the draw")
	f.StringVar(&o.labels, "labels", "", "write the sample to this `file`: .tsv, .csv or .jsonl")
	f.StringVar(&o.readLabels, "read-labels", "", "read people's labels from this `file` and say how far they agree")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&o.json, "json", false, "print the counts, or the agreement, as JSON")
	return c
}

// explainInputs finds the files of the run.
func explainInputs(o *evalExplainOptions) (qa string, err error) {
	qa, sessions, err := records.Find(o.run)
	switch {
	case err != nil:
		return "", err
	case qa == "" || strings.HasPrefix(filepath.Base(qa), "pipeline_qa"):
		return "", fmt.Errorf("%s: no graded qa_records.jsonl: run membench eval grade first", o.run)
	case qa == "-" && o.out == "" && o.readLabels == "":
		return "", usagef("records from standard input: say with -o where they go")
	case o.out == "" && o.readLabels == "" && qa != jsonl.PlainName(qa):
		return "", usagef("%s is compressed: say with -o where the records go", qa)
	}
	if o.sessions == "" {
		o.sessions = sessions
	}
	if o.cases == "" && isDir(o.run) {
		o.cases = records.In(o.run, "cases.jsonl")
	}
	for _, f := range []string{o.sessions, o.cases} {
		if f == "-" {
			return "", usagef("sessions and cases are read more than once: give files")
		}
	}
	return qa, nil
}

func runEvalExplain(ctx context.Context, e *env, o evalExplainOptions) error {
	qa, err := explainInputs(&o)
	if err != nil {
		return err
	}
	t := newTally(e, 20)
	if o.readLabels != "" {
		return compareLabels(ctx, e, o, t, qa)
	}
	if o.sessions == "" {
		e.warnf("no session records: what was ingested, stored and overwritten is not told")
	} else {
		o.Sessions = jsonl.Files[schema.SessionRecord]([]string{o.sessions}, nil)
	}
	if o.cases == "" {
		e.warnf("no cases: turns are known by what memories say of their sources only")
	} else {
		o.Cases = jsonl.Files[schema.Case]([]string{o.cases}, nil)
	}
	o.Report = func(f *schema.Finding) error { return t.take(f) }
	if o.sample > 0 {
		o.Sample = explain.NewSample(o.sample, o.seed)
	}
	if o.graph != "" {
		g, done, err := openGraph(ctx, e, o.graph, o.scope, t)
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
			e.warnf("%d failed questions in %s, of %d the graph says where they broke", f.failed, o.graphOut, f.at)
		}
		return err
	})
}

// writeExplained writes the records, the sample and the counts.
func writeExplained(ctx context.Context, e *env, o evalExplainOptions, t *tally, qa string) error {
	counts := explain.NewCounts(o.Options)
	out := cmp.Or(o.out, qa)
	table := e.out
	if out == "-" {
		table = e.err
	}
	err := records.With(ctx, e.in, qa, func(in schema.Seq[schema.QARecord]) error {
		return writeOut(e, out, func(w io.Writer) error {
			n, findings, err := jsonl.Write(w, schema.Latest, records.Observe(explain.QA(ctx, in, o.Options), counts.Add))
			for _, f := range findings {
				err = errors.Join(err, t.take(f))
			}
			if err == nil && t.errors > 0 && (o.strict || o.out == "" || n == 0) {
				err = errFindings
			}
			return err
		})
	})
	t.summary()
	if errors.Is(err, errFindings) && !o.strict && o.out == "" {
		e.warnf("%s stays as it was: the lines that cannot be read would be lost; -o writes the others elsewhere", qa)
	}
	if err != nil {
		return err
	}
	if o.labels != "" {
		labels := o.Sample.Labels()
		if err := writeOut(e, o.labels, func(w io.Writer) error { return explain.WriteLabels(w, labels, labelForm(o.labels)) }); err != nil {
			return err
		}
		e.warnf("%d failed questions to label in %s", len(labels), o.labels)
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

func labelForm(path string) explain.Form {
	switch filepath.Ext(path) {
	case ".tsv", ".txt":
		return explain.TSV
	case ".csv":
		return explain.CSV
	}
	return explain.JSONL
}

// compareLabels reads people's labels and holds them against the attributions.
func compareLabels(ctx context.Context, e *env, o evalExplainOptions, t *tally, qa string) error {
	r, err := jsonl.Open(o.readLabels, e.in)
	if err != nil {
		return err
	}
	defer r.Close()
	labels, err := explain.ReadLabels(records.UntilDone(ctx, r), o.readLabels, labelForm(o.readLabels), func(f *schema.Finding) error { return t.take(f) })
	if err != nil {
		return err
	}
	c := explain.NewCompare(labels)
	attributed := false
	err = records.With(ctx, e.in, qa, func(in schema.Seq[schema.QARecord]) error {
		for r, err := range drop(t, in) {
			if err != nil {
				return err
			}
			attributed = attributed || r.V.Attribution != nil
			c.Add(&r.V)
		}
		return nil
	})
	t.summary()
	switch {
	case err != nil:
		return err
	case o.strict && t.errors > 0:
		return errFindings
	case !attributed:
		return fmt.Errorf("%s has no attributions: run membench eval explain without --read-labels first", qa)
	}
	a := c.Agreement()
	if o.json {
		return writeJSON(e.out, a)
	}
	w := bufio.NewWriter(e.out)
	fmt.Fprintf(w, "%d labels; left blank %d, of no failed question of this run %d\n", a.Labels, a.Blank, a.Unknown)
	for _, x := range []struct {
		name string
		k    explain.Kappa
	}{{"hop", a.Hop}, {"cause", a.Cause}} {
		fmt.Fprintf(w, "%-6s agreement %s %% (%s) of %d, κ %s (%s)\n", x.name, figure.Percent(x.k.Share), figure.Interval(x.k.ShareLow, x.k.ShareHigh), x.k.N, decimal(x.k.Kappa), decimals(x.k.KappaLow, x.k.KappaHigh))
	}
	for i, d := range a.Apart {
		if i == 10 {
			fmt.Fprintf(w, "  … and %d more pairs: --json has them\n", len(a.Apart)-i)
			break
		}
		fmt.Fprintf(w, "  %d × %s: people %s, tool %s\n", d.N, d.Of, cmp.Or(d.People, "none"), cmp.Or(d.Tool, "none"))
	}
	return w.Flush()
}

func decimal(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *x)
}

func decimals(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f–%.2f", *lo, *hi)
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
		fmt.Fprintf(w, " %9s", h)
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
		fmt.Fprintf(w, " %9s", fmt.Sprintf("%.0f–%.0f", 100*i.Lo, 100*i.Hi))
	}
	fmt.Fprintln(w)
	for _, p := range c.Categories {
		if p.Failed > 0 {
			line(fmt.Sprintf("%s of %d", cmp.Or(p.Category, "?"), p.Questions), func(h string) int { return explain.Sum(p.Lost, h, "") }, p.Failed)
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
