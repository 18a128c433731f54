package llm_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"membench/llm"
)

func TestPrompts(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	builtin := fstest.MapFS{"prompts/a.en.md": file("hello\n"), "prompts/a.zh.md": file("你好\n")}
	known := []string{"a", "b"}
	for _, tc := range []struct {
		why  string
		dir  fstest.MapFS
		lang string
		text string // of prompt a
		from string
		fail string
	}{
		{"built in", nil, "", "hello", "built in", ""},
		{"in Chinese", nil, "zh", "你好", "built in", ""},
		{"the user's", fstest.MapFS{"a.md": file("mine\r\ntoo\n"), "README.md": file("x")}, "zh", "mine\ntoo", "a.md", ""},
		{"the user's of the language", fstest.MapFS{"a.md": file("mine"), "a.zh.md": file("我的"), "a.en.md": file("my own")}, "zh", "我的", "a.zh.md", ""},
		{"the user's of another language", fstest.MapFS{"a.zh.md": file("我的")}, "en", "hello", "built in", ""},
		{"a name that is none", fstest.MapFS{"aa.md": file("x")}, "", "", "", "aa.md"},
		{"a language that is none", fstest.MapFS{"a.fr.md": file("x")}, "", "", "", "a.fr.md"},
		{"empty", fstest.MapFS{"a.md": file(" \n")}, "", "", "", "want text"},
		{"no files", fstest.MapFS{}, "", "", "", "names are a, b"},
		{"no such language", nil, "fr", "", "", `have "fr"`},
	} {
		var p llm.Prompts
		var err error
		if tc.dir == nil {
			p, err = llm.OpenPrompts(nil, tc.lang, known)
		} else {
			p, err = llm.OpenPrompts(tc.dir, tc.lang, known)
		}
		if tc.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fail) {
				t.Errorf("%s: have %v, want an error with %q", tc.why, err, tc.fail)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tc.why, err)
			continue
		}
		if got := p.Of(builtin, "a"); got.Text != tc.text || got.From != tc.from || len(got.SHA256()) != 64 {
			t.Errorf("%s: have %+v", tc.why, got)
		}
	}
	var zero llm.Prompts
	if zero.Of(builtin, "a").Text != "hello" {
		t.Error("the zero value is English")
	}
}
