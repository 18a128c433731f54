package locomo_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/datasettest"
	"membench/datasets/locomo"
	"membench/internal/exttest"
	"membench/schema"
	"membench/schema/jsonl"
)

func read(t testing.TB, o datasets.Options, files ...jsonl.File) ([]schema.Case, []*schema.Finding) {
	t.Helper()
	return datasettest.Read(t, locomo.Cases, o, files...)
}

func mini(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/locomo_mini.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func refs(conv schema.ConvID, turns ...int) []schema.EventRef {
	var out []schema.EventRef
	for _, n := range turns {
		out = append(out, schema.EventRef{ConvID: conv, TurnID: n})
	}
	return out
}

func TestCases(t *testing.T) {
	cases, found := read(t, datasets.Options{}, datasets.TextFile("locomo_mini.json", mini(t)))
	if len(cases) != 1 {
		t.Fatalf("%d cases, %v", len(cases), found)
	}
	c := cases[0]
	var order []string
	for _, s := range c.Sessions {
		order = append(order, s.ID+"@"+s.Time)
	}
	if want := []string{"session_1@2023-05-08T13:56:00", "session_2@2023-06-01T09:05:00", "session_10@2023-09-13T00:09:00"}; !reflect.DeepEqual(order, want) {
		t.Errorf("sessions %v, want %v", order, want)
	}
	first := c.Sessions[0].Turns[0]
	if first.TurnID != 1 || first.SourceID != "D1:1" || first.Role != "user" || first.Name != "Ada" || len(first.Attachments) != 1 || first.Attachments[0].Text != "a photo of a viola" {
		t.Errorf("first turn %+v", first)
	}
	if last := c.Sessions[2].Turns[1]; last.TurnID != 6 || last.Role != "assistant" {
		t.Errorf("last turn %+v", last)
	}
	type q struct {
		id, cat, raw, answer, wrong string
		abstain                     bool
		evidence                    []schema.EventRef
		unresolved                  []string
	}
	want := []q{
		{"conv-1/qa/0", "MR", "1", "a viola in Turku", "", false, refs("conv-1", 1, 4), nil},
		{"conv-1/qa/1", "TR", "2", "2021", "", false, refs("conv-1", 3, 5), nil},
		{"conv-1/qa/2", "OD", "3", "likely yes; she buys instruments", "", false, nil, nil},
		{"conv-1/qa/3", "IE", "4", "mate", "", false, refs("conv-1", 6), nil},
		{"conv-1/qa/4", "ABS", "5", "", "a viola", true, refs("conv-1", 4), nil},
		{"conv-1/qa/5", "ABS", "5", "No", "Yes", true, nil, []string{"D9:9", "D"}},
		{"conv-1/qa/6", "IE", "4", "mate", "", false, refs("conv-1", 6), nil},
	}
	var have []q
	for _, x := range c.Questions {
		have = append(have, q{x.ID, x.Category, x.RawCategory, x.Answer, x.Wrong, x.Abstain, x.Evidence, x.Unresolved})
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("questions\n%+v\nwant\n%+v", have, want)
	}
	codes := map[string]int{}
	for _, f := range found {
		codes[f.Code]++
	}
	if want := map[string]int{"DST003": 1, "DST004": 4, "DST010": 1, "DST018": 1}; !reflect.DeepEqual(codes, want) {
		t.Errorf("codes %v, want %v", codes, want)
	}
	for _, f := range found {
		if f.Code == "DST003" && (f.Pos.Line != 11 || f.Pointer != "/0/qa/7/category") {
			t.Errorf("place of %v", f)
		}
	}
}

// TestFlatRelease: the earlier release is the same with other keys.
func TestFlatRelease(t *testing.T) {
	text := mini(t)
	a, _ := read(t, datasets.Options{}, datasets.TextFile("locomo_mini.json", text))
	flat := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "["), "]")
	flat = strings.Replace(flat, `"conversation": {`, "", 1)
	flat = strings.Replace(flat, `"session_11_date_time": "9:05 am on 1 December, 2023"
    },`, `"session_11_date_time": "9:05 am on 1 December, 2023",`, 1)
	flat = strings.Replace(flat, `,
    "sample_id": "conv-1"`, "", 1)
	b, found := read(t, datasets.Options{}, datasets.TextFile("x/1.json", flat))
	if len(b) != 1 || !reflect.DeepEqual(a, b) {
		t.Errorf("flat release differs: %+v\n%v", b, found)
	}
}

