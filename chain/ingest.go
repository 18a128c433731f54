package chain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/llm"
	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/op"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"
)

// IngestOptions of Ingest.
type IngestOptions struct {
	Shared
	StoreOptions
	Events      []string // files, folders, "-"
	Index       string   // index.json that gives the order of the conversations; "": by name
	Mode        mem0.Mode
	Raw         bool // store turns verbatim
	NoPrefix    bool // leave "[User] " and "[Agent] " off
	WriteProbes bool
	SkipRoles   []string
	SkipTags    []string
	OnlyTags    []string
	Window      int           // turns that are looked at together
	Overlap     int           // of these, turns of the window before
	Force       bool          // empty the store first
	Generator   llm.Generator // nil: facts by rule
	Prompts     llm.Prompts
}

// DefaultIngest returns the default options of Ingest.
func DefaultIngest() IngestOptions {
	d := replay.Defaults()
	return IngestOptions{Mode: mem0.Keep, SkipRoles: d.SkipRoles, SkipTags: d.SkipTags, Window: d.Window, Overlap: d.Overlap}
}

// Ingest fills a memory with dialogue. Repeating the call finishes a killed run. A store that was filled from other input is rejected and left unchanged.
func Ingest(ctx context.Context, o IngestOptions) (r replay.Report, err error) {
	s, err := o.resolve(ctx, false)
	if err != nil {
		return r, err
	}
	if s.found && o.Now == "" && o.Force {
		if s.replay.Now, err = o.now(""); err != nil { // a new store has a clock of its own
			return r, err
		}
	}
	if o.Window < 1 || o.Overlap < 0 || o.Overlap >= o.Window {
		return r, schema.Usagef("--window %d --overlap %d: want a window of at least 1 and a smaller overlap", o.Window, o.Overlap)
	}
	s.kept.Mode, s.kept.StoreRaw, s.kept.NoPrefix = string(o.Mode), o.Raw, o.NoPrefix
	s.replay.SkipRoles, s.replay.SkipTags, s.replay.OnlyTags = o.SkipRoles, o.SkipTags, o.OnlyTags
	s.replay.WriteProbes, s.replay.Window, s.replay.Overlap = o.WriteProbes, o.Window, o.Overlap
	s.replay.Order = nil
	if o.Index != "" {
		if s.replay.Order, err = indexOrder(o.Index); err != nil {
			return r, err
		}
	}
	sys, done, err := s.open(ctx, mem0.Options{Generator: o.Generator, Prompts: o.Prompts, TakeOver: o.Force})
	if err != nil {
		return r, err
	}
	defer done()
	return o.fill(ctx, s, sys)
}

// fill is Ingest with the system open.
func (o IngestOptions) fill(ctx context.Context, s store, sys memory.System) (r replay.Report, err error) {
	path := manifestOf(s.Dir, s.replay.Isolation)
	folder := filepath.Dir(path)
	f := o.frame("replay ingest", schema.Latest, folder, true)
	defer f.Close()
	files, err := f.Files(ctx, o.Events, ".jsonl")
	if err != nil {
		return r, err
	}
	s.replay.Found, s.replay.Progress = f.Found, o.Progress
	// All events are held at once anyway, so unreadable ones are known before the store is changed.
	var events []schema.Record[schema.Event]
	for rec, err := range readEvents(f, files) {
		if err != nil {
			return r, err
		}
		events = append(events, rec)
	}
	if err := f.Check(); err != nil {
		return r, err
	}
	lock, err := atomicfile.Lock(filepath.Join(s.Dir, ".lock"))
	if err != nil {
		return r, err
	}
	defer lock.Close()
	if o.Force {
		if s.Backend != open.Embedded || s.Qdrant != "" { // an embedded memory in this process is only its files
			if err := open.Drop(ctx, sys, s.replay.Isolation.Collection()); err != nil {
				return r, err
			}
		}
		if err := emptyStore(folder); err != nil {
			return r, err
		}
		s.found = false
	}
	s.replay.Redo = f.Accept == schema.Limit{}
	m, err := o.manifest(s, sys.Info(), files)
	if err != nil {
		return r, err
	}
	if s.found {
		if err := sameRun(folder, s.old, m, o.Now); err != nil {
			return r, err
		}
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return r, err
	}
	if err := atomicfile.Sweep(folder); err != nil {
		return r, err
	}
	if !s.found { // the clock is kept before anything is stored with it
		if err := build.WriteManifest(path, m); err != nil {
			return r, err
		}
	}
	r, err = replay.Ingest(ctx, sys, func(yield func(schema.Record[schema.Event], error) bool) {
		for _, rec := range events {
			if !yield(rec, nil) {
				return
			}
		}
	}, s.replay)
	if err != nil {
		return r, err
	}
	m.Counts = map[string]int{"events": r.Events, "turns": r.Turns, "batches": r.Batches, "degraded": r.Degraded, "model_calls": r.Calls}
	for op, n := range r.Changes {
		m.Counts[strings.ToLower(op)] = n
	}
	m.Findings = f.ByCode
	if m.Outputs, err = storeDigests(folder); err != nil {
		return r, err
	}
	if err := build.WriteManifest(path, m); err != nil {
		return r, err
	}
	f.Taken = r.Batches
	for why, n := range r.Failed {
		f.Fail(why, n)
	}
	return r, f.Verdict()
}

