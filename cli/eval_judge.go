package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"membench/eval/calibrate"
	"membench/internal/codec"

	"github.com/spf13/cobra"
)

func newEvalJudgeCmd(e *env) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "judge",
		Short: "Examine a judge of answers",
	}, newEvalJudgeCheckCmd(e))
}

type judgeCheckOptions struct {
	shapes string
	sets   string
	each   int
	format string
	list   bool
	misses string
	judgeFlags
}

func newEvalJudgeCheckCmd(e *env) *cobra.Command {
	var o judgeCheckOptions
	c := &cobra.Command{
		Use:   "check",
		Short: "Run the built-in planted answers against any judge and print a table",
		Long: `Run the built-in planted answers against any judge and print a table.

The questions are invented: personal memory in English and Chinese, and operations
(addresses, interfaces, versions, times, quantities) in both. Each is answered in every
shape that the tool knows, right and wrong: denied, retracted, attributed to others, one
of several alternatives, hypothetical, loops, long replies with reasoning, and more. The
table shows for each shape how many answers were judged and what share was accepted (with
a Wilson interval), doubtful and refused. A good judge accepts right shapes and does not
accept wrong ones.

--shapes FILE adds shapes of your own: lines of "language | right, wrong or swap | name |
template" (swap: right as written, wrong with the answers exchanged), where the language is en or zh, and a template holds {gold}, {other}, {other2}
to {other9}, {others}, {many}, {statement}, {wrong} or {question}. --list prints the
built-in shapes in that form.

--judge names a protocol ('membench eval protocols'); rule, the default, is the rule
judge. One that asks a model needs --model or its settings; --each N then bounds the cost.`,
		Example: `  membench eval judge check
  membench eval judge check --judge squad-f1 --format csv > table.csv
  membench eval judge check --judge mem0-2025 --model gpt-4o-mini --each 20
  membench eval judge check --shapes mine.txt`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runEvalJudgeCheck(c.Context(), e, o) },
	}
	f := c.Flags()
	o.judgeFlags.add(c)
	f.StringVar(&o.shapes, "shapes", "", "add the shapes of this `file`")
	f.StringVar(&o.sets, "sets", "en,zh,ops en,ops zh", "question sets to use, comma-separated `list`")
	f.IntVar(&o.each, "each", 0, "at most `n` answers of each shape and set (0: all)")
	f.StringVar(&o.format, "format", "text", "`format` of the table: text, markdown, latex, csv or json")
	f.BoolVar(&o.list, "list", false, "print the shapes instead of running them")
	f.StringVar(&o.misses, "misses", "", "write the answers that were not judged as they should be to this `file` (JSONL; - is standard output, without the table)")
	return c
}

func runEvalJudgeCheck(ctx context.Context, e *env, o judgeCheckOptions) (err error) {
	switch {
	case !slices.Contains(calibrate.CheckFormats(), o.format):
		return usagef("--format: have %q, want text, markdown, latex, csv or json", o.format)
	case o.each < 0:
		return usagef("--each: have %d, want 0 or more", o.each)
	}
	shapes, err := calibrate.ShapesAnd(o.shapes)
	if err != nil {
		return err
	}
	if o.list {
		w := bufio.NewWriter(e.text())
		for _, s := range shapes {
			fmt.Fprintln(w, s)
		}
		return w.Flush()
	}
	m, err := o.open(e) // before the answers are made: making all of them takes ten seconds
	defer m.close(&err)
	if err != nil {
		return err
	}
	plants, err := calibrate.BuiltIn(shapes, strings.Split(o.sets, ","), o.each)
	if err != nil {
		return usagef("--sets: %v", err)
	}
	if m.dry {
		e = e.mute()
	}
	run := calibrate.Options{Threshold: o.threshold, Workers: o.workers}
	if run.Workers <= 0 {
		run.Workers = m.workers
	}
	var rep calibrate.CheckReport
	if o.misses == "" {
		if rep, err = calibrate.Check(ctx, plants, m.grader, run, nil); err != nil {
			return err
		}
		return rep.Write(e.text(), o.format)
	}
	if err := writeOut(e, o.misses, func(w io.Writer) error {
		rep, err = calibrate.Check(ctx, plants, m.grader, run, func(m calibrate.Missed) error { return codec.WriteLine(w, m) })
		return err
	}); err != nil || o.misses == "-" {
		return err
	}
	return rep.Write(e.text(), o.format)
}
