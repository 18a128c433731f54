package schema

// Case is one evaluation case: sessions to ingest in order, and questions to ask
// about them. Key: case_id. All questions of a case share one memory.
type Case struct {
	ID        string     `json:"case_id"`            // unique in its data set; never a label
	Dataset   string     `json:"dataset"`            // name in the catalogue of data sets
	Source    string     `json:"source,omitzero"`    // sub-set or split, where the data set has them
	ConvID    ConvID     `json:"conv_id"`            // turn_id runs through it, from 1
	Unit      string     `json:"unit"`               // unit of gold evidence: turn | round | session | chunk | memory
	Speakers  []string   `json:"speakers,omitempty"` // names, the user's first
	Sessions  []Session  `json:"sessions"`
	Questions []Question `json:"questions"`
	Meta      Object     `json:"meta,omitzero"` // other data of the source; never shown to a system
	Extra     Extra      `json:",embed"`
}

// At returns c: cases exist since 0.1.0 only.
func (c Case) At(Version) Case { return c }

// Units of gold evidence.
const (
	UnitTurn    = "turn"
	UnitRound   = "round" // a user turn and the assistant's answer
	UnitSession = "session"
	UnitChunk   = "chunk"
	UnitMemory  = "memory" // gold memory points
)

// Session is one sitting. ID is safe to show to a system: a source id that gives an
// answer away (LongMemEval's "answer_…") is in SourceID only.
type Session struct {
	ID       string        `json:"session_id"`
	SourceID string        `json:"source_id,omitzero"`
	Time     string        `json:"time,omitzero"` // RFC 3339, or its beginning where the source has no zone or clock
	Turns    []CaseTurn    `json:"turns"`
	Points   []MemoryPoint `json:"memory_points,omitempty"`
}

// CaseTurn is one turn, or one chunk, of a session.
type CaseTurn struct {
	TurnID      int          `json:"turn_id"` // from 1, through the whole case
	SourceID    string       `json:"source_id,omitzero"`
	Role        string       `json:"role"`          // user | assistant | system | tool
	Name        string       `json:"name,omitzero"` // speaker, where the source has one
	Text        string       `json:"text"`
	Time        string       `json:"time,omitzero"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Turn returns the part of the turn that systems may see: no source id, no label.
func (t CaseTurn) Turn(conv ConvID) Turn {
	return Turn{Role: t.Role, Name: t.Name, Text: t.Text, Time: t.Time, Sources: []EventRef{{conv, t.TurnID}}, Attachments: t.Attachments}
}

// MemoryPoint is a gold memory of a session: a memory that a system should, or should not, have kept after it.
type MemoryPoint struct {
	ID         string     `json:"memory_id"`
	Content    string     `json:"content"`
	Type       string     `json:"type,omitzero"`
	Source     string     `json:"source,omitzero"` // normal | interference | …, as given by the data set
	IsUpdate   bool       `json:"is_update,omitzero"`
	Originals  []string   `json:"originals,omitempty"`  // texts that an update replaces
	Importance *float64   `json:"importance,omitempty"` // as given by the data set; no fixed range
	Evidence   []EventRef `json:"evidence,omitempty"`
}

// Interference reports whether the point must not be kept.
func (p MemoryPoint) Interference() bool { return p.Source == "interference" }

// Question is one question with its gold.
type Question struct {
	ID          string   `json:"question_id"` // unique in its data set
	Text        string   `json:"question"`
	Answer      string   `json:"answer"`                // the gold answer; a rubric or an explanation if the protocol requires one
	Answers     []string `json:"answers,omitempty"`     // every accepted gold, Answer first, where there are several
	Wrong       string   `json:"wrong_answer,omitzero"` // an answer known to be wrong (LoCoMo's adversarial_answer)
	Choices     []string `json:"choices,omitempty"`
	Rubric      []string `json:"rubric,omitempty"`    // criteria of a good answer; a rubric judge grades each of them
	OpenEnded   bool     `json:"open_ended,omitzero"` // the gold describes a good answer instead of giving one: only a model can grade it
	Category    string   `json:"category"`            // one of Categories
	RawCategory string   `json:"raw_category"`        // the source's own label, as text
	Abstain     bool     `json:"abstain,omitzero"`    // the right answer is that it cannot be answered
	AsOf        string   `json:"as_of,omitzero"`      // when it is asked; RFC 3339 or its beginning
	// Checkpoint and Covered say after which sessions it is asked; none: after all.
	Checkpoint string   `json:"checkpoint_id,omitzero"`
	Covered    []string `json:"covered_sessions,omitempty"`
	Difficulty string   `json:"difficulty,omitzero"`
	// Evidence is the gold evidence as turns; EvidenceIDs are the source's own ids in its order; Unresolved are those that match nothing.
	Evidence      []EventRef   `json:"evidence,omitempty"`
	EvidenceIDs   []string     `json:"evidence_ids,omitempty"`
	EvidenceTexts []string     `json:"evidence_texts,omitempty"` // gold facts in words, where evidence is facts and not turns
	Unresolved    []string     `json:"unresolved,omitempty"`
	Attachments   []Attachment `json:"attachments,omitempty"`
	// Errata is a correction of the question or its gold by an overlay; the score is then given with and without it.
	Errata *Erratum `json:"errata,omitempty"`
	Meta   Object   `json:"meta,omitzero"`
}

// Golds lists every accepted gold.
func (q Question) Golds() []string {
	if len(q.Answers) > 0 {
		return q.Answers
	}
	return []string{q.Answer}
}

// Erratum is a known fault of a gold.
type Erratum struct {
	Overlay  string     `json:"overlay"`         // name of the correction list
	Kind     string     `json:"kind"`            // answer | evidence | question | contested
	Answer   string     `json:"answer,omitzero"` // corrected gold
	Question string     `json:"question,omitzero"`
	Evidence []EventRef `json:"evidence,omitempty"`
	Note     string     `json:"note,omitzero"`
}

// Kinds of errata.
const (
	ErratumAnswer    = "answer"    // the gold answer is wrong
	ErratumEvidence  = "evidence"  // the answer is valid, its evidence is not
	ErratumQuestion  = "question"  // the question itself is wrong
	ErratumContested = "contested" // no one gold is right
)

// Categories of questions: one set for all data sets. The source's own label stays
// in raw_category.
const (
	CatIE  = "IE"  // information extraction: one fact, one place
	CatMR  = "MR"  // several places or sessions together
	CatTR  = "TR"  // time: when, how long, in which order
	CatKU  = "KU"  // knowledge update: the newest value
	CatABS = "ABS" // cannot be answered
	CatCR  = "CR"  // conflict resolution
	CatOD  = "OD"  // open domain: needs common sense in addition to the memory
	CatTTL = "TTL" // test-time learning: a rule or labels learnt from the input
	CatLRU = "LRU" // long-range understanding: summary, the whole of it
	CatVIS = "VIS" // needs an image
	// CatOther is the category of an answer whose label is none of these: only records have it, cases do not.
	CatOther = "OTHER"
)

// Categories lists those of cases, in the order of reports.
func Categories() []string {
	return []string{CatIE, CatMR, CatTR, CatKU, CatABS, CatCR, CatOD, CatTTL, CatLRU, CatVIS}
}
