package graphir

import (
	"bytes"
	"context"
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
	r := b.newResult()
	switch {
	case t.keys == nil:
	case b.spool == nil:
		t.t = b.rowsOf(*t.keys)
	default:
		t.t = b.newTable()
		defer b.freeTable(t.t)
		if t.seg.typ != "" {
			if err := b.loadSlim(t.t, t.at); err != nil {
				return nil, err
			}
			break
		}
		if err := b.load(t.t, t.keys.lo, t.keys.hi); err != nil {
			return nil, err
		}
		b.sortTable(t.t)
	}
	em := emitter{b: b, r: r, seg: t.seg}
	if len(t.parts) > 0 {
		em.slowly(t)
	} else if t.seg.typ == "OWNS_MEMORY" {
		for _, l := range t.owned {
			for _, start := range l.starts {
				em.group(l.t, int(start), int(start)+group(l.t, int(start)), int(l.owner))
			}
		}
	} else if t.t != nil {
		for j := 0; j < len(t.t.rows); {
			n := group(t.t, j)
			em.group(t.t, j, j+n, -1)
			j += n
		}
	}
	if t.t != nil && t.seg.typ == "" {
		r.firsts = b.firstsOf(r.firsts, t.t)
		if b.spool != nil {
			r.at = t.at
			b.slimOf(r, t.t)
		}
	}
	return r, nil
}

// firstsOf finds the rows that are as early as their setting's first.
func (b *bulk) firstsOf(out []firstOf, t *table) []firstOf {
	var x rowText
	for i := range t.rows {
		r := &t.rows[i]
		if r.at == b.flat[r.setting].first {
			x.read(t.text(r))
			out = append(out, firstOf{r.setting, r.at, r.hash, bytes.Clone(x.point), bytes.Clone(x.created), x.pos})
		}
	}
	return out
}

// slimOf encodes rows without their data.
func (b *bulk) slimOf(r *result, t *table) {
	if r.owned == nil {
		r.owned = make([]spooled, ownerBuckets)
	}
	var x rowText
	var text []byte
	for i := range t.rows {
		row := &t.rows[i]
		x.read(t.text(row))
		x.data, x.escaped = nil, false
		text = appendRow(text[:0], &x)
		n := len(r.slim.rows)
		r.slim.rows = appendSpooled(r.slim.rows, row, text)
		r.slim.n++
		o := &r.owned[b.bucketOf[b.ownerOf[row.setting]]]
		o.rows = append(o.rows, r.slim.rows[n:]...)
		o.n++
	}
}

// An emitter writes the lines of groups of rows.
type emitter struct {
	b   *bulk
	r   *result
	seg segment

	hash  [32]byte
	one   rowText
	texts []rowText
	rows  []*row
	recs  [][]byte
}

// parts adds the encoded parts that rows [i,j) make in the segment.
func (em *emitter) parts(recs [][]byte, t *table, i, j, owner int) [][]byte {
	b := em.b
	for ; i < j; i++ {
		r := &t.rows[i]
		if owner >= 0 && int(b.ownerOf[r.setting]) != owner {
			continue
		}
		var x rowText
		x.read(t.text(r))
		o := b.occurrence(r, &x)
		emit := func(p *part) {
			if p.typ != em.seg.typ {
				return
			}
			if x.points != nil && p.listed {
				p.points, p.times, p.cut = x.points, x.times, x.cut
			}
			recs = append(recs, p.append(nil))
		}
		if em.seg.typ == "" {
			b.p.memoryNode(o, emit)
		} else {
			b.p.memoryEdges(o, emit)
		}
	}
	return recs
}

// slowly writes a task by way of parts: rows and other parts are folded together.
func (em *emitter) slowly(t *task) {
	recs := slices.Clone(t.parts)
	if t.seg.typ == "OWNS_MEMORY" {
		for _, l := range t.owned {
			for _, s := range l.starts {
				recs = em.parts(recs, l.t, int(s), int(s)+group(l.t, int(s)), int(l.owner))
			}
		}
	} else if t.t != nil {
		recs = em.parts(recs, t.t, 0, len(t.t.rows), -1)
	}
	em.fold(recs)
}

// fold writes the elements of parts.
func (em *emitter) fold(recs [][]byte) {
	slices.SortFunc(recs, compareParts)
	report := func(f *schema.Finding) { em.r.findings = append(em.r.findings, f) }
	f := folder{p: em.b.p, g: em.b.g, report: report}
	put := func(e *folded) {
		if e == nil || !em.b.g.keep(e, report) {
			return
		}
		if e.edge {
			em.r.counts.edge(e.typ)
		} else {
			em.r.counts.node(e.labels[0])
		}
		em.r.out = e.append(em.r.out)
	}
	for _, rec := range recs {
		put(f.add(rec))
	}
	put(f.flush())
}

