package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"membench/config"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/memory/mem0"
	"membench/memory/op"
	"membench/memory/open"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newReplayCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "replay",
		Short: "Play dialogue into a memory, probe it, export what it keeps",
		Long: `Play dialogue into a memory system, put its probes to that memory, export what it
keeps, and link exports of other systems to the turns they come from.

The embedded memory does what Mem0 does, in this process and without a network: it
takes facts out of the turns, compares each with what it knows, and adds, updates,
deletes or leaves. It is kept in the folder STORE: one journal a namespace below
memory_bench_global or memory_bench_per_conv, and a manifest.json beside them.

With --backend mem0 or mem0-platform the dialogue goes to a Mem0 service (--url, key in
MEM0_API_KEY); STORE then keeps what was sent and what came of it, so that a killed run
goes on and nothing is stored twice. Any service that a spec describes is a backend by its
name, or by the file: --backend letta-archival, --backend mine.yaml.

With --qdrant the embedded memory keeps its points in a Qdrant server, laid out as Mem0
lays them out, and asks it for what is near a question; the answers are the same.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newReplayIngestCmd(e), newReplayProbeCmd(e), newReplayExportCmd(e), newReplayLinkCmd(e))
	return c
}

// storeOptions are what ingest, probe and export share. Fields that the user did not
// set come from the store's manifest.
type storeOptions struct {
	qdrantOptions
	backend, store    string
	url, userPrefix   string
	isolation         string
	userID, agentID   string
	index             string
	now               string
	replay            replay.Options
	mode              string
	storeRaw          bool
	noPrefix          bool
	writeProbes       bool
	skipRole, skipTag []string
	onlyTags          []string
	window, overlap   int
}

func (o *storeOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.backend, "backend", "", "memory `system`: embedded, mem0 (its own server), mem0-platform, or a service of 'membench systems list --services' or of a spec of your own (default: the store's, else embedded)")
	f.StringVar(&o.store, "store", "", "`folder` of the embedded memory, or of what is known of a service's (required)")
	f.StringVar(&o.url, "url", "", "`URL` of the service (default: MEM0_URL for Mem0, else the store's, else the spec's)")
	f.StringVar(&o.userPrefix, "user-prefix", "", "put this `text` before every user id at a Mem0 service (default: the store's)")
	f.StringVar(&o.isolation, "isolation", "", "who shares a memory: `global` (all conversations of a user) or per_conv (default: the store's, else global)")
	f.StringVar(&o.userID, "user-id", "", "`id` of the user, for events that name none (default: the store's, else user)")
	f.StringVar(&o.agentID, "agent-id", "", "`id` of the agent, for events that name neither agent nor character")
	f.StringVar(&o.now, "now", "", "the run's clock, an RFC 3339 `time` (default: the store's, else taken once and kept there)")
}

// kept is what the manifest's options hold.
type kept struct {
	Isolation   string   `json:"isolation"`
	UserID      string   `json:"user_id"`
	AgentID     string   `json:"agent_id"`
	Mode        string   `json:"mode"`
	StoreRaw    bool     `json:"store_raw"`
	NoPrefix    bool     `json:"no_prefix"`
	SkipRoles   []string `json:"skip_roles"`
	SkipTags    []string `json:"skip_tags"`
	OnlyTags    []string `json:"only_tags"`
	WriteProbes bool     `json:"write_probes"`
	Window      int      `json:"window"`
	Overlap     int      `json:"overlap"`
	Index       []string `json:"index_order"`
	Backend     string   `json:"backend,omitempty"` // "": embedded
	URL         string   `json:"url,omitempty"`
	UserPrefix  string   `json:"user_prefix,omitempty"`
	Qdrant      string   `json:"qdrant,omitempty"` // "": points in process
	Collection  string   `json:"qdrant_collection,omitempty"`
	Fingerprint string   `json:"fingerprint"` // of the memory system
}

// resolve finds the store's manifest and fills what the flags leave open.
func (o *storeOptions) resolve(ctx context.Context, e *env, mustExist bool) (m schema.Manifest, k kept, found bool, err error) {
	if o.store == "" {
		return m, k, false, usagef("no store given: name its folder with --store")
	}
	iso := replay.Global
	switch {
	case o.isolation != "":
		if iso, err = replay.ParseIsolation(o.isolation); err != nil {
			return m, k, false, usageError{err}
		}
	case !exists(o.manifest(replay.Global)) && exists(o.manifest(replay.PerConv)):
		iso = replay.PerConv
	}
	o.replay = replay.Defaults()
	m, err = build.ReadManifest(o.manifest(iso))
	switch {
	case err == nil:
		found = true
		if err := m.Options.Read(&k); err != nil {
			return m, k, false, fmt.Errorf("reading %s: options: %w", o.manifest(iso), err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return m, k, false, err
	case mustExist:
		return m, k, false, fmt.Errorf("%s holds no %s memory: fill it with 'membench replay ingest'", o.store, iso)
	}
	if err := o.chooseBackend(ctx, e, k, found); err != nil {
		return m, k, false, err
	}
	o.replay.Isolation, o.replay.Backend = iso, o.backend
	o.replay.UserID = cmp.Or(o.userID, k.UserID, o.replay.UserID)
	o.replay.AgentID = cmp.Or(o.agentID, k.AgentID)
	clock := cmp.Or(o.now, m.Now)
	if clock == "" {
		clock = e.now().UTC().Truncate(time.Second).Format(time.RFC3339)
	}
	if o.replay.Now, err = time.Parse(time.RFC3339Nano, clock); err != nil {
		return m, k, false, usagef("--now %q: want an RFC 3339 time such as 2026-03-01T12:00:00Z", clock)
	}
	o.replay.Now = o.replay.Now.UTC()
	for _, c := range k.Index {
		o.replay.Order = append(o.replay.Order, schema.ConvID(c))
	}
	return m, k, found, nil
}

func (o *storeOptions) manifest(i replay.Isolation) string {
	return filepath.Join(o.store, i.Collection(), "manifest.json")
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

func newReplayIngestCmd(e *env) *cobra.Command {
	var o ingestOptions
	d := replay.Defaults()
	c := &cobra.Command{
		Use:   "ingest EVENTS... --store STORE",
		Short: "Fill a memory with dialogue",
		Long: `Fill a memory with dialogue. Events are files, folders of *.jsonl files, or "-";
