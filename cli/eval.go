package cli

import (
	"github.com/spf13/cobra"
)

// newEvalCmd is the parent of everything that measures; each subcommand has a file
// eval_NAME.go.
func newEvalCmd(e *env) *cobra.Command {
	var o evalFlags
	c := verb("eval", "Grade answers and measure memory systems", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if o.file == "" && len(o.sets) == 0 && !o.evalOnly {
			return usagef("no data set given: name one with --dataset NAME=PATH, or give an eval.yaml with -c")
		}
		o.changed = c.Flags().Changed
		return runEval(c.Context(), e, o, true)
	})
	o.add(c)
	c.AddCommand(newEvalRunCmd(e), newEvalMergeCmd(e), newEvalStatusCmd(e), newEvalWatchCmd(e), newEvalGradeCmd(e), newEvalExplainCmd(e), newEvalAggregateCmd(e), newEvalReportCmd(e), newEvalCompareCmd(e), newEvalPlanCmd(e))
	c.AddCommand(newEvalExportCmd(e), newEvalImportCmd(e), newEvalAuditCmd(e), newEvalProtocolsCmd(e), newEvalConformanceCmd(e), newEvalCalibrateCmd(e), newEvalJudgeCmd(e), newEvalLabelCmd(e), newEvalAgreementCmd(e))
	return c
}
