// Package native makes a memory.System from a policy: it cuts batches into observations (turns, or a user's and an assistant's turn together), stores the keys
// of batches, and provides snapshots, deltas, clones and exports. A policy stores one observation and recalls.
//
// Memories live in the process: a native system does not attach to an earlier run.
package native

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"membench/graph"
	"membench/internal/codec"
	"membench/llm"
	"membench/memory"
	"membench/memory/store"
	"membench/schema"
)

// Modes of systems that reproduce a published one.
const (
	Faithful = "faithful" // includes mistakes of the published code that change results
	Fixed    = "fixed"    // the default
)

// CheckMode gives mode, Fixed for "".
func CheckMode(mode string) (string, error) {
	switch mode {
	case "", Fixed:
		return Fixed, nil
	case Faithful:
		return Faithful, nil
	}
	return "", fmt.Errorf("mode %q: have %s and %s", mode, Fixed, Faithful)
}

// Units of observations.
const (
	Turn = "turn"
	Pair = "pair"
)

// An Observation is the unit that a policy stores at once.
type Observation struct {
	Session     string
	Turns       []schema.Turn
	Text        string // "name: text" lines, captions after them in brackets
	Words       string // the same for word indexes: captions without their marks
	Time        string // of the first turn
	Sources     []schema.EventRef
	Attachments []schema.Attachment
	Speaker     string // "" when there are two
	Role        string
	Batch       memory.Batch // it came in; for owner and metadata
}

// A Policy is the system-specific part of a native system. It is not safe for concurrent use.
type Policy interface {
	// Store stores o and records its operations in r. Operations that can fail must precede any change: after an error the same observation is stored again.
	Store(ctx context.Context, o Observation, r *memory.Receipt) error
	// Recall answers a query without changing the results of later queries.
	Recall(ctx context.Context, q memory.Query) (memory.Retrieved, error)
	// Records lists the live records, in any order.
	Records() []store.Record
	Clone() Policy
}

// A GrowingPolicy may only add records. If ok, what is stored never changes, and recs are the records after the first n, in the order of storing: the delta of a
// session then costs what the session stored, not what the memory holds.
type GrowingPolicy interface {
	Since(n int) (recs []store.Record, ok bool)
}

// A SessionPolicy has work at the end of a session. After an error it may come again.
type SessionPolicy interface {
	EndSession(ctx context.Context, session string, r *memory.Receipt) error
}

// Options describe a system.
type Options struct {
	Name, Version, Mode string
	Config              any // resolved options: part of the fingerprint
	Deps                memory.Deps
	Caps                memory.Capabilities // Unit Turn or Pair cuts so; others are cut into turns
	Pairs               bool                // cut into pairs, though the unit is another
	// New makes the policy of one namespace; scope begins the ids of its records.
	New func(scope string) Policy
	// Open, where it is set, makes it instead of New: a policy whose memory lives
	// elsewhere can fail to reach it. Its policy may have Close() error.
	Open func(ctx context.Context, ns memory.Namespace) (Policy, error)
}

// A Home opens the store in which a namespace's memory lives: empty, or with keep as an
// earlier process left it. close may be nil.
type Home func(ctx context.Context, ns memory.Namespace, keep bool) (st graph.Store, close func() error, err error)

// Nothing is the unit of a system that keeps nothing.
const Nothing = "nothing"

// New makes the system.
func New(o Options) memory.System {
	if len(o.Caps.ByRule) > 0 {
		o.Name += "-rule"
	}
	return &system{o}
}

type system struct{ o Options }

func (s *system) Info() memory.Info {
	config, err := codec.Append(nil, s.o.Config, codec.Compact)
	if err != nil {
		config = fmt.Appendf(nil, "%+v", s.o.Config)
	}
	all := fmt.Sprintf("%s|%s|%s|%s", s.o.Name, s.o.Version, s.o.Mode, config)
	if s.o.Deps.Embed != nil {
		all += fmt.Sprintf("|%s", s.o.Deps.Embed.Profile())
	}
	if s.o.Deps.LLM != nil {
		all += fmt.Sprintf("|%s", s.o.Deps.LLM.Model())
	}
	return memory.Info{Name: s.o.Name, Version: s.o.Version, Mode: s.o.Mode, Fingerprint: memory.Fingerprint("%s", all)}
}

func (s *system) Capabilities() memory.Capabilities { return s.o.Caps }

func (s *system) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var p Policy
	if s.o.Open != nil {
		var err error
		if p, err = s.o.Open(ctx, ns); err != nil {
			return nil, err
		}
	} else {
		p = s.o.New(ns.Scope)
	}
	return &Memory{sys: s, ns: ns, policy: p, done: map[string]int{}, stored: map[string]bool{}, deltas: map[string][]memory.Delta{}}, nil
}

