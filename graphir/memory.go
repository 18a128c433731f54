package graphir

import (
	"errors"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
)

func strip(s string) string { return textnorm.Strip(s) }

// An occurrence is one line of an export as the graph sees it: ids without outer
// white space, the owner decided.
type occurrence struct {
	point     string
	hash      string // of a text: 32 hex digits; "" if there is none (0.0.1)
	rawHash   string // payload.hash as read
	data      string
	createdAt string
	setting
	at       int64
	events   []schema.EventRef
	eventsBy string
	eventsP  float64
	pos      pos
}

// A setting is the data that many occurrences share.
type setting struct {
	conv, scene, character, user, agent string
	owner                               string // name of the Character that owns the memory; "" unknown
	collection, isolation, exportedAt   string
}

// occurrence returns the data of m that the graph needs. Findings have no position; if one of them is an error there is no occurrence.
func (p *projector) occurrence(m schema.MemoryExport, at pos) (*occurrence, []*schema.Finding) {
	bad := func(pointer, code, msg, have, want string) (*occurrence, []*schema.Finding) {
		return nil, []*schema.Finding{{Pointer: pointer, Code: code, Message: msg, Have: have, Want: want}}
	}
	o := &occurrence{point: strip(string(m.ID)), pos: at}
	if m.Payload.IsNull() || m.Payload.Len() == 0 && p.v != schema.V001 {
		return bad("/payload", "GRF057", "memory without a payload, skipped", "null or {}", "an object with data")
	}
	f, err := m.Fields()
	if err != nil {
		if ce, ok := errors.AsType[*codec.Error](err); ok && ce.Want != "" {
			return bad("/payload"+ce.Pointer, "JSON002", "wrong type, memory skipped", ce.Have, ce.Want)
		}
		return bad("/payload", "JSON001", err.Error(), "", "")
	}
	o.rawHash, o.data, o.createdAt = f.Hash, f.Data, f.CreatedAt
	o.at = instant(f.CreatedAt)
	o.collection, o.isolation, o.exportedAt = m.Collection, m.Isolation, m.ExportedAt
	o.conv, o.scene, o.character, o.user, o.agent = strip(string(f.ConvID)), strip(f.SceneID), strip(f.CharacterID), strip(f.UserID), strip(f.AgentID)
	var fs []*schema.Finding
	if p.v == schema.V001 {
		if h := strip(f.Hash); schema.IsHash(h) {
			o.hash = h
		}
		if o.point == "" && o.hash == "" {
			return bad("/id", "GRF057", "memory without an id or a hash, skipped", "", "the point's id")
		}
		o.owner = owner001(&o.setting, strip(f.OwnerType), strip(f.OwnerID), o.pointText())
		return o, nil
	}
	if o.point == "" {
		return bad("/id", "GRF057", "memory without an id, skipped", "", "the point's id")
	}
	if o.data == "" {
		return bad("/payload/data", "GRF057", "memory without a text, skipped", "", "the memory's text")
	}
	for _, t := range [][2]string{{"/payload/created_at", f.CreatedAt}, {"/payload/updated_at", f.UpdatedAt}, {"/exported_at", m.ExportedAt}} {
		if noTime(t[1]) {
			return bad(t[0], "SCH005", "the time cannot be read, memory skipped", t[1], "date-time")
		}
	}
	o.hash = schema.Hash(o.data)
	if f.Hash != o.hash {
		have := f.Hash
		if have == "" {
			have = "none"
		}
		fs = append(fs, &schema.Finding{Pointer: "/payload/hash", Code: "GRF013", Warning: true, Message: "hash is not the md5 of data, the id is made of the text", Have: have, Want: o.hash})
	}
	o.owner = owner010(&o.setting, strip(f.OwnerType), strip(f.OwnerID), f.OwnerInfer, o.data)
	if o.owner == "" {
		fs = append(fs, &schema.Finding{Pointer: "/payload", Code: "GRF055", Warning: true, Message: "this memory has no owner", Want: "owner_id, character_id, agent_id or user_id"})
	}
	o.events, o.eventsBy, o.eventsP = f.Events, f.EventsBy, f.EventsP
	return o, fs
}

// owner001 is the rule of the schema's day (CHAIN-FACTS §1).
func owner001(c *setting, typ, id, point string) string {
	switch {
	case c.character != "":
		return c.character
	case typ == schema.LabelAgent && id != "":
		return id
	}
	return "unknown:" + point
}

// owner010 returns the owner: owner fields unless they are a guess, or the prefix that fact extraction puts before a text, or the character, or any other id.
func owner010(c *setting, typ, id, infer, data string) string {
	guess := infer == "fallback" || infer == "ambiguous"
	if id != "" && typ != "" && !guess {
		return id
	}
	if strings.HasPrefix(data, "[User]") && c.user != "" {
		return c.user
	}
	if strings.HasPrefix(data, "[Agent]") && c.agent != "" {
		return c.agent
	}
	for _, s := range []string{c.character, id, c.agent, c.user} {
		if s != "" {
			return s
		}
	}
	return ""
}

