package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/annotate"
	"membench/claims"
	"membench/config"
	"membench/graph"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/memory/op"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type chainOptions struct {
	model  modelFlags
	config string
	out    string // "": the project's
	now    string
	force  bool
	strict bool
	asJSON bool
	quiet  bool
}

func newChainCmd(e *env) *cobra.Command {
	var o chainOptions
	c := &cobra.Command{
		Use:   "chain -c membench.yaml",
		Short: "Run every step of a project, incrementally",
		Long: `Run every step of a project: sources to events, memory, claims, graph and Cypher,
and validate what came out. Each result is what the commands write by hand, byte for
byte; a step whose inputs and options are the same as before is not run again.

Below the output folder:

  events/<conv>.events.jsonl    one step per conversation
  events.jsonl                  compile
  store/                        replay ingest: the embedded memory
  probes.jsonl                  replay probe
  exports/<conv>.mem0.jsonl     replay export
  claims/by_conv/, claims/compiled/
  graph/                        nodes.jsonl, edges.jsonl, manifest.json
  changes.jsonl                 what the last rebuilt graph changed: put and delete
  cypher/
  findings.txt                  what validate says of all of it
  manifest.json                 inputs, outputs, options, counts, findings of the run

A killed run continues where it stopped. The clock of the first run is kept and used
again; --now sets it.`,
		Example: `  membench chain -c membench.yaml
  membench chain -c membench.yaml -o out/again --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.config == "" {
				return usagef("no project: name it with -c membench.yaml")
			}
			p, err := config.Load(o.config, e.lookup)
			var file *os.PathError
			switch {
			case errors.As(err, &file):
				return err
			case err != nil:
				return usageError{err}
			}
			if o.out == "" {
				o.out = p.Path(p.Output)
			}
			_, err = runChain(c.Context(), e, p, o)
			return err
		},
	}
	f := c.Flags()
	f.StringVarP(&o.config, "config", "c", "", "project `file` (required)")
	f.StringVarP(&o.out, "output", "o", "", "write into this `folder` (default: the project's output)")
	f.StringVar(&o.now, "now", "", "the run's clock, an RFC 3339 `time` (default: the kept one, else taken once)")
	f.BoolVar(&o.force, "force", false, "run every step again")
	f.BoolVar(&o.strict, "strict", false, "exit 3 when validate finds errors in what was made")
	f.BoolVar(&o.asJSON, "json", false, "print the summary as one JSON object")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "say nothing while running")
	f.BoolVar(&o.model.dryRun, "dry-run", false, "ask nobody and write nothing: print what the model calls would cost, as a range")
	o.model.addShared(c)
	return c
}

// chainReport is the summary of a run.
type chainReport struct {
	Output   string         `json:"output"`
	Now      string         `json:"now"`
	Steps    []chainStep    `json:"steps"`
	Ran      int            `json:"ran"`
	Current  int            `json:"current"`
	Findings map[string]int `json:"findings"`
	Errors   int            `json:"errors"` // of validate
	Warnings int            `json:"warnings"`
}

type chainStep struct {
	Name     string         `json:"name"`
	Ran      bool           `json:"ran"`
	Counts   map[string]int `json:"counts,omitempty"`
	Findings map[string]int `json:"findings,omitempty"`
}

// chain is one run.
type chain struct {
	e       *env
	p       *config.Project
	o       chainOptions
	b       build.Builder
	report  chainReport
	records map[string]schema.Manifest
	inputs  []string
}

// chainVersion is raised when the same inputs give other bytes in any step.
const chainVersion = 1

func runChain(ctx context.Context, e *env, p *config.Project, o chainOptions) (_ *chainReport, err error) {
	ms, err := openModels(e, p, o.model)
	if err != nil {
		return nil, err
	}
	defer ms.close(&err)
	with := *e
	with.models = ms
	e = &with
	if ms.Estimate != nil {
		if o.out, err = os.MkdirTemp(e.getenv("TMPDIR"), "membench-dry-run-*"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(o.out)
		e, o.quiet = e.mute(), true
	}
	lock, err := atomicfile.Lock(filepath.Join(o.out, ".steps", "lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	now, err := chainNow(e, p, o)
	if err != nil {
		return nil, err
	}
	c := &chain{e: e, p: p, o: o, records: map[string]schema.Manifest{},
		b:      build.Builder{Root: o.out, Records: filepath.Join(o.out, ".steps"), Schema: p.SchemaVersion, Membench: release, Now: now, Force: o.force},
		report: chainReport{Output: o.out, Now: now, Findings: map[string]int{}}}
	for _, dir := range []string{"", "events", "claims", "claims/by_conv", "claims/by_conv/" + claimifyState, "store", ".steps"} {
		if err := build.Recover(c.path(filepath.FromSlash(dir))); err != nil {
			return nil, err
		}
	}
	for _, step := range []func(context.Context) error{c.annotate, c.compile, c.ingest, c.probe, c.export, c.claimify, c.compileClaims, c.toGraph, c.cypher, c.validate} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if err := c.dropRecords(); err != nil {
		return nil, err
	}
	if err := c.writeManifest(); err != nil {
		return nil, err
	}
	if o.asJSON {
		if err := writeJSON(e.out, c.report); err != nil {
			return nil, err
		}
	} else if !o.quiet {
		e.warnf("%d steps ran, %d were current; validate: %d errors, %d warnings; see %s", c.report.Ran, c.report.Current, c.report.Errors, c.report.Warnings, c.path("manifest.json"))
	}
	if o.strict && c.report.Errors > 0 {
		return &c.report, errFindings
	}
	return &c.report, nil
}

// chainNow is --now, else the project's, else that of the output's manifest, else
// the clock, which is then kept there.
func chainNow(e *env, p *config.Project, o chainOptions) (string, error) {
	for _, s := range []string{o.now, p.Now} {
		if s == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return "", usagef("--now %q: want an RFC 3339 time such as 2026-03-01T12:00:00Z", s)
		}
		return t.UTC().Format(time.RFC3339), nil
	}
	kept := filepath.Join(o.out, ".steps", "now")
	b, err := os.ReadFile(kept)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	now := e.now().UTC().Truncate(time.Second).Format(time.RFC3339)
	return now, atomicfile.Write(kept, func(w io.Writer) error { _, err := fmt.Fprintln(w, now); return err })
}

func (c *chain) path(parts ...string) string {
	return filepath.Join(append([]string{c.o.out}, parts...)...)
}

// do makes a step current and notes what it did.
func (c *chain) do(ctx context.Context, s build.Step) error {
	s.Version = chainVersion
	m, ran, err := c.b.Do(ctx, s)
	if err != nil {
		return err
	}
	c.records[s.Name] = m
	c.report.Steps = append(c.report.Steps, chainStep{s.Name, ran, m.Counts, m.Findings})
	if ran {
		c.report.Ran++
	} else {
		c.report.Current++
	}
	for code, n := range m.Findings {
		c.report.Findings[code] += n
	}
	if ran && !c.o.quiet {
		var counts []string
		for _, k := range sortedKeys(m.Counts) {
			counts = append(counts, fmt.Sprintf("%d %s", m.Counts[k], k))
		}
		c.e.warnf("%-24s %s", s.Name, strings.Join(counts, ", "))
	}
	return nil
}

// command runs one of the commands in this process, as a shell would, and returns
// what it found in the data. Its words go to standard error, indented, when it fails.
// final is where its output will stand.
func (c *chain) command(ctx context.Context, final string, args ...string) (build.Result, error) {
	var words bytes.Buffer
	r := build.Result{Counts: map[string]int{}, Findings: map[string]int{}}
	e := &env{in: strings.NewReader(""), out: io.Discard, err: &words, getenv: c.e.getenv, dotenv: c.e.dotenv, models: c.e.models, transport: c.e.transport, now: c.e.now, final: final,
		found: func(f *schema.Finding) { r.Findings[f.Code]++ }}
	root := newRoot(e)
	root.SetArgs(args)
	root.SetIn(e.in)
	root.SetOut(e.out)
	root.SetErr(e.err)
	if err := root.ExecuteContext(ctx); err != nil {
		return r, fmt.Errorf("membench %s: %w%s", strings.Join(args, " "), err, strings.TrimRight("\n"+words.String(), "\n"))
	}
	return r, nil
}

// step is a step that is one command line. Inputs decide its key together with args.
// %s in an argument stands for the path of the output.
func (c *chain) step(ctx context.Context, s build.Step, count string, args ...string) error {
	s.Options = map[string]any{"command": args[0], "args": c.relative(args[1:])}
	s.Run = func(ctx context.Context, path string) (build.Result, error) {
		line := slices.Clone(args)
		for i, a := range line {
			if a == "%s" {
				line[i] = path
			}
		}
		r, err := c.command(ctx, s.Output, line...)
		if err != nil {
			return r, err
		}
		r.Counts[count], err = countRecords(path)
		return r, err
	}
	return c.do(ctx, s)
}

// relative names files below the output by their place there, so that a key does not
// depend on where the output lies.
func (c *chain) relative(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if r, err := filepath.Rel(c.o.out, a); err == nil && filepath.IsAbs(a) == filepath.IsAbs(c.o.out) && !strings.HasPrefix(r, "..") && strings.HasPrefix(a, c.o.out) {
			out[i] = filepath.ToSlash(r)
		}
	}
	return out
}

// countRecords counts the lines of the .jsonl files at or below path, else the files.
func countRecords(path string) (int, error) {
	lines, files, records := 0, 0, false
	err := filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		files++
		if !strings.HasSuffix(name, ".jsonl") {
			return nil
		}
		records = true
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, err := range jsonl.Lines(f, name, 0) {
			if err != nil {
				return err
			}
			lines++
		}
		return nil
	})
	if records {
		return lines, err
	}
	return files, err
}

// annotate has one step per conversation; its key is the content of the conversation,
// so that a change in one of many in a file is a change of one.
func (c *chain) annotate(ctx context.Context) error {
	o := annotateOptions{source: "auto", version: c.p.SchemaVersion, convert: c.annotateOptions()}
	for _, s := range c.p.Sources {
		o.sources = append(o.sources, c.p.Path(s))
	}
	c.inputs = o.sources
	parse := build.Result{Findings: map[string]int{}}
	e := *c.e
	e.found = func(f *schema.Finding) { parse.Findings[f.Code]++ }
	t := newTally(&e, 50)
	files, err := annotateFiles(o, t)
	if err != nil {
		return err
	}
	var tagger annotate.Tagger
	models, prompts := map[string]string{}, map[string]string{}
	if c.p.Annotate.Tagger == "model" {
		g, err := c.e.models.Generator(config.Annotate)
		if err != nil {
			return err
		}
		tagger = annotate.Model(g, c.e.models.Prompts)
		models["tag"] = g.Model()
		prompts["tag"] = annotate.Prompt(c.e.models.Prompts).SHA256()
	} else {
		tagger = annotate.Rule()
	}
	o.convert.Tagger = tagger
	made := map[string]bool{}
	from := map[schema.ConvID]string{}
	for src, err := range annotateSources(&e, files, o) {
		if err != nil {
			if err := t.take(err); err != nil {
				return err
			}
			continue
		}
		if other, twice := from[src.ConvID]; twice {
			t.take(&schema.Finding{Pos: src.Turns0(), Code: "SRC022", Message: "a second source for conversation " + string(src.ConvID) + ", skipped",
				Have: src.Path, Want: "one source; the first is " + other, Hint: "give it another name or @conv_id"})
			continue
		}
		from[src.ConvID] = src.Path
		name := fileName(src.ConvID) + ".events.jsonl"
		made[name] = true
		digest, err := sourceDigest(src)
		if err != nil {
			return err
		}
		err = c.do(ctx, build.Step{
			Name: "annotate " + string(src.ConvID), Output: c.path("events", name), Models: models, Prompts: prompts,
			Options: map[string]any{"source": src.Path, "content": digest, "options": c.identity(src.ConvID), "tagger": tagger.Fingerprint()},
			Run: func(ctx context.Context, path string) (build.Result, error) {
				a, err := annotateOne(ctx, src, o)
				if err != nil {
					return build.Result{}, err
				}
				r := build.Result{Counts: map[string]int{"events": a.events}, Findings: map[string]int{}}
				for k, n := range a.tags {
					r.Counts[k] = n
				}
				for _, f := range a.findings {
					r.Findings[f.Code]++
				}
				return r, os.WriteFile(path, a.lines, 0o644)
			}})
		if err != nil {
			return err
		}
	}
	t.summary()
	for code, n := range parse.Findings {
		c.report.Findings[code] += n
	}
	return c.removeOthers("events", made)
}

// removeOthers removes what sources that are gone have left.
func (c *chain) removeOthers(dir string, made map[string]bool) error {
	have, err := os.ReadDir(c.path(dir))
	if err != nil {
		return fmt.Errorf("no conversation in the sources: %w", err)
	}
	for _, f := range have {
		if !made[f.Name()] && strings.HasSuffix(f.Name(), ".jsonl") {
			c.e.warnf("%s: its source is gone, removed", filepath.Join(dir, f.Name()))
			if err := os.Remove(c.path(dir, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropRecords removes the records of steps that the project no longer has.
func (c *chain) dropRecords() error {
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

// annotateOptions are the project's: its defaults hold where a source says nothing,
// its entries under conversations win over the source.
func (c *chain) annotateOptions() annotate.Options {
	p := c.p
	at := func(s string) time.Time { t, _ := time.Parse(time.RFC3339, s); return t } // config has checked it
	o := annotate.Options{
		CharacterNames: p.Character.Names, MonologueSuffixes: p.Character.Monologue, UserNames: p.User.Names,
		Defaults:      annotate.Conversation{SceneID: p.Scene, CharacterID: p.Character.ID, UserID: p.User.ID, AgentID: p.Agent.ID, Start: at(p.Start)},
		Conversations: map[schema.ConvID]annotate.Conversation{},
		Root:          p.Dir(), Format: annotate.Format(p.Annotate.Format), TurnOffset: time.Duration(p.TurnOffset),
	}
	for conv, v := range p.Conversations {
		o.Conversations[schema.ConvID(conv)] = annotate.Conversation{SceneID: v.Scene, CharacterID: v.Character, UserID: v.User, AgentID: v.Agent, Start: at(v.Start)}
	}
	return o
}

// identity is what the project says of one conversation: the part of the options that
// decides its events.
func (c *chain) identity(conv schema.ConvID) map[string]any {
	p := c.p
	return map[string]any{"scene": p.Scene, "character": p.Character, "user": p.User, "agent": p.Agent, "start": p.Start,
		"turn_offset": time.Duration(p.TurnOffset).String(), "conversation": p.Conversations[string(conv)]}
}

func sourceDigest(src annotate.Source) (string, error) {
	for i := range src.Turns {
		src.Turns[i].Pos.File = "" // where the project lies is no content
	}
	b, err := codec.Append(nil, src, codec.Compact)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// modelArgs are the flags of a command that may ask the project's model: they are part
// of its key. The command asks through the chain's own models.
func (c *chain) modelArgs(use string) []string {
	if use != "model" {
		return nil
	}
	ep, err := c.e.models.Endpoint(config.Extract)
	if err != nil { // unreachable: the project was checked
		return nil
	}
	out := []string{"--model", ep.Name, "--base-url", ep.BaseURL}
	if ep.Temperature != nil {
		out = append(out, "--temperature", fmt.Sprint(*ep.Temperature))
	}
	return out
}

func (c *chain) models(purpose, use string) map[string]string {
	if use != "model" {
		return nil
	}
	ep, err := c.e.models.Endpoint(config.Extract)
	if err != nil { // unreachable: the project was checked
		return nil
	}
	return map[string]string{purpose: ep.Name}
}

// prompts are the prompts that a step asks with, by their sha256.
func (c *chain) prompts(use string, names ...string) map[string]string {
	if use != "model" {
		return nil
	}
	out := map[string]string{}
	for _, name := range names {
		if name == "claims" {
			out[name] = claims.Prompt(c.e.models.Prompts).SHA256()
		} else {
			out[name] = op.Prompt(c.e.models.Prompts, name).SHA256()
		}
	}
	return out
}

func (c *chain) catalogArgs() (args, files []string) {
	for _, f := range c.p.Catalogs {
		args = append(args, "--catalog", c.p.Path(f))
		files = append(files, c.p.Path(f))
	}
	return args, files
}

func (c *chain) versionArgs() []string {
	return []string{"--schema-version", string(c.p.SchemaVersion)}
}

func (c *chain) compile(ctx context.Context) error {
	return c.step(ctx, build.Step{Name: "compile", Inputs: []string{c.path("events")}, Output: c.path("events.jsonl")}, "events",
		"compile", c.path("events"), "-o", "%s")
}

// ingest fills the store in place: a killed run is finished, other input or options
// start over. Which of the two it is, the key of the run that began says.
func (c *chain) ingest(ctx context.Context) error {
	r := c.p.Replay
	args := append([]string{"ingest", c.path("events.jsonl"), "--backend", "embedded", "--store", c.path("store"), "--isolation", r.Isolation, "--now", c.b.Now}, c.modelArgs(r.Extractor)...)
	if c.p.User.ID != "" {
		args = append(args, "--user-id", c.p.User.ID)
	}
	if r.Qdrant != "" {
		args = append(args, "--qdrant", r.Qdrant)
		if r.Collection != "" {
			args = append(args, "--qdrant-collection", r.Collection)
		}
	}
	events, err := build.Digest(c.path("events.jsonl"))
	if err != nil {
		return err
	}
	begun := c.path("store", ".begun")
	s := build.Step{Name: "replay ingest", Inputs: []string{c.path("events.jsonl")}, Output: c.path("store"), Dir: true, InPlace: true,
		Options: map[string]any{"command": "replay", "args": c.relative(args)}, Models: c.models("facts", r.Extractor), Prompts: c.prompts(r.Extractor, op.PromptNames()...)}
	s.Run = func(ctx context.Context, path string) (build.Result, error) {
		key := events.SHA256 + " " + strings.Join(c.relative(args), " ") + "\n"
		line := append([]string{"replay"}, args...)
		if old, err := os.ReadFile(begun); err != nil || string(old) != key {
			line = append(line, "--force")
			if err := atomicfile.Write(begun, func(w io.Writer) error { _, err := io.WriteString(w, ""); return err }); err != nil {
				return build.Result{}, err
			}
			if err := c.emptyStores(); err != nil {
				return build.Result{}, err
			}
			if err := atomicfile.Write(begun, func(w io.Writer) error { _, err := io.WriteString(w, key); return err }); err != nil {
				return build.Result{}, err
			}
		}
		r, err := c.command(ctx, s.Output, line...)
		if err != nil {
			return r, err
		}
		r.Counts["journal lines"], err = countRecords(path)
		return r, err
	}
	return c.do(ctx, s)
}

// emptyStores removes the memories of both isolations: what an earlier project file
// asked for must not stay behind.
func (c *chain) emptyStores() error {
	have, err := os.ReadDir(c.path("store"))
	if err != nil {
		return err
	}
	for _, f := range have {
		if c.p.Replay.Qdrant != "" && f.Name() == replay.Isolation(c.p.Replay.Isolation).Collection() {
			continue // --force empties it, and what it knows to be in Qdrant
		}
		if f.IsDir() {
			if err := os.RemoveAll(c.path("store", f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *chain) probe(ctx context.Context) error {
	return c.step(ctx, build.Step{Name: "replay probe", Inputs: []string{c.path("events.jsonl"), c.path("store")}, Output: c.path("probes.jsonl")}, "probes",
		"replay", "probe", c.path("events.jsonl"), "--backend", "embedded", "--store", c.path("store"), "--isolation", c.p.Replay.Isolation, "--top-k", fmt.Sprint(c.p.Replay.TopK), "-o", "%s")
}

func (c *chain) export(ctx context.Context) error {
	return c.step(ctx, build.Step{Name: "replay export", Inputs: []string{c.path("store")}, Output: c.path("exports"), Dir: true}, "memories",
		append([]string{"replay", "export", "--backend", "embedded", "--store", c.path("store"), "--isolation", c.p.Replay.Isolation, "-o", "%s"}, c.versionArgs()...)...)
}

// claimify works in place: it remembers which memories it has read, and a killed run
// goes on.
func (c *chain) claimify(ctx context.Context) error {
	cat, files := c.catalogArgs()
	use := c.p.Claims.Extractor
	args := append([]string{"claimify", c.path("exports"), "-o", "%s", "--extractor", use, "--prune"}, slices.Concat(cat, c.peopleArgs(), c.operationsArgs(), c.modelArgs(use), c.versionArgs())...)
	return c.step(ctx, build.Step{Name: "claimify", Inputs: append([]string{c.path("exports")}, files...), Output: c.path("claims", "by_conv"), Dir: true, InPlace: true, Models: c.models("claims", use), Prompts: c.prompts(use, "claims")}, "statements", args...)
}

// operationsArgs hand on which scenes are about systems.
func (c *chain) operationsArgs() (args []string) {
	for _, s := range c.p.Operations {
		args = append(args, "--operations", s)
	}
	return args
}

// peopleArgs hand on who is who, where the project says so.
func (c *chain) peopleArgs() []string {
	if c.p.People.Scope == "" && len(c.p.People.Known) == 0 {
		return nil
	}
	raw, err := codec.Append(nil, c.p.People, codec.Compact)
	if err != nil {
		return nil // unreachable: names are text
	}
	return []string{"--people", string(raw)}
}

func (c *chain) compileClaims(ctx context.Context) error {
	cat, files := c.catalogArgs()
	return c.step(ctx, build.Step{Name: "compile-claims", Inputs: append([]string{c.path("claims", "by_conv")}, files...), Output: c.path("claims", "compiled"), Dir: true}, "statements",
		append([]string{"compile-claims", c.path("claims", "by_conv"), "-o", "%s"}, slices.Concat(cat, c.versionArgs())...)...)
}

// toGraph keeps, beside the new graph, what it changes against the old one: puts and
// deletes that a delta load sends.
func (c *chain) toGraph(ctx context.Context) error {
	cat, files := c.catalogArgs()
	args := append([]string{"to-graph", "--events", c.path("events.jsonl"), "--exports", c.path("exports"), "--claims", c.path("claims", "compiled"), "-o", "%s"}, slices.Concat(cat, c.peopleArgs(), c.versionArgs())...)
	s := build.Step{Name: "to-graph", Inputs: append([]string{c.path("events.jsonl"), c.path("exports"), c.path("claims", "compiled")}, files...), Output: c.path("graph"), Dir: true,
		Options: map[string]any{"command": "to-graph", "args": c.relative(args)}}
	s.Run = func(ctx context.Context, path string) (build.Result, error) {
		line := slices.Clone(args)
		line[slices.Index(line, "%s")] = path
		r, err := c.command(ctx, s.Output, line...)
		if err != nil {
			return r, err
		}
		m, err := build.ReadManifest(filepath.Join(path, "manifest.json"))
		if err != nil {
			return r, err
		}
		r.Counts["nodes"], r.Counts["edges"] = m.Counts["nodes"], m.Counts["edges"]
		r.Counts["changes"], err = writeChanges(ctx, c.path("graph"), path, c.path("changes.jsonl"))
		return r, err
	}
	return c.do(ctx, s)
}

// writeChanges writes what turns the graph in the folder old, which may be absent,
// into that in the folder new.
func writeChanges(ctx context.Context, old, new, out string) (n int, err error) {
	read := func(dir string) (schema.Seq[schema.Element], error) {
		files, err := graphFiles(dir)
		if errors.Is(err, os.ErrNotExist) {
			return func(func(schema.Record[schema.Element], error) bool) {}, nil
		}
		return jsonl.Files[schema.Element](files, nil), err
	}
	was := func(func(schema.Record[schema.Element], error) bool) {}
	a := schema.Seq[schema.Element](was)
	if exists(filepath.Join(old, "nodes.jsonl")) {
		if a, err = read(old); err != nil {
			return 0, err
		}
	}
	b, err := read(new)
	if err != nil {
		return 0, err
	}
	return n, atomicfile.Write(out, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 1<<16)
		var line []byte
		for ch, err := range graph.Diff(a, b) {
			if err != nil {
				return err
			}
			if line, err = jsonl.Append(line[:0], ch, schema.Latest); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			n++
		}
		return w.Flush()
	})
}

func (c *chain) cypher(ctx context.Context) error {
	return c.step(ctx, build.Step{Name: "cypher", Inputs: []string{c.path("graph", "nodes.jsonl"), c.path("graph", "edges.jsonl")}, Output: c.path("cypher"), Dir: true}, "scripts",
		"cypher", c.path("graph"), "-o", "%s")
}

// validate looks at everything that was made; its findings are kept as text.
func (c *chain) validate(ctx context.Context) error {
	parts := []string{c.path("events.jsonl"), c.path("exports"), c.path("probes.jsonl"), c.path("claims", "compiled"), c.path("graph")}
	cat, files := c.catalogArgs()
	s := build.Step{Name: "validate", Inputs: append(slices.Clone(parts), files...), Output: c.path("findings.txt"),
		Options: map[string]any{"args": append(c.relative(parts), c.relative(cat)...)}}
	s.Run = func(ctx context.Context, path string) (build.Result, error) {
		r := build.Result{Counts: map[string]int{"errors": 0, "warnings": 0}, Findings: map[string]int{}}
		err := atomicfile.Write(path, func(w io.Writer) error {
			e := &env{in: strings.NewReader(""), out: w, err: io.Discard, getenv: c.e.getenv, dotenv: c.e.dotenv, models: c.e.models, transport: c.e.transport, now: c.e.now}
			e.found = func(f *schema.Finding) {
				r.Findings[f.Code]++
				if f.Warning {
					r.Counts["warnings"]++
				} else {
					r.Counts["errors"]++
				}
			}
			root := newRoot(e)
			root.SetArgs(append(append([]string{"validate"}, parts...), cat...))
			root.SetErr(e.err)
			err := root.ExecuteContext(ctx)
			if errors.Is(err, errFindings) {
				return nil
			}
			return err
		})
		return r, err
	}
	if err := c.do(ctx, s); err != nil {
		return err
	}
	m := c.records["validate"]
	c.report.Errors, c.report.Warnings = m.Counts["errors"], m.Counts["warnings"]
	return nil
}

// writeManifest sums the steps up in one manifest of the whole run.
func (c *chain) writeManifest() error {
	m := schema.Manifest{SchemaVersion: c.p.SchemaVersion, Step: "chain", StepVersion: chainVersion, Membench: release, Now: c.b.Now,
		Counts: map[string]int{}, Findings: c.report.Findings, Models: map[string]string{}}
	var err error
	if m.Options, err = schema.NewObject(c.p); err != nil {
		return err
	}
	if m.Inputs, err = build.Digests(c.o.out, c.inputs); err != nil {
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
			if k != "changes" { // tells of the way here, not of what is here
				m.Counts[name+": "+k] += n
			}
		}
		for k, v := range r.Models {
			m.Models[k] = v
		}
	}
	slices.SortFunc(m.Outputs, func(a, b schema.FileDigest) int { return strings.Compare(a.Path, b.Path) })
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	return build.WriteManifest(c.path("manifest.json"), m)
}
