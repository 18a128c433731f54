package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

// TestUnsaid: golds that a system knows, what a reader knows, and hits of other conversations are warned of; memories in own words, yes and no, bounds and what
// several conversations have are not.
func TestUnsaid(t *testing.T) {
	things := []string{"a walnut table", "two lemon trees", "the harbour museum", "an old cello", "green curtains", "a folding kayak"}
	var cases []schema.Case
	for i, thing := range things {
		c := toy(schema.UnitTurn, "After lunch we finally paid for "+thing+".", "Such a cold winter this year.", fmt.Sprintf("Number %d of the tenants has moved out again.", i))
		c.ID, c.ConvID = fmt.Sprint("c", i), schema.ConvID(fmt.Sprint("c", i))
		cases = append(cases, c)
	}
	asked := "What did they spend money on?"
	run := func(typ string, change func(i int, r *schema.QARecord)) string {
		one := 1.
		o := explain.Options{Survey: &explain.Survey{}, Cases: seq(cases)}
		var records []schema.QARecord
		for i, thing := range things {
			r := schema.QARecord{System: "s", Type: typ, Dataset: "d", CaseID: cases[i].ID, QuestionID: "q", Question: asked, Gold: thing, Answer: thing, K: 3, Outcome: schema.OutcomeAnswered,
				Evidence: []schema.EventRef{{ConvID: cases[i].ConvID, TurnID: 1}}, Grades: []schema.Grade{{Protocol: "rule@2", By: "rule", Score: &one, Outcome: schema.GradeScored}}}
			change(i, &r)
			for j := range r.Hits {
				r.Context += r.Hits[j].Text + "\n"
			}
			records = append(records, r)
		}
		for _, err := range explain.QA(t.Context(), seq(records), o) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return strings.Trim(fmt.Sprint(o.Survey.Warnings("s", "d")), "[]")
	}
	other := func(i int) string { return cases[(i+1)%len(cases)].Sessions[0].Turns[2].Text }
	for _, c := range []struct {
		name, typ, want string
		change          func(i int, r *schema.QARecord)
	}{
		{"question and gold", "", "6 of 6 right answers come from hits with text that is not in the dialogue", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "What did they spend money on: "+things[i])}
		}},
		{"the gold itself, a turn named", "", "6 of 6 right answers come from hits with text that is not in the dialogue", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", things[i], schema.EventRef{ConvID: cases[i].ConvID, TurnID: 2})}
		}},
		{"known", "", "6 of 6 right answers had neither the gold evidence nor a word of the gold", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "Such a cold winter this year.", schema.EventRef{ConvID: cases[i].ConvID, TurnID: 2})}
		}},
		{"known by a reader without a memory", "null", "", func(i int, r *schema.QARecord) {}},
		{"other conversations", "", "hits of other conversations than the one that was asked about, by their texts: 6 in 6 questions", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "Ivo: "+other(i)), hit("y", cases[i].Sessions[0].Turns[0].Text)}
		}},
		{"what all conversations have", "", "", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "Such a cold winter this year."), hit("y", cases[i].Sessions[0].Turns[0].Text)}
		}},
		{"own words without sources", "", "", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "The user bought "+things[i]+" after lunch")}
		}},
		{"own words of the evidence", "", "", func(i int, r *schema.QARecord) {
			r.Hits = []schema.QAHit{hit("x", "Owns "+things[i], schema.EventRef{ConvID: cases[i].ConvID, TurnID: 1})}
		}},
		{"yes and no", "", "", func(i int, r *schema.QARecord) { r.Gold, r.Answer = "Yes, surely", "Yes" }},
		{"it answers by itself", "", "", func(i int, r *schema.QARecord) { r.K = 0 }},
	} {
		if have := run(c.typ, c.change); have != c.want && (c.want == "" || !strings.HasPrefix(have, c.want) || strings.Contains(have, "\n")) {
			t.Errorf("%s: have %q, want %q", c.name, have, c.want)
		}
	}
}
