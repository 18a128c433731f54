package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"membench/internal/jsonschema"
	"membench/schema"
)

// keywords are those that our schemas may use. A misspelt one would be accepted
// silently by every JSON Schema library.
var keywords = []string{"$schema", "$id", "$ref", "title", "description", "type", "enum", "const", "properties", "required", "items", "additionalProperties",
	"minimum", "maximum", "minLength", "maxLength", "minItems", "pattern", "format", "anyOf", "x-warn", "examples"}

var formats = []string{"date-time", "uuid"}

func schemaDoc(t *testing.T, k schema.Kind, v schema.Version) map[string]any {
	t.Helper()
	text, err := schema.JSONSchema(k, v)
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%s %s: %v", k, v, err)
	}
	return d
}

func eachSchema(t *testing.T, f func(t *testing.T, k schema.Kind, v schema.Version, doc map[string]any)) {
	for _, v := range schema.Versions() {
		for _, k := range schema.Kinds(v) {
			t.Run(string(v)+"/"+string(k), func(t *testing.T) { f(t, k, v, schemaDoc(t, k, v)) })
		}
	}
}

func TestSchemasAreStrict(t *testing.T) {
	eachSchema(t, func(t *testing.T, k schema.Kind, v schema.Version, doc map[string]any) {
		if doc["$id"] != schema.SchemaURL(k, v) || doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("$id %v, $schema %v", doc["$id"], doc["$schema"])
		}
		if doc["title"] == nil {
			t.Error("no title")
		}
		strict(t, "", doc, false)
	})
}

// strict walks a schema as the meta-schema would, and refuses what that ignores.
func strict(t *testing.T, at string, s map[string]any, nameless bool) {
	t.Helper()
	for k, v := range s {
		if !slices.Contains(keywords, k) {
			t.Errorf("%s: unknown keyword %q", at, k)
		}
		okType := true
		switch k {
		case "properties":
			for name, p := range v.(map[string]any) {
				strict(t, at+"/"+name, p.(map[string]any), nameless)
			}
		case "items", "additionalProperties":
			strict(t, at+"/"+k, v.(map[string]any), false)
		case "x-warn":
			strict(t, at+"/"+k, v.(map[string]any), true)
		case "anyOf":
			for i, p := range v.([]any) {
				strict(t, fmt.Sprintf("%s/%s/%d", at, k, i), p.(map[string]any), true)
			}
		case "type":
			types, ok := v.([]any)
			if !ok {
				types = []any{v}
			}
			for _, x := range types {
				if !slices.Contains([]any{"null", "boolean", "integer", "number", "string", "array", "object"}, x) {
					t.Errorf("%s: type %v", at, x)
				}
			}
		case "format":
			if !slices.Contains(formats, v.(string)) {
				t.Errorf("%s: format %v is not asserted by everybody", at, v)
			}
		case "pattern":
			_, err := regexp.Compile(v.(string))
			okType = err == nil
		case "required", "enum", "examples":
			_, okType = v.([]any)
		case "minimum", "maximum", "minLength", "maxLength", "minItems":
			_, okType = v.(float64)
		}
		if !okType {
			t.Errorf("%s: bad value of %s: %v", at, k, v)
		}
	}
	if s["description"] == nil && !nameless {
		if _, isEnumItem := s["enum"]; !isEnumItem || at == "" {
			t.Errorf("%s: no description", at)
		}
	}
	props, _ := s["properties"].(map[string]any)
	for _, r := range list(s["required"]) {
		if _, ok := props[r]; !ok && props != nil && !nameless {
			t.Errorf("%s: requires %q, which it does not describe", at, r)
		}
	}
}

func list(v any) (out []string) {
	xs, _ := v.([]any)
	for _, x := range xs {
		out = append(out, x.(string))
	}
	return out
}

// Every kind has a Go type; the free-form objects inside have one too.
var goTypes = map[schema.Kind]any{
	schema.KindEvent: schema.Event{}, schema.KindExport: schema.MemoryExport{}, schema.KindClaim: schema.Claim{}, schema.KindEntity: schema.Entity{},
	schema.KindNode: schema.Node{}, schema.KindEdge: schema.Edge{}, schema.KindChange: schema.Change{}, schema.KindEventAnchor: schema.EventRef{},
	schema.KindSpanAnchor: schema.Span{}, schema.KindProbeAnchor: schema.ProbeAnchor{}, schema.KindIndex: []schema.IndexEntry{},
	schema.KindProbe: schema.ProbeResult{}, schema.KindCase: schema.Case{}, schema.KindQA: schema.QARecord{}, schema.KindSession: schema.SessionRecord{}, schema.KindContext: schema.ShownContext{}, schema.KindSummary: schema.Summary{},
	schema.KindManifest: schema.Manifest{},
	// KindMeta is written by compile-claims, which has its own type and test.
}

