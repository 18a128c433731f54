package main

import (
	"io"
	"path/filepath"

	"membench/annotate"

	"github.com/spf13/cobra"
)

type indexOptions struct {
	dir, out string
	strict   bool
}

func newIndexCmd(e *env) *cobra.Command {
	var o indexOptions
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
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = args[0]
			return runIndex(e, o)
		},
	}
	c.Flags().StringVarP(&o.out, "output", "o", "-", "write to `file`; - is standard output")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit 3 and write nothing when there are errors")
	return c
}

func runIndex(e *env, o indexOptions) error {
	base := o.dir
	if o.out != "-" {
		base = filepath.Dir(o.out)
	}
	entries, findings, err := annotate.Index(o.dir, base)
	t := newTally(e, 0)
	for _, f := range findings {
		t.take(f)
	}
	if err != nil {
		return err
	}
	if o.strict && t.errors > 0 {
		return errFindings
	}
	return writeOut(e, o.out, func(w io.Writer) error { return writeJSON(w, entries) })
}
