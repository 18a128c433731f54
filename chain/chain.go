// Package chain runs the steps from dialogue to graph: sources to events, ingest into a memory, its export, claims, a graph, Cypher.
//
// Each step is a function over files that can be called on its own: Index, Annotate, Compile, Ingest, Probe, Export, Link, Claimify, CompileClaims, ToGraph,
// Cypher. Run runs all steps of a project whose inputs or options changed. A step that loses records returns a *schema.RejectedError; wrong options give a
// *schema.UsageError.
package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/smallfile"
	"membench/memory/open"
	"membench/models"
	"membench/schema"
)

// Options of Run.
type Options struct {
	Output   string           // folder; "": the project's
	Now      string           // the run's clock, RFC 3339; "": the project's, or the first run's, or Clock
	Clock    func() time.Time // read once, in the first run; nil: Now is required there
	Models   *models.Set      // needed where the project asks a model; a dry run's writes nothing
	Place    open.Place       // environment and transport for opening the memory
	TempDir  string           // "": the system's
	Force    bool             // run steps that are current, too
	Strict   bool             // a step that loses records writes nothing and ends the run
	Accept   schema.Limit     // of each step: lost records that are not errors
	Outside  bool             // read also sources and catalogues outside of the project's folder
	Membench string           // version of the program, for manifests

	Begin    func(step string) (end func())     // called around each step that runs; nil: not called
	Done     func(Step)                         // called after each step; nil: not called
	Progress func(unit string, done, taken int) // as in Shared
	Warn     func(message string)               // called with warnings for people; nil: not called
}

// Report is the summary of a run.
type Report struct {
	Output   string         `json:"output"`
	Now      string         `json:"now"`
	Steps    []Step         `json:"steps"`
	Ran      int            `json:"ran"`
	Current  int            `json:"current"`
	Findings map[string]int `json:"findings"`
	Rejected int            `json:"rejected,omitzero"` // records that the steps lost
	Errors   int            `json:"errors"`            // of validate
	Warnings int            `json:"warnings"`
}

// A Step is one step of a run.
type Step struct {
	Name     string         `json:"name"`
	Ran      bool           `json:"ran"`
	Counts   map[string]int `json:"counts,omitempty"`
	Findings map[string]int `json:"findings,omitempty"`
}

// version is raised when the same inputs give other bytes in any step.
const version = 3

// run is one Run.
type run struct {
	p       *config.Project
	o       Options
	b       build.Builder
	report  Report
	records map[string]schema.Manifest
	inputs  []string
	tried   bool // the model that extracts, before the one that tags was asked
	lost    bool // some step lost more than Options.Accept allows
	failed  schema.FailedError
}

// inside refuses the data that a project names outside of its folder, links followed: others
// may have written the list. Where outputs, answers and prices are is the user's own choice.
func inside(p *config.Project, o Options) error {
	if o.Outside {
		return nil
	}
	for _, name := range slices.Concat(p.Sources, p.Catalogs) {
		if path := p.Path(name); exists(path) && !smallfile.Within(path, p.Dir()) {
			return schema.Usagef("%s names %s, which lies outside of the project's folder: move it there, or allow it with --outside", p.File(), name)
		}
	}
	return nil
}

// Run makes every result of a project current below Options.Output. A killed run is
// finished by the next. The error is a *schema.RejectedError when steps lost records;
// Report is complete then, unless a step wrote nothing.
func Run(ctx context.Context, p *config.Project, o Options) (Report, error) {
	if o.Models == nil && p.UsesModel() {
		return Report{}, schema.Usagef("the project asks a model: open its models first")
	}
	if err := inside(p, o); err != nil {
		return Report{}, err
	}
	o.Output = cmp.Or(o.Output, p.Path(p.Output))
	for _, name := range p.Sources {
		if err := build.NotInput(o.Output, p.Path(name)); err != nil {
			return Report{}, err
		}
	}
	if o.Models != nil && o.Models.Estimate != nil {
		dir, err := os.MkdirTemp(o.TempDir, "membench-dry-run-*")
		if err != nil {
			return Report{}, err
		}
		defer os.RemoveAll(dir)
		o.Output = dir
	}
	lock, err := atomicfile.Lock(filepath.Join(o.Output, ".steps", "lock"))
	if err != nil {
		return Report{}, err
	}
	defer lock.Close()
	now, err := o.now(p)
	if err != nil {
		return Report{}, err
	}
	c := &run{p: p, o: o, records: map[string]schema.Manifest{},
		b:      build.Builder{Root: o.Output, Records: filepath.Join(o.Output, ".steps"), Schema: p.SchemaVersion, Membench: o.Membench, Now: now, Force: o.Force},
		report: Report{Output: o.Output, Now: now, Findings: map[string]int{}}}
	for _, dir := range []string{"", "events", "claims", "claims/by_conv", "claims/by_conv/" + claimifyState, "store", ".steps"} {
		if err := build.Recover(c.path(filepath.FromSlash(dir))); err != nil {
			return c.report, err
		}
	}
	for _, step := range []func(context.Context) error{c.annotate, c.compile, c.ingest, c.probe, c.export, c.claimify, c.compileClaims, c.toGraph, c.cypher, c.validate} {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	if err := c.dropRecords(); err != nil {
		return c.report, err
	}
	if err := c.writeManifest(); err != nil {
		return c.report, err
	}
	taken := c.records["compile"].Counts["events"]
	if c.failed.Failed > 0 {
		c.failed.Step, c.failed.Taken, c.failed.Written = "chain", taken, true
		err = &c.failed
	}
	if c.lost {
		err = errors.Join(err, &schema.RejectedError{Step: "chain", Rejected: c.report.Rejected, Taken: taken, Written: true})
	}
	return c.report, err
}

// now returns the option, or the project's value, or that of the first run, or the clock, which is then stored.
func (o Options) now(p *config.Project) (string, error) {
	for _, s := range []string{o.Now, p.Now} {
		if s == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return "", schema.Usagef("--now %q: want an RFC 3339 time such as 2026-03-01T12:00:00Z", s)
		}
		return t.UTC().Format(time.RFC3339), nil
	}
	kept := filepath.Join(o.Output, ".steps", "now")
	b, err := smallfile.Read(kept)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if o.Clock == nil {
		return "", schema.Usagef("no clock given: want the time of the run")
	}
	now := o.Clock().UTC().Truncate(time.Second).Format(time.RFC3339)
	return now, atomicfile.Write(kept, func(w io.Writer) error { _, err := fmt.Fprintln(w, now); return err })
}

