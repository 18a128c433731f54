package schema

// Manifest describes how the outputs of one step were made; it is written to the same folder.
type Manifest struct {
	SchemaVersion Version           `json:"schema_version"`
	Step          string            `json:"step"`
	StepVersion   int               `json:"step_version"`
	Key           string            `json:"key"` // sha256 of step, version, options, prompts and input digests
	Membench      string            `json:"membench,omitzero"`
	Now           string            `json:"now,omitzero"`      // the run's one clock, RFC 3339 UTC
	Options       Object            `json:"options"`           // resolved; no secrets
	Models        map[string]string `json:"models,omitempty"`  // purpose → model
	Prompts       map[string]string `json:"prompts,omitempty"` // name → sha256
	Inputs        []FileDigest      `json:"inputs"`
	Outputs       []FileDigest      `json:"outputs"`
	Counts        map[string]int    `json:"counts,omitempty"`
	Findings      map[string]int    `json:"findings,omitempty"` // code → how many
	Extra         Extra             `json:",embed"`
}

// At returns m: manifests exist since 0.1.0 only.
func (m Manifest) At(Version) Manifest { return m }

// FileDigest names a file by content. Path is relative to the manifest's folder
// where it lies below it, with '/' separators.
type FileDigest struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// ProbeResult is one graded probe of `replay probe`. Key: probe_id.
type ProbeResult struct {
	ProbeID     string     `json:"probe_id"`
	Backend     string     `json:"backend"`
	UserID      string     `json:"user_id"`
	AgentID     string     `json:"agent_id"`
	Isolation   string     `json:"isolation"`
	K           int        `json:"k"`
	ConvID      ConvID     `json:"conv_id"`
	TurnID      int        `json:"turn_id"`
	SceneID     string     `json:"scene_id"`
	CharacterID string     `json:"character_id"`
	RoleType    string     `json:"probe_role_type"`
	RoleName    string     `json:"probe_role_name"`
	Query       string     `json:"probe_query"`
	Expects     []string   `json:"expects"`       // ids of injects or claims; empty: gold unknown
	Gold        string     `json:"gold,omitzero"` // the right answer's text
	GoldEvents  []EventRef `json:"gold_events"`   // the turns that Expects resolve to
	GoldIDs     []PointID  `json:"gold_ids"`      // the memories made from those turns
	Hits        []ProbeHit `json:"hits"`          // best first
	Recall      *float64   `json:"recall"`        // Recall@k in [0,1]; null where gold is unknown
	MRR         *float64   `json:"mrr"`           // 1/rank of the first right hit, 0 if none; null where gold is unknown
	Outcome     string     `json:"outcome"`       // scored | gold_unknown | gold_not_stored | error
	Error       string     `json:"error,omitzero"`
	Extra       Extra      `json:",embed"`
}

// At returns p: graded probes exist since 0.1.0 only.
func (p ProbeResult) At(Version) ProbeResult { return p }

// ProbeHit is one retrieved memory.
type ProbeHit struct {
	Rank    int        `json:"rank"` // from 1
	ID      PointID    `json:"id"`
	Score   float64    `json:"score"` // higher is better; scale is the backend's
	Content string     `json:"content"`
	Events  []EventRef `json:"events"`
	Gold    bool       `json:"gold"` // rests on one of the gold turns
}
