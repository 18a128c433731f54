// Package pipeline runs an evaluation from its configuration to the finished report: it selects cases, asks systems, grades answers, explains failures,
// computes figures and writes reports. Each of its steps can be called alone on files, as the commands
// `eval grade`, `aggregate` and `report` do.
//
//	Run       eval.yaml → folder of a run
//	Grade     QA and session records → the same with verdicts
//	Aggregate graded records → summaries
//	Report    graded records → Markdown, CSV, JSON, HTML
//
// What follows the asking are steps of internal/build: one runs again when its inputs,
// its options or its own outputs have changed, by content, and at no other time.
package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"membench/config"
	"membench/eval/explain"
	"membench/eval/figure"
	"membench/eval/records"
	evalrun "membench/eval/run"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/llm"
	"membench/models"
	"membench/schema"
)

// Result is the result of a run.
type Result struct {
	Dir       string
	Asked     evalrun.Result
	Summaries []schema.Summary // nil where nothing was graded
}

// Failed counts the questions without an answer, answers without a verdict, and operations done by rule because a system or a model failed; nil if there are
// none.
func (r Result) Failed() *schema.FailedError {
	e := &schema.FailedError{Step: "eval run", Why: map[string]int{}, Written: true, Again: "--only-failed"}
	count := func(outcomes map[string]int, failed ...string) {
		for o, n := range outcomes {
			if slices.Contains(failed, o) && n > 0 {
				e.Failed += n
				e.Why[o] += n
			}
		}
	}
	if r.Summaries == nil {
		count(r.Asked.Outcomes, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused)
	}
	for _, u := range r.Asked.Units {
		for why, n := range u.Failed {
			e.Failed += n
			e.Why[why] += n
		}
	}
	for _, s := range r.Summaries {
		count(s.Outcomes, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused)
		for _, x := range s.Scores {
			count(x.Outcomes, schema.GradeJudgeFailed)
		}
	}
	if e.Failed == 0 {
		return nil
	}
	return e
}

// Run runs a configuration. It can be killed at any moment and called again: finished work is not repeated. It fails with a *schema.UsageError if the
// configuration is wrong.
func Run(ctx context.Context, v *config.Eval, o Options) (res Result, err error) {
	if o.Models == nil {
		env := func(name string) (string, string) {
			if o.Place.Getenv == nil {
				return config.Environ(name)
			}
			return o.Place.Getenv(name), "environment"
		}
		if o.Models, err = OpenModels(v, v.Project(), models.Options{Env: env}); err != nil {
			return res, err
		}
		defer func() { err = errors.Join(err, o.Models.Close()) }()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Place.Getenv == nil {
		o.Place.Getenv = config.Getenv
	}
	p, err := newPlan(v, o)
	if err != nil {
		return res, err
	}
	res.Dir = p.dir
	switch {
	case o.Models.Estimate != nil:
		return res, p.dry(ctx)
	case o.GradeOnly:
		var lost *schema.Finding // grading makes it again
		if _, _, err := records.Find(p.dir); err != nil && !errors.As(err, &lost) {
			return res, schema.Usagef("--eval-only: %v", err)
		}
		if p.grade == nil {
			return res, schema.Usagef("--eval-only and --no-grade leave nothing to do")
		}
	default:
		if err := p.planRun(p.asking(ctx)); err != nil {
			return res, err
		}
		if res.Asked, err = p.ask(ctx); err != nil {
			return res, err
		}
	}
	res.Summaries, err = p.after(ctx)
	return res, err
}

// dry plays the run in a folder of its own with models that only count, and leaves
// nothing behind.
func (p *plan) dry(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "membench-dry-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.planRun(p.asking(ctx)); err != nil {
		return err
	}
	p.models.Estimate.Answer = dryAnswer
	p.dir, p.run.Now, p.o.Log, p.o.Progress = dir, nil, Log{Found: p.o.Log.Found}, nil // why data are rejected is printed
	if p.grade != nil {
		p.grade.Out, p.grade.Log, p.grade.Explain = dir, Log{}, nil
	}
	p.o.Whole = false
	if _, err := p.ask(ctx); err != nil {
		return fmt.Errorf("the dry run: %w", err)
	}
	if _, err := p.after(ctx); err != nil && !errors.Is(err, ErrNoVerdict) {
		return fmt.Errorf("the dry run: %w", err)
	}
	return nil
}

