package graphmem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/graph"
	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/memory/native"
	"membench/memory/store"
	"membench/schema"
)

// load makes the view of a graph: its turns in the order of the dialogue, and its
// claims. Owners come from the conversations' edges. Where a graph has
// memories without turns (an export of a memory system), these count as turns.
//
// What old, which may be nil, has of the same text is not embedded again, and keeps what
// a graph does not say (the metadata of the batch that it came in).
func load(ctx context.Context, g *graph.Local, e llm.Embedder, old *view, known map[schema.NodeID][]float32) (*view, llm.Usage, error) {
	v := newView("", e)
	recs, err := recordsOf(ctx, g)
	if err != nil {
		return nil, llm.Usage{}, err
	}
	vectors := make([][]float32, len(recs))
	var want []int
	for i := range recs {
		if old != nil {
			if at, ok := old.st.Find(recs[i].ID); ok && old.st.At(at).Text == recs[i].Text && old.st.At(at).Session == recs[i].Session && old.st.At(at).Time == recs[i].Time {
				recs[i].Record, vectors[i] = *old.st.At(at), old.st.Vector(at)
				continue
			}
		}
		if vec := known[schema.NodeID(recs[i].ID)]; vec != nil {
			vectors[i] = vec
			continue
		}
		want = append(want, i)
	}
	missing := make([]loaded, len(want))
	for k, i := range want {
		missing[k] = recs[i]
	}
	made, usage, err := embedAll(ctx, e, missing)
	if err != nil {
		return nil, usage, err
	}
	for k, i := range want {
		vectors[i] = made[k]
	}
	for i, r := range recs {
		v.add(r.Record, r.said, vectors[i])
	}
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelClaim}}) {
		if err != nil {
			return nil, usage, err
		}
		f, ok, err := factOf(ctx, g, n.ID, nil)
		if err != nil {
			return nil, usage, err
		}
		if ok {
			v.put(f)
		}
	}
	return v, usage, nil
}

// embedAll makes the vectors of records.
func embedAll(ctx context.Context, e llm.Embedder, recs []loaded) (vectors [][]float32, usage llm.Usage, err error) {
	const batch = 256
	for part := range slices.Chunk(recs, batch) {
		texts := make([]string, len(part))
		for i := range part {
			texts[i] = part[i].Text
		}
		out, err := llm.Embed(ctx, e, texts)
		usage = usage.Add(out.Usage)
		if err != nil {
			return nil, usage, err
		}
		if len(out.Vectors) != len(part) {
			return nil, usage, fmt.Errorf("embedding %d texts with %s: have %d vectors", len(part), e.Profile(), len(out.Vectors))
		}
		vectors = append(vectors, out.Vectors...)
	}
	return vectors, usage, nil
}

type loaded struct {
	store.Record
	said string // without the speaker's name
}

