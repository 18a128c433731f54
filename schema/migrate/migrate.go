// Package migrate moves records from one schema version to another, and back.
//
// Versions are data: a Move changes one kind of record by one version step, working
// on the ordered object so that members it does not know keep their place and text.
// What a move changes it writes down in the record's member "migrated":
//
//	"migrated": {"from": "0.0.1", "was": {"/id": {"was": "tag:a:b", "now": "tag:a%3Ab"}, …}}
//
// pointer → value before and after, without the one that was absent; "earlier" holds the
// history of the step before. The opposite move restores the old values if the new ones are unchanged, so that up after down and
// down after up are the identity. Records that become one (0.1.0 has one node for a
// text and one edge for a pair) keep the originals in "merged".
//
// Ids refer to each other across files, so a migration reads everything twice: the
// first pass learns every id (IDs), the second rewrites records and references.
package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"membench/internal/codec"
	"membench/schema"
)

// A Move is one version step of one kind of record and its inverse.
type Move struct {
	From, To schema.Version
	Kind     schema.Kind
	Doc      string // description for people
	Up, Down func(*IDs, schema.Object) []Edit
}

// An Edit sets the value at a pointer; a nil New removes it.
type Edit struct {
	Pointer string // RFC 6901, of a member of an object or an item that exists
	New     []byte // raw JSON
}

// Moves lists every step, oldest first. A kind without a step is the same in both versions.
func Moves() []Move {
	return []Move{
		{schema.V001, schema.V010, schema.KindExport, "isolation per_chapter is per_conv; owner_type Character is Agent; hash is the md5 of the data", upExport, keep},
		{schema.V001, schema.V010, schema.KindEntity, "entity_id escaped, the old one kept in id_aliases", upEntity, downEntity},
		{schema.V001, schema.V010, schema.KindClaim, "claim_id, subject, object and evidence by the new ids, the old claim_id kept in id_aliases", upClaim, downClaim},
		{schema.V001, schema.V010, schema.KindNode, "id escaped, memories by the md5 of their data, the old one kept in props.id_aliases", upNode, downNode},
		{schema.V001, schema.V010, schema.KindEdge, "src, dst and props by the new ids; every id is edge:{type}:{src}:{dst}", upEdge, downEdge},
		{schema.V001, schema.V010, schema.KindEvent, "meta.expects by the new ids", eventRefs, eventRefs},
		{schema.V001, schema.V010, schema.KindProbe, "expects by the new ids", probeRefs, probeRefs},
		{schema.V010, schema.V020, schema.KindEntity, "when migrating down, a Person becomes a User", keep, downPerson},
		{schema.V010, schema.V020, schema.KindClaim, "when migrating down, a Person becomes a User, evidence has no event_time", upClaim, downPersonClaim},
		{schema.V010, schema.V020, schema.KindNode, "when migrating down, a Person becomes a User", upNode, downPersonNode},
		{schema.V010, schema.V020, schema.KindEdge, "when migrating down, a Person becomes a User", upEdge, upEdge},
		{schema.V010, schema.V020, schema.KindEvent, "meta.expects by the new ids", eventRefs, eventRefs},
		{schema.V010, schema.V020, schema.KindProbe, "expects by the new ids", probeRefs, probeRefs},
	}
}

func keep(*IDs, schema.Object) []Edit { return nil }

// moveOf finds the step of a kind between two neighbouring versions.
func moveOf(from, to schema.Version, k schema.Kind) func(*IDs, schema.Object) []Edit {
	for _, m := range Moves() {
		switch {
		case m.Kind == k && m.From == from && m.To == to:
			return m.Up
		case m.Kind == k && m.From == to && m.To == from:
			return m.Down
		}
	}
	return keep
}

// Steps lists the versions from one to another, both included.
func Steps(from, to schema.Version) ([]schema.Version, error) {
	all := schema.Versions()
	i, j := slices.Index(all, from), slices.Index(all, to)
	if i < 0 || j < 0 {
		return nil, fmt.Errorf("schema versions %q to %q: have %v", from, to, all)
	}
	if i <= j {
		return all[i : j+1], nil
	}
	back := slices.Clone(all[j : i+1])
	slices.Reverse(back)
	return back, nil
}

