package pipeline

import (
	"cmp"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"membench/config"
	setsall "membench/datasets/all"
	"membench/eval/explain"
	"membench/eval/grade"
	"membench/eval/protocol"
	evalrun "membench/eval/run"
	"membench/llm/hashing"
	"membench/memory/open"
	"membench/models"
	"membench/schema"
)

// Options say how a configuration is run; what decides the figures is in the
// configuration itself.
type Options struct {
	Whole      bool // explain what failed and write reports, too
	NoGrade    bool // stop before grading
	GradeOnly  bool // ask nothing: grade the answers that the folder holds, and all after that
	OnlyFailed bool // of a finished run: ask those again that ended in an error or over a limit
	// Shard is the part of the cases that is asked, and graded; Merge joins the parts, and
	// makes the figures.
	Shard evalrun.Shard

	Models   *models.Set    // nil: OpenModels opens them, and the run closes them
	Place    open.Place     // where systems are opened
	Data     setsall.Source // Workers, MaxValue and Stdin of readers of data sets
	Membench string         // version of the program, for manifests
	Now      func() time.Time
	Stdin    io.Reader
	Log      Log
	// Progress is called when asking begins, with counts that move; stop ends it.
	Progress func(w *evalrun.Watch) (stop func())
}

// Defaults of a run.
const (
	DefaultK        = 10
	DefaultDepth    = 50
	DefaultOverlap  = 2
	DefaultCalls    = 16
	DefaultIngest   = 10 * time.Minute
	DefaultRetrieve = 2 * time.Minute
	DefaultRead     = 5 * time.Minute
)

// Hashing is the name of vectors without a model.
const Hashing = "hashing"

// Formats are the forms of a report, by the ending of their file.
var Formats = []string{"md", "csv", "json", "html"}

// Folder is where a configuration's run goes: output.folder, else runs/NAME.
func Folder(v *config.Eval) string {
	if v.Output.Folder == "" && v.Name != "" {
		return filepath.Join("runs", v.Name)
	}
	return v.Output.Folder
}

// OpenModels opens the models of a configuration. Where it asks one and names no
// cassette, answers are kept in the run's folder: neither a kill nor another grading
// pays twice.
func OpenModels(v *config.Eval, p *config.Project, o models.Options) (*models.Set, error) {
	if o.Cassette == "" && o.CassetteMode == "" && v.Cassette == (config.Cassette{}) && !o.DryRun && asksModels(v) {
		if err := os.MkdirAll(Folder(v), 0o777); err != nil {
			return nil, err
		}
		o.Cassette = filepath.Join(Folder(v), "cassette.jsonl")
	}
	return models.Open(p, o)
}

// asksModels reports whether a configuration names a model anywhere.
func asksModels(v *config.Eval) bool {
	if v.Reader.Model+v.Grading.JudgeModel != "" || v.Reader.Type == "model" || v.Grading.Judge == "model" || v.Model != (config.Model{}) || v.Models != (config.Models{}) {
		return true
	}
	return slices.ContainsFunc(v.Systems, func(s config.EvalSystem) bool {
		return s.Model+s.LLM != "" || s.Embedding != "" && s.Embedding != Hashing
	})
}

// A plan is what a configuration comes to.
type plan struct {
	v       *config.Eval
	o       Options
	dir     string
	models  *models.Set
	judges  *models.Set // what judges are asked with
	sets    []set
	run     evalrun.Options
	grade   *GradeOptions // nil: do not grade
	formats []string      // of the report
	readers []string      // models that answer
	// extractors are models that systems ask for their operations.
	extractors []string
	said       []string // warnings that were printed before asking
}

func newPlan(v *config.Eval, o Options) (p *plan, err error) {
	p = &plan{v: v, o: o, dir: Folder(v), models: o.Models}
	switch {
	case p.dir == "":
		return nil, schema.Usagef("no folder for the run: name one with -o")
	case o.GradeOnly:
	case len(v.Datasets) == 0:
		return nil, schema.Usagef("no data set given: name them as NAME=PATH, or in a file with -c")
	case len(v.Systems) == 0:
		return nil, schema.Usagef("no system given: name them with --system (bm25, full-context, … or all), or in a file with -c")
	}
	for _, f := range Formats {
		if len(v.Output.Format) == 0 || slices.Contains(v.Output.Format, f) || f == "md" && slices.Contains(v.Output.Format, "markdown") {
			p.formats = append(p.formats, f)
		}
	}
	return p, p.planGrade()
}

