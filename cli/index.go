package cli

import (
	"membench/chain"

	"github.com/spf13/cobra"
)

func newIndexCmd(e *env) *cobra.Command {
	var o chain.IndexOptions
	var flags stepFlags
	c := &cobra.Command{
		Use:   "index CHAPTERS_DIR",
		Short: "List the chapters of a folder",
		Long: `List the chapters of a folder in index.json.

Chapters are files named chNN_<slug>.md (raw) and chNN_<slug>.norm.md (norm), in
the folder or in its sub-folders raw and norm; the two are joined by chNN. Other
files are skipped. The list is in order of the chapters' numbers; paths are
relative to the folder of index.json, so that it can be moved with the chapters.`,
		Example: `  membench index source -o source/index.json
  membench index source -o - | jq -r '.[].id'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Chapters = args[0]
			return flags.run(e, func(with chain.Shared) error { o.Shared = with; return chain.Index(c.Context(), o) })
		},
	}
	c.Flags().StringVarP(&o.Out, "output", "o", "-", "write to `file`; - is standard output")
	flags.add(c, 0)
	return c
}
