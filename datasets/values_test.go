package datasets_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

func values(t testing.TB, r io.Reader, max int) (out []string, found []*schema.Finding) {
	t.Helper()
	for v, err := range datasets.Values(r, "f", max) {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			found = append(found, f)
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, fmt.Sprintf("%d:%d %s", v.Pos.Line, v.Pos.Col, v.Bytes))
		}
	}
	return out, found
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
		faults     int
	}{
		{"array", `[{"a":1}, {"a":"]}\"{\\"},[1,[2]], 3,null ,"x"]`, []string{`1:2 {"a":1}`, `1:11 {"a":"]}\"{\\"}`, `1:27 [1,[2]]`, `1:36 3`, `1:38 null`, `1:44 "x"`}, 0},
		{"indented", "\ufeff[\n  {\n \"a\": \"中\"}, {\"b\": 2}\n]\n", []string{"2:3 {\n \"a\": \"中\"}", `3:13 {"b": 2}`}, 0},
		{"lines", "{\"a\":1}\n\n{\"a\":2}\r\n{\"a\":3}", []string{`1:1 {"a":1}`, `3:1 {"a":2}`, `4:1 {"a":3}`}, 0},
		{"one object", " {\"a\":\n1}", []string{"1:2 {\"a\":\n1}"}, 0},
		{"empty", "", nil, 1},
		{"empty array", "[ ]", nil, 0},
		{"cut array", `[{"a":1},`, []string{`1:2 {"a":1}`}, 1},
		{"cut value", `[{"a":1},{"a":"x`, []string{`1:2 {"a":1}`}, 1},
		{"bad line", "{\"a\":1}\n{\"a\":\"x}\n{\"b\":3}\n", []string{`1:1 {"a":1}`, `3:1 {"b":3}`}, 1},
		{"bad element", `[{"a":1},{"a":!},{"a":3}]`, []string{`1:2 {"a":1}`, `1:18 {"a":3}`}, 1},
		{"bracket", `[{"a":1},{"a":[}},{"a":3}]`, []string{`1:2 {"a":1}`, `1:19 {"a":3}`}, 1},
		{"swallowed", `[{"a":1},{"a":"x},{"a":"y"},{"a":"z"}]`, []string{`1:2 {"a":1}`, `1:19 {"a":"y"}`, `1:29 {"a":"z"}`}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"whole": strings.NewReader(c.text), "byte by byte": iotest.OneByteReader(strings.NewReader(c.text)), "end with data": iotest.DataErrReader(strings.NewReader(c.text))} {
				have, found := values(t, r, 0)
				if !reflect.DeepEqual(have, c.want) || len(found) != c.faults {
					t.Errorf("%s: have %q, %v; want %q and %d faults", name, have, found, c.want, c.faults)
				}
			}
		})
	}
}

// A table given as cases is one fault that says what reads it, not one for each of its lines; so is any text without a value. A file with a line that can be a case is damaged instead.
func TestNoValues(t *testing.T) {
	for in, have := range map[string]string{"conversation,text\nc1,hello\nc1,\"a, b\"\n": `"conversation,text"`, "hello\n\nworld": `"hello"`} {
		out, found := values(t, strings.NewReader(in), 0)
		if len(out) > 0 || len(found) != 1 || found[0].Message != "the file is not JSON" || found[0].Have != have || !strings.Contains(found[0].Hint, "membench init") {
			t.Errorf("%q: have %v, %v, want one fault of %s", in, out, found, have)
		}
	}
	if _, found := values(t, strings.NewReader("oops\n{\"a\":1}\n"), 0); len(found) == 0 || strings.Contains(found[0].Hint, "membench init") {
		t.Errorf("a bad line before cases: have %v", found)
	}
}

func TestValueTooLong(t *testing.T) {
	text := `[{"a":"` + strings.Repeat("x", 5000) + `"},{"a":"y"}]`
	have, found := values(t, strings.NewReader(text), 100)
	if len(found) != 1 || found[0].Code != "JSON003" || len(have) != 1 || !strings.HasSuffix(have[0], `{"a":"y"}`) {
		t.Errorf("%d values, %v", len(have), found)
	}
}

func TestValuesReaderFails(t *testing.T) {
	boom := errors.New("boom")
	var last error
	n := 0
	for _, err := range datasets.Values(io.MultiReader(strings.NewReader(`[{"a":1},{"a"`), iotest.ErrReader(boom)), "f", 0) {
		last = err
		n++
	}
	if !errors.Is(last, boom) || n != 2 {
		t.Errorf("%d values, last error %v", n, last)
	}
}

