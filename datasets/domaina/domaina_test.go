package domaina_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/domaina"
	"membench/datasets/locomo"
	"membench/internal/codec"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, domaina.Cases, datasets.Options{Workers: 1}, files...)
}

// the example of seed 001 §4.1, with what its loaders are said to accept.
const (
	mainFile = `[{"uuid": "u1", "sample_id": "sample_001", "sessions": [
  {"_v2_session_id": "S00", "dialogue": [
    {"role": "user", "content": "Hello...", "timestamp": "2025-01-01T10:00:00", "attachments": [{"caption": "photo of a desk", "image_id": "IMG_1"}]},
    "noise", {"content": 17}],
   "memory_points": [{"memory_id": "m000", "memory_content": "User has a desk", "memory_type": "fact", "memory_source": "normal", "is_update": "False", "original_memories": [], "importance": 0.5}]},
  {"dialogue": []},
  {"_v2_session_id": "S01", "dialogue": [{"role": "assistant", "content": "再见"}]}]}]`
	pointsFile = `{"uuid": "u1", "sample_id": "sample_001", "memory_sessions": []}

{"uuid": "u1", "sample_id": "sample_001", "memory_sessions": [{"session_id": "S00", "memory_points": [{"memory_id": "ignored", "memory_content": "x"}]}, {"session_id": "S01", "memory_points": [{"memory_id": "m001", "memory_content": "User prefers dark mode", "memory_type": "preference", "memory_source": "interference", "is_update": true, "original_memories": ["light"], "importance": 0.8}]}]}
`
	checkpointsFile = `{"uuid": "u1", "sample_id": "sample_001", "checkpoints": [{"checkpoint_id": "cp01", "covered_sessions": ["S00", "S01"], "questions": [
 {"question": "What theme does the user prefer?", "answer": "Dark mode", "question_type": "preference_recall", "question_type_abbrev": "pref", "difficulty": "easy", "evidence": [{"memory_id": "m001"}, {"memory_id": "gone"}]},
 {"question": "Which image?", "answer": 1, "question_type": "x", "question_type_abbrev": "VS", "evidence": [{"image_id": "IMG_1"}]},
 {"question": "?", "answer": "a", "question_type": "knowledge_update", "question_type_abbrev": "KU", "evidence": "none"}]}]}`
)

func three(a, b, c string) []jsonl.File {
	return []jsonl.File{datasets.TextFile("d/"+domaina.FileMain, a), datasets.TextFile("d/"+domaina.FilePoints, b), datasets.TextFile("d/"+domaina.FileCheckpoints, c)}
}

func TestThreeFiles(t *testing.T) {
	cases, found := read(t, three(mainFile, pointsFile, checkpointsFile)...)
	if len(cases) != 1 {
		t.Fatal(found)
	}
	c := cases[0]
	if len(c.Sessions) != 2 || c.Sessions[0].ID != "S00" || len(c.Sessions[0].Turns) != 2 || c.Sessions[0].Turns[1].Text != "17" || c.Sessions[0].Turns[1].Role != "user" {
		t.Errorf("sessions %+v", c.Sessions)
	}
	if a := c.Sessions[0].Turns[0].Attachments; !reflect.DeepEqual(a, []schema.Attachment{{Type: "image_caption", ID: "IMG_1", Text: "photo of a desk"}}) {
		t.Errorf("attachments %+v", a)
	}
	if p := c.Sessions[0].Points; len(p) != 1 || p[0].ID != "m000" || p[0].IsUpdate {
		t.Errorf("points of S00 %+v", p)
	}
	if p := c.Sessions[1].Points; len(p) != 1 || !p[0].IsUpdate || !p[0].Interference() || *p[0].Importance != 0.8 {
		t.Errorf("points of S01 %+v", p)
	}
	var q []string
	for _, x := range c.Questions {
		q = append(q, fmt.Sprint(x.ID, " ", x.Category, " ", x.Answer, " ", x.Checkpoint, x.Covered, x.EvidenceIDs, x.Unresolved, len(x.Evidence)))
	}
	want := []string{
		"sample_001/cp01/0 IE Dark mode cp01[S00 S01] [m001 gone] [gone] 0", "sample_001/cp01/1 VIS 1 cp01[S00 S01] [IMG_1] [] 1", "sample_001/cp01/2 KU a cp01[S00 S01] [] [] 0",
	}
	if !reflect.DeepEqual(q, want) {
		t.Errorf("questions %q\nwant %q", q, want)
	}
	codes := map[string]int{}
	for _, f := range found {
		codes[f.Code]++
	}
	if want := map[string]int{"DST002": 1, "DST010": 1, "DST018": 1, "DST021": 1}; !reflect.DeepEqual(codes, want) {
		t.Errorf("codes %v: %v", codes, found)
	}
}

func TestMissing(t *testing.T) {
	for name, files := range map[string][]jsonl.File{
		"a file":  three(mainFile, pointsFile, checkpointsFile)[:2],
		"its row": three(mainFile, pointsFile, "\n"),
	} {
		cases, found := read(t, files...)
		if len(cases) != 0 || len(found) == 0 || found[len(found)-1].Code != "DST020" {
			t.Errorf("%s: %d cases, %v", name, len(cases), found)
		}
	}
}

