package mem0

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"membench/internal/rank"
	"membench/internal/textnorm"
	"membench/llm"
	"membench/memory"
	"membench/memory/op"
	"membench/schema"

	"github.com/google/uuid"
)

// Ingest stores one batch: one line of the journal, durable when Ingest returns.
func (m *Memory) Ingest(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := ctx.Err(); err != nil {
		return memory.Receipt{}, err
	}
	b.Key = b.ID()
	if m.store.known[b.Key] {
		_, err := m.settled(ctx) // it may have failed after the journal had the batch
		return memory.Receipt{Skipped: true}, err
	}
	if fp := m.sys.Info().Fingerprint; m.made != "" && m.made != fp {
		return memory.Receipt{}, fmt.Errorf("the memory %s/%s was made with other options (fingerprint %s, now %s): use the same ones, or start over", m.ns.Run, m.ns.Scope, m.made, fp)
	}
	e := entry{Batch: b.Key, Session: b.Session}
	facts, err := m.facts(ctx, b, &e)
	if err != nil {
		return memory.Receipt{}, err
	}
	for i, f := range facts {
		facts[i].Asked = op.Asked(b.Context, b.Turns, f)
	}
	n := len(m.store.history)
	if err := m.decide(ctx, b, facts, &e); err != nil {
		return memory.Receipt{}, err
	}
	if err := m.append(e); err != nil {
		return memory.Receipt{}, err
	}
	if err := m.store.apply(e); err != nil {
		panic("mem0: a batch that does not fit its own state: " + err.Error()) // a bug of decide
	}
	used, err := m.settled(ctx)
	if err != nil { // the journal has the batch: the rest is done when it comes again
		return memory.Receipt{}, err
	}
	return memory.Receipt{Changes: slices.Clone(m.store.history[n:]), Usage: e.Usage.Add(used), Degraded: e.Degraded}, nil
}

// settled updates vectors, or the external points, if Ingest must do so.
func (m *Memory) settled(ctx context.Context) (llm.Usage, error) {
	if m.sys.o.Points != nil || m.sys.o.Eager {
		return m.update(ctx)
	}
	return llm.Usage{}, nil
}

// update brings the vectors up to date, here or outside.
func (m *Memory) update(ctx context.Context) (llm.Usage, error) {
	if m.sys.o.Points != nil {
		return m.push(ctx)
	}
	return m.embed(ctx)
}

func (m *Memory) facts(ctx context.Context, b memory.Batch, e *entry) ([]op.Fact, error) {
	if m.sys.o.Raw {
		var out []op.Fact
		for i, t := range op.Captioned(b.Turns) {
			if (t.Role == memory.RoleUser || t.Role == memory.RoleAssistant) && textnorm.Strip(t.Text) != "" {
				out = append(out, op.Fact{Text: t.Text, Role: t.Role, Turns: []int{i}})
			}
		}
		return out, nil
	}
	var r memory.Receipt
	out, err := op.OrRule(ctx, m.sys.o.Generator, &r, llm.PurposeFacts, func() ([]op.Fact, llm.Usage, error) {
		return m.sys.extract.Facts(ctx, b.Context, op.Captioned(b.Turns))
	}, func() []op.Fact { return op.CaptionedFacts(b.Turns) })
	e.Usage, e.Degraded = e.Usage.Add(r.Usage), append(e.Degraded, r.Degraded...)
	if m.sys.o.Generator == nil && m.sys.o.Mode == Keep {
		out = op.ShortAnswers(b.Context, op.Captioned(b.Turns), out)
	}
	return out, err
}

