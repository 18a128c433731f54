package compare_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"membench/eval/compare"
	"membench/schema"
)

func TestParseGate(t *testing.T) {
	for s, want := range map[string]compare.Gate{"rule": {"rule", 0}, "rule:2": {"rule", 2}, "rule@1:0.5%": {"rule@1", .5}, "retrieve_ms:50": {"retrieve_ms", 50}, "mem0-2025 by llama3:8b": {"mem0-2025 by llama3:8b", 0}, "mem0-2025 by llama3:8b:1": {"mem0-2025 by llama3:8b", 1}} {
		if g, err := compare.ParseGate(s); err != nil || g != want {
			t.Errorf("%s: %+v, %v", s, g, err)
		}
	}
	for _, s := range []string{"", ":2", "rule:-1", "rule:two", "rule:NaN"} {
		if g, err := compare.ParseGate(s); err == nil {
			t.Errorf("%q: %+v", s, g)
		}
	}
}

// side makes one run of n questions in cases: right says which answers are.
func side(n, cases int, right func(i int) bool) []schema.QARecord {
	var out []schema.QARecord
	for i := range n {
		score := 0.0
		if right(i) {
			score = 1
		}
		q := rec("memory", fmt.Sprint("c", i%cases), fmt.Sprint("q", i), "1", score)
		q.Question, q.Answer = fmt.Sprint("question ", i), fmt.Sprint("answer ", score)
		q.RetrieveMS = 10 + float64(i%7)
		out = append(out, q)
	}
	return out
}

func rename(recs []schema.QARecord, name string) []schema.QARecord {
	for i := range recs {
		recs[i].System = name
	}
	return recs
}

