package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

// Open starts the program and resets it for ns.
func (s *System) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := start(s.o)
	if err != nil {
		return nil, err
	}
	if err := p.call(ctx, "reset", map[string]any{"run": ns.Run, "scope": ns.Scope}, nil); err != nil {
		return nil, errors.Join(err, p.close())
	}
	m := &running{sys: s, p: p, known: map[string]bool{}, batchOf: map[schema.EventRef]int{}}
	var out memory.Memory = m
	for method, with := range map[string]func(ability) memory.Memory{
		"answer":      func(a ability) memory.Memory { return answerer{a} },
		"end_session": func(a ability) memory.Memory { return ender{a} },
		"export":      func(a ability) memory.Memory { return exporter{a} },
		"snapshot":    func(a ability) memory.Memory { return snapshotter{a} },
		"drop":        func(a ability) memory.Memory { return dropper{a} },
	} {
		if s.can(method) {
			out = with(ability{out, m})
		}
	}
	if s.can("settle") || s.can("changes") {
		out = settler{ability{out, m}}
	}
	return out, nil
}

// running is one namespace. It remembers the keys, users and metadata of batches: about
// 300 bytes a batch and 60 a turn.
type running struct {
	sys     *System
	p       *proc
	known   map[string]bool
	keys    []string
	batches []memory.Batch // without turns
	batchOf map[schema.EventRef]int
}

// ability is a memory with one ability more. Each has a type of its own, so that memory.As reports the program's abilities.
type ability struct {
	memory.Memory
	m *running
}

func (x ability) Unwrap() memory.Memory { return x.Memory }

type (
	answerer    struct{ ability }
	settler     struct{ ability }
	ender       struct{ ability }
	exporter    struct{ ability }
	snapshotter struct{ ability }
	dropper     struct{ ability }
)

// Close ends the program.
func (m *running) Close() error {
	if m.p.dead != nil { // reported to the caller
		return nil
	}
	return m.p.close()
}

// Keys are the batches that are stored, in order.
func (m *running) Keys(ctx context.Context) ([]string, error) { return m.keys, ctx.Err() }

type turn struct {
	ID   string `json:"id"` // conv_id:turn_id
	Role string `json:"role"`
	Name string `json:"name,omitzero"`
	Text string `json:"text"`
	Time string `json:"time,omitzero"`
}

