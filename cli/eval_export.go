package cli

import (
	"bufio"
	"context"
	"fmt"

	"membench/eval/pipeline"
	"membench/eval/published"

	"github.com/spf13/cobra"
)

type evalExportOptions struct {
	accept acceptFlag
	pipeline.ExportOptions
	list bool
	json bool
}

func newEvalExportCmd(e *env) *cobra.Command {
	o := evalExportOptions{}
	c := &cobra.Command{
		Use:   "export RUN --format FORM -o OUT",
		Short: "Write a run's answers as a benchmark's own scorer reads them",
		Long: `Write a run's answers as a benchmark's own scorer reads them, so that anybody can check our
grades with the original code. --list shows the forms and who reads them:

  lme     {"question_id", "hypothesis"} a line: LongMemEval's evaluate_qa.py
  locomo  conversations with SYSTEM_prediction (and the turns that were retrieved, where
          the run has its cases): LoCoMo's task_eval/evaluation.py
  mem0    by conversation: question, answer, response, category: Mem0's evals.py
  amb     one object with results and totals: the Agent Memory Benchmark's outputs; correct is
          a model's or recorded verdict where there is one, otherwise the rule judge's

A file holds one system and one repeat. -o is a folder, which gets SYSTEM.EXT each
(SYSTEM.2.EXT of the third repeat), or a file or - where there is only one. 'membench eval
import' reads them back (--cases RUN/cases.jsonl.zst for lme), with the same grades.

Questions whose asking failed are skipped and counted on standard error: the original
scorers divide by what they are given. --failed writes them as empty answers instead.`,
		Example: `  membench eval export runs/first --format lme -o hyp
  membench eval export runs/first --format locomo --system bm25 -o bm25.json
  membench eval export runs/first --format lme --system bm25 -o - | wc -l`,
		Args: func(c *cobra.Command, args []string) error {
			if o.list {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.list {
				return runEvalForms(e, o.json)
			}
			o.Run = args[0]
			return runEvalExport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	f.StringVar(&o.Form, "format", "", "`form` to write: lme, locomo or mem0")
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, or file, or - for standard output")
	f.StringVar(&o.Dataset, "dataset", "", "export the records of this data `set` (default: the form's)")
	f.StringSliceVarP(&o.Systems, "system", "s", nil, "export these `systems` only")
	f.IntVar(&o.Repeat, "repeat", -1, "export this `repeat` only, from 0 (default: each)")
	f.StringVar(&o.Model, "model-key", "", "locomo: `name` before _prediction (default: the system's)")
	f.StringVar(&o.Cases, "cases", "", "cases `file` with the benchmark's ids of turns (default: the run's own)")
	f.BoolVar(&o.Failed, "failed", false, "write questions whose asking failed as empty answers")
	f.BoolVar(&o.list, "list", false, "list the forms and exit")
	f.BoolVar(&o.json, "json", false, "with --list: one JSON array")
	return c
}

func runEvalForms(e *env, asJSON bool) error {
	if asJSON {
		return writeJSON(e.out, published.Forms())
	}
	w := bufio.NewWriter(e.text())
	for _, f := range published.Forms() {
		fmt.Fprintf(w, "%-8s %s\n%8s for %s; read back as %s\n", f.Name, f.About, "", f.Scorer, f.Back)
	}
	return w.Flush()
}

func runEvalExport(ctx context.Context, e *env, o evalExportOptions) error {
	t := o.accept.tally(e)
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	err := pipeline.Export(ctx, o.ExportOptions)
	t.summary()
	if err != nil {
		return err
	}
	return t.lost()
}
