package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"

	"membench/internal/jsonschema"
	"membench/schema"
)

// contract is the published schema of one kind and version, compiled.
type contract struct {
	schema *jsonschema.Schema
	warn   *jsonschema.Schema // the part narrowed by x-warn; nil if nothing is
	both   *jsonschema.Schema // schema and warn in one pass, for a quick yes; nil where warn is
}

// contracts holds the contract of each kind of a version. It is compiled at its first use: most runs meet one kind of one version.
var contracts = func() map[schema.Version]map[schema.Kind]func() contract {
	out := map[schema.Version]map[schema.Kind]func() contract{}
	for _, v := range schema.Versions() {
		out[v] = map[schema.Kind]func() contract{}
		for _, k := range schema.Kinds(v) {
			out[v][k] = sync.OnceValue(func() contract { return mustCompile(k, v) })
		}
	}
	return out
}()

func mustCompile(k schema.Kind, v schema.Version) contract {
	c, err := compile(k, v)
	if err != nil {
		panic(err) // unreachable unless an embedded schema is broken; a test compiles all
	}
	return c
}

func compile(k schema.Kind, v schema.Version) (c contract, err error) {
	url := schema.SchemaURL(k, v)
	text, err := schema.JSONSchema(k, v)
	if err != nil {
		return c, err
	}
	set := jsonschema.NewSet()
	compiled := func(url string, text []byte) (*jsonschema.Schema, error) {
		if err := set.Add(url, text); err != nil {
			return nil, err
		}
		return set.Compile(url)
	}
	for _, other := range schema.Kinds(v) { // that the text refers to
		to := schema.SchemaURL(other, v)
		if other == k || !bytes.Contains(text, []byte(strconv.Quote(path.Base(to)))) {
			continue
		}
		text, err := schema.JSONSchema(other, v)
		if err == nil {
			err = set.Add(to, text)
		}
		if err != nil {
			return c, err
		}
	}
	if c.schema, err = compiled(url, text); err != nil {
		return c, err
	}
	narrow, err := narrowed(text)
	if err != nil {
		return c, fmt.Errorf("schema %s %s: %w", k, v, err)
	}
	if narrow == nil {
		return c, nil
	}
	if c.warn, err = compiled(url+"?x-warn", narrow); err != nil {
		return c, err
	}
	both, err := joined(text)
	if err == nil {
		c.both, err = compiled(url+"?both", both)
	}
	return c, err
}

// narrowed returns the schema that holds only x-warn: the documented values, if the schema itself accepts more because existing data has more. nil without any
// x-warn.
func narrowed(text []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	n := narrow(doc)
	if n == nil {
		return nil, nil
	}
	n["$schema"] = doc["$schema"]
	return json.Marshal(n)
}

// joined is the schema with each x-warn made a part of it.
func joined(text []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	delete(doc, "$id")
	delete(doc, "examples")
	join(doc)
	return json.Marshal(doc)
}

func join(doc map[string]any) {
	if w, ok := doc["x-warn"]; ok {
		delete(doc, "x-warn")
		all, _ := doc["allOf"].([]any)
		doc["allOf"] = append(all, w)
	}
	if props, ok := doc["properties"].(map[string]any); ok {
		for _, p := range props {
			if p, ok := p.(map[string]any); ok {
				join(p)
			}
		}
	}
	if items, ok := doc["items"].(map[string]any); ok {
		join(items)
	}
}

func narrow(doc map[string]any) map[string]any {
	out := map[string]any{}
	if w, ok := doc["x-warn"].(map[string]any); ok {
		maps.Copy(out, w)
	}
	if props, ok := doc["properties"].(map[string]any); ok {
		inner := map[string]any{}
		for name, p := range props {
			if p, ok := p.(map[string]any); ok {
				if n := narrow(p); n != nil {
					inner[name] = n
				}
			}
		}
		if len(inner) > 0 {
			out["properties"] = inner
		}
	}
	if items, ok := doc["items"].(map[string]any); ok {
		if n := narrow(items); n != nil {
			out["items"] = n
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// schemaCode is the finding code of a keyword.
func schemaCode(keyword string) string {
	switch keyword {
	case "type":
		return "SCH001"
	case "required", "dependentRequired":
		return "SCH002"
	case "enum", "const":
		return "SCH003"
	case "pattern":
		return "SCH004"
	case "format":
		return "SCH005"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems":
		return "SCH006"
	}
	return "SCH007"
}

func schemaMessage(code string) string {
	info, _ := schema.Code(code)
	return strings.TrimSpace(info.Meaning)
}

// checkSchema reports violations of the contract of kind k by the value at node i.
func (w *worker) checkSchema(k schema.Kind, i int) {
	c := w.contracts[k]()
	if c.both != nil && c.both.ValidFast(&w.doc, i) {
		return
	}
	vs := c.schema.Check(&w.doc, i)
	for _, v := range vs {
		code := schemaCode(v.Keyword)
		w.report(schema.Finding{Pos: w.pos(v.Node), Pointer: v.Pointer, Code: code, Message: schemaMessage(code), Have: v.Have, Want: v.Want})
	}
	if c.warn == nil {
		return
	}
	last := -1
next:
	for _, v := range c.warn.Check(&w.doc, i) {
		if v.Node == last && v.Keyword != "required" {
			continue // one warning a value
		}
		for _, e := range vs {
			if e.Node == v.Node && e.Keyword != "required" {
				continue next // the error already reports it
			}
		}
		last = v.Node
		w.report(schema.Finding{Pos: w.pos(v.Node), Pointer: v.Pointer, Code: "SCH020", Message: "accepted, but not in the documented format", Have: v.Have, Want: v.Want, Warning: true})
	}
}
