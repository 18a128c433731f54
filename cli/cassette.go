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
	return parent("cassette", "List, join and repair files of kept model answers", newCassetteListCmd(e), newCassettePackCmd(e), newCassetteCheckCmd(e), newCassetteRepairCmd(e))
}

func newCassetteListCmd(e *env) *cobra.Command {
	var summary bool
	c := verb("list FILE", "Print every kept answer as one JSON line; vectors without their numbers",
		cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
			return runCassetteList(c.Context(), e, args[0], summary)
		})
	c.Flags().BoolVar(&summary, "summary", false, "print counts only")
	c.Flags().BoolVar(&e.json, "json", false, "print the summary as one JSON object")
	return c
}

func runCassetteList(ctx context.Context, e *env, path string, summary bool) error {
	if summary || e.json {
		rows, err := cassette.Summarize(ctx, path)
		if err != nil {
			return err
		}
		if e.json {
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

// newCassette checks the output of pack and repair.
func newCassette(out string, from []string) error {
	if out == "" {
		return usagef("no output: name the new cassette with -o")
	}
	return notInput(out, from...)
}

func newCassettePackCmd(e *env) *cobra.Command {
	var out string
	c := verb("pack FILE... -o OUT", "Join cassettes into one whose bytes depend on the answers only",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			if err := newCassette(out, args); err != nil {
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
		})
	c.Flags().StringVarP(&out, "output", "o", "", "write this `file`")
	return c
}

func newCassetteCheckCmd(e *env) *cobra.Command {
	c := verb("check FILE...", "Check cassettes and report damaged records", cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
		damaged := false
		for _, name := range args {
			got, err := cassette.Look(name)
			if err != nil {
				return err
			}
			damaged = damaged || len(got.Damages) > 0
			if e.json {
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
	})
	c.Flags().BoolVar(&e.json, "json", false, "print one JSON object a file")
	return c
}

func newCassetteRepairCmd(e *env) *cobra.Command {
	var out string
	c := verb("repair FILE -o OUT", "Write the undamaged records of a cassette to a new one", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		if err := newCassette(out, args); err != nil {
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
	})
	c.Flags().StringVarP(&out, "output", "o", "", "write this `file`")
	return c
}
