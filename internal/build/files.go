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
		names, err := jsonl.In(p, func(name string) bool {
			return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(jsonl.PlainName(name), s) })
		})
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
