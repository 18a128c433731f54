package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/eval/experiment"
	"membench/eval/pipeline"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/memory"
	"membench/memory/pcm"
	"membench/schema"

	"github.com/spf13/cobra"
)

// pcmFlags are the options of PCM on the command line.
type pcmFlags struct {
	config  string
	options pcm.Options
}

func (o *pcmFlags) add(c *cobra.Command) {
	o.options = pcm.Defaults()
	f := c.Flags()
	f.StringVar(&o.config, "pcm-config", "", "read thresholds and weights from this `config.yaml` of the published project")
	f.StringVar(&o.options.Mode, "pcm-mode", "fixed", "`fixed` or faithful")
	f.StringVar(&o.options.Surprisal, "surprisal-by", pcm.Semantic, "raw surprise: `semantic`, ngram, or nll")
	f.BoolVar(&o.options.Both, "both", false, "hear both speakers as users")
}

// resolve reads the file below the flags. model is the one that the file names.
func (o *pcmFlags) resolve(e *env, changed func(string) bool) (out pcm.Options, model string, err error) {
	if o.config == "" {
		return o.options, "", nil
	}
	b, err := smallfile.Read(o.config)
	if err != nil {
		return out, "", err
	}
	c, err := pcm.ReadConfig(b, o.options)
	if err != nil {
		return out, "", usagef("%s: %v", o.config, err)
	}
	if c.Key {
		e.warnf("%s: openai_api_key is not read: set OPENAI_API_KEY", o.config)
	}
	if c.BaseURL != "" {
		e.warnf("%s: openai_base_url is not read: set OPENAI_BASE_URL", o.config)
	}
	if len(c.Ignored) > 0 {
		e.warnf("%s: not used here: %s", o.config, strings.Join(c.Ignored, ", "))
	}
	if _, from := e.lookup("OPENAI_API_KEY"); from == "" && c.Model != "" {
		e.warnf("%s: %s is named and OPENAI_API_KEY is not set: PCM works by rule", o.config, c.Model)
		c.Model = ""
	}
	return c.Options, c.Model, nil
}

func newExperimentPCMCmd(e *env) *cobra.Command {
	o := evalFlags{}
	p := pcmFlags{}
	measure := "rule"
	c := &cobra.Command{
		Use:   "pcm [DATASET...] [-c experiment.yaml]",
		Short: "Surprise-driven memory against a memory of every turn",
		Long: `Surprise-driven memory (PCM) against a memory of every turn.

DATASET and most flags are those of 'membench eval run'. Three arms are run: store-all
(every turn, the same embedder), pcm, and pcm-gate, which stores only what surprised. The
report has answers, evidence recall, kept tokens, corrections, the distribution of
surprise, and whether keeping by surprise pays, with intervals.

OUT/trace/pcm.jsonl has every decision: intent, the parts of the surprise, level, agent,
and each node that changed with its weights before and after. 'membench pcm analyze OUT'
reads it.`,
		Example: `  membench experiment pcm locomo=locomo10.json --mock --max-samples 2 -o runs/pcm
  membench experiment pcm locomo=locomo10.json --both --pcm-config config.yaml -o runs/pcm`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) (err error) {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			options, model, err := p.resolve(e, o.changed)
			if err != nil {
				return err
			}
			if model != "" && !o.mock && o.systemModel == "" {
				o.systemModel = model
				changed := o.changed
				o.changed = func(flag string) bool { return flag == "system-model" || changed(flag) }
			}
			v, ms, err := readyEval(e, o)
			if err != nil {
				return err
			}
			defer ms.close(&err)
			if ms.dryRun() {
				return usagef("an experiment has no dry run: estimate one arm with 'membench eval run --dry-run'")
			}
			d := experiment.Defaults()
			d.Measure, d.Seed = cmp.Or(v.Experiment.Measure, measure), v.Seed
			t := newTally(e, 20)
			dir, err := experiment.RunPCM(c.Context(), experiment.Options{Eval: v, Design: d, Report: func(f *schema.Finding) error { return t.take(f) }, Pipeline: pipeline.Options{
				Models: ms.Set, Place: e.place(""), Data: setsall.Source{Workers: o.workers, MaxValue: o.max, Stdin: e.in},
				Membench: release, Now: e.now, Stdin: e.in, Log: t.log()}}, options)
			t.summary()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(e.out, filepath.Join(dir, "report.md"))
			return err
		},
	}
	o.add(c)
	p.add(c)
	c.Flags().StringVar(&measure, "measure", measure, "`protocol` of the scores")
	return c
}

// newPCMCmd is the parent of what looks into PCM.
func newPCMCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "pcm",
		Short: "Look into PCM: analyse an experiment, or talk to it",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPCMAnalyzeCmd(e), newPCMDemoCmd(e))
	return c
}

type pcmAnalyze struct {
	experiment, format, output string
	compare                    []string
	surprisal, errors          bool
	threshold                  float64
}

