package chain

import (
	"context"
	"io"
	"slices"
	"strings"

	"membench/graph"
	"membench/graphir/export"
	"membench/graphir/view"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// ExportGraphOptions of ExportGraph.
type ExportGraphOptions struct {
	Shared
	Graph     string // folder of a graph, a file of elements, or, as JSONLD, "-"
	Out       string // file, or folder of export.AdminCSVName; "-"
	Format    string // one of export.FormatNames
	Catalogs  []string
	Database  string // that AdminCSV's import.sh imports into
	BaseLabel string // of every node in AdminCSV; "": none
	Scope     string // of the graph among several in one database
}

// ExportGraph writes a graph for other tools.
func ExportGraph(ctx context.Context, o ExportGraphOptions) (export.Result, error) {
	var res export.Result
	f := o.frame("export", schema.Latest, o.Out, o.Format == export.AdminCSVName)
	defer f.Close()
	reads := 3 // its gate and two passes
	for _, x := range export.Formats() {
		if x.Name == o.Format && !x.Twice {
			reads = 2
		}
	}
	src, err := graphSource(ctx, f, []string{o.Graph}, reads)
	if err != nil {
		return res, err
	}
	cat, err := LoadCatalog(o.Catalogs)
	if err != nil {
		return res, err
	}
	opts := export.Options{Catalog: cat, Once: o.Graph == "-", Report: f.Found}
	if f.Dir {
		res, err = export.AdminCSV(ctx, src, func(name string) (io.WriteCloser, error) { return f.Create(name) },
			export.CSVOptions{Options: opts, BaseLabel: o.BaseLabel, Database: o.Database, Scope: o.Scope})
	} else {
		i := slices.IndexFunc(export.Formats(), func(x export.Format) bool { return x.Name == o.Format })
		if i < 0 {
			return res, schema.Usagef("format: have %q, want one of %v", o.Format, export.FormatNames())
		}
		err = f.Write("", func(w io.Writer) (err error) { res, err = export.Formats()[i].Write(ctx, src, w, opts); return err })
	}
	if err != nil {
		return res, err
	}
	if f.Dir { // an older export may have left files that import.sh no longer names
		old, err := othersIn(o.Out, nil, ".csv")
		if err != nil {
			return res, err
		}
		for _, name := range old {
			if (strings.HasPrefix(name, "nodes-") || strings.HasPrefix(name, "edges-")) && !slices.Contains(res.Files, name) {
				f.Remove(name)
			}
		}
	}
	f.Taken = res.Nodes + res.Edges
	if err := rules(ctx, f, []string{o.Graph}, o.Catalogs, 0, o.Format == export.AdminCSVName); err != nil {
		return res, err
	}
	_, err = f.Commit(schema.Manifest{Counts: map[string]int{"nodes": res.Nodes, "edges": res.Edges}})
	return res, err
}

// graphSource reads graphs as one stream, any number of times; reads is the expected number.
func graphSource(ctx context.Context, f *build.Frame, graphs []string, reads int) (func() schema.Seq[schema.Element], error) {
	var names []string
	for _, g := range graphs {
		more, err := graph.Files(g)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	if err := build.NotInput(f.Out, graphs...); err != nil {
		return nil, err
	}
	files, err := f.Files(ctx, names)
	jsonl.Expect(slices.Repeat(names, reads-1))
	return func() schema.Seq[schema.Element] { return jsonl.DecodeFiles[schema.Element](files, 0) }, err
}

// ViewOptions of View.
type ViewOptions struct {
	Shared
	Graphs   []string // folders of graphs, files of elements, "-"
	Out      string   // HTML file, or "-"
	Title    string
	MaxNodes int
	Catalogs []string
}

// View writes graphs as one HTML page.
func View(ctx context.Context, o ViewOptions) (view.Stats, error) {
	var st view.Stats
	f := o.frame("view", schema.Latest, o.Out, false)
	defer f.Close()
	src, err := graphSource(ctx, f, o.Graphs, 1)
	if err != nil {
		return st, err
	}
	err = f.Write("", func(w io.Writer) error {
		st, err = view.HTML(w, src(), view.Options{Title: o.Title, MaxNodes: o.MaxNodes, Report: f.Found, Progress: o.Progress})
		return err
	})
	if err != nil {
		return st, err
	}
	f.Taken = st.Nodes + st.Edges
	if err := rules(ctx, f, o.Graphs, o.Catalogs, 0, false); err != nil {
		return st, err
	}
	_, err = f.Commit(schema.Manifest{})
	return st, err
}
