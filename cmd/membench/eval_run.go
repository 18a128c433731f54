package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"membench/cmd/membench/internal/config"
	"membench/datasets"
	"membench/eval/reader"
	evalrun "membench/eval/run"
	"membench/internal/build"
	"membench/memory"
	"membench/memory/all"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalRunOptions struct {
	datasetFlags
	sets     []string
	systems  []string
	out      string
	sample   int
	maxCases int
	repeats  int
	again    bool // ingest for each repeat
	run      evalrun.Options
	noTimes  bool
	noGrade  bool
	protocol []string
	model    modelFlags
}

func newEvalRunCmd(e *env) *cobra.Command {
	o := evalRunOptions{}
	c := &cobra.Command{
		Use:   "run DATASET... --system NAME -o RUN",
		Short: "Put the questions of data sets to memory systems, and grade the answers",
		Long: `Put the questions of data sets to memory systems, and grade the answers.

DATASET is NAME=PATH (a data set that 'membench datasets list' names, with its file or
folder; further paths follow with commas) or a file of cases ('membench datasets
convert'). Each case is played into an empty memory of each system, session by session;
a question is asked when the sessions that it covers are in, the others after the last.

RUN is a folder: cases.jsonl.zst, pipeline_sessions.jsonl and pipeline_qa.jsonl (what was
ingested, shown and answered), then, unless --no-grade, session_records.jsonl and
qa_records.jsonl (the same, graded), summary.jsonl and aggregate_metrics.json. manifest.json
says what made them. Everything that is answered is on disk at once: a run that was
killed goes on when it is started again, and a finished one does nothing. Another
configuration in the same folder is refused, with what differs. What failed is an
outcome of its own question; --only-failed asks it again. 'membench eval status RUN' looks at a run.

Memories work side by side (--memories), within one everything is serial; --calls answers of
the reader are under way at once. A call over its limit (--ingest-limit,
--retrieve-limit, --read-limit) is cancelled, and the question's outcome is timeout.`,
		Example: `  membench eval run locomo=locomo10.json --system bm25,full-context,oracle -o runs/first
  membench eval run longmemeval=longmemeval_s.json --system simple-rag --sample 50 --seed 7 -o runs/small
  membench eval run cases.jsonl --system bm25 -o runs/first --only-failed
  membench eval status runs/first`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.sets = args
			spec, err := o.spec(e)
			if err != nil {
				return err
			}
			return startRun(c.Context(), e, spec)
		},
	}
	f := c.Flags()
	o.datasetFlags.add(c)
	f.StringSliceVarP(&o.systems, "system", "s", nil, "ask these memory `systems` (all: every one that needs nothing from outside)")
	f.StringVarP(&o.out, "output", "o", "", "`folder` of the run")
	f.IntVar(&o.sample, "sample", 0, "ask `n` questions of each data set only, from each category in proportion, drawn by --seed")
	f.IntVar(&o.maxCases, "max-cases", 0, "ask the first `n` cases of each data set only")
	f.IntVarP(&o.run.K, "top-k", "k", 10, "ask systems for `n` hits")
	f.IntVar(&o.run.Depth, "depth", 50, "look for gold evidence that was not among the hits down to rank `n`, 0: do not")
	f.IntVar(&o.run.ContextTokens, "context-tokens", 0, "show readers at most `n` tokens, 0: all that was found")
	f.IntVar(&o.run.Window, "window", 0, "ingest `n` turns at once, 0: whole sessions")
	f.IntVar(&o.run.Overlap, "overlap", 2, "show `n` turns before a window as its context")
	f.IntVar(&o.repeats, "repeats", 1, "answer every question `n` times")
	f.BoolVar(&o.again, "reingest", false, "fill the memories anew for each repeat")
	f.BoolVar(&o.run.Snapshots, "snapshots", false, "keep what a memory holds after every session, not only after those with gold points")
	f.BoolVar(&o.run.Undated, "no-dates", false, "show hits without the time of the turns they come from")
	f.BoolVar(&o.run.OnlyFailed, "only-failed", false, "ask those questions of a finished run again that ended in an error or over a limit")
	f.IntVar(&o.run.Memories, "memories", 0, "fill and ask `n` memories at once (0: one per core)")
	f.IntVar(&o.run.Calls, "calls", 16, "keep `n` answers of readers under way")
	f.DurationVar(&o.run.Limits.Ingest, "ingest-limit", 10*time.Minute, "longest `time` of one ingest call, 0: none")
	f.DurationVar(&o.run.Limits.Retrieve, "retrieve-limit", 2*time.Minute, "longest `time` of one retrieval, 0: none")
	f.DurationVar(&o.run.Limits.Read, "read-limit", 5*time.Minute, "longest `time` of one answer, 0: none")
	f.BoolVar(&o.noTimes, "no-times", false, "measure nothing: two runs are then the same bytes")
	f.BoolVar(&o.noGrade, "no-grade", false, "stop before grading")
	f.StringSliceVarP(&o.protocol, "protocol", "p", nil, "grade by these `protocols` (as eval grade)")
	o.model.add(c)
	return c
}

