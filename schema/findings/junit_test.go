package findings

import (
	"encoding/xml"
	"strings"
	"testing"

	"membench/schema"
)

// TestJUnit: the output is XML that holds each finding once, whatever its text.
func TestJUnit(t *testing.T) {
	type suites struct {
		Cases []struct {
			Class   string  `xml:"classname,attr"`
			Name    string  `xml:"name,attr"`
			Failure *string `xml:"failure"`
			Out     *string `xml:"system-out"`
		} `xml:"testsuite>testcase"`
	}
	read := func(fs ...*schema.Finding) (s suites) {
		t.Helper()
		var b strings.Builder
		p, err := New(&b, "junit", 0, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fs {
			p.Add(f)
		}
		if err := p.End(); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal([]byte(b.String()), &s); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		return s
	}
	if s := read(); len(s.Cases) != 1 || s.Cases[0].Failure != nil {
		t.Errorf("no findings: %+v", s)
	}
	s := read(&schema.Finding{Pos: schema.Pos{File: "a<b>.jsonl", Line: 3}, Code: "EVT001", Message: "a \"bad\" turn & \x1b[31m"},
		&schema.Finding{Code: "EVT002", Message: "a gap", Warning: true})
	if len(s.Cases) != 2 || s.Cases[0].Class != "a<b>.jsonl" || s.Cases[0].Failure == nil || !strings.Contains(*s.Cases[0].Failure, `a "bad" turn &`) || s.Cases[1].Failure != nil || s.Cases[1].Out == nil {
		t.Errorf("got %+v", s)
	}
}
