package trace

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/build"
	"membench/internal/codec"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// SourceLines is the text of a span; Text is empty where the file was not found.
type SourceLines struct {
	schema.Span
	File string   `json:"file,omitempty"`
	Text []string `json:"text,omitempty"`
	From []string `json:"from,omitempty"` // of the lines that init made of a chat's export, in order: the export's own FILE:LINE, or FILE
}

// Sources finds and reads source files.
type Sources struct {
	roots   []string
	outside bool // show files beyond the roots, too
}

// NewSources looks for sources below root, where it is given, else below the
// source_root of the graph's manifest, the current folder, the graph's folder, the one
// above it, and projects (membench.yaml, .git) above and in these. A graph is data: unless outside is
// true, a path that it names must lie below one of these folders, links followed, and
// its manifest's source_root counts only below the current folder or one of the others.
func NewSources(graphDir, root string, outside bool) *Sources {
	if root != "" {
		return &Sources{[]string{root}, outside}
	}
	s := &Sources{outside: outside}
	var named []string
	for _, dir := range []string{graphDir, filepath.Join(graphDir, "graph")} {
		if m, err := build.ReadManifest(filepath.Join(dir, "manifest.json")); err == nil {
			if kept := m.Options.Text("source_root"); kept != "" {
				named = append(named, kept)
			}
		}
	}
	s.roots = append(s.roots, ".")
	dir, err := filepath.Abs(graphDir)
	for above := range 6 {
		if err != nil {
			break
		}
		if above < 2 || isProject(dir) {
			s.roots = append(s.roots, dir)
		}
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
	for _, dir := range named {
		if outside || s.allows(dir) {
			s.roots = slices.Insert(s.roots, 0, dir)
		}
	}
	return s
}

// isProject reports whether a folder is the root of someone's project: from a folder
// that only lies above the graph nothing is read, it may be the whole disk.
func isProject(dir string) bool {
	return slices.ContainsFunc([]string{"membench.yaml", ".git"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// allows reports whether a file lies below a root.
func (s *Sources) allows(name string) bool {
	return s.outside || slices.ContainsFunc(s.roots, func(root string) bool { return smallfile.Within(name, root) })
}

// A place is a line of an export; Line 0 is the whole file.
type place struct {
	File string `json:"source_file"`
	Line int    `json:"source_line"`
}

// madeOf returns the place in an export that a chat line was made of, the zero place for any other line.
func madeOf(line []byte) (p place) {
	if codec.Unmarshal(line, &p) != nil {
		return place{}
	}
	return p
}

func (p place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// maxShown is how many lines of one span are shown.
const maxShown = 40

// open opens the first file that a source path names below the roots; nil where there is none.
func (s *Sources) open(path string) (io.ReadCloser, string) {
	path = filepath.FromSlash(path)
	var tries []string
	if filepath.IsAbs(path) {
		tries = []string{path}
	} else if s.outside || filepath.IsLocal(path) {
		for _, r := range s.roots {
			tries = append(tries, filepath.Join(r, path))
		}
	}
	for _, name := range tries {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || !s.allows(name) {
			continue
		}
		if r, err := jsonl.Open(name, nil); err == nil {
			return r, name
		}
	}
	return nil, ""
}

// lines yields the lines of an open source up to the first that cannot be read, and closes it.
func lines(r io.ReadCloser, name string) iter.Seq[jsonl.Line] {
	return func(yield func(jsonl.Line) bool) {
		defer r.Close()
		for l, err := range jsonl.Lines(r, name, 1<<20) {
			if err != nil || !yield(l) {
				return
			}
		}
	}
}

// Lines reads a span; its text is empty where the file is not found.
func (s *Sources) Lines(span schema.Span) SourceLines {
	out := SourceLines{Span: span}
	r, name := s.open(span.Path)
	if r == nil {
		return out
	}
	out.File = filepath.ToSlash(name)
	last := min(span.Last, span.First+maxShown-1)
	next := span.First
	for l := range lines(r, name) {
		if l.Pos.Line > last {
			break
		}
		if l.Pos.Line < span.First {
			continue
		}
		for ; next < l.Pos.Line; next++ {
			out.Text = append(out.Text, "") // a blank line
		}
		out.Text = append(out.Text, string(l.Bytes))
		if from := madeOf(l.Bytes); from.File != "" {
			out.From = append(out.From, from.String())
		}
		next++
	}
	return out
}

// madeOf returns the lines of a source that were made of a line of an export, and the export's lines that others were made of.
func (s *Sources) madeOf(path, export string, line int) (made, others []int) {
	r, name := s.open(path)
	if r == nil {
		return nil, nil
	}
	for l := range lines(r, name) {
		switch p := madeOf(l.Bytes); {
		case p.Line == 0 || p.File != export && !strings.HasSuffix(p.File, "/"+strings.TrimPrefix(export, "./")) && !strings.HasSuffix(export, "/"+p.File):
		case p.Line == line:
			made = append(made, l.Pos.Line)
		default:
			others = append(others, p.Line)
		}
	}
	return made, others
}
