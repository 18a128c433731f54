package csvdoc

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
)

// A Table is a table whose first row names its columns. It is read as its writer may have
// meant it: the separator is found in the header, and a quotation mark within a cell is text.
type Table struct {
	Header []string
	in     *Reader
}

// A Row is a row with as many cells as the header has, and the line where it starts, from 1.
type Row struct {
	Line  int
	Cells []string
}

// A Fault says what is wrong with a row that was skipped. Col counts bytes from 1; 0 is the
// whole line.
type Fault struct {
	Line, Col           int
	Message, Have, Want string
}

func (f *Fault) Error() string { return "line " + strconv.Itoa(f.Line) + ": " + f.Message }

// maxHeader is how much of the first line is searched for the separator, in bytes.
const maxHeader = 64 << 10

// ReadTable reads the header. A byte order mark before it is skipped. The error is io.EOF
// where the table is empty.
func ReadTable(in io.Reader) (*Table, error) {
	b := bufio.NewReaderSize(in, maxHeader)
	if mark, _ := b.Peek(3); string(mark) == "\ufeff" {
		b.Discard(3)
	}
	head, _ := b.Peek(maxHeader)
	line, _, _ := strings.Cut(string(head), "\n")
	t := &Table{in: NewReader(b)}
	t.in.LazyQuotes, t.in.FieldsPerRecord, t.in.Comma = true, -1, separator(line)
	var err error
	t.Header, err = t.in.Read()
	return t, err
}

// Rows walks the rows behind the header. A *Fault is one row's, and the walk continues; any
// other error ends it.
func (t *Table) Rows() iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for {
			cells, err := t.in.Read()
			var bad *csv.ParseError
			switch {
			case err == io.EOF:
				return
			case errors.As(err, &bad):
				if !yield(Row{}, &Fault{Line: bad.Line, Col: bad.Column, Message: "a row cannot be read: " + bad.Err.Error()}) {
					return
				}
				continue
			case err != nil:
				yield(Row{}, err)
				return
			}
			row := Row{Cells: cells}
			row.Line, _ = t.in.FieldPos(0)
			if len(cells) != len(t.Header) {
				row, err = Row{}, &Fault{
					Line: row.Line, Message: "a row and the header have different numbers of columns; the row was skipped",
					Have: strconv.Itoa(len(cells)), Want: strconv.Itoa(len(t.Header)),
				}
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// separator is the one of a header that is most often in it: a comma, a semicolon or a tab.
func separator(header string) rune {
	best := ','
	for _, c := range ";\t" {
		if strings.Count(header, string(c)) > strings.Count(header, string(best)) {
			best = c
		}
	}
	return best
}
