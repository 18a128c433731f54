package locomo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// row is a line of either correction list: locomo-audit's (question_id locomo_<n>_qa<i>
// with conv) or the differences of a corrected copy (sample_id and a path).
type row struct {
	// locomo-audit
	QuestionID string          `json:"question_id"`
	Conv       string          `json:"conv"`
	Question   string          `json:"question"`
	Type       string          `json:"error_type"`
	Answer     datasets.Scalar `json:"correct_answer"`
	Evidence   []string        `json:"correct_evidence"`
	Reasoning  string          `json:"reasoning"`
	// differences
	SampleID  string            `json:"sample_id"`
	Path      []datasets.Scalar `json:"path"`
	Upstream  anyText           `json:"upstream"`
	Corrected anyText           `json:"corrected"`
}

// anyText is a scalar or a list of texts.
type anyText struct {
	one  datasets.Scalar
	list []string
}

func (a *anyText) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		for el := range codec.Elements(b) {
			var s datasets.Scalar
			if err := s.UnmarshalJSON(el); err != nil {
				return err
			}
			a.list = append(a.list, s.Text)
		}
		return nil
	}
	return a.one.UnmarshalJSON(b)
}

var auditID = regexp.MustCompile(`_qa(\d{1,6})$`)

// auditKinds maps locomo-audit's error types.
var auditKinds = map[string]string{
	"WRONG_CITATION": "evidence", "HALLUCINATION": "answer", "TEMPORAL_ERROR": "answer", "ATTRIBUTION_ERROR": "answer",
	"INCOMPLETE": "answer", "AMBIGUOUS": "contested",
}

// auditConvs is the order of the conversations in locomo10.json: locomo-audit's own
// file names them by it where it gives no conv.
var auditConvs = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47", "conv-48", "conv-49", "conv-50"}

// ReadErrata reads a correction list of LoCoMo, in the form of locomo-audit or in
// that of a list of differences; else in the plain form.
func ReadErrata(f jsonl.File) (*datasets.Errata, error) {
	e := datasets.NewErrata(datasets.ListName(f.Name))
	for v, err := range datasets.FileValues([]jsonl.File{f}, 0) {
		if err != nil {
			return nil, err
		}
		var r row
		if err := v.Decode(&r); err != nil {
			return nil, err
		}
		var c datasets.Correction
		switch {
		case r.SampleID != "" && len(r.Path) > 0:
			var ok bool
			if c, ok = difference(r); !ok {
				continue // the lengths of lists, no value
			}
		case r.Type != "":
			m := auditID.FindStringSubmatch(r.QuestionID)
			conv := r.Conv
			if n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(r.QuestionID, "locomo_"), "_qa"+last(m))); err == nil && conv == "" && n >= 0 && n < len(auditConvs) {
				conv = auditConvs[n]
			}
			kind, known := auditKinds[r.Type]
			if m == nil || conv == "" || !known {
				x := v.Finding("DST017", "a correction without a question or a kind")
				x.Have = r.QuestionID + " " + r.Type
				return nil, x
			}
			c = datasets.Correction{QuestionID: conv + "/qa/" + m[1], Kind: kind, Answer: r.Answer.Text, Evidence: r.Evidence, Note: r.Type + ": " + r.Reasoning, HasQuestion: r.Question}
			if kind == "evidence" {
				c.Answer = "" // the gold stands
			}
		case r.QuestionID != "":
			return datasets.ReadErrata(f)
		default:
			return nil, v.Finding("DST017", "not a correction list of a known form")
		}
		c.Pos = v.Pos
		e.Add(c)
	}
	if len(e.Of) == 0 {
		return nil, schema.Brokenf("%s: no correction in it", f.Name)
	}
	return e, nil
}

func last(m []string) string {
	if m == nil {
		return ""
	}
	return m[len(m)-1]
}

func difference(r row) (c datasets.Correction, ok bool) {
	if len(r.Path) < 3 || r.Path[0].Text != "qa" || r.Corrected.one.Kind == 0 && r.Corrected.list == nil {
		return c, false
	}
	c.QuestionID = fmt.Sprintf("%s/qa/%s", r.SampleID, r.Path[1].Text)
	switch what := r.Path[2].Text; {
	case what == "answer":
		c.Kind, c.Answer, c.HasAnswer = "answer", r.Corrected.one.Text, r.Upstream.one.Text
	case what == "question":
		c.Kind, c.Question, c.HasQuestion = "question", r.Corrected.one.Text, r.Upstream.one.Text
	case what == "evidence" && len(r.Path) == 3:
		c.Kind, c.Evidence = "evidence", r.Corrected.list
	case what == "evidence":
		n, err := strconv.Atoi(r.Path[3].Text)
		if err != nil || n < 0 {
			return c, false
		}
		c.Kind, c.Replace = "evidence", map[int]string{n: r.Corrected.one.Text}
	default:
		return c, false
	}
	return c, true
}
