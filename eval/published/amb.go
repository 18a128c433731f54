package published

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/internal/tokencount"
	"membench/schema"
)

// ambLocomo maps the Agent Memory Benchmark's names of LoCoMo's categories. They differ from the benchmark's names: its "single-hop" are the questions over
// several hops, and so on (compared with the data set on all 152 rows of a recorded run).
var ambLocomo = map[string]string{"single-hop": "1", "temporal": "2", "multi-hop": "3", "open-domain": "4", "adversarial": "5"}

// ambQuestion is an id of its LoCoMo questions: conversation, published or one's own, and index in its list.
var ambQuestion = regexp.MustCompile(`^(.+)_q(\d+)$`)

func ambFormats() []Format {
	return []Format{{
		Name: "amb", Verified: true, where: "results[]",
		About:  "one object: dataset, memory_provider, answer_llm, judge_llm, accuracy, and results with query_id, query, answer, context, gold_answers, correct, judge_reason",
		Origin: "vectorize-io/agent-memory-benchmark outputs/",
		match:  func(h head) bool { return h.shape == '{' && h.has("memory_provider", "results", "dataset") },
		row:    ambRow, claims: ambClaims,
	}}
}

// ambCommon are the members of a row that are read and written.
type ambCommon struct {
	ID         string            `json:"query_id"`
	Query      string            `json:"query"`
	Answer     datasets.Scalar   `json:"answer"`
	Context    string            `json:"context"`
	RetrieveMS float64           `json:"retrieve_time_ms"`
	Golds      []datasets.Scalar `json:"gold_answers"`
	Correct    datasets.Scalar   `json:"correct"`
	Reason     string            `json:"judge_reason"`
	Meta       struct {
		Category string `json:"category"`
		Type     string `json:"question_type"`
		Sample   string `json:"sample_id"`
		User     string `json:"user_id"`
		// Common and Abstain are members of this program's own files: other sets' labels say neither.
		Common  string `json:"membench_category"`
		Abstain bool   `json:"membench_abstain"`
	} `json:"meta"`
}

func ambRow(f *file, r row) (schema.QARecord, error) {
	var v ambCommon
	if err := r.decode(&v); err != nil {
		return schema.QARecord{}, err
	}
	if v.ID == "" {
		return schema.QARecord{}, r.lacks("query_id")
	}
	dataset := f.named("dataset")
	q := schema.QARecord{Dataset: dataset, Source: f.named("split"), QuestionID: v.ID, CaseID: v.Meta.Sample + v.Meta.User, Question: v.Query, Answer: v.Answer.Text, Context: v.Context, RetrieveMS: v.RetrieveMS,
		By: orUnknown(f.named("answer_llm")), RawCategory: v.Meta.Category + v.Meta.Type}
	for i, g := range v.Golds {
		if i == 0 {
			q.Gold = g.Text
		}
		if len(v.Golds) > 1 {
			q.Golds = append(q.Golds, g.Text)
		}
	}
	if dataset == "locomo" {
		raw := ambLocomo[v.Meta.Category]
		if raw == "" {
			return q, r.lacks("meta/category")
		}
		m := ambQuestion.FindStringSubmatch(v.ID)
		if m != nil && m[1] == cmp.Or(q.CaseID, m[1]) {
			i, _ := strconv.Atoi(m[2])
			locomoQuestion(&q, m[1], i, raw)
		} else {
			locomoQuestion(&q, cmp.Or(q.CaseID, v.ID), 0, raw)
			q.QuestionID = v.ID
		}
	} else {
		q.Category, q.Abstain = v.Meta.Common, v.Meta.Abstain
		if !slices.Contains(schema.Categories(), q.Category) {
			q.Category = memorybenchType(dataset, q.RawCategory)
		}
		q.CaseID = cmp.Or(q.CaseID, v.ID)
	}
	if !v.Correct.Given() {
		return q, nil
	}
	err := f.judge(&q, r, []datasets.Scalar{v.Correct}, orUnknown(f.named("judge_llm")))
	for i := range q.Grades {
		q.Grades[i].Reason = v.Reason
	}
	return q, err
}

func ambClaims(f *file) []Claim {
	var v struct {
		Total    int      `json:"total_queries"`
		Accuracy *float64 `json:"accuracy"`
	}
	if codec.Unmarshal(f.b, &v) != nil || v.Accuracy == nil {
		return nil
	}
	return []Claim{{Source: "accuracy of the file", Protocol: RecordedJudge, Value: *v.Accuracy, Decimals: 6, N: v.Total}}
}

