package cli

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/config"
	"membench/eval/experiment"
	"membench/internal/smallfile"
	"membench/memory"
	"membench/memory/pcm"

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
	f.StringVar(&o.options.Mode, "pcm-mode", "fixed", "`mode`: fixed or faithful")
	f.StringVar(&o.options.Surprisal, "surprisal-by", pcm.Semantic, "raw surprise: `semantic`, ngram, or nll")
	f.BoolVar(&o.options.Both, "both", false, "treat both speakers as users")
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
		e.warnf("%s: the model %s is configured, but OPENAI_API_KEY is not set: PCM works by rule", o.config, c.Model)
		c.Model = ""
	}
	return c.Options, c.Model, nil
}

func newExperimentPCMCmd(e *env) *cobra.Command {
	o := evalFlags{}
	p := pcmFlags{}
	measure := "rule"
	c := verb("pcm [DATASET...] [-c experiment.yaml]", "Surprise-driven memory against a memory of every turn",
		cobra.ArbitraryArgs, func(c *cobra.Command, args []string) (err error) {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			options, model, err := p.resolve(e, o.changed)
			if err != nil {
				return err
			}
			if model != "" && !o.mock && o.over.Models.Extract.Name == "" {
				o.over.Models.Extract.Name = model
				changed := o.changed
				o.changed = func(flag string) bool { return flag == "system-model" || changed(flag) }
			}
			return runExperiment(e, o, func(v *config.Eval, xo experiment.Options) (string, error) {
				xo.Design = experiment.Defaults()
				xo.Design.Measure, xo.Design.Seed = cmp.Or(v.Experiment.Measure, measure), v.Seed
				return experiment.RunPCM(c.Context(), xo, options)
			})
		})
	o.add(c)
	p.add(c)
	c.Flags().StringVar(&measure, "measure", measure, "`protocol` of the scores")
	return c
}

// newPCMCmd returns the parent of the commands that examine PCM.
func newPCMCmd(e *env) *cobra.Command {
	return parent("pcm", "Look into PCM: analyse an experiment, or talk to it", newPCMAnalyzeCmd(e), newPCMDemoCmd(e))
}

type pcmAnalyze struct {
	experiment.AnalyseOptions
	folder, format, output string
	compare                []string
}

func newPCMAnalyzeCmd(e *env) *cobra.Command {
	var o pcmAnalyze
	c := verb("analyze [FOLDER]", "Analyse an experiment that 'membench experiment pcm' ran", cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
		if len(o.compare) == 1 && len(args) == 1 { // --compare A B, as published
			o.compare, args = append(o.compare, args[0]), nil
		}
		switch {
		case len(args) > 1:
			return usagef("have %d folders, want one; --compare A B compares two", len(args))
		case len(args) == 1:
			o.folder = args[0]
		}
		return runPCMAnalyze(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVar(&o.folder, "experiment", "pcm", "`folder` of the experiment, or its name below runs")
	f.StringVar(&o.format, "format", "", "`format`: text, json or csv (default: by the ending of --output, otherwise text)")
	f.StringVar(&o.output, "output", "-", "write to this `file`")
	f.StringSliceVar(&o.compare, "compare", nil, "compare these two `experiments`")
	f.BoolVar(&o.Surprise, "surprisal", false, "show how surprise is distributed")
	f.BoolVar(&o.Errors, "errors", false, "list the answers that failed")
	f.Float64Var(&o.Below, "error-threshold", 0.3, "count answers with a lower `F1` as failed")
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
	names := []string{o.folder}
	if len(o.compare) > 0 {
		if len(o.compare) != 2 {
			return usagef("--compare: have %d experiments, want two", len(o.compare))
		}
		names = o.compare
	}
	if o.format == "" {
		o.format = cmp.Or(strings.TrimPrefix(filepath.Ext(o.output), "."), "text")
	}
	if o.format == "txt" {
		o.format = experiment.Text
	}
	if !slices.Contains([]string{experiment.Text, experiment.JSON, experiment.CSV}, o.format) {
		return usagef("--format: have %q, want text, json or csv", o.format)
	}
	if o.Below < 0 || o.Below > 1 {
		return usagef("--error-threshold: have %g, want 0 to 1", o.Below)
	}
	var all []experiment.Named
	for _, name := range names {
		a, err := experiment.Analyse(ctx, folderOf(name), o.AnalyseOptions)
		if err != nil {
			return err
		}
		all = append(all, experiment.Named{Name: name, Analysis: a})
	}
	return writeOut(e, o.output, func(w io.Writer) error { return experiment.WriteAnalyses(w, o.format, all) })
}

func newPCMDemoCmd(e *env) *cobra.Command {
	var scenario, mock bool
	var m modelFlags
	p := pcmFlags{}
	c := verb("demo", "Talk to PCM and see how it processes each turn", cobra.NoArgs, func(c *cobra.Command, _ []string) (err error) {
		options, model, err := p.resolve(e, c.Flags().Changed)
		if err != nil {
			return err
		}
		var d memory.Deps
		if m.model = cmp.Or(m.model, model); m.model != "" && !mock {
			ms, g, err := m.generator(e, config.Extract)
			defer ms.close(&err)
			if err != nil {
				return err
			}
			d.LLM, d.Prompts = g, ms.Prompts
		}
		in := e.in
		if scenario {
			in = strings.NewReader(pcm.Scenario)
		}
		return pcm.Demo{Deps: d, Options: options, Out: e.text(), Now: e.now, Echo: scenario}.Play(c.Context(), in)
	})
	p.add(c)
	m.add(c)
	c.Flags().BoolVar(&scenario, "scenario", false, "play a short dialogue instead of reading one")
	c.Flags().BoolVar(&mock, "mock", false, "ask no model, regardless of the configuration")
	return c
}
