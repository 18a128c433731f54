package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"membench/internal/codec"
)

func parse(s string) *Doc {
	d := &Doc{}
	d.Parse([]byte(s))
	return d
}

func TestParseFaults(t *testing.T) {
	for _, c := range []struct {
		in   string
		code FaultCode
		off  int
		ptr  string
	}{
		{``, Cut, 0, ""}, {` `, Cut, 1, ""}, {`{`, Cut, 1, ""}, {`[1,`, Cut, 3, "/1"}, {`{"a"`, Cut, 4, "/a"}, {`{"a":`, Cut, 5, "/a"}, {`{"a":1`, Cut, 6, "/a"},
		{`"a`, Cut, 2, ""}, {`"a\`, Cut, 3, ""}, {`tru`, Cut, 3, ""}, {`-`, Cut, 1, ""}, {`1.`, Cut, 2, ""}, {`1e`, Cut, 2, ""}, {`1e+`, Cut, 3, ""},
		{`x`, BadSyntax, 0, ""}, {`truth`, BadSyntax, 0, ""}, {`{a:1}`, BadSyntax, 1, ""}, {`{"a" 1}`, BadSyntax, 5, "/a"}, {`{"a":1 "b":2}`, BadSyntax, 7, "/a"},
		{`{"a":1,}`, BadSyntax, 7, ""}, {`[1,]`, BadSyntax, 3, "/1"}, {`[1}`, BadSyntax, 2, "/0"}, {`01`, BadSyntax, 1, ""}, {`-01`, BadSyntax, 2, ""}, {`+1`, BadSyntax, 0, ""}, {`.5`, BadSyntax, 0, ""}, {`1.e1`, BadSyntax, 2, ""},
		{`"\x"`, BadSyntax, 1, ""}, {`"\u12g4"`, BadSyntax, 1, ""}, {`[[[{"a":[nul]}]]]`, BadSyntax, 9, "/0/0/0/a/0"},
		{`1 2`, Trailing, 2, ""}, {`{}}`, Trailing, 2, ""}, {`[]x`, Trailing, 2, ""},
		{`{"a/b":{"~":NaN}}`, NotANumber, 12, "/a~1b/~0"}, {`[0,-Infinity]`, NotANumber, 3, "/1"}, {`-Inf`, BadSyntax, 0, ""},
		{manyMembers(3 * manyNames), DuplicateName, len(manyMembers(3*manyNames)) - len(`"\u006b1":0}`), "/k1"},
		{`{"a":1,"b":2,"a":3}`, DuplicateName, 13, "/a"}, {`{"a":1,"\u0061":3}`, DuplicateName, 7, "/a"}, {`{"":1,"":2}`, DuplicateName, 6, "/"},
		{"\"a\x00\"", ControlChar, 2, ""}, {"\"a\nb\"", ControlChar, 2, ""},
		{"[\"ok\",\"a\xff\xfe\"]", BadUTF8, 8, "/1"}, {"\"\xed\xa0\x80\"", BadUTF8, 1, ""},
		{`"\ud800"`, LoneSurrogate, 1, ""}, {`"a\udc00b"`, LoneSurrogate, 2, ""}, {`"\ud800\u0041"`, LoneSurrogate, 1, ""}, {`"\ud800\ud800\udc00"`, LoneSurrogate, 1, ""},
		{`1e400`, BadNumber, 0, ""}, {`-1e999999999999999999999`, BadNumber, 0, ""}, {`1e-999999999`, BadNumber, 0, ""}, {strings.Repeat("9", 5000), BadNumber, 0, ""},
		{"\ufeff1", BadSyntax, 0, ""},
	} {
		d := parse(c.in)
		if len(d.Faults) != 1 {
			t.Errorf("%q: faults %+v, want one", c.in, d.Faults)
			continue
		}
		if f := d.Faults[0]; f.Code != c.code || f.Off != c.off || f.Pointer != c.ptr || f.Want == "" {
			t.Errorf("%.40q: %+v, want code %d at %d in %q", c.in, f, c.code, c.off, c.ptr)
		}
	}
	deep := parse(strings.Repeat(`{"a":`, 5000))
	if len(deep.Faults) != 1 || deep.Faults[0].Code != TooDeep || len(deep.Nodes) > 3*MaxDepth {
		t.Errorf("deep nesting: %+v", deep.Faults)
	}
}

func TestParseReadsWhatCanBeRead(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"x","a":[1,{"b":"c"}],"d":`:     `{"a":[1,{"b":"c"}],"id":"x"}`,
		`{"id":"x","a":[1,{"b":tru`:            `{"a":[1,{}],"id":"x"}`,
		`{"id":"x","a":1,"id":"y"}`:            `{"a":1,"id":"y"}`,
		`{"id":"\ud800 \ud83d\udc69","n":NaN}`: `{"id":"` + "\uFFFD 👩" + `","n":0}`,
		"[\"a\xffb\"]":                         "[\"a\uFFFDb\"]",
		`[1,2`:                                 `[1,2]`,
	} {
		d := parse(in)
		have, err := json.Marshal(d.Any(0))
		if err != nil || string(have) != want {
			t.Errorf("%q: read as %s (%v), want %s", in, have, err, want)
		}
	}
}

