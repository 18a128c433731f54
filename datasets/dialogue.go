package datasets

import (
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// DialogueOptions are the options of AppendDialogue.
type DialogueOptions struct {
	// NoCaptions leaves image captions out of the text: they stay attachments.
	NoCaptions bool
	// Probes adds the questions after the turns, each as a turn marked PROBE.
	Probes bool
}

// line is a turn in the form that membench annotate reads.
type line struct {
	ConvID      schema.ConvID       `json:"conv_id"`
	Role        string              `json:"role"`
	Name        string              `json:"name,omitzero"`
	Content     string              `json:"content"`
	Timestamp   string              `json:"timestamp,omitzero"`
	SessionID   string              `json:"session_id,omitzero"`
	SessionTime string              `json:"session_time,omitzero"`
	Attachments []schema.Attachment `json:"attachments,omitempty"`
	SourceID    string              `json:"source_id,omitzero"`
	Marker      string              `json:"marker,omitzero"`
	ProbeID     string              `json:"probe_id,omitzero"`
	Gold        string              `json:"gold,omitzero"`
	Category    string              `json:"category,omitzero"`
	Evidence    []schema.EventRef   `json:"evidence,omitempty"`
}

// AppendDialogue appends the case as chat lines, the form that membench annotate
// reads: one line a turn, in order, so that an event's turn_id is the turn's and gold evidence still names the right turns. Ids that give answers away are not
// written. Image captions join the text as "[image: …]".
func AppendDialogue(dst []byte, c schema.Case, o DialogueOptions) ([]byte, error) {
	var err error
	put := func(l line) {
		if err == nil {
			if dst, err = codec.Append(dst, l, codec.Spaced); err == nil {
				dst = append(dst, '\n')
			}
		}
	}
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			l := line{ConvID: c.ConvID, Role: t.Role, Name: t.Name, Content: t.Text, Timestamp: clock(t.Time), SessionID: s.ID, SessionTime: clock(s.Time), Attachments: t.Attachments, SourceID: t.SourceID}
			if !o.NoCaptions {
				l.Content = WithCaptions(t.Text, t.Attachments)
			}
			put(l)
		}
	}
	if o.Probes {
		for _, q := range c.Questions {
			put(line{ConvID: c.ConvID, Role: "user", Content: q.Text, Timestamp: clock(q.AsOf), Marker: "PROBE", ProbeID: q.ID, Gold: q.Answer, Category: q.Category, Evidence: q.Evidence})
		}
	}
	return dst, err
}

// WithCaptions is a turn's text for a reader of text: captions of its images follow
// it as "[image: …]". The annotator's image query never is part of it.
func WithCaptions(text string, att []schema.Attachment) string {
	var images []schema.Attachment
	for _, a := range att {
		if a.Type == "" || strings.HasPrefix(a.Type, "image") {
			images = append(images, schema.Attachment{Type: "image", Text: a.Text})
		}
	}
	return schema.Captioned(text, images)
}

// clock gives a date without a clock one: readers of dialogue want both.
func clock(t string) string {
	if len(t) == len("2006-01-02") {
		return t + "T00:00:00"
	}
	return t
}
