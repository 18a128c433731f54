package schema

import (
	"slices"
	"strings"
)

// EventRef names a turn: the event anchor of seed 004 §6.1.
type EventRef struct {
	ConvID ConvID `json:"conv_id"`
	TurnID int    `json:"turn_id"` // from 1
}

// Span is a place in a source file: the span anchor of seed 004 §6.2. Lines count
// from 1 and both are included. Path is relative, with '/' separators.
type Span struct {
	Path  string `json:"source_path"`
	First int    `json:"start_line"`
	Last  int    `json:"end_line"`
}

// ProbeAnchor is the probe anchor of seed 004 §6.3.
type ProbeAnchor struct {
	ProbeID string `json:"probe_id"`
}

// Roles of an event.
const (
	RoleHuman     = "human"
	RoleAssistant = "assistant"
	RoleUI        = "ui"
	RoleTool      = "tool"
)

// Tags of an event. Exactly one of them is its main tag.
const (
	TagCanon    = "canon_only" // stable facts that hold across conversations
	TagEpisodic = "episodic"   // the default: moods, plans, single happenings
	TagFiller   = "filler"     // nothing to reuse
	TagInject   = "inject"     // planted for a probe
	TagProbe    = "probe"      // a question to the memory
)

// Tags lists the five in the seed's order.
func Tags() []string { return []string{TagEpisodic, TagCanon, TagFiller, TagInject, TagProbe} }

// Event is one dialogue turn. Key: (conv_id, turn_id).
type Event struct {
	SceneID     string   `json:"scene_id"`
	CharacterID string   `json:"character_id"`
	ConvID      ConvID   `json:"conv_id"`
	TurnID      int      `json:"turn_id"`
	RoleType    string   `json:"role_type"`
	RoleName    string   `json:"role_name"`
	Content     string   `json:"content"`
	Tags        []string `json:"tags"`
	Meta        Object   `json:"meta"`
	Extra       Extra    `json:",embed"`
}

// EventMeta holds the members that membench keeps in an event's meta. The first three are part of 0.0.1; the others appeared in 0.1.0. Members of other tools
// stay in the object: read with Object.Read, write single members with Object.With.
type EventMeta struct {
	SpeechMode  string       `json:"speech_mode,omitzero"` // dialogue | monologue
	SourceType  string       `json:"source_type,omitzero"` // the header's @source_type
	SourcePath  string       `json:"source_path,omitzero"`
	StartLine   int          `json:"start_line,omitzero"` // of source_path; from 1
	EndLine     int          `json:"end_line,omitzero"`   // included
	Time        string       `json:"time,omitzero"`       // RFC 3339: from the source, or declared start plus offset
	SessionID   string       `json:"session_id,omitzero"`
	SessionTime string       `json:"session_time,omitzero"`
	UserID      string       `json:"user_id,omitzero"`
	AgentID     string       `json:"agent_id,omitzero"`
	By          By           `json:"by,omitzero"`     // who chose the tag
	Marker      string       `json:"marker,omitzero"` // INJECT | PROBE
	UIAction    string       `json:"ui_action,omitzero"`
	ProbeID     string       `json:"probe_id,omitzero"`
	InjectID    string       `json:"inject_id,omitzero"`
	ReplyTo     int          `json:"reply_to,omitzero"` // the turn that it answers, where the source says so
	Expects     []string     `json:"expects,omitempty"` // ids of injects or claims
	Gold        string       `json:"gold,omitzero"`     // the right answer, where known
	Attachments []Attachment `json:"attachments,omitempty"`
	Uncertain   bool         `json:"uncertain,omitzero"` // the speaker could not be determined
}

// Attachment is an attachment of a turn.
type Attachment struct {
	Type string `json:"type,omitzero"` // image, file, …
	ID   string `json:"id,omitzero"`   // the source's own id of it
	Path string `json:"path,omitzero"` // of a local file
	URL  string `json:"url,omitzero"`
	Name string `json:"name,omitzero"`
	Text string `json:"text,omitzero"` // a caption, where the source has one
}

// Caption is the attachment for a reader of text, "[image: a heron]"; "" without a caption.
func (a Attachment) Caption() string {
	kind := a.Type
	switch {
	case strings.TrimSpace(a.Text) == "":
		return ""
	case kind == "":
		kind = "file"
	case strings.HasPrefix(kind, "image"):
		kind = "image"
	}
	return "[" + kind + ": " + a.Text + "]"
}

// Captioned is text with the captions of its attachments after it, each after a blank; a
// caption that the text has already is not taken twice.
func Captioned(text string, att []Attachment) string {
	for _, a := range att {
		c := a.Caption()
		if strings.Contains(text, c) {
			continue
		}
		if text != "" {
			text += " " + c
		} else {
			text += c
		}
	}
	return text
}

// since010Event names the members of meta that 0.0.1 does not have.
var since010Event = []string{"start_line", "end_line", "time", "session_id", "session_time", "user_id", "agent_id", "by", "probe_id", "inject_id", "reply_to", "expects", "gold", "attachments"}

// At omits the members of meta that are newer than v.
func (e Event) At(v Version) Event {
	if v == V001 {
		e.Meta = e.Meta.Without(since010Event...)
	}
	return e
}

// Ref is the event's anchor.
func (e Event) Ref() EventRef { return EventRef{e.ConvID, e.TurnID} }

// ReadMeta reads membench's members of meta. It fails if one has the wrong type.
func (e Event) ReadMeta() (EventMeta, error) {
	var m EventMeta
	err := e.Meta.Read(&m)
	return m, err
}

// Is reports whether the event carries the tag.
func (e Event) Is(tag string) bool { return slices.Contains(e.Tags, tag) }

// Turn is the unit that a memory ingests: the common part of an Event and a benchmark case.
type Turn struct {
	Role    string // user | assistant | system | tool
	Name    string
	Text    string
	Time    string     // RFC 3339 or ""
	Sources []EventRef // the turns that it represents
	// Attachments came with it; a system that reads text only sees their captions.
	Attachments []Attachment `json:",omitzero"` // omitzero: keys of batches without attachments stay unchanged
}

// IndexEntry is one chapter of index.json. Paths are relative to the index file's
// folder, with '/' separators; a missing norm file is "".
type IndexEntry struct {
	ID       string `json:"id"`
	RawPath  string `json:"raw_path"`
	NormPath string `json:"norm_path"`
}
