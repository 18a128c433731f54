package validate

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"membench/schema"
	"membench/schema/catalog"
)

func (w *worker) claim() {
	var id, predicate, subject, object, domain, status, evidence, reason, superseded int
	w.pick(0, want{"claim_id", &id}, want{"predicate", &predicate}, want{"domain", &domain}, want{"subject", &subject}, want{"object", &object},
		want{"status", &status}, want{"deprecated_reason", &reason}, want{"superseded_by", &superseded}, want{"evidence", &evidence})
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
				w.fault(id, "ID002", "claim_id does not match its parts", quote(idText), quote(string(want)))
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
			w.sameSubject(superseded, s, subjID)
			w.put(fact{op: opRefer, ns: nsClaim, k: hashKey(nsClaim, s), ptr: ptrSuperseded, id: s}, superseded)
		}
	}
	for i, e := range w.doc.Elems(evidence) {
		w.evidence(i, e)
	}
}

// sameSubject checks that a claim was superseded by one of the same subject: a statement of another person supersedes nothing.
func (w *worker) sameSubject(at int, by, subject []byte) {
	p, err := schema.ParseID(string(by))
	if err != nil || len(p.Ends) != 2 || subject == nil {
		return
	}
	switch {
	case p.Ends[0] != string(subject):
		w.fault(at, "CLM009", "superseded by a claim of another subject", quote([]byte(p.Ends[0])), quote(subject))
	case p.Ends[0] == "user:"+schema.AnyUser || p.Ends[0] == "agent:"+schema.AnyAgent:
		w.warn(at, "CLM010", "the subject does not name a person: another person's claim may have superseded this one", quote(subject), "person:<conversation>/<name>, or a declared user or agent")
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
	case "mem", "edge", "claim", "dom", "pred", "event", "session", "chapter", "person":
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
		w.warn(at, "CLM001", "the predicate is newer than the file's version", quote(pred), "since "+string(p.Since))
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

// predicateRule is the catalogue's entry for one predicate, looked up once per worker.
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
		r.subjects = catalog.People()
	}
	w.predicates[name] = r
	return r
}

func has(list []string, b []byte) bool {
	return slices.ContainsFunc(list, func(s string) bool { return s == string(b) })
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
	var mem, point, text int
	w.pick(e, want{"memory_item_id", &mem}, want{"point_id", &point}, want{"text", &text})
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
	if p := w.point(point); len(p) > 0 {
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
			w.fault(at, "ID002", "entity_id does not match its name", quote(id), quote(want))
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