// planRun finds the data sets and opens the systems.
func (p *plan) planRun(ask *asking) error {
	r := p.v.Run
	p.run = evalrun.Options{K: or(r.TopK, DefaultK), Depth: or(r.Depth, DefaultDepth), Overlap: or(r.Overlap, DefaultOverlap), Window: r.Window, Snapshots: r.Snapshots,
		Undated: p.v.Reader.NoDates, ContextTokens: p.v.Reader.ContextTokens, Repeats: max(1, p.v.Grading.NumRuns), Reingest: r.Reingest, OnlyFailed: p.o.OnlyFailed, Shard: p.o.Shard,
		Memories: r.Memories, Calls: cmp.Or(r.Calls, DefaultCalls),
		Limits: evalrun.Limits{Ingest: limit(r.IngestLimit, DefaultIngest), Retrieve: limit(r.RetrieveLimit, DefaultRetrieve), Read: limit(r.ReadLimit, DefaultRead)}}
	if !r.NoTimes {
		p.run.Now = p.o.Now
	}
	for _, d := range p.v.Datasets {
		s, err := p.planSet(d)
		if err != nil {
			return err
		}
		p.sets = append(p.sets, s)
	}
	var err error
	p.run.Systems, err = ask.systems()
	for _, name := range slices.Sorted(maps.Keys(ask.made)) {
		if name != "" {
			p.readers = append(p.readers, name)
		}
	}
	p.extractors = slices.Sorted(maps.Keys(ask.extracts))
	return err
}

func or(x *int, otherwise int) int {
	if x == nil {
		return otherwise
	}
	return *x
}

func limit(x *config.Duration, otherwise time.Duration) time.Duration {
	if x == nil {
		return otherwise
	}
	return time.Duration(*x)
}

// planGrade says how answers are graded: by every rule that needs nothing, and with a
// judge's model by the protocol that each data set is judged by.
func (p *plan) planGrade() (err error) {
	p.judges = p.models
	if p.o.NoGrade {
		return nil
	}
	v := p.v.Grading
	judge := v.Judge
	if v.JudgeModel != "" {
		p.judges = p.models.As(v.JudgeModel)
		judge = cmp.Or(judge, "model")
	}
	g := grade.Options{Votes: max(1, v.Votes), Workers: v.Workers}
	names := v.Protocols
	if len(names) == 0 {
		names, g.Asks = p.protocols(judge == "model")
	}
	if v.Doubtful {
		if judge != "model" {
			return schema.Usagef("grading.doubtful: no model to ask about doubtful verdicts: name one in grading.judge_model or with --judge-model")
		}
		asks := g.Asks
		g.Settle, g.Asks = true, func(p *protocol.Protocol, r *schema.QARecord) bool {
			return (asks == nil || asks(p, r)) && grade.Doubtful(p, r)
		}
		if !slices.Contains(names, "rule") {
			names = append([]string{"rule"}, names...)
		}
	}
	if g.Protocols, err = Protocols(protocol.Inputs{}, names...); err != nil {
		return err
	}
	if judge == "model" {
		if g.Judge, err = p.judges.Generator(config.Judge); err != nil {
			return err
		}
	}
	if err := g.Check(); err != nil {
		return wrong(err)
	}
	p.grade = &GradeOptions{Out: p.dir, Grade: g, Threshold: .5, Empty: true, Stdin: p.o.Stdin, Stdout: io.Discard, Log: p.o.Log}
	if p.o.Whole {
		p.grade.Explain = &explain.Options{}
	}
	return nil
}

// protocols are those of a run that names none: every rule that needs nothing, and what
// each data set is judged by, with a model where one judges, else as far as it has a
// rule. asks says which records the latter are for.
func (p *plan) protocols(model bool) (names []string, asks func(*protocol.Protocol, *schema.QARecord) bool) {
	names = protocol.Defaults()
	var judges []string
	of := map[string][]string{} // data set → protocols
	for _, d := range p.v.Datasets {
		of[d.Adapter] = protocol.JudgesOf(d.Adapter)
		for _, x := range of[d.Adapter] {
			known, err := protocol.ByName(x)
			if err == nil && (model || known[0].Rule != nil) && !slices.Contains(names, x) {
				names = append(names, x)
			}
			judges = append(judges, x)
		}
	}
	return names, func(x *protocol.Protocol, r *schema.QARecord) bool {
		list, ok := of[r.Dataset]
		if !ok { // cases of our own form, or converted to another set's, carry the name of their set
			list = protocol.JudgesOf(r.Dataset)
		}
		if !slices.ContainsFunc(list, func(name string) bool { return slices.Contains(judges, name) }) {
			list = judges
		}
		return slices.Contains(list, x.Name)
	}
}

// hashes reports whether name is that of vectors without a model.
func hashes(name string) bool { return name == Hashing || name == hashing.New(0).Profile() }
