package graphmem

import (
	"strings"
	"testing"
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
	rep := Reply{Question: "Where does Alex live?", Answer: "Dublin", Shared: []string{"Alex", "Alex (u2)"}}
	if got, want := rep.Lead(), "Dublin  (several people have this name: Alex, Alex (u2))"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
