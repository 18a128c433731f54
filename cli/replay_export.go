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
	c := verb("export --store STORE -o EXPORTS_DIR|F.jsonl", "Write what a memory keeps", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runReplayExport(c.Context(), e, o) })
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
	f.Var(peopleFlag{&o.People}, "people", "who is who, as claimify has it: a YAML `file`, or its text in braces")
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
		return storeFaults(e, said(e, r, err))
	})
}

func newReplayLinkCmd(e *env) *cobra.Command {
	var o chain.LinkOptions
	var flags stepFlags
	c := verb("link EXPORT... --events EVENTS -o OUT", "Infer which turns the memories of another system come from",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			if o.Exports = args; o.Out == "" {
				return usagef("no output given: name it with -o")
			}
			return flags.run(e, func(with chain.Shared) error {
				o.Shared = with
				r, err := chain.Link(c.Context(), o)
				if err = said(e, r, err); wrote(err) {
					e.warnf("%d of %d linked to turns by inference", r.Linked, r.Memories)
				}
				return err
			})
		})
	addOutput(c, &o.MemoriesOptions)
	flags.add(c, 100)
	c.Flags().StringSliceVar(&o.Events, "events", nil, "the dialogue, `files` or folders (required)")
	return c
}
