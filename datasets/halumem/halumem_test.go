package halumem_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/halumem"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, o datasets.Options, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, halumem.Cases, o, files...)
}

const mini = `{"uuid": "u1", "persona_info": "[Recorded on Oct 04, 2025] Name: Ida", "sessions": [
 {"start_time": "Jan 05, 2029, 15:12:20", "memory_points": [
   {"index": 1, "memory_content": "Ida rows.", "memory_type": "Event Memory", "memory_source": "secondary", "is_update": "False", "original_memories": [], "importance": 0.75},
   {"index": 2, "memory_content": "Ida flies.", "memory_type": "Event Memory", "memory_source": "interference", "is_update": "False", "original_memories": []}],
  "dialogue": [{"role": "user", "content": "I row.", "timestamp": "Jan 05, 2029, 15:12:20", "dialogue_turn": 0}, {"role": "assistant", "content": "划船!", "timestamp": "Jan 05, 2029, 15:13:20", "dialogue_turn": 0}],
  "questions": [{"question": "Which sport?", "answer": "rowing", "evidence": [{"memory_content": "Ida rows.", "memory_type": "[Event Memory]"}, {"memory_content": "never said"}], "difficulty": "easy", "question_type": "Basic Fact Recall"}]},
 {"start_time": "2029", "memory_points": [{"memory_content": "Ida swims.", "is_update": "True", "original_memories": ["Ida rows."]}],
  "dialogue": [{"role": "user", "content": "I swim now.", "timestamp": "Feb 05, 2029, 15:12:20"}],
  "questions": [{"question": "Shoe size?", "answer": "unknown", "evidence": [], "question_type": "Memory Boundary"}, {"question": "?", "answer": "x", "question_type": "New"}]}]}`

func TestCases(t *testing.T) {
	cases, found := read(t, datasets.Options{}, datasets.TextFile("f.jsonl", mini+"\n"))
	if len(cases) != 1 || len(found) != 2 || found[0].Code != "DST009" || found[0].Warning || found[1].Code != "DST003" {
		t.Fatalf("%d cases, %v", len(cases), found)
	}
	c := cases[0]
	if s := c.Sessions[0]; s.ID != "S01" || s.Time != "2029-01-05T15:12:20" || len(s.Points) != 2 || !s.Points[1].Interference() || s.Points[0].ID != "S01-m01" {
		t.Errorf("%+v", s)
	}
	if p := c.Sessions[1].Points[0]; !p.IsUpdate || !reflect.DeepEqual(p.Originals, []string{"Ida rows."}) {
		t.Errorf("%+v", p)
	}
	q := c.Questions[0]
	if q.Checkpoint != "S01" || !reflect.DeepEqual(q.Covered, []string{"S01"}) || !reflect.DeepEqual(q.EvidenceIDs, []string{"S01-m01", "never said"}) || !reflect.DeepEqual(q.Unresolved, []string{"never said"}) {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[1]; q.Category != "ABS" || !q.Abstain || len(q.Covered) != 2 {
		t.Errorf("%+v", q)
	}
}

func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/halumem/pilot_slices")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/halumem/pilot_slices")}, halumem.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, found := read(t, datasets.Options{}, files...)
	sessions, turns, points, questions, unresolved, boundary, inter := 0, 0, 0, 0, 0, 0, 0
	for _, c := range cases {
		sessions += len(c.Sessions)
		for _, s := range c.Sessions {
			turns += len(s.Turns)
			points += len(s.Points)
			for _, p := range s.Points {
				if p.Interference() {
					inter++
				}
			}
		}
		questions += len(c.Questions)
		for _, q := range c.Questions {
			unresolved += len(q.Unresolved)
			if q.Abstain {
				boundary++
			}
		}
	}
	if len(cases) != 3 || sessions != 116 || turns != 5074 || points != 1297 || questions != 241 || unresolved != 0 || boundary != 60 || inter != 227 || len(found) != 0 {
		t.Errorf("%d cases, %d sessions, %d turns, %d points (%d interference), %d questions (%d boundary), %d unresolved, %v", len(cases), sessions, turns, points, inter, questions, boundary, unresolved, found)
	}
}

func FuzzCases(f *testing.F) {
	for _, s := range []string{mini, `{"uuid":"a","sessions":[{}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cases, found := read(t, datasets.Options{Workers: 1}, datasets.TextFile("f", text))
		for _, c := range cases {
			var k datasets.Checker
			k.Check(schema.Pos{}, c, func(x *schema.Finding) {
				if x.Code == "DST005" && !x.Warning {
					t.Errorf("evidence outside the case: %v", x)
				}
			})
		}
		for _, x := range found {
			if x.Code == "" || x.Pos.Line < 1 {
				t.Errorf("finding without a place: %+v", x)
			}
		}
	})
}
