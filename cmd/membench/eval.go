package main

import "github.com/spf13/cobra"

// newEvalCmd is the parent of everything that measures; each subcommand has a file
// eval_NAME.go.
func newEvalCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Grade answers and measure memory systems",
		Long: `Grade answers and measure memory systems.

Answers are QA records (one JSON line a question: gold, answer, what was retrieved);
grading adds the verdicts of named protocols beside them and never changes the answer.`,
		Example: `  membench eval protocols                              what can grade, and what it reproduces
  membench eval conformance                            the golden vectors of the original scorers
  membench eval grade qa.jsonl -p locomo-f1 -o graded.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newEvalRunCmd(e), newEvalStatusCmd(e), newEvalGradeCmd(e), newEvalExplainCmd(e), newEvalAggregateCmd(e), newEvalReportCmd(e), newEvalCompareCmd(e))
	c.AddCommand(newEvalImportCmd(e), newEvalAuditCmd(e), newEvalProtocolsCmd(e), newEvalConformanceCmd(e), newEvalCalibrateCmd(e))
	return c
}
