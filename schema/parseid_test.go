package schema_test

import (
	"strings"
	"testing"

	"membench/schema"
)

var m = schema.Mint{V: schema.V010}

func TestParseID(t *testing.T) {
	tag := func(s string) schema.EntityID { return m.Entity("tag", s) }
	for _, id := range []string{
		"mem:fdf2768f19650a2cf47138343608d1a2", "char:congyin", "tag:一个人创作容易走神", "user:xnne%3Ach01",
		string(tag("a:b|c%d")), string(m.Claim("PREFERS_TOPIC", "daily", "agent:congyin", tag("12:30 | 茶"))),
		string(m.Edge("ABOUT", schema.NodeID(m.Claim("PREFERS_TOPIC", "a:b", "user:u", "tag:x")), "tag:x")),
		string(m.Edge("OWNS_MEMORY", "char:congyin", "mem:fdf2768f19650a2cf47138343608d1a2")),
		string(m.Domain("char:x", "daily")), string(m.Predicate("user:u", "daily", "PREFERS_TOPIC")),
		string(m.Edge("HAS_PREDICATE", m.Domain("char:x", "daily"), m.Predicate("char:x", "daily", "LIKES"))),
		string(m.Event(schema.EventRef{ConvID: "a:1", TurnID: 12})), string(m.Session("c", "s 1")),
		string(m.Compound("chapter", "#", "C# in depth", "1: start")), string(m.Compound("chapter", "#", "", "琴")),
		string(m.Source("data/ch09.norm.md")), "emoji:👨\u200d👩", "tag:line%0Abreak",
	} {
		p, err := schema.ParseID(id)
		if err != nil {
			t.Errorf("%q: %v", id, err)
			continue
		}
		if back := p.String(); back != id {
			t.Errorf("%q comes back as %q from %+v", id, back, p)
		}
	}
	for id, why := range map[string]string{
		"":                                     "prefix",
		"tag":                                  "prefix",
		"Tag:x":                                "prefix",
		"tag:":                                 "empty",
		"tag:a:b":                              "unexpected",
		"tag:a|b":                              "unexpected",
		"tag:100%":                             "escaped",
		"tag:a%3ab":                            "escaped",
		"tag:%41":                              "escaped",
		"tag:a\nb":                             "must be escaped",
		"tag:a\xff":                            "UTF-8",
		"tag:%FF":                              "escaped",
		"mem:point:x":                          "32 hexadecimal",
		"mem:FDF2768F19650A2CF47138343608D1A2": "32 hexadecimal",
		"claim:LIKES|daily|user:u":             "want \"|\"",
		"claim:likes|daily|user:u|tag:x":       "capitals",
		"claim:LIKES|daily|event:c:1|tag:x":    "cannot be",
		"event:c:0":                            "from 1",
		"event:c:01":                           "from 1",
		"event:c":                              "want \":\"",
		"chapter:x":                            "want \"#\"",
		"edge:A:tag:x":                         "want \":\"",
		"edge:A:edge:B:tag:x:tag:y:tag:z":      "part of an id",
		"dom:char:x":                           "want \":\"",
	} {
		if p, err := schema.ParseID(id); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: have %+v, %v; want an error with %q", id, p, err, why)
		}
	}
}

// TestMintIsInjective holds the grammar's point: different parts give different ids.
func TestMintIsInjective(t *testing.T) {
	names := []string{"a", "a:b", "a|b", "b:tag:c", "b|tag:c", "%3A", ":", "|", "%", "tag:a", "a#b", ""}
	edges, claims, chapters := map[schema.EdgeID]string{}, map[schema.ClaimID]string{}, map[schema.EntityID]string{}
	for _, x := range names {
		for _, y := range names {
			a, b := m.Entity("tag", "n"+x), m.Entity("tag", "n"+y)
			tuple := x + "\x00" + y
			e, c, h := m.Edge("T", schema.NodeID(a), schema.NodeID(b)), m.Claim("P", x, a, b), m.Compound("chapter", "#", x, y)
			if edges[e] != "" || claims[c] != "" || chapters[h] != "" {
				t.Errorf("%q: id used before: %s %s %s", tuple, edges[e], claims[c], chapters[h])
			}
			edges[e], claims[c], chapters[h] = tuple, tuple, tuple
		}
	}
}

// FuzzParseID: what parses is minted back to the same text, and what is minted parses.
func FuzzParseID(f *testing.F) {
	for _, s := range []string{"tag:x", "claim:P|d|user:u|tag:x", "edge:T:event:c:1:event:c:2", "chapter:a#b", "dom:char:x:daily", "pred:char:x:d:P", "mem:fdf2768f19650a2cf47138343608d1a2", "tag:%3A%7C", "session:a:b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := schema.ParseID(s); err == nil {
			if back := p.String(); back != s {
				t.Fatalf("%q comes back as %q", s, back)
			}
		}
		if s == "" || !valid(s) {
			return
		}
		for _, id := range []string{string(m.Node("user", s)), string(m.Session(schema.ConvID(s), s)), string(m.Event(schema.EventRef{ConvID: schema.ConvID(s), TurnID: 3})),
			string(m.Edge("T", m.Node("user", s), m.Domain(m.Node("char", s), s))), string(m.Claim("P", s, schema.EntityID(m.Node("user", s)), schema.EntityID(m.Node("tag", s))))} {
			p, err := schema.ParseID(id)
			if err != nil || p.String() != id {
				t.Fatalf("minted %q: %v, back %q", id, err, p)
			}
		}
		p, err := schema.ParseID(string(m.Node("user", s)))
		if err != nil || p.Parts[0] != s {
			t.Fatalf("name %q comes back as %v, %v", s, p.Parts, err)
		}
	})
}

func valid(s string) bool { return strings.ToValidUTF8(s, "") == s }
