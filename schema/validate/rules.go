package validate

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"membench/internal/jsonschema"
	"membench/schema"
	"membench/schema/catalog"
)

// Name spaces of the index.
const (
	nsNone byte = iota
	nsNode
	nsEdge
	nsClaim
	nsEntity
	nsPoint  // an export's (collection, id)
	nsMemory // a memory's id; its identity is the text
	nsPair   // (memory, point)
	nsEvent
	nsConv
	nsProbe
	nsInject
)

// A fact is what a record says about the set: it defines an id, refers to one, or is
// a turn.
type fact struct {
	op      byte
	ns      byte
	ptr     byte // pointers[ptr], with idx for %d
	flag    byte
	idx     int32
	off     int32
	k, cond key    // a reference counts only if cond is defined too, unless it is zero
	tup     uint64 // what makes two things with one id different; refs: what must agree
	num     int64  // turn
	id      []byte // for messages; shares the block's bytes
}

const (
	opDefine byte = iota
	opRefer
	opTurn
	opNodeLine
	opEdgeLine
)

// Pointers of facts.
const (
	ptrID byte = iota
	ptrClaimID
	ptrEntityID
	ptrSrc
	ptrDst
	ptrEvidence
	ptrEvidenceText
	ptrEvidencePoint
	ptrSubject
	ptrObject
	ptrSuperseded
	ptrEvents
	ptrTurn
	ptrExpects
	ptrProbe
	ptrInject
	ptrProbeID
	ptrData
)

var pointers = [...]string{"/id", "/claim_id", "/entity_id", "/src", "/dst", "/evidence/%d/memory_item_id", "/evidence/%d/text", "/evidence/%d/point_id",
	"/subject/entity_id", "/object/entity_id", "/superseded_by", "/payload/events/%d/turn_id", "/turn_id", "/meta/expects/%d", "/meta/probe_id", "/meta/inject_id", "/probe_id", "/payload/data"}

func pointer(ptr byte, idx int32) string {
	if s := pointers[ptr]; strings.Contains(s, "%") {
		return fmt.Sprintf(s, idx)
	}
	return pointers[ptr]
}

func (w *worker) put(f fact, node int) *fact {
	f.off = w.doc.Nodes[node].Start
	w.facts = append(w.facts, f)
	return &w.facts[len(w.facts)-1]
}

// textHash stands for a text: 64 bits.
func textHash(b []byte) uint64 { return hashKey(0, b)[0] }

// rules runs what a schema cannot say over one record.
func (w *worker) rules(k schema.Kind) {
	if w.doc.Nodes[0].Kind != jsonschema.Object && k != schema.KindIndex {
		return
	}
	switch k {
	case schema.KindEvent:
		w.event()
	case schema.KindExport:
		w.export()
	case schema.KindClaim:
		w.claim()
	case schema.KindEntity:
		w.entity()
	case schema.KindNode:
		w.node(0)
	case schema.KindEdge:
		w.edge(0)
	case schema.KindChange:
		for _, name := range []string{"old", "new"} {
			if el := w.doc.Get(0, name); el >= 0 && w.doc.Nodes[el].Kind == jsonschema.Object {
				if w.doc.Get(el, "src") >= 0 || w.doc.Get(el, "dst") >= 0 {
					w.edge(el)
				} else {
					w.node(el)
				}
			}
		}
	case schema.KindSpanAnchor:
		w.span(0)
	case schema.KindIndex:
		w.index()
	case schema.KindProbe:
		w.probe()
	case schema.KindManifest:
		w.manifest()
	}
}

// brokenFacts keeps the id of a record that could be read only in part, so that what
// refers to it is not reported as dangling.
func (w *worker) brokenFacts(k schema.Kind) []fact {
	ns, name := nsNone, "id"
	switch k {
	case schema.KindNode:
		ns = nsNode
	case schema.KindClaim:
		ns, name = nsClaim, "claim_id"
	case schema.KindEntity:
		ns, name = nsEntity, "entity_id"
	}
	if id := w.text(w.doc.Get(0, name)); ns != nsNone && id != nil {
		return []fact{{op: opDefine, ns: ns, k: hashKey(ns, id), flag: flagAny}}
	}
	return nil
}

const (
	flagAny     byte = 1 << iota // matches anything: read only in part
	flagSubject                  // LNK004
)

// --- events

