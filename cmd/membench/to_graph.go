package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"membench/graphir"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"

	"github.com/spf13/cobra"
)

type toGraphOptions struct {
	events, exports, claims []string
	out                     string
	version, inputVersion   schema.Version
	catalog                 []string
	people                  peopleFlag
	memory                  byteSize
	maxLine                 byteSize
	workers                 int
	shortcuts               bool
	rewriteUser             string
	strict                  bool
	limit                   int
}

func newToGraphCmd(e *env) *cobra.Command {
	o := toGraphOptions{version: schema.Latest, memory: 48 << 20, maxLine: jsonl.MaxLine}
	c := &cobra.Command{
		Use:   "to-graph [--events F] [--exports F]... [--claims DIR] -o GRAPH_DIR",
		Short: "Make one graph of events, memory exports and claims",
		Long: `Make one graph of events, memory exports and claims: nodes.jsonl, edges.jsonl and
manifest.json, ordered by id. At least one input is needed; each is a file, "-" or a folder
of .jsonl files, plain, .gz or .zst. --claims takes the folder of compile-claims (claims.jsonl
and entities.jsonl; a folder "compiled" in it is found, too).

The order of files and records never changes a byte. One text stored at several points is one
node: its properties are those of the earliest occurrence, point_ids and conv_ids list the
others. An edge whose other end is missing is reported and skipped, except evidence in a graph
of claims alone, which is loaded beside its memory graph.

--schema-version 0.0.1 writes the graph of the existing Python chain as of the schema's day.
"-o -" writes nodes, then edges, to standard output, without a manifest.`,
		Example: `  membench to-graph --events events.jsonl --exports exports/ --claims claims/ -o graph/
  membench to-graph --exports export_20260225.jsonl --schema-version 0.0.1 -o graph/
  membench to-graph --exports exports.jsonl.zst --memory 256M -o - | jq -r .id`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runToGraph(c.Context(), e, o) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.events, "events", nil, "`path` of events; may be given again")
	f.StringArrayVar(&o.exports, "exports", nil, "`path` of memory exports; may be given again")
	f.StringArrayVar(&o.claims, "claims", nil, "`path` of compiled claims and entities; may be given again")
	f.StringVarP(&o.out, "output", "o", "", "`folder` for the graph, or - for standard output (required)")
	f.Var(versionFlag{&o.version}, "schema-version", "schema `version` of the graph")
	f.Var(versionFlag{&o.inputVersion}, "input-version", "schema `version` of the input; 0.0.1 claims need migrate before they join a newer graph")
	f.Var(&o.people, "people", "who is who, as claimify has it: a YAML `file`, or its text in braces")
	f.StringArrayVar(&o.catalog, "catalog", nil, "`file` with more terms for the catalogue; may be given again")
	f.Var(&o.memory, "memory", "`size` of what is held before intermediate records go to disk, e.g. 64M; 0 holds everything")
	f.Var(&o.maxLine, "max-line", "`size` of the longest line that is read")
	f.IntVar(&o.workers, "workers", 0, "`n` workers; 0 is one per processor")
	f.BoolVar(&o.shortcuts, "shortcut-edges", false, "also draw an edge of the predicate's type from the root of a claim to its object")
	f.StringVar(&o.rewriteUser, "rewrite-user", "", "make every user of the claims user:`id`, as the existing chain does (0.0.1 only)")
	f.BoolVar(&o.strict, "strict", false, "exit 3 and write nothing when the data has errors")
	f.IntVar(&o.limit, "limit", 100, "print at most `n` findings; 0 prints all")
	return c
}

// byteSize reads sizes: 1048576, 512K, 64M, 2G (powers of 1024).
type byteSize int64

