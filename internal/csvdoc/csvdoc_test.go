package csvdoc

import (
	"errors"
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
