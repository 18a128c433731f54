package graphmem_test

import (
	"os"
	"testing"

	"membench/eval/judge"
	"membench/llm/hashing"
)

// TestTold counts what the claims answer by themselves of LoCoMo's and REALTALK's questions,
// and how much of it the judge by rule finds right; -v lists each. In make soak.
func TestTold(t *testing.T) {
	if os.Getenv("MEMBENCH_SOAK") == "" {
		t.Skip("reads two corpora: make soak")
	}
	for _, s := range sets {
		if s.name != "LoCoMo" && s.name != "REALTALK" {
			continue
		}
		cases := s.cases(t)
		if len(cases) == 0 {
			t.Skip("no data")
		}
		said, right, abstain := 0, 0, 0
		for i, r := range readings(t, graphs(t, cases), hashing.New(0)) {
			for _, q := range cases[i].Questions {
				got, ok, err := r.Told(t.Context(), q.Text, "")
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					continue
				}
				said++
				good := judge.Judge(judge.Question{Text: q.Text}, []string{q.Answer}, got.Text).Correct
				switch {
				case q.Abstain:
					abstain++
				case good:
					right++
				}
				if !keptBack(cases[i]) {
					t.Logf("%s %v %v\n  %s\n  gold %s\n  told %s", cases[i].ID, good, q.Abstain, q.Text, q.Answer, got.Text)
				}
			}
		}
		t.Logf("%s: %d answers from claims, %d right by rule, %d to questions without an answer", s.name, said, right, abstain)
	}
}
