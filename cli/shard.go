package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"membench/chain"
	"membench/claims"
	"membench/cypher"
	"membench/graphir"
	"membench/graphir/export"
	"membench/internal/keyed"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"

	"github.com/spf13/cobra"
)

func newShardCmd(e *env) *cobra.Command {
	return parent("shard", "Do a part of a step: filters over keyed lines, for engines and sort(1)", newShardClaimsCmd(e), newShardGraphCmd(e), newShardValidateCmd(e), newShardCypherCmd(e), newShardCSVCmd(e), newShardCutCmd(e))
}

// A shardFilter reads in and writes keyed lines.
type shardFilter = func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) error

// A shardVerb is the command of a filter.
type shardVerb struct {
	name, short string
	run         shardFilter
}

// newShardVerb makes the command of a filter. flags adds its own.
func newShardVerb(e *env, v shardVerb, flags func(*cobra.Command)) *cobra.Command {
	c := verb(v.name, v.short, cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		defer bulkMemory(e)()
		t := newTally(e, 20)
		err := v.run(c.Context(), e.in, e.out, t.found)
		t.summary()
		if err != nil {
			return err
		}
		return t.lost()
	})
	flags(c)
	return c
}

// framesFlag adds the flag of a reduce that can write for an engine.
func framesFlag(c *cobra.Command, frames *bool) {
	c.Flags().BoolVar(frames, "frames", false, "write frames of lines without keys, one kind each, as cut does")
}

// lines is standard input, unpacked, as the one file of a step.
func lines(in io.Reader) []jsonl.File {
	return []jsonl.File{{Name: "-", Open: func() (io.ReadCloser, error) { return jsonl.Decompress(io.NopCloser(in)) }}}
}

func newShardClaimsCmd(e *env) *cobra.Command {
	var o claims.BulkOptions
	var catalogs []string
	frames := false
	flags := func(c *cobra.Command) {
		f := c.Flags()
		f.StringArrayVar(&catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
		f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M (default: 16M, and up to 64M for large inputs)")
		f.IntVar(&o.Workers, "workers", 0, "use `n` workers (0: one per core)")
	}
	reduce := func(partial bool) shardFilter {
		return func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) (err error) {
			if o.Catalog, err = chain.LoadCatalog(catalogs); err != nil {
				return err
			}
			o.Partial = partial
			return claims.ReduceKeyed(ctx, in, out, frames && !partial, found, o)
		}
	}
	last := newShardVerb(e, shardVerb{"reduce", "Merge the keyed claims and entities of standard input", reduce(false)}, flags)
	framesFlag(last, &frames)
	return parent("compile-claims", "Merge claims and entities part by part",
		newShardVerb(e, shardVerb{"map", "Give claims and entities of standard input their keys",
			func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) (err error) {
				if o.Catalog, err = chain.LoadCatalog(catalogs); err != nil {
					return err
				}
				return claims.MapKeyed(ctx, lines(in), out, found, o)
			}}, flags),
		newShardVerb(e, shardVerb{"combine", "Merge repeated claims and entities among some of the keyed lines", reduce(true)}, flags), last)
}