// display is the name a memory goes by: its first 40 code points and 8 of its hash.
func display(data, hash, point string) string {
	preview := textnorm.Cut(textnorm.Collapse(data), 40)
	suffix := ""
	if len(hash) >= 8 {
		suffix = hash[:8]
	}
	switch {
	case preview != "" && suffix != "":
		return preview + " #" + suffix
	case preview != "":
		return strip(preview)
	case suffix != "":
		return "hash:" + suffix
	case point != "":
		return "point:" + textnorm.Cut(point, 12)
	}
	return "memory"
}

// An object writes compact JSON members in the order of the calls.
type object struct{ b []byte }

func newObject() object { return object{append(make([]byte, 0, 256), '{')} }

func (o *object) name(k string) {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = append(codec.AppendString(o.b, k), ':')
}

func (o *object) str(k, v string) { o.name(k); o.b = codec.AppendString(o.b, v) }

// title is what a node is shown as.
func (o *object) title(v string) {
	o.str("display", v)
	o.str("name", v)
}

// strOrNull writes null for "": absent, null and "" are one thing in an export.
func (o *object) strOrNull(k, v string) {
	if v == "" {
		o.raw(k, []byte("null"))
		return
	}
	o.str(k, v)
}

// point writes the id of a point, which may be an integer; null for "".
func (o *object) point(k, v string) {
	if v == "" {
		o.raw(k, []byte("null"))
		return
	}
	o.name(k)
	o.b = schema.PointID(v).AppendJSON(o.b)
}

// opt writes nothing for "".
func (o *object) opt(k, v string) {
	if v != "" {
		o.str(k, v)
	}
}

func (o *object) raw(k string, v []byte) { o.name(k); o.b = append(o.b, v...) }
func (o *object) num(k string, n int)    { o.name(k); o.b = appendInt(o.b, n) }
func (o *object) list(k string, l []string) {
	o.name(k)
	o.b = codec.AppendStrings(o.b, l)
}
func (o *object) end() []byte { return append(o.b, '}') }

func appendInt(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }

func (p *projector) memoryID(o *occurrence) schema.NodeID {
	if p.v == schema.V001 {
		return schema.NodeID(p.mint.Memory("", o.hash, schema.PointID(o.point)))
	}
	return schema.NodeID("mem:" + o.hash)
}

// key returns the processed_key: the hash, or the point.
func (o *occurrence) key() string {
	if o.hash != "" {
		return o.hash
	}
	return o.pointText()
}

// pointText is the point as a part of names and ids.
func (o *occurrence) pointText() string { return schema.PointID(o.point).Text() }

// memory emits the parts of one occurrence.
func (p *projector) memory(o *occurrence, emit func(*part)) {
	p.memoryNode(o, emit)
	p.memoryEdges(o, emit)
	p.shared(o, emit)
}

// order decides between occurrences of one instant: the point, then the export.
func (o *occurrence) order() string { return o.point + "\x00" + o.exportedAt }

// newPart is a part in the half of the memory graph.
func (o *occurrence) newPart() *part {
	return &part{half: halfMemory, at: o.at, order: o.order(), pos: o.pos}
}

// listed adds the point, and the conversation when withConv, to the lists of x. The
// chain of 0.0.1 knows no lists.
func (p *projector) listed(x *part, o *occurrence, withConv bool) {
	if p.v == schema.V001 {
		return
	}
	x.listed, x.times = true, 1
	x.points = []string{o.point}
	if withConv && o.conv != "" {
		x.convs = []string{o.conv}
	}
}

func (p *projector) memoryNode(o *occurrence, emit func(*part)) {
	x := o.newPart()
	x.id, x.labels, x.ident = string(p.memoryID(o)), []string{schema.LabelMemoryItem}, hash64(o.data)
	name := display(o.data, o.hash, o.pointText())
	hash := o.hash
	if p.v == schema.V001 {
		hash = o.rawHash
	}
	b := newObject()
	b.point("point_id", o.point)
	b.strOrNull("payload_hash", hash)
	b.strOrNull("data", o.data)
	b.strOrNull("created_at", o.createdAt)
	b.strOrNull("collection", o.collection)
	b.strOrNull("isolation", o.isolation)
	b.strOrNull("exported_at", o.exportedAt)
	b.title(name)
	x.props = b.end()
	p.listed(x, o, true)
	emit(x)
}

// provenance is the properties of every edge of the memory graph.
func (o *occurrence) provenance() []byte {
	b := newObject()
	b.str("processed_key", o.key())
	b.point("source_point_id", o.point)
	b.strOrNull("exported_at", o.exportedAt)
	b.strOrNull("created_at", o.createdAt)
	return b.end()
}

