package longmemeval_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/longmemeval"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, o datasets.Options, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, longmemeval.Cases, o, files...)
}

func codes(found []*schema.Finding) map[string]int {
	out := map[string]int{}
	for _, f := range found {
		out[f.Code]++
	}
	return out
}

const mini = `[
    {
        "question_id": "0a1b2c3d_abs", "question_type": "multi-session", "question": "How many canoes did I buy?",
        "answer": "You did not mention canoes.", "question_date": "2023/05/30 (Tue) 23:17",
        "haystack_dates": ["2023/05/21 (Sun) 10:00", "2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00", "2023/06/01 (Thu) 08:00"],
        "haystack_session_ids": ["answer_aa_abs_1", "sharegpt_x_0", "answer_aa_abs_1", "ultrachat_1"],
        "haystack_sessions": [
            [{"role": "user", "content": "I bought a kayak.", "has_answer": true}, {"role": "assistant", "content": "好!", "has_answer": false}],
            [{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "  "}],
            [{"role": "user", "content": "I bought a kayak.", "has_answer": true}, {"role": "assistant", "content": "好!", "has_answer": false}],
            [{"role": "user", "content": "Later."}]
        ],
        "answer_session_ids": ["answer_aa_abs_1", "answer_gone"]
    },
    {
        "question_id": "0a1b2c3e", "question_type": "knowledge-update", "question": "How many plants?", "answer": 17,
        "question_date": "2023/05/30 (Tue) 23:17", "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_session_ids": ["answer_1"],
        "haystack_sessions": [[{"role": "user", "content": "I have 17 plants.", "has_answer": true}, {"role": "assistant", "content": "Nice."}]],
        "answer_session_ids": ["answer_1"]
    },
    {"question_id": "short", "question_type": "multi-session", "question": "?", "answer": "x", "haystack_dates": ["2023/05/20 (Sat) 02:21"], "haystack_sessions": [[], []]}
]`

func TestCases(t *testing.T) {
	cases, found := read(t, datasets.Options{}, datasets.TextFile("longmemeval_s.json", mini))
	if len(cases) != 2 {
		t.Fatalf("%d cases: %v", len(cases), found)
	}
	c := cases[0]
	if want := map[string]int{"DST011": 1, "DST013": 1, "DST014": 1, "DST015": 1, "DST018": 1}; !reflect.DeepEqual(codes(found), want) {
		t.Errorf("codes %v, want %v: %v", codes(found), want, found)
	}
	var sessions []string
	for _, s := range c.Sessions {
		sessions = append(sessions, fmt.Sprintf("%s %s %s %d", s.ID, s.SourceID, s.Time, len(s.Turns)))
	}
	if want := []string{"s001 sharegpt_x_0 2023-05-20T02:21:00 1", "s002 answer_aa_abs_1 2023-05-21T10:00:00 2", "s003 ultrachat_1 2023-06-01T08:00:00 1"}; !reflect.DeepEqual(sessions, want) {
		t.Errorf("sessions %q, want %q", sessions, want)
	}
	q := c.Questions[0]
	if q.ID != "0a1b2c3d_abs" || q.Category != "ABS" || !q.Abstain || q.RawCategory != "multi-session" || q.AsOf != "2023-05-30T23:17:00" {
		t.Errorf("question %+v", q)
	}
	if !reflect.DeepEqual(q.Evidence, []schema.EventRef{{ConvID: c.ConvID, TurnID: 2}}) || !reflect.DeepEqual(q.Unresolved, []string{"answer_gone"}) {
		t.Errorf("evidence %v, unresolved %v", q.Evidence, q.Unresolved)
	}
	if q := cases[1].Questions[0]; q.Answer != "17" || q.Category != "KU" {
		t.Errorf("question %+v", q)
	}
	cases, _ = read(t, datasets.Options{Grain: "session"}, datasets.TextFile("f", mini))
	if c := cases[0]; c.Unit != "session" || len(c.Questions[0].Evidence) != 2 {
		t.Errorf("at session grain: %s, %v", c.Unit, c.Questions[0].Evidence)
	}
}

// TestNoLeaks: nothing that a system is shown holds the label.
func TestNoLeaks(t *testing.T) {
	cases, _ := read(t, datasets.Options{}, datasets.TextFile("f", mini))
	for _, c := range cases {
		shown := c.ID + " " + string(c.ConvID)
		for _, s := range c.Sessions {
			shown += " " + s.ID
			for _, turn := range s.Turns {
				b, err := codec.Append(nil, turn.Turn(c.ConvID), codec.Compact)
				if err != nil {
					t.Fatal(err)
				}
				shown += string(b)
			}
		}
		for _, leak := range []string{"answer_", "_abs", "has_answer"} {
			if strings.Contains(shown, leak) {
				t.Errorf("%q in what is shown: %s", leak, shown)
			}
		}
	}
}

