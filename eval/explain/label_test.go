package explain_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"membench/eval/explain"
	"membench/schema"
)

var forms = []explain.Form{explain.JSONL, explain.TSV, explain.CSV}

func TestLabelsRoundTrip(t *testing.T) {
	labels := []explain.Label{
		{System: "s", Dataset: "d", CaseID: "c", Question: "q1", Repeat: 2, Asked: "她住\"哪里\"？", Gold: "里斯本\t河边", Evidence: "turn 1\nturn 2", Hop: schema.HopStore, Cause: schema.CauseMiss, Note: "好"},
		{System: "s", Dataset: "d", CaseID: "c", Question: "q2", Context: strings.Repeat("x, y; z\n", 50)},
	}
	for _, f := range forms {
		var b bytes.Buffer
		if err := explain.WriteLabels(&b, labels, f); err != nil {
			t.Fatal(err)
		}
		got, err := explain.ReadLabels(&b, "labels", f, func(f *schema.Finding) error { return f })
		if err != nil || !reflect.DeepEqual(got, labels) {
			t.Errorf("form %d: have %+v, %v", f, got, err)
		}
	}
}

// The sample is the same whatever the order, and a smaller one is its beginning.
func TestSample(t *testing.T) {
	var qa []schema.QARecord
	for i := range 300 {
		qa = append(qa, schema.QARecord{System: "s", Dataset: "d", CaseID: "c", QuestionID: fmt.Sprint(i), Question: "Where?", Gold: "Lisbon", Answer: "x", Evidence: []schema.EventRef{ref(1)}, Grades: wrong("")})
	}
	draw := func(n int, seed uint64, qa []schema.QARecord) (out []string) {
		s := explain.NewSample(n, seed)
		for _, err := range explain.QA(context.Background(), seq(qa), explain.Options{Sample: s, Cases: seq([]schema.Case{toy(schema.UnitTurn, talk...)})}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, l := range s.Labels() {
			if !strings.Contains(l.Evidence, talk[0]) || l.Hop != "" || l.Cause != "" {
				t.Fatalf("have %+v, want the evidence in words and nothing filled in", l)
			}
			out = append(out, l.Question)
		}
		return out
	}
	first := draw(40, 1, qa)
	back := slices.Clone(qa)
	slices.Reverse(back)
	if !slices.Equal(first, draw(40, 1, back)) {
		t.Error("another order of the records gives another sample")
	}
	if !slices.Equal(first[:10], draw(10, 1, qa)) {
		t.Error("a smaller sample is not the beginning of the larger")
	}
	if slices.Equal(first, draw(40, 2, qa)) || len(first) != 40 {
		t.Errorf("another seed gives the same %d", len(first))
	}
	if got := draw(1000, 1, qa); len(got) != 300 {
		t.Errorf("%d drawn of 300", len(got))
	}
}

func FuzzReadLabels(f *testing.F) {
	for _, form := range forms {
		var b bytes.Buffer
		explain.WriteLabels(&b, []explain.Label{{System: "系统", Question: "q", Hop: "gold"}}, form)
		f.Add(b.Bytes(), int(form))
	}
	f.Add([]byte("system\tcase_id\tquestion_id\thop\n\"a\tb\n\xff"), 1)
	f.Fuzz(func(t *testing.T, in []byte, form int) {
		if form < 0 || form > 2 {
			return
		}
		labels, err := explain.ReadLabels(bytes.NewReader(in), "f", explain.Form(form), func(f *schema.Finding) error {
			if f.Code != "EVL102" || f.Pos.Line < 1 {
				t.Fatalf("finding %+v", f)
			}
			return nil
		})
		if err != nil {
			return
		}
		for _, l := range labels { // what was read holds words of ours only
			if l.Hop != "" && !slices.Contains(schema.Hops(), l.Hop) || l.Cause != "" && !slices.Contains(schema.Causes(), l.Cause) {
				t.Fatalf("label %+v", l)
			}
		}
	})
}
