package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "a.txt")
	put := func(text string, fail error) error {
		return Write(path, func(w io.Writer) error {
			fmt.Fprint(w, text)
			return fail
		})
	}
	if err := put("one", nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	if err := put("half", full); !errors.Is(err, full) {
		t.Fatalf("have %v, want %v", err, full)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one" {
		t.Errorf("after a failure: have %q (%v), want the old text", b, err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v (%v)", names, err)
	}
}

// What stands at the path and is no file of its own stays what it is.
func TestWriteThrough(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o644), os.Symlink("file", link)); err != nil {
		t.Skip("no links here:", err)
	}
	put := func(path string) {
		t.Helper()
		if err := Write(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
			t.Fatal(err)
		}
	}
	put(link)
	if b, _ := os.ReadFile(file); string(b) != "new" {
		t.Errorf("behind the link: have %q, want the new text", b)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pipe := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(pipe); err != nil {
		t.Skip("no names of open files here:", err)
	}
	put(pipe)
	w.Close()
	if b, _ := io.ReadAll(r); string(b) != "new" {
		t.Errorf("from the pipe: have %q, want the new text", b)
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	f.File.Close() // as a killed process leaves it
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	names, _ := os.ReadDir(dir)
	if len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// What a killed writer left goes with the next write of the same file; what another
// process is writing stays.
func TestLeftAside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".a.tmp-1", ".b.tmp-1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, err := Create(filepath.Join(dir, "a")) // holds its lock
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := Write(filepath.Join(dir, "a"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other.Name()); err != nil {
		t.Error(err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 2 {
		t.Errorf("have %v, want a and the file that is being written", names)
	}
}

func TestName(t *testing.T) {
	long := strings.Repeat("长", 300)
	seen := map[string]string{}
	for _, c := range []struct{ text, want string }{
		{"ch01", "ch01"}, {"a b/c", "a%20b%2Fc"}, {"..", "%2E."}, {".x", "%2Ex"}, {"", "%"}, {"%", "%25"}, {"CON", "%43ON"},
		{"con.txt", "%63on.txt"}, {"console", "console"}, {"é", "%C3%A9"}, {long, ""}, {long + "x", ""},
	} {
		have := Name(c.text)
		if c.want != "" && have != c.want || len(have) > 200 {
			t.Errorf("%q: have %q, want %q", c.text, have, c.want)
		}
		if other, twice := seen[have]; twice {
			t.Errorf("%q and %q are both %q", c.text, other, have)
		}
		seen[have] = c.text
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "lock")
	first, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrBusy) && runtime.GOOS != "windows" {
		t.Errorf("a second lock: have %v, want %v", err, ErrBusy)
	}
	first.Close()
	again, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}
