package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"membench/claims"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type compileClaimsOptions struct {
	inputs []string

	out     string
	version schema.Version
	catalog []string
	memory  byteSize
	workers int
	maxLine int64
	strict  bool
	now     string
	json    bool
}

func newCompileClaimsCmd(e *env) *cobra.Command {
	o := compileClaimsOptions{version: schema.Latest, memory: 16 << 20}
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
changes that. With --schema-version 0.0.1 the result is that of the
existing chain on the schema's day: contradicting claims both stay active, first comes
first; there, file names and line numbers decide what is first.`,
		Example: `  membench compile-claims claims/by_conv -o claims/compiled
  membench compile-claims claims/by_conv -o - | jq 'select(.status == "deprecated")'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runCompileClaims(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write to this `folder`, or - for standard output")
	f.Var(versionFlag{&o.version}, "schema-version", "write this `version` of the records")
	f.StringArrayVar(&o.catalog, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.Var(&o.memory, "memory", "hold at most this many bytes of records before they go to disk, like 64M; less than 512K is 512K")
	f.IntVar(&o.workers, "workers", 0, "use `n` workers (0: one per core)")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	f.StringVar(&o.now, "now", "", "the run's `time`, RFC 3339, for meta.json of version 0.0.1 (default: the clock)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON on standard error's place: standard output")
	return c
}

// compiledMeta is meta.json. It holds no clock, so that the same input gives the same file.
type compiledMeta struct {
	SchemaVersion schema.Version `json:"schema_version"`
	Files         int            `json:"files_scanned"`
	Records       int            `json:"records_read"`
	Entities      int            `json:"entities_count"`
	Claims        int            `json:"claims_count"`
	Deprecated    int            `json:"deprecated"`
	Findings      map[string]int `json:"findings"`

	Outputs []schema.FileDigest `json:"outputs"`
}

// compiledMeta001 is the existing chain's compiled_meta.json.
type compiledMeta001 struct {
	InDir     string            `json:"in_dir"`
	OutDir    string            `json:"out_dir"`
	Files     int               `json:"files_scanned"`
	Records   int               `json:"records_read"`
	Entities  int               `json:"entities_count"`
	Claims    int               `json:"claims_count"`
	Elapsed   schema.Confidence `json:"elapsed_seconds"` // always 0.0: a clock would change the bytes
	UpdatedAt string            `json:"updated_at"`
}

// minClaimsMemory is the least that is gathered before it goes to disk: many tiny runs
// take minutes to merge and save nothing beside what the process needs anyway.
const minClaimsMemory = 512 << 10

func runCompileClaims(ctx context.Context, e *env, o compileClaimsOptions) error {
	if o.out == "" {
		return usagef("no output folder: give -o")
	}
	if err := notInput(o.out, o.inputs...); err != nil {
		return err
	}
	files, err := inputFiles(o.inputs, ".jsonl")
	if err != nil {
		return err
	}
	cat, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	var in []claims.BulkInput
	for _, f := range files {
		in = append(in, claims.BulkInput{Name: f, Open: func() (io.ReadCloser, error) { return jsonl.Open(f, e.in) }})
	}
	t := newTally(e, 100)
	bo := claims.BulkOptions{Catalog: cat, Version: o.version, Memory: max(int64(o.memory), minClaimsMemory), Workers: o.workers, MaxLine: int(o.maxLine)}
	found := func(f *schema.Finding) error { return t.take(f) }
	// Nearly all that is held is bytes, which cost the collector nothing to look at:
	// collecting often saves memory, not time.
	defer bulkMemory(e)()
	if o.out == "-" {
		if _, err := claims.Bulk(ctx, in, e.out, e.out, found, bo); err != nil {
			return err
		}
		t.summary()
		if o.strict && t.errors > 0 {
			return errFindings
		}
		return nil
	}
	ents, err := newDigestFile(filepath.Join(o.out, "entities.jsonl"))
	if err != nil {
		return err
	}
	defer ents.Close()
	cls, err := newDigestFile(filepath.Join(o.out, "claims.jsonl"))
	if err != nil {
		return err
	}
	defer cls.Close()
	res, err := claims.Bulk(ctx, in, ents, cls, found, bo)
	if err != nil {
		return err
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	var meta any = compiledMeta{o.version, res.Files, res.Records, res.Entities, res.Claims, res.Deprecated, t.byCode,
		[]schema.FileDigest{cls.sum("claims.jsonl"), ents.sum("entities.jsonl")}}
	if o.version == schema.V001 {
		now := o.now
		if now == "" {
			now = e.now().UTC().Format(time.RFC3339)
		}
		meta = compiledMeta001{filepath.ToSlash(strings.Join(o.inputs, " ")), filepath.ToSlash(o.out), res.Files, res.Records, res.Entities, res.Claims, 0, now}
	}
	// The folder's files change together as far as renames can do that: meta comes last.
	if err := ents.Commit(); err != nil {
		return err
	}
	if err := cls.Commit(); err != nil {
		return err
	}
	if err := writeOut(e, filepath.Join(o.out, "meta.json"), func(w io.Writer) error { return writeJSON(w, meta) }); err != nil {
		return err
	}
	if o.json {
		return writeJSON(e.out, meta)
	}
	e.warnf("%d records of %d files: %d entities, %d claims (%d deprecated)", res.Records, res.Files, res.Entities, res.Claims, res.Deprecated)
	return nil
}
