// Package experiment runs the QARP and PCM experiments: arms of one design, each a run of eval/pipeline in its own folder, and their analyses, each a
// step of internal/build. What is done is not done again: a changed option of one arm asks that
// arm again and makes the analyses that rest on it.
//
//	OUT/runs/ARM/       a run each
//	OUT/1-failures/     accuracy by type, failures to label, causes
//	OUT/2-oracle/       what the best strategy for each type would bring, and each strategy by itself
//	OUT/3-main/         all arms, with calls, tokens and latency
//	OUT/4-ablation/     QARP without its parts
//	OUT/5-curve/        accuracy against tokens
//	OUT/report.md       all tables, and the decision points with their intervals
//
// Every table is there as Markdown, CSV and LaTeX, every figure as SVG and PNG beside the
// CSV of its data. Conversations are the unit of all intervals and tests; p-values are
// adjusted by Holm within a table.
package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/config"
	"membench/eval/pipeline"
	"membench/eval/protocol"
	"membench/eval/records"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/yamldoc"
	"membench/memory/qarp"
	"membench/schema"
)

// Options of an experiment.
type Options struct {
	Eval     *config.Eval // data sets, reader, grading, models; its systems are the design's
	Design   Design
	Pipeline pipeline.Options // how runs are made; Models is needed where one is asked
	Report   func(*schema.Finding)
}

// Design describes the compared systems and settings.
type Design struct {
	Backend string // below QARP and the strategies
	Measure string // protocol of the scores
	PerType int    // failures of a type that are drawn for labelling
	Seed    uint64
	// Failures are the systems whose failures are analysed, in addition to the unified search.
	Failures []string
	Ks       []int    // further numbers of hits for the curve
	Labels   []string // files and folders of people's labels
	// Below is the score below which an answer failed.
	Below float64
}

// Defaults are the seed's.
func Defaults() Design {
	return Design{Backend: "embedding-only", Measure: "rule", PerType: 40, Seed: 1, Failures: []string{"amem", "mem0"}, Ks: []int{3, 20}, Below: 0.5}
}

// Names of arms.
const (
	Unified = "unified"
	QARP    = "qarp"
	Oracle  = "oracle-strategy"
	Matched = "token-matched"
)

// An arm is a run of the design.
type arm struct {
	name    string
	kind    string // main | pipeline | ablation | curve
	system  string // YAML of config.EvalSystem
	explain bool
}

// arms lists the runs of a design.
func (d Design) arms() (out []arm) {
	add := func(kind, name, typ, options string, k int, explain bool) {
		hits := "" // the run's number
		if k > 0 {
			hits = fmt.Sprintf(", top_k: %d", k)
		}
		out = append(out, arm{name, kind, fmt.Sprintf("{name: %q, type: %q, options: {%s}%s}", name, typ, options, hits), explain})
	}
	below := fmt.Sprintf("backend: %q", d.Backend)
	add("main", Unified, d.Backend, "", 0, true)
	for _, s := range d.Failures {
		add("main", s, s, "", 0, true)
	}
	add("main", "adaptive-rag", "adaptive-rag", below, 0, false)
	add("main", QARP, QARP, below, 0, false)
	add("main", Matched, Matched, below, 0, false) // after QARP, whose tokens it is given
	add("main", Oracle, Oracle, below, 0, false)
	for _, p := range qarp.Pipelines() {
		add("pipeline", pipelineArm(p), "adaptmr", below+fmt.Sprintf(", pipeline: %q", p), 0, false)
	}
	for _, a := range ablations {
		add("ablation", a.arm, QARP, below+", without: ["+a.part+"]", 0, false)
	}
	for _, k := range d.Ks {
		if k == 0 {
			continue
		}
		add("curve", fmt.Sprintf("%s-k%d", Unified, k), d.Backend, "", k, false)
		add("curve", fmt.Sprintf("%s-k%d", QARP, k), QARP, below, k, false)
	}
	return out
}

// pipelineArm names the arm of one pipeline for every question.
func pipelineArm(pipeline string) string { return "adaptmr-" + pipeline }

// ablations are QARP without a part, and the type of question that should suffer; "" is
// all of them.
var ablations = []struct{ arm, part, hurts string }{
	{"no-planning", "plan", ""}, {"no-temporal", "time", schema.CatTR}, {"no-latest", "latest", schema.CatKU},
	{"no-threshold", "gate", schema.CatABS}, {"no-multistep", "parts", schema.CatMR}, {"no-refinement", "refine", ""},
}

// An analysis makes the tables and figures of one folder from the answers of arms.
type analysis struct {
	folder string
	arms   func(arm) bool
	inputs []string // further files below the experiment's folder
	run    func(ctx context.Context, e *experiment, r *results, out *output)
}