type usage struct {
	Calls        int `json:"calls"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

func (u usage) usage() llm.Usage {
	return llm.Usage{Calls: u.Calls, InputTokens: u.InputTokens, OutputTokens: u.OutputTokens}
}

type ingested struct {
	Changes []struct {
		Op  string `json:"op"`
		ID  string `json:"id"`
		Old string `json:"old"`
		New string `json:"new"`
	} `json:"changes"`
	Usage usage `json:"usage"`
}

func (r ingested) receipt() memory.Receipt {
	out := memory.Receipt{Usage: r.Usage.usage()}
	for _, c := range r.Changes {
		out.Changes = append(out.Changes, memory.Change{Op: cmp.Or(strings.ToUpper(c.Op), memory.OpAdd), ID: schema.PointID(c.ID), Old: c.Old, New: c.New})
	}
	return out
}

// Ingest hands the program the turns, and for those that want one text, all of it.
func (m *running) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	b.Key = b.ID()
	if m.known[b.Key] {
		return memory.Receipt{Skipped: true}, nil
	}
	turns, lines, at := []turn{}, []string{}, ""
	for _, t := range b.Turns {
		x := turn{Role: t.Role, Name: t.Name, Text: strings.ToValidUTF8(schema.Captioned(t.Text, t.Attachments), "\uFFFD"), Time: t.Time}
		if len(t.Sources) > 0 {
			x.ID = memory.TurnID(t.Sources[0])
		}
		turns = append(turns, x)
		lines = append(lines, cmp.Or(t.Name, t.Role)+": "+x.Text)
		at = cmp.Or(at, t.Time)
	}
	params := map[string]any{"key": b.Key, "session": b.Session, "user_id": b.UserID, "agent_id": b.AgentID, "turns": turns,
		"content": strings.Join(lines, "\n"), "metadata": b.Metadata}
	if at != "" {
		params["time"] = at
	}
	var r ingested
	if err := m.p.call(ctx, "ingest", params, &r); err != nil {
		return memory.Receipt{}, err
	}
	for _, t := range b.Turns {
		for _, s := range t.Sources {
			m.batchOf[s] = len(m.batches)
		}
	}
	b.Turns, b.Context = nil, nil
	m.batches = append(m.batches, b)
	m.known[b.Key] = true
	m.keys = append(m.keys, b.Key)
	return r.receipt(), nil
}

// word is a text, or a number as its text, of the program's; null is "".
type word struct {
	text  string
	there bool // not absent
}

// UnmarshalJSON reads a string, a number or null.
func (w *word) UnmarshalJSON(b []byte) error {
	w.there = true
	if len(b) > 0 && strings.IndexByte("-0123456789", b[0]) >= 0 {
		w.text = string(b)
		return nil
	}
	return codec.Unmarshal(b, &w.text)
}

type hit struct {
	ID    word          `json:"id"`
	Text  word          `json:"text"`
	Score *float64      `json:"score"`
	Turns []string      `json:"turns"`
	Meta  schema.Object `json:"meta"`
}

// lacks names what a hit or an item (called what, number i of n) needs and does not have. Its text may be empty: it is shown unchanged, and eval explain reports it.
func (m *running) lacks(h hit, method, what string, i, n int) error {
	need := ""
	switch {
	case h.ID.text == "":
		need = "an id"
	case !h.Text.there:
		need = "a text"
	default:
		return nil
	}
	return &Error{Program: m.p.o.Command[0], Method: method, Message: fmt.Sprintf("%s needs %s: %d of %d has none (id %.80q, text %.80q)", what, need, i+1, n, h.ID.text, h.Text.text)}
}

// hits checks the program's hits: unique ids, of the user, best first. Without scores the order is kept and the score is 1/rank.
func (m *running) hits(method string, found []hit, q memory.Query) (out memory.Retrieved, err error) {
	seen, scored := map[string]bool{}, true
	for i, h := range found {
		if err := m.lacks(h, method, "a hit", i, len(found)); err != nil {
			return memory.Retrieved{}, err
		}
		x := memory.Hit{ID: schema.PointID(h.ID.text), Text: h.Text.text, Sources: parseTurns(h.Turns), Meta: h.Meta}
		switch {
		case !m.belongs(x.Sources, q.UserID, q.AgentID):
			continue
		case seen[h.ID.text]:
			out.Repeated++
			continue
		}
		seen[h.ID.text] = true
		if h.Score == nil {
			scored = false
		} else {
			x.Score = *h.Score
		}
		out.Hits = append(out.Hits, x)
	}
	if scored {
		slices.SortStableFunc(out.Hits, func(a, b memory.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	}
	out.Beyond = max(0, len(out.Hits)-cmp.Or(q.K, 5))
	out.Hits = out.Hits[:len(out.Hits)-out.Beyond]
	for i := range out.Hits {
		if !scored {
			out.Hits[i].Score = 1 / float64(i+1)
		}
	}
	return out, nil
}

// belongs reports whether an item with these turns belongs to the user and agent; an item without turns does, as long as the memory has never had others.
func (m *running) belongs(refs []schema.EventRef, user, agent string) bool {
	of := func(b memory.Batch) bool {
		return (user == "" || b.UserID == user) && (agent == "" || b.AgentID == agent)
	}
	for _, r := range refs {
		if i, ok := m.batchOf[r]; ok {
			return of(m.batches[i])
		}
	}
	return !slices.ContainsFunc(m.batches, func(b memory.Batch) bool { return !of(b) })
}

func question(q memory.Query) map[string]any {
	return map[string]any{"query": q.Text, "k": cmp.Or(q.K, 5), "user_id": q.UserID, "agent_id": q.AgentID, "asker": cmp.Or(q.Asker, memory.RoleUser)}
}

// Retrieve asks the program; one that cannot is memory.ErrNoRetrieval.
func (m *running) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if !m.sys.can("retrieve") {
		return memory.Retrieved{}, fmt.Errorf("%s: %w", m.sys.o.Name, memory.ErrNoRetrieval)
	}
	var r struct {
		Hits  []hit `json:"hits"`
		Usage usage `json:"usage"`
	}
	if err := m.p.call(ctx, "retrieve", question(q), &r, "hits"); err != nil {
		return memory.Retrieved{}, err
	}
	out, err := m.hits("retrieve", r.Hits, q)
	out.Usage = r.Usage.usage()
	return out, err
}

// Answer lets the program answer; hits are its stated sources.
func (x answerer) Answer(ctx context.Context, q memory.Query) (memory.Retrieved, string, error) {
	var r struct {
		Answer string `json:"answer"`
		Hits   []hit  `json:"hits"`
		Usage  usage  `json:"usage"`
	}
	if err := x.m.p.call(ctx, "answer", question(q), &r, "answer"); err != nil {
		return memory.Retrieved{}, "", err
	}
	out, err := x.m.hits("answer", r.Hits, q)
	out.Usage = r.Usage.usage()
	return out, r.Answer, err
}

// Settle waits for the program's background work, and asks for the changes of its items since the last time.
func (x settler) Settle(ctx context.Context) (memory.Receipt, error) {
	var out memory.Receipt
	for _, method := range []string{"settle", "changes"} {
		if !x.m.sys.can(method) {
			continue
		}
		var r ingested
		if err := x.m.p.call(ctx, method, map[string]any{}, &r); err != nil {
			return out, err
		}
		said := r.receipt()
		out.Changes, out.Usage = append(out.Changes, said.Changes...), out.Usage.Add(said.Usage)
	}
	return out, nil
}

// Snapshot asks for every current item, about 1 KB each. An item with the status invalid is history.
func (x snapshotter) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	return func(yield func(memory.Item, error) bool) {
		var r struct {
			Items []struct {
				hit
				Status  string `json:"status"`
				Session string `json:"session"`
				Time    string `json:"time"`
			} `json:"items"`
		}
		if err := x.m.p.call(ctx, "snapshot", map[string]any{}, &r, "items"); err != nil {
			yield(memory.Item{}, err)
			return
		}
		items := make([]memory.Item, 0, len(r.Items))
		for i, it := range r.Items {
			if err := x.m.lacks(it.hit, "snapshot", "an item", i, len(r.Items)); err != nil {
				yield(memory.Item{}, err)
				return
			}
			items = append(items, memory.Item{ID: schema.PointID(it.ID.text), Text: it.Text.text, Status: cmp.Or(it.Status, memory.StatusActive), Session: it.Session, Time: it.Time, Sources: parseTurns(it.Turns), Meta: it.Meta})
		}
		slices.SortStableFunc(items, func(a, b memory.Item) int { return cmp.Compare(a.ID, b.ID) })
		memory.Each(ctx, items)(yield)
	}
}

// EndSession notifies the program of the end of a session.
func (x ender) EndSession(ctx context.Context, id string) (memory.Receipt, error) {
	var r ingested
	err := x.m.p.call(ctx, "end_session", map[string]any{"session": id}, &r)
	return r.receipt(), err
}

// Drop makes the program forget.
func (x dropper) Drop(ctx context.Context) error {
	return x.m.p.call(ctx, "drop", map[string]any{}, nil)
}

// Export asks for every item at once: about 1 KB each is held.
func (x exporter) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		var none schema.Record[schema.MemoryExport]
		type item struct {
			hit
			Created string `json:"created_at"`
			Updated string `json:"updated_at"`
		}
		var r struct {
			Items []item `json:"items"`
		}
		if err := x.m.p.call(ctx, "export", map[string]any{}, &r, "items"); err != nil {
			yield(none, err)
			return
		}
		slices.SortFunc(r.Items, func(a, b item) int { return cmp.Compare(a.ID.text, b.ID.text) })
		for i, it := range r.Items {
			if err := x.m.lacks(it.hit, "export", "an item", i, len(r.Items)); err != nil {
				yield(none, err)
				return
			}
			payload, err := x.m.payload(it.hit, it.Created, it.Updated)
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: schema.PointID(it.ID.text), Payload: payload, Collection: x.m.sys.o.Name}}, err) || err != nil {
				return
			}
		}
	}
}

func (m *running) payload(it hit, created, updated string) (schema.Object, error) {
	f := memory.Foreign{Text: it.Text.text, Created: created, Updated: updated, Turns: parseTurns(it.Turns), Meta: it.Meta}
	for _, t := range f.Turns {
		if i, ok := m.batchOf[t]; ok {
			f.Batch, f.User, f.Agent = m.batches[i].Metadata, m.batches[i].UserID, m.batches[i].AgentID
			break
		}
	}
	return f.Payload()
}

// parseTurns parses turn ids; other values are skipped.
func parseTurns(ids []string) (out []schema.EventRef) {
	for _, id := range ids {
		if r, ok := memory.ParseTurnID(id); ok {
			out = append(out, r)
		}
	}
	return out
}
