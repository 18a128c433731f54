package explain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

// market is a dialogue of two people on two days.
func market() schema.Case {
	c := schema.Case{ID: "c", Dataset: "d", ConvID: "c", Unit: schema.UnitTurn, Speakers: []string{"Ilka", "Rui"}}
	for i, texts := range [][]string{
		{"I sell candles at the market hall.", "no way, really?", "My stall has the number 41.", "The hall opens at seven."},
		{"Our parrot is called Miroslav.", "🦜🦜", "I painted the stall orange.", "My cousin tunes church organs."},
	} {
		s := schema.Session{ID: fmt.Sprintf("S%d", i+1), Time: []string{"2025-04-02T09:00:00Z", "2025-06-20T18:30:00Z"}[i]}
		for j, text := range texts {
			n := i*4 + j
			s.Turns = append(s.Turns, schema.CaseTurn{TurnID: n + 1, Role: []string{"user", "assistant"}[n%2], Name: []string{"Ilka", "Rui"}[n%2], Text: text})
		}
		c.Sessions = append(c.Sessions, s)
	}
	return c
}

// kept are the memories of a system that keeps turns as they were said, with the sources that it names.
func kept(c *schema.Case, text func(schema.CaseTurn) string, names func(int) []schema.EventRef) (ss []schema.SessionRecord, hits map[int]schema.QAHit) {
	hits = map[int]schema.QAHit{}
	for i, s := range c.Sessions {
		var deltas []schema.MemoryDelta
		for _, t := range s.Turns {
			said := t.Name + ": " + t.Text
			if text != nil {
				said = text(t)
			}
			deltas = append(deltas, add(fmt.Sprint("m", t.TurnID), said, names(t.TurnID)...))
			hits[t.TurnID] = hit(fmt.Sprint("m", t.TurnID), said, names(t.TurnID)...)
		}
		ss = append(ss, session(i, len(s.Turns), deltas...))
	}
	return ss, hits
}

func own(n int) []schema.EventRef { return []schema.EventRef{ref(n)} }

// shown makes a record of hits and the context that the run makes of them.
func shown(question, gold, answer string, evidence int, when func(schema.QAHit) string, hits ...schema.QAHit) schema.QARecord {
	r := schema.QARecord{Question: question, Gold: gold, Answer: answer, Evidence: own(evidence), K: 4}
	for i, h := range hits {
		h.Rank = i + 1
		r.Hits = append(r.Hits, h)
		label := ""
		if when != nil {
			label = when(h)
		}
		r.Context += fmt.Sprintf("[%d] %s%s\n", i+1, label, h.Text)
	}
	return r
}

// A text is of the turn that it has, whatever it names as its source.
func TestSourcesOfOthers(t *testing.T) {
	c := market()
	for name, names := range map[string]func(int) []schema.EventRef{
		"the next turn": func(n int) []schema.EventRef { return own(n%8 + 1) },
		"the first":     func(int) []schema.EventRef { return own(1) },
		"no turn":       func(n int) []schema.EventRef { return []schema.EventRef{{ConvID: "C", TurnID: n}} },
	} {
		ss, hits := kept(&c, nil, names)
		r := shown("What is the name of the parrot?", "Miroslav", "No idea.", 5, nil, hits[1], hits[3])
		r.K = len(r.Hits)
		r.Below = []schema.QARank{{Rank: 9, ID: "m5", Sources: names(5)}}
		if a := one(t, r, &c, explain.Options{}, ss...); a == nil || a.Hop != schema.HopRetrieve || a.Kind != schema.FaultRank {
			t.Errorf("%s: the parrot's memory at rank 9: have %+v", name, a)
		}
	}
}

