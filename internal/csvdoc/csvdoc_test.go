package csvdoc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

type endless string

func (e endless) Read(p []byte) (int, error) {
	n := len(p) - len(p)%len(e)
	for i := 0; i < n; i += len(e) {
		copy(p[i:], e)
	}
	return n, nil
}

func TestRead(t *testing.T) {
	r := NewReader(strings.NewReader("a,b\n\"x\ny\",2\n"))
	for _, want := range []string{"a|b", "x\ny|2"} {
		if row, err := r.Read(); err != nil || strings.Join(row, "|") != want {
			t.Errorf("have %q, %v, want %q", row, err, want)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("have %v, want the end", err)
	}
	// Many rows are together longer than one may be.
	r = NewReader(io.MultiReader(io.LimitReader(endless("1,2\n"), 2*MaxRow), strings.NewReader("3,\""), endless("x\n")))
	for range MaxRow / 2 {
		if _, err := r.Read(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // it does not go on in the middle of the row
		if row, err := r.Read(); row != nil || !errors.Is(err, ErrRow) {
			t.Errorf("have %.20q, %v, want %v", row, err, ErrRow)
		}
	}
}

func TestReadTable(t *testing.T) {
	for _, c := range []struct{ in, header, rows string }{
		{"\ufeffa;b,c;d\n1;2,5;3\n", "a|b,c|d", "2:1|2,5|3"},
		{"who\twhat\r\nann\tsaid \"no\"\r\n\r\nbo\t\"two\nlines\"\r\nch\tx\r\n", "who|what", "2:ann|said \"no\" 4:bo|two\nlines 6:ch|x"},
		{"a,b\n1\n2,3,4\n5,6\n", "a|b", "line 2: a row and the header have different numbers of columns; the row was skipped line 3: a row and the header have different numbers of columns; the row was skipped 4:5|6"},
		{"a,b\n", "a|b", ""},
	} {
		table, err := ReadTable(strings.NewReader(c.in))
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for row, err := range table.Rows() {
			if err != nil {
				rows = append(rows, err.Error())
				continue
			}
			rows = append(rows, fmt.Sprintf("%d:%s", row.Line, strings.Join(row.Cells, "|")))
		}
		if header, have := strings.Join(table.Header, "|"), strings.Join(rows, " "); header != c.header || have != c.rows {
			t.Errorf("%q: have %q and %q, want %q and %q", c.in, header, have, c.header, c.rows)
		}
	}
	if _, err := ReadTable(strings.NewReader("\ufeff")); err != io.EOF {
		t.Errorf("have %v of an empty table, want io.EOF", err)
	}
	// A row that is too long ends the table.
	table, err := ReadTable(io.MultiReader(strings.NewReader("a,b\n1,2\n3,\""), endless("x\n")))
	if err != nil {
		t.Fatal(err)
	}
	var last error
	n := 0
	for _, err := range table.Rows() {
		n++
		last = err
	}
	if n != 2 || !errors.Is(last, ErrRow) {
		t.Errorf("have %d rows and %v, want 2 and %v", n, last, ErrRow)
	}
}
