package explain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

func ref(n int) schema.EventRef { return schema.EventRef{ConvID: "c", TurnID: n} }

// toy is a case of two sessions.
func toy(unit string, texts ...string) schema.Case {
	c := schema.Case{ID: "c", Dataset: "d", ConvID: "c", Unit: unit}
	for i, t := range texts {
		if i%4 == 0 {
			c.Sessions = append(c.Sessions, schema.Session{ID: fmt.Sprintf("S%d", i/4+1)})
		}
		s := &c.Sessions[len(c.Sessions)-1]
		s.Turns = append(s.Turns, schema.CaseTurn{TurnID: i + 1, Role: []string{"user", "assistant"}[i%2], Text: t})
	}
	return c
}

func wrong(string) []schema.Grade {
	zero := 0.
	return []schema.Grade{{Protocol: "mem0-2025@1", By: "m", Score: &zero, Outcome: schema.GradeScored}}
}

func session(i int, turns int, deltas ...schema.MemoryDelta) schema.SessionRecord {
	return schema.SessionRecord{System: "s", Dataset: "d", CaseID: "c", SessionID: fmt.Sprintf("S%d", i+1), Index: i, Turns: turns, Delta: deltas, Outcome: schema.OutcomeAnswered}
}

func add(id, text string, refs ...schema.EventRef) schema.MemoryDelta {
	return schema.MemoryDelta{Op: "add", ID: schema.PointID(id), Text: text, Sources: refs}
}

func hit(id, text string, refs ...schema.EventRef) schema.QAHit {
	return schema.QAHit{Rank: 1, ID: schema.PointID(id), Text: text, Sources: refs}
}

// one explains one record.
func one(t *testing.T, r schema.QARecord, c *schema.Case, o explain.Options, ss ...schema.SessionRecord) *schema.Attribution {
	t.Helper()
	r.System, r.Dataset, r.CaseID, r.Outcome = "s", "d", "c", schema.OutcomeAnswered
	if r.Grades == nil {
		r.Grades = wrong(r.Answer)
	}
	o.Sessions = seq(ss)
	if c != nil {
		o.Cases = seq([]schema.Case{*c})
	}
	for got, err := range explain.QA(context.Background(), seq([]schema.QARecord{r}), o) {
		if err != nil {
			t.Fatal(err)
		}
		return got.V.Attribution
	}
	return nil
}

var talk = []string{
	"I live in Lisbon, by the river.", "Nice! What a city.", "My sister Berit paints boats.", "Boats are lovely.",
	"News: I moved to Porto in May.", "To Porto! Since when?", "我在学水下焊接，每周二上课。", "听起来很难。",
}

