package keyed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unframe reads frames, by name.
func unframe(t testing.TB, text []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	for len(text) > 0 {
		head, rest, _ := bytes.Cut(text, []byte("\n"))
		name, size, _ := bytes.Cut(head, []byte("\t"))
		n, err := strconv.Atoi(string(size))
		if err != nil || n > len(rest) || n == 0 || rest[n-1] != '\n' {
			t.Fatalf("no frame of whole lines: %.80q", text)
		}
		out[string(name)] += string(rest[:n])
		text = rest[n:]
	}
	return out
}

// TestCut: every line is in one frame, lines of one key in the same, in their order.
func TestCut(t *testing.T) {
	var lines []string
	long := strings.Repeat("x", 10_000)
	for i := range 3000 {
		lines = append(lines, string(Append(nil, fmt.Sprintf("k%d:\t李", i%97), fmt.Appendf(nil, `"%d%s"`, i, long[:i%len(long)]))))
	}
	head := "!all\t{}\n"
	in := head + strings.Join(lines, "")
	cut := func(parts int, bounds []string) map[string]string {
		var b bytes.Buffer
		if err := Cut(strings.NewReader(in), &b, parts, bounds); err != nil {
			t.Fatal(err)
		}
		return unframe(t, b.Bytes())
	}
	key := func(line string) string { k, _, _ := strings.Cut(line, "\t"); return k }
	for _, n := range []int{1, 3, 40} {
		parts := cut(n, nil)
		if parts[EveryPart] != head {
			t.Errorf("%d parts: for every part %q, want %q", n, parts[EveryPart], head)
		}
		delete(parts, EveryPart)
		var all []string
		at := map[string]string{}
		for name, text := range parts {
			if i, err := strconv.Atoi(name); err != nil || i < 0 || i >= n {
				t.Errorf("a part is named %q of %d", name, n)
			}
			for line := range strings.Lines(text) {
				if k := key(line); at[k] != "" && at[k] != name {
					t.Errorf("%q is in the parts %s and %s", k, at[k], name)
				} else {
					at[k] = name
				}
				all = append(all, line)
			}
		}
		if slices.Sort(all); !slices.Equal(all, slices.Sorted(slices.Values(lines))) {
			t.Errorf("%d parts have other lines", n)
		}
	}
	ranges := cut(0, []string{"k3", "k7"})
	counted := 0
	for line := range strings.Lines(ranges["count"]) {
		var g Group
		if err := json.Unmarshal([]byte(line), &g); err != nil {
			t.Fatal(err)
		}
		if want := strings.Count("\n"+ranges[strconv.Itoa(g.Part)], "\n"+escape.Replace(g.Group)+"\t"); g.Rows != want { // none has a mark
			t.Errorf("part %d has %d lines of %q, want %d", g.Part, g.Rows, g.Group, want)
		}
		counted += g.Rows
	}
	if counted != 3000 {
		t.Errorf("%d lines are counted, want 3000", counted)
	}
	for name, text := range ranges {
		for line := range strings.Lines(text) {
			want := map[bool]string{true: "0", false: "1"}[key(line) < "k3"]
			if key(line) >= "k7" {
				want = "2"
			}
			if name != EveryPart && name != "count" && name != want {
				t.Fatalf("%.20q is in range %s, want %s", line, name, want)
			}
		}
	}
	if kinds := cut(0, nil); kinds["k5"] == "" || strings.Contains(kinds["k5"], "\t") || strings.Count(kinds["k5"], "\n") != strings.Count(in, "\nk5:") {
		t.Errorf("the frame of k5 has %d lines: %.40q", strings.Count(kinds["k5"], "\n"), kinds["k5"])
	}
}

// What comes in parts of lines goes out in frames of whole lines.
func TestFramerLines(t *testing.T) {
	var b bytes.Buffer
	f := NewFramer(&b, 1)
	w := f.Writer("a")
	want := strings.Repeat(strings.Repeat("y", 9_999)+"\n", 200)
	for text := want; text != ""; {
		n := min(70_001, len(text))
		if _, err := w.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := unframe(t, b.Bytes()); got["a"] != want || len(got) != 1 {
		t.Errorf("have %d bytes, want %d", len(got["a"]), len(want))
	}
}