func recordsOf(ctx context.Context, g *graph.Local) ([]loaded, error) {
	var out []loaded
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelEvent}}) {
		if err != nil {
			return nil, err
		}
		r, ok := turnOf(n)
		if !ok {
			continue
		}
		out = append(out, r)
	}
	if err := ownersOf(ctx, g, out); err != nil {
		return nil, err
	}
	for n, err := range g.Nodes(ctx, graph.Filter{Labels: []string{schema.LabelMemoryItem}}) {
		if err != nil {
			return nil, err
		}
		turns := 0
		for _, err := range g.Neighbors(ctx, n.ID, graph.Out, graph.Filter{Types: []string{schema.EdgeFromEvent}}) {
			if err != nil {
				return nil, err
			}
			turns++
		}
		if text := n.Props.Text("data"); turns == 0 && text != "" {
			owner := ""
			for e, err := range g.Neighbors(ctx, n.ID, graph.In, graph.Filter{Types: []string{schema.EdgeOwnsMemory}}) {
				if err != nil {
					return nil, err
				}
				owner = schema.NameOf(schema.EntityID(e.Src))
			}
			out = append(out, memoryRecord(n, text, owner))
		}
	}
	slices.SortStableFunc(out, func(a, b loaded) int {
		return cmp.Or(cmp.Compare(a.conv(), b.conv()), cmp.Compare(a.turn(), b.turn()), compareTimes(a.Time, b.Time), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// ownersOf enters whose turns they are: what the conversations' edges say.
func ownersOf(ctx context.Context, g *graph.Local, turns []loaded) error {
	owners := map[schema.ConvID][2]string{} // user, agent
	for _, r := range turns {
		for e, err := range g.Neighbors(ctx, schema.NodeID(r.ID), graph.In, graph.Filter{Types: []string{schema.EdgeSpoke}}) {
			if err != nil {
				return err
			}
			conv, who := r.Sources[0].ConvID, owners[r.Sources[0].ConvID]
			switch prefix, name, _ := strings.Cut(string(e.Src), ":"); prefix {
			case "user":
				who[0] = schema.Unescape(name)
			case "agent":
				who[1] = schema.Unescape(name)
			}
			owners[conv] = who
		}
	}
	for i := range turns {
		who := owners[turns[i].Sources[0].ConvID]
		turns[i].UserID, turns[i].AgentID = who[0], who[1]
	}
	return nil
}

func (r *loaded) conv() schema.ConvID {
	if len(r.Sources) > 0 {
		return r.Sources[0].ConvID
	}
	return ""
}

func (r *loaded) turn() int {
	if len(r.Sources) > 0 {
		return r.Sources[0].TurnID
	}
	return 0
}

// memoryRecord is a memory that names no turn, told by its owner ("": unknown). Its session is its conversation and day.
func memoryRecord(n schema.Node, text, owner string) loaded {
	role, said := memory.CutPrefix(text)
	text = said
	if owner != "" {
		role, text = cmp.Or(role, memory.RoleUser), owner+": "+said
	}
	r := store.Record{Item: memory.Item{ID: schema.PointID(n.ID), Text: text, Kind: "memory", Time: n.Props.Text("created_at")}, Role: role, Speaker: owner}
	r.Session = n.Props.Text("conv_id")
	if len(r.Time) >= len("2006-01-02") {
		r.Session += " " + r.Time[:len("2006-01-02")]
	}
	return loaded{Record: r, said: said}
}

// turnOf makes the record of an Event node: what native.Observation made of the turn.
func turnOf(n schema.Node) (loaded, bool) {
	o, ok := observationOf(n)
	if !ok {
		return loaded{}, false
	}
	r := o.Record(native.Turn)
	r.ID = schema.PointID(n.ID)
	return loaded{Record: r, said: o.Turns[0].Text}, true
}

func observationOf(n schema.Node) (native.Observation, bool) {
	ref, ok := refOf(n)
	if !ok {
		return native.Observation{}, false
	}
	var files []schema.Attachment
	if raw, ok := n.Props.Get("attachments"); ok {
		if err := codec.Unmarshal(raw, &files); err != nil {
			files = nil // written by someone else: the turn counts by its text
		}
	}
	t := schema.Turn{Role: turnRoles[n.Props.Text("role_type")], Name: n.Props.Text("role_name"), Text: n.Props.Text("content"), Time: n.Props.Text("time"), Attachments: files, Sources: []schema.EventRef{ref}}
	o := native.Observe(memory.Batch{Session: n.Props.Text("session_id")}, t)
	return o, strings.TrimSpace(o.Text) != ""
}

var turnRoles = map[string]string{schema.RoleHuman: memory.RoleUser, schema.RoleAssistant: memory.RoleAssistant, schema.RoleTool: "tool", schema.RoleUI: "system"}

func refOf(n schema.Node) (schema.EventRef, bool) {
	ref := schema.EventRef{ConvID: schema.ConvID(n.Props.Text("conv_id")), TurnID: int(number(n.Props, "turn_id"))}
	return ref, ref.ConvID != "" && ref.TurnID > 0
}

func number(o schema.Object, name string) float64 {
	raw, _ := o.Get(name)
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0
	}
	return x
}
