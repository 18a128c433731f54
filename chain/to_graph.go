package chain

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"membench/graphir"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/catalog"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// ToGraphOptions of ToGraph. At least one of the inputs is needed.
type ToGraphOptions struct {
	Shared
	Events, Exports, Claims []string       `json:"-"`
	Out                     string         `json:"-"` // folder, or "-": nodes, then edges, without a manifest
	Version                 schema.Version `json:"-"`
	InputVersion            schema.Version `json:"-"` // "": the graph's version
	Memory                  int64          `json:"-"` // bytes held before records go to disk; 0 holds everything
	Workers                 int            `json:"-"` // 0: one per processor
	MaxLine                 int            `json:"-"` // 0: jsonl.MaxLine

	Shortcuts   bool          `json:"shortcut_edges"`
	RewriteUser string        `json:"rewrite_user"`
	Catalogs    []string      `json:"catalog"`
	People      schema.People `json:"people,omitzero"` // names that belong to one person, as for Claimify
}

func (o ToGraphOptions) check() error {
	switch {
	case len(o.Events)+len(o.Exports)+len(o.Claims) == 0:
		return schema.Usagef("no input: give --events, --exports or --claims")
	case o.RewriteUser != "" && o.Version != schema.V001:
		return schema.Usagef("--rewrite-user is for --schema-version 0.0.1 only")
	case o.InputVersion == schema.V001 && o.Version != schema.V001 && len(o.Claims) > 0:
		return schema.Usagef("claims of 0.0.1 carry ids of 0.0.1: run 'membench migrate … --to %s' on them first", o.Version)
	case o.Workers < 0:
		return schema.Usagef("--workers: have %d, want 0 or more", o.Workers)
	}
	stdin := 0
	for _, p := range slices.Concat(o.Events, o.Exports, o.Claims) {
		if p == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return schema.Usagef("standard input can be given once")
	}
	return nil
}

// toGraphStep is the name of ToGraph in manifests.
const toGraphStep = "to-graph"

// ToGraph makes one graph of events, exports and claims: nodes.jsonl, edges.jsonl and
// manifest.json in the folder Out.
func ToGraph(ctx context.Context, o ToGraphOptions) (graphir.Counts, error) {
	f := o.frame(toGraphStep, o.Version, o.Out, true)
	f.Stream = true
	defer f.Close()
	o.Version = f.Schema
	if err := o.check(); err != nil {
		return graphir.Counts{}, err
	}
	cat, err := LoadCatalog(o.Catalogs)
	if err != nil {
		return graphir.Counts{}, err
	}
	claims, err := claimFiles(o.Claims)
	if err != nil {
		return graphir.Counts{}, err
	}
	if people, known, err := recordedPeople(o.Claims); err != nil {
		return graphir.Counts{}, err
	} else if known && !samePeople(o.People, schema.People{}) && !samePeople(o.People, people) {
		return graphir.Counts{}, schema.Usagef("--people: the claims were made with other people (%s): the speakers of the turns would not be the people of the claims; leave --people out, or run claimify again", PeopleText(people))
	} else if known {
		o.People = people
	}
	if err := build.NotInput(o.Out, o.Claims...); err != nil {
		return graphir.Counts{}, err
	}
	var in graphir.Files
	for _, part := range []struct {
		to    *[]jsonl.File
		paths []string
	}{{&in.Events, o.Events}, {&in.Exports, o.Exports}, {&in.Claims, claims}} {
		if *part.to, err = f.Files(ctx, part.paths, ".jsonl"); err != nil {
			return graphir.Counts{}, err
		}
	}
	CheckHop(in.Events, schema.KindEvent, cat, o.MaxLine, f.Found)
	CheckHop(in.Claims, schema.KindClaim, cat, o.MaxLine, f.Found)
	nodes, err := f.Create("nodes.jsonl")
	if err != nil {
		return graphir.Counts{}, err
	}
	edges, err := f.Create("edges.jsonl")
	if err != nil {
		return graphir.Counts{}, err
	}
	workers := cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	counts, err := graphir.Write(ctx, in, nodes, edges, graphir.Options{Catalog: cat, Version: o.Version, People: o.People, Shortcuts: o.Shortcuts, RewriteUser: o.RewriteUser,
		Memory: o.Memory, TempDir: o.TempDir, Workers: workers, MaxLine: o.MaxLine, Progress: o.Progress}, f.Found)
	if err != nil {
		return counts, err
	}
	f.Taken = counts.Nodes + counts.Edges
	m := schema.Manifest{Counts: map[string]int{"nodes": counts.Nodes, "edges": counts.Edges}}
	for l, n := range counts.Labels {
		m.Counts["nodes."+l] = n
	}
	for l, n := range counts.Types {
		m.Counts["edges."+l] = n
	}
	o.Catalogs = append([]string{}, o.Catalogs...)
	if m.Options, err = schema.NewObject(o); err != nil {
		return counts, err
	}
	_, err = f.Commit(m)
	return counts, err
}

// Hops returns the kinds of record that hops of the chain have. Another name is a usage error of the flag.
func Hops(flag string, names ...string) (out []schema.Kind, err error) {
	kinds := map[string]schema.Kind{"events": schema.KindEvent, "exports": schema.KindExport, "claims": schema.KindClaim}
	for _, name := range names {
		if kinds[name] == "" {
			return nil, schema.Usagef("%s: have %q, want events, exports or claims", flag, name)
		}
		out = append(out, kinds[name])
	}
	return out, nil
}

// CheckHop makes files pass on only the lines that validate accepts, and report the others. Exports are checked by package graphir, on all cores. The ids of claims
// and the texts that they quote are taken as they are: compile-claims mints the ids, and a quotation does not enter the graph.
func CheckHop(files []jsonl.File, kind schema.Kind, cat *catalog.Catalog, maxLine int, report func(*schema.Finding)) {
	if kind == schema.KindExport {
		return
	}
	o := validate.PathOptions{Options: validate.Options{MaxLine: maxLine}, Catalog: cat, Kind: kind}
	if kind == schema.KindClaim {
		o.Kind, o.Except = "", []string{"ID002", "LNK002"} // claims and entities
	}
	for i, file := range files {
		files[i] = validate.Filter(file, o, report)
	}
}

// claimFiles finds the compiled records in the given folders.
func claimFiles(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if p == "-" || err == nil && !info.IsDir() {
			out = append(out, p)
			continue
		}
		if err != nil {
			return nil, err
		}
		if sub := filepath.Join(p, "compiled"); isDir(sub) {
			p = sub
		}
		n := len(out)
		for _, name := range []string{"entities.jsonl", "claims.jsonl"} {
			for _, end := range []string{"", ".gz", ".zst"} {
				if _, err := os.Stat(filepath.Join(p, name+end)); err == nil {
					out = append(out, filepath.Join(p, name+end))
					break
				}
			}
		}
		if len(out) == n {
			files, err := build.InputFiles([]string{p}, ".jsonl")
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
		}
	}
	return out, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
