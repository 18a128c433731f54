package main

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
	"time"

	"membench/config"
	"membench/eval/protocol"
	"membench/eval/reader"
	evalrun "membench/eval/run"
	"membench/internal/tokencount"
	"membench/llm"
	"membench/llm/hashing"
	"membench/memory"
	"membench/memory/all"
	"membench/memory/open"
	"membench/schema"

	"github.com/goccy/go-yaml"
)

// hashed is the name of vectors without a model.
const hashed = "hashing"

// defaults of a run.
const (
	depthDefault    = 50
	overlapDefault  = 2
	callsDefault    = 16
	ingestDefault   = 10 * time.Minute
	retrieveDefault = 2 * time.Minute
	readDefault     = 5 * time.Minute
)

// runEval runs what flags and file say; whole also explains and reports.
func runEval(ctx context.Context, e *env, o evalFlags, whole bool) (err error) {
	v, err := o.resolve(e)
	if err != nil {
		return err
	}
	dir := v.Output.Folder
	switch {
	case dir == "" && o.file != "":
		dir = filepath.Join("runs", v.Name)
	case dir == "" && !o.model.dryRun:
		return usagef("where does the run go? Name its folder with -o")
	}
	v.Output.Folder = dir
	if o.evalOnly {
		if _, _, err := runFiles(dir); err != nil {
			return usagef("--eval-only: %v", err)
		}
	} else if err := enough(v); err != nil {
		return err
	}
	s, err := planEval(ctx, e, v, o)
	if err != nil {
		return err
	}
	s.whole = whole
	for _, f := range reportFormats {
		if len(v.Output.Format) == 0 || slices.Contains(v.Output.Format, f) || f == "md" && slices.Contains(v.Output.Format, "markdown") {
			s.formats = append(s.formats, f)
		}
	}
	if o.model.dryRun {
		s.whole = false
		return dryEval(ctx, e, v, s)
	}
	if o.evalOnly {
		defer func() { s.models.close(&err) }()
		if s.grade == nil {
			return usagef("--eval-only and --no-grade leave nothing to do")
		}
		if err = s.forget("graded"); err != nil {
			return err
		}
		return s.after(ctx, e, nil)
	}
	return startRun(ctx, e, s)
}

func enough(v *config.Eval) error {
	switch {
	case len(v.Datasets) == 0:
		return usagef("which data sets? Name them as NAME=PATH, or in a file with -c")
	case len(v.Systems) == 0:
		return usagef("which systems? Name them with --system (bm25, full-context, … or all), or in a file with -c")
	}
	return nil
}

// planEval makes of a configuration what a run is.
func planEval(ctx context.Context, e *env, v *config.Eval, o evalFlags) (s runSpec, err error) {
	s = runSpec{dir: v.Output.Folder, sample: v.Run.Sample, seed: v.Seed, maxCases: v.Run.MaxCases}
	s.run = evalrun.Options{K: cmp.Or(v.Run.TopK, 10), Depth: depthDefault, Overlap: overlapDefault, Window: v.Run.Window, Snapshots: v.Run.Snapshots, Undated: v.Reader.NoDates,
		ContextTokens: v.Reader.ContextTokens, Repeats: max(1, v.Grading.NumRuns), Reingest: v.Run.Reingest, OnlyFailed: o.onlyFailed,
		Memories: v.Run.Memories, Calls: cmp.Or(v.Run.Calls, callsDefault), Limits: evalrun.Limits{Ingest: ingestDefault, Retrieve: retrieveDefault, Read: readDefault}}
	if v.Run.Depth != nil {
		s.run.Depth = *v.Run.Depth
	}
	if v.Run.Overlap != nil {
		s.run.Overlap = *v.Run.Overlap
	}
	for _, l := range []struct {
		to   *time.Duration
		have config.Duration
		flag string
	}{{&s.run.Limits.Ingest, v.Run.IngestLimit, "ingest-limit"}, {&s.run.Limits.Retrieve, v.Run.RetrieveLimit, "retrieve-limit"}, {&s.run.Limits.Read, v.Run.ReadLimit, "read-limit"}} {
		if l.have != 0 || o.changed(l.flag) { // given as 0: none
			*l.to = time.Duration(l.have)
		}
	}
	if !v.Run.NoTimes {
		s.run.Now = e.now
	}
	for _, d := range v.Datasets {
		if o.evalOnly {
			break
		}
		set, err := planSet(e, v, d, o.datasetFlags)
		if err != nil {
			return s, err
		}
		s.sets = append(s.sets, set)
	}
	if s.config, err = v.YAML(); err != nil {
		return s, err
	}
	flags := o.model
	flags.config, flags.model = "", "" // --model names the reader's, which stands in v
	if flags.cassette == "" && flags.mode == "" && v.Cassette == (config.Cassette{}) && !flags.dryRun && asksModels(v) {
		// What was paid for is kept with the run: neither a kill nor another grading pays twice.
		if err := os.MkdirAll(s.dir, 0o777); err != nil {
			return s, err
		}
		flags.cassette = filepath.Join(s.dir, "cassette.jsonl")
	}
	if o.file != "" {
		s.models, err = openModels(e, v.Project(), flags)
	} else {
		s.models, err = flags.open(e)
	}
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			s.models.close(&err)
		}
	}()
	if s.grade, s.judges, err = planGrade(v, s.models, o); err != nil {
		return s, err
	}
	if o.evalOnly {
		return s, nil
	}
	s.run.Systems, err = planSystems(ctx, e, v, s.models, o)
	return s, err
}