func TestNativeLayout(t *testing.T) {
	one := `{"sample_id": "n1", "sessions": [{"_v2_session_id": "S01", "dialogue": [{"role": "user", "content": "x"}]}],
 "memory_points": [{"session_id": "S01", "memory_points": [{"memory_id": "m", "memory_content": "c"}]}],
 "qa_checkpoints": [{"checkpoint_id": "c", "covered_sessions": ["S01"], "questions": [{"question": "q", "answer": "a", "question_type": "t", "evidence": [{"memory_id": "m"}]}]}]}`
	cases, found := read(t, datasets.TextFile("lifelong/n1.json", one))
	if len(cases) != 1 || len(cases[0].Sessions[0].Points) != 1 || len(cases[0].Questions) != 1 || len(found) != 0 {
		t.Errorf("%+v %v", cases, found)
	}
}

func roundTrip(t *testing.T, cases []schema.Case) {
	t.Helper()
	var a, b, c bytes.Buffer
	n, err := domaina.Write(domaina.Out{Main: &a, Points: &b, Checkpoints: &c}, func(yield func(schema.Record[schema.Case], error) bool) {
		for _, c := range cases {
			if !yield(schema.Record[schema.Case]{V: c}, nil) {
				return
			}
		}
	}, func(f *schema.Finding) { t.Error(f) })
	if err != nil || n != len(cases) {
		t.Fatal(n, err)
	}
	again, found := read(t, three(a.String(), b.String(), c.String())...)
	if len(found) > 0 || len(again) != len(cases) {
		t.Fatalf("%d cases of %d, %v", len(again), len(cases), found)
	}
	for i := range cases {
		want, _ := codec.Append(nil, cases[i], codec.Indented)
		have, _ := codec.Append(nil, again[i], codec.Indented)
		if !bytes.Equal(have, want) {
			t.Fatalf("case %d changed:\n%s\nwas\n%s", i, have, want)
		}
	}
}

// TestRoundTrip: writing and reading back changes nothing, whatever the case holds.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		return []string{"", "a", "中文 \"q\"", "line\nbreak", "S00", "x:y|%"}[r.IntN(6)]
	}
	must := func() string { return fmt.Sprint("w", r.IntN(1000), word()) }
	var cases []schema.Case
	for i := range 300 {
		b := datasets.NewBuilder("locomo", fmt.Sprint("case", i), schema.ConvID(fmt.Sprint("conv", i)), []string{"turn", "memory", "round"}[r.IntN(3)])
		b.Case.Source = word()
		if r.IntN(2) == 0 {
			b.Case.Speakers = []string{"A", "B"}
			b.Case.Meta = schema.RawObject([]byte(`{"z":1,"a":[2]}`))
			b.Case.Extra = schema.Extra{"more": []byte(`{"k":1}`)}
		}
		for s := range r.IntN(4) {
			b.Session(schema.Session{ID: fmt.Sprintf("S%02d", s), SourceID: word(), Time: word()})
			for range r.IntN(4) {
				t := schema.CaseTurn{SourceID: word(), Role: []string{"user", "assistant", "system", "tool"}[r.IntN(4)], Name: word(), Text: must(), Time: word()}
				if r.IntN(3) == 0 {
					t.Attachments = []schema.Attachment{{Type: word(), ID: word(), Path: word(), URL: word(), Name: word(), Text: word()}}
				}
				b.Turn(t)
			}
			if r.IntN(2) == 0 {
				x := r.Float64()
				last := &b.Case.Sessions[s]
				last.Points = append(last.Points, schema.MemoryPoint{ID: must(), Content: must(), Type: word(), Source: word(), IsUpdate: r.IntN(2) == 0, Originals: []string{must()}, Importance: &x, Evidence: b.Refs([]int{1})})
			}
		}
		for q := range r.IntN(5) {
			x := schema.Question{ID: fmt.Sprint(i, "/", q), Text: must(), Answer: word(), Category: "IE", RawCategory: word(), Wrong: word(), Abstain: r.IntN(2) == 0, AsOf: word(), Difficulty: word(),
				Checkpoint: []string{"", "c1", "c2"}[r.IntN(3)], EvidenceIDs: []string{must()}, Evidence: b.Refs([]int{1, 2})}
			if r.IntN(2) == 0 {
				x.Covered = []string{"S00"}
				x.Errata = &schema.Erratum{Overlay: "o", Kind: "answer", Answer: "b"}
				x.Meta = schema.RawObject([]byte(`{"k":"v"}`))
				x.Choices, x.Answers = []string{"p", "q"}, []string{"r"}
			}
			b.Case.Questions = append(b.Case.Questions, x)
		}
		cases = append(cases, b.Case)
	}
	roundTrip(t, cases)
}

func TestRoundTripRealLoCoMo(t *testing.T) {
	shared := exttest.Shared(t, "data/locomo/locomo8.json")
	var cases []schema.Case
	for r, err := range locomo.Cases(context.Background(), []jsonl.File{datasets.PathFile(filepath.Join(shared, "data/locomo/locomo8.json"), nil)}, datasets.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, r.V)
	}
	roundTrip(t, cases)
}

func FuzzCases(f *testing.F) {
	f.Add(mainFile, pointsFile, checkpointsFile)
	f.Add(`[{"sample_id":"a","sessions":[4]}]`, `{"sample_id":"a"}`, `{"sample_id":"a","checkpoints":[{"questions":[1]}]}`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		_, found := read(t, three(a, b, c)...)
		for _, x := range found {
			if x.Code == "" {
				t.Errorf("finding without a code: %+v", x)
			}
		}
	})
}
