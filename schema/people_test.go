package schema_test

import (
	"strings"
	"testing"

	"membench/schema"
)

func TestPeople(t *testing.T) {
	known := schema.People{Known: []schema.Person{
		{Name: "Lin Wan", Aliases: []string{"小林", "user:lin"}},
		{Name: "Ann Bell", Aliases: []string{"Ann"}, Conversations: []schema.ConvID{"ch02"}},
	}}
	project := schema.People{Scope: schema.ScopeProject}
	for _, c := range []struct {
		p                         schema.People
		conv                      schema.ConvID
		typ, declared, name, want string
	}{
		{schema.People{}, "ch01", "User", "", "Ann", "person:ch01/Ann"},
		{schema.People{}, "ch02", "User", "user", "Ann", "person:ch02/Ann"},
		{schema.People{}, "ch01", "User", "user", "", "person:ch01/user"},
		{schema.People{}, "ch01", "Agent", "assistant", "", "person:ch01/assistant"},
		{schema.People{}, "ch01", "User", "xnne", "", "user:xnne"},
		{schema.People{}, "a/b", "User", "", "A:n|n", "person:a%2Fb/A%3An%7Cn"},
		{known, "ch01", "User", "lin", "", "person:/Lin Wan"},
		{known, "ch01", "User", "", "小林", "person:/Lin Wan"},
		{known, "ch01", "User", "", "ann", "person:ch01/ann"},
		{known, "ch02", "User", "", "ann", "person:/Ann Bell"},
		{project, "ch01", "User", "", "Ann", "person:/Ann"},
	} {
		r, ok := c.p.Speaker(schema.Mint{V: schema.Latest}, c.conv, c.typ, c.declared, c.name)
		if !ok || string(r.ID) != c.want {
			t.Errorf("%+v: have %s", c, r.ID)
		}
		if _, err := schema.ParseID(string(r.ID)); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
	if r, _ := (schema.People{}).Speaker(schema.Mint{V: schema.V010}, "ch01", "User", "", "Ann"); r.ID != "user:Ann" || r.Type != "User" {
		t.Errorf("0.1.0: have %v", r)
	}
	if _, ok := (schema.People{}).Speaker(schema.Mint{V: schema.Latest}, "ch01", "User", "", ""); ok {
		t.Error("nobody is somebody")
	}
	for want, p := range map[string]schema.People{
		"people.scope":      {Scope: "town"},
		"have no name":      {Known: []schema.Person{{Aliases: []string{"x"}}}},
		"a name of Ann too": {Known: []schema.Person{{Name: "Ann", Aliases: []string{"A"}}, {Name: "Abe", Aliases: []string{"a"}}}},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %q", err, want)
		}
	}
	if err := known.Check(); err != nil {
		t.Error(err)
	}
}
