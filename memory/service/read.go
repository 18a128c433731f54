package service

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"membench/memory"
	"membench/schema"
)

// EndSession notifies the service of the end of a session.
func (m *remote) EndSession(ctx context.Context, id string) (memory.Receipt, error) {
	if m.j.ended[id] || !slices.Contains(m.j.sessions, id) {
		return memory.Receipt{}, ctx.Err()
	}
	if err := m.steps(ctx, "end_session", m.sys.spec.EndSession, m.scope(map[string]any{"session": id})); err != nil {
		return memory.Receipt{}, err
	}
	return memory.Receipt{}, m.j.add(entry{Ended: &id})
}

// Settle ends open sessions, waits until the service has processed its input, and reads back if Options.ReadBack is set. A wait that does not end fails with
// KindSettle. The first Retrieve or Export after an Ingest settles by itself.
func (m *remote) Settle(ctx context.Context) (memory.Receipt, error) {
	for _, s := range m.j.sessions {
		if _, err := m.EndSession(ctx, s); err != nil {
			return memory.Receipt{}, err
		}
	}
	if !m.j.pending {
		return memory.Receipt{}, ctx.Err()
	}
	var learned []origin
	for _, t := range m.sys.spec.Settle {
		each := []any{nil}
		if t.Each != "" {
			each = m.j.fresh[t.Each]
		}
		for _, it := range each {
			rep, err := m.wait(ctx, t, m.scope(map[string]any{"it": it}))
			if err != nil {
				return memory.Receipt{}, err
			}
			if l := t.Learn; l != nil {
				items, err := m.sys.items("settle", "settle.learn.items", l.Items, rep)
				for _, item := range items {
					err = cmp.Or(err, m.sys.need("settle", "settle.learn.id", l.ID, "an item", item, rep), m.sys.need("settle", "settle.learn.turn", l.Turn, "an item", item, rep))
					if turns := parseTurnIDs(l.Turn.get(item)); len(turns) > 0 {
						learned = append(learned, origin{l.ID.text(item), turns})
					}
				}
				if err != nil {
					return memory.Receipt{}, err
				}
			}
		}
	}
	if err := m.j.add(entry{Learned: learned, Settled: true}); err != nil {
		return memory.Receipt{}, err
	}
	if m.sys.o.ReadBack {
		return memory.Receipt{}, m.verify(ctx)
	}
	return memory.Receipt{}, nil
}

// wait asks until the end that the spec names, at most timeout/every times.
func (m *remote) wait(ctx context.Context, t settle, sc *scope) (*reply, error) {
	polls := max(1, int(t.Timeout/t.Every))
	good, last := 0, ""
	for range polls {
		rep, err := m.sys.do(ctx, "settle", t.request, sc, false)
		if err != nil {
			return nil, err
		}
		if err := m.sys.malformed("settle", rep); err != nil && !rep.ignored {
			return nil, err
		}
		if t.Fail != nil && t.Fail.holds(rep.body) {
			return nil, m.sys.fault("settle", KindSettle, nil, "the service could not process what was sent: "+m.sys.said(rep), nil)
		}
		done := rep.ignored || t.Done != nil && t.Done.holds(rep.body)
		if t.Done != nil {
			last = t.Done.said(rep.body)
			if said := t.Done.missing(rep.body); said != "" && !rep.ignored { // it will not come
				return nil, m.sys.fault("settle", KindMalformed, rep, "settle.done: "+said, nil)
			}
		}
		if t.Count != nil {
			if err := m.sys.need("settle", "settle.count", t.Count, "the answer", rep.body, rep); err != nil {
				return nil, err
			}
			last = t.Count.text(rep.body)
			n, err := strconv.Atoi(last)
			done = err == nil && n >= m.j.sent
			last = fmt.Sprintf("%s of %d turns", last, m.j.sent)
		}
		if good++; !done {
			good = 0
		}
		if good >= t.Consecutive {
			return rep, nil
		}
		if err := m.sys.o.Sleep(ctx, time.Duration(t.Every)); err != nil {
			return nil, err
		}
	}
	return nil, m.sys.fault("settle", KindSettle, nil, fmt.Sprintf("not settled after %v (%d looks): the last one said %q", time.Duration(t.Timeout), polls, last), nil)
}

// verify detects silent losses: every item that the service reported as stored must be listed.
func (m *remote) verify(ctx context.Context) error {
	if m.sys.spec.List == nil || m.sys.spec.Readback == "none" || m.j.sent == 0 {
		return nil
	}
	items, err := m.list(ctx)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return m.sys.fault("read back", KindLost, nil, fmt.Sprintf("%d turns were sent and accepted, but nothing is listed", m.j.sent), nil)
	}
	return m.missing(items)
}

