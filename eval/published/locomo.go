package published

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
)

func locomoFormats() []Format {
	return []Format{
		{
			Name: "locomo-rows", Verified: true, dataset: "locomo", where: "",
			About:  "one LoCoMo answer a line: conv, qa_index or question_id, category, gold, answer, with judgments, grade or bleu_score, f1_score, llm_score",
			Origin: "recorded runs of dial481/locomo-audit, getzep/zep-papers, memodb-io/memobase, one row a line",
			match:  func(h head) bool { return h.shape == 'l' && h.has("conv", "category", "gold", "answer") },
			row:    locomoRow,
		},
		{
			Name: "locomo-official", dataset: "locomo", where: "[]qa[]",
			About:  "the conversations with their questions, each with NAME_prediction: what the benchmark's own scorer reads, and eval export writes",
			Origin: "snap-research/locomo task_eval/evaluate_qa.py",
			match:  func(h head) bool { return h.shape == '[' && h.has("sample_id", "qa") },
			row:    officialRow,
		},
		{
			Name: "evermemos-eval", dataset: "locomo", where: "detailed_results{}[]",
			About:  "eval_results.json: detailed_results by conversation, each row with llm_judgments",
			Origin: "EverMind-AI/EverMemOS evaluation; dial481/locomo-audit fc-baseline and ap-baseline",
			match:  func(h head) bool { return h.shape == '{' && h.has("detailed_results", "total_questions") },
			row:    evermemosRow, claims: evermemosClaims,
		},
		{
			Name: "mem0-eval", dataset: "locomo", where: "{}[]",
			About:  "evals.json: by conversation index, rows with question, answer (the gold), response, category, bleu_score, f1_score, llm_score",
			Origin: "mem0ai/mem0 evaluation/ before 9315e3036, and its fork memodb-io/memobase docs/experiments/locomo-benchmark",
			match: func(h head) bool {
				return h.shape == '{' && h.holds("question", "answer", "response", "category") && !h.holds("golden_answer")
			},
			row: mem0Row,
		},
		{
			Name: "zep-locomo", dataset: "locomo", where: "{}[]", Cases: true,
			About:  "zep_locomo_grades.json and _responses.json: by user, rows with question, answer, golden_answer, and grade or duration_ms",
			Origin: "getzep/zep-papers kg_architecture_agent_memory/locomo_eval",
			match: func(h head) bool {
				return h.shape == '{' && h.holds("question", "answer", "golden_answer") && !h.holds("generated_answer")
			},
			row: zepRow,
		},
	}
}

// locomoID is the question's id in our cases.
func locomoID(conv string, index int) string { return fmt.Sprintf("%s/qa/%d", conv, index) }

// locomoConvs are the ten conversations in the order of the file, which is the number
// that other harnesses call them by.
var locomoConvs = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47", "conv-48", "conv-49", "conv-50"}

func locomoQuestion(q *schema.QARecord, conv string, index int, category string) {
	q.CaseID, q.QuestionID = conv, locomoID(conv, index)
	q.RawCategory, q.Category = category, datasets.CategoryIn("locomo", category)
	q.Abstain = category == "5"
}

var (
	auditID = regexp.MustCompile(`^locomo_(\d+)_qa(\d+)$`)
	lastNum = regexp.MustCompile(`(\d+)$`)
)

func locomoRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		Conv       string            `json:"conv"`
		QuestionID string            `json:"question_id"`
		QAIndex    *int              `json:"qa_index"`
		Category   datasets.Scalar   `json:"category"`
		Question   string            `json:"question"`
		Gold       datasets.Scalar   `json:"gold"`
		Answer     datasets.Scalar   `json:"answer"`
		Judgments  []datasets.Scalar `json:"judgments"`
		Grade      datasets.Scalar   `json:"grade"`
		BLEU       *float64          `json:"bleu_score"`
		F1         *float64          `json:"f1_score"`
		LLM        datasets.Scalar   `json:"llm_score"`
		DurationMS float64           `json:"duration_ms"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text, AnswerMS: v.DurationMS}
	index := 0
	switch m := auditID.FindStringSubmatch(v.QuestionID); {
	case m != nil:
		index, _ = strconv.Atoi(m[2])
	case v.QAIndex != nil:
		index = *v.QAIndex
		// conv-30 has one question twice, as 61 and 95. Files that were joined with the
		// data set by its text name the later one; those joined by position the earlier.
		if v.Conv == "conv-30" && index == 95 {
			index = 61
		}
	default:
		return q, r.lacks("question_id")
	}
	if v.Conv == "" {
		return q, r.lacks("conv")
	}
	if datasets.CategoryIn("locomo", v.Category.Text) == "" {
		return q, &schema.Finding{Pos: r.pos, Pointer: r.pointer + "/category", Code: "PUB001", Message: "the row was skipped: LoCoMo has no such category", Have: v.Category.Text, Want: "1 to 5"}
	}
	locomoQuestion(&q, v.Conv, index, v.Category.Text)
	return f.locomoGrades(r, q, votesOf(v.Judgments, v.Grade, v.LLM), v.F1, v.BLEU)
}

func officialRow(f *file, r row) (schema.QARecord, error) {
	var o schema.Object
	var v struct {
		QuestionID string          `json:"question_id"` // ours: the scorer needs none
		Question   string          `json:"question"`
		Gold       datasets.Scalar `json:"answer"`
		Wrong      datasets.Scalar `json:"adversarial_answer"`
		Evidence   []string        `json:"evidence"`
		Category   datasets.Scalar `json:"category"`
	}
	if err := errors.Join(r.decode(&v), r.decode(&o)); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Wrong: v.Wrong.Text, EvidenceIDs: v.Evidence}
	answered := false
	for name := range o.Members() {
		if strings.HasSuffix(name, "_prediction") {
			var text datasets.Scalar
			if raw, ok := o.Get(name); ok && text.UnmarshalJSON(raw) == nil {
				q.Answer, answered = text.Text, true
			}
		}
	}
	switch {
	case !answered:
		return q, r.lacks("NAME_prediction")
	case r.group == "":
		return q, r.lacks("sample_id")
	case datasets.CategoryIn("locomo", v.Category.Text) == "":
		return q, r.lacks("category")
	}
	locomoQuestion(&q, r.group, r.index, v.Category.Text)
	if v.QuestionID != "" {
		q.QuestionID = v.QuestionID
	}
	if asked, ok := f.asked(q.QuestionID); ok && asked.Text == v.Question {
		answer := q.Answer
		q = asked.Record()
		q.CaseID, q.Answer = asked.CaseID, answer
	}
	return q, nil
}

// votesOf takes the verdicts that are there.
func votesOf(list []datasets.Scalar, single ...datasets.Scalar) []datasets.Scalar {
	for _, s := range single {
		if s.Given() {
			list = append(list, s)
		}
	}
	return list
}

func (f *file) locomoGrades(r row, q schema.QARecord, votes []datasets.Scalar, f1, bleu *float64) (schema.QARecord, error) {
	err := f.judge(&q, r, votes, "")
	for _, x := range []struct {
		protocol string
		score    *float64
	}{{RecordedF1, f1}, {RecordedBLEU1, bleu}} {
		switch {
		case x.score == nil:
		case *x.score < 0 || *x.score > 1:
			q.Grades = append(q.Grades, schema.Grade{Protocol: x.protocol + "@" + f.format.Name, By: schema.ByRule, Outcome: schema.GradeJudgeFailed})
			err = &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: unread, Message: "the recorded score cannot be read and is lost; its answer is kept", Have: fmt.Sprint(*x.score), Want: "0 to 1"}
		default:
			q.Grades = append(q.Grades, f.recorded(x.protocol, *x.score, schema.ByRule))
		}
	}
	return q, err
}

// numbered is the conversation that a group's last number names.
func numbered(r row) (string, error) {
	if m := lastNum.FindString(r.group); m != "" {
		if i, err := strconv.Atoi(m); err == nil && i < len(locomoConvs) {
			return locomoConvs[i], nil
		}
	}
	return "", &schema.Finding{Pos: r.pos, Pointer: r.pointer, Code: "PUB001", Message: "the row was skipped: its list names none of the ten conversations", Have: r.group, Want: "a name that ends in 0 to 9"}
}

func evermemosRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		QuestionID string          `json:"question_id"`
		Question   string          `json:"question"`
		Gold       datasets.Scalar `json:"golden_answer"`
		Answer     datasets.Scalar `json:"generated_answer"`
		Category   datasets.Scalar `json:"category"`
		Judgments  schema.Object   `json:"llm_judgments"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text}
	m := auditID.FindStringSubmatch(v.QuestionID)
	if m == nil {
		return q, r.lacks("question_id")
	}
	n, _ := strconv.Atoi(m[1])
	index, _ := strconv.Atoi(m[2])
	if n >= len(locomoConvs) || datasets.CategoryIn("locomo", v.Category.Text) == "" {
		return q, r.lacks("category")
	}
	locomoQuestion(&q, locomoConvs[n], index, v.Category.Text)
	var votes []datasets.Scalar
	for _, raw := range v.Judgments.Members() {
		var s datasets.Scalar
		if s.UnmarshalJSON(raw) == nil && s.Given() {
			votes = append(votes, s)
		}
	}
	return f.locomoGrades(r, q, votes, nil, nil)
}

