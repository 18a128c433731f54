package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"membench/internal/codec"
	"membench/llm"
	"membench/llm/cassette"

	"github.com/spf13/cobra"
)

func newCassetteCmd(e *env) *cobra.Command {
	c := &cobra.Command{
		Use:   "cassette",
		Short: "Look into files of kept model answers, and join them",
		Long: `A cassette is one file with every answer of a model and every vector of a run: what
--cassette keeps. With --cassette-mode replay-only a run on any machine gives the same
bytes from it, offline.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newCassetteListCmd(e), newCassettePackCmd(e))
	return c
}

func newCassetteListCmd(e *env) *cobra.Command {
	var summary, asJSON bool
	c := &cobra.Command{
		Use:   "list FILE",
		Short: "Print every kept answer as one JSON line; vectors without their numbers",
		Long: `Print every kept answer as one JSON line, by key: model, purpose, text, first usage.
Vectors are listed without their numbers. Every record is checked against its sum.
With --summary, print counts and usage by kind, model and purpose only.`,
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

type cassetteRow struct {
	Kind    string    `json:"kind"`
	Model   string    `json:"model"`
	Purpose string    `json:"purpose,omitempty"`
	Records int       `json:"records"`
	Failed  int       `json:"failed,omitempty"`
	First   llm.Usage `json:"first_paid"`
}

func runCassetteList(ctx context.Context, e *env, path string, summary, asJSON bool) error {
	if summary || asJSON {
		rows := []*cassetteRow{}
		at := map[[3]string]*cassetteRow{}
		err := cassette.Entries(path, func(n cassette.Entry) error {
			k := [3]string{n.Kind, n.Model, n.Purpose}
			if at[k] == nil {
				at[k] = &cassetteRow{Kind: n.Kind, Model: n.Model, Purpose: n.Purpose}
				rows = append(rows, at[k])
			}
			at[k].Records++
			if n.Failed != "" {
				at[k].Failed++
			}
			at[k].First = at[k].First.Add(n.Usage)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(e.out, map[string]any{"file": path, "rows": rows})
		}
		for _, r := range rows {
			fmt.Fprintf(e.out, "%s\t%s\t%s\t%d records\t%d+%d tokens first paid\n", r.Kind, r.Model, r.Purpose, r.Records, r.First.InputTokens, r.First.OutputTokens)
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
		Long: `Join cassettes into one: every record that counts, sorted by key, so that the same
answers are the same bytes however they were recorded, and answers that a later
recording replaced are skipped. Of two answers to one call the earlier file's counts.`,
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
			n := 0
			err := writeOut(e, out, func(w io.Writer) (err error) {
				n, err = cassette.Pack(w, args...)
				return err
			})
			if err == nil {
				e.warnf("%d records", n)
			}
			return err
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write this `file`")
	return c
}
