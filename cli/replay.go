package cli

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"membench/chain"
	"membench/config"
	"membench/memory"
	"membench/replay"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newReplayCmd(e *env) *cobra.Command {
	return parent("replay", "Ingest dialogue into a memory, probe it, export what it keeps", newReplayIngestCmd(e), newReplayProbeCmd(e), newReplayExportCmd(e), newReplayLinkCmd(e))
}

// storeFlags are the common flags of ingest, probe and export.
type storeFlags struct{ chain.StoreOptions }

func (o *storeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Store.Backend, "backend", "", "memory `system`: embedded, mem0 (its own server), mem0-platform, or a service of 'membench systems list --services' or of a spec of your own (default: the store's, otherwise embedded)")
	f.StringVar(&o.Store.Dir, "store", "", "`folder` of the embedded memory, or of the journal of a service's (required)")
	f.StringVar(&o.Store.URL, "url", "", "`URL` of the service (default: MEM0_URL for Mem0, otherwise the store's, otherwise the spec's)")
	f.StringVar(&o.Store.UserPrefix, "user-prefix", "", "start every user id at a Mem0 service with this `text` (default: the store's)")
	f.StringVar(&o.Isolation, "isolation", "", "`level` at which a memory is shared: global (all conversations of a user) or per_conv (default: the store's, otherwise global)")
	f.StringVar(&o.UserID, "user-id", "", "`id` of the user, for events that name none (default: the store's, otherwise user)")
	f.StringVar(&o.AgentID, "agent-id", "", "`id` of the agent, for events that name neither agent nor character")
	f.StringVar(&o.Now, "now", "", "the run's clock, an RFC 3339 `time` (default: the store's, otherwise taken once and kept there)")
}

// addQdrant adds where the embedded memory keeps its points.
func (o *storeFlags) addQdrant(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.Store.Qdrant, "qdrant", "", "keep the points of the embedded memory in the Qdrant server at this `address` of its gRPC, such as localhost:6334 (default: the store's, otherwise in this process)")
	f.StringVar(&o.Store.Collection, "qdrant-collection", "", "`name` of the collection there (default: the store's, otherwise memory_bench_<isolation>)")
}

// stored returns the options with the command's environment.
func (o storeFlags) stored(e *env) chain.StoreOptions {
	o.Place, o.Clock = e.place(""), e.now
	return o.StoreOptions
}

func newReplayIngestCmd(e *env) *cobra.Command {
	o := ingestOptions{IngestOptions: chain.DefaultIngest()}
	c := verb("ingest EVENTS... --store STORE", "Fill a memory with dialogue", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Events = args
		return runReplayIngest(c.Context(), e, o)
	})
	o.store.add(c)
	o.store.addQdrant(c)
	f := c.Flags()
	f.StringVar((*string)(&o.Mode), "mode", string(o.Mode), "what an update does: `keep` both texts as evidence, or faithful (as Mem0 1.x)")
	f.BoolVar(&o.Raw, "store-raw", false, "store turns unchanged, without extracting facts")
	f.BoolVar(&o.NoPrefix, "no-prefix", false, `leave "[User] " and "[Agent] " off the texts; the payload then has role`)
	f.BoolVar(&o.WriteProbes, "write-probes", false, "store probes, too")
	f.StringSliceVar(&o.SkipRoles, "skip-role", o.SkipRoles, "do not store turns of these `roles`")
	f.StringSliceVar(&o.SkipTags, "skip-tags", o.SkipTags, "do not store turns with one of these `tags`")
	f.StringSliceVar(&o.OnlyTags, "only-tags", nil, "store only turns with one of these `tags`")
	f.IntVar(&o.Window, "window", o.Window, "look at `n` turns together, as one window")
	f.IntVar(&o.Overlap, "overlap", o.Overlap, "repeat the last `n` turns of the window before")
	f.StringVar(&o.Index, "index", "", "index.json that gives the order of the conversations, `file`")
	f.BoolVar(&o.Force, "force", false, "empty the store first")
	f.BoolVar(&e.json, "json", false, "print the report as one JSON object on standard output")
	o.stepFlags.add(c, 100)
	o.model.add(c)
	return c
}

