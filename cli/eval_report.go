package cli

import (
	"context"

	"membench/eval/pipeline"
	"membench/eval/report"

	"github.com/spf13/cobra"
)

type evalReportOptions struct {
	pipeline.ReportOptions
	prices string
}

func newEvalReportCmd(e *env) *cobra.Command {
	var o evalReportOptions
	c := verb("report RUN... -o DIR", "Make reports from graded runs: Markdown, CSV, JSON, one HTML file",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.Inputs = args
			return runEvalReport(c.Context(), e, o)
		})
	f := c.Flags()
	addAccept(f, &e.accept)
	addConfidence(c, &o.Figures.Options)
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`; - prints one format, but html")
	f.StringSliceVar(&o.Formats, "format", pipeline.Formats, "`formats` to write, with commas")
	f.StringVarP(&o.Protocol, "protocol", "p", "", "grader of the main tables: `name`, or \"name by grader\"")
	f.StringVar(&o.Lang, "lang", report.English, "`language` of report.md and the first of report.html: en or zh")
	f.StringVar(&o.Title, "title", "", "`heading` of the report")
	f.IntVar(&o.Figures.Declared, "declared", 0, "compute coverage over `n` questions that were declared before the run")
	f.StringSliceVar(&o.Figures.Apart, "apart", nil, "raw `categories` that enter no total, with commas (default: 5 of locomo)")
	f.StringVar(&o.prices, "prices", "", pricesHelp)
	f.IntVar(&o.Embed, "embed", 200, "embed `n` sampled and n failed answers in the page")
	f.IntVar(&o.MaxText, "max-text", 20_000, "show at most `n` characters of a context in the page")
	f.BoolVar(&o.Strict, "strict", false, "write nothing and exit 3 when the data has errors")
	return c
}

func runEvalReport(ctx context.Context, e *env, o evalReportOptions) (err error) {
	if err := o.Check(); err != nil { // before files are looked for
		return err
	}
	if o.Embed < 1 || o.MaxText < 1 {
		return usagef("--embed and --max-text must be above 0: have %d and %d", o.Embed, o.MaxText)
	}
	if o.Figures.Prices, err = figurePrices(e, o.prices); err != nil {
		return err
	}
	t := newTally(e, 20)
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	return t.end(pipeline.Report(ctx, o.ReportOptions))
}
