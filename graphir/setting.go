package graphir

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"

	"membench/internal/codec"
	"membench/schema"
)

// A settingInfo is a setting with the texts that its lines need.
type settingInfo struct {
	n                      uint32
	first                  atomic.Int64 // the earliest instant of its occurrences
	conv, scene, owner     *name
	export                 *export
	character, user, agent string
}

// A name is an id of a setting: settings share them.
type name struct {
	n    uint32
	text string // as in the record
	id   string // id of its node; "" if there is none
	body []byte // the id as a JSON string body
	said []byte // the text of a conversation as one; it has no escapes, see regular
}

// An export is how memories came out of their store.
type export struct {
	n                                 uint32
	collection, isolation, exportedAt string
	exported                          []byte // JSON value
	tail                              []byte // of a memory's properties, from collection to exported_at
}

// setting is the setting written out.
func (s *settingInfo) setting() setting {
	return setting{conv: s.conv.text, scene: s.scene.text, character: s.character, user: s.user, agent: s.agent, owner: s.owner.text,
		collection: s.export.collection, isolation: s.export.isolation, exportedAt: s.export.exportedAt}
}

func jsonBody(s string) []byte {
	q := codec.AppendString(nil, s)
	return q[1 : len(q)-1]
}

func jsonOrNull(s string) []byte {
	if s == "" {
		return []byte("null")
	}
	return codec.AppendString(nil, s)
}

type nameKey struct {
	kind byte
	text string
}

// name returns the shared name; kind is the kind of its node.
func (b *bulk) name(kind byte, text string) *name {
	k := nameKey{kind, text}
	n := b.names[k]
	if n == nil {
		n = &name{n: uint32(len(b.names)), text: text}
		switch {
		case kind == 'c' && text != "":
			n.id, n.said = string(b.p.mint.Conv(schema.ConvID(text))), []byte(text)
		case kind == 's' && text != "":
			n.id = string(b.p.mint.Scene(text))
		case kind == 'o':
			n.id = string(b.p.mint.Character(text))
		}
		n.body = jsonBody(n.id)
		b.names[k] = n
	}
	return n
}

func (b *bulk) text(s string) string {
	if t, ok := b.texts[s]; ok {
		return t
	}
	b.texts[s] = s
	return s
}

// setting returns the setting of a worker's data, nil if it must take the slow path. make is called for a new one.
func (b *bulk) setting(seen []byte, make func() (setting, bool)) *settingInfo {
	key := [2]uint64{maphash.Bytes(b.seeds[0], seen), maphash.Bytes(b.seeds[1], seen)}
	b.mu.RLock()
	info, ok := b.byKey[key]
	b.mu.RUnlock()
	if ok {
		return info
	}
	s, ok := make()
	b.mu.Lock()
	defer b.mu.Unlock()
	if info, ok := b.byKey[key]; ok {
		return info
	}
	if len(b.byKey) >= maxSettings {
		return nil
	}
	if ok && b.regular(&s) {
		x := [3]string{s.collection, s.isolation, s.exportedAt}
		e := b.exports[x]
		if e == nil {
			e = &export{n: uint32(len(b.exports)), collection: x[0], isolation: x[1], exportedAt: x[2], exported: jsonOrNull(x[2])}
			e.tail = slices.Concat([]byte(`, "collection": `), jsonOrNull(x[0]), []byte(`, "isolation": `), jsonOrNull(x[1]), []byte(`, "exported_at": `), e.exported)
			b.exports[x] = e
		}
		info = &settingInfo{n: uint32(len(b.settings)), conv: b.name('c', s.conv), scene: b.name('s', s.scene), owner: b.name('o', s.owner), export: e,
			character: b.text(s.character), user: b.text(s.user), agent: b.text(s.agent)}
		info.first.Store(1 << 62)
		b.settings = append(b.settings, info)
	}
	b.byKey[key] = info
	return info
}

// regular reports whether rows of a setting can be ordered by memory alone: it has an owner whose id is not a prefix of another's, no id can get too long, and
// its conversation needs no escapes in JSON.
func (b *bulk) regular(s *setting) bool {
	for _, x := range []string{s.conv, s.scene, s.character, s.user, s.agent, s.owner} {
		if len(x) > maxPlainID {
			return false
		}
	}
	return s.owner != "" && !strings.Contains(s.owner, ":mem:") && bare(s.conv)
}

// A flatSetting is a setting for the loops over all rows: they meet settings in the
// order of hashes, so all of them at once should be small.
type flatSetting struct {
	first              int64
	conv, scene, owner uint32 // into nameOf and bodies
	export             uint32
}

func (b *bulk) flatten() {
	b.flat = make([]flatSetting, len(b.settings))
	for i, s := range b.settings {
		b.flat[i] = flatSetting{s.first.Load(), s.conv.n, s.scene.n, s.owner.n, s.export.n}
	}
	size := 0
	b.nameOf = make([]*name, len(b.names))
	for _, n := range b.names {
		b.nameOf[n.n] = n
		size += len(n.body)
	}
	arena := make([]byte, 0, size)
	b.bodies = make([][]byte, len(b.nameOf))
	for i, n := range b.nameOf {
		at := len(arena)
		arena = append(arena, n.body...)
		b.bodies[i] = arena[at:len(arena):len(arena)]
	}
	b.exportOf = make([]*export, len(b.exports))
	for _, e := range b.exports {
		b.exportOf[e.n] = e
	}
}

// shareNodes adds the people and places of all settings, each once.
func (b *bulk) shareNodes() {
	b.byKey, b.texts = nil, nil
	seen := map[nameKey]bool{}
	once := func(kind byte, s string) string {
		if s == "" || seen[nameKey{kind, s}] {
			return ""
		}
		seen[nameKey{kind, s}] = true
		return s
	}
	for _, info := range b.settings {
		o := &occurrence{at: info.first.Load()}
		o.conv, o.scene, o.character = once('c', info.conv.text), once('s', info.scene.text), once('p', info.character)
		o.user, o.agent, o.owner = once('u', info.user), once('a', info.agent), once('p', info.owner.text)
		b.p.sharedNodes(o, b.g.add)
	}
}
