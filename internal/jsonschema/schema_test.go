package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	v5 "github.com/santhosh-tekuri/jsonschema/v5"
)

func compileText(t testing.TB, text string) *Schema {
	t.Helper()
	set := NewSet()
	if err := set.Add("https://x/s.json", []byte(text)); err != nil {
		t.Fatal(err)
	}
	s, err := set.Compile("https://x/s.json")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// oracle is v5 alone, on the text as encoding/json reads it.
func oracle(t testing.TB, s *Schema, text []byte) (valid, readable bool) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return false, false
	}
	return s.v5.Validate(v) == nil, true
}

// published are the project's schemas, by file.
func published(t testing.TB) (map[string]*Schema, map[string][]json.RawMessage) {
	t.Helper()
	files, err := filepath.Glob("../../schema/v*/*.schema.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	set := NewSet()
	ids := map[string]string{}
	examples := map[string][]json.RawMessage{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			ID       string            `json:"$id"`
			Examples []json.RawMessage `json:"examples"`
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		if err := set.Add(doc.ID, text); err != nil {
			t.Fatal(err)
		}
		ids[f], examples[f] = doc.ID, doc.Examples
	}
	out := map[string]*Schema{}
	for f, id := range ids {
		s, err := set.Compile(id)
		if err != nil {
			t.Fatal(err)
		}
		out[f] = s
	}
	return out, examples
}

// agree holds the two against each other on one text, and returns the verdict.
func agree(t testing.TB, name string, s *Schema, text []byte) (valid bool) {
	t.Helper()
	var d Doc
	d.Parse(text)
	if d.Broken || len(d.Nodes) == 0 {
		return false
	}
	for _, f := range d.Faults {
		if f.Code != DuplicateName { // encoding/json takes the last too
			return false
		}
	}
	want, ok := oracle(t, s, text)
	if !ok {
		t.Fatalf("%s: encoding/json does not read %s", name, text)
	}
	if s.ValidFast(&d, 0) && !want {
		t.Fatalf("%s: the program accepts what v5 refuses: %s", name, text)
	}
	if have := s.Valid(&d, 0); have != want {
		t.Fatalf("%s: valid %v, v5 says %v: %s", name, have, want, text)
	}
	vs := s.Check(&d, 0)
	if want != (len(vs) == 0) {
		t.Fatalf("%s: v5 says %v, violations %+v: %s", name, want, vs, text)
	}
	for _, v := range vs {
		if d.Find(v.Pointer) != v.Node || v.Keyword == "" {
			t.Fatalf("%s: violation %+v of %s", name, v, text)
		}
	}
	return want
}

// mutate changes one thing in a JSON value.
func mutate(r *rand.Rand, v any) any {
	odd := []any{nil, true, false, json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("1.0"), json.Number("1e2"), json.Number("0.5"), json.Number("1.0000000000000000000001"),
		json.Number("99999999999999999999"), "", "x", "ch01", "active", "2026-02-24T06:33:58Z", "2026-02-30T06:33:58Z", "2026-02-24t23:59:60Z", "2026-02-24T06:33:58.1+08:00", "06eb0189-e0cd-4516-af48-262e2172abd8", "好", []any{}, []any{"a", "a"}, map[string]any{}, map[string]any{"a": nil}}
	pick := func() any { return odd[r.IntN(len(odd))] }
	switch v := v.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for k := range v {
			names = append(names, k)
		}
		slices.Sort(names)
		out := map[string]any{}
		for k, x := range v {
			out[k] = x
		}
		if len(names) == 0 || r.IntN(8) == 0 {
			out[[]string{"new", "id", "é", ""}[r.IntN(4)]] = pick()
			return out
		}
		k := names[r.IntN(len(names))]
		switch r.IntN(4) {
		case 0:
			delete(out, k)
		case 1:
			out[k] = pick()
		default:
			out[k] = mutate(r, v[k])
		}
		return out
	case []any:
		out := append([]any{}, v...)
		if len(out) == 0 || r.IntN(4) == 0 {
			return append(out, pick())
		}
		i := r.IntN(len(out))
		if r.IntN(5) == 0 {
			return append(out[:i], out[i+1:]...)
		}
		out[i] = mutate(r, out[i])
		return out
	}
	return pick()
}