their order does not matter: conversations are sorted by --index, else by name with
numbers by value, turns by id.

Not stored: blank turns, roles ui and tool, turns tagged filler, probes. The rest goes
in by windows of 10 turns; each new window sees the last 2 turns of the one before.

A run that was killed is finished by the same command, and the store is then that of
an undisturbed run. A store that was filled from other input is refused and stays as
it is; --force empties it first.

A Mem0 service (--backend mem0, mem0-platform) gets the turns of a window in one call,
with their ids in the metadata; give a smaller --window for finer evidence. It is asked
afterwards whether it holds what it says that it stored. Its user must be empty or
filled by this store; --user-prefix gives one of its own. Nothing is deleted there but,
by --force, memories that membench stored, one by one.

With --model, facts are taken and judged by an OpenAI-compatible model; an operation
whose answers cannot be used falls back on the rule, counted as degraded.

The clock of the run (created_at of turns without a time, exported_at) is --now, else
the one kept in the store.`,
		Example: `  membench replay ingest events.jsonl --backend embedded --store STORE
  membench replay ingest events/ --store STORE --isolation per_conv --user-id xnne --now 2026-03-01T12:00:00Z
  membench replay ingest events.jsonl --backend mem0 --url http://localhost:8888 --store STORE --user-prefix run1-
  membench replay ingest events.jsonl --store STORE --qdrant localhost:6334`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runReplayIngest(c.Context(), e, o)
		},
	}
	o.add(c)
	o.addQdrant(c)
	f := c.Flags()
	f.StringVar(&o.mode, "mode", string(mem0.Keep), "what an update does: `keep` both texts as evidence, or faithful (as Mem0 1.x)")
	f.BoolVar(&o.storeRaw, "store-raw", false, "store turns as they are, without taking facts out")
	f.BoolVar(&o.noPrefix, "no-prefix", false, `leave "[User] " and "[Agent] " off the texts; the payload then has role`)
	f.BoolVar(&o.writeProbes, "write-probes", false, "store probes, too")
	f.StringSliceVar(&o.skipRole, "skip-role", d.SkipRoles, "do not store turns of these `roles`")
	f.StringSliceVar(&o.skipTag, "skip-tags", d.SkipTags, "do not store turns with one of these `tags`")
	f.StringSliceVar(&o.onlyTags, "only-tags", nil, "store only turns with one of these `tags`")
	f.IntVar(&o.window, "window", d.Window, "turns that are looked at together, `n`")
	f.IntVar(&o.overlap, "overlap", d.Overlap, "of these, turns of the window before, `n`")
	f.StringVar(&o.index, "index", "", "index.json that gives the order of the conversations, `file`")
	f.BoolVar(&o.force, "force", false, "empty the store first")
	f.BoolVar(&o.asJSON, "json", false, "print the report as one JSON object on standard output")
	o.model.add(c)
	return c
}

type ingestOptions struct {
	storeOptions
	model         modelFlags
	inputs        []string
	force, asJSON bool
}

func runReplayIngest(ctx context.Context, e *env, o ingestOptions) (err error) {
	var ms *models // nil: by rule
	if o.model.model != "" {
		if ms, err = o.model.open(e); err != nil {
			return err
		}
		defer ms.close(&err)
		if ms.dryRun() {
			if o.store, err = os.MkdirTemp(e.getenv("TMPDIR"), "membench-dry-run-*"); err != nil {
				return err
			}
			defer os.RemoveAll(o.store)
			e = e.mute()
		}
	}
	old, _, found, err := o.resolve(ctx, e, false)
	if err != nil {
		return err
	}
	if found && o.now == "" && o.force {
		o.replay.Now = e.now().UTC().Truncate(time.Second) // a new store has a clock of its own
	}
	if o.window < 1 || o.overlap < 0 || o.overlap >= o.window {
		return usagef("--window %d --overlap %d: want a window of at least 1 and a smaller overlap", o.window, o.overlap)
	}
	o.replay.SkipRoles, o.replay.SkipTags, o.replay.OnlyTags = o.skipRole, o.skipTag, o.onlyTags
	o.replay.WriteProbes, o.replay.Window, o.replay.Overlap = o.writeProbes, o.window, o.overlap
	o.replay.Order = nil
	if o.index != "" {
		if o.replay.Order, err = indexOrder(o.index); err != nil {
			return err
		}
	}
	var g llm.Generator // nil: by rule
	var prompts llm.Prompts
	if o.model.model != "" {
		prompts = ms.Prompts
		if g, err = ms.Generator(config.Extract); err != nil {
			return err
		}
	}
	sys, done, err := o.system(ctx, e, mem0.Options{Generator: g, Prompts: prompts, TakeOver: o.force})
	if err != nil {
		return err
	}
	defer done()
	files, err := inputFiles(o.inputs, ".jsonl")
	if err != nil {
		return err
	}
	folder := filepath.Dir(o.manifest(o.replay.Isolation))
	lock, err := atomicfile.Lock(filepath.Join(o.store, ".lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	if o.force {
		if o.backend != open.Embedded || o.qdrant != "" { // an embedded memory in this process is only its files
			err = open.Drop(ctx, sys, o.replay.Isolation.Collection())
		}
		if err != nil {
			return err
		}
		if err := emptyStore(folder); err != nil {
			return err
		}
		found = false
	}
	digests, err := inputDigests(folder, files)
	if err != nil {
		return err
	}
	m, err := ingestManifest(o, sys.Info(), g, prompts, digests)
	if err != nil {
		return err
	}
	if found && old.Key != m.Key {
		if why := differs(old, m); why != "" {
			return fmt.Errorf("%s was filled with other %s: run again with the old ones, or start over with --force", folder, why)
		}
	}
	if clock := o.replay.Now.Format(time.RFC3339Nano); found && old.Now != clock {
		return fmt.Errorf("%s was filled with the clock %s, --now says %s: leave --now away, or start over with --force", folder, old.Now, clock)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if err := atomicfile.Sweep(folder); err != nil {
		return err
	}
	if !found { // the clock is kept before anything is stored with it
		if err := build.WriteManifest(o.manifest(o.replay.Isolation), m); err != nil {
			return err
		}
	}
	t := newTally(e, 100)
	o.replay.Found = func(f *schema.Finding) { t.take(f) }
	report, err := replay.Ingest(ctx, sys, jsonl.Files[schema.Event](files, e.in), o.replay)
	if err != nil {
		return err
	}
	t.summary()
	m.Counts = map[string]int{"events": report.Events, "turns": report.Turns, "batches": report.Batches, "degraded": report.Degraded, "model_calls": report.Calls}
	for op, n := range report.Changes {
		m.Counts[strings.ToLower(op)] = n
	}
	if len(t.byCode) > 0 {
		m.Findings = t.byCode
	}
	if m.Outputs, err = storeDigests(folder); err != nil {
		return err
	}
	if err := build.WriteManifest(o.manifest(o.replay.Isolation), m); err != nil {
		return err
	}
	if o.asJSON {
		return writeJSON(e.out, report)
	}
	e.warnf("%d events, %d turns stored in %d batches (%d known before): %d added, %d updated, %d deleted, %d known already",
		report.Events, report.Turns, report.Batches, report.Known, report.Changes[memory.OpAdd], report.Changes[memory.OpUpdate], report.Changes[memory.OpDelete], report.Changes[memory.OpNone])
	for _, why := range sortedKeys(report.Skipped) {
		e.warnf("  not stored: %d (%s)", report.Skipped[why], why)
	}
	if report.Degraded > 0 {
		e.warnf("  %d model operations fell back on the rule", report.Degraded)
	}
	return nil
}

func sortedKeys(m map[string]int) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

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

func ingestManifest(o ingestOptions, info memory.Info, g llm.Generator, prompts llm.Prompts, inputs []schema.FileDigest) (schema.Manifest, error) {
	r := o.replay
	k := kept{Isolation: string(r.Isolation), UserID: r.UserID, AgentID: r.AgentID, Mode: o.mode, StoreRaw: o.storeRaw, NoPrefix: o.noPrefix,
		SkipRoles: list(r.SkipRoles), SkipTags: list(r.SkipTags), OnlyTags: list(r.OnlyTags), WriteProbes: r.WriteProbes,
		Window: r.Window, Overlap: r.Overlap, Index: []string{}, Fingerprint: info.Fingerprint}
	if o.backend != open.Embedded {
		k.Backend, k.URL, k.UserPrefix = o.backend, o.url, o.userPrefix
	}
	k.Qdrant, k.Collection = o.qdrant, o.qdrantCollection
	for _, c := range r.Order {
		k.Index = append(k.Index, string(c))
	}
	options, err := schema.NewObject(k)
	if err != nil {
		return schema.Manifest{}, err
	}
	m := schema.Manifest{SchemaVersion: schema.Latest, Step: "replay ingest", StepVersion: 1, Membench: release, Now: r.Now.Format(time.RFC3339Nano),
		Options: options, Inputs: inputs, Outputs: []schema.FileDigest{}}
	if g != nil {
		m.Models = map[string]string{"facts": g.Model(), "update": g.Model()}
		m.Prompts = map[string]string{}
		for _, name := range op.PromptNames() {
			m.Prompts[name] = op.Prompt(prompts, name).SHA256()
		}
	}
	m.Key, err = build.Key(m)
	return m, err
}

func list(s []string) []string { return append([]string{}, s...) }

// differs names what two manifests do not share; other input is left to replay, which
// knows which turn it is.
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
	raw, err := os.ReadFile(path)
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

func newReplayProbeCmd(e *env) *cobra.Command {
	var o probeOptions
	c := &cobra.Command{
		Use:   "probe EVENTS... --store STORE -o probes.jsonl",
		Short: "Put the probes of the dialogue to a memory and grade the hits",
		Long: `Put every event tagged probe to the memory it belongs to and write one graded record
