package keyed

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzKey: a key comes back as it was, on one line and without a tab; what is not a key is refused.
func FuzzKey(f *testing.F) {
	for _, s := range []string{"", "a\tb", "\n", "\r\n", "\\t", "\x00", "李\xff", `\`, `a\qb`, strings.Repeat("k", 70000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		text := escape.Replace(key)
		if back, err := decodeKey(text); err != nil || back != key {
			t.Errorf("%q → %q → %q, %v", key, text, back, err)
		}
		if strings.ContainsAny(text, "\t\n\r\x00") {
			t.Errorf("%q has bytes that cut lines", text)
		}
		if back, err := decodeKey(key); err == nil && escape.Replace(back) != key {
			t.Errorf("%q was read as the key %q", key, back)
		}
		line := Append(Append(nil, key, []byte(`{"a":"b\\t"}`)), key, []byte("{\t\r}"))
		for _, r := range []io.Reader{bytes.NewReader(line), iotest.OneByteReader(bytes.NewReader(line))} {
			if got, err := io.ReadAll(Records(r)); err != nil || string(got) != "{\"a\":\"b\\\\t\"}\n{\t }\n" {
				t.Errorf("%q: %q, %v", key, got, err)
			}
		}
	})
}

func TestNoKeys(t *testing.T) {
	for _, bad := range []string{"no tab\n", "a\\qb\t{}\n", "end", "ok\t{}\nno\n\t{}"} {
		if _, err := io.ReadAll(Records(strings.NewReader(bad))); err == nil || !strings.Contains(err.Error(), "want KEY TAB RECORD") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	got, err := io.ReadAll(Records(strings.NewReader("a\t1\nb\t2")))
	if err != nil || string(got) != "1\n2" {
		t.Errorf("%q, %v", got, err)
	}
}

// A key without an end does not fill memory.
func TestEndlessKey(t *testing.T) {
	n := new(counting)
	if _, err := io.Copy(io.Discard, Records(n)); err == nil || *n > 2*maxKey {
		t.Errorf("have %v after %d bytes, want an error", err, *n)
	}
}

// A counting reader has zeros without end, and counts them.
type counting int

func (c *counting) Read(p []byte) (int, error) {
	if *c += counting(len(p)); *c > 4*maxKey {
		return 0, io.EOF
	}
	clear(p)
	return len(p), nil
}
