package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"membench/internal/codec"
	"membench/internal/keylog"
	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/memory"
	"membench/schema"
)

const format = "membench-mem0-service"

type header struct {
	Format      string `json:"format"`
	Version     int    `json:"version"`
	Run         string `json:"run"`
	Scope       string `json:"scope"`
	User        string `json:"user"` // at the service
	Fingerprint string `json:"fingerprint"`
}

// entry is one line of the journal: that a batch is about to be sent (Begin), or what
// came of it.
type entry struct {
	Batch    string          `json:"batch"`
	Begin    bool            `json:"begin,omitzero"`
	UserID   string          `json:"user_id,omitzero"`
	AgentID  string          `json:"agent_id,omitzero"`
	Session  string          `json:"session,omitzero"`
	Changes  []memory.Change `json:"changes,omitempty"`
	Degraded []memory.Note   `json:"degraded,omitempty"`
}

// Memory is one user_id of the service.
type Memory struct {
	sys     *System
	ns      memory.Namespace
	user    string
	made    string // fingerprint in the journal
	entries []entry
	log     keylog.Lazy
}

func (m *Memory) read(n int, line []byte) error {
	if n == 1 {
		var h header
		if err := codec.Unmarshal(line, &h); err != nil {
			return err
		}
		if h.Format != format || h.Version != 1 {
			return fmt.Errorf("format %q version %d, want %q version 1", h.Format, h.Version, format)
		}
		m.made, m.user = h.Fingerprint, h.User
		return nil
	}
	var e entry
	if err := codec.Unmarshal(line, &e); err != nil {
		return err
	}
	m.entries = append(m.entries, e)
	return nil
}

func (m *Memory) write(e entry) error {
	m.entries = append(m.entries, e)
	if m.sys.o.Dir == "" {
		return nil
	}
	put := func(v any) error { return m.log.Record(m.sys.path(m.ns), keylog.Options{}, v) }
	if m.made == "" {
		fp := m.sys.Info().Fingerprint
		if err := put(header{format, 1, m.ns.Run, m.ns.Scope, m.user, fp}); err != nil {
			return err
		}
		m.made = fp
	}
	return put(e)
}

// state is the batch's entry that counts, nil when it was never begun.
func (m *Memory) state(key string) *entry {
	for i := range slices.Backward(m.entries) {
		if m.entries[i].Batch == key {
			return &m.entries[i]
		}
	}
	return nil
}

// Ingest sends one batch: one call, or one per turn if turns are stored verbatim.
func (m *Memory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	b.Turns = slices.Clone(b.Turns)
	for i := range b.Turns {
		t := &b.Turns[i]
		t.Text, t.Name = strings.ToValidUTF8(t.Text, "\uFFFD"), strings.ToValidUTF8(t.Name, "\uFFFD")
	}
	b.Key = b.ID()
	known := m.state(b.Key)
	if known != nil && !known.Begin {
		return memory.Receipt{Skipped: true}, nil
	}
	if fp := m.sys.Info().Fingerprint; m.made != "" && m.made != fp {
		return memory.Receipt{}, fmt.Errorf("the memory %s/%s was made with other options or another version of the server: use the same ones, or start over", m.ns.Run, m.ns.Scope)
	}
	done := entry{Batch: b.Key, UserID: b.UserID, AgentID: b.AgentID, Session: b.Session}
	if known == nil {
		begin := done
		begin.Begin = true
		if err := m.write(begin); err != nil {
			return memory.Receipt{}, err
		}
	}
	for i, part := range m.parts(b) {
		changes, notes, err := m.send(ctx, b, fmt.Sprintf("%s/%d", b.Key, i), part, known != nil)
		if err != nil {
			return memory.Receipt{}, err
		}
		done.Changes, done.Degraded = append(done.Changes, changes...), append(done.Degraded, notes...)
	}
	if err := m.write(done); err != nil {
		return memory.Receipt{}, err
	}
	return memory.Receipt{Changes: done.Changes, Degraded: done.Degraded}, nil
}

func (m *Memory) parts(b memory.Batch) (out [][]schema.Turn) {
	var turns []schema.Turn
	for _, t := range b.Turns {
		if (t.Role == memory.RoleUser || t.Role == memory.RoleAssistant) && textnorm.Strip(t.Text) != "" {
			turns = append(turns, t)
		}
	}
	if m.sys.o.Raw {
		return slices.Collect(slices.Chunk(turns, 1))
	}
	if len(turns) == 0 {
		return nil
	}
	return [][]schema.Turn{turns}
}

