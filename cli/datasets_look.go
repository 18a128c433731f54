package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"membench/datasets"
	"membench/eval/pipeline"
	"membench/schema"
	"membench/schema/findings"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

// caseCounts counts what passes.
type caseCounts struct {
	Cases      int            `json:"cases"`
	Sessions   int            `json:"sessions"`
	Turns      int            `json:"turns"`
	Points     int            `json:"memory_points,omitzero"`
	Questions  int            `json:"questions"`
	Categories map[string]int `json:"categories"` // common set and the raw label
	Evidence   int            `json:"with_evidence"`
	Unresolved int            `json:"unresolved_ids,omitzero"`
	Abstain    int            `json:"abstain,omitzero"`
	Corrected  int            `json:"corrected,omitzero"`
	ids        map[string]bool
}

func (n *caseCounts) count(in schema.Seq[schema.Case]) schema.Seq[schema.Case] {
	n.Categories, n.ids = map[string]int{}, map[string]bool{}
	return schema.Observe(in, func(c *schema.Case) { n.add(*c) })
}

func (n *caseCounts) add(c schema.Case) {
	n.Cases++
	n.ids[c.ID] = true
	n.Sessions += len(c.Sessions)
	for _, s := range c.Sessions {
		n.Turns += len(s.Turns)
		n.Points += len(s.Points)
	}
	n.Questions += len(c.Questions)
	for _, q := range c.Questions {
		n.ids[q.ID] = true
		n.Categories[strings.TrimSpace(q.Category+" "+q.RawCategory)]++
		n.Unresolved += len(q.Unresolved)
		if len(q.Evidence) > 0 || len(q.EvidenceIDs) > len(q.Unresolved) {
			n.Evidence++
		}
		if q.Abstain {
			n.Abstain++
		}
		if q.Errata != nil {
			n.Corrected++
		}
	}
}

// part says which part of the whole set was read, "" where that is all of it or unknown.
func (n *caseCounts) part(whole datasets.Counts) string {
	if n.Cases >= whole.Cases {
		return ""
	}
	return fmt.Sprintf(" (a part: the whole set has %d cases, %d questions)", whole.Cases, whole.Questions)
}

func (n *caseCounts) has(id string) bool { return n.ids[id] }

type caseReport struct {
	Dataset string `json:"dataset"`
	caseCounts
	Findings map[string]int `json:"findings,omitempty"`
}

func (n *caseCounts) report(name string, t *tally) caseReport {
	r := caseReport{Dataset: name, caseCounts: *n}
	if len(t.byCode) > 0 {
		r.Findings = t.byCode
	}
	return r
}

func newDatasetsInfoCmd(e *env) *cobra.Command {
	var f datasetFlags
	asJSON := false
	c := &cobra.Command{
		Use:   "info NAME [PATH...]",
		Short: "Describe a data set, and count its files",
		Long: `Describe a data set: where it is, its licence and terms, what can be fetched with which
checksum, and what the reader was checked on. With its files or folder, count cases, turns
and questions by category (common set, then raw label).`,
		Example: "  membench datasets info locomo\n  membench datasets info locomo locomo10.json --json",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runDatasetInfo(c.Context(), e, f, args[0], args[1:], asJSON)
		},
	}
	f.add(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print as one JSON object")
	return c
}

func runDatasetInfo(ctx context.Context, e *env, f datasetFlags, name string, paths []string, asJSON bool) error {
	info, ok := datasets.Lookup(name)
	if !ok {
		return usagef("unknown data set %q: membench datasets list", name)
	}
	var counts *caseReport
	lost := error(nil)
	if len(paths) > 0 {
		t := newTally(e, 0)
		t.limit = -1 // counted only: lint prints them
		set, err := f.open(e, name, paths)
		if err != nil {
			return err
		}
		var n caseCounts
		for _, err := range n.count(drop(t, set.Read(ctx, t.found))) {
			if err != nil {
				return err
			}
		}
		r := n.report(name, t)
		counts, lost = &r, t.lost()
	}
	if asJSON {
		return errors.Join(writeJSON(e.out, struct {
			datasets.Info
			Counts *caseReport `json:"counts,omitzero"`
		}{info, counts}), lost)
	}
	return errors.Join(printDatasetInfo(e.text(), info, counts), lost)
}

