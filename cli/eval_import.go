package cli

import (
	"context"
	"fmt"
	"io"

	"membench/eval/pipeline"
	"membench/eval/published"
	"membench/internal/csvdoc"

	"github.com/spf13/cobra"
)

type evalImportOptions struct {
	pipeline.ImportOptions
	list bool
}

func newEvalImportCmd(e *env) *cobra.Command {
	o := evalImportOptions{}
	c := verb("import FILE...", "Convert published result files, or your own, to records", cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		o.Inputs = args
		if o.list {
			return runEvalFormats(e)
		}
		switch {
		case len(args) == 0:
			return usagef("no result file is given; --list shows the forms that can be read")
		case o.Out == "":
			return usagef("no output: give -o FOLDER, -o FILE.jsonl or -o -")
		}
		return runEvalImport(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	addImportFlags(c, &o.Options, &o.Cases)
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, .jsonl file, or - for standard output")
	f.StringVar(&o.Errata, "errata", "", "apply a correction `list` to the golds")
	f.BoolVar(&o.Strict, "strict", false, "write nothing and exit 3 when a row cannot be read")
	f.BoolVar(&o.list, "list", false, "list the forms and exit")
	f.BoolVar(&e.json, "json", false, "with --list: one JSON array")
	return c
}

// addImportFlags adds the flags of every reader of result files.
func addImportFlags(c *cobra.Command, o *published.Options, cases *[]string) {
	f := c.Flags()
	f.StringVar(&o.Format, "format", "", "`form` of the files (default: by their contents)")
	f.StringVar(&o.System, "system", "", "`name` of the system (default: the file's own, otherwise its name)")
	f.StringVar(&o.Dataset, "dataset", "", "`name` of the data set (default: the form's)")
	f.StringVar(&o.Reader, "reader", "", "`model` that answered, where the file does not say")
	f.StringVar(&o.Judge, "judge", "", "`model` that judged, where the file does not say")
	f.Var(csvdoc.Flag{Into: (*csvdoc.Mapping)(&o.Map), Of: "an answer", Parts: published.Parts}, "map", "columns of a table as question=A,gold=B,prediction=C; also id, case, category, verdict, context, system")
	f.Var(&o.Verdicts, "verdicts", "the file's own words for right and wrong answers, as right=A,wrong=B")
	f.StringArrayVar(cases, "cases", nil, "cases `file` with the questions that were asked (may be repeated)")
}

func runEvalFormats(e *env) error {
	return e.show(published.Formats(), func(w io.Writer) {
		for _, f := range published.Formats() {
			marks := ""
			if !f.Verified {
				marks += ", unverified: seen in its source only"
			}
			if f.Cases {
				marks += ", needs --cases"
			}
			fmt.Fprintf(w, "%-20s %s\n%20s %s%s\n", f.Name, f.About, "", f.Origin, marks)
		}
	})
}

func runEvalImport(ctx context.Context, e *env, o evalImportOptions) error {
	t := newTally(e, 20)
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	n, err := pipeline.Import(ctx, o.ImportOptions)
	t.summary()
	if err != nil {
		return err
	}
	pipeline.UnusedErrata(n.Errata, t.log())
	if n.Textless > 0 {
		e.warnf("%d of %d answers have no question text, which judges need: give the cases that were asked with --cases", n.Textless, n.Answers)
	}
	e.warnf("%d answers, %d sessions, %d errors, %d warnings", n.Answers, n.Sessions, n.Errors, n.Warnings)
	return t.lost()
}
