package browser

import (
	"io"
	"os"
	"path/filepath"

	"membench/internal/atomicfile"
)

// WritePack writes the files that a person drops on Browser and reads into a folder: style,
// queries together, guide, then each query. It returns their paths.
func WritePack(dir string, style, guide []byte, queries []Query) ([]string, error) {
	zip, err := Zip(queries)
	if err != nil {
		return nil, err
	}
	type file struct {
		name string
		text []byte
	}
	files := []file{
		{"membench.grass", style},
		{"membench-queries.zip", zip},
		{"guide.md", guide},
	}
	for _, q := range queries {
		files = append(files, file{filepath.Join("queries", q.Name+".cypher"), []byte(q.File())})
	}
	if err := os.MkdirAll(filepath.Join(dir, "queries"), 0o777); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(f.text); return err }); err != nil {
			return nil, err
		}
		names = append(names, path)
	}
	return names, nil
}
