package grade

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"membench/eval/protocol"
	"membench/llm"
	"membench/llm/llmtest"
	"membench/schema"
)

func stream[T any](in ...T) schema.Seq[T] {
	return func(yield func(schema.Record[T], error) bool) {
		for i, v := range in {
			if !yield(schema.Record[T]{Pos: schema.Pos{Line: i + 1}, V: v}, nil) {
				return
			}
		}
	}
}

func drain[T any](t *testing.T, in schema.Seq[T]) []T {
	t.Helper()
	var out []T
	for r, err := range in {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r.V)
	}
	return out
}

func pick(t *testing.T, names ...string) []*protocol.Protocol {
	t.Helper()
	ps, err := protocol.ByName(names...)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func answer(id, gold, said string) schema.QARecord {
	return schema.QARecord{System: "s", Dataset: "d", CaseID: "c", QuestionID: id, Question: "which tea?", Gold: gold, Answer: said, Category: schema.CatIE, RawCategory: "4", Outcome: schema.OutcomeAnswered}
}

// judgeOf answers every prompt by a function; it is a model called "m".
type judgeOf func(llm.Request) (string, error)

func (judgeOf) Model() string { return "m" }
func (f judgeOf) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	text, err := f(r)
	return llm.Response{Text: text, Model: "m", Usage: llm.Usage{Calls: 1, InputTokens: 10, OutputTokens: 2}}, err
}

func TestSideBySide(t *testing.T) {
	in := []schema.QARecord{answer("1", "oolong tea", "Oolong tea."), answer("2", "oolong tea", "green tea")}
	in[1].Outcome, in[1].Answer = schema.OutcomeError, ""
	asked := 0
	judge := judgeOf(func(r llm.Request) (string, error) {
		asked++
		if r.Purpose != Purpose || !r.JSON {
			t.Errorf("request %+v", r)
		}
		return `{"label": "CORRECT"}`, nil
	})
	out := drain(t, QA(context.Background(), stream(in...), Options{Protocols: pick(t, "em", "locomo-f1", "mem0-2025"), Judge: judge}))
	if asked != 1 {
		t.Errorf("the judge was asked %d times, want 1: an answer that was never given is not judged", asked)
	}
	var have []string
	for _, r := range out {
		for _, g := range r.Grades {
			have = append(have, fmt.Sprintf("%s %s %s", g.Protocol, g.By, g.Outcome))
		}
	}
	want := []string{"em@1 rule scored", "locomo-f1@1 rule scored", "mem0-2025@1 m scored",
		"em@1 rule not_answered", "locomo-f1@1 rule not_answered", "mem0-2025@1 m not_answered"}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	if u := out[0].Usage; len(u) != 1 || u[0].Step != Purpose || u[0].Calls != 1 || u[0].InputTokens != 10 {
		t.Errorf("usage: %+v", u)
	}
	if len(in[0].Grades) != 0 {
		t.Error("the record that came in was changed")
	}
}

// TestAgainAsksOnlyWhatFailed: a verdict is kept, a failure is asked again, another
// prompt is another verdict.
func TestAgainAsksOnlyWhatFailed(t *testing.T) {
	o := Options{Protocols: pick(t, "zep"), Judge: judgeOf(func(r llm.Request) (string, error) {
		if strings.Contains(r.Prompt, "green") {
			return "no verdict", nil
		}
		return `{"is_correct": true}`, nil
	})}
	first := drain(t, QA(context.Background(), stream(answer("1", "tea", "oolong"), answer("2", "tea", "green")), o))
	if g := first[1].Grades[0]; g.Outcome != schema.GradeJudgeFailed || g.Score != nil || g.Reply != "no verdict" || g.Reason == "" {
		t.Errorf("failed judge: %+v", g)
	}
	asked := 0
	o.Judge = judgeOf(func(llm.Request) (string, error) { asked++; return `{"is_correct": false}`, nil })
	second := drain(t, QA(context.Background(), stream(first...), o))
	if asked != 1 || *second[0].Grades[0].Score != 1 || *second[1].Grades[0].Score != 0 || len(second[1].Grades) != 1 {
		t.Errorf("asked %d times: %+v", asked, second)
	}
	o.Again = true
	third := drain(t, QA(context.Background(), stream(second...), o))
	if asked != 3 || *third[0].Grades[0].Score != 0 {
		t.Errorf("again: asked %d times in all: %+v", asked, third[0].Grades)
	}
}