var objects = map[string]any{"event/meta": schema.EventMeta{}, "export/payload": schema.PayloadFields{}}

func TestGoTypesAreTheNewestSchemas(t *testing.T) {
	for _, k := range schema.Kinds(schema.Latest) {
		v, ok := goTypes[k]
		if !ok {
			continue
		}
		t.Run(string(k), func(t *testing.T) {
			same(t, string(k), reflect.TypeOf(v), schemaDoc(t, k, schema.Latest))
		})
	}
}

// same compares the members of a Go type with the properties of a schema, both ways,
// and the JSON type of each.
func same(t *testing.T, at string, typ reflect.Type, s map[string]any) {
	t.Helper()
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if o, ok := objects[at]; ok {
		typ = reflect.TypeOf(o)
	} else if typ == reflect.TypeFor[schema.Object]() || typ == reflect.TypeFor[schema.Element]() || typ.Kind() == reflect.Map {
		return
	}
	switch typ.Kind() {
	case reflect.Slice:
		items, ok := s["items"].(map[string]any)
		if !ok {
			t.Errorf("%s: a list in Go, no items in the schema", at)
			return
		}
		same(t, at+"[]", typ.Elem(), items)
		return
	case reflect.Struct:
	default:
		want := map[reflect.Kind]string{reflect.String: "string", reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "boolean"}[typ.Kind()]
		have := fmt.Sprint(s["type"])
		if s["const"] != nil {
			have = "string"
		}
		if !strings.Contains(have, want) {
			t.Errorf("%s: Go has %s, the schema %s", at, want, have)
		}
		return
	}
	props, _ := s["properties"].(map[string]any)
	required := list(s["required"])
	seen := map[string]bool{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if opts == "embed" || name == "-" { // "-" is never written
			continue
		}
		seen[name] = true
		p, ok := props[name].(map[string]any)
		if !ok {
			t.Errorf("%s: Go writes %q, the schema does not know it", at, name)
			continue
		}
		always := opts == ""
		if _, free := objects[at]; !free && always != slices.Contains(required, name) && always {
			t.Errorf("%s: Go always writes %q, the schema does not require it", at, name)
		}
		if !always && slices.Contains(required, name) {
			if _, free := objects[at]; !free {
				t.Errorf("%s: Go may leave out %q, which the schema requires", at, name)
			}
		}
		same(t, at+"/"+name, f.Type, p)
	}
	for name := range props {
		if !seen[name] {
			t.Errorf("%s: the schema has %q, Go does not", at, name)
		}
	}
}

// properties lists every described member as a path.
func properties(at string, s map[string]any, out *[]string) {
	props, _ := s["properties"].(map[string]any)
	for name, p := range props {
		*out = append(*out, at+"/"+name)
		properties(at+"/"+name, p.(map[string]any), out)
	}
	if items, ok := s["items"].(map[string]any); ok {
		properties(at+"[]", items, out)
	}
}

// TestAtIsTheOlderSchemas fills every member of a record, projects it to 0.0.1 and
// wants exactly the members that the schemas of 0.0.1 describe.
func TestAtIsTheOlderSchemas(t *testing.T) {
	one := 1
	meta, err := schema.NewObject(fill(schema.EventMeta{}))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := schema.NewObject(fill(schema.PayloadFields{}))
	if err != nil {
		t.Fatal(err)
	}
	event := fill(schema.Event{}).(schema.Event)
	event.Meta = meta
	export := fill(schema.MemoryExport{}).(schema.MemoryExport)
	export.Payload = payload
	claim := fill(schema.Claim{}).(schema.Claim)
	claim.Rank = &one
	for k, rec := range map[schema.Kind]any{
		schema.KindEvent: event.At(schema.V001), schema.KindExport: export.At(schema.V001), schema.KindClaim: claim.At(schema.V001),
		schema.KindEntity: fill(schema.Entity{}).(schema.Entity).At(schema.V001), schema.KindNode: fill(schema.Node{}).(schema.Node).At(schema.V001), schema.KindEdge: fill(schema.Edge{}).(schema.Edge).At(schema.V001),
	} {
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		var have map[string]any
		if err := json.Unmarshal(b, &have); err != nil {
			t.Fatal(err)
		}
		var wantPaths, havePaths []string
		properties("", schemaDoc(t, k, schema.V001), &wantPaths)
		members("", have, &havePaths)
		havePaths = slices.DeleteFunc(havePaths, func(s string) bool {
			return strings.HasPrefix(s, "/props/") || s == "/Extra" || strings.HasSuffix(s, "/Extra")
		})
		sort.Strings(wantPaths)
		sort.Strings(havePaths)
		if !slices.Equal(wantPaths, havePaths) {
			t.Errorf("%s: At(0.0.1) writes\n%v\nthe schema of 0.0.1 has\n%v", k, havePaths, wantPaths)
		}
	}
}