// A sentence that the turn it names has is rightly sourced, although it is all of other turns.
func TestSentencesOfSeveralTurns(t *testing.T) {
	texts := []string{"Great! The parrot is called Miroslav.", "Great! My stall has the number 41.", "Great! The hall opens at seven.", "Great! I painted the stall orange.", "Great!"}
	c := toy(schema.UnitTurn, texts...)
	var all []schema.MemoryDelta
	for i, s := range texts {
		for j, part := range strings.SplitAfter(s, "! ") {
			all = append(all, add(fmt.Sprint("m", i, j), strings.TrimSpace(part), ref(i+1)))
		}
	}
	r := shown("What is the name of the parrot?", "Miroslav", "No idea.", 1, nil, hit("m11", "My stall has the number 41.", ref(2)))
	r.Grades = wrong("")
	atts, count := several(t, []schema.QARecord{r}, c, explain.Options{Survey: &explain.Survey{}}, session(0, 5, all...))
	if a := atts[0]; a == nil || a.Hop != schema.HopRetrieve {
		t.Errorf("the parrot's memory is stored and was not found: have %+v", a)
	}
	for _, s := range count.Remarks {
		if strings.Contains(s, "other sources") {
			t.Errorf("right sources: %q", s)
		}
	}
}

// A text that was replaced inside a session was made and is lost, as the receipt says, whatever the sources of the text that took its place.
func TestReplacedInsideSession(t *testing.T) {
	c := market()
	ss, hits := kept(&c, func(t schema.CaseTurn) string {
		return strings.NewReplacer("I ", t.Name+" ", "My ", t.Name+"'s ", "Our ", t.Name+"'s ").Replace(t.Text)
	}, own)
	last := &ss[1]
	last.Delta = last.Delta[2:] // the parrot's memory is the stall's now
	last.Changes = []schema.MemoryChange{{Op: "UPDATE", ID: "m7", Old: "Ilka's parrot is called Miroslav.", New: "Ilka painted the stall orange."}}
	r := shown("What is the name of the parrot?", "Miroslav", "No idea.", 5, nil, hits[1], hits[3])
	if a := one(t, r, &c, explain.Options{}, ss...); a == nil || a.Hop != schema.HopOverwrite || a.Kind != schema.FaultUpdated {
		t.Errorf("replaced inside the session: have %+v", a)
	}
}

// A turn that is kept as two memories is not altered by the one that does not hold the fact.
func TestTurnInTwoMemories(t *testing.T) {
	c := market()
	c.Sessions[1].Turns[0].Text = "Port 8443, and 12 seats. The stall moves on 3 July."
	ss, hits := kept(&c, func(t schema.CaseTurn) string {
		return strings.NewReplacer("I ", t.Name+" ", "My ", t.Name+"'s ").Replace(t.Text)
	}, own)
	ss[1].Delta = append(ss[1].Delta[1:], add("m5a", "Ilka said that port 8443 has 12 seats.", ref(5)), add("m5b", "Ilka's stall moves on 3 July.", ref(5)))
	r := shown("Which port is it?", "8443", "No idea.", 5, nil, hits[1], hits[3])
	if a := one(t, r, &c, explain.Options{}, ss...); a == nil || a.Hop != schema.HopRetrieve {
		t.Errorf("the port's memory is stored and was not found: have %+v", a)
	}
}

