package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// QARecord is one question asked of one system: the hits and context shown, the answer, and its grades. Key: (system, repeat, case_id, question_id).
type QARecord struct {
	System      string     `json:"system"`
	Type        string     `json:"system_type,omitzero"` // of the system, where System is another name for it; see Reference
	Repeat      int        `json:"repeat,omitzero"`      // from 0
	Dataset     string     `json:"dataset"`
	Source      string     `json:"source,omitzero"` // sub-set or split; some protocols score by it
	CaseID      string     `json:"case_id"`
	QuestionID  string     `json:"question_id"`
	Checkpoint  string     `json:"checkpoint_id,omitzero"`
	Question    string     `json:"question"`
	Gold        string     `json:"gold"`
	Golds       []string   `json:"golds,omitempty"` // every accepted gold, where there are several
	Wrong       string     `json:"wrong_answer,omitzero"`
	Choices     []string   `json:"choices,omitempty"`
	Rubric      []string   `json:"rubric,omitempty"`    // see Question
	OpenEnded   bool       `json:"open_ended,omitzero"` // see Question
	Category    string     `json:"category"`
	RawCategory string     `json:"raw_category"`
	Abstain     bool       `json:"abstain,omitzero"`
	AsOf        string     `json:"as_of,omitzero"`
	Evidence    []EventRef `json:"evidence,omitempty"`
	EvidenceIDs []string   `json:"evidence_ids,omitempty"`
	// EvidenceTexts are the gold facts in words, where evidence is gold memory points.
	EvidenceTexts []string `json:"evidence_texts,omitempty"`
	// Errata is a correction of the gold. The recorded gold stays; answers have grades against both.
	Errata *Erratum `json:"errata,omitempty"`

	K        int      `json:"k,omitzero"`             // hits asked for
	Given    *Extent  `json:"given,omitempty"`        // the dialogue that the system had been given when it was asked; nil: unknown
	Hits     []QAHit  `json:"hits"`                   // best first
	Unnamed  bool     `json:"-"`                      // the system shows hits, and none of the whole run names a turn; eval/records finds out
	Below    []QARank `json:"below_k,omitempty"`      // hits ranked below k, which were not shown to the reader; explain uses them
	Repeated int      `json:"repeated_hits,omitzero"` // hits that had the id of another one of the answer, and were left out
	Context  string   `json:"context,omitzero"`       // context shown to the reader
	// ContextID names the context if the file refers to a ShownContext in the same folder; eval/records resolves it into Context.
	ContextID string `json:"context_id,omitzero"`
	Answer    string `json:"answer"`
	By        By     `json:"by"`      // who answered: "rule", a model, or the system itself
	Outcome   string `json:"outcome"` // how asking went; see the Outcome constants
	Error     string `json:"error,omitzero"`
	// ModelOutcome is how the model's call ended that was to answer (llm.Outcome), where
	// that is not complete: an answer that was cut off is marked, a call that failed named.
	ModelOutcome string   `json:"model_outcome,omitzero"`
	Degraded     []string `json:"degraded,omitempty"` // operations of the retrieval that were done in a plainer way, with the reason

	RetrieveMS float64     `json:"retrieve_ms,omitzero"` // wall time of the retrieval, milliseconds
	AnswerMS   float64     `json:"answer_ms,omitzero"`
	Usage      []StepUsage `json:"usage,omitempty"`

	Grades      []Grade      `json:"grades,omitempty"`
	Attribution *Attribution `json:"attribution,omitempty"`
	Extra       Extra        `json:",embed"`
}

// A ShownContext is one text that readers of a memory's answers were shown, however often.
// Key: (system, repeat, dataset, case_id, context_id).
type ShownContext struct {
	System  string `json:"system"`
	Repeat  int    `json:"repeat,omitzero"` // the first with this memory
	Dataset string `json:"dataset"`
	CaseID  string `json:"case_id"`
	ID      string `json:"context_id"`
	Context string `json:"context"`
}

// At returns c: it exists since 0.1.0 only.
func (c ShownContext) At(Version) ShownContext { return c }

