package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"membench/internal/textnorm"
	"membench/internal/tokens"
	"membench/memory"
	"membench/schema"
)

// Values of owner_infer and events_by.
const (
	Explicit     = "explicit"      // the memory names its owner: prefix, role, owner fields
	MatchedEvent = "matched_event" // one side said its text
	Ambiguous    = "ambiguous"     // the text appears in the turns of both sides
	Fallback     = "fallback"      // unknown: the agent
	Inferred     = "inferred"
)

// Export yields every memory of the collection, ordered by point id, with owner and turns. events may be nil; they are needed only for memories that do not
// name their owner and turns themselves.
func Export(ctx context.Context, s memory.System, events schema.Seq[schema.Event], o Options) schema.Seq[schema.MemoryExport] {
	return finish(func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		attach, can := memory.As[memory.Attacher](s)
		lister, lists := memory.As[memory.Lister](s)
		if !can || !lists {
			yield(schema.Record[schema.MemoryExport]{}, fmt.Errorf("%s cannot list its memories, so it cannot be exported", s.Info().Name))
			return
		}
		held, err := lister.Namespaces(ctx, o.Isolation.Collection())
		if err != nil {
			yield(schema.Record[schema.MemoryExport]{}, err)
			return
		}
		for _, ns := range held {
			if !exportOne(ctx, attach, ns, o, yield) {
				return
			}
		}
	}, events, o)
}

func exportOne(ctx context.Context, attach memory.Attacher, ns memory.Namespace, o Options, yield func(schema.Record[schema.MemoryExport], error) bool) bool {
	m, err := attach.Attach(ctx, ns)
	if err != nil {
		yield(schema.Record[schema.MemoryExport]{}, err)
		return false
	}
	defer m.Close()
	x, ok := memory.As[memory.Exporter](m)
	if !ok {
		yield(schema.Record[schema.MemoryExport]{}, errors.New("the memory cannot export"))
		return false
	}
	for r, err := range x.Export(ctx) {
		r.V.Collection, r.V.Isolation, r.V.ExportedAt = ns.Run, string(o.Isolation), o.Now.UTC().Format(time.RFC3339)
		if !yield(r, err) || err != nil {
			return false
		}
	}
	return true
}

// Link adds owner and turns to exports of other systems: existing values are kept, the others are inferred from the events and marked as inferred.
func Link(in schema.Seq[schema.MemoryExport], events schema.Seq[schema.Event], o Options) schema.Seq[schema.MemoryExport] {
	return finish(in, events, o)
}