// decide fills e.Changes. A scratch of the points touched in this batch lets later
// facts see earlier ones without changing the state before the journal holds them.
func (m *Memory) decide(ctx context.Context, b memory.Batch, facts []op.Fact, e *entry) error {
	w := &writer{m: m, b: b, e: e, pending: map[schema.PointID]*point{}, mention: map[string][]int{}}
	if m.sys.o.Raw {
		for _, f := range facts {
			w.add(f, f.Text, nil)
		}
		return w.err
	}
	if m.sys.o.Generator != nil && len(facts) > 0 {
		known, err := m.candidates(ctx, b, facts)
		if err != nil {
			return err
		}
		verdicts, usage, err := m.sys.judge.Judge(ctx, facts, known)
		e.Usage = e.Usage.Add(usage)
		if err == nil {
			for _, v := range verdicts {
				f := op.Fact{Role: memory.RoleUser}
				if v.Fact >= 0 {
					f = facts[v.Fact]
				}
				w.verdict(f, v, w.similar(f))
			}
			return w.err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if llm.Fatal(err) || llm.Passing(err) {
			return err
		}
		if llm.KindOf(err) != llm.KindDryRun {
			e.Degraded = append(e.Degraded, memory.ByRule(llm.PurposeUpdate, err))
		}
	}
	for _, f := range facts {
		if f.Asked != "" && !strings.ContainsFunc(f.Text, textnorm.IsHan) { // the same words answer another question
			w.add(f, f.Text, nil)
			continue
		}
		close := w.similar(f)
		known := make([]op.Known, 0, near)
		for _, p := range close[:min(near, len(close))] {
			known = append(known, op.Known{ID: p.id, Text: p.text, Role: p.role})
		}
		verdicts, _, err := op.RuleJudge().Judge(ctx, []op.Fact{f}, known)
		if err != nil {
			return err
		}
		for _, v := range verdicts {
			w.verdict(f, v, close)
		}
	}
	return w.err
}

// candidates are the known facts for a model's judgement: the union of the most
// similar of each fact, ordered by id.
func (m *Memory) candidates(ctx context.Context, b memory.Batch, facts []op.Fact) ([]op.Known, error) {
	seen := map[schema.PointID]op.Known{}
	for _, f := range facts {
		r, err := m.Retrieve(ctx, memory.Query{Text: f.Text, K: near, UserID: b.UserID, AgentID: b.AgentID})
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			p := m.store.points[m.store.byID[h.ID]]
			seen[h.ID] = op.Known{ID: h.ID, Text: p.text, Role: p.role}
		}
	}
	return slices.SortedFunc(maps.Values(seen), func(a, b op.Known) int { return cmp.Compare(a.ID, b.ID) }), nil
}

// writer turns verdicts into changes.
type writer struct {
	m       *Memory
	b       memory.Batch
	e       *entry
	pending map[schema.PointID]*point // as this batch leaves them
	order   []*point                  // added in this batch
	said    []*op.Statement           // texts of order
	mention map[string][]int          // indexes of order by what a text has: a word, its key, its slot; also of earlier texts
	scores  []float64                 // room for similar
	err     error
}

// added appends a point of this batch, or, at i of order, reads its new text.
func (w *writer) added(i int, p *point) {
	st := op.NewStatement(p.text)
	if i == len(w.order) {
		w.order, w.said = append(w.order, p), append(w.said, nil)
	}
	w.said[i] = st
	for what := range mentions(st, p.key) {
		w.mention[what] = append(w.mention[what], i)
	}
}

// mentions yields the words, the key and the slot of a text.
func mentions(st *op.Statement, key string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range st.Terms() {
			if !yield(t) {
				return
			}
		}
		if yield("key\x00"+key) && st.Slot() != "" {
			yield("slot\x00" + st.Slot())
		}
	}
}

func (w *writer) point(id schema.PointID) *point {
	if p := w.pending[id]; p != nil {
		return p
	}
	if i, ok := w.m.store.byID[id]; ok {
		c := *w.m.store.points[i]
		w.pending[id] = &c
		return &c
	}
	return nil
}

// similar returns the live points of the fact's speaker that share terms with it, best first, twice as many as the judge sees; exact restatements come first,
// then points of the same slot. The rule judge needs shared terms or a slot, so the postings miss no relevant point.
func (w *writer) similar(f op.Fact) []*point {
	const most = 2 * near
	var all []rank.Scored[*point]
	least := math.Inf(-1) // score of the last that can still be among the first
	key := textnorm.Key(f.Text)
	actor := w.actor(f)
	take := func(p *point, score float64) {
		if p.live && p.role == f.Role && p.user == w.b.UserID && p.agent == w.b.AgentID && p.actor == actor {
			if p.key == key {
				if score = 3; !w.elsewhere(f, p) {
					score = 4
				}
			}
			if all = append(all, rank.Scored[*point]{ID: string(p.id), Score: rank.Round6(score), V: p}); len(all) == 8*most {
				all = rank.Top(all, most)
				least = all[most-1].Score
			}
		}
	}
	st := w.m.store
	w.scores = st.words.Scaled(w.scores, f.Text, len(st.points), nil, 0)
	scores := w.scores
	for _, i := range st.byText[f.Role+key] {
		scores[i] = 3
	}
	said := op.NewStatement(f.Text)
	slot := said.Slot()
	if slot != "" {
		for _, i := range st.bySlot[f.Role+slot] {
			scores[i]++ // before points that only share words
		}
	}
	for id, p := range w.pending {
		if i, ok := st.byID[id]; ok && scores[i] > 0 {
			take(p, scores[i])
			scores[i] = 0
		}
	}
	for i, s := range scores {
		if s > 0 && (s >= 3 || rank.Round6(s) >= least) { // most points share a word or two: they are not looked at
			take(st.points[i], s)
		}
	}
	close := map[int]bool{}
	for what := range mentions(said, key) {
		for _, i := range w.mention[what] {
			close[i] = true
		}
	}
	for i := range close {
		p, s := w.order[i], said.Share(w.said[i])
		if slot != "" && slot == w.said[i].Slot() {
			s++
		}
		if s > 0 || p.key == key {
			take(p, s)
		}
	}
	var out []*point
	for _, s := range rank.Top(all, most) {
		out = append(out, s.V)
	}
	return out
}

