package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/config"
	"membench/eval/aggregate"
	"membench/eval/figure"
	"membench/internal/atomicfile"
	llmodels "membench/models"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type evalAggregateOptions struct {
	inputs []string

	aggregate.Options
	confidence percentFlag
	prices     string
	out        string
	strict     bool
	json       bool
}

func newEvalAggregateCmd(e *env) *cobra.Command {
	o := evalAggregateOptions{confidence: 95}
	c := &cobra.Command{
		Use:   "aggregate RUN...",
		Short: "Make figures of graded records: with n, intervals and what was skipped",
		Long: `Make figures of graded records: with n, intervals and what was skipped.

A RUN is a folder with qa_records.jsonl (and session_records.jsonl), or such a file, or -. Each system
and data set gets a summary: for each protocol and judge the mean over all questions
(micro), over the set's labels (macro) and by label, with the common category beside it
(IE MR TR KU ABS …; where the two cut differently, as LongMemEval's abstention does,
both, the common ones marked =), Wilson's interval, the interval of a bootstrap that
draws whole conversations, and the mean in which an answer that was never given or
never judged counts as 0 (strict). LoCoMo's category 5 stands apart and enters no
total. Where answers were graded against corrected golds, too (eval grade --errata),
both means stand there. Tokens are summed by step and model, with their cost by the price
table (--prices; 'membench config show' names the built-in one). The six dimensions of aggregate_metrics.json are there where sessions were graded
or answers labelled.

-o FOLDER writes summary.jsonl and aggregate_metrics.json (one system; of several,
aggregate_metrics.SYSTEM.json each).`,
		Example: `  membench eval aggregate runs/bm25
  membench eval aggregate runs/bm25 --declared 1540 -o runs/bm25
  membench eval aggregate graded.jsonl --json | jq '.[].scores[] | {protocol, v: .overall.value, n: .overall.n}'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			o.Confidence = float64(o.confidence) / 100
			if o.json && o.out != "" {
				return usagef("--json prints, -o writes: choose one")
			}
			return runEvalAggregate(c.Context(), e, o)
		},
	}
	f := c.Flags()
	addFigureFlags(c, &o.Options.Options, &o.confidence)
	f.IntVar(&o.Declared, "declared", 0, "`n` questions were declared before the run: coverage is said of them")
	f.StringSliceVar(&o.Apart, "apart", nil, "raw `categories` that enter no total, with commas (default: 5 of locomo)")
	f.StringVar(&o.prices, "prices", "", pricesHelp)
	f.StringVarP(&o.out, "output", "o", "", "write summary.jsonl and aggregate_metrics.json to this `folder`")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.BoolVar(&o.json, "json", false, "print the summaries as one JSON array")
	return c
}

const pricesHelp = "price `table` of models (default: the project's, else the built-in one)"

// figurePrices is the price table that money figures stand on: the file, else that of the
// project in the working folder, else the built-in one.
func figurePrices(e *env, path string) (figure.Prices, error) {
	var p *config.Project
	if file := config.Find("."); path == "" && file != "" {
		var err error
		if p, err = config.Load(file, e.lookup); err != nil {
			return figure.Prices{}, usageError{err}
		}
	}
	t, err := config.LoadPrices(llmodels.Options{Prices: path}.PriceFile(p))
	if err != nil {
		return figure.Prices{}, usageError{err}
	}
	return figure.Prices{Prices: t.Prices, Currency: t.Currency, AsOf: t.AsOf}, nil
}

// percentFlag reads a percentage between 50 and 100, both excluded.
type percentFlag float64

func (p *percentFlag) String() string { return fmt.Sprint(float64(*p)) }
func (p *percentFlag) Type() string   { return "percent" }

// Set accepts 95 and 95%.
func (p *percentFlag) Set(s string) error {
	var v float64
	if _, err := fmt.Sscanf(strings.TrimSuffix(s, "%")+"\n", "%g\n", &v); err != nil || v <= 50 || v >= 100 {
		return fmt.Errorf("have %q, want a level of confidence between 50 and 100, like 95", s)
	}
	*p = percentFlag(v)
	return nil
}

// addFigureFlags adds what every maker of intervals takes.
func addFigureFlags(c *cobra.Command, o *figure.Options, confidence *percentFlag) {
	f := c.Flags()
	f.Var(confidence, "confidence", "`level` of every interval, in percent")
	f.IntVar(&o.Draws, "draws", 2000, "draws of the bootstrap: `n`")
	f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the bootstrap")
}

// runFiles finds the QA and session files of a run.
func runFiles(path string) (qa, sessions string, err error) {
	if path == "-" {
		return path, "", nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		if strings.HasPrefix(filepath.Base(path), "session") || strings.HasPrefix(filepath.Base(path), "pipeline_sessions") {
			return "", path, nil
		}
		return path, "", nil
	}
	find := func(names ...string) string {
		for _, n := range names {
			for _, packed := range []string{"", ".zst", ".gz"} {
				if _, err := os.Stat(filepath.Join(path, n+packed)); err == nil {
					return filepath.Join(path, n+packed)
				}
			}
		}
		return ""
	}
	qa, sessions = find("qa_records.jsonl", "pipeline_qa.jsonl"), find("session_records.jsonl", "pipeline_sessions.jsonl")
	if qa == "" && sessions == "" {
		return "", "", fmt.Errorf("%s: neither qa_records.jsonl nor session_records.jsonl: is it the folder of a run?", path)
	}
	return qa, sessions, nil
}

// withRecords opens a file of records for f; nothing for "".
func withRecords[T any](ctx context.Context, e *env, path string, f func(schema.Seq[T]) error) error {
	if path == "" {
		return f(nil)
	}
	r, err := jsonl.Open(path, e.in)
	if err != nil {
		return err
	}
	defer r.Close()
	return f(jsonl.Decode[T](untilDone{ctx, r}, path))
}

func runEvalAggregate(ctx context.Context, e *env, o evalAggregateOptions) error {
	var err error
	if o.Prices, err = figurePrices(e, o.prices); err != nil {
		return err
	}
	t := newTally(e, 20)
	a := aggregate.New(o.Options)
	for _, path := range o.inputs {
		qa, sessions, err := runFiles(path)
		if err != nil {
			return err
		}
		err = withRecords(ctx, e, qa, func(q schema.Seq[schema.QARecord]) error {
			return withRecords(ctx, e, sessions, func(s schema.Seq[schema.SessionRecord]) error { return a.Read(q, s, t.take) })
		})
		if err != nil {
			return err
		}
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	all := a.Summaries()
	switch {
	case len(all) == 0:
		return fmt.Errorf("no record was read: give graded records (membench eval grade)")
	case o.json:
		return writeJSON(e.out, all)
	case o.out != "":
		return writeSummaries(o.out, all)
	}
	w := bufio.NewWriter(e.out)
	for _, s := range all {
		printSummary(w, s)
	}
	return w.Flush()
}

func writeSummaries(dir string, all []schema.Summary) error {
	for _, s := range all {
		if s.Metrics == nil {
			continue
		}
		name := "aggregate_metrics.json"
		if len(all) > 1 {
			name = "aggregate_metrics." + atomicfile.Name(s.System) + ".json"
		}
		if err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error { return writeJSON(w, s.Metrics) }); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(dir, "summary.jsonl"), func(w io.Writer) error {
		_, err := writeRecords(w, func(yield func(schema.Record[schema.Summary], error) bool) {
			for _, s := range all {
				if !yield(schema.Record[schema.Summary]{V: s}, nil) {
					return
				}
			}
		})
		return err
	})
}

// percent prints a share as a percentage, "–" where there is none.
func percent(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", 100**x)
}

func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f–%.1f", 100**lo, 100**hi)
}

// printCategories shows the set's own labels with our categories beside them; where the
// two cut the questions differently (LongMemEval's abstention crosses its types), our
// category has a line of its own.
func printCategories(line func(string, schema.Figure), sc schema.Score) {
	crossed := map[string]bool{} // our categories that have no label of their own
	for _, c := range sc.RawCategories {
		for _, of := range c.Of {
			crossed[of] = crossed[of] || len(c.Of) > 1
		}
	}
	for _, c := range sc.RawCategories {
		label := "  " + c.Category
		if c.Category == "" {
			label = "  no label"
		}
		if of := strings.Join(c.Of, " "); of != c.Category && of != "" {
			label += " · " + of
		}
		if slices.Contains(sc.Apart, c.Category) {
			label += " (apart)"
		}
		line(label, c.Figure)
	}
	for _, c := range sc.Categories {
		if len(c.Of) > 1 || crossed[c.Category] {
			line("  = "+c.Category, c.Figure)
		}
	}
}

// scoreName is the protocol, and the judge's model where it is one.
func scoreName(sc schema.Score) string {
	if sc.By == schema.ByRule {
		return sc.Protocol
	}
	return sc.Protocol + " (" + string(sc.By) + ")"
}

func printSummary(w io.Writer, s schema.Summary) {
	fmt.Fprintf(w, "%s on %s: %d questions", s.System, s.Dataset, s.Questions)
	if s.Repeats > 1 {
		fmt.Fprintf(w, " × %d", s.Repeats)
	}
	if s.Declared > 0 {
		fmt.Fprintf(w, " of %d declared (%s %%)", s.Declared, percent(s.Coverage))
	}
	for _, name := range []string{schema.OutcomeAnswered, schema.OutcomeEmpty, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused} {
		if n := s.Outcomes[name]; n > 0 {
			fmt.Fprintf(w, ", %s %d", name, n)
		}
	}
	wide := 32 // of the first column
	for _, sc := range s.Scores {
		wide = max(wide, utf8.RuneCountInString(scoreName(sc)))
	}
	fmt.Fprintf(w, "\n%-*s %8s %15s %15s %7s %9s %8s\n", wide+2, "  in percent, "+fmt.Sprint(100*s.Confidence)+" % intervals", "mean", "Wilson", "by case", "n", "unscored", "strict")
	line := func(name string, f schema.Figure) {
		fmt.Fprintf(w, "  %-*s %8s %15s %15s %7d %9d %8s\n", wide, name, percent(f.Value), interval(f.Lo, f.Hi), interval(f.ClusterLo, f.ClusterHi), f.N, f.Unscored, percent(f.Strict))
	}
	for _, sc := range s.Scores {
		line(scoreName(sc), sc.Overall)
		if sc.Repeats != nil {
			fmt.Fprintf(w, "    over %d repeats: std %s (population), %s (sample)\n", sc.Repeats.N, percent(sc.Repeats.StdPopulation), percent(sc.Repeats.StdSample))
		}
		if c := sc.Corrected; c != nil {
			line("  with corrected golds", c.Overall)
			fmt.Fprintf(w, "    (%s: %d of the answers graded again, %d skipped because no right answer can be determined)\n", strings.Join(c.Overlays, ", "), c.Questions, c.LeftOut)
			for _, x := range c.RawCategories {
				line("    "+cmp.Or(x.Category, "no label"), x.Figure)
			}
		}
		printCategories(line, sc)
		fmt.Fprintf(w, "  %-*s %8s\n", wide, "  mean of the labels (macro)", percent(sc.Macro))
	}
	if m := s.Metrics; m != nil {
		fmt.Fprintf(w, "  sessions: recall %s, of updates %s; new memories correct %s, hallucinated %s; updates %s (n %d); interference rejected %s (n %d)\n",
			percent(m.MemoryRecall.AvgRecall), percent(m.MemoryRecall.AvgUpdateRecall), percent(m.MemoryCorrectness.AvgCorrectness), percent(m.MemoryCorrectness.AvgHallucination),
			percent(m.UpdateHandling.Score), m.UpdateHandling.Total, percent(m.InterferenceRejection.Score), m.InterferenceRejection.Total)
		fmt.Fprintf(w, "  answers: correct %s, hallucination %s, omission %s (n %d); evidence covered %s (n %d)\n", percent(m.QuestionAnswering.CorrectRatio),
			percent(m.QuestionAnswering.HallucinationRatio), percent(m.QuestionAnswering.OmissionRatio), m.QuestionAnswering.Total, percent(m.EvidenceCoverage.HitRate), m.EvidenceCoverage.Total)
	}
	for _, u := range s.Usage {
		fmt.Fprintf(w, "  %s at %s: %d calls (%d from a cassette), %d tokens in, %d out\n", u.Step, cmp.Or(string(u.Model), "no named model"), u.Calls, u.Cached, u.InputTokens, u.OutputTokens)
	}
	if c := s.Cost; c != nil {
		fmt.Fprintf(w, "  cost: %.4f %s by prices of %s", c.Total, c.Currency, c.AsOf)
		for i, step := range c.Steps {
			fmt.Fprintf(w, "%s %s %.4f", []string{" =", " +"}[min(i, 1)], step.Step, step.Cost)
		}
		fmt.Fprintln(w)
	}
	for _, warning := range s.Warnings {
		fmt.Fprintf(w, "  ! %s\n", warning)
	}
}
