package published_test

import (
	"fmt"
	"strings"
	"testing"

	"membench/eval/published"
	"membench/schema"
)

// TestVerdictWords: the usual words of several languages are read in any case; a word that is not one of them is an error, its answer stays, and the file's own words
// are named with an option.
func TestVerdictWords(t *testing.T) {
	open := func(words string, own published.Verdicts) string {
		var text strings.Builder
		text.WriteString("question,gold,prediction,verdict\n")
		for i, w := range strings.Fields(words) {
			fmt.Fprintf(&text, "q%d,Ana,Ana,%s\n", i, strings.ReplaceAll(w, "_", " "))
		}
		im, err := published.Open(strings.NewReader(text.String()), "t.csv", published.Options{Verdicts: own})
		if err != nil {
			t.Fatal(err)
		}
		recs, found := collect(t, im.QA)
		var have []string
		for _, q := range recs {
			switch {
			case len(q.Grades) == 0:
				have = append(have, "none")
			case q.Grades[0].Score == nil:
				have = append(have, q.Grades[0].Outcome)
			default:
				have = append(have, fmt.Sprint(*q.Grades[0].Score))
			}
		}
		for _, f := range found {
			have = append(have, fmt.Sprintf("%d %s %v %s", f.Pos.Line, f.Code, f.Warning, f.Want))
		}
		return strings.Join(have, " ")
	}
	for _, pair := range []string{"pass fail", "PASS Fail", "yes no", "Correct. incorrect", "True FALSE", "1 0", "1.0 0.0", "✓ ✗", "✔️ ❌", "正确 错误", "richtig falsch", "ok wrong", "_Passed_ failed"} {
		if have := open(pair, published.Verdicts{}); have != "1 0" {
			t.Errorf("%s: %s", pair, have)
		}
	}
	const two = "bestens durchgefallen"
	if have, want := open(two, published.Verdicts{}), "judge_failed judge_failed 2 PUB003 false --verdicts right=bestens,wrong=durchgefallen, or the other way round: the column has these two 3 PUB003"; !strings.HasPrefix(have, want) {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if have := open("bestens pass so-so", published.Verdicts{}); !strings.HasPrefix(have, "judge_failed 1 judge_failed 2 PUB003 false true or false") {
		t.Error(have)
	}
	var own published.Verdicts
	if err := own.Set("right=Bestens,wrong=durchgefallen,wrong=1"); err != nil {
		t.Fatal(err)
	}
	if have := open(two+" 1 pass", own); have != "1 0 0 1" || own.String() != "right=bestens,wrong=durchgefallen,wrong=1" {
		t.Error(have, own.String())
	}
	for _, bad := range []string{"", "pass", "right=", "maybe=so", "right=a,wrong=A"} {
		if err := new(published.Verdicts).Set(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	for row, want := range map[string]string{
		`["pass","fail","pass"]`: "1 " + schema.GradeScored, `["pass"]`: "1 " + schema.GradeScored, `""`: "", `null`: "", `[]`: "", `{"a":1}`: "- " + schema.GradeJudgeFailed, `["pass","so-so"]`: "- " + schema.GradeJudgeFailed,
	} {
		im, err := published.Open(strings.NewReader(`{"question":"Who?","gold":"Ana","prediction":"Ana","verdict":`+row+`}`), "t.jsonl", published.Options{})
		if err != nil {
			t.Fatal(err)
		}
		recs, found := collect(t, im.QA)
		have := ""
		for _, g := range recs[0].Grades[:min(1, len(recs[0].Grades))] {
			have = "- " + g.Outcome
			if g.Score != nil {
				have = fmt.Sprint(*g.Score, " ", g.Outcome)
			}
		}
		if have != want || (len(found) > 0) != strings.HasPrefix(want, "-") {
			t.Errorf("%s: %q with %v, want %q", row, have, found, want)
		}
	}
}
