package cli

import (
	"context"
	"io"

	"membench/chain"
	"membench/claims"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newShardCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "shard",
		Short: "Do a part of a step: filters over keyed lines, for engines and sort(1)",
		Long: `Do a part of a step: filters over keyed lines, for engines and sort(1).

A keyed line is KEY TAB RECORD. map gives records their keys; what has one key must come to
one reduce, which merges as the step does (docs/scale.md).`,
		Example: `  cat by_conv/*.jsonl | membench shard compile-claims map | LC_ALL=C sort | membench shard compile-claims reduce | cut -f2-`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	step := &cobra.Command{
		Use:     "compile-claims",
		Short:   "Merge claims and entities part by part",
		Example: `  membench shard compile-claims map < by_conv.jsonl > keyed`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	step.AddCommand(newShardClaimsCmd(e, "map", "Give claims and entities of standard input their keys", claims.MapKeyed))
	step.AddCommand(newShardClaimsCmd(e, "reduce", "Merge the keyed claims and entities of standard input",
		func(ctx context.Context, in []jsonl.File, w io.Writer, found func(*schema.Finding) error, o claims.BulkOptions) error {
			r, err := in[0].Open()
			if err != nil {
				return err
			}
			defer r.Close()
			return claims.ReduceKeyed(ctx, r, w, found, o)
		}))
	c.AddCommand(step)
	return c
}

func newShardClaimsCmd(e *env, name, short string, do func(context.Context, []jsonl.File, io.Writer, func(*schema.Finding) error, claims.BulkOptions) error) *cobra.Command {
	o := claims.BulkOptions{Memory: 16 << 20}
	var catalogs []string
	c := &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + `.

Records are of the newest version (older ones are read). Findings go to standard error;
records with errors are skipped, and the exit code is then 3.`,
		Example: `  membench shard compile-claims map < by_conv.jsonl | LC_ALL=C sort | membench shard compile-claims reduce`,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if o.Catalog, err = chain.LoadCatalog(catalogs); err != nil {
				return err
			}
			defer bulkMemory(e)()
			t := newTally(e, 20)
			in := []jsonl.File{{Name: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(e.in), nil }}}
			err = do(c.Context(), in, e.out, func(f *schema.Finding) error { return t.take(f) }, o)
			t.summary()
			if err != nil {
				return err
			}
			return t.lost()
		},
	}
	f := c.Flags()
	f.StringArrayVar(&catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M")
	f.IntVar(&o.Workers, "workers", 0, "use `n` workers (0: one per core)")
	return c
}