// KindOf determines the kind of a record by its members; "" if it is unknown.
func KindOf(o schema.Object) schema.Kind {
	has := map[string]bool{}
	for k := range o.Members() {
		has[k] = true
	}
	switch {
	case o.Text("record_type") == "claim":
		return schema.KindClaim
	case o.Text("record_type") == "entity":
		return schema.KindEntity
	case has["id"] && has["src"] && has["dst"]:
		return schema.KindEdge
	case has["id"] && has["labels"]:
		return schema.KindNode
	case has["id"] && has["payload"]:
		return schema.KindExport
	case has["turn_id"] && has["content"]:
		return schema.KindEvent
	case has["probe_id"] && has["probe_query"]:
		return schema.KindProbe
	case has["case_id"] && has["sessions"]:
		return schema.KindCase
	case has["case_id"] && has["question_id"] && has["system"]:
		return schema.KindQA
	case has["case_id"] && has["context_id"] && has["system"]:
		return schema.KindContext
	case has["fingerprint"] && has["scores"]:
		return schema.KindSummary
	case has["case_id"] && has["session_id"] && has["system"]:
		return schema.KindSession
	}
	return ""
}

const migrated = "migrated"

// change is the value of one pointer in "was".
type change struct{ before, after []byte } // nil: absent

// history is a record's member "migrated".
type history struct {
	from    schema.Version
	was     []pointed // in the order written
	merged  [][]byte  // originals of a record made of several
	earlier []byte    // the history of the step before, which this one leaves alone
	present bool
}

type pointed struct {
	pointer string
	change
}

func readHistory(o schema.Object) (h history) {
	raw, ok := o.Get(migrated)
	if !ok || raw[0] != '{' {
		return h
	}
	m := schema.RawObject(raw)
	h.from = schema.Version(m.Text("from"))
	if was, ok := m.Get("was"); ok && was[0] == '{' {
		for p, v := range codec.Members(was) {
			var c change
			for name, raw := range codec.Members(v) {
				switch name {
				case "was":
					c.before = raw
				case "now":
					c.after = raw
				}
			}
			h.was = append(h.was, pointed{p, c})
		}
	}
	h.earlier, _ = m.Get("earlier")
	if merged, ok := m.Get("merged"); ok {
		h.merged = items(merged)
	}
	h.present = true
	return h
}

// Step moves one record by one version step. The record is returned unchanged if nothing changes. For a record that was merged on the way up, a step down
// returns the originals.
func Step(x *IDs, from, to schema.Version, k schema.Kind, o schema.Object) []schema.Object {
	h := readHistory(o)
	if h.present && h.from == to && len(h.merged) > 0 {
		out := make([]schema.Object, len(h.merged))
		for i, raw := range h.merged {
			out[i] = schema.RawObject(raw)
		}
		return out
	}
	edits := moveOf(from, to, k)(x, o)
	raw, _ := o.MarshalJSON()
	restored := map[string]bool{}
	if h.present && h.from == to {
		o = o.Without(migrated)
		raw, _ = o.MarshalJSON()
		if h.earlier != nil {
			raw = setAt(raw, []string{migrated}, h.earlier)
		}
		for _, p := range slices.Backward(h.was) {
			have, ok := getAt(raw, tokens(p.pointer))
			if ok != (p.after != nil) || ok && !bytes.Equal(normal(have), normal(p.after)) {
				continue // changed since: the rule decides
			}
			raw = setAt(raw, tokens(p.pointer), p.before)
			restored[p.pointer] = true
		}
		// An unchanged id has no older one.
		if restored["/id"] || restored["/entity_id"] || restored["/claim_id"] {
			restored["/id_aliases"], restored["/props/id_aliases"] = true, true
		}
	}
	var was schema.ObjectBuilder
	noted := map[string]bool{}
	note := func(pointer string, before, after []byte) {
		var c schema.ObjectBuilder
		if before != nil {
			c.Raw("was", before)
		}
		if after != nil {
			c.Raw("now", after)
		}
		raw, _ := c.Object().MarshalJSON()
		was.Raw(pointer, raw)
		noted[pointer] = true
	}
	for _, e := range edits {
		before, ok := getAt(raw, tokens(e.Pointer))
		if restored[e.Pointer] || ok == (e.New != nil) && (!ok || bytes.Equal(normal(before), normal(e.New))) {
			continue
		}
		if !ok {
			before = nil
		}
		note(e.Pointer, before, e.New)
		raw = setAt(raw, tokens(e.Pointer), e.New)
	}
	// Values that stayed unchanged although the rule alone would change them, in this step or the opposite one, are recorded too: the opposite step then keeps
	// them.
	moved := schema.RawObject(raw)
	for _, e := range slices.Concat(moveOf(from, to, k)(x.bare(from, to), o), moveOf(to, from, k)(x.bare(to, from), moved)) {
		have, ok := getAt(raw, tokens(e.Pointer))
		if noted[e.Pointer] || restored[e.Pointer] || ok == (e.New != nil) && (!ok || bytes.Equal(normal(have), normal(e.New))) {
			continue
		}
		if !ok {
			have = nil
		}
		note(e.Pointer, have, have)
	}
	if len(noted) == 0 {
		return []schema.Object{schema.RawObject(raw)}
	}
	var b, now schema.ObjectBuilder
	var earlier []byte // of another step
	for name, v := range schema.RawObject(raw).Members() {
		if name == migrated {
			earlier = v
			continue
		}
		b.Raw(name, v)
	}
	now.String("from", string(from))
	wasRaw, _ := was.Object().MarshalJSON()
	now.Raw("was", wasRaw)
	if earlier != nil {
		now.Raw("earlier", earlier)
	}
	nowRaw, _ := now.Object().MarshalJSON()
	b.Raw(migrated, nowRaw)
	return []schema.Object{b.Object()}
}