func TestHops(t *testing.T) {
	turns, rounds, sessions := toy(schema.UnitTurn, talk...), toy(schema.UnitRound, talk...), toy(schema.UnitSession, talk...)
	all := []schema.SessionRecord{
		session(0, 4, add("1", talk[0], ref(1)), add("3", talk[2], ref(3))),
		session(1, 4, add("5", talk[4], ref(5)), add("7", talk[6], ref(7)), add("8", "The course is hard.", ref(8))),
	}
	listed := toy(schema.UnitTurn, "I own 21 lamps and also 34 chairs.", "Wow.")
	pottery := []schema.SessionRecord{session(0, 4, add("1", "The user lives somewhere.", ref(1)))}
	half := schema.SessionRecord{System: "s", Dataset: "d", CaseID: "c", SessionID: "S1", Turns: 4, Opaque: true, Outcome: schema.OutcomeAnswered}
	kept := func(texts ...string) (schema.Case, []schema.SessionRecord) {
		c := toy(schema.UnitTurn, texts...)
		var ss []schema.SessionRecord
		for i, s := range c.Sessions {
			var deltas []schema.MemoryDelta
			for _, t := range s.Turns {
				deltas = append(deltas, add(fmt.Sprint(t.TurnID), t.Text, ref(t.TurnID)))
			}
			ss = append(ss, session(i, len(s.Turns), deltas...))
		}
		return c, ss
	}
	bought, boughtAll := kept("I bought 21 lamps.", "And 9 more lamps.", "The course starts on 5 May.", "我住在大理的老城里。")
	beside, besideAll := kept("My sister is Berit.", "Is she well?", "Yes.", "She paints with Clara.")
	moved, movedAll := kept("I live in Lisbon, by the river.", "I live in Lisbon too.", "It is warm.", "Yes.", "Now I live in Porto.", "Nice.")
	for _, x := range []struct {
		name       string
		r          schema.QARecord
		c          *schema.Case
		ss         []schema.SessionRecord
		hop, cause string
		reason     string
	}{
		{"the memory of the turn lacks the fact", schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "Rome", Evidence: []schema.EventRef{ref(1)}, K: 5}, &turns, pottery,
			schema.HopStore, schema.CauseMiss, "it does not have “Lisbon”"},
		{"two memories of a turn say it together", schema.QARecord{Question: "What is the list?", Gold: "21 lamps, 34 chairs", Answer: "unknown", Evidence: []schema.EventRef{ref(1)}, K: 5},
			&listed, []schema.SessionRecord{session(0, 2, add("1", "The user has 21 lamps.", ref(1)), add("2", "The user has 34 chairs.", ref(1)))}, schema.HopRetrieve, schema.CauseMiss, ""},
		{"a system that shows hits and no memories", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", Evidence: []schema.EventRef{ref(1)}, K: 5}, &turns, []schema.SessionRecord{half},
			schema.HopOpaque, "", "does not show its memories"},
		{"its ranks below k prove that it kept the turn", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", Evidence: []schema.EventRef{ref(1)}, K: 5, Below: []schema.QARank{{Rank: 23, ID: "9", Sources: []schema.EventRef{ref(1)}}}}, &turns, []schema.SessionRecord{half},
			schema.HopRetrieve, schema.CauseMiss, "rank 23, k is 5; its text is not shown, so whether it had been altered or overwritten before cannot be determined"},
		{"a system that only answers", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", Evidence: []schema.EventRef{ref(1)}}, &turns, nil,
			schema.HopOpaque, "", "neither its memories nor what it retrieved"},
		{"a system that only answers, with the question", schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "Where does the user live?", Evidence: []schema.EventRef{ref(1)}}, &turns, nil,
			schema.HopRead, schema.CauseGeneration, "the answer repeats the question; "},
		{"kept, and no hits are told", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", Evidence: []schema.EventRef{ref(1)}}, &turns, all,
			schema.HopOpaque, "", "does not show what it retrieved"},
		{"no evidence in the data set", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", K: 5}, &turns, all,
			schema.HopOpaque, "", "names no evidence"},
		{"no evidence, and the gold stands in the context", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "Rome", K: 5, Context: "lisbon, rome"}, &turns, all,
			schema.HopRead, schema.CauseGeneration, "word for word"},
		{"the newer of two was not retrieved, the older was used", schema.QARecord{Question: "Which city does the user live in?", Gold: "Porto", Answer: "Lisbon", Category: schema.CatKU, Evidence: []schema.EventRef{ref(1), ref(5)}, K: 5, Hits: []schema.QAHit{hit("1", talk[0], ref(1))}}, &turns, all,
			schema.HopRetrieve, schema.CauseConflict, "(lost: 1 of 2 pieces of evidence)"},
		{"both were seen, the older was used", schema.QARecord{Question: "Which city does the user live in?", Gold: "Porto", Answer: "Lisbon", Category: schema.CatKU, Evidence: []schema.EventRef{ref(1), ref(5)}, K: 5, Hits: []schema.QAHit{hit("1", talk[0], ref(1)), hit("5", talk[4], ref(5))}}, &turns, all,
			schema.HopRead, schema.CauseConflict, "all the evidence"},
		{"Chinese: the right course on the wrong day", schema.QARecord{Question: "课程从哪天开始？", Gold: "2024年5月3日", Answer: "2024年6月3日", Evidence: []schema.EventRef{ref(7)}, K: 5, Hits: []schema.QAHit{hit("7", talk[6], ref(7))}}, &turns, all,
			schema.HopRead, schema.CauseTemporal, ""},
		{"a round: the answer's memory brings the user's turn", schema.QARecord{Question: "Where did the user move?", Gold: "Porto", Answer: "Faro", Evidence: []schema.EventRef{ref(5), ref(6)}, K: 5, Hits: []schema.QAHit{hit("5", talk[4], ref(5))}}, &rounds, all,
			schema.HopRead, schema.CauseGeneration, ""},
		{"the same at turns: one of two is not kept", schema.QARecord{Question: "Where did the user move?", Gold: "Porto", Answer: "Faro", Evidence: []schema.EventRef{ref(5), ref(6)}, K: 5, Hits: []schema.QAHit{hit("5", talk[4], ref(5))}}, &turns, all,
			schema.HopStore, schema.CauseMiss, "lost: 1 of 2"},
		{"a session: a turn of it that does not say the gold brings nothing", schema.QARecord{Question: "Where did the user move?", Gold: "Porto", Answer: "Faro", Evidence: []schema.EventRef{ref(5), ref(6), ref(7), ref(8)}, K: 5, Hits: []schema.QAHit{hit("8", "The course is hard.", ref(8))}}, &sessions, all,
			schema.HopRetrieve, schema.CauseMiss, "turns 5–8"},
		{"a fact in words", schema.QARecord{Question: "Who paints?", Gold: "Berit", Answer: "nobody", EvidenceTexts: []string{"The user's sister Berit paints boats"}, K: 5}, &turns, all,
			schema.HopRetrieve, schema.CauseMiss, "nothing was retrieved"},
		{"a fact in words that nobody kept", schema.QARecord{Question: "Who sings?", Gold: "Arne", Answer: "nobody", EvidenceTexts: []string{"The user's uncle Arne sings tenor"}, K: 5}, &turns, all,
			schema.HopStore, schema.CauseMiss, "Arne sings tenor"},
		{"the gold's words are in another turn", schema.QARecord{Question: "What does she do?", Gold: "sister Berit paints boats", Answer: "sails", Evidence: []schema.EventRef{ref(2)}, K: 5}, &turns, all,
			schema.HopGold, "", "all of them are in turn 3"},
		{"an abstention of the gold, said in other words, is a judge's error", schema.QARecord{Question: "What is the dog called?", Abstain: true, Answer: "There is no mention of that.", K: 5}, &turns, all,
			schema.HopJudge, "", "rule@2"},
		{"an answer to what cannot be answered", schema.QARecord{Question: "What is the dog called?", Abstain: true, Answer: "Rex", K: 5, Evidence: []schema.EventRef{ref(3)}}, &turns, all,
			schema.HopRead, schema.CauseHallucination, "cannot be answered"},
		{"a long context", schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "by a lake", Evidence: []schema.EventRef{ref(1)}, K: 5, Hits: []schema.QAHit{hit("1", talk[0], ref(1))}, Context: strings.Repeat("Filler words follow here. ", 1000) + talk[0]}, &turns, all,
			schema.HopRead, schema.CauseOverload, ""},
		{"an imported run: the context shows the cut, no flag does", schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "by a lake", Evidence: []schema.EventRef{ref(1)}, K: 5, Hits: []schema.QAHit{hit("1", talk[0], ref(1))}, Context: "I live in"}, &turns, all,
			schema.HopContext, schema.CauseOverload, "rank 1"},
		{"the evidence has another name than the gold, and the answer has that", schema.QARecord{Question: "Where did the user move?", Gold: "Faro", Answer: "To Porto", Evidence: []schema.EventRef{ref(5)}, K: 5, Hits: []schema.QAHit{hit("5", talk[4], ref(5))}}, &turns, all,
			schema.HopGold, "", "gold and evidence disagree: turn 5 says “To Porto”, as the answer does"},
		{"another amount", schema.QARecord{Question: "How many lamps did the user buy?", Gold: "12", Answer: "21", Evidence: []schema.EventRef{ref(1)}, K: 5, Hits: []schema.QAHit{hit("1", "I bought 21 lamps.", ref(1))}}, &bought, boughtAll,
			schema.HopGold, "", "gold and evidence disagree: turn 1 says “21”"},
		{"another date", schema.QARecord{Question: "When does the course start?", Gold: "3 May 2026", Answer: "5 May 2026", Evidence: []schema.EventRef{ref(3)}, K: 5, Hits: []schema.QAHit{hit("3", "The course starts on 5 May.", ref(3))}}, &bought, boughtAll,
			schema.HopGold, "", "gold and evidence disagree: turn 3 says “5 May”"},
		{"an amount that may have been computed is the reader's", schema.QARecord{Question: "How many lamps did the user buy?", Gold: "30", Answer: "21", Evidence: []schema.EventRef{ref(1), ref(2)}, K: 5, Hits: []schema.QAHit{hit("1", "I bought 21 lamps.", ref(1)), hit("2", "And 9 more lamps.", ref(2))}}, &bought, boughtAll,
			schema.HopRead, schema.CauseGeneration, "none of the gold's: the gold may be wrong"},
		{"a name that a turn beside the evidence has is the reader's", schema.QARecord{Question: "Who paints boats?", Gold: "Berit", Answer: "Clara", Evidence: []schema.EventRef{ref(4)}, K: 5, Hits: []schema.QAHit{hit("4", "She paints with Clara.", ref(4))}}, &beside, besideAll,
			schema.HopRead, schema.CauseGeneration, ""},
		{"Chinese: words of the evidence that the gold lacks", schema.QARecord{Question: "用户在哪里住？", Gold: "昆明", Answer: "大理", Evidence: []schema.EventRef{ref(4)}, K: 5, Hits: []schema.QAHit{hit("4", "我住在大理的老城里。", ref(4))}}, &bought, boughtAll,
			schema.HopRead, schema.CauseGeneration, "the evidence has the answer's words (turn 4) and none of the gold's"},
		{"the new value and an old one were shown, the old one was used", schema.QARecord{Question: "Where does the user live now?", Gold: "Porto", Answer: "Lisbon", Category: schema.CatIE, Evidence: []schema.EventRef{ref(5)}, K: 5,
			Hits: []schema.QAHit{hit("5", "Now I live in Porto.", ref(5)), hit("1", "I live in Lisbon, by the river.", ref(1))}}, &moved, movedAll,
			schema.HopRead, schema.CauseConflict, "the answer's value is that of the hit at rank 1, from turn 1, which is older"},
		{"what somebody else said is no old value", schema.QARecord{Question: "Where does the user live now?", Gold: "Porto", Answer: "Lisbon", Category: schema.CatIE, Evidence: []schema.EventRef{ref(5)}, K: 5,
			Hits: []schema.QAHit{hit("5", "Now I live in Porto.", ref(5)), hit("2", "I live in Lisbon too.", ref(2))}}, &moved, movedAll,
			schema.HopRead, schema.CauseGeneration, ""},
		{"no case at hand: memories are known by their sources", schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "by a lake", Evidence: []schema.EventRef{ref(1)}, K: 5}, nil, all,
			schema.HopRetrieve, schema.CauseMiss, ""},
		{"a contested gold", schema.QARecord{Question: "Where?", Gold: "Lisbon", Answer: "x", Evidence: []schema.EventRef{ref(1)}, Errata: &schema.Erratum{Overlay: "list", Kind: schema.ErratumContested}}, &turns, all,
			schema.HopGold, "", "list: the gold is contested"},
	} {
		a := one(t, x.r, x.c, explain.Options{}, x.ss...)
		if a == nil || a.Hop != x.hop || a.Cause != x.cause || !strings.Contains(a.Reason, x.reason) {
			t.Errorf("%s: have %+v, want %s %s %q", x.name, a, x.hop, x.cause, x.reason)
		}
	}
}

