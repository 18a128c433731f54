package explain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

// fair is a dialogue in two languages on four days; each turn has one question.
func fair() (c schema.Case, rs []schema.QARecord) {
	c = schema.Case{ID: "c", Dataset: "d", ConvID: "c", Unit: schema.UnitTurn, Speakers: []string{"Ilka", "Rui"}}
	said := [][2]string{
		{"My stall has the number 41.", "Which number has the stall?"}, {"Our parrot is called Miroslav.", "How is the parrot called?"}, {"我的自行车是绿色的。", "自行车是什么颜色？"}, {"The choir meets on Mondays.", "When does the choir meet?"},
		{"I painted the boat orange.", "Which colour has the boat?"}, {"我妹妹在码头画船。", "妹妹在哪里画船？"}, {"The tailor lives beside the mill.", "Where does the tailor live?"}, {"My cousin tunes church organs.", "What does the cousin tune?"},
		{"The ferry costs nine crowns.", "What does the ferry cost?"}, {"我们养了两只山羊。", "我们养了几只山羊？"}, {"The baker sings in a quartet.", "Who sings in a quartet?"}, {"The lighthouse was closed in March.", "When was the lighthouse closed?"},
	}
	for i, x := range said {
		if i%3 == 0 {
			c.Sessions = append(c.Sessions, schema.Session{ID: fmt.Sprintf("S%d", i/3+1), Time: fmt.Sprintf("2025-04-%02dT09:00:00Z", i+1)})
		}
		s := &c.Sessions[i/3]
		s.Turns = append(s.Turns, schema.CaseTurn{TurnID: i + 1, Role: []string{"user", "assistant"}[i%2], Name: []string{"Ilka", "Rui"}[i%2], Text: x[0]})
		rs = append(rs, schema.QARecord{Question: x[1], Gold: x[0], Answer: "No idea.", Evidence: own(i + 1), K: 3})
	}
	return c, rs
}

// A part of the dialogue that no question ever gets back is remarked.
func TestNeverReturned(t *testing.T) {
	for _, x := range []struct {
		name  string
		finds func(schema.CaseTurn) bool
		want  string // "": no remark
	}{
		{"all", func(schema.CaseTurn) bool { return true }, ""},
		{"a language", func(t schema.CaseTurn) bool { return t.Text[0] < 0x80 }, "nothing that was said in Chinese is ever returned: 3 turns, the evidence of 3 questions"},
		{"a speaker", func(t schema.CaseTurn) bool { return t.Name == "Rui" }, "nothing that Ilka said in case c is ever returned: 6 pieces of evidence"},
		{"the oldest", func(t schema.CaseTurn) bool { return t.TurnID > 6 }, "nothing from before session S3 in case c is ever returned: 6 pieces of evidence"},
		{"the newest", func(t schema.CaseTurn) bool { return t.TurnID <= 6 }, "nothing from after session S2 in case c is ever returned: 6 pieces of evidence"},
		{"two turns", func(t schema.CaseTurn) bool { return t.TurnID != 3 && t.TurnID != 12 }, ""},
	} {
		c, rs := fair()
		ss, hits := kept(&c, nil, own)
		for i := range rs {
			for k := range 3 {
				turn := c.Sessions[(i+k*4)%12/3].Turns[(i+k*4)%12%3]
				if x.finds(turn) {
					h := hits[turn.TurnID]
					h.Rank = len(rs[i].Hits) + 1
					rs[i].Hits = append(rs[i].Hits, h)
				}
			}
		}
		_, n := several(t, rs, c, explain.Options{}, ss...)
		all := strings.Join(n.Remarks, "\n")
		if x.want == "" && strings.Contains(all, "ever returned") || !strings.Contains(all, x.want) {
			t.Errorf("%s: have %q, want %q", x.name, n.Remarks, x.want)
		}
	}
}