var tagBits = map[string]int64{schema.TagCanon: 1, schema.TagEpisodic: 2, schema.TagFiller: 4, schema.TagInject: 8, schema.TagProbe: 16}

func (w *worker) event() {
	d := &w.doc
	conv, turn, tags, meta := -1, -1, -1, -1
	for k, v := range d.Members(0) {
		switch string(d.Text(k)) {
		case "conv_id":
			conv = v
		case "turn_id":
			turn = v
		case "tags":
			tags = v
		case "meta":
			meta = v
		}
	}
	mask, n := int64(0), 0
	if tags >= 0 && d.Nodes[tags].Kind == jsonschema.Array {
		n = int(d.Nodes[tags].N)
		for _, t := range d.Elems(tags) {
			mask |= tagBits[string(w.text(t))]
		}
		if n != 1 {
			w.older(tags, "EVT004", "an event has exactly one main tag", strconv.Itoa(n), "1")
		}
	}
	convText := w.text(conv)
	turnNo, okTurn := w.integer(turn)
	okTurn = okTurn && turnNo >= 1 && convText != nil
	if okTurn {
		w.put(fact{op: opTurn, ns: nsEvent, k: hashKey(nsEvent, convText, num(turnNo)), cond: hashKey(nsConv, convText), num: turnNo, tup: uint64(mask), ptr: ptrTurn, id: convText}, turn)
	}
	w.meta(meta, mask, convText, turnNo)
}

func num(n int64) []byte { return strconv.AppendInt(make([]byte, 0, 20), n, 10) }

// integer is the value of an integer node.
func (w *worker) integer(node int) (int64, bool) {
	if node < 0 || w.doc.Nodes[node].Kind != jsonschema.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(string(w.doc.Raw(node)), 10, 64)
	return n, err == nil
}

func (w *worker) meta(meta int, tags int64, conv []byte, turn int64) {
	d := &w.doc
	probe, inject := -1, -1
	for k, v := range d.Members(meta) {
		switch string(d.Text(k)) {
		case "source_path":
			w.path(v)
		case "start_line":
			w.span(meta)
		case "probe_id":
			probe = v
		case "inject_id":
			inject = v
		case "expects":
			for i, x := range d.Elems(v) {
				id := w.text(x)
				if id == nil {
					continue
				}
				ns := nsInject
				if bytes.HasPrefix(id, []byte("claim:")) {
					ns = nsClaim
				}
				w.put(fact{op: opRefer, ns: ns, k: hashKey(ns, id), ptr: ptrExpects, idx: int32(i), id: id}, x)
			}
		}
	}
	if w.v != schema.V001 {
		if tags&16 != 0 && probe < 0 {
			w.warn(max(meta, 0), "EVT008", "a probe without probe_id", "", "p_<conv_id>_<NNN>")
		}
		if tags&8 != 0 && inject < 0 {
			w.warn(max(meta, 0), "EVT008", "an inject without inject_id", "", "i_<conv_id>_<NNN>")
		}
	}
	tup := textHash(conv) + uint64(turn)
	if id := w.text(probe); id != nil {
		w.put(fact{op: opDefine, ns: nsProbe, k: hashKey(nsProbe, id), tup: tup, ptr: ptrProbe, id: id}, probe)
	}
	if id := w.text(inject); id != nil {
		w.put(fact{op: opDefine, ns: nsInject, k: hashKey(nsInject, id), tup: tup, ptr: ptrInject, id: id}, inject)
	}
}

// path wants a relative path with '/' separators.
func (w *worker) path(node int) {
	p := w.text(node)
	if bytes.IndexByte(p, '\\') >= 0 || bytes.HasPrefix(p, []byte("/")) || len(p) > 1 && p[1] == ':' {
		w.warn(node, "SRC101", "a path that other machines cannot follow", quote(p), "a relative path with '/'")
	}
}

func (w *worker) span(obj int) {
	first, ok1 := w.integer(w.doc.Get(obj, "start_line"))
	last, ok2 := w.integer(w.doc.Get(obj, "end_line"))
	if ok1 && ok2 && last < first {
		w.fault(w.doc.Get(obj, "end_line"), "SRC102", "the span ends before it starts", num2(last), "at least "+num2(first))
	}
}

func num2(n int64) string { return strconv.FormatInt(n, 10) }

