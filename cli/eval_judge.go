package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"membench/eval/calibrate"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"

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
built-in shape, right and wrong: denied, retracted, attributed to others, one of several
alternatives, hypothetical, loops, long replies with reasoning, and more. The table shows
for each shape how many answers were judged and what share was accepted (with a Wilson
interval), doubtful and rejected. A good judge accepts right shapes and does not accept
wrong ones.

--shapes FILE adds shapes of your own: lines of "language | right, wrong or swap | name |
template" (swap: right as written, wrong with the answers exchanged), where the language is en or zh, and a template holds {gold}, {other}, {other2}
to {other9}, {others}, {many}, {statement}, {wrong} or {question}. --list prints the
built-in shapes in that form.

--judge names a protocol ('membench eval protocols'); rule, the default, is the rule judge.
One that asks a model needs --model or its settings; --each N then bounds the cost.`,
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
	print, ok := checkFormats[o.format]
	if !ok {
		return usagef("--format: have %q, want text, markdown, latex, csv or json", o.format)
	}
	if o.each < 0 {
		return usagef("--each: have %d, want 0 or more", o.each)
	}
	shapes, err := shapesOf(o.shapes)
	if err != nil {
		return err
	}
	if o.list {
		w := bufio.NewWriter(e.text())
		for _, s := range shapes {
			fmt.Fprintf(w, "%s | %s | %s | %s\n", s.Lang, truth(s.Right), s.Name, strings.ReplaceAll(s.Template, "\n", `\n`))
		}
		return w.Flush()
	}
	plants, err := calibrate.BuiltIn(shapes, strings.Split(o.sets, ","), o.each)
	if err != nil {
		return usagef("--sets: %v", err)
	}
	m, err := o.open(e)
	defer m.close(&err)
	if err != nil {
		return err
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
		return print(e.text(), rep)
	}
	if err := writeOut(e, o.misses, func(w io.Writer) error {
		rep, err = calibrate.Check(ctx, plants, m.grader, run, func(p calibrate.Planted, g schema.Grade) error {
			return codec.WriteLine(w, missed{p.Set, p.Shape.Name, p.Shape.Right, p.Record.Question, p.Record.Gold, p.Answer, g})
		})
		return err
	}); err != nil || o.misses == "-" {
		return err
	}
	return print(e.text(), rep)
}

// missed is a planted answer that was not judged as it should be.
type missed struct {
	Set      string       `json:"set"`
	Shape    string       `json:"shape"`
	Right    bool         `json:"right"`
	Question string       `json:"question"`
	Gold     string       `json:"gold"`
	Answer   string       `json:"answer"`
	Grade    schema.Grade `json:"grade"`
}

// shapesOf are the built-in shapes, and those of a file where one is named.
func shapesOf(path string) ([]calibrate.Shape, error) {
	shapes := calibrate.Shapes()
	if path == "" || path == "built-in" {
		return shapes, nil
	}
	b, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	own, err := calibrate.ReadShapes(string(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return append(shapes, own...), nil
}

func truth(right bool) string {
	if right {
		return "right"
	}
	return "wrong"
}

var checkFormats = map[string]func(io.Writer, calibrate.CheckReport) error{
	"json": func(w io.Writer, rep calibrate.CheckReport) error { return writeJSON(w, rep) },
	"text": func(w io.Writer, rep calibrate.CheckReport) error {
		return checkTable(w, rep, func(c []string) string {
			return fmt.Sprintf("%-8s %-6s %-34s %6s %8s %16s %9s %8s %7s", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])
		}, "")
	},
	"markdown": func(w io.Writer, rep calibrate.CheckReport) error {
		return checkTable(w, rep, func(c []string) string { return "| " + strings.Join(c, " | ") + " |" }, "|---|---|---|---:|---:|---|---:|---:|---:|")
	},
	"csv": func(w io.Writer, rep calibrate.CheckReport) error {
		return checkTable(w, rep, func(c []string) string {
			out := make([]string, len(c))
			for i, x := range c {
				if out[i] = x; strings.ContainsAny(x, ",\"") {
					out[i] = `"` + strings.ReplaceAll(x, `"`, `""`) + `"`
				}
			}
			return strings.Join(out, ",")
		}, "")
	},
	"latex": func(w io.Writer, rep calibrate.CheckReport) error {
		fmt.Fprintln(w, `\begin{tabular}{lllrrlrrr}`)
		err := checkTable(w, rep, func(c []string) string {
			return strings.NewReplacer("%", `\%`, "_", `\_`, "&", `\&`).Replace(strings.Join(c, "\x00")) + ` \\`
		}, `\hline`)
		fmt.Fprintln(w, `\end{tabular}`)
		return err
	},
}

// checkTable writes one line a shape, and two that sum up.
func checkTable(out io.Writer, rep calibrate.CheckReport, line func([]string) string, under string) error {
	w := bufio.NewWriter(out)
	put := func(c ...string) { fmt.Fprintln(w, strings.ReplaceAll(line(c), "\x00", " & ")) }
	put("set", "truth", "shape", "n", "accepted", "interval", "doubtful", "refused", "failed")
	if under != "" {
		fmt.Fprintln(w, under)
	}
	for _, s := range append(append([]calibrate.ShapeRate(nil), rep.Shapes...), rep.RightAll, rep.Wrong) {
		share := func(k int) string {
			if s.Accepted.N == 0 {
				return "–"
			}
			return fmt.Sprintf("%.3f", float64(k)/float64(s.Accepted.N))
		}
		put(s.Set, truth(s.Right), s.Shape, fmt.Sprint(s.Accepted.N), share(s.Accepted.K), fmt.Sprintf("[%.3f, %.3f]", s.Accepted.Lo, s.Accepted.Hi), share(s.Doubtful), share(s.Refused), fmt.Sprint(s.Failed))
	}
	return w.Flush()
}
