package validate

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"strconv"
	"strings"

	"membench/internal/jsonschema"
	"membench/schema"
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
	nsCase
	nsCaseConv // a case's conv_id; its identity is what is said
	nsQuestion // of a case
	nsEval     // an answer or a session of a run; the last one
)

// A fact is a record's contribution to the set: it defines an id, refers to one, or is a turn.
type fact struct {
	op      byte
	ns      byte
	ptr     byte // pointers[ptr], with idx for %d
	flag    byte
	idx     int32
	off     int32
	k, cond key    // a reference counts only if cond is defined too, unless it is zero
	tup     uint64 // distinguishes two things with one id; for refs: what must agree
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
	ptrQuestion
	ptrSession
	ptrCase
	ptrConv
	ptrCaseQuestion
)

var pointers = [...]string{"/id", "/claim_id", "/entity_id", "/src", "/dst", "/evidence/%d/memory_item_id", "/evidence/%d/text", "/evidence/%d/point_id",
	"/subject/entity_id", "/object/entity_id", "/superseded_by", "/payload/events/%d/turn_id", "/turn_id", "/meta/expects/%d", "/meta/probe_id", "/meta/inject_id", "/probe_id", "/payload/data", "/question_id", "/session_id", "/case_id", "/conv_id", "/questions/%d/question_id"}

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

// textHash identifies a text: 64 bits.
func textHash(b []byte) uint64 { return hashKey(0, b)[0] }

// rules checks one record against the rules that a schema cannot express.
func (w *worker) rules(k schema.Kind) {
	if w.doc.Nodes[0].Kind != jsonschema.Object && k != schema.KindIndex {
		return
	}
	if rule := recordRules[k]; rule != nil {
		rule(w)
	}
}

// recordRules are the rules of a record by its kind.
var recordRules = map[schema.Kind]func(*worker){
	schema.KindEvent:      (*worker).event,
	schema.KindExport:     (*worker).export,
	schema.KindClaim:      (*worker).claim,
	schema.KindEntity:     (*worker).entity,
	schema.KindNode:       func(w *worker) { w.node(0) },
	schema.KindEdge:       func(w *worker) { w.edge(0) },
	schema.KindChange:     (*worker).change,
	schema.KindSpanAnchor: func(w *worker) { w.span(0) },
	schema.KindIndex:      (*worker).index,
	schema.KindProbe:      (*worker).probe,
	schema.KindManifest:   (*worker).manifest,
	schema.KindCase:       (*worker).caseRecord,
	schema.KindQA:         func(w *worker) { w.evalRecord("question_id", ptrQuestion, answerVerdicts, "protocol", "by", "gold") },
	schema.KindSession:    func(w *worker) { w.evalRecord("session_id", ptrSession, sessionVerdicts, "judge", "by", "item") },
}

func (w *worker) change() {
	for _, name := range []string{"old", "new"} {
		el := w.doc.Get(0, name)
		switch {
		case el < 0 || w.doc.Nodes[el].Kind != jsonschema.Object:
		case w.doc.Get(el, "src") >= 0 || w.doc.Get(el, "dst") >= 0:
			w.edge(el)
		default:
			w.node(el)
		}
	}
}

// brokenFacts keeps the id of a record that could be read only in part, so that references to it are not reported as dangling.
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

func (w *worker) export() {
	var id, payload, collection, data, hash, created, updated, events int
	w.pick(0, want{"id", &id}, want{"collection", &collection}, want{"payload", &payload})
	if payload < 0 || w.doc.Nodes[payload].Kind != jsonschema.Object {
		return
	}
	w.pick(payload, want{"data", &data}, want{"hash", &hash}, want{"created_at", &created}, want{"updated_at", &updated}, want{"events", &events})
	w.events(events)
	point := w.point(id)
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
		w.facts = append(w.facts, fact{op: opDefine, ns: nsPair, k: hashKey(nsPair, mem, point), cond: k})
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
	case have == nil: // the schema reports it
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
		turn, ok := w.digits(at)
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
	x, _ := schema.ParseInstant(a)
	if y, ok := schema.ParseInstant(b); ok && y < x {
		w.fault(second, code, "the instant lies before "+w.doc.Pointer(first), string(b), "not before "+string(a))
		w.fs[len(w.fs)-1].Warning = warning
	}
}

// --- claims

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
