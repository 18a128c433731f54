package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"membench/datasets"
	"membench/eval/pipeline"
	"membench/schema"
	"membench/schema/findings"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

// censusOf returns the counts of a data set with its findings.
func censusOf(name string, n *datasets.Census, t *tally) datasets.CensusReport {
	r := datasets.CensusReport{Dataset: name, Census: *n}
	if len(t.byCode) > 0 {
		r.Findings = t.byCode
	}
	return r
}

func newDatasetsInfoCmd(e *env) *cobra.Command {
	var f datasetFlags
	c := verb("info NAME [PATH...]", "Describe a data set, and count its files", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		f.Name, f.Paths = args[0], args[1:]
		return runDatasetInfo(c.Context(), e, f)
	})
	f.add(c)
	c.Flags().BoolVar(&e.json, "json", false, "print as one JSON object")
	return c
}

func runDatasetInfo(ctx context.Context, e *env, f datasetFlags) error {
	info, ok := datasets.Lookup(f.Name)
	if !ok {
		return usagef("unknown data set %q: membench datasets list", f.Name)
	}
	var counts *datasets.CensusReport
	lost := error(nil)
	if len(f.Paths) > 0 {
		t := newTally(e, 0)
		t.limit = -1 // counted only: lint prints them
		set, err := f.open(e)
		if err != nil {
			return err
		}
		n := datasets.NewCensus()
		for _, err := range n.Count(drop(t, set.Read(ctx, t.found))) {
			if err != nil {
				return err
			}
		}
		r := censusOf(f.Name, n, t)
		counts, lost = &r, t.lost()
	}
	return errors.Join(e.show(struct {
		datasets.Info
		Counts *datasets.CensusReport `json:"counts,omitzero"`
	}{info, counts}, func(w io.Writer) { info.WriteText(w, counts) }), lost)
}

type lintOptions struct {
	datasetFlags
	format  string
	limit   int
	summary bool
	only    []string
}

func newDatasetsLintCmd(e *env) *cobra.Command {
	o := lintOptions{}
	c := verb("lint NAME [PATH...]", "List the faults in the files of a data set", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Name, o.Paths = args[0], args[1:]
		return runLint(c.Context(), e, o)
	})
	f := c.Flags()
	o.add(c)
	f.StringVar(&o.format, "format", "text", "`form` of the findings: text, json, sarif or github")
	f.IntVar(&o.limit, "limit", 0, "print at most `n` findings, 0 = all")
	f.BoolVar(&o.summary, "summary", false, "one line per code and place")
	f.StringSliceVar(&o.only, "code", nil, "only findings of these `codes`")
	return c
}

func runLint(ctx context.Context, e *env, o lintOptions) error {
	p, err := findings.New(e.findings(o.format), o.format, o.limit, o.summary)
	if err != nil {
		return err
	}
	p.Text = e.texts.finding
	tell := func(f *schema.Finding) {
		if len(o.only) == 0 || slices.Contains(o.only, f.Code) {
			p.Add(f)
		}
	}
	set, err := o.open(e)
	if err != nil {
		return err
	}
	n, err := set.Lint(ctx, tell)
	if err != nil {
		return err
	}
	if err := p.End(); err != nil {
		return err
	}
	pipeline.UnusedErrata(set.Options.Errata, pipeline.Log{Words: e.warnf})
	e.warnf("%s: %d cases, %d questions: %s, %s", o.Name, n.Cases, n.Questions, findings.Count(p.Errors, "error"), findings.Count(p.Warnings, "warning"))
	if p.Errors > 0 {
		return errFindings
	}
	return nil
}

type sampleOptions struct {
	datasetFlags
	n      int
	out    string
	record string
	stepFlags
}

func newDatasetsSampleCmd(e *env) *cobra.Command {
	o := sampleOptions{out: "-"}
	c := verb("sample NAME PATH...", "Draw questions, from each category in proportion", cobra.MinimumNArgs(2), func(c *cobra.Command, args []string) error {
		o.Name, o.Paths = args[0], args[1:]
		switch {
		case o.n <= 0:
			return usagef("-n: have %d, want more than 0", o.n)
		case slices.Contains(o.Paths, "-"):
			return usagef("sample reads the data twice: give files, not standard input")
		}
		return runSample(c.Context(), e, o)
	})
	f := c.Flags()
	o.datasetFlags.add(c)
	o.stepFlags.add(c, 20)
	f.IntVarP(&o.n, "number", "n", 0, "draw `n` questions")
	f.StringVarP(&o.out, "output", "o", o.out, "`file` of cases; - is standard output")
	f.StringVar(&o.record, "record", "", "write seed, shares and question ids to this `file`")
	return c
}

func runSample(ctx context.Context, e *env, o sampleOptions) error {
	if err := apart(o.out, o.Paths...); err != nil {
		return err
	}
	t := newTally(e, o.limit)
	set, err := o.open(e)
	if err != nil {
		return err
	}
	drawn, err := datasets.DrawFrom(drop(t, set.Read(ctx, t.found)), o.n, o.Seed)
	if err != nil {
		return err
	}
	t.summary()
	loss := t.loss("datasets sample", o.stepFlags)
	if err := loss.Before(); err != nil {
		return err
	}
	if err := writeOut(e, o.out, func(w io.Writer) error {
		_, _, err := jsonl.Write(w, schema.Latest, drawn.From(set.Read(ctx, nil)))
		return err
	}); err != nil {
		return err
	}
	if o.record != "" {
		if err := writeOut(e, o.record, func(w io.Writer) error { return writeJSON(w, drawn) }); err != nil {
			return err
		}
	}
	e.warnf("%s: %d of %d questions drawn with seed %d", o.Name, drawn.Taken, drawn.Of, o.Seed)
	return loss.After()
}
