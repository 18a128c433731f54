package graphir

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"

	"membench/internal/codec"
	"membench/schema"
	"membench/schema/jsonl"
)

// Members of a payload that make a setting, and the record's own.
const (
	fConv = iota
	fScene
	fCharacter
	fUser
	fAgent
	fOwnerType
	fOwnerID
	fOwnerInfer
	fCollection
	fIsolation
	fExported
	nSetting
)

// line makes a row directly from the bytes of a line. It returns false, without side effects, for lines that slow must handle: faults, findings, unusual
// shapes.
func (w *worker) line(line jsonl.Line, at pos) bool {
	s := &w.scan
	s.Reset(line.Bytes, false)
	var set [nSetting][]byte
	var id, data, hash, created, updated, events, eventsBy, eventsP []byte
	escaped, payload := false, false
	if !s.Object() {
		return false
	}
	for {
		name, ok := s.Member()
		if !ok {
			break
		}
		switch string(name) {
		case "id":
			id, ok = w.str()
		case "collection":
			set[fCollection], ok = w.str()
		case "isolation":
			set[fIsolation], ok = w.str()
		case "exported_at":
			set[fExported], ok = w.str()
		case "payload":
			if payload = true; s.Kind() != '{' {
				return false
			}
			s.Object()
			for ok {
				name, more := s.Member()
				if !more {
					break
				}
				switch string(name) {
				case "conv_id":
					set[fConv], ok = w.str()
				case "scene_id":
					set[fScene], ok = w.str()
				case "character_id":
					set[fCharacter], ok = w.str()
				case "user_id":
					set[fUser], ok = w.str()
				case "agent_id":
					set[fAgent], ok = w.str()
				case "owner_type":
					set[fOwnerType], ok = w.str()
				case "owner_id":
					set[fOwnerID], ok = w.str()
				case "owner_infer":
					set[fOwnerInfer], ok = w.str()
				case "hash":
					hash, ok = w.str()
				case "created_at":
					created, ok = w.str()
				case "updated_at":
					updated, ok = w.str()
				case "events_by":
					eventsBy, ok = w.str()
				case "data":
					if s.Kind() != '"' {
						return false
					}
					data, escaped, ok = s.String()
				case "events":
					events, ok = s.Skip()
				case "events_conf":
					if s.Kind() != '0' {
						return false
					}
					eventsP, ok = s.Number()
				default:
					_, ok = s.Skip()
				}
			}
		default:
			_, ok = s.Skip()
		}
		if !ok {
			return false
		}
	}
	if !s.End() || !payload || !stripped(id) || len(id) == 0 || len(data) == 0 || len(hash) != 32 {
		return false
	}
	if w.b.p.v != schema.V001 && (noTime(created) || noTime(updated) || noTime(set[fExported])) {
		return false
	}
	body := data
	if escaped {
		w.text = codec.AppendUnescaped(w.text[:0], data)
		body = w.text
	}
	r := row{point: id, created: created, data: data, escaped: escaped, at: instant(created), pos: at}
	if n, err := hex.Decode(r.hash[:], hash); err != nil || n != 16 || !lower(hash) {
		return false
	}
	prefix := byte(0)
	if w.b.p.v != schema.V001 {
		if md5.Sum(body) != r.hash {
			return false
		}
		switch {
		case bytes.HasPrefix(body, []byte("[User]")):
			prefix = 'U'
		case bytes.HasPrefix(body, []byte("[Agent]")):
			prefix = 'A'
		}
	}
	info := w.settingOf(&set, prefix)
	if info == nil {
		return false
	}
	refs, conf, ok := eventRefs(events, eventsP)
	if !ok {
		return false
	}
	if escaped {
		// The same text in the one spelling that we write.
		r.data = jsonBody(string(body))
		r.escaped = bytes.IndexByte(r.data, '\\') >= 0
	}
	w.add(&r, info)
	if len(refs) > 0 && w.b.p.v != schema.V001 {
		o := &occurrence{point: string(id), hash: string(hash), at: r.at, setting: setting{exportedAt: string(set[fExported])}, events: refs, eventsBy: string(eventsBy), eventsP: conf, pos: at}
		w.b.p.eventEdges(o, w.b.p.memoryID(o), w.part)
	}
	return true
}

// eventRefs reads the turns that a memory names and their confidence; nil if there are none.
func eventRefs(events, conf []byte) ([]schema.EventRef, float64, bool) {
	if events == nil && conf == nil {
		return nil, 0, true // by far the most common: nothing is allocated
	}
	var refs []schema.EventRef
	var p float64
	ok := (events == nil || codec.Unmarshal(events, &refs) == nil) && (conf == nil || codec.Unmarshal(conf, &p) == nil)
	return refs, p, ok
}

// str reads a string without escapes, or null as "".
func (w *worker) str() ([]byte, bool) {
	switch w.scan.Kind() {
	case '"':
		body, escaped, ok := w.scan.String()
		return body, ok && !escaped
	case 'n':
		_, ok := w.scan.Literal()
		return nil, ok
	}
	return nil, false
}

// stripped reports whether b surely has no white space at its ends.
func stripped(b []byte) bool {
	return len(b) == 0 || b[0] > ' ' && b[0] < 0x7f && b[len(b)-1] > ' ' && b[len(b)-1] < 0x7f
}

func lower(b []byte) bool {
	for _, c := range b {
		if c >= 'A' && c <= 'F' {
			return false
		}
	}
	return true
}

// settingOf finds the setting by its raw text, first among those met last.
func (w *worker) settingOf(set *[nSetting][]byte, prefix byte) *settingInfo {
	key := append(w.key[:0], prefix)
	for _, f := range set {
		key = append(append(key, f...), 0) // no body holds a raw NUL
	}
	w.key = key
	slot := &w.near[(hash64(set[fConv])*31+hash64(set[fUser]))%uint64(len(w.near))]
	if slot.key != nil && bytes.Equal(slot.key, key) {
		return slot.info
	}
	info := w.b.settingFor(key, func() (setting, bool) {
		s := setting{
			conv: strip(string(set[fConv])), scene: strip(string(set[fScene])), character: strip(string(set[fCharacter])),
			user: strip(string(set[fUser])), agent: strip(string(set[fAgent])),
			collection: string(set[fCollection]), isolation: string(set[fIsolation]), exportedAt: string(set[fExported]),
		}
		typ, id := strip(string(set[fOwnerType])), strip(string(set[fOwnerID]))
		if w.b.p.v == schema.V001 {
			s.owner = owner001(&s, typ, id, "")
			return s, s.character != "" || typ == schema.LabelAgent && id != "" // otherwise the owner is named after the point
		}
		s.owner = owner010(&s, typ, id, string(set[fOwnerInfer]), map[byte]string{'U': "[User]", 'A': "[Agent]"}[prefix])
		return s, true
	})
	slot.key, slot.info = append(slot.key[:0], key...), info
	return info
}
