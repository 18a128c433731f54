package catalog

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"membench/schema"
)

func TestDefault(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range c.Predicates {
		if p.Negative == "" {
			t.Errorf("predicate %s has no negative", name)
		}
		if _, ok := c.Domains[p.Domain]; !ok {
			t.Errorf("predicate %s: domain %q is unknown", name, p.Domain)
		}
		for _, o := range append(p.Objects, p.Subjects...) {
			if _, ok := c.Entities[o]; !ok {
				t.Errorf("predicate %s: entity type %q is unknown", name, o)
			}
		}
		if c.Opposite(c.Opposite(name)) != name {
			t.Errorf("predicate %s: opposite of opposite is %s", name, c.Opposite(c.Opposite(name)))
		}
	}
	for name, e := range c.Entities {
		if l, ok := c.Labels[name]; !ok || l.Prefix != e.Prefix {
			t.Errorf("entity type %s has no label of the same prefix", name)
		}
	}
	for name, e := range c.Edges {
		for _, l := range append(e.From, e.To...) {
			if _, ok := c.Labels[l]; !ok && l != "*" {
				t.Errorf("edge %s: label %q is unknown", name, l)
			}
		}
	}
}

func TestExtend(t *testing.T) {
	c, err := Load([]byte("predicates:\n  SITS_NEXT_TO: {domain: daily, objects: [Topic], negative: LEFT, single: always, since: 0.1.0}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Allows("LEFT", "User", "Topic") || c.Allows("SITS_NEXT_TO", "User", "Work") {
		t.Error("SITS_NEXT_TO: wrong types allowed")
	}
	if _, err := Load([]byte("domains:\n  daily: {doc: mine}\n")); err == nil {
		t.Error("a built-in term was changed")
	}
}

func TestEntityID(t *testing.T) {
	c := Default()
	for _, tc := range []struct {
		v     schema.Version
		typ   string
		parts []string
		want  schema.EntityID
	}{
		{schema.V010, "Tag", []string{"一个人创作容易走神"}, "tag:一个人创作容易走神"},
		{schema.V010, "Topic", []string{" a:b|c%  d "}, "topic:a%3Ab%7Cc%25 d"},
		{schema.V001, "Topic", []string{"a:b|c%"}, "topic:a:b|c%"},
		{schema.V010, "Chapter", []string{"", "第#一章"}, "chapter:#第%23一章"},
	} {
		got, err := c.EntityID(schema.Mint{V: tc.v}, tc.typ, tc.parts...)
		if err != nil || got != tc.want {
			t.Errorf("%s %s %q: have %q (%v), want %q", tc.v, tc.typ, tc.parts, got, err, tc.want)
		}
	}
}

// The names that the program's code uses are those of the catalogue, and the catalogue's
// own edges are all named.
func TestGraphNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../graphnames.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	named := map[string]bool{}
	for _, d := range file.Decls {
		for _, s := range d.(*ast.GenDecl).Specs {
			v := s.(*ast.ValueSpec)
			name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			named[name] = true
			_, isLabel := c.Labels[name]
			if _, isEdge := c.Edges[name]; !isLabel && strings.HasPrefix(v.Names[0].Name, "Label") || !isEdge && strings.HasPrefix(v.Names[0].Name, "Edge") {
				t.Errorf("%s: the catalogue has no %q", v.Names[0].Name, name)
			}
		}
	}
	for name := range c.Edges {
		if !named[name] {
			t.Errorf("schema/graphnames.go has no edge %q", name)
		}
	}
}