func newPCMAnalyzeCmd(e *env) *cobra.Command {
	var o pcmAnalyze
	c := &cobra.Command{
		Use:   "analyze [FOLDER]",
		Short: "Analyse an experiment that 'membench experiment pcm' ran",
		Long: `Analyse an experiment that 'membench experiment pcm' ran.

FOLDER, or --experiment NAME for runs/NAME; default runs/pcm. Prints exact match, F1,
contains and numeric match by category. --surprisal adds the distribution of surprise,
--errors the answers whose F1 is below --error-threshold. --compare A B puts two
experiments side by side.`,
		Example: `  membench pcm analyze runs/pcm
  membench pcm analyze --experiment my_experiment --format csv --output results.csv
  membench pcm analyze --compare exp1,exp2
  membench pcm analyze runs/pcm --surprisal --errors --error-threshold 0.3`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(o.compare) == 1 && len(args) == 1 { // --compare A B, as published
				o.compare, args = append(o.compare, args[0]), nil
			}
			switch {
			case len(args) > 1:
				return usagef("have %d folders, want one; --compare A B compares two", len(args))
			case len(args) == 1:
				o.experiment = args[0]
			}
			return runPCMAnalyze(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.experiment, "experiment", "pcm", "`folder` of the experiment, or its name below runs")
	f.StringVar(&o.format, "format", "", "`text`, json or csv (default: by the ending of --output, else text)")
	f.StringVar(&o.output, "output", "-", "write to this `file`")
	f.StringSliceVar(&o.compare, "compare", nil, "compare these two `experiments`")
	f.BoolVar(&o.surprisal, "surprisal", false, "show how surprise is distributed")
	f.BoolVar(&o.errors, "errors", false, "list the answers that failed")
	f.Float64Var(&o.threshold, "error-threshold", 0.3, "an answer of a lower F1 failed")
	return c
}

// folderOf finds an experiment: a folder, or a name below runs.
func folderOf(name string) string {
	if _, err := os.Stat(filepath.Join(name, "runs")); err == nil {
		return name
	}
	return filepath.Join("runs", name)
}

func runPCMAnalyze(ctx context.Context, e *env, o pcmAnalyze) error {
	names := []string{o.experiment}
	if len(o.compare) > 0 {
		if len(o.compare) != 2 {
			return usagef("--compare: have %d experiments, want two", len(o.compare))
		}
		names = o.compare
	}
	if o.format == "" {
		o.format = cmp.Or(strings.TrimPrefix(filepath.Ext(o.output), "."), "text")
	}
	if !slices.Contains([]string{"text", "txt", "json", "csv"}, o.format) {
		return usagef("--format: have %q, want text, json or csv", o.format)
	}
	if o.threshold < 0 || o.threshold > 1 {
		return usagef("--error-threshold: have %g, want 0 to 1", o.threshold)
	}
	var all []*experiment.Analysis
	for _, name := range names {
		a, err := experiment.Analyse(ctx, folderOf(name), experiment.AnalyseOptions{Surprise: o.surprisal, Errors: o.errors, Below: o.threshold})
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	return writeOut(e, o.output, func(w io.Writer) error {
		switch o.format {
		case "json":
			var v any = all
			if len(all) == 1 {
				v = all[0]
			}
			b, err := codec.Append(nil, v, codec.Indented)
			if err == nil {
				_, err = w.Write(append(b, '\n'))
			}
			return err
		case "csv":
			t := csv.NewWriter(w)
			rows := [][]string{{"experiment", "system", "dataset", "category", "n", "em", "f1", "contains", "numeric"}}
			for i, a := range all {
				for _, r := range a.Rows {
					rows = append(rows, []string{names[i], r.System, r.Dataset, r.Category, strconv.Itoa(r.N), share(r.EM), share(r.F1), share(r.Contains), share(r.Numeric)})
				}
			}
			if err := t.WriteAll(rows); err != nil {
				return err
			}
			return t.Error()
		}
		for i, a := range all {
			if err := writeAnalysis(w, names[i], a); err != nil {
				return err
			}
		}
		return nil
	})
}

func share(x *float64) string {
	if x == nil {
		return "–"
	}
	return strconv.FormatFloat(*x, 'f', 4, 64)
}

func writeAnalysis(to io.Writer, name string, a *experiment.Analysis) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "%s\n%-10s %-12s %-9s %6s %7s %7s %9s %8s\n", name, "system", "data set", "category", "n", "EM", "F1", "contains", "numeric")
	for _, r := range a.Rows {
		fmt.Fprintf(w, "%-10s %-12s %-9s %6d %7s %7s %9s %8s\n", r.System, r.Dataset, r.Category, r.N, share(r.EM), share(r.F1), share(r.Contains), share(r.Numeric))
	}
	if s := a.Surprise; s != nil && s.Turns > 0 {
		fmt.Fprintf(w, "\nsurprise of %d turns: high %d (%d forced), medium %d, low %d\n", s.Turns, s.Levels[pcm.High], s.Forced, s.Levels[pcm.Medium], s.Levels[pcm.Low])
		fmt.Fprintf(w, "effective at")
		for i, p := range experiment.Percents {
			fmt.Fprintf(w, "  %g %%: %.2f", p, s.Effective[i])
		}
		most := max(1, slices.Max(s.Histogram))
		fmt.Fprintln(w)
		for i, n := range s.Histogram {
			fmt.Fprintf(w, "%5.2f %6d %s\n", float64(i)/4, n, strings.Repeat("#", 50*n/most))
		}
	}
	for _, x := range a.Errors {
		fmt.Fprintf(w, "\n%s %s %s, F1 %.2f\n  question: %s\n  gold:     %s\n  answer:   %s\n", x.Dataset, x.CaseID, x.Category, x.F1, x.Question, x.Gold, x.Answer)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func newPCMDemoCmd(e *env) *cobra.Command {
	var scenario, mock bool
	var m modelFlags
	p := pcmFlags{}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Talk to PCM and see what it makes of each turn",
		Long: `Talk to PCM and see what it makes of each turn: intent, the parts of the surprise, level,
agent, and the nodes that changed with their weights.

A line is a turn of the user. A line that begins with ? asks the memory, /end ends the
session, /quit leaves. --scenario plays a short dialogue instead.`,
		Example: "  membench pcm demo --scenario\n  membench pcm demo --model gpt-4o-mini",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			options, model, err := p.resolve(e, c.Flags().Changed)
			if err != nil {
				return err
			}
			var d memory.Deps
			if m.model = cmp.Or(m.model, model); m.model != "" && !mock {
				ms, err := m.open(e)
				if err != nil {
					return err
				}
				defer ms.close(&err)
				if d.LLM, err = ms.Generator(config.Extract); err != nil {
					return err
				}
				d.Prompts = ms.Prompts
			}
			in := e.in
			if scenario {
				in = strings.NewReader(pcm.Scenario)
			}
			return runPCMDemo(c.Context(), e, d, options, in, scenario)
		},
	}
	p.add(c)
	m.add(c)
	c.Flags().BoolVar(&scenario, "scenario", false, "play a short dialogue instead of reading one")
	c.Flags().BoolVar(&mock, "mock", false, "ask no model, whatever is configured")
	return c
}

