package config

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	p, err := parse([]byte("name: x\nsources: [a]\nturn_offset: 30s\nconversations: {ch01: {user: lin}}\n"), none)
	if err != nil {
		t.Fatal(err)
	}
	if p.Replay.TopK != 5 || p.Conversations["ch01"].User != "lin" || p.TurnOffset != 30e9 {
		t.Errorf("have %+v", p)
	}
	for text, want := range map[string]string{
		"sources: [a]\nsorces: [b]\n":                        "[2:1]",
		"sources: [a]\nsources: [b]\n":                       "[2:1]",
		"version: 2\nsources: [a]\n":                         "version: have 2, want 1",
		"name: x\n":                                          "sources: have none",
		"sources: [a]\nreplay: {isolation: both}\n":          "replay.isolation",
		"sources: [a]\nnow: yesterday\n":                     "now: have \"yesterday\"",
		"sources: [a]\nclaims: {extractor: model}\n":         "model.name",
		"sources: [a]\nclaims: {min_confidence: 60}\n":       "claims.min_confidence: have 60, want 0 to 1",
		"sources: [a]\nschema_version: 9.9.9\n":              "not published",
		"sources: [a]\nturn_offset: soon\n":                  "soon",
		"sources: [a]\nconversations: {c: {start: never}}\n": "conversations.c.start",
	} {
		if _, err := parse([]byte(text), none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: have %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("sources: [a]\nconversations: {c: {start: never}}\n"))
	f.Fuzz(func(t *testing.T, b []byte) { parse(b, none) })
}
