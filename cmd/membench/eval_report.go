package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"membench/eval/aggregate"
	"membench/eval/report"
	"membench/internal/atomicfile"
	"membench/internal/codec"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalReportOptions struct {
	inputs []string

	report.Options
	figures    aggregate.Options
	confidence percentFlag
	prices     string
	formats    []string
	lang       string
	out        string
	strict     bool
}

// reportFormats are the forms of a report, by the ending of their file.
var reportFormats = []string{"md", "csv", "json", "html"}

func newEvalReportCmd(e *env) *cobra.Command {
	o := evalReportOptions{confidence: 95}
	c := &cobra.Command{
		Use:   "report RUN... -o DIR",
		Short: "Make reports of graded runs: Markdown, CSV, JSON, one HTML file",
		Long: `Make reports of graded runs: Markdown, CSV, JSON, one HTML file.

A RUN is a folder with qa_records.jsonl (and session_records.jsonl), or such a file; several
RUNs make one report. It holds, for each data set, the table of systems by category with
their tokens; then each figure with n, intervals and what was skipped, every grader beside
the others, outcomes, tokens, cost and latency, and where facts were lost (membench eval
explain). The order that is usual among reference systems (oracle evidence on top, full
context at least as good as a memory, embeddings alone below) is held against the figures:
a note, never a failure.

report.html needs no network and no server. Beside tables and plots it lists the answers:
filters, search, and for each what was retrieved, the context, the verdicts and where it was
lost. Drawn and failed answers stand in the page (--embed); all others in report_files/,
which it loads when asked: keep both together. A run of few answers has no such folder.

-p names the grader of the main tables: NAME, or "NAME by GRADER". Without it, a model
before a rule, of those that graded most systems. Formats are md, csv, json and html.`,
		Example: `  membench eval report runs/bm25 runs/mem0 -o report
  membench eval report runs/all -p rule --format md -o - | less
  membench eval report runs/all --format md,html --lang zh -o report`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			o.figures.Confidence = float64(o.confidence) / 100
			if err := o.check(); err != nil {
				return err
			}
			return runEvalReport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	addFigureFlags(c, &o.figures.Options, &o.confidence)
	f.StringVarP(&o.out, "output", "o", "", "write to this `folder`; - prints one format, but html")
	f.StringSliceVar(&o.formats, "format", reportFormats, "`formats` to write, with commas")
	f.StringVarP(&o.Protocol, "protocol", "p", "", "grader of the main tables: `name`, or \"name by grader\"")
	f.StringVar(&o.lang, "lang", report.English, "`language` of report.md and the first of report.html: en or zh")
	f.StringVar(&o.Title, "title", "", "`heading` of the report")
	f.IntVar(&o.figures.Declared, "declared", 0, "`n` questions were declared before the run: coverage is said of them")
	f.StringSliceVar(&o.figures.Apart, "apart", nil, "raw `categories` that enter no total, with commas (default: 5 of locomo)")
	f.StringVar(&o.prices, "prices", "", pricesHelp)
	f.IntVar(&o.Embed, "embed", 200, "embed `n` drawn and n failed answers in the page")
	f.IntVar(&o.MaxText, "max-text", 20_000, "show at most `n` characters of a context in the page")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when the data has errors")
	return c
}

func (o *evalReportOptions) check() error {
	for _, f := range o.formats {
		if !slices.Contains(reportFormats, f) {
			return usagef("--format: have %q, want some of %s", f, strings.Join(reportFormats, ", "))
		}
	}
	switch {
	case len(o.formats) == 0:
		return usagef("--format names nothing: want some of %s", strings.Join(reportFormats, ", "))
	case o.out == "":
		return usagef("no output named: add -o FOLDER, or --format md -o - for standard output")
	case o.out == "-" && (len(o.formats) != 1 || o.formats[0] == "html"):
		return usagef("-o - prints one format, md, csv or json: name it with --format")
	case o.lang != report.English && o.lang != report.Chinese:
		return usagef("--lang: have %q, want en or zh", o.lang)
	case o.Embed < 1 || o.MaxText < 1:
		return usagef("--embed and --max-text want a number above 0: have %d and %d", o.Embed, o.MaxText)
	case slices.Contains(o.inputs, "-"):
		return usagef("records are read twice, which standard input cannot be: give a file or a run's folder")
	}
	o.Pages = slices.Contains(o.formats, "html")
	return nil
}

func runEvalReport(ctx context.Context, e *env, o evalReportOptions) error {
	prices, err := figurePrices(e, o.prices)
	if err != nil {
		return err
	}
	o.figures.Prices = prices
	t := newTally(e, 20)
	a := aggregate.New(o.figures)
	var answers []string
	for _, path := range o.inputs {
		qa, sessions, err := runFiles(path)
		if err != nil {
			return err
		}
		err = withRecords(ctx, e, qa, func(q schema.Seq[schema.QARecord]) error {
			return withRecords(ctx, e, sessions, func(s schema.Seq[schema.SessionRecord]) error { return a.Read(q, s, t.take) })
		})
		if err != nil {
			return err
		}
		if qa != "" {
			answers = append(answers, qa)
		}
		o.Runs = append(o.Runs, runOf(path))
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	summaries := a.Summaries()
	if len(summaries) == 0 {
		return fmt.Errorf("no record was read: give graded records (membench eval grade)")
	}
	var side *sideFiles
	if o.Pages {
		if side, err = newSideFiles(o.out); err != nil {
			return err
		}
		defer side.close()
		o.Side = side.write
	}
	b, err := report.New(o.Options, summaries)
	if err != nil {
		return usageError{err}
	}
	known := func(error) error { return nil } // findings are counted already
	for _, qa := range answers {
		if err := withRecords(ctx, e, qa, func(q schema.Seq[schema.QARecord]) error { return b.Read(q, known) }); err != nil {
			return err
		}
	}
	r, err := b.Report()
	if err != nil {
		return err
	}
	return writeReport(e, r, side, o)
}

func writeReport(e *env, r *report.Report, side *sideFiles, o evalReportOptions) error {
	fill := map[string]func(io.Writer) error{
		"md":   func(w io.Writer) error { return r.Markdown(w, o.lang) },
		"csv":  r.CSV,
		"json": func(w io.Writer) error { return writeJSON(w, r) },
		"html": func(w io.Writer) error { return r.HTML(w, o.lang) },
	}
	if o.out == "-" {
		return writeOut(e, "-", fill[o.formats[0]])
	}
	if side != nil { // before the page that loads them
		if err := side.commit(r.Folder()); err != nil {
			return err
		}
	}
	var made []string
	for _, f := range reportFormats {
		if !slices.Contains(o.formats, f) {
			continue
		}
		path := filepath.Join(o.out, "report."+f)
		if err := writeOut(e, path, fill[f]); err != nil {
			return err
		}
		made = append(made, path)
	}
	if side != nil {
		if err := side.sweep(r.Folder()); err != nil {
			return err
		}
	}
	for _, d := range r.Datasets {
		for _, n := range d.Sanity {
			if !n.Holds {
				e.warnf("note: %s: %s", d.Name, n.EN)
			}
		}
	}
	e.warnf("wrote %s", strings.Join(made, ", "))
	return nil
}

// runOf says where a run came from, as far as its manifest tells.
func runOf(path string) report.Run {
	r := report.Run{Path: filepath.ToSlash(path)}
	b, err := os.ReadFile(filepath.Join(path, "manifest.json"))
	if err != nil {
		return r
	}
	var m schema.Manifest
	if codec.Unmarshal(b, &m) == nil {
		r.Membench, r.Now, r.Models = m.Membench, m.Now, m.Models
	}
	return r
}

// sideFiles writes the page's side files: into a folder aside, which gets its name, a
// digest of the content, when all of them stand. A page therefore always finds the
// files that were made with it, whenever a run was killed.
type sideFiles struct {
	root, aside string
	lock        io.Closer
	files       int
}

// sideFolder is the name of the folder beside the page.
const sideFolder = "report_files"

func newSideFiles(out string) (*sideFiles, error) {
	s := &sideFiles{root: filepath.Join(out, sideFolder)}
	s.aside = filepath.Join(s.root, ".aside")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, err
	}
	lock, err := atomicfile.Hold(out)
	if err != nil {
		if errors.Is(err, atomicfile.ErrBusy) {
			return nil, fmt.Errorf("%s: another membench writes there: wait for it, or give another folder with -o", out)
		}
		return nil, err
	}
	s.lock = lock
	return s, os.RemoveAll(s.aside)
}

func (s *sideFiles) write(name string, data []byte) error {
	if s.files == 0 {
		if err := os.MkdirAll(s.aside, 0o777); err != nil {
			return err
		}
	}
	s.files++
	return os.WriteFile(filepath.Join(s.aside, name), data, 0o666)
}

// commit gives the folder its name. One of that name has the same content.
func (s *sideFiles) commit(name string) error {
	if name == "" {
		return nil
	}
	to := filepath.Join(s.root, name)
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	if err := atomicfile.SyncDir(s.aside); err != nil {
		return err
	}
	if err := os.Rename(s.aside, to); err != nil {
		return err
	}
	return atomicfile.SyncDir(s.root)
}

// sweep removes the side files of earlier pages, now that no page names them.
func (s *sideFiles) sweep(name string) error {
	entries, err := os.ReadDir(s.root)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, d := range entries {
		if d.Name() == name || !ours.MatchString(d.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(s.root, d.Name())); err != nil {
			return err
		}
	}
	os.Remove(s.root) // where nothing is left in it
	return nil
}

// ours are the folders that commit makes.
var ours = regexp.MustCompile(`^[0-9a-f]{16}$`)

func (s *sideFiles) close() {
	os.RemoveAll(s.aside)
	s.lock.Close()
}