func (w *worker) index() {
	d := &w.doc
	seen := map[string]int{}
	last := -1
	for i, e := range d.Elems(0) {
		id, at := w.member(e, "id")
		if first, ok := seen[id]; ok && at >= 0 {
			w.fault(at, "SRC103", "the chapter stands in the index twice", quote(id), "once, see entry "+strconv.Itoa(first))
		}
		seen[id] = i
		if n, ok := chapterNumber(id); ok {
			if n < last {
				w.warn(at, "SRC104", "the chapters are not sorted by number", quote(id), "after "+strconv.Itoa(last))
			}
			last = n
		}
		for _, name := range []string{"raw_path", "norm_path"} {
			if p := d.Get(e, name); p >= 0 {
				w.path(p)
			}
		}
	}
}

func chapterNumber(id string) (int, bool) {
	s, ok := strings.CutPrefix(id, "ch")
	n, err := strconv.Atoi(s)
	return n, ok && err == nil
}

// --- memories

func (w *worker) export() {
	d := &w.doc
	id, payload, collection := -1, -1, -1
	for k, v := range d.Members(0) {
		switch string(d.Text(k)) {
		case "id":
			id = v
		case "payload":
			payload = v
		case "collection":
			collection = v
		}
	}
	if payload < 0 || d.Nodes[payload].Kind != jsonschema.Object {
		return
	}
	data, hash, created, updated := -1, -1, -1, -1
	for k, v := range d.Members(payload) {
		switch string(d.Text(k)) {
		case "data":
			data = v
		case "hash":
			hash = v
		case "created_at":
			created = v
		case "updated_at":
			updated = v
		case "events":
			w.events(v)
		}
	}
	point := w.text(id)
	if len(point) > 0 {
		w.put(fact{op: opDefine, ns: nsPoint, k: hashKey(nsPoint, w.text(collection), point), ptr: ptrID, id: point}, id)
	}
	w.ordered(created, updated, "MEM005", true)
	text := w.text(data)
	if len(bytes.TrimSpace(text)) == 0 {
		w.warn(max(data, payload), "MEM004", "the memory has no text", "", "data")
		if data < 0 || text == nil {
			return
		}
	}
	mem := w.memory(text, hash, payload, point)
	k := hashKey(nsMemory, mem)
	w.put(fact{op: opDefine, ns: nsMemory, k: k, tup: textHash(text), ptr: ptrData, id: text}, max(data, 0))
	if len(point) > 0 {
		w.facts = append(w.facts, fact{op: opDefine, ns: nsPair, k: hashKey(nsPair, mem, point)})
	}
}

// memory checks hash against data and returns the memory's id.
func (w *worker) memory(text []byte, hash, payload int, point []byte) []byte {
	sum := md5.Sum(text)
	want := hex.AppendEncode(append(w.mem[:0], "mem:"...), sum[:])
	have := w.text(hash)
	switch {
	case hash < 0 || w.doc.Nodes[hash].Kind == jsonschema.Null || hash >= 0 && have != nil && len(have) == 0:
		w.warn(max(hash, payload), "MEM002", "the memory has no hash", "", string(want[4:]))
	case have == nil: // the schema says it
	case !bytes.Equal(have, want[4:]):
		w.older(hash, "MEM001", "hash is not the md5 of data", quote(have), string(want[4:]))
	}
	if w.v == schema.V001 {
		return []byte(w.mint.Memory(string(text), string(have), schema.PointID(point)))
	}
	return want // valid until the next memory
}

// events checks payload.events, whose turns must exist if their conversation is given.
func (w *worker) events(arr int) {
	if w.v == schema.V001 {
		return
	}
	for i, e := range w.doc.Elems(arr) {
		conv := w.text(w.doc.Get(e, "conv_id"))
		at := w.doc.Get(e, "turn_id")
		turn, ok := w.integer(at)
		if !ok || conv == nil {
			continue
		}
		w.put(fact{op: opRefer, ns: nsEvent, k: hashKey(nsEvent, conv, num(turn)), cond: hashKey(nsConv, conv), ptr: ptrEvents, idx: int32(i), id: conv, num: turn}, at)
	}
}

// ordered wants two instants in order.
func (w *worker) ordered(first, second int, code string, warning bool) {
	a, b := w.text(first), w.text(second)
	if len(a) == 0 || len(b) == 0 || bytes.Equal(a, b) {
		return
	}
	x, err1 := time.Parse(time.RFC3339Nano, string(a))
	y, err2 := time.Parse(time.RFC3339Nano, string(b))
	if err1 == nil && err2 == nil && y.Before(x) {
		w.fault(second, code, "the instant lies before "+w.doc.Pointer(first), string(b), "not before "+string(a))
		w.fs[len(w.fs)-1].Warning = warning
	}
}

