package published

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"membench/datasets"
	"membench/eval/grade"
	"membench/schema"
)

func seqOf(recs []schema.QARecord) schema.Seq[schema.QARecord] {
	return func(yield func(schema.Record[schema.QARecord], error) bool) {
		for _, r := range recs {
			if !yield(schema.Record[schema.QARecord]{V: r}, nil) {
				return
			}
		}
	}
}

// gradesOf are the scores of every rule that looks at question, gold and answer.
func gradesOf(t *testing.T, recs []schema.QARecord) map[string]string {
	t.Helper()
	out := map[string]string{}
	for r, err := range grade.QA(context.Background(), seqOf(recs), grade.Options{Protocols: RuleProtocols()}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.V.Grades {
			if strings.HasPrefix(g.Protocol, "recorded") || strings.Contains(g.Protocol, "retrieval") || strings.Contains(g.Protocol, "evidence") {
				continue
			}
			score := "–"
			if g.Score != nil {
				score = fmt.Sprint(*g.Score)
			}
			out[r.V.QuestionID+" "+g.Protocol] = g.Outcome + " " + score
		}
	}
	return out
}

func locomoRecords() []schema.QARecord {
	rec := func(conv string, n int, category, question, gold, wrong, answer, outcome string) schema.QARecord {
		r := schema.QARecord{System: "sys", Dataset: "locomo", CaseID: conv, QuestionID: locomoID(conv, n), Question: question, Gold: gold, Wrong: wrong, RawCategory: category,
			Category: datasets.CategoryIn("locomo", category), Abstain: category == "5", Answer: answer, Outcome: outcome, By: "rule", EvidenceIDs: []string{"D1:1"},
			Hits: []schema.QAHit{{Rank: 1, ID: "a", Sources: []schema.EventRef{{ConvID: schema.ConvID(conv), TurnID: 1}, {ConvID: schema.ConvID(conv), TurnID: 2}}}}}
		return r
	}
	return []schema.QARecord{
		rec("conv-26", 0, "2", "When did the \"boat\" sail?", "7 May 2023", "", "on 7 May, 2023", schema.OutcomeAnswered),
		rec("conv-26", 7, "1", "What does she like?", "hiking, swimming", "", "She went hiking", schema.OutcomeAnswered),
		rec("conv-26", 9, "5", "What did he say?", "", "nothing", "No information available.", schema.OutcomeAnswered),
		rec("conv-30", 1, "4", "住在哪里？", "大理", "", "", schema.OutcomeEmpty),
		rec("conv-30", 2, "3", "Would she?", "Likely no; she is busy", "", "", schema.OutcomeError),
		rec("conv-30", 3, "4", "Where?", "Oslo", "", "Oslo", schema.OutcomeAnswered),
	}
}

// What was exported and read back has the grades that it had.
func TestExportAndBack(t *testing.T) {
	recs := locomoRecords()
	asked := slices.DeleteFunc(slices.Clone(recs), func(r schema.QARecord) bool { return r.Outcome == schema.OutcomeError })
	lme := []schema.QARecord{
		{System: "sys", Dataset: "longmemeval", CaseID: "c1", QuestionID: "q1", Question: "How many?", Gold: "3", RawCategory: "multi-session", Category: schema.CatMR, Answer: "three of\nthem", Outcome: schema.OutcomeAnswered, By: "rule"},
		{System: "sys", Dataset: "longmemeval", CaseID: "c2", QuestionID: "q2_abs", Question: "Where?", Gold: "it is not said", RawCategory: "multi-session", Category: schema.CatABS, Abstain: true, Answer: "I do not know", Outcome: schema.OutcomeAnswered, By: "rule"},
	}
	var questions []Asked
	for _, r := range lme {
		questions = append(questions, Asked{r.CaseID, schema.Question{ID: r.QuestionID, Text: r.Question, Answer: r.Gold, Category: r.Category, RawCategory: r.RawCategory, Abstain: r.Abstain}})
	}
	for _, form := range Forms() {
		in, want := recs, asked
		o := Options{}
		if form.Name == "lme" {
			in, want, o.Asked = lme, lme, questions
		}
		var b bytes.Buffer
		n, err := form.Write(&b, seqOf(in), WriteOptions{Source: func(e schema.EventRef) string { return fmt.Sprintf("D1:%d", e.TurnID) }})
		if err != nil || n.Answers != len(want) || n.Failed != len(in)-len(want) {
			t.Fatalf("%s: wrote %+v, %v", form.Name, n, err)
		}
		im, err := Open(bytes.NewReader(b.Bytes()), "sys"+form.Ext, o)
		if err != nil {
			t.Fatalf("%s: %v\n%s", form.Name, err, b.String())
		}
		if im.Format.Name != form.Back {
			t.Errorf("%s is read back as %s, want %s", form.Name, im.Format.Name, form.Back)
		}
		var back []schema.QARecord
		for r, err := range im.QA {
			if err != nil {
				t.Fatalf("%s: %v\n%s", form.Name, err, b.String())
			}
			back = append(back, r.V)
		}
		if len(back) != len(want) {
			t.Fatalf("%s: %d answers read back, want %d\n%s", form.Name, len(back), len(want), b.String())
		}
		had, has := gradesOf(t, want), gradesOf(t, back)
		if len(had) < len(want)*5 {
			t.Fatalf("only %d grades", len(had))
		}
		for k, v := range had {
			if has[k] != v {
				t.Errorf("%s: %s: have %s, want %s", form.Name, k, has[k], v)
			}
		}
	}
}

