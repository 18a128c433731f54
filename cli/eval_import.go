package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"membench/datasets"
	"membench/eval/pipeline"
	"membench/eval/published"
	"membench/eval/records"
	"membench/internal/atomicfile"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type evalImportOptions struct {
	accept acceptFlag
	inputs []string

	published.Options
	cases  []string
	errata string
	out    string
	strict bool
	list   bool
	json   bool
}

func newEvalImportCmd(e *env) *cobra.Command {
	o := evalImportOptions{}
	c := &cobra.Command{
		Use:   "import FILE...",
		Short: "Convert published result files, or your own, to records",
		Long: `Convert published result files, or your own, to records.

The form of each file is detected from its contents (--list shows the forms; --format names
one). Your own results need no form: a table with one row per answer (CSV, JSON Lines or a
JSON list), whose columns have their usual names or are named with --map. Recorded verdicts
become separate grades, named after the form (recorded-judge@locomo-rows), so that membench
eval grade can add ours and membench eval audit, aggregate and compare can use them. A
verdict that cannot be read is judge_failed, not wrong. A file that holds neither questions
nor golds (LongMemEval's hypotheses) needs the cases that were asked: --cases with the
output of membench datasets convert.

--errata applies a correction list to the golds (or the cases contain one, converted with
--errata): the recorded gold stays, and membench eval grade then grades against both.

-o names a folder (qa_records.jsonl, and session_records.jsonl where a file has sessions), a
.jsonl file, or - for the QA records alone. A form that was never tested with a real file is
marked unverified.`,
		Example: `  membench eval import --list
  membench eval import mine.csv theirs.csv --map question=Q,gold=Expected,prediction=Answer -o runs/ours
  membench eval import memobase_0710_3000.jsonl -o runs/memobase
  membench eval import run.jsonl.eval-results-gpt-4o --cases lme.cases.jsonl -o - | jq -r .grades[0].score
  membench eval import memobase_0710_3000.jsonl --errata errata.json -o runs/memobase
  membench eval import report.json --format memorybench-report -o runs/report`,
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			if o.list {
				return runEvalFormats(e, o.json)
			}
			switch {
			case len(args) == 0:
				return usagef("no result file is given; --list shows the forms that can be read")
			case o.out == "":
				return usagef("no output: give -o FOLDER, -o FILE.jsonl or -o -")
			}
			return runEvalImport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	addImportFlags(c, &o.Options, &o.cases)
	f.StringVarP(&o.out, "output", "o", "", "write to this `folder`, .jsonl file, or - for standard output")
	f.StringVar(&o.errata, "errata", "", "apply a correction `list` to the golds")
	f.BoolVar(&o.strict, "strict", false, "write nothing and exit 3 when a row cannot be read")
	f.BoolVar(&o.list, "list", false, "list the forms and exit")
	f.BoolVar(&o.json, "json", false, "with --list: one JSON array")
	return c
}

// addImportFlags adds what every reader of result files takes.
func addImportFlags(c *cobra.Command, o *published.Options, cases *[]string) {
	f := c.Flags()
	f.StringVar(&o.Format, "format", "", "`form` of the files (default: by their contents)")
	f.StringVar(&o.System, "system", "", "`name` of the system (default: the file's own, otherwise its name)")
	f.StringVar(&o.Dataset, "dataset", "", "`name` of the data set (default: the form's)")
	f.StringVar(&o.Reader, "reader", "", "`model` that answered, where the file does not say")
	f.StringVar(&o.Judge, "judge", "", "`model` that judged, where the file does not say")
	f.Var(csvdoc.Flag{Into: (*csvdoc.Mapping)(&o.Map), Of: "an answer", Parts: published.Parts}, "map", "columns of a table as question=A,gold=B,prediction=C; also id, case, category, verdict, context")
	f.StringArrayVar(cases, "cases", nil, "cases `file` with the questions that were asked (may be repeated)")
}

func runEvalFormats(e *env, asJSON bool) error {
	if asJSON {
		return writeJSON(e.out, published.Formats())
	}
	w := bufio.NewWriter(e.text())
	for _, f := range published.Formats() {
		marks := ""
		if !f.Verified {
			marks += ", unverified: seen in its source only"
		}
		if f.Cases {
			marks += ", needs --cases"
		}
		fmt.Fprintf(w, "%-20s %s\n%20s %s%s\n", f.Name, f.About, "", f.Origin, marks)
	}
	return w.Flush()
}

// questionsOf reads the questions of case files; nil without files. It holds the
// questions only, about 500 bytes each.
func questionsOf(e *env, t *tally, files []string) (find func(string) (string, schema.Question, bool), list []published.Asked, err error) {
	if len(files) == 0 {
		return nil, nil, nil
	}
	// asked is a case without its sessions, which may be 100 times as large.
	type asked struct {
		ID        string            `json:"case_id"`
		Questions []schema.Question `json:"questions"`
	}
	all := map[string]published.Asked{}
	for _, path := range files {
		r, err := jsonl.Open(path, e.in)
		if err != nil {
			return nil, nil, err
		}
		for c, err := range drop(t, jsonl.Decode[asked](r, path)) {
			if err != nil {
				r.Close()
				return nil, nil, err
			}
			for _, q := range c.V.Questions {
				all[q.ID] = published.Asked{CaseID: c.V.ID, Question: q}
				list = append(list, all[q.ID])
			}
		}
		if err := r.Close(); err != nil {
			return nil, nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil, schema.Brokenf("%s: no case with questions: give the output of membench datasets convert", strings.Join(files, ", "))
	}
	return func(id string) (string, schema.Question, bool) { a, ok := all[id]; return a.CaseID, a.Question, ok }, list, nil
}

// openImport reads one result file.
func openImport(ctx context.Context, e *env, path string, o published.Options) (*published.Import, error) {
	r, err := jsonl.Open(path, e.in)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return published.Open(jsonl.UntilDone(ctx, r), path, o)
}

func runEvalImport(ctx context.Context, e *env, o evalImportOptions) error {
	if err := notInput(o.out, o.inputs...); err != nil {
		return err
	}
	t := o.accept.tally(e)
	question, _, err := questionsOf(e, t, o.cases)
	if err != nil {
		return err
	}
	o.Question = question
	var imports []*published.Import
	for _, path := range o.inputs {
		im, err := openImport(ctx, e, path, o.Options)
		if err != nil {
			return err
		}
		if !im.Format.Verified {
			e.warnf("%s: the format %s is unverified: its reader was written without a real file", path, im.Format.Name)
		}
		if im.Columns != "" {
			e.warnf("%s: its columns: %s", path, im.Columns)
		}
		imports = append(imports, im)
	}
	other := 0 // corrections for another wording
	var list *datasets.Errata
	if o.errata != "" {
		list, err = pipeline.Errata(o.errata, e.in)
	}
	if err != nil {
		return err
	}
	rows, sessions, textless := 0, 0, 0
	qa := func(w io.Writer) error {
		for _, im := range imports {
			n, err := records.Write(w, schema.Observe(list.Over(drop(t, im.QA), func(f *schema.Finding) { other++; t.take(f) }), func(r *schema.QARecord) {
				if r.Question == "" { // judges need it
					textless++
				}
			}))
			if err != nil {
				return err
			}
			rows += n
		}
		if t.errors > 0 && (o.strict || rows == 0) {
			return errFindings
		}
		return nil
	}
	if o.out == "-" || strings.HasSuffix(o.out, ".jsonl") {
		err = writeOut(e, o.out, qa)
	} else {
		// The sessions first: the folder is whole when qa_records.jsonl is there.
		for _, im := range imports {
			if im.Sessions == nil {
				continue
			}
			err = atomicfile.Write(filepath.Join(o.out, "session_records.jsonl"), func(w io.Writer) error {
				for _, im := range imports {
					if im.Sessions == nil {
						continue
					}
					n, err := records.Write(w, drop(t, im.Sessions))
					if err != nil {
						return err
					}
					sessions += n
				}
				if o.strict && t.errors > 0 {
					return errFindings
				}
				return nil
			})
			break
		}
		if err == nil {
			err = writeOut(e, filepath.Join(o.out, "qa_records.jsonl"), qa)
		}
	}
	t.summary()
	if err != nil {
		return err
	}
	pipeline.UnusedErrata(list, t.log())
	if textless > 0 {
		e.warnf("%d of %d answers have no question text, which judges need: give the cases that were asked with --cases", textless, rows)
	}
	e.warnf("%d answers, %d sessions, %d rows skipped, %d warnings", rows, sessions, t.errors, t.warnings-other)
	return t.lost()
}
