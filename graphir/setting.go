package graphir

import (
	"bytes"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"membench/internal/codec"
	"membench/schema"
)

// There may be a million settings, so what is kept of them has no pointers: the collector need not look at it.

// A settingInfo is a setting by the numbers of its texts.
type settingInfo struct {
	n                      uint32
	conv, scene, owner     uint32 // names with the ids of their nodes
	character, user, agent uint32 // names
	export                 uint32
	first                  atomic.Int64 // the earliest instant of its occurrences
}

// infos are settings by number, in chunks that stay where they are: workers hold pointers to settings while others are added.
type infos struct {
	chunks []*[infoChunk]settingInfo
	n      int
}

const infoChunk = 1 << 8

func (s *infos) at(n uint32) *settingInfo { return &s.chunks[n/infoChunk][n%infoChunk] }

// add makes room for the next setting, which has its number.
func (s *infos) add() *settingInfo {
	if s.n%infoChunk == 0 {
		s.chunks = append(s.chunks, new([infoChunk]settingInfo))
	}
	x := s.at(uint32(s.n))
	x.n = uint32(s.n)
	s.n++
	return x
}

func (s *infos) all() iter.Seq[*settingInfo] {
	return func(yield func(*settingInfo) bool) {
		for n := range s.n {
			if !yield(s.at(uint32(n))) {
				return
			}
		}
	}
}

// texts are texts by number, one after the other.
type texts struct {
	bytes []byte
	ends  []int
}

func (t *texts) add(s string) uint32 {
	t.bytes = append(t.bytes, s...)
	t.ends = append(t.ends, len(t.bytes))
	return uint32(len(t.ends) - 1)
}

func (t *texts) at(n uint32) []byte {
	from := 0
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.bytes[from:t.ends[n]:t.ends[n]]
}

// Kinds of names, by the nodes that they are the ids of. One text may be a name of each kind.
const (
	nameConv  = 'c'
	nameScene = 's'
	nameOwner = 'o'
	nameOnly  = '-' // a user, an agent, a character: no line of a row needs its node
)

// names are the names in settings, each once.
type names struct {
	known map[[2]uint64]uint32 // hash of kind and text → number
	text  texts                // as in the record
	id    texts                // id of its node; "" if there is none
	body  texts                // the id as a JSON string body
	key   []byte
}

// name returns the number of a name.
func (b *bulk) name(kind byte, text string) uint32 {
	s := &b.names
	s.key = append(append(s.key[:0], kind), text...)
	key := b.hashed(s.key)
	n, ok := s.known[key]
	if !ok {
		id := ""
		switch {
		case kind == nameConv && text != "":
			id = string(b.p.mint.Conv(schema.ConvID(text)))
		case kind == nameScene && text != "":
			id = string(b.p.mint.Scene(text))
		case kind == nameOwner:
			id = string(b.p.mint.Character(text))
		}
		n = s.text.add(text)
		s.id.add(id)
		s.body.add(string(jsonBody(id)))
		s.known[key] = n
	}
	return n
}

// hashed is a hash that stands for its bytes: of a million, two are the same with a chance of 10⁻²⁷.
func (b *bulk) hashed(key []byte) [2]uint64 {
	return [2]uint64{maphash.Bytes(b.seeds[0], key), maphash.Bytes(b.seeds[1], key)}
}

// An export is how memories came out of their store.
type export struct {
	collection, isolation, exportedAt string
	exported                          []byte // JSON value
	tail                              []byte // of a memory's properties, from collection to exported_at
}

// export returns the number of a setting's export.
func (b *bulk) export(s *setting) uint32 {
	key := [3]string{s.collection, s.isolation, s.exportedAt}
	n, ok := b.exportNo[key]
	if !ok {
		n = uint32(len(b.exports))
		e := export{collection: s.collection, isolation: s.isolation, exportedAt: s.exportedAt, exported: jsonOrNull(s.exportedAt)}
		e.tail = slices.Concat([]byte(`, "collection": `), jsonOrNull(e.collection), []byte(`, "isolation": `), jsonOrNull(e.isolation), []byte(`, "exported_at": `), e.exported)
		b.exports, b.exportNo[key] = append(b.exports, e), n
	}
	return n
}

