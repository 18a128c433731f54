package validate

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"membench/internal/jsonschema"
	"membench/internal/textnorm"
	"membench/schema"
	"membench/schema/catalog"
)

func (w *worker) node(at int) {
	var id, labels, props int
	w.pick(at, want{"id", &id}, want{"labels", &labels}, want{"props", &props})
	mask, first := uint64(0), []byte(nil)
	for _, l := range w.doc.Elems(labels) {
		name := w.text(l)
		if len(name) == 0 {
			continue
		}
		if first == nil {
			first = name
		}
		def, ok := w.cat.Labels[string(name)]
		switch {
		case !ok:
			w.fault(l, "GRF001", "the label is not in the catalogue", quote(name), "a label of the catalogue (membench schema show catalog)")
			mask |= 1 << 63
		case w.v.Before(def.Since):
			w.warn(l, "GRF001", "the label is newer than the file's version", quote(name), "since "+string(def.Since))
		}
		mask |= w.bits[string(name)]
	}
	if mask == 0 {
		mask = 1 << 63 // without labels any edge may end here: the node is at fault
	}
	if text := w.text(id); len(text) > 0 {
		w.nodeID(id, text, first, props)
		w.length(id)
		if at == 0 {
			w.put(fact{op: opDefine, ns: nsNode, k: hashKey(nsNode, text), tup: mask, ptr: ptrID, id: text}, id)
			w.facts = append(w.facts, fact{op: opNodeLine})
		}
	}
	label := string(first)
	w.props(props, label, w.cat.Labels[label].Props)
}

func (w *worker) nodeID(at int, id, name []byte, props int) {
	label := string(name)
	def, ok := w.cat.Labels[label]
	if !ok {
		w.grammar(at, id)
		return
	}
	if have, _, ok := bytes.Cut(id, []byte{':'}); !ok || string(have) != def.Prefix {
		w.fault(at, "GRF006", "the id's prefix does not match that of "+label, quote(id), def.Prefix+":…")
		return
	}
	if w.nodeIDIs(id, def, label, props) {
		w.grammar(at, id)
		return
	}
	var want []string
	str := func(name string) (string, bool) {
		n := w.doc.Get(props, name)
		return w.str(n), n >= 0 && w.doc.Nodes[n].Kind == jsonschema.String
	}
	switch label {
	case schema.LabelMemoryItem:
		data, ok := str("data")
		hash, _ := str("payload_hash")
		at := w.doc.Get(props, "point_id")
		point, okPoint := string(w.point(at)), at >= 0 && w.doc.Nodes[at].Kind != jsonschema.Null
		if w.v == schema.V001 {
			ok = schema.IsHash(hash) || okPoint
		}
		if ok {
			want = append(want, string(w.mint.Memory(data, hash, schema.PointID(point))))
		}
	case schema.LabelEvent:
		conv, ok1 := str("conv_id")
		turn, ok2 := w.integer(w.doc.Get(props, "turn_id"))
		if ok1 && ok2 {
			want = append(want, string(w.mint.Event(schema.EventRef{ConvID: schema.ConvID(conv), TurnID: int(turn)})))
		}
	case schema.LabelSession:
		conv, ok1 := str("conv_id")
		session, ok2 := str("session_id")
		if ok1 && ok2 {
			want = append(want, string(w.mint.Session(schema.ConvID(conv), session)))
		}
	case schema.LabelDomain, schema.LabelPredicate:
		root, ok1 := str("character_id")
		domain, ok2 := str("domain")
		predicate, ok3 := str("predicate")
		for _, r := range []schema.NodeID{w.mint.Character(root), schema.NodeID(root)} {
			if label == schema.LabelDomain && ok1 && ok2 {
				want = append(want, string(w.mint.Domain(r, domain)))
			} else if ok1 && ok2 && ok3 {
				want = append(want, string(w.mint.Predicate(r, domain, predicate)))
			}
		}
	case schema.LabelClaim:
		predicate, ok1 := str("predicate")
		domain, ok2 := str("domain")
		if head := "claim:" + predicate + "|" + w.mint.Escape(domain) + "|"; ok1 && ok2 && !bytes.HasPrefix(id, []byte(head)) {
			w.fault(at, "ID002", "the id does not match the claim's predicate and domain", quote(id), quote(head+"…"))
			return
		}
	default:
		if s, ok := str(def.Key); def.Key != "" && ok {
			want = append(want, string(w.mint.Node(def.Prefix, s)))
			w.raw(at, id)
		} else if e := w.entityID(label, props, id); e != "" {
			want = append(want, e)
		} else {
			w.raw(at, id)
		}
	}
	if len(want) > 0 && !slices.Contains(want, string(id)) {
		w.fault(at, "ID002", "the id does not match the node's properties", quote(id), quote(want[0]))
		return
	}
	w.grammar(at, id)
}

