package graphir

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"membench/internal/codec"
	"membench/internal/textnorm"
	"membench/schema"
)

// run makes the lines of one task.
func (b *bulk) run(ctx context.Context, t *task) (*result, error) {
	if t.done != nil {
		return t.done, nil
	}
	em := emitter{b: b, r: b.newResult(), seg: t.seg}
	parts := t.parts
	// below takes the parts before an id prefix, and the parts with it.
	below := func(start []byte) (before, with [][]byte) {
		i := 0
		for ; i < len(parts); i++ {
			if id, _ := cutKey(parts[i][1:]); bytes.Compare(id, start) >= 0 {
				break
			}
		}
		j := i
		for ; j < len(parts); j++ {
			if id, _ := cutKey(parts[j][1:]); !bytes.HasPrefix(id, start) {
				break
			}
		}
		before, with, parts = parts[:i], parts[i:j], parts[j:]
		return before, with
	}
	if t.rows != nil {
		rows, err := t.rows.Load(&em.r.rows)
		if err != nil {
			return nil, err
		}
		var start []byte
		for i := 0; i < len(rows); {
			key := b.key(t.seg, rows[i])
			j := i + 1
			for j < len(rows) && bytes.Equal(b.key(t.seg, rows[j]), key) {
				j++
			}
			var with [][]byte
			if len(parts) > 0 {
				var before [][]byte
				start = b.start(start[:0], t.seg, key)
				before, with = below(start)
				em.fold(before)
			}
			em.group(rows[i:j], with)
			i = j
		}
	}
	em.fold(parts)
	return em.r, nil
}

// An emitter writes the lines of groups of rows.
type emitter struct {
	b   *bulk
	r   *result
	seg segment

	hash          [32]byte
	rows          []row
	ends          []end
	rec           []byte
	points, convs [][]byte // JSON string bodies
}

// An end is the other end of an edge of a row.
type end struct {
	dst uint32 // name
	row *row
}

// read decodes a row of the segment.
func (em *emitter) read(x *row, rec []byte) {
	if em.seg.owners {
		rec = rec[ownerBytes:]
	}
	x.read(rec)
}

// note stores the data of a row that edges need, while nodes are written: whether it is the first of its setting, and a copy without its text in the order of
// owners.
func (em *emitter) note(x *row) {
	b := em.b
	if em.seg.typ != "" {
		return
	}
	if b.g.hasClaims && (len(em.r.hashes) == 0 || em.r.hashes[len(em.r.hashes)-1] != x.hash) {
		em.r.hashes = append(em.r.hashes, x.hash)
	}
	if x.at == b.settings.at(x.setting).first.Load() {
		em.r.firsts = append(em.r.firsts, firstOf{x.setting, x.at, x.hash, bytes.Clone(x.point), bytes.Clone(x.created), x.pos})
	}
	data, escaped := x.data, x.escaped
	x.data, x.escaped = nil, false
	em.rec = x.append(binary.BigEndian.AppendUint32(em.rec[:0], b.rankOf[b.settings.at(x.setting).owner]))
	x.data, x.escaped = data, escaped
	em.r.owned = append(binary.AppendUvarint(em.r.owned, uint64(len(em.rec))), em.rec...)
}

// parts adds the encoded parts that a row makes in the segment.
func (em *emitter) parts(recs [][]byte, x *row) [][]byte {
	o := x.occurrence(em.b.setting(x.setting))
	emit := func(p *part) {
		if p.typ != em.seg.typ {
			return
		}
		if x.points != nil && p.listed {
			p.points, p.times = x.points, x.times
		}
		recs = append(recs, p.append(nil))
	}
	if em.seg.typ == "" {
		em.b.p.memoryNode(o, emit)
	} else {
		em.b.p.memoryEdges(o, emit)
	}
	return recs
}

// occurrence converts a row back into an occurrence.
func (x *row) occurrence(in setting) *occurrence {
	data := x.data
	if x.escaped {
		data = codec.AppendUnescaped(nil, data)
	}
	hash := hex.EncodeToString(x.hash[:])
	return &occurrence{point: string(x.point), hash: hash, rawHash: hash, data: string(data), createdAt: string(x.created), setting: in, at: x.at, pos: x.pos}
}

func (em *emitter) report(f *schema.Finding) { em.r.findings = append(em.r.findings, f) }

func (em *emitter) folder() *folder { return &folder{p: em.b.p, g: em.b.g, report: em.report} }

