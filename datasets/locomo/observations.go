package locomo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"membench/datasets"
	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// ObservationsBy made the observations: gpt-3.5-turbo, by the benchmark's authors.
const ObservationsBy = "gpt-3.5-turbo"

// observation is the payload of one observation as a memory, in the order of the chain's
// own exports.
type observation struct {
	SceneID     string            `json:"scene_id"`
	CharacterID string            `json:"character_id"`
	ConvID      schema.ConvID     `json:"conv_id"`
	UserID      string            `json:"user_id"`
	AgentID     string            `json:"agent_id"`
	ActorID     string            `json:"actor_id"`
	Data        string            `json:"data"`
	Hash        string            `json:"hash"`
	CreatedAt   string            `json:"created_at,omitempty"`
	OwnerType   string            `json:"owner_type"`
	OwnerID     string            `json:"owner_id"`
	OwnerInfer  string            `json:"owner_infer"`
	Events      []schema.EventRef `json:"events"`
	By          string            `json:"events_by"`
}

// Observations reads the observations as the memories of a model's extraction: one for
// each, of the speaker that it is filed under, with the turns of its evidence. Ids and
// turns are those that the chain gives the same conversation, so that claims made of
// them can be held against those of the rules.
func Observations(ctx context.Context, files []jsonl.File, o datasets.Options) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		stop := errors.New("enough")
		err := datasets.Each(ctx, files, o, func(v *datasets.Value) error {
			b, members, err := conversation(v)
			if err != nil {
				return err
			}
			for _, x := range observations(v, b, members["observation"]) {
				if !yield(schema.Record[schema.MemoryExport]{Pos: v.Pos, V: x}, nil) {
					return stop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(schema.Record[schema.MemoryExport]{}, err)
		}
	}
}

func observations(v *datasets.Value, b *datasets.Builder, raw []byte) (out []schema.MemoryExport) {
	filed := maps.Collect(codec.Members(raw))
	for _, s := range b.Case.Sessions {
		for speaker, list := range codec.Members(filed[s.ID+"_observation"]) {
			i := 0
			for pair := range codec.Elements(list) {
				x, ok := one(v, b, speaker, pair, s.Time)
				if ok {
					x.ID = schema.PointID(fmt.Sprintf("%s/%s/%s/%d", b.Case.ID, s.ID, speaker, i))
					out = append(out, x)
				}
				i++
			}
		}
	}
	return out
}

// one is the memory of a pair of text and evidence; pairs of another form are reported.
func one(v *datasets.Value, b *datasets.Builder, speaker string, pair []byte, at string) (schema.MemoryExport, bool) {
	var text string
	var ids []string
	n := 0
	for m := range codec.Elements(pair) {
		if n == 0 {
			text = strings.TrimSpace(codec.Unquote(m))
		} else {
			found, _ := evidence(string(m))
			ids = append(ids, found...)
		}
		n++
	}
	refs, unresolved := b.Resolve(ids)
	if n != 2 || text == "" || len(refs) == 0 {
		v.Warn("DST022", "an observation without a text or a turn; it was skipped", text+strings.Join(unresolved, " "), "observation")
		return schema.MemoryExport{}, false
	}
	p := observation{SceneID: "default", CharacterID: "assistant", ConvID: b.Case.ConvID, UserID: "user", AgentID: "assistant", ActorID: speaker, Data: text, Hash: schema.Hash(text),
		CreatedAt: at, OwnerType: "User", OwnerID: "user", OwnerInfer: "explicit", Events: refs, By: ObservationsBy}
	if speaker == b.Case.Speakers[1] {
		p.OwnerType, p.OwnerID = "Agent", "assistant"
	}
	payload, err := schema.NewObject(p)
	if err != nil {
		return schema.MemoryExport{}, false // unreachable: the payload is text
	}
	return schema.MemoryExport{Payload: payload, Collection: "observations", Isolation: "per_conv", ExportedAt: at}, true
}
