package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"membench/annotate"
	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/par"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type annotateOptions struct {
	sources []string
	out     string
	source  string // auto | norm | raw
	tagger  string // "" | rule | model
	model   modelFlags
	version schema.Version
	workers int
	strict  bool
	outside bool // files that an index names may lie anywhere
	asJSON  bool
	limit   int
	convert annotate.Options
}

func newAnnotateCmd(e *env) *cobra.Command {
	o := annotateOptions{version: schema.Latest}
	var start, format string
	c := &cobra.Command{
		Use:   "annotate SOURCE...",
		Short: "Turn dialogue into events",
		Long: `Turn dialogue into events, one file per conversation.

SOURCE is a chapter (norm or raw), a chat file (JSON Lines with role and content), a
message list (JSON as chat APIs take it), a folder of these, an index.json, or -.
The format is detected from name and content. Of a chapter with a norm and a raw file
the norm file is read.

A norm chapter marks each line: [S] character, [S|MONO] monologue, [U] user, [UI]
action, before these [INJECT] or [PROBE], also with an id, the ids that a probe
expects, and its answer: [PROBE p_ch01_001 <- i_ch01_002 = tea][U] What do I drink?
A raw chapter has labels "name:" that --character-name and --user-name must know.

Speakers, order, text and source lines are read by code. One tag per event is
chosen by rule, or by a model with --model: canon_only, episodic or filler.

Scene, character, user and agent come from the flags, else from the source's
headers; a turn's time from the source, else from its start plus an offset per turn.`,
		Example: `  membench annotate source/norm -o events
  membench annotate source/index.json --character-name Lin --user-name Wei -o events
  membench annotate chat.jsonl --start 2026-03-01T20:00:00+08:00 -o - | jq -r .content
  OPENAI_API_KEY=… membench annotate source --model gpt-4o-mini -o events`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.sources = args
			o.convert.Format = annotate.Format(format)
			if !slices.Contains(annotate.Formats(), o.convert.Format) {
				return usagef("--format: have %q, want one of %v", format, annotate.Formats())
			}
			if !slices.Contains([]string{"auto", "norm", "raw"}, o.source) {
				return usagef("--source: have %q, want auto, norm or raw", o.source)
			}
			if !slices.Contains([]string{"", "rule", "model"}, o.tagger) {
				return usagef("--tagger: have %q, want rule or model", o.tagger)
			}
			if start != "" {
				t, err := time.Parse(time.RFC3339, start)
				if err != nil {
					return usagef("--start: have %q, want RFC 3339 as 2026-03-01T20:00:00+08:00", start)
				}
				o.convert.Start = t
			}
			if o.convert.TurnOffset <= 0 {
				return usagef("--turn-offset: have %v, want more than 0", o.convert.TurnOffset)
			}
			switch {
			case o.out == "":
				return usagef("no output: give -o a folder, or - for standard output")
			case o.asJSON && o.out == "-":
				return usagef("--json and -o - both want standard output: name a folder with -o")
			}
			return runAnnotate(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write <conv>.events.jsonl into this `folder`; - writes all events to standard output")
	f.StringVar(&format, "format", "auto", "read every source as `format` auto, norm, raw, chat or openai")
	f.StringVar(&o.source, "source", "auto", "of a chapter's two files read `which`: auto (norm, else raw), norm or raw")
	f.StringVar(&o.convert.SceneID, "scene", "", "scene `id` (default from the source, else \"default\")")
	f.StringVar(&o.convert.CharacterID, "character", "", "character `id` (default from the source, else the first --character-name)")
	f.StringSliceVar(&o.convert.CharacterNames, "character-name", nil, "`names` of the character in raw chapters and chats; the first is displayed")
	f.StringSliceVar(&o.convert.MonologueSuffixes, "monologue-suffix", nil, "`endings` of a character's label that mark monologue")
	f.StringVar(&o.convert.UserID, "user", "", "user `id` in the events' meta (default from the source)")
	f.StringSliceVar(&o.convert.UserNames, "user-name", nil, "`names` of the user; the first is displayed")
	f.StringVar(&o.convert.AgentID, "agent", "", "agent `id` in the events' meta (default from the source)")
	f.StringVar((*string)(&o.convert.ConvID), "conv", "", "conversation `id` (default from the source, else from its file name)")
	f.StringVar(&start, "start", "", "`time` of the first turn where the source has none, RFC 3339")
	f.DurationVar(&o.convert.TurnOffset, "turn-offset", annotate.DefaultTurnOffset, "`time` between two turns where only the start is known")
	f.StringVar(&o.convert.Root, "root", ".", "source paths in the events are relative to this `folder`")
	f.BoolVar(&o.convert.MergeLines, "merge-lines", false, "join adjacent lines of one speaker to one event")
	f.StringVar(&o.tagger, "tagger", "", "`who` chooses tags: rule, or model (default rule, with --model model)")
	o.model.add(c)
	f.Var(versionFlag{&o.version}, "schema-version", "write events of this schema version")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "annotate `n` conversations at once")
	f.BoolVar(&o.outside, "outside", false, "read files that an index names outside of its folder and --root")
	f.BoolVar(&o.strict, "strict", false, "exit 3 and write nothing when there are errors")
	f.BoolVar(&o.asJSON, "json", false, "print the counts as one JSON object")
	f.IntVar(&o.limit, "limit", 50, "print at most `n` findings, 0 = all")
	return c
}

type annotateReport struct {
	Conversations int            `json:"conversations"`
	Events        int            `json:"events"`
	Tags          map[string]int `json:"tags"`
	By            map[string]int `json:"by"` // who chose the tags, marks and interface lines aside
	Probes        int            `json:"probes"`
	GoldUnknown   int            `json:"gold_unknown"` // probes without expected ids and without an answer
	Findings      map[string]int `json:"findings,omitempty"`
}

// annotated is one conversation, ready to be written.
type annotated struct {
	src      annotate.Source
	lines    []byte
	tags, by map[string]int
	events   int
	findings []*schema.Finding
}

func runAnnotate(ctx context.Context, e *env, o annotateOptions) (err error) {
	if o.tagger == "model" || o.tagger == "" && o.model.model != "" {
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		g, err := ms.Generator(config.Annotate)
		if err != nil {
			return err
		}
		o.convert.Tagger = annotate.Model(g, ms.Prompts)
		if ms.dryRun() {
			o.out, e = "-", e.mute()
		}
	}
	if err := notInput(o.out, o.sources...); err != nil {
		return err
	}
	t := newTally(e, o.limit)
	report := annotateReport{Tags: map[string]int{}, By: map[string]int{}}
	files, err := annotateFiles(o, t)
	if err != nil {
		return err
	}
	results := par.Map(ctx, o.workers, annotateSources(e, files, o), func(ctx context.Context, src annotate.Source) (annotated, error) {
		return annotateOne(ctx, src, o)
	})
	dst, err := newEventFiles(o)
	if err != nil {
		return err
	}
	defer dst.close()
	from := map[schema.ConvID]string{}
	var strictOut bytes.Buffer
	for a, err := range results {
		if err != nil {
			if err := t.take(err); err != nil {
				return err
			}
			continue
		}
		for _, f := range a.findings {
			t.take(f)
		}
		if other, twice := from[a.src.ConvID]; twice {
			t.take(&schema.Finding{Pos: a.src.Turns0(), Code: "SRC022", Message: "a second source for conversation " + string(a.src.ConvID) + ", skipped",
				Have: a.src.Path, Want: "one source; the first is " + other, Hint: "give it another name or @conv_id"})
			continue
		}
		from[a.src.ConvID] = a.src.Path
		report.add(a)
		switch {
		case o.out == "-" && o.strict:
			strictOut.Write(a.lines)
		case o.out == "-":
			if _, err := e.out.Write(a.lines); err != nil {
				return err
			}
		default:
			if err := dst.write(fileName(a.src.ConvID)+".events.jsonl", a.lines); err != nil {
				return err
			}
		}
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	if _, err := strictOut.WriteTo(e.out); err != nil {
		return err
	}
	if err := dst.commit(); err != nil {
		return err
	}
	if len(t.byCode) > 0 {
		report.Findings = t.byCode
	}
	if o.asJSON {
		return errors.Join(writeJSON(e.out, report), t.lost())
	}
	report.print(e)
	return t.lost()
}

// eventFiles are the files of a folder. Each appears whole; with strict none appears
// before commit.
type eventFiles struct {
	dir   string
	stage *build.Place // nil: files go to dir at once
	made  bool         // the folder is ours
	names []string
}

func newEventFiles(o annotateOptions) (*eventFiles, error) {
	f := &eventFiles{dir: o.out}
	if o.out == "-" || !o.strict {
		return f, nil
	}
	_, err := os.Stat(o.out)
	f.made = os.IsNotExist(err)
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return nil, err
	}
	f.stage, err = build.NewPlace(filepath.Join(o.out, "annotate"))
	return f, err
}

func (f *eventFiles) write(name string, text []byte) error {
	dir := f.dir
	if f.stage != nil {
		dir = f.stage.Dir
		f.names = append(f.names, name)
	}
	err := atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(text); return err })
	return build.Explain(err, dir, f.dir)
}

