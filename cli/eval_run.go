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
	c := &cobra.Command{
		Use:   "run [DATASET...] [-c eval.yaml]",
		Short: "Ask memory systems the questions of data sets, and grade the answers",
		Long: `Ask memory systems the questions of data sets, and grade the answers.

DATASET is NAME=PATH (a data set that 'membench datasets list' names, with its file or
folder; further paths follow with commas), a file of cases ('membench datasets convert'), or
a file or folder that is recognised by its names. Each case is ingested into an empty memory
of each system, session by session. A question is asked after the sessions that it covers,
or after the last one.

--system names what 'membench systems list' does, with options: bm25,
'simple-rag{mode: fused}', label=NAME{…}, mine.yaml (a service), or
'process{command: [python3, mine.py]}'. With -c all of this is in a file; flags override it
(docs/eval-yaml.md). RUN/config.yaml has the effective settings.

RUN is a folder: cases.jsonl.zst, pipeline_sessions.jsonl and pipeline_qa.jsonl (what was
ingested, shown and answered) with contexts.jsonl.zst (the texts shown, each once: records
name them by context_id, 'zstdcat contexts.jsonl.zst | jq' shows them), then, unless
--no-grade, session_records.jsonl and qa_records.jsonl (the same, graded), summary.jsonl and
aggregate_metrics.json; a line a system is printed. manifest.json records how they were
made. Every answer is written to disk at once: an interrupted run continues when it is
started again, and a finished one does nothing. Another configuration in the same folder is
rejected, with the differences. A failure is the outcome of its own question; --only-failed
asks it again, and refills a memory in which a rule replaced a failed model.
'membench eval status RUN' shows the state of a run.

Answers come from the rule reader, or, with --reader model, --model, or a model named in the
file, from that; a model that fails is the outcome of its question. Memories work in
parallel (--memories), each of them serially; --calls is the number of concurrent answers of
the reader. A call over its limit (--ingest-limit, --retrieve-limit, --read-limit) is
cancelled, and the question's outcome is timeout.

--shard i/n plays only the cases whose ids hash to part i of n, counted from 0, into a
folder of its own, and grades them; 'membench eval merge' joins the n folders into the
run that one process would have made. A shard has its part of the budget; limits of rate
(--rate-limit) hold for each process (docs/scale.md).

--dry-run prints the effective configuration and the cost of the model calls, asks no model
and writes nothing; bm25 then replaces services and programs.`,
		Example: `  membench eval run locomo=locomo10.json --system bm25,full-context,oracle -o runs/first
  membench eval run longmemeval=longmemeval_s.json --system simple-rag --questions 50 --seed 7 -o runs/small
  membench eval run cases.jsonl --system bm25 --model gpt-4o-mini --cassette answers.jsonl -o runs/model
  membench eval run cases.jsonl --system bm25 -o runs/part-0 --shard 0/4
  membench eval run -c eval.yaml --dry-run
  membench eval run cases.jsonl --system bm25 -o runs/first --only-failed
  membench eval status runs/first`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			if shard != "" {
				var err error
				if o.shard, err = evalrun.ParseShard(shard); err != nil {
					return usagef("--shard: %v", err)
				}
			}
			return runEval(c.Context(), e, o, false)
		},
	}
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
		Data: setsall.Source{Workers: o.workers, MaxValue: o.max, Stdin: e.in}, Membench: release, Now: e.now, Stdin: e.in, Log: t.log(),
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
