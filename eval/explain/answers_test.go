package explain_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

// several explains records of one memory in their order and counts them.
func several(t *testing.T, rs []schema.QARecord, c schema.Case, o explain.Options, ss ...schema.SessionRecord) ([]*schema.Attribution, explain.Count) {
	t.Helper()
	for i := range rs {
		r := &rs[i]
		r.System, r.Dataset, r.CaseID, r.QuestionID = "s", "d", "c", fmt.Sprint("q", i)
		if r.Outcome == "" {
			r.Outcome, r.Grades = schema.OutcomeAnswered, wrong(r.Answer)
		}
	}
	o.Sessions, o.Cases, o.Survey = seq(ss), seq([]schema.Case{c}), &explain.Survey{}
	counts := explain.NewCounts(o)
	var out []*schema.Attribution
	for got, err := range explain.QA(context.Background(), seq(rs), o) {
		if err != nil {
			t.Fatal(err)
		}
		counts.Add(&got.V)
		out = append(out, got.V.Attribution)
	}
	return out, counts.All()[0]
}

// What an answer is made of decides what happened at the reader: words of a hit are not invented, also where no answer is right.
func TestAnswers(t *testing.T) {
	c := market()
	ss, hits := kept(&c, nil, own)
	all := []schema.QAHit{hits[1], hits[3], hits[5], hits[8]}
	for _, x := range []struct {
		question, gold, answer string
		evidence               int
		kind, reason           string
	}{
		{"Which number does the stall have?", "41", "Rui: My cousin tunes church organs.", 3, "", "from the hit at rank 4, word for word"},
		{"Which number does the stall have?", "41", "My stall at the market hall has the number 73.", 3, schema.FaultInvented, "number 73 is in nothing"},
		{"Which number does the stall have?", "41", "A submarine under blue ice.", 3, schema.FaultInvented, "most of the answer's words"},
		{"What colour is Ilka's car?", "", " ", 0, schema.FaultRefused, "the answer is empty"},
		{"What colour is Ilka's car?", "", "Ilka: My stall has the number 41.", 0, "", "from the hit at rank 2, word for word"},
		{"What colour is Ilka's car?", "", "A submarine under blue ice.", 0, schema.FaultInvented, "most of the answer's words"},
	} {
		r := shown(x.question, x.gold, x.answer, x.evidence, nil, all...)
		if r.Abstain = x.evidence == 0; r.Abstain {
			r.Evidence = nil
		}
		a := one(t, r, &c, explain.Options{}, ss...)
		if a == nil || a.Hop != schema.HopRead || a.Kind != x.kind || !strings.Contains(a.Reason, x.reason) {
			t.Errorf("%s %s: have %+v, want read, %q and %q", x.question, x.answer, a, x.kind, x.reason)
		}
	}
}

// Answers that are one question late are not the reader's invention.
func TestLateAnswers(t *testing.T) {
	c := market()
	ss, hits := kept(&c, nil, own)
	all := []schema.QAHit{hits[1], hits[3], hits[5], hits[7], hits[8]}
	ask := []struct {
		question, gold string
		evidence       int
	}{
		{"What does Ilka sell?", "candles", 1}, {"Which number does the stall have?", "41", 3}, {"Who is Miroslav?", "a parrot", 5},
		{"Which colour has the stall?", "orange", 7}, {"What does the cousin tune?", "church organs", 8},
	}
	late := func(shift int) (rs []schema.QARecord) {
		for i, q := range ask {
			rs = append(rs, shown(q.question, q.gold, "It is "+ask[(i+shift)%len(ask)].gold+".", q.evidence, nil, all...))
		}
		return rs
	}
	got, _ := several(t, late(len(ask)-1), c, explain.Options{}, ss...)
	if a := got[4]; a == nil || a.Hop != schema.HopRead || a.Kind != schema.FaultImpure || !strings.Contains(a.Reason, "of the question before") {
		t.Errorf("answers one late: have %+v", a)
	}
	got, _ = several(t, late(2), c, explain.Options{}, ss...)
	if slices.ContainsFunc(got, func(a *schema.Attribution) bool { return a.Kind == schema.FaultImpure }) {
		t.Errorf("answers of other questions: %+v", got)
	}
}

// Questions that were not answered are said to be lost where the system failed, with the case and the first error.
func TestUnanswered(t *testing.T) {
	c := market()
	ss, _ := kept(&c, nil, own)
	ss[1].Error, ss[1].Outcome = "tool: no room for 🦜", schema.OutcomeError
	rs := []schema.QARecord{
		{Outcome: schema.OutcomeError, Error: "not asked: session S2: tool: no room for 🦜"}, {Outcome: schema.OutcomeError, Error: "not asked: session S2: tool: no room for 🦜"},
		{Outcome: schema.OutcomeTimeout, Error: "searching took longer than 3s"},
	}
	_, n := several(t, rs, c, explain.Options{}, ss...)
	want := []string{"not answered: 2 lost at ingest (failed); the first is of case c: the system failed in session S2: tool: no room for 🦜", "not answered: 1 timeout; the first is of case c: searching took longer than 3s"}
	if got := n.Facts(); !slices.Equal(got, want) {
		t.Errorf("have %q, want %q", got, want)
	}
	var text strings.Builder
	n.WriteText(&text)
	for _, w := range want {
		if !strings.Contains(text.String(), "  "+w+"\n") {
			t.Errorf("the text lacks %q:\n%s", w, text.String())
		}
	}
}
