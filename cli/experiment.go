package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/eval/experiment"
	"membench/eval/pipeline"
	"membench/schema"

	"github.com/spf13/cobra"
)

// newExperimentCmd is the parent of the research programmes.
func newExperimentCmd(e *env) *cobra.Command {
	return parent("experiment", "Run an experiment: all of its runs, analyses, tables and figures", newExperimentQARPCmd(e), newExperimentPCMCmd(e))
}

func newExperimentQARPCmd(e *env) *cobra.Command {
	o := evalFlags{}
	d := experiment.Defaults()
	c := verb("qarp [DATASET...] [-c experiment.yaml]", "Query-aware retrieval planning against its comparison set",
		cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			return runExperimentQARP(c.Context(), e, o, d)
		})
	o.add(c)
	f := c.Flags()
	f.StringVar(&d.Backend, "backend", d.Backend, "`system` below QARP and the strategies")
	f.StringSliceVar(&d.Failures, "failures", d.Failures, "`systems` whose failures are also analysed")
	f.StringVar(&d.Measure, "measure", d.Measure, "`protocol` of the scores")
	f.Float64Var(&d.Below, "below", d.Below, "count answers with a lower `score` as failed")
	f.IntVar(&d.PerType, "per-type", d.PerType, "sample `n` failures of each type for people")
	f.IntSliceVar(&d.Ks, "ks", d.Ks, "further `numbers` of hits, for the curve; 0: none")
	f.StringSliceVar(&d.Labels, "labels", nil, "labels of the failures by people: `files` and folders")
	return c
}

func runExperimentQARP(ctx context.Context, e *env, o evalFlags, d experiment.Design) error {
	return runExperiment(e, o, func(v *config.Eval, xo experiment.Options) (string, error) {
		x := v.Experiment
		file := func(flag string, given bool, put func()) {
			if given && !o.changed(flag) {
				put()
			}
		}
		file("backend", x.Backend != "", func() { d.Backend = x.Backend })
		file("failures", x.Failures != nil, func() { d.Failures = x.Failures })
		file("measure", x.Measure != "", func() { d.Measure = x.Measure })
		file("below", x.Below != 0, func() { d.Below = x.Below })
		file("per-type", x.PerType != 0, func() { d.PerType = x.PerType })
		file("ks", x.Ks != nil, func() { d.Ks = x.Ks })
		file("labels", x.Labels != nil, func() {
			for _, path := range x.Labels {
				d.Labels = append(d.Labels, v.Path(path))
			}
		})
		d.Seed = v.Seed
		xo.Design = d
		return experiment.Run(ctx, xo)
	})
}

// runExperiment runs an experiment that flags and file describe, and prints where its report is.
func runExperiment(e *env, o evalFlags, run func(*config.Eval, experiment.Options) (dir string, err error)) (err error) {
	v, ms, err := readyEval(e, o)
	if err != nil {
		return err
	}
	defer ms.close(&err) // prints the estimate of a dry run
	t := newTally(e, 20)
	dir, err := run(v, experiment.Options{Eval: v, Report: t.found, Pipeline: pipeline.Options{
		GradeOnly: o.evalOnly, OnlyFailed: o.onlyFailed, Models: ms.Set, Place: e.place(""), Data: setsall.Source{Workers: o.Workers, MaxValue: o.MaxValue, Stdin: e.in},
		Membench: release, Now: e.now, Stdin: e.in, Log: t.log()}})
	t.summary()
	switch {
	case err != nil && !schema.Written(err):
		return err
	case ms.dryRun():
		e.warnf("dry run: nothing was asked and nothing is in %s; calls that several arms share are counted for each arm, and paid for once", dir)
		return nil
	}
	_, said := fmt.Fprintln(e.text(), filepath.Join(dir, "report.md"))
	return cmp.Or(said, err)
}
