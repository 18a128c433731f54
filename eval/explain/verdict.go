package explain

import (
	"fmt"
	"slices"
	"strings"

	"membench/eval/fidelity"
	"membench/eval/judge"
	"membench/eval/protocol"
	"membench/internal/textnorm"
	"membench/schema"
)

// verdict is the result of an answer's grades.
type verdict struct {
	failed    bool
	asked     bool          // there is an answer to grade
	grade     *schema.Grade // that decides; nil where the answer was not graded
	corrected *schema.Grade // of the same grader against the corrected gold
	right     string        // grader that accepts the answer nevertheless; ""
}

// ofRetrieval are the protocols that grade the retrieval, not the answer.
var ofRetrieval = map[string]bool{"lme-retrieval": true, "evidence-recall": true, "turn-recall": true, "domaina-evidence": true}

// OfAnswer reports whether a grade is about the answer, not about the retrieval.
func OfAnswer(g *schema.Grade) bool { return !ofRetrieval[schema.ProtocolName(g.Protocol)] }

// exact are the protocols that say yes to equal texts only.
var exact = map[string]bool{"em": true, "squad-em": true}

const ruleJudge = "rule"

func named(g *schema.Grade, name string) bool {
	return g.Protocol == name || schema.ProtocolName(g.Protocol) == name
}

// verdict reads the grades of r, and where they say that it failed asks who disagrees.
func (o *Options) verdict(r *schema.QARecord) verdict {
	v := o.grade(r)
	if v.failed {
		v.right = o.second(r, v.grade)
	}
	return v
}

// grade finds the grade that decides.
func (o *Options) grade(r *schema.QARecord) verdict {
	v := verdict{asked: r.Outcome == schema.OutcomeAnswered || r.Outcome == schema.OutcomeEmpty || r.Outcome == ""}
	if !v.asked {
		return v
	}
	rank := 0 // of the grade that decides
	byRule := slices.ContainsFunc(r.Grades, func(g schema.Grade) bool { return g.Gold == "" && schema.ProtocolName(g.Protocol) == ruleJudge })
	for i := range r.Grades {
		g := &r.Grades[i]
		if g.Score == nil || g.Outcome != schema.GradeScored || g.Gold != "" {
			continue
		}
		n := 1
		switch {
		case o.Grader != "":
			if n = 0; named(g, o.Grader) {
				n = 1
			}
		case ofRetrieval[schema.ProtocolName(g.Protocol)]:
			n = 0
		case g.By != schema.ByRule:
			n = 3
		case schema.ProtocolName(g.Protocol) == ruleJudge:
			n = 2
		case byRule: // it did not score this one: no string is compared in its place
			n = 0
		}
		if n > rank {
			rank, v.grade = n, g
		}
	}
	if v.grade == nil || *v.grade.Score >= o.Threshold {
		return v
	}
	v.failed = true
	for i := range r.Grades {
		if g := &r.Grades[i]; g.Gold == schema.GoldCorrected && g.Protocol == v.grade.Protocol && g.By == v.grade.By {
			v.corrected = g
		}
	}
	return v
}

// second returns what contradicts a failed grade: equal words, or another grader.
func (o *Options) second(r *schema.QARecord, first *schema.Grade) string {
	if key := textnorm.Key(r.Answer); key != "" && !r.Abstain {
		for _, g := range r.AllGolds() {
			if textnorm.Key(g) == key && fidelity.Carries(g, r.Answer) { // 19:45 is not 1945
				return "the answer is the gold word for word"
			}
		}
	}
	asked := false
	for i := range r.Grades {
		g := &r.Grades[i]
		name := schema.ProtocolName(g.Protocol)
		asked = asked || name == ruleJudge
		if g == first || g.Score == nil || g.Gold != "" || ofRetrieval[name] {
			continue
		}
		ok := named(g, o.Second)
		if o.Second == "" {
			ok = g.By != schema.ByRule || name == ruleJudge || exact[name]
		}
		if ok && *g.Score >= o.Threshold {
			return fmt.Sprintf("%s says that the answer is right", g.Grader())
		}
	}
	if !asked && (o.Second == "" || o.Second == ruleJudge) {
		p := protocol.RuleJudge()
		if g := p.Grade(r); g.Score != nil && *g.Score >= o.Threshold {
			return fmt.Sprintf("%s says that the answer is right (%s)", p.ID(), g.Reason)
		}
	}
	return ""
}

// abstains reports whether the answer says that it does not know.
func abstains(r *schema.QARecord) bool {
	return strings.TrimSpace(r.Answer) == "" || judge.Judge(judge.Question{Text: r.Question, Abstain: true}, []string{""}, r.Answer).Correct
}