func TestVotes(t *testing.T) {
	for _, c := range []struct {
		replies []string
		outcome string
		score   float64
	}{
		{[]string{"yes", "no", "yes"}, schema.GradeScored, 1}, {[]string{"no", "no", "yes"}, schema.GradeScored, 0},
		{[]string{"", "no", "yes"}, schema.GradeJudgeFailed, 0}, {[]string{"", "", "yes"}, schema.GradeScored, 1}, {[]string{"", "", ""}, schema.GradeJudgeFailed, 0},
	} {
		s := llmtest.NewScript(c.replies...)
		g := drain(t, QA(context.Background(), stream(answer("1", "g", "a")), Options{Protocols: pick(t, "lme-official"), Judge: s, Votes: 3}))[0].Grades[0]
		if g.Outcome != c.outcome || g.Outcome == schema.GradeScored && *g.Score != c.score {
			t.Errorf("%q: have %+v, want %s %v", c.replies, g, c.outcome, c.score)
		}
		for i, r := range s.Requests() {
			if r.Sample != i {
				t.Errorf("vote %d has sample %d: a cassette would give one answer for all", i, r.Sample)
			}
		}
	}
	if (Options{Protocols: pick(t, "em"), Votes: 2}).Check() == nil {
		t.Error("an even number of votes passed")
	}
	if err := (Options{Protocols: pick(t, "em", "zep")}).Check(); err == nil || !strings.Contains(err.Error(), "zep") {
		t.Errorf("a judge without a model: %v", err)
	}
	for _, err := range QA(context.Background(), stream(answer("1", "g", "a")), Options{}) {
		if err == nil {
			t.Error("no protocol: no error")
		}
	}
}

// TestOrderAndFindings: workers change nothing of the output; findings stay in place.
func TestOrderAndFindings(t *testing.T) {
	in := func(yield func(schema.Record[schema.QARecord], error) bool) {
		for i := range 200 {
			if i%10 == 3 {
				if !yield(schema.Record[schema.QARecord]{}, &schema.Finding{Code: "X", Message: fmt.Sprint(i)}) {
					return
				}
				continue
			}
			if !yield(schema.Record[schema.QARecord]{V: answer(fmt.Sprint(i), "tea", fmt.Sprint("tea ", i))}, nil) {
				return
			}
		}
	}
	run := func(workers int) (out []string) {
		for r, err := range QA(context.Background(), in, Options{Protocols: pick(t, "em", "bleu1"), Workers: workers}) {
			if err != nil {
				out = append(out, err.Error())
			} else {
				out = append(out, fmt.Sprint(r.V.QuestionID, *r.V.Grades[1].Score))
			}
		}
		return out
	}
	if one, many := run(1), run(8); !reflect.DeepEqual(one, many) || len(one) != 200 {
		t.Errorf("%d and %d outputs differ", len(one), len(many))
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Protocols: pick(t, "zep"), Judge: judgeOf(func(llm.Request) (string, error) { cancel(); return "", &llm.Error{Err: errors.New("gone")} })}
	var last error
	n := 0
	for r, err := range QA(ctx, stream(answer("1", "g", "a"), answer("2", "g", "a")), o) {
		last = err
		if err == nil && len(r.V.Grades) > 0 {
			n++
		}
	}
	if n != 0 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d graded, last error %v: a cancelled judge is no failed verdict", n, last)
	}
}

func TestAgreement(t *testing.T) {
	a := NewAgreement(.5)
	one, zero, half := 1.0, 0.0, .5
	add := func(x, y *float64) {
		a.Add(&schema.QARecord{Grades: []schema.Grade{{Protocol: "p@1", By: "rule", Score: x}, {Protocol: "q@1", By: "m", Score: y}}})
	}
	for range 20 {
		add(&one, &half)
	}
	for range 5 {
		add(&one, &zero)
	}
	for range 10 {
		add(&zero, &one)
	}
	for range 15 {
		add(&zero, &zero)
	}
	add(&one, nil)
	ps := a.Pairs()
	if len(ps) != 1 {
		t.Fatalf("have %d pairs", len(ps))
	}
	// The table of the golden vector cohen-00: κ 0.4.
	if p := ps[0]; p.First != "p@1" || p.Second != "q@1 by m" || p.N != 50 || p.Both != 20 || p.OnlyFirst != 5 || p.OnlySecond != 10 || p.Neither != 15 ||
		*p.Kappa < .39999 || *p.Kappa > .40001 || p.Agreement != .7 {
		t.Errorf("have %+v", p)
	}
}

