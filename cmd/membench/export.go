package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"membench/chain"
	"membench/graph"

	"membench/cypher/neo4j/target"
	"membench/graphir/export"
	"membench/internal/atomicfile"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type exportOptions struct {
	in       string
	format   string
	out      string
	database string
	base     string
	scope    string
	catalogs []string
	json     bool
}

func newExportCmd(e *env) *cobra.Command {
	o := exportOptions{out: "-"}
	c := &cobra.Command{
		Use:   "export GRAPH_DIR --format admin-csv|graphml|jsonld -o OUT",
		Short: "Write a graph for neo4j-admin, GraphML or JSON-LD tools",
		Long: `Write a graph for other tools.

  admin-csv  a folder of CSV files, one for each set of labels and each edge type,
             and import.sh, which imports them into an empty Neo4j database; the
             command is printed as well
  graphml    one file for networkx, Gephi, yEd; a list stands as JSON text
  jsonld     one JSON-LD document with PROV-O terms for the evidence

Properties are written as a database holds them: nulls and empty lists are skipped,
nested values stand as JSON text in props_json, a property named like one of ours
gets the prefix p_. What a format cannot hold is reported and counted.`,
		Example: `  membench export out/demo/graph --format admin-csv -o csv && sh csv/import.sh
  membench export out/demo/graph --format graphml -o graph.graphml
  membench export out/demo/graph --format jsonld | riot --syntax=jsonld --out=turtle -`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.in = args[0]
			one := slices.IndexFunc(export.Formats(), func(x export.Format) bool { return x.Name == o.format })
			switch {
			case o.format == "":
				return usagef("--format is missing: have %s", strings.Join(export.FormatNames(), ", "))
			case one < 0 && o.format != export.AdminCSVName:
				return usagef("--format: have %q, want one of %s", o.format, strings.Join(export.FormatNames(), ", "))
			case one >= 0 && o.scope != "":
				return usagef("--scope goes with --format admin-csv: %s does not go into a database", o.format)
			case one < 0 && o.out == "-":
				return usagef("--format admin-csv writes several files: give a folder with -o")
			case o.in == "-" && (one < 0 || export.Formats()[one].Twice):
				return usagef("--format %s reads the graph twice: give files, not standard input", o.format)
			}
			if one < 0 {
				if err := target.CheckScope(o.scope); err != nil {
					return err
				}
			}
			if o.json && o.out == "-" {
				return usagef("--json and the graph cannot both go to standard output: give -o")
			}
			if !regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.-]{2,62}$`).MatchString(o.database) {
				return usagef("--database: have %q, want a Neo4j database name (letters, digits, dots, dashes)", o.database)
			}
			return runExport(c.Context(), e, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", strings.Join(export.FormatNames(), ", "))
	f.StringVarP(&o.out, "output", "o", o.out, "`file`, or folder for admin-csv")
	f.StringVar(&o.database, "database", "neo4j", "`name` that import.sh imports into")
	f.StringVar(&o.base, "base-label", "Node", "`label` of every node in admin-csv; empty for none")
	f.StringVar(&o.scope, "scope", "", "`name` of this graph among several in one database, for admin-csv")
	f.StringArrayVar(&o.catalogs, "catalog", nil, "`file` that adds to the vocabulary; may be repeated")
	f.BoolVar(&o.json, "json", false, "print the counts as one JSON object")
	return c
}

func runExport(ctx context.Context, e *env, o exportOptions) error {
	files, err := graph.Files(o.in)
	if err != nil {
		return err
	}
	if err := notInput(o.out, append(files, o.in)...); err != nil {
		return err
	}
	cat, err := chain.LoadCatalog(o.catalogs)
	if err != nil {
		return err
	}
	t := newTally(e, 20)
	opts := export.Options{Catalog: cat, Once: o.in == "-", Report: func(f *schema.Finding) { t.take(f) }}
	src := func() schema.Seq[schema.Element] { return jsonl.Files[schema.Element](files, e.in) }
	var res export.Result
	if o.format == export.AdminCSVName {
		res, err = exportFolder(ctx, o, opts, src)
	}
	for _, x := range export.Formats() {
		if x.Name == o.format {
			err = writeOut(e, o.out, func(w io.Writer) (err error) { res, err = x.Write(ctx, src, w, opts); return err })
		}
	}
	if err != nil {
		return err
	}
	t.summary()
	switch {
	case o.json:
		return writeJSON(e.out, res)
	case o.format == "admin-csv":
		_, err = fmt.Fprintf(e.out, "sh %s/import.sh\n", filepath.ToSlash(o.out))
		e.warnf("it runs: %s", strings.Join(res.Command, " "))
	}
	e.warnf("%d nodes, %d edges written, %d skipped, %d values moved to props_json", res.Nodes, res.Edges, res.LeftOut, res.Moved)
	return err
}

// exportFolder writes every file aside and puts them into place together at the end.
func exportFolder(ctx context.Context, o exportOptions, opts export.Options, src export.Source) (export.Result, error) {
	var parts []*part
	defer func() {
		for _, p := range parts {
			p.file.Close()
		}
	}()
	res, err := export.AdminCSV(ctx, src, func(name string) (io.WriteCloser, error) {
		f, err := atomicfile.Create(filepath.Join(o.out, name))
		if err != nil {
			return nil, err
		}
		p := &part{Writer: bufio.NewWriterSize(f, 1<<15), file: f}
		parts = append(parts, p)
		return p, nil
	}, export.CSVOptions{Options: opts, BaseLabel: o.base, Database: o.database, Scope: o.scope})
	if err != nil {
		return res, err
	}
	// An older export may have left files that import.sh no longer names.
	old, err := os.ReadDir(o.out)
	if err != nil {
		return res, err
	}
	for _, p := range parts {
		if err := p.file.Commit(); err != nil {
			return res, err
		}
	}
	for _, f := range old {
		name := f.Name()
		if (strings.HasPrefix(name, "nodes-") || strings.HasPrefix(name, "edges-")) && strings.HasSuffix(name, ".csv") && !slices.Contains(res.Files, name) {
			if err := os.Remove(filepath.Join(o.out, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return res, err
			}
		}
	}
	return res, nil
}

// part is a file that stays aside when it is closed, until all are whole.
type part struct {
	*bufio.Writer
	file *atomicfile.File
}

func (p *part) Close() error { return p.Flush() }
