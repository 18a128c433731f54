package schema

// MemoryExport is one memory item as a memory system stored it. Key: id.
type MemoryExport struct {
	ID         PointID `json:"id"`
	Payload    Object  `json:"payload"` // PayloadFields and other members of the system, in its order
	Collection string  `json:"collection"`
	Isolation  string  `json:"isolation"` // global | per_conv
	ExportedAt string  `json:"exported_at"`
	Extra      Extra   `json:",embed"`
}

// PayloadFields are the members of a payload that the chain reads, in the seed's
// order. Absent, null and "" are one thing here; ask the Object where it matters.
type PayloadFields struct {
	SceneID     string `json:"scene_id,omitzero"`
	CharacterID string `json:"character_id,omitzero"`
	ConvID      ConvID `json:"conv_id,omitzero"`
	UserID      string `json:"user_id,omitzero"`
	AgentID     string `json:"agent_id,omitzero"`
	Data        string `json:"data,omitzero"`
	Hash        string `json:"hash,omitzero"`       // md5 of data, see Hash
	CreatedAt   string `json:"created_at,omitzero"` // RFC 3339
	UpdatedAt   string `json:"updated_at,omitzero"`
	OwnerType   string `json:"owner_type,omitzero"` // Agent | User
	ActorID     string `json:"actor_id,omitzero"`   // name of who said it, where that is neither the user nor the agent (Mem0's member)
	Asked       string `json:"asked,omitzero"`      // since 0.2.0: what another speaker said just before that data may answer
	OwnerID     string `json:"owner_id,omitzero"`
	OwnerInfer  string `json:"owner_infer,omitzero"` // explicit | matched_event | ambiguous | fallback

	Events   []EventRef `json:"events,omitempty"`     // since 0.1.0: the turns it was made from, oldest first
	EventsBy string     `json:"events_by,omitzero"`   // since 0.1.0: "" as recorded by the memory; "inferred" for foreign exports
	EventsP  float64    `json:"events_conf,omitzero"` // since 0.1.0: confidence [0,1] of inferred events
}

var since010Payload = []string{"events", "events_by", "events_conf"}

// At omits the members of the payload that are newer than v.
func (m MemoryExport) At(v Version) MemoryExport {
	if m.Payload.IsNull() {
		return m
	}
	if v == V001 {
		m.Payload = m.Payload.Without(since010Payload...)
	}
	if v.Before(V020) {
		m.Payload = m.Payload.Without("actor_id", "asked")
	}
	return m
}

// Fields reads the members that the chain knows. A member of another type than
// expected is an error that names it.
func (m MemoryExport) Fields() (PayloadFields, error) {
	var f PayloadFields
	err := m.Payload.Read(&f)
	return f, err
}
