package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"membench/chain"
	"membench/config"
	"membench/cypher/neo4j/target"
	"membench/datasets"
	"membench/datasets/probes"
	"membench/graph"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type datasetsProbesOptions struct {
	probes.Options
	graph    string
	out      string
	types    []string
	words    []string
	catalogs []string
	rephrase bool
	neo4j    target.Target
	model    modelFlags
	stepFlags
}

func newDatasetsProbesCmd(e *env) *cobra.Command {
	o := datasetsProbesOptions{out: "-"}
	c := verb("probes GRAPH", "Make cases from a graph: questions whose answers the graph proves", cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
		o.graph = args[0]
		switch {
		case o.Count < 0 || o.Workers < 1:
			return usagef("--count must be 0 or more, --workers 1 or more")
		case o.Searched < 0 || o.Searched > 1:
			return usagef("--searched: have %v, want a share from 0 to 1", o.Searched)
		case e.json && o.out == "-":
			return usagef("--json and the data both want standard output: give -o")
		}
		for _, t := range o.types {
			if !slices.Contains(probes.Types(), probes.Type(t)) {
				return usagef("--types: have %q, want some of %v", t, probes.Types())
			}
			o.Types = append(o.Types, probes.Type(t))
		}
		return runDatasetsProbes(c.Context(), e, o)
	})
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", o.out, "`file` of cases; - is standard output")
	f.StringSliceVar(&o.types, "types", nil, "only these `types`, with commas")
	f.IntVar(&o.Count, "count", 0, "make `n` questions in all, 0 = 200")
	f.Float64Var(&o.Searched, "searched", 0, "let a string search solve at most this `share` of the questions, 0 = 0.25, 1 = all")
	f.Uint64Var(&o.Seed, "seed", 1, "`seed` of the selection and of the wording")
	f.StringVar((*string)(&o.Group), "group", string(probes.GroupUser), "what becomes one case: all conversations of a `user`, or each conversation")
	f.StringArrayVar(&o.words, "words", nil, "wordings for your own predicates, a `file` in the form of datasets/probes/words.yaml; may be repeated")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "add the terms of a catalogue `file` (may be repeated)")
	f.BoolVar(&o.rephrase, "rephrase", false, "let a model word the questions again")
	f.IntVar(&o.Workers, "workers", 8, "ask the model for `n` wordings at once")
	f.StringVar(&o.neo4j.Database, "database", "", "`name` of the database (default the user's home database)")
	f.BoolVar(&e.json, "json", false, "print what was drawn, kept and dropped as one JSON object")
	o.stepFlags.add(c, 20)
	o.model.add(c)
	return c
}

func runDatasetsProbes(ctx context.Context, e *env, o datasetsProbesOptions) (err error) {
	if !remote(o.graph) {
		files, err := graph.Files(o.graph)
		if err := cmp.Or(err, notInput(o.out, append(files, o.graph)...)); err != nil {
			return err
		}
	}
	if o.Catalog, err = chain.LoadCatalog(o.catalogs); err != nil {
		return err
	}
	o.Stats = new(probes.Stats)
	for _, path := range o.words {
		b, err := smallfile.Read(path)
		if err != nil {
			return &schema.UsageError{Err: err}
		}
		o.Words = append(o.Words, b)
	}
	if o.rephrase {
		ms, g, err2 := o.model.generator(e, config.Read)
		defer ms.close(&err)
		if err2 != nil {
			return err2
		}
		o.Rephrase, o.Prompts = g, ms.Prompts
		if ms.dryRun() {
			o.out, e = "-", e.mute()
		}
	}
	t := newTally(e, o.limit)
	g, done, err := openGraph(ctx, e, o.graph, o.neo4j, t)
	if err != nil {
		return err
	}
	defer done()
	if !remote(o.graph) && t.taken+t.errors == 0 {
		return schema.Brokenf("%s: the graph is empty", o.graph)
	}
	loss := t.loss("datasets probes", o.stepFlags)
	loss.Empty = remote(o.graph)
	if err := loss.Before(); err != nil {
		return err
	}
	n := datasets.NewCensus()
	err = writeOut(e, o.out, func(w io.Writer) error {
		_, _, err := jsonl.Write(w, schema.Latest, n.Count(probes.Generate(ctx, g, o.Options)))
		return err
	})
	if err != nil {
		return err
	}
	if e.json {
		return errors.Join(writeJSON(e.out, struct {
			datasets.CensusReport
			Probes *probes.Stats `json:"probes"`
		}{censusOf("probes", n, t), o.Stats}), loss.After())
	}
	e.warnf("%s", strings.TrimRight(o.Stats.Summary(), "\n"))
	e.warnf("probes: %d cases, %d sessions, %d turns, %d questions", n.Cases, n.Sessions, n.Turns, n.Questions)
	if n.Questions == 0 {
		e.warnf("the graph has nothing to ask about: it needs Event nodes (to-graph --events) and claims that lead to them (--exports, --claims)")
	}
	return loss.After()
}
