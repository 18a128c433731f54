package cli

import (
	"context"
	"path/filepath"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/eval/pipeline"
	evalrun "membench/eval/run"

	"github.com/spf13/cobra"
)

func newEvalRunCmd(e *env) *cobra.Command {
	o := evalFlags{}
	var shard string
	c := verb("run [DATASET...] [-c eval.yaml]", "Ask memory systems the questions of data sets, and grade the answers",
		cobra.ArbitraryArgs, func(c *cobra.Command, args []string) error {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			if shard != "" {
				var err error
				if o.shard, err = evalrun.ParseShard(shard); err != nil {
					return usagef("--shard: %v", err)
				}
			}
			return runEval(c.Context(), e, o, false)
		})
	o.add(c)
	f := c.Flags()
	f.BoolVar(&o.noGrade, "no-grade", false, "stop before grading")
	f.StringVar(&shard, "shard", "", "ask part `i/n` of the cases only, counted from 0, into a separate folder")
	return c
}

// readyEval resolves flags and file and opens the models.
func readyEval(e *env, o evalFlags) (v *config.Eval, ms *models, err error) {
	if v, err = o.resolve(e); err != nil {
		return nil, nil, err
	}
	switch v.Output.Folder = pipeline.Folder(v); {
	case v.Output.Folder != "":
	case !o.model.dryRun:
		return nil, nil, usagef("no folder for the run: name one with -o")
	default:
		v.Output.Folder = filepath.Join("runs", "dry-run")
	}
	flags := o.model
	flags.config, flags.model = "", "" // --model is the reader's, which is in v
	project := v.Project()
	if o.file == "" {
		if project, err = flags.project(e); err != nil {
			return nil, nil, err
		}
	}
	if o.file == "" && !o.mock {
		if err := pipeline.NamedModels(v, project, e.lookup, pipeline.Log{Words: e.warnf}); err != nil {
			return nil, nil, err
		}
	}
	mo := flags.options(e)
	mo.Part, mo.Parts = o.shard.I, o.shard.Of
	set, err := pipeline.OpenModels(v, project, mo)
	if err != nil {
		return nil, nil, err
	}
	return v, &models{Set: set, e: e, usage: flags.usage}, nil
}

// runEval runs the evaluation that flags and file describe; whole also explains and reports.
func runEval(ctx context.Context, e *env, o evalFlags, whole bool) (err error) {
	v, ms, err := readyEval(e, o)
	if err != nil {
		return err
	}
	defer ms.close(&err) // prints the estimate of a dry run
	t := newTally(e, 20)
	set := ms.Set
	po := pipeline.Options{Whole: whole, NoGrade: o.noGrade, GradeOnly: o.evalOnly, OnlyFailed: o.onlyFailed, Shard: o.shard, Models: set, Place: e.place(""),
		Data: setsall.Source{Workers: o.Workers, MaxValue: o.MaxValue, Stdin: e.in}, Membench: release, Now: e.now, Stdin: e.in, Log: t.log(),
		Progress: func(w *evalrun.Watch) func() { return e.following(v.Output.Folder, asking(w, ms)) }}
	if ms.dryRun() {
		text, err := v.YAML()
		if err != nil {
			return err
		}
		if _, err := e.out.Write(text); err != nil {
			return err
		}
	}
	res, err := pipeline.Run(ctx, v, po)
	t.summary()
	switch {
	case err != nil:
		return err
	case ms.dryRun():
		e.warnf("dry run: nothing was asked and nothing is in %s", v.Output.Folder)
		return nil
	}
	if o.shard.Of > 0 {
		e.warnf("shard %v is done; when all are: membench eval merge FOLDER... -o RUN", o.shard)
	} else if err := printScores(e, res.Summaries); err != nil {
		return err
	}
	if failed := res.Failed(); failed != nil {
		return failed
	}
	return nil
}
