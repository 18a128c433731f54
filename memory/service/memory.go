package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/memory"
	"membench/schema"
)

// Open makes a namespace that no run before had (${attempt} counts them), after
// dropping the last one as well as the service can, and looks whether it is empty.
func (s *System) Open(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.attend(ctx, ns)
	if err != nil {
		return nil, err
	}
	j := m.j
	fresh := strings.Contains(s.spec.Namespace.ID, "${attempt")
	if j.opened.Attempt > 0 && !j.dropped || !fresh {
		if j.opened.Attempt == 0 {
			j.opened.Name = "" // of an earlier process: the same name, by the spec
			if j.opened.Name, err = s.name(ns, 1); err != nil {
				return nil, m.leave(err)
			}
		}
		if err := m.drop(ctx); err != nil && (!fresh || ctx.Err() != nil) {
			return nil, m.leave(err)
		}
	}
	attempt := j.opened.Attempt + 1
	name, err := s.name(ns, attempt)
	if err != nil {
		return nil, m.leave(err)
	}
	err = j.add(entry{Open: &opened{ns.Run, ns.Scope, attempt, name, s.Info().Fingerprint}})
	if err != nil {
		return nil, m.leave(err)
	}
	if err := m.steps(ctx, "open", s.spec.Open, m.scope(nil)); err != nil {
		return nil, m.leave(err)
	}
	if l := s.spec.List; l != nil {
		items, _, err := m.page(ctx, "open: is it empty", m.pageScope(1, 0, ""))
		if err != nil {
			return nil, m.leave(err)
		}
		if len(items) > 0 {
			return nil, m.leave(s.fault("open", KindStale, nil, fmt.Sprintf("the new namespace %s holds %d items already: use another run name, or delete the namespace manually", name, len(items)), nil))
		}
	}
	return m.abilities(), nil
}

// attend opens the journal of a namespace.
func (s *System) attend(ctx context.Context, ns memory.Namespace) (*remote, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	j, err := s.journal(ns)
	if err != nil {
		return nil, err
	}
	return &remote{sys: s, ns: ns, j: j}, nil
}

// Attach opens the namespace that an earlier run left according to its journal; a namespace without a journal is opened as new.
func (s *System) Attach(ctx context.Context, ns memory.Namespace) (memory.Memory, error) {
	m, err := s.attend(ctx, ns)
	if err != nil {
		return nil, err
	}
	j := m.j
	if j.opened.Attempt == 0 || j.dropped {
		if err := m.Close(); err != nil {
			return nil, err
		}
		return s.Open(ctx, ns)
	}
	if fp := s.Info().Fingerprint; fp != j.opened.Fingerprint {
		return nil, m.leave(fmt.Errorf("%s: the namespace %s/%s was filled with another spec or other variables (fingerprint %s, now %s): use the same, or open the namespace again",
			s.spec.System, ns.Run, ns.Scope, j.opened.Fingerprint, fp))
	}
	return m.abilities(), nil
}

func (s *System) name(ns memory.Namespace, attempt int) (string, error) {
	v, err := expandString(s.spec.Namespace.ID, &scope{vals: map[string]any{"run": ns.Run, "scope": ns.Scope, "attempt": attempt}, up: &scope{vals: s.vars}})
	if err != nil {
		return "", fmt.Errorf("%s: namespace: %w", s.spec.System, err)
	}
	return fitName(text(v), s.spec.Namespace.Chars, s.spec.Namespace.Max), nil
}

// remote is one namespace of the service. Abilities that not every service has (Export, Drop) are in wrappers, so that memory.As reports which ones this
// service has.
type remote struct {
	sys *System
	ns  memory.Namespace
	j   *journal
}

func (m *remote) abilities() memory.Memory {
	var out memory.Memory = m
	if m.sys.spec.Search.Answer != nil {
		out = answerer{wrapper{out, m}}
	}
	if m.sys.spec.List != nil {
		out = exporter{wrapper{out, m}}
	}
	if len(m.sys.spec.Drop) > 0 {
		out = dropper{wrapper{out, m}}
	}
	return out
}

