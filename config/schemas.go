package config

import (
	"embed"
	"strings"
)

//go:embed schemas/*.schema.json
var schemas embed.FS

// FileSchemas are the names of the files that people write and that have a JSON Schema,
// for editors: membench.yaml, eval.yaml, a catalogue, the spec of a service.
func FileSchemas() []string { return []string{"membench", "eval", "catalog", "service"} }

// FileSchema is the JSON Schema of a kind of file, by its name with or without ".yaml";
// ok is false when there is none. tools/yamlschema makes it of the types that read the
// file.
func FileSchema(name string) (text []byte, ok bool) {
	text, err := schemas.ReadFile("schemas/" + strings.TrimSuffix(name, ".yaml") + ".schema.json")
	return text, err == nil
}
