package jsonl_test

import (
	"errors"
	"fmt"
	"strings"

	"membench/schema"
	"membench/schema/jsonl"
)

// A line that cannot be read is a finding with its place; the lines after it are read.
func ExampleDecode() {
	text := `{"id": "topic:tea", "labels": ["Topic"], "props": {}}` + "\nnope\n" + `{"id": "topic:bees", "labels": ["Topic"], "props": {}}` + "\n"
	for rec, err := range jsonl.Decode[schema.Node](strings.NewReader(text), "nodes.jsonl") {
		var f *schema.Finding
		switch {
		case errors.As(err, &f):
			fmt.Printf("%s:%d: %s\n", f.Pos.File, f.Pos.Line, f.Code)
		case err != nil:
			panic(err)
		default:
			fmt.Println(rec.V.ID)
		}
	}
	// Output:
	// topic:tea
	// nodes.jsonl:2: JSON001
	// topic:bees
}
