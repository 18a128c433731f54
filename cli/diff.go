package cli

import (
	"context"
	"io"

	"membench/chain"
	"membench/graph"
	"membench/graph/diff"
	"membench/internal/build"
	"membench/internal/codec"
	"membench/schema"

	"github.com/spf13/cobra"
)

type diffOptions struct {
	diff.Options
	out     string // of jsonl
	jsonl   bool
	summary bool
	stepFlags
}

func newDiffCmd(e *env) *cobra.Command {
	o := diffOptions{out: "-"}
	c := verb("diff A B", "Compare two graphs or claim sets by meaning", cobra.ExactArgs(2), func(c *cobra.Command, args []string) error {
		o.A, o.B = args[0], args[1]
		switch {
		case o.A == "-" && o.B == "-":
			return usagef("only one side can be standard input")
		case e.json && o.jsonl:
			return usagef("--json and --jsonl exclude each other: a report, or the changes")
		case o.out != "-" && !o.jsonl:
			return usagef("-o is for --jsonl")
		}
		return runDiff(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringSliceVar(&o.Ignore, "ignore-props", nil, "`names` of properties and members that do not count, with commas")
	addAccept(c.Flags(), &o.accept)
	f.BoolVar(&o.summary, "summary", false, "print the counts only")
	f.BoolVar(&e.json, "json", false, "print one JSON object with the counts")
	f.BoolVar(&o.jsonl, "jsonl", false, "print the changes as JSON Lines")
	f.StringVarP(&o.out, "output", "o", o.out, "`file` of --jsonl")
	return c
}

func runDiff(ctx context.Context, e *env, o diffOptions) (err error) {
	t := newTally(e, 20)
	o.Stdin, o.Report = e.in, t.found
	var rep *diff.Report
	to, out := *e, "-"
	if o.jsonl {
		out = o.out
	} else {
		to.out = e.text()
	}
	err = writeOut(&to, out, func(w io.Writer) error {
		o.Each = o.printer(e, w)
		rep, err = diff.Run(ctx, o.Options)
		return err
	})
	if err == nil {
		err = o.rules(ctx, t)
	}
	t.summary()
	if err != nil {
		return err
	}
	if len(t.byCode) > 0 {
		rep.Findings = t.byCode
	}
	switch {
	case e.json:
		err = writeJSON(e.out, rep)
	case o.jsonl:
		err = rep.Write(e.err)
	default:
		err = rep.Write(e.text())
	}
	if err != nil {
		return err
	}
	t.taken = rep.Records
	if err := t.loss("diff", o.stepFlags).After(); err != nil || rep.Equal {
		return err
	}
	return errFindings
}

// rules warns about elements of the graphs that validate rejects; comparing them loses nothing.
func (o diffOptions) rules(ctx context.Context, t *tally) error {
	for _, side := range []string{o.A, o.B} {
		files, err := graph.Files(side)
		if err != nil {
			continue // claims
		}
		err = chain.Rules(ctx, files, chain.RulesOptions{Digest: build.Digest, Rejected: t.errors > 0, Report: func(f *schema.Finding) {
			f.Warning = true
			t.take(f)
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// printer writes each change in the form that the flags say; nil: none is written.
func (o diffOptions) printer(e *env, w io.Writer) func(diff.Step) error {
	switch {
	case o.jsonl:
		return func(s diff.Step) error { return codec.WriteLine(w, s.Change) }
	case e.json || o.summary:
		return nil
	}
	return func(s diff.Step) error { return s.Write(w) }
}