// group writes what rows [i,j) of one memory make in the segment.
func (em *emitter) group(t *table, i, j, owner int) {
	hex.Encode(em.hash[:], t.rows[i].hash[:])
	if j-i == 1 {
		r := &t.rows[i]
		em.one.read(t.text(r))
		if em.one.points == nil || em.b.p.v == schema.V001 {
			s := &em.b.flat[r.setting]
			if em.seg.typ == "" {
				em.node(s, &em.one)
				em.r.out = append(em.r.out, "}}\n"...)
			} else if dst := em.b.bodies[em.end(s)]; len(dst) > 0 {
				em.edge(s, dst, &em.one)
				em.r.out = append(em.r.out, "}}\n"...)
			}
			return
		}
	}
	em.rows, em.texts = em.rows[:0], em.texts[:0]
	for k := i; k < j; k++ {
		r := &t.rows[k]
		if owner >= 0 && int(em.b.ownerOf[r.setting]) != owner {
			continue
		}
		em.rows = append(em.rows, r)
		em.texts = append(em.texts, rowText{})
		em.texts[len(em.texts)-1].read(t.text(r))
	}
	for k := 1; k < len(em.rows); k++ {
		x, y := &em.texts[k-1], &em.texts[k]
		if em.rows[k-1].at == em.rows[k].at && bytes.Equal(x.point, y.point) && em.b.exportOf[em.b.flat[em.rows[k-1].setting].export].exportedAt == em.b.exportOf[em.b.flat[em.rows[k].setting].export].exportedAt ||
			em.seg.typ == "" && !bytes.Equal(x.data, y.data) {
			// Only their contents tell them apart, or two texts have one hash.
			em.recs = em.parts(em.recs[:0], t, i, j, owner)
			em.fold(em.recs)
			return
		}
	}
	if em.seg.typ == "" {
		em.node(&em.b.flat[em.rows[0].setting], &em.texts[0])
		em.lists(em.texts, em.rows, true)
		return
	}
	// One edge for each end, in the order of ids.
	type end struct {
		dst *name
		k   int
	}
	var ends []end
	for k, r := range em.rows {
		if dst := em.b.nameOf[em.end(&em.b.flat[r.setting])]; dst.id != "" {
			ends = append(ends, end{dst, k})
		}
	}
	slices.SortStableFunc(ends, func(x, y end) int { return strings.Compare(x.dst.id, y.dst.id) })
	var texts []rowText
	for k := 0; k < len(ends); {
		n := k + 1
		for n < len(ends) && ends[n].dst.id == ends[k].dst.id {
			n++
		}
		texts = texts[:0]
		for _, e := range ends[k:n] {
			texts = append(texts, em.texts[e.k])
		}
		em.edge(&em.b.flat[em.rows[ends[k].k].setting], ends[k].dst.body, &texts[0])
		em.lists(texts, nil, false)
		k = n
	}
}

// end is the name at the edge's other end; its id is "" when there is none.
func (em *emitter) end(s *flatSetting) uint32 {
	switch em.seg.typ {
	case "FROM_CONV":
		return s.conv
	case "IN_SCENE":
		return s.scene
	}
	return s.owner
}

// node writes the line of a memory up to its last property.
func (em *emitter) node(s *flatSetting, x *rowText) {
	em.r.counts.Nodes++
	em.r.counts.Labels["MemoryItem"]++
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
	dst = append(dst, em.b.exportOf[s.export].tail...)
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
func (em *emitter) display(dst []byte, x *rowText) []byte {
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

// previewLen is the length of the first 40 code points of s when collapsing white
// space would not change them; else 0.
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
func (em *emitter) edge(s *flatSetting, end []byte, x *rowText) {
	em.r.counts.Edges++
	em.r.counts.Types[em.seg.typ]++
	dst := append(em.r.out, `{"id": "edge:`...)
	dst = append(append(dst, em.seg.typ...), ':')
	if em.seg.typ == "OWNS_MEMORY" {
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
	dst = append(dst, em.b.exportOf[s.export].exported...)
	dst = append(dst, `, "created_at": `...)
	em.r.out = appendQuoted(dst, x.created)
}

// lists ends a line with the lists of all its occurrences; convs says that rows are
// given and their conversations are listed, too.
func (em *emitter) lists(texts []rowText, rows []*row, convs bool) {
	if em.b.p.v != schema.V001 {
		var points, names []string
		cut, times := false, 0
		for i := range texts {
			x := &texts[i]
			times += x.times
			cut = cut || x.cut
			if x.points != nil {
				points = append(points, x.points...)
			} else {
				points = append(points, string(x.point))
			}
			if convs {
				if c := em.b.settings[rows[i].setting].conv.text; c != "" {
					names = append(names, c)
				}
			}
		}
		points = smallest(points, &cut)
		names = smallest(names, &cut)
		em.list("point_ids", points)
		em.list("conv_ids", names)
		if cut {
			em.r.out = append(em.r.out, `, "occurrences": `...)
			em.r.out = appendInt(em.r.out, times)
			id := "mem:" + string(em.hash[:])
			if em.seg.typ != "" {
				id = "an edge " + em.seg.typ + " of " + id
			}
			em.r.findings = append(em.r.findings, cutFinding(em.b.g.unpack(texts[0].pos), id))
		}
	}
	em.r.out = append(em.r.out, "}}\n"...)
}

// smallest sorts a list, drops repeats and cuts it to maxList.
func smallest(list []string, cut *bool) []string {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > maxList {
		list, *cut = list[:maxList], true
	}
	return list
}

func (em *emitter) list(name string, list []string) {
	if len(list) < 2 {
		return
	}
	dst := append(append(append(em.r.out, `, "`...), name...), `": [`...)
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = codec.AppendString(dst, s)
	}
	em.r.out = append(dst, ']')
}
