package schema

import (
	"math"
	"slices"
	"strconv"

	"membench/internal/codec"
)

// Confidence is in [0,1]. It is written as Python writes a float: 1 is 1.0.
type Confidence float64

func (c Confidence) MarshalJSON() ([]byte, error) { return AppendFloat(nil, float64(c)), nil }

// AppendFloat appends f as Python's json.dumps does: shortest round trip, ".0" kept,
// exponent form below 1e-4 and from 1e16 on with at least two digits. f is finite.
func AppendFloat(dst []byte, f float64) []byte {
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !slices.Contains(dst[n:], '.') {
		dst = append(dst, '.', '0')
	}
	return dst
}

// Ref names an entity with its type.
type Ref struct {
	Type  string   `json:"entity_type"`
	ID    EntityID `json:"entity_id"`
	Extra Extra    `json:",embed"`
}

// Evidence names a memory item and quotes it whole.
type Evidence struct {
	Memory    MemoryID `json:"memory_item_id"`
	Point     PointID  `json:"point_id"`
	ConvID    ConvID   `json:"conv_id"`
	SceneID   string   `json:"scene_id"`
	CreatedAt string   `json:"created_at"`
	Text      string   `json:"text"` // the memory's data, unchanged
	// EventTime is the time at which the remembered event happened or began, if the memory names it: a year, month or day, or two days as from/to. Since 0.2.0;
	// CreatedAt is the time at which it was said.
	EventTime string `json:"event_time,omitzero"`
	Extra     Extra  `json:",embed"`
}

// Statuses of a claim.
const (
	StatusActive     = "active"
	StatusDeprecated = "deprecated"
	StatusCandidate  = "candidate"  // exists in the wild; read, never made
	StatusSuperseded = "superseded" // as candidate
)

// Claim is a subject–predicate–object statement with evidence. Key: claim_id.
type Claim struct {
	RecordType   string     `json:"record_type"` // "claim"
	ID           ClaimID    `json:"claim_id"`
	Predicate    string     `json:"predicate"`
	Subject      Ref        `json:"subject"`
	Object       Ref        `json:"object"`
	Domain       string     `json:"domain"`
	Confidence   Confidence `json:"confidence"`
	Status       string     `json:"status"`
	Rank         *int       `json:"rank"`
	UpdatedAt    string     `json:"updated_at"`
	Evidence     []Evidence `json:"evidence"`
	By           By         `json:"by,omitzero"`                // since 0.1.0
	Reason       string     `json:"deprecated_reason,omitzero"` // since 0.1.0
	SupersededBy ClaimID    `json:"superseded_by,omitzero"`     // since 0.1.0
	Aliases      []ClaimID  `json:"id_aliases,omitempty"`       // since 0.1.0: ids before a migration
	Extra        Extra      `json:",embed"`
}

// At returns c without members newer than v.
func (c Claim) At(v Version) Claim {
	if v == V001 {
		c.By, c.Reason, c.SupersededBy, c.Aliases = "", "", "", nil
	}
	if v.Before(V020) && slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.EventTime != "" }) {
		c.Evidence = slices.Clone(c.Evidence)
		for i := range c.Evidence {
			c.Evidence[i].EventTime = ""
		}
	}
	return c
}

// Entity is a thing that claims speak of. Key: entity_id.
type Entity struct {
	RecordType string     `json:"record_type"` // "entity"
	Type       string     `json:"entity_type"`
	ID         EntityID   `json:"entity_id"`
	Props      Object     `json:"props"`
	Aliases    []string   `json:"aliases"`
	Tags       []string   `json:"tags"`
	Confidence Confidence `json:"confidence"`
	IDAliases  []EntityID `json:"id_aliases,omitempty"` // since 0.1.0: ids before a migration
	Extra      Extra      `json:",embed"`
}

// At returns e without members newer than v.
func (e Entity) At(v Version) Entity {
	if v == V001 {
		e.IDAliases = nil
	}
	return e
}

// Statement is one line of a claims file: exactly one field is set (record_type).
type Statement struct {
	Claim  *Claim
	Entity *Entity
}

func (s Statement) MarshalJSON() ([]byte, error) {
	if s.Claim != nil {
		return codec.Append(nil, s.Claim, codec.Compact)
	}
	return codec.Append(nil, s.Entity, codec.Compact)
}

func (s *Statement) UnmarshalJSON(b []byte) error {
	var typ string
	for k, v := range codec.Members(b) {
		if k == "record_type" {
			typ = codec.Unquote(v)
			break
		}
	}
	switch typ {
	case "claim":
		s.Claim = new(Claim)
		return codec.Unmarshal(b, s.Claim)
	case "entity":
		s.Entity = new(Entity)
		return codec.Unmarshal(b, s.Entity)
	}
	return &codec.Error{Pointer: "/record_type", Have: strconv.Quote(typ), Want: "claim or entity", Msg: "unknown record type"}
}

// At returns s without members newer than v.
func (s Statement) At(v Version) Statement {
	if s.Claim != nil {
		c := s.Claim.At(v)
		return Statement{Claim: &c}
	}
	if s.Entity != nil {
		e := s.Entity.At(v)
		return Statement{Entity: &e}
	}
	return s
}