func newShardGraphCmd(e *env) *cobra.Command {
	o := graphir.Options{Memory: 48 << 20}
	var catalogs, hops []string
	kind, frames := "", false
	flags := func(c *cobra.Command) {
		f := c.Flags()
		f.StringSliceVar(&hops, "given", []string{"events", "exports", "claims"}, "`hops` that the whole graph is made of, the same for every filter")
		f.StringArrayVar(&catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
		f.Var(peopleFlag{&o.People}, "people", "who is who, as claimify has it: a YAML `file`, or its text in braces")
		f.BoolVar(&o.Shortcuts, "shortcut-edges", false, "also draw an edge of the predicate's type from the root of a claim to its object")
		f.Var((*byteSize)(&o.Memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M")
		f.IntVar(&o.Workers, "workers", 1, "use `n` workers")
	}
	// filter completes the options and turns hops into kinds.
	filter := func(run func(ctx context.Context, in io.Reader, given []schema.Kind, out io.Writer, report func(*schema.Finding)) error) shardFilter {
		return func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) error {
			given, err := chain.Hops("--given", hops...)
			if err == nil {
				o.Catalog, err = chain.LoadCatalog(catalogs)
			}
			if err != nil {
				return err
			}
			return run(ctx, in, given, out, found)
		}
	}
	mapper := newShardVerb(e, shardVerb{"map", "Write the keyed graph contributions of records on standard input",
		filter(func(ctx context.Context, in io.Reader, given []schema.Kind, out io.Writer, report func(*schema.Finding)) error {
			hop, err := chain.Hops("--hop", kind)
			if err != nil {
				return err
			}
			files := lines(in)
			chain.CheckHop(files, hop[0], o.Catalog, 0, report)
			return graphir.Map(ctx, files, hop[0], given, out, o, report)
		})}, flags)
	mapper.Flags().StringVar(&kind, "hop", "exports", "the `hop` whose records these are: events, exports or claims")
	last := newShardVerb(e, shardVerb{"reduce", "Merge keyed lines into nodes and edges",
		filter(func(ctx context.Context, in io.Reader, given []schema.Kind, out io.Writer, report func(*schema.Finding)) error {
			return graphir.Reduce(ctx, in, given, out, frames, o, report)
		})}, flags)
	framesFlag(last, &frames)
	return parent("to-graph", "Make a graph part by part", mapper,
		newShardVerb(e, shardVerb{"combine", "Merge some of the keyed lines of one element",
			filter(func(ctx context.Context, in io.Reader, given []schema.Kind, out io.Writer, _ func(*schema.Finding)) error {
				return graphir.Combine(ctx, in, given, out, o)
			})}, flags), last)
}

func newShardValidateCmd(e *env) *cobra.Command {
	var kind schema.Kind
	var version schema.Version
	var catalogs []string
	name, workers, memory := "", 1, int64(48<<20)
	mapper := verb("map --name NAME", "Check one whole file and write keyed facts that other files need", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if name == "" {
			return usagef("no name: give the file's with --name")
		}
		cat, err := chain.LoadCatalog(catalogs)
		if err != nil {
			return err
		}
		in, err := jsonl.Decompress(io.NopCloser(e.in))
		if err != nil {
			return err
		}
		return validate.New(cat, validate.Options{Workers: workers}).Map(c.Context(), in, name, kind, version, e.out)
	})
	reduce := verb("reduce", "Check references between files, and write all findings", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		cat, err := chain.LoadCatalog(catalogs)
		if err != nil {
			return err
		}
		n, err := validate.Reduce(c.Context(), e.in, e.out, validate.ReduceOptions{Catalog: cat, Memory: memory})
		if err == nil && n > 0 {
			return errFindings
		}
		return err
	})
	f := mapper.Flags()
	f.StringVar(&name, "name", "", "`name` of the file in findings (required)")
	f.StringVar((*string)(&kind), "kind", "", "take every record for this `kind` ("+strings.Join(kindNames(), ", ")+")")
	f.Var(versionFlag{&version}, "input-version", "schema `version` of the input")
	f.IntVar(&workers, "workers", workers, "use `n` workers")
	reduce.Flags().Var((*byteSize)(&memory), "memory", "hold at most this many bytes of records before they go to disk, like 64M")
	for _, c := range []*cobra.Command{mapper, reduce} {
		c.Flags().StringArrayVar(&catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	}
	return parent("validate", "Check a set of files part by part", mapper, reduce)
}

func newShardCypherCmd(e *env) *cobra.Command {
	var o cypher.Options
	memory, heads := int64(48<<20), false
	flags := func(c *cobra.Command) {
		c.Flags().StringVar(&o.Scope, "scope", "", "`name` of this graph among several in one database")
	}
	reduce := newShardVerb(e, shardVerb{"reduce", "Make the statements of keyed rows, in frames named as the scripts",
		func(ctx context.Context, in io.Reader, out io.Writer, _ func(*schema.Finding)) error {
			return cypher.Reduce(ctx, in, out, heads, memory, o)
		}}, flags)
	reduce.Flags().BoolVar(&heads, "heads", false, "also write the constraints and the first lines of the scripts: the rows are all, or the rest of all parts")
	reduce.Flags().Var((*byteSize)(&memory), "memory", "hold at most this many bytes of rows before they go to disk, like 64M")
	return parent("cypher", "Write a graph as Cypher scripts part by part",
		newShardVerb(e, shardVerb{"map", "Make the rows of nodes and edges of standard input, with their keys",
			func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) error {
				return cypher.Map(ctx, lines(in), out, o, found)
			}}, flags),
		reduce)
}

func newShardCSVCmd(e *env) *cobra.Command {
	var o export.CSVOptions
	var catalogs []string
	flags := func(c *cobra.Command) {
		f := c.Flags()
		f.StringArrayVar(&catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
		f.StringVar(&o.BaseLabel, "base-label", "Node", "`label` of every node; empty for none")
		f.StringVar(&o.Database, "database", "neo4j", "`name` that import.sh imports into")
		f.StringVar(&o.Scope, "scope", "", "`name` of this graph among several in one database")
	}
	filter := func(run func(context.Context, io.Reader, io.Writer) error) shardFilter {
		return func(ctx context.Context, in io.Reader, out io.Writer, found func(*schema.Finding)) (err error) {
			if o.Catalog, err = chain.LoadCatalog(catalogs); err != nil {
				return err
			}
			o.Report = found
			return run(ctx, in, out)
		}
	}
	return parent(export.AdminCSVName, "Write files for neo4j-admin's import part by part",
		newShardVerb(e, shardVerb{"survey", "Collect what the columns depend on from the elements on standard input",
			filter(func(ctx context.Context, in io.Reader, out io.Writer) error {
				return export.Survey(ctx, lines(in), out, o)
			})}, flags),
		newShardVerb(e, shardVerb{"plan", "Decide the columns from all surveys: a line for rows, headers and import.sh, in frames",
			filter(func(_ context.Context, in io.Reader, out io.Writer) error { return export.Plan(in, out, o) })}, flags),
		newShardVerb(e, shardVerb{"rows", "Write the rows of elements, which follow the plan, in frames named as the tables",
			filter(func(ctx context.Context, in io.Reader, out io.Writer) error { return export.Rows(ctx, in, out, o) })}, flags))
}

func newShardCutCmd(e *env) *cobra.Command {
	var parts int
	var bounds string
	c := verb("cut", "Cut keyed lines into frames, for an engine that brings frames of one name together", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if parts < 0 || parts > 1<<20 || parts > 0 && bounds != "" {
			return usagef("--parts: have %d, want 1 to %d, and not with --bounds", parts, 1<<20)
		}
		var keys []string
		if bounds != "" {
			text, err := os.ReadFile(bounds)
			if err != nil {
				return err
			}
			keys = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
			if !slices.IsSorted(keys) {
				return usagef("--bounds %s: the keys are not in order", bounds)
			}
		}
		out := bufio.NewWriterSize(e.out, 1<<16)
		return errors.Join(keyed.Cut(e.in, out, parts, keys), out.Flush())
	})
	c.Flags().IntVar(&parts, "parts", 0, "cut into `n` parts by the hash of keys")
	c.Flags().StringVar(&bounds, "bounds", "", "cut at the keys of a `file`, one a line, in order")
	return c
}
