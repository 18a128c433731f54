package locomo_test

import (
	"context"
	"testing"

	"membench/datasets"
	"membench/datasets/locomo"
	"membench/schema"
	"membench/schema/jsonl"
)

func TestObservations(t *testing.T) {
	text := `[{"sample_id": "conv-1", "conversation": {"speaker_a": "Ann", "speaker_b": "Bo", "session_1_date_time": "1:56 pm on 8 May, 2023",
		"session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "I sold my boat."}, {"speaker": "Bo", "dia_id": "D1:2", "text": "I bought one."}]}, "qa": [],
		"observation": {"session_1_observation": {"Ann": [["Ann sold her boat.", "D1:1"]], "Bo": [["Bo bought a boat.", ["D1:2", "D1:2"]], ["Bo is glad.", "D9:9"]]}}}]`
	var have []schema.PayloadFields
	warned := 0
	for r, err := range locomo.Observations(context.Background(), []jsonl.File{datasets.TextFile("locomo1.json", text)}, datasets.Options{Report: func(*schema.Finding) { warned++ }}) {
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.V.Fields()
		if err != nil {
			t.Fatal(err)
		}
		have = append(have, f)
	}
	if len(have) != 2 || warned != 1 {
		t.Fatalf("have %d memories and %d warnings, want 2 and 1: %+v", len(have), warned, have)
	}
	for i, want := range []struct {
		actor, owner, data string
		turn               int
	}{{"Ann", "User", "Ann sold her boat.", 1}, {"Bo", "Agent", "Bo bought a boat.", 2}} {
		f := have[i]
		if f.ActorID != want.actor || f.OwnerType != want.owner || f.Data != want.data || len(f.Events) != 1 || f.Events[0].TurnID != want.turn || f.CreatedAt == "" {
			t.Errorf("memory %d: %+v, want %+v", i, f, want)
		}
	}
}
