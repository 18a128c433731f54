package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"membench/internal/codec"
	"membench/llm/cassette"

	"github.com/spf13/cobra"
)

func newCassetteCmd(e *env) *cobra.Command {
	return parent(&cobra.Command{
		Use:   "cassette",
		Short: "List, join and repair files of kept model answers",
		Long: `A cassette is one file with every answer of a model and every vector of a run: what
--cassette keeps. With --cassette-mode replay-only a run on any machine gives the same bytes
from it, offline.`,
	}, newCassetteListCmd(e), newCassettePackCmd(e), newCassetteCheckCmd(e), newCassetteRepairCmd(e))
}

func newCassetteListCmd(e *env) *cobra.Command {
	var summary, asJSON bool
	c := &cobra.Command{
		Use:   "list FILE",
		Short: "Print every kept answer as one JSON line; vectors without their numbers",
		Long: `Print every kept answer as one JSON line, by key: model, purpose, text, first usage. Vectors
are listed without their numbers. Every record is checked against its sum. With --summary,
print counts and usage by kind, model and purpose only.`,
		Example: `  membench cassette list run.cassette | jq 'select(.purpose == "judge") | .text'
  membench cassette list run.cassette --summary`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runCassetteList(c.Context(), e, args[0], summary, asJSON)
		},
	}
	c.Flags().BoolVar(&summary, "summary", false, "print counts only")
	c.Flags().BoolVar(&asJSON, "json", false, "print the summary as one JSON object")
	return c
}

func runCassetteList(ctx context.Context, e *env, path string, summary, asJSON bool) error {
	if summary || asJSON {
		rows, err := cassette.Summarize(ctx, path)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(e.out, map[string]any{"file": path, "rows": rows})
		}
		for _, r := range rows {
			fmt.Fprintf(e.text(), "%s\t%s\t%s\t%d records\t%d+%d tokens first paid\n", r.Kind, r.Model, r.Purpose, r.Records, r.First.InputTokens, r.First.OutputTokens)
		}
		return nil
	}
	return writeOut(e, "-", func(w io.Writer) error {
		var line []byte
		return cassette.Entries(path, func(n cassette.Entry) error {
			var err error
			if line, err = codec.Append(line[:0], n, codec.Spaced); err != nil {
				return err
			}
			_, err = w.Write(append(line, '\n'))
			return errors.Join(err, ctx.Err())
		})
	})
}

func newCassettePackCmd(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "pack FILE... -o OUT",
		Short: "Join cassettes into one whose bytes depend on the answers only",
		Long: `Join cassettes into one: every current record, sorted by key. The same answers give the same
bytes, regardless of how they were recorded and of the order of the files. Answers that a
later recording replaced are skipped. Calls with different answers in two files are listed
on standard error; an answer wins over a failure, then the one whose bytes sort first.`,
		Example: `  membench cassette pack run.cassette -o release.cassette
  membench cassette pack zh.cassette en.cassette -o both.cassette`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usagef("no output: name the new cassette with -o")
			}
			if err := notInput(out, args...); err != nil {
				return err
			}
			n, conflicts := 0, 0
			err := writeOut(e, out, func(w io.Writer) (err error) {
				n, err = cassette.Pack(w, func(x cassette.Conflict) {
					conflicts++
					e.warnf("%s: %s of %s has two answers: the one in %s is kept, the one in %s is not", x.Key, x.Purpose, x.Model, x.Files[0], strings.Join(x.Files[1:], ", "))
				}, args...)
				return err
			})
			if err == nil {
				e.warnf("%d records, %d conflicts", n, conflicts)
			}
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write this `file`")
	return c
}

func newCassetteCheckCmd(e *env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Check cassettes and report damaged records",
		Long: `Check every record of cassettes against its checksum. Damaged parts are listed by offset and
length. The records around them are usable: a run with the file requests only the lost
answers again. The exit code is 3 if anything is damaged, or a file is empty.`,
		Example: `  membench cassette check run.cassette`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			damaged := false
			for _, name := range args {
				got, err := cassette.Look(name)
				if err != nil {
					return err
				}
				damaged = damaged || len(got.Damages) > 0
				if asJSON {
					if err := writeJSON(e.out, got); err != nil {
						return err
					}
					continue
				}
				fmt.Fprintf(e.text(), "%s: %d records kept, %d replaced by later ones, %d bytes\n", name, got.Records, got.Replaced, got.Bytes)
				for _, d := range got.Damages {
					fmt.Fprintf(e.text(), "%s: %v\n", name, d)
				}
			}
			if damaged {
				e.warnf("next: membench cassette repair FILE -o OUT (it writes the undamaged records to a new file)")
				return errFindings
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a file")
	return c
}

func newCassetteRepairCmd(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "repair FILE -o OUT",
		Short: "Write the undamaged records of a cassette to a new one",
		Long: `Write the undamaged records of a cassette, in their order, to a new one. Skipped bytes are
listed by offset and length; FILE is not changed.`,
		Example: `  membench cassette repair run.cassette -o repaired.cassette`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if out == "" {
				return usagef("no output: name the new cassette with -o")
			}
			if err := notInput(out, args...); err != nil {
				return err
			}
			var got cassette.Check
			err := writeOut(e, out, func(w io.Writer) (err error) {
				got, err = cassette.Repair(w, args[0])
				return err
			})
			if err != nil {
				return err
			}
			for _, d := range got.Damages {
				e.warnf("%s: %v: skipped", args[0], d)
			}
			e.warnf("%d records kept", got.Records)
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write this `file`")
	return c
}
