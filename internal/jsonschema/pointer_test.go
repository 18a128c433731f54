package jsonschema

import (
	"slices"
	"testing"
)

// The pointer to a value does not depend on which was asked for before.
func TestPointerInAnyOrder(t *testing.T) {
	const text = `{"a": [[1, [2]], {"b": [3, 4]}, 5], "c": [6, [7, 8]]}`
	var d Doc
	d.Parse([]byte(text))
	var want []string
	for i := range d.Nodes {
		var fresh Doc
		fresh.Parse([]byte(text))
		want = append(want, fresh.Pointer(i))
	}
	if !slices.Contains(want, "/a/1/b/1") || !slices.Contains(want, "/c/1/0") {
		t.Fatalf("have %q", want)
	}
	for i := range d.Nodes {
		for j := range d.Nodes {
			d.Pointer(i)
			if have := d.Pointer(j); have != want[j] {
				t.Errorf("node %d after node %d: have %s, want %s", j, i, have, want[j])
			}
		}
	}
}
