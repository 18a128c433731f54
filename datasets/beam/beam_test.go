package beam_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/beam"
	"membench/datasets/datasettest"
	"membench/internal/exttest"
	"membench/schema"
)

const chat = `[{"batch_number": 1, "turns": [
  [{"role": "user", "id": 0, "time_anchor": "March-15-2024", "index": "1,1", "content": "My sprint ends on March 29. ->-> 1,1"}, {"role": "assistant", "id": 1, "content": "Noted -> well."}],
  [{"role": "user", "id": 2, "content": " ->-> 5,14)"}]]},
 {"batch_number": 2, "turns": [[{"role": "user", "id": 3, "time_anchor": "April-05-2024", "content": "It moved to April 2."}]]}, {"batch_number": 3, "turns": "x"}]`

const asked = `{"abstention": [{"question": "Shoe size?", "ideal_response": "Nothing is said of it.", "rubric": ["says so"]}],
 "knowledge_update": [{"question": "When does it end?", "answer": "April 2", "difficulty": "easy", "source_chat_ids": {"original_info": [0], "updated_info": [3, 0, 99]}, "rubric": ["April 2"]}],
 "summarization": [{"question": "Sum up.", "ideal_summary": "A sprint.", "source_chat_ids": [0, 3], "rubric": []}],
 "juggling": [{"question": "?"}]}`

func TestCases(t *testing.T) {
	cases, found := datasettest.Read(t, beam.Cases, datasets.Options{},
		datasets.TextFile("100K/3/chat.json", chat), datasets.TextFile("100K/3/probing_questions/probing_questions.json", asked), datasets.TextFile("100K/3/topic.json", `{"id": 3, "category": "Coding"}`),
		datasets.TextFile("100K/4/chat.json", chat))
	var codes []string
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	if want := []string{"DST014", "JSON002", "DST019", "DST003", "DST020"}; len(cases) != 1 || !reflect.DeepEqual(codes, want) {
		t.Fatalf("%d cases, %v: %v, want %v", len(cases), codes, found, want)
	}
	c := cases[0]
	if c.ID != "beam-100K-3" || len(c.Sessions) != 2 || c.Sessions[0].Time != "2024-03-15" || c.Sessions[1].Time != "2024-04-05" || c.Meta.Text("category") != "Coding" {
		t.Errorf("%+v", c)
	}
	if s := c.Sessions[0].Turns; len(s) != 2 || s[0].Text != "My sprint ends on March 29." || s[1].Text != "Noted -> well." || s[1].Time != "2024-03-15" {
		t.Errorf("%+v", s)
	}
	if q := c.Questions[0]; !q.Abstain || q.OpenEnded || q.ID != "beam-100K-3/abstention/0" {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[1]; !reflect.DeepEqual(q.EvidenceIDs, []string{"0", "3", "99"}) || !reflect.DeepEqual(q.Unresolved, []string{"99"}) || len(q.Evidence) != 2 || q.Category != schema.CatKU {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[2]; !q.OpenEnded || q.Answer != "A sprint." {
		t.Errorf("%+v", q)
	}
}

func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/beam/100K")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/beam/100K")}, beam.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, found := datasettest.Read(t, beam.Cases, datasets.Options{}, files...)
	n := datasettest.Count(cases)
	if want := (datasettest.Counts{Cases: 12, Sessions: 50, Turns: 3212, Questions: 240, Evidence: 701}); n != want || len(found) != 0 {
		t.Errorf("%+v, want %+v; %v", n, want, found)
	}
	by, open := map[string]int{}, 0
	for _, c := range cases {
		for _, q := range c.Questions {
			by[q.RawCategory]++
			if q.OpenEnded {
				open++
			}
			if q.Answer == "" || len(q.Rubric) == 0 || len(q.Evidence) == 0 && !q.Abstain && q.ID != "beam-100K-9/preference_following/1" { // its list is empty
				t.Errorf("%s: gold, rubric or evidence is missing", q.ID)
			}
		}
	}
	for name, k := range by {
		if k != 24 {
			t.Errorf("%s: %d questions, want 24", name, k)
		}
	}
	if len(by) != 10 || open != 120 {
		t.Errorf("%d abilities, %d open-ended questions, want 10 and 120", len(by), open)
	}
}

func FuzzCases(f *testing.F) {
	f.Add(chat, asked)
	f.Add(`[{"turns":[[{}]]}]`, `{"abstention":[{"source_chat_ids":{"a":[[1]]}}]}`)
	f.Fuzz(func(t *testing.T, chat, asked string) {
		datasettest.Fuzz(t, beam.Cases, datasets.TextFile("1/chat.json", chat), datasets.TextFile("1/probing_questions.json", asked))
	})
}