// nodeIDIs accepts the common ids without allocating one.
func (w *worker) nodeIDIs(id []byte, def catalog.Label, label string, props int) bool {
	if w.v == schema.V001 {
		return false
	}
	if label == schema.LabelMemoryItem {
		data := w.text(w.doc.Get(props, "data"))
		if data == nil || len(id) != 36 {
			return false
		}
		sum := md5.Sum(data)
		want := hex.AppendEncode(append(w.mem[:0], "mem:"...), sum[:])
		return bytes.Equal(want, id)
	}
	if def.Key == "" || w.cat.Entities[label].Prefix != "" && w.cat.Entities[label].Key != def.Key {
		return false
	}
	name := w.text(w.doc.Get(props, def.Key))
	c := cutter(id)
	return name != nil && c.lit(def.Prefix) && c.lit(":") && bytes.Equal(c, name) && plainText(name)
}

func (w *worker) edge(at int) {
	var id, typ, src, dst, props int
	w.pick(at, want{"id", &id}, want{"type", &typ}, want{"src", &src}, want{"dst", &dst}, want{"props", &props})
	t, s, o, idText := w.text(typ), w.text(src), w.text(dst), w.text(id)
	from, to := ^uint64(0), ^uint64(0)
	if len(t) > 0 {
		if def, ok := w.cat.Edges[string(t)]; ok {
			from, to = w.masks(string(t), def)
			if w.v.Before(def.Since) {
				w.warn(typ, "GRF002", "the edge type is newer than the file's version", quote(t), "since "+string(def.Since))
			} else if def.Until != "" && def.Until.Before(w.v) {
				w.warn(typ, "GRF002", "the edge type is no longer written", quote(t), "until "+string(def.Until))
			}
		} else if _, ok := w.cat.Predicate(string(t)); !ok { // a shortcut edge is named for its predicate
			w.fault(typ, "GRF002", "the edge type is not in the catalogue", quote(t), "a type of the catalogue (membench schema show catalog)")
		}
	}
	if len(idText) > 0 && len(t) > 0 && len(s) > 0 && len(o) > 0 {
		c := cutter(idText)
		same := c.lit("edge:") && c.part(t) && c.lit(":") && c.part(s) && c.lit(":") && c.part(o) && len(c) == 0
		if !same && !w.chainEdge(idText, t, s, o, props) {
			w.fault(id, "ID002", "the id does not match type, src and dst", quote(idText), quote(string(w.mint.Edge(string(t), schema.NodeID(s), schema.NodeID(o)))))
		}
		w.direction(dst, t, s, o)
	}
	if idText != nil {
		w.length(id)
	}
	if at == 0 {
		if len(idText) > 0 {
			w.put(fact{op: opDefine, ns: nsEdge, k: hashKey(nsEdge, idText), tup: hashKey(0, t, s, o)[0], ptr: ptrID, id: idText}, id)
		}
		if len(s) > 0 {
			w.put(fact{op: opRefer, ns: nsNode, k: hashKey(nsNode, s), tup: from, ptr: ptrSrc, id: s}, src)
		}
		if len(o) > 0 {
			w.put(fact{op: opRefer, ns: nsNode, k: hashKey(nsNode, o), tup: to, ptr: ptrDst, id: o}, dst)
		}
		w.facts = append(w.facts, fact{op: opEdgeLine})
	}
	w.props(props, string(t), w.cat.Edges[string(t)].Props)
}

// chainEdge knows the ids that the existing chain's claims graph uses in 0.0.1.
func (w *worker) chainEdge(id, typ, src, dst []byte, props int) bool {
	if w.v != schema.V001 {
		return false
	}
	join := func(parts ...string) bool { return string(id) == strings.Join(parts, ":") }
	s, o := string(src), string(dst)
	switch string(typ) {
	case schema.EdgeHasDomain:
		return join("has_domain", s, w.str(w.doc.Get(props, "domain")))
	case schema.EdgeHasPredicate:
		return join("has_predicate", s, o)
	case schema.EdgeHasClaim:
		return join("has_claim", s, o)
	case schema.EdgeAbout:
		return join("about", s, o)
	case schema.EdgeEvidencedBy:
		return strings.HasPrefix(string(id), "evidenced_by:"+s+":"+o+":")
	}
	return strings.HasPrefix(string(id), "pred:"+string(typ)+":"+s+":"+o+":claim:")
}

// masks are the labels that an edge type may start from and lead to, as bits.
func (w *worker) masks(typ string, def catalog.Edge) (from, to uint64) {
	if m, ok := w.edgeMasks[typ]; ok {
		return m[0], m[1]
	}
	mask := func(names []string) (m uint64) {
		for _, n := range names {
			bit, ok := w.bits[n]
			if !ok { // "*", or more labels than bits
				return ^uint64(0)
			}
			m |= bit
		}
		return m
	}
	from, to = mask(def.From), mask(def.To)
	if w.edgeMasks == nil {
		w.edgeMasks = map[string][2]uint64{}
	}
	w.edgeMasks[typ] = [2]uint64{from, to}
	return from, to
}

