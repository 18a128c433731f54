package cli

import (
	"context"

	"membench/chain"
	"membench/config"
	"membench/schema"

	"github.com/spf13/cobra"
)

type claimifyOptions struct {
	chain.ClaimifyOptions
	stepFlags
	extractor string // "" | rule | model
	model     modelFlags
}

func newClaimifyCmd(e *env) *cobra.Command {
	var o claimifyOptions
	o.Version, o.Memory = schema.Latest, 16<<20
	c := verb("claimify EXPORT...", "Extract claims and entities from exported memories", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Exports = args
		return runClaimify(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "write <conv>.jsonl to this `folder`; all to a .jsonl file, or to - (standard output)")
	f.StringVar(&o.extractor, "extractor", "", "extract by this `method`: rule or model (default rule, with --model model)")
	o.model.add(c)
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var(peopleFlag{&o.People}, "people", "describe who is who: a YAML `file` with scope and known, as under people in membench.yaml, or its text in braces")
	f.StringArrayVar(&o.Operations, "operations", nil, "look for alerts, causes, fixes and owners of systems in this `scene` (may be repeated; \"*\": in all)")
	f.Float64Var(&o.MinConfidence, "min-confidence", 0, "make claims by rule from this `confidence` up (default 0.5; nothing below 0.25 is read)")
	f.Var(versionFlag{&o.Version}, "schema-version", "write this `version` of the records")
	o.stepFlags.add(c, 100)
	f.BoolVar(&o.Force, "force", false, "ask the model again about memories that it was asked about before")
	f.BoolVar(&o.Prune, "prune", false, "remove files of conversations that the exports do not have")
	f.IntVar(&o.Workers, "workers", 0, "ask a model about `n` chunks at once, or read n conversations by rule (0: 1, or one per core)")
	f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of memories before they go to disk (TMPDIR), like 64M")
	return c
}

func runClaimify(ctx context.Context, e *env, o claimifyOptions) (err error) {
	if o.Out == "" {
		return usagef("no output folder: give -o")
	}
	if o.extractor == "model" || o.extractor == "" && o.model.model != "" {
		ms, g, err2 := o.model.generator(e, config.Extract)
		defer ms.close(&err)
		if err2 != nil {
			return err2
		}
		o.Generator, o.Prompts = g, ms.Prompts
		if ms.dryRun() {
			o.Out, e = "-", e.mute()
		}
	}
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		r, err := chain.Claimify(ctx, o.ClaimifyOptions)
		return said(e, r, err)
	})
}
