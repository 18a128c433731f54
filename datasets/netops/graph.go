package netops

import (
	"cmp"
	"context"
	"fmt"

	"membench/claims"
	"membench/graphir"
	"membench/schema"
	"membench/schema/catalog"
)

// Graph makes the typed graph of a case of operations: devices, alarms, incidents, changes and runbooks as claims with their turns, through the chain's own
// stages from claims on. It reads only the text of the turns: no questions, labels or table columns.
func Graph(ctx context.Context, c schema.Case) (schema.Seq[schema.Element], error) {
	cat, err := Catalog()
	if err != nil {
		return nil, err
	}
	b := &graphBuilder{cat: cat, mint: schema.Mint{V: schema.Latest}, conv: c.ConvID, seen: map[schema.EntityID]bool{}}
	what := typed(c)
	for _, s := range c.Sessions {
		for _, t := range s.Turns {
			if err := b.turn(s, t, what[t.TurnID]); err != nil {
				return nil, fmt.Errorf("%s, turn %d: %w", c.ID, t.TurnID, err)
			}
		}
	}
	compiled := claims.Compile(ctx, schema.List(b.statements...), claims.CompileOptions{Catalog: cat})
	return graphir.Build(ctx, graphir.Input{Events: schema.List(b.events...), Exports: schema.List(b.exports...), Claims: compiled}, graphir.Options{Catalog: cat}), nil
}

type graphBuilder struct {
	cat        *catalog.Catalog
	mint       schema.Mint
	conv       schema.ConvID
	events     []schema.Event
	exports    []schema.MemoryExport
	statements []schema.Statement
	seen       map[schema.EntityID]bool
}

func (b *graphBuilder) turn(s schema.Session, t schema.CaseTurn, what []said) error {
	at := cmp.Or(t.Time, s.Time)
	if len(at) == len("2006-01-02T15:04:05") {
		at += "Z"
	}
	role := schema.RoleHuman
	if t.Role == schema.RoleAssistant || t.Role == schema.RoleTool {
		role = t.Role
	}
	meta, err := schema.NewObject(schema.EventMeta{Time: at, SessionID: s.ID, SessionTime: s.Time, By: schema.ByRule})
	if err != nil {
		return err
	}
	b.events = append(b.events, schema.Event{SceneID: "netops", CharacterID: "ops", ConvID: b.conv, TurnID: t.TurnID, RoleType: role, RoleName: t.Name, Content: t.Text, Tags: []string{schema.TagEpisodic}, Meta: meta})
	if len(what) == 0 {
		return nil
	}
	// A memory is one text; the same text said twice is two alarms, so the turn's number is before it.
	data := fmt.Sprintf("[%s %d] %s", b.conv, t.TurnID, t.Text)
	point := schema.PointID(fmt.Sprintf("%s-%d", b.conv, t.TurnID))
	payload, err := schema.NewObject(payload{SceneID: "netops", CharacterID: "ops", ConvID: b.conv, UserID: "ops", AgentID: "bus", Data: data, Hash: schema.Hash(data), CreatedAt: at, OwnerType: schema.LabelUser, OwnerID: "ops", OwnerInfer: "explicit", Events: []schema.EventRef{{ConvID: b.conv, TurnID: t.TurnID}}})
	if err != nil {
		return err
	}
	b.exports = append(b.exports, schema.MemoryExport{ID: point, Payload: payload, Collection: "netops", Isolation: "per_conv", ExportedAt: at})
	for _, x := range what {
		subject, err := b.entity(x.subjectType, x.subj)
		if err != nil {
			return err
		}
		object, err := b.entity(x.objectType, x.obj)
		if err != nil {
			return err
		}
		domain := b.cat.Predicates[x.pred].Domain
		b.statements = append(b.statements, schema.Statement{Claim: &schema.Claim{RecordType: "claim", ID: b.mint.Claim(x.pred, domain, subject.ID, object.ID), Predicate: x.pred, Subject: subject, Object: object, Domain: domain, Confidence: .95, Status: "active", UpdatedAt: at, By: schema.ByRule,
			Evidence: []schema.Evidence{{Memory: b.mint.Memory(data, "", point), Point: point, ConvID: b.conv, SceneID: "netops", CreatedAt: at, Text: data}}}})
	}
	return nil
}

type payload struct {
	SceneID     string            `json:"scene_id"`
	CharacterID string            `json:"character_id"`
	ConvID      schema.ConvID     `json:"conv_id"`
	UserID      string            `json:"user_id"`
	AgentID     string            `json:"agent_id"`
	Data        string            `json:"data"`
	Hash        string            `json:"hash"`
	CreatedAt   string            `json:"created_at"`
	OwnerType   string            `json:"owner_type"`
	OwnerID     string            `json:"owner_id"`
	OwnerInfer  string            `json:"owner_infer"`
	Events      []schema.EventRef `json:"events"`
}

func (b *graphBuilder) entity(typ, name string) (schema.Ref, error) {
	id, err := b.cat.EntityID(b.mint, typ, name)
	if err != nil || b.seen[id] {
		return schema.Ref{Type: typ, ID: id}, err
	}
	b.seen[id] = true
	props, err := schema.NewObject(struct {
		Name    string `json:"name"`
		Display string `json:"display"`
	}{name, name})
	b.statements = append(b.statements, schema.Statement{Entity: &schema.Entity{RecordType: "entity", Type: typ, ID: id, Props: props, Aliases: []string{}, Tags: []string{}, Confidence: .95}})
	return schema.Ref{Type: typ, ID: id}, err
}