// direction checks the order of turns that NEXT and REPLY_TO promise.
func (w *worker) direction(at int, typ, src, dst []byte) {
	if string(typ) != schema.EdgeNext && string(typ) != schema.EdgeReplyTo {
		return
	}
	a, err1 := schema.ParseID(string(src))
	b, err2 := schema.ParseID(string(dst))
	if err1 != nil || err2 != nil || a.Prefix != "event" || b.Prefix != "event" {
		return
	}
	x, _ := strconv.Atoi(a.Parts[1])
	y, _ := strconv.Atoi(b.Parts[1])
	switch {
	case a.Parts[0] != b.Parts[0]:
		w.fault(at, "GRF008", string(typ)+" joins two conversations", quote(b.Parts[0]), quote(a.Parts[0]))
	case string(typ) == schema.EdgeNext && y <= x:
		w.fault(at, "GRF008", "NEXT does not lead to a later turn", strconv.Itoa(y), "more than "+strconv.Itoa(x))
	case string(typ) == schema.EdgeReplyTo && y >= x:
		w.fault(at, "GRF008", "REPLY_TO does not lead to an earlier turn", strconv.Itoa(y), "less than "+strconv.Itoa(x))
	}
}

// pairs of properties whose first must not lie after the second.
var pairs = [][2]string{{"created_at", "updated_at"}, {"valid_at", "invalid_at"}, {"valid_from", "valid_to"}, {"start_line", "end_line"}, {"created_at", "expired_at"}}

var reservedProps = []string{"id", "type", "src", "dst", "scope", "props_json", "_hash"}

// props checks the properties of a node, or of an edge, of the label or type of, which has the properties known in the catalogue. Those of a claim are held to what
// a claim may say.
func (w *worker) props(props int, of string, known []string) {
	claim := of == schema.LabelClaim
	d := &w.doc
	mayOrder := 0
	for k, v := range d.Members(props) {
		name := d.Text(k)
		n := d.Nodes[v]
		if len(known) > 0 && !slices.ContainsFunc(known, func(p string) bool { return p == string(name) }) {
			w.misspelt(k, string(name), of, known, props)
		}
		if n.Kind == jsonschema.Number && n.Int && n.End-n.Start >= 19 {
			if _, ok := w.integer(v); !ok {
				w.warn(v, "GRF011", "the integer does not fit 64 bits", quote(d.Raw(v)), "a string")
			}
		}
		switch len(name) {
		case 6, 8:
			if claim {
				w.claimProp(name, v)
			}
		case 2, 3, 4, 5, 10:
			if claim && string(name) != "confidence" {
				w.claimProp(name, v)
			} else if string(name) == "confidence" && n.Kind == jsonschema.Number {
				if x, err := strconv.ParseFloat(string(d.Raw(v)), 64); err != nil || x < 0 || x > 1 {
					w.fault(v, "GRF015", "the confidence is out of range", quote(d.Raw(v)), "0 to 1")
				}
			}
			if slices.Contains(reservedProps, string(name)) {
				w.warn(v, "GRF010", "a property with a reserved name", quote(name), "p_"+string(name))
			}
		}
		if len(name) >= 8 && (name[0] == 'u' || name[0] == 'i' || name[0] == 'v' || name[0] == 'e') {
			switch string(name) {
			case "updated_at", "invalid_at", "valid_to", "end_line", "expired_at":
				mayOrder++
			}
		}
	}
	if mayOrder == 0 {
		return
	}
	for _, p := range pairs {
		a, b := d.Get(props, p[0]), d.Get(props, p[1])
		if a < 0 || b < 0 {
			continue
		}
		if x, ok := w.integer(a); ok {
			if y, ok := w.integer(b); ok && y < x {
				w.fault(b, "GRF009", "the end lies before the beginning", num2(y), "at least "+num2(x))
			}
			continue
		}
		w.ordered(a, b, "GRF009", false)
	}
}

// misspelt warns of a property that its label or type does not have, if its name is nearly that of one that it has and that is missing here: readers of the graph
// do not see it.
func (w *worker) misspelt(at int, name, of string, known []string, props int) {
	if slices.ContainsFunc(pairs, func(p [2]string) bool { return name == p[0] || name == p[1] }) {
		return // invalid_at is another name, not a misspelt valid_at
	}
	for _, meant := range known {
		if textnorm.Near(name, meant) && w.doc.Get(props, meant) < 0 {
			w.warn(at, "GRF016", "a property has nearly the name of one that "+of+" has", name, meant)
		}
	}
}

// claimProp checks one property of a claim, as the contract of claims does.
func (w *worker) claimProp(name []byte, at int) {
	text := w.text(at)
	if len(text) == 0 {
		return
	}
	switch string(name) {
	case "status":
		switch string(text) {
		case schema.StatusActive, schema.StatusDeprecated, schema.StatusCandidate, schema.StatusSuperseded:
		default:
			w.fault(at, "GRF015", "the status is unknown", quote(text), strings.Join([]string{schema.StatusActive, schema.StatusDeprecated, schema.StatusCandidate, schema.StatusSuperseded}, ", "))
		}
	case "valid_at", "invalid_at", "updated_at":
		if _, ok := schema.ParseInstant(text); !ok {
			w.fault(at, "GRF015", "the time cannot be read", quote(text), "RFC 3339, such as 2026-03-01T09:00:00Z")
		}
	}
}

// --- runs
