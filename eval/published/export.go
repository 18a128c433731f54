package published

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// A Form is a form that our records are written in, for the scorer of a benchmark.
type Form struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Scorer  string `json:"scorer"`  // who reads it
	Dataset string `json:"dataset"` // "": any one
	Ext     string `json:"ext"`
	Back    string `json:"import"` // the form of Formats that reads it back
}

// Forms lists them.
func Forms() []Form {
	return []Form{
		{"lme", "one line a question: question_id, hypothesis", "xiaowu0162/LongMemEval src/evaluation/evaluate_qa.py", "longmemeval", ".jsonl", "lme-hypotheses"},
		{"locomo", "the conversations with their questions, each with MODEL_prediction, and MODEL_prediction_context where turns are known", "snap-research/locomo task_eval/evaluation.py", "locomo", ".json", "locomo-official"},
		{"mem0", "by conversation index: question, answer (the gold), response, category, evidence", "mem0ai/mem0 evaluation/evals.py", "locomo", ".json", "mem0-eval"},
		{"amb", "one object: the run, its results with query_id, answer, context, gold_answers, correct, and their totals", "vectorize-io/agent-memory-benchmark", "", ".json", "amb"},
	}
}

// FormByName finds one.
func FormByName(name string) (Form, error) {
	var names []string
	for _, f := range Forms() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Form{}, fmt.Errorf("no form %q to export: have %s", name, strings.Join(names, ", "))
}

// WriteOptions of Write.
type WriteOptions struct {
	Model string // names MODEL_prediction; "": the record's system
	// Source returns the benchmark's own id of a turn, "" if unknown; nil: no ids are known, and retrieved turns are not written.
	Source func(schema.EventRef) string
	// Failed writes questions without an answer as empty answers. The default is to skip and count them: a scorer divides by the number of its rows.
	Failed bool
}

// Written is the result of Write.
type Written struct {
	Answers int `json:"answers"`
	Failed  int `json:"failed"` // asking ended in an error, a timeout or a refusal
}

// Write writes the records of one system, data set and repeat, which come in the order
// of their cases, as the form's scorer reads them. Held at a time: one record; of form
// mem0 nothing more, either.
func (f Form) Write(w io.Writer, in schema.Seq[schema.QARecord], o WriteOptions) (Written, error) {
	x := writer{w: w, o: o}
	var err error
	for r, e := range in {
		if e != nil {
			err = e
			break
		}
		q := &r.V
		if q.Outcome != schema.OutcomeAnswered && q.Outcome != schema.OutcomeEmpty {
			if x.Failed++; !o.Failed {
				continue
			}
		}
		x.Answers++
		switch f.Name {
		case "lme":
			err = x.hypothesis(q)
		case "locomo":
			err = x.official(q)
		case "amb":
			err = x.amb(q)
		default:
			err = x.mem0(q)
		}
		if err != nil {
			break
		}
	}
	if err == nil && f.Name != "lme" {
		err = x.close(f.Name)
	}
	return x.Written, err
}

type writer struct {
	w io.Writer
	o WriteOptions
	Written
	group string // the list that is open
	open  bool

	totals ambTotals
}

func (x *writer) text(s string) error { _, err := io.WriteString(x.w, s); return err }

func (x *writer) object(b schema.ObjectBuilder, end string) error {
	raw, err := b.Object().MarshalJSON()
	if err != nil {
		return err
	}
	return x.text(string(raw) + end)
}

func (x *writer) hypothesis(q *schema.QARecord) error {
	var b schema.ObjectBuilder
	b.String("question_id", q.QuestionID)
	b.String("hypothesis", q.Answer)
	return x.object(b, "\n")
}

// list begins the list of a case, with the text before its first element.
func (x *writer) list(group, first, next, head string) error {
	before := ",\n  "
	if !x.open || x.group != group {
		before = next
		if !x.open {
			before = first
		}
		before += head + "\n  "
		x.open, x.group = true, group
	}
	return x.text(before)
}

func (x *writer) close(form string) error {
	if form == "amb" {
		return x.closeAMB()
	}
	empty, end := "[]\n", "]}]\n"
	if form == "mem0" {
		empty, end = "{}\n", "]}\n"
	}
	if !x.open {
		return x.text(empty)
	}
	return x.text(end)
}

func (x *writer) official(q *schema.QARecord) error {
	if err := x.list(q.CaseID, "[", "]},\n", `{"sample_id": `+string(codec.AppendString(nil, q.CaseID))+`, "qa": [`); err != nil {
		return err
	}
	model := cmp.Or(x.o.Model, q.System)
	b, err := question(q)
	if err != nil {
		return err
	}
	b.String(model+"_prediction", q.Answer)
	if x.o.Source != nil && len(q.Hits) > 0 {
		var ids []string
		for _, h := range q.Hits {
			for _, e := range h.Sources {
				if id := x.o.Source(e); id != "" && !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		if err := b.Value(model+"_prediction_context", ids); err != nil {
			return err
		}
	}
	return x.object(b, "")
}

// question is the data set's record of a question.
func question(q *schema.QARecord) (b schema.ObjectBuilder, err error) {
	category, err := strconv.Atoi(q.RawCategory)
	if err != nil {
		return b, fmt.Errorf("question %s: the category %q is not a number: is it one of LoCoMo's?", q.QuestionID, q.RawCategory)
	}
	b.String("question_id", q.QuestionID)
	b.String("question", q.Question)
	b.String("answer", q.Gold)
	if q.Wrong != "" {
		b.String("adversarial_answer", q.Wrong)
	}
	evidence := q.EvidenceIDs
	if evidence == nil {
		evidence = []string{}
	}
	return b, errors.Join(b.Value("evidence", evidence), b.Value("category", category))
}

func (x *writer) mem0(q *schema.QARecord) error {
	i := slices.Index(locomoConvs, q.CaseID)
	if i < 0 {
		return fmt.Errorf("question %s: the format mem0 names the ten conversations of LoCoMo by number, and %q is not one of them", q.QuestionID, q.CaseID)
	}
	if err := x.list(strconv.Itoa(i), "{", "],\n", `"`+strconv.Itoa(i)+`": [`); err != nil {
		return err
	}
	b, err := question(q)
	if err != nil {
		return err
	}
	b.String("response", q.Answer)
	return x.object(b, "")
}
