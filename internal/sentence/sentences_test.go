package sentence

import (
	"slices"
	"testing"
)

func TestSentences(t *testing.T) {
	for in, want := range map[string][]string{
		"我喜欢茶。你呢？好！":                        {"我喜欢茶。", "你呢？", "好！"},
		"I like v1.2 a lot. Dr. Wu agrees!": {"I like v1.2 a lot.", "Dr. Wu agrees!"},
		"嗯……\n真的":                           {"嗯……", "真的"},
		"……":                                nil,
		"She said \"no.\" Then left.":       {"She said \"no.\"", "Then left."},
	} {
		var got []string
		for _, s := range Split(in) {
			if in[s.Start:s.End] != s.Text {
				t.Errorf("%q: offsets %d:%d give %q, want %q", in, s.Start, s.End, in[s.Start:s.End], s.Text)
			}
			got = append(got, s.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: have %q, want %q", in, got, want)
		}
	}
	var own []string
	for _, s := range Split("> You said this.\nI said > this.\n  >again\n```go\nreturn one\n```\nMine. ```one line```\n``` left open\nto the end") {
		if !s.Quoted {
			own = append(own, s.Text)
		}
	}
	if want := []string{"I said > this.", "Mine.", "```one line```"}; !slices.Equal(own, want) {
		t.Errorf("outside quotations and code: have %q, want %q", own, want)
	}
	if s := Split("这样可以吗"); !s[0].Question {
		t.Error("吗 is no question")
	}
}

func FuzzSentences(f *testing.F) {
	f.Add("a. b? 你好。\xff…")
	f.Fuzz(func(t *testing.T, in string) {
		end := 0
		for _, s := range Split(in) {
			if s.Start < end || in[s.Start:s.End] != s.Text {
				t.Fatalf("%q: bad span %d:%d", in, s.Start, s.End)
			}
			end = s.End
		}
	})
}
