package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sort"
	"strings"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
	"membench/schema/validate"

	"github.com/spf13/cobra"
)

type validateOptions struct {
	paths      []string
	kind       schema.Kind
	version    schema.Version // "" is detected
	format     string
	limit      int
	summary    bool
	schemaOnly bool
	maxLine    int
	workers    int
	catalogs   []string
}

func newValidateCmd(e *env) *cobra.Command {
	var o validateOptions
	var kind string
	c := &cobra.Command{
		Use:   "validate PATH...",
		Short: "Check files of any kind: JSON, schema, ids, links",
		Long: `Check files of any kind and print every fault with file, line, column, JSON
pointer and code.

PATH is a file, a folder (its .jsonl files and known .json files, sub-folders too;
lines of another program's format are left alone) or - for standard input; .gz and .zst are unpacked. All paths are one set: claims
are checked against the exports given with them, edges against the nodes.

The kind of each record is told from its members and the file's name. The version
is that of --input-version, else of the manifest beside the file, else the newest
that the first 100 records fit.

Rules beyond the schema: ids recomputed from their parts, hashes, order of turns and
instants, tags, vocabulary of the catalogue, repeated ids and ids of two things,
links between files, quoted evidence. 'membench schema codes' lists every code.

Findings go to standard output, a summary of what was checked to standard error.
Warnings do not change the exit status.`,
		Example: `  membench validate out/                        everything a chain wrote
  membench validate claims.jsonl --summary      grouped and counted
  zcat export.jsonl.gz | membench validate - --kind export --format sarif > findings.sarif`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.paths = args
			if kind != "" {
				o.kind = schema.Kind(kind)
				if !slices.Contains(schema.Kinds(schema.Latest), o.kind) {
					return usagef("--kind %q is unknown: have %v", kind, schema.Kinds(schema.Latest))
				}
			}
			if !slices.Contains(findingFormats, o.format) {
				return usagef("--format %q is unknown: have %s", o.format, strings.Join(findingFormats, ", "))
			}
			return runValidate(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&kind, "kind", "", "take every record for this `kind` ("+kindList()+")")
	f.Var(versionFlag{&o.version}, "input-version", "schema `version` of the input")
	f.StringVar(&o.format, "format", "text", "`form` of the findings: "+strings.Join(findingFormats, ", "))
	f.IntVar(&o.limit, "limit", 0, "print at most `n` findings (0: all); all are counted")
	f.BoolVar(&o.summary, "summary", false, "group the findings by code and kind of place, with counts and a sample")
	f.BoolVar(&o.schemaOnly, "schema-only", false, "check JSON and schema only")
	f.IntVar(&o.maxLine, "max-line", jsonl.MaxLine, "skip lines longer than this many `bytes`")
	f.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "read with `n` workers; the output is the same")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	return c
}

func kindList() string {
	var out []string
	for _, k := range schema.Kinds(schema.Latest) {
		out = append(out, string(k))
	}
	return strings.Join(out, ", ")
}

// loadCatalog reads the built-in catalogue and the files that add to it. What is wrong
// with a file is a fault of the command line that names it.
func loadCatalog(paths []string) (*catalog.Catalog, error) {
	var extra [][]byte
	for _, p := range paths {
		b, err := smallfile.Read(p)
		if err != nil {
			return nil, usageError{err}
		}
		extra = append(extra, b)
	}
	c, err := catalog.Load(extra...)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}

