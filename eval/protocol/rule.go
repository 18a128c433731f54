package protocol

import (
	"strings"

	"membench/eval/judge"
	"membench/schema"
)

// RuleJudge is the rule judge (eval/judge) as a protocol: right or wrong without a model, with the compared facts.
func RuleJudge() *Protocol {
	name, version, _ := strings.Cut(judge.Name, "-judge@")
	return &Protocol{
		Name: name, Version: version, Binary: true, Default: true,
		Formula: "1 if dates, numbers, names, lists, polarity and words of the answer say what a gold says, else 0 (English, Chinese); part confidence: [0,1], that the answer is right (0.1 beside wrong is a sure verdict), weights trained on recorded verdicts",
		Rule: func(r *schema.QARecord) schema.Grade {
			golds := r.AllGolds()
			switch {
			case !r.Abstain && strings.TrimSpace(strings.Join(golds, "")) == "":
				return NotApplicable("the question has no gold to compare with")
			case rubric(r):
				return NotApplicable("the gold describes a good answer (" + r.RawCategory + "): only a model can grade it")
			case len(r.Choices) > 0 && goldChoice(r) >= 0:
				return byChoice(r)
			}
			q := judge.Question{Text: r.Question, Abstain: r.Abstain, AsOf: r.AsOf}
			if r.Given != nil {
				q.From, q.To = r.Given.From, r.Given.To
			}
			v := judge.Judge(q, golds, r.Answer)
			g := labelled(v.Correct, "right", "wrong")
			if v.Doubt != "" {
				g.Label, g.Doubt = "doubtful", v.Doubt
			}
			g.Reason, g.Parts = v.Reason, map[string]float64{"confidence": v.Score}
			for _, f := range v.Facts {
				g.Facts = append(g.Facts, f.String())
			}
			return g
		},
	}
}

// rubric detects golds that describe a good answer instead of giving one.
func rubric(r *schema.QARecord) bool {
	return r.OpenEnded || !r.Abstain && (r.RawCategory == "single-session-preference" || strings.Contains(r.Source, "infbench_sum"))
}