func (f *eventFiles) commit() error {
	for _, name := range f.names {
		if err := os.Rename(filepath.Join(f.stage.Dir, name), filepath.Join(f.dir, name)); err != nil {
			return err
		}
	}
	f.made = false
	if f.stage == nil {
		return nil
	}
	return atomicfile.SyncDir(f.dir)
}

// close removes what was not committed.
func (f *eventFiles) close() {
	if f.stage == nil {
		return
	}
	f.stage.RollBack() // nothing was put: it only removes
	if f.made {
		os.Remove(f.dir) // only when it is empty
	}
}

func (r *annotateReport) add(a annotated) {
	r.Conversations++
	r.Events += a.events
	for k, n := range a.tags {
		r.Tags[k] += n
	}
	for k, n := range a.by {
		r.By[k] += n
	}
	unknown, probes := a.src.GoldUnknown()
	r.Probes += probes
	r.GoldUnknown += unknown
}

func (r *annotateReport) print(e *env) {
	var tags, by []string
	for _, tag := range schema.Tags() {
		if r.Tags[tag] > 0 {
			tags = append(tags, fmt.Sprintf("%d %s", r.Tags[tag], tag))
		}
	}
	for _, who := range slices.Sorted(func(yield func(string) bool) {
		for k := range r.By {
			if !yield(k) {
				return
			}
		}
	}) {
		by = append(by, fmt.Sprintf("%d by %s", r.By[who], who))
	}
	e.warnf("annotated %d conversations, %d events: %s; tags chosen: %s", r.Conversations, r.Events, strings.Join(tags, ", "), strings.Join(by, ", "))
	if r.GoldUnknown > 0 {
		e.warnf("%d of %d probes name neither the injects they expect nor an answer: they cannot be graded", r.GoldUnknown, r.Probes)
	}
}

