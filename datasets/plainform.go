package datasets

import (
	"cmp"

	"membench/internal/codec"
	"membench/schema"
)

type plainCase struct {
	ID        string          `json:"case_id"`
	Source    string          `json:"source"`
	Chunks    []plainChunk    `json:"chunks"`
	Questions []plainQuestion `json:"questions"`
	Meta      schema.Object   `json:"meta,omitzero"`
}

type plainChunk struct {
	Content   string    `json:"content"`
	Timestamp string    `json:"timestamp,omitzero"`
	Metadata  plainMeta `json:"metadata"`
}

type plainMeta struct {
	ID        string `json:"id,omitzero"`
	SessionID string `json:"session_id"`
	Role      string `json:"role"`
	Speaker   string `json:"speaker,omitzero"`
}

type plainQuestion struct {
	ID        string        `json:"question_id"`
	Question  string        `json:"question"`
	Answer    string        `json:"answer"`
	Answers   []string      `json:"answers,omitempty"`
	Wrong     string        `json:"wrong_answer,omitzero"`
	Choices   []string      `json:"choices,omitempty"`
	Category  string        `json:"category"`
	Raw       string        `json:"raw_category,omitzero"`
	Timestamp string        `json:"timestamp,omitzero"`
	Level     string        `json:"difficulty,omitzero"`
	Evidence  []int         `json:"evidence,omitempty"` // turns, from 1
	Abstain   bool          `json:"abstain,omitzero"`
	Meta      schema.Object `json:"meta,omitzero"`
}

// AppendPlain appends the case as one line of the plain form. Image captions join the text. The form has no place for memory points, attachments, checkpoints,
// corrections and the source's evidence ids; write cases to keep them.
func AppendPlain(dst []byte, c schema.Case) ([]byte, error) {
	out := plainCase{ID: c.ID, Source: c.Source, Chunks: []plainChunk{}, Questions: []plainQuestion{}, Meta: c.Meta}
	out.Source = cmp.Or(out.Source, c.Dataset)
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			at := cmp.Or(t.Time, s.Time)
			out.Chunks = append(out.Chunks, plainChunk{WithCaptions(t.Text, t.Attachments), at, plainMeta{t.SourceID, s.ID, t.Role, t.Name}})
		}
	}
	for _, q := range c.Questions {
		p := plainQuestion{ID: q.ID, Question: q.Text, Answer: q.Answer, Answers: q.Answers, Wrong: q.Wrong, Choices: q.Choices, Category: q.Category, Raw: q.RawCategory,
			Timestamp: q.AsOf, Level: q.Difficulty, Abstain: q.Abstain, Meta: q.Meta}
		for _, r := range q.Evidence {
			p.Evidence = append(p.Evidence, r.TurnID)
		}
		out.Questions = append(out.Questions, p)
	}
	dst, err := codec.Append(dst, out, codec.Spaced)
	return append(dst, '\n'), err
}