// memoryEdges emits the edges that start or end at the memory.
func (p *projector) memoryEdges(o *occurrence, emit func(*part)) {
	mem := p.memoryID(o)
	props := o.provenance()
	edge := func(typ string, src, dst schema.NodeID) {
		x := o.newPart()
		x.edge, x.id, x.typ, x.src, x.dst, x.props = true, string(p.mint.Edge(typ, src, dst)), typ, string(src), string(dst), props
		p.listed(x, o, false)
		emit(x)
	}
	if o.owner != "" {
		owner := p.mint.Character(o.owner)
		edge(schema.EdgeOwnsMemory, owner, mem)
		edge(schema.EdgeHasCharacter, mem, owner)
	}
	if o.conv != "" {
		edge(schema.EdgeFromConv, mem, p.mint.Conv(schema.ConvID(o.conv)))
	}
	if o.scene != "" {
		edge(schema.EdgeInScene, mem, p.mint.Scene(o.scene))
	}
	p.eventEdges(o, mem, emit)
}

// eventEdges emits the edges to the turns that the memory was made from.
func (p *projector) eventEdges(o *occurrence, mem schema.NodeID, emit func(*part)) {
	seen := map[schema.EventRef]bool{}
	for _, ref := range o.events {
		if seen[ref] {
			continue
		}
		seen[ref] = true
		ref.ConvID = schema.ConvID(strip(string(ref.ConvID)))
		x := o.newPart()
		dst := p.mint.Event(ref)
		x.edge, x.id, x.typ, x.src, x.dst = true, string(p.mint.Edge(schema.EdgeFromEvent, mem, dst)), schema.EdgeFromEvent, string(mem), string(dst)
		x.props = p.fromEvent(o)
		p.listed(x, o, false)
		emit(x)
	}
}

// fromEvent returns the properties of an edge to a turn: by is whether the memory system recorded the turn or it was inferred, and then with which confidence.
func (p *projector) fromEvent(o *occurrence) []byte {
	b := newObject()
	b.point("point_id", o.point)
	by := o.eventsBy
	if by == "" {
		by = "recorded"
	}
	b.str("by", by)
	if o.eventsBy != "" {
		b.raw("confidence", schema.AppendFloat(nil, o.eventsP))
	}
	return b.end()
}

// shared emits the people and places of an occurrence and the edges between them.
func (p *projector) shared(o *occurrence, emit func(*part)) {
	p.sharedNodes(o, emit)
	p.sharedEdges(o, emit)
}

// sharedNodes emits people and places: they are named, and say nothing of the memory.
func (p *projector) sharedNodes(o *occurrence, emit func(*part)) {
	node := func(id schema.NodeID, label, key, value string) {
		x := o.newPart()
		x.id, x.labels, x.props = string(id), []string{label}, named(key, value)
		emit(x)
	}
	m := p.mint
	character := func(name string) { node(m.Character(name), schema.LabelCharacter, "character_id", name) }
	if o.user != "" {
		node(m.User(o.user), schema.LabelUser, "user_id", o.user)
	}
	if o.agent != "" {
		node(m.Agent(o.agent), schema.LabelAgent, "agent_id", o.agent)
	}
	if o.conv != "" {
		node(m.Conv(schema.ConvID(o.conv)), schema.LabelConversation, "conv_id", o.conv)
	}
	if o.scene != "" {
		node(m.Scene(o.scene), schema.LabelScene, "scene_id", o.scene)
	}
	if o.character != "" {
		character(o.character)
	}
	if o.owner != "" && o.owner != o.character {
		character(o.owner)
	}
	if p.v != schema.V001 {
		if o.agent != "" {
			character(o.agent)
		}
		if o.user != "" {
			character(o.user)
		}
	}
}

// sharedEdges emits the edges between them, which say where they were first seen.
func (p *projector) sharedEdges(o *occurrence, emit func(*part)) {
	props := o.provenance()
	edge := func(typ string, src, dst schema.NodeID) {
		x := o.newPart()
		x.edge, x.id, x.typ, x.src, x.dst, x.props = true, string(p.mint.Edge(typ, src, dst)), typ, string(src), string(dst), props
		emit(x)
	}
	m := p.mint
	if o.conv != "" {
		conv := m.Conv(schema.ConvID(o.conv))
		if o.scene != "" {
			edge(schema.EdgeConvInScene, conv, m.Scene(o.scene))
		}
		if o.owner != "" {
			edge(schema.EdgeConvHasCharacter, conv, m.Character(o.owner))
		}
	}
	if p.v == schema.V001 {
		if o.user != "" && o.scene != "" {
			edge(schema.EdgeUserInScene, m.User(o.user), m.Scene(o.scene))
		}
		if o.agent != "" && o.owner != "" {
			edge(schema.EdgeActor, m.Agent(o.agent), m.Character(o.owner))
		}
		return
	}
	if o.agent != "" {
		edge(schema.EdgeActor, m.Agent(o.agent), m.Character(o.agent))
	}
	if o.user != "" {
		edge(schema.EdgeActor, m.User(o.user), m.Character(o.user))
	}
}

// named is the properties of a person or place.
func named(key, value string) []byte {
	b := newObject()
	b.str(key, value)
	b.title(value)
	return b.end()
}
