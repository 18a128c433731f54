package realtalk_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/realtalk"
	"membench/internal/exttest"
	"membench/schema"
)

const mini = `{"name": {"speaker_1": "Ada", "speaker_2": "bo"},
 "session_2": [{"clean_text": "Back.", "speaker": "Bo ", "date_time": "02.01.2024, 09:00:00", "dia_id": "D1:4", "img_file": [], "img_url": []}],
 "session_2_date_time": "02.01.2024, 09:00:00",
 "session_1": [
  {"clean_text": "Hi", "speaker": "Ada", "date_time": "31.12.2023, 22:01:00", "dia_id": "D1:1", "img_file": [], "img_url": ["http://x/1.jpg", "http://x/2.jpg"], "blip_caption": "a boat"},
  {"clean_text": "Look at it", "speaker": "Ada", "date_time": "31.12.2023, 22:01:05", "dia_id": "D1:2", "img_file": [], "img_url": []},
  {"clean_text": " ", "speaker": "bo", "date_time": "x", "dia_id": "D1:3", "img_file": [], "img_url": []}],
 "session_1_date_time": "31.12.2023, 22:01:00",
 "events_session_1": {"agent_a": [{"sub-event": "Ada sails.", "date": "", "id": "E", "caused_by": []}], "agent_b": []},
 "qa": [
  {"question": "What does Ada see?", "answer": "a boat", "evidence": ["D1:1-D1:4", "D9:9."], "category": 3},
  {"question": "When?", "answer": 2023, "evidence": ["D1:2;  1:4"], "category": 2},
  {"question": "?", "answer": "", "evidence": [], "category": 7}]}`

func TestCases(t *testing.T) {
	cases, found := datasettest.Read(t, realtalk.Cases, datasets.Options{}, datasets.TextFile("realtalk/Chat_1_Ada_Bo.json.gz", mini))
	var codes []string
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	if want := []string{"DST014", "DST004", "DST004", "DST018", "DST004", "DST003"}; len(cases) != 1 || !reflect.DeepEqual(codes, want) {
		t.Fatalf("%d cases, %v, want %v", len(cases), found, want)
	}
	c := cases[0]
	if c.ID != "Chat_1_Ada_Bo" || len(c.Sessions) != 2 || c.Sessions[0].Time != "2023-12-31T22:01:00" || c.Sessions[1].Turns[0].Name != "bo" || c.Sessions[1].Turns[0].Role != "assistant" {
		t.Errorf("%+v", c)
	}
	if a := c.Sessions[0].Turns[0].Attachments; len(a) != 2 || a[0].Text != "a boat" || a[1].Text != "" {
		t.Errorf("%+v", a)
	}
	if p := c.Sessions[0].Points; len(p) != 1 || p[0].ID != "S1/Ada/0" || p[0].Content != "Ada sails." {
		t.Errorf("%+v", p)
	}
	q := c.Questions[0]
	if want := []schema.EventRef{{ConvID: c.ConvID, TurnID: 1}, {ConvID: c.ConvID, TurnID: 2}, {ConvID: c.ConvID, TurnID: 3}}; !reflect.DeepEqual(q.Evidence, want) || !reflect.DeepEqual(q.Unresolved, []string{"D9:9"}) || q.Category != schema.CatOD {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[1]; len(q.Evidence) != 2 || q.Answer != "2023" || len(q.Unresolved) != 0 {
		t.Errorf("%+v", q)
	}
}

// Counts of the chats at hand, and what is dirty in them: 116 clean ids of evidence, too,
// name turns that the authors removed.
func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/realtalk")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/realtalk")}, realtalk.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, found := datasettest.Read(t, realtalk.Cases, datasets.Options{}, files...)
	n := datasettest.Count(cases)
	if want := (datasettest.Counts{Cases: 7, Sessions: 146, Turns: 4723, Questions: 510, Points: 365, Evidence: 1190, Unresolved: 119}); n != want {
		t.Errorf("%+v, want %+v", n, want)
	}
	codes := map[string]int{}
	for _, f := range found {
		codes[f.Code]++
	}
	if want := map[string]int{"DST004": 31}; !reflect.DeepEqual(codes, want) {
		t.Errorf("%v, want %v", codes, want)
	}
}

func FuzzCases(f *testing.F) {
	f.Add(mini)
	f.Add(`{"name":{"speaker_1":"a","speaker_2":"b"},"session_1":[{}],"qa":[{"evidence":["D1:1-D1:2"],"category":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		datasettest.Fuzz(t, realtalk.Cases, datasets.TextFile("Chat_1.json", text))
	})
}
