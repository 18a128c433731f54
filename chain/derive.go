package chain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"membench/claims"
	"membench/graph"
	"membench/internal/atomicfile"
	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// catalogs are the files that add to the vocabulary.
func (c *run) catalogs() (files []string) {
	for _, f := range c.p.Catalogs {
		files = append(files, c.p.Path(f))
	}
	return files
}

// countLines counts the lines of a file.
func countLines(name string) (n int, err error) {
	r, err := jsonl.Open(name, nil)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for _, err := range jsonl.Lines(r, name, 0) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// claimify works in place: it caches results of model calls, and the next run finishes a killed one.
func (c *run) claimify(ctx context.Context) error {
	g, who, err := c.generator(c.p.Claims.Extractor)
	if err != nil {
		return err
	}
	exports, err := inDir(c.path("exports"), "*"+memoriesSuffix)
	if err != nil {
		return err
	}
	o := ClaimifyOptions{Exports: []string{c.path("exports")}, Generator: g, Catalogs: c.catalogs(), People: c.p.People, Operations: c.p.Operations, MinConfidence: c.p.Claims.MinConfidence, Version: c.p.SchemaVersion, Prune: true}
	s := build.Step{Name: "claimify", Inputs: slices.Concat(exports, o.Catalogs), Output: c.path("claims", "by_conv"), Dir: true, InPlace: true, Options: map[string]any{"asked": who, "people": o.People, "operations": o.Operations, "min_confidence": o.MinConfidence}}
	if g != nil {
		o.Prompts = c.o.Models.Prompts
		s.Models, s.Prompts = map[string]string{"claims": g.Model()}, map[string]string{"claims": claims.Prompt(o.Prompts).SHA256()}
	}
	return c.do(ctx, s, func(ctx context.Context, path string, with Shared, counts map[string]int) error {
		o.Shared, o.Out = with, path
		o.Report = func(f *schema.Finding) {
			if with.Report(f); f.Pos.Line == 0 { // of all memories, not of one
				c.warn("%s", f)
			}
		}
		r, err := Claimify(ctx, o)
		counts["statements"] = r.Claims + r.Entities
		return err
	})
}

func (c *run) compileClaims(ctx context.Context) error {
	files, err := inDir(c.path("claims", "by_conv"), "*.jsonl")
	if err != nil {
		return err
	}
	o := CompileClaimsOptions{Inputs: []string{c.path("claims", "by_conv")}, Catalogs: c.catalogs(), Version: c.p.SchemaVersion, Now: c.b.Now, People: &c.p.People}
	return c.do(ctx, build.Step{Name: "compile-claims", Inputs: slices.Concat(files, o.Catalogs), Output: c.path("claims", "compiled"), Dir: true, Options: map[string]any{"people": o.People}},
		func(ctx context.Context, path string, with Shared, counts map[string]int) error {
			o.Shared, o.Out = with, path
			meta, err := CompileClaims(ctx, o)
			counts["statements"] = meta.Claims + meta.Entities
			return err
		})
}

// toGraph stores, in addition to the new graph, the changes from the old one: puts and deletes for a delta load.
func (c *run) toGraph(ctx context.Context) error {
	exports, err := inDir(c.path("exports"), "*"+memoriesSuffix)
	if err != nil {
		return err
	}
	compiled, err := inDir(c.path("claims", "compiled"), "*.jsonl")
	if err != nil {
		return err
	}
	o := ToGraphOptions{Events: []string{c.path("events.jsonl")}, Exports: []string{c.path("exports")}, Claims: []string{c.path("claims", "compiled")},
		Catalogs: c.catalogs(), People: c.p.People, Version: c.p.SchemaVersion, Memory: 48 << 20}
	s := build.Step{Name: toGraphStep, Inputs: slices.Concat(o.Events, exports, compiled, o.Catalogs), Output: c.path("graph"), Dir: true, Options: map[string]any{"people": o.People}}
	return c.do(ctx, s, func(ctx context.Context, path string, with Shared, counts map[string]int) error {
		o.Shared, o.Out = with, path
		made, err := ToGraph(ctx, o)
		if err != nil && !schema.Written(err) {
			return err
		}
		counts["nodes"], counts["edges"] = made.Nodes, made.Edges
		changes, errChanges := writeChanges(ctx, c.path("graph"), path, c.path("changes.jsonl"))
		if schema.IsFinding(errChanges) || errors.Is(errChanges, graph.ErrUnsorted) { // the old graph: an output, which somebody may have edited or cut
			c.warn("the last graph in %s cannot be read: %v; changes.jsonl has all of the new one, so load the graph itself the next time", c.path("graph"), errChanges)
			changes, errChanges = writeChanges(ctx, "", path, c.path("changes.jsonl"))
		}
		if counts["changes"] = changes; errChanges != nil {
			return errChanges
		}
		return err
	})
}

// writeChanges writes the changes from the graph in the folder old, "" or one that may be absent, to the one in the folder new. It fails with a finding or
// graph.ErrUnsorted where the old one cannot be read.
func writeChanges(ctx context.Context, old, new, out string) (n int, err error) {
	a := schema.Seq[schema.Element](func(func(schema.Record[schema.Element], error) bool) {})
	if old != "" && exists(filepath.Join(old, "nodes.jsonl")) {
		if a, err = elements(old); err != nil {
			return 0, err
		}
	}
	b, err := elements(new)
	if err != nil {
		return 0, err
	}
	return n, atomicfile.Write(out, func(f io.Writer) error {
		w := bufio.NewWriterSize(f, 1<<16)
		var line []byte
		for ch, err := range graph.Diff(a, b) {
			if err != nil {
				return err
			}
			if line, err = jsonl.Append(line[:0], ch, schema.Latest); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			n++
		}
		return w.Flush()
	})
}

func elements(dir string) (schema.Seq[schema.Element], error) {
	files, err := graph.Files(dir)
	return jsonl.Files[schema.Element](files, nil), err
}

func (c *run) cypher(ctx context.Context) error {
	return c.do(ctx, build.Step{Name: "cypher", Inputs: []string{c.path("graph", "nodes.jsonl"), c.path("graph", "edges.jsonl")}, Output: c.path("cypher"), Dir: true, Options: struct{}{}},
		func(ctx context.Context, path string, with Shared, counts map[string]int) error {
			n, err := Cypher(ctx, CypherOptions{Shared: with, Graph: c.path("graph"), Out: path})
			counts["statements"] = n.Statements
			return err
		})
}

// validate looks at everything that was made; its findings are kept as text.
func (c *run) validate(ctx context.Context) error {
	parts := []string{c.path("events.jsonl"), c.path("exports"), c.path("probes.jsonl"), c.path("claims", "compiled"), c.path("graph")}
	cat, err := LoadCatalog(c.catalogs())
	if err != nil {
		return err
	}
	s := build.Step{Name: "validate", Inputs: append(slices.Clone(parts), c.catalogs()...), Output: c.path("findings.txt"), Options: struct{}{}}
	err = c.do(ctx, s, func(ctx context.Context, path string, with Shared, counts map[string]int) error {
		counts["errors"], counts["warnings"] = 0, 0
		return atomicfile.Write(path, func(file io.Writer) error {
			w := bufio.NewWriter(file)
			_, err := validate.Paths(ctx, parts, validate.PathOptions{Catalog: cat}, func(f *schema.Finding) {
				with.Report(f)
				if f.Warning {
					counts["warnings"]++
				} else {
					counts["errors"]++
				}
				fmt.Fprintln(w, f)
			})
			return errors.Join(err, w.Flush())
		})
	})
	m := c.records["validate"]
	c.report.Errors, c.report.Warnings = m.Counts["errors"], m.Counts["warnings"]
	return err
}
