package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"membench/eval/protocol"
	"membench/eval/published"
	"membench/internal/smallfile"
	"membench/schema"

	"github.com/spf13/cobra"
)

type evalAuditOptions struct {
	inputs []string

	published.Options
	published.AuditOptions
	protocols []string
	claims    []string
	cases     []string
	markdown  bool
}

func newEvalAuditCmd(e *env) *cobra.Command {
	var o evalAuditOptions
	c := verb("audit FILE...", "Check published figures against their own rows", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		o.inputs = args
		if e.json && o.markdown {
			return usagef("--json and --markdown exclude each other")
		}
		return runEvalAudit(c.Context(), e, o)
	})
	f := c.Flags()
	addAccept(f, &e.accept)
	addImportFlags(c, &o.Options, &o.cases)
	addConfidence(c, &o.AuditOptions.Options)
	f.StringSliceVarP(&o.protocols, "protocol", "p", nil, "grade with these `protocols` only, with commas (default: every rule)")
	f.StringArrayVar(&o.claims, "claims", nil, "`file` of published figures (may be repeated)")
	f.BoolVar(&e.json, "json", false, "print one JSON array")
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown")
	return c
}

func runEvalAudit(ctx context.Context, e *env, o evalAuditOptions) error {
	t := newTally(e, 20)
	var err error
	if o.Asked, err = published.ReadAsked(o.cases, e.in, t.found, t.read); err != nil {
		return err
	}
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
		im.QA, im.Sessions = tallied(t, im.QA), tallied(t, im.Sessions)
		a, err := published.Run(im, o.AuditOptions, t.found)
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	t.summary()
	return errors.Join(e.show(all, func(w io.Writer) {
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
	}), t.lost())
}
