package protocol

import (
	"errors"
	"fmt"
	"testing"

	"membench/schema"
)

// TestMissing: an answer must have every grade that this program gave the others of its system, data set and file, but no recorded verdict, no label of a
// person's, and no model's verdict where only doubtful answers were put to it.
func TestMissing(t *testing.T) {
	judge, err := ByName("mem0-2025")
	if err != nil {
		t.Fatal(err)
	}
	em, err := ByName("em")
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		system, file string
		doubt        bool
		graders      []grader
	}
	byEM, byModel, settled := grader{em[0].ID(), schema.ByRule}, grader{judge[0].ID(), "gpt"}, grader{Settled, "gpt"}
	for name, c := range map[string]struct {
		in   []answer
		want string
	}{
		"all":                {[]answer{{"s", "a", false, []grader{byEM}}, {"s", "a", false, []grader{byEM}}}, "[]"},
		"the later one":      {[]answer{{"s", "a", false, []grader{byEM}}, {"s", "a", false, nil}}, "[q1 em@1]"},
		"the first one":      {[]answer{{"s", "a", false, nil}, {"s", "a", false, []grader{byEM}}}, "[q0 em@1]"},
		"another system":     {[]answer{{"s", "a", false, []grader{byEM}}, {"o", "a", false, nil}}, "[]"},
		"another file":       {[]answer{{"s", "a", false, []grader{byEM}}, {"s", "b", false, nil}}, "[]"},
		"recorded":           {[]answer{{"s", "a", false, []grader{{"recorded-judge@amb", "gpt"}}}, {"s", "a", false, nil}}, "[]"},
		"of a person":        {[]answer{{"s", "a", false, []grader{{"human@1", "ana"}}}, {"s", "a", false, nil}}, "[]"},
		"a model's":          {[]answer{{"s", "a", false, []grader{byModel}}, {"s", "a", false, nil}}, "[q1 mem0-2025@1 by gpt]"},
		"doubtful only":      {[]answer{{"s", "a", true, []grader{byModel, settled}}, {"s", "a", false, []grader{settled}}}, "[]"},
		"doubtful, not both": {[]answer{{"s", "a", true, []grader{byModel, settled}}, {"s", "a", true, []grader{settled}}}, "[q1 mem0-2025@1 by gpt]"},
	} {
		var p Repeats
		in := func(yield func(schema.Record[schema.QARecord], error) bool) {
			for i, a := range c.in {
				r := schema.QARecord{System: a.system, Dataset: "d", CaseID: "c", QuestionID: fmt.Sprint("q", i), Gold: "Porto", Answer: "Porto", Outcome: schema.OutcomeAnswered}
				one := 1.0
				for _, x := range a.graders {
					g := em[0].Grade(&r)
					if x != byEM {
						g = schema.Grade{Protocol: x.protocol, By: x.by, Score: &one, Outcome: schema.GradeScored, Label: "CORRECT", Reply: `{"label": "CORRECT"}`}
					}
					r.Grades = append(r.Grades, g)
				}
				if a.doubt {
					r.Grades = append(r.Grades, schema.Grade{Protocol: "rule@0", By: schema.ByRule, Score: &one, Outcome: schema.GradeScored, Doubt: "two values"})
				}
				if !yield(schema.Record[schema.QARecord]{V: r, Pos: schema.Pos{File: a.file, Line: i + 1}}, nil) {
					return
				}
			}
		}
		codes := 0
		for _, err := range p.Over(t.Context(), in) {
			var f *schema.Finding
			if errors.As(err, &f) {
				if codes++; f.Code != "EVL110" {
					t.Errorf("%s: %v", name, f)
				}
			}
		}
		have := []string{}
		for _, m := range p.Missing() {
			have = append(have, m.QuestionID+" "+(&schema.Grade{Protocol: m.Protocol, By: m.By}).Grader())
		}
		if fmt.Sprint(have) != c.want || codes != len(have) {
			t.Errorf("%s: have %v and %d findings, want %s", name, have, codes, c.want)
		}
	}
}
