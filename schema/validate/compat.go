package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"membench/internal/smallfile"
	"membench/schema"
)

// A SchemaChange is one difference between two versions of a contract.
type SchemaChange struct {
	Kind    schema.Kind `json:"kind"`
	Pointer string      `json:"pointer,omitzero"` // to the property, with * for elements
	What    string      `json:"what"`
	Breaks  string      `json:"breaks"` // "", readers, writers, both
}

// Breaking is the words of Breaks.
const (
	BreaksNothing = ""
	BreaksReaders = "readers" // a program that reads the old version cannot read all of the new
	BreaksWriters = "writers" // output of programs of the old version is not always valid in the new one
	BreaksBoth    = "both"
)

// Compare lists the differences between two sets of schemas, by kind and property. It knows each keyword of this project's schemas; a difference in any other
// keyword breaks both sides.
func Compare(old, new map[schema.Kind][]byte) ([]SchemaChange, error) {
	kinds := map[schema.Kind][]byte{}
	maps.Copy(kinds, old)
	maps.Copy(kinds, new)
	var out []SchemaChange
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		c := comparison{kind: k}
		a, inOld := old[k]
		b, inNew := new[k]
		switch {
		case !inOld:
			c.add("", "kind added", BreaksNothing)
		case !inNew:
			c.add("", "kind removed", BreaksBoth)
		default:
			x, err := decodeSchema(a)
			if err != nil {
				return nil, fmt.Errorf("old schema of %s: %w", k, err)
			}
			y, err := decodeSchema(b)
			if err != nil {
				return nil, fmt.Errorf("new schema of %s: %w", k, err)
			}
			c.schemas("", x, y)
		}
		out = append(out, c.out...)
	}
	return out, nil
}

func decodeSchema(text []byte) (map[string]any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var m map[string]any
	err := dec.Decode(&m)
	return m, err
}

type comparison struct {
	kind schema.Kind
	out  []SchemaChange
}

func (c *comparison) add(pointer, what, breaks string) {
	c.out = append(c.out, SchemaChange{c.kind, pointer, what, breaks})
}

// words say nothing about which data is valid.
var words = []string{"$schema", "$id", "title", "description", "examples", "default", "$comment", "x-warn", "deprecated"}

func (c *comparison) schemas(at string, a, b map[string]any) {
	c.types(at, a["type"], b["type"])
	c.required(at, strs(a["required"]), strs(b["required"]))
	c.enum(at, a, b)
	pa, _ := a["properties"].(map[string]any)
	pb, _ := b["properties"].(map[string]any)
	for _, name := range union(pa, pb) {
		p := at + "/" + name
		x, inOld := pa[name].(map[string]any)
		y, inNew := pb[name].(map[string]any)
		switch {
		case !inOld:
			if slices.Contains(strs(b["required"]), name) {
				continue // said as required
			}
			c.add(p, "optional member added", BreaksNothing)
		case !inNew:
			if slices.Contains(strs(a["required"]), name) {
				continue
			}
			c.add(p, "optional member no longer described", BreaksNothing)
		default:
			c.schemas(p, x, y)
		}
	}
	ia, okA := a["items"].(map[string]any)
	ib, okB := b["items"].(map[string]any)
	switch {
	case okA && okB:
		c.schemas(at+"/*", ia, ib)
	case okA != okB:
		c.presence(at+"/*", "items", okA)
	}
	for _, kw := range []string{"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"} {
		c.bound(at, kw, a[kw], b[kw], 1)
	}
	for _, kw := range []string{"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"} {
		c.bound(at, kw, a[kw], b[kw], -1)
	}
	done := append([]string{"type", "required", "enum", "const", "properties", "items", "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties",
		"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}, words...)
	for _, kw := range union(a, b) {
		if slices.Contains(done, kw) {
			continue
		}
		x, inOld := a[kw]
		y, inNew := b[kw]
		switch {
		case inOld != inNew && kw != "$ref":
			c.presence(at, kw, inOld)
		case jsonText(x) != jsonText(y):
			c.add(at, kw+" changed from "+short(x)+" to "+short(y), BreaksBoth)
		}
	}
}

// presence reports a constraint that only one side has.
func (c *comparison) presence(at, kw string, inOld bool) {
	if inOld {
		c.add(at, kw+" dropped: more is valid", BreaksReaders)
	} else {
		c.add(at, kw+" added: less is valid", BreaksWriters)
	}
}

func (c *comparison) types(at string, a, b any) {
	x, y := typeSet(a), typeSet(b)
	switch {
	case a == nil && b == nil:
	case a == nil || b == nil:
		c.presence(at, "type", b == nil)
	default:
		has := func(list []string, t string) bool {
			return slices.Contains(list, t) || t == "integer" && slices.Contains(list, "number")
		}
		c.values(at, x, y, has)
	}
}

// values reports what only one of two lists allows.
func (c *comparison) values(at string, a, b []string, has func([]string, string) bool) {
	except := func(in, other []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(in), func(s string) bool { return has(other, s) }), ", ")
	}
	if more := except(b, a); more != "" {
		c.add(at, "may also be "+more, BreaksReaders)
	}
	if less := except(a, b); less != "" {
		c.add(at, "may no longer be "+less, BreaksWriters)
	}
}