// --- claims

func (w *worker) claim() {
	d := &w.doc
	id, predicate, subject, object, domain, status, evidence, reason, superseded := -1, -1, -1, -1, -1, -1, -1, -1, -1
	for k, v := range d.Members(0) {
		switch string(d.Text(k)) {
		case "claim_id":
			id = v
		case "predicate":
			predicate = v
		case "subject":
			subject = v
		case "object":
			object = v
		case "domain":
			domain = v
		case "status":
			status = v
		case "evidence":
			evidence = v
		case "deprecated_reason":
			reason = v
		case "superseded_by":
			superseded = v
		}
	}
	pred := w.text(predicate)
	subjType, subjID := w.ref(subject, ptrSubject)
	objType, objID := w.ref(object, ptrObject)
	if len(pred) > 0 {
		w.predicate(pred, predicate, domain, subject, object, subjType, objType)
	}
	if idText := w.text(id); idText != nil && len(pred) > 0 && subjID != nil && objID != nil && w.text(domain) != nil {
		dom := w.text(domain)
		c := cutter(idText)
		same := c.lit("claim:") && c.part(pred) && c.lit("|") && c.part(dom) && c.lit("|") && c.part(subjID) && c.lit("|") && c.part(objID) && len(c) == 0
		if !same || !plainText(dom) {
			want := w.mint.Claim(string(pred), string(dom), schema.EntityID(subjID), schema.EntityID(objID))
			if string(want) != string(idText) {
				w.fault(id, "ID002", "claim_id is not that of its parts", quote(idText), quote(string(want)))
			}
		}
		w.grammar(w.doc.Get(subject, "entity_id"), subjID)
		w.grammar(w.doc.Get(object, "entity_id"), objID)
		w.length(id)
		w.put(fact{op: opDefine, ns: nsClaim, k: hashKey(nsClaim, idText), tup: hashKey(0, pred, dom, subjID, objID)[0], ptr: ptrClaimID, id: idText}, id)
	}
	if w.v != schema.V001 {
		if st := w.text(status); string(st) == schema.StatusDeprecated && reason < 0 {
			w.warn(status, "CLM006", "a deprecated claim names no reason", "", "deprecated_reason")
		}
		if s := w.text(superseded); s != nil {
			w.put(fact{op: opRefer, ns: nsClaim, k: hashKey(nsClaim, s), ptr: ptrSuperseded, id: s}, superseded)
		}
	}
	for i, e := range d.Elems(evidence) {
		w.evidence(i, e)
	}
}

// ref checks one end of a claim and returns its type and id.
func (w *worker) ref(node int, ptr byte) (typ, id []byte) {
	typ = w.text(w.doc.Get(node, "entity_type"))
	at := w.doc.Get(node, "entity_id")
	id = w.text(at)
	if len(typ) == 0 || id == nil {
		return typ, nil
	}
	if w.entityType(w.doc.Get(node, "entity_type"), typ) {
		w.entityPrefix(at, id, typ)
	}
	w.raw(at, id)
	w.put(fact{op: opRefer, ns: nsEntity, k: hashKey(nsEntity, id), ptr: ptr, id: id}, at)
	return typ, id
}

func (w *worker) entityType(node int, typ []byte) bool {
	e, ok := w.cat.Entities[string(typ)]
	switch {
	case !ok:
		w.fault(node, "CLM003", "the entity type is not in the catalogue", quote(typ), strings.Join(catalog.Sorted(w.cat.Entities), ", "))
	case w.v.Before(e.Since):
		w.warn(node, "CLM003", "the entity type is newer than the file's version", quote(typ), "since "+string(e.Since))
	}
	return ok
}

func (w *worker) entityPrefix(node int, id, typ []byte) bool {
	want := w.cat.Entities[string(typ)].Prefix
	have, _, ok := bytes.Cut(id, []byte{':'})
	ok = ok && string(have) == want
	if !ok {
		w.fault(node, "ID002", "the id does not start with the prefix of its type", quote(id), want+":…")
	}
	return ok
}

