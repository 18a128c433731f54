package visible

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range [][2]string{
		{"plain 文字 😀 é\t\n", "plain 文字 😀 é\t\n"},
		{"\x1b[31mred\x1b]0;t\x07", `\x1b[31mred\x1b]0;t\x07`},
		{"a\rb\x00\x7f\u0085\u009b", `a\x0db\x00\x7f\u0085\u009b`},
		{"\u202egnp.exe\u2066\u200f\u061c", `\u202egnp.exe\u2066\u200f\u061c`},
		{"a\u200bb\ufeff\u2060\U000e0041", `a\u200bb\ufeff\u2060\U000e0041`},
		{"x\u2028y", `x\u2028y`},
		{"bad\xff\x9b\ufffd", "bad\\xff\\x9b\ufffd"},
	} {
		if have := text(c[0]); have != c[1] {
			t.Errorf("%q: have %q, want %q", c[0], have, c[1])
		}
		for step := 1; step < 5; step++ { // however it is divided
			var b bytes.Buffer
			w := NewWriter(&b)
			for p := []byte(c[0]); len(p) > 0; p = p[min(step, len(p)):] {
				if n, err := w.Write(p[:min(step, len(p))]); err != nil || n != min(step, len(p)) {
					t.Fatal(n, err)
				}
			}
			w.Write([]byte("."))
			if b.String() != c[1]+"." {
				t.Errorf("%q in steps of %d: have %q", c[0], step, b.String())
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		out := text(s)
		if !utf8.ValidString(out) || strings.ContainsFunc(out, hidden) {
			t.Fatalf("%q: have %q", s, out)
		}
		if text(out) != out {
			t.Fatalf("%q: shown twice it differs", s)
		}
	})
}

// text returns s as it may be shown: \x1b, \u202e.
func text(s string) string {
	for i, r := range s {
		if hidden(r) || r == utf8.RuneError {
			return string(appendText([]byte(s[:i]), s[i:]))
		}
	}
	return s
}