// wrapper is a memory with one more ability.
type wrapper struct {
	memory.Memory
	m *remote
}

func (x wrapper) Unwrap() memory.Memory { return x.Memory }

type (
	exporter struct{ wrapper }
	answerer struct{ wrapper } // a service that answers itself
	dropper  struct{ wrapper }
)

// Drop removes the namespace from the service.
func (x dropper) Drop(ctx context.Context) error {
	if err := x.m.drop(ctx); err != nil {
		return err
	}
	return x.m.j.add(entry{Dropped: true})
}

func (m *remote) leave(err error) error { return errors.Join(err, m.Close()) }

// Close closes the journal; the service keeps its data.
func (m *remote) Close() error {
	if m.j.log != nil {
		return m.j.log.Close()
	}
	return nil
}

// Keys are the batches that are stored, in order.
func (m *remote) Keys(ctx context.Context) ([]string, error) { return m.j.keys, ctx.Err() }

// History returns the recorded operations of all batches so far.
func (m *remote) History(ctx context.Context) (memory.Receipt, error) {
	return memory.Receipt{Changes: m.j.history}, ctx.Err()
}

// scope returns the values that every request of the namespace may name.
func (m *remote) scope(more map[string]any) *scope {
	vals := map[string]any{"ns": m.j.opened.Name, "run": m.ns.Run, "scope": m.ns.Scope, "attempt": m.j.opened.Attempt}
	for k, v := range m.j.saved {
		vals[k] = v[len(v)-1]
	}
	if session, ok := more["session"].(string); ok { // values saved for this session, not for one that began later
		maps.Copy(vals, m.j.own[session])
	}
	return (&scope{vals: m.sys.vars}).with(vals).with(more)
}

func (m *remote) steps(ctx context.Context, step string, rs []request, sc *scope) error {
	for _, r := range rs {
		rep, err := m.sys.do(ctx, step, r, sc, false)
		if err != nil {
			return err
		}
		saved, err := m.save(step, r, rep)
		if err != nil {
			return err
		}
		if len(saved) > 0 {
			e := entry{Saved: saved}
			if session, ok := sc.vals["session"].(string); ok && step == "begin_session" {
				e.Of = &session
			}
			if err := m.j.add(e); err != nil {
				return err
			}
			sc = m.scope(nil).with(sc.vals)
		}
	}
	return nil
}

func (m *remote) save(step string, r request, rep *reply) (map[string][]any, error) {
	out := map[string][]any{}
	if rep.ignored {
		return out, nil
	}
	for _, k := range slices.Sorted(maps.Keys(r.Save)) {
		v, err := m.sys.items(step, "save."+k, r.Save[k], rep)
		if err != nil {
			return nil, err
		}
		if len(v) == 0 {
			return nil, m.sys.fault(step, KindMalformed, rep, fmt.Sprintf("the answer has no value for %q (save): %s", k, clip(string(rep.raw))), nil)
		}
		out[k] = v
	}
	return out, nil
}

// Ingest sends the batch, in as many requests as the spec's unit asks for. Interrupted
// between two of them, it continues with the next.
func (m *remote) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	var rc memory.Receipt
	if err := ctx.Err(); err != nil {
		return rc, err
	}
	b.Key = b.ID()
	if m.j.known[b.Key] {
		return memory.Receipt{Skipped: true}, nil
	}
	if err := m.usable(); err != nil {
		return rc, err
	}
	if err := m.begin(ctx, b); err != nil {
		return rc, err
	}
	turns, notes := m.turns(b)
	rc.Degraded = notes
	for n, group := range m.group(turns) {
		if n < m.j.calls[b.Key] {
			continue
		}
		c, err := m.send(ctx, b, n, group)
		if err != nil {
			return rc, err
		}
		rc.Changes = append(rc.Changes, c.Stored...)
	}
	return rc, m.j.add(entry{Done: b.Key})
}

