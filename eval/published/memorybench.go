package published

import (
	"fmt"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
)

func memorybenchFormats() []Format {
	return []Format{{
		Name: "memorybench-report", where: "evaluations[]",
		About:  "report.json: provider, benchmark, judge, answeringModel, summary, and evaluations with hypothesis, groundTruth, label, score, searchResults",
		Origin: "supermemoryai/memorybench src/orchestrator/phases/report.ts",
		match:  func(h head) bool { return h.shape == '{' && h.has("provider", "benchmark", "evaluations") },
		row:    memorybenchRow, claims: memorybenchClaims,
	}}
}

// memorybenchType maps the question types of its benchmarks. LoCoMo's names are those
// of memorybench's own map, which differs from the benchmark's: the raw label is kept.
func memorybenchType(benchmark, kind string) string {
	if c := datasets.CategoryIn("longmemeval", kind); c != "" {
		return c
	}
	switch kind {
	case "single-hop", "single_hop":
		return schema.CatIE
	case "multi-hop", "multi_hop":
		return schema.CatMR
	case "temporal":
		return schema.CatTR
	case "world-knowledge", "open-domain", "open_domain":
		return schema.CatOD
	case "adversarial", "abstention":
		return schema.CatABS
	}
	return schema.CatIE
}

func memorybenchRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		ID         string          `json:"questionId"`
		Type       string          `json:"questionType"`
		Question   string          `json:"question"`
		Score      *float64        `json:"score"`
		Label      string          `json:"label"`
		Why        string          `json:"explanation"`
		Hypothesis datasets.Scalar `json:"hypothesis"`
		Gold       datasets.Scalar `json:"groundTruth"`
		SearchMS   float64         `json:"searchDurationMs"`
		AnswerMS   float64         `json:"answerDurationMs"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	if v.ID == "" {
		return schema.QARecord{}, r.lacks("questionId")
	}
	benchmark := f.named("benchmark")
	q := schema.QARecord{Dataset: benchmark, CaseID: v.ID, QuestionID: v.ID, Question: v.Question, Gold: v.Gold.Text, Answer: v.Hypothesis.Text, By: orUnknown(f.named("answeringModel")),
		RawCategory: v.Type, Category: memorybenchType(benchmark, v.Type), RetrieveMS: v.SearchMS, AnswerMS: v.AnswerMS}
	// A missing score is written as 0 with the label "incorrect": the label decides
	// nothing that the score does not say.
	if v.Score == nil {
		return q, nil
	}
	err := f.judge(&q, r, []datasets.Scalar{{Text: fmt.Sprint(*v.Score), Kind: '"'}}, orUnknown(f.named("judge")))
	for i := range q.Grades {
		q.Grades[i].Label, q.Grades[i].Reason = v.Label, v.Why
	}
	return q, err
}

// asked finds a question of the cases by its id.
func (f *file) asked(id string) (Asked, bool) {
	a, ok := f.questions[id]
	return a, ok
}

func memorybenchClaims(f *file) []Claim {
	var v struct {
		Summary struct {
			Total    int      `json:"totalQuestions"`
			Accuracy *float64 `json:"accuracy"`
		} `json:"summary"`
		ByType map[string]struct {
			Total    int      `json:"total"`
			Accuracy *float64 `json:"accuracy"`
		} `json:"byQuestionType"`
	}
	if codec.Unmarshal(f.b, &v) != nil || v.Summary.Accuracy == nil {
		return nil
	}
	out := []Claim{{Source: "summary of the file", Protocol: RecordedJudge, Value: *v.Summary.Accuracy, Decimals: 6, N: v.Summary.Total}}
	for _, name := range sortedNames(v.ByType) {
		if t := v.ByType[name]; t.Accuracy != nil {
			out = append(out, Claim{Source: "byQuestionType of the file", Protocol: RecordedJudge, Category: name, Value: *t.Accuracy, Decimals: 6, N: t.Total})
		}
	}
	return out
}
