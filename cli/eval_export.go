package cli

import (
	"context"
	"fmt"
	"io"

	"membench/eval/pipeline"
	"membench/eval/published"

	"github.com/spf13/cobra"
)

type evalExportOptions struct {
	pipeline.ExportOptions
	list bool
}

func newEvalExportCmd(e *env) *cobra.Command {
	o := evalExportOptions{}
	c := &cobra.Command{
		Use:   "export RUN --format FORM -o OUT",
		Short: "Write a run's answers in the format of a benchmark's own scorer",
		Args: func(c *cobra.Command, args []string) error {
			if o.list {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.list {
				return runEvalForms(e)
			}
			o.Run = args[0]
			return runEvalExport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	addAccept(f, &e.accept)
	f.StringVar(&o.Form, "format", "", "`form` to write: lme, locomo, mem0 or amb")
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, or file, or - for standard output")
	f.StringVar(&o.Dataset, "dataset", "", "export the records of this data `set` (default: the form's)")
	f.StringSliceVarP(&o.Systems, "system", "s", nil, "export these `systems` only")
	f.IntVar(&o.Repeat, "repeat", -1, "export this `repeat` only, from 0 (default: each)")
	f.StringVar(&o.Model, "model-key", "", "locomo: `name` before _prediction (default: the system's)")
	f.StringVar(&o.Cases, "cases", "", "cases `file` with the benchmark's ids of turns (default: the run's own)")
	f.BoolVar(&o.Failed, "failed", false, "write questions whose asking failed as empty answers")
	f.BoolVar(&o.list, "list", false, "list the forms and exit")
	f.BoolVar(&e.json, "json", false, "with --list: one JSON array")
	return c
}

func runEvalForms(e *env) error {
	return e.show(published.Forms(), func(w io.Writer) {
		for _, f := range published.Forms() {
			fmt.Fprintf(w, "%-8s %s\n%8s for %s; read back as %s\n", f.Name, f.About, "", f.Scorer, f.Back)
		}
	})
}

func runEvalExport(ctx context.Context, e *env, o evalExportOptions) error {
	t := newTally(e, 20)
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	return t.end(pipeline.Export(ctx, o.ExportOptions))
}