// TestAgreesWithV5 changes the examples of every published schema in many ways. At
// least a tenth of the results must be valid and a tenth not, or it would say little.
func TestAgreesWithV5(t *testing.T) {
	schemas, examples := published(t)
	files := make([]string, 0, len(schemas))
	for f := range schemas {
		files = append(files, f)
	}
	slices.Sort(files)
	n := 300
	if testing.Short() {
		n = 30
	}
	valid, slow, all := 0, 0, 0
	for _, f := range files {
		s := schemas[f]
		if ok, why := s.Fast(); !ok {
			t.Errorf("%s does not run without v5: %s", f, why)
		}
		r := rand.New(rand.NewPCG(1, uint64(len(f))))
		for _, ex := range examples[f] {
			dec := json.NewDecoder(bytes.NewReader(ex))
			dec.UseNumber()
			var v any
			if err := dec.Decode(&v); err != nil {
				t.Fatal(err)
			}
			for range n {
				m := v
				for range 1 + r.IntN(3) {
					m = mutate(r, m)
				}
				text, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				all++
				if agree(t, f, s, text) {
					valid++
					var d Doc
					d.Parse(text)
					if !s.ValidFast(&d, 0) {
						slow++
					}
				}
			}
		}
	}
	if valid < all/10 || valid > all*9/10 {
		t.Errorf("%d of %d are valid", valid, all)
	}
	if slow > valid/50 {
		t.Errorf("%d of %d valid texts had to go to v5", slow, valid)
	}
	t.Logf("%d texts, %d valid, %d of them by v5", all, valid, slow)
}

