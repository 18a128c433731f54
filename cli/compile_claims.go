package cli

import (
	"time"

	"membench/chain"
	"membench/schema"

	"github.com/spf13/cobra"
)

func newCompileClaimsCmd(e *env) *cobra.Command {
	o := chain.CompileClaimsOptions{Version: schema.Latest, Memory: 16 << 20}
	var flags stepFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "compile-claims BY_CONV_DIR...",
		Short: "Merge the claims and entities of all conversations into one per id",
		Long: `Merge the claims and entities of all conversations into one per id.

Reads the *.jsonl files of the folders, or single files, or - for standard input, gzip and
zstd too, and writes entities.jsonl, claims.jsonl and meta.json. Evidence is united, the
greatest confidence and the newest update stay. Of claims that contradict each other (a
single-valued predicate with two objects, a predicate and its denial) the one with the
newest evidence stays active; the older are deprecated, with reason and successor.

The order of files and lines does not matter. Above --memory records go to disk (TMPDIR,
about 1.2 times the input unpacked), so that the input may be larger than memory; the
process as a whole holds about 100 MiB. Memory is collected often; GOGC in the environment
changes that. With --schema-version 0.0.1 the result is that of the existing chain of
2026-02-25: contradicting claims both stay active, and the first record wins, by file name
and line number.`,
		Example: `  membench compile-claims claims/by_conv -o claims/compiled
  membench compile-claims claims/by_conv -o - | jq 'select(.status == "deprecated")'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
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
				return said(e, asJSON, r, err)
			})
		},
	}
	f := c.Flags()
	f.StringVarP(&o.Out, "output", "o", "", "write to this `folder`, or - for standard output")
	f.Var(versionFlag{&o.Version}, "schema-version", "write this `version` of the records")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M; less than 512K is 512K")
	f.IntVar(&o.Workers, "workers", 0, "use `n` workers (0: one per core)")
	flags.add(c, 100)
	f.StringVar(&o.Now, "now", "", "the run's `time`, RFC 3339, for meta.json of version 0.0.1 (default: the clock)")
	f.BoolVar(&asJSON, "json", false, "print the summary as JSON to standard output instead of standard error")
	return c
}
