package probes

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"membench/datasets"
	"membench/graph"
	"membench/schema"
	"membench/schema/jsonl"
)

// Dataset makes a graph's files (nodes.jsonl, edges.jsonl) readable like any data set:
// by datasets convert, sample and lint, and by eval run. Options.Count is the number
// of questions.
func Dataset() datasets.Dataset {
	info, _ := datasets.Lookup("probes")
	return datasets.Dataset{Info: info, Match: Match, Cases: func(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.Case] {
		return Cases(ctx, files, o, Options{})
	}}
}

// Match reports whether a file of a folder is one of a graph.
func Match(name string) bool {
	stem, ok := strings.CutSuffix(path.Base(name), ".jsonl")
	part := func(p string) bool {
		return stem == p || strings.HasSuffix(stem, "_"+p) || strings.Contains(stem, "_"+p+"_")
	}
	return ok && (part("nodes") || part("edges"))
}

// Cases reads the graph of the files and makes cases of it by p, with seed and count of
// o. Dropped drafts are reported by type and reason as warning DST023.
func Cases(ctx context.Context, files []jsonl.File, o datasets.Options, p Options) schema.Seq[schema.Case] {
	return func(yield func(schema.Record[schema.Case], error) bool) {
		g := graph.NewLocal()
		if err := g.Read(ctx, elements(files), o.Tell); err != nil {
			yield(schema.Record[schema.Case]{}, err)
			return
		}
		p.Seed, p.Count = o.Seed, o.Count
		if p.Stats == nil {
			p.Stats = &Stats{}
		}
		for r, err := range Generate(ctx, g, p) {
			if !yield(r, err) {
				return
			}
		}
		for _, f := range p.Stats.Findings() {
			o.Tell(f)
		}
	}
}

// elements reads nodes before edges, regardless of the order of the files.
func elements(files []jsonl.File) schema.Seq[schema.Element] {
	files = append([]jsonl.File{}, files...)
	slices.SortStableFunc(files, func(a, b jsonl.File) int {
		edge := func(f jsonl.File) int {
			if strings.Contains(path.Base(strings.ReplaceAll(f.Name, "\\", "/")), "edges") {
				return 1
			}
			return 0
		}
		return edge(a) - edge(b)
	})
	return jsonl.DecodeFiles[schema.Element](files, 0)
}

// Findings reports dropped drafts, by type and reason, and the parts of the graph that cannot be used in a case.
func (s *Stats) Findings() []*schema.Finding {
	var out []*schema.Finding
	add := func(n int, message string) {
		out = append(out, &schema.Finding{Code: "DST023", Warning: true, Message: message, Have: fmt.Sprint(n)})
	}
	for _, t := range Types() {
		if x := s.Types[t]; x != nil {
			for _, why := range sorted(x.Dropped) {
				add(x.Dropped[why], fmt.Sprintf("drafts of type %s were dropped: %s", t, why))
			}
		}
	}
	for _, why := range sorted(s.Unusable) {
		add(s.Unusable[why], "no case can use "+why)
	}
	return out
}
