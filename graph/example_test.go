package graph_test

import (
	"fmt"
	"strings"

	"membench/graph"
	"membench/schema"
	"membench/schema/jsonl"
)

// Two graphs, sorted by Compare, are compared by meaning: the order of members does not count.
func ExampleDiff() {
	read := func(text string) schema.Seq[schema.Element] {
		return jsonl.Decode[schema.Element](strings.NewReader(text), "nodes.jsonl")
	}
	before := read(`{"id": "topic:bees", "labels": ["Topic"], "props": {"name": "bees", "n": 1}}` + "\n" + `{"id": "topic:tea", "labels": ["Topic"], "props": {"name": "tea"}}` + "\n")
	after := read(`{"labels": ["Topic"], "props": {"n": 1, "name": "bees"}, "id": "topic:bees"}` + "\n" + `{"id": "topic:tea", "labels": ["Topic"], "props": {"name": "green tea"}}` + "\n")
	for change, err := range graph.Diff(before, after) {
		if err != nil {
			panic(err)
		}
		for _, f := range graph.Fields(change.Old, change.New) {
			fmt.Println(change.Op, change.New.ID(), f.Name, string(f.Old), string(f.New))
		}
	}
	// Output:
	// put topic:tea props.name "tea" "green tea"
}
