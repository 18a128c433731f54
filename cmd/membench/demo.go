package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"membench/cmd/membench/internal/config"
	"membench/data"
	"membench/graph"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

func newDemoCmd(e *env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the whole chain on the bundled dialogues, offline",
		Long: `Run the whole chain on the bundled dialogues: twelve chapters in Chinese and English,
an on-call channel and an assistant thread, all invented. No key, no server, no network.

The project is copied to DIR/project, so that it can be changed and run again with
membench chain -c DIR/project/membench.yaml -o DIR.`,
		Example: `  membench demo
  membench demo -o /tmp/demo && membench trace "favourite author" --in /tmp/demo --first`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runDemo(c.Context(), e, out) },
	}
	c.Flags().StringVarP(&out, "output", "o", filepath.Join("out", "demo"), "write into this `folder`")
	return c
}

func runDemo(ctx context.Context, e *env, out string) error {
	project := filepath.Join(out, "project")
	if err := copyProject(project); err != nil {
		return err
	}
	p, err := config.Load(filepath.Join(project, "membench.yaml"))
	if err != nil {
		return err
	}
	report, err := runChain(ctx, e, p, chainOptions{out: out})
	if err != nil {
		return err
	}
	return tellDemo(ctx, e, p, out, report)
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

// tellDemo prints what a newcomer should look at next, with one claim walked back to
// its line.
func tellDemo(ctx context.Context, e *env, p *config.Project, out string, r *chainReport) error {
	claim, successor, err := changedClaim(filepath.Join(out, "claims", "compiled", "claims.jsonl"))
	if err != nil {
		return err
	}
	m, err := build.ReadManifest(filepath.Join(out, "graph", "manifest.json"))
	if err != nil {
		return err
	}
	w := e.out
	fmt.Fprintf(w, "\n%s: %d nodes, %d edges; %d errors and %d warnings in what was made\n", out, m.Counts["nodes"], m.Counts["edges"], r.Errors, r.Warnings)
	if claim != nil {
		fmt.Fprintf(w, "\nA fact that changed, and what it rests on:\n\n  %s\n  %s by %s\n\n", claim.ID, claim.Status, successor)
		if err := runTrace(ctx, e, traceOptions{query: string(claim.ID), in: out, direction: graph.Out, sourceRoot: p.Dir(), limit: 20}); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, `
Look next at

  membench trace "favourite author" --in %[1]s --first    words to claims to source lines
  membench trace %[2]s:15 --in %[1]s    a source line to what rests on it
  membench view %[1]s/graph -o graph.html                 the graph in a browser, one file
  membench validate %[1]s/graph %[1]s/claims/compiled %[1]s/exports %[1]s/events.jsonl
  less %[1]s/probes.jsonl %[1]s/cypher/*.cypher

Change %[1]s/project and run membench chain -c %[1]s/project/membench.yaml -o %[1]s: only what changed is made again.
`, out, "source/norm/ch01_first_night.norm.md")
	return nil
}

// changedClaim is the first deprecated claim by id that has a successor.
func changedClaim(path string) (*schema.Claim, schema.ClaimID, error) {
	var found []schema.Claim
	for rec, err := range jsonl.Files[schema.Statement]([]string{path}, nil) {
		if err != nil {
			return nil, "", err
		}
		if c := rec.V.Claim; c != nil && c.Status == schema.StatusDeprecated && c.SupersededBy != "" {
			found = append(found, *c)
		}
	}
	if len(found) == 0 {
		return nil, "", nil
	}
	slices.SortFunc(found, func(a, b schema.Claim) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return &found[0], found[0].SupersededBy, nil
}