func evermemosClaims(f *file) []Claim {
	var v struct {
		Total    int      `json:"total_questions"`
		Accuracy *float64 `json:"accuracy"`
	}
	if codec.Unmarshal(f.b, &v) != nil || v.Accuracy == nil {
		return nil
	}
	return []Claim{{Source: "accuracy of the file", Protocol: RecordedMean, Value: *v.Accuracy, Decimals: 4, N: v.Total}}
}

func mem0Row(f *file, r row) (schema.QARecord, error) {
	var v struct {
		ID       string          `json:"question_id"` // ours; the scripts write none
		Question string          `json:"question"`
		Gold     datasets.Scalar `json:"answer"`
		Answer   datasets.Scalar `json:"response"`
		Category datasets.Scalar `json:"category"`
		BLEU     *float64        `json:"bleu_score"`
		F1       *float64        `json:"f1_score"`
		LLM      datasets.Scalar `json:"llm_score"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text}
	conv, err := numbered(r)
	if err != nil {
		return q, err
	}
	if datasets.CategoryIn("locomo", v.Category.Text) == "" {
		return q, r.lacks("category")
	}
	// The files hold positions among the asked questions, not indices of the data set: the id shows this, unless the cases give the index.
	locomoQuestion(&q, conv, r.index, v.Category.Text)
	if id, ok := f.byText(conv, v.Question); v.ID != "" {
		q.QuestionID = v.ID
	} else if ok {
		q.QuestionID = id
	} else {
		q.QuestionID = fmt.Sprintf("%s/asked/%d", conv, r.index)
	}
	return f.locomoGrades(r, q, votesOf(nil, v.LLM), v.F1, v.BLEU)
}

// byText finds a LoCoMo question by its text: the ids of a conversation's questions
// run from 0.
func (f *file) byText(conv, text string) (string, bool) {
	for i := 0; ; i++ {
		q, ok := f.asked(locomoID(conv, i))
		if !ok {
			return "", false
		}
		if strings.TrimSpace(q.Text) == strings.TrimSpace(text) {
			return q.ID, true
		}
	}
}

func zepRow(f *file, r row) (schema.QARecord, error) {
	var v struct {
		Question   string          `json:"question"`
		Answer     datasets.Scalar `json:"answer"`
		Gold       datasets.Scalar `json:"golden_answer"`
		Grade      datasets.Scalar `json:"grade"`
		DurationMS float64         `json:"duration_ms"`
	}
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	q := schema.QARecord{Question: v.Question, Gold: v.Gold.Text, Answer: v.Answer.Text, AnswerMS: v.DurationMS}
	conv, err := numbered(r)
	if err != nil {
		return q, err
	}
	id, ok := f.byText(conv, v.Question)
	if !ok {
		return q, &schema.Finding{Pos: r.pos, Pointer: r.pointer + "/question", Code: "PUB002", Message: "the row was skipped: no question of the conversation has this text", Have: conv}
	}
	found, _ := f.asked(id)
	locomoQuestion(&q, conv, 0, found.RawCategory)
	q.QuestionID, q.Category = id, found.Category
	return f.locomoGrades(r, q, votesOf(nil, v.Grade), nil, nil)
}
