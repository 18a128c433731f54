package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/config"
	"membench/datasets/all"
	"membench/eval/pipeline"
	evalrun "membench/eval/run"
	"membench/internal/yamldoc"
	"membench/memory/open"
	"membench/schema"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// evalFlags are the flags of eval and eval run. They override an eval.yaml, and every setting of the file has a flag.
type evalFlags struct {
	datasetFlags
	file       string
	sets       []string // arguments, and --dataset
	systems    []string
	out        string
	outDir     string
	maxSamples int
	one        int
	smoke      bool
	mock       bool
	evalOnly   bool
	noGrade    bool
	onlyFailed bool
	shard      evalrun.Shard

	exclude []string

	over                                  config.Eval // the values of flags for its members
	depth, overlap, topK                  int
	ingestLimit, retrieveLimit, readLimit time.Duration

	model   modelFlags
	changed func(flag string) bool
}

func (o *evalFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVarP(&o.file, "config", "c", "", "take the run from this YAML `file` (docs/eval-yaml.md)")
	inGroup(c, "Data set", func() { o.datasetFlags.add(c) })
	f.StringArrayVar(&o.sets, "dataset", nil, "ask this `data set`, as an argument does: NAME=PATH, a file of cases, or a file or folder that is recognised by its names")
	f.StringArrayVarP(&o.systems, "system", "s", nil, "ask these memory `systems`, with commas, options in braces (all: every one that needs nothing from outside)")
	f.StringArrayVar(&o.systems, "baseline", nil, "the same as --system: `NAME`")
	f.StringVarP(&o.out, "output", "o", "", "`folder` of the run (default runs/NAME with -c)")
	f.StringVar(&o.outDir, "output-dir", "", "the same as --output: `folder`")
	f.IntVar(&o.over.Run.Sample, "questions", 0, "ask `n` questions of each data set only, from each category in proportion, drawn by --seed")
	f.IntVar(&o.over.Run.MaxCases, "max-cases", 0, "ask the first `n` cases of each data set only")
	f.IntVar(&o.maxSamples, "max-samples", 0, "the same as --max-cases: `n`")
	f.IntVar(&o.one, "sample", 0, "ask only the case of this `number` of each data set, from 0")
	f.BoolVar(&o.smoke, "smoke", false, "ask the first case of each data set only, to see that everything works")
	f.BoolVar(&o.mock, "mock", false, "ask no model, regardless of the configuration: rule reader, rule judge, hashed vectors")
	f.BoolVar(&o.evalOnly, "eval-only", false, "ask nothing again: grade the answers in the folder, and do the steps after that")
	f.BoolVar(&o.onlyFailed, "only-failed", false, "ask again in a finished run what ended in an error, over a limit or in a refusal, or was done by rule because a model failed")
	f.StringSliceVar(&o.exclude, "exclude", nil, "exclude questions of these raw `categories` (5: LoCoMo's adversarial ones)")
	inGroup(c, "Answering and grading", func() { o.addGrading(f) })
	inGroup(c, "Memory and speed", func() { o.addMemory(f) })
	o.model.add(c)
}

func (o *evalFlags) addGrading(f *pflag.FlagSet) {
	f.StringVar(&o.over.Reader.Type, "reader", "", "`method`, rule or model: who answers from what a system shows (default model where one is named, otherwise rule)")
	f.StringVar(&o.over.Reader.Prompt, "answer-prompt", "", "`name` of the model reader's prompt: answer, answer-short or answer-notes (default answer)")
	f.IntVar(&o.over.Reader.ContextTokens, "context-tokens", 0, "show readers at most `n` tokens, 0: all that was found")
	f.BoolVar(&o.over.Reader.NoDates, "no-dates", false, "show hits without the time of the turns they come from")
	f.StringVar(&o.over.Models.Extract.Name, "system-model", "", "`model` that systems ask for their operations (default: none, they work by rule)")
	f.StringVar(&o.over.Grading.Judge, "judge", "", "`method`, rule or model: who grades where a protocol has both (default model with --judge-model, otherwise rule)")
	f.StringVar(&o.over.Grading.JudgeModel, "judge-model", "", "`model` that judges")
	f.BoolVar(&o.over.Grading.Doubtful, "doubtful", false, "ask the judge's model about doubtful verdicts of the rule judge only; the protocol settled@1 joins both")
	f.StringSliceVarP(&o.over.Grading.Protocols, "protocol", "p", nil, "grade by these `protocols` (default: all rules, and with a judge's model the protocol of each data set)")
	f.IntVar(&o.over.Grading.Votes, "votes", 1, "ask a judge `n` times about one answer, odd; the majority decides")
	f.IntVar(&o.over.Grading.Workers, "max-eval-workers", 0, "grade `n` answers at once (0: 4 with a model, otherwise one per core)")
	f.StringSliceVar((*[]string)(&o.over.Output.Format), "format", nil, "`formats` of the report: "+strings.Join(config.EvalFormats(), ", ")+" (default all)")
}

