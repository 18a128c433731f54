// Package keyed frames lines for engines that bring the lines of one key to one process:
// KEY TAB RECORD LF. docs/scale.md specifies the form.
package keyed

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

var (
	escape   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	unescape = map[byte]byte{'\\': '\\', 't': '\t', 'n': '\n', 'r': '\r', '0': 0}
)

// decodeKey reads what escape wrote, and nothing else.
func decodeKey(text string) (string, error) {
	var out []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if strings.IndexByte("\t\n\r\x00", c) >= 0 {
			return "", fmt.Errorf("byte %d of the key: have %q, want it escaped", i, c)
		}
		if c == '\\' {
			i++
			ok := i < len(text)
			if ok {
				c, ok = unescape[text[i]]
			}
			if !ok {
				return "", fmt.Errorf(`byte %d of the key: want \\, \t, \n, \r or \0`, i-1)
			}
		}
		out = append(out, c)
	}
	return string(out), nil
}

// Unescape decodes an escaped key; other text is unchanged.
func Unescape(key []byte) string {
	if back, err := decodeKey(string(key)); err == nil {
		return back
	}
	return string(key)
}

// Append appends a keyed line. The record has no line end of its own; a "\r" in it, which
// is white space between tokens, becomes a blank: engines take it for the end of a line.
func Append(dst []byte, key string, record []byte) []byte {
	if strings.ContainsAny(key, "\\\t\n\r\x00") {
		key = escape.Replace(key)
	}
	dst = append(append(dst, key...), '\t')
	n := len(dst)
	dst = append(dst, record...)
	for i := bytes.IndexByte(dst[n:], '\r'); i >= 0; i = bytes.IndexByte(dst[n:], '\r') {
		dst[n+i] = ' '
		n += i
	}
	return append(dst, '\n')
}

// AppendPart appends a keyed line whose record is a part: bytes that a process of the same
// version reads, as a JSON string of base64.
func AppendPart(dst []byte, key string, part []byte) []byte {
	dst = Append(dst, key, nil)
	dst = base64.StdEncoding.AppendEncode(append(dst[:len(dst)-1], '"'), part)
	return append(dst, "\"\n"...)
}

// DecodePart appends the bytes of a part to dst.
func DecodePart(dst, record []byte) ([]byte, error) {
	body := bytes.TrimSpace(record)
	if len(body) >= 2 && body[0] == '"' && body[len(body)-1] == '"' {
		if out, err := base64.StdEncoding.Strict().AppendDecode(dst, body[1:len(body)-1]); err == nil {
			return out, nil
		}
	}
	return dst, fmt.Errorf("have %.40q, want a part, as map of this version writes it", record)
}

// A Writer writes lines, which may come in parts, with the keys that Key gives them.
type Writer struct {
	To        io.Writer
	Key       func(line []byte) (string, error)
	line, out []byte
}

func (w *Writer) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		if w.line = append(w.line, part...); !bytes.HasSuffix(part, []byte("\n")) {
			break
		}
		line := w.line[:len(w.line)-1]
		key, err := w.Key(line)
		if err != nil {
			return 0, fmt.Errorf("the key of %.80q: %w", line, err)
		}
		w.out, w.line = Append(w.out[:0], key, line), w.line[:0]
		if _, err := w.To.Write(w.out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Records reads keyed lines without their keys. A line without a key is an error.
func Records(r io.Reader) io.Reader { return &records{in: bufio.NewReaderSize(r, 1<<16)} }

type records struct {
	in     *bufio.Reader
	line   int
	inside bool  // behind the key
	err    error // ends the reading, however often it continues
}

func (r *records) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if n > 0 && r.in.Buffered() == 0 {
			return n, nil
		}
		if !r.inside {
			if r.err == nil {
				_, r.err = r.key()
			}
			if r.err != nil {
				return n, r.err
			}
			r.inside = true
		}
		if _, err := r.in.Peek(1); err != nil {
			return n, err
		}
		b, _ := r.in.Peek(min(r.in.Buffered(), len(p)-n))
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b, r.inside = b[:i+1], false
		}
		r.in.Discard(copy(p[n:], b)) //nolint:errcheck // they are buffered
		n += len(b)
	}
	return n, nil
}

// maxKey is how long a key may be, in bytes.
const maxKey = 16 << 20

// Lines reads keyed lines: keys with their escapes, so that they are in the order in
// which lines are sorted, and records. Both hold until the next line.
func Lines(r io.Reader) iter.Seq2[[2][]byte, error] {
	return func(yield func([2][]byte, error) bool) {
		in := &records{in: bufio.NewReaderSize(r, 1<<16)}
		var key, record []byte
		for {
			k, err := in.key()
			if err == io.EOF {
				return
			}
			key, record = append(key[:0], k...), record[:0]
			for more := err == nil; more; {
				var b []byte
				b, err = in.in.ReadSlice('\n')
				record = append(record, b...)
				if more = errors.Is(err, bufio.ErrBufferFull); err == io.EOF {
					err = nil
				}
			}
			if !yield([2][]byte{key, bytes.TrimSuffix(record, []byte("\n"))}, err) || err != nil {
				return
			}
		}
	}
}

// key reads over the next key, and its tab.
func (r *records) key() ([]byte, error) {
	r.line++
	key, err := r.in.ReadSlice('\t')
	if errors.Is(err, bufio.ErrBufferFull) { // longer than any id that a database takes
		for key = bytes.Clone(key); errors.Is(err, bufio.ErrBufferFull) && len(key) < maxKey; {
			var more []byte
			more, err = r.in.ReadSlice('\t')
			key = append(key, more...)
		}
	}
	switch {
	case err == io.EOF && len(key) == 0:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrBufferFull):
		err = fmt.Errorf("the key is longer than %d bytes", maxKey)
	}
	if err == nil && (bytes.IndexByte(key, '\\') >= 0 || bytes.ContainsAny(key[:len(key)-1], "\n\r\x00")) {
		_, err = decodeKey(string(key[:len(key)-1]))
	}
	if err != nil {
		return nil, fmt.Errorf("line %d of standard input: want KEY TAB RECORD, as map writes it: %w", r.line, err)
	}
	return key[:len(key)-1], nil
}