// setting is a setting written out.
func (b *bulk) setting(n uint32) setting {
	s, e := b.settings.at(n), &b.exports[b.settings.at(n).export]
	text := func(n uint32) string { return string(b.names.text.at(n)) }
	return setting{conv: text(s.conv), scene: text(s.scene), character: text(s.character), user: text(s.user), agent: text(s.agent), owner: text(s.owner),
		collection: e.collection, isolation: e.isolation, exportedAt: e.exportedAt}
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

// slowly is the number of a setting that the bulk path does not take.
const slowly = 1<<32 - 1

// settingFor returns the setting of a worker's data, nil if it must take the slow path. make is called for a new one.
func (b *bulk) settingFor(seen []byte, make func() (setting, bool)) *settingInfo {
	key := b.hashed(seen)
	b.mu.RLock()
	info, ok := b.known(key)
	b.mu.RUnlock()
	if ok {
		return info
	}
	s, ok := make()
	b.mu.Lock()
	defer b.mu.Unlock()
	if info, ok := b.known(key); ok {
		return info
	}
	if len(b.byKey) >= maxSettings {
		return nil
	}
	if !ok || !b.regular(&s) {
		b.byKey[key] = slowly
		return nil
	}
	info = b.settings.add()
	info.conv, info.scene, info.owner = b.name(nameConv, s.conv), b.name(nameScene, s.scene), b.name(nameOwner, s.owner)
	info.character, info.user, info.agent = b.name(nameOnly, s.character), b.name(nameOnly, s.user), b.name(nameOnly, s.agent)
	info.export = b.export(&s)
	info.first.Store(1 << 62)
	b.byKey[key] = info.n
	return info
}

// known returns the setting that a worker's data had before, nil for the slow path.
func (b *bulk) known(key [2]uint64) (*settingInfo, bool) {
	n, ok := b.byKey[key]
	if !ok || n == slowly {
		return nil, ok
	}
	return b.settings.at(n), true
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

// shareNodes adds the people and places of all settings, each once.
func (b *bulk) shareNodes() {
	b.byKey, b.names.known = nil, nil
	seen := map[[2]uint64]bool{}
	var key []byte
	once := func(kind byte, n uint32) string {
		text := b.names.text.at(n)
		key = append(append(key[:0], kind), text...)
		if h := b.hashed(key); len(text) > 0 && !seen[h] {
			seen[h] = true
			return string(text)
		}
		return ""
	}
	for s := range b.settings.all() {
		o := &occurrence{at: s.first.Load()}
		o.conv, o.scene, o.character = once('c', s.conv), once('s', s.scene), once('p', s.character)
		o.user, o.agent, o.owner = once('u', s.user), once('a', s.agent), once('p', s.owner)
		b.p.sharedNodes(o, b.g.add)
	}
}

// owner is how the ids of an owner's edges go on behind their prefix.
func (b *bulk) owner(rank uint32) string { return ownerStart(b.names.id.at(b.owners[rank])) }

func ownerStart(id []byte) string { return string(id) + ":mem:" }

// rankOwners numbers the owners in the order of their edges' ids.
func (b *bulk) rankOwners() {
	seen := map[uint32]bool{}
	for s := range b.settings.all() {
		if !seen[s.owner] {
			seen[s.owner] = true
			b.owners = append(b.owners, s.owner)
		}
	}
	slices.SortFunc(b.owners, func(x, y uint32) int {
		return strings.Compare(ownerStart(b.names.id.at(x)), ownerStart(b.names.id.at(y)))
	})
	b.owners = slices.CompactFunc(b.owners, func(x, y uint32) bool { return bytes.Equal(b.names.id.at(x), b.names.id.at(y)) })
	b.rankOf = make([]uint32, len(b.names.text.ends))
	for n := range seen {
		b.rankOf[n], _ = b.rankOwner(ownerStart(b.names.id.at(n)))
	}
}

// rankOwner finds the rank of the owner whose edges' ids go on with start.
func (b *bulk) rankOwner(start string) (uint32, bool) {
	n, found := slices.BinarySearchFunc(b.owners, start, func(x uint32, start string) int { return strings.Compare(ownerStart(b.names.id.at(x)), start) })
	return uint32(n), found
}
