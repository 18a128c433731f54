package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"membench/eval/label"
	"membench/eval/pipeline"
	"membench/eval/records"
	"membench/internal/loopback"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalLabelOptions struct {
	pipeline.GradedRun
	draw          label.Options
	doubtful, all bool
	by            string
	folder        string // "": labels, in the run's folder
	out           string // "": the page
	listen        string
}

func newEvalLabelCmd(e *env) *cobra.Command {
	var o evalLabelOptions
	c := verb("label RUN", "Let people label whether answers are right and where they were lost", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.Run = args[0]
		switch {
		case o.draw.N < 1 || o.draw.N > maxDraw:
			return usagef("-n: have %d, want 1 to %d", o.draw.N, maxDraw)
		case o.doubtful && o.all:
			return usagef("--doubtful and --all are two draws: choose one")
		case o.by == "" && o.out == "":
			return usagef("--by: name who labels, so that labels of several people stay apart")
		}
		return runEvalLabel(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	addGradedRun(f, &o.GradedRun)
	f.BoolVar(&o.doubtful, "doubtful", false, "draw the answers whose verdict is doubtful")
	f.BoolVar(&o.all, "all", false, "draw from all graded answers")
	f.IntVarP(&o.draw.N, "sample", "n", 100, "draw at most `n` answers")
	f.Uint64Var(&o.draw.Seed, "seed", 1, "`seed` of the draw")
	f.StringVar(&o.by, "by", "", "`name` of who labels")
	f.StringVar(&o.folder, "labels", "", "keep labels in this `folder` (default RUN/labels)")
	f.StringVar(&o.out, "out", "", "write the draw to this `file` (.csv, .tsv or .jsonl) and open no page")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "`address` of the page: a loopback address; port 0 is any free one")
	return c
}

// maxDraw limits the page: 20 kB per answer.
const maxDraw = 10_000

func runEvalLabel(ctx context.Context, e *env, o evalLabelOptions) error {
	t := newTally(e, 20)
	qa, err := o.Open(ctx, t.log())
	if err != nil {
		return err
	}
	if qa == "-" {
		return usagef("the records are read twice: give a file or the folder of a run")
	}
	o.draw.From, o.draw.Explain = label.Failures, o.Options
	switch {
	case o.doubtful:
		o.draw.From = label.Doubtful
	case o.all:
		o.draw.From = label.All
	}
	found := t // of the first reading
	in := func(yield func(schema.Record[schema.QARecord], error) bool) {
		drop(found, records.QA(ctx, nil, qa))(yield)
		found = newTally(e.mute(), 0)
	}
	draw, err := label.Draw(ctx, in, o.draw)
	t.summary()
	switch {
	case err != nil:
		return err
	case t.taken == 0:
		return schema.Brokenf("%s: no record was read", qa)
	case len(draw) == 0:
		return fmt.Errorf("%s: nothing to label: the run has no %s answers", qa, map[string]string{label.Failures: "failed", label.Doubtful: "doubtfully graded", label.All: "graded"}[o.draw.From])
	case o.out != "":
		for i := range draw {
			draw[i].By = o.by
		}
		if err := writeOut(e, o.out, func(w io.Writer) error { return label.Write(w, draw, label.FormOf(o.out)) }); err != nil {
			return err
		}
		e.warnf("%d answers to label in %s", len(draw), o.out)
		return t.lost()
	}
	book, err := label.Open(cmp.Or(o.folder, labelsOf(o.Run)), o.by)
	if err != nil {
		return err
	}
	e.meter.stop() // the rest waits for people
	err = loopback.Serve(ctx, o.listen, label.Handler(draw, book), func(url string) {
		e.warnf("%d answers to label at %s", len(draw), url)
		e.warnf("labels are saved to %s; Ctrl-C ends the page", book.Path())
	})
	return cmp.Or(book.Close(), err, t.lost())
}

// labelsOf is where the labels of a run are.
func labelsOf(run string) string {
	if !isDir(run) {
		run = filepath.Dir(run)
	}
	return filepath.Join(run, label.Folder)
}
