package calibrate

import "membench/schema"

// Recorded is a planted answer written by a person or model: a line of a JSONL file. Other members are ignored, so files of judged answers can be used
// unchanged.
type Recorded struct {
	CaseID     string `json:"case_id,omitempty"` // "": the question's id is sufficient
	QuestionID string `json:"question_id"`
	Answer     string `json:"answer"`
	Right      bool   `json:"right,omitempty"` // should be accepted
	Kind       Kind   `json:"kind,omitempty"`  // "": paraphrase if right, otherwise specific
}

// Plantings are recorded planted answers by question. They replace generated answers of the same truth (right, wrong), so the rates are those of the recorded
// answers. They are held in memory, about their length and 100 bytes each.
type Plantings struct {
	by           map[[2]string][]Plant
	right, wrong int
}

// Add adds an answer; why is the reason if it is rejected.
func (p *Plantings) Add(r Recorded) (why string) {
	if r.Kind == "" {
		r.Kind = Specific
		if r.Right {
			r.Kind = Paraphrase
		}
	}
	known := false
	for _, k := range Kinds() {
		known = known || k == r.Kind
	}
	switch {
	case r.QuestionID == "":
		return "no question_id"
	case !known:
		return "kind " + string(r.Kind) + ", want paraphrase, specific, vague or restated"
	case r.Kind.Right() != r.Right:
		return "kind " + string(r.Kind) + " beside the other truth in right"
	}
	if p.by == nil {
		p.by = map[[2]string][]Plant{}
	}
	key := [2]string{r.CaseID, r.QuestionID}
	p.by[key] = append(p.by[key], Plant{r.Kind, r.Answer})
	if r.Right {
		p.right++
	} else {
		p.wrong++
	}
	return ""
}

// Len is how many there are.
func (p *Plantings) Len() int { return p.right + p.wrong }

// of returns a record's planted answers: the recorded ones, and generated ones for what they lack.
func (p *Plantings) of(r schema.QARecord, made []Plant) []Plant {
	if p == nil {
		return made
	}
	var out []Plant
	for _, m := range made {
		if m.Kind.Right() && p.right == 0 || !m.Kind.Right() && p.wrong == 0 {
			out = append(out, m)
		}
	}
	out = append(out, p.by[[2]string{"", r.QuestionID}]...)
	if r.CaseID != "" {
		out = append(out, p.by[[2]string{r.CaseID, r.QuestionID}]...)
	}
	return out
}