func quote(s string) []byte { return codec.AppendString(nil, s) }

func upExport(x *IDs, o schema.Object) (out []Edit) {
	if o.Text("isolation") == "per_chapter" {
		out = append(out, Edit{"/isolation", quote("per_conv")})
	}
	raw, ok := o.Get("payload")
	if !ok || raw[0] != '{' {
		return out
	}
	p := schema.RawObject(raw)
	if p.Text("owner_type") == "Character" {
		out = append(out, Edit{"/payload/owner_type", quote("Agent")})
	}
	if data, ok := p.Get("data"); ok && data[0] == '"' {
		if want := schema.Hash(codec.Unquote(data)); p.Text("hash") != want {
			out = append(out, Edit{"/payload/hash", quote(want)})
		}
	}
	return out
}

// alias appends an id to a list of old ids.
func alias(list []byte, id string) []byte {
	ids := []string{}
	for _, it := range items(list) {
		ids = append(ids, codec.Unquote(it))
	}
	if !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	b, err := codec.Append(nil, ids, codec.Compact)
	if err != nil {
		return list // unreachable: a list of strings encodes
	}
	return b
}

// reference maps the string member at a pointer.
func reference(x *IDs, o schema.Object, pointer string) []Edit {
	raw, _ := o.MarshalJSON()
	v, ok := getAt(raw, tokens(pointer))
	if !ok || v[0] != '"' {
		return nil
	}
	old := codec.Unquote(v)
	if now := x.refer(old); now != old {
		return []Edit{{pointer, quote(now)}}
	}
	return nil
}

// references maps every string of the list at a pointer.
func references(x *IDs, o schema.Object, pointer string) (out []Edit) {
	raw, _ := o.MarshalJSON()
	list, ok := getAt(raw, tokens(pointer))
	if !ok || list[0] != '[' {
		return nil
	}
	for i := range items(list) {
		out = append(out, reference(x, o, pointer+"/"+strconv.Itoa(i))...)
	}
	return out
}

func eventRefs(x *IDs, o schema.Object) []Edit { return references(x, o, "/meta/expects") }
func probeRefs(x *IDs, o schema.Object) []Edit { return references(x, o, "/expects") }

func upEntity(x *IDs, o schema.Object) []Edit {
	old := o.Text("entity_id")
	now := x.Map(old)
	if now == old {
		return nil
	}
	aliases, _ := o.Get("id_aliases")
	return []Edit{{"/entity_id", quote(now)}, {"/id_aliases", alias(aliases, old)}}
}

func downEntity(x *IDs, o schema.Object) []Edit {
	if old := o.Text("entity_id"); x.Map(old) != old {
		return []Edit{{"/entity_id", quote(x.Map(old))}}
	}
	return nil
}

func upClaim(x *IDs, o schema.Object) (out []Edit) {
	old := o.Text("claim_id")
	out = append(out, reference(x, o, "/subject/entity_id")...)
	out = append(out, reference(x, o, "/object/entity_id")...)
	if now := x.Map(old); now != old {
		aliases, _ := o.Get("id_aliases")
		out = append(out, Edit{"/claim_id", quote(now)}, Edit{"/id_aliases", alias(aliases, old)})
	}
	out = append(out, evidence(x, o)...)
	return append(out, reference(x, o, "/superseded_by")...)
}