// TestDamaged: a broken record is a finding with its place; the others are read.
func TestDamaged(t *testing.T) {
	one := strings.TrimSpace(mini(t))
	one = strings.TrimSuffix(strings.TrimPrefix(one, "["), "]")
	for name, bad := range map[string]string{
		"unclosed string": strings.Replace(one, `"text": "I moved."`, `"text": "I moved.`, 1),
		"lost bracket":    strings.Replace(one, `"category": 2}`, `"category": 2`, 1),
		"stray word":      strings.Replace(one, `"category": 2}`, `"category": two}`, 1),
		"wrong type":      strings.Replace(one, `"speaker_a": "Ada"`, `"speaker_a": 4`, 1),
		"no bracket":      strings.Replace(one, `{"speaker": "Bo", "dia_id": "D2:1"`, `"speaker": "Bo", "dia_id": "D2:1"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			good := strings.Replace(one, `"conv-1"`, `"conv-2"`, 1)
			good3 := strings.Replace(one, `"conv-1"`, `"conv-3"`, 1)
			cases, found := read(t, datasets.Options{}, datasets.TextFile("f.json", "["+good+","+bad+","+good3+"]"))
			var ids []string
			for _, c := range cases {
				ids = append(ids, c.ID)
			}
			if !reflect.DeepEqual(ids, []string{"conv-2", "conv-3"}) {
				t.Errorf("cases %v", ids)
			}
			n := 0
			for _, f := range found {
				if !f.Warning && f.Code != "DST003" {
					n++
					if f.Pos.Line < 35 || f.Pos.File != "f.json" {
						t.Errorf("place of %v", f)
					}
				}
			}
			if n == 0 {
				t.Errorf("no finding of the damage in %v", found)
			}
		})
	}
}

func TestErrata(t *testing.T) {
	audit := `{"question_id": "locomo_0_qa3", "conv": "conv-1", "question": "What does Bo drink?", "error_type": "HALLUCINATION", "correct_answer": "yerba mate", "correct_evidence": ["D10:1"], "reasoning": "r"}
{"question_id": "locomo_0_qa0", "conv": "conv-1", "question": "another wording", "error_type": "AMBIGUOUS", "correct_answer": "", "correct_evidence": [], "reasoning": ""}
{"question_id": "locomo_0_qa77", "conv": "conv-1", "error_type": "INCOMPLETE", "correct_answer": "y", "correct_evidence": [], "reasoning": ""}
`
	e, err := locomo.ReadErrata(datasets.TextFile("audit.jsonl", audit))
	if err != nil {
		t.Fatal(err)
	}
	cases, found := read(t, datasets.Options{Errata: e}, datasets.TextFile("m.json", mini(t)))
	want := &schema.Erratum{Overlay: "audit", Kind: "answer", Answer: "yerba mate", Evidence: refs("conv-1", 5), Note: "HALLUCINATION: r"}
	if q := cases[0].Questions[3]; q.Answer != "mate" || !reflect.DeepEqual(q.Errata, want) {
		t.Errorf("have %+v, errata %+v", q, q.Errata)
	}
	if cases[0].Questions[0].Errata != nil {
		t.Error("a correction made for another wording was laid over")
	}
	if u := e.Unused(); !reflect.DeepEqual(u, []string{"conv-1/qa/77"}) {
		t.Errorf("unused %v", u)
	}
	if n := len(found); found[n-1].Code != "DST017" {
		t.Errorf("findings %v", found)
	}
	e, err = locomo.ReadErrata(datasets.TextFile("d.json", `[{"sample_id": "conv-1", "path": ["qa", 1, "answer"], "upstream": 2021, "corrected": "2022"},
 {"sample_id": "conv-1", "path": ["qa", 1, "evidence", 0], "upstream": "D2:1; D10:1", "corrected": "D2:2"}, {"sample_id": "conv-1", "path": ["qa"], "upstream_len": 8, "corrected_len": 7, "note": "n"}]`))
	if err != nil {
		t.Fatal(err)
	}
	cases, _ = read(t, datasets.Options{Errata: e}, datasets.TextFile("m.json", mini(t)))
	want = &schema.Erratum{Overlay: "d", Kind: "answer", Answer: "2022", Evidence: refs("conv-1", 4)}
	if q := cases[0].Questions[1]; !reflect.DeepEqual(q.Errata, want) {
		t.Errorf("have %+v, want %+v", q.Errata, want)
	}
}

// TestRealLoCoMo holds the counts of the real file.
func TestRealLoCoMo(t *testing.T) {
	shared := exttest.Shared(t, "data/locomo/locomo8.json", "data/locomo/locomo10_v2", "data/locomo_recorded/answer_key_errata.jsonl")
	dir := filepath.Join(shared, "data", "locomo")
	e, err := locomo.ReadErrata(datasets.PathFile(filepath.Join(dir, "../locomo_recorded/answer_key_errata.jsonl"), nil))
	if err != nil {
		t.Fatal(err)
	}
	cases, found := read(t, datasets.Options{Errata: e}, datasets.PathFile(filepath.Join(dir, "locomo8.json"), nil))
	counts, codes := map[string]int{}, map[string]int{}
	sessions, turns, questions, unresolved, corrected, wrong := 0, 0, 0, 0, 0, 0
	for _, c := range cases {
		sessions += len(c.Sessions)
		for _, s := range c.Sessions {
			turns += len(s.Turns)
		}
		for _, q := range c.Questions {
			questions++
			counts[q.RawCategory+q.Category]++
			unresolved += len(q.Unresolved)
			if q.Errata != nil {
				corrected++
			}
			if q.Wrong != "" {
				wrong++
			}
		}
	}
	for _, f := range found {
		codes[f.Code]++
	}
	if want := map[string]int{"1MR": 229, "2TR": 247, "3OD": 79, "4IE": 636, "5ABS": 352}; !reflect.DeepEqual(counts, want) {
		t.Errorf("categories %v, want %v", counts, want)
	}
	if len(cases) != 8 || sessions != 212 || turns != 4633 || questions != 1543 || wrong != 352 {
		t.Errorf("%d cases, %d sessions, %d turns, %d questions, %d wrong answers", len(cases), sessions, turns, questions, wrong)
	}
	if want := map[string]int{"DST004": 6, "DST010": 1, "DST018": 6}; !reflect.DeepEqual(codes, want) {
		t.Errorf("codes %v, want %v: %v", codes, want, found)
	}
	if unresolved != 3 || corrected != 126 || len(e.Unused()) != 0 { // "D", D10:19, D4:36
		t.Errorf("%d unresolved, %d corrected, unused %v", unresolved, corrected, e.Unused())
	}
	files, err := datasets.Find([]string{filepath.Join(dir, "locomo10_v2")}, locomo.Dataset().Match, nil)
	if err != nil {
		t.Fatal(err)
	}
	flat, _ := read(t, datasets.Options{}, files...)
	plain, _ := read(t, datasets.Options{}, datasets.PathFile(filepath.Join(dir, "locomo8.json"), nil))
	if !reflect.DeepEqual(flat, plain) {
		t.Errorf("the two releases differ: %d and %d cases", len(flat), len(plain))
	}
}

func FuzzCases(f *testing.F) {
	f.Add(mini(f))
	f.Add(`{"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "B", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}, "qa": [{}]}`)
	f.Add(`[{"qa": "x`)
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
			if x.Code == "" || x.Pos.File == "" || x.Pos.Line < 1 {
				t.Errorf("finding without a place: %+v", x)
			}
		}
	})
}