func (o *evalFlags) addMemory(f *pflag.FlagSet) {
	f.IntVarP(&o.topK, "top-k", "k", 10, "ask systems for `n` hits")
	f.IntVar(&o.depth, "depth", 50, "if gold evidence is not among the hits, keep every rank down to `n` and search for it down to rank 1,000; 0: do not")
	f.IntVar(&o.over.Run.Window, "window", 0, "ingest `n` turns at once, 0: whole sessions")
	f.IntVar(&o.overlap, "overlap", 2, "show `n` turns before a window as its context")
	f.IntVar(&o.over.Grading.NumRuns, "repeats", 1, "answer and grade every question `n` times")
	f.BoolVar(&o.over.Run.Reingest, "reingest", false, "fill the memories again for each repeat")
	f.BoolVar(&o.over.Run.Snapshots, "snapshots", false, "keep what a memory holds after every session, not only after those with gold points")
	f.BoolVar(&o.over.Run.NoTimes, "no-times", false, "record no times: records and figures of two runs are then byte-identical")
	f.IntVar(&o.over.Run.Memories, "memories", 0, "fill and ask `n` memories at once (0: one per core)")
	f.IntVar(&o.over.Run.Calls, "calls", 16, "keep `n` answers of readers under way")
	f.DurationVar(&o.ingestLimit, "ingest-limit", 10*time.Minute, "longest `time` of one ingest call, 0: none")
	f.DurationVar(&o.retrieveLimit, "retrieve-limit", 2*time.Minute, "longest `time` of one retrieval, 0: none")
	f.DurationVar(&o.readLimit, "read-limit", 5*time.Minute, "longest `time` of one answer, 0: none")
}

// resolve is the configuration in force: the file, and the flags over it.
func (o *evalFlags) resolve(e *env) (*config.Eval, error) {
	v := &config.Eval{Version: config.Version, Seed: 1}
	if o.file != "" {
		var err error
		if v, err = config.LoadEval(o.file, e.lookup); err != nil {
			return nil, &schema.UsageError{Err: err}
		}
	}
	if len(o.sets) > 0 {
		v.Datasets = nil
		for _, arg := range o.sets {
			d, err := o.setOf(arg)
			if err != nil {
				return nil, err
			}
			v.Datasets = append(v.Datasets, d)
		}
	}
	for i := range v.Datasets {
		d := &v.Datasets[i]
		for _, x := range o.exclude {
			if !slices.Contains(d.Exclude, x) {
				d.Exclude = append(d.Exclude, x)
			}
		}
	}
	if len(o.systems) > 0 {
		v.Systems = nil
		for _, list := range o.systems {
			for _, s := range open.Split(list) {
				c, err := open.Parse(s)
				if err != nil {
					return nil, err
				}
				x := config.EvalSystem{Name: c.Name, Type: c.Type}
				if c.Options != nil {
					if err := yamldoc.Unmarshal(c.Options, &x.Options); err != nil {
						return nil, &schema.UsageError{Err: err}
					}
				}
				v.Systems = append(v.Systems, x)
			}
		}
	}
	o.override(v)
	if err := v.Check(nil); err != nil {
		return nil, &schema.UsageError{Err: err}
	}
	return v, nil
}