// missing returns an error for items that the service named when storing them and does not list.
func (m *remote) missing(items []item) error {
	if m.sys.spec.Readback != "ids" {
		return nil
	}
	there := map[string]bool{}
	for _, x := range items {
		there[x.id] = true
	}
	var lost []string
	for _, id := range slices.Sorted(maps.Keys(m.j.stored)) {
		if !there[id] {
			lost = append(lost, id)
		}
	}
	if len(lost) > 0 {
		return m.sys.fault("read back", KindLost, nil, fmt.Sprintf("%d of %d items that the service said it stored are not listed, the first is %s", len(lost), len(m.j.stored), lost[0]), nil)
	}
	return nil
}

// item holds the common parts of a hit and a listed item.
type item struct {
	id, text         string
	score            float64
	scored           bool
	created, updated string
	meta             schema.Object
	turns            []schema.EventRef
	batch            int // index, -1 if unknown
}

func (m *remote) item(v any, f fields) (item, error) {
	for _, p := range []struct {
		name string
		path path
	}{{"id", f.ID}, {"text", f.Text}} {
		if said := p.path.missing("an item", v); said != "" {
			return item{}, fmt.Errorf("fields.%s: %s", p.name, said)
		}
	}
	x := item{id: f.ID.text(v), text: f.Text.text(v), created: moment(f.Created.text(v)), updated: moment(f.Updated.text(v)), batch: -1}
	if x.id == "" {
		return x, fmt.Errorf("an item has no id: %s", clip(text(v)))
	}
	if s := f.Score.get(v); len(s) > 0 {
		x.score, x.scored = asNumber(s[0])
	} else if d := f.Distance.get(v); len(d) > 0 {
		x.score, x.scored = asNumber(d[0])
		x.score = -x.score
	}
	var meta schema.ObjectBuilder
	if vals := f.Meta.get(v); len(vals) > 0 {
		if obj, ok := vals[0].(map[string]any); ok {
			for _, k := range slices.Sorted(maps.Keys(obj)) {
				if err := meta.Value(k, obj[k]); err != nil {
					return x, err
				}
			}
		}
	}
	for _, p := range []struct {
		name string
		path path
	}{{"service_created_at", f.Created}, {"service_updated_at", f.Updated}, {"service_valid_from", f.ValidFrom}, {"service_valid_to", f.ValidTo}} {
		if t := moment(p.path.text(v)); t != "" {
			meta.String(p.name, t)
		}
	}
	x.meta = meta.Object()
	x.turns = parseTurnIDs(f.Turns.get(v))
	for _, s := range f.Sources.get(v) {
		list, ok := s.([]any)
		if !ok {
			list = []any{s}
		}
		for _, id := range list {
			x.turns = memory.Union(x.turns, m.j.origins[text(id)])
		}
	}
	if len(x.turns) == 0 {
		x.turns = m.j.origins[x.id]
	}
	if session := f.Session.text(v); len(x.turns) == 0 && session != "" {
		for _, b := range m.j.batches {
			if b.Session == session {
				x.turns = memory.Union(x.turns, b.Turns)
			}
		}
	}
	for _, t := range x.turns {
		if b, ok := m.j.byTurn[t]; ok {
			x.batch = b
			break
		}
	}
	return x, nil
}

// moment returns a service's time as a date: its text, or a number of seconds since 1970 (or milliseconds, microseconds) converted.
func moment(said string) string {
	const year1973 = 1e8 // a smaller number is a year, or a count
	if t, ok := schema.ParseEpoch(said); ok && t.Unix() > year1973 {
		return schema.InstantOf(t).String()
	}
	return said
}

// belongs reports whether an item belongs to the user and agent. An item of unknown batch does, as long as the memory has never had others.
func (m *remote) belongs(x item, user, agent string) bool {
	of := func(b batch) bool { return (user == "" || b.User == user) && (agent == "" || b.Agent == agent) }
	if x.batch >= 0 {
		return of(m.j.batches[x.batch])
	}
	return !slices.ContainsFunc(m.j.batches, func(b batch) bool { return !of(b) })
}