// Schemas that go through every keyword the program knows.
var keywordSchemas = []string{
	`{"type":"integer"}`, `{"type":["number","null"]}`, `{"type":["boolean","array"]}`, `{"minimum":1,"maximum":5}`, `{"exclusiveMinimum":0,"exclusiveMaximum":1}`, `{"minimum":0,"exclusiveMinimum":0}`, `{"minimum":1,"exclusiveMinimum":0}`, `{"minimum":0.1}`,
	`{"minLength":2,"maxLength":3}`, `{"minLength":1}`, `{"maxLength":0}`, `{"pattern":"^ch[0-9]{2,}$"}`, `{"pattern":"a+b"}`, `{"pattern":"^[0-9a-f]{4}$"}`, `{"pattern":"^a*ab$"}`, `{"format":"date-time"}`, `{"format":"uuid"}`, `{"format":"date"}`, `{"format":"nothing"}`,
	`{"enum":["a",null,true]}`, `{"const":"a"}`, `{"const":null}`, `{"const":false}`, `{"enum":[1,"a"]}`, `{"const":{"a":1}}`,
	`{"items":{"type":"string"}}`, `{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"}}`, `{"prefixItems":[true,false]}`, `{"minItems":1,"maxItems":2}`, `{"uniqueItems":true}`,
	`{"properties":{"a":{"type":"string"},"b":{"minimum":1}},"required":["a"]}`, `{"required":["a","é"]}`, `{"properties":{"a":true},"additionalProperties":false}`, `{"properties":{"a":true},"additionalProperties":{"type":"integer"}}`, `{"additionalProperties":false}`, `{"minProperties":1,"maxProperties":1}`,
	`{"allOf":[{"type":"string"},{"minLength":2}]}`, `{"anyOf":[{"type":"string"},{"minimum":2}]}`, `{"anyOf":[{"format":"date-time"},{"maxLength":0}]}`, `{"$ref":"#/$defs/x","$defs":{"x":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
	`true`, `false`, `{}`, `{"type":"string","title":"x","description":"y","x-warn":{"type":"null"}}`,
	// these go to v5 whole
	`{"oneOf":[{"type":"string"},{"minLength":2}]}`, `{"not":{"type":"string"}}`, `{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":1}}`, `{"multipleOf":3}`, `{"propertyNames":{"maxLength":1}}`, `{"patternProperties":{"^a":{"type":"null"}}}`, `{"contains":{"type":"null"}}`, `{"dependentRequired":{"a":["b"]}}`, `{"unevaluatedProperties":false}`, `{"unevaluatedItems":false}`,
}

var keywordTexts = []string{
	`null`, `true`, `false`, `0`, `1`, `-1`, `1.0`, `1.5`, `5`, `5.0000000000000000000001`, `4.99999999999999999999999`, `1e0`, `10e-1`, `0.1`, `0.10000000000000000001`, `0.09999999999999999999`, `123456789012345678901234567890`, `1E2`, `-0`, `-0.0`, `0.99999999999999999999`, `3`, `6`,
	`""`, `"a"`, `"ab"`, `"abc"`, `"aab"`, `"abcd"`, `"好"`, `"好好"`, `"👩"`, `"\u0061"`, `"ch01"`, `"ch1"`, `"ch001\n"`, `"12ab"`, `"12aB"`,
	`"2026-02-24T06:33:58Z"`, `"2026-02-24T06:33:58z"`, `"2026-02-24t06:33:58Z"`, `"2026-02-24 06:33:58Z"`, `"2026-02-28T23:59:59.123456789-08:00"`, `"2026-02-29T00:00:00Z"`, `"2024-02-29T00:00:00Z"`, `"2026-13-01T00:00:00Z"`, `"2026-01-32T00:00:00Z"`, `"2026-01-01T24:00:00Z"`, `"2026-01-01T23:59:60Z"`, `"2026-01-01T22:59:60Z"`, `"2026-01-01T00:00:00.Z"`, `"2026-01-01T00:00:00"`, `"2026-01-01T00:00:00+24:00"`, `"2026-01-01T00:00:00+2:00"`, `"2026-01-01T00:00:00+0200"`, `"2026-01-01"`,
	`"06eb0189-e0cd-4516-af48-262e2172abd8"`, `"06EB0189-E0CD-4516-AF48-262E2172ABD8"`, `"06eb0189e0cd4516af48262e2172abd8"`, `"06eb0189-e0cd-4516-af48-262e2172abdg"`, `"{06eb0189-e0cd-4516-af48-262e2172abd8}"`, `"urn:uuid:06eb0189-e0cd-4516-af48-262e2172abd8"`,
	`[]`, `["a"]`, `["a",1]`, `["a",1,null]`, `["a","a"]`, `[1,1.0]`, `[[1],[1]]`, `[null]`, `[0]`,
	`{}`, `{"a":"x"}`, `{"a":1}`, `{"\u0061":"x"}`, `{"a":"x","b":0}`, `{"a":"x","b":1}`, `{"b":1}`, `{"a":{"a":{"a":1}}}`, `{"a":{"a":{}}}`, `{"a":1,"é":2}`, `{"a":"x","c":"y"}`, `{"a":"x","c":1}`, `{"a":1,"a":"x"}`, `{"a":"x","a":1}`, `{"ab":null}`,
}

func TestEveryKeyword(t *testing.T) {
	for _, text := range keywordSchemas {
		s := compileText(t, text)
		for _, in := range keywordTexts {
			agree(t, text, s, []byte(in))
		}
	}
	for _, text := range keywordSchemas[len(keywordSchemas)-10:] {
		if ok, why := compileText(t, text).Fast(); ok || why == "" {
			t.Errorf("%s: the program cannot know this (%q)", text, why)
		}
	}
}

// TestV5HasNoOtherKeywords: a field that v5's Schema gains must be looked at here
// before the program may pass over it.
func TestV5HasNoOtherKeywords(t *testing.T) {
	known := strings.Fields(`Location Draft Format Always Ref RecursiveAnchor RecursiveRef DynamicAnchor DynamicRef Types Constant Enum Not AllOf AnyOf OneOf If Then Else
		MinProperties MaxProperties Required Properties PropertyNames RegexProperties PatternProperties AdditionalProperties Dependencies DependentRequired DependentSchemas UnevaluatedProperties
		MinItems MaxItems UniqueItems Items AdditionalItems PrefixItems Items2020 Contains ContainsEval MinContains MaxContains UnevaluatedItems
		MinLength MaxLength Pattern ContentEncoding ContentMediaType ContentSchema Minimum ExclusiveMinimum Maximum ExclusiveMaximum MultipleOf
		Title Description Default Comment ReadOnly WriteOnly Examples Deprecated Extensions`)
	typ := reflect.TypeFor[v5.Schema]()
	for i := range typ.NumField() {
		if f := typ.Field(i); f.IsExported() && !slices.Contains(known, f.Name) {
			t.Errorf("v5.Schema has a field %s that the program ignores", f.Name)
		}
	}
}

func TestViolations(t *testing.T) {
	s := compileText(t, `{"type":"object","required":["a","b"],"properties":{"a":{"type":["string","null"]},"n":{"type":"integer","minimum":1},"k/~":{"enum":["x","y"]},"列":{"items":{"type":"object","required":["id"],"properties":{"id":{"minLength":1}}}},"t":{"anyOf":[{"format":"date-time"},{"maxLength":0}]}}}`)
	d := parse(`{"n": 0, "a": 1, "k/~": "zzz", "列": [{"id": ""}, {}], "t": "soon"}`)
	var have []string
	for _, v := range s.Check(d, 0) {
		have = append(have, fmt.Sprintf("%d %s %s have %s want %s", d.Nodes[v.Node].Start, v.Pointer, v.Keyword, v.Have, v.Want))
	}
	want := []string{
		`0  required have  want "b"`, `6 /n minimum have 0 want at least 1`, `14 /a type have 1 want string or null`, `24 /k~1~0 enum have "zzz" want one of x, y`,
		`46 /列/0/id minLength have "" want at least 1 characters`, `51 /列/1 required have  want "id"`, `61 /t anyOf have  want format date-time, or maxLength an empty string`,
	}
	if !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	// A value inside a larger text.
	d = parse(`[0, {"a": "x", "b": 1, "n": 0}]`)
	if vs := s.Check(d, d.Find("/1")); len(vs) != 1 || vs[0].Pointer != "/1/n" {
		t.Errorf("violations %+v", vs)
	}
}

func TestCompileFaults(t *testing.T) {
	set := NewSet()
	if err := set.Add("https://x/s.json", []byte(`{"type"`)); err == nil {
		t.Error("broken text is taken")
	}
	set = NewSet()
	if err := set.Add("https://x/s.json", []byte(`{"$ref":"https://elsewhere/x.json"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Compile("https://x/s.json"); err == nil || !strings.Contains(err.Error(), "not among those given") {
		t.Errorf("a schema from elsewhere: %v", err)
	}
	set = NewSet()
	if err := set.Add("https://x/s.json", []byte(`{"type":"strin"}`)); err == nil {
		if _, err := set.Compile("https://x/s.json"); err == nil {
			t.Error("a type that does not exist is taken")
		}
	}
}

// FuzzAgree: the program and v5 never disagree, whatever the text.
func FuzzAgree(f *testing.F) {
	schemas, examples := published(f)
	files := make([]string, 0, len(schemas))
	for name := range schemas {
		files = append(files, name)
	}
	slices.Sort(files)
	all := make([]*Schema, 0, len(files)+len(keywordSchemas))
	for i, name := range files {
		all = append(all, schemas[name])
		for _, ex := range examples[name] {
			f.Add(uint(i), []byte(ex))
		}
	}
	for _, text := range keywordSchemas {
		all = append(all, compileText(f, text))
	}
	for i, text := range keywordTexts {
		f.Add(uint(len(files)+i), []byte(text))
	}
	f.Fuzz(func(t *testing.T, i uint, text []byte) {
		agree(t, fmt.Sprint("schema ", i%uint(len(all))), all[i%uint(len(all))], text)
	})
}

func BenchmarkValid(b *testing.B) {
	schemas, examples := published(b)
	for _, k := range []string{"event", "export", "claim", "node"} {
		f := "../../schema/v0.1.0/" + k + ".schema.json"
		s, text := schemas[f], examples[f][0]
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			b.Fatal(err)
		}
		var d Doc
		b.Run(k, func(b *testing.B) {
			b.SetBytes(int64(compact.Len()))
			b.ReportAllocs()
			for b.Loop() {
				d.Parse(compact.Bytes())
				if !s.Valid(&d, 0) {
					b.Fatal("not valid")
				}
			}
		})
		b.Run(k+"/v5", func(b *testing.B) {
			b.SetBytes(int64(compact.Len()))
			b.ReportAllocs()
			for b.Loop() {
				d.Parse(compact.Bytes())
				if s.slow(&d, 0) != nil {
					b.Fatal("not valid")
				}
			}
		})
	}
}