func runPCMDemo(ctx context.Context, e *env, d memory.Deps, o pcm.Options, in io.Reader, echo bool) error {
	out := e.text()
	var failed error
	sys, err := pcm.New(d, o, func(x pcm.Decision) {
		if failed == nil {
			failed = showDecision(out, x)
		}
	})
	if err != nil {
		return usageError{err: err}
	}
	m, err := sys.Open(ctx, memory.Namespace{Run: "demo", Scope: "demo"})
	if err != nil {
		return err
	}
	defer m.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan() && failed == nil; n++ {
		text := strings.TrimSpace(lines.Text())
		if echo && text != "" {
			fmt.Fprintf(out, "\n> %s\n", text)
		}
		switch question, asks := strings.CutPrefix(text, "?"); {
		case text == "":
		case text == "/quit":
			return failed
		case text == "/end":
			_, err = memory.Finish(ctx, m, "demo")
		case asks:
			var r memory.Retrieved
			if r, err = m.Retrieve(ctx, memory.Query{Text: question, K: 5}); err == nil {
				for _, h := range r.Hits {
					fmt.Fprintf(out, "  %.3f %s\n", h.Score, h.Text)
				}
			}
		default:
			t := schema.Turn{Role: memory.RoleUser, Text: text, Time: e.now().UTC().Format("2006-01-02T15:04:05Z"), Sources: []schema.EventRef{{ConvID: "demo", TurnID: n}}}
			_, err = m.Ingest(ctx, memory.Batch{Key: strconv.Itoa(n), Session: "demo", Turns: []schema.Turn{t}})
		}
		if err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return lines.Err()
}

// showDecision prints what became of a turn.
func showDecision(w io.Writer, d pcm.Decision) error {
	var b strings.Builder
	if d.Intent != nil {
		fmt.Fprintf(&b, "  intent     %s %.2f\n", d.Intent.Label, d.Intent.Confidence)
	}
	if s := d.Surprisal; s != nil {
		fmt.Fprintf(&b, "  surprise   raw %.2f (%s; distance %.2f, conflict %.2f, %s), entropy %.2f, effective %.2f: %s\n", s.Raw, s.Estimator, s.Distance, s.Conflict, s.Relation, s.Entropy, s.Effective, s.Level)
	}
	fmt.Fprintf(&b, "  agent      %s\n", d.Agent)
	if d.Reason != "" {
		fmt.Fprintf(&b, "  reason     %s\n", d.Reason)
	}
	weight := func(x *float64) string {
		if x == nil {
			return "–"
		}
		return strconv.FormatFloat(*x, 'f', 3, 64)
	}
	for _, n := range d.Nodes {
		fmt.Fprintf(&b, "  %-10s %s → %s  %s %q\n", n.Op, weight(n.Before), weight(n.After), n.Type, n.Text)
	}
	for _, x := range d.Edges {
		fmt.Fprintf(&b, "  edge       %s -%s-> %s %.2f\n", x.From, x.Relation, x.To, x.Weight)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
