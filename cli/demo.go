package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"membench/chain"
	"membench/config"
	"membench/data"
	"membench/graph"
	"membench/graph/trace"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/replay"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newDemoCmd(e *env) *cobra.Command {
	var out string
	var mine []string
	var o initOptions
	c := verb("demo", "Run the whole chain on the bundled dialogues, or on your own chats, offline", cobra.NoArgs, func(c *cobra.Command, _ []string) error {
		if len(mine) == 0 {
			return runDemo(c.Context(), e, out)
		}
		if !c.Flags().Changed("output") {
			out = filepath.Join("out", "mine")
		}
		o.Paths, o.Dir, o.Force = mine, filepath.Join(out, "project"), true
		if err := o.check(); err != nil {
			return err
		}
		return runMine(c.Context(), e, o, out)
	})
	c.Flags().StringArrayVar(&mine, "mine", nil, "run on this chat `export` instead (may be given several times)")
	o.addFlags(c)
	c.Flags().StringVarP(&out, "output", "o", filepath.Join("out", "demo"), "write into this `folder`")
	return c
}

func runDemo(ctx context.Context, e *env, out string) error {
	project := filepath.Join(out, "project")
	if err := copyProject(project); err != nil {
		return err
	}
	p, err := config.Load(filepath.Join(project, "membench.yaml"), e.lookup)
	if err != nil {
		return err
	}
	report, err := runChain(ctx, e, p, chainOptions{Options: chain.Options{Output: out}})
	if err != nil {
		return err
	}
	return tellDemo(ctx, e, p, out, report)
}

// runMine goes from chat exports to a page of their graph.
func runMine(ctx context.Context, e *env, o initOptions, out string) error {
	made, err := makeProject(ctx, e, o)
	if !wrote(err) {
		return err
	}
	p, err2 := config.Load(made.Config, e.lookup)
	if err2 != nil {
		return err2
	}
	r, err2 := runChain(ctx, e, p, chainOptions{Options: chain.Options{Output: out}})
	if !wrote(err2) {
		return err2
	}
	page := filepath.Join(out, "graph.html")
	view := viewOptions{ViewOptions: chain.ViewOptions{Graphs: []string{filepath.Join(out, "graph")}, Out: page}, stepFlags: o.stepFlags}
	if err := runView(ctx, e, view); err != nil {
		return err
	}
	m, err3 := build.ReadManifest(filepath.Join(out, "graph", "manifest.json"))
	if err3 != nil {
		return err3
	}
	e.printf(`
%[1]s: %[2]d nodes, %[3]d edges; %[4]d errors and %[5]d warnings in the output

Look next at

  %[6]s    open it in a browser
  membench ask "what do I like?" --in %[1]s
  membench trace WORDS --in %[1]s

Change %[7]s and run membench chain -c %[7]s -o %[1]s: only what changed is made again.
`, out, m.Counts["nodes"], m.Counts["edges"], r.Errors, r.Warnings, page, made.Config)
	return errors.Join(err, err2)
}

// copyProject writes the bundled project into dir; files that are the same stay.
func copyProject(dir string) error {
	return fs.WalkDir(data.Demo, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(data.Demo, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(name, "demo/")))
		return atomicfile.Write(to, func(w io.Writer) error { _, err := w.Write(b); return err })
	})
}

// tellDemo prints next steps for a newcomer, with one claim traced back to its line.
func tellDemo(ctx context.Context, e *env, p *config.Project, out string, r chain.Report) error {
	claim, successor, err := changedClaim(filepath.Join(out, "claims", "compiled", "claims.jsonl"))
	if err != nil {
		return err
	}
	m, err := build.ReadManifest(filepath.Join(out, "graph", "manifest.json"))
	if err != nil {
		return err
	}
	e.printf("\n%s: %d nodes, %d edges; %d errors and %d warnings in the output\n", out, m.Counts["nodes"], m.Counts["edges"], r.Errors, r.Warnings)
	var probes replay.Summary
	for rec, err := range jsonl.Files[schema.ProbeResult]([]string{filepath.Join(out, "probes.jsonl")}, nil) {
		if err != nil {
			return err
		}
		probes.Add(rec.V)
	}
	fmt.Fprintln(e.text(), &probes)
	line := "source/norm/ch01_first_night.norm.md:15"
	if claim != nil {
		e.printf("\nA fact that changed, with its evidence. The current claim is\n\n  %s\n\nand the one before it, traced to its source line:\n\n", successor.ID)
		g, err := readGraph(ctx, e, newTally(e, 10), out)
		if err != nil {
			return err
		}
		rep, err := trace.Run(ctx, g, trace.Options{Query: string(claim.ID), In: out, Direction: graph.Out, SourceRoot: p.Dir(), Limit: 20})
		if err := errors.Join(err, rep.Write(e.text())); err != nil {
			return err
		}
		if len(rep.Lines) > 0 {
			line = fmt.Sprintf("%s:%d", rep.Lines[0].Path, rep.Lines[0].First)
		}
	}
	e.printf(`
Look next at

  membench trace "favourite author" --in %[1]s --first    words to claims to source lines
  membench trace %[2]s --in %[1]s    a source line to what rests on it
  membench view %[1]s/graph -o graph.html                 the graph in a browser, one file
  membench validate %[1]s/graph %[1]s/claims/compiled %[1]s/exports %[1]s/events.jsonl
  less %[1]s/probes.jsonl %[1]s/cypher/*.cypher

Change %[1]s/project and run membench chain -c %[1]s/project/membench.yaml -o %[1]s: only what changed is made again.
`, out, line)
	return nil
}

// changedClaim is the deprecated claim whose successor has the most evidence, the first
// by id of those: a fact that changed and, with luck, changed back.
func changedClaim(path string) (changed, successor *schema.Claim, err error) {
	claims := map[schema.ClaimID]*schema.Claim{}
	for rec, err := range jsonl.Files[schema.Statement]([]string{path}, nil) {
		if err != nil {
			return nil, nil, err
		}
		if c := rec.V.Claim; c != nil {
			claims[c.ID] = c
		}
	}
	for _, id := range slices.Sorted(maps.Keys(claims)) {
		c := claims[id]
		next := claims[c.SupersededBy]
		if c.Status != schema.StatusDeprecated || next == nil {
			continue
		}
		if successor == nil || len(next.Evidence) > len(successor.Evidence) {
			changed, successor = c, next
		}
	}
	return changed, successor, nil
}