each: gold turns and memories, hits with ids and scores, Recall@k and MRR.

Recall@k is the share of the gold turns on which one of the first k memories stands;
MRR is 1/rank of the first that does. A probe whose gold is unknown, or whose gold
turns left nothing in the memory, is not scored and counts in no mean. A probe spoken
by the agent asks about the agent itself.

Score of a hit: docs/adr/0002 has the formula; words (BM25), hashed terms, what was said
around it and whether the question is about its speaker. Rounded to 1e-6, ties by id.`,
		Example: `  membench replay probe events.jsonl --backend embedded --store STORE -o probes.jsonl --top-k 5`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runReplayProbe(c.Context(), e, o)
		},
	}
	o.add(c)
	o.addQdrant(c)
	o.model.temperature = -1
	o.model.addShared(c)
	c.Flags().StringVar(&o.embedder, "embedder", "hash", "`who` makes vectors: hash, or model (the endpoint of the role embed, docs/models.md)")
	c.Flags().IntVar(&o.topK, "top-k", replay.Defaults().TopK, "memories to fetch for each probe, `n`")
	c.Flags().StringVarP(&o.out, "output", "o", "", "write the graded probes to this `file`, - for standard output (required)")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the summary as one JSON object (on standard output unless -o is -)")
	return c
}

type probeOptions struct {
	storeOptions
	model    modelFlags
	embedder string // hash | model
	inputs   []string
	out      string
	topK     int
	asJSON   bool
}

func runReplayProbe(ctx context.Context, e *env, o probeOptions) (err error) {
	if o.out == "" {
		return usagef("no output given: name it with -o")
	}
	if o.topK < 1 {
		return usagef("--top-k %d: want at least 1", o.topK)
	}
	var vectors llm.Embedder // nil: hashing
	switch o.embedder {
	case "hash":
	case "model":
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		if vectors, err = ms.EndpointEmbedder(); err != nil {
			return err
		}
	default:
		return usagef("--embedder: have %q, want hash or model", o.embedder)
	}
	sys, done, err := o.open(ctx, e, mem0.Options{Embedder: vectors})
	if err != nil {
		return err
	}
	defer done()
	files, err := inputFiles(o.inputs, ".jsonl")
	if err != nil {
		return err
	}
	if err := notInput(o.out, files...); err != nil {
		return err
	}
	o.replay.TopK = o.topK
	t := newTally(e, 100)
	o.replay.Found = func(f *schema.Finding) { t.take(f) }
	var sum replay.Summary
	err = writeOut(e, o.out, func(w io.Writer) error {
		probes := replay.Probe(ctx, sys, jsonl.Files[schema.Event](files, e.in), o.replay)
		for r, err := range jsonl.Tee(w, schema.Latest, probes) {
			if err != nil {
				return err
			}
			sum.Add(r.V)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.summary()
	if o.asJSON {
		w := e.out
		if o.out == "-" {
			w = e.err
		}
		return writeJSON(w, &sum)
	}
	e.warnf("%v", &sum)
	return nil
}

// open makes the system that an existing store was filled by. Vectors are not stored:
// any embedder will do, nil hashes.
func (o *storeOptions) open(ctx context.Context, e *env, with mem0.Options) (sys memory.System, done func(), err error) {
	_, k, _, err := o.resolve(ctx, e, true)
	if err != nil {
		return nil, nil, err
	}
	o.mode, o.storeRaw, o.noPrefix = k.Mode, k.StoreRaw, k.NoPrefix
	return o.system(ctx, e, with)
}

func newReplayExportCmd(e *env) *cobra.Command {
	var o replayExportOptions
	c := &cobra.Command{
		Use:   "export --store STORE -o EXPORTS_DIR|F.jsonl",
		Short: "Write what a memory keeps",
		Long: `Write every memory that the store keeps, ordered by point id: one file a conversation,
