package memgallery_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/memgallery"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, o datasets.Options, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, memgallery.Cases, o, files...)
}

const mini = `{"character_profile": {"name": "Ida", "traits": []}, "multi_session_dialogues": [
 {"session_id": "D1", "date": "2024-06-17", "dialogues": [{"round": "D1:1", "user": "Look.", "assistant": "A boat.", "image_id": ["D1:IMG_001"], "input_image": ["../image/x.jpg"], "image_caption": ["a red boat"]}, {"round": "D1:2", "user": "是的", "assistant": ""}]},
 {"session_id": "D2", "date": "17.6.2024", "dialogues": [{"round": "D2:1", "user": " ", "assistant": ""}]}],
 "human-annotated QAs": [
 {"point": "VS", "question": "Which image is a boat?", "answer": "D1:IMG_001", "session_id": ["D1"], "clue": ["D1:1"]},
 {"point": "AR", "question": "Shoe size?", "answer": "Not mentioned.", "session_id": ["D1"], "clue": []},
 {"point": "VR", "question": "Day?", "answer": "2024-06-17", "session_id": ["D1"], "clue": ["D1:2", "D9:9"], "question_image": "q.png", "image_caption": "c"},
 {"point": "XX", "question": "?", "answer": "", "clue": []}]}`

func TestCases(t *testing.T) {
	cases, found := read(t, datasets.Options{}, datasets.TextFile("dialog/Boats.json", mini))
	if len(cases) != 1 || len(found) != 3 {
		t.Fatalf("%d cases, %v", len(cases), found)
	}
	c := cases[0]
	if c.ID != "Boats" || c.Unit != "round" || len(c.Sessions[0].Turns) != 3 || c.Sessions[0].Turns[0].Attachments[0].Text != "a red boat" || c.Sessions[0].Time != "2024-06-17" {
		t.Errorf("%+v", c.Sessions)
	}
	if q := c.Questions[0]; q.Category != "VIS" || !reflect.DeepEqual(q.Evidence, []schema.EventRef{{ConvID: "Boats", TurnID: 1}, {ConvID: "Boats", TurnID: 2}}) {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[1]; !q.Abstain {
		t.Errorf("%+v", q)
	}
	if q := c.Questions[2]; q.ID != "Boats/qa/2" || len(q.Evidence) != 1 || !reflect.DeepEqual(q.Unresolved, []string{"D9:9"}) || q.Attachments[0].Path != "q.png" {
		t.Errorf("%+v", q)
	}
}

func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/mem_gallery/dialog")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/mem_gallery/dialog")}, memgallery.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, found := read(t, datasets.Options{}, files...)
	sessions, turns, unresolved, clues, points := 0, 0, 0, 0, map[string]int{}
	for _, c := range cases {
		sessions += len(c.Sessions)
		for _, s := range c.Sessions {
			turns += len(s.Turns)
		}
		for _, q := range c.Questions {
			points[q.RawCategory]++
			unresolved += len(q.Unresolved)
			clues += len(q.EvidenceIDs)
		}
	}
	if want := map[string]int{"TTL": 246, "VS": 236, "FR": 180, "MR": 177, "AR": 162, "VR": 125, "TR": 102, "CD": 72, "KR": 67}; !reflect.DeepEqual(points, want) {
		t.Errorf("points %v, want %v", points, want)
	}
	if len(cases) != 17 || sessions != 210 || turns != 2*3383 || unresolved != 0 || clues != 3078 || len(found) != 0 {
		t.Errorf("%d cases, %d sessions, %d turns, %d of %d clues unresolved, %v", len(cases), sessions, turns, unresolved, clues, found)
	}
}

func FuzzCases(f *testing.F) {
	for _, s := range []string{mini, `{"multi_session_dialogues":[{"dialogues":[{}]}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		datasettest.Fuzz(t, memgallery.Cases, datasets.TextFile("f", text))
	})
}
