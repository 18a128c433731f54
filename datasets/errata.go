package datasets

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"membench/schema"
	"membench/schema/jsonl"
)

// Errata is a correction overlay: corrections of golds, by question id. The gold itself stays: a case carries both, and both scores are reported.
type Errata struct {
	Name string
	Of   map[string]*Correction
	used map[string]bool
}

// A Correction is one list's entry for one question. In the plain form of a list it
// is a line of JSON.
type Correction struct {
	QuestionID string   `json:"question_id"`
	Kind       string   `json:"kind"` // answer | evidence | question | contested
	Answer     string   `json:"answer,omitzero"`
	Question   string   `json:"question,omitzero"`
	Evidence   []string `json:"evidence_ids,omitempty"` // the source's ids
	Note       string   `json:"note,omitzero"`
	// Has, where it is given, is the question or gold that the list was made for; one that differs is reported and not corrected.
	HasQuestion string `json:"has_question,omitzero"`
	HasAnswer   string `json:"has_answer,omitzero"`
	// Replace gives single ids of the evidence by their index, from 0.
	Replace map[int]string `json:"-"`

	Pos schema.Pos `json:"-"`
}

// Kinds of corrections, the gravest first.
var errataKinds = []string{"question", "answer", "contested", "evidence"}

// NewErrata makes an empty list.
func NewErrata(name string) *Errata {
	return &Errata{Name: name, Of: map[string]*Correction{}, used: map[string]bool{}}
}

// Add joins a correction with the list's other corrections of its question.
func (e *Errata) Add(c Correction) {
	o := e.Of[c.QuestionID]
	if o == nil {
		e.Of[c.QuestionID] = &c
		return
	}
	if slices.Index(errataKinds, c.Kind) < slices.Index(errataKinds, o.Kind) {
		o.Kind = c.Kind
	}
	set := func(dst *string, src string) {
		if src != "" {
			*dst = src
		}
	}
	set(&o.Answer, c.Answer)
	set(&o.Question, c.Question)
	set(&o.HasQuestion, c.HasQuestion)
	set(&o.HasAnswer, c.HasAnswer)
	set(&o.Note, c.Note)
	if c.Evidence != nil {
		o.Evidence = c.Evidence
	}
	for i, id := range c.Replace {
		if o.Replace == nil {
			o.Replace = map[int]string{}
		}
		o.Replace[i] = id
	}
}

// ListName returns the name of a list: its file's name without folder and extension.
func ListName(file string) string {
	base := path.Base(filepath.ToSlash(file))
	for _, end := range []string{".gz", ".zst", ".jsonl", ".json"} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// ReadErrata reads a list in the plain form: one Correction a line, or an array.
func ReadErrata(f jsonl.File) (*Errata, error) {
	e := NewErrata(ListName(f.Name))
	for v, err := range FileValues([]jsonl.File{f}, 0) {
		if err != nil {
			return nil, err
		}
		var c Correction
		if err := v.Decode(&c); err != nil {
			return nil, err
		}
		if c.QuestionID == "" || !slices.Contains(errataKinds, c.Kind) {
			x := v.Finding("DST017", "a correction without question_id or of an unknown kind", "kind")
			x.Have, x.Want = c.Kind, fmt.Sprint(errataKinds)
			return nil, x
		}
		c.Pos = v.Pos
		e.Add(c)
	}
	return e, nil
}

// Apply fills Question.Errata of the case's questions.
func (e *Errata) Apply(c *schema.Case, pos schema.Pos, tell func(*schema.Finding)) {
	bySource := map[string][]schema.EventRef{}
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			if t.SourceID != "" {
				bySource[t.SourceID] = append(bySource[t.SourceID], schema.EventRef{ConvID: c.ConvID, TurnID: t.TurnID})
			}
		}
	}
	for i := range c.Questions {
		q := &c.Questions[i]
		x := e.Of[q.ID]
		if x == nil {
			continue
		}
		e.used[q.ID] = true
		if x.HasQuestion != "" && x.HasQuestion != q.Text || x.HasAnswer != "" && x.HasAnswer != q.Answer {
			tell(otherWording(pos, q.ID, q.Text+" / "+q.Answer, x))
			continue
		}
		ids := x.Evidence
		if x.Replace != nil && ids == nil {
			ids = slices.Clone(q.EvidenceIDs)
			for n, id := range x.Replace {
				if n < len(ids) {
					ids[n] = id
				}
			}
		}
		var refs []schema.EventRef
		for _, id := range ids {
			for _, r := range bySource[id] {
				if !slices.Contains(refs, r) {
					refs = append(refs, r)
				}
			}
		}
		q.Errata = &schema.Erratum{Overlay: e.Name, Kind: x.Kind, Answer: x.Answer, Question: x.Question, Evidence: refs, Note: x.Note}
	}
}

// Record fills QARecord.Errata of an answer that has none. Evidence in a source's own ids stays out:
// a record has no turns to find it in.
func (e *Errata) Record(r *schema.QARecord, pos schema.Pos, tell func(*schema.Finding)) {
	x := e.Of[r.QuestionID]
	if x == nil {
		return
	}
	e.used[r.QuestionID] = true
	if r.Errata != nil {
		return
	}
	if x.HasQuestion != "" && r.Question != "" && x.HasQuestion != r.Question || x.HasAnswer != "" && x.HasAnswer != r.Gold {
		tell(otherWording(pos, r.QuestionID, r.Question+" / "+r.Gold, x))
		return
	}
	r.Errata = &schema.Erratum{Overlay: e.Name, Kind: x.Kind, Answer: x.Answer, Question: x.Question, Note: x.Note}
}

// Over fills in the corrections of a stream of answers. A correction for another wording
// goes to found and is omitted. A nil list changes nothing.
func (e *Errata) Over(in schema.Seq[schema.QARecord], found func(*schema.Finding)) schema.Seq[schema.QARecord] {
	if e == nil {
		return in
	}
	return schema.Keep(in, func(r *schema.Record[schema.QARecord]) bool { e.Record(&r.V, r.Pos, found); return true })
}

func otherWording(pos schema.Pos, id, have string, x *Correction) *schema.Finding {
	return &schema.Finding{Pos: pos, Code: "DST017", Warning: true, Message: "a correction was made for another wording of " + id + "; it was not applied",
		Have: clip(have), Want: clip(x.HasQuestion + " / " + x.HasAnswer)}
}

// Unused lists the questions that were in no case read so far, sorted.
func (e *Errata) Unused() []string {
	var out []string
	for id := range e.Of {
		if !e.used[id] {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}
