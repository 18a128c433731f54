package cli

import (
	"context"
	"errors"
	"path/filepath"

	"membench/chain"
	"membench/graphir/view"

	"github.com/spf13/cobra"
)

type viewOptions struct {
	chain.ViewOptions
	stepFlags
}

func (o *viewOptions) addFlags(e *env, c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&o.Out, "output", "o", "", "`file` to write, - for standard output")
	fs.StringVar(&o.Title, "title", "", "`heading` of the page (default: the name of the folder)")
	fs.IntVar(&o.MaxNodes, "max-nodes", 0, "draw at most `n` nodes: claims and their evidence first, then the best connected; 0 draws all")
	fs.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	fs.BoolVar(&e.json, "json", false, "print the counts as one JSON object on standard output")
	o.stepFlags.add(c, 20)
}

func (o *viewOptions) check(e *env) error {
	switch {
	case o.Out == "":
		return usagef("no output named: add -o FILE.html, or -o - for standard output")
	case o.Out == "-" && e.json:
		return usagef("--json and -o - both want standard output: write the page to a file")
	case o.MaxNodes < 0:
		return usagef("--max-nodes is %d, want 0 or more", o.MaxNodes)
	}
	return nil
}

func newViewCmd(e *env) *cobra.Command {
	var o viewOptions
	c := verb("view GRAPH_DIR|FILE... -o FILE.html", "Draw a graph as one HTML file that needs no network",
		cobra.MinimumNArgs(1), func(c *cobra.Command, args []string) error {
			o.Graphs = args
			if err := o.check(e); err != nil {
				return err
			}
			return runView(c.Context(), e, o)
		})
	o.addFlags(e, c)
	return c
}

// viewReport is the output of --json.
type viewReport struct {
	view.Stats
	Seconds float64 `json:"seconds"` // reading, layout and writing, by the clock on the wall
}

func runView(ctx context.Context, e *env, o viewOptions) error {
	if o.Title == "" && o.Graphs[0] != "-" {
		if abs, err := filepath.Abs(o.Graphs[0]); err == nil {
			o.Title = filepath.Base(abs)
		}
	}
	began := e.now()
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		st, err := chain.View(ctx, o.ViewOptions)
		switch {
		case !wrote(err):
			return err
		case e.json:
			return errors.Join(err, writeJSON(e.out, viewReport{st, e.now().Sub(began).Seconds()}))
		case o.Out == "-":
			return err
		}
		e.warnf("%s: %d nodes, %d edges, %d changed claims, %.1f MB", o.Out, st.Nodes, st.Edges, st.Changes, float64(st.Bytes)/1e6)
		if st.NodesOmitted > 0 {
			e.warnf("%d nodes and %d edges skipped by --max-nodes", st.NodesOmitted, st.EdgesOmitted)
		}
		return err
	})
}