func downClaim(x *IDs, o schema.Object) (out []Edit) {
	for _, p := range []string{"/subject/entity_id", "/object/entity_id", "/superseded_by"} {
		out = append(out, reference(x, o, p)...)
	}
	if old := o.Text("claim_id"); x.Map(old) != old {
		out = append(out, Edit{"/claim_id", quote(x.Map(old))})
	}
	return append(out, evidence(x, o)...)
}

// Person is a type since 0.2.0; older readers know users. The ids keep their parts:
// person:ch01/Ann is user:ch01/Ann.

func downPerson(x *IDs, o schema.Object) []Edit { return append(downEntity(x, o), typeDown(o, "")...) }

// typeDown exchanges the type next to an entity's id.
func typeDown(o schema.Object, at string) []Edit {
	if o.Text("entity_type") == "Person" {
		return []Edit{{at + "/entity_type", quote("User")}}
	}
	return nil
}

func downPersonClaim(x *IDs, o schema.Object) []Edit {
	out := downClaim(x, o)
	for _, end := range []string{"subject", "object"} {
		out = append(out, typeDown(below(o, end), "/"+end)...)
	}
	list, _ := o.Get("evidence")
	for i, it := range items(list) {
		if _, ok := getAt(it, []string{"event_time"}); ok {
			out = append(out, Edit{"/evidence/" + strconv.Itoa(i) + "/event_time", nil})
		}
	}
	return out
}

func downPersonNode(x *IDs, o schema.Object) []Edit {
	out := downNode(x, o)
	for i, l := range items(first(o.Get("labels"))) {
		if unquote(l) == "Person" {
			out = append(out, Edit{"/labels/" + strconv.Itoa(i), quote("User")})
		}
	}
	return append(out, typeDown(below(o, "props"), "/props")...)
}

func evidence(x *IDs, o schema.Object) (out []Edit) {
	list, _ := o.Get("evidence")
	for i, it := range items(list) {
		if it[0] != '{' {
			continue
		}
		ev := schema.RawObject(it)
		old := ev.Text("memory_item_id")
		if now := x.memory(old, ev.Text("text")); now != old {
			out = append(out, Edit{"/evidence/" + strconv.Itoa(i) + "/memory_item_id", quote(now)})
		}
	}
	return out
}

func upNode(x *IDs, o schema.Object) (out []Edit) {
	old := o.Text("id")
	now := x.Map(old)
	_, ok := o.Get("props")
	p := below(o, "props")
	if data, has := p.Get("data"); has && data[0] == '"' && strings.HasPrefix(old, "mem:") {
		now = string(schema.Mint{V: x.To}.Memory(codec.Unquote(data), "", ""))
	}
	if now != old {
		out = append(out, Edit{"/id", quote(now)})
	}
	if !ok {
		return out
	}
	if now != old {
		aliases, _ := p.Get("id_aliases")
		out = append(out, Edit{"/props/id_aliases", alias(aliases, old)})
	}
	if p.Text("isolation") == "per_chapter" {
		out = append(out, Edit{"/props/isolation", quote("per_conv")})
	}
	if hash, ok := strings.CutPrefix(now, "mem:"); ok && schema.IsHash(hash) && p.Text("payload_hash") != hash {
		out = append(out, Edit{"/props/payload_hash", quote(hash)})
	}
	return append(append(out, rootOf(x, o, old)...), references(x, o, "/props/expects")...)
}

// rootOf maps the root that a Domain or Predicate names: character_id is the root's id where that is not a character.
func rootOf(x *IDs, o schema.Object, id string) []Edit {
	if !strings.HasPrefix(id, "dom:") && !strings.HasPrefix(id, "pred:") {
		return nil
	}
	if root := below(o, "props").Text("character_id"); strings.Contains(root, ":") && x.Has(root) {
		return reference(x, o, "/props/character_id")
	}
	return nil
}

func downNode(x *IDs, o schema.Object) (out []Edit) {
	old := o.Text("id")
	if x.Map(old) != old {
		out = append(out, Edit{"/id", quote(x.Map(old))})
	}
	return append(append(out, rootOf(x, o, old)...), references(x, o, "/props/expects")...)
}

// edgeProps are the members of an edge's props that hold ids.
var edgeProps = []string{"/props/claim_id", "/props/memory_item_id"}

