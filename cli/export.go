package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"membench/chain"
	"membench/cypher/neo4j/target"
	"membench/graphir/export"

	"github.com/spf13/cobra"
)

type exportOptions struct {
	chain.ExportGraphOptions
	stepFlags
}

func newExportCmd(e *env) *cobra.Command {
	var o exportOptions
	var oneFile strings.Builder
	for _, f := range export.Formats() {
		fmt.Fprintf(&oneFile, "  %-9s  %s\n", f.Name, f.Doc)
	}
	c := verb("export GRAPH_DIR --format "+strings.Join(export.FormatNames(), "|")+" -o OUT", "Write a graph for neo4j-admin, GraphML or JSON-LD tools",
		cobra.ExactArgs(1), func(c *cobra.Command, args []string) error {
			o.Graph = args[0]
			one := slices.IndexFunc(export.Formats(), func(x export.Format) bool { return x.Name == o.Format })
			switch {
			case o.Format == "":
				return usagef("--format is missing: have %s", strings.Join(export.FormatNames(), ", "))
			case one >= 0 && o.Scope != "":
				return usagef("--scope goes with --format admin-csv: %s does not go into a database", o.Format)
			case one < 0 && o.Out == "-":
				return usagef("--format admin-csv writes several files: give a folder with -o")
			case o.Graph == "-" && (one < 0 || export.Formats()[one].Twice):
				return usagef("--format %s reads the graph twice: give files, not standard input", o.Format)
			}
			if one < 0 {
				if err := target.CheckScope(o.Scope); err != nil {
					return err
				}
			}
			if e.json && o.Out == "-" {
				return usagef("--json and the graph cannot both go to standard output: give -o")
			}
			if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]{2,62}$`).MatchString(o.Database) {
				return usagef("--database: have %q, want a Neo4j database name (letters, digits, dots, dashes)", o.Database)
			}
			return runExport(c.Context(), e, o)
		})
	c.Long = oneFile.String()
	f := c.Flags()
	f.StringVar(&o.Format, "format", "", "`format` to write: "+strings.Join(export.FormatNames(), ", "))
	f.StringVarP(&o.Out, "output", "o", "-", "`file`, or folder for admin-csv")
	f.StringVar(&o.Database, "database", "neo4j", "`name` that import.sh imports into")
	f.StringVar(&o.BaseLabel, "base-label", "Node", "`label` of every node in admin-csv; empty for none")
	f.StringVar(&o.Scope, "scope", "", "`name` of this graph among several in one database, for admin-csv")
	f.StringArrayVar(&o.Catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	o.stepFlags.add(c, 20)
	f.BoolVar(&e.json, "json", false, "print the counts as one JSON object")
	return c
}

func runExport(ctx context.Context, e *env, o exportOptions) error {
	return o.run(e, func(with chain.Shared) error {
		o.Shared = with
		res, err := chain.ExportGraph(ctx, o.ExportGraphOptions)
		switch {
		case !wrote(err):
			return err
		case e.json:
			return errors.Join(err, writeJSON(e.out, res))
		case o.Format == export.AdminCSVName:
			if _, failed := fmt.Fprintf(e.text(), "sh %s/import.sh\n", filepath.ToSlash(o.Out)); failed != nil {
				return failed
			}
			e.warnf("import.sh runs: %s", strings.Join(res.Command, " "))
		}
		e.warnf("%d nodes, %d edges written, %d skipped, %d values moved to props_json", res.Nodes, res.Edges, res.LeftOut, res.Moved)
		return err
	})
}