<conv>.mem0.jsonl, in a folder, or one file when -o ends in .jsonl or is -.

Each memory gets its owner: explicit when a prefix or role says it; matched_event when
its text stands in what one side said (--events); ambiguous when both said it; fallback,
the agent, else.

Two more backends read the store of a Mem0 that filled it by itself, also while it runs:

  qdrant       a Qdrant server, over gRPC (--addr, QDRANT_ADDR; QDRANT_API_KEY)
  mem0-local   the folder of vector_store.config.path (--store)

The export is the store at one instant: it is read again until nothing has changed.
Points that cannot be read are findings. Nothing is written, and nothing that a store
holds is run.`,
		Example: `  membench replay export --backend embedded --store STORE -o exports/
  membench replay export --store STORE -o - | jq -r .payload.data
  membench replay export --backend mem0-local --store ~/.mem0/qdrant_storage --events events.jsonl -o exports/
  membench replay export --backend qdrant --addr localhost:6334 --collection memory_bench_global -o export.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runReplayExport(c.Context(), e, o) },
	}
	o.add(c)
	o.addOutput(c)
	c.Flags().StringVar(&o.addr, "addr", "", "`host:port` of the Qdrant server's gRPC, or https://host:port (default: QDRANT_ADDR)")
	c.Flags().StringVar(&o.collection, "collection", "", "`name` of the collection (default: the only one)")
	c.Flags().StringSliceVar(&o.events, "events", nil, "events to infer owners and turns from, where the memory does not say, `files` or folders")
	return c
}