// Retrieve asks the service. Where it gives no score, its order is kept and the score
// is 1/rank. A service that answers with one text gives one hit, "context".
func (m *remote) Retrieve(ctx context.Context, q memory.Query) (memory.Retrieved, error) {
	var out memory.Retrieved
	if err := ctx.Err(); err != nil {
		return out, err
	}
	if m.sys.spec.Search.Answer != nil {
		return out, fmt.Errorf("%s: %w", m.sys.spec.System, memory.ErrNoRetrieval)
	}
	if err := m.settled(ctx); err != nil {
		return out, err
	}
	if len(m.j.batches) > 0 && !slices.ContainsFunc(m.j.batches, func(b batch) bool {
		return (q.UserID == "" || b.User == q.UserID) && (q.AgentID == "" || b.Agent == q.AgentID)
	}) {
		return out, nil
	}
	k := cmp.Or(q.K, 5)
	s := m.sys.spec.Search
	ask := k
	if s.MaxK > 0 {
		ask = min(k, s.MaxK)
	}
	rep, err := m.sys.do(ctx, "search", s.request, m.scope(map[string]any{"q": q.Text, "k": ask, "user": q.UserID, "agent": q.AgentID}), false)
	if err != nil || rep.ignored {
		return out, err
	}
	if err := m.sys.malformed("search", rep); err != nil {
		return out, err
	}
	if s.Text != nil {
		if err := m.sys.need("search", "search.text", s.Text, "the answer", rep.body, rep); err != nil {
			return out, err
		}
		if t := s.Text.text(rep.body); t != "" {
			out.Hits = []memory.Hit{{ID: "context", Text: t, Score: 1}}
		}
		return out, nil
	}
	var items []item
	scored := s.Fields.Score != nil || s.Fields.Distance != nil
	seen := map[string]bool{}
	found, err := m.sys.items("search", "search.items", s.Items, rep)
	if err != nil {
		return out, err
	}
	for _, v := range found {
		x, err := m.item(v, s.Fields)
		if err != nil {
			return out, m.sys.fault("search", KindMalformed, rep, "search."+err.Error(), err)
		}
		switch {
		case !m.belongs(x, q.UserID, q.AgentID):
			continue
		case seen[x.id]:
			out.Repeated++
			continue
		}
		seen[x.id] = true
		scored = scored && x.scored
		items = append(items, x)
	}
	if scored {
		slices.SortStableFunc(items, func(a, b item) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
	}
	out.Beyond = max(0, len(items)-k)
	for i, x := range items[:len(items)-out.Beyond] {
		if !scored {
			x.score = 1 / float64(i+1)
		}
		out.Hits = append(out.Hits, memory.Hit{ID: schema.PointID(x.id), Text: x.text, Score: x.score, Sources: x.turns, Meta: x.meta})
	}
	return out, nil
}

// Answer asks a service that answers itself. Such a service names no sources.
func (x answerer) Answer(ctx context.Context, q memory.Query) (memory.Retrieved, string, error) {
	var none memory.Retrieved
	if err := ctx.Err(); err != nil {
		return none, "", err
	}
	if err := x.m.settled(ctx); err != nil {
		return none, "", err
	}
	s := x.m.sys.spec.Search
	rep, err := x.m.sys.do(ctx, "answer", s.request, x.m.scope(map[string]any{"q": q.Text, "k": cmp.Or(q.K, 5), "user": q.UserID, "agent": q.AgentID}), false)
	if err != nil || rep.ignored {
		return none, "", err
	}
	if err := x.m.sys.malformed("answer", rep); err != nil {
		return none, "", err
	}
	if err := x.m.sys.need("answer", "search.answer", s.Answer, "the answer", rep.body, rep); err != nil {
		return none, "", err
	}
	said := s.Answer.get(rep.body)
	if len(said) == 0 { // null, or nothing was said
		return none, "", nil
	}
	return none, text(said[len(said)-1]), nil
}

func (m *remote) settled(ctx context.Context) error {
	if err := m.usable(); err != nil {
		return err
	}
	if !m.j.pending {
		return nil
	}
	_, err := m.Settle(ctx)
	return err
}

func (m *remote) pageScope(page, offset int, cursor string) *scope {
	size := 0
	if p := m.sys.spec.List.Paging; p != nil {
		size = p.Size
		page += p.First - 1
	}
	return m.scope(map[string]any{"page": page, "offset": offset, "size": size, "cursor": cursor})
}

// page fetches one page of the list.
func (m *remote) page(ctx context.Context, step string, sc *scope) ([]item, *reply, error) {
	l := m.sys.spec.List
	rep, err := m.sys.do(ctx, step, l.request, sc, false)
	if err != nil || rep.ignored {
		return nil, rep, err
	}
	if err := m.sys.malformed(step, rep); err != nil {
		return nil, rep, err
	}
	var out []item
	found, err := m.sys.items(step, "list.items", l.Items, rep)
	if err != nil {
		return nil, rep, err
	}
	for _, v := range found {
		x, err := m.item(v, l.Fields)
		if err != nil {
			return nil, rep, m.sys.fault(step, KindMalformed, rep, "list."+err.Error(), err)
		}
		out = append(out, x)
	}
	return out, rep, nil
}

// list fetches every item, each id once, sorted by id. It holds all of them: text and
// metadata, about 1 KB each.
func (m *remote) list(ctx context.Context) ([]item, error) {
	l := m.sys.spec.List
	var out []item
	seen := map[string]bool{}
	cursor, total := "", -1
	for page := 1; ; page++ {
		items, rep, err := m.page(ctx, "list", m.pageScope(page, len(out), cursor))
		if err != nil {
			return nil, err
		}
		for _, x := range items {
			if seen[x.id] {
				return nil, m.sys.fault("list", KindPaging, rep, fmt.Sprintf("page %d holds %s, which was listed before", page, x.id), nil)
			}
			seen[x.id] = true
		}
		out = append(out, items...)
		p := l.Paging
		if p == nil {
			if l.Limit > 0 && len(items) >= l.Limit {
				return nil, m.sys.fault("list", KindPaging, rep, fmt.Sprintf("the service lists %d items at most and there are that many: more may be missing", l.Limit), nil)
			}
			break
		}
		if rep.ignored {
			break
		}
		if err := m.sys.need("list", "list.paging.total", p.Total, "the answer", rep.body, rep); err != nil {
			return nil, err
		}
		if t := p.Total.text(rep.body); t != "" {
			if n, err := strconv.Atoi(t); err == nil {
				total = n
			}
		}
		end := len(items) == 0 || total < 0 && len(items) < p.Size || total >= 0 && len(out) >= total
		if p.Kind == "cursor" {
			cursor = p.Next.text(rep.body)
			end = cursor == ""
		}
		if p.Kind == "last_id" && len(items) > 0 {
			cursor = items[len(items)-1].id
		}
		if end {
			break
		}
	}
	if total >= 0 && len(out) != total {
		return nil, m.sys.fault("list", KindPaging, nil, fmt.Sprintf("the service reports %d items and lists %d", total, len(out)), nil)
	}
	slices.SortFunc(out, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}

// Export yields every item. If the turns of an item are known, the payload begins with the metadata of their batch. A text without a date from the service gets
// none.
func (x exporter) Export(ctx context.Context) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		var none schema.Record[schema.MemoryExport]
		if err := x.m.settled(ctx); err != nil {
			yield(none, err)
			return
		}
		items, err := x.m.list(ctx)
		if err != nil {
			yield(none, err)
			return
		}
		for _, it := range items {
			payload, err := x.m.payload(it)
			if !yield(schema.Record[schema.MemoryExport]{V: schema.MemoryExport{ID: schema.PointID(it.id), Payload: payload, Collection: x.m.j.opened.Name}}, err) || err != nil {
				return
			}
		}
	}
}