// ask asks the systems the questions without an answer.
func (p *plan) ask(ctx context.Context) (res evalrun.Result, err error) {
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return res, err
	}
	t := &tally{log: p.o.Log}
	kept, inputs, err := p.keepCases(ctx, t)
	if _, ok := errors.AsType[*evalrun.ChangedError](err); ok {
		return res, wrong(err)
	}
	if err != nil {
		return res, err
	}
	o := p.run
	o.Dir, o.Watch, o.Found = p.dir, &evalrun.Watch{}, t.found
	o.Warn = p.o.Log.Words
	o.Memories = cmp.Or(o.Memories, runtime.GOMAXPROCS(0))
	if o.Now != nil { // two runs of one configuration are two at a service, too
		o.ID = p.id()
	}
	for i, s := range p.sets {
		x := evalrun.Set{Name: s.name, Cases: kept.read(ctx, p.dir, i), Digest: kept[i].Digest, Window: s.window, Size: evalrun.Size{Cases: kept[i].Cases, Questions: kept[i].Questions}}
		if o.Shard.Of > 0 {
			if x.Size, err = sizeOf(x.Cases, o.Shard); err != nil {
				return res, err
			}
		}
		o.Sets = append(o.Sets, x)
	}
	for _, k := range kept {
		for _, x := range k.Doubts {
			p.o.Log.Warn("warning: %s: %s", k.Name, schema.Said(x))
			p.said = append(p.said, x)
		}
	}
	questions := 0
	for _, s := range o.Sets {
		questions += s.Size.Questions * len(o.Systems)
	}
	if questions >= longRun {
		o.Begin = p.preflight
	}
	if err := noteStart(p.dir, Start{At: p.o.Now().UTC(), Budget: p.models.Budget}); err != nil {
		return res, err
	}
	stop := func() {}
	if p.o.Progress != nil {
		stop = p.o.Progress(o.Watch)
	}
	res, err = evalrun.Run(ctx, o)
	stop()
	if _, ok := errors.AsType[*evalrun.ChangedError](err); ok {
		return res, wrong(err)
	}
	if err == nil {
		err = p.record(o, res, inputs)
	}
	if err == nil {
		sayAsked(p.dir, res, p.o.Log)
		p.sayReplayed()
	}
	return res, err
}

// longRun is from how many questions on every model is tried before the run begins.
const longRun = 100

// preflight tries every model that answers, judges, embeds or does the operations of a
// system, each endpoint once.
func (p *plan) preflight(ctx context.Context) error {
	tried := map[[2]string]bool{}
	try := func(m *models.Set, role config.Role) error {
		ep, err := m.Endpoint(role)
		if at := [2]string{ep.BaseURL, ep.Name}; err != nil || tried[at] {
			return err
		} else {
			tried[at] = true
		}
		return m.Preflight(ctx, role)
	}
	for _, name := range p.extractors {
		if err := try(p.models.As(name), config.Extract); err != nil {
			return err
		}
	}
	for _, name := range p.readers {
		if err := try(p.models.As(name), config.Read); err != nil {
			return err
		}
	}
	if p.grade != nil && p.grade.Grade.Judge != nil {
		if err := try(p.judges, config.Judge); err != nil {
			return err
		}
	}
	return try(p.models, config.Embed)
}

// id names a run that begins now in its folder.
func (p *plan) id() string {
	dir := p.dir
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir + "\x00" + p.o.Now().UTC().Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:8])
}

