package datasets_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"membench/datasets"
	"membench/datasets/all"
	"membench/schema"
	"membench/schema/jsonl"
	"membench/schema/validate"
)

// found reads files through Dataset.Read and lists the codes of the findings.
func found(t *testing.T, name string, files ...jsonl.File) (codes []string) {
	t.Helper()
	d, ok := all.Lookup(name)
	if !ok {
		t.Fatal(name)
	}
	o := datasets.Options{Report: func(f *schema.Finding) { codes = append(codes, f.Code) }}
	for _, err := range d.Read(context.Background(), files, o) {
		var f *schema.Finding
		if errors.As(err, &f) {
			codes = append(codes, f.Code)
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return codes
}

// No reader passes over a file that is empty, in UTF-16, cut off or of another set.
func TestNothingPassesHalfRead(t *testing.T) {
	utf16 := "\xff\xfe[\x00{\x00"
	for _, d := range all.Datasets() {
		if d.Cases == nil || d.Match == nil || d.Status != "read" {
			continue
		}
		for what, text := range map[string]string{"empty": "", "UTF-16": utf16, "cut": `[{"sample_id": "x", "que`, "NaN": `[{"a": NaN}]`, "nothing": "[]", "another set": `{"a": 1}`} {
			name := "x.json"
			switch d.Name {
			case "beam":
				name = "1/chat.json"
			case "personamem":
				name = "documents.json"
			case "realtalk":
				name = "Chat_1.json"
			}
			if codes := found(t, d.Name, datasets.TextFile(name, text)); len(codes) == 0 {
				t.Errorf("%s: a file that is %s passes", d.Name, what)
			}
		}
	}
}

func TestChecksum(t *testing.T) {
	text := `[{"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "B", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}, "qa": [{"question": "q", "answer": "x", "evidence": ["D1:1"], "category": 1}]}]`
	if codes := found(t, "locomo", datasets.TextFile("d/locomo10.json.gz", text)); strings.Join(codes, " ") != "DST025" {
		t.Errorf("%v", codes)
	}
	if codes := found(t, "locomo", datasets.TextFile("d/locomo8.json", text)); len(codes) != 0 {
		t.Errorf("%v", codes)
	}
}

// What lint refuses of case records, validate reports, by the same code and where the value is; what lint takes, validate takes.
func TestValidateReportsWhatLintRefuses(t *testing.T) {
	const good = `{"case_id":"c1","dataset":"own","conv_id":"c1","unit":"turn","sessions":[{"session_id":"S1","time":"2026-01-02","turns":[{"turn_id":1,"source_id":"a","role":"user","text":"I bought a canoe."},{"turn_id":2,"source_id":"b","role":"assistant","text":"Nice."}]}],"questions":[{"question_id":"q1","question":"What did I buy?","answer":"a canoe","category":"IE","raw_category":"IE","as_of":"2026-02-01","covered_sessions":["S1"],"evidence":[{"conv_id":"c1","turn_id":1}]}]}`
	for _, c := range []struct{ old, new, pointer string }{
		{`"2026-01-02"`, `"yesterday"`, "/sessions/0/time"},
		{`canoe."}`, `canoe.","time":"2026-02-30"}`, "/sessions/0/turns/0/time"},
		{`"2026-02-01"`, `"soon"`, "/questions/0/as_of"},
		{`["S1"]`, `["S1","S9"]`, "/questions/0/covered_sessions/1"},
		{`"What did I buy?"`, `" "`, "/questions/0/question"},
		{`"answer":"a canoe"`, `"answer":""`, "/questions/0/answer"},
		{`"turn_id":1}]}]}`, `"turn_id":7}]}]}`, "/questions/0/evidence/0"},
		{`"turn_id":2`, `"turn_id":3`, "/sessions/0/turns/1/turn_id"},
		{`"evidence"`, `"evidense"`, "/questions/0/evidense"},
		{`"source_id":"b"`, `"source_id":"a"`, "/sessions/0/turns/1/source_id"},
		{`"source_id":"b",`, ``, "/sessions"},
		{`"session_id":"S1"`, `"session_id":"S1","turns":[]},{"session_id":"S1"`, "/sessions/1/session_id"},
		{`}]}]}`, `}]}]}` + "\n" + strings.ReplaceAll(good, `"q1"`, `"q2"`), "/case_id"},
		{`}]}]}`, `}]}]}` + "\n" + strings.NewReplacer(`"c1","dataset"`, `"c2","dataset"`, "q1", "q2", "Nice", "Good").Replace(good), "/conv_id"},
		{`}]}]}`, `}]}]}` + "\n" + strings.ReplaceAll(good, `"c1"`, `"c2"`), "/questions/0/question_id"},
		{`}]}]}`, `}]}]}` + "\n" + strings.NewReplacer(`"c1","dataset"`, `"c2","dataset"`, "q1", "q2").Replace(good), ""}, // two cases about one conversation
		{`"category":"IE"`, `"category":"IE","abstain":true`, "/questions/0/category"},
		{`"category":"IE"`, `"category":"ABS"`, "/questions/0/category"},
		{`"category":"IE"`, `"category":"ABS","abstain":true`, ""}, // its gold is an explanation
		{"", "", ""},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		linted := found(t, "plain", datasets.TextFile("x.cases.jsonl", text))
		var codes, pointers []string
		for f, err := range validate.New(nil, validate.Options{}).Stream(strings.NewReader(text), "x.cases.jsonl", "", "") {
			if err != nil {
				t.Fatal(err)
			}
			codes, pointers = append(codes, f.Code), append(pointers, f.Pointer)
		}
		if strings.Join(linted, " ") != strings.Join(codes, " ") || strings.Join(pointers, " ") != c.pointer {
			t.Errorf("%s → %s: lint finds %v, validate %v at %v, want %s", c.old, c.new, linted, codes, pointers, c.pointer)
		}
	}
}