// The reader is blamed for what it made of sound hits only.
func TestMisled(t *testing.T) {
	c := market()
	none := func(int) []schema.EventRef { return nil }
	upper := func(n int) []schema.EventRef { return []schema.EventRef{{ConvID: "C", TurnID: n}} }
	when := "When did Ilka say that the parrot is called Miroslav?"
	dated := func(t schema.CaseTurn) string { return t.Name + ": [2024-01-01] " + t.Text }
	for _, x := range []struct {
		name      string
		text      func(schema.CaseTurn) string
		names     func(int) []schema.EventRef
		record    func(map[int]schema.QAHit) schema.QARecord
		hop, kind string
	}{
		{"no sources", nil, none, func(h map[int]schema.QAHit) schema.QARecord {
			return shown(when, "20 June 2025", "Our parrot is called Miroslav.", 5, nil, h[5], h[1])
		}, schema.HopAlteredStored, schema.FaultSource},
		{"sources that are no turns", nil, upper, func(h map[int]schema.QAHit) schema.QARecord {
			return shown(when, "20 June 2025", "Our parrot is called Miroslav.", 5, nil, h[5], h[1])
		}, schema.HopAlteredStored, schema.FaultSource},
		{"a date that the system put in", dated, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown(when, "20 June 2025", "On 2024-01-01.", 5, func(schema.QAHit) string { return "2025-06-20T18:30:00Z " }, h[5], h[1])
		}, schema.HopAlteredStored, schema.FaultDate},
		{"another time is the reader's fault", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown(when, "20 June 2025", "On 2024-01-01.", 5, func(schema.QAHit) string { return "2025-06-20T18:30:00Z " }, h[5], h[1])
		}, schema.HopRead, schema.FaultInvented},
		{"copies", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown("Which number has the stall?", "41", "orange", 3, nil, h[7], h[7], h[7], h[3])
		}, schema.HopRetrieve, schema.FaultDuplicate},
		{"an invented hit", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown("Which number has the stall?", "41", "Everything burned, the stall is 77.", 3, nil, hit("z", "Everything burned down in Atlantis yesterday: stall 77 is gone."), h[3], h[1])
		}, schema.HopRetrieve, schema.FaultForeign},
		{"the question as a hit", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown("Which number has the stall?", "41", "Which number has the stall?", 3, nil, hit("q", "Which number has the stall?"), h[3], h[1])
		}, schema.HopRetrieve, schema.FaultEchoed},
		{"another hit's text", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			swapped := h[1]
			swapped.Text = "Ilka: My stall has the number 77, not blue."
			return shown("Which number has the stall?", "41", "77, not blue", 3, nil, swapped, h[3])
		}, schema.HopAlteredRetrieved, schema.FaultOther},
		{"sound hits", nil, own, func(h map[int]schema.QAHit) schema.QARecord {
			return shown("Which number has the stall?", "41", "orange", 3, nil, h[7], h[3])
		}, schema.HopRead, ""},
	} {
		ss, hits := kept(&c, x.text, x.names)
		if a := one(t, x.record(hits), &c, explain.Options{}, ss...); a == nil || a.Hop != x.hop || a.Kind != x.kind {
			t.Errorf("%s: have %+v, want %s %s", x.name, a, x.hop, x.kind)
		}
	}
}

// A memory of two turns is no denial because the other one has a "no".
func TestNeighbourSaysNo(t *testing.T) {
	c := market()
	ss, hits := kept(&c, func(t schema.CaseTurn) string {
		if t.TurnID == 3 {
			return "Rui: no way, really? | Ilka: " + t.Text
		}
		return t.Name + ": " + t.Text
	}, own)
	r := shown("Which number has the stall?", "41", "orange", 3, nil, hits[7], hits[3])
	if a := one(t, r, &c, explain.Options{}, ss...); a == nil || a.Hop != schema.HopRead {
		t.Errorf("have %+v, want %s", a, schema.HopRead)
	}
}

