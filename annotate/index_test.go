package annotate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/jsonl"
)

func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, n := range names {
		p := filepath.Join(dir, filepath.FromSlash(n))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func codes(fs []*schema.Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return strings.Join(out, " ")
}

func TestIndex(t *testing.T) {
	for name, tc := range map[string]struct {
		files       []string
		at          string
		want, codes string
	}{
		"raw and norm": {[]string{"raw/ch10_b.md", "raw/ch02_a.md", "norm/ch02_z.norm.md", "raw/notes.txt", "index.json"}, "",
			"ch02 raw/ch02_a.md norm/ch02_z.norm.md|ch10 raw/ch10_b.md ", "SRC021"},
		"given raw": {[]string{"raw/ch02_.md", "norm/ch02_z.norm.md"}, "raw", "ch02 ch02_.md ../norm/ch02_z.norm.md", ""},
		"flat":      {[]string{"ch01_a.md", "ch01_a.norm.md"}, "", "ch01 ch01_a.md ch01_a.norm.md", ""},
		"numbers, then names": {[]string{"norm/ch100_a.norm.md", "norm/ch11_a.norm.md", "norm/ch011_a.norm.md", "norm/ch9999_a.norm.md"}, "",
			"ch011  norm/ch011_a.norm.md|ch11  norm/ch11_a.norm.md|ch100  norm/ch100_a.norm.md|ch9999  norm/ch9999_a.norm.md", ""},
		"two files for one": {[]string{"raw/ch01_a.md", "raw/ch01_b.md", "norm/ch01_a.norm.md"}, "", "ch01 raw/ch01_a.md norm/ch01_a.norm.md", "SRC022"},
		"names of no chapter": {[]string{"raw/ch1_a.md", "raw/CH01_a.md", "raw/ch01.md", "raw/ch07_x.md", "norm/ch07_x.norm.md"}, "",
			"ch07 raw/ch07_x.md norm/ch07_x.norm.md", "SRC023 SRC023 SRC023"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(tree(t, tc.files...), tc.at)
			entries, fs, err := Index(dir, dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				got = append(got, e.ID+" "+e.RawPath+" "+e.NormPath)
			}
			if strings.Join(got, "|") != tc.want || codes(fs) != tc.codes {
				t.Errorf("have %q %s, want %q %s", got, codes(fs), tc.want, tc.codes)
			}
		})
	}
	if _, _, err := Index(tree(t, "notes.txt"), "."); err == nil {
		t.Error("a folder without chapters is no error")
	}
	if _, _, err := Index(filepath.Join(t.TempDir(), "none"), "."); err == nil {
		t.Error("a missing folder is no error")
	}
}

func TestReadIndex(t *testing.T) {
	text := "\ufeff[\n {\"id\": \"ch01\", \"raw_path\": \"D:/a/raw/ch01_x.md\", \"norm_path\": \"\"},\n {\"id\": 5},\n {\"id\": \"\"},\n {\"id\": \"ch01\"}\n]\n"
	entries, fs, err := ReadIndex([]byte(text), "index.json")
	if err != nil || len(entries) != 1 || codes(fs) != "JSON002 SRC010 SRC022" || fs[0].Pos.Line != 3 || fs[2].Pos.Line != 5 {
		t.Errorf("have %v %v %v", entries, fs, err)
	}
	if _, ok := Resolve(entries[0].RawPath, ".", ".", false); ok {
		t.Error("a path of another machine was found")
	}
	for _, bad := range []string{"", "{}", "[", "null", "[1,", "\xff"} {
		if _, _, err := ReadIndex([]byte(bad), "i"); err == nil {
			t.Errorf("%q: want an error", bad)
		}
	}
	dir := tree(t, "raw/ch01_x.md")
	if p, ok := Resolve("raw/ch01_x.md", dir, ".", false); !ok || p != filepath.Join(dir, "raw", "ch01_x.md") {
		t.Errorf("have %s %v", p, ok)
	}
	if p, ok := Resolve("raw/ch01_x.md", ".", dir, false); !ok {
		t.Errorf("relative to the root: have %s %v", p, ok)
	}
	out := tree(t, "secret.md")
	if err := os.Symlink(filepath.Join(out, "secret.md"), filepath.Join(dir, "raw", "ch02_l.md")); err != nil {
		t.Fatal(err)
	}
	up, _ := filepath.Rel(dir, filepath.Join(out, "secret.md"))
	for _, path := range []string{up, filepath.Join(out, "secret.md"), "raw/ch02_l.md"} {
		if _, ok := Resolve(path, dir, dir, false); ok {
			t.Errorf("%s lies outside of the folder and was found", path)
		}
		if _, ok := Resolve(path, dir, dir, true); !ok {
			t.Errorf("%s: not found though outside is allowed", path)
		}
	}
}

func FuzzReadIndex(f *testing.F) {
	f.Add([]byte("[{\"id\":\"ch01\",\"raw_path\":\"a\"},5,[]]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		entries, fs, err := ReadIndex(text, "index.json")
		seen := map[string]bool{}
		for _, e := range entries {
			if e.ID == "" || seen[e.ID] || err != nil {
				t.Fatalf("%v %v %v", entries, fs, err)
			}
			seen[e.ID] = true
		}
	})
}