func (m *remote) payload(it item) (schema.Object, error) {
	f := memory.Foreign{Text: it.text, Created: it.created, Updated: it.updated, Turns: it.turns, Meta: it.meta}
	if it.batch >= 0 {
		f.Batch = m.j.batches[it.batch].Meta
	}
	if len(m.j.batches) > 0 {
		of := m.j.batches[max(0, it.batch)]
		if it.batch >= 0 || m.belongs(it, of.User, of.Agent) {
			f.User, f.Agent = of.User, of.Agent
		}
	}
	return f.Payload()
}

// drop runs the spec's steps; one that names a value that was never saved has nothing
// to drop.
func (m *remote) drop(ctx context.Context) error {
	for _, r := range m.sys.spec.Drop {
		each := []any{nil}
		switch {
		case r.Each == "listed":
			items, err := m.list(ctx)
			if err != nil {
				return err
			}
			each = nil
			for _, x := range items {
				each = append(each, x.id)
			}
		case r.Each != "":
			each = m.j.saved[r.Each]
		}
		for _, it := range each {
			sc := m.scope(map[string]any{"it": it})
			if _, err := m.sys.build(r, sc); err != nil {
				continue
			}
			if _, err := m.sys.do(ctx, "drop", r, sc, false); err != nil {
				return err
			}
		}
	}
	return nil
}
