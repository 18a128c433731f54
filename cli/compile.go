package cli

import (
	"membench/chain"

	"github.com/spf13/cobra"
)

func newCompileCmd(e *env) *cobra.Command {
	var o chain.CompileOptions
	var flags stepFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "compile EVENTS...",
		Short: "Join events by conversation into one file",
		Long: `Join events by conversation into one file.

EVENTS are folders or files of events, one conversation each: <conv>.events.jsonl as
annotate writes them, or chNN.jsonl as the existing chain does. Lines are copied byte for
byte. Conversations come in the order of the index, otherwise chapters by number and then
the others by name. Events whose turn ids do not increase, lines that are not events and
second files of a conversation are reported and skipped.`,
		Example: `  membench compile events -o events.jsonl
  membench compile events --index source/index.json -o events.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Events = args
			if asJSON && o.Out == "-" {
				return usagef("--json and -o - both want standard output: name a file with -o")
			}
			return flags.run(e, func(with chain.Shared) error {
				o.Shared = with
				r, err := chain.Compile(c.Context(), o)
				return said(e, asJSON, r, err)
			})
		},
	}
	c.Flags().StringVarP(&o.Out, "output", "o", "-", "write to `file`; - is standard output")
	c.Flags().StringVar(&o.Index, "index", "", "take the order, and which conversations, from this index.json `file`")
	c.Flags().BoolVar(&asJSON, "json", false, "print the counts as one JSON object")
	flags.add(c, 50)
	return c
}