func TestPointersAndMembers(t *testing.T) {
	d := parse(` {"a": [10, {"x/y": "z~", "": null}], "n": {"a": true, "a": false}, "e": [], "k\u0065y": "v\n"} `)
	values := 0
	var walk func(i int)
	walk = func(i int) {
		values++
		if p := d.Pointer(i); d.Find(p) != i && p != "/n/a" {
			t.Errorf("node %d: pointer %q finds node %d", i, p, d.Find(p))
		}
		for k, v := range d.Members(i) {
			if d.Pointer(k) != d.Pointer(v) {
				t.Errorf("name %q has pointer %q, its value %q", d.Str(k), d.Pointer(k), d.Pointer(v))
			}
			walk(v)
		}
		for _, v := range d.Elems(i) {
			walk(v)
		}
	}
	walk(0)
	if values != 11 {
		t.Errorf("%d values, want 11", values)
	}
	if i := d.Get(0, "key"); i < 0 || d.Str(i) != "v\n" || string(d.Raw(i)) != `"v\n"` {
		t.Errorf("escaped name: node %d", i)
	}
	if i := d.Find("/n/a"); d.Nodes[i].Kind != False {
		t.Error("of a repeated name the last must count")
	}
	for p, want := range map[string]string{"": "object", "/a/0": "number", "/a/1/x~1y": "string", "/a/1/": "null", "/e": "array"} {
		if i := d.Find(p); i < 0 || d.Nodes[i].Kind.String() != want {
			t.Errorf("%q: node %d, want %s", p, i, want)
		}
	}
	for _, p := range []string{"/x", "/a/2", "/a/x", "/e/0", "/a/0/b"} {
		if i := d.Find(p); i != -1 {
			t.Errorf("%q finds node %d", p, i)
		}
	}
}

func TestRuneCount(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b []byte
		for range r.IntN(30) {
			b = utf8.AppendRune(b, []rune{'a', 'é', '好', '👩', 0x7ff, 0xffff}[r.IntN(6)])
		}
		if have, want := RuneCount(b, true), utf8.RuneCount(b); have != want {
			t.Fatalf("%q: %d, want %d", b, have, want)
		}
	}
}

// wellFormed is JSON as the standard library sees it, with what this package refuses
// beyond that taken out.
func wellFormed(b []byte) bool {
	return codec.Valid(b)
}

// FuzzParse: without faults the text is JSON and reads as encoding/json reads it; with
// faults codec refuses it too, but for the limits of this package.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,-0.0,"x\u00e9\ud83d\udc69",null,true],"b":{}}`, `[`, `{"a":1,"a":2}`, "\xff", `"\ud800"`, `1e400`, `[NaN]`, `01`, "\ufeff{}", ` [ ] `, `{"a":`, "\"\x01\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var d Doc
		d.Parse(in)
		for i, n := range d.Nodes {
			if n.Start < 0 || n.End < n.Start || int(n.End) > len(in) || int(n.Next) <= i || int(n.Next) > len(d.Nodes) {
				t.Fatalf("node %d of %q: %+v", i, in, n)
			}
		}
		for _, x := range d.Faults {
			if x.Off < 0 || x.Off > len(in) || !utf8.ValidString(x.Have) {
				t.Fatalf("fault %+v of %q", x, in)
			}
		}
		if len(d.Nodes) > 0 {
			d.Any(0)
			if n := len(d.Nodes) - 1; d.Find(d.Pointer(n)) < 0 {
				t.Fatalf("pointer %q of %q", d.Pointer(n), in)
			}
		}
		if ok := wellFormed(in); ok != (len(d.Faults) == 0) {
			for _, x := range d.Faults {
				if x.Code == BadNumber || x.Code == TooDeep {
					return // limits that codec draws elsewhere
				}
			}
			t.Fatalf("%q: codec says %v, faults %+v", in, ok, d.Faults)
		}
		if len(d.Faults) > 0 {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(in))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("%q: encoding/json says %v", in, err)
		}
		if have := d.Any(0); !reflect.DeepEqual(have, want) {
			t.Fatalf("%q: read as %#v, want %#v", in, have, want)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	line := []byte(fmt.Sprintf(`{"id": "06eb0189-e0cd-4516-af48-262e2172abd8", "payload": {"scene_id": "s", "conv_id": "ch02", "data": "%s", "hash": "ec69f1ce8081ebb3e0b4c6c5ed484377", "created_at": "2026-02-24T06:33:58.595077-08:00"}, "collection": "m", "isolation": "global", "exported_at": "2026-02-24T14:34:03Z"}`, strings.Repeat("今天天气很好", 10)))
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	var d Doc
	for b.Loop() {
		d.Parse(line)
	}
}

// manyMembers is an object with n members and one of their names again.
func manyMembers(n int) string {
	s := "{"
	for i := range n {
		s += `"k` + strconv.Itoa(i) + `":0,`
	}
	return s + `"\u006b1":0}`
}