func edgeEnds(x *IDs, o schema.Object) (src, dst string, out []Edit) {
	src, dst = o.Text("src"), o.Text("dst")
	text := below(o, "props").Text("text")
	if now := x.refer(src); now != src {
		out = append(out, Edit{"/src", quote(now)})
		src = now
	}
	now := x.refer(dst)
	if strings.HasPrefix(dst, "mem:") {
		now = x.memory(dst, text)
	}
	if now != dst {
		out = append(out, Edit{"/dst", quote(now)})
		dst = now
	}
	for _, p := range edgeProps {
		raw, _ := o.MarshalJSON()
		v, ok := getAt(raw, tokens(p))
		if !ok || v[0] != '"' {
			continue
		}
		old := codec.Unquote(v)
		now := x.Map(old)
		if strings.HasPrefix(old, "mem:") {
			now = x.memory(old, text)
		}
		if now != old {
			out = append(out, Edit{p, quote(now)})
		}
	}
	return src, dst, out
}

func upEdge(x *IDs, o schema.Object) []Edit {
	src, dst, out := edgeEnds(x, o)
	id := string(schema.Mint{V: schema.V010}.Edge(o.Text("type"), schema.NodeID(src), schema.NodeID(dst)))
	return append(out, Edit{"/id", quote(id)})
}

func downEdge(x *IDs, o schema.Object) []Edit {
	src, dst, out := edgeEnds(x, o)
	return append(out, Edit{"/id", quote(oldEdgeID(o, src, dst))})
}

// oldEdgeID is the id of the existing chain: its claims graph has forms of its own.
func oldEdgeID(o schema.Object, src, dst string) string {
	typ, props := o.Text("type"), below(o, "props")
	switch typ {
	case "HAS_DOMAIN":
		return "has_domain:" + src + ":" + props.Text("domain")
	case "HAS_PREDICATE", "HAS_CLAIM", "ABOUT":
		return strings.ToLower(typ) + ":" + src + ":" + dst
	case "EVIDENCED_BY":
		point := cmp.Or(props.Text("point_id"), "0")
		return "evidenced_by:" + src + ":" + dst + ":" + point
	}
	return string(schema.Mint{V: schema.V001}.Edge(typ, schema.NodeID(src), schema.NodeID(dst)))
}

// tokens splits a pointer.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// below is the object that is a member of o; the empty one for any other value.
func below(o schema.Object, member string) schema.Object {
	if raw, ok := o.Get(member); ok && raw[0] == '{' {
		return schema.RawObject(raw)
	}
	return schema.Object{}
}

// items lists the raw items of a JSON array; none for other values.
func items(raw []byte) [][]byte { return slices.Collect(codec.Elements(raw)) }

func getAt(raw []byte, path []string) ([]byte, bool) {
	for _, t := range path {
		var next []byte
		found := false
		switch {
		case len(raw) > 0 && raw[0] == '{':
			next, found = schema.RawObject(raw).Get(t)
		case len(raw) > 0 && raw[0] == '[':
			list := items(raw)
			if i, err := strconv.Atoi(t); err == nil && i >= 0 && i < len(list) {
				next, found = list[i], true
			}
		}
		if !found {
			return nil, false
		}
		raw = next
	}
	return raw, true
}

// setAt returns raw with the value at path set, added at the end of its object, or
// removed (nil). A path through something that is not an object or list changes nothing.
func setAt(raw []byte, path []string, v []byte) []byte {
	if len(path) == 0 {
		return v
	}
	switch {
	case len(raw) > 0 && raw[0] == '{':
		var b schema.ObjectBuilder
		found := false
		for name, old := range codec.Members(raw) {
			if name == path[0] {
				found = true
				if old = setAt(old, path[1:], v); old == nil {
					continue
				}
			}
			b.Raw(name, old)
		}
		if !found && len(path) == 1 && v != nil {
			b.Raw(path[0], v)
		}
		out, _ := b.Object().MarshalJSON()
		return out
	case len(raw) > 0 && raw[0] == '[':
		at, err := strconv.Atoi(path[0])
		if err != nil {
			return raw
		}
		out := []byte{'['}
		for i, it := range items(raw) {
			if i == at {
				if it = setAt(it, path[1:], v); it == nil {
					continue
				}
			}
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, it...)
		}
		return append(out, ']')
	}
	return raw
}

// normal returns raw without white space and with each string in one spelling: the differences that a migration may make in a record that it rewrites.
func normal(raw []byte) []byte { return codec.AppendNormal(nil, raw) }
