package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"membench/chain"
	"membench/schema"
	"membench/schema/findings"
	"membench/schema/jsonl"
	"membench/schema/validate"

	"github.com/spf13/cobra"
)

type validateOptions struct {
	validate.PathOptions
	paths    []string
	format   string
	limit    int
	summary  bool
	catalogs []string
}

func newValidateCmd(e *env) *cobra.Command {
	var o validateOptions
	c := verb("validate PATH...", "Check files of any kind: JSON, schema, ids, links", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.paths = args
		return runValidate(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVar((*string)(&o.Kind), "kind", "", "take every record for this `kind` ("+strings.Join(kindNames(), ", ")+")")
	f.Var(versionFlag{&o.Version}, "input-version", "schema `version` of the input")
	f.StringVar(&o.format, "format", "text", "`form` of the findings: "+strings.Join(findings.Formats(), ", "))
	f.IntVar(&o.limit, "limit", 0, "print at most `n` findings (0: all); all are counted")
	f.BoolVar(&o.summary, "summary", false, "group the findings by code and kind of place, with counts and a sample")
	f.BoolVar(&o.SchemaOnly, "schema-only", false, "check JSON and schema only")
	f.IntVar(&o.MaxLine, "max-line", jsonl.MaxLine, "skip lines longer than this many `bytes`")
	f.IntVar(&o.Workers, "workers", runtime.GOMAXPROCS(0), "read with `n` workers; the output is the same")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	return c
}

func runValidate(ctx context.Context, e *env, o validateOptions) error {
	defer roomyMemory(e)()
	var err error
	if o.Catalog, err = chain.LoadCatalog(o.catalogs); err != nil {
		return err
	}
	o.Stdin = e.in
	buf := bufio.NewWriterSize(e.findings(o.format), 1<<16)
	p, err := findings.New(buf, o.format, o.limit, o.summary)
	if err != nil {
		return err
	}
	p.Version, p.Text = release, e.texts.finding
	checked, err := validate.Paths(ctx, o.paths, o.PathOptions, p.Add)
	if err == nil && o.Kind == "" && !o.SchemaOnly {
		err = chain.Rederive(ctx, checked.Files, chain.RederiveOptions{Shared: chain.Shared{Report: p.Add}, Faulty: p.Errors > 0, Warn: e.warnf, Catalogs: o.catalogs, Workers: o.Workers, MaxLine: o.MaxLine})
	}
	if err != nil {
		return err
	}
	if n := len(checked.Foreign); n > 0 {
		e.warnf("skipped: %s in another format, first %s (name the file, or its --kind, to check it)", findings.Count(n, "file"), checked.Foreign[0])
	}
	if err := errors.Join(p.End(), buf.Flush()); err != nil {
		return err
	}
	total := sayChecked(e, checked.Files, p)
	switch {
	case p.Errors > 0:
		return errFindings
	case total == 0:
		return schema.Brokenf("the input has no record")
	}
	return nil
}

// sayChecked prints the detected kinds of the files and the number of findings. It returns the number of records.
func sayChecked(e *env, files []validate.File, p *findings.Printer) (total int) {
	kinds := map[schema.Kind]int{}
	versions := map[schema.Version]int{}
	for _, f := range files {
		versions[f.Version]++
		schema.Tally(kinds, f.Kinds)
	}
	var parts []string
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
	if total == 0 {
		e.warnf("checked %s: no record", findings.Count(len(files), "file"))
	} else {
		e.warnf("checked %s as version %s, %s%s", findings.Count(len(files), "file"), strings.Join(vs, " and "), findings.Count(total, "record"), what)
	}
	e.warnf("%s, %s", findings.Count(p.Errors, "error"), findings.Count(p.Warnings, "warning"))
	return total
}
