package chats

import (
	"archive/zip"
	"bufio"
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

	"membench/schema"
	"membench/schema/jsonl"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A file is one file of an export: on disk, or in a zip.
type file struct {
	name string // for positions: a path, or zip path + "!" + member
	base string // its name in the export
	open func() (io.ReadCloser, error)
	head func() []byte // its first headSize bytes

	encoding string // it is read in, other than UTF-8 and UTF-16; known once it was opened
}

// headSize is how much of a file is read to detect its form.
const headSize = 64 << 10

// text is the start of the file where that is text.
func (f *file) text() string {
	b := whole(f.head())
	if !isUTF8(b) || bytes.IndexByte(b, 0) >= 0 {
		return ""
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// newFile returns a file. The user names the encoding for files that are not UTF-8, or "".
func newFile(name, base, encoding string, open func() (io.ReadCloser, error)) *file {
	f := &file{name: name, base: base}
	f.open = func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		in := bufio.NewReaderSize(r, headSize)
		head, _ := in.Peek(headSize)                           // a read error occurs again when the file is read
		if f.encoding = encodingOf(head, encoding); f.mail() { // its parts name their own
			f.encoding = ""
		}
		// A byte order mark determines the encoding; without one it is UTF-8, or detected.
		other := transform.Transformer(transform.Nop)
		if e, err := htmlindex.Get(f.encoding); err == nil {
			other = e.NewDecoder()
		}
		return struct {
			io.Reader
			io.Closer
		}{transform.NewReader(in, unicode.BOMOverride(other)), r}, nil
	}
	f.head = sync.OnceValue(func() []byte {
		r, err := f.open()
		if err != nil {
			return nil
		}
		defer r.Close()
		b, _ := io.ReadAll(io.LimitReader(r, headSize)) // a read error is reported when the file is read whole
		return b
	})
	return f
}

// headOnly is the start of the file.
func (f *file) headOnly() *file {
	return &file{name: f.name, base: f.base, open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(f.text())), nil }}
}

// whole is the head of a file without the part of a character at which it was cut.
func whole(head []byte) []byte {
	if len(head) < headSize {
		return head
	}
	for i := len(head) - 1; i >= len(head)-utf8.UTFMax; i-- {
		if utf8.RuneStart(head[i]) {
			if !utf8.FullRune(head[i:]) {
				return head[:i]
			}
			break
		}
	}
	return head
}

// isUTF8 distinguishes UTF-8, also with single faults, from other encodings: most runs of bytes
// beyond ASCII are valid.
func isUTF8(b []byte) bool {
	good, bad := 0, 0
	for _, run := range bytes.FieldsFunc(b, func(r rune) bool { return r < utf8.RuneSelf }) {
		if utf8.Valid(run) {
			good++
		} else {
			bad++
		}
	}
	return bad == 0 || good > bad
}

// encodingOf detects the encoding of a text that is not UTF-8 and does not declare it, such as tables of Excel; "" otherwise. An encoding named by the
// user replaces the guess, and is also used if a long file starts with only ASCII. In Chinese text bytes beyond ASCII come in runs of two and more, in
// text of western Europe nearly all of
// them are alone. Mails name their own.
func encodingOf(head []byte, named string) string {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || fromLine.Match(head) {
		return ""
	}
	if bytes.IndexByte(head, 0) >= 0 { // UTF-16, or no text
		if strings.HasPrefix(strings.ToLower(named), "utf-16") {
			return named
		}
		return ""
	}
	alone, run, all := 0, 0, 0
	for _, c := range append(head[:len(head):len(head)], ' ') {
		if c >= 0x80 {
			run++
			all++
			continue
		}
		if run == 1 {
			alone++
		}
		run = 0
	}
	switch {
	case all == 0 && len(head) == headSize:
		return named
	case isUTF8(whole(head)):
		return ""
	case named != "":
		return named
	case alone*3 > all:
		return "windows-1252"
	}
	return "gb18030"
}

// guessed reports that the encoding of a file was detected from its content.
func (f *file) guessed(o Options) {
	if o.Encoding == "" && f.encoding != "" {
		o.Report(&schema.Finding{Pos: schema.Pos{File: f.name}, Code: codeCharset, Warning: true, Message: "the file is not UTF-8; it was read as " + f.encoding,
			Hint: "if names or texts look wrong, give --encoding"})
	}
}

// expand lists the files at a path, in the order of their names. A zip is held open while
// one of its members is.
func expand(at, encoding string) ([]*file, error) {
	st, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, err
	case st.IsDir():
		return folder(at, encoding)
	case isZip(at):
		return zipped(at, encoding)
	}
	return []*file{newFile(at, filepath.Base(at), encoding, func() (io.ReadCloser, error) { return jsonl.Open(at, nil) })}, nil
}

func folder(dir, encoding string) ([]*file, error) {
	var out []*file
	names, err := jsonl.Below(dir)
	for _, name := range names {
		p := filepath.Join(dir, name)
		out = append(out, newFile(p, name, encoding, func() (io.ReadCloser, error) { return jsonl.Open(p, nil) }))
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

func zipped(at, encoding string) ([]*file, error) {
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
		out = append(out, newFile(at+"!"+m.Name, path.Clean(m.Name), encoding, func() (io.ReadCloser, error) { return openMember(at, i) }))
	}
	slices.SortStableFunc(out, func(a, b *file) int { return strings.Compare(a.base, b.base) })
	return out, nil
}

// openMember opens a member for itself: a zip of gigabytes is not unpacked to disk. One
// that unpacks to more than jsonl.MaxRatio times its size is rejected.
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

// named selects files by the last part of their names and by the content of their heads.
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
