package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
)

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func halumemFormats() []Format {
	return []Format{{
		Name: "halumem-eval", Verified: true, dataset: "halumem", where: "question_answering_records[]",
		About:  "HaluMem's judge records: memory_integrity, memory_accuracy, memory_update and question_answering records, overall_score where present; also gives session records",
		Origin: "MemTensor/HaluMem eval",
		match: func(h head) bool {
			return h.shape == '{' && h.has("question_answering_records", "memory_integrity_records")
		},
		row: halumemRow, session: halumemSessions, claims: halumemClaims,
	}}
}

// halumemSession names a session as our cases do: by its index in the user's list.
func halumemSession(n int) string { return datasets.Numbered("S", n+1, 2) }

func halumemRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		UUID       string          `json:"uuid"`
		Session    int             `json:"ssession_id"`
		Question   string          `json:"question"`
		Gold       datasets.Scalar `json:"answer"`
		Type       string          `json:"question_type"`
		Answer     datasets.Scalar `json:"system_response"`
		Result     string          `json:"result_type"`
		Context    string          `json:"context"`
		SearchMS   float64         `json:"search_duration_ms"`
		ResponseMS float64         `json:"response_duration_ms"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	category := datasets.CategoryIn("halumem", v.Type)
	if v.UUID == "" || category == "" {
		return schema.QARecord{}, r.lacks("question_type")
	}
	q := schema.QARecord{CaseID: v.UUID, QuestionID: fmt.Sprintf("%s/%s/%d", v.UUID, halumemSession(v.Session), r.index), Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text, Context: v.Context,
		Category: category, RawCategory: v.Type, Abstain: category == schema.CatABS, Checkpoint: halumemSession(v.Session), RetrieveMS: v.SearchMS, AnswerMS: v.ResponseMS}
	switch v.Result {
	case "Correct", "Hallucination", "Omission":
		score := 0.0
		if v.Result == "Correct" {
			score = 1
		}
		g := f.recorded(RecordedJudge, score, "")
		g.Label, g.Reply = v.Result, v.Result
		q.Grades = []schema.Grade{g}
		return q, nil
	}
	q.Grades = []schema.Grade{{Protocol: RecordedJudge + "@" + f.format.Name, Outcome: schema.GradeJudgeFailed, Reply: v.Result}}
	return q, &schema.Finding{Pos: r.pos, Pointer: r.pointer + "/result_type", Code: unread, Message: "the recorded verdict cannot be read and is lost; its answer is kept", Have: v.Result, Want: "Correct, Hallucination or Omission"}
}

// halumemPoint is the common part of the three kinds of session records.
type halumemPoint struct {
	UUID       string          `json:"uuid"`
	Session    int             `json:"ssession_id"`
	Index      int             `json:"index"`
	Content    string          `json:"memory_content"`
	Type       string          `json:"memory_type"`
	Source     string          `json:"memory_source"`
	IsUpdate   datasets.Scalar `json:"is_update"`
	Originals  []string        `json:"original_memories"`
	Importance *float64        `json:"importance"`
	Integrity  datasets.Scalar `json:"memory_integrity_score"`
	Accuracy   datasets.Scalar `json:"memory_accuracy_score"`
	Update     string          `json:"memory_update_type"`
}

// halumemSessions makes session records of the judge's: 2 of 2 is covered (the file's
// own recall), an interference point with 0 is rejected, a stored memory with 2 is
// correct, with 1 partly so, with 0 a hallucination. An update that was recorded as
// Hallucination or Other counts as outdated: nothing right is there.
func halumemSessions(f *file) schema.Seq[schema.SessionRecord] {
	return func(yield func(schema.Record[schema.SessionRecord], error) bool) {
		type key struct {
			uuid string
			n    int
		}
		sessions := map[key]*schema.SessionRecord{}
		at := map[key]schema.Pos{}
		take := func(where string, grade func(s *schema.SessionRecord, p halumemPoint, r row)) bool {
			for r, err := range rows(f.b, f.name, where) {
				var p halumemPoint
				if err == nil {
					err = r.decode(&p)
				}
				if err != nil {
					if !yield(schema.Record[schema.SessionRecord]{Pos: r.pos}, err) {
						return false
					}
					continue
				}
				k := key{p.UUID, p.Session}
				s := sessions[k]
				if s == nil {
					dataset := cmp.Or(f.o.Dataset, f.format.dataset)
					s = &schema.SessionRecord{System: f.system, Dataset: dataset, CaseID: p.UUID, SessionID: halumemSession(p.Session), Index: p.Session, Outcome: schema.OutcomeAnswered}
					sessions[k], at[k] = s, r.pos
				}
				grade(s, p, r)
			}
			return true
		}
		score := func(g schema.SessionGrade, s datasets.Scalar, table map[string]string, value map[string]float64) schema.SessionGrade {
			g.By, g.Outcome = orUnknown(f.o.Judge), schema.GradeScored
			label, ok := table[s.Text]
			if !ok {
				g.Outcome = schema.GradeJudgeFailed
				return g
			}
			v := value[s.Text]
			g.Label, g.Score = label, &v
			return g
		}
		ok := take("memory_integrity_records[]", func(s *schema.SessionRecord, p halumemPoint, _ row) {
			point := schema.MemoryPoint{ID: fmt.Sprintf("%s/%d", s.SessionID, p.Index), Content: p.Content, Type: p.Type, Source: p.Source, IsUpdate: p.IsUpdate.Text == "True", Originals: p.Originals, Importance: p.Importance}
			s.Points = append(s.Points, point)
			g := schema.SessionGrade{Judge: "recall", Item: point.ID, Update: point.IsUpdate}
			if point.Interference() {
				g.Judge = "interference"
				s.Grades = append(s.Grades, score(g, p.Integrity, map[string]string{"0": "rejected", "1": "memorized", "2": "memorized"}, map[string]float64{"0": 1}))
				return
			}
			s.Grades = append(s.Grades, score(g, p.Integrity, map[string]string{"0": "missed", "1": "missed", "2": "covered"}, map[string]float64{"2": 1}))
		}) && take("memory_accuracy_records[]", func(s *schema.SessionRecord, p halumemPoint, r row) {
			id := schema.PointID(fmt.Sprintf("%s/m%d", s.SessionID, r.index))
			s.Delta = append(s.Delta, schema.MemoryDelta{Op: "add", ID: id, Text: p.Content})
			s.Grades = append(s.Grades, score(schema.SessionGrade{Judge: "correctness", Item: string(id)}, p.Accuracy,
				map[string]string{"0": "hallucination", "1": "partial", "2": "correct"}, map[string]float64{"1": 0.5, "2": 1}))
		}) && take("memory_update_records[]", func(s *schema.SessionRecord, p halumemPoint, _ row) {
			g := score(schema.SessionGrade{Judge: "update", Item: fmt.Sprintf("%s/%d", s.SessionID, p.Index), Update: true}, datasets.Scalar{Text: p.Update, Kind: '"'},
				map[string]string{"Correct": "updated", "Omission": "outdated", "Hallucination": "outdated", "Other": "outdated"}, map[string]float64{"Correct": 1})
			g.Reason = "recorded as " + p.Update
			s.Grades = append(s.Grades, g)
		})
		if !ok {
			return
		}
		keys := slices.SortedFunc(maps.Keys(sessions), func(a, b key) int { return cmp.Or(cmp.Compare(a.uuid, b.uuid), a.n-b.n) })
		for _, k := range keys {
			if !yield(schema.Record[schema.SessionRecord]{Pos: at[k], V: *sessions[k]}, nil) {
				return
			}
		}
	}
}

// halumemClaims are the file's own aggregates, as far as our records hold their parts.
func halumemClaims(f *file) []Claim {
	type num = float64
	var v struct {
		Overall *struct {
			Integrity struct {
				Recall *num `json:"recall(all)"`
				N      int  `json:"memory_num"`
			} `json:"memory_integrity"`
			Accuracy struct {
				Interference *num `json:"interference_accuracy(all)"`
				N            int  `json:"interference_memory_num"`
			} `json:"memory_accuracy"`
			Update struct {
				Correct *num `json:"correct_update_memory_ratio(all)"`
				N       int  `json:"update_memory_num"`
			} `json:"memory_update"`
			QA struct {
				Correct       *num `json:"correct_qa_ratio(all)"`
				Hallucination *num `json:"hallucination_qa_ratio(all)"`
				Omission      *num `json:"omission_qa_ratio(all)"`
				N             int  `json:"qa_num"`
			} `json:"question_answering"`
		} `json:"overall_score"`
	}
	if codec.Unmarshal(f.b, &v) != nil || v.Overall == nil {
		return nil
	}
	var out []Claim
	add := func(what, protocol, label string, value *num, n int) {
		if value != nil {
			out = append(out, Claim{Source: "overall_score of the file: " + what, Protocol: protocol, Label: label, Value: *value, Decimals: 6, N: n})
		}
	}
	o := v.Overall
	add("memory_integrity recall(all)", sessionRecall, "", o.Integrity.Recall, o.Integrity.N)
	add("interference_accuracy(all)", sessionInterference, "", o.Accuracy.Interference, o.Accuracy.N)
	add("correct_update_memory_ratio(all)", sessionUpdate, "", o.Update.Correct, o.Update.N)
	add("correct_qa_ratio(all)", RecordedJudge, "Correct", o.QA.Correct, o.QA.N)
	add("hallucination_qa_ratio(all)", RecordedJudge, "Hallucination", o.QA.Hallucination, o.QA.N)
	add("omission_qa_ratio(all)", RecordedJudge, "Omission", o.QA.Omission, o.QA.N)
	return out
}