var analyses = []analysis{
	{folder: "1-failures", arms: func(a arm) bool { return a.explain }, run: failures},
	{folder: "2-oracle", arms: func(a arm) bool { return a.name == Unified || a.name == Oracle || a.kind == "pipeline" }, run: oracle},
	{folder: "3-main", arms: func(a arm) bool { return a.kind == "main" }, run: comparison},
	{folder: "4-ablation", arms: func(a arm) bool { return a.kind == "ablation" || a.name == QARP || a.name == Unified }, run: ablation},
	{folder: "5-curve", arms: func(a arm) bool { return a.kind != "ablation" }, run: curve},
}

// experiment is one call of Run.
type experiment struct {
	Options
	dir    string
	failed schema.FailedError // in all arms
}

// A study is the list of parts of an experiment.
type study struct {
	title    string
	arms     []arm
	between  func(ctx context.Context, e *experiment) error // after the runs; nil: nothing
	analyses []analysis
}

// Run runs the QARP experiment and returns its folder. A *schema.FailedError reports failures in the arms after everything is written.
func Run(ctx context.Context, o Options) (string, error) {
	if o.Design.PerType < 1 || o.Design.Below <= 0 || o.Design.Below > 1 {
		return "", schema.Usagef("per_type %d, below %g: want at least 1, and above 0 to 1", o.Design.PerType, o.Design.Below)
	}
	if slices.ContainsFunc(o.Design.Ks, func(k int) bool { return k < 0 }) {
		return "", schema.Usagef("ks %d: want 0 (none) or more", o.Design.Ks)
	}
	return run(ctx, o, study{title: "QARP", arms: o.Design.arms(), analyses: analyses})
}

func run(ctx context.Context, o Options, s study) (string, error) {
	e := &experiment{Options: o, dir: pipeline.Folder(o.Eval), failed: schema.FailedError{Step: "experiment", Written: true, Again: "--only-failed"}}
	e.Pipeline.Log.Found = once(e.Pipeline.Log.Found)
	switch g := o.Eval.Grading; {
	case e.dir == "":
		return "", schema.Usagef("no folder for the experiment: name one with -o")
	case len(o.Eval.Systems) > 0:
		return "", schema.Usagef("systems: the experiment has its own; name the backend and the systems to analyse in experiment")
	case len(g.Protocols) == 0 && g.Judge != "model" && g.JudgeModel == "" && !slices.ContainsFunc(protocol.Defaults(), o.Design.measures):
		return "", schema.Usagef("measure %q: without a judge's model, have %v", o.Design.Measure, protocol.Defaults())
	case len(g.Protocols) > 0 && !slices.ContainsFunc(g.Protocols, o.Design.measures):
		return "", schema.Usagef("measure %q: the grading protocols are %v", o.Design.Measure, g.Protocols)
	}
	for i, a := range s.arms {
		o.Pipeline.Log.Printf("arm %d of %d: %s", i+1, len(s.arms), a.name)
		if err := e.ask(ctx, a); err != nil {
			return e.dir, fmt.Errorf("arm %s: %w", a.name, err)
		}
	}
	if dry(o.Pipeline) {
		return e.dir, nil
	}
	if s.between != nil {
		if err := s.between(ctx, e); err != nil {
			return e.dir, err
		}
	}
	for _, a := range s.analyses {
		if err := e.analyse(ctx, a, s.arms); err != nil {
			return e.dir, fmt.Errorf("%s: %w", a.folder, err)
		}
	}
	return e.dir, cmp.Or(e.report(s), e.failed.AsError())
}

// dry reports whether no models are called.
func dry(o pipeline.Options) bool { return o.Models != nil && o.Models.Estimate != nil }

// once reports each finding once: every arm reads the same data.
func once(found func(*schema.Finding)) func(*schema.Finding) {
	const most = 10_000 // remembered
	seen := map[string]bool{}
	return func(f *schema.Finding) {
		if text := f.Error(); found != nil && !seen[text] {
			if len(seen) < most {
				seen[text] = true
			}
			found(f)
		}
	}
}

func (d Design) measures(protocol string) bool { return schema.ProtocolName(protocol) == d.Measure }

