package published

import (
	"strings"

	"membench/datasets"
	"membench/schema"
)

func longmemevalFormats() []Format {
	return []Format{
		{
			Name: "lme-hypotheses", Verified: true, Cases: true, dataset: "longmemeval", where: "",
			About:  "LongMemEval's hypotheses, or its evaluator's log: question_id, hypothesis, and autoeval_label where it was judged",
			Origin: "xiaowu0162/LongMemEval src/evaluation/evaluate_qa.py",
			match:  func(h head) bool { return h.shape == 'l' && h.has("question_id", "hypothesis") },
			row:    hypothesisRow,
		},
		{
			Name: "lme-eval-array", Verified: true, dataset: "longmemeval", where: "[]",
			About:  "an array of question_id, question_type, answer (the gold), hypothesis, evaluation (yes or no)",
			Origin: "LugmanS/longmemeval",
			match:  func(h head) bool { return h.shape == '[' && h.has("question_id", "hypothesis", "evaluation") },
			row:    evalArrayRow,
		},
		{
			Name: "lme-error-analysis", Verified: true, dataset: "longmemeval", where: "",
			About:  "wrong answers of a run, one a line, with what was retrieved: question_id, correct_answer, llm_output, retrieval_analysis",
			Origin: "Hunk0724/LongMemEval analysis_results",
			match:  func(h head) bool { return h.shape == 'l' && h.has("question_id", "llm_output", "correct_answer") },
			row:    errorAnalysisRow,
		},
	}
}

// longmemevalQuestion fills in the members derived from id and type. Abstention is a mark of the id, independent of the type (the evaluator looks for it
// anywhere in the id).
func longmemevalQuestion(q *schema.QARecord, id, kind string) {
	q.CaseID, q.QuestionID, q.RawCategory = id, id, kind
	q.Category, q.Abstain = datasets.CategoryIn("longmemeval", kind), strings.Contains(id, "_abs")
	if q.Abstain {
		q.Category = schema.CatABS
	}
}

func hypothesisRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		QuestionID string          `json:"question_id"`
		Hypothesis datasets.Scalar `json:"hypothesis"`
		Label      *struct {
			Model string          `json:"model"`
			Label datasets.Scalar `json:"label"`
		} `json:"autoeval_label"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	asked, ok := f.asked(v.QuestionID)
	if !ok {
		return schema.QARecord{}, &schema.Finding{Pos: r.pos, Pointer: r.pointer + "/question_id", Code: "PUB002", Message: "the row was skipped: no case has this question", Have: v.QuestionID}
	}
	q := asked.Record()
	q.CaseID, q.Answer = asked.CaseID, v.Hypothesis.Text
	if v.Usage.Prompt+v.Usage.Completion > 0 {
		q.Usage = []schema.StepUsage{{Step: "read", Calls: 1, InputTokens: v.Usage.Prompt, OutputTokens: v.Usage.Completion}}
	}
	if v.Label == nil {
		return q, nil
	}
	return q, f.judge(&q, r, []datasets.Scalar{v.Label.Label}, schema.By(v.Label.Model))
}

func evalArrayRow(f *file, r row) (schema.QARecord, error) {
	type tokens struct {
		Input     int `json:"inputTokens"`
		Output    int `json:"outputTokens"`
		Reasoning int `json:"reasoningTokens"`
	}
	var v struct {
		QuestionID string          `json:"question_id"`
		Type       string          `json:"question_type"`
		Question   string          `json:"question"`
		Gold       datasets.Scalar `json:"answer"`
		Hypothesis datasets.Scalar `json:"hypothesis"`
		Evaluation datasets.Scalar `json:"evaluation"`
		Answer     tokens          `json:"answer_generation_usage"`
		Judge      tokens          `json:"evaluation_usage"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Hypothesis.Text}
	longmemevalQuestion(&q, v.QuestionID, v.Type)
	if q.Category == "" {
		return q, r.lacks("question_type")
	}
	for _, u := range []struct {
		step string
		t    tokens
	}{{"read", v.Answer}, {"judge", v.Judge}} {
		if u.t.Input > 0 {
			q.Usage = append(q.Usage, schema.StepUsage{Step: u.step, Calls: 1, InputTokens: u.t.Input, OutputTokens: u.t.Output + u.t.Reasoning})
		}
	}
	// The evaluator's rule: "yes" anywhere in the reply.
	vote := datasets.Scalar{Text: "no", Kind: '"'}
	if reply := strings.ToLower(v.Evaluation.Text); strings.Contains(reply, "yes") {
		vote.Text = "yes"
	} else if !strings.Contains(reply, "no") {
		vote.Text = v.Evaluation.Text
	}
	return q, f.judge(&q, r, []datasets.Scalar{vote}, "")
}

func errorAnalysisRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		QuestionID string          `json:"question_id"`
		Type       string          `json:"question_type"`
		Question   string          `json:"question"`
		Gold       datasets.Scalar `json:"correct_answer"`
		Output     datasets.Scalar `json:"llm_output"`
		Correct    datasets.Scalar `json:"is_correct"`
		Evidence   []string        `json:"answer_session_ids"`
		Prompt     int             `json:"prompt_tokens"`
		Completion int             `json:"completion_tokens"`
		Judge      string          `json:"eval_model"`
		Retrieval  struct {
			Top []struct {
				Rank      int    `json:"rank"`
				SessionID string `json:"session_id"`
				Text      string `json:"text_preview"`
			} `json:"top10_results"`
		} `json:"retrieval_analysis"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Output.Text, EvidenceIDs: v.Evidence}
	longmemevalQuestion(&q, v.QuestionID, v.Type)
	if q.Category == "" {
		return q, r.lacks("question_type")
	}
	for _, h := range v.Retrieval.Top {
		q.Hits = append(q.Hits, schema.QAHit{Rank: h.Rank, ID: schema.PointID(h.SessionID), Text: h.Text})
	}
	if v.Prompt > 0 {
		q.Usage = []schema.StepUsage{{Step: "read", Calls: 1, InputTokens: v.Prompt, OutputTokens: v.Completion}}
	}
	return q, f.judge(&q, r, votesOf(nil, v.Correct), schema.By(v.Judge))
}
