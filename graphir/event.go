package graphir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
)

func (p *projector) checkEvent(e schema.Event) *schema.Finding {
	if strip(string(e.ConvID)) == "" || e.TurnID < 1 {
		return &schema.Finding{Pointer: "/conv_id", Code: "GRF012", Message: "event without a conversation or a turn number, skipped", Have: fmt.Sprintf("conv_id %q, turn_id %d", e.ConvID, e.TurnID), Want: "a conv_id, a turn_id from 1"}
	}
	if _, err := e.ReadMeta(); err != nil {
		return &schema.Finding{Pointer: "/meta", Code: "JSON002", Message: "event skipped: " + err.Error()}
	}
	return nil
}

// event emits the parts of one turn. The chain of 0.0.1 knows no events.
func (p *projector) event(e schema.Event, at pos, emit func(*part)) {
	if p.v == schema.V001 || p.checkEvent(e) != nil {
		return
	}
	meta, _ := e.ReadMeta()
	m := p.mint
	e.ConvID = schema.ConvID(strip(string(e.ConvID)))
	turn := m.Event(e.Ref())
	when := instant(meta.Time)
	node := func(id schema.NodeID, label string, props []byte) {
		emit(&part{id: string(id), half: halfEvent, at: when, order: turnKey(e.TurnID), labels: []string{label}, props: props, pos: at})
	}
	edge := func(typ string, src, dst schema.NodeID, props []byte) {
		emit(&part{edge: true, id: string(m.Edge(typ, src, dst)), half: halfEvent, at: when, order: turnKey(e.TurnID), typ: typ, src: string(src), dst: string(dst), props: props, pos: at})
	}
	empty := []byte("{}")
	preview := textnorm.Cut(textnorm.Collapse(e.Content), 40)
	node(turn, schema.LabelEvent, eventProps(e, meta, preview))

	conv := m.Conv(e.ConvID)
	node(conv, schema.LabelConversation, named("conv_id", string(e.ConvID)))
	edge(schema.EdgeInConv, turn, conv, empty)
	if s := strip(e.SceneID); s != "" {
		node(m.Scene(s), schema.LabelScene, named("scene_id", s))
		edge(schema.EdgeConvInScene, conv, m.Scene(s), empty)
	}
	if c := strip(e.CharacterID); c != "" {
		node(m.Character(c), schema.LabelCharacter, named("character_id", c))
		edge(schema.EdgeConvHasCharacter, conv, m.Character(c), empty)
	}
	user, agent := strip(meta.UserID), strip(meta.AgentID)
	if user != "" {
		node(m.User(user), schema.LabelUser, named("user_id", user))
		node(m.Character(user), schema.LabelCharacter, named("character_id", user))
		edge(schema.EdgeActor, m.User(user), m.Character(user), empty)
	}
	if agent != "" {
		node(m.Agent(agent), schema.LabelAgent, named("agent_id", agent))
		node(m.Character(agent), schema.LabelCharacter, named("character_id", agent))
		edge(schema.EdgeActor, m.Agent(agent), m.Character(agent), empty)
	}
	switch speaker, named := p.speaker(e, user, agent); {
	case named:
		node(schema.NodeID(speaker.ID), speaker.Type, p.reference(speaker))
		edge(schema.EdgeSpoke, schema.NodeID(speaker.ID), turn, empty)
	case e.RoleType == schema.RoleHuman && user != "":
		edge(schema.EdgeSpoke, m.User(user), turn, empty)
	case e.RoleType == schema.RoleAssistant && agent != "":
		edge(schema.EdgeSpoke, m.Agent(agent), turn, empty)
	case e.RoleType == schema.RoleAssistant && strip(e.CharacterID) != "":
		edge(schema.EdgeSpoke, m.Character(strip(e.CharacterID)), turn, empty)
	}
	if meta.SessionID != "" {
		s := m.Session(e.ConvID, meta.SessionID)
		b := newObject()
		b.str("conv_id", string(e.ConvID))
		b.str("session_id", meta.SessionID)
		b.opt("session_time", meta.SessionTime)
		b.title(string(e.ConvID) + " " + meta.SessionID)
		node(s, schema.LabelSession, b.end())
		edge(schema.EdgeInConv, s, conv, empty)
		edge(schema.EdgeInSession, turn, s, empty)
	}
	if meta.SourcePath != "" {
		src := m.Source(meta.SourcePath)
		b := newObject()
		b.str("path", meta.SourcePath)
		name := meta.SourcePath[strings.LastIndexByte(meta.SourcePath, '/')+1:]
		b.title(name)
		node(src, schema.LabelSource, b.end())
		b = newObject()
		if meta.StartLine > 0 {
			b.num("start_line", meta.StartLine)
			b.num("end_line", max(meta.StartLine, meta.EndLine))
		}
		edge(schema.EdgeInSource, turn, src, b.end())
	}
	if meta.InjectID != "" {
		id := m.Inject(meta.InjectID)
		b := newObject()
		b.str("inject_id", meta.InjectID)
		b.str("fact", e.Content)
		b.title(preview + " #" + meta.InjectID)
		node(id, schema.LabelInject, b.end())
		edge(schema.EdgePlants, turn, id, empty)
	}
	if meta.ProbeID != "" {
		id := m.Probe(meta.ProbeID)
		b := newObject()
		b.str("probe_id", meta.ProbeID)
		b.str("question", e.Content)
		b.opt("gold", meta.Gold)
		if len(meta.Expects) > 0 {
			b.list("expects", meta.Expects)
		}
		b.title(preview + " #" + meta.ProbeID)
		node(id, schema.LabelProbe, b.end())
		edge(schema.EdgeAsks, turn, id, empty)
		for _, want := range meta.Expects {
			dst := m.Inject(want)
			if strings.HasPrefix(want, "claim:") {
				dst = schema.NodeID(want)
			}
			edge(schema.EdgeExpects, id, dst, empty)
		}
	}
}

