package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"membench/config"
	"membench/eval/aggregate"
	"membench/eval/figure"
	"membench/eval/pipeline"
	llmodels "membench/models"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalAggregateOptions struct {
	inputs []string

	aggregate.Options
	prices string
	out    string
	strict bool
}

func newEvalAggregateCmd(e *env) *cobra.Command {
	var o evalAggregateOptions
	c := verb("aggregate RUN...", "Compute figures from graded records, with n, intervals and exclusions",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.inputs = args
			if e.json && o.out != "" {
				return usagef("--json prints, -o writes: choose one")
			}
			return runEvalAggregate(c.Context(), e, o)
		})
	f := c.Flags()
	addAccept(f, &e.accept)
	addConfidence(c, &o.Options.Options)
	f.IntVar(&o.Declared, "declared", 0, "compute coverage over `n` questions that were declared before the run")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` that enter no total, with commas (default: 5 of locomo)")
	f.StringVar(&o.prices, "prices", "", pricesHelp)
	f.StringVarP(&o.out, "output", "o", "", "write summary.jsonl and aggregate_metrics.json to this `folder`")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&e.json, "json", false, "print the summaries as one JSON array")
	return c
}

const pricesHelp = "price `table` of models (default: the project's, otherwise the built-in one)"

// figurePrices returns the price table for costs: the file, or the project's in the working folder, or the built-in one.
func figurePrices(e *env, path string) (figure.Prices, error) {
	var p *config.Project
	var err error
	if path == "" {
		if p, err = (modelFlags{}).project(e); err != nil {
			return figure.Prices{}, err
		}
	}
	t, err := config.LoadPrices(llmodels.Options{Prices: path}.PriceFile(p))
	if err != nil {
		return figure.Prices{}, &schema.UsageError{Err: err}
	}
	return figure.Prices{Prices: t.Prices, Currency: t.Currency, AsOf: t.AsOf}, nil
}

// percentFlag reads a share as a percentage between 50 and 100, both excluded.
type percentFlag float64

func (p *percentFlag) String() string { return fmt.Sprint(100 * float64(*p)) }
func (p *percentFlag) Type() string   { return "percent" }

// Set accepts 95 and 95%.
func (p *percentFlag) Set(s string) error {
	var v float64
	if _, err := fmt.Sscanf(strings.TrimSuffix(s, "%")+"\n", "%g\n", &v); err != nil || v <= 50 || v >= 100 {
		return fmt.Errorf("have %q, want a level of confidence between 50 and 100, like 95", s)
	}
	*p = percentFlag(v / 100)
	return nil
}

// addConfidence adds the flag of every command that computes intervals.
func addConfidence(c *cobra.Command, o *figure.Options) {
	o.Confidence = .95
	c.Flags().Var((*percentFlag)(&o.Confidence), "confidence", "`level` of every interval, in percent")
}

func runEvalAggregate(ctx context.Context, e *env, o evalAggregateOptions) error {
	var err error
	if o.Prices, err = figurePrices(e, o.prices); err != nil {
		return err
	}
	t := newTally(e, 20)
	all, err := pipeline.Aggregate(ctx, pipeline.AggregateOptions{Options: o.Options, Inputs: o.inputs, Strict: o.strict, Stdin: e.in, Log: t.log()})
	t.summary()
	switch {
	case err != nil:
		return err
	case o.out != "":
		return errors.Join(pipeline.WriteSummaries(o.out, all), t.lost())
	}
	return errors.Join(e.show(all, func(w io.Writer) {
		for _, s := range all {
			aggregate.WriteText(w, s)
		}
	}), t.lost())
}