// ask runs one arm.
func (e *experiment) ask(ctx context.Context, a arm) error {
	if a.name == Matched && (e.Pipeline.Models == nil || e.Pipeline.Models.Estimate == nil) {
		tokens, err := e.spent(ctx, QARP)
		if err != nil {
			return err
		}
		if tokens > 0 {
			a.system = strings.Replace(a.system, "options: {", fmt.Sprintf("options: {tokens: %d, ", tokens), 1)
		}
	}
	v := *e.Eval
	v.Output = config.EvalOutput{Folder: e.runDir(a), Format: config.Formats{"json"}}
	if err := yamldoc.Unmarshal([]byte("["+a.system+"]"), &v.Systems); err != nil {
		return err
	}
	if err := v.Check(nil); err != nil {
		return err
	}
	o := e.Pipeline
	o.Whole = a.explain
	o.Log.Words = nil // figures of single arms are in their folders
	if _, err := os.Stat(filepath.Join(e.runDir(a), records.QAFile)); err != nil {
		o.OnlyFailed = false // an arm that is not there yet is run whole
	}
	res, err := pipeline.Run(ctx, &v, o)
	if changed, ok := errors.AsType[*evalrun.ChangedError](err); ok && changed.Dir == e.runDir(a) {
		if err := e.setAside(a, changed); err != nil {
			return err
		}
		res, err = pipeline.Run(ctx, &v, o)
	}
	if err == nil && !dry(o) {
		e.failed.Add(res.Failed())
	}
	return err
}

// setAside moves the run of an arm whose options changed to OUT/earlier/ARM, replacing an earlier one: answers of models are in the cassette, so asking again
// costs only time.
func (e *experiment) setAside(a arm, changed *evalrun.ChangedError) error {
	to := filepath.Join(e.dir, "earlier", a.name)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if e.Pipeline.Log.Words != nil {
		var names []string
		for _, d := range changed.Differences {
			names = append(names, d.Name)
		}
		e.Pipeline.Log.Words(fmt.Sprintf("arm %s is asked again, another %s; the earlier run is in %s", a.name, strings.Join(names, ", "), to))
	}
	return os.Rename(e.runDir(a), to)
}

// spent is how many tokens models read and wrote for a question's retrieval in an arm, in
// the mean; 0 where none was asked.
func (e *experiment) spent(ctx context.Context, name string) (int, error) {
	sum, n := 0, 0
	for rec, err := range records.QA(ctx, nil, filepath.Join(e.dir, "runs", name, records.QAFile)) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			continue
		case err != nil:
			return 0, err
		case ctx.Err() != nil:
			return 0, ctx.Err()
		}
		n++
		for _, u := range rec.V.Usage {
			if u.Step == "retrieve" {
				sum += u.InputTokens + u.OutputTokens
			}
		}
	}
	return sum / max(1, n), nil
}

func (e *experiment) runDir(a arm) string { return filepath.Join(e.dir, "runs", a.name) }

func (e *experiment) builder() *build.Builder {
	return &build.Builder{Root: e.dir, Records: filepath.Join(e.dir, "journal"), Schema: schema.Latest, Membench: e.Pipeline.Membench, Now: e.Pipeline.Now().UTC().Format("2006-01-02T15:04:05Z")}
}

// analyse makes one folder where its runs, labels or options have changed.
func (e *experiment) analyse(ctx context.Context, a analysis, list []arm) error {
	var use []arm
	var inputs []string
	for _, x := range list {
		if a.arms(x) {
			use = append(use, x)
			inputs = append(inputs, filepath.Join(e.runDir(x), records.QAFile))
		}
	}
	for _, name := range a.inputs {
		inputs = append(inputs, filepath.Join(e.dir, name))
	}
	options := map[string]any{"measure": e.Design.Measure, "below": e.Design.Below, "backend": e.Design.Backend}
	if a.folder == "1-failures" {
		labels, err := build.InputFiles(e.Design.Labels, ".jsonl", ".csv", ".tsv")
		if err != nil {
			return err
		}
		inputs = append(inputs, labels...)
		options["per_type"], options["seed"] = e.Design.PerType, e.Design.Seed
	}
	b := e.builder()
	b.Root = "."
	_, _, err := b.Do(ctx, build.Step{Name: a.folder, Version: 2, Options: options, Inputs: inputs, Output: filepath.Join(e.dir, a.folder), Dir: true,
		Run: func(ctx context.Context, path string) (build.Result, error) {
			r, err := e.read(ctx, use)
			if err != nil {
				return build.Result{}, err
			}
			out := &output{dir: path}
			a.run(ctx, e, r, out)
			return build.Result{}, out.finish()
		}})
	return err
}

// report joins the output of the analyses.
func (e *experiment) report(s study) error {
	return atomicfile.Write(filepath.Join(e.dir, "report.md"), func(w io.Writer) error {
		var b strings.Builder
		fmt.Fprintf(&b, "# %s: %s\n\nBackend %s, measure %s; an answer below %g failed. Intervals are 95 %% over conversations. p-values are adjusted by Holm within a table; \"~\" is a difference that is not shown at 0.05.\n",
			s.title, cmp.Or(e.Eval.Name, filepath.Base(e.dir)), e.Design.Backend, e.Design.Measure, e.Design.Below)
		for _, a := range s.analyses {
			text, err := os.ReadFile(filepath.Join(e.dir, a.folder, "report.md"))
			if err != nil {
				return err
			}
			b.WriteString("\n" + strings.ReplaceAll(string(text), "](", "]("+a.folder+"/"))
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
}