// ProtocolName is a protocol's id without its version: "rule" of "rule@12".
func ProtocolName(id string) string {
	name, _, _ := strings.Cut(id, "@")
	return name
}

// OfSources reports whether a protocol grades the turns that hits name as their sources, not the answer.
func OfSources(protocol string) bool {
	switch ProtocolName(protocol) {
	case "evidence-recall", "turn-recall", "lme-retrieval":
		return true
	}
	return false
}

// NoSources is the reason for which protocols of sources do not apply to a record that is Unnamed.
const NoSources = "no hit of the run names a turn"

// Types of a system that is a program or a service, whatever it calls itself.
const (
	TypeProgram = "process"
	TypeService = "service"
)

// What a reference system shows. All but RefEmbedding are bounds: no memory to choose.
const (
	RefOracle    = "oracle" // what a reader makes of exactly the evidence, or a search of the true category
	RefFull      = "full"   // of the whole dialogue
	RefEmbedding = "embedding"
	RefNull      = "null"    // of nothing
	RefAbstain   = "abstain" // what never answering scores
)

// references are the types of reference systems, and their names in published results.
var references = []struct{ kind, name string }{{RefOracle, "oracle"}, {RefFull, "full-context"}, {RefFull, "long-context"}, {RefEmbedding, "embedding-only"}, {RefNull, "null"}, {RefAbstain, "always-abstain"}, {RefAbstain, "abstain"}}

// Reference returns what a system is a reference for; "" for a system under test. Its type decides; only where the type is not recorded ("") does its name.
func Reference(system, typ string) string {
	name := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(cmp.Or(typ, system)))
	for _, r := range references {
		if rest, ok := strings.CutPrefix(name, r.name); ok && (rest == "" || strings.ContainsAny(rest[:1], "-:(@")) {
			return r.kind
		}
	}
	return ""
}

// Bound reports whether a system shows what can be reached at most or at least, and is not a memory to choose: see Reference.
func Bound(system, typ string) bool {
	r := Reference(system, typ)
	return r != "" && r != RefEmbedding
}

// ContextID returns the id of a context, a hash of its text.
func ContextID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// Away reports whether the record names a context that its reader did not find.
func (r *QARecord) Away() bool { return r.ContextID != "" && r.Context == "" }

// At returns r: runs exist since 0.1.0 only.
func (r QARecord) At(Version) QARecord { return r }

// Record returns a record with the members of its question; the caller fills in the others.
func (q Question) Record() QARecord {
	return QARecord{QuestionID: q.ID, Checkpoint: q.Checkpoint, Question: q.Text, Gold: q.Answer, Golds: q.Answers, Wrong: q.Wrong, Choices: q.Choices, Rubric: q.Rubric, OpenEnded: q.OpenEnded, Category: q.Category, RawCategory: q.RawCategory,
		Abstain: q.Abstain, AsOf: q.AsOf, Evidence: q.Evidence, EvidenceIDs: q.EvidenceIDs, EvidenceTexts: q.EvidenceTexts, Errata: q.Errata}
}

// AllGolds lists every accepted gold.
func (r QARecord) AllGolds() []string {
	if len(r.Golds) > 0 {
		return r.Golds
	}
	return []string{r.Gold}
}

// Corrected returns the record as its correction would have it: gold and evidence
// exchanged. ok is false if a right answer cannot be determined: the gold is contested, or the question itself was wrong and was asked unchanged; why
// gives the reason.
func (r QARecord) Corrected() (c QARecord, ok bool, why string) {
	x := r.Errata
	switch {
	case x == nil:
		return r, true, ""
	case x.Kind == ErratumQuestion:
		return r, false, x.Overlay + ": the question itself is wrong, and was asked so"
	case x.Kind == ErratumContested:
		return r, false, x.Overlay + ": the gold is contested"
	}
	if x.Answer != "" {
		r.Gold, r.Golds = x.Answer, nil
	}
	if len(x.Evidence) > 0 {
		r.Evidence, r.EvidenceIDs, r.EvidenceTexts = x.Evidence, nil, nil
	}
	return r, true, ""
}

