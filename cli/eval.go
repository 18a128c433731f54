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

With -c eval.yaml, or --dataset and --system, all steps run: eval run (systems are filled
and asked), grade, explain, aggregate, report. Finished work is skipped, so the same command
continues after a failure, and costs nothing if nothing changed. docs/eval-yaml.md describes
the file; a flag overrides the corresponding member. The subcommands do one step each.

Answers are QA records (one JSON line a question: gold, answer, what was retrieved); grading
adds the verdicts of named protocols beside them and never changes the answer.`,
		Example: `  membench eval -c eval.yaml
  membench eval --dataset locomo=locomo10.json --system bm25,full-context -o runs/first
  membench eval -c eval.yaml --dry-run                 the effective configuration and its cost
  membench eval protocols                              the protocols and what they reproduce
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