func hold(t *testing.T, base, now []schema.QARecord, gates ...string) []compare.Gated {
	t.Helper()
	var list []compare.Gate
	for _, s := range gates {
		g, err := compare.ParseGate(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	read := func(recs []schema.QARecord) []*compare.Run {
		out, err := compare.Read(seq(recs...), func(f *schema.Finding) { t.Error(f) }, compare.MeasuresOf(list)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out, err := compare.Hold(read(base), read(now), list, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestGate(t *testing.T) {
	all := func(int) bool { return true }
	for _, c := range []struct {
		name      string
		base, now []schema.QARecord
		gate      string
		want      compare.Outcome
	}{
		{"the same", side(200, 20, all), side(200, 20, all), "em", compare.NotWorse},
		{"better", side(200, 20, func(i int) bool { return i%3 > 0 }), side(200, 20, all), "em", compare.NotWorse},
		{"a fifth lost everywhere", side(200, 20, all), side(200, 20, func(i int) bool { return i/20%5 > 0 }), "em", compare.Worse},
		{"a fifth lost, 10 points granted", side(200, 20, all), side(200, 20, func(i int) bool { return i/20%5 > 0 }), "em:10", compare.Worse},
		{"a fifth lost, 30 points granted", side(200, 20, all), side(200, 20, func(i int) bool { return i/20%5 > 0 }), "em:30", compare.NotWorse},
		{"three of two hundred: no support", side(200, 20, all), side(200, 20, func(i int) bool { return i > 2 }), "em", compare.Inconclusive},
		{"three of two hundred, 10 points granted", side(200, 20, all), side(200, 20, func(i int) bool { return i > 2 }), "em:10", compare.NotWorse},
		{"20 points on 20 questions", side(20, 5, func(i int) bool { return i%3 > 0 }), side(20, 5, func(i int) bool { return i%3 > 0 && i > 5 }), "em", compare.Inconclusive},
		{"lost in one case of twenty", side(200, 20, all), side(200, 20, func(i int) bool { return i%20 > 0 }), "em", compare.Inconclusive},
		{"one case is tested by its questions", side(40, 1, all), side(40, 1, func(i int) bool { return i > 12 }), "em", compare.Worse},
	} {
		x := hold(t, c.base, c.now, c.gate)[0]
		if x.Outcome != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, x.Outcome, c.want, x.Cell)
		}
	}
}

func TestGateMeasures(t *testing.T) {
	all := func(int) bool { return true }
	slow := side(200, 20, all)
	for i := range slow {
		slow[i].RetrieveMS *= 1.5
	}
	list := hold(t, side(200, 20, all), slow, "retrieve_ms", "retrieve_ms:40", "retrieve_ms:60", "em")
	for i, want := range []compare.Outcome{compare.Worse, compare.Worse, compare.NotWorse, compare.NotWorse} {
		if list[i].Outcome != want {
			t.Errorf("%s: %s: %+v", list[i].Metric, list[i].Outcome, list[i].Cell)
		}
	}
	if faster := hold(t, slow, side(200, 20, all), "retrieve_ms")[0]; faster.Outcome != compare.NotWorse {
		t.Errorf("faster is not worse: %+v", faster)
	}
}

// What the new run was not scored on is said: it cannot pass by failing.
func TestGateLost(t *testing.T) {
	all := func(int) bool { return true }
	now := side(50, 5, all)
	for i := range 10 {
		now[i].Grades[0].Score, now[i].Grades[0].Outcome = nil, schema.GradeJudgeFailed
	}
	if x := hold(t, side(50, 5, all), now, "em")[0]; x.Lost != 10 || x.Cell.N != 40 {
		t.Errorf("%+v", x)
	}
}

func TestGateBaselines(t *testing.T) {
	all := func(int) bool { return true }
	base := runs(t, append(rename(side(20, 2, all), "a"), rename(side(20, 2, func(i int) bool { return false }), "b")...)...)
	now := runs(t, rename(side(20, 2, func(i int) bool { return false }), "b")...)
	list, err := compare.Hold(base, now, []compare.Gate{{Metric: "em"}}, compare.Options{})
	if err != nil || list[0].Base != "b" || list[0].Outcome != compare.NotWorse {
		t.Errorf("the baseline of b is b: %+v, %v", list, err)
	}
	if _, err := compare.Hold(base, runs(t, rename(side(20, 2, all), "c")...), []compare.Gate{{Metric: "em"}}, compare.Options{}); err == nil || !strings.Contains(err.Error(), "c on plain has no baseline: the first run has a on plain, b on plain") {
		t.Errorf("%v", err)
	}
	if _, err := compare.Hold(base[:1], now, []compare.Gate{{Metric: "em"}}, compare.Options{}); err != nil {
		t.Errorf("the only one against the only one: %v", err)
	}
	if _, err := compare.Hold(base, now, []compare.Gate{{Metric: "f1"}}, compare.Options{}); err == nil || !strings.Contains(err.Error(), "retrieve_ms") {
		t.Errorf("an unknown metric: %v", err)
	}
	if _, err := compare.Hold(base, now, []compare.Gate{{Metric: "tokens"}}, compare.Options{}); err == nil || !strings.Contains(err.Error(), "recorded none") {
		t.Errorf("a measure that is not there: %v", err)
	}
	other := side(20, 2, all)
	other[0].K = 9
	var differs *compare.FingerprintError
	if _, err := compare.Hold(base, runs(t, rename(other, "a")...), []compare.Gate{{Metric: "em"}}, compare.Options{}); !errors.As(err, &differs) {
		t.Errorf("another k: %v", err)
	}
}

// Questions that only one side has are counted, and decide nothing else: a baseline's fail the gate, and no gold differs; runs without a common question are refused.
func TestGateOtherQuestions(t *testing.T) {
	all := func(int) bool { return true }
	recs := side(40, 8, all)
	for i := range recs {
		recs[i].Gold = fmt.Sprint("gold ", i)
	}
	for _, c := range []struct {
		base, now []schema.QARecord
		lost, new int
	}{{recs, recs[8:], 8, 0}, {recs[:36], recs, 0, 4}, {recs[:30], recs[10:], 10, 10}} {
		x := hold(t, c.base, c.now, "em:2")[0]
		if len(x.Differ) != 1 || x.Differ[0].Field != "questions" || len(x.Differ[0].Where) != c.lost+c.new || x.Lost != c.lost || x.New != c.new || x.Outcome != compare.NotWorse {
			t.Errorf("%d lost, %d new: %+v", c.lost, c.new, x)
		}
	}
	var differs *compare.FingerprintError
	if _, err := compare.Hold(runs(t, recs[:20]...), runs(t, recs[20:]...), []compare.Gate{{Metric: "em"}}, compare.Options{}); !errors.As(err, &differs) || !strings.Contains(err.Error(), "(c0/q0, c0/q16, c0/q24 and 37 more)") {
		t.Errorf("no common question: %v", err)
	}
	recs = slices.Clone(recs)
	recs[0].Grades[0].Doubt = "half said"
	rep, err := compare.Compare(runs(t, append(rename(slices.Clone(recs), "a"), rename(slices.Clone(recs), "b")...)...), compare.Options{})
	var text strings.Builder
	if rep.WriteText(&text); err != nil || !strings.Contains(text.String(), "unscored 0, doubtful 1 (97.5–100.0)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// With nothing lost but noise, a gate fails no more often than alpha says.
func TestGateFalseAlarms(t *testing.T) {
	alarms := 0
	const tries = 200
	for k := range tries {
		r := rand.New(rand.NewPCG(uint64(k), 3))
		noisy := func(int) bool { return r.Float64() < .7 }
		if hold(t, side(100, 12, noisy), side(100, 12, noisy), "em")[0].Outcome == compare.Worse {
			alarms++
		}
	}
	if alarms > tries*5/100 {
		t.Errorf("%d alarms of %d at alpha 0.05, of which half are losses", alarms, tries)
	}
}

func TestExamples(t *testing.T) {
	recs := two(4, 2, 5)
	for i := range recs {
		recs[i].Question = "what of " + recs[i].QuestionID
		recs[i].Answer = recs[i].System + " says"
		recs[i].Grades[0].Reason = "because"
		recs[i].Attribution = &schema.Attribution{Hop: "read"}
	}
	list := runs(t, recs...)
	rep, err := compare.Compare(list, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := compare.Examples(rep, list, compare.Options{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Read(seq(recs...), list); err != nil {
		t.Fatal(err)
	}
	x := rep.Pairs[0].Examples
	if len(x) != 5 {
		t.Fatalf("%d examples, want 3 wins and 2 losses", len(x))
	}
	for i, e := range x {
		wins := i < 3
		if (e.Better == "a") != wins || e.Question != "what of "+e.ID || e.Gold != "g" || e.A.Answer != "a says" || e.B.Answer != "b says" || (*e.A.Score > *e.B.Score) != wins || e.A.Reason != "because" || e.B.Hop != "read" {
			t.Errorf("%+v", e)
		}
	}
	base, now := side(60, 12, func(int) bool { return true }), side(60, 12, func(i int) bool { return i%3 > 0 })
	b, n := runs(t, base...), runs(t, now...)
	n[0].Name = "new:memory"
	gated, err := compare.Hold(b, n, []compare.Gate{{Metric: "em"}}, compare.Options{})
	if err != nil || gated[0].Outcome != compare.Worse {
		t.Fatal(gated, err)
	}
	wanted, err := compare.LostExamples(gated, b, n, 2)
	if err != nil || len(wanted) != 1 {
		t.Fatal(wanted, err)
	}
	for _, in := range [][]schema.QARecord{base, now} {
		of := b
		if &in[0] == &now[0] {
			of = n
		}
		if err := wanted[0].Read(seq(in...), of); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range gated[0].Examples {
		if e.Better != "memory" || e.A.Answer != "answer 0" || e.B.Answer != "answer 1" || !strings.HasPrefix(e.Question, "question ") {
			t.Errorf("%+v", e)
		}
	}
}

// Corrected golds: what is graded anew takes the new score in both runs, a question
// without a right answer is in neither.
func TestCompareCorrected(t *testing.T) {
	var recs []schema.QARecord
	for i := range 20 {
		for _, sys := range []string{"a", "b"} {
			right := 0.0
			if sys == "a" {
				right = 1
			}
			q := rec(sys, fmt.Sprint("c", i%4), fmt.Sprint("q", i), fmt.Sprint(i%2), right)
			if i < 6 {
				now := 1 - right
				g := schema.Grade{Protocol: "em@1", By: "rule", Gold: schema.GoldCorrected, Score: &now, Outcome: schema.GradeScored}
				if i < 2 {
					g.Score, g.Outcome = nil, schema.GradeNA
				}
				q.Errata = &schema.Erratum{Overlay: "list", Kind: schema.ErratumAnswer}
				q.Grades = append(q.Grades, g)
			}
			recs = append(recs, q)
		}
	}
	rep, err := compare.Compare(runs(t, recs...), compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := rep.Pairs[0]
	c := p.Corrected
	if c == nil || c.Questions != 4 || c.LeftOut != 2 || strings.Join(c.Overlays, "") != "list" || c.Total.N != 18 || c.Total.Wins != 14 || c.Total.Losses != 4 || c.Total.Adjusted == nil {
		t.Fatalf("%+v", c)
	}
	if p.Total.N != 20 || p.Total.Wins != 20 || len(c.Categories) != 2 || c.Categories[0].Cell.Wins != 7 || c.Categories[0].Cell.Losses != 2 {
		t.Errorf("%+v\n%+v", p.Total, c.Categories)
	}
}

func TestGateReports(t *testing.T) {
	all := func(int) bool { return true }
	list := hold(t, side(200, 20, all), side(200, 20, func(i int) bool { return i/20%5 > 0 }), "em", "em:30", "em:19.9")
	list[0].Examples = []compare.Example{{Question: "a|b <i>\nc", Gold: "g"}}
	var x, m strings.Builder
	if err := compare.WriteJUnit(&x, list, true); err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testcase"`
	}
	if err := xml.Unmarshal([]byte(x.String()), &suite); err != nil || suite.Tests != 3 || suite.Failures != 1 || suite.Errors != 1 || suite.Cases[0].Failure == nil || suite.Cases[1].Failure != nil {
		t.Errorf("%v, %+v\n%s", err, suite, x.String())
	}
	if err := compare.WriteMarkdown(&m, list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| **worse** | em | memory | plain | 80.00 from 100.00 | -20.00 points |", "| not worse | em |", "a\\|b &lt;i&gt; c"} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("lacks %q:\n%s", want, m.String())
		}
	}
}
