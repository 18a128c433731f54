package cli

import (
	"errors"

	"membench/chain"
	"membench/schema"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// stepFlags are the flags of every command that makes files from files.
type stepFlags struct {
	strict bool
	accept limitFlag
	limit  int // findings printed
}

func (s *stepFlags) add(c *cobra.Command, limit int) {
	f := c.Flags()
	f.BoolVar(&s.strict, "strict", false, "write nothing when records are rejected")
	addAccept(f, &s.accept)
	f.IntVar(&s.limit, "limit", limit, "print at most `n` findings, 0 = all")
}

func addAccept(f *pflag.FlagSet, l *limitFlag) {
	f.Var(l, "max-rejected", "accept this many rejected records, a `number` or a share of the records read such as 1%")
}

// run calls a step with the options of the flags, and prints its findings.
func (s stepFlags) run(e *env, step func(chain.Shared) error) error {
	t := newTally(e, s.limit)
	err := step(chain.Shared{Stdin: e.in, Stdout: e.out, TempDir: e.getenv("TMPDIR"), Report: t.found,
		Strict: s.strict, Accept: schema.Limit(s.accept), Membench: release, Progress: e.meter.work})
	t.summary()
	return err
}

// wrote reports whether a step has written its output, completely or in part.
func wrote(err error) bool { return err == nil || schema.Written(err) }

// said prints a report when there is one: as JSON on standard output, or its words.
func said(e *env, report any, err error) error {
	if !wrote(err) {
		return err
	}
	if e.json {
		return errors.Join(err, writeJSON(e.out, report))
	}
	e.warnf("%v", report)
	return err
}

// limitFlag reads --max-rejected.
type limitFlag schema.Limit

func (l *limitFlag) String() string { return schema.Limit(*l).String() }
func (l *limitFlag) Set(s string) (err error) {
	*(*schema.Limit)(l), err = schema.ParseLimit(s)
	return err
}
func (l *limitFlag) Type() string { return "limit" }
