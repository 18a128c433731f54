package graphmem_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"membench/internal/stats"
	"membench/memory"
	"membench/memory/baseline"
	"membench/memory/graphmem"
	"membench/memory/memorytest"
	"membench/schema"
)

var labelled = regexp.MustCompile(`^(?:\[(\d+)\])?([^：]+)：(.+)$`)

// chinese reads testdata/zh.txt: invented conversations with questions and their turns.
func chinese(t *testing.T) (cases []schema.Case) {
	t.Helper()
	text, err := os.ReadFile("testdata/zh.txt")
	if err != nil {
		t.Fatal(err)
	}
	var c *schema.Case
	turn, labels := 0, map[string]int{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "== "):
			name := line[3:]
			cases = append(cases, schema.Case{ID: name, Dataset: "zh", ConvID: schema.ConvID(name), Unit: "turn"})
			c = &cases[len(cases)-1]
			turn, labels = 0, map[string]int{}
		case strings.HasPrefix(line, "-- "):
			c.Sessions = append(c.Sessions, schema.Session{ID: fmt.Sprint("S", len(c.Sessions)+1), Time: line[3:]})
		case strings.HasPrefix(line, "? "):
			q, refs, ok := strings.Cut(line[2:], " | ")
			if !ok {
				t.Fatalf("question without evidence: %s", line)
			}
			x := schema.Question{ID: fmt.Sprintf("%s-%d", c.ID, len(c.Questions)+1), Text: q, RawCategory: "1"}
			for _, l := range strings.Fields(refs) {
				if labels[l] == 0 {
					t.Fatalf("%s: no turn [%s]: %s", c.ID, l, line)
				}
				x.Evidence = append(x.Evidence, schema.EventRef{ConvID: c.ConvID, TurnID: labels[l]})
			}
			c.Questions = append(c.Questions, x)
		default:
			m := labelled.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("no turn: %s", line)
			}
			turn++
			if m[1] != "" {
				labels[m[1]] = turn
			}
			role := memory.RoleAssistant
			if len(c.Speakers) == 0 || c.Speakers[0] == m[2] {
				role = memory.RoleUser
			}
			if len(c.Speakers) == 0 || len(c.Speakers) == 1 && c.Speakers[0] != m[2] {
				c.Speakers = append(c.Speakers, m[2])
			}
			s := &c.Sessions[len(c.Sessions)-1]
			s.Turns = append(s.Turns, schema.CaseTurn{TurnID: turn, Role: role, Name: m[2], Text: m[3]})
		}
	}
	return cases
}

// TestChinese asks the Chinese gold set, by words alone: there are no vectors of a model
// for it. k is 3, since a conversation has about thirty turns.
func TestChinese(t *testing.T) {
	cases := chinese(t)
	n := 0
	for _, c := range cases {
		n += len(c.Questions)
	}
	if n < 100 || len(cases) < 5 {
		t.Fatalf("%d questions in %d conversations, want 100 in 5", n, len(cases))
	}
	const k = 3
	words := func(o *graphmem.Options) { o.Meaning, o.Next, o.SessionMeaning, o.ReplyMeaning = 0, 0, 0, 0 }
	var rows strings.Builder
	var base [][]memorytest.Score
	row := func(name string, scores [][]memorytest.Score) float64 {
		all := clusters(scores, nil, "all")
		iv := stats.BootstrapMean(all, 2000, 1, .95)
		fmt.Fprintf(&rows, "| %s | %.3f [%.3f, %.3f] |", name, mean(all), iv.Lo, iv.Hi)
		if base == nil {
			base = scores
			rows.WriteString(" – |\n")
			return mean(all)
		}
		d := clusters(scores, base, "all")
		iv = stats.BootstrapMean(d, 2000, 1, .95)
		fmt.Fprintf(&rows, " %+.3f [%+.3f, %+.3f] |\n", mean(d), iv.Lo, iv.Hi)
		return mean(all)
	}
	rs := readings(t, graphs(t, cases), nil)
	var best float64
	for i, a := range []arm{
		{"graphmem, words alone", true, words},
		{"− NEXT, REPLY_TO, IN_SESSION", true, func(o *graphmem.Options) { words(o); o.Window, o.ReplyWords, o.Session = 0, 0, 0 }},
		{"− speaker", true, func(o *graphmem.Options) { words(o); o.Speaker = 0 }},
		{"− kind of turn", true, func(o *graphmem.Options) { words(o); o.Length, o.Question, o.First = 0, 0, 0 }},
		{"− is-a", true, func(o *graphmem.Options) { words(o); o.IsA = 0 }},
		{"+ features of the words hashed (the default)", true, func(*graphmem.Options) {}},
	} {
		o := graphmem.Defaults()
		a.change(&o)
		m := row(a.name, over(t, rs, cases, k, o, nil))
		if i == 0 {
			best = m
		}
	}
	for _, spec := range []memory.Spec{baseline.BM25(), baseline.BM25Stemmed()} {
		sys, err := spec.Open(memory.Deps{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		row(spec.Name, each(t, cases, func(i int) ([]memorytest.Score, error) {
			return memorytest.EvidenceRecall(context.Background(), sys, cases[i], k, nil)
		}))
	}
	if best < .8 {
		t.Errorf("recall at %d is %.3f, want .8", k, best)
	}
	fill(t, resultsDoc, "graph zh", fmt.Sprintf("| arm | recall at %d (%d questions, %d conversations) [95 %%] | difference |\n|---|---|---|\n", k, n, len(cases))+rows.String())
}
