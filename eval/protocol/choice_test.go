package protocol

import (
	"strings"
	"testing"

	"membench/schema"
)

func TestChoice(t *testing.T) {
	r := schema.QARecord{Question: "What now?", Gold: "Go for a row.", Choices: []string{"Go for a sail.", "Go for a row.", "Go for a row and a sail."}, RawCategory: "suggest_new_ideas", Outcome: schema.OutcomeAnswered}
	for answer, want := range map[string]string{
		"b": "right", "(b)": "right", "B.": "right", "**(B)**": "right", "(b) Go for a row.": "right", "b) Go for a row.": "right", "The answer is B": "right", "Answer: (b), since you row.": "right",
		"答案是 B。": "right", "Go for a row.": "right", "I would say: go for a row, as you like it": "right", "I compared (a) and (c). <final_answer>(b)</final_answer>": "right",
		"a": "wrong", "(c)": "wrong", "Option A.": "wrong", "Go for a sail.": "wrong",
		"(a) or (b)": "several", "": "none", "A walk would be good.": "none", "The answer is a walk in the park": "none", "(z)": "none", "I do not know.": "none",
	} {
		r.Answer = answer
		for _, p := range []*Protocol{choice(), RuleJudge()} {
			if g := p.Grade(&r); g.Outcome != schema.GradeScored || g.Label != want || (*g.Score == 1) != (want == "right") {
				t.Errorf("%s: %q: %s, want %s", p.Name, answer, g.Label, want)
			}
		}
	}
	r.Choices, r.Answer = nil, "b"
	if g := choice().Grade(&r); g.Outcome != schema.GradeNA {
		t.Errorf("without choices: %+v", g)
	}
}

// What only a model can grade is named, not scored.
func TestOpenEnded(t *testing.T) {
	r := schema.QARecord{Gold: "A sprint.", Answer: "A sprint.", OpenEnded: true, RawCategory: "summarization", Rubric: []string{"names the sprint", "names its end"}, Outcome: schema.OutcomeAnswered}
	if g := RuleJudge().Grade(&r); g.Outcome != schema.GradeNA || !strings.Contains(g.Reason, "summarization") {
		t.Errorf("%+v", g)
	}
	j := beamRubric().Judge
	g, err := j.Verdict(&r, `{"reason": "half", "scores": [1, 0.5]}`)
	if err != nil || *g.Score != 0.75 || len(g.Facts) != 2 || !strings.Contains(g.Facts[1], "its end") {
		t.Errorf("%+v, %v", g, err)
	}
	for _, reply := range []string{`{"scores": [1]}`, `{"scores": [1, 0.3]}`, `{"score": 1}`, "1, 1", ""} {
		if _, err := j.Verdict(&r, reply); err == nil {
			t.Errorf("%q is taken for a verdict", reply)
		}
	}
	r.Rubric = nil
	if _, ok := j.Prompt(&r); ok {
		t.Error("a question without a rubric is asked about")
	}
}
