package findings

import (
	"net/url"
	"path/filepath"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// SARIF 2.1.0, written as it goes: results first, then the tool with the rules met.
const sarifHead = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","results":[`

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
	Logical []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitzero"`
}

type sarifLogical struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Help  *sarifText `json:"help,omitempty"`
}

func (p *Printer) sarif(f *schema.Finding) {
	at, ok := p.ruleAt[f.Code]
	if !ok {
		at = len(p.rules)
		p.ruleAt[f.Code] = at
		p.rules = append(p.rules, f.Code)
	}
	g := *f
	g.Pos, g.Code, g.Warning, g.Pointer = schema.Pos{}, "", false, ""
	r := sarifResult{RuleID: f.Code, RuleIndex: at, Level: "error", Message: sarifText{strings.TrimPrefix(g.Error(), ": ")}}
	if f.Warning {
		r.Level = "warning"
	}
	if f.Pos.File != "" {
		var l sarifLocation
		l.Physical.Artifact.URI = fileURI(f.Pos.File)
		if f.Pos.Line > 0 {
			l.Physical.Region = &sarifRegion{f.Pos.Line, f.Pos.Col}
		}
		if f.Pointer != "" {
			l.Logical = []sarifLogical{{f.Pointer, "member"}}
		}
		r.Locations = []sarifLocation{l}
	}
	b, err := codec.Append(nil, r, codec.Compact)
	if err != nil && p.err == nil {
		p.err = err
	}
	if p.printed > 1 {
		p.printf(",")
	}
	p.printf("\n%s", b)
}

// fileURI is a relative or absolute URI reference; "-" is standard input.
func fileURI(name string) string {
	if name == "-" {
		return "stdin"
	}
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

func (p *Printer) sarifTail() {
	rules := make([]sarifRule, 0, len(p.rules))
	for _, code := range p.rules {
		r := sarifRule{ID: code, Short: sarifText{code}}
		if info, ok := schema.Code(code); ok {
			r.Short.Text, r.Help = info.Meaning, &sarifText{info.Do}
		}
		rules = append(rules, r)
	}
	b, err := codec.Append(nil, rules, codec.Compact)
	if err != nil && p.err == nil {
		p.err = err
	}
	v, _ := codec.Append(nil, p.Version, codec.Compact)
	p.printf("\n],\"tool\":{\"driver\":{\"name\":\"membench\",\"version\":%s,\"rules\":%s}}}]}\n", v, b)
}
