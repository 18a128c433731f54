// Package domaina reads and writes domain_a_v2, the layout of WorldMemArena: dialogue in sessions, gold memory points per session, questions at
// checkpoints. Two layouts on disk are one model:
//
//	domain_a_v2.json + stage4_memory_points.jsonl + stage4b_qa_checkpoints.jsonl
//	<sample_id>.json, one file a sample, with all three inside
//
// No file of the set was at hand: the format is read as its two public loaders and the
// seed describe it. What a case holds beyond the layout is written under members named
// membench, name, source_id and time, which those loaders pass over, so that reading
// back what Write wrote changes nothing.
package domaina

import (
	"encoding/json"

	"membench/datasets"
	"membench/schema"
)

// Names of the three files.
const (
	FileMain        = "domain_a_v2.json"
	FilePoints      = "stage4_memory_points.jsonl"
	FileCheckpoints = "stage4b_qa_checkpoints.jsonl"
)

type sample struct {
	UUID     string            `json:"uuid,omitzero"`
	ID       string            `json:"sample_id"`
	Sessions []json.RawMessage `json:"sessions"`
	// In the layout of one file a sample:
	Points      []pointSession `json:"memory_points,omitempty"`
	Checkpoints []checkpoint   `json:"qa_checkpoints,omitempty"`
	Rest        *schema.Case   `json:"membench,omitzero"` // without sessions and questions
}

type session struct {
	ID       string            `json:"_v2_session_id"`
	Dialogue []json.RawMessage `json:"dialogue"`
	Points   []point           `json:"memory_points,omitempty"` // of the session S00 only
	SourceID string            `json:"source_id,omitzero"`
	Time     string            `json:"time,omitzero"`
}

type entry struct {
	Role        string          `json:"role"`
	Content     datasets.Scalar `json:"content"`
	Timestamp   string          `json:"timestamp,omitzero"`
	Attachments []attachment    `json:"attachments,omitempty"`
	Name        string          `json:"name,omitzero"`
	SourceID    string          `json:"source_id,omitzero"`
}

type attachment struct {
	Caption   string `json:"caption,omitzero"`
	Type      string `json:"type,omitzero"` // none: image_caption
	ImageID   string `json:"image_id,omitzero"`
	FilePath  string `json:"file_path,omitzero"`
	ImagePath string `json:"image_path,omitzero"` // the same, in other samples
	URL       string `json:"url,omitzero"`
	Name      string `json:"name,omitzero"`
	NoType    bool   `json:"no_type,omitzero"` // it had no type: read back as none
}

type pointRow struct {
	UUID     string         `json:"uuid,omitzero"`
	ID       string         `json:"sample_id"`
	Sessions []pointSession `json:"memory_sessions"`
}

type pointSession struct {
	ID     string  `json:"session_id"`
	Points []point `json:"memory_points"`
}

type point struct {
	ID         string            `json:"memory_id"`
	Content    string            `json:"memory_content"`
	Type       string            `json:"memory_type,omitzero"`
	Source     string            `json:"memory_source,omitzero"`
	IsUpdate   flag              `json:"is_update"`
	Originals  []string          `json:"original_memories"`
	Importance *float64          `json:"importance,omitempty"`
	Evidence   []schema.EventRef `json:"membench,omitempty"`
}

// flag is a boolean, or "True" and "False" as Python prints them.
type flag bool

func (f *flag) UnmarshalJSON(b []byte) error {
	var s datasets.Scalar
	if err := s.UnmarshalJSON(b); err != nil {
		return err
	}
	*f = s.Text == "true" || s.Text == "True"
	return nil
}

type checkpointRow struct {
	UUID        string       `json:"uuid,omitzero"`
	ID          string       `json:"sample_id"`
	Checkpoints []checkpoint `json:"checkpoints"`
}

type checkpoint struct {
	ID        string            `json:"checkpoint_id"`
	Covered   []string          `json:"covered_sessions"`
	Questions []json.RawMessage `json:"questions"`
	Rest      *implied          `json:"membench,omitzero"`
}

// implied says which parts of a checkpoint the case did not have: the layout wants them.
type implied struct {
	ID      bool `json:"implied_id,omitzero"`
	Covered bool `json:"implied_covered,omitzero"`
}

type question struct {
	Question datasets.Scalar  `json:"question"`
	Answer   datasets.Scalar  `json:"answer"`
	Type     string           `json:"question_type"`
	Abbrev   string           `json:"question_type_abbrev"`
	Level    string           `json:"difficulty,omitzero"`
	Evidence json.RawMessage  `json:"evidence"`
	Rest     *schema.Question `json:"membench,omitzero"` // without question and answer
}

type evidenceItem struct {
	MemoryID string `json:"memory_id,omitzero"`
	ImageID  string `json:"image_id,omitzero"`
}
