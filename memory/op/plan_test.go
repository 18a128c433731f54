package op

import (
	"context"
	"slices"
	"testing"

	"membench/llm"
	"membench/llm/llmtest"
)

func TestRulePlan(t *testing.T) {
	for q, want := range map[string]Plan{
		"When did Ana move to Porto?":                         {InTime: true, Threshold: .65},
		"Where does Ana live now?":                            {Latest: true, Threshold: .65},
		"Did Ana ever see a bear?":                            {Threshold: .80},
		"What is Ana's favourite tea?":                        {Threshold: .65},
		"Ana 是什么时候搬到里斯本的？":                                    {InTime: true, Threshold: .65},
		"她现在住在哪里？":                                            {Latest: true, Threshold: .65},
		"她有没有养过猫？":                                            {Threshold: .80},
		"Compare what Ana and what Ben think of Porto Alegre": {Threshold: .65, Parts: []string{"Compare what Ana what think of", "Compare what what Ben think of", "Compare what what think of Porto Alegre"}},
	} {
		have := RulePlan(q)
		if have.InTime != want.InTime || have.Latest != want.Latest || have.Threshold != want.Threshold || len(have.Parts) != len(want.Parts) || len(have.Keywords) == 0 {
			t.Errorf("%s: have %+v, want %+v", q, have, want)
		}
	}
	if p := RulePlan(""); len(p.Keywords) != 0 || p.Threshold != .65 {
		t.Errorf("no question: have %+v", p)
	}
}

func TestModelPlan(t *testing.T) {
	ctx := context.Background()
	g := llmtest.NewScript(`{"keywords":["tea"," "],"parts":["a","b","c","d","e"],"in_time":true,"latest":false,"threshold":0.7,"hint":" look "}`)
	p, u, err := ModelPlan(ctx, g, llm.Prompts{}, "q")
	if err != nil || u.Calls != 1 || !slices.Equal(p.Keywords, []string{"tea"}) || len(p.Parts) != 4 || !p.InTime || p.Threshold != .7 || p.Hint != "look" {
		t.Errorf("have %+v, %v", p, err)
	}
	if _, u, err := ModelPlan(ctx, llmtest.NewScript(`{"threshold":7}`, `no`), llm.Prompts{}, "q"); llm.KindOf(err) != llm.KindUnusable || u.Calls != 2 {
		t.Errorf("have %v after %d calls", err, u.Calls)
	}
}

func TestRefine(t *testing.T) {
	texts := []string{"Ana likes green tea.", "It rained.", "Tea is grown in Assam."}
	have, _, err := ModelRefine(context.Background(), llmtest.NewScript(`{"items":[{"n":3,"text":"Assam"},{"n":1},{"n":3},{"n":0},{"n":9}]}`), llm.Prompts{}, "q", Plan{Hint: "h"}, texts)
	if err != nil || !slices.Equal(have, []Refined{{2, "Assam"}, {0, texts[0]}}) {
		t.Errorf("have %v, %v", have, err)
	}
	if have, _, err := ModelRefine(context.Background(), llmtest.NewScript(`{"items":[]}`), llm.Prompts{}, "q", Plan{}, texts); err != nil || len(have) != 0 {
		t.Errorf("nothing helps: have %v, %v", have, err)
	}
	if have := RuleRefine("What tea?", Plan{}, texts); !slices.Equal(have, []Refined{{0, texts[0]}, {2, texts[2]}}) {
		t.Errorf("have %v", have)
	}
	if have := RuleRefine("zebra", Plan{}, texts); len(have) != 3 {
		t.Errorf("no word shared: have %v", have)
	}
}