// raw warns of a 0.0.1 id whose free text can be mistaken for its structure.
func (w *worker) raw(node int, id []byte) {
	if w.v != schema.V001 {
		return
	}
	_, rest, _ := bytes.Cut(id, []byte{':'})
	if i := bytes.IndexAny(rest, ":|%"); i >= 0 {
		w.warn(node, "ID010", "raw '"+string(rest[i])+"' in an id: two things may get one id", quote(id), quote(string(id[:len(id)-len(rest)])+schema.Mint{V: schema.V010}.Escape(string(rest)))+" (0.1.0)")
	}
}

func (w *worker) length(node int) {
	if n := len(w.text(node)); n > schema.MaxIDBytes {
		w.fault(node, "ID020", "the id is too long for Neo4j", strconv.Itoa(n)+" bytes", "at most "+strconv.Itoa(schema.MaxIDBytes))
	}
}

// grammar checks an id of 0.1.0 that has no record of its own to be minted from.
func (w *worker) grammar(node int, id []byte) {
	if w.v == schema.V001 || plainID(id) || isMem(id) {
		return
	}
	if _, err := schema.ParseID(string(id)); err != nil {
		w.fault(node, "ID003", "the id does not follow the grammar: "+err.Error(), quote(id), "see docs/formats.md, ids")
	}
}

// plainID knows the common ids prefix:name without a character that needs a look.
func plainID(id []byte) bool {
	i := 0
	for i < len(id) && (id[i] >= 'a' && id[i] <= 'z') {
		i++
	}
	if i == 0 || i+1 >= len(id) || id[i] != ':' {
		return false
	}
	switch string(id[:i]) {
	case "mem", "edge", "claim", "dom", "pred", "event", "session", "chapter":
		return false
	}
	return plainText(id[i+1:])
}