// Memory is one namespace of a native system.
type Memory struct {
	sys     *system
	ns      memory.Namespace
	policy  Policy
	done    map[string]int // turns taken, by batch that is not whole yet
	keys    []string
	stored  map[string]bool // the keys
	pending *Observation    // a user's turn that waits for its answer
	usage   llm.Usage
	changes []memory.Change
	wrong   []memory.Note
	deltas  map[string][]memory.Delta
	last    []memory.Item // at the end of the session before; of a policy that only adds nothing,
	held    int           // but how many there were
}

// Ingest stores the batch's turns. A batch that failed continues where it stopped when
// it comes again: no observation is stored twice.
func (m *Memory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	var r memory.Receipt
	if err := ctx.Err(); err != nil {
		return r, err
	}
	key := b.ID()
	if m.stored[key] {
		return memory.Receipt{Skipped: true}, nil
	}
	for _, t := range b.Turns[m.done[key]:] {
		if err := m.take(ctx, b, t, &r); err != nil {
			m.note(r)
			return r, err
		}
		m.done[key]++
	}
	delete(m.done, key)
	m.keys, m.stored[key] = append(m.keys, key), true
	m.note(r)
	return r, nil
}

func (m *Memory) note(r memory.Receipt) {
	m.usage = m.usage.Add(r.Usage)
	m.changes = append(m.changes, r.Changes...)
	m.wrong = append(m.wrong, r.Degraded...)
}

// take stores a turn, or lets a user's turn wait for its answer.
func (m *Memory) take(ctx context.Context, b memory.Batch, t schema.Turn, r *memory.Receipt) error {
	o := Observe(b, t)
	if m.sys.o.Caps.Unit != Pair && !m.sys.o.Pairs {
		return m.store(ctx, o, r)
	}
	if p := m.pending; p != nil && t.Role == memory.RoleAssistant && p.Session == b.Session {
		if err := m.store(ctx, join(*p, o), r); err != nil {
			return err
		}
		m.pending = nil
		return nil
	}
	if err := m.flush(ctx, r); err != nil {
		return err
	}
	if t.Role == memory.RoleUser {
		m.pending = &o
		return nil
	}
	return m.store(ctx, o, r)
}

// store omits what says nothing at all.
func (m *Memory) store(ctx context.Context, o Observation, r *memory.Receipt) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.TrimSpace(o.Text) == "" {
		return nil
	}
	return m.policy.Store(ctx, o, r)
}

func (m *Memory) flush(ctx context.Context, r *memory.Receipt) error {
	if m.pending == nil {
		return nil
	}
	if err := m.store(ctx, *m.pending, r); err != nil {
		return err
	}
	m.pending = nil
	return nil
}

// Observe is the observation of one turn.
func Observe(b memory.Batch, t schema.Turn) Observation {
	name := cmp.Or(t.Name, t.Role)
	return Observation{Session: b.Session, Turns: []schema.Turn{t}, Text: render(t, true), Words: render(t, false), Time: t.Time,
		Sources: slices.Clone(t.Sources), Attachments: t.Attachments, Speaker: name, Role: t.Role, Batch: b}
}

