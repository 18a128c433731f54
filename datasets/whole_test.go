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