func (c *run) path(parts ...string) string {
	return filepath.Join(append([]string{c.o.Output}, parts...)...)
}

func (c *run) warn(format string, args ...any) {
	if c.o.Warn != nil {
		c.o.Warn(fmt.Sprintf(format, args...))
	}
}

// maxShown is how many findings the error of a step quotes.
const maxShown = 20

// do makes a step current and records the result. make makes the output at path with the common options; count names the records that it counts.
func (c *run) do(ctx context.Context, s build.Step, make func(ctx context.Context, path string, with Shared, counts map[string]int) error) error {
	s.Version = version
	s.Run = func(ctx context.Context, path string) (build.Result, error) {
		if c.o.Begin != nil {
			defer c.o.Begin(s.Name)()
		}
		r := build.Result{Counts: map[string]int{}, Findings: map[string]int{}}
		var shown []string
		with := Shared{TempDir: c.o.TempDir, Strict: c.o.Strict, Accept: c.o.Accept, Membench: c.o.Membench, Progress: c.o.Progress, final: s.Output, Report: func(f *schema.Finding) {
			if r.Findings[f.Code]++; len(shown) < maxShown {
				shown = append(shown, f.Error())
			}
		}}
		err := make(ctx, path, with, r.Counts)
		var lost *schema.RejectedError
		var failed *schema.FailedError
		if schema.Written(err) {
			if errors.As(err, &lost) {
				r.Counts["rejected"] = lost.Rejected + lost.Faulty
			}
			if errors.As(err, &failed) {
				r.Counts["failed"], r.Again = failed.Failed, true
				c.failed.Add(failed)
			}
			err = nil
		}
		if err != nil && len(shown) > 0 {
			err = fmt.Errorf("%w\n%s", err, strings.Join(shown, "\n"))
		}
		return r, err
	}
	m, ran, err := c.b.Do(ctx, s)
	if err != nil {
		return err
	}
	c.records[s.Name] = m
	step := Step{s.Name, ran, m.Counts, m.Findings}
	c.report.Steps = append(c.report.Steps, step)
	if ran {
		c.report.Ran++
	} else {
		c.report.Current++
	}
	schema.Tally(c.report.Findings, m.Findings)
	if n := m.Counts["rejected"]; n > 0 {
		c.report.Rejected += n
		c.lost = true
	}
	if c.o.Done != nil {
		c.o.Done(step)
	}
	return nil
}

// dropRecords removes the records of steps that the project no longer has.
func (c *run) dropRecords() error {
	have, err := os.ReadDir(c.b.Records)
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for name := range c.records {
		want[build.RecordName(name)] = true
	}
	for _, f := range have {
		if strings.HasSuffix(f.Name(), ".json") && !want[f.Name()] {
			if err := os.Remove(filepath.Join(c.b.Records, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeManifest sums the steps up in one manifest of the whole run.
func (c *run) writeManifest() error {
	m := schema.Manifest{SchemaVersion: c.p.SchemaVersion, Step: "chain", StepVersion: version, Membench: c.o.Membench, Now: c.b.Now,
		Counts: map[string]int{}, Findings: c.report.Findings, Models: map[string]string{}}
	var err error
	if m.Options, err = schema.NewObject(c.p); err != nil {
		return err
	}
	if m.Inputs, err = build.Digests(c.o.Output, c.inputs); err != nil {
		return err
	}
	for _, s := range c.report.Steps {
		r := c.records[s.Name]
		m.Outputs = append(m.Outputs, r.Outputs...)
		name, _, _ := strings.Cut(s.Name, " ")
		if name == "replay" {
			name = s.Name
		}
		for k, n := range r.Counts {
			if k != "changes" { // describes how the folder was made, not its content
				m.Counts[name+": "+k] += n
			}
		}
		maps.Copy(m.Models, r.Models)
	}
	slices.SortFunc(m.Outputs, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	return build.WriteManifest(c.path("manifest.json"), m)
}