const sends = 3 // of one part whose fate was unknown

// send stores the turns of one part under its key. Where it is not known whether an
// earlier call went through, the service is asked first.
func (m *Memory) send(ctx context.Context, b memory.Batch, key string, turns []schema.Turn, unsure bool) (changes []memory.Change, notes []memory.Note, err error) {
	a, err := m.adding(b, key, turns)
	if err != nil {
		return nil, nil, err
	}
	var results []result
	for n := 1; ; n++ {
		if unsure {
			if changes, err = m.stored(ctx, key); err != nil || len(changes) > 0 {
				return changes, []memory.Note{{Op: "add", Why: "the answer was lost; what is stored was taken from the list"}}, err
			}
		}
		results, err = m.sys.api.add(ctx, a)
		var u *UnsureError
		if unsure = errors.As(err, &u); !unsure || n == sends || ctx.Err() != nil {
			break
		}
		if err := m.sys.o.Sleep(ctx, firstWait); err != nil {
			return nil, nil, err
		}
	}
	if err != nil {
		return nil, nil, err
	}
	lost := 0
	for _, r := range results {
		c := memory.Change{Op: cmp.Or(r.Event, memory.OpAdd), ID: r.ID, Old: r.Previous, New: r.Memory}
		if c.Op == memory.OpAdd {
			found, err := m.sys.api.get(ctx, r.ID)
			if err != nil {
				return nil, nil, err
			}
			if !found {
				lost++
				continue
			}
		}
		if c.Op == memory.OpDelete {
			c.Old, c.New = cmp.Or(c.Old, c.New), ""
		}
		changes = append(changes, c)
	}
	switch {
	case lost > 0:
		notes = append(notes, memory.Note{Op: "add", Ended: llm.Failed, Why: fmt.Sprintf("%d memories were reported and are not there", lost)})
	case len(results) == 0:
		notes = append(notes, memory.Note{Op: "add", Why: fmt.Sprintf("nothing was stored of %d turns: no facts, or an answer of its model that Mem0 could not read", len(turns))})
	}
	return changes, notes, nil
}

func (m *Memory) adding(b memory.Batch, key string, turns []schema.Turn) (adding, error) {
	a := adding{user: m.user, session: b.Session, raw: m.sys.o.Raw}
	var events []schema.EventRef
	for _, t := range turns {
		text := t.Text
		if t.Name != "" && !a.raw && t.Name != t.Role {
			text = t.Name + ": " + text // the server drops names
		}
		a.messages = append(a.messages, message{t.Role, text})
		events = append(events, t.Sources...)
		if at, ok := schema.ParseTime(t.Time, nil); ok && a.at.IsZero() {
			a.at = at
		}
	}
	meta := b.Metadata
	put := func(name string, v any) (err error) {
		meta, err = meta.With(name, v)
		return err
	}
	err := errors.Join(put("events", events), put("membench_batch", key))
	if b.Session != "" {
		err = errors.Join(err, put("session_id", b.Session))
	}
	if !a.at.IsZero() {
		err = errors.Join(err, put("created_at", a.at.Format(time.RFC3339)))
	}
	a.meta = meta
	return a, err
}

// stored lists what the service has of a part.
func (m *Memory) stored(ctx context.Context, key string) (out []memory.Change, err error) {
	items, err := m.sys.api.list(ctx, m.user)
	for _, i := range items {
		if i.meta("membench_batch") == key {
			out = append(out, memory.Change{Op: memory.OpAdd, ID: i.ID, New: i.Memory})
		}
	}
	if len(out) > 0 {
		return out, nil // a list that was cut off is good enough to know that it was stored
	}
	return nil, err
}

// Retrieve asks the service. Its scores are comparable within one answer, unless the item's score_scale is query (2.x adds a keyword score as soon as one hit
// has it).
func (m *Memory) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	if q.K <= 0 {
		q.K = 5
	}
	var out memory.Retrieved
	if textnorm.Strip(q.Text) == "" || !m.holds(q) {
		return out, ctx.Err()
	}
	items, err := m.sys.api.search(ctx, m.user, q.Text, q.K)
	if err != nil {
		return out, err
	}
	var all []rank.Scored[memory.Hit]
	for _, i := range items {
		p, err := m.payload(i)
		if err != nil {
			return out, err
		}
		if q.AgentID != "" && p.Text("agent_id") != q.AgentID || q.UserID != "" && p.Text("user_id") != q.UserID {
			continue
		}
		f, err := schema.MemoryExport{Payload: p}.Fields()
		if err != nil {
			f = schema.PayloadFields{Data: i.Memory} // turns that are not ours to read
		}
		if m.sys.api.version() != "oss-1.0.8+" && m.sys.api.version() != "oss-1.0.7-" {
			if p, err = p.With("score_scale", "query"); err != nil {
				return out, err
			}
		}
		h := memory.Hit{ID: i.ID, Text: i.Memory, Score: rank.Round6(i.Score), Sources: f.Events, Meta: p}
		all = append(all, rank.Scored[memory.Hit]{ID: string(i.ID), Score: h.Score, V: h})
	}
	for _, s := range rank.Top(all, q.K) {
		out.Hits = append(out.Hits, s.V)
	}
	return out, nil
}

