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
		{"Which number does the stall have?", "41", "My stall has the num", 3, schema.FaultCut, "breaks off inside a word"},
		{"Which number does the stall have?", "41", "My stall has the number", 3, "", "says the gold where the answer ends: “41.”"},
		{"Which number does the stall have?", "41", `{"answer": "My stall has no number"}`, 3, schema.FaultEncoding, "JSON"},
		{"Which number does the stall have?", "41", `"My stall has no number"`, 3, "", "all the evidence"},
		{"Which number does the stall have?", "41", "TXkgY291c2luIHR1bmVzIGNodXJjaCBvcmdhbnMu", 3, schema.FaultEncoding, "decoded it is “My cousin tunes church organs.”"},
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
	if got := fmt.Sprint(n.Facts()); got != fmt.Sprint(want) {
		t.Errorf("have %s, want %q", got, want)
	}
	var text strings.Builder
	n.WriteText(&text, fmt.Sprintf)
	for _, w := range want {
		if !strings.Contains(text.String(), "  "+w+"\n") {
			t.Errorf("the text lacks %q:\n%s", w, text.String())
		}
	}
}

// An answer made of the hits of the question before is no invention, and neither is it where that question was asked of another memory.
func TestAnswersFromBefore(t *testing.T) {
	c := market()
	ss, hits := kept(&c, nil, own)
	first := shown("What does the cousin tune?", "church organs", "It tunes pianos.", 8, nil, hits[8])
	second := shown("Which number does the stall have?", "41", "Rui: My cousin tunes church organs.", 3, nil, hits[3])
	got, _ := several(t, []schema.QARecord{first, second}, c, explain.Options{}, ss...)
	if a := got[1]; a == nil || a.Kind != schema.FaultImpure || !strings.Contains(a.Reason, "the hit at rank 1 of the question before") {
		t.Errorf("have %+v", a)
	}
	if a := one(t, second, &c, explain.Options{}, ss...); a == nil || a.Kind != schema.FaultInvented {
		t.Errorf("alone: have %+v", a)
	}
}

// What answers and hits of many questions have in common is remarked, and not where it is chance.
func TestPatterns(t *testing.T) {
	c := market()
	ss, hits := kept(&c, nil, own)
	ask := func(n int, answer func(i int) string, of func(i int) []int) explain.Count {
		var rs []schema.QARecord
		for i := range n {
			var hs []schema.QAHit
			for _, k := range of(i) {
				hs = append(hs, hits[k])
			}
			rs = append(rs, shown(fmt.Sprintf("Which number does stall %d have?", i), "41", answer(i), 3, nil, hs...))
		}
		_, count := several(t, rs, c, explain.Options{}, ss...)
		return count
	}
	same, others := func(int) []int { return []int{1, 5} }, func(i int) []int { return []int{1, 3 + i%5} }
	text := func(i int) string { return fmt.Sprintf("It is on the list of row %d.", i) }
	for name, x := range map[string]struct {
		count explain.Count
		want  string
		there bool
	}{
		"same hits":          {ask(4, text, same), "all questions get the same hits", true},
		"other hits":         {ask(4, text, others), "all questions get the same hits", false},
		"no hits":            {ask(4, text, func(int) []int { return nil }), "all questions get the same hits", false},
		"two questions":      {ask(2, text, same), "all questions get the same hits", false},
		"one length":         {ask(6, text, others), "no answer is longer than 27 characters, and 6 of 6", true},
		"one text":           {ask(6, func(int) string { return "It is on the list of row 1." }, others), "no answer is longer", false},
		"of the last hit":    {ask(3, func(int) string { return "Our parrot is called Miroslav." }, same), "all 3 answers that are a piece of a hit are of the last hit", true},
		"of the first hit":   {ask(3, func(int) string { return "I sell candles at the market hall." }, same), "of the last hit", false},
		"of the second hit":  {ask(3, func(int) string { return "Our parrot is called Miroslav." }, func(int) []int { return []int{1, 5, 3} }), "are of the hit at rank 2", true},
		"of no hit":          {ask(3, text, same), "of the last hit", false},
		"failed at one hop":  {ask(3, text, same), "of no kind", false},
		"hits that are left": {ask(3, text, same), "have the id of another hit", false},
	} {
		if have := slices.ContainsFunc(x.count.Facts(), func(s schema.Sentence) bool { return strings.Contains(s.String(), x.want) }); have != x.there {
			t.Errorf("%s: %q is %v, want %v: %s", name, x.want, have, x.there, x.count.Facts())
		}
	}
	var empty []schema.QARecord
	for range 4 {
		empty = append(empty, shown("Which number does the stall have?", "41", "It has none.", 3, nil))
	}
	if got, _ := several(t, empty, c, explain.Options{}, ss...); got[3] == nil || got[3].Kind != schema.FaultEmpty || strings.Contains(got[3].Reason, "the same hits") {
		t.Errorf("no hits: have %+v", got[3])
	}
	r := shown("Which number does the stall have?", "41", "It has none.", 3, nil, hits[1])
	r.Repeated, r.Below = 3, []schema.QARank{{Rank: 2, ID: "m3", Sources: own(3)}}
	got, count := several(t, []schema.QARecord{r}, c, explain.Options{}, ss...)
	if a := got[0]; a == nil || a.Kind != schema.FaultDuplicate || !strings.Contains(a.Reason, "gave 4, and 3 of these have the id of another one") {
		t.Errorf("repeated ids: have %+v", a)
	}
	if !slices.ContainsFunc(count.Remarks, func(s string) bool { return strings.HasPrefix(s, "3 of 4 hits have the id of another hit") }) {
		t.Errorf("repeated ids: %q", count.Remarks)
	}
}

