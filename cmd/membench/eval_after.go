package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"membench/config"
	evalrun "membench/eval/run"
	"membench/schema"
)

// What comes after asking: grade, explain, aggregate, report. Each leaves a mark in the
// run's folder that says of what it was made; a step whose mark and files are there is
// skipped. A step that is done takes the marks of those after it away first, so that
// after a kill they are done again.

// afterSteps are the marks, in order.
var afterSteps = []string{"graded", "explained", "summed", "reported"}

func (s runSpec) mark(step string) string { return filepath.Join(s.dir, "journal", step+".json") }

// runStep does one, unless it is current: its mark says want, and its files are there.
func runStep(e *env, s runSpec, name string, want any, files []string, do func() error) error {
	var text bytes.Buffer
	if err := writeJSON(&text, want); err != nil {
		return err
	}
	have, err := os.ReadFile(s.mark(name))
	same := err == nil && bytes.Equal(have, text.Bytes())
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(s.dir, f)); err != nil {
			same = false
		}
	}
	if same {
		return nil
	}
	if err := s.forget(name); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return writeOut(e, s.mark(name), func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}

// forget takes away the marks of a step and of those after it.
func (s runSpec) forget(name string) error {
	at := false
	for _, x := range afterSteps {
		if at = at || x == name; !at {
			continue
		}
		if err := os.Remove(s.mark(x)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// gradedBy is what grades depend on.
type gradedBy struct {
	Files     []schema.FileDigest `json:"files"`
	Protocols []string            `json:"protocols"`
	Judge     string              `json:"judge"`
	Model     string              `json:"model"`
	Votes     int                 `json:"votes"`
}

// after does what comes after asking.
func (s runSpec) after(ctx context.Context, e *env, files []schema.FileDigest) error {
	if s.grade == nil {
		return nil
	}
	inner := *e
	inner.models = s.judges
	if inner.models == nil {
		inner.models = s.models
	}
	want := gradedBy{Files: files, Protocols: s.grade.protocols, Judge: s.grade.judge, Votes: s.grade.votes}
	if want.Judge == "model" && inner.models != nil {
		ep, err := inner.models.Endpoint(config.Judge)
		if err != nil {
			return err
		}
		want.Model = ep.Name
	}
	err := runStep(e, s, "graded", want, []string{"qa_records.jsonl", "session_records.jsonl"}, func() error {
		g := *s.grade
		g.mixed = len(s.run.Systems)*len(s.sets) > 1
		g.inputs, g.out = []string{filepath.Join(s.dir, evalrun.SessionsFile), filepath.Join(s.dir, evalrun.QAFile)}, s.dir
		return runEvalGrade(ctx, &inner, g)
	})
	if err != nil {
		return err
	}
	quiet := *e
	quiet.out = io.Discard // tables: the report has them
	if s.whole {
		err := runStep(e, s, "explained", "1", nil, func() error {
			o := evalExplainOptions{run: s.dir}
			return runEvalExplain(ctx, &quiet, o)
		})
		if err != nil {
			return err
		}
	}
	err = runStep(e, s, "summed", "1", []string{"summary.jsonl"}, func() error {
		a := evalAggregateOptions{inputs: []string{s.dir}, out: s.dir}
		a.Confidence = .95
		return runEvalAggregate(ctx, e, a)
	})
	if err != nil {
		return err
	}
	if err := s.report(ctx, &quiet); err != nil {
		return err
	}
	return printScores(e, s.dir)
}

// report writes the reports of a run that wants them.
func (s runSpec) report(ctx context.Context, e *env) error {
	if !s.whole {
		return nil
	}
	var made []string
	for _, f := range s.formats {
		made = append(made, "report."+f)
	}
	return runStep(e, s, "reported", s.formats, made, func() error {
		o := evalReportOptions{inputs: []string{s.dir}, formats: s.formats, lang: "en", out: s.dir, confidence: 95}
		o.figures.Confidence, o.Embed, o.MaxText = .95, 200, 20_000
		if err := o.check(); err != nil {
			return err
		}
		return runEvalReport(ctx, e, o)
	})
}
