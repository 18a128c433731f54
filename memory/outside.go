package memory

import (
	"strconv"
	"strings"

	"membench/schema"
)

// TurnID is how a turn is named to a program or a service: "conv:3".
func TurnID(r schema.EventRef) string { return string(r.ConvID) + ":" + strconv.Itoa(r.TurnID) }

// ParseTurnID reads a turn's name; ok is false for any other text.
func ParseTurnID(id string) (r schema.EventRef, ok bool) {
	i := strings.LastIndexByte(id, ':')
	if i <= 0 {
		return r, false
	}
	n, err := strconv.Atoi(id[i+1:])
	return schema.EventRef{ConvID: schema.ConvID(id[:i]), TurnID: n}, err == nil && n > 0
}

// A Foreign is an item of a program or a service.
type Foreign struct {
	Batch            schema.Object // metadata of the batch that it comes from
	User, Agent      string
	Text             string
	Created, Updated string
	Turns            []schema.EventRef
	Meta             schema.Object // the system's own
}

// Payload is the item as an export has it: members of Mem0's between those of the batch and the system's own, which cannot take their names.
func (f Foreign) Payload() (schema.Object, error) {
	var b schema.ObjectBuilder
	own := map[string]bool{"user_id": true, "agent_id": true, "data": true, "hash": true, "created_at": true, "updated_at": true, "events": true}
	for k, raw := range f.Batch.Members() {
		if !own[k] {
			own[k] = true
			b.Raw(k, raw)
		}
	}
	for _, p := range [][2]string{{"user_id", f.User}, {"agent_id", f.Agent}, {"data", f.Text}, {"hash", schema.Hash(f.Text)}, {"created_at", f.Created}, {"updated_at", f.Updated}} {
		if p[1] != "" {
			b.String(p[0], p[1])
		}
	}
	if len(f.Turns) > 0 {
		if err := b.Value("events", f.Turns); err != nil {
			return schema.Object{}, err
		}
	}
	for k, raw := range f.Meta.Members() {
		if !own[k] {
			b.Raw(k, raw)
		}
	}
	return b.Object(), nil
}
