package published_test

import (
	"fmt"
	"strings"
	"testing"

	"membench/eval/protocol"
	"membench/eval/published"
	"membench/schema"
)

// TestUnlikelyVerdicts: a table alone shows verdicts that can hardly be of its answers, and rows that are all alike; a run of a good, a bad or a strict judge
// has no finding.
func TestUnlikelyVerdicts(t *testing.T) {
	rule, err := protocol.ByName("rule")
	if err != nil {
		t.Fatal(err)
	}
	towns := strings.Fields("Tartu Bergen Lyon Porto Graz Leeds Turku Basel Siena Namur Ghent Pune Cork Malmö Split Kyoto Lima Quito Oslo Riga")
	for _, c := range []struct {
		name string
		rows int
		row  func(i int, gold, other string) (answer, gold2, verdict string) // of every fourth row the answer is wrong
		want string
	}{
		{"clean", 120, func(i int, gold, other string) (string, string, string) {
			if i%4 == 3 {
				return "It is " + other + ".", gold, "wrong"
			}
			return "It is " + gold + ".", gold, "correct"
		}, ""},
		{"all right", 120, func(i int, gold, other string) (string, string, string) {
			if i%4 == 3 {
				return "It is " + other + ".", gold, "correct"
			}
			return "It is " + gold + ".", gold, "correct"
		}, "PUB018 t.csv:5"},
		{"a perfect system", 120, func(i int, gold, other string) (string, string, string) {
			return "It is " + gold + ".", gold, "correct"
		}, ""},
		{"a good system and other words", 120, func(i int, gold, other string) (string, string, string) {
			if i%20 == 3 {
				return "It is the town on the river.", gold, "correct" // what the rule judge cannot know
			}
			return "It is " + gold + ".", gold, "correct"
		}, ""},
		{"a system that knows nothing, strictly judged", 120, func(i int, gold, other string) (string, string, string) {
			if i%20 == 3 {
				return "It is " + gold + ".", gold, "wrong"
			}
			return "It is " + other + ".", gold, "wrong"
		}, ""},
		{"few and exchanged", 20, func(i int, gold, other string) (string, string, string) {
			if i%4 == 3 {
				return "It is " + other + ".", gold, "correct"
			}
			return "It is " + gold + ".", gold, "wrong"
		}, "PUB018 t.csv:2"},
		{"refusals", 120, func(i int, gold, other string) (string, string, string) {
			switch {
			case i%10 == 6:
				return "I don't know.", gold, "correct"
			case i%4 == 3:
				return "It is " + other + ".", gold, "wrong"
			}
			return "It is " + gold + ".", gold, "correct"
		}, "PUB018 t.csv:8"},
		{"most verdicts by chance", 400, func(i int, gold, other string) (string, string, string) {
			right := i%4 != 3
			answer := "It is " + gold + "."
			if !right {
				answer = "It is " + other + "."
			}
			if i/4%4 != 0 {
				right = (i*7919/13)%2 == 0
			}
			return answer, gold, map[bool]string{true: "correct", false: "wrong"}[right]
		}, "PUB013 t"},
		{"one answer", 20, func(i int, gold, other string) (string, string, string) { return "gpt-5", gold, "wrong" }, "PUB019 t.csv:2"},
		{"one gold", 20, func(i int, gold, other string) (string, string, string) {
			return "It is " + other + ".", "gpt-5", "wrong"
		}, "PUB019 t.csv:2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("id,question,gold,prediction,verdict\n")
			for i := range c.rows {
				gold := towns[i%len(towns)]
				answer, gold, verdict := c.row(i, gold, towns[(i+7)%len(towns)])
				fmt.Fprintf(&text, "q%d,Where did guest %d grow up?,%s,%s,%s\n", i, i, gold, answer, verdict)
			}
			im, err := published.Open(strings.NewReader(text.String()), "t.csv", published.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			if _, err := published.Run(im, published.AuditOptions{Protocols: rule}, func(f *schema.Finding) {
				where := f.Pos.File
				if f.Pos.Line > 0 {
					where += fmt.Sprint(":", f.Pos.Line)
				}
				have = append(have, f.Code+" "+where)
			}); err != nil {
				t.Fatal(err)
			}
			if s := strings.Join(have, ", "); s != c.want {
				t.Errorf("have %q, want %q", s, c.want)
			}
		})
	}
}