// ambTotals are the form's totals over all rows; written after them.
type ambTotals struct {
	graded, correct int
	retrieveMS      float64
	tokens          int
	judge           string
}

// amb writes one row; the first also writes the common members.
func (x *writer) amb(q *schema.QARecord) error {
	if q.Away() {
		return schema.Brokenf("the context of question %s is needed here: give the folder of the run, or copy contexts.jsonl.zst with the records", q.QuestionID)
	}
	before := ",\n  "
	if !x.open {
		x.open = true
		var b schema.ObjectBuilder
		for _, m := range [][2]string{{"dataset", q.Dataset}, {"split", q.Source}, {"memory_provider", q.System}, {"run_name", q.System}, {"mode", "rag"}, {"answer_llm", string(q.By)}} {
			b.String(m[0], m[1])
		}
		raw, err := b.Object().MarshalJSON()
		if err != nil {
			return err
		}
		before = string(raw[:len(raw)-1]) + `,"results":[` + "\n  "
	}
	if err := x.text(before); err != nil {
		return err
	}
	var b schema.ObjectBuilder
	b.String("query_id", ambID(q))
	b.String("query", q.Question)
	b.String("answer", q.Answer)
	b.String("context", q.Context)
	tokens := tokencount.O200k(q.Context)
	x.totals.tokens += tokens
	x.totals.retrieveMS += q.RetrieveMS
	var meta schema.ObjectBuilder
	meta.String("sample_id", q.CaseID)
	meta.String("category", ambCategory(q))
	if q.Dataset != "locomo" {
		meta.String("membench_category", q.Category)
		if q.Abstain {
			if err := meta.Value("membench_abstain", true); err != nil {
				return err
			}
		}
	}
	err := errors.Join(b.Value("context_tokens", tokens), b.Value("retrieve_time_ms", q.RetrieveMS), b.Value("gold_answers", q.AllGolds()), b.Value("meta", meta.Object()))
	if g := verdictOf(q); g != nil {
		x.totals.graded++
		right := *g.Score >= 0.5
		if right {
			x.totals.correct++
		}
		x.totals.judge = string(g.By)
		if g.By == schema.ByRule {
			x.totals.judge = g.Protocol
		}
		b.String("judge_reason", g.Reason)
		err = errors.Join(err, b.Value("correct", right))
	}
	if err != nil {
		return err
	}
	return x.object(b, "")
}

// verdictOf returns the grade for "correct": a model's or a recorded verdict, or the rule judge's; nil if there is no binary grade.
func verdictOf(q *schema.QARecord) (best *schema.Grade) {
	for i := range q.Grades {
		g := &q.Grades[i]
		if g.Score == nil || g.Gold != "" || *g.Score != 0 && *g.Score != 1 {
			continue
		}
		if g.By != schema.ByRule {
			return g
		}
		best = cmp.Or(best, g)
	}
	return best
}

func (x *writer) closeAMB() error {
	if !x.open {
		return x.text(`{"results":[],"total_queries":0,"correct":0}` + "\n")
	}
	var b schema.ObjectBuilder
	n := float64(x.Answers)
	err := errors.Join(b.Value("total_queries", x.Answers), b.Value("graded", x.totals.graded), b.Value("correct", x.totals.correct),
		b.Value("avg_retrieve_time_ms", x.totals.retrieveMS/n), b.Value("avg_context_tokens", float64(x.totals.tokens)/n))
	if x.totals.graded > 0 {
		b.String("judge_llm", x.totals.judge)
		err = errors.Join(err, b.Value("accuracy", float64(x.totals.correct)/float64(x.totals.graded)))
	}
	if err != nil {
		return err
	}
	raw, err := b.Object().MarshalJSON()
	if err != nil {
		return err
	}
	return x.text("],\n" + string(raw[1:]) + "\n")
}

// ambID is the benchmark's id of a question.
func ambID(q *schema.QARecord) string {
	if i, ok := strings.CutPrefix(q.QuestionID, q.CaseID+"/qa/"); ok && q.Dataset == "locomo" {
		if _, err := strconv.ParseUint(i, 10, 31); err == nil {
			return q.CaseID + "_q" + i
		}
	}
	return q.QuestionID
}

func ambCategory(q *schema.QARecord) string {
	if q.Dataset == "locomo" {
		for name, raw := range ambLocomo {
			if raw == q.RawCategory {
				return name
			}
		}
	}
	return q.RawCategory
}