// asksModels reports whether a configuration names a model anywhere.
func asksModels(v *config.Eval) bool {
	if v.Reader.Model+v.Grading.JudgeModel != "" || v.Reader.Type == "model" || v.Grading.Judge == "model" || v.Model != (config.Model{}) || v.Models != (config.Models{}) {
		return true
	}
	return slices.ContainsFunc(v.Systems, func(s config.EvalSystem) bool {
		return s.Model+s.LLM != "" || s.Embedding != "" && s.Embedding != hashed
	})
}

// planSet looks a data set up.
func planSet(e *env, v *config.Eval, d config.EvalSet, f datasetFlags) (runSet, error) {
	var paths []string
	for _, p := range append(slices.Clone(d.Paths), d.Path) {
		if p != "" {
			paths = append(paths, v.Path(p))
		}
	}
	out := runSet{name: d.Name, sample: d.Sample, maxCases: d.MaxCases}
	switch d.Granularity {
	case "turn":
		out.window = 1
	case "session":
		out.window = -1
	}
	leave := slices.Clone(d.Exclude)
	adapter := d.Adapter
	if adapter != "cases" {
		for _, x := range datasetNames() {
			if open.Fold(x) == open.Fold(adapter) {
				adapter = x
			}
		}
		f.errata = ""
		if d.Errata != "" {
			f.errata = v.Path(d.Errata)
		}
		f.grain, f.seed, f.topics, f.count, f.tokens = cmp.Or(d.Grain, "turn"), v.Seed, d.Topics, d.Count, d.ChunkTokens
		f.chunk = cmp.Or(d.Chunk, 16000)
		t := newTally(e, 1)
		set, err := f.open(e, adapter, paths, func(x *schema.Finding) { t.take(x) })
		if err != nil {
			return out, err
		}
		out.inputs = slices.Clone(paths)
		if f.errata != "" {
			out.inputs = append(out.inputs, f.errata)
		}
		out.key = fmt.Sprintf("%s grain=%s seed=%d topics=%q count=%d chunk=%d tokens=%d", adapter, f.grain, f.seed, f.topics, f.count, f.chunk, f.tokens)
		out.cases = func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case] {
			o := set.o
			o.Report = report
			return set.Read(ctx, set.files, o)
		}
	} else {
		if len(paths) == 0 {
			return out, usagef("data set %s: no file of cases given (membench datasets convert)", d.Name)
		}
		for _, p := range paths {
			if _, err := os.Stat(p); err != nil {
				return out, usageError{err}
			}
		}
		out.inputs, out.key = paths, "cases"
		out.cases = func(ctx context.Context, _ func(*schema.Finding)) schema.Seq[schema.Case] {
			return func(yield func(schema.Record[schema.Case], error) bool) {
				for _, p := range paths {
					for r, err := range caseFile(ctx, p) {
						if !yield(r, err) {
							return
						}
					}
				}
			}
		}
	}
	if d.ExcludeAdversarial {
		if adapter != "locomo" {
			return out, usagef("data set %s: exclude_adversarial is LoCoMo's (category 5); elsewhere exclude names raw categories", d.Name)
		}
		leave = append(leave, "5")
	}
	if len(leave) > 0 || v.Run.Case != nil {
		out.cases = choose(out.cases, leave, v.Run.Case)
		out.key += fmt.Sprintf(" exclude=%q", leave)
		if v.Run.Case != nil {
			out.key += fmt.Sprintf(" case=%d", *v.Run.Case)
		}
	}
	return out, nil
}

type caseSource = func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case]