// A memory that is not found again after it was the first hit was taken away by the search.
func TestEaten(t *testing.T) {
	for _, eats := range []bool{true, false} {
		c, rs := fair()
		ss, hits := kept(&c, nil, own)
		for _, again := range []int{1, 2, 4, 5, 7} { // the same is asked in other words
			r := rs[again-1]
			r.Question = "Again: " + r.Question
			rs = append(rs, r)
		}
		for i := range rs {
			if n := rs[i].Evidence[0].TurnID; i < 12 || !eats {
				rs[i].Hits = []schema.QAHit{hits[n]}
			}
		}
		got, n := several(t, rs, c, explain.Options{}, ss...)
		remarked := slices.ContainsFunc(n.Remarks, func(s string) bool { return strings.Contains(s, "searching takes them away") })
		last := got[len(got)-1]
		if said := last.Kind == schema.FaultImpure && strings.Contains(last.Reason, "question q6 returned it"); remarked != eats || said != eats {
			t.Errorf("eats %v: remarks %q, the last attribution %+v", eats, n.Remarks, last)
		}
	}
}

// A bound finds what it is given to find: nothing is remarked.
func TestEatenByBound(t *testing.T) {
	for typ, want := range map[string]bool{"oracle": false, "bm25": true} {
		c, rs := fair()
		ss, hits := kept(&c, nil, own)
		for _, again := range []int{1, 2, 4, 5, 7} {
			r := rs[again-1]
			r.Question = "Again: " + r.Question
			rs = append(rs, r)
		}
		for i := range rs {
			rs[i].Type = typ
			if n := rs[i].Evidence[0].TurnID; i < 12 {
				rs[i].Hits = []schema.QAHit{hits[n]}
			}
		}
		_, n := several(t, rs, c, explain.Options{}, ss...)
		if have := strings.Contains(strings.Join(n.Remarks, "\n"), "searching takes them away"); have != want {
			t.Errorf("%s: remarks %q", typ, n.Remarks)
		}
	}
}

// Where most hits name other turns than the one whose text they have, the evidence that they name means little.
func TestMisnamed(t *testing.T) {
	for _, shift := range []int{0, 1} {
		c, rs := fair()
		ss, hits := kept(&c, nil, own)
		for i := range rs {
			h := hits[rs[i].Evidence[0].TurnID]
			h.Sources = own((h.Sources[0].TurnID-1+shift)%12 + 1)
			rs[i].Hits = []schema.QAHit{h}
		}
		_, n := several(t, rs, c, explain.Options{}, ss...)
		warned := slices.ContainsFunc(n.Warnings, func(s string) bool { return strings.HasPrefix(s, "the evidence found means little: ") })
		if warned != (shift != 0) {
			t.Errorf("shifted by %d: warnings %q", shift, n.Warnings)
		}
	}
}

// An addition that a receipt reports and no listing shows is named where its turn is missed, and remarked.
func TestUnlisted(t *testing.T) {
	c, rs := fair()
	for _, changes := range [][]schema.MemoryChange{
		{{Op: "ADD", ID: "m901", New: "Rui: Our parrot is called Miroslav."}},
		{{Op: "ADD", ID: "m901", New: "Rui: Our parrot is called Miroslav."}, {Op: "DELETE", ID: "m901"}},
		{{Op: "ADD", ID: "m1", New: "Ilka: My stall has the number 41."}},
	} {
		ss, _ := kept(&c, nil, own)
		ss[0].Delta = slices.Delete(ss[0].Delta, 1, 2)
		ss[0].Changes = changes
		got, n := several(t, slices.Clone(rs[1:2]), c, explain.Options{}, ss...)
		want := len(changes) == 1 && changes[0].ID == "m901"
		remarked := strings.Contains(strings.Join(n.Remarks, "\n"), "1 memories that receipts report as added are not listed")
		if a := got[0]; a.Hop != schema.HopStore && want || strings.Contains(a.Reason, "a receipt says that it was added as m901") != want || remarked != want {
			t.Errorf("%v: have %+v, remarks %q", changes, a, n.Remarks)
		}
	}
}

// That a memory had been returned before it was removed is part of the reason.
func TestRemovedAfterHit(t *testing.T) {
	c, rs := fair()
	ss, hits := kept(&c, nil, own)
	ss[3].Delta = append(ss[3].Delta, schema.MemoryDelta{Op: "suppress", ID: "m2"})
	first := rs[0]
	first.Hits = []schema.QAHit{hits[2]}
	got, _ := several(t, []schema.QARecord{first, rs[1]}, c, explain.Options{}, ss...)
	if a := got[1]; a == nil || a.Hop != schema.HopOverwrite || a.Kind != schema.FaultRemoved || !strings.Contains(a.Reason, "question q0 had returned it") {
		t.Errorf("have %+v", a)
	}
}