type replayExportOptions struct {
	storeOptions
	outputOptions
	addr, collection string
}

// outputOptions are what export and link share.
type outputOptions struct {
	out     string
	events  []string
	noOwner bool
	version schema.Version
}

func (o *outputOptions) addOutput(c *cobra.Command) {
	o.version = schema.Latest
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write to this `folder`, .jsonl file, or - (required)")
	f.BoolVar(&o.noOwner, "no-owner-inference", false, "give every memory without owner to the agent, as fallback")
	f.Var(versionFlag{&o.version}, "schema-version", "write this `version` of the format")
}

func runReplayExport(ctx context.Context, e *env, o replayExportOptions) error {
	if o.out == "" {
		return usagef("no output given: name it with -o")
	}
	if o.backend == open.QdrantServer || o.backend == open.Mem0Local {
		return o.exportStore(ctx, e)
	}
	o.inProcess = true // the journal has all that is exported
	sys, done, err := o.open(ctx, e, mem0.Options{})
	if err != nil {
		return err
	}
	defer done()
	t := newTally(e, 100)
	o.replay.Found, o.replay.NoOwner = func(f *schema.Finding) { t.take(f) }, o.noOwner
	events, err := o.eventStream(e)
	if err != nil {
		return err
	}
	return o.write(e, t, replay.Export(ctx, sys, events, o.replay), ".mem0.jsonl")
}

