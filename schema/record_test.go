package schema

import "testing"

// Text from data gives no line of its own, which would look like another finding.
func TestFindingIsOneLine(t *testing.T) {
	f := &Finding{Pos: Pos{File: "a\nb.jsonl:1: JSON001", Line: 2}, Pointer: "/x\r\ny", Code: "SCH001", Message: "wrong", Have: "\n", Want: "a line"}
	if have, want := f.Error(), `a\nb.jsonl:1: JSON001:2: /x\r\ny: SCH001: wrong (have \n, want a line)`; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
}