// after reports whether a was stored after b.
func (w *writer) after(a, b *point) bool {
	at := func(p *point) int {
		if i, ok := w.m.store.byID[p.id]; ok {
			return i
		}
		return len(w.m.store.points) + slices.Index(w.order, p)
	}
	return at(a) > at(b)
}

func (w *writer) verdict(f op.Fact, v op.Verdict, close []*point) {
	if w.err != nil {
		return
	}
	old := w.point(v.Target)
	if old != nil && !old.live { // deleted earlier in this batch
		old, v.Relation = nil, op.New
	}
	if old == nil {
		if v.Relation == op.New || v.Relation == op.Refines || v.Relation == op.Replaces {
			w.add(f, v.Text, nil)
		}
		return
	}
	faithful := w.m.sys.o.Mode == Faithful
	switch v.Relation {
	case op.Same:
		switch {
		case faithful:
			w.change(change{Op: memory.OpNone, ID: old.id, Old: dataOf(old)})
		case v.Fact >= 0 && (old.superseded || w.elsewhere(f, old) || w.related(f, old, close)):
			w.add(f, f.Text, nil) // separate evidence: repeated after something else
		default:
			c := change{Op: memory.OpNone, ID: old.id, Old: dataOf(old)}
			if v.Fact >= 0 {
				if u := memory.Union(old.events, w.sources(f)); len(u) > len(old.events) {
					old.events, c.Events = u, u
				}
			}
			w.change(c)
		}
	case op.Refines:
		if !faithful && (old.superseded || w.elsewhere(f, old) || w.related(f, old, close)) {
			w.add(f, v.Text, nil)
			return
		}
		w.update(f, v.Text, old)
	case op.Replaces:
		if faithful {
			w.update(f, v.Text, old)
		} else {
			w.add(f, v.Text, old)
		}
	case op.Retracts:
		if faithful {
			w.change(change{Op: memory.OpDelete, ID: old.id, Old: dataOf(old)})
			old.live = false
		} else if v.Fact >= 0 {
			w.add(f, v.Text, old)
		}
	default:
		w.add(f, v.Text, nil)
	}
}

// elsewhere reports whether the fact was said in another conversation than old, or in it at another time. A point has one conversation and one time, so such a
// fact is separate evidence: its speaker may be somebody else of that name, and a conversation that is stored later may have something said in between. Dialogue
// that is not in conversations has one order, in which related decides.
func (w *writer) elsewhere(f op.Fact, old *point) bool {
	conv := w.b.Metadata.Text("conv_id")
	if was := old.payload.Text("conv_id"); conv == "" || was != conv {
		return was != conv
	}
	at, known := w.time(f)
	return known && at != cmp.Or(old.payload.Text("updated_at"), old.payload.Text("created_at"))
}

// related reports whether something that touches the fact was stored after old.
func (w *writer) related(f op.Fact, old *point, close []*point) bool {
	return slices.ContainsFunc(close, func(p *point) bool {
		return p != old && p.id != old.id && w.after(p, old) && op.Related(f.Text, p.text) && op.Compare(p.text, old.text) != op.Same
	})
}

func (w *writer) change(c change) { w.e.Changes = append(w.e.Changes, c) }

func dataOf(p *point) string { return p.payload.Text("data") }

func (w *writer) sources(f op.Fact) []schema.EventRef {
	var out []schema.EventRef
	for _, i := range f.Turns {
		out = memory.Union(out, w.b.Turns[i].Sources)
	}
	return out
}

// pictures returns the attachments of the fact's turns.
func (w *writer) pictures(f op.Fact) (out []schema.Attachment) {
	for _, i := range f.Turns {
		out = append(out, w.b.Turns[i].Attachments...)
	}
	return out
}

// namespaceUUID is the fixed root of every point id.
var namespaceUUID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://membench.dev/memory/point"))

