package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"membench/config"
	"membench/eval/pipeline"
	"membench/eval/records"
	evalrun "membench/eval/run"
	"membench/llm"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

type evalStatusOptions struct {
	dir    string
	json   bool
	prices string
}

func newEvalStatusCmd(e *env) *cobra.Command {
	var o evalStatusOptions
	c := &cobra.Command{
		Use:   "status RUN",
		Short: "Look at a run: how far it is, what failed, what it costs",
		Long: `Look at a run that is running, was killed or is finished: for each system and data set
the questions that have an outcome, by outcome, the model calls on record and, where the price table
has the model, their money; for a running one, when it will be done. Nothing is changed.
Usage is what the answers cost when they were first asked for; judges are not in it.`,
		Example: "  membench eval status runs/first\n  membench eval status runs/first --json | jq .left_seconds",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.dir = args[0]
			return runEvalStatus(e, o)
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	c.Flags().StringVar(&o.prices, "prices", "", "price table `file` (default the built-in one)")
	return c
}

// statusReport is what status tells.
type statusReport struct {
	State    string          `json:"state"` // running | stopped | finished
	Done     int             `json:"done"`
	Of       int             `json:"of,omitzero"` // 0: unknown
	Rate     float64         `json:"per_second,omitzero"`
	Left     float64         `json:"left_seconds,omitzero"`
	Currency string          `json:"currency"`
	Money    *float64        `json:"money"` // null where nothing has a price
	Unpriced []string        `json:"unpriced_models,omitempty"`
	Units    []evalrun.Count `json:"units"`
}

func runEvalStatus(e *env, o evalStatusOptions) error {
	st, err := evalrun.Look(o.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, e := os.Stat(o.dir); e != nil {
			return e
		}
		return fmt.Errorf("%s: no run began here (membench eval run … -o %s)", o.dir, o.dir)
	}
	if err != nil {
		return err
	}
	all := evalrun.Sum(st.Units)
	r := statusReport{State: "stopped", Done: all.Questions, Of: all.Of, Units: st.Units}
	switch {
	case st.Finished:
		r.State = "finished"
	case st.Running:
		r.State = "running"
		if began, err := pipeline.Began(o.dir); err == nil {
			if passed := e.now().Sub(began.At).Seconds(); passed > 0 && all.Questions > began.Questions {
				r.Rate = float64(all.Questions-began.Questions) / passed
				r.Left = max(0, float64(all.Of-all.Questions)/r.Rate)
			}
		}
	}
	if err := r.price(o.prices, all.Usage); err != nil {
		return err
	}
	if o.json {
		err = writeJSON(e.out, r)
	} else {
		err = r.print(e.text(), o.dir)
	}
	if err != nil || !st.Finished {
		return err
	}
	return readable(e, o.dir)
}

// readable counts the records of a finished run that can be read: what is not read by the next step
// is an error here, too.
func readable(e *env, dir string) error {
	file, _, err := records.Find(dir)
	if err != nil || file == "" {
		return err
	}
	t := newTally(e, 3)
	for _, err := range drop(t, records.Known(jsonl.Files[schema.QARecord]([]string{file}, nil))) {
		if err != nil {
			return err
		}
	}
	t.summary()
	return t.lost()
}

func (r *statusReport) price(file string, usage []schema.StepUsage) error {
	prices, err := config.LoadPrices(file)
	if err != nil {
		return &schema.UsageError{Err: err}
	}
	r.Currency = prices.Currency
	for _, u := range usage {
		p, ok := prices.Prices.Of(u.Model)
		if !ok {
			r.Unpriced = append(r.Unpriced, u.Model)
			continue
		}
		if r.Money == nil {
			r.Money = new(float64)
		}
		*r.Money += p.Cost(llm.Usage{Calls: u.Calls, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens})
	}
	return nil
}

func (r *statusReport) print(out io.Writer, dir string) error {
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
