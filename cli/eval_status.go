package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"membench/config"
	"membench/eval/pipeline"
	"membench/eval/records"
	"membench/schema"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func newEvalStatusCmd(e *env) *cobra.Command {
	var prices string
	c := verb("status RUN", "Show a run's progress, failures and cost", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		return runEvalStatus(c.Context(), e, args[0], prices)
	})
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object")
	c.Flags().StringVar(&prices, "prices", "", "price table `file` (default the built-in one)")
	return c
}

func runEvalStatus(ctx context.Context, e *env, dir, table string) error {
	prices, err := config.LoadPrices(table)
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	r, err := pipeline.Status(dir, prices, e.now())
	if err == nil {
		if e.json {
			err = writeJSON(e.out, r)
		} else {
			err = printStatus(e.text(), r, dir)
		}
	}
	if err != nil || r.State != pipeline.Finished {
		return err
	}
	return readable(ctx, e, dir)
}

// readable counts the readable records of a finished run: records that the next step could not read are errors here, too.
func readable(ctx context.Context, e *env, dir string) error {
	file, _, err := records.Find(dir)
	if err != nil || file == "" {
		return err
	}
	t := newTally(e, 3)
	for _, err := range drop(t, records.QA(ctx, nil, file)) {
		if err != nil {
			return err
		}
	}
	return t.end(nil)
}

func printStatus(out io.Writer, r pipeline.RunStatus, dir string) error {
	line := fmt.Sprintf("%s: %s, %s", dir, r.State, cmp.Or(state{done: int64(r.Done), of: int64(r.Of), unit: "questions"}.line(0), "0 questions"))
	if r.Rate > 0 {
		line += fmt.Sprintf(", %.1f/s, about %v left", r.Rate, time.Duration(r.Left*float64(time.Second)).Round(time.Second))
	}
	if r.Money != nil {
		line += fmt.Sprintf(", %s %.4f", r.Currency, *r.Money)
	}
	if _, err := fmt.Fprintln(out, line); err != nil {
		return err
	}
	w := table.NewWriter()
	w.SetOutputMirror(out)
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = 0
	w.AppendHeader(table.Row{"system", "data set", "sessions", "questions", "of", "outcomes", "model calls", "tokens in+out"})
	for _, u := range r.Units {
		var words []string
		for _, o := range pipeline.Outcomes {
			if n := u.Outcomes[o]; n > 0 {
				words = append(words, fmt.Sprintf("%s %d", o, n))
			}
		}
		calls, in, back := 0, 0, 0
		for _, s := range u.Usage {
			calls, in, back = calls+s.Calls, in+s.InputTokens, back+s.OutputTokens
		}
		w.AppendRow(table.Row{u.System, u.Dataset, u.Sessions, u.Questions, u.Of, strings.Join(words, ", "), calls, fmt.Sprintf("%d+%d", in, back)})
	}
	w.Render()
	return nil
}
