package cli

import (
	"github.com/spf13/cobra"
)

// newEvalCmd is the parent of everything that measures; each subcommand has a file
// eval_NAME.go.
func newEvalCmd(e *env) *cobra.Command {
	var o evalFlags
	c := &cobra.Command{
		Use:   "eval",
		Short: "Grade answers and measure memory systems",
		Long: `Grade answers and measure memory systems.

With -c eval.yaml, or --dataset and --system, everything is done: eval run (systems are
filled and asked), grade, explain, aggregate, report. What is there already is not done
again, so the same line continues after a fault, and costs nothing where nothing changed.
docs/eval-yaml.md has the file; a flag overrides the member of the same meaning. The subcommands do one
step each.

Answers are QA records (one JSON line a question: gold, answer, what was retrieved);
grading adds the verdicts of named protocols beside them and never changes the answer.`,
		Example: `  membench eval -c eval.yaml
  membench eval --dataset locomo=locomo10.json --system bm25,full-context -o runs/first
  membench eval -c eval.yaml --dry-run                 the configuration in force, and what it would cost
  membench eval protocols                              what can grade, and what it reproduces
  membench eval conformance                            the golden vectors of the original scorers
  membench eval grade qa.jsonl -p locomo-f1 -o graded.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.file == "" && len(o.sets) == 0 && !o.evalOnly {
				return usagef("no data set given: name one with --dataset NAME=PATH, or give an eval.yaml with -c")
			}
			o.changed = c.Flags().Changed
			return runEval(c.Context(), e, o, true)
		},
	}
	o.add(c)
	c.AddCommand(newEvalRunCmd(e), newEvalMergeCmd(e), newEvalStatusCmd(e), newEvalWatchCmd(e), newEvalGradeCmd(e), newEvalExplainCmd(e), newEvalAggregateCmd(e), newEvalReportCmd(e), newEvalCompareCmd(e), newEvalPlanCmd(e))
	c.AddCommand(newEvalExportCmd(e), newEvalImportCmd(e), newEvalAuditCmd(e), newEvalProtocolsCmd(e), newEvalConformanceCmd(e), newEvalCalibrateCmd(e), newEvalJudgeCmd(e), newEvalLabelCmd(e), newEvalAgreementCmd(e))
	return c
}
