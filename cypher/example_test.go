package cypher_test

import (
	"fmt"
	"strings"

	"membench/cypher"
	"membench/schema"
	"membench/schema/jsonl"
)

// Script gives the statements of a graph to a driver of one's own.
func ExampleScript() {
	text := `{"id": "topic:tea", "labels": ["Topic"], "props": {"name": "tea"}}` + "\n"
	for st, err := range cypher.Script(jsonl.Decode[schema.Element](strings.NewReader(text), "nodes.jsonl"), "mine") {
		if err != nil {
			panic(err)
		}
		if st.File == cypher.NodesFile {
			fmt.Println(strings.Contains(st.Text, "topic:tea"), strings.Contains(st.Text, "UNWIND"))
		}
	}
	// Output:
	// true true
}
