package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"time"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/jsonl"
)

// MaxValue is the largest element of an array, or value of a file, that is read:
// 64 MiB. A longer one is finding JSON003, skipped in constant memory.
const MaxValue = 64 << 20

// A Value is one element of a file's array, or one value of a file that is not an array
// (an object, or one object after the other), with its place. Bytes are valid while
// the function that was given the value runs.
type Value struct {
	Pos   schema.Pos // of its first byte
	Index int        // from 0 in its file
	Bytes []byte
	array bool // the file is an array: pointers begin with the index

	findings []*schema.Finding
	own      *[]byte    // the buffer of Bytes, where it is its own
	seen     int        // the offset that At found last
	at       schema.Pos // of it
}

// Values cuts a file into values without decoding them. Memory holds the longest value (at most max bytes, 0 means MaxValue) and one block of the file. It is
// meant for arrays of hundreds of megabytes, which no line reader can cut. A value with unbalanced brackets or quotes ends at the next place that begins as the
// first value of the file did; it is a *schema.Finding, and the rest continues.
func Values(r io.Reader, name string, max int) iter.Seq2[*Value, error] {
	if max <= 0 {
		max = MaxValue
	}
	return func(yield func(*Value, error) bool) {
		s := &splitter{r: r, max: max, pos: schema.Pos{File: name, Line: 1, Col: 1}, buf: make([]byte, 0, 1<<20)}
		if s.need(3) && bytes.HasPrefix(s.rest(), []byte("\xef\xbb\xbf")) {
			s.lo += 3
		}
		if f := s.unreadable(); f != nil {
			yield(nil, f)
			return
		}
		if s.space(); s.lo < len(s.buf) && s.buf[s.lo] == '[' {
			s.array = true
			s.take(1)
		}
		for {
			v, err := s.next()
			switch {
			case err == io.EOF:
				var f *schema.Finding
				if errors.As(s.err, &f) { // the reader made values of another format
					yield(nil, f)
				} else if s.err != nil && s.err != io.EOF {
					yield(nil, fmt.Errorf("reading %s: %w", name, s.err))
				}
				return
			case !yield(v, err):
				return
			}
		}
	}
}

type splitter struct {
	r     io.Reader
	err   error // of r, io.EOF too
	buf   []byte
	lo    int        // start of the unread part
	pos   schema.Pos // of buf[lo]
	max   int
	index int
	array bool
	first []byte // how the first value begins: its bracket and first name
	lines bool   // the first good value is on one line, and the file is not an array
	done  int    // bytes of good values
	waste int    // bytes read in vain, in values that turned out damaged
}

// unreadable is the finding of a file that holds no value at all: it is empty, or is not
// written in UTF-8.
func (s *splitter) unreadable() *schema.Finding {
	s.need(1 << 16)
	switch b := s.rest(); {
	case s.err != nil && s.err != io.EOF: // the reader's error is reported
	case len(b) == 0 && s.err == io.EOF:
		return &schema.Finding{Pos: s.pos, Code: "JSON001", Message: "the file is empty", Want: "JSON", Hint: againHint}
	case jsonl.IsWide(b):
		return &schema.Finding{Pos: s.pos, Code: "JSON005", Message: "the file is written in UTF-16 or UTF-32", Want: "UTF-8", Hint: "convert it: iconv -f UTF-16 -t UTF-8"}
	case len(bytes.TrimSpace(b)) > 0 && !slices.ContainsFunc(bytes.Split(b, []byte{'\n'}), func(line []byte) bool { return opens(bytes.TrimSpace(line)) }):
		begin, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte{'\n'})
		return &schema.Finding{Pos: s.pos, Code: "JSON001", Message: "the file is not JSON", Have: fmt.Sprintf("%.60q", begin), Want: "JSON Lines, or one JSON array, of cases (docs/datasets.md)",
			Hint: "a table of dialogue or an export of a chat is read by 'membench init', a table of answers by 'membench eval import'"}
	}
	return nil
}

// againHint is how to mend a file that was damaged on its way.
const againHint = "correct the file; if it was downloaded, fetch it again"

// opens reports whether a line begins with a value that can be a case.
func opens(line []byte) bool { return len(line) > 0 && (line[0] == '{' || line[0] == '[') }

func (s *splitter) rest() []byte { return s.buf[s.lo:] }

// need reads until n bytes after lo are there; false at the end of the file.
func (s *splitter) need(n int) bool {
	for len(s.buf)-s.lo < n {
		if s.err != nil {
			return false
		}
		if s.lo > 0 && cap(s.buf)-len(s.buf) < 1<<16 {
			k := copy(s.buf, s.buf[s.lo:])
			s.buf, s.lo = s.buf[:k], 0
		}
		if cap(s.buf)-len(s.buf) < 1<<16 {
			s.buf = append(make([]byte, 0, 2*cap(s.buf)), s.buf...)
		}
		var k int
		k, s.err = s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+k]
	}
	return true
}