func annotateOne(ctx context.Context, src annotate.Source, o annotateOptions) (annotated, error) {
	a := annotated{src: src, tags: map[string]int{}, by: map[string]int{}}
	opts := o.convert
	opts.Report = func(f *schema.Finding) { a.findings = append(a.findings, f) }
	for rec, err := range annotate.Annotate(ctx, src, opts) {
		if err != nil {
			return a, err
		}
		a.events++
		tag := rec.V.Tags[0]
		a.tags[tag]++
		if tag != schema.TagInject && tag != schema.TagProbe && rec.V.RoleType != schema.RoleUI {
			a.by[rec.V.Meta.Text("by")]++
		}
		if a.lines, err = jsonl.Append(a.lines, rec.V, o.version); err != nil {
			return a, err
		}
	}
	return a, nil
}

// annotateSources parses the files one after the other.
func annotateSources(e *env, files []string, o annotateOptions) iter.Seq2[annotate.Source, error] {
	return func(yield func(annotate.Source, error) bool) {
		for _, name := range files {
			r, err := jsonl.Open(name, e.in)
			if err != nil {
				yield(annotate.Source{}, err)
				return
			}
			for src, err := range annotate.Parse(r, name, o.convert) {
				if !yield(src, err) {
					r.Close()
					return
				}
			}
			r.Close()
		}
	}
}

