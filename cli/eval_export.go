package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"membench/eval/published"
	"membench/eval/records"
	"membench/memory/open"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type evalExportOptions struct {
	accept  acceptFlag
	run     string
	format  string
	out     string
	dataset string
	systems []string
	repeat  int
	model   string
	cases   string
	failed  bool
	list    bool
	json    bool
}

func newEvalExportCmd(e *env) *cobra.Command {
	o := evalExportOptions{}
	c := &cobra.Command{
		Use:   "export RUN --format FORM -o OUT",
		Short: "Write a run's answers in the format of a benchmark's own scorer",
		Long: `Write a run's answers in the format of a benchmark's own scorer, so that anyone can check
our grades with the original code. --list shows the formats and their scorers:

  lme     {"question_id", "hypothesis"} a line: LongMemEval's evaluate_qa.py
  locomo  conversations with SYSTEM_prediction (and the turns that were retrieved, where
          the run has its cases): LoCoMo's task_eval/evaluation.py
  mem0    by conversation: question, answer, response, category: Mem0's evals.py
  amb     one object with results and totals: the Agent Memory Benchmark's outputs; correct is
          a model's or recorded verdict where there is one, otherwise the rule judge's

A file holds one system and one repeat. -o is a folder, which gets SYSTEM.EXT each
(SYSTEM.2.EXT of the third repeat), or a file or - where there is only one. 'membench eval
import' reads them back (--cases RUN/cases.jsonl.zst for lme), with the same grades.

Questions that could not be asked are skipped and counted on standard error: the original
scorers divide by the number of answers they get. --failed writes them as empty answers
instead.`,
		Example: `  membench eval export runs/first --format lme -o hyp
  membench eval export runs/first --format locomo --system bm25 -o bm25.json
  membench eval export runs/first --format lme --system bm25 -o - | wc -l`,
		Args: func(c *cobra.Command, args []string) error {
			if o.list {
				return cobra.NoArgs(c, args)
			}
			return cobra.ExactArgs(1)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.list {
				return runEvalForms(e, o.json)
			}
			o.run = args[0]
			return runEvalExport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	f.StringVar(&o.format, "format", "", "`form` to write: lme, locomo or mem0")
	f.StringVarP(&o.out, "output", "o", "", "write to this `folder`, or file, or - for standard output")
	f.StringVar(&o.dataset, "dataset", "", "export the records of this data `set` (default: the form's)")
	f.StringSliceVarP(&o.systems, "system", "s", nil, "export these `systems` only")
	f.IntVar(&o.repeat, "repeat", -1, "export this `repeat` only, from 0 (default: each)")
	f.StringVar(&o.model, "model-key", "", "locomo: `name` before _prediction (default: the system's)")
	f.StringVar(&o.cases, "cases", "", "cases `file` with the benchmark's ids of turns (default: the run's own)")
	f.BoolVar(&o.failed, "failed", false, "write questions whose asking failed as empty answers")
	f.BoolVar(&o.list, "list", false, "list the forms and exit")
	f.BoolVar(&o.json, "json", false, "with --list: one JSON array")
	return c
}

func runEvalForms(e *env, asJSON bool) error {
	if asJSON {
		return writeJSON(e.out, published.Forms())
	}
	w := bufio.NewWriter(e.text())
	for _, f := range published.Forms() {
		fmt.Fprintf(w, "%-8s %s\n%8s for %s; read back as %s\n", f.Name, f.About, "", f.Scorer, f.Back)
	}
	return w.Flush()
}

// exported is one file to write.
type exported struct {
	system string
	repeat int
}

func runEvalExport(ctx context.Context, e *env, o evalExportOptions) error {
	form, err := published.FormByName(o.format)
	switch {
	case o.format == "":
		return usagef("no format: give --format lme, locomo, mem0 or amb (--list describes them)")
	case err != nil:
		return usageError{err: err}
	case o.out == "":
		return usagef("no output: give -o FOLDER, -o FILE or -o -")
	}
	qa, _, err := records.Find(o.run)
	if err != nil {
		return err
	}
	if err := notInput(o.out, qa); err != nil {
		return err
	}
	if o.dataset == "" {
		o.dataset = form.Dataset
	}
	given := o.dataset != ""
	t := o.accept.tally(e)
	var files []exported
	others := map[string]bool{}
	for r, err := range drop(t, records.QA(ctx, e.in, qa)) {
		if err != nil {
			return err
		}
		x := exported{r.V.System, r.V.Repeat}
		if o.dataset == "" {
			o.dataset = r.V.Dataset
		}
		switch {
		case r.V.Dataset != o.dataset:
			others[r.V.Dataset] = true
		case len(o.systems) > 0 && !slices.Contains(o.systems, x.system) || o.repeat >= 0 && x.repeat != o.repeat:
		case !slices.Contains(files, x):
			files = append(files, x)
		}
	}
	t.summary()
	if t.taken == 0 {
		return schema.Brokenf("%s: no record was read", qa)
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no such answers to %s: the data sets there are %s; name one with --dataset", qa, o.dataset, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
	if !given && len(others) > 0 {
		return usagef("%s holds answers to several data sets: name one with --dataset", qa)
	}
	one := o.out == "-" || strings.HasSuffix(o.out, form.Ext)
	if one && len(files) > 1 {
		return usagef("-o %s is one file, and there are %d (systems × repeats): give a folder, or choose with --system and --repeat", o.out, len(files))
	}
	w := published.WriteOptions{Model: o.model, Failed: o.failed}
	if form.Name == "locomo" {
		if w.Source, err = o.sources(ctx, e, t); err != nil {
			return err
		}
	}
	for _, x := range files {
		path := o.out
		if !one {
			name := open.FileName(x.system)
			if x.repeat > 0 {
				name += "." + strconv.Itoa(x.repeat)
			}
			path = filepath.Join(o.out, name+form.Ext)
		}
		var n published.Written
		err := writeOut(e, path, func(to io.Writer) error {
			b := bufio.NewWriterSize(to, 1<<16)
			answers := schema.Keep(drop(newTally(e.mute(), 0), records.QA(ctx, e.in, qa)), func(r *schema.Record[schema.QARecord]) bool {
				return r.V.Dataset == o.dataset && r.V.System == x.system && r.V.Repeat == x.repeat
			})
			var err error
			if n, err = form.Write(b, answers, w); err != nil {
				return err
			}
			return b.Flush()
		})
		if err != nil {
			return err
		}
		e.warnf("%s: %d answers of %s", path, n.Answers, x.system)
		if n.Failed > 0 && !o.failed {
			e.warnf("%s: %d questions whose asking failed are skipped; the scorer divides by what it is given (--failed writes them as empty answers)", path, n.Failed)
		}
	}
	return t.lost()
}

// sources are the benchmark's own ids of turns: about 60 bytes a turn. nil without cases.
func (o evalExportOptions) sources(ctx context.Context, e *env, t *tally) (func(schema.EventRef) string, error) {
	path := cmp.Or(o.cases, records.In(o.run, "cases.jsonl"))
	if path == "" {
		e.warnf("no cases beside the records: the turns that were retrieved are not written")
		return nil, nil
	}
	r, err := jsonl.Open(path, e.in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	ids := map[schema.EventRef]string{}
	for c, err := range drop(t, jsonl.Decode[schema.Case](jsonl.UntilDone(ctx, r), path)) {
		if err != nil {
			return nil, err
		}
		for _, s := range c.V.Sessions {
			for _, turn := range s.Turns {
				ids[schema.EventRef{ConvID: c.V.ConvID, TurnID: turn.TurnID}] = turn.SourceID
			}
		}
	}
	return func(x schema.EventRef) string { return ids[x] }, nil
}
