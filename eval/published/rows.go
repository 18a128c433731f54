package published

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/csvdoc"
	"membench/schema"
	"membench/schema/jsonl"
)

// row is one answered question in the file's form.
type row struct {
	raw     []byte
	pos     schema.Pos
	pointer string // of the row in the file; "" for a line
	group   string // name of the member, or sample_id of the object, that the row's list belongs to
	index   int    // in its list, from 0
}

// decode reads the row; the error is a finding.
func (r row) decode(v any) error { return r.decodePart(r.raw, "", v) }

// decodePart reads the value at pointer in the row, which is a slice of raw.
func (r row) decodePart(part []byte, pointer string, v any) error {
	err := codec.Unmarshal(part, v)
	if err == nil {
		return nil
	}
	f := &schema.Finding{Pos: r.pos, Pointer: r.pointer + pointer, Code: "PUB001", Message: err.Error()}
	if ce, ok := errors.AsType[*codec.Error](err); ok {
		f.Pointer, f.Message, f.Have, f.Want = f.Pointer+ce.Pointer, ce.Msg, ce.Have, ce.Want
		if r.pointer == "" { // a line
			f.Pos.Col = jsonl.Column(r.raw, cap(r.raw)-cap(part)+int(ce.Offset))
		}
	}
	return f
}

// lacks is the finding of a row without a member.
func (r row) lacks(member string) error {
	return &schema.Finding{Pos: r.pos, Pointer: r.pointer + "/" + member, Code: "PUB001", Message: "the row was skipped: it lacks a member that its form requires", Want: member}
}

// rows walks the rows of a file. where is their path: "" for lines, "[]" for the
// elements of an array, "{}" for each member in turn, a name for that member:
// "detailed_results{}[]". A fault of the JSON is a finding and ends the walk.
func rows(b []byte, name, where string) iter.Seq2[row, error] {
	if where == "" {
		return lines(b, name)
	}
	return func(yield func(row, error) bool) {
		var s codec.Scanner
		s.Reset(b, false)
		w := walker{s: &s, b: b, name: name, line: 1, yield: yield}
		if !w.walk(where, row{}) && !w.stopped || !s.OK() {
			at := w.at(s.Offset())
			yield(row{pos: at}, &schema.Finding{Pos: at, Code: "PUB001", Message: "the file is not JSON of its form from here on; the rows before were read"})
		}
	}
}

type walker struct {
	s       *codec.Scanner
	b       []byte
	name    string
	line    int // of offset counted
	counted int
	yield   func(row, error) bool
	stopped bool
}

// at is the position of an offset; offsets only rise.
func (w *walker) at(offset int) schema.Pos {
	offset = min(offset, len(w.b))
	if offset > w.counted {
		w.line += bytes.Count(w.b[w.counted:offset], []byte{'\n'})
		w.counted = offset
	}
	return schema.Pos{File: w.name, Line: w.line}
}

// walk yields the rows below the value that comes next; false when it is not of the
// shape or the consumer stopped.
func (w *walker) walk(where string, at row) bool {
	kind := w.s.Kind()
	switch {
	case where == "":
		at.pos = w.at(w.s.Offset())
		raw, ok := w.s.Skip()
		if !ok {
			return false
		}
		at.raw = raw
		if !w.yield(at, nil) {
			w.stopped = true
			return false
		}
		return true
	case strings.HasPrefix(where, "[]"):
		if kind != '[' || !w.s.Array() {
			return false
		}
		for i := 0; w.s.Element(); i++ {
			next := row{pointer: at.pointer + "/" + strconv.Itoa(i), group: at.group, index: i}
			if !w.walk(where[2:], next) {
				return false
			}
		}
		return w.s.OK()
	}
	if kind != '{' || !w.s.Object() {
		return false
	}
	want, rest := cutName(where)
	for {
		raw, ok := w.s.Member()
		if !ok {
			return w.s.OK()
		}
		member := string(raw)
		if want != "" && member != want {
			skipped, ok := w.s.Skip()
			if !ok {
				return false
			}
			if member == "sample_id" && len(skipped) > 0 && skipped[0] == '"' {
				at.group = codec.Unquote(skipped)
			}
			continue
		}
		next := row{pointer: at.pointer + schema.Pointer(member), group: member}
		if want != "" {
			next.group = at.group
		}
		if !w.walk(rest, next) {
			return false
		}
	}
}

// cutName takes the first step off a path: a member's name, or "{}" (any).
func cutName(where string) (name, rest string) {
	if strings.HasPrefix(where, "{}") {
		return "", where[2:]
	}
	i := strings.IndexAny(where, "[{")
	if i < 0 {
		return where, ""
	}
	return where[:i], where[i:]
}

func lines(b []byte, name string) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		i := 0
		for line, err := range jsonl.Lines(bytes.NewReader(b), name, 0) {
			r := row{raw: bytes.Clone(line.Bytes), pos: line.Pos, index: i}
			var whole schema.Object
			if err == nil {
				err = r.decode(&whole)
			}
			if !yield(r, err) {
				return
			}
			i++
		}
	}
}

// head describes the form that the first bytes of a file suggest.
type head struct {
	shape   byte            // 'l' lines, '[' an array, '{' one object, ',' a table of separated values
	names   map[string]bool // members of the first row, or of the object
	inner   map[string]bool // of an object: members of the first row of its first list
	columns []string        // of the first row, in order
	rows    string          // where the rows are, see rows; of JSON only
}

func (h head) has(names ...string) bool   { return all(h.names, names) }
func (h head) holds(names ...string) bool { return all(h.inner, names) }

func all(set map[string]bool, names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !set[n] })
}

func members(raw []byte) (names map[string]bool, columns []string) {
	names = map[string]bool{}
	if codec.Valid(raw) {
		for name := range codec.Members(raw) {
			names[name] = true
			columns = append(columns, name)
		}
	}
	return names, columns
}

func first(raw []byte) []byte {
	var s codec.Scanner
	s.Reset(raw, false)
	if s.Array() && s.Element() {
		if v, ok := s.Skip(); ok {
			return v
		}
	}
	return nil
}

// look returns the possible forms of the file: one line with an object is a row or a file.
func look(b []byte) []head {
	h := lookOnce(b)
	if h.shape == '{' && bytes.IndexByte(bytes.TrimSpace(b), '\n') < 0 {
		names, columns := members(b)
		return []head{h, {shape: 'l', names: names, columns: columns}}
	}
	return []head{h}
}

func lookOnce(b []byte) head {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	switch {
	case len(b) == 0:
		return head{}
	case b[0] == '[':
		h := head{shape: '['}
		h.rows = "[]"
		h.names, h.columns = members(first(b))
		return h
	case b[0] != '{':
		t, err := csvdoc.ReadTable(bytes.NewReader(b))
		if err != nil || len(t.Header) < 2 {
			return head{}
		}
		return head{shape: ',', columns: t.Header}
	}
	if line, _, more := bytes.Cut(b, []byte{'\n'}); more && codec.Valid(line) {
		h := head{shape: 'l'}
		h.names, h.columns = members(line)
		return h
	}
	if !codec.Valid(b) {
		return head{}
	}
	h := head{shape: '{'}
	h.names, _ = members(b)
	for name, raw := range codec.Members(b) {
		if len(raw) > 0 && raw[0] == '[' {
			h.rows = name + "[]"
			h.inner, h.columns = members(first(raw))
			break
		}
	}
	return h
}