func (o outputOptions) eventStream(e *env) (schema.Seq[schema.Event], error) {
	if len(o.events) == 0 {
		return nil, nil
	}
	files, err := inputFiles(o.events, ".jsonl")
	if err != nil {
		return nil, err
	}
	return jsonl.Files[schema.Event](files, e.in), nil
}

// write writes one file, or one a conversation. A folder's files appear one by one,
// each whole; files of conversations that are gone are removed.
func (o outputOptions) write(e *env, t *tally, in schema.Seq[schema.MemoryExport], suffix string) error {
	if o.out == "-" || strings.HasSuffix(o.out, ".jsonl") {
		n := 0
		err := writeOut(e, o.out, func(w io.Writer) error {
			for _, err := range jsonl.Tee(w, o.version, drop(t, in)) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil {
			return err
		}
		t.summary()
		e.warnf("%d memories", n)
		return nil
	}
	byConv := map[schema.ConvID][]schema.MemoryExport{}
	n := 0
	for r, err := range drop(t, in) {
		if err != nil {
			return err
		}
		conv := schema.ConvID(r.V.Payload.Text("conv_id"))
		byConv[conv] = append(byConv[conv], r.V)
		n++
	}
	made := map[string]bool{}
	for _, conv := range sortedConvs(byConv) {
		name := fileName(conv) + suffix
		made[name] = true
		err := atomicfile.Write(filepath.Join(o.out, name), func(f io.Writer) error {
			w := bufio.NewWriterSize(f, 1<<16)
			var line []byte
			for _, m := range byConv[conv] {
				var err error
				if line, err = jsonl.Append(line[:0], m, o.version); err != nil {
					return err
				}
				if _, err := w.Write(line); err != nil {
					return err
				}
			}
			return w.Flush()
		})
		if err != nil {
			return err
		}
	}
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	old, err := os.ReadDir(o.out)
	if err != nil {
		return err
	}
	for _, f := range old {
		if !f.IsDir() && strings.HasSuffix(f.Name(), suffix) && !made[f.Name()] && !strings.HasPrefix(f.Name(), ".") {
			if err := os.Remove(filepath.Join(o.out, f.Name())); err != nil {
				return err
			}
		}
	}
	t.summary()
	e.warnf("%d memories of %d conversations", n, len(byConv))
	return nil
}

func sortedConvs(m map[schema.ConvID][]schema.MemoryExport) []schema.ConvID {
	out := make([]schema.ConvID, 0, len(m))
	for c := range m {
		out = append(out, c)
	}
	slices.SortFunc(out, replay.NaturalCompare)
	return out
}

func newReplayLinkCmd(e *env) *cobra.Command {
	var o linkOptions
	c := &cobra.Command{
		Use:   "link EXPORT... --events EVENTS -o OUT",
		Short: "Infer which turns the memories of another system come from",
		Long: `Add the turns that each memory was made from to exports of other systems, and its
owner: what an export says itself stays. Inferred turns are marked events_by: inferred
with events_conf, the share of the memory's terms that the turns hold, lowered when
another turn holds nearly as many. A memory that no turn covers by half gets none.`,
		Example: `  membench replay link export.jsonl --events events.jsonl -o linked.jsonl`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runReplayLink(e, o)
		},
	}
	o.addOutput(c)
	c.Flags().StringSliceVar(&o.events, "events", nil, "the dialogue, `files` or folders (required)")
	return c
}

type linkOptions struct {
	outputOptions
	inputs []string
}

func runReplayLink(e *env, o linkOptions) error {
	if o.out == "" {
		return usagef("no output given: name it with -o")
	}
	if len(o.events) == 0 {
		return usagef("no events given: name the dialogue with --events")
	}
	if err := notInput(o.out, slices.Concat(o.inputs, o.events)...); err != nil {
		return err
	}
	files, err := inputFiles(o.inputs, ".jsonl")
	if err != nil {
		return err
	}
	t := newTally(e, 100)
	r := replay.Defaults()
	r.NoOwner = o.noOwner
	r.Found = func(f *schema.Finding) { t.take(f) }
	events, err := o.eventStream(e)
	if err != nil {
		return err
	}
	n, linked := 0, 0
	counted := func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		for rec, err := range replay.Link(jsonl.Files[schema.MemoryExport](files, e.in), events, r) {
			n++
			if rec.V.Payload.Text("events_by") == replay.Inferred {
				linked++
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	if err := o.write(e, t, counted, ".mem0.jsonl"); err != nil {
		return err
	}
	e.warnf("%d of %d linked to turns by inference", linked, n)
	return nil
}