// usable returns an error if it is unknown what the service holds.
func (m *remote) usable() error {
	if m.j.dropped {
		return m.sys.fault("ingest", KindRefused, nil, "the namespace was dropped: open it again", nil)
	}
	if m.j.begun != nil {
		return m.sys.fault("ingest", KindUnsure, nil, fmt.Sprintf("request %d of batch %.16s was sent and its answer never came", m.j.begun.N+1, m.j.begun.Key), nil)
	}
	return nil
}

func (m *remote) begin(ctx context.Context, b memory.Batch) error {
	var refs []schema.EventRef
	for _, t := range b.Turns {
		refs = memory.Union(refs, t.Sources)
	}
	if err := m.j.add(entry{Batch: &batch{b.Key, b.Session, b.UserID, b.AgentID, b.Metadata, refs}}); err != nil {
		return err
	}
	if slices.Contains(m.j.sessions, b.Session) {
		return nil
	}
	if err := m.steps(ctx, "begin_session", m.sys.spec.BeginSession, m.scope(map[string]any{"session": b.Session})); err != nil {
		return err
	}
	return m.j.add(entry{Session: &b.Session})
}

// sentTurn is one turn, or a part of a long one, as templates see it.
type sentTurn struct {
	vals map[string]any
	refs []schema.EventRef
	role string
}

func (m *remote) turns(b memory.Batch) (out []sentTurn, notes []memory.Note) {
	split, undated := 0, 0
	for _, t := range b.Turns {
		body := schema.Captioned(t.Text, t.Attachments)
		if textnorm.Strip(body) == "" {
			continue
		}
		when := t.Time
		if _, err := parseTime(when); err != nil {
			when = ""
			undated++
		}
		at := when
		if at == "" && !b.Now.IsZero() {
			at = b.Now.Format(time.RFC3339)
		}
		parts := parts(strings.ToValidUTF8(body, "\uFFFD"), m.sys.spec.Ingest.MaxChars)
		if len(parts) > 1 {
			split++
		}
		id := ""
		if len(t.Sources) > 0 {
			id = memory.TurnID(t.Sources[0])
		}
		for _, p := range parts {
			out = append(out, sentTurn{map[string]any{"role": t.Role, "name": t.Name, "text": p, "time": when, "at": at, "id": id}, t.Sources, t.Role})
		}
	}
	if split > 0 {
		notes = append(notes, memory.Note{Why: fmt.Sprintf("%d turns are longer than the service takes and were sent in parts", split)})
	}
	if undated > 0 && m.sys.spec.Keeps.Dates != "none" {
		notes = append(notes, memory.Note{Why: fmt.Sprintf("%d turns have no time: the service dates them itself, or gets the batch's", undated)})
	}
	return out, notes
}

// parts cuts a text into pieces of at most n code points, preferably at a blank in the last quarter. 0: no limit.
func parts(s string, n int) (out []string) {
	for n > 0 && utf8.RuneCountInString(s) > n {
		cut := 0
		for range n {
			_, w := utf8.DecodeRuneInString(s[cut:])
			cut += w
		}
		if i := strings.LastIndexAny(s[:cut], " \n。."); i >= cut*3/4 {
			_, w := utf8.DecodeRuneInString(s[i:])
			cut = i + w
		}
		out = append(out, s[:cut])
		s = s[cut:]
	}
	return append(out, s)
}

// group cuts turns into the requests that carry them.
func (m *remote) group(turns []sentTurn) (out [][]sentTurn) {
	most := m.sys.spec.Ingest.MaxTurns
	for len(turns) > 0 {
		n := len(turns)
		if most > 0 {
			n = min(n, most)
		}
		if m.sys.spec.Ingest.Unit == "pair" { // a user's turns and the answers to them
			n = 1
			for n < len(turns) && turns[n].role != memory.RoleUser && (most == 0 || n < most) {
				n++
			}
		}
		out = append(out, turns[:n])
		turns = turns[n:]
	}
	return out
}

