package cli

import (
	"context"
	"errors"

	"membench/chain"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/migrate"

	"github.com/spf13/cobra"
)

type migrateOptions struct {
	migrate.PathOptions
	stepFlags
	catalogs []string
}

func newMigrateCmd(e *env) *cobra.Command {
	var o migrateOptions
	o.To, o.MaxLine = schema.Latest, jsonl.MaxLine
	c := verb("migrate PATH --to VERSION -o OUT", "Move files to another schema version, and back", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.In = args[0]
		switch {
		case o.In == "-":
			return usagef("a migration reads its input several times: give a file or a folder")
		case o.Out == "":
			return usagef("-o is missing: the input is never changed in place")
		case o.Out == "-" && e.json:
			return usagef("--json and the records cannot both go to standard output")
		case o.MaxLine < 1:
			return usagef("--max-line: have %d, want at least 1", o.MaxLine)
		}
		return runMigrate(c.Context(), e, o)
	})
	f := c.Flags()
	f.Var(versionFlag{&o.To}, "to", "`version` to move to")
	f.Var(versionFlag{&o.From}, "input-version", "`version` of the input; default: by its manifest, otherwise by its records")
	f.StringVarP(&o.Out, "output", "o", "", "`path` of the moved file or folder")
	f.BoolVar(&o.Check, "check", false, "prove that nothing was lost")
	o.stepFlags.add(c, 20)
	f.BoolVar(&e.json, "json", false, "print the report as one JSON object")
	f.IntVar(&o.MaxLine, "max-line", o.MaxLine, "longest line in `bytes`")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	return c
}

func runMigrate(ctx context.Context, e *env, o migrateOptions) (err error) {
	if o.Catalog, err = chain.LoadCatalog(o.catalogs); err != nil {
		return err
	}
	o.Stdout, o.Warn = e.out, func(message string) { e.warnf("%s", message) }
	return o.run(e, func(with chain.Shared) error {
		o.PathOptions.Report, o.TempDir, o.Strict, o.Accept, o.Membench = with.Report, with.TempDir, with.Strict, with.Accept, with.Membench
		rep, err := migrate.Paths(ctx, o.PathOptions)
		switch {
		case !wrote(err):
			return err
		case e.json:
			return errors.Join(err, writeJSON(e.out, rep))
		}
		sayMigrated(e, rep)
		return err
	})
}

func sayMigrated(e *env, rep migrate.PathReport) {
	for _, k := range schema.Kinds(schema.Latest) {
		if n := rep.Records[k]; n != nil {
			e.warnf("%-12s %d in, %d out, %d changed, %d merged", k, n.In, n.Out, n.Changed, n.Merged)
		}
	}
	e.warnf("%s to %s: %d of %d ids minted again, %d references rewritten, %d were broken before, %d lines skipped", rep.From, rep.To, rep.Reminted, rep.Ids, rep.Refs, rep.Dangling, rep.LeftOut)
	if rep.Identity {
		e.warnf("checked: migrating back gives the input, and every reference still leads to its record")
	}
}