// holds reports whether a batch of the query's user and agent was stored.
func (m *Memory) holds(q memory.Query) bool {
	return slices.ContainsFunc(m.entries, func(e entry) bool {
		return (q.UserID == "" || e.UserID == q.UserID) && (q.AgentID == "" || e.AgentID == q.AgentID)
	})
}

// payload makes the payload that Mem0's own store would hold: metadata first, then
// ids, text, hash and times. User and agent are those of the batch.
func (m *Memory) payload(i item) (schema.Object, error) {
	var p schema.Object
	if i.Metadata != nil && !i.Metadata.IsNull() {
		p = *i.Metadata
	}
	key := p.Text("membench_batch")
	if at := len(key) - 2; at > 0 {
		for at > 0 && key[at] != '/' {
			at--
		}
		key = key[:at]
	}
	p = p.Without(append([]string{"membench_batch"}, memory.PayloadNames()...)...)
	var err error
	put := func(name, v string) {
		if err == nil && v != "" {
			p, err = p.With(name, v)
		}
	}
	if e := m.state(key); e != nil {
		put("user_id", e.UserID)
		put("agent_id", e.AgentID)
	} else if len(m.entries) > 0 { // updated by a call that is not ours
		put("user_id", m.entries[0].UserID)
		put("agent_id", m.entries[0].AgentID)
	}
	put("run_id", cmp.Or(i.RunID, i.SessionID))
	if i.By == "" {
		put("role", i.Role)
	}
	put("data", i.Memory)
	put("hash", cmp.Or(i.Hash, schema.Hash(i.Memory)))
	put("created_at", i.CreatedAt)
	put("updated_at", i.UpdatedAt)
	put("attributed_to", i.By)
	return p, err
}

// Export lists the memories by id; a list that the server cut off is an error.
func (m *Memory) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		items, err := m.sys.api.list(ctx, m.user)
		if err != nil {
			yield(schema.Record[schema.MemoryExport]{}, err)
			return
		}
		slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.ID, b.ID) })
		for _, i := range items {
			p, err := m.payload(i)
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: i.ID, Payload: p, Collection: m.ns.Run}}, err) || err != nil {
				return
			}
		}
	}
}

// Keys are the batches that are stored, in order.
func (m *Memory) Keys(context.Context) ([]string, error) {
	var out []string
	for _, e := range m.entries {
		if !e.Begin {
			out = append(out, e.Batch)
		}
	}
	return out, nil
}

// History returns the operations of all batches.
func (m *Memory) History(context.Context) (memory.Receipt, error) {
	var r memory.Receipt
	for _, e := range m.entries {
		r.Changes, r.Degraded = append(r.Changes, e.Changes...), append(r.Degraded, e.Degraded...)
	}
	return r, nil
}

func (m *Memory) foreign(n int) error {
	return fmt.Errorf("user %q of the Mem0 service holds %d or more memories that this store did not put there: give --user-prefix for a user of its own", m.user, n)
}

// Drop deletes the namespace's memories, one by one. Mem0 2.x still uses the last ten messages of a user in its next extraction: use a new prefix if
// that matters.
func (m *Memory) Drop(ctx context.Context) error {
	if err := m.Close(); err != nil {
		return err
	}
	for {
		items, err := m.sys.api.list(ctx, m.user)
		var cut *CutError
		if err != nil && !errors.As(err, &cut) {
			return err
		}
		for _, i := range items {
			if i.meta("membench_batch") == "" {
				return m.foreign(len(items))
			}
		}
		for _, i := range items {
			if err := m.sys.api.remove(ctx, i.ID); err != nil {
				return err
			}
		}
		if cut == nil {
			break
		}
	}
	m.entries, m.made = nil, ""
	if m.sys.o.Dir != "" {
		if err := os.Remove(m.sys.path(m.ns)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close closes the journal.
func (m *Memory) Close() error { return m.log.Close() }
