package spark_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"testing"

	"membench/internal/exttest"
	"membench/schema"
)

const roundTrip = `
import json, sys
import membench_parquet as m
for kind in json.load(sys.stdin):
    kinds = m.columns(kind["schema"])
    for line in kind["lines"]:
        line = line.encode("utf-8", "surrogateescape")
        for comma, colon in ((", ", ": "), (",", ":")):
            cells = m.row(line, kinds, comma, colon)
            back = m.build(cells, kinds, comma, colon).encode() if cells[m.LINE] is None else cells[m.LINE]
            assert back == line, (line, back)
    print(kind["kind"], len(kinds), sum(m.row(l.encode(), kinds, ", ", ": ")[m.LINE] is None for l in kind["lines"]))
`

// TestParquetColumns: every published kind has columns, and every line comes back from them
// byte for byte; those that our writers write come back from columns alone.
func TestParquetColumns(t *testing.T) {
	python := exttest.Spark(t)
	type kind struct {
		Kind   schema.Kind     `json:"kind"`
		Schema json.RawMessage `json:"schema"`
		Lines  []string        `json:"lines"`
	}
	var in []kind
	for _, k := range schema.Kinds(schema.Latest) {
		text, err := schema.JSONSchema(k, schema.Latest)
		if err != nil {
			t.Fatal(err)
		}
		if k == schema.KindIndex { // a list
			continue
		}
		in = append(in, kind{k, text, []string{"", "[]", "{}", `{"a": 1.50, "a": 2}`, `{"id": "x", "x": "\ud800"}`, `{ "id":"x"}`, `{"turn_id": 1e2}`, `{"turn_id": 99999999999999999999}`, `{"conv_id": null}`}})
	}
	for i := range in {
		switch in[i].Kind {
		case schema.KindEvent:
			in[i].Lines = append(in[i].Lines, `{"scene_id": "s", "character_id": "c", "conv_id": "李\t", "turn_id": 1, "role_type": "human", "role_name": "n", "content": "hi \u0001", "tags": ["episodic"], "meta": {"a": 1.50}}`)
		case schema.KindNode:
			in[i].Lines = append(in[i].Lines, `{"id": "a", "labels": ["A", "B"], "props": {"x": 1e5, "y": null}}`)
		}
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(python, "-B", "-c", roundTrip)
	c.Stdin = bytes.NewReader(text)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"\nnode 3 2\n", "event 9 2\n"} { // "{}" and the line of our writers
		if !bytes.Contains(append([]byte("\n"), out...), []byte(want)) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
}
