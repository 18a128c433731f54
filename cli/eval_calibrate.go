package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"

	"membench/config"
	"membench/eval/calibrate"
	"membench/eval/label"
	"membench/eval/protocol"
	"membench/eval/records"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type calibrateOptions struct {
	inputs []string
	plants string
	shapes string
	labels []string
	judgeFlags
}

// judgeFlags name the judge that is measured.
type judgeFlags struct {
	judge     string
	threshold float64
	workers   int
	model     modelFlags
}

func (o *judgeFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.judge, "judge", "rule", "`judge` to measure: rule, or a protocol's name")
	f.Float64Var(&o.threshold, "threshold", 0.5, "count a protocol's `score` of at least this as accepted, above 0 to 1")
	f.IntVar(&o.workers, "workers", 0, "judge `n` answers at once (0: 4 with a model, otherwise one per core)")
	o.model.add(c)
}

// measured is the judge that judgeFlags name.
type measured struct {
	calibrate.Options
	grader calibrate.Grader
	rule   bool         // it asks no model
	dry    bool         // nothing is judged: only the cost is asked for
	close  func(*error) // closes its model
}

func (o *judgeFlags) open(e *env) (m measured, err error) {
	m = measured{close: func(*error) {}}
	m.Threshold, m.Workers = o.threshold, cmp.Or(max(0, o.workers), runtime.GOMAXPROCS(0))
	if !(o.threshold > 0 && o.threshold <= 1) {
		return m, usagef("--threshold: have %v, want above 0 to 1", o.threshold)
	}
	ps, err := protocol.Pick(protocol.All(), o.judge)
	if err != nil {
		return m, &schema.UsageError{Err: err}
	}
	p := ps[0]
	if p.Rule != nil {
		m.rule = true
		m.grader, err = calibrate.Protocol(p, nil)
		return m, err
	}
	ms, err := o.model.open(e)
	if err != nil {
		return m, err
	}
	m.close, m.dry = ms.close, ms.dryRun()
	gen, err := ms.Generator(config.Judge)
	if err != nil {
		return m, err
	}
	m.Workers = cmp.Or(max(0, o.workers), 4)
	m.grader, err = calibrate.Protocol(p, gen)
	return m, err
}

func newEvalCalibrateCmd(e *env) *cobra.Command {
	var o calibrateOptions
	c := verb("calibrate FILE...", "Measure a judge on planted answers and correct an accuracy for its errors",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.inputs = args
			return runEvalCalibrate(c.Context(), e, o)
		})
	f := c.Flags()
	addAccept(f, &e.accept)
	o.judgeFlags.add(c)
	f.StringVar(&o.plants, "plants", "", "take planted answers from this `file` (- is standard input)")
	f.StringVar(&o.shapes, "shapes", "", "also plant answers of the built-in shapes (`built-in`) or of these and a file's (FILE); default: built-in for judges by rule without --plants, none for models")
	f.StringArrayVar(&o.labels, "labels", nil, "take the verdicts of people from this `file` or folder: labels of answers drawn from all (repeatable)")
	f.BoolVar(&e.json, "json", false, "print the report as JSON")
	return c
}

func runEvalCalibrate(ctx context.Context, e *env, o calibrateOptions) (err error) {
	m, err := o.open(e)
	defer m.close(&err)
	if err != nil {
		return err
	}
	if m.dry {
		e = e.mute()
	}
	if o.shapes != "" || m.rule && o.plants == "" {
		if m.Shapes, err = calibrate.ShapesAnd(o.shapes); err != nil {
			return err
		}
	}
	var files []string
	for _, path := range o.inputs {
		qa, _, err := records.Find(path)
		if err != nil {
			return err
		}
		if qa != "" {
			files = append(files, qa)
		}
	}
	t := newTally(e, 20)
	var rows []schema.QARecord
	for r, err := range drop(t, records.QA(ctx, e.in, files...)) {
		if err != nil {
			return err
		}
		rows = append(rows, r.V)
	}
	if len(o.labels) > 0 {
		if err := judgedByPeople(e, t, o.labels, rows); err != nil {
			return err
		}
	}
	if o.plants != "" {
		m.Plants = new(calibrate.Plantings)
		for r, err := range drop(t, jsonl.Until(ctx, jsonl.Files[calibrate.Recorded]([]string{o.plants}, e.in))) {
			if err != nil {
				return err
			}
			if why := m.Plants.Add(r.V); why != "" {
				return fmt.Errorf("%s: planted answer: %s", r.Pos, why)
			}
		}
	}
	t.summary()
	if err := t.loss("eval calibrate", stepFlags{}).Before(); err != nil {
		return err
	}
	if len(rows) == 0 {
		return schema.Brokenf("no QA records in %v: have none, want records of 'eval run' or 'eval import'", o.inputs)
	}
	rep, err := calibrate.Run(ctx, rows, m.grader, m.Options)
	if err != nil {
		return err
	}
	return errors.Join(e.show(rep, rep.WriteText), t.lost())
}

// judgedByPeople replaces the grades of records by human verdicts.
func judgedByPeople(e *env, t *tally, paths []string, records []schema.QARecord) error {
	labels, err := label.ReadFiles(paths, t.found)
	if err != nil {
		return err
	}
	t.taken += len(labels)
	n := label.NewPeople(labels).Regrade(records)
	if n == 0 {
		return schema.Brokenf("%v: no verdict of people on these answers: label a draw from all of them (membench eval label --all)", paths)
	}
	e.warnf("%d answers have a usable human verdict: drawn from all answers, undisputed, the gold not marked wrong", n)
	return nil
}
