package chain

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/annotate"
	"membench/internal/build"
	"membench/internal/smallfile"
	"membench/schema"
	"membench/schema/jsonl"
)

// annotateSources parses the files one after the other.
func annotateSources(ctx context.Context, f *build.Frame, files []string, o AnnotateOptions) iter.Seq2[annotate.Source, error] {
	return func(yield func(annotate.Source, error) bool) {
		for _, name := range files {
			r, err := f.File(ctx, name).Open()
			if err != nil {
				yield(annotate.Source{}, err)
				return
			}
			for src, err := range annotate.Parse(r, name, o.Convert) {
				if !yield(src, err) {
					r.Close()
					return
				}
			}
			r.Close()
		}
	}
}

// annotateFiles expands the sources to files, in the order given; chapters by number.
func annotateFiles(f *build.Frame, o AnnotateOptions) ([]string, error) {
	var out []string
	for _, s := range o.Sources {
		if s == "-" {
			out = append(out, s)
			continue
		}
		info, err := os.Stat(s)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			files, err := annotateFolder(s, o, f)
			if err != nil {
				return nil, err
			}
			out = append(out, files...)
		case filepath.Base(s) == "index.json":
			entries, err := readIndex(f, s)
			if err != nil {
				return nil, err
			}
			out = append(out, chapterFiles(entries, s, filepath.Dir(s), o, f)...)
		default:
			out = append(out, s)
		}
	}
	jsonl.Expect(out)
	return out, nil
}

// readIndex reads an index.json and reports its findings.
func readIndex(f *build.Frame, path string) ([]schema.IndexEntry, error) {
	text, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	entries, findings, err := annotate.ReadIndex(text, path)
	for _, x := range findings {
		f.Found(x)
	}
	return entries, err
}

// annotateFolder takes a folder's chapters, then its other dialogue files by name.
func annotateFolder(dir string, o AnnotateOptions, f *build.Frame) ([]string, error) {
	entries, findings, err := annotate.Index(dir, dir)
	base := filepath.Base(filepath.Clean(dir))
	if err == nil && (base == "raw" || base == "norm") { // a folder given by name means its own files
		for i := range entries {
			if base == "raw" {
				entries[i].NormPath = ""
			} else {
				entries[i].RawPath = ""
			}
		}
		entries = slices.DeleteFunc(entries, func(e schema.IndexEntry) bool { return e.NormPath == "" && e.RawPath == "" })
	}
	chapters := map[string]bool{}
	for _, e := range entries {
		chapters[e.NormPath], chapters[e.RawPath] = true, true
	}
	for _, x := range findings {
		// Without an index, a chapter has only the files it has; and names that are
		// no chapter's are read below.
		if x.Code != "SRC021" && x.Code != "SRC023" {
			f.Found(x)
			chapters[filepath.Base(x.Pos.File)] = true // a second file of one chapter
		}
	}
	out := chapterFiles(entries, dir, dir, o, f)
	names, err := jsonl.In(dir, func(name string) bool {
		return name != "index.json" && !chapters[name] && slices.Contains([]string{".md", ".jsonl", ".ndjson", ".json"}, filepath.Ext(jsonl.PlainName(name)))
	})
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		out = append(out, filepath.Join(dir, name))
	}
	if len(out) == 0 && f.Rejected == 0 {
		return nil, fmt.Errorf("%s: no dialogue file: want .md, .jsonl or .json here, or chapters in raw or norm", dir)
	}
	return out, nil
}

// chapterFiles chooses one file of each chapter.
func chapterFiles(entries []schema.IndexEntry, index, dir string, o AnnotateOptions, f *build.Frame) []string {
	var out []string
	for _, e := range entries {
		want := []string{e.NormPath, e.RawPath}
		switch o.Prefer {
		case "norm":
			want = want[:1]
		case "raw":
			want = want[1:]
		}
		found := false
		for _, p := range want {
			if path, ok := annotate.Resolve(p, dir, o.Convert.Root, o.Outside); ok && !found {
				out = append(out, path)
				found = true
			}
		}
		if !found {
			have := strings.Join(slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s == "" }), ", ")
			f.Found(&schema.Finding{Pos: schema.Pos{File: index}, Code: "SRC020", Message: "no file for chapter " + e.ID, Have: have, Want: "a file on this machine, relative to the index",
				Hint: "make a new index with membench index; --outside reads files outside of the index's folder and --root"})
		}
	}
	return out
}
