package cli

import (
	"cmp"
	"context"

	"membench/chain"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newReplayExportCmd(e *env) *cobra.Command {
	var o replayExportOptions
	c := &cobra.Command{
		Use:   "export --store STORE -o EXPORTS_DIR|F.jsonl",
		Short: "Write what a memory keeps",
		Long: `Write every memory that the store keeps, ordered by point id: one file a conversation,
<conv>.mem0.jsonl, in a folder, or one file when -o ends in .jsonl or is -.

Each memory gets its owner: explicit when a prefix or role says it; matched_event when one
side said its text (--events); ambiguous when both said it; fallback (the agent) otherwise.

Two more backends read the store of a Mem0 that filled it by itself, also while it runs:

  qdrant       a Qdrant server, over gRPC (--addr, QDRANT_ADDR; QDRANT_API_KEY)
  mem0-local   the folder of vector_store.config.path (--store)

The export is the store at one instant: it is read again until nothing has changed. Points
that cannot be read are findings. Nothing is written, and nothing that a store holds is run.`,
		Example: `  membench replay export --backend embedded --store STORE -o exports/
  membench replay export --store STORE -o - | jq -r .payload.data
  membench replay export --backend mem0-local --store ~/.mem0/qdrant_storage --events events.jsonl -o exports/
  membench replay export --backend qdrant --addr localhost:6334 --collection memory_bench_global -o export.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runReplayExport(c.Context(), e, o) },
	}
	o.store.add(c)
	addOutput(c, &o.MemoriesOptions)
	o.stepFlags.add(c, 100)
	c.Flags().StringVar(&o.Addr, "addr", "", "`host:port` of the Qdrant server's gRPC, or https://host:port (default: QDRANT_ADDR)")
	c.Flags().StringVar(&o.Collection, "collection", "", "`name` of the collection (default: the only one)")
	c.Flags().StringSliceVar(&o.Events, "events", nil, "events to infer owners and turns from, where the memory does not say, `files` or folders")
	return c
}

type replayExportOptions struct {
	chain.ExportOptions
	stepFlags
	store storeFlags
}

// addOutput adds the common flags of export and link.
func addOutput(c *cobra.Command, o *chain.MemoriesOptions) {
	o.Version = schema.Latest
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, .jsonl file, or - (required)")
	f.BoolVar(&o.NoOwner, "no-owner-inference", false, "give every memory without owner to the agent, as fallback")
	f.Var(versionFlag{&o.Version}, "schema-version", "write this `version` of the format")
}

func runReplayExport(ctx context.Context, e *env, o replayExportOptions) error {
	if o.Out == "" {
		return usagef("no output given: name it with -o")
	}
	o.Addr = cmp.Or(o.Addr, e.getenv("QDRANT_ADDR"))
	return o.run(e, func(with chain.Shared) error {
		o.Shared, o.StoreOptions = with, o.store.stored(e)
		r, err := chain.Export(ctx, o.ExportOptions)
		return storeFaults(e, said(e, false, r, err))
	})
}

func newReplayLinkCmd(e *env) *cobra.Command {
	var o linkOptions
	c := &cobra.Command{
		Use:   "link EXPORT... --events EVENTS -o OUT",
		Short: "Infer which turns the memories of another system come from",
		Long: `Add the turns that each memory was made from to exports of other systems, and its owner:
what an export says itself stays. Inferred turns are marked events_by: inferred with
events_conf, the share of the memory's terms that the turns hold, lowered when another turn
holds nearly as many. A memory that no turn covers by half gets none.`,
		Example: `  membench replay link export.jsonl --events events.jsonl -o linked.jsonl`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Exports = args
			return runReplayLink(c.Context(), e, o)
		},
	}
	addOutput(c, &o.MemoriesOptions)
	o.stepFlags.add(c, 100)
	c.Flags().StringSliceVar(&o.Events, "events", nil, "the dialogue, `files` or folders (required)")
	return c
}

type linkOptions struct {
	chain.LinkOptions
	stepFlags
}

func runReplayLink(ctx context.Context, e *env, o linkOptions) error {
	if o.Out == "" {
		return usagef("no output given: name it with -o")
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		r, err := chain.Link(ctx, o.LinkOptions)
		if err = said(e, false, r, err); wrote(err) {
			e.warnf("%d of %d linked to turns by inference", r.Linked, r.Memories)
		}
		return err
	})
}
