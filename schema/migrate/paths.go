package migrate

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// PathOptions of Paths.
type PathOptions struct {
	Options
	In, Out  string         // a file or a folder; Out may be "-" for a file
	From, To schema.Version // From "": by the manifest, or by the records
	Check    bool           // prove that nothing was lost
	Strict   bool           // write nothing when a line is faulty
	Accept   schema.Limit   // faulty lines that are not errors
	TempDir  string
	Stdout   io.Writer
	Membench string               // version of the program, for manifests
	Warn     func(message string) // nil: no warnings
}

func (o PathOptions) warn(format string, args ...any) {
	if o.Warn != nil {
		o.Warn(fmt.Sprintf(format, args...))
	}
}

// PathReport is the result of Paths.
type PathReport struct {
	Report
	Copied   int            `json:"copied"`            // files that hold no records
	Identity bool           `json:"identity,omitzero"` // proved by Check
	Findings map[string]int `json:"findings,omitempty"`
}

// input is a file or a folder, with the files that hold records and the others.
type input struct {
	dir             bool
	root            string
	records, others []string
}

func (o PathOptions) input() (in input, err error) {
	info, err := os.Stat(o.In)
	if err != nil {
		return in, err
	}
	if err := build.Apart(o.Out, o.In); err != nil {
		return in, err
	}
	if in.dir = info.IsDir(); !in.dir {
		in.root, in.records = filepath.Dir(o.In), []string{filepath.Base(o.In)}
		return in, nil
	}
	if o.Out == "-" {
		return in, schema.Usagef("a folder cannot go to standard output: give -o a folder")
	}
	if err := replaceable(o.Out); err != nil {
		return in, err
	}
	in.root = o.In
	names, err := jsonl.Below(o.In)
	for _, n := range names {
		foreign := !strings.HasSuffix(jsonl.PlainName(n), ".jsonl")
		if !foreign {
			if foreign, err = validate.ForeignFile(filepath.Join(o.In, n)); err != nil {
				return in, err
			}
		}
		if foreign {
			in.others = append(in.others, n)
		} else {
			in.records = append(in.records, n)
		}
	}
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: the folder is empty", o.In)
	}
	return in, err
}

// Paths moves a file or a folder to another schema version. The output appears completely or not at all. It fails with a *schema.RejectedError if lines were
// skipped.
func Paths(ctx context.Context, o PathOptions) (rep PathReport, err error) {
	in, err := o.input()
	if err != nil {
		return rep, err
	}
	// Run counts skipped records; the frame decides on the consequences.
	f := build.Frame{Step: "migrate", Report: o.Options.Report, Strict: o.Strict, Accept: o.Accept}
	o.Options.Report = f.Found
	before := recordFiles(in.root, in.records)
	if o.From == "" {
		if o.From, err = inputVersion(ctx, in.root, before, o.To, o.Options); err != nil {
			return rep, err
		}
	}
	steps, err := Steps(o.From, o.To)
	if err != nil {
		return rep, err
	}
	rep.Report = Report{From: o.From, To: o.To, Files: len(in.records)}
	// Everything is written to a folder next to the output and then moved into place.
	place, err := &build.Place{}, error(nil)
	if o.Out == "-" {
		place.Dir, err = os.MkdirTemp(o.TempDir, "membench-migrate-*")
	} else {
		place, err = build.NewPlace(o.Out)
	}
	if err != nil {
		return rep, err
	}
	defer place.RollBack()
	made := place.Dir
	defer func() { err = build.Explain(err, made, o.Out) }()
	last, err := o.steps(ctx, in, before, steps, made, &rep)
	if err != nil {
		return rep, err
	}
	for _, n := range rep.Records {
		f.Taken += n.Out
	}
	switch {
	case len(steps) == 1:
		f.Taken = rep.Other // copied
	case f.Taken == 0 && f.Rejected == 0 && rep.Other > 0:
		return rep, schema.Brokenf("%s: none of its %d lines is a record of membench", o.In, rep.Other)
	}
	if rep.Findings = f.ByCode; f.Check() != nil {
		return rep, f.Check()
	}
	if err := o.put(in, place, last, &rep); err != nil {
		return rep, err
	}
	return rep, f.Verdict()
}

// steps goes from version to version and returns the folder of the last.
func (o PathOptions) steps(ctx context.Context, in input, before []File, steps []schema.Version, made string, rep *PathReport) (last string, err error) {
	after := before
	if len(steps) > 1 {
		if _, err := o.refused(before, false); err != nil {
			return "", err
		}
	}
	for i := range len(steps) - 1 {
		dir := filepath.Join(made, fmt.Sprint(i+1))
		r, err := Run(ctx, after, steps[i], steps[i+1], createBelow(dir), o.Options)
		if err != nil {
			return "", err
		}
		files := recordFiles(dir, plainNames(in.records))
		if o.Check {
			if err := Verify(ctx, after, files, steps[i], steps[i+1], o.Options); err != nil {
				return "", fmt.Errorf("--check: %w", err)
			}
			rep.Identity = true
		}
		after, rep.Report = files, r
		rep.From, rep.To = o.From, o.To
	}
	if len(steps) > 1 && rep.Other > 0 {
		o.warn("%d lines are not records that a migration moves (such as changes.jsonl, whose ids are those of version %s): they are copied as they are", rep.Other, o.From)
	}
	last = filepath.Join(made, fmt.Sprint(len(steps)-1))
	if len(steps) == 1 {
		o.warn("the input is of version %s already: copied as it is", o.From)
		rep.Other, err = o.unpack(before, last)
		return last, err
	}
	return last, nil
}