func (w *writer) add(f op.Fact, text string, contradicts *point) {
	if textnorm.Strip(text) == "" {
		return
	}
	id := schema.PointID(uuid.NewSHA1(namespaceUUID, fmt.Appendf(nil, "%q %q %q %q %q %d %s",
		w.m.ns.Run, w.m.ns.Scope, w.b.UserID, w.b.AgentID, w.b.Key, len(w.e.Changes), schema.Hash(text))).String())
	c := change{Op: memory.OpAdd, ID: id, Role: f.Role, Name: w.name(f), Events: w.sources(f), Attachments: w.pictures(f)}
	if contradicts != nil {
		c.Old, c.Supersedes = dataOf(contradicts), []schema.PointID{contradicts.id}
		contradicts.superseded = true
	}
	c.Payload = w.payload(f, text, w.instant(f), "")
	if c.Payload == nil {
		return
	}
	p := &point{id: id, role: f.Role, name: c.Name, text: text, key: textnorm.Key(text), user: w.b.UserID, agent: w.b.AgentID, actor: w.actor(f), payload: *c.Payload, events: c.Events, live: true}
	w.pending[id] = p
	w.added(len(w.order), p)
	w.change(c)
}

func (w *writer) update(f op.Fact, text string, old *point) {
	c := change{Op: memory.OpUpdate, ID: old.id, Old: dataOf(old), Role: f.Role, Name: w.name(f), Events: w.sources(f), Attachments: w.pictures(f)}
	if w.m.sys.o.Mode == Keep {
		c.Events = memory.Union(old.events, c.Events)
	}
	c.Payload = w.payload(f, text, old.payload.Text("created_at"), w.instant(f))
	if c.Payload == nil {
		return
	}
	old.key = textnorm.Key(text)
	old.text, old.role, old.name, old.actor, old.payload, old.events = text, c.Role, c.Name, w.actor(f), *c.Payload, c.Events
	if i := slices.Index(w.order, old); i >= 0 {
		w.added(i, old)
	}
	w.change(c)
}

func (w *writer) name(f op.Fact) string {
	if len(f.Turns) == 0 {
		return ""
	}
	return w.b.Turns[f.Turns[0]].Name
}

// actor is the name of who said a fact, where that is neither a declared user nor a
// declared agent: facts of two people are never compared.
func (w *writer) actor(f op.Fact) string {
	declared := w.b.UserID != "" && w.b.UserID != schema.AnyUser
	if f.Role == memory.RoleAssistant {
		declared = w.b.AgentID != "" && w.b.AgentID != schema.AnyAgent
	}
	if name := w.name(f); !declared && name != f.Role {
		return name
	}
	return ""
}

// time is the time of the fact's last turn that has one.
func (w *writer) time(f op.Fact) (string, bool) {
	for i := len(f.Turns) - 1; i >= 0; i-- {
		if t := w.b.Turns[f.Turns[i]].Time; t != "" {
			if _, ok := schema.ParseInstant(t); ok {
				return t, true
			}
		}
	}
	return "", false
}

// instant is the time of the fact; without one, the run's clock plus one microsecond for each point before it, so that order of storing shows.
func (w *writer) instant(f op.Fact) string {
	if t, ok := w.time(f); ok {
		return t
	}
	if w.b.Now.IsZero() {
		for i := len(w.b.Turns) - 1; i >= 0; i-- {
			if t := w.b.Turns[i].Time; t != "" {
				return t
			}
		}
		return ""
	}
	n := len(w.m.store.points) + len(w.order)
	return w.b.Now.Add(time.Duration(n) * time.Microsecond).Format("2006-01-02T15:04:05.000000Z07:00")
}

// payload has Mem0's members in Mem0's order; metadata cannot take their names.
func (w *writer) payload(f op.Fact, text, created, updated string) *schema.Object {
	data := text
	if !w.m.sys.o.NoPrefix && !w.m.sys.o.Raw {
		data = memory.Prefix(f.Role) + text
	}
	var b schema.ObjectBuilder
	for k, v := range w.b.Metadata.Members() {
		if !slices.Contains(memory.PayloadNames(), k) {
			b.Raw(k, v)
		}
	}
	put := func(k, v string) {
		if v != "" {
			b.String(k, v)
		}
	}
	put("user_id", w.b.UserID)
	put("agent_id", w.b.AgentID)
	put("actor_id", w.actor(f))
	if w.m.sys.o.NoPrefix || w.m.sys.o.Raw {
		put("role", f.Role)
	}
	b.String("data", data)
	b.String("hash", schema.Hash(data))
	put("created_at", created)
	put("updated_at", updated)
	put("asked", f.Asked)
	o := b.Object()
	return &o
}