// spec makes of flags what a run is.
func (o evalRunOptions) spec(e *env) (s runSpec, err error) {
	switch {
	case o.out == "":
		return s, usagef("where does the run go? Name its folder with -o")
	case len(o.systems) == 0:
		return s, usagef("which systems? Name them with --system (bm25, full-context, … or all)")
	case o.sample < 0 || o.maxCases < 0 || o.repeats < 1:
		return s, usagef("--sample and --max-cases want 0 or more, --repeats 1 or more")
	}
	s = runSpec{dir: o.out, run: o.run, sample: o.sample, seed: o.seed, maxCases: o.maxCases}
	s.run.Repeats, s.run.Reingest = o.repeats, o.again
	if !o.noTimes {
		s.run.Now = e.now
	}
	for _, arg := range o.sets {
		set, err := openRunSet(e, o.datasetFlags, arg)
		if err != nil {
			return s, err
		}
		s.sets = append(s.sets, set)
	}
	if s.models, err = o.model.open(e); err != nil {
		return s, err
	}
	deps := memory.Deps{Prompts: s.models.prompts}
	if deps.Embed, err = s.models.embedder(); err != nil {
		return s, err
	}
	for _, name := range o.systems {
		specs := all.Specs()
		if name != "all" {
			one, err := all.Lookup(name)
			if err != nil {
				return s, usageError{err}
			}
			specs = []memory.Spec{one}
		}
		for _, spec := range specs {
			sys, err := spec.Open(deps, nil)
			if err != nil {
				return s, fmt.Errorf("system %s: %w", spec.Name, err)
			}
			s.run.Systems = append(s.run.Systems, evalrun.System{System: sys, Reader: reader.Rule()})
		}
	}
	if !o.noGrade {
		s.grade = &gradeOptions{protocols: o.protocol, judge: "rule", threshold: .5, votes: 1}
	}
	return s, nil
}

// openRunSet looks a data set up: NAME=PATH,… or a file of cases.
func openRunSet(e *env, f datasetFlags, arg string) (runSet, error) {
	name, paths, named := strings.Cut(arg, "=")
	if !named {
		if _, err := os.Stat(arg); err != nil {
			return runSet{}, usagef("%s: no file of cases; a data set is given as NAME=PATH (membench datasets list)", arg)
		}
		base, _, _ := strings.Cut(filepath.Base(arg), ".")
		return runSet{name: base, inputs: []string{arg}, key: "cases", cases: func(ctx context.Context, _ func(*schema.Finding)) schema.Seq[schema.Case] {
			return caseFile(ctx, arg)
		}}, nil
	}
	var list []string
	if paths != "" {
		list = strings.Split(paths, ",")
	}
	t := newTally(e, 1)
	set, err := f.open(e, name, list, func(x *schema.Finding) { t.take(x) })
	if err != nil {
		return runSet{}, err
	}
	inputs := list
	if f.errata != "" {
		inputs = append(slices.Clip(inputs), f.errata)
	}
	key := fmt.Sprintf("%s grain=%s seed=%d topics=%q count=%d chunk=%d tokens=%d", name, f.grain, f.seed, f.topics, f.count, f.chunk, f.tokens)
	return runSet{name: name, inputs: inputs, key: key, cases: func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case] {
		o := set.o
		o.Report = report
		return set.Cases(ctx, set.files, o)
	}}, nil
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
	grade    *gradeOptions // nil: do not grade. Inputs and output are filled in
	config   []byte        // config.yaml; nil: none is written
}

// A runSet is a data set of a run.
type runSet struct {
	name   string   // unique in the run
	inputs []string // files that it is read from
	key    string   // options of its reader
	// cases reads the set; what the reader finds is told to report.
	cases func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case]
}

// startRun runs, grades and sums up.
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
	for i, set := range s.sets {
		o.Sets = append(o.Sets, evalrun.Set{Name: set.name, Cases: keptCases(ctx, s.dir, kept, i), Digest: kept.Sets[i].Digest, Size: evalrun.Size{Cases: kept.Sets[i].Cases, Questions: kept.Sets[i].Questions}})
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
	return s.gradeRun(ctx, e, res)
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
	if m.Models, m.Prompts, err = s.models.named(); err != nil {
		return err
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

// named are the models and prompts of a run, for its manifest.
func (s *models) named() (byPurpose, prompts map[string]string, err error) {
	if s == nil {
		return nil, nil, nil
	}
	byPurpose = map[string]string{}
	for _, role := range []config.Role{config.Extract, config.Read, config.Judge, config.Embed} {
		ep, err := s.endpoint(role)
		if err != nil {
			return nil, nil, err
		}
		if ep.Configured() {
			byPurpose[string(role)] = ep.Name
		}
	}
	return byPurpose, nil, nil
}

// gradeRun grades and sums up, unless that was done to these very answers.
func (s runSpec) gradeRun(ctx context.Context, e *env, res evalrun.Result) error {
	if s.grade == nil {
		return nil
	}
	type graded struct {
		Files     []schema.FileDigest `json:"files"`
		Protocols []string            `json:"protocols"`
		Judge     string              `json:"judge"`
	}
	want := graded{res.Files, s.grade.protocols, s.grade.judge}
	mark := filepath.Join(s.dir, "journal", "graded.json")
	var have graded
	same := readJSONFile(mark, &have) == nil && slices.Equal(have.Files, want.Files) && slices.Equal(have.Protocols, want.Protocols) && have.Judge == want.Judge
	for _, name := range []string{"qa_records.jsonl", "session_records.jsonl", "summary.jsonl"} {
		if _, err := os.Stat(filepath.Join(s.dir, name)); err != nil {
			same = false
		}
	}
	if same {
		return nil
	}
	g := *s.grade
	g.inputs, g.out = []string{filepath.Join(s.dir, evalrun.SessionsFile), filepath.Join(s.dir, evalrun.QAFile)}, s.dir
	inner := *e
	inner.models = s.models
	if err := runEvalGrade(ctx, &inner, g); err != nil {
		return err
	}
	a := evalAggregateOptions{inputs: []string{s.dir}, out: s.dir}
	a.Confidence, a.Draws, a.Seed = .95, 2000, 1
	if err := runEvalAggregate(ctx, e, a); err != nil {
		return err
	}
	return writeOut(e, mark, func(w io.Writer) error { return writeJSON(w, want) })
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
