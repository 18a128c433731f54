package codec

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	experiment "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type record struct {
	ID    string                        `json:"id"`
	N     int                           `json:"n"`
	F     float64                       `json:"f"`
	List  []string                      `json:"list"`
	Opt   string                        `json:"opt,omitzero"`
	Inner struct{ A *int }              `json:"inner"`
	Map   map[string]int                `json:"map,omitempty"`
	Extra map[string]stdjson.RawMessage `json:",embed"`
}

func TestLayouts(t *testing.T) {
	r := record{ID: "a<b>&\u2028\u2029\u007f\"\\\n\x01好👩", N: 3, List: []string{"x", "y"}, Map: map[string]int{"b": 2, "a": 1}, Extra: map[string]stdjson.RawMessage{"z": []byte(`[1,2]`)}}
	id := "\"a<b>&\u2028\u2029\u007f\\\"\\\\\\n\\u0001好👩\""
	for l, want := range map[Layout]string{
		Compact:  `{"id":` + id + `,"n":3,"f":0,"list":["x","y"],"inner":{"A":null},"map":{"a":1,"b":2},"z":[1,2]}`,
		Spaced:   `{"id": ` + id + `, "n": 3, "f": 0, "list": ["x", "y"], "inner": {"A": null}, "map": {"a": 1, "b": 2}, "z": [1, 2]}`,
		Indented: "{\n  \"id\": " + id + ",\n  \"n\": 3,\n  \"f\": 0,\n  \"list\": [\n    \"x\",\n    \"y\"\n  ],\n  \"inner\": {\n    \"A\": null\n  },\n  \"map\": {\n    \"a\": 1,\n    \"b\": 2\n  },\n  \"z\": [\n    1,\n    2\n  ]\n}",
	} {
		have, err := Append(nil, r, l)
		if err != nil || string(have) != want {
			t.Errorf("layout %d: %v\nhave %s\nwant %s", l, err, have, want)
		}
		if again := AppendLayout(nil, have, l); string(again) != want {
			t.Errorf("layout %d of its own output: %s", l, again)
		}
		if from := AppendLayout(nil, []byte(" "+want+"\n"), Compact); string(from) != string(must(Append(nil, r, Compact))) {
			t.Errorf("layout %d to compact: %s", l, from)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestAppendLayoutKeepsText(t *testing.T) {
	in := `{"a":[],"b":{},"c":[ ] ,"d":"x , : y\"{","e":1.50e+10,"f":[[]],"g":{"h":{}}}`
	for l, want := range map[Layout]string{
		Compact:  `{"a":[],"b":{},"c":[],"d":"x , : y\"{","e":1.50e+10,"f":[[]],"g":{"h":{}}}`,
		Spaced:   `{"a": [], "b": {}, "c": [], "d": "x , : y\"{", "e": 1.50e+10, "f": [[]], "g": {"h": {}}}`,
		Indented: "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [],\n  \"d\": \"x , : y\\\"{\",\n  \"e\": 1.50e+10,\n  \"f\": [\n    []\n  ],\n  \"g\": {\n    \"h\": {}\n  }\n}",
	} {
		if have := AppendLayout(nil, []byte(in), l); string(have) != want {
			t.Errorf("layout %d: %s", l, have)
		}
	}
}

// TestAppendString: Python's json.dumps with ensure_ascii off.
func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "a": `"a"`, "\b\t\n\f\r": `"\b\t\n\f\r"`, "\x00\x1f": `"\u0000\u001f"`, `"\/`: `"\"\\/"`, "\u007f\u0085\u2028": "\"\u007f\u0085\u2028\"",
		"<>&'": `"<>&'"`, "好👩\u200d": "\"好👩\u200d\"", "a\xffb\xed\xa0\x80": "\"a\uFFFDb\uFFFD\uFFFD\uFFFD\"",
	} {
		if have := string(AppendString(nil, in)); have != want {
			t.Errorf("%q: %s, want %s", in, have, want)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	for _, c := range []struct{ in, pointer, have, want string }{
		{`{"id":1}`, "/id", "number", "string"},
		{`{"n":"x"}`, "/n", "string", "integer"},
		{`{"n":1.5}`, "/n", "number", "integer"},
		{`{"list":["a",null,{}]}`, "/list/2", "object", "string"},
		{`{"inner":[]}`, "/inner", "array", "object"},
		{`[]`, "", "array", "object"},
	} {
		var r record
		err := Unmarshal([]byte(c.in), &r)
		var e *Error
		if !errors.As(err, &e) || e.Pointer != c.pointer || e.Have != c.have || e.Want != c.want {
			t.Errorf("%s: %+v, want pointer %q, have %s, want %s", c.in, err, c.pointer, c.have, c.want)
		}
	}
	for _, in := range []string{``, `{`, `{"id":"a","id":"b"}`, "{\"id\":\"\xff\"}", `{"id":"\ud800"}`, `{"n":01}`, `{"f":NaN}`, `{} {}`, "\ufeff{}", `{"id":"a",}`, "{\"id\":\"a\nb\"}", `{'id':1}`} {
		var r record
		err := Unmarshal([]byte(in), &r)
		var e *Error
		if !errors.As(err, &e) || e.Msg == "" && e.Want == "" || e.Offset < 0 || e.Offset > int64(len(in)) {
			t.Errorf("%q: %#v, want an *Error inside the text", in, err)
		}
		if Valid([]byte(in)) {
			t.Errorf("%q is called valid", in)
		}
	}
	if err := (&Error{Pointer: "/a", Msg: "x"}).Error(); err != "/a: x" {
		t.Error(err)
	}
	if err := (&Error{Pointer: "/a", Have: "null", Want: "string"}).Error(); err != "/a: have null, want string" {
		t.Error(err)
	}
	if err := (&Error{Msg: "x"}).Error(); err != "x" {
		t.Error(err)
	}
}

func TestUnknownMembersComeBack(t *testing.T) {
	in := `{"id":"x","n":1,"f":1.5,"list":[],"inner":{"A":null},"b":{"z":1,"a":[1.50,2]},"a":1e5}`
	var r record
	if err := Unmarshal([]byte(in), &r); err != nil {
		t.Fatal(err)
	}
	have := string(must(Append(nil, r, Compact)))
	want := `{"id":"x","n":1,"f":1.5,"list":[],"inner":{"A":null},"a":1e5,"b":{"z":1,"a":[1.50,2]}}`
	if have != want {
		t.Errorf("have %s, want %s: after the known ones, sorted, text kept", have, want)
	}
}

func TestMembers(t *testing.T) {
	var names, values []string
	for k, v := range Members([]byte(` { "a" : 1 , "\u0062" : [ 1, {"x":"}"} ] ,"c":"\"," , "a":null , "":{} } `)) {
		names, values = append(names, k), append(values, string(v))
	}
	if want := []string{"a", "b", "c", "a", ""}; !reflect.DeepEqual(names, want) {
		t.Errorf("names %q", names)
	}
	if want := []string{"1", `[ 1, {"x":"}"} ]`, `"\","`, "null", "{}"}; !reflect.DeepEqual(values, want) {
		t.Errorf("values %q", values)
	}
	for _, in := range []string{``, `[]`, `null`, `{}`, ` {} `} {
		for range Members([]byte(in)) {
			t.Errorf("%q has members", in)
		}
	}
	n := 0
	for range Members([]byte(`{"a":1,"b":2}`)) {
		n++
		break
	}
	if n != 1 {
		t.Error("cannot stop")
	}
	whole := `{"a": [1, "x\"y"], "b\u0063": {"d": "e"}}`
	for i := range whole { // of what breaks off, what is there
		for range Members([]byte(whole[:i])) {
		}
	}
}

func TestUnquote(t *testing.T) {
	for in, want := range map[string]string{`"a"`: "a", `"\u0061\n好"`: "a\n好", `""`: "", `1`: "1", `null`: "null"} {
		if have := Unquote([]byte(in)); have != want {
			t.Errorf("%s: %q, want %q", in, have, want)
		}
	}
}

func TestAppendRefusesWhatJSONCannotSay(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), "a\xff", make(chan int), map[string]any{"x": func() {}}} {
		if b, err := Append([]byte("kept"), v, Spaced); err == nil || string(b) != "kept" {
			t.Errorf("%v: %s, %v", v, b, err)
		}
	}
}

// FuzzOracle: this build's library and go-json-experiment accept the same texts, read
// the same values and write the same bytes.
func FuzzOracle(f *testing.F) {
	for _, s := range []string{`{"id":"a","n":1,"f":2.50,"list":["x"],"zz":{"b":1,"a":2}}`, `{"id":"\ud83d\udc69"}`, `{"n":1e2}`, `{"id":null}`, `{"ID":"x"}`, `{"map":{"b":1,"a":2}}`, `[`, "\xff", `{"f":1e400}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var a, b record
		errA, errB := unmarshal(in, &a), experiment.Unmarshal(in, &b, jsontext.AllowDuplicateNames(false))
		if (errA == nil) != (errB == nil) {
			t.Fatalf("%q: %v, go-json-experiment: %v", in, errA, errB)
		}
		if errA != nil {
			if e := libError(errA); e.Offset < 0 || e.Offset > int64(len(in)) {
				t.Fatalf("%q: offset %d", in, e.Offset)
			}
			return
		}
		x, errA := Append(nil, a, Compact)
		y, errB := experiment.Marshal(b, experiment.Deterministic(true))
		if (errA == nil) != (errB == nil) || errA == nil && !bytes.Equal(x, y) {
			t.Fatalf("%q:\n%s %v\n%s %v", in, x, errA, y, errB)
		}
		if errA != nil {
			return
		}
		// Walking the text agrees with reading it.
		n := 0
		for k, v := range Members(x) {
			if !utf8.ValidString(k) || !Valid(v) {
				t.Fatalf("%s: member %q: %s", x, k, v)
			}
			n++
		}
		var m map[string]stdjson.RawMessage
		if err := stdjson.Unmarshal(x, &m); err != nil || len(m) != n {
			t.Fatalf("%s: %d members, walked %d (%v)", x, len(m), n, err)
		}
		if spaced := AppendLayout(nil, x, Spaced); !bytes.Equal(spaced, must(Append(nil, a, Spaced))) && !strings.Contains(string(in), " ") {
			t.Fatalf("%s: relaid as %s", x, spaced)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	r := record{ID: strings.Repeat("今天天气", 20), N: 3, List: []string{"x", "y"}}
	for name, l := range map[string]Layout{"compact": Compact, "spaced": Spaced} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf, _ = Append(buf[:0], r, l)
			}
			b.SetBytes(int64(len(buf)))
		})
	}
}
