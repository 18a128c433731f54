package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"membench/chain"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/migrate"

	"github.com/spf13/cobra"
)

type migrateOptions struct {
	in       string
	out      string
	from, to schema.Version
	check    bool
	strict   bool
	json     bool
	maxLine  int
	catalogs []string
}

func newMigrateCmd(e *env) *cobra.Command {
	o := migrateOptions{to: schema.Latest, out: "", maxLine: jsonl.MaxLine}
	c := &cobra.Command{
		Use:   "migrate PATH --to VERSION -o OUT",
		Short: "Move files to another schema version, and back",
		Long: `Move a file or a whole folder to another schema version.

From 0.0.1 to 0.1.0 ids are minted again where the grammar asks for it (":", "|" and
"%" in names, "#" in parts of a chapter, an unknown work, memories by the md5 of
their text) and every reference to them is rewritten in claims, evidence, nodes and
edges; so migrate claims, exports and graph together. Old ids stay as id_aliases,
and trace finds them. Unknown members stay. What a record was is noted in its member
"migrated", so that the way back gives it again.

--check proves it: the way back is taken and compared record by record with the
input, no reference that led to a record is broken, and nothing is lost. Only order of
merged records, white space and the spelling of strings may differ. Lines that are no
JSON are reported and skipped; with --strict nothing is written then.`,
		Example: `  membench migrate old/ --to 0.1.0 -o new/ --check
  membench migrate claims.jsonl --to 0.0.1 -o - | head`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.in = args[0]
			switch {
			case o.in == "-":
				return usagef("a migration reads its input several times: give a file or a folder")
			case o.out == "":
				return usagef("-o is missing: the input is never changed in place")
			case o.out == "-" && o.json:
				return usagef("--json and the records cannot both go to standard output")
			case o.maxLine < 1:
				return usagef("--max-line: have %d, want at least 1", o.maxLine)
			}
			return runMigrate(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(versionFlag{&o.to}, "to", "`version` to move to")
	f.Var(versionFlag{&o.from}, "input-version", "`version` of the input; default: by its manifest, else by its records")
	f.StringVarP(&o.out, "output", "o", "", "`path` of the moved file or folder")
	f.BoolVar(&o.check, "check", false, "prove that nothing was lost")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 where a line is faulty")
	f.BoolVar(&o.json, "json", false, "print the report as one JSON object")
	f.IntVar(&o.maxLine, "max-line", o.maxLine, "longest line in `bytes`")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	return c
}

// migrateReport is what --json prints.
type migrateReport struct {
	migrate.Report
	Copied   int            `json:"copied"`            // files that hold no records
	Identity bool           `json:"identity,omitzero"` // proved by --check
	Findings map[string]int `json:"findings,omitempty"`
}

func runMigrate(ctx context.Context, e *env, o migrateOptions) (err error) {
	cat, err := chain.LoadCatalog(o.catalogs)
	if err != nil {
		return err
	}
	info, err := os.Stat(o.in)
	if err != nil {
		return err
	}
	if err := notInput(o.out, o.in); err != nil {
		return err
	}
	root, names := filepath.Dir(o.in), []string{filepath.Base(o.in)}
	if info.IsDir() {
		if root, names, err = o.in, nil, nil; inside(o.in, o.out) {
			return usagef("%s is inside %s: give another place with -o", o.out, o.in)
		}
		if o.out == "-" {
			return usagef("a folder cannot go to standard output: give -o a folder")
		}
		if err := replaceable(o.in, o.out); err != nil {
			return err
		}
		if names, err = filesBelow(root); err != nil {
			return err
		}
	}
	var records, others []string
	for _, n := range names {
		if strings.HasSuffix(jsonl.PlainName(n), ".jsonl") || !info.IsDir() {
			records = append(records, n)
		} else {
			others = append(others, n)
		}
	}
	t := newTally(e, 20)
	opts := migrate.Options{Catalog: cat, MaxLine: o.maxLine, Report: func(f *schema.Finding) { t.take(f) }}
	before := recordFiles(root, records)
	from := o.from
	if from == "" {
		if from, err = inputVersion(ctx, root, before, o.to, opts); err != nil {
			return err
		}
	}
	steps, err := migrate.Steps(from, o.to)
	if err != nil {
		return err
	}
	rep := migrateReport{Report: migrate.Report{From: from, To: o.to, Files: len(records)}}
	// Everything is made in a folder beside the output and then put into place.
	place, err := &build.Place{}, error(nil)
	if o.out == "-" {
		place.Dir, err = os.MkdirTemp(e.getenv("TMPDIR"), "membench-migrate-*")
	} else {
		place, err = build.NewPlace(o.out)
	}
	if err != nil {
		return err
	}
	defer place.RollBack()
	defer func() {
		if err != nil {
			err = build.Explain(err, place.Dir, o.out)
		}
	}()
	made := place.Dir
	after := before
	for i := range len(steps) - 1 {
		dir := filepath.Join(made, fmt.Sprint(i+1))
		r, err := migrate.Run(ctx, after, steps[i], steps[i+1], createBelow(dir), opts)
		if err != nil {
			return err
		}
		files := recordFiles(dir, plainNames(records))
		if o.check {
			if err := migrate.Verify(ctx, after, files, steps[i], steps[i+1], opts); err != nil {
				return fmt.Errorf("--check: %w", err)
			}
			rep.Identity = true
		}
		after, rep.Report = files, r
		rep.From, rep.To = from, o.to
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	last := filepath.Join(made, fmt.Sprint(len(steps)-1))
	if len(steps) == 1 {
		e.warnf("the input is of version %s already: copied as it is", from)
		if err := unpack(before, last); err != nil {
			return err
		}
	}
	if len(t.byCode) > 0 {
		rep.Findings = t.byCode
	}
	switch {
	case !info.IsDir() && o.out == "-":
		f, err := os.Open(filepath.Join(last, jsonl.PlainName(names[0])))
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.Copy(e.out, f); err != nil {
			return err
		}
	case !info.IsDir():
		if err := place.Put(filepath.Join(last, jsonl.PlainName(names[0]))); err != nil {
			return err
		}
	default:
		if err := copyFiles(root, others, last); err != nil {
			return err
		}
		rep.Copied = len(others)
		if err := migrateManifests(e, o, last, root, others, rep); err != nil {
			return err
		}
		if err := place.Put(last); err != nil {
			return err
		}
	}
	if o.out != "-" {
		if err := place.Done(); err != nil {
			return err
		}
	}
	if o.json {
		return writeJSON(e.out, rep)
	}
	for _, k := range schema.Kinds(schema.Latest) {
		if n := rep.Records[k]; n != nil {
			e.warnf("%-12s %d in, %d out, %d changed, %d merged", k, n.In, n.Out, n.Changed, n.Merged)
		}
	}
	e.warnf("%s to %s: %d of %d ids minted again, %d references rewritten, %d led nowhere before, %d lines skipped", from, o.to, rep.Reminted, rep.Ids, rep.Refs, rep.Dangling, rep.LeftOut)
	if rep.Identity {
		e.warnf("checked: the way back gives the input, and every reference that led to a record still does")
	}
	return nil
}

// inside reports whether b is a or lies below it.
func inside(a, b string) bool {
	x, err1 := filepath.Abs(a)
	y, err2 := filepath.Abs(b)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(x, y)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// filesBelow lists every file below dir that is not hidden, sorted.
func filesBelow(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		out = append(out, rel)
		return err
	})
	return out, err
}

func plainNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = jsonl.PlainName(n)
	}
	return out
}

