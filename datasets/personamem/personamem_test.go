package personamem_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/personamem"
	"membench/internal/exttest"
	"membench/schema"
)

const documents = `[{"id": "u_0", "user_id": "u", "timestamp": null, "content": "[SYSTEM] Current user persona: Name: Ida\n\nIda sails.\n\n[USER] User: Hi.\n\n[ASSISTANT] Assistant: Hello: you.\n\n[USER] Patient: I sail.\n[x] y"},
 {"id": "w_0", "user_id": "w", "timestamp": null, "content": "[USER] I row."},
 {"id": "u_1", "user_id": "u", "timestamp": null, "content": "[USER] Late."}]`

const queries = `[{"id": "q1", "query": "User: Ida\n\nWhat now?\n\n(a) Sail (b) it.\n(b) Row.\nA lot.\n(c) Swim.", "gold_answers": ["(b) Row.\nA lot.", "b"], "gold_ids": ["u_0", "u_9"], "user_id": "u", "meta": {"persona_id": "0", "question_type": "suggest_new_ideas", "topic": "boats"}},
 {"id": "q2", "query": "x\n\n(a) One.\n(b) Two.", "gold_answers": ["(a) One.", "b"], "gold_ids": [], "user_id": "u", "meta": {"question_type": "suggest_new_ideas"}},
 {"id": "q3", "query": "x", "gold_answers": [], "gold_ids": [], "user_id": "u", "meta": {"question_type": "juggling"}},
 {"id": "q4", "query": "x\n\n(a) One.\n(b) Two.", "gold_answers": ["(a) One.", "a"], "gold_ids": [], "user_id": "z", "meta": {"question_type": "suggest_new_ideas"}}]`

func TestCases(t *testing.T) {
	cases, found := datasettest.Read(t, personamem.Cases, datasets.Options{}, datasets.TextFile("d/documents.json", documents), datasets.TextFile("d/queries.json", queries))
	var codes []string
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	if want := []string{"DST002", "DST003", "DST020", "DST020"}; len(cases) != 2 || !reflect.DeepEqual(codes, want) {
		t.Fatalf("%d cases, %v, want %v", len(cases), found, want)
	}
	c := cases[0]
	turns := c.Sessions[0].Turns
	if c.ID != "u" || len(c.Sessions) != 1 || len(turns) != 4 || turns[0].Role != "system" || turns[1].Text != "Hi." || turns[2].Text != "Hello: you." || turns[3].Text != "Patient: I sail.\n[x] y" {
		t.Errorf("%+v", c)
	}
	if q := c.Questions[0]; q.Text != "User: Ida\n\nWhat now?" || !reflect.DeepEqual(q.Choices, []string{"Sail (b) it.", "Row.\nA lot.", "Swim."}) || q.Answer != "Row.\nA lot." || q.Category != schema.CatOD ||
		!reflect.DeepEqual(q.Unresolved, []string{"u_9"}) || len(q.Evidence) != 0 {
		t.Errorf("%+v", q)
	}
	if _, found := datasettest.Read(t, personamem.Cases, datasets.Options{}, datasets.TextFile("documents.json", documents)); len(found) != 1 || found[0].Code != "DST020" {
		t.Errorf("one file alone: %v", found)
	}
}

func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/personamem/32k")
	files, err := datasets.Find([]string{filepath.Join(shared, "data/personamem/32k")}, personamem.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases, found := datasettest.Read(t, personamem.Cases, datasets.Options{}, files...)
	n := datasettest.Count(cases)
	if want := (datasettest.Counts{Cases: 24, Sessions: 126, Turns: 4103, Questions: 369}); n != want || len(found) != 0 {
		t.Errorf("%+v, want %+v; %v", n, want, found)
	}
	by := map[string]int{}
	for _, c := range cases {
		for _, q := range c.Questions {
			by[q.RawCategory]++
			if len(q.Choices) != 4 {
				t.Errorf("%s: %d choices", q.ID, len(q.Choices))
			}
		}
	}
	if want := map[string]int{"recall_user_shared_facts": 87, "track_full_preference_evolution": 87, "recalling_the_reasons_behind_previous_updates": 58, "suggest_new_ideas": 55,
		"provide_preference_aligned_recommendations": 37, "generalizing_to_new_scenarios": 36, "recalling_facts_mentioned_by_the_user": 9}; !reflect.DeepEqual(by, want) {
		t.Errorf("%v, want %v", by, want)
	}
}

func FuzzCases(f *testing.F) {
	f.Add(documents, queries)
	f.Add(`[{"id":"a","user_id":"b","content":"[USER] x"}]`, `[{"user_id":"b","query":"\n(a) 1\n(b) 2","gold_answers":["(a) 1"],"meta":{"question_type":"suggest_new_ideas"}}]`)
	f.Fuzz(func(t *testing.T, docs, asked string) {
		datasettest.Fuzz(t, personamem.Cases, datasets.TextFile("documents.json", docs), datasets.TextFile("queries.json", asked))
	})
}
