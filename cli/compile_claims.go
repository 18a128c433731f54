package cli

import (
	"time"

	"membench/chain"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newCompileClaimsCmd(e *env) *cobra.Command {
	o := chain.CompileClaimsOptions{Version: schema.Latest}
	var flags stepFlags
	c := verb("compile-claims BY_CONV_DIR...", "Merge the claims and entities of all conversations into one per id",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			if o.Inputs = args; o.Out == "" {
				return usagef("no output folder: give -o")
			}
			if o.Now == "" {
				o.Now = e.now().UTC().Format(time.RFC3339)
			}
			// Nearly all that is held is bytes, which cost the collector nothing to look at:
			// collecting often saves memory, not time.
			defer smallMemory(e, claimsGC)()
			return flags.run(e, func(with chain.Shared) error {
				o.Shared = with
				r, err := chain.CompileClaims(c.Context(), o)
				if o.Out == "-" {
					return err
				}
				return said(e, r, err)
			})
		})
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, or - for standard output")
	f.Var(versionFlag{&o.Version}, "schema-version", "write this `version` of the records")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M; less than 512K is 512K (default: 16M, and up to 64M for large inputs)")
	f.IntVar(&o.Workers, "workers", 0, "use `n` workers (0: one per core)")
	flags.add(c, 100)
	f.StringVar(&o.Now, "now", "", "the run's `time`, RFC 3339, for meta.json of version 0.0.1 (default: the clock)")
	f.BoolVar(&e.json, "json", false, "print the summary as JSON to standard output instead of standard error")
	return c
}