// take steps over n bytes that are there.
func (s *splitter) take(n int) {
	s.pos = after(s.pos, s.buf[s.lo:s.lo+n])
	s.lo += n
}

// after is the place just past text that begins at p.
func after(p schema.Pos, text []byte) schema.Pos {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		p.Line += n
		p.Col = 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	p.Col += jsonl.Column(text, len(text)) - 1
	return p
}

// space steps over white space.
func (s *splitter) space() {
	for s.need(1) {
		b := s.rest()
		n := 0
		for n < len(b) && kinds[b[n]] == kindSpace {
			n++
		}
		s.take(n)
		if n < len(b) {
			return
		}
	}
}

// next returns the next value; io.EOF at the end.
func (s *splitter) next() (*Value, error) {
	s.space()
	if !s.need(1) {
		if s.array {
			return nil, s.cut("the file ends inside its array")
		}
		return nil, io.EOF
	}
	if s.array {
		switch c := s.buf[s.lo]; {
		case c == ']':
			s.take(1)
			s.array = false
			return s.next()
		case c == ',' && s.index > 0:
			s.take(1)
			s.space()
		}
		if !s.need(1) {
			return nil, s.cut("the file ends inside its array")
		}
	}
	n, err := s.scan()
	if err != nil {
		return nil, s.damaged(n, err)
	}
	if n > s.max { // it is whole: the next one follows it
		f := &schema.Finding{Pos: s.pos, Code: "JSON003", Message: errLong.Error() + "; it was skipped", Have: fmt.Sprintf("%d bytes", n), Want: fmt.Sprintf("at most %d", s.max)}
		s.index++
		s.take(n)
		return nil, f
	}
	v := &Value{Pos: s.pos, Index: s.index, Bytes: s.rest()[:n], array: s.array}
	if s.index == 0 {
		s.lines = !s.array && !bytes.Contains(v.Bytes, []byte{'\n'})
	}
	if s.first == nil {
		s.first = append([]byte{}, beginning(v.Bytes)...)
	}
	s.index++
	// The bytes stay where they are until the next call.
	s.pos = after(s.pos, v.Bytes)
	s.lo += n
	s.done += n
	return v, nil
}

// cut is the finding of a file that ends too early, once; then the end.
func (s *splitter) cut(what string) error {
	s.array = false
	if s.err != nil && s.err != io.EOF {
		return io.EOF // the reader's error is reported instead
	}
	return &schema.Finding{Pos: s.pos, Code: "JSON001", Message: what, Want: "]", Hint: againHint}
}

const (
	kindBad = iota // is not allowed outside a string
	kindSpace
	kindOpen
	kindClose
	kindQuote
	kindPlain // of a number or literal, and ":" and ","
)

var kinds = func() (k [256]byte) {
	for _, c := range " \t\r\n" {
		k[c] = kindSpace
	}
	for _, c := range "+-.0123456789eEtrufalsn:," {
		k[c] = kindPlain
	}
	k['{'], k['['], k['}'], k[']'], k['"'] = kindOpen, kindOpen, kindClose, kindClose, kindQuote
	return k
}()

var errBracket = errors.New("a closing bracket does not match")
var errString = errors.New("a string does not end on its line")
var errByte = errors.New("a character that is not allowed outside a string")
var errEnd = errors.New("the file ends inside a value")
var errLong = errors.New("the value is too long")
var errDeep = fmt.Errorf("nested more than %d levels deep", codec.MaxDepth)

// maxWaste limits the bytes that are read again after damaged values: without it a file of only brackets would take time quadratic in its length.
const maxWaste = 128 << 20

// scan returns the length of the value at lo. On a fault it returns how far it came.
func (s *splitter) scan() (int, error) {
	var open []byte
	i := 0
	for {
		if i > s.max {
			return i, errLong
		}
		if !s.need(i + 1) {
			if len(open) == 0 && i > 0 { // a number or literal at the end of the file
				return i, nil
			}
			return i, errEnd
		}
		b := s.rest()
		for i < len(b) {
			c := b[i]
			switch kinds[c] {
			case kindBad:
				return i, errByte
			case kindSpace:
				if len(open) == 0 {
					return i, nil
				}
				i++
			case kindPlain:
				if len(open) == 0 && (c == ',' || c == ':') {
					if i == 0 {
						return i, errByte
					}
					return i, nil
				}
				i++
			case kindOpen:
				if len(open) == codec.MaxDepth {
					return i, errDeep
				}
				open = append(open, c)
				i++
			case kindClose:
				if len(open) == 0 {
					if i == 0 {
						return i, errBracket
					}
					return i, nil
				}
				if open[len(open)-1] != c-2 { // '[' is ']'-2, '{' is '}'-2
					return i, errBracket
				}
				open = open[:len(open)-1]
				i++
				if len(open) == 0 {
					return i, nil
				}
			case kindQuote:
				n, err := s.str(i)
				if err != nil {
					return n, err
				}
				i = n
				if len(open) == 0 {
					return i, nil
				}
				b = s.rest()
			}
		}
	}
}

