package chats

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"membench/schema/jsonl"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A file is one file of an export: on disk, or in a zip.
type file struct {
	name string // for positions: a path, or zip path + "!" + member
	base string // its name in the export
	open func() (io.ReadCloser, error)
	head func() []byte // its first headSize bytes
}

// headSize is how much of a file its form is told from.
const headSize = 64 << 10

// text is the start of the file where that is text.
func (f *file) text() string {
	b := f.head()
	for i := 0; i < utf8.UTFMax && len(b) > 0 && !utf8.Valid(b); i++ {
		b = b[:len(b)-1] // cut within a character
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return ""
	}
	return string(b)
}

func newFile(name, base string, open func() (io.ReadCloser, error)) *file {
	f := &file{name: name, base: base}
	f.open = func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		// A byte order mark says what follows; without one it is UTF-8.
		return struct {
			io.Reader
			io.Closer
		}{transform.NewReader(r, unicode.BOMOverride(transform.Nop)), r}, nil
	}
	f.head = sync.OnceValue(func() []byte {
		r, err := f.open()
		if err != nil {
			return nil
		}
		defer r.Close()
		b, _ := io.ReadAll(io.LimitReader(r, headSize)) // what cannot be read here is an error when it is read whole
		return b
	})
	return f
}

// expand lists the files at a path, in the order of their names. A zip is held open while
// one of its members is.
func expand(at string) ([]*file, error) {
	st, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return folder(at)
	case isZip(at):
		return zipped(at)
	}
	return []*file{newFile(at, filepath.Base(at), func() (io.ReadCloser, error) { return jsonl.Open(at, nil) })}, nil
}

func folder(dir string) ([]*file, error) {
	var out []*file
	names, err := jsonl.Below(dir)
	for _, name := range names {
		p := filepath.Join(dir, name)
		out = append(out, newFile(p, name, func() (io.ReadCloser, error) { return jsonl.Open(p, nil) }))
	}
	return out, err
}

func isZip(at string) bool {
	f, err := os.Open(at)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == "PK\x03\x04"
}

func zipped(at string) ([]*file, error) {
	z, err := zip.OpenReader(at)
	if err != nil {
		return nil, fmt.Errorf("%s: the zip cannot be read: %w", at, err)
	}
	defer z.Close()
	var out []*file
	for i, m := range z.File {
		if m.FileInfo().IsDir() || strings.Contains(m.Name, "__MACOSX/") {
			continue
		}
		out = append(out, newFile(at+"!"+m.Name, path.Clean(m.Name), func() (io.ReadCloser, error) { return openMember(at, i) }))
	}
	slices.SortStableFunc(out, func(a, b *file) int { return strings.Compare(a.base, b.base) })
	return out, nil
}

// openMember opens a member for itself: a zip of gigabytes is not unpacked to disk. One
// that unpacks to more than jsonl.MaxRatio times its size is refused.
func openMember(at string, i int) (io.ReadCloser, error) {
	z, err := zip.OpenReader(at)
	if err != nil {
		return nil, err
	}
	m := z.File[i]
	r, err := m.Open()
	if err != nil {
		z.Close()
		return nil, fmt.Errorf("%s!%s: %w", at, m.Name, err)
	}
	var limited io.Reader = r
	if limit := jsonl.MaxRatio(); limit > 0 {
		limited = &capped{r: r, left: int64(m.CompressedSize64)*limit + 1<<20, name: at + "!" + m.Name}
	}
	return struct {
		io.Reader
		io.Closer
	}{limited, z}, nil
}

// capped fails where more is read than a compressed member may hold.
type capped struct {
	r    io.Reader
	left int64
	name string
}

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, fmt.Errorf("%s: unpacks to more than %d times its size (--max-ratio)", c.name, jsonl.MaxRatio())
	}
	return n, err
}

// named selects files by the last part of their names and by what their heads contain.
func named(files []*file, base string, contains ...string) []*file {
	var out []*file
	for _, f := range files {
		if base != "" && !strings.EqualFold(path.Base(f.base), base) {
			continue
		}
		text := string(f.head())
		if !slices.ContainsFunc(contains, func(s string) bool { return !strings.Contains(text, s) }) {
			out = append(out, f)
		}
	}
	return out
}

// stem is a file's name without folder and ending.
func (f *file) stem() string {
	b := path.Base(f.base)
	for _, ext := range []string{".gz", ".zst"} {
		b = strings.TrimSuffix(b, ext)
	}
	if s := strings.TrimSuffix(b, path.Ext(b)); s != "" {
		return s
	}
	return b
}
