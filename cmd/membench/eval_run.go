package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"membench/datasets"
	evalrun "membench/eval/run"
	"membench/internal/build"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newEvalRunCmd(e *env) *cobra.Command {
	o := evalFlags{}
	c := &cobra.Command{
		Use:   "run [DATASET...] [-c eval.yaml]",
		Short: "Put the questions of data sets to memory systems, and grade the answers",
		Long: `Put the questions of data sets to memory systems, and grade the answers.

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
ingested, shown and answered), then, unless --no-grade, session_records.jsonl and
qa_records.jsonl (the same, graded), summary.jsonl and aggregate_metrics.json; a line a
system is printed. manifest.json says what made them. Everything that is answered is on disk at once: a run that was
killed continues when it is started again, and a finished one does nothing. Another
configuration in the same folder is refused, with what differs. What failed is an
outcome of its own question; --only-failed asks it again. 'membench eval status RUN' looks at a run.

Answers come from the rule reader, or, with --reader model, --model, or a model named in
the file, from that; a model that fails is the outcome of its question. Memories work
side by side (--memories), within one everything is serial; --calls answers of the reader
are under way at once. A call over its limit (--ingest-limit, --retrieve-limit,
--read-limit) is cancelled, and the question's outcome is timeout.

--dry-run prints the configuration in force and what the model calls would cost, asks
nobody and writes nothing; services and programs are then stood for by bm25.`,
		Example: `  membench eval run locomo=locomo10.json --system bm25,full-context,oracle -o runs/first
  membench eval run longmemeval=longmemeval_s.json --system simple-rag --questions 50 --seed 7 -o runs/small
  membench eval run cases.jsonl --system bm25 --model gpt-4o-mini --cassette answers.jsonl -o runs/model
  membench eval run -c eval.yaml --dry-run
  membench eval run cases.jsonl --system bm25 -o runs/first --only-failed
  membench eval status runs/first`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			o.sets = append(o.sets, args...)
			o.changed = c.Flags().Changed
			return runEval(c.Context(), e, o, false)
		},
	}
	o.add(c)
	f := c.Flags()
	f.BoolVar(&o.noGrade, "no-grade", false, "stop before grading")
	return c
}

// A runSpec is a run without its flags: what eval run, eval and a YAML file make.
type runSpec struct {
	dir      string
	sets     []runSet
	sample   int // questions of each set; 0: all
	seed     uint64
	maxCases int // of each set; 0: all
	run      evalrun.Options
	models   *models       // closed at the end of the run; nil: none
	judges   *models       // what judges are asked with; nil: models
	grade    *gradeOptions // nil: do not grade. Inputs and output are filled in
	config   []byte        // config.yaml; nil: none is written
	whole    bool          // explain and report, too
	formats  []string      // of the report
}

// A runSet is a data set of a run.
type runSet struct {
	name     string   // unique in the run
	sample   int      // questions; 0: the run's
	maxCases int      // 0: the run's
	window   int      // turns a batch; 0: the run's, below 0: sessions whole
	inputs   []string // files that it is read from
	key      string   // options of its reader
	// cases reads the set; what the reader finds is told to report.
	cases func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case]
}

// startRun runs, and does what comes after.
func startRun(ctx context.Context, e *env, s runSpec) (err error) {
	defer func() { s.models.close(&err) }()
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	t := newTally(e, 20)
	kept, inputs, err := keepCases(ctx, t, s)
	if err != nil {
		return err
	}
	o := s.run
	o.Dir, o.Watch, o.Found = s.dir, &evalrun.Watch{}, func(f *schema.Finding) { t.take(f) }
	o.Memories = cmp.Or(o.Memories, runtime.GOMAXPROCS(0))
	if o.ID == "" && o.Now != nil { // two runs of one configuration are two at a service, too
		o.ID = runID(e, s.dir)
	}
	for i, set := range s.sets {
		o.Sets = append(o.Sets, evalrun.Set{Name: set.name, Cases: keptCases(ctx, s.dir, kept, i), Digest: kept.Sets[i].Digest, Window: set.window, Size: evalrun.Size{Cases: kept.Sets[i].Cases, Questions: kept.Sets[i].Questions}})
	}
	if err := noteStart(e, s.dir); err != nil {
		return err
	}
	stop := showProgress(e, s.dir, o.Watch, s.models)
	res, err := evalrun.Run(ctx, o)
	stop()
	if err != nil {
		var changed *evalrun.ChangedError
		if errors.As(err, &changed) {
			return usageError{err}
		}
		return err
	}
	if err := s.record(e, o, res, inputs); err != nil {
		return err
	}
	t.summary()
	tellRun(e, s.dir, res)
	return s.after(ctx, e, res.Files)
}

// runID names a run that begins now in a folder.
func runID(e *env, dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + e.now().UTC().Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:8])
}

// record writes manifest and configuration. A finished run keeps the ones it has.
func (s runSpec) record(e *env, o evalrun.Options, res evalrun.Result, inputs []schema.FileDigest) error {
	path := filepath.Join(s.dir, "manifest.json")
	resolved, err := evalrun.Resolved(o)
	if err != nil {
		return err
	}
	options, err := schema.NewObject(resolved)
	if err != nil {
		return err
	}
	m := schema.Manifest{SchemaVersion: schema.Latest, Step: "eval run", StepVersion: 1, Membench: release, Now: e.now().UTC().Format(time.RFC3339), Options: options,
		Inputs: inputs, Outputs: res.Files, Counts: map[string]int{"sessions": res.Sessions, "questions": res.Questions}}
	for outcome, n := range res.Outcomes {
		m.Counts[outcome] = n
	}
	if s.models != nil {
		if m.Models, err = s.models.Named(); err != nil {
			return err
		}
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	if old, err := build.ReadManifest(path); err == nil && old.Key == m.Key && slices.Equal(old.Outputs, m.Outputs) {
		return nil
	}
	if s.config != nil {
		if err := writeOut(e, filepath.Join(s.dir, "config.yaml"), func(w io.Writer) error {
			_, err := w.Write(s.config)
			return err
		}); err != nil {
			return err
		}
	}
	return build.WriteManifest(path, m)
}

// tellRun says in a few lines what a run has come to.
func tellRun(e *env, dir string, res evalrun.Result) {
	line := fmt.Sprintf("%s: %d sessions, %d questions", dir, res.Sessions, res.Questions)
	if res.Known > 0 {
		line += fmt.Sprintf(" (%d asked by an earlier start)", res.Known)
	}
	for _, o := range outcomes {
		if n := res.Outcomes[o]; n > 0 {
			line += fmt.Sprintf(", %s %d", o, n)
		}
	}
	e.warnf("%s", line)
	if n := res.Outcomes[schema.OutcomeError] + res.Outcomes[schema.OutcomeTimeout]; n > 0 {
		e.warnf("%d questions failed: jq 'select(.error) | .error' %s; --only-failed asks them again", n, filepath.Join(dir, evalrun.QAFile))
	}
}

var outcomes = []string{schema.OutcomeAnswered, schema.OutcomeEmpty, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused}

// samplingOf draws the questions of a set.
func samplingOf(in schema.Seq[schema.Case], n int, seed uint64) (datasets.Sampling, error) {
	var s datasets.Sampler
	for r, err := range in {
		if err != nil {
			return datasets.Sampling{}, err
		}
		s.Add(r.V, seed)
	}
	return s.Draw(n, seed), nil
}