// A hit whose sources are turns of another conversation is of that conversation, also where a turn of this one has nearly its words; a hit without sources is
// judged by its text.
func TestForeignHits(t *testing.T) {
	c := toy(schema.UnitTurn, talk...)
	elsewhere := schema.EventRef{ConvID: "other", TurnID: 1}
	for _, x := range []struct {
		text    string
		sources []schema.EventRef
		kind    string
	}{
		{"I live in Lyon, by the river.", []schema.EventRef{elsewhere}, schema.FaultForeign},
		{"I live in Lyon, by the river.", nil, schema.FaultFew},
		{"I live in Lyon, by the river.", []schema.EventRef{elsewhere, ref(2)}, schema.FaultFew},
		{"Petra keeps the grafting knife inside a tin box.", nil, schema.FaultForeign},
	} {
		r := schema.QARecord{Question: "Which boats?", Gold: "Berit paints boats", Answer: "none", Evidence: []schema.EventRef{ref(3)}, K: 5, Hits: []schema.QAHit{hit("x", x.text, x.sources...)}}
		a := one(t, r, &c, explain.Options{}, session(0, 4, add("1", talk[0], ref(1)), add("3", talk[2], ref(3))))
		if a == nil || a.Hop != schema.HopRetrieve || a.Kind != x.kind {
			t.Errorf("%q from %v: %+v, want kind %q", x.text, x.sources, a, x.kind)
		}
	}
}