// str returns the offset just past the string that begins at offset i.
func (s *splitter) str(i int) (int, error) {
	j := i + 1
	for {
		b := s.rest()
		k := bytes.IndexByte(b[j:], '"')
		end := j + k
		if k < 0 {
			end = len(b)
		}
		if n := bytes.IndexByte(b[j:end], '\n'); n >= 0 {
			return j + n, errString
		}
		if k >= 0 {
			slashes := 0
			for b[end-1-slashes] == '\\' {
				slashes++
			}
			j = end + 1
			if slashes%2 == 0 {
				return j, nil
			}
			continue
		}
		if end > s.max {
			return end, errLong
		}
		if !s.need(end + 1) {
			return end, errEnd
		}
		j = end
	}
}

// beginning returns the bracket and first name of an object, or the first byte of another value.
func beginning(b []byte) []byte {
	i := 1
	for i < len(b) && kinds[b[i]] == kindSpace {
		i++
	}
	if b[0] == '{' && i < len(b) && b[i] == '"' {
		if n := bytes.IndexByte(b[i+1:], '"'); n >= 0 {
			return b[:i+n+2]
		}
	}
	return b[:1]
}

// damaged makes the finding of the value at lo, whose fault was met after n bytes, and
// steps to where the next one seems to begin.
func (s *splitter) damaged(n int, why error) error {
	f := &schema.Finding{Pos: after(s.pos, s.rest()[:n]), Code: "JSON001", Message: why.Error() + "; the value was skipped", Hint: againHint}
	switch why {
	case errEnd:
		if s.err != io.EOF {
			return io.EOF
		}
	case errLong:
		f.Pos, f.Code, f.Want = s.pos, "JSON003", fmt.Sprintf("at most %d bytes", s.max)
	case errByte:
		f.Have = fmt.Sprintf("%q", s.rest()[n])
		if b := s.rest()[n:]; bytes.HasPrefix(b, []byte("NaN")) || bytes.HasPrefix(b, []byte("Infinity")) {
			f.Code, f.Message, f.Have, f.Hint = "JSON007", "NaN or Infinity: JSON has no such numbers; the value was skipped", "", ""
		}
	}
	if s.array {
		f.Pointer = schema.Pointer(fmt.Sprint(s.index))
	}
	if s.first == nil {
		s.first = append([]byte{}, beginning(s.rest())...)
	}
	s.index++
	if s.waste += n; s.waste > maxWaste+4*s.done {
		f.Message += "; so was the rest of the file, which is damaged in too many places"
		s.stop()
		return f
	}
	s.resync()
	return f
}

// stop ends the file here.
func (s *splitter) stop() {
	s.buf, s.lo, s.err, s.array = s.buf[:0], 0, io.EOF, false
}

func (s *splitter) resync() {
	s.take(1)
	to := s.first
	if s.lines {
		to = []byte{'\n'}
	}
	for {
		if i := bytes.Index(s.rest(), to); i >= 0 {
			s.take(i)
			return
		}
		s.take(max(0, len(s.rest())-len(to)))
		if !s.need(len(s.rest()) + 1) {
			s.take(len(s.rest()))
			s.array = false // the end was reported
			return
		}
	}
}

// Pointer returns the RFC 6901 pointer, from the file's root, to the part that tokens name inside the value.
func (v *Value) Pointer(tokens ...string) string {
	p := schema.Pointer(tokens...)
	if v.array {
		p = schema.Pointer(fmt.Sprint(v.Index)) + p
	}
	return p
}

// Decode reads the value into dst; the error is a *schema.Finding with its place.
func (v *Value) Decode(dst any) error { return v.DecodeAt(v.Bytes, dst) }