// A turn that is kept as several memories is kept, and an id that a session gives twice loses the first text.
func TestPiecesAndIDs(t *testing.T) {
	c := market()
	c.Sessions[0].Turns[2].Text = "My stall has the number 41, the blue door is beside it, and the bakery is opposite."
	ss, hits := kept(&c, nil, own)
	ss[0].Delta = slices.DeleteFunc(ss[0].Delta, func(d schema.MemoryDelta) bool { return d.ID == "m3" })
	for i, piece := range []string{"My stall has the number 41", "the blue door is beside it", "and the bakery is opposite."} {
		ss[0].Delta = append(ss[0].Delta, add(fmt.Sprint("p", i), "Ilka: "+piece, own(3)...))
	}
	r := shown("What is opposite?", "the bakery", "The blue door.", 3, nil, hits[1])
	if a := one(t, r, &c, explain.Options{}, ss...); a == nil || a.Hop != schema.HopRetrieve {
		t.Errorf("pieces: have %+v", a)
	}
	_, count := several(t, []schema.QARecord{r}, c, explain.Options{}, ss...)
	if slices.ContainsFunc(count.Remarks, func(s string) bool { return strings.Contains(s, "stored otherwise") }) {
		t.Errorf("pieces: %q", count.Remarks)
	}

	c = market()
	ss, _ = kept(&c, nil, own)
	ss[0].Delta = slices.DeleteFunc(ss[0].Delta, func(d schema.MemoryDelta) bool { return d.ID == "m3" })
	ss[0].Changes = []schema.MemoryChange{{Op: "ADD", ID: "m1", New: "Ilka: My stall has the number 41."}}
	r = shown("Which number does the stall have?", "41", "It has none.", 3, nil, hits[1])
	got, count := several(t, []schema.QARecord{r}, c, explain.Options{}, ss...)
	if a := got[0]; a == nil || a.Hop != schema.HopOverwrite || a.Kind != schema.FaultUpdated {
		t.Errorf("an id twice: have %+v", a)
	}
	if !slices.ContainsFunc(count.Remarks, func(s string) bool { return strings.Contains(s, "since it has the same id: 1, such as m1") }) {
		t.Errorf("an id twice: %q", count.Remarks)
	}
}
