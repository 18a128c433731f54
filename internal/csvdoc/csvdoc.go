// Package csvdoc reads tables of comma-separated values that others wrote: encoding/csv
// with a limit for a row, which a quotation mark that is never closed would make as long
// as the file.
package csvdoc

import (
	"encoding/csv"
	"fmt"
	"io"
)

// MaxRow is about how long a row may be, in bytes.
const MaxRow = 16 << 20

// A Reader is a csv.Reader that is read row by row. Its Read fails with ErrRow at a row that
// is too long, and from then on.
type Reader struct {
	*csv.Reader
	in *limited
}

// ErrRow says that a row is too long. Nothing behind it can be read.
var ErrRow = fmt.Errorf("a row is longer than %d bytes: look for a quotation mark that is not closed", MaxRow)

// NewReader reads from in.
func NewReader(in io.Reader) *Reader {
	l := &limited{in: in}
	return &Reader{csv.NewReader(l), l}
}

// Read returns the next row, nil with ErrRow.
func (r *Reader) Read() ([]string, error) {
	if !r.in.over {
		r.in.taken = 0
	}
	row, err := r.Reader.Read()
	if r.in.over {
		return nil, ErrRow
	}
	return row, err
}

// limited counts what is read for one row.
type limited struct {
	in    io.Reader
	taken int
	over  bool // a row was too long
}

func (l *limited) Read(p []byte) (int, error) {
	if l.taken > MaxRow {
		l.over = true
		return 0, ErrRow
	}
	n, err := l.in.Read(p)
	l.taken += n
	return n, err
}