func runValidate(ctx context.Context, e *env, o validateOptions) error {
	if e.getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the index is small beside what passes through
	}
	cat, err := loadCatalog(o.catalogs)
	if err != nil {
		return err
	}
	files, err := validateFiles(o.paths)
	if err != nil {
		return err
	}
	c := validate.New(cat, validate.Options{Workers: o.workers, MaxLine: o.maxLine, SchemaOnly: o.schemaOnly, Digest: digestOf})
	buf := bufio.NewWriterSize(e.out, 1<<16)
	p, err := newFindingPrinter(buf, o.format, o.limit, o.summary)
	if err != nil {
		return err
	}
	versions := map[string]schema.Version{}
	add := func(f *schema.Finding) {
		if e.found != nil {
			e.found(f)
		}
		p.add(f)
	}
	each := func(name string, r io.Reader) error {
		v := o.version
		if v == "" && name != "-" {
			v = manifestVersion(filepath.Dir(name), versions)
		}
		for f, err := range c.Stream(untilDone(ctx, r), name, o.kind, v) {
			if err != nil {
				return err
			}
			add(f)
		}
		return nil
	}
	var foreign []string
	for _, name := range files {
		r, err := jsonl.Open(name.path, e.in)
		if err != nil {
			return fmt.Errorf("opening %s: %w", name.path, err)
		}
		br := bufio.NewReaderSize(r, validate.SniffBytes)
		if head, _ := br.Peek(validate.SniffBytes); name.found && o.kind == "" && validate.Foreign(name.path, head) {
			foreign = append(foreign, name.path)
		} else {
			err = each(name.path, br)
		}
		r.Close()
		if err != nil {
			return err
		}
	}
	if len(foreign) > 0 {
		e.warnf("left alone: %s of another format, first %s (name it, or --kind, to check it)", count(len(foreign), "file"), foreign[0])
	}
	for f, err := range c.Close() {
		if err != nil {
			return err
		}
		add(f)
	}
	if err := p.end(); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	sayChecked(e, c.Checked, p)
	if p.errors > 0 {
		return errFindings
	}
	return nil
}

// sayChecked prints what the files were taken for and how many findings there are.
func sayChecked(e *env, files []validate.File, p *findingPrinter) {
	kinds := map[schema.Kind]int{}
	versions := map[schema.Version]int{}
	for _, f := range files {
		versions[f.Version]++
		for k, n := range f.Kinds {
			kinds[k] += n
		}
	}
	var parts []string
	total := 0
	for _, k := range append(schema.Kinds(schema.Latest), "") {
		if n := kinds[k]; n > 0 {
			total += n
			name := string(k)
			if k == "" {
				name = "unknown"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, name))
		}
	}
	var vs []string
	for _, v := range schema.Versions() {
		if versions[v] > 0 {
			vs = append(vs, string(v))
		}
	}
	what := ""
	if len(parts) > 0 {
		what = ": " + strings.Join(parts, ", ")
	}
	e.warnf("checked %s as version %s, %s%s", count(len(files), "file"), strings.Join(vs, " and "), count(total, "record"), what)
	e.warnf("%s, %s", count(p.errors, "error"), count(p.warnings, "warning"))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// inputFile is a file to check; found says that a folder gave it, not the user.
type inputFile struct {
	path  string
	found bool
}

// validateFiles expands folders, sub-folders too; files of a folder are sorted so that
// what is referred to comes first.
func validateFiles(paths []string) ([]inputFile, error) {
	var out []inputFile
	for _, p := range paths {
		if p == "-" {
			out = append(out, inputFile{path: p})
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, inputFile{path: p})
			continue
		}
		var files []inputFile
		err = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if strings.HasPrefix(d.Name(), ".") && name != p {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			base := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".gz"), ".zst")
			if !d.IsDir() && (strings.HasSuffix(base, ".jsonl") || validate.KindOfName(name) != "" && !foreignMeta(name)) {
				files = append(files, inputFile{name, true})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("%s: no .jsonl file and no index, manifest or meta .json file in it", p)
		}
		out = append(out, files...)
	}
	sort.SliceStable(out, func(i, j int) bool { return validate.Rank(out[i].path) < validate.Rank(out[j].path) })
	return out, nil
}

// foreignMeta reports a meta.json that stands beside no claims: other programs use the
// name too.
func foreignMeta(name string) bool {
	if validate.KindOfName(name) != schema.KindMeta {
		return false
	}
	for _, end := range []string{"", ".gz", ".zst"} {
		if exists(filepath.Join(filepath.Dir(name), "claims.jsonl"+end)) {
			return false
		}
	}
	return true
}

// manifestVersion is the schema version in a folder's manifest.json, or "".
func manifestVersion(dir string, known map[string]schema.Version) schema.Version {
	if v, ok := known[dir]; ok {
		return v
	}
	known[dir] = ""
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return ""
	}
	for k, v := range codec.Members(b) {
		if k == "schema_version" {
			if sv, err := schema.ParseVersion(codec.Unquote(v)); err == nil {
				known[dir] = sv
			}
		}
	}
	return known[dir]
}

// digestOf gives the validator the SHA-256 and size of a file named in a manifest.
func digestOf(path string) (string, int64, error) {
	d, err := build.Digest(filepath.FromSlash(path))
	return d.SHA256, d.Bytes, err
}