// sameRun refuses a store that was filled otherwise.
func sameRun(folder string, old, m schema.Manifest, now string) error {
	if old.Key != m.Key {
		if why := differs(old, m); why != "" {
			return fmt.Errorf("%s was filled with other %s: run again with the old ones, or start over with --force", folder, why)
		}
	}
	if old.Now != m.Now {
		return fmt.Errorf("%s was filled with the clock %s, --now says %s: omit --now, or start over with --force", folder, old.Now, m.Now)
	}
	return nil
}

func (o IngestOptions) manifest(s store, info memory.Info, files []jsonl.File) (m schema.Manifest, err error) {
	r := s.replay
	k := kept{Isolation: string(r.Isolation), UserID: r.UserID, AgentID: r.AgentID, Mode: string(o.Mode), StoreRaw: o.Raw, NoPrefix: o.NoPrefix,
		SkipRoles: list(r.SkipRoles), SkipTags: list(r.SkipTags), OnlyTags: list(r.OnlyTags), WriteProbes: r.WriteProbes,
		Window: r.Window, Overlap: r.Overlap, Index: []string{}, Fingerprint: info.Fingerprint, Qdrant: s.Qdrant, Collection: s.Collection}
	if s.Backend != open.Embedded {
		k.Backend, k.URL, k.UserPrefix = s.Backend, s.URL, s.UserPrefix
	}
	for _, c := range r.Order {
		k.Index = append(k.Index, string(c))
	}
	m = schema.Manifest{SchemaVersion: schema.Latest, Step: "replay ingest", StepVersion: 1, Membench: o.Membench, Now: r.Now.Format(time.RFC3339Nano), Outputs: []schema.FileDigest{}}
	if m.Options, err = schema.NewObject(k); err != nil {
		return m, err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if m.Inputs, err = inputDigests(filepath.Dir(manifestOf(s.Dir, r.Isolation)), names); err != nil {
		return m, err
	}
	if o.Generator != nil {
		m.Models = map[string]string{"facts": o.Generator.Model(), "update": o.Generator.Model()}
		m.Prompts = promptDigests(o.Prompts)
	}
	m.Key, err = build.Key(m)
	return m, err
}

// promptDigests are the prompts of the embedded memory.
func promptDigests(p llm.Prompts) map[string]string {
	out := map[string]string{}
	for _, name := range op.PromptNames() {
		out[name] = op.Prompt(p, name).SHA256()
	}
	return out
}

func list(s []string) []string { return append([]string{}, s...) }

// emptyStore removes journals and manifest of one collection, the manifest last: a
// kill in between leaves a store that still refuses other input.
func emptyStore(folder string) error {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".jsonl") {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(filepath.Join(folder, "manifest.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.SyncDir(folder)
}

// differs names the differences between two manifests; replay reports other input, since it knows the turn.
func differs(a, b schema.Manifest) string {
	have := map[string]string{}
	for k, v := range a.Options.Members() {
		have[k] = string(codec.AppendLayout(nil, v, codec.Compact))
	}
	var out []string
	for k, v := range b.Options.Members() {
		if s := string(codec.AppendLayout(nil, v, codec.Compact)); s != have[k] && k != "fingerprint" {
			out = append(out, fmt.Sprintf("%s %s, now %s", k, have[k], s))
		}
	}
	switch fp, _ := b.Options.Get("fingerprint"); {
	case len(out) == 0 && string(fp) == have["fingerprint"]:
		return ""
	case len(out) == 0:
		return "options of the memory (model, prompts or version)"
	}
	return "options (" + strings.Join(out, "; ") + ")"
}

func indexOrder(path string) ([]schema.ConvID, error) {
	raw, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	var entries []schema.IndexEntry
	if err := codec.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var out []schema.ConvID
	for _, x := range entries {
		out = append(out, schema.ConvID(x.ID))
	}
	return out, nil
}

// inputDigests names the inputs by content; standard input has no digest.
func inputDigests(folder string, files []string) ([]schema.FileDigest, error) {
	var named []string
	for _, f := range files {
		if f != "-" {
			named = append(named, f)
		}
	}
	out, err := build.Digests(folder, named)
	if out == nil {
		out = []schema.FileDigest{}
	}
	return out, err
}

func storeDigests(folder string) ([]schema.FileDigest, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var journals []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".jsonl") {
			journals = append(journals, filepath.Join(folder, f.Name()))
		}
	}
	return inputDigests(folder, journals)
}