// override puts the flags that were given over the file.
func (o *evalFlags) override(v *config.Eval) {
	x := &o.over
	given := func(flags ...string) bool { return slices.ContainsFunc(flags, o.changed) }
	set := func(flag string, put func()) {
		if given(flag) {
			put()
		}
	}
	set("seed", func() { v.Seed = o.Seed })
	set("questions", func() { v.Run.Sample = x.Run.Sample })
	set("max-samples", func() { v.Run.MaxCases = o.maxSamples })
	set("max-cases", func() { v.Run.MaxCases = x.Run.MaxCases })
	set("sample", func() { v.Run.Case = &o.one })
	if o.smoke {
		v.Run.MaxCases = 1
	}
	if given("questions", "max-samples", "max-cases", "sample", "smoke") { // replace the file's own
		for i := range v.Datasets {
			v.Datasets[i].Sample, v.Datasets[i].MaxCases = 0, 0
		}
	}
	if dir := o.out + o.outDir; dir != "" {
		v.Output.Folder = dir
	}
	set("format", func() { v.Output.Format = x.Output.Format })
	set("model", func() { v.Reader.Model = o.model.model })
	set("reader", func() { v.Reader.Type = x.Reader.Type })
	set("answer-prompt", func() { v.Reader.Prompt = x.Reader.Prompt })
	set("context-tokens", func() { v.Reader.ContextTokens = x.Reader.ContextTokens })
	set("no-dates", func() { v.Reader.NoDates = x.Reader.NoDates })
	set("system-model", func() { v.Models.Extract.Name = x.Models.Extract.Name })
	set("judge", func() { v.Grading.Judge = x.Grading.Judge })
	set("judge-model", func() { v.Grading.JudgeModel = x.Grading.JudgeModel })
	set("doubtful", func() { v.Grading.Doubtful = x.Grading.Doubtful })
	set("protocol", func() { v.Grading.Protocols = x.Grading.Protocols })
	set("votes", func() { v.Grading.Votes = x.Grading.Votes })
	set("max-eval-workers", func() { v.Grading.Workers = x.Grading.Workers })
	set("repeats", func() { v.Grading.NumRuns = x.Grading.NumRuns })
	set("top-k", func() { v.Run.TopK = &o.topK })
	set("depth", func() { v.Run.Depth = &o.depth })
	set("window", func() { v.Run.Window = x.Run.Window })
	set("overlap", func() { v.Run.Overlap = &o.overlap })
	set("reingest", func() { v.Run.Reingest = x.Run.Reingest })
	set("snapshots", func() { v.Run.Snapshots = x.Run.Snapshots })
	set("no-times", func() { v.Run.NoTimes = x.Run.NoTimes })
	set("memories", func() { v.Run.Memories = x.Run.Memories })
	set("calls", func() { v.Run.Calls = x.Run.Calls })
	set("ingest-limit", func() { v.Run.IngestLimit = (*config.Duration)(&o.ingestLimit) })
	set("retrieve-limit", func() { v.Run.RetrieveLimit = (*config.Duration)(&o.retrieveLimit) })
	set("read-limit", func() { v.Run.ReadLimit = (*config.Duration)(&o.readLimit) })
	if o.mock {
		v.Reader.Type, v.Reader.Model, v.Grading.Judge, v.Grading.JudgeModel = "rule", "", "rule", ""
		v.Models, v.Model = config.Models{}, config.Model{}
		for i := range v.Systems {
			v.Systems[i].Model, v.Systems[i].LLM, v.Systems[i].Embedding = "", "", pipeline.Hashing
		}
	}
}

// setOf reads a data set of the command line.
func (o *evalFlags) setOf(arg string) (config.EvalSet, error) {
	d := config.EvalSet{Errata: o.Errata, Topics: o.Topics, Count: o.Count, ChunkTokens: o.ChunkTokens}
	if o.Grain != "turn" {
		d.Grain = o.Grain
	}
	if o.changed("chunk") {
		d.Chunk = o.Chunk
	}
	if name, paths, named := strings.Cut(arg, "="); named {
		d.Name, d.Adapter = name, name
		if paths != "" {
			d.Paths = strings.Split(paths, ",")
		}
		return d, nil
	}
	if _, err := os.Stat(arg); err != nil {
		return d, usagef("%s: no such file or folder; a data set is given as NAME=PATH (membench datasets list), or as a file of cases", arg)
	}
	d.Path = arg
	d.Name, _, _ = strings.Cut(filepath.Base(arg), ".")
	d.Adapter = all.Guess(arg)
	if d.Adapter != "cases" {
		d.Name = d.Adapter
	}
	return d, nil
}
