// Package codec is the one door to the JSON library: strict decoding with
// positions, and encoding in the three layouts that the chain's files use.
//
// Decoding refuses duplicate names, invalid UTF-8 and lone surrogates. Encoding
// escapes only '"', '\' and control characters, as Python's json.dumps does with
// ensure_ascii off, so that files of the existing chain keep their bytes.
package codec

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Layout is the white space of a file kind.
type Layout uint8

const (
	Compact  Layout = iota // "," and ":"; claims and entities
	Spaced                 // ", " and ": "; events, exports, probe results, graph
	Indented               // two spaces, one member a line, no final newline; reports, index, manifest
)

// An Error says where in the decoded bytes a fault is and what was wanted there.
type Error struct {
	Offset  int64  // bytes from the start of the text; at or just after the fault
	Pointer string // RFC 6901 pointer to the value at fault; "" is the whole text
	Have    string // JSON kind found, when the fault is of kind
	Want    string // kind wanted
	Msg     string // lower case, no position
}

func (e *Error) Error() string {
	if e.Have != "" && e.Want != "" {
		return e.Pointer + ": have " + e.Have + ", want " + e.Want
	}
	if e.Pointer != "" {
		return e.Pointer + ": " + e.Msg
	}
	return e.Msg
}

// wantOf names the JSON kind that a Go type is read from.
func wantOf(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Pointer:
		return wantOf(t.Elem())
	}
	return t.String()
}

func kindName(k byte) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{', '}':
		return "object"
	case '[', ']':
		return "array"
	}
	return ""
}

// MaxDepth is the deepest nesting of a text that is read: what comes later (the
// schema checker, indented output, Python's reader) gives up near it or grows with its
// square.
const MaxDepth = 1000

// tooDeep reports where a text goes beyond MaxDepth. Most texts have fewer brackets
// altogether, which is counted at the speed of memory.
func tooDeep(b []byte) (at int, deep bool) {
	if bytes.Count(b, []byte{'{'})+bytes.Count(b, []byte{'['}) <= MaxDepth {
		return 0, false
	}
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > MaxDepth {
				return i, true
			}
		case '}', ']':
			depth--
		}
	}
	return 0, false
}

// Hopeless reports whether no JSON text begins with b, as far as that shows at once: by its first character, or by its depth.
func Hopeless(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	_, deep := tooDeep(b)
	return deep || len(b) > 0 && bytes.IndexByte([]byte("{[\"-0123456789tfn"), b[0]) < 0
}

// Unmarshal reads exactly one JSON value from b into v. Errors are *Error.
func Unmarshal(b []byte, v any) error {
	if at, deep := tooDeep(b); deep {
		return &Error{Offset: int64(at), Msg: "nested more than " + strconv.Itoa(MaxDepth) + " levels deep"}
	}
	err := unmarshal(b, v)
	if err == nil {
		return nil
	}
	if ours, ok := errors.AsType[*Error](err); ok {
		return ours
	}
	return libError(err)
}

// Append appends the JSON text of v to dst. Map members come out sorted.
func Append(dst []byte, v any, l Layout) ([]byte, error) {
	w := sliceWriter{dst}
	if err := Write(&w, v, l); err != nil {
		return dst, err
	}
	return w.b, nil
}

// Write writes the JSON text of v, without a final newline.
func Write(w io.Writer, v any, l Layout) error { return marshalWrite(w, v, l) }