// put writes the line of an element, if there is one and it may stay.
func (em *emitter) put(e *folded) {
	if e == nil || !em.b.g.keep(e, em.report) {
		return
	}
	if e.edge {
		em.r.counts.edge(e.typ)
	} else {
		em.r.counts.node(e.labels[0])
	}
	em.r.out = e.append(em.r.out)
}

// fold writes the elements of parts, which are in order.
func (em *emitter) fold(recs [][]byte) {
	if len(recs) == 0 {
		return
	}
	f := em.folder()
	for _, rec := range recs {
		em.put(f.add(rec))
	}
	em.put(f.flush())
}

// group writes the elements of the rows of one key in the segment, merged with other parts of the same elements.
func (em *emitter) group(recs, with [][]byte) {
	em.rows = slices.Grow(em.rows[:0], len(recs))[:len(recs)]
	rows := em.rows
	for i, rec := range recs {
		em.read(&rows[i], rec)
		em.note(&rows[i])
	}
	hex.Encode(em.hash[:], rows[0].hash[:])
	if len(with) == 0 && len(rows) == 1 && (rows[0].points == nil || em.b.p.v == schema.V001) {
		x := &rows[0]
		if em.seg.typ == "" {
			em.node(x)
		} else if dst := em.b.names.body.at(em.end(x)); len(dst) > 0 {
			em.edge(dst, x)
		} else {
			return
		}
		em.r.out = append(em.r.out, "}}\n"...)
		return
	}
	em.ends = em.ends[:0]
	for i := range rows {
		em.ends = append(em.ends, end{em.end(&rows[i]), &rows[i]})
	}
	exported := func(x *row) string { return em.export(x).exportedAt }
	slices.SortFunc(em.ends, func(x, y end) int {
		return cmp.Or(x.row.compare(y.row), strings.Compare(exported(x.row), exported(y.row)))
	})
	for i := range em.ends {
		x := em.ends[i].row
		if i > 0 && (x.compare(em.ends[i-1].row) == 0 && exported(x) == exported(em.ends[i-1].row) || em.seg.typ == "" && !bytes.Equal(x.data, em.ends[i-1].row.data)) || len(with) > 0 {
			// They differ only in content, or two texts have the same hash.
			with = slices.Clone(with)
			for i := range rows {
				with = em.parts(with, &rows[i])
			}
			slices.SortFunc(with, bytes.Compare)
			em.fold(with)
			return
		}
	}
	if em.seg.typ == "" {
		em.node(em.ends[0].row)
		em.lists(em.ends, true)
		return
	}
	// One edge for each end, in the order of ids.
	id := func(e end) []byte { return em.b.names.id.at(e.dst) }
	ends := slices.DeleteFunc(em.ends, func(e end) bool { return len(id(e)) == 0 })
	slices.SortStableFunc(ends, func(x, y end) int { return bytes.Compare(id(x), id(y)) })
	for len(ends) > 0 {
		n := 1
		for n < len(ends) && bytes.Equal(id(ends[n]), id(ends[0])) {
			n++
		}
		em.edge(em.b.names.body.at(ends[0].dst), ends[0].row)
		em.lists(ends[:n], false)
		ends = ends[n:]
	}
}

// end returns the name at the edge's other end; its id is "" if there is none.
func (em *emitter) end(x *row) uint32 {
	s := em.b.settings.at(x.setting)
	switch em.seg.typ {
	case schema.EdgeFromConv:
		return s.conv
	case schema.EdgeInScene:
		return s.scene
	}
	return s.owner
}

// export is what a row's memory came out of.
func (em *emitter) export(x *row) *export { return &em.b.exports[em.b.settings.at(x.setting).export] }

// node writes the line of a memory up to its last property.
func (em *emitter) node(x *row) {
	em.r.counts.Nodes++
	em.r.counts.Labels[schema.LabelMemoryItem]++
	dst := append(em.r.out, `{"id": "mem:`...)
	dst = append(dst, em.hash[:]...)
	dst = append(dst, `", "labels": ["MemoryItem"], "props": {"point_id": "`...)
	dst = append(dst, x.point...)
	dst = append(dst, `", "payload_hash": "`...)
	dst = append(dst, em.hash[:]...)
	dst = append(dst, `", "data": "`...)
	dst = append(dst, x.data...)
	dst = append(dst, `", "created_at": `...)
	dst = appendQuoted(dst, x.created)
	dst = append(dst, em.export(x).tail...)
	dst = append(dst, `, "display": "`...)
	at := len(dst)
	dst = em.display(dst, x)
	n := len(dst)
	dst = append(dst, `", "name": "`...)
	dst = append(dst, dst[at:n]...)
	em.r.out = append(dst, '"')
}