// Outcomes of asking. Only an answer is graded; the others are counted apart and are
// never a zero without being named.
const (
	OutcomeAnswered = "answered"
	OutcomeEmpty    = "empty"   // the reader answered with nothing
	OutcomeError    = "error"   // system or reader failed
	OutcomeTimeout  = "timeout" // a limit of the run was hit
	OutcomeRefused  = "refused" // the model's content filter
)

// Extent is the size of a dialogue.
type Extent struct {
	Turns int `json:"turns"`
	Chars int `json:"chars"` // code points of their texts
	// Spoken are the code points of the texts with the names of their speakers, as "name: text"; 0: unknown.
	Spoken int `json:"spoken,omitzero"`
	// ConvID is the conversation; "": unknown. A hit whose sources are all of others was let in from there.
	ConvID ConvID `json:"conv_id,omitzero"`
	// From and To are when it was first and last spoken (RFC 3339 or its beginning); "": unknown.
	From string `json:"from,omitzero"`
	To   string `json:"to,omitzero"`
}

// QAHit is one retrieved memory.
type QAHit struct {
	Rank    int        `json:"rank"` // from 1
	ID      PointID    `json:"id"`
	Score   float64    `json:"score"` // higher is better; the scale is the system's
	Text    string     `json:"text"`
	Sources []EventRef `json:"sources,omitempty"` // the turns it rests on, in rank order
	Cut     bool       `json:"cut,omitzero"`      // retrieved, and not whole in the context
	Meta    Object     `json:"-"`                 // the system's description of it
}

// QARank is the rank of a memory that was not among the hits.
type QARank struct {
	Rank    int        `json:"rank"` // from k+1
	ID      PointID    `json:"id"`
	Sources []EventRef `json:"sources,omitempty"`
}

// StepUsage is the model usage of one step.
type StepUsage struct {
	Step         string `json:"step"` // ingest | retrieve | read | judge | …
	Model        string `json:"model,omitzero"`
	Calls        int    `json:"calls"`
	InputTokens  int    `json:"input_tokens"`
	OutputTokens int    `json:"output_tokens"`
	Cached       int    `json:"cached,omitzero"` // calls answered from a cassette: paid earlier
}

// Grade is the verdict of one protocol on one answer. Score is null where nothing
// was scored: an unscored answer is not a zero.
type Grade struct {
	Protocol string   `json:"protocol"`       // name@version
	By       By       `json:"by"`             // "rule", or the judge's model
	Gold     string   `json:"gold,omitzero"`  // gold graded against: "" is the recorded one, GoldCorrected the one of Errata
	Score    *float64 `json:"score"`          // [0,1]
	Label    string   `json:"label,omitzero"` // the protocol's own word: CORRECT, Hallucination, …
	Outcome  string   `json:"outcome"`        // scored | not_applicable | judge_failed | not_answered
	Doubt    string   `json:"doubt,omitzero"` // reason for doubt about the verdict; the score is then what the judge leans to
	Reason   string   `json:"reason,omitzero"`
	Facts    []string `json:"facts,omitempty"` // facts that a rule compared, in order
	Reply    string   `json:"reply,omitzero"`  // a judge's raw words
	Prompt   string   `json:"prompt_sha256,omitzero"`
	// ModelOutcome is how the judge's call ended (llm.Outcome), where that is not complete.
	ModelOutcome string             `json:"model_outcome,omitzero"`
	Parts        map[string]float64 `json:"parts,omitempty"` // further figures of the protocol
}

// Grader names the grader: the protocol, and the model if there is one.
func (g *Grade) Grader() string {
	if g.By == ByRule || g.By == "" {
		return g.Protocol
	}
	return g.Protocol + " by " + string(g.By)
}

// GoldCorrected marks a grade against the corrected gold. It is kept in addition to the same protocol's grade against the recorded one and is never added to
// it.
const GoldCorrected = "corrected"

// Outcomes of grading.
const (
	GradeScored      = "scored"
	GradeNA          = "not_applicable" // the protocol does not score such a question
	GradeJudgeFailed = "judge_failed"
	GradeNotAnswered = "not_answered" // asking ended in an error, timeout or refusal
	GradeMissing     = "missing"      // of summaries: the answer lacks a grade that the others of its run have
)

