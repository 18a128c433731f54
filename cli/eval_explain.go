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
	pipeline.ExplainOptions
	graph string // folder, or address of a server; "": none
	scope string // of the graph at the server
}

func newEvalExplainCmd(e *env) *cobra.Command {
	var o evalExplainOptions
	c := verb("explain RUN", "Report at which hop each failed question was lost, and why", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.Run = args[0]
		switch {
		case o.LongContext < 1:
			return usagef("--long-context: have %d, want 1 or more", o.LongContext)
		case o.Failures != "" && o.graph == "":
			return usagef("--graph-out needs --graph: the graph that the failures are added to")
		}
		return runEvalExplain(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	f.StringVarP(&o.Out, "output", "o", "", "write the records to this `file` (- is standard output; the table then goes to standard error) instead of the run's own")
	addGradedRun(f, &o.GradedRun)
	f.StringVar(&o.Second, "second", "", "the `protocol` whose disagreement shows a judge's error (default: other models' verdicts, the rule judge, exact match)")
	f.IntVar(&o.LongContext, "long-context", 4000, "a context of `n` tokens that held the evidence is over-long")
	f.StringVar(&o.graph, "graph", "", "trace the gold evidence through this `graph`: a folder, or bolt://…")
	f.StringVar(&o.scope, "scope", "", "`name` of the graph at the server (load-neo4j --scope)")
	f.StringVar(&o.Failures, "graph-out", "", "write failed questions as nodes and edges to this `folder`")
	f.BoolVar(&o.Strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&e.json, "json", false, "print the counts as JSON")
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
	t := newTally(e, 20)
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
	return errors.Join(e.show(counts, func(w io.Writer) {
		for _, c := range counts {
			c.WriteText(w, e.texts.format)
		}
	}), t.lost())
}