func appendQuoted(dst, body []byte) []byte {
	if len(body) == 0 {
		return append(dst, "null"...)
	}
	return append(append(append(dst, '"'), body...), '"')
}

// display appends the JSON body of the memory's display name.
func (em *emitter) display(dst []byte, x *row) []byte {
	if !x.escaped {
		if n := previewLen(x.data); n > 0 {
			dst = append(dst, x.data[:n]...)
			return append(append(dst, " #"...), em.hash[:8]...)
		}
	}
	data := x.data
	if x.escaped {
		data = codec.AppendUnescaped(nil, data)
	}
	return append(dst, jsonBody(display(string(data), string(em.hash[:]), string(x.point)))...)
}

// previewLen returns the length of the first 40 code points of s if collapsing white space would not change them; otherwise 0.
func previewLen(s []byte) int {
	n, blank := 0, true
	for i := 0; i < len(s); {
		if n == 40 {
			if blank {
				return 0
			}
			return i
		}
		c := s[i]
		if c < 0x80 {
			if c == ' ' {
				if blank {
					return 0
				}
				blank = true
			} else if c < ' ' {
				return 0
			} else {
				blank = false
			}
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if textnorm.IsSpace(r) {
			return 0
		}
		blank = false
		i += size
		n++
	}
	if blank {
		return 0
	}
	return len(s)
}

// edge writes the line of an edge of the memory up to its last property.
func (em *emitter) edge(end []byte, x *row) {
	em.r.counts.Edges++
	em.r.counts.Types[em.seg.typ]++
	dst := append(em.r.out, `{"id": "edge:`...)
	dst = append(append(dst, em.seg.typ...), ':')
	if em.seg.typ == schema.EdgeOwnsMemory {
		dst = append(append(dst, end...), ":mem:"...)
		dst = append(dst, em.hash[:]...)
		dst = append(dst, `", "type": "OWNS_MEMORY", "src": "`...)
		dst = append(dst, end...)
		dst = append(dst, `", "dst": "mem:`...)
		dst = append(dst, em.hash[:]...)
	} else {
		dst = append(dst, "mem:"...)
		dst = append(dst, em.hash[:]...)
		dst = append(append(dst, ':'), end...)
		dst = append(dst, `", "type": "`...)
		dst = append(dst, em.seg.typ...)
		dst = append(dst, `", "src": "mem:`...)
		dst = append(dst, em.hash[:]...)
		dst = append(dst, `", "dst": "`...)
		dst = append(dst, end...)
	}
	dst = append(dst, `", "props": {"processed_key": "`...)
	dst = append(dst, em.hash[:]...)
	dst = append(dst, `", "source_point_id": "`...)
	dst = append(dst, x.point...)
	dst = append(dst, `", "exported_at": `...)
	dst = append(dst, em.export(x).exported...)
	dst = append(dst, `, "created_at": `...)
	em.r.out = appendQuoted(dst, x.created)
}

// lists ends a line with the lists of all its occurrences; convs reports that their conversations are listed, too.
func (em *emitter) lists(of []end, convs bool) {
	if em.b.p.v != schema.V001 {
		times, cut := 0, false
		em.points, em.convs = em.points[:0], em.convs[:0]
		for _, e := range of {
			times += e.row.times
			em.points = e.row.appendPoints(em.points)
			if conv := em.b.names.text.at(em.b.settings.at(e.row.setting).conv); convs && len(conv) > 0 {
				em.convs = append(em.convs, conv) // it has no escapes, see regular
			}
		}
		em.points, em.convs = smallest(em.points, &cut), smallest(em.convs, &cut)
		em.r.out = appendLists(em.r.out, codec.Spaced, em.points, em.convs, appendQuoted, cut, times)
		if cut {
			id := "mem:" + string(em.hash[:])
			if em.seg.typ != "" {
				id = "an edge " + em.seg.typ + " of " + id
			}
			em.report(cutFinding(em.b.g.unpack(of[0].row.pos), id))
		}
	}
	em.r.out = append(em.r.out, "}}\n"...)
}

// smallest sorts a list, drops repeats and cuts it to maxList.
func smallest(list [][]byte, cut *bool) [][]byte {
	if len(list) > 1 {
		slices.SortFunc(list, bytes.Compare)
		list = slices.CompactFunc(list, bytes.Equal)
	}
	if len(list) > maxList {
		list, *cut = list[:maxList], true
	}
	return list
}
