package cli

import (
	"membench/eval/pipeline"

	"github.com/spf13/cobra"
)

func newEvalMergeCmd(e *env) *cobra.Command {
	var out, prices string
	c := verb("merge SHARD... -o RUN", "Join the shards of a run into the run that one process would have made",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			if out == "" {
				return usagef("no folder for the run: name one with -o")
			}
			p, err := figurePrices(e, prices)
			if err != nil {
				return err
			}
			t := newTally(e, 20)
			res, err := pipeline.Merge(c.Context(), pipeline.MergeOptions{Shards: args, Dir: out, Prices: p, Membench: release, Now: e.now, Log: t.log()})
			t.summary()
			if err != nil {
				return err
			}
			if err := printScores(e, res.Summaries); err != nil {
				return err
			}
			if failed := res.Failed(); failed != nil {
				return failed
			}
			return nil
		})
	f := c.Flags()
	f.StringVarP(&out, "output", "o", "", "`folder` of the joined run")
	f.StringVar(&prices, "prices", "", pricesHelp)
	return c
}
