package compare_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"membench/eval/compare"
	"membench/eval/published"
	"membench/internal/exttest"
	"membench/schema"
)

// rec is one graded answer of system on question id of case c.
func rec(system, c, id, category string, score float64) schema.QARecord {
	return schema.QARecord{System: system, Dataset: "plain", CaseID: c, QuestionID: id, Gold: "g", Category: schema.CatIE, RawCategory: category, By: "rule", Outcome: schema.OutcomeAnswered, K: 5,
		Grades: []schema.Grade{{Protocol: "em@1", By: "rule", Score: &score, Outcome: schema.GradeScored}}}
}

func seq(recs ...schema.QARecord) schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		for _, r := range recs {
			if !yield(schema.Record[schema.QARecord]{V: r}, nil) {
				return
			}
		}
	}
}

func runs(t *testing.T, recs ...schema.QARecord) []*compare.Run {
	t.Helper()
	out, err := compare.Read(seq(recs...), func(f *schema.Finding) { t.Error(f) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// two makes systems a and b over the same questions: wins for a, losses, ties.
func two(wins, losses, ties int) []schema.QARecord {
	var out []schema.QARecord
	add := func(n int, kind string, a, b float64) {
		for i := range n {
			id := kind + string(rune('0'+i/10)) + string(rune('0'+i%10))
			c := "c" + string(rune('0'+i%4))
			out = append(out, rec("a", c, id, "1", a), rec("b", c, id, "1", b))
		}
	}
	add(wins, "w", 1, 0)
	add(losses, "l", 0, 1)
	add(ties, "t", 1, 1)
	return out
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		wins, losses, ties int
		better             string
	}{{25, 5, 30, "a"}, {5, 25, 30, "b"}, {10, 10, 5, "~"}, {3, 0, 40, "~"}, {5, 0, 1, "~"}, {0, 0, 20, "~"}} {
		rep, err := compare.Compare(runs(t, two(c.wins, c.losses, c.ties)...), compare.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := rep.Pairs[0].Total
		n := c.wins + c.losses + c.ties
		if x.N != n || x.Wins != c.wins || x.Losses != c.losses || *x.Adjusted != *x.P || x.Better != c.better || x.Shown != (c.better != "~") {
			t.Errorf("%+v: %+v", c, x)
		}
		if want := float64(c.wins-c.losses) / float64(n); math.Abs(*x.Difference-want) > 1e-12 || *x.Lo > want || *x.Hi < want || x.Clusters != 4 {
			t.Errorf("%+v: difference %v in %v to %v of %d", c, *x.Difference, *x.Lo, *x.Hi, x.Clusters)
		}
		if rep.Uneven || rep.Pairs[0].Test != compare.TestClusters || !x.Few {
			t.Errorf("%+v: %+v", c, rep)
		}
		// Verdict and interval are of one test.
		if n > 6 && (*x.P <= .05) != (*x.Lo > 0 || *x.Hi < 0) {
			t.Errorf("%+v: p %v, and the interval is %v to %v", c, *x.P, *x.Lo, *x.Hi)
		}
	}
}

// The more of few questions differ, the wider the interval, in one conversation and in several.
func TestFewDifferent(t *testing.T) {
	for _, conversations := range []int{1, 4} {
		before := 0.0
		for losses := range 6 {
			recs := two(0, losses, 60-losses)
			for i := range recs {
				if conversations == 1 {
					recs[i].CaseID = "c"
				}
			}
			rep, err := compare.Compare(runs(t, recs...), compare.Options{})
			if err != nil {
				t.Fatal(err)
			}
			x := rep.Pairs[0].Total
			if width := *x.Hi - *x.Lo; width < before || *x.Lo > 0 || *x.Hi < 0 || *x.P <= .05 {
				t.Errorf("%d lost in %d conversations: %v to %v, p %v; one fewer is %v wide", losses, conversations, *x.Lo, *x.Hi, *x.P, before)
			} else {
				before = width
			}
		}
	}
}

// B against A is A against B with the signs turned.
func TestCompareIsSymmetric(t *testing.T) {
	rs := runs(t, two(12, 7, 20)...)
	ab, err := compare.Compare(rs, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ba, err := compare.Compare([]*compare.Run{rs[1], rs[0]}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, y := ab.Pairs[0].Total, ba.Pairs[0].Total
	if x.Wins != y.Losses || *x.P != *y.P || *x.Difference != -*y.Difference || math.Abs(*x.Lo+*y.Hi) > 1e-12 {
		t.Errorf("%+v\n%+v", x, y)
	}
}

// A run that a rule and a model graded by one protocol: their scores are not averaged.
func TestTwoGraders(t *testing.T) {
	recs := two(15, 5, 30)
	for i := range recs {
		no := 0.0
		recs[i].Grades = append(recs[i].Grades, schema.Grade{Protocol: "em@1", By: "gpt", Score: &no, Outcome: schema.GradeScored})
	}
	rs := runs(t, recs...)
	if _, err := compare.Compare(rs, compare.Options{Protocol: "em"}); err == nil || !strings.Contains(err.Error(), `"em@1 by gpt", "em@1 by rule"`) {
		t.Errorf("no grader named: %v", err)
	}
	if _, err := compare.Compare(rs, compare.Options{Protocol: "em by nobody"}); err == nil {
		t.Error("a grader that did not grade was taken")
	}
	for by, wins := range map[string]int{"rule": 15, "gpt": 0} {
		rep, err := compare.Compare(rs, compare.Options{Protocol: "em by " + by})
		if err != nil {
			t.Fatal(err)
		}
		if x := rep.Pairs[0].Total; x.N != 50 || x.Wins != wins || rep.Pairs[0].Test != compare.TestClusters {
			t.Errorf("by %s: %+v", by, x)
		}
	}
}

func TestFingerprint(t *testing.T) {
	recs := two(3, 2, 5)
	for i := range recs {
		if recs[i].System == "b" {
			recs[i].By, recs[i].K = "gpt", 10
		}
	}
	rs := runs(t, recs...)
	_, err := compare.Compare(rs, compare.Options{})
	var f *compare.FingerprintError
	if !errors.As(err, &f) || len(f.Fields) != 2 || f.Fields[0].Field != "k" || f.Fields[1].Field != "reader" || !reflect.DeepEqual(f.Fields[1].Values, []string{"rule", "gpt"}) {
		t.Fatalf("%v", err)
	}
	for _, word := range []string{"k differs: 5 | 10", "reader differs: rule | gpt", `--allow "k,reader"`} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q is not in %q", word, err)
		}
	}
	if _, err := compare.Compare(rs, compare.Options{Allow: []string{"k"}}); err == nil {
		t.Error("compared, though the reader differs and was not named")
	}
	rep, err := compare.Compare(rs, compare.Options{Allow: []string{"k", "reader"}})
	if err != nil || len(rep.Differ) != 2 {
		t.Errorf("%v, %v", rep, err)
	}
}

// Another gold for one question, or another question, is another fingerprint.
func TestFingerprintOfGoldsAndQuestions(t *testing.T) {
	recs := two(3, 2, 5)
	recs[1].Gold = "another"
	_, err := compare.Compare(runs(t, recs...), compare.Options{})
	var f *compare.FingerprintError
	if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Field != "golds" || len(f.Fields[0].Where) != 1 || !strings.Contains(f.Error(), recs[1].CaseID+"/"+recs[1].QuestionID) {
		t.Errorf("%v", err)
	}
	extra := append(two(3, 2, 5), rec("a", "c0", "x", "1", 1))
	_, err = compare.Compare(runs(t, extra...), compare.Options{Allow: []string{"golds"}})
	if !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Field != "questions" {
		t.Errorf("%v", err)
	}
	rep, err := compare.Compare(runs(t, extra...), compare.Options{Allow: []string{"golds", "questions"}})
	if err != nil || !rep.Uneven || rep.Pairs[0].OnlyA != 1 || rep.Pairs[0].Total.N != 10 {
		t.Errorf("%+v, %v", rep, err)
	}
}

// What was not scored in one run is not a zero: the pair is left out and counted.
func TestUnscoredIsNotWrong(t *testing.T) {
	recs := two(3, 2, 5)
	recs[0].Grades[0] = schema.Grade{Protocol: "em@1", By: "rule", Outcome: schema.GradeJudgeFailed}
	rep, err := compare.Compare(runs(t, recs...), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := rep.Pairs[0]; p.Total.N != 9 || p.Total.Wins != 2 || p.OnlyB != 1 || !rep.Uneven || rep.Runs[0].Overall.Unscored != 1 {
		t.Errorf("%+v", p)
	}
}

func TestScoresBetween(t *testing.T) {
	var recs []schema.QARecord
	for i := range 30 {
		id := string(rune('a'+i%26)) + string(rune('0'+i/26))
		recs = append(recs, rec("a", "c"+id[:1], id, "1", 0.6), rec("b", "c"+id[:1], id, "1", 0.5))
	}
	rep, err := compare.Compare(runs(t, recs...), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := rep.Pairs[0]; p.Test != compare.TestClusters || p.Total.Better != "a" || p.Total.Detectable == nil {
		t.Errorf("%+v", p)
	}
}

func TestPick(t *testing.T) {
	recs := two(1, 1, 1)
	one := 1.0
	for i := range recs {
		recs[i].Grades = append(recs[i].Grades, schema.Grade{Protocol: "rouge-l@1", By: "rule", Score: &one, Outcome: schema.GradeScored})
	}
	rs := runs(t, recs...)
	if _, err := compare.Compare(rs, compare.Options{}); err == nil || !strings.Contains(err.Error(), "em@1, rouge-l@1") {
		t.Errorf("%v", err)
	}
	if _, err := compare.Compare(rs, compare.Options{Protocol: "f1"}); err == nil || !strings.Contains(err.Error(), `"f1" did not grade`) {
		t.Errorf("%v", err)
	}
	if rep, err := compare.Compare(rs, compare.Options{Protocol: "rouge-l"}); err != nil || rep.Protocol != "rouge-l@1" {
		t.Errorf("%v, %v", rep, err)
	}
	if _, err := compare.Compare(rs[:1], compare.Options{}); err == nil {
		t.Error("one run was compared")
	}
}

// The four full-context runs, against statsmodels (testdata/fullcontext.py).
func TestFullContextRuns(t *testing.T) {
	dir := exttest.Shared(t, "data/locomo_recorded/NOTICE.md")
	b, err := os.ReadFile("testdata/fullcontext.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Runs []struct {
			Run    string
			K, N   int
			Lo, Hi float64
		}
		Pairs []struct {
			A, B, Category  string
			N, Wins, Losses int
		}
	}
	if err := json.Unmarshal(b, &want); err != nil || len(want.Runs) != 4 || len(want.Pairs) != 30 {
		t.Fatalf("%d runs, %d pairs, %v", len(want.Runs), len(want.Pairs), err)
	}
	var all []*compare.Run
	for _, r := range want.Runs {
		path := filepath.Join(dir, "data", "locomo_recorded", r.Run+".jsonl")
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		im, err := published.Open(f, path, published.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := compare.Read(im.QA, func(f *schema.Finding) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	rep, err := compare.Compare(all, compare.Options{Protocol: "recorded-judge"})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range want.Runs {
		f := rep.Runs[i].Overall
		if rep.Runs[i].Run != r.Run || f.N != r.N || math.Abs(*f.Value-float64(r.K)/float64(r.N)) > 1e-9 || math.Abs(*f.Lo-r.Lo) > 1e-9 || math.Abs(*f.Hi-r.Hi) > 1e-9 {
			t.Errorf("%s: %v in %v to %v, want %+v", r.Run, *f.Value, *f.Lo, *f.Hi, r)
		}
	}
	cells := map[string]compare.Cell{}
	for _, p := range rep.Pairs {
		cells[p.A+p.B] = p.Total
		for _, c := range p.Categories {
			cells[p.A+p.B+c.Category] = c.Cell
		}
	}
	for _, p := range want.Pairs {
		c, ok := cells[p.A+p.B+p.Category]
		if !ok || c.N != p.N || c.Wins != p.Wins || c.Losses != p.Losses || c.Clusters != 8 && p.Category != "3" || (*c.P <= .05) != (*c.Lo > 0 || *c.Hi < 0) {
			t.Errorf("%s − %s %s: %+v, want %+v", p.A, p.B, p.Category, c, p)
		}
	}
}

// What two forms of files recorded is one protocol; who judged is said to differ.
func TestRecordedForms(t *testing.T) {
	recs := two(12, 2, 20)
	for i := range recs {
		g := &recs[i].Grades[0]
		g.Protocol, g.By = "recorded-judge@locomo-rows", "gpt-a"
		if recs[i].System == "b" {
			g.Protocol, g.By = "recorded-judge@amb", "gpt-b"
		}
	}
	rs := runs(t, recs...)
	var f *compare.FingerprintError
	if _, err := compare.Compare(rs, compare.Options{}); !errors.As(err, &f) || f.Fields[0].Field != "judge of recorded-judge" {
		t.Fatalf("%v", err)
	}
	for _, p := range []string{"", "recorded-judge", "recorded-judge@amb"} {
		rep, err := compare.Compare(rs, compare.Options{Protocol: p, Allow: []string{"judge of recorded-judge"}})
		if err != nil || rep.Protocol != "recorded-judge" || rep.Pairs[0].Total.Wins != 12 {
			t.Errorf("%q: %+v, %v", p, rep, err)
		}
	}
}

// Runs whose ids differ are paired by the texts of their questions, where a text is one
// question's only.
func TestPairByText(t *testing.T) {
	dir := t.TempDir()
	write := func(system string, caseOf, id func(i int) string) string {
		var b strings.Builder
		for i, text := range []string{"Who?", "Where?", "When  was it?", "Why?", "Why?", ""} {
			q := rec(system, caseOf(i), id(i), "1", float64(i%2))
			q.Question, q.Hits, q.Grades[0].Protocol = text, []schema.QAHit{}, "mine@1"
			line, err := json.Marshal(q)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		path := filepath.Join(dir, system+".jsonl")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	same := func(int) string { return "c" }
	ours := write("a", same, func(i int) string { return "q" + string(rune('0'+i)) })
	for name, c := range map[string]struct {
		path   string
		n      int
		byText int
	}{
		"other ids":       {write("b", same, func(i int) string { return "asked/" + string(rune('0'+i)) }), 3, 3},
		"other cases too": {write("d", func(i int) string { return "user " + string(rune('0'+i%2)) }, func(i int) string { return "asked/" + string(rune('0'+i)) }), 3, 3},
		"the same ids":    {write("e", same, func(i int) string { return "q" + string(rune('0'+i)) }), 6, 0},
	} {
		rep, err := compare.Files{Paths: []string{ours, c.path}, Examples: 1, Options: compare.Options{Allow: []string{"questions", "golds"}}, Found: func(f *schema.Finding) { t.Error(f) }}.Compare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if x := rep.Pairs[0]; x.Total.N != c.n || rep.Runs[1].ByText != c.byText || x.Total.Wins+x.Total.Losses != 0 || x.Total.Clusters != 1 {
			t.Errorf("%s: %+v, %+v", name, x.Paired, rep.Runs)
		}
	}
}

// A question that ended in an error has no reader; a run without any answer can be compared, too.
func TestFingerprintOfFailed(t *testing.T) {
	for _, failed := range []func(i int) bool{func(i int) bool { return i < 4 }, func(int) bool { return true }} {
		recs := two(0, 0, 10)
		for i := range recs {
			if r := &recs[i]; r.System == "b" && failed(i/2) {
				r.By, r.Outcome, r.Grades[0].Outcome, r.Grades[0].Score = "", schema.OutcomeError, schema.GradeNotAnswered, nil
			}
		}
		if rep, err := compare.Compare(runs(t, recs...), compare.Options{}); err != nil || !rep.Uneven || rep.Pairs[0].OnlyA < 4 {
			t.Errorf("%+v, %v", rep, err)
		}
	}
}

// The same question in other words, or about a dialogue of another extent, is named; what one run does not know is not compared.
func TestFingerprintOfWordsAndDialogues(t *testing.T) {
	told := func() []schema.QARecord {
		recs := two(3, 2, 5)
		for i := range recs {
			recs[i].Question, recs[i].Given = "Where is oar "+recs[i].QuestionID+"?", &schema.Extent{Turns: 4, Chars: 90}
		}
		return recs
	}
	for _, c := range []struct {
		edit func(*schema.QARecord)
		want string
	}{
		{func(r *schema.QARecord) { r.Question = "Where was oar w00?" }, "wording differs: 10:[0-9a-f]{16} \\| 10:[0-9a-f]{16} \\(c0/w00\\)"},
		{func(r *schema.QARecord) { r.Given = &schema.Extent{Turns: 4, Chars: 91} }, "dialogues differs: .* \\(c0/w00\\)"},
		{func(r *schema.QARecord) { r.Question = " Where  is oar w00?\n" }, ""},
		{func(r *schema.QARecord) { r.Question, r.Given = "", nil }, ""},
	} {
		recs := told()
		c.edit(&recs[1])
		_, err := compare.Compare(runs(t, recs...), compare.Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !regexp.MustCompile(c.want).MatchString(err.Error())) {
			t.Errorf("%v, want %q", err, c.want)
		}
		extra := append(recs, rec("a", "c0", "x", "1", 1))
		if _, err := compare.Compare(runs(t, extra...), compare.Options{Allow: []string{"golds", "questions"}}); (err == nil) != (c.want == "") {
			t.Errorf("with other questions beside: %v, want %q", err, c.want)
		}
		if _, err := compare.Compare(runs(t, recs...), compare.Options{Allow: []string{"wording", "dialogues"}}); err != nil {
			t.Errorf("allowed: %v", err)
		}
	}
	recs := told()
	for i := range recs {
		recs[i].Question += strings.Repeat("?", i%2)
	}
	if _, err := compare.Compare(runs(t, recs...), compare.Options{}); err == nil || !strings.Contains(err.Error(), "(c0/l00, c0/t00, c0/t04 and 7 more)") {
		t.Errorf("%v", err)
	}
}

// The turns are read from the folders of the runs: a turn that was replaced by one of the same length is another dialogue. Questions that were lost are
// no proof that nothing got worse.
func TestFilesDialogues(t *testing.T) {
	folder := func(name, turn string, lost bool) string {
		dir := filepath.Join(t.TempDir(), name)
		var qa strings.Builder
		for i := range 30 {
			r := rec("a", "c0", "q"+string(rune('A'+i)), "1", 1)
			r.Question, r.Answer, r.Given, r.Hits = "Where is oar "+r.QuestionID+"?", "g", &schema.Extent{Turns: 1, Chars: len(turn)}, []schema.QAHit{}
			if lost && i == 0 {
				r.By, r.Answer, r.Outcome, r.Grades[0].Outcome, r.Grades[0].Score = "", "", schema.OutcomeError, schema.GradeNotAnswered, nil
			}
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			qa.Write(append(b, '\n'))
		}
		c, err := json.Marshal(schema.Case{ID: "c0", ConvID: "c0", Dataset: "plain", Unit: schema.UnitTurn, Questions: []schema.Question{}, Sessions: []schema.Session{{ID: "s", Turns: []schema.CaseTurn{{TurnID: 1, Role: "user", Text: turn}}}}})
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range map[string]string{"qa_records.jsonl": qa.String(), "cases.jsonl": string(c) + "\n"} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	hold := func(now string, uneven bool, allow ...string) (compare.Verdict, error) {
		return compare.Files{Paths: []string{folder("base", "It is at the pier.", false), now}, Options: compare.Options{Allow: allow}, Found: func(f *schema.Finding) { t.Error(f) }}.
			Hold(t.Context(), []compare.Gate{{Metric: "em"}}, uneven)
	}
	if v, err := hold(folder("same", "It is at the pier.", false), false); err != nil || v.Gates[0].Outcome != compare.NotWorse {
		t.Errorf("the same: %+v, %v", v, err)
	}
	other := folder("other", "It is in the shed.", false)
	var f *compare.FingerprintError
	if _, err := hold(other, false); !errors.As(err, &f) || len(f.Fields) != 1 || f.Fields[0].Field != "dialogues" || len(f.Fields[0].Where) != 30 || f.Fields[0].Values[0] == f.Fields[0].Values[1] {
		t.Errorf("another turn: %v", err)
	}
	if v, err := hold(other, false, "dialogues"); err != nil || v.Gates[0].Outcome != compare.NotWorse || len(v.Gates[0].Differ) != 1 {
		t.Errorf("allowed: %+v, %v", v, err)
	}
	lost := folder("lost", "It is at the pier.", true)
	if v, err := hold(lost, false); err != nil || v.Gates[0].Outcome != compare.Lost || !v.Failed || v.Lost != 1 {
		t.Errorf("lost: %+v, %v", v, err)
	}
	if v, err := hold(lost, true); err != nil || v.Gates[0].Outcome != compare.NotWorse || v.Failed {
		t.Errorf("lost, accepted: %+v, %v", v, err)
	}
}