func recordFiles(root string, names []string) (out []migrate.File) {
	for _, n := range names {
		out = append(out, migrate.File{Name: jsonl.PlainName(n), Open: func() (io.ReadCloser, error) { return jsonl.Open(filepath.Join(root, n), nil) }})
	}
	return out
}

// createBelow makes files in a folder that is not in place yet.
func createBelow(dir string) func(string) (io.WriteCloser, error) {
	return func(name string) (io.WriteCloser, error) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		f, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		return newBuffered(f), nil
	}
}

func copyFiles(root string, names []string, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, n := range names {
		in, err := os.Open(filepath.Join(root, n))
		if err != nil {
			return err
		}
		out, err := createBelow(dir)(n)
		if err == nil {
			_, err = io.Copy(out, in)
			err = errors.Join(err, out.Close())
		}
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// unpack copies record files, decompressed, under the names that a migration gives them.
func unpack(files []migrate.File, dir string) error {
	for _, f := range files {
		in, err := f.Open()
		if err != nil {
			return err
		}
		out, err := createBelow(dir)(f.Name)
		if err == nil {
			_, err = io.Copy(out, in)
			err = errors.Join(err, out.Close())
		}
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// replaceable says whether a folder may be replaced: there is none, it is empty, or a
// migration made it.
func replaceable(in, out string) error {
	if inside(out, in) {
		return usagef("%s holds the input: give another place with -o", out)
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := readManifest(out)
	if err != nil {
		return err
	}
	if _, again := m.Extra["migrated_from"]; m.Step != "migrate" && !again {
		return fmt.Errorf("%s holds files that migrate did not write: give a new folder with -o, or empty it", out)
	}
	return nil
}

// inputVersion is the manifest's, else what the records show, else the other end:
// records that look the same in both versions move without a change.
func inputVersion(ctx context.Context, root string, files []migrate.File, to schema.Version, o migrate.Options) (schema.Version, error) {
	m, err := readManifest(root)
	if err != nil {
		return "", err
	}
	if m.SchemaVersion != "" {
		return schema.ParseVersion(string(m.SchemaVersion))
	}
	v, err := migrate.Detect(ctx, files, o)
	if err != nil || v != "" {
		return v, err
	}
	if to == schema.V001 {
		return schema.Latest, nil
	}
	return schema.V001, nil
}

// migrateManifests brings version and digests of each manifest.json up to date, and
// writes one at the root where there is none.
func migrateManifests(e *env, o migrateOptions, dir, root string, others []string, rep migrateReport) error {
	atRoot := false
	for _, n := range others {
		if filepath.Base(n) != "manifest.json" {
			continue
		}
		atRoot = atRoot || n == "manifest.json"
		path := filepath.Join(dir, n)
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var m schema.Manifest
		if err := codec.Unmarshal(bytes.TrimSpace(b), &m); err != nil || m.Step == "" {
			e.warnf("%s is not a manifest of membench: copied as it is", n)
			continue
		}
		if m.SchemaVersion != rep.To {
			if m.Extra == nil {
				m.Extra = schema.Extra{}
			}
			m.Extra["migrated_from"] = codec.AppendString(nil, string(m.SchemaVersion))
		}
		m.SchemaVersion = rep.To
		for i, d := range m.Outputs {
			if !filepath.IsLocal(filepath.FromSlash(d.Path)) {
				continue
			}
			made := filepath.Join(filepath.Dir(path), filepath.FromSlash(jsonl.PlainName(d.Path)))
			now, err := build.Digest(made)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			m.Outputs[i] = schema.FileDigest{Path: jsonl.PlainName(d.Path), SHA256: now.SHA256, Bytes: now.Bytes}
		}
		if err := build.WriteManifest(path, m); err != nil {
			return err
		}
	}
	if atRoot {
		return nil
	}
	options, err := schema.NewObject(map[string]any{"from": rep.From, "to": rep.To})
	if err != nil {
		return err
	}
	inputs, err := build.Digests(root, []string{root})
	if err != nil {
		return err
	}
	outputs, err := build.Digests(dir, []string{dir})
	if err != nil {
		return err
	}
	m := schema.Manifest{SchemaVersion: rep.To, Step: "migrate", StepVersion: 1, Membench: release, Options: options, Inputs: inputs, Outputs: outputs, Findings: rep.Findings, Counts: map[string]int{}}
	for k, n := range rep.Records {
		m.Counts[string(k)] = n.Out
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	return build.WriteManifest(filepath.Join(dir, "manifest.json"), m)
}
