package protocol

import (
	"slices"
	"strings"
	"testing"

	"membench/schema"
)

func TestRuleJudge(t *testing.T) {
	p := RuleJudge()
	for _, c := range []struct {
		name    string
		r       schema.QARecord
		outcome string
		score   float64
	}{
		{"another form of the date", schema.QARecord{Question: "When did Ann move?", Gold: "4 March 2021", Answer: "She moved on March 4, 2021."}, schema.GradeScored, 1},
		{"another day", schema.QARecord{Question: "When did Ann move?", Gold: "4 March 2021", Answer: "She moved on June 9, 2021."}, schema.GradeScored, 0},
		{"中文", schema.QARecord{Question: "汤姆带了什么？", Gold: "柠檬蛋糕", Answer: "他带了柠檬蛋糕。"}, schema.GradeScored, 1},
		{"空", schema.QARecord{Question: "汤姆带了什么？", Gold: "柠檬蛋糕", Answer: ""}, schema.GradeScored, 0},
		{"second gold", schema.QARecord{Question: "Which city?", Gold: "Oslo", Golds: []string{"Oslo", "the capital of Norway"}, Answer: "the capital of Norway"}, schema.GradeScored, 1},
		{"either length", schema.QARecord{Question: "How many days between the two trips?", Gold: "10 days. 11 days (including the last day) is also acceptable.", Answer: "11 days"}, schema.GradeScored, 1},
		{"neither length", schema.QARecord{Question: "How many days between the two trips?", Gold: "10 days. 11 days (including the last day) is also acceptable.", Answer: "14 days"}, schema.GradeScored, 0},
		{"abstains", schema.QARecord{Question: "Which boat?", Abstain: true, Answer: "That was not mentioned."}, schema.GradeScored, 1},
		{"invents", schema.QARecord{Question: "Which boat?", Abstain: true, Answer: "The red one."}, schema.GradeScored, 0},
		{"no gold", schema.QARecord{Question: "Which boat?", Gold: " ", Answer: "The red one."}, schema.GradeNA, 0},
		{"rubric", schema.QARecord{Question: "Any tips?", Gold: "The user would prefer tips for hikes.", Answer: "Hike!", RawCategory: "single-session-preference"}, schema.GradeNA, 0},
		{"failed", schema.QARecord{Question: "Which city?", Gold: "Oslo", Outcome: schema.OutcomeTimeout}, schema.GradeNotAnswered, 0},
	} {
		g := p.Grade(&c.r)
		if g.Outcome != c.outcome || g.By != schema.ByRule || g.Protocol != "rule@2" || (g.Score != nil) != (c.outcome == schema.GradeScored) {
			t.Errorf("%s: have %+v", c.name, g)
			continue
		}
		if g.Score != nil && (*g.Score != c.score || g.Label != map[float64]string{1: "right", 0: "wrong"}[c.score] || g.Reason == "") {
			t.Errorf("%s: have %v %s (%s), want %v", c.name, *g.Score, g.Label, g.Reason, c.score)
		}
	}
	g := p.Grade(rec("12 June 2020", "12 June 2020"))
	if len(g.Facts) == 0 || g.Parts["confidence"] < .5 {
		t.Errorf("a verdict without what was compared: %+v", g)
	}
}

func TestRecsys(t *testing.T) {
	e := NewEntities(map[string]int{"<http://x/The_Long_Rain_(1999)>": 1, "<http://x/Blue_Harbour>": 2, "<http://x/Nine_Lanterns>": 3})
	ps, err := Pick(With(Inputs{Entities: e}), "mab-recsys")
	if err != nil {
		t.Fatal(err)
	}
	r := rec("1. The Long Rain\n2. Bleu Harbor\n3. Nine Lanterns", "2", "3")
	if g := ps[0].Grade(r); g.Outcome != schema.GradeNA {
		t.Errorf("another sub-set is graded: %+v", g)
	}
	r.Source = "recsys_redial_full"
	g := ps[0].Grade(r)
	if g.Score == nil || *g.Score != 1 || g.Parts["recall@1"] != 0 || g.Parts["recall@10"] != 1 {
		t.Errorf("have %+v", g)
	}
	r.Golds = []string{"2", "99"}
	if g := ps[0].Grade(r); g.Outcome != schema.GradeNA || !strings.Contains(g.Reason, `"99"`) {
		t.Errorf("an id that the table lacks: %+v", g)
	}
	none, _ := ByName("mab-recsys")
	if g := none[0].Grade(r); g.Outcome != schema.GradeNA || !strings.Contains(g.Reason, "--entities") {
		t.Errorf("without a table: %+v", g)
	}
}

func TestSummary(t *testing.T) {
	j := judgeOf(t, "mab-summary")
	r := rec("A ship leaves. It sinks. Nobody is lost.", "A ship sinks.")
	if _, ok := j.Prompt(r); ok {
		t.Error("a question of another sub-set is graded")
	}
	r.Source, r.EvidenceTexts = "infbench_sum_eng_shots2", []string{"a ship leaves", "it sinks", "all are saved", "a storm comes"}
	if q, ok := j.Prompt(r); !ok || !strings.Contains(q.User, "3. Nobody is lost.") || !strings.Contains(q.User, "4. a storm comes") {
		t.Errorf("have %v %s", ok, q.User)
	}
	for reply, want := range map[string]float64{
		`{"fluency": 1, "covered": [1, 2, 3], "supported": [1, 2, 3]}`: 2 * .75 / 1.75,
		`{"fluency": 0, "covered": [1, 2, 3], "supported": [1, 2, 3]}`: 0,
		`{"fluency": 1, "covered": [], "supported": []}`:               0,
		`{"fluency": 2, "covered": [1], "supported": [1]}`:             -1,
		`{"fluency": 1, "covered": [5], "supported": [1]}`:             -1,
		`{"fluency": 1, "covered": [1], "supported": [0]}`:             -1,
		`{"covered": [1], "supported": [1]}`:                           -1,
	} {
		g, err := j.Verdict(r, reply)
		if (err != nil) != (want < 0) || err == nil && *g.Score != want {
			t.Errorf("%s: have %+v, %v; want %v", reply, g, err, want)
		}
	}
}

// The evidence goes to the judge where the record has it in words, in our own prompt.
func TestEvidenceForMem0(t *testing.T) {
	r := rec("in Turku", "Turku")
	plain, _ := judgeOf(t, "mem0-2026").Prompt(r)
	r.EvidenceTexts = []string{"I was born in Turku."}
	with, _ := judgeOf(t, "mem0-2026").Prompt(r)
	if strings.Contains(plain.User, "vidence") || !strings.Contains(with.User, "- I was born in Turku.") || plain.Template == with.Template {
		t.Errorf("without: %s\nwith: %s", plain.User, with.User)
	}
	var pr Prompts
	if _, err := pr.Add("mem0-2026", "own.txt", []byte("{question} {gold_answer} {generated_answer}")); err != nil {
		t.Fatal(err)
	}
	ps, _ := Pick(WithPrompts(&pr), "mem0-2026")
	if q, _ := ps[0].Judge.Prompt(r); slices.Contains(strings.Fields(q.User), "born") {
		t.Errorf("a user's prompt was given evidence: %s", q.User)
	}
}