// render is "name: text" with each caption behind; "" for a turn that has neither text
// nor caption.
func render(t schema.Turn, mark bool) string {
	text := t.Text
	if mark {
		text = schema.Captioned(text, t.Attachments)
	} else {
		for _, a := range t.Attachments {
			if a.Text != "" {
				text += " " + a.Text
			}
		}
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return cmp.Or(t.Name, t.Role) + ": " + text
}

func join(a, b Observation) Observation {
	a.Turns = append(slices.Clone(a.Turns), b.Turns...)
	a.Text, a.Words = lines(a.Text, b.Text), lines(a.Words, b.Words)
	a.Sources = append(slices.Clone(a.Sources), b.Sources...)
	a.Attachments = append(slices.Clone(a.Attachments), b.Attachments...)
	a.Time = cmp.Or(a.Time, b.Time)
	a.Speaker, a.Role = "", ""
	return a
}

func lines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// Record makes a record of o with the given kind.
func (o Observation) Record(kind string) store.Record {
	r := store.Record{
		Item: memory.Item{Text: o.Text, Kind: kind, Session: o.Session, Time: o.Time, Sources: o.Sources,
			Attachments: o.Attachments, Meta: o.Batch.Metadata},
		Index: o.Words, Speaker: o.Speaker, Role: o.Role, UserID: o.Batch.UserID, AgentID: o.Batch.AgentID, Metadata: o.Batch.Metadata, Created: o.Time,
	}
	if r.Created == "" && !o.Batch.Now.IsZero() {
		r.Created = o.Batch.Now.Format(time.RFC3339)
	}
	return r
}

// Made returns a record derived from o: only the given words of it are searched.
func (o Observation) Made(kind, text string) store.Record {
	r := o.Record(kind)
	r.Text, r.Index = text, ""
	return r
}

// Kind is the kind of a record made of o.
func (o Observation) Kind() string {
	if len(o.Turns) > 1 {
		return Pair
	}
	return Turn
}

// Retrieve asks the policy.
func (m *Memory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if err := ctx.Err(); err != nil {
		return memory.Retrieved{}, err
	}
	if q.K <= 0 {
		q.K = 5
	}
	return m.policy.Recall(ctx, q)
}

// EndSession stores the turn that waits, does the policy's work and takes the delta.
func (m *Memory) EndSession(ctx context.Context, session string) (memory.Receipt, error) {
	var r memory.Receipt
	if err := ctx.Err(); err != nil {
		return r, err
	}
	err := m.flush(ctx, &r)
	if p, ok := m.policy.(SessionPolicy); ok && err == nil {
		err = p.EndSession(ctx, session, &r)
	}
	m.note(r)
	if err != nil {
		return r, err
	}
	if p, ok := m.policy.(GrowingPolicy); ok {
		if recs, ok := p.Since(m.held); ok {
			m.held += len(recs)
			m.deltas[session] = memory.Diff(nil, items(recs), m.sys.o.Caps.Colder)
			return r, nil
		}
	}
	now := items(m.policy.Records())
	m.deltas[session] = memory.Diff(m.last, now, m.sys.o.Caps.Colder)
	m.last = now
	return r, nil
}

// items are the records by id.
func items(recs []store.Record) []memory.Item {
	order := make([]*store.Record, len(recs)) // records are large
	for i := range recs {
		order[i] = &recs[i]
	}
	slices.SortFunc(order, func(a, b *store.Record) int { return cmp.Compare(a.ID, b.ID) })
	out := make([]memory.Item, len(recs))
	for i, r := range order {
		out[i] = r.Item
	}
	return out
}

// Snapshot yields the stored records. A turn that waits for its answer is not included.
func (m *Memory) Snapshot(ctx context.Context) iter.Seq2[memory.Item, error] {
	return memory.Each(ctx, items(m.policy.Records()))
}

// Delta yields the changes of the session; it fails before the session's end.
func (m *Memory) Delta(_ context.Context, session string) iter.Seq2[memory.Delta, error] {
	return memory.Told(m.deltas, session)
}

// Clone copies the memory.
func (m *Memory) Clone(ctx context.Context) (memory.Memory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := *m
	c.policy = m.policy.Clone()
	c.keys, c.changes, c.wrong, c.last = slices.Clone(m.keys), slices.Clone(m.changes), slices.Clone(m.wrong), slices.Clone(m.last)
	c.done, c.stored, c.deltas = maps.Clone(m.done), maps.Clone(m.stored), maps.Clone(m.deltas)
	return &c, nil
}

// Keys are the batches stored, in order.
func (m *Memory) Keys(context.Context) ([]string, error) { return slices.Clone(m.keys), nil }

// History returns the operations so far.
func (m *Memory) History(context.Context) (memory.Receipt, error) {
	return memory.Receipt{Changes: slices.Clone(m.changes), Usage: m.usage, Degraded: slices.Clone(m.wrong)}, nil
}

// Export yields the records as Mem0's points, by id.
func (m *Memory) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		recs := m.policy.Records()
		slices.SortFunc(recs, func(a, b store.Record) int { return cmp.Compare(a.ID, b.ID) })
		for _, r := range recs {
			if err := ctx.Err(); err != nil {
				yield(schema.Record[schema.MemoryExport]{}, err)
				return
			}
			payload, err := payloadOf(r)
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: r.ID, Payload: payload, Collection: m.ns.Run}}, err) || err != nil {
				return
			}
		}
	}
}

// own are the members that metadata cannot name.
var own = []string{"user_id", "agent_id", "role", "data", "hash", "created_at", "events"}

func payloadOf(r store.Record) (schema.Object, error) {
	var b schema.ObjectBuilder
	for k, v := range r.Metadata.Members() {
		if !slices.Contains(own, k) {
			b.Raw(k, v)
		}
	}
	put := func(k, v string) {
		if v != "" {
			b.String(k, v)
		}
	}
	put("user_id", r.UserID)
	put("agent_id", r.AgentID)
	put("role", r.Role)
	b.String("data", strings.ToValidUTF8(r.Text, "\uFFFD"))
	b.String("hash", schema.Hash(strings.ToValidUTF8(r.Text, "\uFFFD")))
	put("created_at", r.Created)
	if len(r.Sources) > 0 {
		if err := b.Value("events", r.Sources); err != nil {
			return schema.Object{}, err
		}
	}
	return b.Object(), nil
}

// Drop empties the memory.
func (m *Memory) Drop(ctx context.Context) error {
	if err := m.Close(); err != nil {
		return err
	}
	fresh, err := m.sys.Open(ctx, m.ns)
	if err != nil {
		return err
	}
	*m = *fresh.(*Memory)
	return nil
}

// Close lets the policy go, where it holds something open.
func (m *Memory) Close() error {
	if c, ok := m.policy.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}