// choose leaves questions of some raw categories out, and all cases but the one of a
// number.
func choose(in caseSource, leave []string, only *int) caseSource {
	return func(ctx context.Context, report func(*schema.Finding)) schema.Seq[schema.Case] {
		return func(yield func(schema.Record[schema.Case], error) bool) {
			n := -1
			for r, err := range in(ctx, report) {
				if err == nil {
					if n++; only != nil && n != *only {
						if n > *only {
							return
						}
						continue
					}
					r.V.Questions = slices.DeleteFunc(slices.Clone(r.V.Questions), func(q schema.Question) bool { return slices.Contains(leave, q.RawCategory) })
					if len(r.V.Questions) == 0 {
						continue
					}
				}
				if !yield(r, err) {
					return
				}
			}
			if only != nil && n < *only {
				yield(schema.Record[schema.Case]{}, usagef("--sample %d: the data set has %d cases, counted from 0", *only, n+1))
			}
		}
	}
}

// planSystems opens the systems, each with the reader that answers for it.
func planSystems(ctx context.Context, e *env, v *config.Eval, m *models, o evalFlags) ([]evalrun.System, error) {
	rs := readers{v: v, m: m, made: map[string]reader.Reader{}}
	for _, s := range v.Systems {
		rs.asked = rs.asked || s.Model+s.LLM != ""
	}
	rs.asked = rs.asked || v.Reader.Type == "model" || v.Reader.Model != ""
	var out []evalrun.System
	for _, c := range v.Systems {
		list := []config.EvalSystem{c}
		if c.Type == "all" {
			list = nil
			for _, spec := range all.Specs() {
				x := c
				x.Name, x.Type = "", spec.Name
				list = append(list, x)
			}
		}
		for _, c := range list {
			d := memory.Deps{Prompts: m.Prompts}
			var err error
			if d.LLM, err = systemModel(v, m, c); err != nil {
				return nil, err
			}
			if d.Embed, err = vectorsOf(m, c.Embedding); err != nil {
				return nil, err
			}
			sys, err := planSystem(ctx, e, v, c, d, o)
			if err != nil {
				return nil, err
			}
			r, err := rs.of(e, c)
			if err != nil {
				return nil, err
			}
			out = append(out, evalrun.System{Name: c.Name, System: sys, Reader: r, K: c.TopK})
		}
	}
	return out, nil
}

// planSystem opens one system. In a dry run, what is not in this process is stood for
// by bm25: nobody outside is asked.
func planSystem(ctx context.Context, e *env, v *config.Eval, c config.EvalSystem, d memory.Deps, o evalFlags) (memory.System, error) {
	p := e.place("")
	choice := open.Choice{Name: c.Name, Type: c.Type}
	if strings.HasSuffix(c.Type, ".yaml") || strings.HasSuffix(c.Type, ".yml") {
		choice.Type = v.Path(c.Type)
	}
	if c.APIKey != "" && open.Fold(c.Type) == "mem0" { // seed 000's mem0 with a key is the platform
		choice.Type = "mem0-platform"
	}
	if c.Secret != "" {
		p.Getenv = func(name string) string {
			if strings.HasSuffix(name, "_API_KEY") || strings.HasSuffix(name, "_TOKEN") {
				return c.Secret
			}
			return e.getenv(name)
		}
	}
	found, err := p.Find(ctx, choice.Type)
	if err != nil {
		return nil, err
	}
	if c.BaseURL != "" {
		if found.Kind == open.BuiltIn || found.Kind == open.Program {
			return nil, usagef("system %s: base_url is a service's, and %s is none", cmp.Or(c.Name, c.Type), found.Name)
		}
		c.Options = append(slices.Clip(c.Options), yaml.MapItem{Key: "base_url", Value: c.BaseURL})
	}
	if choice.Options, err = c.OptionsJSON(); err != nil {
		return nil, usageError{err}
	}
	if o.model.dryRun && found.Kind != open.BuiltIn {
		e.warnf("dry run: %s is not asked; bm25 stands for it, and its own calls to models are not counted", cmp.Or(c.Name, c.Type))
		choice.Type, choice.Options = "bm25", nil
	} else if found.Kind != open.BuiltIn {
		p.Dir = filepath.Join(v.Output.Folder, "journal", "systems")
	}
	sys, _, err := p.Open(ctx, choice, d)
	return sys, err
}

// systemModel is what a system asks for its operations, nil for rules.
func systemModel(v *config.Eval, m *models, c config.EvalSystem) (llm.Generator, error) {
	name := cmp.Or(c.LLM, v.Models.Extract.Name)
	if name == "" {
		return nil, nil
	}
	return m.as(name).Generator(config.Extract)
}

// vectorsOf is the embedder of a name; "" the configured one, else hashing.
func vectorsOf(m *models, name string) (llm.Embedder, error) {
	switch {
	case name == "":
		return m.Embedder()
	case name == hashed || name == hashing.New(0).Profile():
		return hashing.New(0), nil
	}
	return m.Vectors(name).Embedder()
}

