package datasets

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/textnorm"
	"membench/schema/jsonl"
)

// PathFile is a file on disk, unpacked; "-" is stdin.
func PathFile(path string, stdin io.Reader) jsonl.File {
	return jsonl.File{Name: path, Open: func() (io.ReadCloser, error) { return jsonl.Open(path, stdin) }}
}

// BaseName is a file's name without its folder, its packing (.gz, .zst) and its ending.
func BaseName(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	base = jsonl.PlainName(base)
	return strings.TrimSuffix(base, path.Ext(base))
}

// TextFile is a file in memory.
func TextFile(name, text string) jsonl.File {
	return jsonl.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// Find expands paths: a folder stands for the matching files in it and below it, in the order of their paths, numbers by value; any other path for itself.
func Find(paths []string, match func(name string) bool, stdin io.Reader) ([]jsonl.File, error) {
	var out []jsonl.File
	for _, p := range paths {
		info, err := os.Stat(p)
		if p == "-" || err == nil && !info.IsDir() {
			out = append(out, PathFile(p, stdin))
			continue
		}
		if err != nil {
			return nil, err
		}
		var found []string
		names, err := jsonl.Below(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if match(jsonl.PlainName(name)) {
				found = append(found, filepath.Join(p, name))
			}
		}
		slices.SortStableFunc(found, textnorm.Natural)
		for _, f := range found {
			out = append(out, PathFile(f, nil))
		}
	}
	return out, nil
}