// SessionRecord is the effect of one session on one memory. Key: (system, repeat, case_id, session_id).
type SessionRecord struct {
	System    string        `json:"system"`
	Repeat    int           `json:"repeat,omitzero"`
	Dataset   string        `json:"dataset"`
	CaseID    string        `json:"case_id"`
	SessionID string        `json:"session_id"`
	Index     int           `json:"index"`                   // of the session in its case, from 0
	Turns     int           `json:"turns"`                   // ingested
	Points    []MemoryPoint `json:"memory_points,omitempty"` // gold of this session
	Snapshot  []MemoryState `json:"snapshot,omitempty"`      // after the session
	Delta     []MemoryDelta `json:"delta,omitempty"`         // of this session
	// Changes are the changes of memories that receipts reported during the session, in order. A delta of the whole session no longer shows them. Additions are
	// here where the session shows no delta, or a delta without them or with another text under their id.
	Changes []MemoryChange `json:"changes,omitempty"`
	// Lost are turns given to the system until now that none of its memories holds, where
	// it keeps most others as they were said: lost, or forgotten by design.
	Lost     []EventRef     `json:"lost,omitempty"`
	Opaque   bool           `json:"opaque,omitzero"` // shows neither snapshot nor delta
	Outcome  string         `json:"outcome"`
	Error    string         `json:"error,omitzero"`
	Degraded []string       `json:"degraded,omitempty"` // operations that were done in a plainer way, with the reason
	IngestMS float64        `json:"ingest_ms,omitzero"`
	Usage    []StepUsage    `json:"usage,omitempty"`
	Grades   []SessionGrade `json:"grades,omitempty"`
	Extra    Extra          `json:",embed"`
}

// At returns r: runs exist since 0.1.0 only.
func (r SessionRecord) At(Version) SessionRecord { return r }

// MemoryState is one live memory of a snapshot.
type MemoryState struct {
	ID      PointID    `json:"memory_id"`
	Text    string     `json:"text"`
	Session string     `json:"session_id,omitzero"` // where it came from
	Status  string     `json:"status,omitzero"`     // active | invalid
	Sources []EventRef `json:"sources,omitempty"`

	Kind        string       `json:"-"` // kind of the item: turn, pair, chunk, fact, note, insight, summary
	Tier        string       `json:"-"` // where it lies, in systems with tiers
	Time        string       `json:"-"` // time of its content, RFC 3339 or a prefix of it; "" if unknown
	Attachments []Attachment `json:"-"`
	Links       []PointID    `json:"-"` // other items that the system ties to it, or made it of
	Meta        Object       `json:"-"`
}

// MemoryDelta is one change of a session.
type MemoryDelta struct {
	Op       string     `json:"op"` // add | update | keep | suppress | archive
	ID       PointID    `json:"memory_id"`
	Text     string     `json:"text,omitzero"`
	Previous []string   `json:"linked_previous,omitempty"` // texts it replaces
	Sources  []EventRef `json:"sources,omitempty"`
}

// MemoryChange is one change that a receipt reports.
type MemoryChange struct {
	Op  string  `json:"op"` // ADD | UPDATE | DELETE | NONE
	ID  PointID `json:"memory_id,omitzero"`
	Old string  `json:"old,omitzero"` // text before, "" unknown
	New string  `json:"new,omitzero"`
}

// SessionGrade is the verdict of one judge of sessions on one item: a gold point
// (recall, update, interference) or a memory of the delta (correctness).
type SessionGrade struct {
	Judge   string   `json:"judge"` // recall | correctness | update | interference
	By      By       `json:"by"`
	Item    string   `json:"item"`            // memory_id of the gold point or of the delta
	Update  bool     `json:"update,omitzero"` // the gold point is an update
	Label   string   `json:"label"`           // covered | missed; correct | hallucination | irrelevant; updated | both | outdated; rejected | memorized
	Score   *float64 `json:"score"`           // [0,1]; null where the judge failed
	Outcome string   `json:"outcome"`
	Reason  string   `json:"reason,omitzero"`
	IDs     []string `json:"ids,omitempty"` // the memories that show it
}
