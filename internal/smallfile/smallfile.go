// Package smallfile reads files that are meant to be small, whole: a configuration, a
// catalogue, a chapter. One that is larger than its limit, or has no end, is an error
// before it fills the memory.
package smallfile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"membench/internal/atomicfile"
	"membench/internal/codec"
)

// Max is the limit of most files: 64 MiB.
const Max = 64 << 20

// Read returns the content of a file of at most Max bytes. It fails as os.ReadFile
// does, and when the file is larger.
func Read(path string) ([]byte, error) { return ReadMax(path, Max) }

// ReadMax is Read with a limit in bytes.
func ReadMax(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	switch st, err := f.Stat(); {
	case err != nil:
	case atomicfile.IsDevice(st):
		return nil, fmt.Errorf("%s is a device, which may have no end: save its data to a file and give that", path)
	case st.Mode().IsRegular() && st.Size() > max:
		return nil, fmt.Errorf("%s: the file has %d bytes, want at most %d", path, st.Size(), max)
	}
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > max {
		return nil, fmt.Errorf("%s: the file has more than %d bytes", path, max)
	}
	return b, nil
}

// ReadJSON reads the one JSON value of a file into v. It fails as Read does, and names
// the file when the value does not fit v.
func ReadJSON(path string, v any) error {
	b, err := Read(path)
	if err != nil {
		return err
	}
	if err := codec.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// WriteJSON writes v as the indented JSON text of a file, whole or not at all.
func WriteJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return codec.WriteFile(w, v) })
}

// Within reports whether a file lies in dir or below it, links followed: whether a path
// that data names may be read.
func Within(file, dir string) bool {
	f, err1 := realPath(file)
	d, err2 := realPath(dir)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(d, f)
	return err == nil && filepath.IsLocal(rel)
}

func realPath(path string) (string, error) {
	p, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(p)
}
