package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"membench/schema"
	"membench/schema/jsonl"
)

// NotInput rejects an output that is one of the inputs, file or folder: records that a step skips would be lost, and a folder that contained both would be read
// differently by the next run.
func NotInput(out string, inputs ...string) error {
	o, err := os.Stat(out)
	if err != nil || out == "-" {
		return nil
	}
	for _, in := range inputs {
		if i, err := os.Stat(in); err == nil && in != "-" && os.SameFile(i, o) {
			return schema.Usagef("the output %s is the input %s: give another place with -o", out, in)
		}
	}
	return nil
}

// Apart is NotInput, and rejects an output in an input folder, which the next run would read, and a folder that would be replaced with an input in it.
func Apart(out string, inputs ...string) error {
	for _, in := range inputs {
		switch {
		case out == "-" || in == "-":
		case below(out, in):
			return schema.Usagef("the output %s is inside the input %s, and the next run would read it: give another place with -o", out, in)
		case below(in, out):
			return schema.Usagef("the output %s holds the input %s, which would be replaced: give another place with -o", out, in)
		}
	}
	return NotInput(out, inputs...)
}

// below reports whether path, which may be absent, lies in dir; links are followed.
func below(path, dir string) bool {
	rel, err := filepath.Rel(place(dir), place(path))
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

// place is path as an absolute one without links, as far as it is there.
func place(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(place(dir), filepath.Base(path))
	}
	return path
}

// Inputs is InputFiles for a step that writes out. It rejects an output that is an input, or that the next run would find in an input folder.
func Inputs(out string, paths []string, suffixes ...string) ([]string, error) {
	names, err := InputFiles(paths, suffixes...)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.IsDir() && out != "-" && place(filepath.Dir(place(out))) == place(p) && hasSuffix(out, suffixes) {
			return nil, schema.Usagef("the output %s is inside the input %s, and the next run would read it: give another place with -o", out, p)
		}
	}
	return names, NotInput(out, slices.Concat(paths, names)...)
}

func hasSuffix(name string, suffixes []string) bool {
	return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(jsonl.PlainName(name), s) })
}

// InputFiles expands the given paths: a folder is replaced by its files (without subfolders) whose names end in one of the suffixes, with or without .gz or
// .zst, sorted by name; a file and "-" are unchanged. A folder without such a file is an error.
func InputFiles(paths []string, suffixes ...string) ([]string, error) {
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
		names, err := jsonl.In(p, func(name string) bool { return hasSuffix(name, suffixes) })
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no file ending in %s", p, strings.Join(suffixes, ", "))
		}
		for _, name := range names {
			out = append(out, filepath.Join(p, name))
		}
	}
	return out, nil
}
