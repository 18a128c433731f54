package validate

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"membench/internal/jsonschema"
	"membench/schema"
)

func (w *worker) event() {
	d := &w.doc
	var conv, turn, tags, meta int
	w.pick(0, want{"conv_id", &conv}, want{"turn_id", &turn}, want{"tags", &tags}, want{"meta", &meta})
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
	turnNo, okTurn := w.digits(turn)
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

// digits is integer of a member that the schema wants as one. JSON Schema takes 1e308 and
// 2.0 for integers, the readers of records do not: they want 64 bits in digits.
func (w *worker) digits(node int) (int64, bool) {
	n, ok := w.integer(node)
	if !ok && node >= 0 && w.doc.Nodes[node].Kind == jsonschema.Number {
		raw := string(w.doc.Raw(node))
		if f, err := strconv.ParseFloat(raw, 64); err == nil && f == math.Trunc(f) {
			w.fault(node, "JSON002", "wrong type", quote(raw), "an integer of 64 bits in digits")
		}
	}
	return n, ok
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
		w.warn(node, "SRC101", "a path that is not portable", quote(p), "a relative path with '/'")
	}
}

func (w *worker) span(obj int) {
	first, ok1 := w.digits(w.doc.Get(obj, "start_line"))
	last, ok2 := w.digits(w.doc.Get(obj, "end_line"))
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
			w.fault(at, "SRC103", "the chapter is in the index twice", quote(id), "once, see entry "+strconv.Itoa(first))
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