// What happened after the sessions that a question covers is not held against it.
func TestCheckpoint(t *testing.T) {
	c := toy(schema.UnitTurn, talk...)
	c.Questions = []schema.Question{{ID: "early", Covered: []string{"S1"}}, {ID: "late"}}
	ss := []schema.SessionRecord{
		session(0, 4, add("1", talk[0], ref(1))),
		session(1, 4, schema.MemoryDelta{Op: "update", ID: "1", Text: talk[4], Previous: []string{talk[0]}, Sources: []schema.EventRef{ref(5)}}),
	}
	for id, want := range map[string]string{"early": schema.HopRetrieve, "late": schema.HopOverwrite} {
		a := one(t, schema.QARecord{QuestionID: id, Question: "Where does the user live?", Gold: "Lisbon", Answer: "on a hill", Evidence: []schema.EventRef{ref(1)}, K: 5}, &c, explain.Options{}, ss...)
		if a.Hop != want {
			t.Errorf("%s: have %+v, want %s", id, a, want)
		}
	}
}

// Which grade decides: the one that is named, a model's, the rule judge's; never one of
// the retrieval.
func TestGrader(t *testing.T) {
	score := func(name string, by schema.By, s float64) schema.Grade {
		return schema.Grade{Protocol: name, By: by, Score: &s, Outcome: schema.GradeScored}
	}
	c := toy(schema.UnitTurn, talk...)
	for _, x := range []struct {
		o      explain.Options
		grades []schema.Grade
		want   string // hop, "" for right
	}{
		{explain.Options{}, []schema.Grade{score("evidence-recall@1", "rule", 0), score("rule@1", "rule", 1)}, ""},
		{explain.Options{}, []schema.Grade{score("em@1", "rule", 0), score("mem0-2025@1", "m", 1)}, ""},
		{explain.Options{}, []schema.Grade{score("rule@1", "rule", 1), score("mem0-2025@1", "m", 0)}, schema.HopJudge},
		{explain.Options{Second: "em"}, []schema.Grade{score("rule@1", "rule", 1), score("mem0-2025@1", "m", 0)}, schema.HopRetrieve},
		{explain.Options{Grader: "locomo-f1"}, []schema.Grade{score("rule@1", "rule", 1), score("locomo-f1@1", "rule", .4)}, schema.HopJudge},
		{explain.Options{Grader: "locomo-f1", Threshold: .4}, []schema.Grade{score("rule@1", "rule", 0), score("locomo-f1@1", "rule", .4)}, ""},
		{explain.Options{Grader: "nobody"}, []schema.Grade{score("rule@1", "rule", 0)}, ""},
	} {
		r := schema.QARecord{Question: "Where does the user live?", Gold: "Lisbon", Answer: "on a hill", Evidence: []schema.EventRef{ref(1)}, K: 5, Grades: x.grades}
		a := one(t, r, &c, x.o, session(0, 4, add("1", talk[0], ref(1))), session(1, 4))
		if got := hopOf(a); got != x.want {
			t.Errorf("%+v %+v: have %q, want %q", x.o, x.grades, got, x.want)
		}
	}
}