func members(at string, m map[string]any, out *[]string) {
	for name, v := range m {
		*out = append(*out, at+"/"+name)
		switch v := v.(type) {
		case map[string]any:
			members(at+"/"+name, v, out)
		case []any:
			if len(v) > 0 {
				if o, ok := v[0].(map[string]any); ok {
					members(at+"/"+name+"[]", o, out)
				}
			}
		}
	}
}

// fill sets every field to something that is written.
func fill(v any) any {
	p := reflect.New(reflect.TypeOf(v))
	fillValue(p.Elem())
	return p.Elem().Interface()
}

func fillValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fillValue(v.Index(0))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[schema.Object]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && v.Type().Field(i).Name != "Extra" {
				fillValue(f)
			}
		}
	}
}

// TestExamplesAreValid checks the examples that the schemas show.
func TestExamplesAreValid(t *testing.T) {
	for _, v := range schema.Versions() {
		set := jsonschema.NewSet()
		for _, k := range schema.Kinds(v) {
			text, err := schema.JSONSchema(k, v)
			if err != nil {
				t.Fatal(err)
			}
			if err := set.Add(schema.SchemaURL(k, v), text); err != nil {
				t.Fatal(err)
			}
		}
		for _, k := range schema.Kinds(v) {
			s, err := set.Compile(schema.SchemaURL(k, v))
			if err != nil {
				t.Fatal(err)
			}
			if fast, why := s.Fast(); !fast {
				t.Errorf("%s %s does not run without v5: %s", k, v, why)
			}
			examples, _ := schemaDoc(t, k, v)["examples"].([]any)
			if len(examples) == 0 {
				t.Errorf("%s %s: no examples", k, v)
			}
			for i, x := range examples {
				b, err := json.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				var d jsonschema.Doc
				d.Parse(b)
				for _, viol := range s.Check(&d, 0) {
					t.Errorf("%s %s example %d: %+v", k, v, i, viol)
				}
				if len(s.Check(&d, 0)) == 0 && !s.ValidFast(&d, 0) {
					t.Errorf("%s %s example %d: valid, but not by the fast path", k, v, i)
				}
			}
		}
	}
}

// TestCodesAreListed finds every finding code in the sources and wants it in the table.
func TestCodesAreListed(t *testing.T) {
	form := regexp.MustCompile(`^(JSON|SCH|ID|EVT|SRC|MEM|CHT|CLM|GRF|LNK|MAN|CYP|BLD|LLM|MIG|EVL|PUB|DST|SVC)\d{3}$`)
	last := ""
	for _, c := range schema.Codes() {
		if !form.MatchString(c.Code) || c.Code <= last {
			t.Errorf("code %q after %q: want three digits after a known prefix, sorted, once", c.Code, last)
		}
		if c.Meaning == "" || c.Do == "" {
			t.Errorf("%s: no meaning or advice", c.Code)
		}
		last = c.Code
	}
	used := regexp.MustCompile(`"((?:JSON|SCH|ID|EVT|SRC|MEM|CHT|CLM|GRF|LNK|MAN|DST|SVC)\d{3})"`)
	missing := map[string]string{}
	err := filepath.WalkDir("..", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range used.FindAllSubmatch(src, -1) {
			if _, ok := schema.Code(string(m[1])); !ok {
				missing[string(m[1])] = name
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for code, name := range missing {
		t.Errorf("%s uses %s, which schema.Codes does not list", name, code)
	}
}

// TestSchemaFilesAreFormatted keeps the published files as this project writes JSON.
func TestSchemaFilesAreFormatted(t *testing.T) {
	files, err := filepath.Glob("v*/*.schema.json")
	if changed := 2; err != nil || len(files) != len(schema.Kinds(schema.V001))+len(schema.Kinds(schema.V010))+changed {
		t.Fatalf("%d schema files (%v), want one per kind of 0.0.1 and 0.1.0, and those that 0.2.0 changed", len(files), err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, bytes.TrimSpace(b), "", "  "); err != nil || out.String()+"\n" != string(b) {
			t.Errorf("%s is not indented by two (%v)", name, err)
		}
	}
}