func TestCompareConv(t *testing.T) {
	want := []schema.ConvID{"ch2", "ch009", "ch09", "ch9", "ch10", "ch100", "ch99999999999999999999999", "a", "a2b", "a10b", "a10c", "b", "chat"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CompareConv)
	if !slices.Equal(got, want) {
		t.Errorf("have %v, want %v", got, want)
	}
}

func ev(conv string, turn int) string {
	return fmt.Sprintf(`{"scene_id":"s","character_id":"c", "conv_id":%q,"turn_id":%d,"role_type":"human","role_name":"u","content":"x","tags":["filler"],"meta":{ },"extra":1.0}`, conv, turn)
}

func compileTexts(t testing.TB, texts ...string) (string, []*schema.Finding) {
	t.Helper()
	var parts []jsonl.File
	for i, text := range texts {
		parts = append(parts, jsonl.File{Name: fmt.Sprintf("f%d", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	var out bytes.Buffer
	var fs []*schema.Finding
	n, err := WriteLines(&out, Compile(t.Context(), parts), func(f *schema.Finding) { fs = append(fs, f) })
	if err != nil {
		t.Fatal(err)
	}
	if n != strings.Count(out.String(), "\n") {
		t.Errorf("counted %d lines of %q", n, out.String())
	}
	return out.String(), fs
}

func TestCompile(t *testing.T) {
	a, b, c := ev("a", 1)+"\n", ev("a", 2)+"\n", ev("b", 1)+"\n"
	for name, tc := range map[string]struct {
		in    []string
		want  string
		codes string
	}{
		"bytes stay":                {[]string{a + b, c}, a + b + c, ""},
		"CRLF, BOM, no last end":    {[]string{"\ufeff" + strings.ReplaceAll(a, "\n", "\r\n") + "\r\n" + strings.TrimSpace(b)}, a + b, ""},
		"a line is broken":          {[]string{a + "{oops\n" + b}, a + b, "JSON001"},
		"a gap":                     {[]string{a + ev("a", 3) + "\n"}, a + ev("a", 3) + "\n", codeCompiledGap},
		"turns fall":                {[]string{a + b + a}, a + b, codeCompiledTurn},
		"turn 0":                    {[]string{ev("a", 0) + "\n" + a}, a, "SCH006"},
		"a conversation twice":      {[]string{a, c, b + b}, a + c, codeCompiledConv + " " + codeCompiledConv + " " + codeCompiledNone},
		"an empty file":             {[]string{"", a}, a, codeCompiledNone},
		"no meta":                   {[]string{a + `{"scene_id":"s","character_id":"c","conv_id":"a","turn_id":2,"role_type":"human","role_name":"u","content":"x","tags":["filler"]}` + "\n"}, a, "SCH002"},
		"a turn id of another kind": {[]string{a + strings.Replace(b, `"turn_id":2`, `"turn_id":"2"`, 1)}, a, "SCH001"},
		"an unknown role":           {[]string{a + strings.Replace(b, "human", "alien", 1)}, a, "SCH003"},
		"no tags":                   {[]string{a + strings.Replace(b, `"filler"`, "", 1)}, a, "EVT004"},
		"separators inside":         {[]string{strings.Replace(a, `"x"`, "\"x\u2028y\u0085z\"", 1)}, strings.Replace(a, `"x"`, "\"x\u2028y\u0085z\"", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, fs := compileTexts(t, tc.in...)
			if got != tc.want || codes(fs) != tc.codes {
				t.Errorf("have %q (%v), want %q (%s)", got, fs, tc.want, tc.codes)
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(ev("a", 1)+"\n"+ev("a", 3)+"\n{", ev("b", 1))
	f.Fuzz(func(t *testing.T, a, b string) {
		out, _ := compileTexts(t, a, b)
		again, fs := compileTexts(t, out)
		if out != "" && (again != out || slices.ContainsFunc(fs, func(f *schema.Finding) bool { return !f.Warning })) {
			t.Fatalf("the output does not compile to itself: %q, %v", out, fs)
		}
	})
}

func TestOrder(t *testing.T) {
	have := []schema.ConvID{"ch10", "x", "ch2"}
	got, fs := Order(have, nil, "")
	if !slices.Equal(got, []schema.ConvID{"ch2", "ch10", "x"}) || fs != nil {
		t.Errorf("have %v %v", got, fs)
	}
	got, fs = Order(have, []schema.IndexEntry{{ID: "x"}, {ID: "gone"}, {ID: "ch2"}}, "i")
	if !slices.Equal(got, []schema.ConvID{"x", "ch2"}) || codes(fs) != codeCompiledNone+" "+codeNotIndexed {
		t.Errorf("have %v %v", got, fs)
	}
}

func BenchmarkCompile(b *testing.B) {
	var text strings.Builder
	for i := range 10000 {
		text.WriteString(ev("a", i+1) + "\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		_, err := WriteLines(io.Discard, Compile(b.Context(), []jsonl.File{{Name: "f", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text.String())), nil }}}), func(f *schema.Finding) { b.Fatal(f) })
		if err != nil {
			b.Fatal(err)
		}
	}
}
