package cli

import (
	"context"
	"errors"
	"io"

	"membench/cypher/neo4j/target"
	"membench/eval/pipeline"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type evalExplainOptions struct {
	accept acceptFlag
	pipeline.ExplainOptions
	graph string // folder, or address of a server; "": none
	scope string // of the graph at the server
	json  bool
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
			o.Run = args[0]
			switch {
			case o.LongContext < 1:
				return usagef("--long-context: have %d, want 1 or more", o.LongContext)
			case o.Failures != "" && o.graph == "":
				return usagef("--graph-out needs --graph: the graph that the failures are added to")
			}
			return runEvalExplain(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	f.StringVarP(&o.Out, "output", "o", "", "write the records to this `file` (- is standard output; the table then goes to standard error) instead of the run's own")
	addGradedRun(f, &o.GradedRun)
	f.StringVar(&o.Second, "second", "", "the `protocol` whose disagreement shows a judge's error (default: other models' verdicts, the rule judge, exact match)")
	f.IntVar(&o.LongContext, "long-context", 4000, "a context of `n` tokens that held the evidence is over-long")
	f.StringVar(&o.graph, "graph", "", "trace the gold evidence through this `graph`: a folder, or bolt://…")
	f.StringVar(&o.scope, "scope", "", "`name` of the graph at the server (load-neo4j --scope)")
	f.StringVar(&o.Failures, "graph-out", "", "write failed questions as nodes and edges to this `folder`")
	f.BoolVar(&o.Strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&o.json, "json", false, "print the counts as JSON")
	return c
}

// addGradedRun adds the flags for the other files of a graded run, and for which answers failed.
func addGradedRun(f *pflag.FlagSet, o *pipeline.GradedRun) {
	f.StringVar(&o.SessionsFile, "sessions", "", "session records, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.CasesFile, "cases", "", "the cases asked, where RUN is a `file` or its folder has them elsewhere")
	f.StringVar(&o.Grader, "grader", "", "the `protocol` that says which answers failed")
	f.Float64Var(&o.Threshold, "threshold", 0.5, "count a `score` of at least this as right, above 0 to 1")
}

func runEvalExplain(ctx context.Context, e *env, o evalExplainOptions) error {
	t := o.accept.tally(e)
	if o.graph != "" {
		g, done, err := openGraph(ctx, e, o.graph, target.Target{Scope: o.scope}, t)
		if err != nil {
			return err
		}
		defer done()
		o.Graph, o.Lost = g, t.errors
	}
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	counts, err := pipeline.Explain(ctx, o.ExplainOptions)
	t.summary()
	if err != nil {
		return err
	}
	if o.Out == "-" { // the records are on standard output
		to := *e
		to.out, e = e.err, &to
	}
	return errors.Join(e.show(o.json, counts, func(w io.Writer) {
		for _, c := range counts {
			c.WriteText(w)
		}
	}), t.lost())
}
