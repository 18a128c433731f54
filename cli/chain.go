package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"membench/chain"
	"membench/config"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/scripts/spark"

	"github.com/spf13/cobra"
)

type chainOptions struct {
	chain.Options
	model  modelFlags
	config string
	quiet  bool
}

func newChainCmd(e *env) *cobra.Command {
	var o chainOptions
	engine, far, who := "", spark.Options{Master: "local[*]"}, schema.People{}
	c := verb("chain -c membench.yaml", "Run every step of a project, incrementally", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		switch {
		case engine == "spark" && o.config == "":
			far.Out, far.People = o.Output, chain.PeopleText(who)
			return runSparkChain(c.Context(), e, far)
		case engine != "":
			return usagef("--engine: have %q, want spark, and no project (-c)", engine)
		case o.config == "":
			return usagef("no project: name it with -c membench.yaml")
		case c.Flags().Changed("people"):
			return usagef("--people is for an engine: a project has people in its file")
		}
		p, err := config.Load(o.config, e.lookup)
		if _, ok := errors.AsType[*os.PathError](err); ok {
			return err
		} else if err != nil {
			return &schema.UsageError{Err: err}
		}
		o.quiet = e.quiet
		_, err = runChain(c.Context(), e, p, o)
		return err
	})
	f := c.Flags()
	f.StringVarP(&o.config, "config", "c", "", "project `file` (required)")
	f.StringVarP(&o.Output, "output", "o", "", "write into this `folder` (default: the project's output)")
	f.StringVar(&o.Now, "now", "", "the run's clock, an RFC 3339 `time` (default: the kept one, otherwise taken once)")
	f.BoolVar(&o.Force, "force", false, "run every step again")
	f.BoolVar(&o.Strict, "strict", false, "end at a step that rejects records, which then writes nothing; exit 3 when validate finds errors in what was made")
	f.Var((*limitFlag)(&o.Accept), "max-rejected", "accept this many rejected records a step, a `number` or a share of the records read such as 1%")
	f.BoolVar(&o.Outside, "outside", false, "read also sources and catalogues that the project names outside of its folder")
	f.BoolVar(&e.json, "json", false, "print the summary as one JSON object")
	f.BoolVar(&o.model.dryRun, "dry-run", false, "call no model and write nothing: print the estimated cost of the model calls, as a range")
	o.model.addShared(c)
	f.StringVar(&engine, "engine", "", "run on another `engine`: spark (default: this process)")
	f.StringVar(&far.Master, "master", far.Master, "Spark's `master`, such as spark://host:7077 or yarn")
	f.IntVar(&far.Shards, "num-shards", 0, "cut exchanges into `n` parts (0: one for each core, or for 128 MB)")
	f.StringArrayVar(&far.Exports, "exports", nil, "`path` of memory exports for the engine; may be given again")
	f.StringArrayVar(&far.Events, "events", nil, "`path` of events for the engine; may be given again")
	f.Var(peopleFlag{&who}, "people", "who is who, as claimify has it: a YAML `file`, or its text in braces")
	f.StringVar(&far.Membench, "membench", "", "where this `program` is on the engine's nodes (default: where it is here)")
	f.StringArrayVar(&far.Conf, "conf", nil, "a setting of Spark, `key=value`; may be given again")
	return c
}

// runChain runs a project and prints its progress.
func runChain(ctx context.Context, e *env, p *config.Project, o chainOptions) (r chain.Report, err error) {
	ms, err := openModels(e, p, o.model)
	if err != nil {
		return r, err
	}
	defer ms.close(&err)
	o.Clock, o.Models, o.Place, o.TempDir, o.Membench, o.Progress = e.now, ms.Set, e.place(""), e.getenv("TMPDIR"), release, e.meter.work
	o.Begin = func(step string) func() { return around(e, step) }
	if o.quiet = o.quiet || ms.dryRun(); !o.quiet {
		o.Done = func(s chain.Step) { sayStep(e, s) }
	}
	if !ms.dryRun() {
		o.Warn = func(message string) { e.warnf("%s", message) }
	}
	if r, err = chain.Run(ctx, p, o.Options); !wrote(err) || ms.dryRun() {
		return r, err
	}
	if e.json {
		err = errors.Join(err, writeJSON(e.out, r))
	} else if !o.quiet {
		e.warnf("%d steps ran, %d were current; validate: %d errors, %d warnings; see %s", r.Ran, r.Current, r.Errors, r.Warnings, filepath.Join(r.Output, "manifest.json"))
	}
	if err == nil && o.Strict && r.Errors > 0 {
		return r, errFindings
	}
	return r, err
}

// around sets the process up for a step and returns the function that ends it.
func around(e *env, step string) func() {
	e.meter.begin(step, nil)
	switch step {
	case "compile-claims":
		return smallMemory(e, claimsGC)
	case "to-graph", "cypher":
		return bulkMemory(e)
	}
	return func() {}
}

func sayStep(e *env, s chain.Step) {
	if !s.Ran {
		return
	}
	var counts []string
	for _, k := range slices.Sorted(maps.Keys(s.Counts)) {
		counts = append(counts, fmt.Sprintf("%d %s", s.Counts[k], k))
	}
	e.warnf("%s %s", textnorm.Pad(s.Name, 24), strings.Join(counts, ", "))
}

// runSparkChain hands the chain to Spark.
func runSparkChain(ctx context.Context, e *env, o spark.Options) error {
	if len(o.Exports) == 0 || o.Out == "" {
		return usagef("--engine spark: name the memories with --exports and the result with -o")
	}
	o.TempDir, o.Python, o.Stdout, o.Stderr = e.getenv("TMPDIR"), e.getenv("PYSPARK_DRIVER_PYTHON"), e.out, e.err // Spark's own name for it
	err := spark.Run(ctx, o)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitFindings {
		err = errFindings
	} else if err != nil {
		return err
	}
	e.warnf("wrote %s", o.Out)
	return err
}