// finish holds the records (about 1 KiB each) to order them by point id.
func finish(in schema.Seq[schema.MemoryExport], events schema.Seq[schema.Event], o Options) schema.Seq[schema.MemoryExport] {
	return func(yield func(schema.Record[schema.MemoryExport], error) bool) {
		var link *Linker
		if events != nil {
			all, err := read(events, o)
			if err != nil {
				yield(schema.Record[schema.MemoryExport]{}, err)
				return
			}
			link = newLinker(all)
		}
		var all []schema.Record[schema.MemoryExport]
		for r, err := range in {
			if err != nil && (!yield(r, err) || !schema.IsFinding(err)) {
				return
			}
			if schema.Whole(err) {
				all = append(all, r)
			}
		}
		slices.SortStableFunc(all, func(a, b schema.Record[schema.MemoryExport]) int {
			return cmp.Or(cmp.Compare(a.V.ID, b.V.ID), cmp.Compare(a.V.Collection, b.V.Collection), cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
		})
		for _, r := range all {
			v, err := describe(r.V, link, o)
			if err != nil {
				err = &schema.Finding{Pos: r.Pos, Pointer: "/payload", Code: "MEM010", Message: "the payload cannot be read; it is exported unchanged: " + err.Error(), Warning: true}
				v = r.V
			}
			if !yield(schema.Record[schema.MemoryExport]{Pos: r.Pos, V: v}, err) {
				return
			}
		}
	}
}

// describe puts owner and events at the end of the payload.
func describe(m schema.MemoryExport, link *Linker, o Options) (schema.MemoryExport, error) {
	f, err := m.Fields()
	if err != nil || m.Payload.IsNull() {
		return m, err
	}
	events, by, conf := f.Events, f.EventsBy, f.EventsP
	if len(events) == 0 && link != nil {
		if events, conf = link.Link(f.ConvID, f.Data); len(events) > 0 {
			by = Inferred
		}
	}
	typ, id, how := owner(f, m.Payload.Text("role"), link, o)
	var b schema.ObjectBuilder
	for name, raw := range m.Payload.Members() {
		switch name {
		case "owner_type", "owner_id", "owner_infer", "events", "events_by", "events_conf":
		default:
			b.Raw(name, raw)
		}
	}
	b.String("owner_type", typ)
	b.String("owner_id", id)
	b.String("owner_infer", how)
	if len(events) > 0 {
		err = b.Value("events", events)
		if by != "" {
			b.String("events_by", by)
			err = errors.Join(err, b.Value("events_conf", conf))
		}
	}
	m.Payload = b.Object()
	return m, err
}

// person is the id of an owner who is known by name only: that of the name's person, so that two people of one name in two conversations are two owners.
func (o Options) person(conv schema.ConvID, name string) string {
	_, id, _ := strings.Cut(string(o.People.Ref(schema.Mint{V: schema.Latest}, conv, name).ID), ":")
	return strings.TrimPrefix(id, "/")
}

// owner determines the owner of a memory. The payload has priority, then its prefix or role, then the side in whose turns its text appears. The default is the
// agent.
func owner(f schema.PayloadFields, role string, link *Linker, o Options) (typ, id, how string) {
	as := func(r string) (string, string) {
		if r == memory.RoleUser {
			if f.ActorID != "" && o.People != nil && (f.UserID == "" || f.UserID == schema.AnyUser) {
				return "User", o.person(f.ConvID, f.ActorID)
			}
			return "User", cmp.Or(f.UserID, f.AgentID, "unknown")
		}
		return "Agent", cmp.Or(f.AgentID, f.UserID, "unknown")
	}
	if f.OwnerType != "" && f.OwnerID != "" {
		return f.OwnerType, f.OwnerID, cmp.Or(f.OwnerInfer, Explicit)
	}
	if !o.NoOwner {
		said, _ := memory.CutPrefix(f.Data)
		if said == "" && (role == memory.RoleUser || role == memory.RoleAssistant) {
			said = role
		}
		if said != "" {
			typ, id = as(said)
			return typ, id, Explicit
		}
		if link != nil {
			switch user, agent := link.sides(f.ConvID, f.Data); {
			case user && agent:
				typ, id = as(memory.RoleAssistant)
				return typ, id, Ambiguous
			case user:
				typ, id = as(memory.RoleUser)
				return typ, id, MatchedEvent
			case agent:
				typ, id = as(memory.RoleAssistant)
				return typ, id, MatchedEvent
			}
		}
	}
	typ, id = as(memory.RoleAssistant)
	return typ, id, Fallback
}

// A Linker finds the turns that a memory text was made from. It holds the terms of
// every turn: about 200 bytes and 12 per term.
type Linker struct {
	turns  []linkTurn // by conversation and turn
	byTerm map[string][]int
	byConv map[schema.ConvID][2]int
}

type linkTurn struct {
	ref   schema.EventRef
	role  string
	key   string
	terms map[string]bool
}

// NewLinker indexes the human and assistant turns of events; findings are skipped.
func NewLinker(events schema.Seq[schema.Event]) (*Linker, error) {
	all, err := read(events, Defaults())
	if err != nil {
		return nil, err
	}
	return newLinker(all), nil
}

func newLinker(all []said) *Linker {
	l := &Linker{byTerm: map[string][]int{}, byConv: map[schema.ConvID][2]int{}}
	for _, s := range all {
		role := textnorm.Strip(s.ev.RoleType)
		if role != schema.RoleHuman && role != schema.RoleAssistant || s.ev.Is(schema.TagProbe) {
			continue
		}
		i := len(l.turns)
		t := linkTurn{ref: s.ev.Ref(), role: roleOf(s.ev), key: textnorm.Key(s.ev.Content), terms: map[string]bool{}}
		for _, w := range tokens.Terms(s.ev.Content) {
			if !t.terms[w] {
				t.terms[w] = true
				l.byTerm[w] = append(l.byTerm[w], i)
			}
		}
		l.turns = append(l.turns, t)
		span, ok := l.byConv[s.ev.ConvID]
		if !ok {
			span[0] = i
		}
		span[1] = i + 1
		l.byConv[s.ev.ConvID] = span
	}
	return l
}

// Thresholds of Link; replay's tests state the precision that they give.
const (
	minCover = 0.5  // of the memory's terms by idf, in the best turn
	minConf  = 0.4  // after the second best turn is counted against it
	addCover = 0.15 // share that a neighbouring turn must add to be linked too
)

// Link finds turns by the share of the memory's terms, weighted by idf, that a turn
// holds. Only turns of the conversation conv count when it is known. conf in [0,1] is
// the share covered, lowered by up to half when another turn covers nearly as much;
// a text that occurs verbatim in exactly one turn has 1. Turns of the other speaker than
// the prefix names count 0.85. No turns: nothing was sure enough.
func (l *Linker) Link(conv schema.ConvID, data string) (events []schema.EventRef, conf float64) {
	role, text := memory.CutPrefix(data)
	lo, hi := 0, len(l.turns)
	if span, ok := l.byConv[conv]; ok {
		lo, hi = span[0], span[1]
	}
	terms := map[string]float64{}
	var names []string
	total := 0.0
	for _, w := range tokens.Terms(text) {
		if _, ok := terms[w]; !ok {
			idf := math.Log(1 + float64(len(l.turns)+1)/float64(len(l.byTerm[w])+1))
			terms[w] = idf
			names = append(names, w)
			total += idf
		}
	}
	if total == 0 {
		return nil, 0
	}
	cover := map[int]float64{}
	for _, w := range names {
		list := l.byTerm[w]
		from, _ := slices.BinarySearch(list, lo)
		for _, i := range list[from:] {
			if i >= hi {
				break
			}
			cover[i] += terms[w] / total
		}
	}
	key := textnorm.Key(text)
	best, second, at := 0.0, 0.0, -1
	order := slices.Sorted(maps.Keys(cover))
	for _, i := range order {
		c := cover[i]
		if utf8.RuneCountInString(key) >= 4 && strings.Contains(l.turns[i].key, key) {
			c = 1.01 // verbatim
		}
		if role != "" && l.turns[i].role != role {
			c *= 0.85
		}
		if c > best {
			best, second, at = c, best, i
		} else if c > second {
			second = c
		}
	}
	conf = min(1, best) * (1 - 0.5*second/max(best, 1e-9))
	if best > 1 && second < 1 {
		conf = 1
	}
	if at < 0 || best < minCover || conf < minConf {
		return nil, 0
	}
	linked := []int{at}
	if best < 1 {
		have := map[string]bool{}
		for w := range l.turns[at].terms {
			have[w] = true
		}
		for _, i := range []int{at - 1, at + 1, at - 2, at + 2} {
			if i < lo || i >= hi || l.turns[i].role != l.turns[at].role || l.turns[i].ref.ConvID != l.turns[at].ref.ConvID {
				continue
			}
			more := 0.0
			for _, w := range names {
				if l.turns[i].terms[w] && !have[w] {
					more += terms[w] / total
				}
			}
			if more >= addCover {
				linked = append(linked, i)
				for w := range l.turns[i].terms {
					have[w] = true
				}
			}
		}
	}
	slices.Sort(linked)
	for _, i := range linked {
		events = append(events, l.turns[i].ref)
	}
	return events, math.Round(conf*1e3) / 1e3
}

// sides reports which sides of the conversation said the text: it is contained in one of their turns, or contains one. The contained text needs at least four
// characters and half of the length of the other, so that no interjection matches.
func (l *Linker) sides(conv schema.ConvID, data string) (user, agent bool) {
	_, text := memory.CutPrefix(data)
	key := textnorm.Key(text)
	n := utf8.RuneCountInString(key)
	span, ok := l.byConv[conv]
	if !ok || n < 4 {
		return false, false
	}
	for _, t := range l.turns[span[0]:span[1]] {
		m := utf8.RuneCountInString(t.key)
		if strings.Contains(t.key, key) || m >= 4 && 2*m >= n && strings.Contains(key, t.key) {
			user = user || t.role == memory.RoleUser
			agent = agent || t.role == memory.RoleAssistant
		}
	}
	return user, agent
}