// Why a search missed a memory follows from the words of the question and from the questions before it.
func TestSearch(t *testing.T) {
	c := market()
	ss, hits := kept(&c, nil, own)
	explained := func(rs ...schema.QARecord) *schema.Attribution {
		var last *schema.Attribution
		for i := range rs {
			r := &rs[i]
			r.QuestionID, r.System, r.Dataset, r.CaseID, r.Outcome, r.Grades = fmt.Sprint("q", i), "s", "d", "c", schema.OutcomeAnswered, wrong("")
		}
		for got, err := range explain.QA(context.Background(), seq(rs), explain.Options{Sessions: seq(ss), Cases: seq([]schema.Case{c})}) {
			if err != nil {
				t.Fatal(err)
			}
			last = got.V.Attribution
		}
		return last
	}
	parrot := func(hits ...schema.QAHit) schema.QARecord {
		return shown("How is Ilka's parrot called?", "Miroslav", "No idea.", 5, nil, hits...)
	}
	candles := func(hits ...schema.QAHit) schema.QARecord {
		return shown("Who sells candles at the market hall?", "Ilka", "No idea.", 1, nil, hits...)
	}
	few := parrot(hits[5-4])
	few.Below = []schema.QARank{{Rank: 2, ID: "m3", Sources: own(3)}, {Rank: 3, ID: "m5", Sources: own(5)}}
	beyond := parrot(hits[4])
	beyond.K, beyond.Below = 1, []schema.QARank{{Rank: 2, ID: "m3", Sources: own(3)}}
	again := parrot()
	again.Below = []schema.QARank{{Rank: 1, ID: "m5", Sources: own(5)}}
	for _, x := range []struct {
		name string
		rs   []schema.QARecord
		kind string
	}{
		{"better than every hit", []schema.QARecord{parrot(hits[4], hits[2], hits[8])}, schema.FaultFew},
		{"not even below the hits", []schema.QARecord{beyond}, schema.FaultSkipped},
		{"fewer than asked for", []schema.QARecord{few}, schema.FaultFew},
		{"found when asked again", []schema.QARecord{again}, schema.FaultImpure},
		{"hits of the question before", []schema.QARecord{parrot(hits[4]), candles(hits[5]), parrot(hits[1]), candles(hits[5])}, schema.FaultImpure},
		{"of it, but once", []schema.QARecord{parrot(hits[4]), candles(hits[5])}, schema.FaultFew},
		{"worst first, with words of the question before", []schema.QARecord{parrot(hits[4]), candles(hits[4]), parrot(hits[3]), candles(hits[4]), parrot(hits[3])}, schema.FaultFew},
		{"nothing at all", []schema.QARecord{parrot()}, schema.FaultEmpty},
	} {
		if a := explained(x.rs...); a == nil || a.Hop != schema.HopRetrieve || a.Kind != x.kind {
			t.Errorf("%s: have %+v, want %s %s", x.name, a, schema.HopRetrieve, x.kind)
		}
	}
}

// What memories and hits show is remarked also where every question was answered rightly; a sound system has no remark.
func TestSurvey(t *testing.T) {
	c := market()
	next := func(n int) []schema.EventRef { return own(n%8 + 1) }
	for _, x := range []struct {
		name  string
		text  func(schema.CaseTurn) string
		names func(int) []schema.EventRef
		hit   func(*schema.QAHit)
		want  string // "": no remark
	}{
		{"sound", nil, own, nil, ""},
		{"sources", nil, next, nil, "name other sources"},
		{"none", nil, func(int) []schema.EventRef { return nil }, nil, "no memory names the turn"},
		{"numbers and names", func(t schema.CaseTurn) string {
			return t.Name + ": " + strings.NewReplacer("41", "14", "seven", "nine", "Miroslav", "Bogdan", "orange", "purple", "candles", "soap").Replace(t.Text)
		}, own, nil, "5 of 8 turns looked at were stored otherwise"},
		{"copies", func(schema.CaseTurn) string { return "Ilka: They spoke of things at the hall." }, own, nil, "different texts"},
		{"hits", nil, own, func(h *schema.QAHit) { h.Text = "Rui: Somebody said something about Atlantis." }, "hits have another text than their memory"},
	} {
		ss, hits := kept(&c, x.text, x.names)
		right := 1.
		r := shown("Which number has the stall?", "41", "41", 3, nil, hits[3], hits[1], hits[7])
		for i := range r.Hits {
			if x.hit != nil {
				x.hit(&r.Hits[i])
			}
		}
		o := explain.Options{Survey: &explain.Survey{}}
		r.Grades = []schema.Grade{{Protocol: "mem0-2025@1", By: "m", Score: &right, Outcome: schema.GradeScored}}
		if a := one(t, r, &c, o, ss...); a != nil {
			t.Fatalf("%s: a right answer has an attribution: %+v", x.name, a)
		}
		lines := o.Survey.Lines("s", "d")
		if all := strings.Trim(fmt.Sprint(lines), "[]"); x.want == "" && all != "" || !strings.Contains(all, x.want) {
			t.Errorf("%s: have %q, want %q", x.name, lines, x.want)
		}
	}
}