// send sends one request of a batch and records its result.
func (m *remote) send(ctx context.Context, b memory.Batch, n int, group []sentTurn) (*call, error) {
	list := make([]any, len(group))
	var refs []schema.EventRef
	for i, t := range group {
		list[i] = t.vals
		refs = memory.Union(refs, t.refs)
	}
	ids := make([]string, len(refs))
	for i, r := range refs {
		ids[i] = memory.TurnID(r)
	}
	idText, err := codec.Append(nil, ids, codec.Compact)
	if err != nil {
		return nil, err
	}
	var meta any
	if raw, err := b.Metadata.MarshalJSON(); err == nil {
		meta, _ = decode(raw) // an Object holds JSON
	}
	sc := m.scope(map[string]any{"session": b.Session, "key": b.Key + "-" + fmt.Sprint(n), "turns": list, "turn": list[0], "first": list[0], "last": list[len(list)-1],
		"turn_ids": string(idText), "meta": meta, "user": b.UserID, "agent": b.AgentID})
	in := m.sys.spec.Ingest
	if _, err := m.sys.build(in.request, sc); err != nil {
		return nil, &Error{System: m.sys.spec.System, Step: "ingest", Kind: KindSpec, Message: err.Error(), Err: err}
	}
	if !m.sys.spec.Idempotent {
		if err := m.j.add(entry{Begin: &call{Key: b.Key, N: n}}); err != nil {
			return nil, err
		}
	}
	rep, err := m.sys.do(ctx, "ingest", in.request, sc, true)
	if err != nil {
		if KindOf(err) != KindUnsure && !m.sys.spec.Idempotent {
			err = errors.Join(err, m.j.add(entry{Clear: &call{Key: b.Key, N: n}}))
		}
		return nil, err
	}
	c := &call{Key: b.Key, N: n, Turns: len(group)}
	if c.Saved, err = m.save("ingest", in.request, rep); err != nil {
		return nil, m.unsure(err)
	}
	if err := m.readStored(c, rep, group, refs); err != nil {
		return nil, m.unsure(err)
	}
	return c, m.j.add(entry{Call: c})
}

// unsure marks a fault after which the service has stored something that we cannot name.
func (m *remote) unsure(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && !m.sys.spec.Idempotent {
		e.Kind = KindUnsure
	}
	return err
}

func (m *remote) readStored(c *call, rep *reply, group []sentTurn, refs []schema.EventRef) error {
	in := m.sys.spec.Ingest
	name := func(ids []string) {
		for i, id := range ids {
			o := origin{id, refs}
			if len(ids) == len(group) { // one each, in order
				o.Turns = group[i].refs
			}
			c.Origins = append(c.Origins, o)
		}
	}
	if st := in.Stored; st != nil {
		if err := m.sys.malformed("ingest", rep); err != nil {
			return err
		}
		var ids []string
		items, err := m.sys.items("ingest", "ingest.stored.items", st.Items, rep)
		if err != nil {
			return err
		}
		for _, item := range items {
			for _, p := range []struct {
				name string
				path path
			}{{"id", st.ID}, {"text", st.Text}, {"op", st.Op}} { // what was replaced has an old text
				if err := m.sys.need("ingest", "ingest.stored."+p.name, p.path, "an item", item, rep); err != nil {
					return err
				}
			}
			ch := memory.Change{Op: memory.OpAdd, ID: schema.PointID(st.ID.text(item)), New: st.Text.text(item), Old: st.Old.text(item)}
			if op := strings.ToUpper(st.Op.text(item)); op != "" {
				ch.Op = op
			}
			if ch.ID == "" {
				return m.sys.fault("ingest", KindMalformed, rep, "an item of the answer has no id (ingest.stored): "+clip(text(item)), nil)
			}
			if ch.Op == memory.OpDelete {
				ch.Old, ch.New = ch.New+ch.Old, ""
			}
			if ch.Op != memory.OpNone {
				ids = append(ids, string(ch.ID))
			}
			c.Stored = append(c.Stored, ch)
		}
		name(ids)
	}
	if in.Origins != nil {
		var ids []string
		items, err := m.sys.items("ingest", "ingest.origins", in.Origins, rep)
		if err != nil {
			return err
		}
		for _, v := range items {
			ids = append(ids, text(v))
		}
		name(ids)
	}
	return nil
}