type ingestOptions struct {
	chain.IngestOptions
	stepFlags
	store storeFlags
	model modelFlags
}

func runReplayIngest(ctx context.Context, e *env, o ingestOptions) (err error) {
	if o.model.model != "" { // otherwise by rule
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		if ms.dryRun() {
			if o.store.Store.Dir, err = os.MkdirTemp(e.getenv("TMPDIR"), "membench-dry-run-*"); err != nil {
				return err
			}
			defer os.RemoveAll(o.store.Store.Dir)
			e = e.mute()
		}
		o.Prompts = ms.Prompts
		if o.Generator, err = ms.Generator(config.Extract); err != nil {
			return err
		}
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared, o.StoreOptions = with, o.store.stored(e)
		r, err := chain.Ingest(ctx, o.IngestOptions)
		switch {
		case !wrote(err):
			return storeFaults(e, err)
		case e.json:
			return errors.Join(err, writeJSON(e.out, r))
		}
		sayIngested(e, r)
		return err
	})
}

// storeFaults prints the findings of a service's spec; any other error is handed on.
func storeFaults(e *env, err error) error {
	if schema.IsFinding(err) {
		return specFaults(e, err)
	}
	return err
}

func sayIngested(e *env, r replay.Report) {
	e.warnf("%d events, %d turns stored in %d batches (%d stored before): %d memories added, %d updated, %d deleted, %d unchanged",
		r.Events, r.Turns, r.Batches, r.Known, r.Changes[memory.OpAdd], r.Changes[memory.OpUpdate], r.Changes[memory.OpDelete], r.Changes[memory.OpNone])
	for _, why := range slices.Sorted(maps.Keys(r.Skipped)) {
		e.warnf("  not stored: %d (%s)", r.Skipped[why], why)
	}
	if r.Degraded > 0 {
		e.warnf("  %d operations fell back to a simpler method", r.Degraded)
	}
}

func newReplayProbeCmd(e *env) *cobra.Command {
	var o probeOptions
	c := verb("probe EVENTS... --store STORE -o probes.jsonl", "Ask a memory the dialogue's probes and grade the hits",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.Events = args
			return runReplayProbe(c.Context(), e, o)
		})
	o.store.add(c)
	o.store.addQdrant(c)
	o.stepFlags.add(c, 100)
	o.model.temperature = -1
	o.model.addShared(c)
	c.Flags().StringVar(&o.embedder, "embedder", "hash", "make vectors by `hash` or model (the endpoint of the role embed, docs/models.md)")
	c.Flags().IntVar(&o.TopK, "top-k", replay.Defaults().TopK, "fetch `n` memories for each probe")
	c.Flags().StringVarP(&o.Out, "output", "o", "", "write the graded probes to this `file`, - for standard output (required)")
	c.Flags().BoolVar(&e.json, "json", false, "print the summary as one JSON object (on standard output unless -o is -)")
	return c
}

type probeOptions struct {
	chain.ProbeOptions
	stepFlags
	store    storeFlags
	model    modelFlags
	embedder string // hash | model
}

func runReplayProbe(ctx context.Context, e *env, o probeOptions) (err error) {
	if o.Out == "" {
		return usagef("no output given: name it with -o")
	}
	if o.embedder == "model" {
		ms, err2 := o.model.open(e)
		if err2 != nil {
			return err2
		}
		defer ms.close(&err)
		if o.Embedder, err = ms.EndpointEmbedder(); err != nil {
			return err
		}
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared, o.StoreOptions = with, o.store.stored(e)
		sum, err := chain.Probe(ctx, o.ProbeOptions)
		switch {
		case !wrote(err):
			return storeFaults(e, err)
		case e.json && o.Out == "-":
			return errors.Join(err, writeJSON(e.err, &sum))
		}
		return said(e, &sum, err)
	})
}