func TestReal(t *testing.T) {
	shared := exttest.Shared(t, "data/longmemeval/longmemeval_oracle_evidence_turns.json", "data/longmemeval/oracle_full_sample2.json", "data/longmemeval/s_star_multiquestion_sample.json")
	dir := filepath.Join(shared, "data", "longmemeval")
	cases, found := read(t, datasets.Options{}, datasets.PathFile(filepath.Join(dir, "longmemeval_oracle_evidence_turns.json"), nil))
	raw, abs, turns, sessions, evidence, user := map[string]int{}, 0, 0, 0, 0, 0
	for _, c := range cases {
		sessions += len(c.Sessions)
		for _, s := range c.Sessions {
			turns += len(s.Turns)
			for _, x := range s.Turns {
				if x.Role == "user" {
					user++
				}
			}
		}
		for _, q := range c.Questions {
			raw[q.RawCategory]++
			evidence += len(q.Evidence)
			if q.Abstain {
				abs++
			}
		}
	}
	if len(cases) != 425 || abs != 25 || turns != 760 || user != 713 || codes(found)["DST018"] != 26 {
		t.Errorf("%d cases, %d abstentions, %d turns, %d of users, codes %v", len(cases), abs, turns, user, codes(found))
	}
	if evidence != 760 {
		t.Errorf("%d turns of evidence, want every turn, 760", evidence)
	}
	full, found := read(t, datasets.Options{}, datasets.PathFile(filepath.Join(dir, "oracle_full_sample2.json"), nil))
	if len(full) != 2 || len(full[0].Sessions) != 2 || len(full[0].Sessions[0].Turns) != 12 || len(full[0].Questions[0].Evidence) == 0 {
		t.Errorf("full sample: %d cases, %v", len(full), found)
	}
	star, found := read(t, datasets.Options{}, datasets.PathFile(filepath.Join(dir, "s_star_multiquestion_sample.json"), nil))
	n := 0
	for _, c := range star {
		n += len(c.Questions)
	}
	if len(star) != 3 || n != 26 {
		t.Errorf("multi-question sample: %d cases, %d questions, %v", len(star), n, found)
	}
}

func FuzzCases(f *testing.F) {
	f.Add(mini)
	f.Add(`[{"question_id":"a","question_type":"multi-session","question":"q","answer":[1],"haystack_dates":[""],"haystack_sessions":[[{}]],"answer_session_ids":[["x"]]}]`)
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

// sFile writes an array like longmemeval_s: n questions of about 555 kB, upstream's
// indentation.
func sFile(t testing.TB, n int) string {
	name := filepath.Join(t.TempDir(), "longmemeval_s_generated.json")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	say := strings.Repeat("I went to the market on the hill and bought three kinds of apples; \\\"the red ones\\\", she said, keep longest.\\n\\n", 10)
	var el strings.Builder
	for i := range 48 {
		if i > 0 {
			el.WriteString(",\n")
		}
		el.WriteString("            [\n")
		for j := range 10 {
			role := []string{"user", "assistant"}[j%2]
			if j > 0 {
				el.WriteString(",\n")
			}
			fmt.Fprintf(&el, "                {\n                    \"role\": \"%s\",\n                    \"content\": \"%d %d %s\"\n                }", role, i, j, say)
		}
		el.WriteString("\n            ]")
	}
	dates, ids := strings.Repeat("\"2023/05/20 (Sat) 02:21\", ", 47)+"\"2023/05/20 (Sat) 02:21\"", ""
	for i := range 48 {
		ids += fmt.Sprintf(", \"sharegpt_%d_0\"", i)
	}
	fmt.Fprint(w, "[\n")
	for i := range n {
		end := ",\n"
		if i == n-1 {
			end = "\n]\n"
		}
		fmt.Fprintf(w, "    {\n        \"question_id\": \"%08x\",\n        \"question_type\": \"multi-session\",\n        \"question\": \"How many apples?\",\n        \"answer\": \"three\",\n        \"question_date\": \"2023/05/30 (Tue) 23:17\",\n        \"haystack_dates\": [%s],\n        \"haystack_session_ids\": [%s],\n        \"haystack_sessions\": [\n%s\n        ],\n        \"answer_session_ids\": [\"sharegpt_7_0\"]\n    }%s", i, dates, ids[2:], el.String(), end)
	}
	return name
}

// BenchmarkCases reads an array of 500 histories, as large as longmemeval_s_cleaned.json.
func BenchmarkCases(b *testing.B) {
	name := sFile(b, 500)
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	for b.Loop() {
		n := 0
		for r, err := range longmemeval.Cases(context.Background(), []jsonl.File{datasets.PathFile(name, nil)}, datasets.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			n += len(r.V.Questions)
		}
		if n != 500 {
			b.Fatal(n)
		}
	}
}