func TestExportForms(t *testing.T) {
	official, err := FormByName("locomo")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := official.Write(&b, seqOf(locomoRecords()[:1]), WriteOptions{Model: "gpt-x", Source: func(e schema.EventRef) string { return fmt.Sprintf("D1:%d", e.TurnID) }}); err != nil {
		t.Fatal(err)
	}
	want := `[{"sample_id": "conv-26", "qa": [
  {"question_id":"conv-26/qa/0","question":"When did the \"boat\" sail?","answer":"7 May 2023","evidence":["D1:1"],"category":2,"gpt-x_prediction":"on 7 May, 2023","gpt-x_prediction_context":["D1:1","D1:2"]}]}]
`
	if b.String() != want {
		t.Errorf("have\n%swant\n%s", b.String(), want)
	}
	for _, f := range Forms() {
		b.Reset()
		if _, err := f.Write(&b, seqOf(nil), WriteOptions{}); err != nil || f.Name != "lme" && b.Len() == 0 {
			t.Errorf("%s of nothing: %q, %v", f.Name, b.String(), err)
		}
		if f.Dataset == "locomo" {
			if _, err := f.Write(&b, seqOf([]schema.QARecord{{QuestionID: "q", CaseID: "conv-26", RawCategory: "multi-session", Outcome: schema.OutcomeAnswered}}), WriteOptions{}); err == nil || !strings.Contains(err.Error(), "not a number") {
				t.Errorf("%s of another data set: have %v", f.Name, err)
			}
		}
	}
	n, err := official.Write(&b, seqOf(locomoRecords()), WriteOptions{Failed: true})
	if err != nil || n.Answers != 6 || n.Failed != 1 {
		t.Errorf("failed ones as empty answers: have %+v, %v", n, err)
	}
	if _, err := FormByName("nope"); err == nil || !strings.Contains(err.Error(), "lme, locomo, mem0, amb") {
		t.Errorf("have %v", err)
	}
}

// The Agent Memory Benchmark's form goes out and comes back with its verdicts.
func TestAMB(t *testing.T) {
	recs := locomoRecords()
	one, zero := 1.0, 0.0
	recs[0].Grades = []schema.Grade{{Protocol: "rule@1", By: schema.ByRule, Score: &zero, Outcome: schema.GradeScored}, {Protocol: "zep@1", By: "gpt-x", Score: &one, Outcome: schema.GradeScored, Reason: "same day"}}
	recs[1].Grades = recs[0].Grades[:1]
	form, err := FormByName("amb")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := form.Write(&b, seqOf(recs), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"query_id":"conv-26_q0"`, `"category":"temporal"`, `"graded":2,"correct":1`, `"accuracy":0.5`, `"memory_provider":"sys"`, `"judge_reason":"same day"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("lacks %s:\n%s", want, b.String())
		}
	}
	im, err := Open(bytes.NewReader(b.Bytes()), "x.json", Options{})
	if err != nil || im.System != "sys" || len(im.Claims) != 1 {
		t.Fatalf("%+v, %v", im, err)
	}
	var back []schema.QARecord
	for r, err := range im.QA {
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, r.V)
	}
	if len(back) != 5 || back[0].QuestionID != "conv-26/qa/0" || back[0].RawCategory != "2" || len(back[0].Grades) != 1 || *back[0].Grades[0].Score != 1 || len(back[2].Grades) != 0 || !back[2].Abstain {
		t.Errorf("%+v", back)
	}
}

// One's own data goes out in the Agent Memory Benchmark's form and comes back as the same questions: LoCoMo's layout with other sample ids, own ids of questions,
// and sets with our categories.
func TestAMBOfOwnData(t *testing.T) {
	form, err := FormByName("amb")
	if err != nil {
		t.Fatal(err)
	}
	recs := locomoRecords()
	recs[4].Outcome = schema.OutcomeAnswered // errors are not written
	for i := range recs {
		recs[i].QuestionID = strings.Replace(recs[i].QuestionID, recs[i].CaseID, "day_q7", 1)
		recs[i].CaseID = "day_q7"
	}
	own := recs[1]
	own.QuestionID = "who-fed-the-cat_q2"
	recs = append(recs, own)
	var plain []schema.QARecord
	for i, c := range schema.Categories() {
		plain = append(plain, schema.QARecord{System: "sys", Dataset: "town", CaseID: "c1", QuestionID: "q" + strconv.Itoa(i), Question: "Who?", Gold: "Ines", Category: c, RawCategory: "kind " + strconv.Itoa(i), Abstain: c == schema.CatABS, Answer: "Rui", By: schema.ByRule, Outcome: schema.OutcomeAnswered})
	}
	for _, recs := range [][]schema.QARecord{recs, plain} {
		var b bytes.Buffer
		if _, err := form.Write(&b, seqOf(recs), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		im, err := Open(bytes.NewReader(b.Bytes()), "x.json", Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		for r, err := range im.QA {
			if err != nil {
				t.Fatal(err)
			}
			have, want := r.V, recs[i]
			if have.CaseID != want.CaseID || have.QuestionID != want.QuestionID || have.Category != want.Category || have.RawCategory != want.RawCategory || have.Abstain != want.Abstain || have.Gold != want.Gold {
				t.Errorf("have %s %s %s (%s) %v, want %s %s %s (%s) %v", have.CaseID, have.QuestionID, have.Category, have.RawCategory, have.Abstain, want.CaseID, want.QuestionID, want.Category, want.RawCategory, want.Abstain)
			}
			i++
		}
		if i != len(recs) {
			t.Errorf("%d of %d came back", i, len(recs))
		}
	}
}