func printDatasetInfo(w io.Writer, i datasets.Info, n *caseReport) error {
	var b strings.Builder
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-11s %s\n", name, text)
		}
	}
	row("name", i.Name)
	row("title", i.Title)
	row("home", i.Home)
	row("licence", i.Licence)
	row("terms", i.Terms)
	row("status", string(i.Status))
	row("size", i.Size)
	row("checked", i.Checked)
	row("unverified", i.Unverified)
	row("note", i.Note)
	for _, f := range i.Files {
		row("file", f.Name)
		row("", "  "+f.URL)
		if f.SHA256 != "" {
			row("", "  sha256 "+f.SHA256)
		}
		row("", strings.TrimRight("  "+f.Note, " "))
	}
	if n != nil {
		row("counted", fmt.Sprintf("%d cases, %d sessions, %d turns, %d questions (%d with gold evidence, %d to abstain)%s", n.Cases, n.Sessions, n.Turns, n.Questions, n.Evidence, n.Abstain, n.part(i.Whole)))
		for _, k := range slices.Sorted(maps.Keys(n.Categories)) {
			row("", fmt.Sprintf("%6d  %s", n.Categories[k], k))
		}
		for _, k := range slices.Sorted(maps.Keys(n.Findings)) {
			c, _ := schema.Code(k)
			row("", fmt.Sprintf("%6d  %s %s", n.Findings[k], k, c.Meaning))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type lintOptions struct {
	datasetFlags
	name    string
	paths   []string
	format  string
	limit   int
	summary bool
	only    []string
}

func newDatasetsLintCmd(e *env) *cobra.Command {
	o := lintOptions{}
	c := &cobra.Command{
		Use:   "lint NAME [PATH...]",
		Short: "List the faults in the files of a data set",
		Long: `List errors and warnings in the files of a data set: records that cannot be read, dirty and
dangling evidence, repeated ids and questions, dates that cannot be read or come after the
question, and, with --errata, golds that a list disputes. Turn ids that are missing or
repeated, cases that hold less than the catalogue says, and files with another checksum than
the catalogue's of that name are findings, too. Exit 3 when there are errors; warnings do
not count.`,
		Example: `  membench datasets lint locomo locomo10.json
  membench datasets lint longmemeval longmemeval_s_cleaned.json --summary
  membench datasets lint locomo locomo10.json --errata errors.json --code DST016 --format json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.name, o.paths = args[0], args[1:]
			if !slices.Contains(findings.Formats(), o.format) {
				return usagef("--format: have %q, want one of %v", o.format, findings.Formats())
			}
			return runLint(c.Context(), e, o)
		},
	}
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
	set, err := o.open(e, o.name, o.paths)
	if err != nil {
		return err
	}
	var check datasets.Checker
	n := caseCounts{Categories: map[string]int{}, ids: map[string]bool{}}
	for r, err := range set.Read(ctx, tell) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			tell(f)
		case err != nil:
			return err
		default:
			n.add(r.V)
			check.Check(r.Pos, r.V, tell)
		}
	}
	if err := p.End(); err != nil {
		return err
	}
	pipeline.UnusedErrata(set.Options.Errata, pipeline.Log{Words: e.warnf})
	e.warnf("%s: %d cases, %d questions: %s, %s", o.name, n.Cases, n.Questions, findings.Count(p.Errors, "error"), findings.Count(p.Warnings, "warning"))
	if p.Errors > 0 {
		return errFindings
	}
	return nil
}

type sampleOptions struct {
	datasetFlags
	name   string
	paths  []string
	n      int
	out    string
	record string
	stepFlags
}

func newDatasetsSampleCmd(e *env) *cobra.Command {
	o := sampleOptions{out: "-"}
	c := &cobra.Command{
		Use:   "sample NAME PATH...",
		Short: "Draw questions, from each category in proportion",
		Long: `Draw questions of a data set and write their cases, with these questions only. Each raw
category contributes in proportion to its size. Within a category, a hash of --seed and the
question id decides, so the same seed draws the same questions in any order of files.
--record writes the selection to a file. Cases keep all of their sessions.`,
		Example: `  membench datasets sample locomo locomo10.json -n 200 --seed 7 -o cases.jsonl --record sampling.json`,
		Args:    cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			o.name, o.paths = args[0], args[1:]
			switch {
			case o.n <= 0:
				return usagef("-n: have %d, want more than 0", o.n)
			case slices.Contains(o.paths, "-"):
				return usagef("sample reads the data twice: give files, not standard input")
			}
			return runSample(c.Context(), e, o)
		},
	}
	f := c.Flags()
	o.datasetFlags.add(c)
	o.stepFlags.add(c, 20)
	f.IntVarP(&o.n, "number", "n", 0, "draw `n` questions")
	f.StringVarP(&o.out, "output", "o", o.out, "`file` of cases; - is standard output")
	f.StringVar(&o.record, "record", "", "write seed, shares and question ids to this `file`")
	return c
}

func runSample(ctx context.Context, e *env, o sampleOptions) error {
	if err := notInput(o.out, o.paths...); err != nil {
		return err
	}
	t := newTally(e, o.limit)
	set, err := o.open(e, o.name, o.paths)
	if err != nil {
		return err
	}
	drawn, err := datasets.DrawFrom(drop(t, set.Read(ctx, t.found)), o.n, o.seed)
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
	e.warnf("%s: %d of %d questions drawn with seed %d", o.name, drawn.Taken, drawn.Of, o.seed)
	return loss.After()
}
