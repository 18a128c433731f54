package grade

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"membench/llm"
	"membench/schema"
)

func sessions() []schema.SessionRecord {
	return []schema.SessionRecord{
		{System: "s", CaseID: "c", SessionID: "S1", Outcome: schema.OutcomeAnswered,
			Points: []schema.MemoryPoint{{ID: "m1", Content: "Lin works at a bank in Bergen"}, {ID: "m2", Content: "Lin has two cats"},
				{ID: "n1", Content: "The neighbour bought a red bicycle", Source: "interference"}},
			Snapshot: []schema.MemoryState{{ID: "a", Text: "Lin works at a bank in Bergen"}, {ID: "b", Text: "The neighbour bought a red bicycle"}}},
		{System: "s", CaseID: "c", SessionID: "S2", Index: 1, Outcome: schema.OutcomeAnswered,
			Points: []schema.MemoryPoint{{ID: "m3", Content: "Lin works at a bakery in Oslo", IsUpdate: true, Originals: []string{"Lin works at a bank in Bergen"}}},
			// No delta: what is new in the snapshot is this session's.
			Snapshot: []schema.MemoryState{{ID: "a", Text: "Lin works at a bank in Bergen"}, {ID: "b", Text: "The neighbour bought a red bicycle"}, {ID: "d", Text: "Lin works at a bakery in Oslo"}}},
	}
}

func rows(rs []schema.SessionRecord) (out []string) {
	for _, r := range rs {
		for _, g := range r.Grades {
			score := "–"
			if g.Score != nil {
				score = fmt.Sprint(*g.Score)
			}
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s %s %s", r.SessionID, g.Judge, g.Item, g.Label, score, g.Outcome, strings.Join(g.IDs, ","))))
		}
	}
	return out
}

func TestSessionsByRule(t *testing.T) {
	in := sessions()
	out := drain(t, Sessions(context.Background(), stream(in...), SessionOptions{Workers: 2}))
	want := []string{
		"S1 recall m1 covered 1 scored a", "S1 recall m2 missed 0 scored",
		"S1 correctness a correct 1 scored a", "S1 correctness b irrelevant 0 scored b",
		"S1 interference n1 memorized 0 scored b",
		"S2 recall m3 covered 1 scored d",
		"S2 correctness d correct 1 scored d",
		"S2 update m3 both 0.5 scored a",
	}
	if have := rows(out); !reflect.DeepEqual(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	// Grading again by the same judge replaces.
	again := drain(t, Sessions(context.Background(), stream(out...), SessionOptions{}))
	if !reflect.DeepEqual(rows(again), want) {
		t.Errorf("again: %q", rows(again))
	}
}

// Data sets without gold memory points have nothing to hold a memory against.
func TestSessionsWithoutGold(t *testing.T) {
	in := sessions()
	in[0].Points, in[1].Points = nil, nil
	if have := rows(drain(t, Sessions(context.Background(), stream(in...), SessionOptions{}))); have != nil {
		t.Errorf("have %q, want no grade", have)
	}
}

func TestSessionsOpaqueAndFailed(t *testing.T) {
	in := sessions()
	in[0].Opaque, in[0].Snapshot = true, nil
	in[1].Outcome, in[1].Error = schema.OutcomeError, "down"
	for _, r := range drain(t, Sessions(context.Background(), stream(in...), SessionOptions{})) {
		want := schema.GradeNA
		if r.SessionID == "S2" {
			want = schema.GradeNotAnswered
		}
		if len(r.Grades) == 0 {
			t.Errorf("%s: no grades: its gold points vanish from the denominator", r.SessionID)
		}
		for _, g := range r.Grades {
			if g.Outcome != want || g.Score != nil || g.Reason == "" {
				t.Errorf("%s: %+v, want %s", r.SessionID, g, want)
			}
		}
	}
}

func TestSessionsByModel(t *testing.T) {
	judge := judgeOf(func(r llm.Request) (string, error) {
		switch {
		case strings.Contains(r.Prompt, "Facts it should have kept"):
			return `{"covered": [1], "reason": "seen"}`, nil
		case strings.Contains(r.Prompt, "You check each memory"):
			return `{"labels": ["correct"]}`, nil // one label for two memories: no verdict
		case strings.Contains(r.Prompt, "New state: Lin works at a bakery"):
			return `{"label": "updated"}`, nil
		}
		return `{"label": "Rejected"}`, nil
	})
	out := drain(t, Sessions(context.Background(), stream(sessions()...), SessionOptions{Judge: judge}))
	want := []string{
		"S1 recall m1 covered 1 scored", "S1 recall m2 missed 0 scored",
		"S1 correctness a  – judge_failed", "S1 correctness b  – judge_failed",
		"S1 interference n1 rejected 1 scored",
		"S2 recall m3 covered 1 scored",
		"S2 correctness d correct 1 scored",
		"S2 update m3 updated 1 scored",
	}
	if have := rows(out); !reflect.DeepEqual(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	if out[0].Grades[0].By != "m" || out[0].Usage[0].Calls != 3 {
		t.Errorf("by %s, usage %+v", out[0].Grades[0].By, out[0].Usage)
	}
}