func isMem(id []byte) bool {
	if len(id) != 36 || string(id[:4]) != "mem:" {
		return false
	}
	for _, c := range id[4:] {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// plainText reports that nothing in a part of an id needs an escape.
func plainText(part []byte) bool {
	for _, c := range part {
		// 0xC2 leads the C1 controls, 0xE2 the line separators.
		if c == ':' || c == '|' || c == '%' || c < 0x20 || c == 0x7f || c == 0xc2 || c == 0xe2 {
			return false
		}
	}
	return true
}

func (w *worker) predicate(name []byte, at, domain, subject, object int, subjType, objType []byte) {
	r, known := w.predicates[string(name)]
	if !known {
		r = w.lookUp(string(name))
	}
	if r.ok && string(w.text(domain)) == r.p.Domain && has(r.subjects, subjType) && has(r.p.Objects, objType) && !r.newer {
		return
	}
	pred, p, subjects := string(name), r.p, r.subjects
	if !r.ok {
		if slices.Contains(w.cat.Dropped, pred) {
			w.fault(at, "CLM005", "this predicate is never written", quote(pred), "no such claim")
			return
		}
		w.fault(at, "CLM001", "the predicate is not in the catalogue", quote(pred), "a predicate of the catalogue (membench schema show catalog)")
		return
	}
	if r.newer {
		w.warn(at, "CLM001", "the predicate is newer than the file's version", quote(pred), "since "+string(schema.V010))
	}
	if dom := w.text(domain); dom != nil && string(dom) != p.Domain {
		w.older(domain, "CLM002", "not the predicate's domain", quote(dom), p.Domain)
	}
	if len(subjType) > 0 && !has(subjects, subjType) {
		w.older(w.doc.Get(subject, "entity_type"), "CLM004", pred+" does not take this subject", quote(subjType), strings.Join(subjects, " or "))
	}
	if len(objType) > 0 && !has(p.Objects, objType) {
		w.older(w.doc.Get(object, "entity_type"), "CLM004", pred+" does not take this object", quote(objType), strings.Join(p.Objects, " or "))
	}
}

// predicateRule is what the catalogue says of one predicate, looked up once a worker.
type predicateRule struct {
	p        catalog.Predicate
	ok       bool
	newer    bool // than the file's version
	subjects []string
}

// lookUp keeps known predicates only: invented ones would grow the table.
func (w *worker) lookUp(name string) predicateRule {
	p, ok := w.cat.Predicate(name)
	if !ok {
		return predicateRule{}
	}
	_, negated, _ := w.cat.Polarity(name)
	r := predicateRule{p, true, w.v.Before(p.Since) || negated && w.v == schema.V001, p.Subjects}
	if len(r.subjects) == 0 {
		r.subjects = []string{"Agent", "User"}
	}
	w.predicates[name] = r
	return r
}

func has(list []string, b []byte) bool {
	for _, s := range list {
		if s == string(b) {
			return true
		}
	}
	return false
}

// cutter cuts expected pieces off the front of an id.
type cutter []byte

func (c *cutter) lit(s string) bool {
	ok := len(*c) >= len(s) && string((*c)[:len(s)]) == s
	if ok {
		*c = (*c)[len(s):]
	}
	return ok
}

func (c *cutter) part(b []byte) bool {
	ok := bytes.HasPrefix(*c, b)
	if ok {
		*c = (*c)[len(b):]
	}
	return ok
}

func (w *worker) evidence(i, e int) {
	d := &w.doc
	mem, point, text := -1, -1, -1
	for k, v := range d.Members(e) {
		switch string(d.Text(k)) {
		case "memory_item_id":
			mem = v
		case "point_id":
			point = v
		case "text":
			text = v
		}
	}
	id := w.text(mem)
	if len(id) == 0 {
		return
	}
	quoted := w.text(text)
	if w.v != schema.V001 {
		w.grammar(mem, id)
		if quoted != nil && len(id) == 36 {
			sum := md5.Sum(quoted)
			var want [32]byte
			hex.Encode(want[:], sum[:])
			if string(want[:]) != string(id[4:]) {
				w.fault(text, "LNK002", "the quoted text is not the memory's: its md5 is not the id's", "mem:"+string(want[:]), quote(id))
				quoted = nil
			}
		}
	}
	k := hashKey(nsMemory, id)
	w.put(fact{op: opRefer, ns: nsMemory, k: k, ptr: ptrEvidence, idx: int32(i), id: id}, mem)
	if quoted != nil {
		w.put(fact{op: opRefer, ns: nsMemory, k: k, cond: k, tup: textHash(quoted), ptr: ptrEvidenceText, idx: int32(i), id: quoted}, text)
	}
	if p := w.text(point); len(p) > 0 {
		w.put(fact{op: opRefer, ns: nsPair, k: hashKey(nsPair, id, p), cond: k, ptr: ptrEvidencePoint, idx: int32(i), id: p}, point)
	}
}

func (w *worker) entity() {
	d := &w.doc
	typAt := d.Get(0, "entity_type")
	typ := w.text(typAt)
	at := d.Get(0, "entity_id")
	id := w.text(at)
	props := d.Get(0, "props")
	if id == nil || len(typ) == 0 {
		return
	}
	if w.entityType(typAt, typ) && w.entityPrefix(at, id, typ) {
		if want := w.entityID(string(typ), props, id); want != "" && want != string(id) {
			w.fault(at, "ID002", "entity_id is not that of its name", quote(id), quote(want))
		} else {
			w.grammar(at, id)
		}
	}
	w.raw(at, id)
	w.length(at)
	if name := w.text(d.Get(props, "name")); len(name) == 0 && props >= 0 {
		if key := w.cat.Entities[string(typ)].Key; key == "" || w.str(d.Get(props, key)) == "" {
			w.warn(props, "CLM008", "no readable name", "", "name")
		}
	}
	w.put(fact{op: opDefine, ns: nsEntity, k: hashKey(nsEntity, id), tup: textHash(typ), ptr: ptrEntityID, id: id}, at)
}

// entityID is the id that the props give an entity of 0.1.0; "" when they do not say.
func (w *worker) entityID(typ string, props int, have []byte) string {
	e, ok := w.cat.Entities[typ]
	if !ok || props < 0 || w.v == schema.V001 {
		return ""
	}
	keys := e.Parts
	if len(keys) == 0 {
		keys = []string{e.Key}
	}
	parts := make([]string, len(keys))
	for i, k := range keys {
		s, at := w.member(props, k)
		if at < 0 && len(keys) == 1 && (k == "name" || k == "title") {
			s, at = w.member(props, "name")
		}
		if at < 0 || s == string(have) { // a node that is only referred to shows its id
			return ""
		}
		parts[i] = s
	}
	id, err := w.cat.EntityID(w.mint, typ, parts...)
	if err != nil {
		return ""
	}
	return string(id)
}

// --- graph

func (w *worker) node(at int) {
	d := &w.doc
	id, labels, props := -1, -1, -1
	for k, v := range d.Members(at) {
		switch string(d.Text(k)) {
		case "id":
			id = v
		case "labels":
			labels = v
		case "props":
			props = v
		}
	}
	mask, first := uint64(0), []byte(nil)
	for _, l := range d.Elems(labels) {
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
	w.props(props)
}

func (w *worker) nodeID(at int, id, name []byte, props int) {
	label := string(name)
	def, ok := w.cat.Labels[label]
	if !ok {
		w.grammar(at, id)
		return
	}
	if have, _, ok := bytes.Cut(id, []byte{':'}); !ok || string(have) != def.Prefix {
		w.fault(at, "GRF006", "the id's prefix is not that of "+label, quote(id), def.Prefix+":…")
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
	case "MemoryItem":
		data, ok := str("data")
		hash, _ := str("payload_hash")
		point, okPoint := str("point_id")
		if w.v == schema.V001 {
			ok = schema.IsHash(hash) || okPoint
		}
		if ok {
			want = append(want, string(w.mint.Memory(data, hash, schema.PointID(point))))
		}
	case "Event":
		conv, ok1 := str("conv_id")
		turn, ok2 := w.integer(w.doc.Get(props, "turn_id"))
		if ok1 && ok2 {
			want = append(want, string(w.mint.Event(schema.EventRef{ConvID: schema.ConvID(conv), TurnID: int(turn)})))
		}
	case "Session":
		conv, ok1 := str("conv_id")
		session, ok2 := str("session_id")
		if ok1 && ok2 {
			want = append(want, string(w.mint.Session(schema.ConvID(conv), session)))
		}
	case "Domain", "Predicate":
		root, ok1 := str("character_id")
		domain, ok2 := str("domain")
		predicate, ok3 := str("predicate")
		for _, r := range []schema.NodeID{w.mint.Character(root), schema.NodeID(root)} {
			if label == "Domain" && ok1 && ok2 {
				want = append(want, string(w.mint.Domain(r, domain)))
			} else if ok1 && ok2 && ok3 {
				want = append(want, string(w.mint.Predicate(r, domain, predicate)))
			}
		}
	case "Claim":
		predicate, ok1 := str("predicate")
		domain, ok2 := str("domain")
		if head := "claim:" + predicate + "|" + w.mint.Escape(domain) + "|"; ok1 && ok2 && !bytes.HasPrefix(id, []byte(head)) {
			w.fault(at, "ID002", "the id is not that of the claim's predicate and domain", quote(id), quote(head+"…"))
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
		w.fault(at, "ID002", "the id is not that of the node's properties", quote(id), quote(want[0]))
		return
	}
	w.grammar(at, id)
}

// nodeIDIs says yes to the common ids without making one.
func (w *worker) nodeIDIs(id []byte, def catalog.Label, label string, props int) bool {
	if w.v == schema.V001 {
		return false
	}
	if label == "MemoryItem" {
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
	d := &w.doc
	id, typ, src, dst, props := -1, -1, -1, -1, -1
	for k, v := range d.Members(at) {
		switch string(d.Text(k)) {
		case "id":
			id = v
		case "type":
			typ = v
		case "src":
			src = v
		case "dst":
			dst = v
		case "props":
			props = v
		}
	}
	t, s, o, idText := w.text(typ), w.text(src), w.text(dst), w.text(id)
	from, to := ^uint64(0), ^uint64(0)
	if len(t) > 0 {
		if def, ok := w.cat.Edges[string(t)]; ok {
			from, to = w.masks(string(t), def)
			if w.v.Before(def.Since) {
				w.warn(typ, "GRF002", "the edge type is newer than the file's version", quote(t), "since "+string(def.Since))
			} else if def.Until != "" && def.Until.Before(w.v) {
				w.warn(typ, "GRF002", "the edge type is no longer made", quote(t), "until "+string(def.Until))
			}
		} else if _, ok := w.cat.Predicate(string(t)); !ok { // a shortcut edge is named for its predicate
			w.fault(typ, "GRF002", "the edge type is not in the catalogue", quote(t), "a type of the catalogue (membench schema show catalog)")
		}
	}
	if len(idText) > 0 && len(t) > 0 && len(s) > 0 && len(o) > 0 {
		c := cutter(idText)
		same := c.lit("edge:") && c.part(t) && c.lit(":") && c.part(s) && c.lit(":") && c.part(o) && len(c) == 0
		if !same && !w.chainEdge(idText, t, s, o, props) {
			w.fault(id, "ID002", "the id is not that of type, src and dst", quote(idText), quote(string(w.mint.Edge(string(t), schema.NodeID(s), schema.NodeID(o)))))
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
	w.props(props)
}

// chainEdge knows the ids that the existing chain's claims graph uses in 0.0.1.
func (w *worker) chainEdge(id, typ, src, dst []byte, props int) bool {
	if w.v != schema.V001 {
		return false
	}
	join := func(parts ...string) bool { return string(id) == strings.Join(parts, ":") }
	s, o := string(src), string(dst)
	switch string(typ) {
	case "HAS_DOMAIN":
		return join("has_domain", s, w.str(w.doc.Get(props, "domain")))
	case "HAS_PREDICATE":
		return join("has_predicate", s, o)
	case "HAS_CLAIM":
		return join("has_claim", s, o)
	case "ABOUT":
		return join("about", s, o)
	case "EVIDENCED_BY":
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
	if string(typ) != "NEXT" && string(typ) != "REPLY_TO" {
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
	case string(typ) == "NEXT" && y <= x:
		w.fault(at, "GRF008", "NEXT does not lead to a later turn", strconv.Itoa(y), "more than "+strconv.Itoa(x))
	case string(typ) == "REPLY_TO" && y >= x:
		w.fault(at, "GRF008", "REPLY_TO does not lead to an earlier turn", strconv.Itoa(y), "less than "+strconv.Itoa(x))
	}
}

// pairs of properties whose first must not lie after the second.
var pairs = [][2]string{{"created_at", "updated_at"}, {"valid_at", "invalid_at"}, {"valid_from", "valid_to"}, {"start_line", "end_line"}, {"created_at", "expired_at"}}

var reservedProps = []string{"id", "type", "src", "dst", "scope", "props_json", "_hash"}

func (w *worker) props(props int) {
	d := &w.doc
	mayOrder := 0
	for k, v := range d.Members(props) {
		name := d.Text(k)
		n := d.Nodes[v]
		if n.Kind == jsonschema.Number && n.Int && n.End-n.Start >= 19 {
			if _, ok := w.integer(v); !ok {
				w.warn(v, "GRF011", "the integer does not fit 64 bits", quote(d.Raw(v)), "a string")
			}
		}
		switch len(name) {
		case 2, 3, 4, 5, 10:
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

// --- runs

func (w *worker) probe() {
	d := &w.doc
	id := d.Get(0, "probe_id")
	if text := w.text(id); len(text) > 0 {
		w.put(fact{op: opRefer, ns: nsProbe, k: hashKey(nsProbe, text), ptr: ptrProbeID, id: text}, id)
	}
	k, _ := w.integer(d.Get(0, "k"))
	hits := d.Get(0, "hits")
	for i, h := range d.Elems(hits) {
		if rank, ok := w.integer(d.Get(h, "rank")); ok && rank != int64(i+1) {
			w.fault(d.Get(h, "rank"), "MEM007", "hits are not ranked in order", num2(rank), strconv.Itoa(i+1))
		}
	}
	if hits >= 0 && k > 0 && int64(d.Nodes[hits].N) > k {
		w.fault(hits, "MEM007", "more hits than were asked for", strconv.Itoa(int(d.Nodes[hits].N)), "at most "+num2(k))
	}
}

func (w *worker) manifest() {
	d := &w.doc
	v, at := w.member(0, "schema_version")
	if _, err := schema.ParseVersion(v); at >= 0 && err != nil {
		w.fault(at, "MAN002", "the schema version is not published", quote(v), fmt.Sprint(schema.Versions()))
	}
	if w.o.Digest == nil {
		return
	}
	for _, e := range d.Elems(d.Get(0, "outputs")) {
		name, at := w.member(e, "path")
		sum, sumAt := w.member(e, "sha256")
		if name == "" || sum == "" {
			continue
		}
		p := name
		if !path.IsAbs(p) {
			p = path.Join(path.Dir(strings.ReplaceAll(w.name, "\\", "/")), p)
		}
		have, size, err := w.o.Digest(p)
		switch want, ok := w.integer(d.Get(e, "bytes")); {
		case err != nil:
			w.fault(at, "MAN001", "an output of the step cannot be read: "+err.Error(), quote(name), "the file")
		case ok && want != size:
			w.fault(sumAt, "MAN001", "an output of the step has changed", num2(size)+" bytes", num2(want)+" bytes")
		case have != sum:
			w.fault(sumAt, "MAN001", "an output of the step has changed", have, sum)
		}
	}
}