// TestReadKeepsOrder: several workers give the cases and findings of one.
func TestReadKeepsOrder(t *testing.T) {
	var text strings.Builder
	for i := range 500 {
		fmt.Fprintf(&text, "{\"n\": \"%d\", \"pad\": \"%s\"}\n", i, strings.Repeat("p", i%97))
	}
	run := func(workers int) string {
		var b strings.Builder
		o := datasets.Options{Workers: workers, Report: func(f *schema.Finding) { fmt.Fprintln(&b, f) }}
		for r, err := range datasets.Read(context.Background(), []jsonl.File{datasets.TextFile("f", text.String())}, o, func(v *datasets.Value) (schema.Case, error) {
			var x struct {
				N   string
				Pad string
			}
			if err := v.Decode(&x); err != nil {
				return schema.Case{}, err
			}
			if v.Index%7 == 0 {
				v.Warn("DST014", "seven", x.N, "n")
			}
			if v.Index%50 == 3 {
				return schema.Case{}, v.Finding("DST001", "fifty", "pad")
			}
			return schema.Case{ID: x.N + x.Pad}, nil
		}) {
			fmt.Fprintln(&b, r.V.ID, err)
		}
		return b.String()
	}
	if one, four := run(1), run(4); one != four || strings.Count(one, "DST014") != 72 || strings.Count(one, "DST001") != 10 {
		t.Errorf("one worker:\n%.300s\nfour:\n%.300s", one, four)
	}
}

func TestChunks(t *testing.T) {
	text := strings.Repeat("A sentence here. 一句话。 Another one follows it\nand a line end. ", 40)
	for _, n := range []int{7, 40, 100, 5000} {
		got := datasets.Chunks(text, n)
		if strings.Join(got, "") != text {
			t.Errorf("n %d: the pieces are not the text", n)
		}
		for _, p := range got {
			if k := len([]rune(p)); k > n || k == 0 {
				t.Errorf("n %d: a piece of %d code points", n, k)
			}
		}
	}
}

func TestCatalogue(t *testing.T) {
	last := ""
	for _, i := range datasets.Catalogue() {
		if i.Name <= last {
			t.Errorf("%s does not come after %s", i.Name, last)
		}
		last = i.Name
		if i.Title == "" || i.Home == "" || i.Licence == "" || i.Terms == "" || i.Status == "" {
			t.Errorf("%s lacks a member: %+v", i.Name, i)
		}
		if i.Status == "read" && i.Checked == "" && i.Unverified == "" {
			t.Errorf("%s says neither what it was checked on nor that it was not", i.Name)
		}
		for _, f := range i.Files {
			if f.SHA256 == "" && f.Note == "" || f.SHA256 != "" && len(f.SHA256) != 64 {
				t.Errorf("%s %s: sum %q", i.Name, f.Name, f.SHA256)
			}
		}
	}
}

// FuzzValues: cutting agrees with the codec wherever the text is good, and never
// loses or invents bytes.
func FuzzValues(f *testing.F) {
	for _, s := range []string{`[1,{"a":"\"]"},[]]`, "{\"a\":1}\n{\"a\":2}", `["x`, `[{"a":1},{"a":"x},{"a":"y"}]`, "\ufeff[\n]", `}{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		have, found := values(t, strings.NewReader(text), 0)
		again, _ := values(t, iotest.HalfReader(strings.NewReader(text)), 0)
		if !reflect.DeepEqual(have, again) {
			t.Errorf("the size of reads matters: %q, %q", have, again)
		}
		if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "[") && codec.Valid([]byte(trimmed)) {
			var want []string
			for el := range codec.Elements([]byte(trimmed)) {
				want = append(want, string(el))
			}
			if len(found) > 0 || len(want) != len(have) {
				t.Fatalf("%d elements, want %d; %v", len(have), len(want), found)
			}
			for i := range want {
				if !strings.HasSuffix(have[i], want[i]) {
					t.Errorf("element %d: %q, want %q", i, have[i], want[i])
				}
			}
		}
	})
}

// What brackets without an end cost is bounded: the rest of such a file is given up.
func TestValuesOfBrackets(t *testing.T) {
	for _, unit := range []string{"[", "{", `{"a":`, "[1,"} {
		n, given := 0, false
		for _, err := range datasets.Values(strings.NewReader(strings.Repeat(unit, 1<<18)), "f", 0) {
			var f *schema.Finding
			if err != nil && !errors.As(err, &f) {
				t.Fatalf("%q: have %v", unit, err)
			}
			if f == nil {
				continue
			}
			n++
			given = given || strings.Contains(f.Message, "rest of the file")
		}
		if n > 150_000 || unit[0] == '{' && !given {
			t.Errorf("%q: %d findings, rest given up %v", unit, n, given)
		}
	}
}
