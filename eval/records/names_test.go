package records_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"membench/eval/records"
)

// Two runs with answers to the same question are two systems; shards, and files with other questions, are one.
func TestApart(t *testing.T) {
	t.Chdir(t.TempDir())
	line := func(system, question string) string {
		return `{"system":"` + system + `","dataset":"d","case_id":"c","question_id":"` + question + `","question":"Who?","gold":"Ana","category":"IE","raw_category":"IE","hits":[],"answer":"Ana","by":"rule","outcome":"answered"}` + "\n"
	}
	for dir, text := range map[string]string{"old": line("s", "q1") + line("null", "q1"), "new": line("s", "q1") + line("s", "q2"), "shard": line("s", "q3")} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, records.QAFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ inputs, want []string }{
		{[]string{"old", "new", "shard"}, []string{"old:s q1", "null q1", "new:s q1", "new:s q2", "shard:s q3"}},
		{[]string{"old", "shard"}, []string{"s q1", "null q1", "s q3"}},
		{[]string{"old"}, []string{"s q1", "null q1"}},
		{[]string{"old", "old"}, []string{"s q1", "null q1", "", ""}}, // findings: it is no second run
	} {
		names, err := records.Apart(c.inputs)
		if err != nil {
			t.Fatal(err)
		}
		qa, _, err := records.FindAll(c.inputs)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for r, err := range names.QA(t.Context(), nil, qa...) {
			if err == nil {
				have = append(have, r.V.System+" "+r.V.QuestionID)
			} else {
				have = append(have, "")
			}
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%q: have %q, want %q", c.inputs, have, c.want)
		}
	}
}
