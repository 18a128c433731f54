package config

import (
	"embed"
	"strings"
)

//go:embed schemas/*.schema.json
var schemas embed.FS

// FileSchemas lists the YAML files with a published JSON Schema for editors: membench.yaml, eval.yaml, a catalogue, the spec of a service.
func FileSchemas() []string { return []string{"membench", "eval", "catalog", "service"} }

// FileSchema returns the JSON Schema of a kind of file, by its name with or without ".yaml"; ok is false if there is none. tools/yamlschema generates it from
// the types that read the file.
func FileSchema(name string) (text []byte, ok bool) {
	text, err := schemas.ReadFile("schemas/" + strings.TrimSuffix(name, ".yaml") + ".schema.json")
	return text, err == nil
}