func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }
func (b *byteSize) Type() string   { return "size" }
func (b *byteSize) Set(s string) error {
	unit := int64(1)
	t := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	for i, u := range []string{"K", "M", "G", "T"} {
		if r, ok := strings.CutSuffix(t, u); ok {
			t, unit = r, 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || n < 0 || n > 1<<62/unit {
		return fmt.Errorf("have %q, want a size such as 64M", s)
	}
	*b = byteSize(n * unit)
	return nil
}

func (o *toGraphOptions) verify() error {
	switch {
	case len(o.events)+len(o.exports)+len(o.claims) == 0:
		return usagef("no input: give --events, --exports or --claims")
	case o.out == "":
		return usagef("no output: give -o GRAPH_DIR")
	case o.rewriteUser != "" && o.version != schema.V001:
		return usagef("--rewrite-user is for --schema-version 0.0.1 only")
	case o.inputVersion == schema.V001 && o.version != schema.V001 && len(o.claims) > 0:
		return usagef("claims of 0.0.1 carry ids of 0.0.1: run 'membench migrate … --to %s' on them first", o.version)
	case o.workers < 0:
		return usagef("--workers: have %d, want 0 or more", o.workers)
	}
	stdin := 0
	for _, p := range slices.Concat(o.events, o.exports, o.claims) {
		if p == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usagef("standard input can be given once")
	}
	return nil
}

func runToGraph(ctx context.Context, e *env, o toGraphOptions) error {
	if err := o.verify(); err != nil {
		return err
	}
	if err := notInput(o.out, slices.Concat(o.events, o.exports, o.claims)...); err != nil {
		return err
	}
	cat, err := loadCatalog(o.catalog)
	if err != nil {
		return err
	}
	var in graphir.Files
	ds := digests{stdin: e.in}
	if in.Events, err = ds.files(o.events, ".jsonl"); err != nil {
		return err
	}
	if in.Exports, err = ds.files(o.exports, ".jsonl"); err != nil {
		return err
	}
	claims, err := claimFiles(o.claims)
	if err != nil {
		return err
	}
	if in.Claims, err = ds.files(claims, ".jsonl"); err != nil {
		return err
	}
	if o.version == schema.V001 && len(in.Events) > 0 {
		e.warnf("to-graph: a graph of 0.0.1 has no events: --events adds nothing")
	}
	workers := o.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g := graphir.Options{Catalog: cat, Version: o.version, People: o.people.People, Shortcuts: o.shortcuts, RewriteUser: o.rewriteUser,
		Memory: int64(o.memory), TempDir: e.getenv("TMPDIR"), Workers: workers, MaxLine: int(o.maxLine)}
	t := newTally(e, o.limit)
	report := func(f *schema.Finding) { t.take(f) }
	defer bulkMemory(e)()

	if o.out == "-" {
		w := bufio.NewWriterSize(e.out, 1<<16)
		if _, err := graphir.Write(ctx, in, w, w, g, report); err != nil {
			return err
		}
		t.summary()
		if o.strict && t.errors > 0 {
			return errFindings
		}
		return w.Flush()
	}
	nodes, err := newDigestFile(filepath.Join(o.out, "nodes.jsonl"))
	if err != nil {
		return err
	}
	defer nodes.Close()
	edges, err := newDigestFile(filepath.Join(o.out, "edges.jsonl"))
	if err != nil {
		return err
	}
	defer edges.Close()
	counts, err := graphir.Write(ctx, in, nodes, edges, g, report)
	if err != nil {
		return err
	}
	t.summary()
	if o.strict && t.errors > 0 {
		return errFindings
	}
	m := schema.Manifest{SchemaVersion: o.version, Step: "to-graph", StepVersion: 1, Membench: release, Findings: t.byCode, Inputs: ds.list(cmp.Or(e.final, o.out)), Counts: map[string]int{"nodes": counts.Nodes, "edges": counts.Edges}}
	for l, n := range counts.Labels {
		m.Counts["nodes."+l] = n
	}
	for l, n := range counts.Types {
		m.Counts["edges."+l] = n
	}
	if m.Options, err = schema.NewObject(struct {
		Shortcuts   bool     `json:"shortcut_edges"`
		RewriteUser string   `json:"rewrite_user"`
		Catalog     []string `json:"catalog"`
	}{o.shortcuts, o.rewriteUser, append([]string{}, o.catalog...)}); err != nil {
		return err
	}
	if m.Key, err = build.Key(m); err != nil {
		return err
	}
	for _, f := range []*digestFile{edges, nodes} {
		m.Outputs = append(m.Outputs, f.sum(filepath.Base(f.path)))
	}
	for _, f := range []*digestFile{nodes, edges} {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	if err := build.WriteManifest(filepath.Join(o.out, "manifest.json"), m); err != nil {
		return err
	}
	e.warnf("%d nodes, %d edges in %s; next: membench cypher %s -o cypher/", counts.Nodes, counts.Edges, o.out, o.out)
	return nil
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
			files, err := inputFiles([]string{p}, ".jsonl")
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