// record writes manifest and configuration. A finished run keeps the ones it has.
func (p *plan) record(o evalrun.Options, res evalrun.Result, inputs []schema.FileDigest) error {
	resolved, err := evalrun.Resolved(o)
	if err != nil {
		return err
	}
	options, err := schema.NewObject(resolved)
	if err != nil {
		return err
	}
	m := schema.Manifest{SchemaVersion: schema.Latest, Step: "eval run", StepVersion: 1, Membench: p.o.Membench, Now: p.o.Now().UTC().Format(time.RFC3339), Options: options,
		Inputs: inputs, Outputs: res.Files, Counts: counts(res)}
	if m.Models, err = p.models.Named(); err != nil {
		return err
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	path := filepath.Join(p.dir, "manifest.json")
	if old, err := build.ReadManifest(path); err == nil && old.Key == m.Key && slices.Equal(old.Outputs, m.Outputs) {
		return nil
	}
	here, err := p.v.Moved(p.v.Dir(), p.dir)
	if err != nil {
		return err
	}
	text, err := here.YAML()
	if err != nil {
		return err
	}
	err = atomicfile.WriteOr(filepath.Join(p.dir, "config.yaml"), nil, func(w io.Writer) error { _, err := w.Write(text); return err })
	return errors.Join(err, build.WriteManifest(path, m))
}

// counts returns the counts of a run's manifest.
func counts(res evalrun.Result) map[string]int {
	all := maps.Clone(res.Outcomes)
	all["sessions"], all["questions"] = res.Sessions, res.Questions
	return all
}

// Outcomes of a question, in the order in which they are listed.
var Outcomes = []string{schema.OutcomeAnswered, schema.OutcomeEmpty, schema.OutcomeError, schema.OutcomeTimeout, schema.OutcomeRefused}

// sayAsked prints a summary of asking.
func sayAsked(dir string, res evalrun.Result, log Log) {
	line := fmt.Sprintf("%s: %d sessions, %d questions", dir, res.Sessions, res.Questions)
	if res.Known > 0 {
		line += fmt.Sprintf(" (%d asked by an earlier start)", res.Known)
	}
	for _, o := range Outcomes {
		if n := res.Outcomes[o]; n > 0 {
			line += fmt.Sprintf(", %s %d", o, n)
		}
	}
	log.Printf("%s", line)
	if n := res.Outcomes[schema.OutcomeError] + res.Outcomes[schema.OutcomeTimeout]; n > 0 {
		log.Printf("%d questions failed: jq 'select(.error) | .error' %s; --only-failed asks them again", n, filepath.Join(dir, evalrun.QAFile))
	}
	for _, u := range res.Units {
		if u.Degraded > 0 {
			log.Printf("%s on %s: %d operations fell back to a simpler method: jq 'select(.degraded) | .degraded[]' %s %s lists them", u.System, u.Dataset, u.Degraded, filepath.Join(dir, evalrun.SessionsFile), filepath.Join(dir, evalrun.QAFile))
		}
	}
}

// sayReplayed reports repeats that were not new samples.
func (p *plan) sayReplayed() {
	for _, row := range p.models.Usage().Rows {
		if p.run.Repeats > 1 && row.Purpose == llm.PurposeRead && row.Replayed > 0 {
			p.o.Log.Printf("num_runs %d: %d of %d answers came from the cassette: the repeats and their spread are those of the recording (--cassette-mode record asks again)", p.run.Repeats, row.Replayed, row.Answers)
		}
	}
}

// builder runs the steps of a run's folder.
func builder(dir, membench string, now func() time.Time) *build.Builder {
	return &build.Builder{Root: dir, Records: filepath.Join(dir, "journal", "steps"), Schema: schema.Latest, Membench: membench, Now: now().UTC().Format(time.RFC3339)}
}

// after runs the steps after asking: grade and explain, aggregate, report.
func (p *plan) after(ctx context.Context) ([]schema.Summary, error) {
	if p.grade == nil {
		return nil, nil
	}
	b := builder(p.dir, p.o.Membench, p.o.Now)
	b.Force = p.o.GradeOnly
	if err := p.gradeStep(ctx, b); err != nil {
		return nil, err
	}
	if p.o.Shard.Of > 0 { // figures are of the whole run
		return nil, nil
	}
	b.Force = false
	prices := figure.Prices{Prices: p.models.Prices.Prices, Currency: p.models.Prices.Currency, AsOf: p.models.Prices.AsOf}
	if err := aggregateStep(ctx, b, prices, AggregateOptions{Inputs: []string{p.dir}, Graded: true, Stdin: p.o.Stdin, Log: p.o.Log}); err != nil {
		return nil, err
	}
	if p.o.Whole {
		if err := p.reportStep(ctx, b, prices); err != nil {
			return nil, err
		}
	}
	all, err := Summaries(p.dir)
	for i := range all { // each warning is printed once
		all[i].Warnings = slices.DeleteFunc(all[i].Warnings, func(s string) bool { return slices.Contains(p.said, s) })
	}
	return all, err
}

// there are the files of a run's folder that exist.
func there(dir string, names ...string) (out []string) {
	for _, name := range names {
		if path := filepath.Join(dir, name); isFile(path) {
			out = append(out, path)
		}
	}
	return out
}

func isFile(path string) bool { info, err := os.Stat(path); return err == nil && !info.IsDir() }

// gradeStep grades the answers, and explains those that failed.
func (p *plan) gradeStep(ctx context.Context, b *build.Builder) error {
	var protocols []string
	for _, x := range p.grade.Grade.Protocols {
		protocols = append(protocols, x.ID())
	}
	inputs := there(p.dir, evalrun.SessionsFile, evalrun.QAFile)
	s := build.Step{Name: "grade", Version: 1, Inputs: append(inputs, there(p.dir, records.ContextsFile)...), InPlace: true,
		Output: filepath.Join(p.dir, records.QAFile), Also: []string{filepath.Join(p.dir, records.SessionFile)},
		Options: map[string]any{"protocols": protocols, "votes": p.grade.Grade.Votes, "explain": p.grade.Explain != nil}}
	if p.grade.Explain != nil {
		s.Also = append(s.Also, filepath.Join(p.dir, ExplainedFile))
	}
	if p.grade.Grade.Judge != nil {
		ep, err := p.judges.Endpoint(config.Judge)
		if err != nil {
			return err
		}
		s.Models = map[string]string{string(config.Judge): ep.Name}
	}
	s.Run = func(ctx context.Context, _ string) (build.Result, error) {
		g := *p.grade
		g.Inputs = inputs
		if g.Explain != nil {
			g.Explain = &explain.Options{Cases: caseFile(ctx, filepath.Join(p.dir, records.CasesFile))}
		}
		rep, err := Grade(ctx, g)
		if len(p.run.Systems)*len(p.sets) <= 1 { // means over several systems say nothing
			var text strings.Builder
			rep.text(&text)
			for line := range strings.Lines(text.String()) {
				p.o.Log.Printf("%s", strings.TrimSuffix(line, "\n"))
			}
		}
		for _, c := range rep.Explained {
			for _, f := range c.Facts() {
				p.o.Log.Printf("%s on %s: %s", c.System, c.Dataset, f)
			}
		}
		return build.Result{Again: rep.Failed() != nil}, err
	}
	_, _, err := b.Do(ctx, s)
	return err
}

// aggregateStep makes the figures.
func aggregateStep(ctx context.Context, b *build.Builder, prices figure.Prices, o AggregateOptions) error {
	_, _, err := b.Do(ctx, build.Step{Name: "aggregate", Version: 2, Options: map[string]any{"prices": prices.Prices, "currency": prices.Currency, "as_of": prices.AsOf}, Inputs: there(b.Root, records.QAFile, records.SessionFile, records.ContextsFile, ExplainedFile), InPlace: true,
		Output: filepath.Join(b.Root, SummaryFile), Also: []string{filepath.Join(b.Root, "aggregate_metrics*.json")}, Run: func(ctx context.Context, _ string) (build.Result, error) {
			all, err := Aggregate(ctx, o)
			if err == nil {
				err = WriteSummaries(b.Root, all)
			}
			return build.Result{}, err
		}})
	return err
}

// reportStep writes the reports.
func (p *plan) reportStep(ctx context.Context, b *build.Builder, prices figure.Prices) error {
	o := ReportOptions{Inputs: []string{p.dir}, Formats: p.formats, Lang: "en", Out: p.dir, Graded: true, Log: p.o.Log}
	o.Figures.Prices = prices
	var files []string
	for _, f := range p.formats {
		files = append(files, filepath.Join(p.dir, "report."+f))
	}
	if len(files) == 0 {
		return nil
	}
	_, _, err := b.Do(ctx, build.Step{Name: "report", Version: 1, Options: map[string]any{"formats": p.formats}, Inputs: there(p.dir, records.QAFile, records.SessionFile, records.ContextsFile, SummaryFile, ExplainedFile, "manifest.json"), InPlace: true,
		Output: files[0], Also: append(files[1:], filepath.Join(p.dir, sideFolder)), Run: func(ctx context.Context, _ string) (build.Result, error) {
			return build.Result{}, Report(ctx, o)
		}})
	return err
}
