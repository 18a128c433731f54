package trace

import (
	"os"
	"path/filepath"

	"membench/internal/build"
	"membench/schema"
	"membench/schema/jsonl"
)

// SourceLines is the text of a span; Text is empty where the file was not found.
type SourceLines struct {
	schema.Span
	File string   `json:"file,omitempty"`
	Text []string `json:"text,omitempty"`
}

// Sources finds and reads source files.
type Sources struct {
	roots []string
}

// NewSources looks for sources below root, where it is given, else below the
// source_root of the graph's manifest, the current folder, the graph's folder, the folders
// above it, and projects (membench.yaml) in these.
func NewSources(graphDir, root string) *Sources {
	if root != "" {
		return &Sources{[]string{root}}
	}
	s := &Sources{}
	for _, dir := range []string{graphDir, filepath.Join(graphDir, "graph")} {
		if m, err := build.ReadManifest(filepath.Join(dir, "manifest.json")); err == nil {
			if kept := m.Options.Text("source_root"); kept != "" {
				s.roots = append(s.roots, kept)
			}
		}
	}
	s.roots = append(s.roots, ".")
	dir, err := filepath.Abs(graphDir)
	for range 6 {
		if err != nil {
			break
		}
		s.roots = append(s.roots, dir)
		// A project beside or in its output: demo keeps a copy there.
		projects, err := filepath.Glob(filepath.Join(dir, "*", "membench.yaml"))
		if err != nil {
			break // unreachable unless dir holds a pattern: then there is nothing to find
		}
		for _, p := range projects {
			s.roots = append(s.roots, filepath.Dir(p))
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
		} else {
			break
		}
	}
	return s
}

// maxShown is how many lines of one span are shown.
const maxShown = 40

// Lines reads a span; its text is empty where the file is not found.
func (s *Sources) Lines(span schema.Span) SourceLines {
	out := SourceLines{Span: span}
	path := filepath.FromSlash(span.Path)
	var tries []string
	if filepath.IsAbs(path) {
		tries = []string{path}
	} else if filepath.IsLocal(path) {
		for _, r := range s.roots {
			tries = append(tries, filepath.Join(r, path))
		}
	}
	for _, name := range tries {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		r, err := jsonl.Open(name, nil)
		if err != nil {
			continue
		}
		out.File = filepath.ToSlash(name)
		last := min(span.Last, span.First+maxShown-1)
		next := span.First
		for l, err := range jsonl.Lines(r, name, 1<<20) {
			if err != nil || l.Pos.Line > last {
				break
			}
			if l.Pos.Line < span.First {
				continue
			}
			for ; next < l.Pos.Line; next++ {
				out.Text = append(out.Text, "") // a blank line
			}
			out.Text = append(out.Text, string(l.Bytes))
			next++
		}
		r.Close()
		break
	}
	return out
}
