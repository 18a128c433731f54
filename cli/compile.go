package cli

import (
	"membench/chain"

	"github.com/spf13/cobra"
)

func newCompileCmd(e *env) *cobra.Command {
	var o chain.CompileOptions
	var flags stepFlags
	c := verb("compile EVENTS...", "Join events by conversation into one file", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Events = args
		if e.json && o.Out == "-" {
			return usagef("--json and -o - both want standard output: name a file with -o")
		}
		return flags.run(e, func(with chain.Shared) error {
			o.Shared = with
			r, err := chain.Compile(c.Context(), o)
			return said(e, r, err)
		})
	})
	c.Flags().StringVarP(&o.Out, "output", "o", "-", "write to `file`; - is standard output")
	c.Flags().StringVar(&o.Index, "index", "", "take the order, and which conversations, from this index.json `file`")
	c.Flags().BoolVar(&e.json, "json", false, "print the counts as one JSON object")
	flags.add(c, 50)
	return c
}
