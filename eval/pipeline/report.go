package pipeline

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"membench/eval/aggregate"
	"membench/eval/records"
	"membench/eval/report"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"
)

// ReportOptions say what a report is made of and which forms are written.
type ReportOptions struct {
	report.Options
	Figures aggregate.Options
	Inputs  []string // runs, as records.Find takes them
	Formats []string // of Formats
	Lang    string   // of report.md, and the first of report.html: report.English | report.Chinese
	Out     string   // folder; "-" prints one format to Stdout
	Strict  bool     // write nothing where the data has errors (schema.ErrFindings)
	Graded  bool     // as of AggregateOptions
	Stdin   io.Reader
	Stdout  io.Writer
	Log     Log
}

// Check reports what is wrong with the options.
func (o *ReportOptions) Check() error {
	for _, f := range o.Formats {
		if !slices.Contains(Formats, f) {
			return schema.Usagef("--format: have %q, want some of %s", f, strings.Join(Formats, ", "))
		}
	}
	switch {
	case len(o.Formats) == 0:
		return schema.Usagef("--format names nothing: want some of %s", strings.Join(Formats, ", "))
	case o.Out == "":
		return schema.Usagef("no output named: add -o FOLDER, or --format md -o - for standard output")
	case o.Out == "-" && (len(o.Formats) != 1 || o.Formats[0] == "html"):
		return schema.Usagef("-o - prints one format, md, csv or json: name it with --format")
	case o.Lang != report.English && o.Lang != report.Chinese:
		return schema.Usagef("--lang: have %q, want en or zh", o.Lang)
	case o.Embed < 0 || o.MaxText < 0:
		return schema.Usagef("--embed and --max-text must be above 0: have %d and %d", o.Embed, o.MaxText)
	case slices.Contains(o.Inputs, "-"):
		return schema.Usagef("records are read twice, and standard input can be read only once: give a file or a run's folder")
	}
	return nil
}

// Report writes the reports of graded runs.
func Report(ctx context.Context, o ReportOptions) error {
	if err := o.Check(); err != nil {
		return err
	}
	o.Pages = slices.Contains(o.Formats, "html")
	names, err := records.Apart(o.Inputs)
	if err != nil {
		return err
	}
	again := repeats(o.Graded)
	summaries, err := summaries(ctx, AggregateOptions{Options: o.Figures, Inputs: o.Inputs, Strict: o.Strict, Stdin: o.Stdin, Log: o.Log, names: names}, again)
	if err != nil {
		return err
	}
	for _, path := range o.Inputs {
		o.Runs = append(o.Runs, runOf(path))
	}
	qa, _, err := records.FindAll(o.Inputs)
	if err != nil {
		return err
	}
	told, err := newAttributed(qa, names)
	if err != nil {
		return err
	}
	if o.Facts, err = facts(qa, names); err != nil {
		return err
	}
	var side *sideFiles
	if o.Pages {
		if side, err = newSideFiles(o.Out); err != nil {
			return err
		}
		defer side.close()
		o.Side = side.write
	}
	b, err := report.New(o.Options, summaries)
	if err != nil {
		return wrong(err)
	}
	if !slices.ContainsFunc(summaries, func(s schema.Summary) bool { return len(s.Scores) > 0 || s.Questions == 0 }) {
		return schema.Brokenf("no answer is graded: grade them first with membench eval grade")
	}
	known := func(*schema.Finding) {} // findings are counted already
	if err := b.Read(told.over(again.Over(ctx, names.QA(ctx, nil, qa...))), known); err != nil {
		return err
	}
	t := &tally{log: o.Log}
	for _, f := range told.edited() {
		t.found(f)
	}
	if o.Strict && t.errors > 0 {
		return schema.ErrFindings
	}
	r, err := b.Report()
	if err != nil {
		return err
	}
	return o.write(r, side)
}

func (o *ReportOptions) write(r *report.Report, side *sideFiles) error {
	fill := map[string]func(io.Writer) error{
		"md":   func(w io.Writer) error { return r.Markdown(w, o.Lang) },
		"csv":  r.CSV,
		"json": func(w io.Writer) error { return codec.WriteFile(w, r) },
		"html": func(w io.Writer) error { return r.HTML(w, o.Lang) },
	}
	if o.Out == "-" {
		return atomicfile.WriteOr("-", o.Stdout, fill[o.Formats[0]])
	}
	if side != nil { // before the page that loads them
		if err := side.commit(r.Folder()); err != nil {
			return err
		}
	}
	var made []*atomicfile.File
	var names []string
	for _, f := range Formats {
		if !slices.Contains(o.Formats, f) {
			continue
		}
		name := filepath.Join(o.Out, "report."+f)
		if err := build.NotInput(name, o.Inputs...); err != nil {
			return err
		}
		to, err := atomicfile.Create(name)
		if err != nil {
			return err
		}
		defer to.Close()
		if err := atomicfile.Buffered(to, fill[f]); err != nil {
			return err
		}
		made, names = append(made, to), append(names, name)
	}
	for _, f := range made { // all are filled before the first is put into place
		if err := f.Commit(); err != nil {
			return err
		}
	}
	if side != nil {
		if err := side.sweep(r.Folder()); err != nil {
			return err
		}
	}
	for _, d := range r.Datasets {
		for _, n := range d.Sanity {
			if !n.Holds {
				o.Log.Printf("note: %s: %s", d.Name, n.EN)
			}
		}
	}
	o.Log.Printf("wrote %s", strings.Join(names, ", "))
	return nil
}

// runOf describes the origin of a run, as far as its manifest records it.
func runOf(path string) report.Run {
	r := report.Run{Path: filepath.ToSlash(path)}
	if m, err := build.ReadManifest(filepath.Join(path, "manifest.json")); err == nil {
		r.Membench, r.Now, r.Models = m.Membench, m.Now, m.Models
	}
	return r
}