// TestJudgeKeepsCallsUnderWay: 64 workers keep 64 verdicts under way, in their order.
func TestJudgeKeepsCallsUnderWay(t *testing.T) {
	const n = 3000
	g := llmtest.NewGate(64, func(llm.Request) string { return `{"label": "CORRECT"}` }, func(r llm.Request) int { return 1 + len(r.Prompt)%7*3 })
	var in []schema.QARecord
	for i := range n {
		in = append(in, answer(fmt.Sprint("q", i), "oolong", "oolong"+strings.Repeat(" tea", i%7)))
	}
	for i, r := range drain(t, QA(t.Context(), stream(in...), Options{Protocols: pick(t, "mem0-2025"), Judge: g, Workers: 64})) {
		if r.QuestionID != in[i].QuestionID || len(r.Grades) != 1 || r.Grades[0].Outcome != schema.GradeScored {
			t.Fatalf("record %d: %+v", i, r)
		}
	}
	if kept, calls := g.Kept(); calls != n || kept < 0.95*64 {
		t.Errorf("%d calls, %.1f of 64 under way", calls, kept)
	}
}

// TestCutVerdicts: a reply that was cut off before its verdict is asked for once more,
// with a higher limit; one that has its verdict is taken, and marked.
func TestCutVerdicts(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []llmtest.Answer
		outcome string
		ended   llm.Outcome
		asked   int
	}{
		"after the verdict":  {[]llmtest.Answer{{Text: `{"label": "CORRECT"} since it`, Truncated: true}}, schema.GradeScored, llm.CutOff, 1},
		"before it":          {[]llmtest.Answer{{Text: "Let me see", Truncated: true}, {Text: `{"label": "CORRECT"}`}}, schema.GradeScored, "", 2},
		"before it for ever": {[]llmtest.Answer{{Text: "Let", Truncated: true}, {Text: "Let me", Truncated: true}}, schema.GradeJudgeFailed, llm.CutOff, 2},
		"no verdict":         {[]llmtest.Answer{{Text: "Let me see"}}, schema.GradeJudgeFailed, llm.Unreadable, 1},
	} {
		s := llmtest.NewScript().Then(tc.answers...)
		g := drain(t, QA(t.Context(), stream(answer("q", "oolong", "oolong")), Options{Protocols: pick(t, "mem0-2025"), Judge: s}))[0].Grades[0]
		if g.Outcome != tc.outcome || g.ModelOutcome != string(tc.ended) || len(s.Requests()) != tc.asked {
			t.Errorf("%s: have %s, %q after %d questions: %s", name, g.Outcome, g.ModelOutcome, len(s.Requests()), g.Reason)
		}
		if r := s.Requests(); len(r) == 2 && r[1].MaxTokens < 2*r[0].MaxTokens {
			t.Errorf("%s: limits %d and %d", name, r[0].MaxTokens, r[1].MaxTokens)
		}
	}
}

// The model is asked about doubtful verdicts of the rule judge alone, and settled@1 is the
// rule's verdict elsewhere, the model's there.
func TestSettled(t *testing.T) {
	asked := 0
	no := judgeOf(func(llm.Request) (string, error) { asked++; return `{"label": "WRONG"}`, nil })
	in := stream(answer("sure", "oolong", "oolong"), answer("wrong", "oolong", "sencha"), answer("doubt", "oolong", "First it was oolong, then sencha"))
	out := drain(t, QA(context.Background(), in, Options{Protocols: pick(t, "rule", "mem0-2025"), Judge: no, Asks: Doubtful, Settle: true}))
	if asked != 1 {
		t.Errorf("the model was asked %d times, want once", asked)
	}
	for i, want := range []struct {
		rule, settled float64
		grades        int
	}{{1, 1, 2}, {0, 0, 2}, {1, 0, 3}} {
		g := out[i].Grades
		if len(g) != want.grades || *g[0].Score != want.rule {
			t.Errorf("%s: %+v", out[i].QuestionID, g)
			continue
		}
		if s := g[len(g)-1]; s.Grader() != Settled+" by m" || s.Score == nil || *s.Score != want.settled || s.Doubt != "" {
			t.Errorf("%s: %+v", out[i].QuestionID, s)
		}
	}
	failing := judgeOf(func(llm.Request) (string, error) { return "hm", nil })
	out = drain(t, QA(context.Background(), stream(answer("doubt", "oolong", "First it was oolong, then sencha")), Options{Protocols: pick(t, "rule", "mem0-2025"), Judge: failing, Asks: Doubtful, Settle: true}))
	if s := out[0].Grades[len(out[0].Grades)-1]; s.Protocol != Settled || s.Outcome != schema.GradeJudgeFailed || s.Score != nil {
		t.Errorf("a judge that fails settles nothing: %+v", s)
	}
}
