package validate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/schema"
	"membench/schema/validate"
)

// TestEvalRecords: an answer or a session whose grades do not fit it or themselves is an error in its place, and so is one that comes a second time.
func TestEvalRecords(t *testing.T) {
	qa := func(outcome, grades string) string {
		return fmt.Sprintf(`{"system":"s","dataset":"d","case_id":"c","question_id":"q","question":"Who?","gold":"Ana","category":"IE","raw_category":"IE","hits":[],"answer":"Ana","by":"rule","outcome":%q,"grades":[%s]}`, outcome, grades)
	}
	session := func(grades string) string {
		return `{"system":"s","dataset":"d","case_id":"c","session_id":"s1","index":0,"turns":1,"outcome":"answered","grades":[` + grades + `]}`
	}
	g := func(score, label, outcome string) string {
		return fmt.Sprintf(`{"protocol":"p@1","by":"m","score":%s,"label":%q,"outcome":%q}`, score, label, outcome)
	}
	item := func(judge, score, label string) string {
		return fmt.Sprintf(`{"judge":%q,"by":"m","item":"i","label":%q,"score":%s,"outcome":"scored"}`, judge, label, score)
	}
	for _, c := range []struct {
		name, text string
		want       []string // pointers
	}{
		{"right", qa("answered", g("1", "Right", "scored")), nil},
		{"partly right", qa("answered", g("0.8", "correct", "scored")), nil},
		{"a word of its own", qa("answered", g("0.3", "partial", "scored")), nil},
		{"an empty answer", qa("empty", g("0", "WRONG", "scored")), nil},
		{"not answered", qa("timeout", g("null", "", "not_answered")), nil},
		{"a judge that failed", qa("answered", g("null", "", "judge_failed")), nil},
		{"two graders", qa("answered", g("1", "", "scored")+`,{"protocol":"p@1","by":"m","gold":"corrected","score":0,"outcome":"scored"}`), nil},
		{"label and score", qa("answered", g("1", "wrong", "scored")), []string{"/grades/0/label"}},
		{"score and label", qa("answered", g("0", "CORRECT", "scored")), []string{"/grades/0/label"}},
		{"graded without an answer", qa("error", g("0", "", "scored")), []string{"/grades/0/outcome"}},
		{"no answer after one", qa("answered", g("null", "", "not_answered")), []string{"/grades/0/outcome"}},
		{"scored without a score", qa("answered", g("null", "", "scored")), []string{"/grades/0/score"}},
		{"a score that is none", qa("answered", g("1", "", "judge_failed")), []string{"/grades/0/score"}},
		{"two grades of one grader", qa("answered", g("1", "", "scored")+","+g("0", "", "scored")), []string{"/grades/1"}},
		{"sessions", session(item("interference", "1", "rejected") + "," + item("correctness", "0.5", "partial")), nil},
		{"a session's label", session(item("recall", "0", "covered")), []string{"/grades/0/label"}},
		{"twice", qa("answered", "") + "\n" + session("") + "\n" + qa("answered", "") + "\n" + session(""), []string{"/question_id", "/session_id"}},
	} {
		var have []string
		checker := validate.New(cat, validate.Options{})
		for f, err := range checker.Stream(strings.NewReader(c.text), "f.jsonl", "", schema.Latest) {
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{false: "EVL105", true: "EVL101"}[c.name == "twice"]; f.Code != want || f.Warning {
				t.Errorf("%s: %v, want %s", c.name, f, want)
			}
			have = append(have, f.Pointer)
		}
		if !slices.Equal(have, c.want) {
			t.Errorf("%s: findings at %v, want %v", c.name, have, c.want)
		}
	}
}

// TestCaseIDs: an id that two files give is wrong if both are of one data set and say different things; a copy of a file, or another set, may have it.
func TestCaseIDs(t *testing.T) {
	one := func(set, text string) string {
		return fmt.Sprintf(`{"case_id":"c","dataset":%q,"conv_id":"v","unit":"turn","sessions":[{"session_id":"S","turns":[{"turn_id":1,"role":"user","text":%q}]}],"questions":[{"question_id":"q","question":"Who?","answer":"Ana","category":"IE","raw_category":"IE"}]}`, set, text)
	}
	for other, want := range map[string]int{one("own", "I am Ana."): 0, one("own", "I am Bea."): 3, one("bought", "I am Bea."): 0} {
		have, _ := check(t, "", validate.Options{}, file{"a.cases.jsonl", one("own", "I am Ana.")}, file{"b/a.cases.jsonl", other})
		if len(have) != want || slices.ContainsFunc(have, func(s string) bool { return !strings.Contains(s, "DST008") }) {
			t.Errorf("%s: %d findings, want %d: %q", other, len(have), want, have)
		}
	}
}

// TestVersionOfAFaultyCase: a version that lacks the kind is not the record's, so the finding names the fault.
func TestVersionOfAFaultyCase(t *testing.T) {
	have, c := check(t, "", validate.Options{}, file{"x.cases.jsonl", `{"case_id":"c","dataset":"d","conv_id":"c","sessions":[]}`})
	if want := []string{"x.cases.jsonl:1:1 SCH002", "x.cases.jsonl:1:1 SCH002"}; !slices.Equal(have, want) || c.Checked[0].Version != schema.Latest {
		t.Errorf("have %v as version %s, want %v as %s", have, c.Checked[0].Version, want, schema.Latest)
	}
}
