package memoryagentbench_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/memoryagentbench"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, o datasets.Options, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, memoryagentbench.Cases, o, files...)
}

const mini = `[{"context": "Here is a list of facts:\n0. Ada Quist was born in the city of Turku.\n1. Ada Quist was born in the city of Oslo.\n2. 小林住在海边。\n", "questions": ["Where was Ada Quist born?", "小林住在哪里？"],
 "answers": [["Oslo", "the city of Oslo"], ["海边"]], "metadata": {"source": "factconsolidation_sh_6k", "demo": null, "qa_pair_ids": ["factconsolidation_sh_6k_no0", "factconsolidation_sh_6k_no1"]}},
 {"context": "A long book.", "questions": ["Summarise it."], "answers": ["It is long."], "metadata": {"source": "infbench_sum_eng_shots2", "keypoints": ["long"]}},
 {"context": "c", "questions": ["q"], "answers": [], "metadata": {"source": "icl_nlu"}},
 {"context": "c", "questions": ["q"], "answers": [[7]], "metadata": {"source": "unheard_of"}},
 {"context": "c", "questions": ["How many?", "What?"], "answers": [[7], []], "metadata": {"source": "longmemeval_s*", "question_ids": ["a_abs"], "question_types": ["multi-session"], "question_dates": ["2023/05/30 (Tue) 23:17"]}}]`

func TestCases(t *testing.T) {
	cases, found := read(t, datasets.Options{Chunk: func(s string) []string { return strings.SplitAfter(s, "\n") }}, datasets.TextFile("f.json", mini))
	if len(cases) != 3 || len(found) != 4 || found[0].Code != "DST011" || found[1].Code != "DST003" || found[2].Code != "DST018" || found[3].Code != "DST002" {
		t.Fatalf("%d cases, %v", len(cases), found)
	}
	c := cases[0]
	if c.Source != "factconsolidation_sh_6k" || c.Meta.Text("split") != "Conflict_Resolution" || c.Unit != "chunk" || len(c.Sessions[0].Turns) != 4 || !strings.HasPrefix(c.Sessions[0].Turns[2].Text, "1. Ada") {
		t.Errorf("%+v", c)
	}
	if q := c.Questions[0]; q.ID != "factconsolidation_sh_6k_no0" || q.Category != "CR" || !reflect.DeepEqual(q.Golds(), []string{"Oslo", "the city of Oslo"}) {
		t.Errorf("%+v", q)
	}
	if q := cases[1].Questions[0]; q.ID != "infbench_sum_eng_shots2#1/q/0" || q.Answer != "It is long." || !reflect.DeepEqual(q.EvidenceTexts, []string{"long"}) || q.Category != "LRU" {
		t.Errorf("%+v", q)
	}
	if q := cases[2].Questions[0]; !q.Abstain || q.Category != "ABS" || q.RawCategory != "multi-session" || q.AsOf != "2023-05-30T23:17:00" || q.Answer != "7" {
		t.Errorf("%+v", q)
	}
}

// TestParquet: a file in the publisher's form, written by pyarrow, gives the cases of
// the same rows as JSON.
func TestParquet(t *testing.T) {
	have, found := read(t, datasets.Options{}, datasets.PathFile("testdata/invented.parquet", nil))
	want, _ := read(t, datasets.Options{}, datasets.TextFile("f.json", mini))
	if len(found) > 0 || !reflect.DeepEqual(have, want[:2]) {
		t.Errorf("have %+v, %v\nwant %+v", have, found, want[:2])
	}
	b, err := os.ReadFile("testdata/invented.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 3, 100, len(b) / 2, len(b) - 5} {
		cases, found := read(t, datasets.Options{}, datasets.TextFile("cut.parquet", string(b[:cut])))
		if len(cases) != 0 || len(found) != 1 || found[0].Code != "DST001" || found[0].Pos.File != "cut.parquet" {
			t.Errorf("cut at %d: %d cases, %v", cut, len(cases), found)
		}
	}
}

func FuzzParquet(f *testing.F) {
	b, err := os.ReadFile("testdata/invented.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(b))
	f.Fuzz(func(t *testing.T, text string) {
		read(t, datasets.Options{Workers: 1}, datasets.TextFile("f.parquet", text)) // no panic, no endless loop
	})
}

func FuzzCases(f *testing.F) {
	for _, s := range []string{mini, `{"context":"x","questions":[""],"answers":[[[1]]],"metadata":{"source":"icl_"}}`} {
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

func FuzzRows(f *testing.F) {
	f.Add(mini)
	f.Add(`{"context": "c", "questions": ["q"], "answers": [[["a"]]], "metadata": {"source": "infbench_sum_x", "keypoints": null}}`)
	f.Fuzz(func(t *testing.T, text string) {
		cases, _ := read(t, datasets.Options{Workers: 1}, datasets.TextFile("f.json", text))
		for _, c := range cases {
			if c.ID == "" || len(c.Sessions) != 1 {
				t.Errorf("%+v", c)
			}
		}
	})
}
