package keylog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func all(t *testing.T, path string) (lines []string, l *Log) {
	t.Helper()
	l, err := Open(path, Options{}, func(_ int, b []byte) error { lines = append(lines, string(b)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return lines, l
}

// Whatever prefix of the file a crash leaves, going on from it gives the same bytes.
func TestEveryPrefix(t *testing.T) {
	dir := t.TempDir()
	want := "one\ntwo 二\n\nfour\n"
	lines := []string{"one", "two 二", "", "four"}
	for cut := range len(want) + 1 {
		path := filepath.Join(dir, fmt.Sprint(cut), "log")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want[:cut]), 0o644); err != nil {
			t.Fatal(err)
		}
		have, l := all(t, path)
		for _, s := range lines[len(have):] {
			if err := l.Append([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		l.Close()
		if b, _ := os.ReadFile(path); string(b) != want {
			t.Errorf("cut at %d: have %q, want %q", cut, b, want)
		}
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	reject := func(_ int, b []byte) error {
		if string(b) == "bad" {
			return errors.New("bad line")
		}
		return nil
	}
	os.WriteFile(path, []byte("ok\nbad\n"), 0o644)
	l, err := Open(path, Options{}, reject)
	if err != nil {
		t.Fatalf("a bad last line: %v", err)
	}
	l.Close()
	if b, _ := os.ReadFile(path); string(b) != "ok\n" {
		t.Errorf("have %q, want the good lines", b)
	}
	os.WriteFile(path, []byte("bad\nok\n"), 0o644)
	if _, err := Open(path, Options{}, reject); err == nil {
		t.Error("damage in the middle was passed over")
	}
	if b, _ := os.ReadFile(path); string(b) != "bad\nok\n" {
		t.Error("a damaged journal was changed")
	}
}

type failing struct{ w io.Writer }

func (f failing) Write(p []byte) (int, error) {
	n, _ := f.w.Write(p[:len(p)/2])
	return n, errors.New("disk full")
}

func TestFailedAppendIsFinal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := Open(path, Options{Wrap: func(w io.Writer) io.Writer { return failing{w} }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l.Append([]byte("torn line")) == nil || l.Append([]byte("x")) == nil {
		t.Fatal("no error")
	}
	l.Close()
	if have, l := all(t, path); len(have) != 0 {
		t.Errorf("have %q, want nothing", have)
	} else {
		l.Close()
	}
}