// turnKey makes turn numbers sort as numbers.
func turnKey(n int) string { return fmt.Sprintf("%010d", n) }

func eventProps(e schema.Event, meta schema.EventMeta, preview string) []byte {
	b := newObject()
	b.str("conv_id", string(e.ConvID))
	b.num("turn_id", e.TurnID)
	b.str("role_type", e.RoleType)
	b.str("role_name", e.RoleName)
	b.str("content", e.Content)
	b.list("tags", e.Tags)
	b.opt("time", meta.Time)
	if meta.StartLine > 0 {
		b.num("start_line", meta.StartLine)
		b.num("end_line", max(meta.StartLine, meta.EndLine))
	}
	b.opt("session_id", meta.SessionID)
	b.opt("speech_mode", meta.SpeechMode)
	b.opt("ui_action", meta.UIAction)
	if len(meta.Attachments) > 0 {
		if raw, err := codec.Append(nil, meta.Attachments, codec.Compact); err == nil {
			b.raw("attachments", raw)
		}
	}
	b.opt("by", string(meta.By))
	name := string(e.ConvID) + ":" + strconv.Itoa(e.TurnID)
	if preview != "" {
		name = preview + " #" + name
	}
	b.title(name)
	return b.end()
}

// A turn is the part of an event that linking needs: 40 bytes.
type turn struct {
	n       int
	reply   int    // the turn that it answers, where its source says so
	speaker uint64 // of (role, name); 0 does not speak (interface and tool turns)
	session uint64
	pos     pos
}

func newTurn(e schema.Event, meta schema.EventMeta) turn {
	t := turn{n: e.TurnID, reply: meta.ReplyTo, session: hash64(meta.SessionID)}
	if e.RoleType == schema.RoleHuman || e.RoleType == schema.RoleAssistant {
		t.speaker = hash64(e.RoleType+"\x00"+e.RoleName) | 1
	}
	return t
}

// hash64 is FNV-1a: names of one conversation's speakers and sessions are few.
func hash64[T string | []byte](s T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// A Thread links the turns of one conversation as they arrive: NEXT from a turn to the following one, REPLY_TO from a turn to the earlier turn that it
// answers by its source, else to the nearest of another speaker in the same session. Turns that only show or run something neither reply nor are replied to. The zero Thread is ready to use; Build does the
// same over whole conversations, in any order of turns.
type Thread struct{ l linker }

// Add returns the edges from earlier turns to e, which follows all turns added before.
func (t *Thread) Add(e schema.Event, o Options) []schema.Element {
	p := newProjector(o)
	if p.v == schema.V001 || p.checkEvent(e) != nil {
		return nil
	}
	meta, _ := e.ReadMeta()
	return p.elements(func(emit func(*part)) {
		t.l.add(p, schema.ConvID(strip(string(e.ConvID))), newTurn(e, meta), emit)
	})
}

type linker struct {
	last          turn // the turn before
	spoke, others turn // the last speaking turn, and the last one before it of another speaker
}

func (l *linker) add(p *projector, conv schema.ConvID, t turn, emit func(*part)) {
	edge := func(typ string, src, dst int) {
		a, b := p.mint.Event(schema.EventRef{ConvID: conv, TurnID: src}), p.mint.Event(schema.EventRef{ConvID: conv, TurnID: dst})
		emit(&part{edge: true, id: string(p.mint.Edge(typ, a, b)), half: halfEvent, typ: typ, src: string(a), dst: string(b), props: []byte("{}"), pos: t.pos})
	}
	if l.last.n > 0 {
		edge(schema.EdgeNext, l.last.n, t.n)
	}
	if t.speaker != 0 {
		if l.spoke.n > 0 && l.spoke.session != t.session {
			l.spoke, l.others = turn{}, turn{}
		}
		to := l.others
		if l.spoke.speaker != t.speaker {
			to = l.spoke
		}
		if t.reply > 0 && t.reply < t.n {
			to.n = t.reply
		}
		if to.n > 0 {
			edge(schema.EdgeReplyTo, t.n, to.n)
		}
		l.spoke, l.others = t, to
	}
	l.last = t
}

// A thread holds the turns of one conversation until all are in.
type thread struct{ turns []turn }

func (t *thread) links(p *projector, conv schema.ConvID, emit func(*part)) {
	if p.v == schema.V001 {
		return
	}
	slices.SortFunc(t.turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.speaker, b.speaker), cmp.Compare(a.session, b.session))
	})
	t.turns = slices.CompactFunc(t.turns, func(a, b turn) bool { return a.n == b.n })
	var l linker
	for _, x := range t.turns {
		l.add(p, conv, x, emit)
	}
}

// speaker returns the person who says a turn, if no user or agent is declared for that side or the project has an entry for the declared one.
func (p *projector) speaker(e schema.Event, user, agent string) (schema.Ref, bool) {
	if p.v.Before(schema.V020) {
		return schema.Ref{}, false
	}
	typ, declared := schema.LabelUser, user
	switch e.RoleType {
	case schema.RoleHuman:
	case schema.RoleAssistant:
		if typ, declared = schema.LabelAgent, agent; declared == "" && strip(e.CharacterID) != schema.AnyAgent {
			declared = strip(e.CharacterID)
		}
	default:
		return schema.Ref{}, false
	}
	name := ""
	if declared == "" || declared == schema.AnyUser || declared == schema.AnyAgent {
		name = strip(e.RoleName)
	}
	r, ok := p.o.People.Speaker(p.mint, e.ConvID, typ, declared, name)
	return r, ok && r.Type == schema.LabelPerson
}
