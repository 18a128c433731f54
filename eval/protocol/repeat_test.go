package protocol

import (
	"errors"
	"testing"

	"membench/schema"
)

// TestRepeats: grades as protocols give them pass; one that was edited, consistently too, is a finding, and so is a model's verdict that its reply does not hold.
func TestRepeats(t *testing.T) {
	graded := func(answer string) schema.QARecord {
		r := schema.QARecord{System: "s", Dataset: "d", CaseID: "c", QuestionID: "q", Question: "Where does Ana live?", Gold: "in Porto", Category: schema.CatIE, RawCategory: "4", Answer: answer, Outcome: schema.OutcomeAnswered, Hits: []schema.QAHit{}}
		for _, p := range All() {
			if p.Rule != nil {
				r.Grades = append(r.Grades, p.Grade(&r))
			}
		}
		return r
	}
	mem0, err := ByName("mem0-2025")
	if err != nil {
		t.Fatal(err)
	}
	judged := func(reply string, score float64) schema.QARecord {
		r := graded("Porto")
		g, err := mem0[0].Judge.Verdict(&r, `{"label": "CORRECT"}`)
		if err != nil {
			t.Fatal(err)
		}
		g = mem0[0].Complete(g, "gpt")
		g.Score, g.Reply = &score, reply
		r.Grades = []schema.Grade{g}
		return r
	}
	edited := func(protocol string, edit func(g *schema.Grade)) schema.QARecord {
		r := graded("It may be Lisbon.")
		for i := range r.Grades {
			if r.Grades[i].Protocol == protocol {
				edit(&r.Grades[i])
				return r
			}
		}
		t.Fatalf("no grade by %s", protocol)
		return r
	}
	one := 1.0
	for name, c := range map[string]struct {
		r    schema.QARecord
		want bool
	}{
		"right":            {graded("Porto"), true},
		"wrong":            {graded("It may be Lisbon."), true},
		"another version":  {edited("em@1", func(g *schema.Grade) { g.Protocol, g.Score = "em@0", &one }), true},
		"score":            {edited("em@1", func(g *schema.Grade) { g.Score = &one }), false},
		"score and label":  {edited("rule@2", func(g *schema.Grade) { g.Score, g.Label, g.Doubt = &one, "right", "" }), false},
		"not applicable":   {edited("rule@2", func(g *schema.Grade) { g.Outcome, g.Score, g.Label = schema.GradeNA, nil, "" }), false},
		"reply":            {judged(`{"label": "CORRECT"}`, 1), true},
		"other reply":      {judged(`{"label": "WRONG"}`, 1), false},
		"without a reply":  {judged("", 1), false},
		"no verdict in it": {judged("I cannot say.", 1), false},
	} {
		in := func(yield func(schema.Record[schema.QARecord], error) bool) {
			yield(schema.Record[schema.QARecord]{V: c.r}, nil)
		}
		n := 0
		for _, err := range new(Repeats).Over(t.Context(), in) {
			n++
			var f *schema.Finding
			if have := err == nil; have != c.want || !have && (!errors.As(err, &f) || f.Code != "EVL106") {
				t.Errorf("%s: have %v, want passed %v", name, err, c.want)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d records", name, n)
		}
	}
}
