package codec

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// ErrLong says that a text or number is longer than the reader may hold.
var ErrLong = errors.New("a value is too long")

// A Reader reads one JSON value from a stream, part by part, and holds no more of it than
// the part that is being read: for values of foreign hands, whose size must not decide how
// much memory is taken. Names that are not asked for may come twice.
type Reader struct {
	d   decoder
	src source
	end int // where the value being read may end, in bytes held
}

// source is a stream that is read for one part of a value at a time.
type source struct {
	r    io.Reader
	left int // of the part
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		s.err = ErrLong
		return 0, ErrLong
	}
	n, err := s.r.Read(p[:min(len(p), s.left)])
	s.left -= n
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// NewReader reads from r; a text or number is of most bytes at most.
func NewReader(r io.Reader, most int) *Reader {
	c := &Reader{end: most}
	c.Reset(r)
	return c
}

// Reset reads another stream.
func (c *Reader) Reset(r io.Reader) {
	c.src = source{r: r, left: c.end}
	c.d.Reset(&c.src, lenient)
}

// fault is an error of the stream rather than of what it holds, where there is one.
func (c *Reader) fault(err error) error {
	switch {
	case c.src.err != nil:
		return c.src.err
	case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
		return &Error{Offset: c.d.InputOffset(), Msg: "the text ends early"}
	}
	return libError(err)
}

// Kind is the kind of the next value: one of { [ " 0 t f n; 0 where there is none.
func (c *Reader) Kind() byte {
	c.src.left = c.end
	k := byte(c.d.PeekKind())
	if k == 't' || k == 'f' || k == 'n' || k == '"' || k == '0' || k == '{' || k == '[' {
		return k
	}
	return 0
}

// into enters a value of this kind; false: it is of another, and was skipped.
func (c *Reader) into(kind byte) (bool, error) {
	if c.Kind() != kind {
		return false, c.Skip()
	}
	if _, err := c.d.ReadToken(); err != nil {
		return false, c.fault(err)
	}
	if c.d.StackDepth() > MaxDepth {
		return false, &Error{Offset: c.d.InputOffset(), Msg: "nested more than " + strconv.Itoa(MaxDepth) + " levels deep"}
	}
	return true, nil
}

// more reports whether the array or object continues; else it leaves it.
func (c *Reader) more(end byte) (bool, error) {
	c.src.left = c.end
	if byte(c.d.PeekKind()) != end {
		return true, nil
	}
	if _, err := c.d.ReadToken(); err != nil {
		return false, c.fault(err)
	}
	return false, nil
}

// Object names the members that are asked for as they come, each of which each must read; all
// others are skipped, and so is a value that is not an object.
func (c *Reader) Object(each func(name string) error, names ...string) error {
	var seen [16]bool
	for in, err := c.into('{'); ; {
		if !in || err != nil {
			return err
		}
		if in, err = c.more('}'); !in || err != nil {
			return err
		}
		name, err := c.d.ReadToken()
		if err != nil {
			return c.fault(err)
		}
		at := slices.Index(names, name.String())
		switch {
		case at < 0:
			err = c.Skip()
		case seen[at]:
			err = &Error{Offset: c.d.InputOffset(), Msg: fmt.Sprintf("duplicate name %q", names[at])}
		default:
			seen[at] = true
			err = each(names[at])
		}
		if err != nil {
			return err
		}
	}
}

// Array calls each for every element, which it must read; a value that is not an array is
// skipped.
func (c *Reader) Array(each func() error) error {
	for in, err := c.into('['); ; {
		if !in || err != nil {
			return err
		}
		if in, err = c.more(']'); !in || err != nil {
			return err
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// Text reads a text; ok is false for a value of another kind, which is skipped.
func (c *Reader) Text() (s string, ok bool, err error) {
	if c.Kind() != '"' {
		return "", false, c.Skip()
	}
	t, err := c.d.ReadToken()
	if err != nil {
		return "", false, c.fault(err)
	}
	return t.String(), true, nil
}

// Number reads a number; ok is false for a value of another kind, which is skipped.
func (c *Reader) Number() (x float64, ok bool, err error) {
	if c.Kind() != '0' {
		return 0, false, c.Skip()
	}
	raw, err := c.d.ReadValue()
	if err != nil {
		return 0, false, c.fault(err)
	}
	x, err = strconv.ParseFloat(string(raw), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false, &Error{Offset: c.d.InputOffset(), Msg: err.Error()}
	}
	return x, true, nil
}

// Raw reads a value as it is written; it must be no longer than a text may be.
func (c *Reader) Raw() ([]byte, error) {
	c.Kind()
	raw, err := c.d.ReadValue()
	if err != nil {
		return nil, c.fault(err)
	}
	return append([]byte(nil), raw...), nil
}

// Skip reads past a value, of any size, and holds nothing of it.
func (c *Reader) Skip() error {
	switch c.Kind() {
	case '{':
		return c.Object(nil)
	case '[':
		return c.Array(c.Skip)
	}
	if err := c.d.SkipValue(); err != nil {
		return c.fault(err)
	}
	return nil
}

// End wants nothing more than blanks.
func (c *Reader) End() error {
	c.src.left = c.end
	_, err := c.d.ReadToken()
	switch {
	case err == io.EOF && c.src.err == nil:
		return nil
	case err == nil:
		return &Error{Offset: c.d.InputOffset(), Msg: "unexpected text after the value"}
	}
	return c.fault(err)
}