// put puts the last version into place, or writes it to standard output.
func (o PathOptions) put(in input, place *build.Place, last string, rep *PathReport) error {
	if !in.dir {
		made := filepath.Join(last, jsonl.PlainName(in.records[0]))
		if o.Out == "-" {
			f, err := os.Open(made)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(o.Stdout, f)
			return err
		}
		if err := place.Put(made); err != nil {
			return err
		}
		return place.Done()
	}
	if err := copyFiles(in.root, in.others, last); err != nil {
		return err
	}
	rep.Copied = len(in.others)
	slices.SortStableFunc(in.others, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") }) // a manifest may list those below it
	if err := o.manifests(last, in.root, in.others, *rep); err != nil {
		return err
	}
	if err := place.Put(last); err != nil {
		return err
	}
	return place.Done()
}

// manifestIn reads dir's manifest; a folder without one gives a zero Manifest.
func manifestIn(dir string) (schema.Manifest, error) {
	m, err := build.ReadManifest(filepath.Join(dir, "manifest.json"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return m, err
}

func plainNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = jsonl.PlainName(n)
	}
	return out
}

func recordFiles(root string, names []string) (out []File) {
	for _, n := range names {
		out = append(out, File{Name: jsonl.PlainName(n), Open: func() (io.ReadCloser, error) { return jsonl.Open(filepath.Join(root, n), nil) }})
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
		return &buffered{bufio.NewWriterSize(f, 1<<16), f}, nil
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

// unpack copies record files, decompressed, under the names that a migration gives them,
// and counts their lines.
func (o PathOptions) unpack(files []File, dir string) (n int, err error) {
	for _, f := range files {
		in, err := f.Open()
		if err != nil {
			return n, err
		}
		out, err := createBelow(dir)(f.Name)
		if err == nil {
			tee := io.NopCloser(io.TeeReader(in, out))
			var lines int
			lines, err = o.refused([]File{{Name: f.Name, Open: func() (io.ReadCloser, error) { return tee, nil }}}, true)
			n += lines
			err = errors.Join(err, out.Close())
		}
		if err := errors.Join(err, in.Close()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// refused reports the records that validate rejects, and counts the lines. They are moved as they are: an older version may have no valid form for them. Without
// all, lines that are not JSON objects are not reported: Run does.
func (o PathOptions) refused(files []File, all bool) (n int, err error) {
	for line, err := range validate.Lines(files, validate.PathOptions{Options: validate.Options{MaxLine: o.MaxLine}, Catalog: o.Catalog, Version: o.From}) {
		var f *schema.Finding
		var obj schema.Object
		switch n++; {
		case err == nil:
		case !errors.As(err, &f):
			return n, err
		case all || !line.TooLong && codec.Unmarshal(line.Bytes, &obj) == nil:
			o.Options.Report(f)
		}
	}
	return n, nil
}

// replaceable returns an error if a folder may not be replaced: it must be absent, empty, or made by a migration.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := manifestIn(out)
	if err != nil {
		return err
	}
	if _, again := m.Extra["migrated_from"]; m.Step != "migrate" && !again {
		return fmt.Errorf("%s holds files that migrate did not write: give a new folder with -o, or empty it", out)
	}
	return nil
}

// inputVersion returns the manifest's version, or the one that the records show, or the target: records that look the same in both versions move without a
// change.
func inputVersion(ctx context.Context, root string, files []File, to schema.Version, o Options) (schema.Version, error) {
	m, err := manifestIn(root)
	if err != nil {
		return "", err
	}
	if m.SchemaVersion != "" {
		return schema.ParseVersion(string(m.SchemaVersion))
	}
	v, err := Detect(ctx, files, o)
	if err != nil || v != "" {
		return v, err
	}
	if to == schema.V001 {
		return schema.Latest, nil
	}
	return schema.V001, nil
}

// manifests brings version and digests of each manifest.json up to date, and
// writes one at the root where there is none.
func (o PathOptions) manifests(dir, root string, others []string, rep PathReport) error {
	atRoot := false
	for _, n := range others {
		if filepath.Base(n) != "manifest.json" {
			continue
		}
		atRoot = atRoot || n == "manifest.json"
		path := filepath.Join(dir, n)
		b, err := smallfile.Read(path)
		if err != nil {
			return err
		}
		var m schema.Manifest
		if err := codec.Unmarshal(bytes.TrimSpace(b), &m); err != nil || m.Step == "" {
			o.warn("%s is not a manifest of membench: copied as it is", n)
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
	return o.rootManifest(dir, root, rep)
}

// rootManifest writes the manifest of a folder that had none.
func (o PathOptions) rootManifest(dir, root string, rep PathReport) error {
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
	m := schema.Manifest{SchemaVersion: rep.To, Step: "migrate", StepVersion: 1, Membench: o.Membench, Options: options, Inputs: inputs, Outputs: outputs, Findings: rep.Findings, Counts: map[string]int{}}
	for k, n := range rep.Records {
		m.Counts[string(k)] = n.Out
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	return build.WriteManifest(filepath.Join(dir, "manifest.json"), m)
}

// buffered is a file written through a buffer; Close writes the rest and syncs.
type buffered struct {
	*bufio.Writer
	f *os.File
}

func (b *buffered) Close() error {
	return cmp.Or(b.Flush(), b.f.Sync(), b.f.Close())
}
