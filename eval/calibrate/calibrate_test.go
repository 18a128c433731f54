package calibrate

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"membench/eval/protocol"
	"membench/llm"
	"membench/schema"
)

func records() (out []schema.QARecord) {
	for i, x := range [][3]string{
		{"When did Ann move to Leeds?", "4 March 2021", "March 4, 2021"},
		{"When did Tom sell the boat?", "9 June 2020", "9 June 2020"},
		{"What did Tom bring to the picnic?", "lemon cake", "a lemon cake"},
		{"Which instrument does Ann play?", "cello", "the violin"},
		{"How many bridges did Tom sketch?", "12", "twelve"},
		{"汤姆带了什么去野餐？", "柠檬蛋糕", "柠檬蛋糕"},
		{"安在哪里上班？", "图书馆", "没有提到"},
		{"Which colours are on the flag?", "blue, white, green", "green, white and blue"},
		{"What grows behind the shed?", "gooseberries, rhubarb", "rhubarb"},
	} {
		out = append(out, schema.QARecord{System: "s", Dataset: "d", CaseID: "c", QuestionID: fmt.Sprint(i), Question: x[0], Gold: x[1], Answer: x[2], Outcome: schema.OutcomeAnswered})
	}
	return out
}

// Every question gets a right and a vague answer, and the wrong ones are never a gold.
func TestPlants(t *testing.T) {
	pool := new(Pool)
	rs := records()
	for _, r := range rs {
		pool.Add(r)
	}
	specific := 0
	for _, r := range rs {
		kinds := map[Kind]string{}
		for _, p := range pool.Plants(r) {
			kinds[p.Kind] = p.Answer
		}
		if kinds[Paraphrase] == "" || kinds[Vague] == "" {
			t.Errorf("%s: have %v, want a paraphrase and a vague answer", r.Question, kinds)
		}
		if w := kinds[Specific]; w != "" {
			specific++
			if w == r.Gold || shares(w, r.Gold) && r.QuestionID != "0" && r.QuestionID != "1" {
				t.Errorf("%s: the wrong answer %q shares words with the gold %q", r.Question, w, r.Gold)
			}
		}
	}
	if specific < 7 {
		t.Errorf("have %d specific wrong answers, want most of %d", specific, len(rs))
	}
	if got := pool.Plants(schema.QARecord{Question: "q", Gold: "g", Abstain: true}); got != nil {
		t.Errorf("a question without an answer got %v", got)
	}
}

// byRule is the rule judge as a grader.
func byRule(t *testing.T) Grader {
	t.Helper()
	g, err := Protocol(protocol.RuleJudge(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRunRule(t *testing.T) {
	rep, err := Run(context.Background(), records(), byRule(t), Options{Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if rep.Judge != "rule@2" || rep.Questions != 9 {
		t.Errorf("have %s, %d questions", rep.Judge, rep.Questions)
	}
	if rep.FalseAccepts.Rate > .2 || rep.FalseRejects.Rate > .25 {
		t.Errorf("false accepts %+v, false rejects %+v", rep.FalseAccepts, rep.FalseRejects)
	}
	if len(rep.Systems[0].Corrected) != 3 || !rep.Systems[0].Corrected[0].Shown {
		t.Fatalf("corrected: %+v", rep.Systems[0].Corrected)
	}
	for _, c := range rep.Systems[0].Corrected {
		if c.Lo > c.Accuracy || c.Accuracy > c.Hi || c.Lo < 0 || c.Hi > 1 {
			t.Errorf("corrected %+v", c)
		}
	}
}

// A judge that says yes to all has false accepts 1 and no corrected accuracy.
func TestRunYes(t *testing.T) {
	rep, err := Run(context.Background(), records(), func(context.Context, schema.QARecord) (schema.Grade, error) { return protocol.Scored(1), nil }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rep.FalseAccepts.Rate != 1 || rep.FalseRejects.Rate != 0 || rep.Systems[0].Corrected[0].Shown {
		t.Errorf("have %+v", rep)
	}
}

// Doubtful verdicts count alike in the accuracy and in the rates that correct it: a judge that leans to yes on everything corrects nothing, although it accepts
// no planted answer for certain. Each system has its own accuracy.
func TestRunLeaning(t *testing.T) {
	rs := records()
	rs[0].System = "other"
	rep, err := Run(context.Background(), rs, func(_ context.Context, r schema.QARecord) (schema.Grade, error) {
		g := protocol.Scored(1)
		g.Doubt = "it may be turned"
		return g, nil
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rep.FalseAccepts.K != 0 || len(rep.Systems) != 2 || rep.Systems[0].System != "other" || rep.Systems[0].Accuracy.N != 1 || rep.Systems[1].Accuracy.N != len(rs)-1 {
		t.Fatalf("have %+v", rep)
	}
	for _, x := range rep.Systems {
		for _, c := range x.Corrected {
			if c.Shown {
				t.Errorf("%s: %+v of a judge that leans to yes on everything", x.System, c)
			}
		}
	}
}

// saying is a model that always says the same.
type saying string

func (s saying) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: string(s)}, nil
}
func (s saying) Model() string { return "saying" }

// A judge's failures are counted apart, never as wrong.
func TestRunFailing(t *testing.T) {
	p := &protocol.Protocol{Name: "j", Version: "1", Judge: &protocol.Judge{
		Prompt:  func(r *schema.QARecord) (protocol.Prompt, bool) { return protocol.Prompt{User: r.Answer}, true },
		Verdict: func(*schema.QARecord, string) (schema.Grade, error) { return schema.Grade{}, errors.New("no verdict") },
	}}
	g, err := Protocol(p, saying("hm"))
	if err != nil {
		t.Fatal(err)
	}
	rep, err := Run(context.Background(), records(), g, Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Systems) != 0 || rep.Ungraded != 9 || rep.Kinds[0].Failed != 9 {
		t.Errorf("have %+v", rep)
	}
	if _, err := Protocol(p, nil); err == nil {
		t.Error("a judge without a model was taken")
	}
}