// annotateFiles expands the sources to files, in the order given; chapters by number.
func annotateFiles(o annotateOptions, t *tally) ([]string, error) {
	var out []string
	for _, s := range o.sources {
		if s == "-" {
			out = append(out, s)
			continue
		}
		info, err := os.Stat(s)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			files, err := annotateFolder(s, o, t)
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
		case filepath.Base(s) == "index.json":
			text, err := smallfile.Read(s)
			if err != nil {
				return nil, err
			}
			entries, findings, err := annotate.ReadIndex(text, s)
			if err != nil {
				return nil, err
			}
			for _, f := range findings {
				t.take(f)
			}
			out = append(out, chapterFiles(entries, s, filepath.Dir(s), o, t)...)
		default:
			out = append(out, s)
		}
	}
	return out, nil
}

// annotateFolder takes a folder's chapters, then its other dialogue files by name.
func annotateFolder(dir string, o annotateOptions, t *tally) ([]string, error) {
	entries, findings, err := annotate.Index(dir, dir)
	base := filepath.Base(filepath.Clean(dir))
	if err == nil && (base == "raw" || base == "norm") { // a folder given by name means its own files
		for i := range entries {
			if base == "raw" {
				entries[i].NormPath = ""
			} else {
				entries[i].RawPath = ""
			}
		}
		entries = slices.DeleteFunc(entries, func(e schema.IndexEntry) bool { return e.NormPath == "" && e.RawPath == "" })
	}
	chapters := map[string]bool{}
	for _, e := range entries {
		chapters[e.NormPath], chapters[e.RawPath] = true, true
	}
	for _, f := range findings {
		// Without an index, a chapter has only the files it has; and names that are
		// no chapter's are read below.
		if f.Code != "SRC021" && f.Code != "SRC023" {
			t.take(f)
			chapters[filepath.Base(f.Pos.File)] = true // a second file of one chapter
		}
	}
	out := chapterFiles(entries, dir, dir, o, t)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name := f.Name()
		plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
		if f.IsDir() || strings.HasPrefix(name, ".") || name == "index.json" || chapters[name] ||
			!slices.ContainsFunc([]string{".md", ".jsonl", ".ndjson", ".json"}, func(s string) bool { return strings.HasSuffix(plain, s) }) {
			continue
		}
		out = append(out, filepath.Join(dir, name))
	}
	if len(out) == 0 && t.errors == 0 {
		return nil, fmt.Errorf("%s: no dialogue file: want .md, .jsonl or .json here, or chapters in raw or norm", dir)
	}
	return out, nil
}

// chapterFiles chooses one file of each chapter.
func chapterFiles(entries []schema.IndexEntry, index, dir string, o annotateOptions, t *tally) []string {
	var out []string
	for _, e := range entries {
		want := []string{e.NormPath, e.RawPath}
		switch o.source {
		case "norm":
			want = want[:1]
		case "raw":
			want = want[1:]
		}
		found := false
		for _, p := range want {
			if path, ok := annotate.Resolve(p, dir, o.convert.Root, o.outside); ok && !found {
				out = append(out, path)
				found = true
			}
		}
		if !found {
			have := strings.Join(slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s == "" }), ", ")
			t.take(&schema.Finding{Pos: schema.Pos{File: index}, Code: "SRC020", Message: "no file for chapter " + e.ID, Have: have, Want: "a file on this machine, relative to the index",
				Hint: "make a new index with membench index; --outside reads files outside of the index's folder and --root"})
		}
	}
	return out
}