// readers makes a reader for each model that answers.
type readers struct {
	v     *config.Eval
	m     *models
	asked bool // some system, or the file, names a model
	made  map[string]reader.Reader
	told  bool
}

func (r *readers) of(e *env, c config.EvalSystem) (reader.Reader, error) {
	name := cmp.Or(c.Model, c.LLM, r.v.Reader.Model)
	if r.v.Reader.Type == "rule" || !r.asked {
		name = ""
	} else if name == "" {
		ep, err := r.m.Endpoint(config.Read)
		if err != nil {
			return nil, err
		}
		if name = ep.Name; name == "" && r.v.Reader.Type == "model" {
			return nil, usagef("reader.type is model, and none is named: give --model, reader.model or OPENAI_MODEL")
		}
		if name == "" && !r.told {
			r.told = true
			e.warnf("%s names no model to answer with, and neither do reader.model and OPENAI_MODEL: it is answered by rule, which must not be compared with a model's answers", cmp.Or(c.Name, c.Type))
		}
	}
	if made, ok := r.made[name]; ok {
		return made, nil
	}
	out := reader.Rule()
	if name != "" {
		g, err := r.m.as(name).Generator(config.Read)
		if err != nil {
			return nil, err
		}
		if out, err = reader.Model(g, r.m.Prompts, reader.ModelOptions{Prompt: r.v.Reader.Prompt, MaxTokens: r.v.Reader.MaxTokens, Context: r.v.Reader.ContextTokens, Count: tokencount.O200k}); err != nil {
			return nil, usageError{err}
		}
	}
	r.made[name] = out
	return out, nil
}

// judgesOf are the model protocols of data sets; of the others mem0-2025, which any
// question with a gold can be put to.
var judgesOf = map[string][]string{
	"longmemeval": {"lme-official"}, "locomo": {"mem0-2025"}, "domain_a_v2": {"domaina-answer", "domaina-evidence"}, "halumem": {"domaina-answer", "domaina-evidence"},
	"memoryagentbench": {"mab"},
}

// planGrade says how answers are graded: by every rule that needs nothing, and with a
// judge's model by the protocol that each data set is judged by.
func planGrade(v *config.Eval, m *models, o evalFlags) (*gradeOptions, *models, error) {
	if o.noGrade {
		return nil, nil, nil
	}
	g := &gradeOptions{protocols: v.Grading.Protocols, judge: v.Grading.Judge, votes: max(1, v.Grading.Votes), workers: v.Grading.Workers, threshold: .5}
	judges := m
	if v.Grading.JudgeModel != "" {
		judges = m.as(v.Grading.JudgeModel)
		g.judge = cmp.Or(g.judge, "model")
	}
	if g.judge = cmp.Or(g.judge, "rule"); g.judge == "rule" || len(g.protocols) > 0 {
		return g, judges, nil
	}
	g.protocols = slices.Clone(stringProtocols)
	of := map[string][]string{} // data set → protocols
	for _, d := range v.Datasets {
		list, ok := judgesOf[d.Adapter]
		if !ok {
			list = []string{"mem0-2025"}
		}
		of[d.Adapter] = list
		for _, p := range list {
			if !slices.Contains(g.protocols, p) {
				g.protocols = append(g.protocols, p)
			}
		}
	}
	g.asks = func(p *protocol.Protocol, r *schema.QARecord) bool {
		list, ok := of[r.Dataset]
		if !ok { // cases of our own form carry the name of their set
			if list, ok = judgesOf[r.Dataset]; !ok {
				list = []string{"mem0-2025"}
			}
		}
		return slices.Contains(list, p.Name)
	}
	return g, judges, nil
}

// dryEval prints the configuration in force, plays the run in a folder of its own with
// models that are only counted, and leaves nothing behind.
func dryEval(ctx context.Context, e *env, v *config.Eval, s runSpec) (err error) {
	if _, err := e.out.Write(s.config); err != nil {
		return err
	}
	defer func() { s.models.close(&err) }() // tells the estimate
	dir, err := os.MkdirTemp("", "membench-dry-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// A model would answer something: graders are then asked about it.
	s.models.Estimate.Answer = func(r llm.Request) string {
		if r.Purpose == llm.PurposeRead {
			return "an answer"
		}
		return ""
	}
	s.dir, s.run.Now = dir, nil
	inner := *e
	inner.out, inner.err = io.Discard, io.Discard
	quiet := s
	shared := *s.models
	shared.shared = true
	quiet.models = &shared
	if err := startRun(ctx, &inner, quiet); err != nil && !errors.Is(err, errNoVerdict) {
		return fmt.Errorf("the dry run: %w", err)
	}
	if len(v.Systems) > 0 {
		e.warnf("dry run: nothing was asked and nothing is in %s", v.Output.Folder)
	}
	return nil
}