// WriteFile writes v as the whole of a file for people: one indented JSON text with a
// final newline. What cannot be written as JSON is an error, and then nothing is written.
func WriteFile(w io.Writer, v any) error {
	b, err := Append(nil, v, Indented)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// WriteLine writes v as one line: its compact JSON text and a newline. What cannot be
// written as JSON is an error, and then nothing is written.
func WriteLine(w io.Writer, v any) error {
	b, err := Append(nil, v, Compact)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ObjectEnd is the end of the object whose brace opens at b[i], 0 where it does not
// close. Braces inside strings do not count.
func ObjectEnd(b []byte, i int) int {
	depth, text := 0, false
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

type sliceWriter struct{ b []byte }

func (w *sliceWriter) Write(p []byte) (int, error) { w.b = append(w.b, p...); return len(p), nil }

// compacts holds buffers of spaced.
var compacts = sync.Pool{New: func() any { return new(sliceWriter) }}

// spaced writes what compact writes, in the layout Spaced.
func spaced(w io.Writer, compact func(io.Writer) error) error {
	c := compacts.Get().(*sliceWriter)
	defer compacts.Put(c)
	c.b = c.b[:0]
	if err := compact(c); err != nil {
		return err
	}
	if to, ok := w.(*sliceWriter); ok {
		to.b = AppendLayout(to.b, c.b, Spaced)
		return nil
	}
	_, err := w.Write(AppendLayout(make([]byte, 0, len(c.b)+len(c.b)/8), c.b, Spaced))
	return err
}

// Valid reports whether b is exactly one JSON value by the rules of this package.
func Valid(b []byte) bool {
	var d discard
	return Unmarshal(b, &d) == nil
}

type discard struct{}

func (*discard) UnmarshalJSON([]byte) error { return nil }

const hex = "0123456789abcdef"

// AppendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				i++
				start = i
				continue
			}
			i += n
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// AppendStrings appends a JSON array of strings, each as AppendString writes it.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// stringEnd returns the index just past the string that starts at b[i], in valid JSON.
func stringEnd(b []byte, i int) int {
	for i++; ; {
		n := bytes.IndexByte(b[i:], '"')
		back := 0
		for k := i + n - 1; k >= i && b[k] == '\\'; k-- {
			back++
		}
		if i += n + 1; back%2 == 0 {
			return i
		}
	}
}

// AppendLayout appends the valid JSON text raw with the white space of l.
// Strings and numbers keep their text.
func AppendLayout(dst, raw []byte, l Layout) []byte {
	depth := 0
	nl := func() {
		dst = append(dst, '\n')
		for range depth {
			dst = append(dst, ' ', ' ')
		}
	}
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			j := stringEnd(raw, i)
			dst = append(dst, raw[i:j]...)
			i = j
		case '{', '[':
			dst = append(dst, c)
			i++
			if l == Indented {
				for i < len(raw) && strings.IndexByte(" \t\r\n", raw[i]) >= 0 {
					i++
				}
				if raw[i] == c+2 { // '}' is '{'+2 and ']' is '['+2: an empty one stays on its line
					dst = append(dst, raw[i])
					i++
					continue
				}
				depth++
				nl()
			}
		case '}', ']':
			if l == Indented {
				depth--
				nl()
			}
			dst = append(dst, c)
			i++
		case ',':
			dst = append(dst, ',')
			i++
			if l == Spaced {
				dst = append(dst, ' ')
			} else if l == Indented {
				nl()
			}
		case ':':
			dst = append(dst, ':')
			i++
			if l != Compact {
				dst = append(dst, ' ')
			}
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// AppendNormal appends the valid JSON text raw without white space and with each string in one spelling,
// that of AppendString.
func AppendNormal(dst, raw []byte) []byte {
	raw = AppendLayout(nil, raw, Compact)
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			dst = append(dst, raw[i])
			i++
			continue
		}
		j := stringEnd(raw, i)
		if bytes.IndexByte(raw[i:j], '\\') < 0 {
			dst = append(dst, raw[i:j]...)
		} else {
			dst = AppendString(dst, Unquote(raw[i:j]))
		}
		i = j
	}
	return dst
}

// Member is the value of an object's member by its name, or by the names on the way to it,
// with dots between; nil where there is none.
func Member(obj []byte, name string) (value []byte) {
	first, rest, nested := strings.Cut(name, ".")
	for k, v := range Members(obj) {
		switch {
		case k == name:
			return v
		case nested && k == first && value == nil:
			value = Member(v, rest)
		}
	}
	return value
}

// Members yields the members of the JSON object in raw, in order, as the name's
// text unquoted and the value's raw bytes. raw should have passed Unmarshal or Valid; of
// what has not, the members before the fault come, and perhaps a part of the next.
func Members(raw []byte) func(yield func(name string, value []byte) bool) {
	return func(yield func(string, []byte) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '{' {
			return
		}
		i = skipSpace(raw, i+1)
		for i < len(raw) && raw[i] == '"' {
			j := SkipValue(raw, i)
			name := Unquote(raw[i:j])
			if i = skipSpace(raw, j); i >= len(raw) || raw[i] != ':' {
				return
			}
			i = skipSpace(raw, i+1)
			j = SkipValue(raw, i)
			if !yield(name, raw[i:j]) {
				return
			}
			i = skipSpace(raw, j)
			if i < len(raw) && raw[i] == ',' {
				i = skipSpace(raw, i+1)
			}
		}
	}
}

// Elements yields the raw elements of the JSON array in raw, in order; nothing for other values.
// raw should be valid, as for Members.
func Elements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := skipSpace(raw, 0)
		if i >= len(raw) || raw[i] != '[' {
			return
		}
		for i = skipSpace(raw, i+1); i < len(raw) && raw[i] != ']'; i = skipSpace(raw, i+1) {
			j := SkipValue(raw, i)
			if !yield(raw[i:j]) {
				return
			}
			if i = skipSpace(raw, j); i >= len(raw) || raw[i] != ',' {
				return
			}
		}
	}
}

// Unquote returns the text of a JSON string with its quotes; other input comes back as it is.
func Unquote(q []byte) string {
	if len(q) >= 2 && q[0] == '"' && bytes.IndexByte(q, '\\') < 0 {
		return string(q[1 : len(q)-1])
	}
	var s string
	if len(q) == 0 || q[0] != '"' || unmarshal(q, &s) != nil {
		return string(q)
	}
	return s
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// SkipValue returns the index just past the JSON value that starts at b[i].
// b should hold valid JSON from there on; the end of what breaks off is that of b.
func SkipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i++
			for i < len(b) && b[i] != '"' {
				if b[i] == '\\' {
					i++
				}
				i++
			}
			i++
			if depth == 0 {
				return min(i, len(b))
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
			if depth <= 0 {
				return i
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			for i < len(b) && strings.IndexByte(",:{}[] \t\r\n\"", b[i]) < 0 {
				i++
			}
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}