func hopOf(a *schema.Attribution) string {
	if a == nil {
		return ""
	}
	return a.Hop
}

// Two systems on the same cases, in the order of a run, and a repeat that only answered
// again: each finds its sessions, whatever stands between them.
func TestGroups(t *testing.T) {
	var ss []schema.SessionRecord
	var cases []schema.Case
	var qa []schema.QARecord
	for n := range 5 {
		c := toy(schema.UnitTurn, talk...)
		c.ID = fmt.Sprint("c", n)
		cases = append(cases, c)
	}
	for _, system := range []string{"a", "b"} {
		for n := range 5 {
			s := session(0, 4)
			s.System, s.CaseID = system, fmt.Sprint("c", n)
			if system == "b" {
				s.Delta = []schema.MemoryDelta{add("1", talk[0], ref(1))}
			}
			ss = append(ss, s)
		}
		for repeat := range 2 {
			for n := range 5 {
				if n == 2 {
					continue // no question of this case
				}
				qa = append(qa, schema.QARecord{System: system, Repeat: repeat, Dataset: "d", CaseID: fmt.Sprint("c", n), Question: "Where does the user live?", Gold: "Lisbon", Answer: "on a hill", K: 5,
					Evidence: []schema.EventRef{ref(1)}, Grades: wrong(""), Outcome: schema.OutcomeAnswered})
			}
		}
	}
	qa = append(qa, qa[3]) // out of order
	qa = append(qa, schema.QARecord{System: "a", Dataset: "d", CaseID: "unknown", Question: "?", Gold: "x", Answer: "y", Evidence: []schema.EventRef{ref(1)}, Grades: wrong("")})
	passes := 0
	counted := func(yield func(schema.Record[schema.SessionRecord], error) bool) {
		passes++
		if !yield(schema.Record[schema.SessionRecord]{}, &schema.Finding{Code: "JSON001", Message: "a bad line"}) {
			return
		}
		for _, s := range ss {
			if !yield(schema.Record[schema.SessionRecord]{V: s}, nil) {
				return
			}
		}
	}
	findings := 0
	i := 0
	for r, err := range explain.QA(context.Background(), seq(qa), explain.Options{Sessions: counted, Cases: seq(cases), Report: func(*schema.Finding) { findings++ }}) {
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"a": schema.HopStore, "b": schema.HopRetrieve}[r.V.System]
		if r.V.CaseID == "unknown" {
			want = schema.HopOpaque
		}
		if got := hopOf(r.V.Attribution); got != want {
			t.Errorf("record %d, %s %d %s: have %s, want %s", i, r.V.System, r.V.Repeat, r.V.CaseID, got, want)
		}
		i++
	}
	if findings != 1 {
		t.Errorf("%d findings, want each once", findings)
	}
	if passes > 6 { // one for each system and repeat, one for what is out of order, one for what is not there
		t.Errorf("%d passes over the sessions", passes)
	}
}

// Findings among the records pass; a fault of the streams behind ends the stream.
func TestErrors(t *testing.T) {
	bad := func(yield func(schema.Record[schema.QARecord], error) bool) {
		yield(schema.Record[schema.QARecord]{}, &schema.Finding{Code: "JSON001"})
		yield(schema.Record[schema.QARecord]{V: schema.QARecord{CaseID: "c", Gold: "x", Answer: "y", Grades: wrong("")}}, nil)
	}
	broken := errors.New("the disk went away")
	var got []error
	for _, err := range explain.QA(context.Background(), bad, explain.Options{Cases: func(yield func(schema.Record[schema.Case], error) bool) { yield(schema.Record[schema.Case]{}, broken) }}) {
		got = append(got, err)
	}
	var f *schema.Finding
	if len(got) != 2 || !errors.As(got[0], &f) || !errors.Is(got[1], broken) {
		t.Errorf("have %v", got)
	}
}
