package cli

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/eval/pipeline"
	evalrun "membench/eval/run"
	"membench/llm/openai"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newEvalRunCmd(e *env) *cobra.Command {
	o := evalFlags{}
	var shard string
	c := &cobra.Command{
		Use:   "run [DATASET...] [-c eval.yaml]",
		Short: "Put the questions of data sets to memory systems, and grade the answers",
		Long: `Ask memory systems the questions of data sets, and grade the answers.

DATASET is NAME=PATH (a data set that 'membench datasets list' names, with its file or
folder; further paths follow with commas), a file of cases ('membench datasets convert'),
or a file or folder that is recognised by its names. Each case is played into an empty memory of
each system, session by session; a question is asked when the sessions that it covers are
in, the others after the last.

--system names what 'membench systems list' does, with options: bm25,
'simple-rag{mode: fused}', label=NAME{…}, mine.yaml (a service), or
'process{command: [python3, mine.py]}'. With -c all of it stands in a file, which flags
override (docs/eval-yaml.md); RUN/config.yaml has what was in force.

RUN is a folder: cases.jsonl.zst, pipeline_sessions.jsonl and pipeline_qa.jsonl (what was
ingested, shown and answered) with contexts.jsonl.zst (the texts shown, each once: records
name them by context_id, 'zstdcat contexts.jsonl.zst | jq' shows them), then, unless --no-grade, session_records.jsonl and
qa_records.jsonl (the same, graded), summary.jsonl and aggregate_metrics.json; a line a
system is printed. manifest.json says what made them. Everything that is answered is on disk at once: a run that was
killed continues when it is started again, and a finished one does nothing. Another
configuration in the same folder is refused, with what differs. What failed is an
outcome of its own question; --only-failed asks it again, and refills a memory where a rule
replaced a model that failed. 'membench eval status RUN' looks at a run.

Answers come from the rule reader, or, with --reader model, --model, or a model named in
the file, from that; a model that fails is the outcome of its question. Memories work
side by side (--memories), within one everything is serial; --calls answers of the reader
are under way at once. A call over its limit (--ingest-limit, --retrieve-limit,
--read-limit) is cancelled, and the question's outcome is timeout.

--shard i/n plays only the cases whose ids hash to part i of n, counted from 0, into a
folder of its own, and grades them; 'membench eval merge' joins the n folders into the
run that one process would have made. A shard has its part of the budget; limits of rate
(--rate-limit) hold for each process (docs/scale.md).

--dry-run prints the configuration in force and what the model calls would cost, asks
no model and writes nothing; bm25 then replaces services and programs.`,
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
	flags.config, flags.model = "", "" // --model names the reader's, which stands in v
	project := v.Project()
	if o.file == "" {
		if project, err = flags.project(e); err != nil {
			return nil, nil, err
		}
	}
	if o.file == "" && !o.mock {
		if err := askNamed(e, v, project); err != nil {
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

// runEval runs what flags and file say; whole also explains and reports.
func runEval(ctx context.Context, e *env, o evalFlags, whole bool) (err error) {
	v, ms, err := readyEval(e, o)
	if err != nil {
		return err
	}
	defer ms.close(&err) // tells the estimate of a dry run
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

// askNamed makes the model that the environment, .env or membench.yaml names answer and
// judge, where the flags leave open who does; an eval.yaml says it by itself.
func askNamed(e *env, v *config.Eval, p *config.Project) error {
	var roles []string
	for _, role := range []config.Role{config.Read, config.Judge} {
		ep, err := p.Resolve(role, config.Model{}, e.lookup)
		switch {
		case err != nil:
			return &schema.UsageError{Err: err}
		case ep.Name == "":
			continue
		case ep.Key == "" && ep.BaseURL == openai.DefaultURL:
			e.warnf("the model %s is configured, but OPENAI_API_KEY is not set: answers and verdicts are made by rule", ep.Name)
			return nil
		}
		if role == config.Read && v.Reader.Type == "" && v.Reader.Model == "" {
			v.Reader.Type, v.Reader.Model = "model", ep.Name
			roles = append(roles, "answers")
		}
		if role == config.Judge && v.Grading.Judge == "" && v.Grading.JudgeModel == "" && len(v.Grading.Protocols) == 0 {
			v.Grading.Judge, v.Grading.JudgeModel = "model", ep.Name
			roles = append(roles, "verdicts")
		}
	}
	if len(roles) > 0 {
		e.warnf("%s are made by the model %s; --mock asks no model, --reader rule and --judge rule replace it in one role", strings.Join(roles, " and "), cmp.Or(v.Reader.Model, v.Grading.JudgeModel))
	}
	return nil
}