// DecodeAt reads a part of the value's bytes, which must be a slice of them.
func (v *Value) DecodeAt(part []byte, dst any) error {
	err := codec.Unmarshal(part, dst)
	if err == nil {
		return nil
	}
	base := v.offset(part)
	f := &schema.Finding{Pos: after(v.Pos, v.Bytes[:base]), Code: "JSON001", Message: err.Error()}
	if ce, ok := errors.AsType[*codec.Error](err); ok {
		at := min(base+int(ce.Offset), len(v.Bytes))
		f.Pos, f.Pointer, f.Message = after(v.Pos, v.Bytes[:at]), ce.Pointer, ce.Msg
		if ce.Have != "" && ce.Want != "" {
			f.Code, f.Have, f.Want = "JSON002", ce.Have, ce.Want
		}
	}
	if v.array {
		f.Pointer = v.Pointer() + f.Pointer
	}
	return f
}

// offset is where part begins in the value: a part keeps its distance to the end of
// the array under it.
func (v *Value) offset(part []byte) int {
	if off := cap(v.Bytes) - cap(part); off >= 0 && off <= len(v.Bytes) {
		return off
	}
	return 0
}

// At returns where a part begins; part is a slice of the value's bytes. Parts in their order take one pass over the value.
func (v *Value) At(part []byte) schema.Pos {
	off := v.offset(part)
	if v.seen == 0 || off < v.seen {
		v.seen, v.at = 0, v.Pos
	}
	v.at = after(v.at, v.Bytes[v.seen:off])
	v.seen = off
	return v.at
}

// Places returns where the members of the object, or the elements of the array, begin that tokens name: by name, or by number from 0.
func (v *Value) Places(tokens ...string) map[string]schema.Pos {
	part := v.Bytes[v.locate(tokens):]
	out := map[string]schema.Pos{}
	for name, member := range codec.Members(part) {
		out[name] = v.At(member)
	}
	for el := range codec.Elements(part) {
		out[strconv.Itoa(len(out))] = v.At(el)
	}
	return out
}

// Finding returns a finding at the part that tokens name inside the value; if that is absent, at its nearest parent.
func (v *Value) Finding(code, message string, tokens ...string) *schema.Finding {
	return &schema.Finding{Pos: after(v.Pos, v.Bytes[:v.locate(tokens)]), Pointer: v.Pointer(tokens...), Code: code, Message: message}
}

// Report keeps a finding with the case that is made from the value.
func (v *Value) Report(f *schema.Finding) { v.findings = append(v.findings, f) }

// Warn reports a warning at the part that tokens name; have is its content.
func (v *Value) Warn(code, message, have string, tokens ...string) {
	f := v.Finding(code, message, tokens...)
	f.Warning, f.Have = true, clip(have)
	v.Report(f)
}

// Gold is the text of a gold at the place that tokens name; one that was a number, true or false is reported.
func (v *Value) Gold(s Scalar, tokens ...string) string {
	if s.Number {
		v.Warn("DST018", "the gold is not text", s.Text, tokens...)
	}
	return s.Text
}

// Time parses a time at the place that tokens name. The zero time is an empty text, or one that is not of the layout, which is reported: the case goes on without it.
func (v *Value) Time(layout, text string, tokens ...string) time.Time {
	t, err := time.Parse(layout, text)
	if err != nil && text != "" {
		f := v.Finding("DST009", "a time cannot be read, skipped", tokens...)
		f.Have, f.Want = clip(text), "a time such as "+layout
		v.Report(f)
	}
	return t
}

// Lost reports a part, named by what, that could not be decoded and is skipped.
func (v *Value) Lost(err error, what string) {
	if f, ok := errors.AsType[*schema.Finding](err); ok {
		f.Code, f.Message = "DST002", what+" cannot be read, skipped: "+f.Message
		v.Report(f)
	}
}

// clip shortens text for a message, at 120 code points.
func clip(s string) string { return textnorm.Short(s, 120) }

// locate returns the offset of the part that tokens name. The bytes may be damaged JSON.
func (v *Value) locate(tokens []string) int {
	b, at := v.Bytes, 0
	if !codec.Valid(b) {
		return 0
	}
	for _, t := range tokens {
		var part []byte
		switch b[0] {
		case '{':
			for k, m := range codec.Members(b) {
				if k == t {
					part = m
				}
			}
		case '[':
			n := 0
			for el := range codec.Elements(b) {
				if fmt.Sprint(n) == t {
					part = el
					break
				}
				n++
			}
		}
		if part == nil {
			break
		}
		b, at = part, v.offset(part)
	}
	return at
}

// DecodeCopy decodes a copy of the part that tokens name into dst.
func (v *Value) DecodeCopy(part []byte, dst any, tokens ...string) error {
	err := codec.Unmarshal(part, dst)
	if err == nil {
		return nil
	}
	f := v.Finding("JSON002", err.Error(), tokens...)
	if ce, ok := errors.AsType[*codec.Error](err); ok {
		f.Pointer, f.Message, f.Have, f.Want = f.Pointer+ce.Pointer, ce.Msg, ce.Have, ce.Want
	}
	return f
}
