package cli

import (
	"cmp"
	"context"
	"io"
	"strings"

	"membench/config"
	"membench/eval/grade"
	"membench/eval/pipeline"
	"membench/eval/protocol"

	"github.com/spf13/cobra"
)

type gradeOptions struct {
	pipeline.GradeOptions
	protocols []string
	judge     string // rule | model | "" (model where a protocol needs one)
	model     modelFlags
	prompts   []string
	entities  string
	report    string
	doubtful  bool
}

func newEvalGradeCmd(e *env) *cobra.Command {
	var o gradeOptions
	c := verb("grade FILE... -o OUT", "Grade answers by named protocols, side by side", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.Inputs = args
		return runEvalGrade(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	f.StringVarP(&o.Out, "output", "o", "-", "write to this `file` or folder; - is standard output")
	f.StringSliceVarP(&o.protocols, "protocol", "p", nil, "grade by these `protocols` (default "+strings.Join(protocol.Defaults(), ",")+")")
	f.StringVar(&o.judge, "judge", "", "`method`: rule or model (default: model where a protocol has no rule)")
	f.StringArrayVar(&o.prompts, "prompt-file", nil, promptFileHelp)
	f.StringVar(&o.Errata, "errata", "", "apply a correction `list` to the golds, and grade against both")
	f.StringVar(&o.entities, "entities", "", "`file` entity2id.json of MemoryAgentBench, for mab-recsys")
	f.IntVar(&o.Grade.Votes, "votes", 1, "ask a judge `n` times about one answer, odd; the majority decides")
	f.IntVar(&o.Grade.Workers, "workers", 0, "grade `n` answers at once (0: 4 with a model, otherwise one per core)")
	f.BoolVar(&o.Grade.Again, "again", false, "ask judges again where a record has their verdict")
	f.BoolVar(&o.doubtful, "doubtful", false, "ask models only about answers whose verdict by the rule judge is doubtful (with -p rule, or graded by it before); the protocol settled@1 joins both")
	f.Float64Var(&o.Threshold, "threshold", 0.5, "count a `score` of at least this as yes in the agreement table, above 0 to 1")
	f.StringVar(&o.report, "report", "", "write the figures to this `file` as JSON (- is standard output)")
	f.BoolVar(&o.Strict, "strict", false, "write nothing and exit 3 when the data has errors")
	o.model.add(c)
	return c
}

func runEvalGrade(ctx context.Context, e *env, o gradeOptions) (err error) {
	if o.report == "-" && o.Out == "-" {
		return usagef("--report and the records both go to standard output: give -o FILE")
	}
	in := protocol.Inputs{}
	if in.Prompts, err = readPrompts(o.prompts); err != nil {
		return err
	}
	if o.entities != "" {
		if in.Entities, err = pipeline.Entities(o.entities); err != nil {
			return err
		}
	}
	g := &o.Grade
	if g.Protocols, err = pipeline.Protocols(in, o.protocols...); err != nil {
		return err
	}
	if o.judge == "model" || o.judge == "" && pipeline.NeedsModel(g.Protocols) {
		ms, judge, err2 := o.model.generator(e, config.Judge)
		defer ms.close(&err)
		if err2 != nil {
			return err2
		}
		g.Judge = judge
		if ms.dryRun() {
			o.Out, o.report, e = "-", "", e.mute()
		}
	}
	if o.doubtful {
		g.Asks, g.Settle = grade.Doubtful, true
	}
	t := newTally(e, 20)
	o.Stdin, o.Stdout, o.Log = e.in, e.out, t.log()
	rep, err := pipeline.Grade(ctx, o.GradeOptions)
	t.summary()
	if rep.Protocols == nil { // nothing was graded
		return err
	}
	if o.report != "" {
		if err := writeOut(e, o.report, func(w io.Writer) error { return writeJSON(w, rep) }); err != nil {
			return err
		}
	}
	if err := cmp.Or(rep.WriteText(e.err), err); err != nil {
		return err
	}
	if err := t.lost(); err != nil {
		return err
	}
	if failed := rep.Failed(); failed != nil && !o.model.dryRun {
		return failed
	}
	return nil
}
