package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"membench/eval/calibrate"
	"membench/internal/codec"

	"github.com/spf13/cobra"
)

func newEvalJudgeCmd(e *env) *cobra.Command {
	return parent("judge", "Examine a judge of answers", newEvalJudgeCheckCmd(e))
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
	c := verb("check", "Run the built-in planted answers against any judge and print a table", cobra.NoArgs,
		func(c *cobra.Command, _ []string) error { return runEvalJudgeCheck(c.Context(), e, o) })
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
	if o.each < 0 {
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
	var rep calibrate.CheckReport
	if o.misses == "" {
		if rep, err = calibrate.Check(ctx, plants, m.grader, m.Options, nil); err != nil {
			return err
		}
		return rep.Write(e.text(), o.format)
	}
	if err := writeOut(e, o.misses, func(w io.Writer) error {
		rep, err = calibrate.Check(ctx, plants, m.grader, m.Options, func(m calibrate.Missed) error { return codec.WriteLine(w, m) })
		return err
	}); err != nil || o.misses == "-" {
		return err
	}
	return rep.Write(e.text(), o.format)
}
