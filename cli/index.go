package cli

import (
	"membench/chain"

	"github.com/spf13/cobra"
)

func newIndexCmd(e *env) *cobra.Command {
	var o chain.IndexOptions
	var flags stepFlags
	c := verb("index CHAPTERS_DIR", "List the chapters of a folder", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.Chapters = args[0]
		return flags.run(e, func(with chain.Shared) error { o.Shared = with; return chain.Index(c.Context(), o) })
	})
	c.Flags().StringVarP(&o.Out, "output", "o", "-", "write to `file`; - is standard output")
	flags.add(c, 0)
	return c
}