func typeSet(v any) []string {
	if s, ok := v.(string); ok {
		return []string{s}
	}
	return strs(v)
}

func (c *comparison) required(at string, a, b []string) {
	for _, name := range b {
		if !slices.Contains(a, name) {
			c.add(at+"/"+name, "is required now", BreaksWriters)
		}
	}
	for _, name := range a {
		if !slices.Contains(b, name) {
			c.add(at+"/"+name, "is no longer required", BreaksReaders)
		}
	}
}

func (c *comparison) enum(at string, a, b map[string]any) {
	values := func(m map[string]any) []string {
		list, ok := m["enum"].([]any)
		if v, isConst := m["const"]; isConst {
			list, ok = []any{v}, true
		}
		if !ok {
			return nil
		}
		out := []string{}
		for _, v := range list {
			out = append(out, jsonText(v))
		}
		return out
	}
	x, y := values(a), values(b)
	switch {
	case x == nil && y == nil:
	case x == nil || y == nil:
		c.presence(at, "enum", y == nil)
	default:
		c.values(at, x, y, slices.Contains[[]string])
	}
}

func (c *comparison) bound(at, kw string, a, b any, sign int) {
	x, okX := number(a)
	y, okY := number(b)
	switch {
	case !okX && !okY:
	case okX != okY:
		c.presence(at, kw, okX)
	case x != y:
		what, breaks := fmt.Sprintf("%s changed from %v to %v", kw, a, b), BreaksReaders
		if (y > x) == (sign > 0) {
			breaks = BreaksWriters
		}
		c.add(at, what, breaks)
	}
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func strs(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func union(a, b map[string]any) []string {
	both := map[string]any{}
	maps.Copy(both, a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

func jsonText(v any) string {
	b, err := json.Marshal(v) // maps come out sorted
	if err != nil {
		return err.Error() // unreachable: v was read from JSON
	}
	return string(b)
}

func short(v any) string {
	s := jsonText(v)
	if len(s) > 60 {
		return s[:57] + "…"
	}
	return s
}

// Schemas reads the schemas of a published version, or of a folder with *.schema.json.
func Schemas(name string) (map[schema.Kind][]byte, error) {
	out := map[schema.Kind][]byte{}
	if v, err := schema.ParseVersion(name); err == nil {
		for _, k := range schema.Kinds(v) {
			text, err := schema.JSONSchema(k, v)
			if err != nil {
				return nil, err
			}
			out[k] = text
		}
		return out, nil
	}
	files, err := filepath.Glob(filepath.Join(name, "*.schema.json"))
	if err != nil || len(files) == 0 {
		return nil, schema.Usagef("%s is neither a published version %v nor a folder with *.schema.json files", name, schema.Versions())
	}
	for _, f := range files {
		text, err := smallfile.Read(f)
		if err != nil {
			return nil, err
		}
		out[schema.Kind(strings.TrimSuffix(filepath.Base(f), ".schema.json"))] = text
	}
	return out, nil
}

// Breaks counts the changes that break readers, and those that break writers.
func Breaks(changes []SchemaChange) (readers, writers int) {
	for _, c := range changes {
		if c.Breaks == BreaksReaders || c.Breaks == BreaksBoth {
			readers++
		}
		if c.Breaks == BreaksWriters || c.Breaks == BreaksBoth {
			writers++
		}
	}
	return readers, writers
}

// String is the change in a line for people.
func (c SchemaChange) String() string {
	breaks, at := "fine", string(c.Kind)
	if c.Breaks != "" {
		breaks = "breaks " + c.Breaks
	}
	if c.Pointer != "" {
		at += " " + c.Pointer
	}
	return fmt.Sprintf("%-14s  %s: %s", breaks, at, c.What)
}
