package graphmem

import (
	"strings"
	"testing"

	"membench/eval/reader"
)

func TestShared(t *testing.T) {
	speakers := []string{"Alex", "Alex (u2)", "Sam Lee", "Sam Fox", "The Boss", "The Admin", "Eva", "小雨"}
	for question, want := range map[string]string{
		"Where does Alex live?":        "Alex, Alex (u2)",
		"Where does Alex (u2) live?":   "",
		"What is Alex's cat called?":   "Alex, Alex (u2)",
		"Where does Sam live?":         "Sam Lee, Sam Fox",
		"Where does Sam Fox live?":     "",
		"Where did the others go?":     "",
		"Where does Eva work?":         "",
		"Who is Alexandra's neighbour": "",
		"小雨住在哪？":                       "",
	} {
		if got := strings.Join(shared(question, speakers), ", "); got != want {
			t.Errorf("%s: got %q, want %q", question, got, want)
		}
	}
	for _, x := range []struct {
		rep  Reply
		want string
	}{
		{Reply{Question: "Where does Alex live?", Answer: reader.Refusal, Refused: true, Shared: []string{"Alex", "Alex (u2)"}}, "Several people have this name: Alex, Alex (u2)."},
		{Reply{Question: "Where do I live?", Answer: reader.Refusal, Refused: true, Shared: []string{"Ada", "Bo"}}, "It is not known who “I” is: ask by name (Ada, Bo),"},
		{Reply{Question: "我住在哪里？", Answer: reader.RefusalZH, Refused: true, Shared: []string{"小雨", "老张"}}, "不知道“我”是谁：请用名字提问（小雨、老张）"},
		{Reply{Question: "Where does Ada live?", Answer: reader.Refusal, Refused: true}, "No information available: nothing that was found answers it."},
		{Reply{Question: "Where does Ada live?", Answer: reader.Refusal, Refused: true, Quoted: []string{"x"}}, "Nothing that was said answers this for certain. Nearest to it:"},
		{Reply{Question: "Where does Ada live?", Answer: "Dublin"}, "Dublin"},
	} {
		if got := x.rep.Lead(); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s: got %q, want %q", x.rep.Question, got, x.want)
		}
	}
}

func TestInThird(t *testing.T) {
	for question, want := range map[string]string{
		"Am I a nurse?":                    "is Jo a nurse?",
		"Where do I live?":                 "Where does Jo live?",
		"When is my birthday?":             "When is Jo's birthday?",
		"Have I been to Bari?":             "has Jo been to Bari?",
		"What did Ana give me for it?":     "What did Ana give Jo for it?",
		"Which film is mine?":              "Which film is Jo's?",
		"Who said “I love my cat”?":        "Who said “I love my cat”?",
		"Where did we go?":                 "Where did we go?",
		"我住在哪里？":                           "Jo住在哪里？",
		"我们去了哪里？":                          "我们去了哪里？",
		"Where does Mia, who I met, live?": "Where does Mia, who Jo met, live?",
	} {
		if got := inThird(question, "Jo"); got != want {
			t.Errorf("%s: got %q, want %q", question, got, want)
		}
	}
}
