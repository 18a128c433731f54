package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"membench/datasets"
	"membench/datasets/all"
	"membench/datasets/convert"
	"membench/eval/pipeline"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func newDatasetsCmd(e *env) *cobra.Command {
	return parent("datasets", "List, fetch, check and convert benchmark data", newDatasetsListCmd(e), newDatasetsInfoCmd(e), newDatasetsFetchCmd(e), newDatasetsConvertCmd(e), newDatasetsSampleCmd(e), newDatasetsLintCmd(e), newDatasetsProbesCmd(e))
}

func newDatasetsListCmd(e *env) *cobra.Command {
	c := verb("list", "List the known data sets", cobra.NoArgs, func(*cobra.Command, []string) error {
		if e.json {
			return writeJSON(e.out, datasets.Catalogue())
		}
		w := newTable(e.text())
		w.AppendHeader(table.Row{"name", "status", "licence", "pass on", "format", "title"})
		for _, i := range datasets.Catalogue() {
			pass, format := "no", "checked"
			if i.Redistributable {
				pass = "yes"
			}
			if i.Unverified != "" {
				format = "unverified"
				if i.Checked != "" {
					format = "partly"
				}
			}
			if i.Status == datasets.StatusListed {
				format = "-"
			}
			w.AppendRow(table.Row{i.Name, i.Status, i.Licence, pass, format, i.Title})
		}
		w.Render()
		return nil
	})
	c.Flags().BoolVar(&e.json, "json", false, "print the catalogue as one JSON array")
	return c
}

// datasetFlags are the flags of every command that reads a data set.
type datasetFlags struct{ all.Source }

func (f *datasetFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.Errata, "errata", "", "apply a correction `list` to the golds: both grades are kept")
	c.Flags().StringVar(&f.Grain, "grain", "turn", "`unit` that gold evidence names where a set has both: turn or session")
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "`seed` of converters and of sampling")
	c.Flags().StringArrayVar(&f.Topics, "topic", nil, "opseval: only items that hold this `word`; may be repeated, \"\" takes all (default: words of alarms and faults)")
	c.Flags().IntVar(&f.Count, "count", 0, "alert-storm: make `n` cases, 0 = 4")
	c.Flags().IntVar(&f.Chunk, "chunk", 16000, "memoryagentbench: cut contexts into chunks of at most `n` code points")
	c.Flags().IntVar(&f.ChunkTokens, "chunk-tokens", 0, "memoryagentbench: cut as the benchmark does, whole sentences up to `n` tokens (4096; 512 in its ablation)")
	c.Flags().IntVar(&f.Workers, "workers", 0, "decode `n` records at once, 0 = one per processor")
	c.Flags().IntVar(&f.MaxValue, "max-value", datasets.MaxValue, "longest record in `bytes`")
}

// open looks the set and its files up, which the arguments name.
func (f *datasetFlags) open(e *env) (all.Opened, error) {
	if f.Chunk < 1 {
		return all.Opened{}, usagef("--chunk: have %d, want 1 or more", f.Chunk)
	}
	f.Stdin = e.in
	return f.Source.Open()
}

type convertOptions struct {
	datasetFlags
	to       string
	out      string
	cases    []string
	dialogue datasets.DialogueOptions
	stepFlags
}

func newDatasetsConvertCmd(e *env) *cobra.Command {
	o := convertOptions{out: "-"}
	c := verb("convert NAME [PATH...]", "Turn a data set into cases, dialogue or another layout",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.Name, o.Paths = args[0], args[1:]
			switch {
			case o.to == convert.DomainA && o.out == "-":
				return usagef("--to domain_a_v2 writes three files: give a folder with -o")
			case o.to == convert.Observations && len(o.cases) > 0:
				return usagef("--to observations writes those of all conversations: omit --case")
			case e.json && o.out == "-":
				return usagef("--json and the data both want standard output: give -o")
			}
			return runConvert(c.Context(), e, o)
		})
	f := c.Flags()
	o.datasetFlags.add(c)
	o.stepFlags.add(c, 20)
	f.StringVar(&o.to, "to", "cases", "`form`: cases, plain, dialogue, domain_a_v2 or observations")
	f.StringVarP(&o.out, "output", "o", o.out, "`file`, or folder; - is standard output")
	f.StringArrayVar(&o.cases, "case", nil, "only the case with this `id`, or the case of the question with it; may be repeated")
	f.BoolVar(&o.dialogue.NoCaptions, "no-captions", false, "leave image captions out of the dialogue's text")
	f.BoolVar(&o.dialogue.Probes, "probes", false, "add the questions to the dialogue, each as a turn marked PROBE")
	f.BoolVar(&e.json, "json", false, "print the counts as one JSON object")
	return c
}

func runConvert(ctx context.Context, e *env, o convertOptions) error {
	if err := apart(o.out, o.Paths...); err != nil {
		return err
	}
	t := newTally(e, o.limit)
	set, err := o.open(e)
	if err != nil {
		return err
	}
	n := datasets.NewCensus()
	in := n.Count(drop(t, datasets.Only(o.cases, set.Read(ctx, t.found))))
	const step = "datasets convert"
	check := func(err error) error {
		loss := t.loss(step, o.stepFlags)
		loss.Empty = len(o.cases) > 0 // the message below has more detail
		if err := cmp.Or(err, loss.Before()); err != nil {
			return err
		}
		for _, id := range o.cases {
			if !n.Has(id) {
				return fmt.Errorf("--case %s: no case or question of this id", id)
			}
		}
		return nil
	}
	switch {
	case o.to == convert.Observations:
		if set.Dataset.Observations == nil {
			return usagef("--to observations: %s has no recorded extraction", o.Name)
		}
		memories := 0
		err = writeOut(e, o.out, func(w io.Writer) error {
			return check(convert.Memories(w, drop(t, set.Observations(ctx, t.found)), &memories))
		})
		t.summary()
		if err != nil {
			return err
		}
		e.warnf("%s: %d memories", o.Name, memories)
		return t.loss(step, o.stepFlags).After()
	default:
		err = convert.Write(o.out, e.out, o.to, in, o.dialogue, check)
	}
	t.summary()
	if err != nil {
		return err
	}
	pipeline.UnusedErrata(set.Options.Errata, t.log())
	if e.json {
		return errors.Join(writeJSON(e.out, censusOf(o.Name, n, t)), t.loss(step, o.stepFlags).After())
	}
	e.warnf("%s: %d cases, %d sessions, %d turns, %d questions%s", o.Name, n.Cases, n.Sessions, n.Turns, n.Questions, n.Part(set.Whole))
	return t.loss(step, o.stepFlags).After()
}
