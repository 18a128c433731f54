package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"membench/eval/protocol"
	"membench/eval/published"
	"membench/internal/smallfile"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalAuditOptions struct {
	accept acceptFlag
	inputs []string

	published.Options
	published.AuditOptions
	protocols  []string
	claims     []string
	cases      []string
	confidence percentFlag
	json       bool
	markdown   bool
}

func newEvalAuditCmd(e *env) *cobra.Command {
	o := evalAuditOptions{confidence: 95}
	c := &cobra.Command{
		Use:   "audit FILE...",
		Short: "Check published figures against their own rows",
		Long: `Check published figures against their own rows.

Each FILE is a result file as membench eval import reads it. Every answer is graded again by
every string protocol; the audit says which recorded score each protocol reproduces, row
by row, how far recorded votes agree with each other, and for each published figure
whether the rows give it, by how much they differ, whether it lies in the interval, and
which denominators are possible at all (a share rounds from a whole number of answers).
A figure of more questions than the file has rows is "not reproducible here", beside ours.

With --cases each row is compared with the data set itself: other questions, golds or
categories than it has, second rows, questions without a row, and golds that a correction
list holds to be wrong (datasets convert --errata) are findings, listed row by row.
Recorded verdicts that their own row contradicts are listed always, and rows that lack a
verdict or a score that nearly all others have or that a protocol gives. Errors end with 3.

Public runs are recognised by their answers, under any name and in any form: rows that are
not as they were published (answer, verdict, score, gold, category, question) are listed,
and the published figures are built in. A file's own totals are taken from it; --claims adds a JSON array of {run, source, protocol, category, value, decimals, n}, values
in [0,1]. NAME_evaluate_result.json of Mem-Gallery may be given there, too.`,
		Example: `  membench eval audit recorded/*.jsonl
  membench eval audit run.json --claims table.json --json | jq '.[].checks[] | select(.verdict == "differs")'
  membench eval audit recorded/*.jsonl --markdown > audit.md`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.inputs = args
			o.Confidence = float64(o.confidence) / 100
			if o.json && o.markdown {
				return usagef("--json and --markdown exclude each other")
			}
			return runEvalAudit(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.Var(&o.accept, "max-rejected", "accept this `number` of errors in the records")
	addImportFlags(c, &o.Options, &o.cases)
	addFigureFlags(c, &o.AuditOptions.Options, &o.confidence)
	f.StringSliceVarP(&o.protocols, "protocol", "p", nil, "grade with these `protocols` only, with commas (default: every rule)")
	f.StringArrayVar(&o.claims, "claims", nil, "`file` of published figures (may be repeated)")
	f.BoolVar(&o.json, "json", false, "print one JSON array")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	return c
}

func runEvalAudit(ctx context.Context, e *env, o evalAuditOptions) error {
	t := o.accept.tally(e)
	var err error
	if o.Asked, err = published.ReadAsked(o.cases, e.in, t.found); err != nil {
		return err
	}
	o.Question = published.Find(o.Asked)
	if len(o.protocols) > 0 {
		if o.Protocols, err = protocol.ByName(o.protocols...); err != nil {
			return &schema.UsageError{Err: err}
		}
		for _, p := range o.Protocols {
			if p.Rule == nil {
				return usagef("protocol %s asks a model: the audit grades by rule; use membench eval grade", p.Name)
			}
		}
	}
	for _, path := range o.claims {
		b, err := smallfile.Read(path)
		if err != nil {
			return err
		}
		more, err := published.ReadClaims(b, path)
		if err != nil {
			return err
		}
		o.Claims = append(o.Claims, more...)
	}
	var all []*published.Audit
	for _, path := range o.inputs {
		im, err := published.OpenFile(ctx, path, e.in, o.Options)
		if err != nil {
			return err
		}
		a, err := published.Run(im, o.AuditOptions, t.take)
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	t.summary()
	if o.json {
		return errors.Join(writeJSON(e.out, all), t.lost())
	}
	w := bufio.NewWriter(e.text())
	for i, a := range all {
		if o.markdown {
			published.Markdown(w, a)
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		a.WriteText(w)
	}
	return errors.Join(w.Flush(), t.lost())
}
